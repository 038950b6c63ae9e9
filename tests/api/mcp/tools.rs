//! Tools that say who is connected and to what.

use serde_json::{Value, json};

use super::{call, failure, given, legacy};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, Setup, TestServer};

on_both_databases! {
    fn who_am_i_says_what_the_key_may_do(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person_with(123, 45, false);
        let key = server.key(&person, &["books:read", "reconcile:read"]);
        let me = server.client.get("/api/v1/me").key(&key).send().expect(200);
        let said = given(&server, &key, "whoami", &json!({}));
        for name in ["user_id", "scopes", "credits"] {
            assert_eq!(said[name], me[name], "{name}");
        }
        assert_eq!(said["connection"]["kind"], "api_key");
        assert_eq!(said["today"].as_str().map(str::len), Some(10));
        assert!(said.get("restricted_to").is_none());
    }

    fn organisations_are_those_of_the_rest_api(database) {
        let server = Setup::new().on(&database).start();
        let (person, stranger) = (server.person(), server.person());
        let key = server.key(&person, &ALL_SCOPES);
        assert_eq!(given(&server, &key, "list_organisations", &json!({})), json!({ "organisations": [] }));
        let id = server.organisation(&person, "Quote \" and é🧾 & \\ Ltd");
        server.organisation(&stranger, "Not theirs");
        let listed = given(&server, &key, "list_organisations", &json!({}));
        assert_eq!(
            listed["organisations"],
            json!([{
                "id": id, "name": "Quote \" and é🧾 & \\ Ltd", "role": "owner", "currency": "GBP", "vat_registered": false,
                "selected": true,
            }])
        );
        server.organisation(&person, "Another");
        let listed = given(&server, &key, "list_organisations", &json!({}));
        let selected: Vec<_> = listed["organisations"].as_array().unwrap().iter().map(|one| &one["selected"]).collect();
        assert_eq!(selected, [false, false], "none is chosen silently among several");
    }
}

#[test]
fn a_key_without_the_scope_is_told_which() {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &["coding:read"]);
    let words = failure(&server, &key, "list_organisations", &json!({}));
    assert!(words.starts_with("forbidden: the key lacks the scope books:read\nNext: "), "{words}");
    assert_eq!(given(&server, &key, "whoami", &json!({}))["scopes"], json!(["coding:read"]));
}

#[test]
fn arguments_where_none_are_taken_and_tools_that_are_not_there_are_refused() {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &ALL_SCOPES);
    let words = failure(&server, &key, "whoami", &json!({ "verbose": true }));
    assert_eq!(words, "invalid_request_format: verbose: is not known; nothing is taken here");
    let answer = legacy(&server, &key, "tools/call", &json!({ "name": "transfer_money", "arguments": {} })).expect(200);
    assert_eq!(answer["error"]["code"], -32_602, "{answer}");
}

#[test]
fn records_read_as_the_rest_api_prints_them() {
    let books = Books::of(TestServer::start());
    let customer = books.made("/customers", &json!({ "name": "Quote \" & é🧾" }))["id"].as_i64().unwrap();
    let invoice = books.sale(customer, "2026-03-01", "1200")["id"].as_i64().unwrap();
    let account = books.account_id("1200");
    for (kind, path, id) in [
        ("customer", format!("/customers/{customer}"), customer),
        ("sales_invoice", format!("/sales-invoices/{invoice}"), invoice),
        ("account", format!("/accounts/{account}"), account),
        ("organisation", String::new(), books.id),
    ] {
        let rest = books.request("GET", &path).send();
        let text = call(&books.server, &books.key, "get_document", &json!({ "kind": kind, "id": id }));
        let text = text["content"][0]["text"].as_str().unwrap().to_owned();
        let printed = rest.text();
        let record = printed.strip_prefix("{\"data\":").and_then(|rest| rest.strip_suffix('}')).unwrap();
        assert!(text.contains(&format!("\"record\":{record}")), "{kind}: {text} does not have {record}");
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["version"], rest.expect(200)["data"]["version"], "{kind}");
        assert_eq!(value["organisation"]["id"], books.id);
    }
    let words = failure(&books.server, &books.key, "get_document", &json!({ "kind": "journal", "id": 999_999 }));
    assert!(words.starts_with("not_found: "), "{words}");
    let words = failure(&books.server, &books.key, "get_document", &json!({ "kind": "letter" }));
    assert!(words.starts_with("invalid_request_format: id: is required; kind: must be one of account, "), "{words}");
}

/// A report over the REST API and through the tool, whose `generated_at` alone may differ.
fn both(books: &Books, report: &str, query: &str, arguments: &Value) -> (Value, Value) {
    let mut rest = books.get(&format!("/reports/{report}?{query}"))["data"].clone();
    let mut said = given(&books.server, &books.key, "get_report", arguments);
    for value in [&mut rest, &mut said["data"]] {
        value.as_object_mut().unwrap().remove("generated_at");
    }
    (rest, said)
}

