//! The books of an organisation as the plain-text programs read them: ledger and hledger the one form, beancount the other.
//! Accounts are named by type and id, which all three take, whatever codes and names people gave.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{
    books::ORGANISATIONS,
    http::{Connection, Request},
    postings::pence,
};

/// Journals asked for at once.
const PAGE: usize = 200;

/// A line: the account's id, and debits less credits in pence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportedLine {
    /// The account.
    pub account: i64,
    /// Pence, debits positive.
    pub pence: i64,
}

/// A journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedJournal {
    /// Its date, `YYYY-MM-DD`.
    pub date: String,
    /// Its number.
    pub number: i64,
    /// Its lines.
    pub lines: Vec<ExportedLine>,
}

/// The books.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportedBooks {
    /// The names of the accounts in the other programs, by id.
    pub accounts: BTreeMap<i64, String>,
    /// The journals by date and number.
    pub journals: Vec<ExportedJournal>,
}

/// Read the books of an organisation over HTTP.
pub fn read(connection: &mut Connection, key: &str, organisation: i64) -> Result<ExportedBooks> {
    let mut ask = |inside: &str| {
        let path = format!("{ORGANISATIONS}/{organisation}{inside}");
        let reply = connection.send(&Request::get(&path, Some(key)))?;
        ensure!(reply.status == 200, "{path} was answered {}", reply.summary());
        Ok(reply.json())
    };
    let mut books = ExportedBooks::default();
    books.add_accounts(&ask("/accounts?include_archived=true")?)?;
    for page in 0.. {
        let journals = ask(&format!("/journals?limit={PAGE}&offset={}", page * PAGE))?;
        if books.add_journals(&journals)? < PAGE {
            break;
        }
    }
    books.journals.sort_by(|one, other| (&one.date, one.number).cmp(&(&other.date, other.number)));
    Ok(books)
}

impl ExportedBooks {
    /// Add the accounts of an answer of `GET …/accounts`.
    pub fn add_accounts(&mut self, answer: &Value) -> Result<()> {
        for account in answer.get("data").and_then(Value::as_array).into_iter().flatten() {
            let root = match account.get("account_type").and_then(Value::as_str) {
                Some("ASSET" | "SUSPENSE") => "Assets",
                Some("LIABILITY") => "Liabilities",
                Some("EQUITY") => "Equity",
                Some("REVENUE") => "Income",
                Some("EXPENSE") => "Expenses",
                other => anyhow::bail!("an account of type {other:?}"),
            };
            let id = integer(account, "id")?;
            self.accounts.insert(id, format!("{root}:A{id}"));
        }
        Ok(())
    }

    /// Add the journals of an answer of `GET …/journals`; how many there were.
    pub fn add_journals(&mut self, answer: &Value) -> Result<usize> {
        let journals = answer.get("data").and_then(Value::as_array).context("an answer without journals")?;
        for journal in journals {
            let date =
                journal.get("entry_date").and_then(Value::as_str).context("a journal without a date")?.to_owned();
            let mut lines = Vec::new();
            for line in journal.get("lines").and_then(Value::as_array).context("a journal without lines")? {
                let amount = |name: &str| -> Result<i64> {
                    let pence =
                        line.get(name).and_then(pence).with_context(|| format!("{name} is no amount in {line}"))?;
                    Ok(i64::try_from(pence)?)
                };
                lines.push(ExportedLine {
                    account: integer(line, "account_id")?,
                    pence: amount("debit")? - amount("credit")?,
                });
            }
            self.journals.push(ExportedJournal { date, number: integer(journal, "journal_number")?, lines });
        }
        Ok(journals.len())
    }

    /// For ledger and hledger.
    #[must_use]
    pub fn ledger(&self) -> String {
        let mut text = String::new();
        for journal in &self.journals {
            text.push_str(&format!("{} ({}) journal\n", journal.date, journal.number));
            for line in &journal.lines {
                text.push_str(&format!("    {}  {} GBP\n", self.name(line.account), pounds(line.pence)));
            }
            text.push('\n');
        }
        text
    }

    /// For beancount: accounts are opened on the first day there is.
    #[must_use]
    pub fn beancount(&self) -> String {
        let first = self.journals.first().map_or("1970-01-01", |journal| journal.date.as_str());
        let mut text = String::from("option \"operating_currency\" \"GBP\"\n");
        for name in self.accounts.values() {
            text.push_str(&format!("{first} open {name} GBP\n"));
        }
        for journal in &self.journals {
            text.push_str(&format!("\n{} * \"{}\"\n", journal.date, journal.number));
            for line in &journal.lines {
                text.push_str(&format!("  {}  {} GBP\n", self.name(line.account), pounds(line.pence)));
            }
        }
        text
    }

    fn name(&self, account: i64) -> &str {
        self.accounts.get(&account).map_or("Equity:Unknown", String::as_str)
    }
}

fn integer(value: &Value, name: &str) -> Result<i64> {
    value.get(name).and_then(Value::as_i64).with_context(|| format!("{name} is missing in {value}"))
}

fn pounds(pence: i64) -> String {
    let sign = if pence < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", pence.unsigned_abs() / 100, pence.unsigned_abs() % 100)
}
