//! Organisations that want suggestions after each import.

use serde_json::{Value, json};

use super::books_on;
use crate::books::Books;
use crate::support::client::keys;
use crate::support::database::on_both_databases;

fn rows(day: u32, count: u32) -> Value {
    (0..count)
        .map(|at| {
            json!({
                "date": format!("2025-05-{:02}", day + at), "amount": "-48.00", "description": "ZORBLAX HEATING",
                "external_id": format!("{day}-{at}")
            })
        })
        .collect()
}

#[track_caller]
fn import(books: &Books, rows: &Value) -> Value {
    let body = json!({ "bank_account_id": books.bank_id(), "rows": rows });
    books.made("/bank-transactions/import", &body)
}

on_both_databases! {
    fn an_import_asks_for_suggestions_of_what_it_made(database) {
        let books = books_on(&database);
        books.known_payee("ZORBLAX HEATING", "7200", "RR");
        // It is off until somebody wants it.
        let made = import(&books, &rows(10, 1));
        assert_eq!(keys(&made), ["created", "import_id", "skipped", "transactions"]);
        let on = books.done_patch("", &json!({ "auto_suggest": true }));
        assert_eq!(on["auto_suggest"], true);
        let made = import(&books, &rows(10, 3));
        assert_eq!(keys(&made), ["created", "import_id", "skipped", "suggest", "transactions"]);
        let id = made["suggest"]["coding_job_id"].as_str().unwrap();
        let job = books.server.ended(&books.key, id);
        assert_eq!((&job["credits_charged"], &job["result"]["summary"]["suggestions"]["written"]), (&json!(2), &json!(2)));
        for row in made["transactions"].as_array().unwrap() {
            let line = books.line_now(row["id"].as_i64().unwrap());
            assert_eq!(line["suggestion"].is_object(), row["status"] == "created");
        }
        // Nothing new, nothing asked.
        assert_eq!(keys(&import(&books, &rows(10, 3))), ["created", "import_id", "skipped", "transactions"]);
    }

    fn the_same_import_is_answered_with_the_same_job(database) {
        let books = books_on(&database);
        books.done_patch("", &json!({ "auto_suggest": true }));
        let path = books.path("/bank-transactions/import");
        let body = json!({ "bank_account_id": books.bank_id(), "rows": rows(10, 2) });
        let send = || books.server.client.post(&path).key(&books.key).idempotency_key("may").json(&body).send();
        let first = send().expect(201);
        let id = first["data"]["suggest"]["coding_job_id"].as_str().unwrap();
        books.server.ended(&books.key, id);
        let credits = books.server.credits(&books.key);
        assert_eq!(send().expect(201), first);
        assert_eq!(books.server.credits(&books.key), credits);
        assert_eq!(books.server.rows_of("job"), 1);
    }

    fn what_cannot_be_paid_leaves_the_import_as_it_is(database) {
        let books = books_on(&database);
        books.done_patch("", &json!({ "auto_suggest": true }));
        // Never on overage.
        let poor = books.server.person_with(1, 0, true);
        books.server.member(books.id, &poor, "bookkeeper");
        let key = books.server.key(&poor, &["books:read", "books:write", "coding:read", "coding:write"]);
        let books = Books { key, ..books };
        let made = import(&books, &rows(10, 2));
        assert_eq!((&made["created"], &made["suggest"]), (&json!(2), &json!({ "error": { "code": "insufficient_credits" } })));
        // A key that may not ask imports, and nothing is said.
        let key = books.server.key(&poor, &["books:read", "books:write"]);
        let books = Books { key, ..books };
        assert_eq!(keys(&import(&books, &rows(20, 1))), ["created", "import_id", "skipped", "transactions"]);
    }
}