#[test]
fn every_report_reads_as_over_the_rest_api() {
    let books = Books::of(TestServer::start());
    let customer = books.made("/customers", &json!({ "name": "A" }))["id"].as_i64().unwrap();
    let supplier = books.made("/suppliers", &json!({ "name": "B" }))["id"].as_i64().unwrap();
    books.sale(customer, "2026-03-01", "1200");
    let period = (
        "period_start=2026-01-01&period_end=2026-03-31",
        json!({ "period_start": "2026-01-01", "period_end": "2026-03-31" }),
    );
    let day = ("as_of=2026-03-31", json!({ "as_of": "2026-03-31" }));
    for (report, (query, dates), contact) in [
        ("profit-loss", &period, None),
        ("profit-loss-monthly", &period, None),
        ("balance-sheet", &day, None),
        ("trial-balance", &day, None),
        ("cash-flow", &period, None),
        ("vat-return", &period, None),
        ("period-comparison", &period, None),
        ("balance-comparison", &day, None),
        ("aged-debtors", &day, None),
        ("aged-creditors", &day, None),
        ("sales-by-customer", &period, None),
        ("purchases-by-supplier", &period, None),
        ("customer-statement", &period, Some(customer)),
        ("supplier-statement", &period, Some(supplier)),
    ] {
        let mut arguments = dates.clone();
        arguments["report"] = json!(report);
        arguments["detail"] = json!("full");
        let mut path = report.to_owned();
        let mut query = (*query).to_owned();
        if let Some(contact) = contact {
            arguments["contact_id"] = json!(contact);
            path = format!("{report}/{contact}");
        }
        if report == "vat-return" {
            query.push_str("&detail=true");
        }
        let (rest, said) = both(&books, &path, &query, &arguments);
        assert_eq!(said["data"], rest, "{report}");
        assert_eq!((&said["report"], &said["truncated"]), (&json!(report), &json!(false)));
        assert!(said.get("next_cursor").is_none());
    }
    let refusal = |arguments: Value| failure(&books.server, &books.key, "get_report", &arguments);
    let words = refusal(json!({ "report": "balance-sheet", "period_start": "2026-01-01" }));
    assert!(words.contains("period_start"), "{words}");
    let words =
        refusal(json!({ "report": "customer-statement", "period_start": "2026-01-01", "period_end": "2026-03-31" }));
    assert!(words.starts_with("invalid_request_format: contact_id: is required"), "{words}");
    let words = refusal(json!({ "report": "customer-statement", "contact_id": customer }));
    assert!(words.starts_with("invalid_request_format: period_start: is required; period_end: is required"), "{words}");
    let words = refusal(json!({ "report": "trial-balance", "as_of": "2026-03-31", "cursor": "x" }));
    assert!(words.starts_with("invalid_request_format: cursor: "), "{words}");
}

#[test]
fn a_long_report_comes_in_pages_that_together_have_every_row() {
    let books = Books::of(TestServer::start());
    let customer = books.made("/customers", &json!({ "name": "A" }))["id"].as_i64().unwrap();
    for _ in 0..130 {
        books.sale(customer, "2026-03-01", "12");
    }
    let period = json!({ "period_start": "2026-01-01", "period_end": "2026-03-31" });
    let mut arguments = period;
    arguments["report"] = json!("customer-statement");
    arguments["contact_id"] = json!(customer);
    let path = format!("customer-statement/{customer}");
    let rest = books.get(&format!("/reports/{path}?period_start=2026-01-01&period_end=2026-03-31"))["data"].clone();
    let (mut lines, mut outstanding, mut pages) = (Vec::new(), Vec::new(), 0);
    loop {
        let result = call(&books.server, &books.key, "get_report", &arguments);
        assert!(result["content"][0]["text"].as_str().unwrap().chars().count() <= 25_000);
        let page = &result["structuredContent"];
        assert_eq!(
            page["total"],
            rest["lines"].as_array().unwrap().len() + rest["outstanding"].as_array().unwrap().len()
        );
        assert_eq!(page["data"]["closing_balance"], rest["closing_balance"], "every page has the totals");
        lines.extend(page["data"]["lines"].as_array().unwrap().iter().cloned());
        outstanding.extend(page["data"]["outstanding"].as_array().unwrap().iter().cloned());
        pages += 1;
        match page.get("next_cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert!(pages > 1);
    assert_eq!((json!(lines), json!(outstanding)), (rest["lines"].clone(), rest["outstanding"].clone()));
}

#[test]
fn a_summary_leaves_out_the_documents_behind_a_row() {
    let books = Books::of(TestServer::start());
    let customer = books.made("/customers", &json!({ "name": "A" }))["id"].as_i64().unwrap();
    books.sale(customer, "2026-03-01", "12");
    let arguments = json!({ "report": "aged-debtors", "as_of": "2026-03-31" });
    let (rest, said) = both(&books, "aged-debtors", "as_of=2026-03-31", &arguments);
    let list = rest.as_object().unwrap().iter().find(|(_, value)| value.is_array()).unwrap().0.clone();
    let (mut whole, short) = (rest[&list][0].clone(), &said["data"][&list][0]);
    assert!(whole.as_object_mut().unwrap().remove("documents").is_some(), "{rest}");
    assert_eq!(short, &whole);
}

#[test]
fn a_long_record_is_cut_and_says_where_all_of_it_is() {
    let books = Books::of(TestServer::start());
    let customer = books.customer("A");
    let lines: Vec<Value> = (0..300).map(|_| books.item("4000", "1", "NV")).collect();
    let body = json!({ "customer_id": customer, "invoice_date": "2026-03-01", "lines": lines });
    let invoice = books.made("/sales-invoices", &body);
    let said =
        given(&books.server, &books.key, "get_document", &json!({ "kind": "sales_invoice", "id": invoice["id"] }));
    let (record, cut) = (&said["record"], &said["record"]["truncated"]);
    let shown = record["lines"].as_array().unwrap().len();
    assert!(shown > 20 && shown < 300, "{shown}");
    assert_eq!((&cut["rows_shown"], cut["rows_total"].as_u64() >= Some(300)), (&json!(shown), true), "{cut}");
    assert_eq!(cut["whole"], books.path(&format!("/sales-invoices/{}", invoice["id"])));
    assert_eq!(record["gross_amount"], invoice["gross_amount"]);
    let whole = books.get(&format!("/sales-invoices/{}", invoice["id"]))["data"].clone();
    assert_eq!(record["lines"].as_array().unwrap()[..], whole["lines"].as_array().unwrap()[..shown]);
}
