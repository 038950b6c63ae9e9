//! The ledger over HTTP: an organisation with a person who keeps its books, and short words for what they do.

mod account_codes;
mod account_reports;
mod accounts;
mod bank;
mod cases;
mod changes;
mod cis;
mod concurrency;
mod confirming;
mod contact_reports;
mod contact_reports_naive;
mod contacts;
mod credit_notes;
mod drill_down;
mod email_concurrency;
mod emails;
mod figures;
mod financial_years;
mod flat_rate;
mod imports;
mod independent;
mod journals;
mod lists;
mod model;
mod opening;
mod organisations;
mod payments;
mod plain_text;
mod printed_documents;
mod purchase_invoices;
mod quarter;
mod quarters;
mod receipts;
mod refusals;
mod report_files;
mod reports;
mod retries;
mod sales_invoices;
mod statement_emails;
mod status;
mod suggestions;
mod tenants;
mod totals;
mod trade;
mod vat_adjustments;
mod vat_notice_examples;
mod vat_notice_model;
mod vat_notices;
mod vat_return;
mod vat_return_naive;
mod vat_returns;
mod vat_schemes;
mod vat_treatments;
mod wording;
mod year_end;

use serde_json::{Value, json};

use crate::support::client::{Answer, Request};
use crate::support::database::Database;
use crate::support::server::{ApiKey, Person, Setup, TestServer};

pub const ORGANISATIONS: &str = "/api/v1/books/organisations";

/// An organisation with a person who keeps its books.
pub struct Books {
    pub server: TestServer,
    pub owner: Person,
    pub key: ApiKey,
    pub id: i64,
}

impl Books {
    #[track_caller]
    pub fn on(database: &Database) -> Self {
        Self::of(Setup::new().on(database).start())
    }

    #[track_caller]
    pub fn of(server: TestServer) -> Self {
        let owner = server.person();
        let key = server.key(&owner, &["books:read", "books:write", "books:send"]);
        let made = server.client.post(ORGANISATIONS).key(&key).json(&json!({ "name": "Larkspur Joinery Ltd" }));
        let id = made.send().expect(201)["data"]["id"].as_i64().unwrap();
        Self { server, owner, key, id }
    }

    /// The same person on the same server, with the books of another organisation.
    #[track_caller]
    pub fn with_another_organisation(self) -> Self {
        let made = self.server.client.post(ORGANISATIONS).key(&self.key).json(&json!({ "name": "Another Ltd" }));
        let id = made.send().expect(201)["data"]["id"].as_i64().unwrap();
        Self { id, ..self }
    }

    pub fn path(&self, rest: &str) -> String {
        format!("{ORGANISATIONS}/{}{rest}", self.id)
    }

    pub fn request(&self, method: &str, rest: &str) -> Request {
        self.server.client.request(method, &self.path(rest)).key(&self.key)
    }

    #[track_caller]
    pub fn get(&self, rest: &str) -> Value {
        self.request("GET", rest).send().expect(200)
    }

    #[track_caller]
    pub fn post(&self, rest: &str, body: &Value) -> Answer {
        self.request("POST", rest).json(body).send()
    }

    /// The account with this code.
    #[track_caller]
    pub fn account(&self, code: &str) -> Value {
        let accounts = self.get("/accounts?include_archived=true");
        let accounts = accounts["data"].as_array().unwrap();
        accounts.iter().find(|account| account["code"] == code).unwrap_or_else(|| panic!("no account {code}")).clone()
    }

    #[track_caller]
    pub fn account_id(&self, code: &str) -> i64 {
        self.account(code)["id"].as_i64().unwrap()
    }

    #[track_caller]
    pub fn vat_control(&self) {
        let body = json!({ "code": "2200", "name": "VAT Control", "account_type": "LIABILITY", "role": "vat_control" });
        self.post("/accounts", &body).expect(201);
    }

    /// A journal of two lines.
    pub fn two_lines(&self, date: &str, debit: &str, credit: &str, amount: Value) -> Value {
        json!({
            "entry_date": date, "description": "Test",
            "lines": [
                { "account_id": self.account_id(debit), "debit": amount },
                { "account_id": self.account_id(credit), "credit": amount },
            ]
        })
    }

    /// Posts one that must be accepted.
    #[track_caller]
    pub fn posted(&self, date: &str, debit: &str, credit: &str, amount: Value) -> Value {
        self.post("/journals", &self.two_lines(date, debit, credit, amount)).expect(201)["data"].clone()
    }

    #[track_caller]
    pub fn lock(&self, date: &str) {
        let body = json!({ "lock_date": date, "reason": "done" });
        self.request("PUT", "/period-lock").json(&body).send().expect(200);
    }
}

/// The raw text of a field, as it was printed.
#[track_caller]
pub fn printed(answer: &Answer, field: &str) -> String {
    let text = answer.text();
    let at = text.find(&format!("\"{field}\":")).unwrap_or_else(|| panic!("{answer}: no {field}"));
    let rest = &text[at + field.len() + 3..];
    rest[..rest.find([',', '}', ']']).unwrap_or(rest.len())].to_owned()
}

/// The reason of a refusal, after checking its status.
#[track_caller]
pub fn reason(answer: &Answer) -> String {
    let code = match answer.status {
        409 => "conflict",
        422 => "unprocessable_entity",
        other => panic!("{answer}: {other} is no refusal of the rules"),
    };
    answer.details(answer.status, code)["reason"].as_str().unwrap_or_else(|| panic!("{answer}: no reason")).to_owned()
}

/// The paths of a 422 `invalid_request_format`.
#[track_caller]
pub fn format_paths(answer: &Answer) -> Vec<String> {
    let details = answer.details(422, "invalid_request_format");
    details["issues"].as_array().unwrap().iter().map(|issue| issue["path"].as_str().unwrap().to_owned()).collect()
}
