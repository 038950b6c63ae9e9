//! Coding sessions: loading, running, reviewing, recoding, and the policy of an organisation.

mod bookkeeping;
mod documents;
mod loading;
mod policy;
mod posting;
mod recoding;
mod running;
mod starting;

use serde_json::{Value, json};

use super::given;
use crate::books::Books;
use crate::support::server::{ALL_SCOPES, ApiKey, TestServer};

/// A chart of a caller's own.
pub fn chart() -> Value {
    json!([
        { "code": "200", "name": "Sales", "type": "REVENUE" },
        { "code": "400", "name": "Motor fuel", "type": "EXPENSE" },
        { "code": "404", "name": "Bank charges", "type": "EXPENSE" },
        { "code": "429", "name": "General expenses", "type": "EXPENSE" },
        { "code": "461", "name": "Stationery and printing", "type": "EXPENSE" },
        { "code": "610", "name": "Trade debtors", "type": "ASSET" },
        { "code": "800", "name": "Trade creditors", "type": "LIABILITY" },
        { "code": "090", "name": "Business bank account", "type": "ASSET" },
        { "code": "091", "name": "Savings account", "type": "ASSET" },
    ])
}

/// Starts a session with a chart of the caller's own.
#[track_caller]
pub fn manual(server: &TestServer, key: &ApiKey) -> String {
    let started =
        given(server, key, "start_coding_session", &json!({ "platform": "manual", "chart_of_accounts": chart() }));
    started["session_id"].as_str().expect("an id").to_owned()
}

/// A bank line.
pub fn line(date: &str, description: &str, amount: f64) -> Value {
    json!({ "date": date, "description": description, "amount": amount })
}

/// What loads lines into a session.
pub fn load(session: &str, batch: &str, rows: &[Value]) -> Value {
    json!({ "session_id": session, "batch_ref": batch, "bank_account": "Current", "rows": rows })
}

/// A key of the keeper of books with every scope.
#[track_caller]
pub fn coder(books: &Books) -> ApiKey {
    books.server.key(&books.owner, &ALL_SCOPES)
}

/// Starts a session on the books of an organisation.
#[track_caller]
pub fn on_books(books: &Books, key: &ApiKey) -> String {
    let started = given(&books.server, key, "start_coding_session", &json!({ "organisation_id": books.id }));
    started["session_id"].as_str().expect("an id").to_owned()
}

/// Enters an unconfirmed line of the bank account every organisation starts with.
#[track_caller]
pub fn enter(books: &Books, date: &str, description: &str, amount: &str) -> i64 {
    let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
    let body = json!({ "bank_account_id": bank, "date": date, "amount": amount, "description": description });
    books.post("/bank-transactions", &body).expect(201)["data"]["id"].as_i64().expect("an id")
}

/// What a review shows of a line.
#[track_caller]
pub fn reviewed(server: &TestServer, key: &ApiKey, session: &str, row: i64) -> Value {
    let review = given(server, key, "review_coding", &json!({ "session_id": session, "filter": "all", "limit": 50 }));
    let rows = review["rows"].as_array().expect("rows");
    rows.iter().find(|known| known["row_id"] == row).unwrap_or_else(|| panic!("no line {row} in {review}")).clone()
}
