//! Bank lines loaded into coding sessions while servers die: each load is repeated under its label until it is answered, some are
//! repeated after that, and the reckoning counts the lines and the credits.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{Client, Done, Planning, Said, spoken};
use crate::{http::Connection, report::Finding};

/// Credits for a line.
const CREDITS_PER_LINE: u64 = 4;
/// A session takes so many loads, then another one is begun.
const LOADS_OF_SESSION: usize = 60;

/// A coding session, and what was loaded into it.
#[derive(Debug, Default)]
pub(super) struct Session {
    id: String,
    /// The place of the key it belongs to.
    key: usize,
    loads: Vec<Load>,
}

#[derive(Debug, Clone)]
struct Load {
    arguments: Value,
    lines: u64,
}

impl Client {
    /// Loads a few lines, or repeats what was loaded, or has everything coded.
    pub(super) fn code(&mut self) -> Result<()> {
        if self.done.sessions.last().is_none_or(|session| session.loads.len() >= LOADS_OF_SESSION) {
            let chart = json!([
                { "code": "400", "name": "Motor fuel", "type": "EXPENSE" },
                { "code": "429", "name": "General expenses", "type": "EXPENSE" },
                { "code": "090", "name": "Business bank account", "type": "ASSET" },
            ]);
            let arguments = json!({ "platform": "manual", "chart_of_accounts": chart });
            let started = self.must_give(self.key, "start_coding_session", &arguments)?;
            let id = started.get("session_id").and_then(Value::as_str).context("a session without an id")?.to_owned();
            self.done.sessions.push(Session { id, key: self.key, loads: Vec::new() });
        }
        let session = self.done.sessions.last().context("no session")?;
        let (id, key) = (session.id.clone(), session.key);
        let is_empty = session.loads.is_empty();
        let known = self.random.pick(&session.loads).cloned();
        if let Some(known) = known.filter(|_| self.random.chance(15)) {
            let again = self.must_give(key, "add_bank_transactions", &known.arguments)?;
            let is_told = again.get("replayed") == Some(&Value::Bool(true));
            if !is_told {
                self.work.complaints.add(format!("a label was loaded twice: {again}"));
            }
            return Ok(());
        }
        if !is_empty && self.random.chance(10) {
            self.must_give(key, "run_coding", &json!({ "session_id": id }))?;
            return Ok(());
        }
        let lines = self.random.between(1, 6);
        let label = format!("l{}-{}", self.number, self.sent);
        let rows: Vec<Value> = (0..lines)
            .map(|row| json!({ "date": "2026-03-10", "description": format!("SHELL {label} {row}"), "amount": -10 }))
            .collect();
        let arguments = json!({ "session_id": id, "batch_ref": label, "bank_account": "Current", "rows": rows });
        self.must_give(key, "add_bank_transactions", &arguments)?;
        if let Some(session) = self.done.sessions.last_mut() {
            session.loads.push(Load { arguments, lines });
        }
        Ok(())
    }
}

/// Holds the lines of each session and the credits that were spent against what was loaded.
pub(super) fn reckon(
    work: &Planning,
    connection: &mut Connection,
    done: &[Done],
    spent: u64,
    finding: &mut Finding,
) -> Result<()> {
    let (mut loads, mut lines) = (0, 0);
    for session in done.iter().flat_map(|done| &done.sessions) {
        let expected: u64 = session.loads.iter().map(|load| load.lines).sum();
        let key = work.keys.get(session.key).context("no key")?;
        // Lines are shown once they are coded.
        if expected > 0 {
            spoken(connection, key, "run_coding", &json!({ "session_id": session.id }))?;
        }
        let arguments = json!({ "session_id": session.id, "filter": "all", "limit": 1 });
        let Some(Said::Given(review)) = spoken(connection, key, "review_coding", &arguments)? else {
            finding.broken(format!("session {} is gone", session.id));
            continue;
        };
        let there = review.get("total").and_then(Value::as_u64);
        finding.must(there == Some(expected), format!("{there:?} lines are in a session, {expected} were loaded"));
        loads += session.loads.len();
        lines += expected;
    }
    finding.count("loads", loads);
    finding.count("lines", lines);
    finding.count("credits", spent);
    finding.must(
        spent == lines * CREDITS_PER_LINE,
        format!("{spent} credits were spent on {lines} lines at {CREDITS_PER_LINE}"),
    );
    ensure!(loads > 0, "nothing was loaded");
    Ok(())
}
