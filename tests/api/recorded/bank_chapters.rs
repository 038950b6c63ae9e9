//! Bank accounts, and the lines of their statements: entered, imported, coded, split, transferred, excluded, taken back.

use serde_json::{Value, json};

use super::session::Session;
use super::trade::with;

super::chapters!(bank_accounts, statement_lines, statement_imports, coded_lines, transfers, lines_found);

fn bank_accounts(s: &mut Session) {
    s.books();
    s.get("/bank-accounts");
    let made = s.both(
        "POST",
        "/bank-accounts",
        json!({
            "name": "Savings", "type": "savings", "code": "1210", "bank_name": "Bank of Ouse", "sort_code": "123456",
            "account_number": "12345678", "iban": "GB33BUKB20201555555555", "currency": "GBP"
        }),
    );
    let path = format!("/bank-accounts/{}", made["data"]["id"]);
    s.get(&path);
    s.both("PATCH", &path, json!({ "name": "Rainy day", "sort_code": "65-43-21", "iban": null }));
    for wrong in [
        json!({}),
        json!({ "type": "cash" }),
        json!({ "sort_code": "1-2" }),
        json!({ "account_number": "x" }),
        json!({ "iban": "GB00" }),
        json!({ "name": null }),
        json!({ "currency": "GBP" }),
    ] {
        s.patch(&path, wrong);
    }
    s.header("If-Match", "\"1\"").patch(&path, json!({ "name": "stale" }));
    let card = json!({ "name": "Card", "type": "credit_card", "account_id": s.account("2400") });
    s.both("POST", "/bank-accounts", card.clone());
    for wrong in [
        card,
        json!({ "name": "x", "account_id": s.account("2300") }),
        json!({ "name": "x", "account_id": s.account("4000") }),
        json!({ "name": "x", "account_id": s.account("1100") }),
        json!({ "name": "x", "account_id": 999_999 }),
        json!({ "name": "x", "code": "4000" }),
        json!({ "name": "x", "code": "1299", "currency": "EUR" }),
        json!({ "name": "x" }),
        json!({ "name": "x", "code": "1299", "account_id": 1 }),
        json!({ "name": "x", "code": "1", "account_id": 1, "sort_code": "1-2", "account_number": "1", "type": "x", "odd": 1 }),
    ] {
        s.post("/bank-accounts", wrong);
    }
    for kind in ["cash", "payment_provider", "loan", "current"] {
        s.post("/bank-accounts", json!({ "name": kind, "type": kind, "code": format!("12-{}", kind.len()) }));
    }
    let line = s.entered_in(made["data"]["id"].as_i64().unwrap(), "2026-03-01", "10", "INTEREST");
    s.both_bare("POST", &format!("{path}/archive"));
    s.act(&format!("/bank-transactions/{line}/exclude"));
    s.act(&format!("{path}/archive"));
    s.post(&format!("{path}/archive"), json!({ "odd": 1 }));
    s.post(
        "/bank-transactions",
        json!({ "bank_account_id": made["data"]["id"], "date": "2026-03-01", "amount": 1, "description": "x" }),
    );
    for query in [
        "",
        "?include_archived=true",
        "?include_archived=x",
        "?updated_since=2026-03-10T12:00:00Z",
        "?updated_since=2199-01-01T00:00:00Z",
        "?updated_since=x",
    ] {
        s.get(&format!("/bank-accounts{query}"));
    }
    s.get(&format!("{path}/history"));
    s.act(&format!("/bank-accounts/{}/archive", s.bank()));
    s.act(&format!("/accounts/{}/archive", s.account("1200")));
    s.get("/accounts?role=bank&include_archived=true");
}

