//! A quarter of a small company, October to December 2025: `operations.json` says what is asked of the service and what
//! it answers, `journals.beancount` every journal it must post, worked by hand, `end.json` where everything stands then.
//!
//! In the operations `@name` is what an earlier answer was kept as, `@4000` the account with that code.

mod worked;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::account_reports::assert_account_reports;
use super::contact_reports_naive::assert_contact_reports;
use super::figures::{assert_is_a_journal, badly_printed, pence, sides};
use super::{Books, independent};
use crate::support::client::Answer;
use crate::support::database::{Database, on_both_databases};
use crate::support::server::{Setup, TestServer};

const OPERATIONS: &str = include_str!("operations.json");
const OPENING: &str = include_str!("opening.json");
const JOURNALS: &str = include_str!("journals.beancount");
const END: &str = include_str!("end.json");

/// The operations under way.
pub struct Quarter {
    pub books: Books,
    pub names: BTreeMap<String, Value>,
    /// What was not as it must be, so that one look shows everything.
    pub complaints: Vec<String>,
}

impl Quarter {
    pub fn on(database: &Database) -> Self {
        let server: TestServer = Setup::new().on(database).start();
        let owner = server.person();
        let key = server.key(&owner, &["books:read", "books:write"]);
        let books = Books { server, owner, key, id: 0 };
        Self { books, names: BTreeMap::new(), complaints: Vec::new() }
    }

    /// What a name stands for.
    fn named(&self, name: &str) -> Result<Value, String> {
        if let Some(value) = self.names.get(name) {
            return Ok(value.clone());
        }
        if name == "@opening" {
            return self.filled(&serde_json::from_str(OPENING).unwrap());
        }
        if self.books.id != 0 && name.chars().all(|letter| letter.is_ascii_digit()) {
            let accounts = self.books.get("/accounts?include_archived=true");
            let account = accounts["data"].as_array().unwrap().iter().find(|account| account["code"] == name);
            return account.map(|account| account["id"].clone()).ok_or_else(|| format!("there is no account {name}"));
        }
        Err(format!("nothing is known as @{name}"))
    }

    /// The same with everything named in its place.
    pub fn filled(&self, value: &Value) -> Result<Value, String> {
        match value {
            Value::String(text) if text.starts_with('@') => self.named(&text[1..]),
            Value::Array(items) => items.iter().map(|item| self.filled(item)).collect(),
            Value::Object(fields) => {
                let filled = fields.iter().map(|(name, field)| Ok((name.clone(), self.filled(field)?)));
                Ok(Value::Object(filled.collect::<Result<_, String>>()?))
            }
            other => Ok(other.clone()),
        }
    }

    pub fn filled_path(&self, path: &str) -> Result<String, String> {
        let mut parts = path.split('@');
        let mut filled = parts.next().unwrap().to_owned();
        for part in parts {
            let end = part.find(['/', '&', '?']).unwrap_or(part.len());
            filled.push_str(&self.named(&part[..end])?.to_string());
            filled.push_str(&part[end..]);
        }
        Ok(filled)
    }

    pub fn answer(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let path = if path.starts_with("/api/") { path.to_owned() } else { self.books.path(path) };
        let request = self.books.server.client.request(method, &path).key(&self.books.key);
        match body {
            Some(body) => request.json(body).send(),
            None => request.send(),
        }
    }

    /// Compares parts of an answer.
    fn compare(&self, answer: &Answer, see: &Value) -> Result<(), String> {
        let body = answer.value();
        let mut different = String::new();
        for (pointer, expected) in see.as_object().into_iter().flatten() {
            let expected = self.filled(expected)?;
            let found = body.pointer(pointer);
            if found != Some(&expected) {
                let found = found.map_or_else(|| "missing".to_owned(), Value::to_string);
                different.push_str(&format!("; {pointer} must be {expected} and is {found}"));
            }
        }
        different.extend(badly_printed(answer).map(|badly| format!("; {badly}")));
        if different.is_empty() { Ok(()) } else { Err(format!("{answer}{different}")) }
    }

    fn run(&mut self, operation: &Value) -> Result<(), String> {
        let Some(call) = operation["call"].as_str() else { return Ok(()) };
        let (method, path) = call.split_once(' ').unwrap();
        let path = self.filled_path(path)?;
        let body = operation.get("send").map(|body| self.filled(body)).transpose()?;
        let answer = self.answer(method, &path, body.as_ref());
        let expected = operation["status"].as_u64().unwrap();
        if u64::from(answer.status) != expected {
            return Err(format!("{expected} was expected: {answer}"));
        }
        let value = answer.value();
        if let Some(reason) = operation.get("reason")
            && value["error"]["details"]["reason"] != *reason
        {
            return Err(format!("{reason} was expected: {answer}"));
        }
        for (name, pointer) in operation["keep"].as_object().into_iter().flatten() {
            let kept = value.pointer(pointer.as_str().unwrap()).filter(|kept| !kept.is_null());
            let kept = kept.ok_or_else(|| format!("no {pointer} to be kept as {name}: {answer}"))?;
            if name == "organisation" {
                self.books.id = kept.as_i64().unwrap();
            }
            self.names.insert(name.clone(), kept.clone());
        }
        self.compare(&answer, operation.get("see").unwrap_or(&Value::Null))
    }

