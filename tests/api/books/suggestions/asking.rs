//! Asking for suggestions: which lines, what they cost, who may, and what each type of suggestion looks like.

use serde_json::{Value, json};

use super::books_on;
use crate::books::trade::fields;
use crate::books::{Books, format_paths, reason};
use crate::support::client::keys;
use crate::support::database::on_both_databases;

const SUGGESTION_KEYS: [&str; 16] = [
    "account_code",
    "account_id",
    "allocations",
    "alternatives",
    "bank_account_id",
    "bank_transaction_id",
    "coding_job_id",
    "confidence",
    "contact_id",
    "lines",
    "method",
    "reason",
    "suggested_at",
    "type",
    "vat_code",
    "",
];

#[track_caller]
fn suggestion(books: &Books, line: i64) -> Value {
    let suggestion = books.line_now(line)["suggestion"].clone();
    assert_eq!(keys(&suggestion), SUGGESTION_KEYS[..15], "{suggestion}");
    suggestion
}

on_both_databases! {
    fn every_type_is_suggested_and_nothing_is_posted(database) {
        let books = books_on(&database);
        let (customer, supplier) = (books.customer("Harrogate Stoves"), books.supplier("Reed Carpentry"));
        let invoice = books.sale(customer, "2025-04-20", "1200");
        let bill = books.bill(supplier, "2025-04-21", "310");
        let note = books.credit(books.customer("Ilkley Interiors"), "2025-04-22", "55");
        let savings = books.another_bank("Savings reserve");
        let coded = books.known_payee("ZORBLAX HEATING", "7200", "RR");
        let receipt = books.bank_line("2025-05-08", "1200.00", &format!("FPI HARROGATE STOVES {}", invoice["invoice_number"].as_str().unwrap()));
        let payment = books.bank_line("2025-05-09", "-310.00", "FPO REED CARPENTRY");
        let refund = books.bank_line("2025-05-10", "-55.00", &format!("FPO ILKLEY INTERIORS REFUND {}", note["credit_note_number"].as_str().unwrap()));
        let (out, back) = (
            books.bank_line("2025-05-11", "-900.00", "TRANSFER TO SAVINGS RESERVE"),
            books.bank_line_of(savings, "2025-05-11", "900.00", "TRANSFER FROM CURRENT ACCOUNT"),
        );
        let journals = books.server.rows_of("journal");

        let job = books.suggested(&json!({}));
        assert_eq!((&job["status"], &job["credits_charged"]), (&json!("completed"), &json!(6)), "{job}");
        let summary = &job["result"]["summary"];
        assert_eq!(summary["suggestions"], json!({ "written": 6, "skipped": 0 }));
        assert_eq!((&summary["transaction_count"], &summary["history_rows"]), (&json!(6), &json!(5)));
        assert_eq!(job["result"]["transactions"].as_array().unwrap().len(), 6);

        let found = suggestion(&books, coded);
        assert_eq!(
            fields(&found, &["type", "account_id", "account_code", "vat_code", "method", "coding_job_id"]),
            json!(["coded", books.account_id("7200"), "7200", "RR", "history", job["coding_job_id"]])
        );
        assert!(found["reason"].as_str().unwrap().contains("4 times"), "{found}");
        assert!(found["confidence"].as_f64().unwrap() >= 0.9, "{found}");
        let found = suggestion(&books, receipt);
        let to = json!([{ "invoice_id": invoice["id"], "amount": 1200.0 }]);
        let settlement = ["type", "contact_id", "allocations", "account_id", "method"];
        assert_eq!(fields(&found, &settlement), json!(["customer_receipt", customer, to, null, "invoice_settlement"]));
        let found = suggestion(&books, payment);
        let to = json!([{ "invoice_id": bill["id"], "amount": 310.0 }]);
        assert_eq!(fields(&found, &settlement), json!(["supplier_payment", supplier, to, null, "invoice_settlement"]));
        let found = suggestion(&books, refund);
        let to = json!([{ "credit_note_id": note["id"], "amount": 55.0 }]);
        assert_eq!(fields(&found, &["type", "allocations"]), json!(["customer_refund", to]));
        let found = suggestion(&books, out);
        assert_eq!(fields(&found, &["type", "bank_transaction_id", "bank_account_id"]), json!(["transfer", back, null]));
        assert_eq!(suggestion(&books, back)["bank_transaction_id"], json!(out));

        // Nothing is posted; the line is a version further, and its history says so.
        assert_eq!(books.server.rows_of("journal"), journals);
        let line = books.line_now(coded);
        assert_eq!(fields(&line, &["status", "version", "journal_id", "lines"]), json!(["unconfirmed", 2, null, []]));
        let history = books.get(&format!("/bank-transactions/{coded}/history"))["data"].clone();
        let last = history.as_array().unwrap().iter().find(|change| change["action"] == "suggest").unwrap();
        assert_eq!(last["actor"]["user_id"], json!(books.owner.user_id));

        // Each is confirmed by an empty body, as it says.
        for line in [coded, receipt, payment, refund, out] {
            let suggested = suggestion(&books, line);
            let done = books.request("POST", &format!("/bank-transactions/{line}/confirm")).send().expect(200)["data"].clone();
            assert_eq!(fields(&done, &["status", "type", "suggestion"]), json!(["confirmed", suggested["type"], null]));
            if suggested["type"] == "coded" {
                let of = ["account_id", "vat_code"];
                assert_eq!(fields(&done, &of), fields(&suggested, &of));
            }
        }
        assert_eq!(books.line_now(back)["status"], "confirmed");
        for (path, due) in [("/sales-invoices", &invoice), ("/purchase-invoices", &bill)] {
            assert_eq!(books.get(&format!("{path}/{}", due["id"]))["data"]["status"], "paid");
        }
        let again = books.ask(&json!({}));
        assert_eq!((again.status, reason(&again)), (422, "nothing_to_suggest".to_owned()));
    }

    fn lines_are_named_or_filtered(database) {
        let books = books_on(&database);
        let savings = books.another_bank("Savings");
        let lines = [
            books.bank_line("2025-05-01", "-10.00", "A"),
            books.bank_line("2025-05-02", "-11.00", "B"),
            books.bank_line_of(savings, "2025-05-03", "-12.00", "C"),
        ];
        let count = |body: Value| {
            let asked = books.ask(&body).expect(202)["data"].clone();
            assert_eq!(keys(&asked), ["coding_job_id", "poll_url", "remaining", "status", "transaction_count"]);
            let id = asked["coding_job_id"].as_str().unwrap();
            assert_eq!((&asked["status"], &asked["remaining"]), (&json!("queued"), &json!(0)));
            assert_eq!(asked["poll_url"], format!("/api/v1/coding/coding-jobs/{id}"));
            books.server.ended(&books.key, id);
            asked["transaction_count"].as_i64().unwrap()
        };
        assert_eq!(count(json!({ "bank_account_id": savings })), 1);
        assert_eq!(count(json!({ "date_from": "2025-05-02", "date_to": "2025-05-02" })), 1);
        assert_eq!(count(json!({ "date_from": "2025-05-02", "bank_account_id": null })), 2);
        assert_eq!(count(json!({ "transaction_ids": [lines[2], lines[0]] })), 2);
        let empty = books.request("POST", "/bank-transactions/suggest").send().expect(202)["data"].clone();
        assert_eq!(empty["transaction_count"], 3);
        books.server.ended(&books.key, empty["coding_job_id"].as_str().unwrap());

        // Refusals cost nothing and change nothing.
        let credits = books.server.credits(&books.key);
        books.code(lines[0], "7500", "NV");
        books.done(&format!("/bank-transactions/{}/exclude", lines[1]), &json!({}));
        let before = books.picture();
        for (body, status, expected) in [
            (json!({ "transaction_ids": [lines[2], 999_999] }), 422, json!({ "reason": "unknown_reference", "field": "transaction_ids[1]", "id": 999_999, "row": 1 })),
            (json!({ "transaction_ids": [lines[0]] }), 409, json!({ "reason": "invalid_state", "current": "confirmed", "allowed": ["unconfirmed"], "row": 0 })),
            (json!({ "transaction_ids": [lines[2], lines[1]] }), 409, json!({ "reason": "invalid_state", "current": "excluded", "allowed": ["unconfirmed"], "row": 1 })),
            (json!({ "bank_account_id": 999_999 }), 422, json!({ "reason": "unknown_reference", "field": "bank_account_id", "id": 999_999 })),
            (json!({ "date_to": "2025-05-01" }), 422, json!({ "reason": "nothing_to_suggest" })),
        ] {
            let refused = books.ask(&body);
            assert_eq!((refused.status, &refused.value()["error"]["details"]), (status, &expected), "{body}");
        }
        for (body, paths) in [
            (json!({ "transaction_ids": [lines[2]], "bank_account_id": savings }), vec!["transaction_ids"]),
            (json!({ "transaction_ids": [] }), vec!["transaction_ids"]),
            (json!({ "transaction_ids": [lines[2], lines[2]] }), vec!["transaction_ids[1]"]),
            (json!({ "date_from": "2025-06-01", "date_to": "2025-05-01" }), vec!["date_to"]),
            (json!({ "lines": 1, "date_from": "x" }), vec!["lines", "date_from"]),
        ] {
            let mut given = format_paths(&books.ask(&body));
            let mut expected: Vec<String> = paths.into_iter().map(str::to_owned).collect();
            given.sort();
            expected.sort();
            assert_eq!(given, expected, "{body}");
        }
        let many: Vec<i64> = (1..=1_001).collect();
        assert_eq!(format_paths(&books.ask(&json!({ "transaction_ids": many }))), ["transaction_ids"]);
        let query = books.request("POST", "/bank-transactions/suggest").query("dry_run=true").send();
        assert_eq!(format_paths(&query), ["query.dry_run"]);
        assert_eq!(books.picture(), before);
        assert_eq!(books.server.credits(&books.key), credits);
    }

    fn both_scopes_and_a_role_that_writes_are_needed(database) {
        let books = books_on(&database);
        books.bank_line("2025-05-01", "-10.00", "A");
        let path = books.path("/bank-transactions/suggest");
        let with = |scopes: &[&str]| {
            let key = books.key_with(scopes);
            books.server.client.post(&path).key(&key).json(&json!({})).send()
        };
        let missing = |scopes: &[&str]| with(scopes).refused(403, "forbidden").to_string();
        assert!(missing(&["books:read", "books:write"]).contains("coding:write"));
        assert!(missing(&["coding:write", "coding:read"]).contains("books:write"));
        let both = missing(&["books:read"]);
        assert!(both.contains("coding:write") && both.contains("books:write"), "{both}");
        // The organisation is not told to strangers, nor to a key that is restricted to others.
        let stranger = books.server.person();
        let scopes = ["books:read", "books:write", "coding:read", "coding:write"];
        let foreign = books.server.key(&stranger, &scopes);
        books.server.client.post(&path).key(&foreign).json(&json!({})).send().refused(404, "not_found");
        let viewer = books.server.person();
        books.server.member(books.id, &viewer, "viewer");
        let reading = books.server.key(&viewer, &scopes);
        books.server.client.post(&path).key(&reading).json(&json!({})).send().refused(403, "forbidden");
        with(&["books:write", "coding:write"]).expect(202);
    }

    fn it_costs_a_credit_a_line_once(database) {
        let books = books_on(&database);
        let poor = books.server.person_with(3, 0, true);
        books.server.member(books.id, &poor, "bookkeeper");
        let key = books.server.key(&poor, &["books:read", "books:write", "coding:read", "coding:write"]);
        let books = Books { key, ..books };
        for day in 1..=2 {
            books.bank_line(&format!("2025-05-0{day}"), "-10.00", "CARD PAYMENT TO RYMAN");
        }
        let path = books.path("/bank-transactions/suggest");
        let ask = |key: &str, body: &Value| books.server.client.post(&path).key(&books.key).idempotency_key(key).json(body).send();
        let first = ask("may", &json!({})).expect(202);
        let id = first["data"]["coding_job_id"].as_str().unwrap();
        books.server.ended(&books.key, id);
        assert_eq!(books.server.credits(&books.key), (1, 0));
        // The same key gives the same job, whatever the lines are by now; another body is refused.
        let again = ask("may", &json!({}));
        assert_eq!((again.header("Idempotency-Replayed"), again.expect(202)), (Some("true"), first.clone()));
        let other = ask("may", &json!({ "date_from": "2025-05-01" }));
        assert_eq!((other.status, reason(&other)), (422, "idempotency_key_reused".to_owned()));
        assert_eq!(books.server.credits(&books.key), (1, 0));
        // Two lines cost more than is left, also where overage would be allowed.
        let details = ask("june", &json!({})).details(402, "insufficient_credits");
        assert_eq!(details, json!({ "required": 2, "available": 1 }));
        assert_eq!(books.server.credits(&books.key), (1, 0));
    }

    fn other_organisations_are_neither_read_nor_changed(database) {
        let books = books_on(&database);
        let mine = books.known_payee("ZORBLAX HEATING", "7200", "RR");
        let other = books.with_another_organisation();
        let theirs = other.bank_line("2025-05-07", "-48.00", "ZORBLAX HEATING");
        let refused = other.ask(&json!({ "transaction_ids": [mine] }));
        assert_eq!((refused.status, reason(&refused)), (422, "unknown_reference".to_owned()));
        let job = other.suggested(&json!({}));
        // The past of the first is not that of the second.
        assert_eq!(job["result"]["summary"]["history_rows"], Value::Null);
        assert_ne!(suggestion(&other, theirs)["method"], "history");
        let taken = other.take(&json!({ "transaction_ids": [mine] })).expect(200);
        assert_eq!(crate::books::suggestions::outcomes(&taken), [(mine, "refused".to_owned(), Some("unknown_reference".to_owned()))]);
    }

    fn what_was_corrected_is_learned(database) {
        let books = books_on(&database);
        let first = books.bank_line("2025-05-07", "-48.00", "CARD PAYMENT TO QUORNWICK SUPPLIES");
        books.suggested(&json!({}));
        let found = suggestion(&books, first);
        assert_ne!(found["account_code"], "7520");
        // A person knows better.
        books.code(first, "7520", "ST");
        let second = books.bank_line("2025-06-07", "-51.20", "CARD PAYMENT TO QUORNWICK SUPPLIES");
        books.suggested(&json!({}));
        let found = suggestion(&books, second);
        assert_eq!(fields(&found, &["account_code", "vat_code", "method"]), json!(["7520", "ST", "history"]));
        // A supplier's bill says where its payments go as well.
        let supplier = books.supplier("Vandermeer Wholesale");
        let item = books.item("5000", "80", "ST");
        books.made("/purchase-invoices", &json!({ "supplier_id": supplier, "invoice_date": "2025-05-20", "lines": [item] }));
        let invoice = books.bill(supplier, "2025-05-21", "1");
        books.payment(supplier, "2025-05-22", "1", &[(&invoice, "1")]);
        let third = books.bank_line("2025-06-08", "-23.45", "VANDERMEER WHOLESALE");
        books.suggested(&json!({ "transaction_ids": [third] }));
        assert_eq!(suggestion(&books, third)["account_code"], "5000");
    }
}
