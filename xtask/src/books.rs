//! Books as their callers know them: organisations made over HTTP, their accounts, and journals to post.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::{
    http::{Connection, Request},
    random::Random,
};

/// Where organisations are.
pub const ORGANISATIONS: &str = "/api/v1/books/organisations";

/// The accounts that journals charge; the bank account pays.
const CODES: [&str; 8] = ["5000", "5200", "7100", "7200", "7300", "7500", "7520", "7900"];

/// An organisation.
#[derive(Debug, Clone)]
pub struct Books {
    /// Its id.
    pub id: i64,
    accounts: BTreeMap<String, i64>,
}

impl Books {
    /// Make an organisation, with the standard chart.
    pub fn create(connection: &mut Connection, key: &str, name: &str) -> Result<Self> {
        let body = json!({ "name": name }).to_string();
        let reply = connection.send(&Request::post(ORGANISATIONS, Some(key), body.as_bytes()))?;
        ensure!(reply.status == 201, "making an organisation was answered {}", reply.summary());
        let id = reply.json().pointer("/data/id").and_then(Value::as_i64).context("an organisation without an id")?;
        Self::known(connection, key, id)
    }

    /// An organisation that exists.
    pub fn known(connection: &mut Connection, key: &str, id: i64) -> Result<Self> {
        let path = format!("{ORGANISATIONS}/{id}/accounts");
        let reply = connection.send(&Request::get(&path, Some(key)))?;
        ensure!(reply.status == 200, "listing accounts was answered {}", reply.summary());
        let mut accounts = BTreeMap::new();
        for account in reply.json().get("data").and_then(Value::as_array).into_iter().flatten() {
            let code = account.get("code").and_then(Value::as_str).context("an account without a code")?;
            let id = account.get("id").and_then(Value::as_i64).context("an account without an id")?;
            accounts.insert(code.to_owned(), id);
        }
        Ok(Self { id, accounts })
    }

    /// A path inside it, which begins with a slash.
    #[must_use]
    pub fn path(&self, inside: &str) -> String {
        format!("{ORGANISATIONS}/{}{inside}", self.id)
    }

    /// The account with that code.
    pub fn account(&self, code: &str) -> Result<i64> {
        self.accounts.get(code).copied().with_context(|| format!("there is no account {code}"))
    }

    /// A journal that balances: usually two lines, sometimes three or four, on a day of a year.
    pub fn journal(&self, random: &mut Random) -> Result<Entered> {
        let costs = if random.chance(75) { 1 } else { random.between(2, 3) };
        let mut lines = Vec::new();
        let mut total_pence = 0;
        for _ in 0..costs {
            let account = self.account(random.pick(&CODES).copied().unwrap_or_default())?;
            let pence = random.between(1, 250_000);
            total_pence += pence;
            lines.push(format!(r#"{{"account_id":{account},"debit":{}}}"#, pounds(pence)));
        }
        let bank = self.account("1200")?;
        lines.push(format!(r#"{{"account_id":{bank},"credit":{}}}"#, pounds(total_pence)));
        let (month, day) = (random.between(1, 12), random.between(1, 28));
        let body = format!(
            r#"{{"entry_date":"2026-{month:02}-{day:02}","description":"Payment {:08x}","lines":[{}]}}"#,
            random.below(1 << 32),
            lines.join(",")
        );
        Ok(Entered { body: body.into_bytes(), line_count: lines.len(), total_pence })
    }
}

/// A journal to be posted, and what must be found of it afterwards.
#[derive(Debug, Clone)]
pub struct Entered {
    /// The request's body.
    pub body: Vec<u8>,
    /// How many lines it has.
    pub line_count: usize,
    /// The sum of its debits.
    pub total_pence: u64,
}

/// An amount, written with two decimals.
fn pounds(pence: u64) -> String {
    format!("{}.{:02}", pence / 100, pence % 100)
}