fn statement_lines(s: &mut Session) {
    s.books();
    let body = json!({
        "bank_account_id": s.bank(), "date": "2026-03-01", "amount": "-84.37", "description": "EDF ENERGY", "reference": "DD 1",
        "merchant": "EDF", "external_id": "b-1"
    });
    let made = s.both("POST", "/bank-transactions", body.clone());
    let path = format!("/bank-transactions/{}", made["data"]["id"]);
    s.post("/bank-transactions", body.clone());
    s.post("/bank-transactions", with(&body, json!({ "external_id": null })));
    for wrong in [
        json!({ "bank_account_id": 999_999 }),
        json!({ "amount": 0 }),
        json!({ "amount": "x" }),
        json!({ "date": "2199-12-31" }),
        json!({ "description": "" }),
        json!({ "external_id": "" }),
        json!({ "merchant": "m".repeat(201) }),
        json!({ "status": "confirmed" }),
    ] {
        s.post("/bank-transactions", with(&body, wrong));
    }
    s.get(&path);
    let (rent, power) = (s.account("7100"), s.account("7300"));
    let supplier = s.supplier("EDF");
    for body in [
        json!({ "vat_code": "NV" }),
        json!({ "account_id": rent }),
        json!({ "account_id": rent, "vat_code": "NV" }),
        json!({ "vat_code": "ST" }),
        json!({ "account_id": power, "contact_id": supplier, "memo": "power" }),
        json!({ "account_id": null }),
        json!({ "vat_code": null }),
        json!({ "lines": [{ "account_id": rent, "gross_amount": "-50", "vat_code": "ST" }, { "account_id": power, "gross_amount": "-34.37", "vat_code": "NV", "memo": "rest" }] }),
        json!({ "vat_code": "ST" }),
        json!({ "lines": [{ "account_id": rent, "gross_amount": "-50", "vat_code": "ST" }] }),
        json!({ "lines": [] }),
        json!({ "account_id": 999_999, "vat_code": "NV" }),
        json!({ "contact_id": 999_999 }),
        json!({ "account_id": null, "vat_code": null, "contact_id": null, "memo": null }),
        json!({}),
        json!({ "amount": 1 }),
        json!({ "account_id": s.account("1200"), "vat_code": "NV" }),
    ] {
        s.both("PATCH", &path, body);
    }
    s.act(&format!("{path}/confirm"));
    s.both_bare("POST", &format!("{path}/exclude"));
    s.act(&format!("{path}/exclude"));
    s.patch(&path, json!({ "memo": "excluded" }));
    s.post(&format!("{path}/confirm"), json!({ "account_id": rent, "vat_code": "NV" }));
    s.both_bare("POST", &format!("{path}/restore"));
    s.act(&format!("{path}/restore"));
    s.post(&format!("{path}/restore"), json!({ "odd": 1 }));
    s.act(&format!("{path}/unconfirm"));
    s.header("If-Match", "\"1\"").act(&format!("{path}/exclude"));
    s.get(&format!("{path}/candidates"));
    s.both_bare("DELETE", &path);
    s.get(&path);
    s.get(&format!("{path}/history"));
    s.get("/bank-accounts");
}

fn statement_imports(s: &mut Session) {
    s.books();
    let row = |day: u32, amount: &str, text: &str, id: Value| json!({ "date": format!("2026-03-{day:02}"), "amount": amount, "description": text, "external_id": id });
    let body = json!({ "bank_account_id": s.bank(), "rows": [
        row(1, "-2.50", "PARKING", Value::Null), row(1, "-2.50", "PARKING", Value::Null), row(2, "900.00", "FPI SCHOOL", json!("b1")),
    ] });
    s.both("POST", "/bank-transactions/import", body.clone());
    s.post("/bank-transactions/import", body.clone());
    let rows = |rows: Value| with(&body, json!({ "rows": rows }));
    let reject = json!({ "on_duplicate": "reject" });
    for body in [
        rows(json!([
            row(1, "-2.50", "PARKING", Value::Null),
            row(1, "-2.50", "PARKING", Value::Null),
            row(1, "-2.50", "PARKING", Value::Null)
        ])),
        with(&rows(json!([row(1, "-2.50", "PARKING", Value::Null)])), reject.clone()),
        with(&rows(json!([row(3, "5", "NEW", json!("b1"))])), reject.clone()),
        with(&rows(json!([row(3, "5", "NEW", json!("b2")), row(4, "6", "NEWER", json!("b2"))])), reject),
        rows(json!([row(3, "5", "NEW", json!("b1"))])),
        rows(json!([])),
        rows(json!([7, {}])),
        rows(json!([row(40, "0", "", json!(7))])),
        with(&body, json!({ "bank_account_id": 999_999 })),
        with(&body, json!({ "on_duplicate": "replace" })),
        json!({}),
    ] {
        s.post("/bank-transactions/import", body);
    }
    s.header("Idempotency-Key", "i")
        .post("/bank-transactions/import", rows(json!([row(9, "1", "KEYED", Value::Null)])));
    s.header("Idempotency-Key", "i")
        .post("/bank-transactions/import", rows(json!([row(9, "1", "KEYED", Value::Null)])));
    s.get("/bank-transactions");
    s.get("/bank-accounts");
    s.get("/changes?limit=200");
    s.get("/imports");
    s.get("/status");
}

