//! Every field of the bodies of organisations, accounts, contacts, banks and journals in every wrong way.

use serde_json::{Value, json};

use super::contact_chapters::contact;
use super::organisation_chapters::whole;
use super::session::Session;

super::chapters!(master_data_fields, contact_fields, bank_fields, confirmation_fields, posting_fields);

const ORGANISATIONS: &str = "/api/v1/books/organisations";

fn master_data_fields(s: &mut Session) {
    s.books();
    organisation_fields(s);
    organisation_patch_fields(s);
    account_fields(s);
}

fn contact_fields(s: &mut Session) {
    s.books();
    customer_fields(s);
    supplier_fields(s);
}

fn bank_fields(s: &mut Session) {
    s.books();
    bank_account_fields(s);
    statement_line_fields(s);
}

fn confirmation_fields(s: &mut Session) {
    s.books();
    coding_confirmation_fields(s);
    settling_confirmation_fields(s);
}

fn posting_fields(s: &mut Session) {
    s.books();
    journal_fields(s);
    opening_fields(s);
    import_fields(s);
}

fn organisation_fields(s: &mut Session) {
    s.fields("POST", ORGANISATIONS, &whole());
}

fn organisation_patch_fields(s: &mut Session) {
    s.fields("PATCH", "", &json!({ "name": "Renamed", "vat_number": "GB1", "default_payment_terms_days": 7, "cis_contractor": true, "address": { "city": "York" } }));
    s.fields("PUT", "/period-lock", &json!({ "lock_date": "2025-03-31", "reason": "year end" }));
}

fn account_fields(s: &mut Session) {
    s.fields(
        "POST",
        "/accounts",
        &json!({ "code": "2201", "name": "Control", "account_type": "ASSET", "role": "bank" }),
    );
    let account = s.account("7100");
    s.fields("PATCH", &format!("/accounts/{account}"), &json!({ "code": "7101", "name": "Rent" }));
}

fn customer_fields(s: &mut Session) {
    let mut body = contact(s, "4000");
    body["cis_deducts"] = json!(true);
    s.fields("POST", "/customers", &body);
}

fn supplier_fields(s: &mut Session) {
    let cis = json!({ "is_subcontractor": true, "deduction_rate": 20, "utr": "1234567890", "verification_number": "V1", "verified_on": "2026-01-05" });
    s.fields("POST", "/suppliers", &json!({ "name": "Reed Carpentry", "cis": cis }));
    let supplier = s.supplier("Timber Ltd");
    let mut body = contact(s, "5000");
    body.as_object_mut().unwrap().remove("address");
    s.fields("PATCH", &format!("/suppliers/{supplier}"), &body);
}

fn bank_account_fields(s: &mut Session) {
    let body = json!({
        "name": "Savings", "type": "savings", "code": "1210", "bank_name": "Bank of Ouse", "sort_code": "12-34-56", "account_number": "12345678",
        "iban": "GB33BUKB20201555555555", "currency": "GBP"
    });
    s.fields("POST", "/bank-accounts", &body);
    s.fields("POST", "/bank-accounts", &json!({ "name": "Till", "account_id": s.account("1310") }));
    s.fields(
        "PATCH",
        &format!("/bank-accounts/{}", s.bank()),
        &json!({ "name": "Current", "bank_name": "Bank of Ouse" }),
    );
}

fn statement_line_fields(s: &mut Session) {
    let line = json!({ "date": "2026-03-01", "amount": "-12.00", "description": "STAPLES", "merchant": "Staples", "reference": "R", "external_id": "b1" });
    let mut single = line.clone();
    single["bank_account_id"] = json!(s.bank());
    s.fields("POST", "/bank-transactions", &single);
    s.fields(
        "POST",
        "/bank-transactions/import",
        &json!({ "bank_account_id": s.bank(), "on_duplicate": "reject", "rows": [line] }),
    );
}

