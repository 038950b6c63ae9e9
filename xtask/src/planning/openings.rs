//! Opening balances while servers die: each of many organisations gets them from one client, once.

use std::sync::atomic::Ordering;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{Client, Done, Planning, Previewed};
use crate::{
    http::{Connection, Request},
    report::Finding,
};

impl Client {
    /// The preview of balances for an organisation that has none; nothing when all have.
    pub(super) fn opening(&self) -> Option<(i64, &'static str, Value)> {
        let place = self.work.opened.fetch_add(1, Ordering::Relaxed);
        let organisation = self.work.unopened.get(place)?.id;
        let lines = json!([{ "account_code": "1200", "debit": 5 }, { "account_code": "3000", "credit": 5 }]);
        let arguments = json!({ "organisation_id": organisation, "as_of": "2025-12-31", "lines": lines });
        Some((organisation, "set_opening_balances", arguments))
    }
}

/// Whoever was given balances has one journal of them, and whoever was only shown them has none.
pub(super) fn reckon(work: &Planning, connection: &mut Connection, done: &[Done], finding: &mut Finding) -> Result<()> {
    let is_opening = |previewed: &&Previewed| previewed.tool == "set_opening_balances";
    let confirmed = done.iter().flat_map(|done| &done.confirmed).filter(is_opening).map(|known| (known, 1));
    let abandoned = done.iter().flat_map(|done| &done.abandoned).filter(is_opening).map(|known| (known, 0));
    let mut openings = 0;
    for (previewed, expected) in confirmed.chain(abandoned) {
        let books = work.unopened.iter().find(|books| books.id == previewed.organisation).context("no such books")?;
        let path = books.path("/journals?limit=10");
        let reply = connection.send(&Request::get(&path, work.keys.first().map(String::as_str)))?;
        ensure!(reply.status == 200, "{path} was answered {}", reply.summary());
        let there = reply.json().get("data").and_then(Value::as_array).map_or(0, Vec::len);
        finding.must(there == expected, format!("{there} opening journals where {expected} were confirmed"));
        openings += expected;
    }
    finding.count("openings", openings);
    Ok(())
}