fn coded_lines(s: &mut Session) {
    s.books_of(json!({ "name": "Coded Ltd" }));
    let (rent, sales, loan) = (s.account("7100"), s.account("4000"), s.account("2500"));
    let line = s.entered("2026-03-01", "-84.37", "EDF ENERGY");
    let path = format!("/bank-transactions/{line}");
    let coded = json!({ "account_id": rent, "vat_code": "ST" });
    s.post(&format!("{path}/confirm"), coded.clone());
    s.post(
        "/accounts",
        json!({ "code": "2200", "name": "VAT Control", "account_type": "LIABILITY", "role": "vat_control" }),
    );
    for wrong in [
        json!({ "account_id": rent }),
        json!({ "vat_code": "ST" }),
        json!({ "account_id": rent, "vat_code": "ST", "vat_amount": "-20" }),
        json!({ "account_id": rent, "vat_code": "NV", "vat_amount": "-1" }),
        json!({ "account_id": 999_999, "vat_code": "NV" }),
        json!({ "account_id": s.account("1200"), "vat_code": "NV" }),
        json!({ "account_id": s.account("3000"), "vat_code": "ST" }),
        json!({ "type": "odd" }),
        json!({ "type": "transfer" }),
        json!({ "type": "match" }),
        json!({}),
        json!({ "lines": [{ "account_id": rent, "gross_amount": "-80", "vat_code": "NV" }] }),
        json!({ "lines": [] }),
        json!({ "account_id": rent, "vat_code": "NV", "lines": [{ "account_id": rent, "gross_amount": "-84.37", "vat_code": "NV" }] }),
    ] {
        s.post(&format!("{path}/confirm"), wrong);
    }
    s.header("If-Match", "\"9\"").post(&format!("{path}/confirm"), coded.clone());
    let confirmed = s.both("POST", &format!("{path}/confirm"), coded.clone());
    s.post(&format!("{path}/confirm"), coded.clone());
    s.get(&format!("/journals/{}", confirmed["data"]["journal_id"]));
    s.act(&format!("/journals/{}/void", confirmed["data"]["journal_id"]));
    s.delete(&path);
    s.act(&format!("{path}/exclude"));
    s.patch(&path, json!({ "memo": "confirmed already" }));
    s.both_bare("POST", &format!("{path}/unconfirm"));
    s.post(&format!("{path}/unconfirm"), json!({ "odd": 1 }));
    s.both_bare("POST", &format!("{path}/confirm"));
    let split = s.entered("2026-03-02", "-250.00", "LOAN INSTALMENT");
    s.both("POST", &format!("/bank-transactions/{split}/confirm"), json!({ "lines": [
        { "account_id": loan, "gross_amount": "-260.00", "vat_code": "NV" }, { "account_id": rent, "gross_amount": "-40.00", "vat_code": "ST", "vat_amount": "-6.66" },
        { "account_id": sales, "gross_amount": "50.00", "vat_code": "ZR", "memo": "cashback" },
    ] }));
    let (first, second) = (s.entered("2026-03-03", "12.00", "CASH SALE"), s.entered("2026-03-03", "-6.00", "PARKING"));
    let items = json!([{ "id": first, "account_id": sales, "vat_code": "ST" }, { "id": second, "account_id": rent, "vat_code": "NV" }]);
    for wrong in [
        json!([]),
        json!([{ "id": first }]),
        json!([{ "id": first, "account_id": sales, "vat_code": "ST" }, { "id": first, "account_id": sales, "vat_code": "ST" }]),
        json!([{ "id": first, "account_id": sales, "vat_code": "ST" }, { "id": 999_999, "account_id": rent, "vat_code": "NV" }]),
        json!([{ "id": first, "account_id": sales, "vat_code": "ST" }, { "id": line, "account_id": rent, "vat_code": "NV" }]),
        json!([7]),
    ] {
        s.post("/bank-transactions/confirm-batch", json!({ "items": wrong }));
    }
    s.both("POST", "/bank-transactions/confirm-batch", json!({ "items": items }));
    s.put("/period-lock", json!({ "lock_date": "2026-03-05" }));
    let late = s.entered("2026-03-05", "5.00", "LATE");
    s.post(&format!("/bank-transactions/{late}/confirm"), json!({ "account_id": sales, "vat_code": "NV" }));
    s.act(&format!("/bank-transactions/{split}/unconfirm"));
    s.get("/journals");
    s.get("/bank-accounts");
    s.get(&format!("{path}/history"));
}

