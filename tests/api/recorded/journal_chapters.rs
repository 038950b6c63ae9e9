//! Journals: posted with and without VAT, voided, refused, found.

use serde_json::{Value, json};

use super::session::Session;
use super::trade::with;

super::chapters!(journals_posted, journals_refused, journals_found);

fn journals_posted(s: &mut Session) {
    s.books();
    let (rent, bank, sales, stock) = (s.account("7100"), s.account("1200"), s.account("4000"), s.account("5000"));
    let customer = s.customer("Brightwell School");
    let two = s.two_lines("2026-03-01", "7100", "1200", json!("10.10"));
    let made = s.both("POST", "/journals", two.clone());
    let path = format!("/journals/{}", made["data"]["id"]);
    s.get(&path);
    s.both(
        "POST",
        "/journals",
        json!({
            "entry_date": "2026-03-02", "description": "Sale over the counter", "reference": "Z-7",
            "lines": [
                { "account_id": bank, "debit": 120, "memo": "till" },
                { "account_id": sales, "credit": "120.00", "vat_code": "ST", "memo": "with VAT" },
            ]
        }),
    );
    s.post(
        "/journals",
        json!({
            "entry_date": "2026-03-02", "description": "Purchase with its VAT given",
            "lines": [
                { "account_id": bank, "credit": 60 },
                { "account_id": stock, "debit": 60, "vat_code": "ST", "vat_amount": "10.00" },
            ]
        }),
    );
    s.post(
        "/journals",
        json!({
            "entry_date": "2026-03-02", "description": "Mixed codes",
            "lines": [
                { "account_id": bank, "debit": "31.50" },
                { "account_id": sales, "credit": "10.50", "vat_code": "RR" },
                { "account_id": sales, "credit": 10, "vat_code": "ZR" },
                { "account_id": sales, "credit": 6, "vat_code": "EX" },
                { "account_id": sales, "credit": 5, "vat_code": "NV" },
            ]
        }),
    );
    s.post(
        "/journals",
        json!({
            "entry_date": "2026-03-03", "description": "A customer's balance",
            "lines": [
                { "account_id": s.account("1100"), "debit": 5, "contact_id": customer },
                { "account_id": rent, "credit": 5 },
            ]
        }),
    );
    s.post("/journals", json!({
        "entry_date": "2026-03-03", "description": "Drawings of many lines",
        "lines": [
            { "account_id": rent, "debit": 1 }, { "account_id": rent, "debit": 2 }, { "account_id": stock, "debit": 3 },
            { "account_id": bank, "credit": 4 }, { "account_id": bank, "credit": 2 },
        ]
    }));
    s.raw("POST", "/journals", &two.to_string().replace("\"10.10\"", "1.0e1"));
    s.raw("POST", "/journals", &two.to_string().replace("\"10.10\"", "0.10"));
    s.see(&["1200", "2200", "4000", "7100", "1100"]);
    s.header("Idempotency-Key", "j").post("/journals", two.clone());
    s.header("Idempotency-Key", "j").post("/journals", two.clone());
    s.header("Idempotency-Key", "j").post("/journals", with(&two, json!({ "description": "Another" })));
    s.header("If-Match", "\"2\"").post(&format!("{path}/void"), json!({}));
    s.post(&format!("{path}/void"), json!({ "void_date": "2026-02-28" }));
    s.post(&format!("{path}/void"), json!({ "reason": "" }));
    s.both("POST", &format!("{path}/void"), json!({ "void_date": "2026-03-05", "reason": "entered twice" }));
    s.act(&format!("{path}/void"));
    s.get(&path);
    s.get(&format!("{path}/history"));
    s.both_bare("POST", "/journals/2/void");
    s.post("/journals/3/void", json!({ "void_date": null, "reason": null }));
    s.act("/journals/10/void");
    s.see(&["1200", "2200", "4000", "7100"]);
    s.get("/journals?limit=3");
    s.get("/changes?limit=4&since=10");
    s.get("/status");
}

