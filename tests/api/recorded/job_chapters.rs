//! Reconciliations and coding jobs: submitted, polled until they have ended, refused; and what they cost.

use serde_json::{Value, json};

use super::session::Session;
use crate::support::coding::{described, request, request_with, transaction};
use crate::support::data;
use crate::support::server::ALL_SCOPES;

super::chapters!(reconciliations, coding_jobs, job_visibility, suggestions);

const RECONCILIATIONS: &str = "/api/v1/reconciliations";
const CODING: &str = "/api/v1/coding/coding-jobs";

/// Submits a job that must be accepted and records how it ended.
fn run(s: &mut Session, path: &str, body: &str) -> Value {
    let accepted = s.raw("POST", path, body);
    let poll = accepted["poll_url"].as_str().unwrap_or_else(|| panic!("{accepted}")).to_owned();
    s.ended(&poll)
}

fn reconciliations(s: &mut Session) {
    s.person_with("owner", 40, 5);
    s.key("owner", "owner", &["reconcile:read", "reconcile:write"]);
    s.get("/api/v1/me");
    let rows = |amounts: &[&str]| -> String {
        data::rows(&amounts.iter().map(|amount| data::row(amount)).collect::<Vec<_>>())
    };
    for (bank, book) in [
        (vec!["100.00", "-20.50"], vec!["100", "-7.25"]),
        (vec!["10.01"], vec!["10.005"]),
        (vec!["1e15"], vec!["1000000000000000.00"]),
        (vec!["83.33"; 12], vec!["83.333333"; 12]),
        (vec![], vec!["5.00"]),
    ] {
        let body = format!(r#"{{"bank":{},"book":{},"options":{{"includeMatched":true}}}}"#, rows(&bank), rows(&book));
        run(s, RECONCILIATIONS, &body);
    }
    let dated = |date: &str| data::rows(&[data::Row { date, amount: "7.00", description: "Café" }]);
    for days in [0, 3, 30] {
        let body = format!(
            r#"{{"bank":{},"book":{},"options":{{"allowedDateDifferenceInDays":{days}}}}}"#,
            dated("2026-01-01"),
            dated("2026-01-04")
        );
        run(s, RECONCILIATIONS, &body);
    }
    s.get("/api/v1/me");
    s.raw("POST", RECONCILIATIONS, &data::costing(50));
    s.raw("POST", RECONCILIATIONS, &data::costing_with_overage(50));
    s.header("Idempotency-Key", "k").raw("POST", RECONCILIATIONS, r#"{"bank":[],"book":[]}"#);
    let again = s.header("Idempotency-Key", "k").raw("POST", RECONCILIATIONS, r#"{"bank":[],"book":[]}"#);
    s.header("Idempotency-Key", "k").raw("POST", RECONCILIATIONS, r#"{"book":[],"bank":[]}"#);
    s.ended(again["poll_url"].as_str().unwrap());
    s.get("/api/v1/me");
    for body in [
        "{}",
        "[]",
        "7",
        "null",
        r#"{"bank":[],"book":[],"other":1}"#,
        r#"{"bank":{},"book":null}"#,
        r#"{"bank":[{}],"book":[7]}"#,
        r#"{"bank":[{"date":"2026-02-30","amount":"1","description":""}],"book":[{"date":1,"amount":null,"description":7,"x":1}]}"#,
        r#"{"bank":[{"date":"2026-01-01","amount":1,"description":"a","description":"b"}],"book":[]}"#,
        r#"{"bank":[],"book":[],"options":{"allowedDateDifferenceInDays":31}}"#,
        r#"{"bank":[],"book":[],"options":{"allowedDateDifferenceInDays":-1}}"#,
        r#"{"bank":[],"book":[],"options":{"allowedDateDifferenceInDays":1.5,"includeMatched":"x","allowOverage":1,"odd":2}}"#,
        r#"{"bank":[],"book":[],"options":null}"#,
        r#"{"bank":[],"bank":[],"book":[]}"#,
        r#"{"bank":[],"book":[]"#,
        "",
        "{\"bank\":[1e999],\"book\":[]}",
    ] {
        s.raw("POST", RECONCILIATIONS, body);
    }
    for id in ["x", "rec_0123456789abcdef0123456789abcdef", "0"] {
        s.get(&format!("{RECONCILIATIONS}/{id}"));
    }
}

fn coding_jobs(s: &mut Session) {
    s.person_with("owner", 30, 0);
    s.key("owner", "owner", &["coding:read", "coding:write"]);
    let lines = [
        described("2026-01-05", "-23.99", "CARD PAYMENT TO RYMAN 0482"),
        described("2026-01-06", "1200.00", "FASTER PAYMENT LARKSPUR LTD INV-1042"),
        described("2026-01-07", "-0.0", "Café"),
        described("2026-01-08", "-500", "TRANSFER TO SAVINGS"),
    ];
    run(s, CODING, &request(&lines));
    run(
        s,
        CODING,
        &request_with(
            &lines,
            r#""vat_codes":[{"code":"T1","name":"Standard","rate":20},{"code":"T9","name":"None","rate":0}],"invoices":[{"number":"INV-1042","kind":"invoice","contact":"Larkspur Ltd","date":"2025-12-20","amount_due":1200}],"options":{"businessContext":"VAT registered design studio"}"#,
        ),
    );
    s.get("/api/v1/me");
    s.raw("POST", CODING, &request(&vec![transaction("-12.50"); 40]));
    let body = request(&[transaction("-12.50")]);
    s.header("Idempotency-Key", "k").raw("POST", CODING, &body);
    let again = s.header("Idempotency-Key", "k").raw("POST", CODING, &body);
    s.header("Idempotency-Key", "k").raw("POST", CODING, &request(&[transaction("-12.51")]));
    s.ended(again["poll_url"].as_str().unwrap());
    let one = transaction("1");
    for body in [
        "{}".to_owned(),
        "[]".to_owned(),
        r#"{"transactions":[],"chart_of_accounts":[]}"#.to_owned(),
        request(&["7".to_owned(), "{}".to_owned()]),
        request(&[described("2026-02-30", "1", "")]),
        request(&[described("2026-01-01", "\"1\"", "x")]),
        request(&[one.replace('}', r#","odd":1}"#)]),
        request(&[one.replace('}', r#","merchant":7,"reference":null,"bank_account":{}}"#)]),
        format!(r#"{{"transactions":[{one}],"chart_of_accounts":[{{"code":"","name":7,"type":"x","odd":1}}]}}"#),
        request_with(std::slice::from_ref(&one), r#""vat_codes":[{"code":"T1","name":"x","rate":101}]"#),
        request_with(std::slice::from_ref(&one), r#""vat_codes":[],"odd":1"#),
        request_with(
            std::slice::from_ref(&one),
            r#""invoices":[{"number":7,"kind":"x","contact":null,"date":"x","amount_due":"1"}]"#,
        ),
        request_with(std::slice::from_ref(&one), r#""options":{"allowOverage":1,"businessContext":7,"odd":1}"#),
        "{".to_owned(),
    ] {
        s.raw("POST", CODING, &body);
    }
    for id in ["x", "cod_0123456789abcdef0123456789abcdef"] {
        s.get(&format!("{CODING}/{id}"));
    }
    s.get("/api/v1/me");
}

fn job_visibility(s: &mut Session) {
    s.person("owner");
    s.person("stranger");
    s.key("strange", "stranger", &ALL_SCOPES);
    s.key("reader", "owner", &["reconcile:read", "coding:read"]);
    s.key("blind", "owner", &["books:read"]);
    s.key("writer", "owner", &["reconcile:write", "coding:write"]);
    for (path, body) in [(RECONCILIATIONS, data::costing(2)), (CODING, request(&[transaction("1")]))] {
        s.by("reader").raw("POST", path, &body);
        s.by("blind").raw("POST", path, "{}");
        s.by("nobody").raw("POST", path, "{}");
        s.by("writer");
        let accepted = s.raw("POST", path, &body);
        let poll = accepted["poll_url"].as_str().unwrap().to_owned();
        s.ended(&poll);
        for caller in ["reader", "blind", "strange", "nobody", "owner session"] {
            s.by(caller).get(&poll);
        }
        s.by("writer").get(&format!("{path}/x"));
    }
    s.by("writer").get("/api/v1/me");
}

/// Suggestions for lines of the books: asked for, shown, taken one by one and many at once, refused.
fn suggestions(s: &mut Session) {
    s.books();
    s.key("suggesting", "owner", &["books:read", "books:write", "coding:read", "coding:write"]);
    s.by("suggesting");
    let customer = s.customer("Brightwell School");
    s.sale(customer, "2026-01-05", "1000", "NV");
    for month in 1..=4 {
        let past = s.entered(&format!("2025-0{month}-07"), "-48.00", "ZORBLAX HEATING");
        let coding = json!({ "account_code": "7200", "vat_code": "RR" });
        s.post(&format!("/bank-transactions/{past}/confirm"), coding);
    }
    let receipt = s.entered("2026-02-01", "1000.00", "FPI BRIGHTWELL SCHOOL INV-0001");
    let lines: Vec<i64> =
        (1..=3).map(|day| s.entered(&format!("2026-02-0{day}"), "-48.00", "ZORBLAX HEATING")).collect();
    const ASK: &str = "/bank-transactions/suggest";
    const TAKE: &str = "/bank-transactions/confirm";
    for body in [
        json!({ "transaction_ids": [] }),
        json!({ "transaction_ids": [lines[0], lines[0]] }),
        json!({ "transaction_ids": [lines[0], 999_999] }),
        json!({ "transaction_ids": [lines[0]], "bank_account_id": s.bank() }),
        json!({ "bank_account_id": 999_999 }),
        json!({ "date_from": "2026-02-30" }),
        json!({ "date_from": "2030-01-01" }),
        json!({ "lines": [] }),
    ] {
        s.post(ASK, body);
    }
    s.by("owner").post(ASK, json!({}));
    s.by("suggesting").header("Idempotency-Key", "february");
    let asked = s.post(ASK, json!({ "date_from": "2026-02-01" }));
    s.ended(asked["data"]["poll_url"].as_str().unwrap());
    s.header("Idempotency-Key", "february");
    s.post(ASK, json!({ "date_from": "2026-02-01" }));
    s.header("Idempotency-Key", "february");
    s.post(ASK, json!({}));
    for line in [receipt, lines[0]] {
        s.get(&format!("/bank-transactions/{line}"));
        s.get(&format!("/bank-transactions/{line}/history"));
        s.both_bare("POST", &format!("/bank-transactions/{line}/confirm"));
    }
    for body in [
        json!({}),
        json!({ "min_confidence": 2 }),
        json!({ "transaction_ids": [0] }),
        json!({ "bank_account_id": 999_999 }),
    ] {
        s.post(TAKE, body);
    }
    s.act(&format!("/accounts/{}/archive", s.account("7200")));
    s.post(TAKE, json!({ "transaction_ids": [lines[1], lines[0], 999_999] }));
    s.act(&format!("/accounts/{}/unarchive", s.account("7200")));
    s.both("POST", TAKE, json!({ "min_confidence": 0.5 }));
    s.get(&format!("/bank-transactions/{}", lines[2]));
    s.patch("/api/v1/books/organisations/1", json!({ "auto_suggest": true }));
    let rows =
        json!([{ "date": "2026-03-01", "amount": "-48.00", "description": "ZORBLAX HEATING", "external_id": "m1" }]);
    let imported = s.post("/bank-transactions/import", json!({ "bank_account_id": s.bank(), "rows": rows }));
    let job = imported["data"]["suggest"]["coding_job_id"].as_str().unwrap();
    s.ended(&format!("{CODING}/{job}"));
    s.get("/api/v1/me");
}