    /// Every journal, in the order of its number.
    fn journals(&self) -> Vec<Value> {
        all_journals(&self.books)
    }

    fn compare_journals(&mut self) {
        let worked = worked::read(JOURNALS);
        let journals = self.journals();
        for (at, journal) in journals.iter().enumerate() {
            assert_is_a_journal(journal);
            let posted = worked::Worked {
                date: journal["entry_date"].as_str().unwrap().to_owned(),
                source_type: journal["source_type"].as_str().unwrap().to_owned(),
                sides: sides(journal),
            };
            if worked.journals.get(at) != Some(&posted) {
                let expected = worked.journals.get(at);
                self.complaints.push(format!("journal {}: {expected:?} was expected, {posted:?} was posted", at + 1));
            }
            assert_eq!(journal["journal_number"], json!(at + 1));
        }
        if journals.len() != worked.journals.len() {
            self.complaints.push(format!("{} journals were posted, {} worked", journals.len(), worked.journals.len()));
        }
        let mut balances = worked.balances;
        balances.retain(|_, balance| *balance != 0);
        let found = debit_balances(&self.books);
        if found != balances {
            self.complaints.push(format!("balances: expected {balances:?}, found {found:?}"));
        }
    }

    fn compare_end(&mut self) {
        let end: Value = serde_json::from_str(END).unwrap();
        for (path, see) in end["see"].as_object().unwrap() {
            let checked = self.filled_path(path).and_then(|filled| {
                let answer = self.answer("GET", &filled, None);
                self.compare(&answer, see)
            });
            self.complaints.extend(checked.err().map(|said| format!("end, {path}: {said}")));
        }
        let mut boxes = BTreeMap::from([("box1", 0), ("box4", 0), ("box6", 0), ("box7", 0)]);
        let mut by_code = Vec::new();
        for row in end["vat_by_code"].as_array().unwrap() {
            let is_output = row["side"] == "output";
            let (net, vat) = (pence(&row["net"]), pence(&row["vat"]));
            *boxes.get_mut(if is_output { "box6" } else { "box7" }).unwrap() += net;
            *boxes.get_mut(if is_output { "box1" } else { "box4" }).unwrap() += vat;
            let text = |field: &str| row[field].as_str().unwrap().to_owned();
            by_code.push((text("side"), text("vat_code"), net, vat));
        }
        for (name, amount) in boxes {
            assert_eq!(pence(&end["vat_boxes"][name]), amount, "{name} is what its codes come to");
        }
        let found = self.books.server.vat_by_code(self.books.id, "2025-10-01", "2025-12-31");
        if found != by_code {
            self.complaints.push(format!("VAT by code: expected {by_code:?}, found {found:?}"));
        }
    }
}

/// Every journal of an organisation, in the order of its number.
pub fn all_journals(books: &Books) -> Vec<Value> {
    let mut journals = Vec::new();
    loop {
        let page = books.get(&format!("/journals?limit=200&offset={}", journals.len()));
        let page = page["data"].as_array().unwrap();
        if page.is_empty() {
            break;
        }
        journals.extend(page.iter().cloned());
    }
    journals.sort_by_key(|journal| journal["journal_number"].as_i64());
    journals
}

/// Debits less credits by account code, without accounts that come to nothing.
pub fn debit_balances(books: &Books) -> BTreeMap<String, i64> {
    let accounts = books.get("/accounts?include_archived=true");
    let balance = |account: &Value| {
        let direction = if account["normal_balance"] == "debit" { 1 } else { -1 };
        (account["code"].as_str().unwrap().to_owned(), direction * pence(&account["balance"]))
    };
    accounts["data"].as_array().unwrap().iter().map(balance).filter(|(_, balance)| *balance != 0).collect()
}

#[test]
fn the_worked_journals_are_sound() {
    let worked = worked::read(JOURNALS);
    assert_eq!(worked.journals.len(), 73);
    let mut balances: BTreeMap<String, i64> = BTreeMap::new();
    for journal in &worked.journals {
        assert_eq!(journal.sides.values().sum::<i64>(), 0, "{journal:?}");
        for (code, amount) in &journal.sides {
            *balances.entry(code.clone()).or_default() += amount;
        }
    }
    let mut expected = worked.balances;
    expected.retain(|code, _| balances.contains_key(code));
    assert_eq!(balances, expected);
    independent::assert_is_sound("tests/api/books/quarter/journals.beancount");
}

on_both_databases! {
    fn a_quarter_is_posted_as_it_was_worked_by_hand(database) {
        let mut quarter = Quarter::on(&database);
        let operations: Vec<Value> = serde_json::from_str(OPERATIONS).unwrap();
        for operation in &operations {
            if let Err(said) = quarter.run(operation) {
                quarter.complaints.push(format!("{}: {said}", operation["call"]));
            }
        }
        quarter.compare_journals();
        quarter.compare_end();
        let complaints = std::mem::take(&mut quarter.complaints);
        assert!(complaints.is_empty(), "{} differences:\n{}", complaints.len(), complaints.join("\n"));
        let accounts = quarter.books.get("/accounts?include_archived=true");
        independent::assert_agrees(&quarter.journals(), accounts["data"].as_array().unwrap());
        assert_account_reports(&quarter.books);
        assert_contact_reports(&quarter.books);
        // `bookkeeping check` follows when the server goes.
    }
}