fn coding_confirmation_fields(s: &mut Session) {
    let (rent, bank) = (s.account("7100"), s.bank());
    let savings = s.made("/bank-accounts", json!({ "name": "Savings", "type": "savings", "code": "1210" }));
    let line = s.entered("2026-03-01", "-12.00", "STAPLES");
    let other = s.entered_in(savings, "2026-03-01", "12.00", "FROM CURRENT");
    let path = format!("/bank-transactions/{line}");
    let parts =
        json!([{ "account_id": rent, "gross_amount": "-12.00", "vat_code": "ST", "vat_amount": "-2.00", "memo": "m" }]);
    s.fields("PATCH", &path, &json!({ "lines": parts, "memo": "m" }));
    s.fields("PATCH", &path, &json!({ "account_id": rent, "vat_code": "ST" }));
    let confirm = format!("{path}/confirm");
    s.fields("POST", &confirm, &json!({ "type": "coded", "lines": parts }));
    s.fields("POST", &confirm, &json!({ "account_id": rent, "vat_code": "ST", "vat_amount": "-2.00" }));
    s.fields("POST", &confirm, &json!({ "type": "transfer", "bank_transaction_id": other }));
    s.fields("POST", &confirm, &json!({ "type": "transfer", "bank_account_id": savings }));
    s.fields(
        "POST",
        "/bank-transactions/confirm-batch",
        &json!({ "items": [{ "id": line, "account_id": rent, "vat_code": "NV" }] }),
    );
    assert_ne!(bank, savings);
}

fn settling_confirmation_fields(s: &mut Session) {
    let (customer, supplier) = (s.customer("Brightwell School"), s.supplier("Timber Ltd"));
    let invoice = s.sale(customer, "2026-01-05", "100", "NV");
    let body = s.two_lines("2026-03-01", "1200", "7100", json!("12.00"));
    let journal = s.made("/journals", body);
    let body = s.receipt(customer, "2026-03-01", "12.00", json!([]));
    let receipt = s.made("/customer-receipts", body);
    let (into, out) = (s.entered("2026-03-01", "12.00", "FPI"), s.entered("2026-03-01", "-12.00", "FPO"));
    let confirm = |line: i64| format!("/bank-transactions/{line}/confirm");
    let allocations = json!([{ "invoice_id": invoice, "amount": "10.00", "cis_suffered": "1.00" }]);
    s.fields(
        "POST",
        &confirm(into),
        &json!({ "type": "customer_receipt", "customer_id": customer, "allocations": allocations }),
    );
    s.fields("POST", &confirm(into), &json!({ "type": "match", "journal_id": journal }));
    s.fields("POST", &confirm(into), &json!({ "type": "match", "customer_receipt_id": receipt }));
    s.fields("POST", &confirm(out), &json!({ "type": "supplier_payment", "supplier_id": supplier }));
}

fn journal_fields(s: &mut Session) {
    let supplier = s.supplier("Timber Ltd");
    let body = json!({
        "entry_date": "2026-03-01", "description": "Correction", "reference": "R",
        "lines": [
            { "account_id": s.account("7100"), "debit": "12.00", "memo": "m", "vat_code": "ST", "vat_amount": "2.00" },
            { "account_id": s.account("1200"), "credit": "12.00" },
        ]
    });
    s.fields("POST", "/journals", &body);
    let mut owed = body.clone();
    owed["lines"] = json!([{ "account_id": s.account("2100"), "credit": 12, "contact_id": supplier }, { "account_id": s.account("7100"), "debit": 12 }]);
    s.fields("POST", "/journals", &owed);
    let journal = s.made("/journals", body);
    s.fields("POST", &format!("/journals/{journal}/void"), &json!({ "void_date": "2026-03-02", "reason": "twice" }));
}

fn opening_fields(s: &mut Session) {
    let customer = s.customer("Brightwell School");
    let document = json!({ "type": "sales_invoice", "customer_id": customer, "number": "OLD-1", "date": "2026-01-31", "due_date": "2026-03-02", "amount_due": "5.00" });
    let body: Value = json!({
        "as_of": "2026-02-28", "lock_period": true, "replace": false, "allow_unassigned": false, "balance_to_account_code": "3010", "open_documents": [document],
        "lines": [{ "account_code": "1100", "debit": "5.00" }, { "account_id": s.account("1310"), "debit": 1 }]
    });
    s.fields("POST", "/opening-balances", &body);
    s.fields("POST", "/opening-balances/preview", &json!({ "as_of": "2026-02-28", "lines": [{ "account_id": s.account("1310"), "debit": 1 }], "balance_to_account_id": s.account("3010") }));
}

fn import_fields(s: &mut Session) {
    let row = json!({ "bank_account_id": s.bank(), "date": "2026-03-01", "amount": "1.00", "description": "x" });
    s.fields(
        "POST",
        "/imports",
        &json!({ "kind": "bank_transactions", "rows": [row], "options": { "on_duplicate": "skip" } }),
    );
    let import = s.record("/imports", json!({ "kind": "customers", "rows": [{ "name": "Ann" }] }));
    s.fields(
        "POST",
        &format!("/imports/{}/confirm", import["id"]),
        &json!({ "token": import["token"], "skip_invalid": true }),
    );
}
