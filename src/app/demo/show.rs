//! Runs the samples through the service's own HTTP API, as a stranger's program would, and prints what came of them.

use std::time::Duration;

use anyhow::{Context as _, bail};
use chrono::NaiveDate;
use serde_json::Value;

use super::{books, month, sample, tables};

/// Polls before the demonstration gives up.
const POLLS_MAX: u32 = 30;
/// Before the first poll; each later one waits longer, for polls count as requests.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const POLL_INTERVAL_MAX: Duration = Duration::from_secs(1);

/// The service over HTTP, as a stranger's program knows it.
pub(super) struct Api<'a> {
    agent: ureq::Agent,
    base_url: &'a str,
    key: &'a str,
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

    /// Submits a job and polls until it has ended.
    fn run_job(&self, path: &str, body: &str) -> anyhow::Result<Value> {
        let accepted = self.post(path, body)?;
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

/// Runs the samples through the API at `base_url` and prints their outcomes and `curl` lines to standard output.
pub fn show(
    base_url: &str,
    ops_url: &str,
    (key, filling_key): (&str, &str),
    today: NaiveDate,
    session: &str,
) -> anyhow::Result<()> {
    let config =
        ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(30)));
    let agent: ureq::Agent = config.build().into();
    let api = Api { agent: agent.clone(), base_url, key };
    let reconciled = api.run_job("/api/v1/reconciliations", &sample::reconciliation_body(today))?;
    println!("{}\n", tables::reconciliation(reconciled.get("result").context("no result")?));
    let coded = api.run_job("/api/v1/coding/coding-jobs", &month::coding_body(today))?;
    println!("{}\n", tables::coding(&coded));
    let filling = Api { agent, base_url, key: filling_key };
    let organisation = books::fill(&filling, today)?;
    let list = |name: &str| filling.get(&format!("{organisation}/{name}"));
    println!("{}", tables::books(&list("bank-accounts")?, &list("customers")?, &list("suppliers")?));
    println!("{}", next_steps(base_url, ops_url, key, session, &organisation));
    Ok(())
}

fn next_steps(base_url: &str, ops_url: &str, key: &str, session: &str, organisation: &str) -> String {
    format!(
        r#"
Try it yourself (a key with every scope, for this demonstration only):

  export KEY={key}

  curl {base_url}/api/v1/me -H "Authorization: Bearer $KEY"

  curl {base_url}/api/v1/reconciliations -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '
    {{"bank": [{{"date": "2026-04-01", "amount": 100.00, "description": "BGC ACME INV 7"}}],
     "book": [{{"date": "2026-04-02", "amount": 100.00, "description": "Acme invoice 7"}}]}}'

  curl {base_url}/api/v1/reconciliations/ID_FROM_ABOVE -H "Authorization: Bearer $KEY"

  curl {base_url}/api/v1/coding/coding-jobs -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '
    {{"transactions": [{{"date": "2026-04-01", "amount": -39.60, "description": "XERO UK LTD"}},
                      {{"date": "2026-04-02", "amount": 1200.00, "description": "FPI ACME LTD INV-7"}}],
     "chart_of_accounts": [{{"code": "400", "name": "Sales", "type": "INCOME"}},
                           {{"code": "463", "name": "IT Software and Consumables", "type": "EXPENSE"}},
                           {{"code": "610", "name": "Accounts Receivable", "type": "ASSET"}}],
     "invoices": [{{"number": "INV-7", "kind": "invoice", "contact": "Acme Ltd", "date": "2026-03-20", "amount_due": 1200.00}}],
     "options": {{"businessContext": "VAT registered design studio, limited company"}}}}'

  curl {base_url}/api/v1/coding/coding-jobs/ID_FROM_ABOVE -H "Authorization: Bearer $KEY"

  curl "{base_url}{organisation}/sales-invoices?overdue=true" -H "Authorization: Bearer $KEY"

  curl "{base_url}{organisation}/bank-transactions?status=unconfirmed" -H "Authorization: Bearer $KEY"

  curl {base_url}{organisation}/bank-transactions/ID_FROM_ABOVE/candidates -H "Authorization: Bearer $KEY"

  curl {base_url}/api/v1/keys -H "Authorization: Bearer {session}"

API documentation  {base_url}/docs
Operators' page    {ops_url}/
"#
    )
}
