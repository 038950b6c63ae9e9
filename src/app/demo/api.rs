//! The service over HTTP, as a program of a stranger's sees it.

use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

/// Polls before the demonstration gives up.
const POLLS_MAX: u32 = 30;
/// Before the first poll; each later one waits longer, for polls count as requests.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const POLL_INTERVAL_MAX: Duration = Duration::from_secs(1);

/// The service over HTTP, as a stranger's program knows it.
pub(super) struct Api<'a> {
    pub(super) agent: ureq::Agent,
    pub(super) base_url: &'a str,
    pub(super) key: &'a str,
}

impl Api<'_> {
    pub(super) fn post(&self, path: &str, body: &str) -> anyhow::Result<Value> {
        let mut answer = self
            .agent
            .post(format!("{}{path}", self.base_url))
            .header("Authorization", format!("Bearer {}", self.key))
            .header("Content-Type", "application/json")
            .send(body)?;
        read(answer.status().as_u16(), &answer.body_mut().read_to_string()?)
    }

    /// Sends a message to the tool server.
    pub(super) fn message(&self, method: &str, params: &Value) -> anyhow::Result<Value> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut answer = self
            .agent
            .post(format!("{}/mcp", self.base_url))
            .header("Authorization", format!("Bearer {}", self.key))
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .send(body.to_string())?;
        read(answer.status().as_u16(), &answer.body_mut().read_to_string()?)
    }

    pub(super) fn patch(&self, path: &str, body: &str) -> anyhow::Result<Value> {
        let mut answer = self
            .agent
            .patch(format!("{}{path}", self.base_url))
            .header("Authorization", format!("Bearer {}", self.key))
            .header("Content-Type", "application/json")
            .send(body)?;
        read(answer.status().as_u16(), &answer.body_mut().read_to_string()?)
    }

    pub(super) fn put(&self, path: &str, body: &str) -> anyhow::Result<Value> {
        let mut answer = self
            .agent
            .put(format!("{}{path}", self.base_url))
            .header("Authorization", format!("Bearer {}", self.key))
            .header("Content-Type", "application/json")
            .send(body)?;
        read(answer.status().as_u16(), &answer.body_mut().read_to_string()?)
    }

    pub(super) fn get(&self, path: &str) -> anyhow::Result<Value> {
        let mut answer = self
            .agent
            .get(format!("{}{path}", self.base_url))
            .header("Authorization", format!("Bearer {}", self.key))
            .call()?;
        read(answer.status().as_u16(), &answer.body_mut().read_to_string()?)
    }

    /// A file.
    pub(super) fn file(&self, path: &str) -> anyhow::Result<Vec<u8>> {
        let mut answer = self
            .agent
            .get(format!("{}{path}", self.base_url))
            .header("Authorization", format!("Bearer {}", self.key))
            .call()?;
        let status = answer.status().as_u16();
        if status != 200 {
            bail!("answered {status}: {}", answer.body_mut().read_to_string()?);
        }
        Ok(answer.body_mut().read_to_vec()?)
    }

    /// Submits a job and polls until it has ended.
    pub(super) fn run_job(&self, path: &str, body: &str) -> anyhow::Result<Value> {
        self.job_ended(&self.post(path, body)?)
    }

    /// Polls a job that was accepted until it has ended.
    pub(super) fn job_ended(&self, accepted: &Value) -> anyhow::Result<Value> {
        let poll_url = accepted.get("poll_url").and_then(Value::as_str).context("the answer has no poll_url")?;
        let mut interval = POLL_INTERVAL;
        for _ in 0..POLLS_MAX {
            std::thread::sleep(interval);
            interval = (interval * 2).min(POLL_INTERVAL_MAX);
            let state = self.get(poll_url)?;
            match state.get("status").and_then(Value::as_str) {
                Some("completed") => return Ok(state),
                Some("failed") => bail!("the job failed: {state}"),
                _ => {}
            }
        }
        bail!("the job did not end");
    }
}

fn read(status: u16, text: &str) -> anyhow::Result<Value> {
    if !(200..300).contains(&status) {
        bail!("answered {status}: {text}");
    }
    serde_json::from_str(text).context("the answer is not JSON")
}
