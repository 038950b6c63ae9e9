//! How requests may be worded, and what refusals say.

use serde_json::{Value, json};

use super::{Books, format_paths, reason};
use crate::support::client::Answer;
use crate::support::database::on_both_databases;

fn message(answer: &Answer) -> String {
    answer.value()["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}: no message")).to_owned()
}

fn with(mut body: Value, change: Value) -> Value {
    for (key, value) in change.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

impl Books {
    #[track_caller]
    fn patch(&self, rest: &str, body: &Value) -> Answer {
        self.request("PATCH", rest).json(body).send()
    }

    #[track_caller]
    fn entered(&self, amount: &str, description: &str) -> i64 {
        let row = json!({ "bank_account_id": self.bank_id(), "date": "2026-03-01", "amount": amount, "description": description });
        self.made("/bank-transactions", &row)["id"].as_i64().unwrap()
    }
}

on_both_databases! {
    fn names_codes_and_numbers_are_words_on_one_line(database) {
        let books = Books::on(&database);
        let customer = books.customer("x");
        let sale = json!({ "customer_id": customer, "invoice_date": "2026-03-01", "lines": [books.item("4000", "1", "NV")] });
        let credit = json!({ "customer_id": customer, "credit_note_date": "2026-03-01", "lines": [books.item("4000", "1", "NV")] });
        let account = json!({ "code": "7999", "name": "x", "account_type": "EXPENSE" });
        for (path, body, field, odd) in [
            ("/sales-invoices", &sale, "invoice_number", &["", " ", " INV-1", "INV-1 ", "A\nB", "A\u{7f}"][..]),
            ("/sales-credit-notes", &credit, "credit_note_number", &["", "\t", "\u{a0}C"][..]),
            ("/accounts", &account, "code", &["", " ", "\n", " X", "X\u{2028}"][..]),
            ("/accounts", &account, "name", &["", "  ", "a\nb", "\u{85}"][..]),
            ("/customers", &json!({}), "name", &["", " ", "a\r\nBcc: b", "\u{0}"][..]),
            ("/customers", &json!({ "name": "x" }), "contact_name", &[" ", "a\nb"][..]),
            ("/bank-accounts", &json!({ "code": "1290" }), "name", &[" ", "a\tb"][..]),
            ("/bank-accounts", &json!({ "name": "x" }), "code", &[" ", " 1290"][..]),
        ] {
            for text in odd {
                let answer = books.post(path, &with(body.clone(), json!({ field: text })));
                assert_eq!(format_paths(&answer), [field], "{path} {field} {text:?}: {answer}");
            }
        }
        assert_eq!(format_paths(&books.patch("", &json!({ "name": "\n" }))), ["name"]);
        assert_eq!(format_paths(&books.patch("", &json!({ "sales_invoice_prefix": "A\n" }))), ["sales_invoice_prefix"]);
        books.patch("", &json!({ "sales_invoice_prefix": "" })).expect(200);
        books.post("/sales-invoices", &with(sale, json!({ "invoice_number": null }))).expect(201);
        books.post("/customers", &json!({ "name": " Ünal & Söhne ", "contact_name": "" })).expect(201);
    }

    fn an_email_address_is_one(database) {
        let books = Books::on(&database);
        let long = format!("{}@example.com", "x".repeat(65));
        for odd in ["", "a", "a@b", "@b.uk", "a..b@c.uk", ".a@b.uk", "a.@b.uk", "a@-b.uk", "a@b-.uk", "a@b_c.uk", "a@b..uk", "a@.uk", "a b@c.uk", "a@b@c.uk", "a@b.uk\n", &long] {
            let answer = books.post("/customers", &json!({ "name": "x", "email": odd }));
            assert_eq!(format_paths(&answer), ["email"], "{odd}");
        }
        let made = books.made("/suppliers", &json!({ "name": "x", "email": "o'brien+vat@mail.example.co.uk" }));
        let path = format!("/suppliers/{}", made["id"]);
        assert_eq!(format_paths(&books.patch(&path, &json!({ "email": "" }))), ["email"]);
        assert_eq!(books.patch(&path, &json!({ "email": null })).expect(200)["data"]["email"], Value::Null);
    }

    fn a_batch_names_the_item_of_the_first_problem(database) {
        let books = Books::on(&database);
        let (first, second) = (books.entered("-1", "a"), books.entered("-2", "b"));
        let account = books.account_id("7100");
        let batch = |item: Value| books.post("/bank-transactions/confirm-batch", &json!({ "items": [{ "id": first, "account_id": account, "vat_code": "NV" }, item] }));
        for (item, paths) in [
            (json!({ "id": second, "account_id": account, "vat_code": "Q" }), vec!["items[1].vat_code"]),
            (json!({ "id": second, "account_id": account }), vec!["items[1].vat_code"]),
            (json!({ "id": second, "lines": [{ "account_id": 0, "gross_amount": -2, "vat_code": "NV" }] }), vec!["items[1].lines[0].account_id"]),
            (json!({ "id": second }), vec!["items[1].account_id"]),
            (json!(7), vec!["items[1]"]),
        ] {
            let answer = batch(item);
            assert_eq!(format_paths(&answer), paths);
            assert_eq!(answer.details(422, "invalid_request_format")["row"], 1, "{answer}");
        }
        let empty = books.post("/bank-transactions/confirm-batch", &json!({ "items": [] }));
        assert_eq!(empty.details(422, "invalid_request_format")["row"], Value::Null);
    }

    fn half_of_a_suggestion_may_be_changed(database) {
        let books = Books::on(&database);
        let path = format!("/bank-transactions/{}", books.entered("-12", "a"));
        let (one, two) = (books.account_id("7100"), books.account_id("7300"));
        assert_eq!(format_paths(&books.patch(&path, &json!({ "vat_code": "NV" }))), ["account_id"]);
        assert_eq!(format_paths(&books.patch(&path, &json!({ "account_id": one }))), ["vat_code"]);
        let saved = |body: Value| {
            let row = books.patch(&path, &body).expect(200)["data"].clone();
            (row["account_id"].clone(), row["vat_code"].clone(), row["vat_amount"].clone())
        };
        assert_eq!(saved(json!({ "account_id": one, "vat_code": "NV" })), (json!(one), json!("NV"), json!(0.0)));
        assert_eq!(saved(json!({ "vat_code": "ST" })), (json!(one), json!("ST"), json!(-2.0)));
        assert_eq!(saved(json!({ "account_id": two })), (json!(two), json!("ST"), json!(-2.0)));
        assert_eq!(format_paths(&books.patch(&path, &json!({ "account_id": null }))), ["vat_code"]);
        assert_eq!(format_paths(&books.patch(&path, &json!({ "vat_code": null }))), ["account_id"]);
        assert_eq!(format_paths(&books.patch(&path, &json!({ "vat_code": "NV", "lines": [] }))), ["lines"]);
        assert_eq!(saved(json!({ "memo": "x" })), (json!(two), json!("ST"), json!(-2.0)));
        assert_eq!(saved(json!({ "account_id": null, "vat_code": null })).0, Value::Null);
        assert_eq!(books.get(&path)["data"]["lines"], json!([]));
        let parts = json!([
            { "account_id": one, "gross_amount": -5, "vat_code": "NV" }, { "account_id": two, "gross_amount": -7, "vat_code": "NV" }
        ]);
        books.patch(&path, &json!({ "lines": parts })).expect(200);
        assert_eq!(format_paths(&books.patch(&path, &json!({ "vat_code": "ST" }))), ["account_id"]);
    }

    fn a_long_answer_is_replayed_with_its_ids(database) {
        let books = Books::on(&database);
        let rows: Vec<_> = (0..600)
            .map(|at| json!({ "date": "2026-03-01", "amount": -1 - at, "description": format!("LINE {at}") }))
            .collect();
        let post = |path: &str, body: &Value| books.request("POST", path).idempotency_key("long").json(body).send();
        let import = json!({ "bank_account_id": books.bank_id(), "rows": rows });
        let first = post("/bank-transactions/import", &import).expect(201);
        let ids: Vec<Value> = first["data"]["transactions"].as_array().unwrap().iter().map(|row| json!({ "id": row["id"] })).collect();
        let account = books.account_id("7100");
        let items: Vec<_> = ids.iter().take(500).map(|row| json!({ "id": row["id"], "account_id": account, "vat_code": "NV" })).collect();
        let batch = json!({ "items": items });
        let first = post("/bank-transactions/confirm-batch", &batch);
        assert!(first.body.len() > 256 * 1024, "{}", first.body.len());
        let again = post("/bank-transactions/confirm-batch", &batch);
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.expect(200), json!({ "data": ids[..500] }));
    }

    fn lists_take_moments_and_ranges_in_order(database) {
        let books = Books::on(&database);
        for list in ["/accounts", "/bank-accounts"] {
            let all = books.get(list)["data"].as_array().unwrap().len();
            assert_eq!(books.get(&format!("{list}?updated_since=2000-01-01T00:00:00Z"))["data"].as_array().unwrap().len(), all);
            assert_eq!(books.get(&format!("{list}?updated_since=2199-01-01T00:00:00Z"))["data"], json!([]));
            let odd = books.request("GET", &format!("{list}?updated_since=zzz")).send();
            assert_eq!(format_paths(&odd), ["query.updated_since"]);
        }
        let ledger = format!("/accounts/{}/transactions", books.account_id("1200"));
        for list in ["/bank-transactions", "/journals", "/sales-invoices", "/purchase-credit-notes", "/customer-receipts", &ledger] {
            let odd = books.request("GET", &format!("{list}?date_from=2026-03-02&date_to=2026-03-01")).send();
            assert_eq!(format_paths(&odd), ["query.date_to"], "{list}");
            books.get(&format!("{list}?date_from=2026-03-01&date_to=2026-03-01"));
        }
    }

    fn nested_objects_are_merged(database) {
        let books = Books::on(&database);
        let supplier = format!("/suppliers/{}", books.subcontractor("x", 20));
        let cis = |body: Value| books.patch(&supplier, &json!({ "cis": body })).expect(200)["data"]["cis"].clone();
        let kept = json!({ "is_subcontractor": true, "deduction_rate": 30, "utr": "1234567890", "verification_number": "V1", "verified_on": null });
        assert_eq!(cis(json!({ "deduction_rate": 30 })), kept);
        assert_eq!(cis(json!({ "utr": null, "verified_on": "2026-03-01" })), with(kept, json!({ "utr": null, "verified_on": "2026-03-01" })));
        assert_eq!(format_paths(&books.patch(&supplier, &json!({ "cis": { "deduction_rate": null } }))), ["cis.deduction_rate"]);
        assert_eq!(cis(Value::Null)["is_subcontractor"], false);
        let incomplete = books.post("/suppliers", &json!({ "name": "x", "cis": { "deduction_rate": 20 } }));
        assert_eq!(format_paths(&incomplete), ["cis.is_subcontractor"]);
        for path in [supplier.as_str(), ""] {
            let address = |body: Value| books.patch(path, &json!({ "address": body })).expect(200)["data"]["address"].clone();
            let first = address(json!({ "line1": "1 Mill Yard", "city": "York" }));
            assert_eq!(address(json!({ "city": "Leeds" })), with(first.clone(), json!({ "city": "Leeds" })));
            assert_eq!(address(json!({ "line1": null }))["line1"], Value::Null);
            assert_eq!(address(Value::Null)["city"], Value::Null);
        }
    }

    fn the_due_date_of_a_draft_is_the_callers(database) {
        let books = Books::on(&database);
        let (customer, other) = (books.customer("x"), books.made("/customers", &json!({ "name": "y", "payment_terms_days": 7 })));
        let draft = json!({ "customer_id": customer, "invoice_date": "2026-03-01", "issue": false, "lines": [books.item("4000", "1", "NV")] });
        let made = |change: Value| format!("/sales-invoices/{}", books.made("/sales-invoices", &with(draft.clone(), change))["id"]);
        let due = |path: &str, body: Value| books.patch(path, &body).expect(200)["data"]["due_date"].clone();
        let given = made(json!({ "due_date": "2026-04-15" }));
        assert_eq!(due(&given, json!({ "invoice_date": "2026-03-10" })), "2026-04-15");
        assert_eq!(due(&given, json!({ "customer_id": other["id"] })), "2026-04-15");
        assert_eq!(format_paths(&books.patch(&given, &json!({ "invoice_date": "2026-04-16" }))), ["due_date"]);
        assert_eq!(due(&given, json!({ "currency": "GBP" })), "2026-04-15");
        assert_eq!(reason(&books.patch(&given, &json!({ "currency": "USD" }))), "currency_not_supported");
        let by_terms = made(json!({}));
        assert_eq!(due(&by_terms, json!({ "invoice_date": "2026-03-10" })), "2026-04-09");
        assert_eq!(due(&by_terms, json!({ "customer_id": other["id"] })), "2026-03-17");
        let late = |change: Value| books.post("/sales-invoices", &with(draft.clone(), change));
        assert_eq!(format_paths(&late(json!({ "invoice_date": "2199-12-31" }))), ["due_date"]);
        late(json!({ "invoice_date": "2199-12-31", "due_date": "2199-12-31" })).expect(201);
        let void = |date: &str| books.post(&format!("{by_terms}/void"), &json!({ "void_date": date }));
        assert_eq!(format_paths(&void("2026-03-09")), ["void_date"]);
        void("2026-03-10").expect(200);
    }

    fn percentages_are_numbers_or_strings(database) {
        let books = Books::on(&database);
        let customer = books.customer("x");
        let sale = |discount: Value| {
            let line = with(books.item("4000", "10", "NV"), json!({ "discount_percent": discount }));
            books.post("/sales-invoices", &json!({ "customer_id": customer, "invoice_date": "2026-03-01", "lines": [line] }))
        };
        assert_eq!(sale(json!("12.5")).expect(201)["data"]["gross_amount"], 8.75);
        assert_eq!(sale(json!("100")).expect(201)["data"]["gross_amount"], 0.0);
        for odd in [json!("12.555"), json!("-1"), json!("101"), json!(""), json!("1e1"), json!(" 1")] {
            assert_eq!(format_paths(&sale(odd)), ["lines[0].discount_percent"]);
        }
        let rate = books.patch("", &json!({ "cis_suffered_rate": "20.5" })).expect(200);
        assert_eq!(rate["data"]["cis_suffered_rate"], 20.5);
        let history = books.get("/changes");
        assert!(!history.to_string().contains("basis_points"), "{history}");
        assert!(history.to_string().contains("\"cis_suffered_rate\":20.5"), "{history}");
        let codes = books.get("/tax-codes");
        let names: Vec<_> = codes["data"].as_array().unwrap().iter().map(|code| code["name"].clone()).collect();
        assert_eq!(names, ["Standard rate", "Reduced rate", "Zero rate", "Exempt", "No VAT"]);
    }

    fn an_import_lists_its_issues_in_order(database) {
        let books = Books::on(&database);
        let good = |supplier: i64| json!({ "supplier_id": supplier, "invoice_date": "2026-03-01", "lines": [books.item("5000", "1", "NV")] });
        let rows = json!([good(999), {}, good(books.supplier("x")), good(998), 7]);
        let preview = books.made("/imports", &json!({ "kind": "purchase_invoices", "rows": rows }));
        let rows: Vec<_> = preview["issues"].as_array().unwrap().iter().map(|issue| issue["row"].as_u64().unwrap()).collect();
        assert_eq!(rows, [0, 1, 1, 1, 3, 4]);
        assert_eq!(preview["issue_count"], 6);
        // A line that is there already, without an id of the bank's.
        let bank = books.bank_id();
        let stored = books.entered("-2.50", "PARKING");
        let row = json!({ "date": "2026-03-01", "amount": -2.5, "description": "PARKING" });
        let refused = books.post("/bank-transactions/import", &json!({ "bank_account_id": bank, "rows": [row], "on_duplicate": "reject" }));
        assert_eq!(reason(&refused), "duplicate_external_id");
        assert_eq!(message(&refused), format!("rows[0] repeats bank transaction {stored}: the same date, amount and description"));
        let bulk = json!({ "kind": "bank_transactions", "rows": [with(row.clone(), json!({ "bank_account_id": bank }))], "options": { "on_duplicate": "reject" } });
        let issue = books.made("/imports", &bulk)["issues"][0].clone();
        assert_eq!((&issue["path"], &issue["field"]), (&json!("rows[0]"), &Value::Null));
        let twice = with(row, json!({ "external_id": "b1" }));
        let refused = books.post("/bank-transactions/import", &json!({ "bank_account_id": bank, "rows": [twice, twice], "on_duplicate": "reject" }));
        let details = refused.details(409, "conflict");
        assert_eq!((&details["field"], details.get("existing_id")), (&json!("rows[1].external_id"), Some(&Value::Null)));
        // The books move on between preview and confirmation.
        let customers = json!({ "kind": "customers", "rows": [{ "name": "x", "reference": "R" }] });
        let preview = books.made("/imports", &customers);
        books.made("/customers", &json!({ "name": "y", "reference": "R" }));
        let stale = books.post(&format!("/imports/{}/confirm", preview["id"]), &json!({ "token": preview["token"] }));
        assert_eq!(reason(&stale), "stale_version");
        assert!(message(&stale).contains("make a new preview"), "{stale}");
    }

    fn refusals_say_what_and_why(database) {
        let books = Books::on(&database);
        let role = books.post("/accounts", &json!({ "code": "9", "name": "x", "account_type": "ASSET", "role": "vat_control" }));
        assert_eq!(role.details(422, "unprocessable_entity").get("id"), Some(&Value::Null));
        assert!(message(&role).contains("which takes LIABILITY"), "{role}");
        let line = books.entered("-12", "a");
        let coded = |code: &str, vat: &str| {
            books.post(&format!("/bank-transactions/{line}/confirm"), &json!({ "account_id": books.account_id(code), "vat_code": vat }))
        };
        for (code, vat, words) in [("3000", "ST", "is of type EQUITY"), ("1200", "NV", "it is the bank account itself")] {
            let refused = coded(code, vat);
            assert_eq!(reason(&refused), "wrong_account_type");
            let text = message(&refused);
            assert!(text.starts_with(&format!("account_id: account {code} (")) && text.contains(words), "{text}");
        }
        let customer = books.customer("x");
        let (one, two) = (books.sale(customer, "2026-03-01", "10"), books.sale(customer, "2026-03-01", "10"));
        let receive = |allocations: Value| books.post("/customer-receipts", &json!({
            "customer_id": customer, "date": "2026-03-02", "amount": 20, "bank_account_id": books.bank_id(), "allocations": allocations
        }));
        let over = receive(json!([{ "invoice_id": one["id"], "amount": 5 }, { "invoice_id": two["id"], "amount": 11 }]));
        let details = over.details(422, "unprocessable_entity");
        assert_eq!((&details["reason"], &details["available"]), (&json!("over_allocated"), &json!(10.0)));
        assert_eq!((&details["field"], &details["id"]), (&json!("allocations[1].invoice_id"), &two["id"]));
        books.done(&format!("/sales-invoices/{}/void", one["id"]), &json!({}));
        let void = receive(json!([{ "invoice_id": one["id"], "amount": 5 }]));
        let details = void.details(409, "conflict");
        assert_eq!((&details["current"], &details["field"], &details["id"]), (&json!("void"), &json!("allocations[0].invoice_id"), &one["id"]));
        assert!(message(&void).starts_with("allocations[0].invoice_id "), "{void}");
        let opening = books.post("/opening-balances", &json!({
            "as_of": "2025-12-31", "lines": [{ "account_code": "1100", "debit": 5 }, { "account_code": "3000", "credit": 5 }]
        }));
        assert_eq!(reason(&opening), "amount_mismatch");
        assert!(message(&opening).contains("receivable control account") && message(&opening).contains("allow_unassigned"), "{opening}");
        let credit = books.post("/sales-credit-notes", &json!({
            "customer_id": customer, "credit_note_date": "2026-03-02", "lines": [books.item("4000", "-1", "NV")]
        }));
        assert_eq!(reason(&credit), "negative_total");
        assert!(!message(&credit).contains("use a credit note"), "{credit}");
        let unknown = books.post("/sales-invoices", &json!({
            "customer_id": 999_999, "invoice_date": "2026-03-01", "lines": [books.item("4000", "1", "NV")]
        }));
        assert_eq!(message(&unknown), "customer_id: there is no customer 999999 in this organisation");
    }
}