fn journals_refused(s: &mut Session) {
    s.books_of(json!({ "name": "Without VAT Ltd" }));
    let body = s.two_lines("2026-03-01", "7100", "1200", json!("10.00"));
    let line = |at: usize, changes: Value| {
        let mut body = body.clone();
        body["lines"][at] = with(&body["lines"][at], changes);
        body
    };
    let (rent, bank) = (s.account("7100"), s.account("1200"));
    let supplier = s.supplier("Timber Ltd");
    let lines = |lines: Value| with(&body, json!({ "lines": lines }));
    for body in [
        line(0, json!({ "debit": "10.01" })),
        line(0, json!({ "debit": "10.00", "credit": "10.00" })),
        line(0, json!({ "debit": null })),
        line(0, json!({ "debit": 0 })),
        line(0, json!({ "debit": -10 })),
        line(0, json!({ "debit": "10.005" })),
        line(0, json!({ "debit": "1e3" })),
        line(0, json!({ "debit": 1e16 })),
        line(0, json!({ "debit": "£10" })),
        line(0, json!({ "account_id": 999_999 })),
        line(0, json!({ "account_id": "7100" })),
        line(0, json!({ "account_id": null })),
        line(0, json!({ "vat_code": "ST" })),
        line(0, json!({ "vat_code": "XX" })),
        line(0, json!({ "vat_amount": 1 })),
        line(0, json!({ "vat_code": "NV", "vat_amount": 1 })),
        line(0, json!({ "contact_id": supplier })),
        line(0, json!({ "contact_id": 999_999 })),
        line(0, json!({ "memo": "m".repeat(501) })),
        line(0, json!({ "odd": 1 })),
        lines(json!([])),
        lines(json!([{ "account_id": rent, "debit": 1 }])),
        lines(json!([{ "account_id": rent }, { "account_id": bank }])),
        lines(json!([{}, 7, null])),
        lines(json!({ "a": 1 })),
        with(&body, json!({ "entry_date": "2026-02-29" })),
        with(&body, json!({ "entry_date": "2026-3-1" })),
        with(&body, json!({ "entry_date": "1899-12-31" })),
        with(&body, json!({ "entry_date": "2200-01-01" })),
        with(&body, json!({ "entry_date": "2199-12-31" })),
        with(&body, json!({ "description": "" })),
        with(&body, json!({ "description": "d".repeat(501) })),
        with(&body, json!({ "reference": "r".repeat(101) })),
        json!({}),
    ] {
        s.post("/journals", body);
    }
    s.post(
        "/accounts",
        json!({ "code": "2200", "name": "VAT Control", "account_type": "LIABILITY", "role": "vat_control" }),
    );
    s.learn_accounts();
    let vat = |gross: &str, vat: &str, code: &str| {
        lines(json!([
            { "account_id": rent, "debit": gross, "vat_code": code, "vat_amount": vat }, { "account_id": bank, "credit": gross },
        ]))
    };
    for body in [
        vat("120", "20.01", "ST"),
        vat("120", "21.01", "ST"),
        vat("120", "18.99", "ST"),
        vat("120", "121", "ST"),
        vat("120", "0.01", "ZR"),
        vat("120", "0", "EX"),
    ] {
        s.post("/journals", body);
    }
    for code in ["1100", "2100", "2200"] {
        let body = s.two_lines("2026-03-01", code, "1200", json!(1));
        s.post("/journals", body);
    }
    s.put("/period-lock", json!({ "lock_date": "2026-03-01" }));
    s.post("/journals?dry_run=true", body.clone());
    s.post("/journals", body);
}

fn journals_found(s: &mut Session) {
    s.books();
    for (date, text) in [("2026-01-05", "Rent January"), ("2026-02-05", "Rent February"), ("2026-03-05", "Rates")] {
        let body = with(
            &s.two_lines(date, "7100", "1200", json!(100)),
            json!({ "description": text, "reference": format!("R {date}") }),
        );
        s.made("/journals", body);
    }
    let customer = s.customer("Brightwell School");
    let invoice = s.sale(customer, "2026-02-20", "50", "ST");
    let line = s.entered("2026-03-01", "-12.00", "STAPLES");
    s.post(&format!("/bank-transactions/{line}/confirm"), json!({ "account_id": s.account("7100"), "vat_code": "ST" }));
    s.act("/journals/1/void");
    let account = s.account("4000");
    for query in [
        String::new(),
        "?source_type=manual".to_owned(),
        "?source_type=sales_invoice".to_owned(),
        format!("?source_type=sales_invoice&source_id={invoice}"),
        format!("?source_id={invoice}"),
        "?source_type=odd".to_owned(),
        "?source_type=void".to_owned(),
        format!("?account_id={account}"),
        "?account_id=0".to_owned(),
        "?account_id=999999".to_owned(),
        "?account_id=x".to_owned(),
        "?date_from=2026-02-01&date_to=2026-02-28".to_owned(),
        "?date_from=2026-03-01&date_to=2026-02-01".to_owned(),
        "?status=void".to_owned(),
        "?status=posted&limit=2".to_owned(),
        "?status=draft".to_owned(),
        "?search=rent".to_owned(),
        "?search=R%202026-03".to_owned(),
        "?search=nothing".to_owned(),
        "?updated_since=2026-03-10T12:00:00Z&limit=1".to_owned(),
        "?limit=1&offset=3".to_owned(),
        "?limit=0".to_owned(),
        "?offset=50".to_owned(),
        "?status=posted&search=rent&date_from=2026-02-01".to_owned(),
        format!("?account_id={account}&status=posted&limit=1"),
    ] {
        s.get(&format!("/journals{query}"));
    }
}
