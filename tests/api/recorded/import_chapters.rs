//! Bulk imports of every kind: previewed with what is wrong with their rows, confirmed once, with and without those rows.

use serde_json::{Value, json};

use super::session::Session;

super::chapters!(master_data_imports, posting_imports, imports_refused);

fn preview(s: &mut Session, kind: &str, rows: Value) -> Value {
    s.post("/imports?dry_run=true", json!({ "kind": kind, "rows": rows }));
    let made = s.post("/imports", json!({ "kind": kind, "rows": rows }));
    s.get(&format!("/imports/{}", made["data"]["id"]));
    made["data"].clone()
}

fn confirm(s: &mut Session, import: &Value, skip_invalid: Option<bool>) -> Value {
    let path = format!("/imports/{}/confirm", import["id"]);
    let mut body = json!({ "token": import["token"] });
    if let Some(skip) = skip_invalid {
        body["skip_invalid"] = json!(skip);
    }
    s.both("POST", &path, body)
}

fn master_data_imports(s: &mut Session) {
    s.books();
    let customers = preview(
        s,
        "customers",
        json!([
            { "name": "Ann", "reference": "C1", "address": { "city": "York" } }, { "name": "Bob", "reference": "C1" }, { "name": "Cy", "default_account_id": 777_777 },
            { "name": "Di", "email": "x", "odd": 1 }, 7, { "name": "Eve" },
        ]),
    );
    confirm(s, &customers, None);
    confirm(s, &customers, Some(false));
    confirm(s, &customers, Some(true));
    confirm(s, &customers, Some(true));
    s.get(&format!("/imports/{}", customers["id"]));
    let suppliers = preview(
        s,
        "suppliers",
        json!([
            { "name": "Reed", "cis": { "is_subcontractor": true, "deduction_rate": 20 } }, { "name": "Wood", "cis": { "deduction_rate": 20 } }, {},
        ]),
    );
    confirm(s, &suppliers, Some(true));
    let accounts = preview(
        s,
        "accounts",
        json!([
            { "code": "7999", "name": "Sundries", "account_type": "EXPENSE" }, { "code": "7999", "name": "Twice", "account_type": "EXPENSE" },
            { "code": "4000", "name": "Taken", "account_type": "REVENUE" }, { "code": "8000", "name": "Other", "account_type": "x" },
        ]),
    );
    confirm(s, &accounts, Some(true));
    let stale = preview(s, "accounts", json!([{ "code": "7998", "name": "One", "account_type": "EXPENSE" }]));
    s.post("/accounts", json!({ "code": "7998", "name": "Meanwhile", "account_type": "EXPENSE" }));
    confirm(s, &stale, None);
    s.get("/customers");
    s.get("/suppliers");
    s.get("/accounts?updated_since=2026-03-10T12:00:00Z&account_type=EXPENSE");
    for query in ["", "?limit=1", "?limit=1&offset=2", "?limit=0", "?offset=x"] {
        s.get(&format!("/imports{query}"));
    }
    s.get("/changes?limit=200");
    s.get("/status");
}