fn transfers(s: &mut Session) {
    s.books();
    let savings = s.made("/bank-accounts", json!({ "name": "Savings", "type": "savings", "code": "1210" }));
    let (out, into) = (
        s.entered("2026-03-02", "-1500.00", "TO SAVINGS"),
        s.entered_in(savings, "2026-03-01", "1500.00", "FROM CURRENT"),
    );
    let wrong = s.entered_in(savings, "2026-03-01", "1499.00", "OTHER");
    s.get(&format!("/bank-transactions/{out}/candidates"));
    let confirm = format!("/bank-transactions/{out}/confirm");
    let with_line = |line: i64| json!({ "type": "transfer", "bank_transaction_id": line });
    let to = |bank: i64| json!({ "type": "transfer", "bank_account_id": bank });
    for body in [
        with_line(wrong),
        with_line(out),
        with_line(999_999),
        to(s.bank()),
        to(999_999),
        json!({ "type": "transfer", "bank_account_id": savings, "bank_transaction_id": into }),
    ] {
        s.post(&confirm, body);
    }
    let done = s.both("POST", &confirm, with_line(into));
    s.get(&format!("/bank-transactions/{into}"));
    s.get(&format!("/journals/{}", done["data"]["journal_id"]));
    s.both_bare("POST", &format!("/bank-transactions/{into}/unconfirm"));
    s.get(&format!("/bank-transactions/{out}"));
    s.act(&format!("/bank-transactions/{into}/exclude"));
    s.both("POST", &confirm, to(savings));
    s.both("POST", "/bank-transactions/import", json!({ "bank_account_id": savings, "rows": [{ "date": "2026-03-04", "amount": 1500, "description": "late" }] }));
    s.get(&format!("/bank-transactions/{out}"));
    s.get("/bank-transactions?type=transfer");
    let (pay, card) =
        (s.entered("2026-03-05", "-70.00", "TO SAVINGS"), s.entered_in(savings, "2026-03-06", "70.00", "FROM CURRENT"));
    s.both("POST", &format!("/bank-transactions/{pay}/confirm"), to(savings));
    s.post(&format!("/bank-transactions/{card}/confirm"), to(s.bank()));
    s.both_bare("POST", &format!("/bank-transactions/{pay}/unconfirm"));
    let items = json!([{ "id": pay, "type": "transfer", "bank_transaction_id": card }]);
    s.both("POST", "/bank-transactions/confirm-batch", json!({ "items": items }));
    s.act(&format!("/journals/{}/void", done["data"]["journal_id"]));
    s.get("/bank-accounts");
    s.get("/journals");
    s.get(&format!("/bank-transactions/{out}/history"));
}

fn lines_found(s: &mut Session) {
    s.books();
    let savings = s.made("/bank-accounts", json!({ "name": "Savings", "type": "savings", "code": "1210" }));
    for (date, amount, text) in [
        ("2026-01-05", "-12.00", "STAPLES YORK"),
        ("2026-02-05", "900.00", "FPI SCHOOL"),
        ("2026-03-05", "-3.50", "PARKING YORK"),
    ] {
        s.entered(date, amount, text);
    }
    s.entered_in(savings, "2026-03-01", "0.42", "INTEREST");
    s.post("/bank-transactions/1/confirm", json!({ "account_id": s.account("7100"), "vat_code": "ST" }));
    s.act("/bank-transactions/3/exclude");
    for query in [
        "",
        "?status=unconfirmed",
        "?status=confirmed",
        "?status=excluded",
        "?status=odd",
        "?bank_account_id=2",
        "?bank_account_id=0",
        "?bank_account_id=x",
        "?date_from=2026-02-01",
        "?date_to=2026-02-01",
        "?date_from=2026-02-05&date_to=2026-02-05",
        "?date_from=2026-02-02&date_to=2026-02-01",
        "?search=york",
        "?search=school",
        "?search=zzz",
        "?type=coded",
        "?type=odd",
        "?min_amount=0",
        "?max_amount=-3.50",
        "?min_amount=-5&max_amount=1",
        "?min_amount=x",
        "?min_amount=2&max_amount=1",
        "?min_amount=1.005",
        "?updated_since=2026-03-10T12:00:00Z&limit=1",
        "?limit=2",
        "?limit=2&offset=2",
        "?limit=201",
        "?offset=x",
        "?status=unconfirmed&search=s&limit=1",
        "?status=unconfirmed&bank_account_id=1&min_amount=1",
    ] {
        s.get(&format!("/bank-transactions{query}"));
    }
}
