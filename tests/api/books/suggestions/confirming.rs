//! Taking suggestions: one by an empty body, many at once, and what a person's own word does to them.

use serde_json::{Value, json};

use super::{books_on, outcomes};
use crate::books::trade::fields;
use crate::books::{Books, format_paths, reason};
use crate::support::client::keys;
use crate::support::database::on_both_databases;

fn confirmed(line: i64) -> (i64, String, Option<String>) {
    (line, "confirmed".to_owned(), None)
}

fn skipped(line: i64) -> (i64, String, Option<String>) {
    (line, "skipped".to_owned(), None)
}

#[track_caller]
fn unsure(books: &Books) -> i64 {
    books.bank_line("2025-05-20", "-1.23", "XQZV 88")
}

on_both_databases! {
    fn many_are_taken_at_once_and_the_rest_is_left(database) {
        let books = books_on(&database);
        let sure = books.known_payee("ZORBLAX HEATING", "7200", "RR");
        let (doubtful, later) = (unsure(&books), books.bank_line("2025-05-21", "-48.00", "ZORBLAX HEATING"));
        books.suggested(&json!({ "transaction_ids": [sure, doubtful] }));
        let journals = books.server.rows_of("journal");
        // A dry run says the same and writes nothing.
        let body = json!({ "min_confidence": 0.9 });
        let dry = books.request("POST", "/bank-transactions/confirm").query("dry_run=true").json(&body).send().expect(200);
        assert_eq!((&dry["dry_run"], &dry["data"]["confirmed"]), (&json!(true), &json!(1)));
        assert_eq!(dry["data"]["results"][0]["journal_id"], Value::Null);
        assert_eq!(books.server.rows_of("journal"), journals);
        let suggested = books.line_now(sure)["suggestion"].clone();

        let taken = books.take(&body).expect(200);
        assert_eq!(keys(&taken["data"]), ["confirmed", "refused", "remaining", "results"]);
        assert_eq!(outcomes(&taken), [confirmed(sure), skipped(doubtful)]);
        assert_eq!(fields(&taken["data"], &["confirmed", "refused", "remaining"]), json!([1, 0, 0]));
        let line = books.line_now(sure);
        assert_eq!(taken["data"]["results"][0]["journal_id"], line["journal_id"]);
        assert_eq!(fields(&line, &["account_id", "vat_code"]), fields(&suggested, &["account_id", "vat_code"]));
        // VAT at 5 % inside 48.00, rounded once.
        assert_eq!(
            books.sides(&line["journal_id"]),
            [
                crate::books::trade::side("7200", 45.71, 0.0),
                crate::books::trade::side("2200", 2.29, 0.0),
                crate::books::trade::side("1200", 0.0, 48.0),
            ]
        );
        // In the order of the ids: done before, doubtful but taken, without a suggestion, unknown.
        let taken = books.take(&json!({ "transaction_ids": [later, sure, 999_999, doubtful] })).expect(200);
        assert_eq!(
            outcomes(&taken),
            [
                skipped(later),
                (sure, "refused".to_owned(), Some("invalid_state".to_owned())),
                (999_999, "refused".to_owned(), Some("unknown_reference".to_owned())),
                confirmed(doubtful),
            ]
        );
        let error = &taken["data"]["results"][1]["error"];
        assert_eq!(keys(error), ["code", "details", "message"]);
        assert_eq!(error["code"], "conflict");
        assert_eq!(books.server.rows_of("journal"), journals + 2);
        assert_eq!(books.take(&body).expect(200)["data"]["results"], json!([]));
    }

    fn both_sides_of_a_transfer_are_one_posting(database) {
        let books = books_on(&database);
        let savings = books.another_bank("Savings reserve");
        let out = books.bank_line("2025-05-11", "-900.00", "TRANSFER TO SAVINGS RESERVE");
        let back = books.bank_line_of(savings, "2025-05-11", "900.00", "TRANSFER FROM CURRENT ACCOUNT");
        books.suggested(&json!({}));
        let before = books.server.rows_of("journal");
        let taken = books.take(&json!({ "min_confidence": 0 })).expect(200);
        assert_eq!(outcomes(&taken), [confirmed(out), confirmed(back)]);
        assert_eq!(taken["data"]["results"][0]["journal_id"], taken["data"]["results"][1]["journal_id"]);
        assert_eq!(books.server.rows_of("journal"), before + 1);
    }

    fn an_answer_is_given_again_under_its_key(database) {
        let books = books_on(&database);
        let line = books.known_payee("ZORBLAX HEATING", "7200", "RR");
        books.suggested(&json!({}));
        let path = books.path("/bank-transactions/confirm");
        let take = || books.server.client.post(&path).key(&books.key).idempotency_key("k").json(&json!({ "transaction_ids": [line] })).send();
        let first = take().expect(200);
        assert_eq!(outcomes(&first), [confirmed(line)]);
        let again = take();
        assert_eq!((again.header("Idempotency-Replayed"), again.expect(200)), (Some("true"), first));
    }

    fn what_a_person_says_counts_first(database) {
        let books = books_on(&database);
        let lines: Vec<i64> = (1..=5).map(|day| books.bank_line(&format!("2025-05-0{day}"), "-48.00", "CARD PAYMENT TO RYMAN 0482")).collect();
        let path = |line: i64| format!("/bank-transactions/{line}");
        books.suggested(&json!({}));
        assert!(lines.iter().all(|line| books.line_now(*line)["suggestion"].is_object()));
        // A note says nothing against it.
        let noted = books.done_patch(&path(lines[0]), &json!({ "memo": "pens" }));
        assert!(noted["suggestion"].is_object());
        // An account does.
        let saved = books.done_patch(&path(lines[1]), &json!({ "account_code": "7520", "vat_code": "ST" }));
        assert_eq!(saved["suggestion"], Value::Null);
        let excluded = books.done(&format!("{}/exclude", path(lines[2])), &json!({}));
        assert_eq!(excluded["suggestion"], Value::Null);
        let restored = books.done(&format!("{}/restore", path(lines[2])), &json!({}));
        assert_eq!(restored["suggestion"], Value::Null);
        let without = books.request("POST", &format!("{}/confirm", path(lines[2]))).send();
        assert_eq!(format_paths(&without), ["account_id"]);
        // Confirming otherwise clears it too, and it does not come back.
        books.code(lines[3], "7520", "NV");
        assert_eq!(books.line_now(lines[3])["suggestion"], Value::Null);
        let back = books.request("POST", &format!("{}/unconfirm", path(lines[3]))).send().expect(200)["data"].clone();
        assert_eq!(back["suggestion"], Value::Null);
        // A later job gives it one; the account saved by a person is confirmed all the same.
        books.suggested(&json!({}));
        assert!(books.line_now(lines[1])["suggestion"].is_object());
        let taken = books.take(&json!({ "transaction_ids": [lines[1]] })).expect(200);
        assert_eq!(outcomes(&taken), [confirmed(lines[1])]);
        assert_eq!(books.line_now(lines[1])["account_id"], json!(books.account_id("7520")));
        let noted = books.request("POST", &format!("{}/confirm", path(lines[0]))).send().expect(200)["data"].clone();
        assert_eq!(fields(&noted, &["status", "memo"]), json!(["confirmed", "pens"]));
    }

    fn a_line_that_changed_while_the_job_ran_is_skipped(database) {
        let books = books_on(&database);
        let lines = [books.bank_line("2025-05-01", "-9.00", "A RYMAN"), books.bank_line("2025-05-02", "-9.50", "B RYMAN")];
        // The job waits behind nothing: what is changed before it ends is found by its version.
        let asked = books.ask(&json!({})).expect(202);
        let patched = books.request("PATCH", &format!("/bank-transactions/{}", lines[0])).json(&json!({ "memo": "mine" })).send();
        patched.expect(200);
        let job = books.server.ended(&books.key, asked["data"]["coding_job_id"].as_str().unwrap());
        let counts = &job["result"]["summary"]["suggestions"];
        let (written, skipped) = (counts["written"].as_i64().unwrap(), counts["skipped"].as_i64().unwrap());
        assert_eq!(written + skipped, 2);
        let with = lines.iter().filter(|line| books.line_now(**line)["suggestion"].is_object()).count();
        assert_eq!(with, usize::try_from(written).unwrap());
        assert!(books.line_now(lines[1])["suggestion"].is_object());
    }

    fn what_is_taken_is_said_exactly(database) {
        let books = books_on(&database);
        let savings = books.another_bank("Savings");
        let line = books.bank_line("2025-05-01", "-9.00", "A RYMAN");
        books.suggested(&json!({}));
        for (body, path) in [
            (json!({}), "transaction_ids"),
            (json!({ "min_confidence": 1.5 }), "min_confidence"),
            (json!({ "min_confidence": "0.9" }), "min_confidence"),
            (json!({ "transaction_ids": [line, line] }), "transaction_ids[1]"),
            (json!({ "confidence": 1 }), "confidence"),
        ] {
            assert_eq!(format_paths(&books.take(&body)), [path], "{body}");
        }
        let unknown = books.take(&json!({ "bank_account_id": 999_999 }));
        assert_eq!((unknown.status, reason(&unknown)), (422, "unknown_reference".to_owned()));
        assert_eq!(books.take(&json!({ "bank_account_id": savings })).expect(200)["data"]["results"], json!([]));
        let other = books.take(&json!({ "bank_account_id": savings, "transaction_ids": [line] })).expect(200);
        assert_eq!(outcomes(&other), [(line, "refused".to_owned(), Some("bank_account_mismatch".to_owned()))]);
        let key = books.key_with(&["books:read", "coding:write"]);
        let path = books.path("/bank-transactions/confirm");
        books.server.client.post(&path).key(&key).json(&json!({ "min_confidence": 0 })).send().refused(403, "forbidden");
        assert_eq!(books.line_now(line)["status"], "unconfirmed");
    }
}
