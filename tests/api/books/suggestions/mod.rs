//! Suggestions inside the ledger: what is asked for, what a line is given, what is confirmed of it, and what is refused when the
//! books have changed.

mod asking;
mod confirming;
mod importing;
mod races;
mod stale;

use serde_json::{Value, json};

use super::Books;
use crate::support::client::Answer;
use crate::support::database::Database;
use crate::support::server::{ApiKey, Setup};
use bookkeeping_suite::domain::job::Product;

/// Books whose key may also ask the coding engine.
#[track_caller]
pub fn books_on(database: &Database) -> Books {
    let books = Books::of(Setup::of(Product::Coding).on(database).start());
    let scopes = ["books:read", "books:write", "coding:read", "coding:write"];
    let key = books.server.key(&books.owner, &scopes);
    let books = Books { key, ..books };
    books.vat_control();
    books.done_patch("", &json!({ "vat_registered": true, "vat_scheme": "standard", "vat_scheme_from": "2025-01-01" }));
    books
}

impl Books {
    #[track_caller]
    pub fn done_patch(&self, rest: &str, body: &Value) -> Value {
        self.request("PATCH", rest).json(body).send().expect(200)["data"].clone()
    }

    /// Enters a line of a bank account.
    #[track_caller]
    pub fn bank_line_of(&self, bank: i64, date: &str, amount: &str, description: &str) -> i64 {
        let body = json!({ "bank_account_id": bank, "date": date, "amount": amount, "description": description });
        self.made("/bank-transactions", &body)["id"].as_i64().unwrap()
    }

    /// Enters a line of the first bank account.
    #[track_caller]
    pub fn bank_line(&self, date: &str, amount: &str, description: &str) -> i64 {
        self.bank_line_of(self.bank_id(), date, amount, description)
    }

    /// A line as it is now.
    #[track_caller]
    pub fn line_now(&self, id: i64) -> Value {
        self.get(&format!("/bank-transactions/{id}"))["data"].clone()
    }

    pub fn ask(&self, body: &Value) -> Answer {
        self.post("/bank-transactions/suggest", body)
    }

    /// Asks for suggestions and waits until the job has ended; its state.
    #[track_caller]
    pub fn suggested(&self, body: &Value) -> Value {
        let asked = self.ask(body).expect(202);
        let id = asked["data"]["coding_job_id"].as_str().unwrap().to_owned();
        self.server.ended(&self.key, &id)
    }

    pub fn take(&self, body: &Value) -> Answer {
        self.post("/bank-transactions/confirm", body)
    }

    /// Another bank account, with its name.
    #[track_caller]
    pub fn another_bank(&self, name: &str) -> i64 {
        let body = json!({ "name": name, "code": "1230", "type": "current" });
        self.made("/bank-accounts", &body)["id"].as_i64().unwrap()
    }

    /// Codes a line and confirms it.
    #[track_caller]
    pub fn code(&self, line: i64, account: &str, vat_code: &str) {
        let body = json!({ "account_code": account, "vat_code": vat_code });
        self.done(&format!("/bank-transactions/{line}/confirm"), &body);
    }

    /// A key of the owner with these scopes.
    pub fn key_with(&self, scopes: &[&str]) -> ApiKey {
        self.server.key(&self.owner, scopes)
    }

    /// Lines of a payee that is known from the past, and one that waits: its suggestion is sure.
    #[track_caller]
    pub fn known_payee(&self, payee: &str, account: &str, vat_code: &str) -> i64 {
        for month in 1..=4 {
            let past = self.bank_line(&format!("2025-0{month}-07"), "-48.00", payee);
            self.code(past, account, vat_code);
        }
        self.bank_line("2025-05-07", "-48.00", payee)
    }
}

/// What became of each line: its status, and the reason of a refusal.
pub fn outcomes(answer: &Value) -> Vec<(i64, String, Option<String>)> {
    let results = answer["data"]["results"].as_array().unwrap();
    results
        .iter()
        .map(|result| {
            let text = |value: &Value| value.as_str().map(str::to_owned);
            let reason = text(&result["error"]["details"]["reason"]);
            (result["id"].as_i64().unwrap(), text(&result["status"]).unwrap(), reason)
        })
        .collect()
}
