//! `find`: the same records as the lists of the REST API, in the same order, in short rows.

use serde_json::{Value, json};

use super::{failure, given};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::TestServer;

fn find(books: &Books, arguments: &Value) -> Value {
    given(&books.server, &books.key, "find", arguments)
}

/// The ids of every page.
fn all_ids(books: &Books, arguments: &Value) -> Vec<Value> {
    let (mut ids, mut arguments) = (Vec::new(), arguments.clone());
    loop {
        let page = find(books, &arguments);
        ids.extend(page["rows"].as_array().unwrap().iter().map(|row| row.get("id").cloned().unwrap_or_default()));
        assert_eq!(page["truncated"], page.get("next_cursor").is_some());
        let Some(cursor) = page.get("next_cursor") else { return ids };
        arguments["cursor"] = cursor.clone();
    }
}

fn rest_ids(books: &Books, path: &str) -> Vec<Value> {
    let list = books.get(path);
    list["data"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect()
}

/// Books with a little of everything.
fn trading(books: &Books) {
    let (customer, supplier) = (books.customer("Ann & Co"), books.supplier("Bob \"Builder\""));
    let sales: Vec<Value> = (1..=5).map(|day| books.sale(customer, &format!("2026-03-0{day}"), "120")).collect();
    books.bill(supplier, "2026-03-02", "60");
    books.bill(supplier, "2026-03-05", "36");
    books.credit(customer, "2026-03-06", "12");
    books.receipt(customer, "2026-03-07", "120", &[(&sales[0], "120")]);
    books.receipt(customer, "2026-03-08", "50", &[(&sales[1], "30")]);
    books.payment(supplier, "2026-03-09", "10", &[]);
    let draft = json!({
        "customer_id": customer, "invoice_date": "2026-03-10", "issue": false, "lines": [books.item("4000", "5", "ST")]
    });
    books.post("/sales-invoices", &draft).expect(201);
    let rows: Vec<Value> = (1..=6)
        .map(|number| json!({ "date": "2026-03-1".to_owned() + &number.to_string(), "amount": -number, "description": format!("Fuel {number}") }))
        .collect();
    let import = json!({ "bank_account_id": books.bank_id(), "rows": rows });
    let imported = books.post("/bank-transactions/import", &import).expect(201);
    let line = |at: usize| imported["data"]["transactions"][at]["id"].clone();
    let coded = json!({ "account_id": books.account_id("7300"), "vat_code": "NV" });
    books.post(&format!("/bank-transactions/{}/confirm", line(1)), &coded).expect(200);
    books.post(&format!("/bank-transactions/{}/exclude", line(3)), &json!({})).expect(200);
    books.posted("2026-03-20", "7300", "1200", json!(8));
}

on_both_databases! {
    fn every_kind_is_listed_as_over_rest(database) {
        let books = Books::on(&database);
        trading(&books);
        for (kind, path) in [
            ("account", "/accounts"),
            ("customer", "/customers"),
            ("supplier", "/suppliers"),
            ("bank_account", "/bank-accounts"),
            ("bank_transaction", "/bank-transactions"),
            ("sales_invoice", "/sales-invoices"),
            ("sales_credit_note", "/sales-credit-notes"),
            ("purchase_invoice", "/purchase-invoices"),
            ("purchase_credit_note", "/purchase-credit-notes"),
            ("customer_receipt", "/customer-receipts"),
            ("supplier_payment", "/supplier-payments"),
            ("journal", "/journals"),
            ("vat_adjustment", "/vat-adjustments"),
            ("vat_return", "/vat-returns"),
            ("import", "/imports"),
            ("email", "/emails"),
        ] {
            let expected = rest_ids(&books, path);
            for limit in [2, 50] {
                assert_eq!(all_ids(&books, &json!({ "kind": kind, "limit": limit })), expected, "{kind} by {limit}");
            }
            let page = find(&books, &json!({ "kind": kind }));
            assert_eq!(page["total"], expected.len(), "{kind}");
        }
        let ledger = json!({ "kind": "account_transaction", "account_id": books.account_id("7300") });
        let expected: Vec<Value> = books.get(&format!("/accounts/{}/transactions", books.account_id("7300")))["data"]["lines"]
            .as_array().unwrap().iter().map(|line| line["journal_id"].clone()).collect();
        assert_eq!((expected.len(), all_ids(&books, &ledger)), (2, expected));
        let codes = find(&books, &json!({ "kind": "tax_code" }));
        assert_eq!(codes["rows"][0]["label"], "ST Standard rate");
    }

    fn filters_are_those_of_the_lists(database) {
        let books = Books::on(&database);
        trading(&books);
        let count = |arguments: Value| find(&books, &arguments)["rows"].as_array().unwrap().len();
        for (arguments, expected) in [
            (json!({ "kind": "sales_invoice", "status": ["draft"] }), 1),
            (json!({ "kind": "sales_invoice", "status": ["draft", "paid"] }), 2),
            (json!({ "kind": "sales_invoice", "outstanding_only": true }), 4),
            (json!({ "kind": "sales_invoice", "outstanding_only": false }), 6),
            (json!({ "kind": "sales_invoice", "date_from": "2026-03-02", "date_to": "2026-03-03" }), 2),
            (json!({ "kind": "sales_invoice", "overdue": true, "due_before": "2026-01-01" }), 0),
            (json!({ "kind": "purchase_invoice", "outstanding_only": true }), 2),
            (json!({ "kind": "sales_credit_note", "outstanding_only": true }), 1),
            (json!({ "kind": "customer_receipt", "outstanding_only": true }), 1),
            (json!({ "kind": "customer_receipt", "status": ["posted", "void"] }), 2),
            (json!({ "kind": "bank_transaction", "status": ["unconfirmed"] }), 4),
            (json!({ "kind": "bank_transaction", "status": ["unconfirmed", "excluded"] }), 5),
            (json!({ "kind": "bank_transaction", "status": ["excluded", "confirmed", "unconfirmed"] }), 6),
            (json!({ "kind": "bank_transaction", "min_amount": -3, "max_amount": -1.5 }), 2),
            (json!({ "kind": "bank_transaction", "search": "fuel 6" }), 1),
            (json!({ "kind": "bank_transaction", "type": "coded" }), 1),
            (json!({ "kind": "account", "search": "BANK" }), find_accounts(&books, "bank")),
            (json!({ "kind": "account", "type": "SUSPENSE" }), find_type(&books, "SUSPENSE")),
            (json!({ "kind": "customer", "search": "ann & co" }), 1),
            (json!({ "kind": "journal", "type": "manual" }), 1),
            (json!({ "kind": "vat_return", "date_from": "2026-01-01" }), 0),
        ] {
            assert_eq!(count(arguments.clone()), expected, "{arguments}");
        }
        // Several statuses of a list that takes one at a time: its own order, in pages of any size.
        let both = json!({ "kind": "bank_transaction", "status": ["unconfirmed", "excluded"] });
        let confirmed = rest_ids(&books, "/bank-transactions?status=confirmed");
        let expected: Vec<Value> =
            rest_ids(&books, "/bank-transactions").into_iter().filter(|id| !confirmed.contains(id)).collect();
        for limit in 1..=6 {
            let mut arguments = both.clone();
            arguments["limit"] = json!(limit);
            assert_eq!(all_ids(&books, &arguments), expected, "by {limit}");
        }
    }

    fn a_row_says_what_its_record_says(database) {
        let books = Books::on(&database);
        trading(&books);
        let invoice = books.get("/sales-invoices?status=part_paid")["data"][0].clone();
        let row = find(&books, &json!({ "kind": "sales_invoice", "status": ["part_paid"] }))["rows"][0].clone();
        assert_eq!(
            row,
            json!({
                "id": invoice["id"], "label": invoice["invoice_number"], "date": invoice["invoice_date"], "contact": "Ann & Co",
                "status": "part_paid", "amount": invoice["gross_amount"], "outstanding": invoice["amount_due"], "currency": "GBP",
            })
        );
        let draft = find(&books, &json!({ "kind": "sales_invoice", "status": ["draft"] }))["rows"][0].clone();
        assert_eq!((&draft["label"], &draft["status"]), (&json!("draft"), &json!("draft")));
        let ledger = json!({ "kind": "account_transaction", "account_id": books.account_id("1200") });
        let amounts: Vec<Value> =
            find(&books, &ledger)["rows"].as_array().unwrap().iter().map(|row| row["amount"].clone()).collect();
        assert_eq!(amounts, [json!(120.0), json!(50.0), json!(-10.0), json!(-2.0), json!(-8.0)]);
    }
}

fn find_accounts(books: &Books, text: &str) -> usize {
    let accounts = books.get("/accounts");
    let names =
        accounts["data"].as_array().unwrap().iter().map(|account| account["name"].as_str().unwrap().to_lowercase());
    names.filter(|name| name.contains(text)).count()
}

fn find_type(books: &Books, account_type: &str) -> usize {
    books.get("/accounts")["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|account| account["account_type"] == account_type)
        .count()
}

#[test]
fn a_filter_that_a_kind_has_not_is_refused_with_those_it_has() {
    let books = Books::of(TestServer::start());
    for (arguments, expected) in [
        (
            json!({ "kind": "account", "contact_id": 1 }),
            "contact_id: is no filter of account; its filters are: search, type, include_archived, updated_since",
        ),
        (json!({ "kind": "import", "search": "x" }), "search: is no filter of import; its filters are: none"),
        (json!({ "kind": "journal", "status": ["draft"] }), "status: must be any of posted, void"),
        (
            json!({ "kind": "sales_invoice", "status": ["open"] }),
            "status: must be any of draft, issued, part_paid, paid, void",
        ),
        (
            json!({ "kind": "sales_invoice", "status": ["paid"], "outstanding_only": true }),
            "outstanding_only: is a choice of statuses; leave out either it or status",
        ),
        (json!({ "kind": "account_transaction" }), "account_id: is required for account_transaction"),
        (json!({ "kind": "customer", "cursor": "x" }), "cursor: must be next_cursor of an answer to the same search"),
        (json!({ "kind": "customer", "cursor": "1.2" }), "cursor: must be next_cursor of an answer to the same search"),
    ] {
        let words = failure(&books.server, &books.key, "find", &arguments);
        assert_eq!(words, format!("invalid_request_format: {expected}"), "{arguments}");
    }
    for (arguments, name) in [
        (json!({ "kind": "bank_transaction", "min_amount": 1.005 }), "min_amount"),
        (json!({ "kind": "bank_transaction", "type": "cash" }), "type"),
        (json!({ "kind": "sales_invoice", "date_from": "2026-03-02", "date_to": "2026-03-01" }), "date_to"),
        (json!({ "kind": "customer", "updated_since": "yesterday" }), "updated_since"),
    ] {
        let words = failure(&books.server, &books.key, "find", &arguments);
        assert!(words.starts_with("invalid_request_format: ") && words.contains(name), "{words}");
    }
    let unknown = json!({ "kind": "account_transaction", "account_id": 999_999 });
    let words = failure(&books.server, &books.key, "find", &unknown);
    assert!(words.starts_with("not_found: "), "{words}");
}

#[test]
fn long_names_are_cut_and_pages_stay_small() {
    let books = Books::of(TestServer::start());
    let rows: Vec<Value> = (0..60)
        .map(|number| json!({ "date": "2026-03-10", "amount": -1, "description": format!("{number} {}", "é🧾\"".repeat(120)) }))
        .collect();
    let import = json!({ "bank_account_id": books.bank_id(), "rows": rows });
    books.post("/bank-transactions/import", &import).expect(201);
    let arguments = json!({ "kind": "bank_transaction", "limit": 50 });
    let page = find(&books, &arguments);
    assert!(page["rows"][0]["label"].as_str().unwrap().chars().count() == 201, "{page}");
    assert_eq!(all_ids(&books, &arguments), rest_ids(&books, "/bank-transactions?limit=200"));
}