fn posting_imports(s: &mut Session) {
    s.books();
    let (customer, supplier) = (s.customer("Brightwell School"), s.supplier("Timber Ltd"));
    let good = s.two_lines("2026-03-01", "7100", "1200", json!("10.10"));
    let mut unbalanced = good.clone();
    unbalanced["lines"][1]["credit"] = json!(2);
    let mut unknown = good.clone();
    unknown["lines"][0]["account_id"] = json!(888_888);
    let import = preview(s, "journals", json!([good, unbalanced, { "entry_date": "x" }, unknown, 7, good]));
    confirm(s, &import, None);
    let done = confirm(s, &import, Some(true));
    s.get(&format!("/journals/{}", done["data"]["results"][0]["id"]));
    let lines = json!([s.item("4000", "10", "ST")]);
    let sale = |contact: i64, number: Value| json!({ "customer_id": contact, "invoice_date": "2026-03-01", "invoice_number": number, "lines": lines });
    let import = preview(
        s,
        "sales_invoices",
        json!([
            sale(customer, Value::Null), sale(customer, json!("INV-9")), sale(customer, json!("INV-9")), sale(999, Value::Null), { "customer_id": customer },
        ]),
    );
    confirm(s, &import, Some(true));
    let lines = json!([s.item("5000", "10", "ST")]);
    let bill = |contact: i64, reference: &str| json!({ "supplier_id": contact, "invoice_date": "2026-03-01", "supplier_reference": reference, "lines": lines });
    let import = preview(
        s,
        "purchase_invoices",
        json!([bill(supplier, "A"), bill(supplier, "A"), bill(supplier, "B"), bill(customer, "C")]),
    );
    confirm(s, &import, Some(true));
    let row = |day: u32, amount: &str, text: &str| json!({ "bank_account_id": s.bank(), "date": format!("2026-03-0{day}"), "amount": amount, "description": text });
    let rows = json!([row(1, "-2.50", "PARKING"), row(1, "-2.50", "PARKING"), row(2, "9", "OTHER"), row(3, "0", "")]);
    let import = preview(s, "bank_transactions", rows.clone());
    confirm(s, &import, Some(true));
    let again = preview(s, "bank_transactions", rows.clone());
    confirm(s, &again, Some(true));
    s.post("/imports", json!({ "kind": "bank_transactions", "rows": rows, "options": { "on_duplicate": "reject" } }));
    let import = preview(s, "journals", json!([good]));
    s.put("/period-lock", json!({ "lock_date": "2026-03-05" }));
    confirm(s, &import, None);
    s.get("/bank-transactions");
    s.get("/journals?limit=3");
    s.get("/imports");
    s.see(&["1100", "1200", "2100", "2200"]);
}

fn imports_refused(s: &mut Session) {
    s.books();
    s.member("admin");
    for body in [
        json!({}),
        json!({ "kind": "ledgers", "rows": [], "x": 1 }),
        json!({ "kind": "customers", "rows": [{}], "options": { "on_duplicate": "skip" } }),
        json!({ "kind": "customers", "rows": {} }),
        json!({ "kind": 7, "rows": [1] }),
        json!({ "kind": "bank_transactions", "rows": [{}], "options": { "odd": 1 } }),
        json!({ "kind": "bank_transactions", "rows": [{}], "options": { "on_duplicate": "x" } }),
        json!({ "kind": "customers", "rows": null }),
    ] {
        s.post("/imports", body);
    }
    let import = s.post("/imports", json!({ "kind": "customers", "rows": [{ "name": "Ann" }] }))["data"].clone();
    let other = s.post("/imports", json!({ "kind": "customers", "rows": [{ "name": "Bob" }] }))["data"].clone();
    let path = format!("/imports/{}/confirm", import["id"]);
    for body in [
        json!({}),
        json!({ "token": 7 }),
        json!({ "token": "" }),
        json!({ "token": "imp_unknown" }),
        json!({ "token": other["token"] }),
        json!({ "token": import["token"], "skip_invalid": "yes" }),
        json!({ "token": import["token"], "odd": 1 }),
    ] {
        s.post(&path, body);
    }
    s.by("admin").post(&path, json!({ "token": import["token"] }));
    s.by("owner").header("Idempotency-Key", "c").post(&path, json!({ "token": import["token"] }));
    s.header("Idempotency-Key", "c").post(&path, json!({ "token": import["token"] }));
    s.header("Idempotency-Key", "c").post(&path, json!({ "token": other["token"] }));
    s.server().advance_s(30 * 60);
    s.post(&format!("/imports/{}/confirm", other["id"]), json!({ "token": other["token"] }));
    s.get(&format!("/imports/{}", other["id"]));
    s.get("/imports");
    s.get("/customers");
}
