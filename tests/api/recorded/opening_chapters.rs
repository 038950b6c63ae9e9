//! Opening balances: previewed, set, replaced, taken back, refused.

use serde_json::{Value, json};

use super::session::Session;
use super::trade::with;

super::chapters!(opening_balances, opening_documents, opening_documents_with_vat, opening_refused);

const PREVIEW: &str = "/opening-balances/preview";
const SET: &str = "/opening-balances";

fn balances() -> Value {
    json!({
        "as_of": "2026-02-28",
        "lines": [
            { "account_code": "1200", "debit": "5000.50" }, { "account_code": "1310", "debit": 100 }, { "account_code": "3000", "credit": 5100.5 },
        ]
    })
}

fn opening_balances(s: &mut Session) {
    s.books();
    s.member("admin");
    s.post(&format!("{PREVIEW}?dry_run=true"), balances());
    let preview = s.post(PREVIEW, balances());
    let token = json!({ "token": preview["data"]["token"] });
    s.by("admin").post(SET, token.clone());
    s.by("owner").post(SET, json!({ "token": "opn_nobodys" }));
    s.post(SET, json!({ "token": preview["data"]["token"], "as_of": "2026-02-28" }));
    s.header("Idempotency-Key", "set").post(SET, token.clone());
    s.header("Idempotency-Key", "set").post(SET, token.clone());
    s.post(SET, token);
    s.post(SET, balances());
    s.post(PREVIEW, balances());
    for path in ["", "/period-lock", "/bank-accounts", "/journals", "/status"] {
        s.get(path);
    }
    let late = s.two_lines("2026-02-28", "7100", "1200", json!(1));
    s.post("/journals", late);
    let replacement = with(
        &balances(),
        json!({
            "replace": true, "lines": [{ "account_code": "1200", "debit": "6000" }, { "account_code": "3000", "credit": "6000" }]
        }),
    );
    s.post(SET, replacement.clone());
    s.put("/period-lock", json!({ "lock_date": null }));
    s.post(PREVIEW, replacement.clone());
    s.post(SET, replacement);
    s.get("/bank-accounts");
    s.get("/journals");
    s.put("/period-lock", json!({ "lock_date": null }));
    let standing = s.get("/journals?source_type=opening_balance&status=posted");
    let standing = standing["data"][0]["id"].clone();
    s.both("POST", &format!("/journals/{standing}/void"), json!({ "reason": "to begin again" }));
    s.get("");
    s.get("/bank-accounts");
    s.post(SET, with(&balances(), json!({ "lock_period": false })));
    s.get("/period-lock");
    s.get("/changes?limit=200");
}

fn opening_documents(s: &mut Session) {
    s.books();
    let (customer, supplier) = (s.customer("Brightwell School"), s.supplier("Timber Ltd"));
    let documents = json!([
        { "type": "sales_invoice", "customer_id": customer, "number": "OLD-1", "date": "2026-01-31", "due_date": "2026-03-02", "amount_due": "120.00" },
        { "type": "sales_credit_note", "customer_id": customer, "number": "OLD-C", "date": "2026-02-10", "amount_due": "20" },
        { "type": "purchase_invoice", "supplier_id": supplier, "number": "T-9", "date": "2026-02-01", "amount_due": "40.00" },
    ]);
    let body = json!({
        "as_of": "2026-02-28", "open_documents": documents,
        "lines": [
            { "account_code": "1100", "debit": "100" }, { "account_code": "2100", "credit": "40" }, { "account_code": "1200", "debit": 10 },
            { "account_id": s.account("3000"), "credit": "70" },
        ]
    });
    s.post(PREVIEW, body.clone());
    s.post(&format!("{SET}?dry_run=true"), body.clone());
    s.post(SET, body.clone());
    s.get("/sales-invoices");
    s.get("/purchase-invoices");
    s.get("/sales-credit-notes");
    s.get("/journals");
    s.get(&format!("/customers/{customer}"));
    s.get("/bank-accounts");
    let receipt = s.receipt(customer, "2026-03-02", "100", json!([{ "invoice_id": 1, "amount": 100 }]));
    s.post("/customer-receipts", receipt);
    s.act("/sales-invoices/1/void");
    s.both("POST", "/sales-credit-notes/2/allocate", json!({ "allocations": [{ "invoice_id": 1, "amount": 20 }] }));
    let standing = s.get("/journals?source_type=opening_balance")["data"][0]["id"].clone();
    s.act(&format!("/journals/{standing}/void"));
    s.post(SET, with(&body, json!({ "replace": true })));
    s.get("/sales-invoices/1/history");
    s.get(&format!("/suppliers/{supplier}"));
    s.see(&["1100", "2100"]);
}

fn opening_documents_with_vat(s: &mut Session) {
    s.books_of(json!({
        "name": "Cash Ltd", "vat_control": true, "vat_registered": true, "vat_scheme": "cash", "vat_scheme_from": "2025-04-01"
    }));
    let customer = s.customer("Brightwell School");
    let document = json!({
        "type": "sales_invoice", "customer_id": customer, "number": "OLD-1", "date": "2026-01-31", "amount_due": "180.00",
        "vat": [
            { "vat_code": "ST", "net_amount": "100.00", "vat_amount": "20.00" },
            { "vat_code": "ZR", "net_amount": 60, "vat_amount": 0 },
        ]
    });
    let body = json!({
        "as_of": "2026-02-28", "open_documents": [document], "balance_to_account_code": "3010",
        "lines": [{ "account_code": "1100", "debit": "180" }, { "account_code": "2200", "credit": "20" }]
    });
    s.post(PREVIEW, with(&body, json!({ "open_documents": [with(&document, json!({ "vat": null }))] })));
    s.post(PREVIEW, with(&body, json!({ "open_documents": [with(&document, json!({ "amount_due": "180.01" }))] })));
    s.fields("POST", SET, &body);
    s.post(PREVIEW, body.clone());
    let set = s.post(SET, body);
    let path = format!("/sales-invoices/{}", set["data"]["documents"][0]["id"]);
    s.get(&path);
    let receipt = s.receipt(
        customer,
        "2026-03-02",
        "90",
        json!([{ "invoice_id": set["data"]["documents"][0]["id"], "amount": 90 }]),
    );
    s.post("/customer-receipts", receipt);
    s.get(&path);
}

fn opening_refused(s: &mut Session) {
    s.books();
    let customer = s.customer("Brightwell School");
    let lines = |lines: Value| with(&balances(), json!({ "lines": lines }));
    let debtors = lines(json!([{ "account_code": "1100", "debit": 5 }, { "account_code": "3000", "credit": 5 }]));
    let open = |document: Value| with(&debtors, json!({ "open_documents": [document] }));
    let document = json!({ "type": "sales_invoice", "customer_id": customer, "number": "OLD-1", "date": "2026-01-31", "amount_due": 5 });
    for body in [
        lines(json!([{ "account_code": "1200", "debit": 5 }, { "account_code": "3000", "credit": 4 }])),
        lines(json!([{ "account_code": "1200", "debit": 5, "credit": 5 }])),
        lines(json!([{ "account_id": 987_654, "debit": 5 }])),
        lines(json!([{ "account_code": "nope", "debit": 5 }])),
        lines(json!([{ "debit": 5 }])),
        lines(json!([])),
        lines(json!([7])),
        lines(json!([{ "account_code": "1200", "account_id": 1, "debit": 5 }])),
        lines(json!([{ "account_code": "1200", "debit": -5 }])),
        lines(
            json!([{ "account_code": "1200", "debit": 5 }, { "account_code": "1200", "debit": 5 }, { "account_code": "3000", "credit": 10 }]),
        ),
        debtors.clone(),
        with(&debtors, json!({ "allow_unassigned": true })),
        with(&lines(json!([{ "account_code": "1200", "debit": 5 }])), json!({ "balance_to_account_code": "3010" })),
        with(
            &lines(json!([{ "account_code": "1200", "debit": 5 }])),
            json!({ "balance_to_account_id": s.account("3010") }),
        ),
        with(&lines(json!([{ "account_code": "1200", "debit": 5 }])), json!({ "balance_to_account_id": 999_999 })),
        with(
            &lines(json!([{ "account_code": "1200", "debit": 5 }])),
            json!({ "balance_to_account_code": "x", "balance_to_account_id": 1 }),
        ),
        with(&balances(), json!({ "as_of": "2199-01-01" })),
        with(&balances(), json!({ "as_of": "2026-03-11" })),
        with(&balances(), json!({ "odd": 1 })),
        open(document.clone()),
        open(with(&document, json!({ "amount_due": 6 }))),
        open(with(&document, json!({ "customer_id": 999_999 }))),
        open(with(&document, json!({ "type": "odd" }))),
        open(with(&document, json!({ "date": "2026-03-05" }))),
        open(with(&document, json!({ "amount_due": 0 }))),
        open(json!({})),
        json!({}),
        json!({ "token": 7 }),
    ] {
        s.post(PREVIEW, body.clone());
        s.post(&format!("{SET}?dry_run=true"), body);
    }
    let unbalanced = s
        .post(PREVIEW, lines(json!([{ "account_code": "1200", "debit": 5 }, { "account_code": "3000", "credit": 4 }])));
    s.post(SET, json!({ "token": unbalanced["data"]["token"] }));
    s.post(PREVIEW, balances());
    s.put("/period-lock", json!({ "lock_date": "2026-02-28" }));
    s.post(SET, balances());
    s.post(PREVIEW, balances());
}
