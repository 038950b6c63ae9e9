//! Organisations: made with every field, changed, their VAT scheme, their period lock, who may do that.

use serde_json::{Value, json};

use super::session::Session;
use super::trade::with;

const ORGANISATIONS: &str = "/api/v1/books/organisations";

super::chapters!(organisations_made, organisations_changed, vat_schemes, period_lock, roles);

/// An organisation with every field.
pub fn whole() -> Value {
    json!({
        "name": "Larkspur Joinery Ltd", "legal_name": "Larkspur Joinery Limited", "company_number": "01234567",
        "entity_type": "limited_company", "utr": "1234567890", "vat_registered": true, "vat_number": "GB123456789",
        "vat_scheme": "flat_rate", "vat_scheme_from": "2025-04-01", "flat_rate_percent": 9.5, "vat_period_months": 3,
        "vat_period_end_month": 3, "vat_control": true, "cis_contractor": true, "cis_subcontractor": true,
        "cis_suffered_rate": "20", "financial_year_end": "03-31", "books_start_date": "2025-04-01",
        "base_currency": "GBP", "timezone": "Europe/London", "default_payment_terms_days": 14,
        "sales_invoice_prefix": "LJ-", "sales_credit_note_prefix": "LC-",
        "address": {
            "line1": "1 Mill Yard", "line2": "Unit 4", "city": "York", "region": "North Yorkshire", "postcode": "YO1 7AB",
            "country": "GB"
        },
    })
}

fn organisations_made(s: &mut Session) {
    s.books_of(whole());
    for path in ["", "/tax-codes", "/period-lock", "/status", "/accounts?include_archived=true", "/bank-accounts"] {
        s.get(path);
    }
    s.get("/changes");
    s.get(ORGANISATIONS);
    s.post(&format!("{ORGANISATIONS}?dry_run=true"), json!({ "name": "Rehearsed Ltd" }));
    s.header("Idempotency-Key", "org").post(ORGANISATIONS, json!({ "name": "Second Ltd" }));
    s.header("Idempotency-Key", "org").post(ORGANISATIONS, json!({ "name": "Second Ltd" }));
    s.header("Idempotency-Key", "org").post(ORGANISATIONS, json!({ "name": "Third Ltd" }));
    s.get(ORGANISATIONS);
    for body in [
        json!({ "name": "x", "base_currency": "USD" }),
        json!({ "name": "x", "vat_scheme": "cash" }),
        json!({ "name": "x", "vat_registered": true, "vat_scheme": "flat_rate" }),
        json!({ "name": "x", "vat_registered": true, "vat_scheme": "flat_rate", "flat_rate_percent": 9.5 }),
        json!({ "name": "x", "vat_registered": false, "vat_scheme": "standard" }),
        json!({ "name": "x", "flat_rate_percent": "9.5" }),
        json!({ "name": "x", "vat_period_months": 2 }),
        json!({ "name": "x", "vat_period_end_month": 13 }),
        json!({ "name": "x", "financial_year_end": "02-30" }),
        json!({ "name": "x", "financial_year_end": "02-29" }),
        json!({ "name": "x", "timezone": "Mars/Base" }),
        json!({ "name": "x", "cis_suffered_rate": 100.01 }),
        json!({ "name": "x", "default_payment_terms_days": 366 }),
        json!({ "name": "x", "sales_invoice_prefix": "a prefix that is much too long for a number" }),
        json!({ "name": "x", "books_start_date": "1850-01-01" }),
        json!({ "name": "x", "entity_type": "plc" }),
        json!({ "name": "x", "utr": "123" }),
        json!({ "name": "  " }),
        json!({ "name": "n".repeat(256) }),
        json!({ "address": { "town": "York" }, "odd": 1 }),
    ] {
        s.post(&format!("{ORGANISATIONS}?dry_run=true"), body);
    }
    s.raw("POST", ORGANISATIONS, r#"{"name":"x","name":"y"}"#);
    s.raw("POST", ORGANISATIONS, r#"{"zeta":1,"name":7,"alpha":2,"address":{"b":1,"line1":3,"a":1}}"#);
    for id in ["0", "-1", "abc", "01", "999999", "9223372036854775808", "1.0", "%20"] {
        s.get(&format!("{ORGANISATIONS}/{id}"));
    }
}

fn organisations_changed(s: &mut Session) {
    s.books();
    s.both("PATCH", "", json!({ "name": "Larkspur Ltd" }));
    s.both("PATCH", "", json!({ "address": { "line1": "1 Mill Yard", "city": "York" } }));
    s.both("PATCH", "", json!({ "address": { "line1": null, "postcode": "YO1" } }));
    s.patch("", json!({ "address": null }));
    s.patch("", json!({
        "legal_name": "L", "company_number": "SC123456", "entity_type": "llp", "utr": "1234567890", "vat_number": "GB1",
        "timezone": "Asia/Tokyo", "financial_year_end": "02-29", "default_payment_terms_days": 0, "cis_contractor": true,
        "cis_subcontractor": true, "cis_suffered_rate": 20.5, "sales_invoice_prefix": "A/", "sales_credit_note_prefix": ""
    }));
    s.patch("", json!({ "legal_name": null, "company_number": null, "utr": null, "vat_number": null }));
    s.header("If-Match", "\"1\"").patch("", json!({ "name": "x" }));
    s.header("If-Match", "7").patch("", json!({ "name": "Seventh" }));
    s.header("If-Match", "x").patch("", json!({ "name": "x" }));
    s.header("If-Match", "\"99999999999999999999\"").patch("", json!({ "name": "x" }));
    s.header("If-Match", "W/\"1\"").patch("", json!({ "name": "x" }));
    s.header("Idempotency-Key", "p").patch("", json!({ "name": "Keyed" }));
    s.header("Idempotency-Key", "p").patch("", json!({ "name": "Keyed" }));
    s.header("Idempotency-Key", "p").patch("", json!({ "name": "Other" }));
    s.header("Idempotency-Key", "").patch("", json!({ "name": "x" }));
    s.header("Idempotency-Key", &"k".repeat(256)).patch("", json!({ "name": "x" }));
    s.patch("", json!({}));
    s.patch("", json!({ "name": "Keyed" }));
    s.patch("", json!({ "base_currency": "GBP" }));
    s.patch("", json!({ "vat_control": true }));
    s.patch("", json!({ "books_start_date": "2025-01-01" }));
    s.patch("?dry_run=1", json!({ "name": "x" }));
    s.patch("?dry_run=false", json!({ "name": "Not rehearsed" }));
    s.get("");
    s.get("/changes?limit=200");
    s.get("/changes?limit=1");
    s.get("/changes?limit=0");
    s.get("/changes?limit=201");
    s.get("/changes?since=3&limit=2");
    s.get("/changes?since=x");
    s.get("/changes?since=-1");
    s.get("/changes?since=999999");
    s.get("/status");
}

fn vat_schemes(s: &mut Session) {
    s.books_of(json!({ "name": "Schemes Ltd" }));
    s.get("/tax-codes");
    s.post(
        "/sales-invoices",
        json!({
            "customer_id": 1, "invoice_date": "2026-01-05", "lines": [s.item("4000", "10", "ST")]
        }),
    );
    let customer = s.customer("Brightwell School");
    let sale = json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": [s.item("4000", "10", "ST")] });
    s.post("/sales-invoices", sale.clone());
    s.both(
        "POST",
        "/accounts",
        json!({ "code": "2200", "name": "VAT Control", "account_type": "LIABILITY", "role": "vat_control" }),
    );
    s.learn_accounts();
    s.get("");
    s.post("/sales-invoices", sale);
    let registered = |more: Value| with(&json!({ "vat_registered": true }), more);
    for body in [
        registered(json!({ "vat_scheme": "flat_rate", "vat_scheme_from": "2025-01-01" })),
        registered(json!({ "vat_scheme": "standard", "flat_rate_percent": 9.5 })),
        registered(json!({ "vat_scheme": "cash", "vat_scheme_from": "2025-02-15" })),
        registered(json!({ "vat_scheme": "cash", "vat_scheme_from": "2026-01-06" })),
        json!({ "vat_scheme": "cash" }),
        registered(json!({ "vat_scheme": "standard", "vat_period_months": 3, "vat_period_end_month": 3 })),
    ] {
        s.both("PATCH", "", body);
    }
    s.get("/tax-codes");
    for body in [
        json!({ "vat_scheme": "cash", "vat_scheme_from": "2026-02-01" }),
        json!({ "vat_scheme": "cash", "vat_scheme_from": null }),
        json!({ "vat_scheme": "cash", "vat_scheme_from": "2026-04-01" }),
        json!({ "vat_scheme": "cash", "vat_scheme_from": "2026-04-01" }),
        json!({ "vat_scheme_from": "2019-01-01" }),
        json!({ "vat_scheme_from": null }),
        json!({ "vat_scheme": "standard", "vat_scheme_from": "2026-04-01" }),
        json!({ "vat_scheme": "flat_rate", "vat_scheme_from": "2026-07-01" }),
        json!({ "vat_scheme": "flat_rate", "vat_scheme_from": "2026-07-01", "flat_rate_percent": "12.5" }),
        json!({ "flat_rate_percent": 101 }),
        json!({ "flat_rate_percent": "7.25" }),
        json!({ "flat_rate_percent": "7.25", "vat_scheme_from": "2026-07-20" }),
        json!({ "vat_period_months": 1 }),
        json!({ "vat_period_end_month": 2 }),
        json!({ "vat_registered": false }),
        json!({ "vat_registered": false, "vat_scheme": null, "vat_scheme_from": null, "flat_rate_percent": null }),
        json!({ "vat_scheme": null }),
        json!({ "vat_scheme": "margin" }),
    ] {
        s.patch("", body);
    }
    s.get("");
    s.get("/tax-codes");
}

fn period_lock(s: &mut Session) {
    s.books();
    s.member("bookkeeper");
    s.member("admin");
    s.get("/period-lock");
    s.both("PUT", "/period-lock", json!({ "lock_date": "2025-03-31", "reason": "year end" }));
    s.get("/period-lock");
    let late = s.two_lines("2025-03-31", "7100", "1200", json!(1));
    s.post("/journals", late.clone());
    let body = s.two_lines("2025-04-01", "7100", "1200", json!(1));
    let journal = s.made("/journals", body);
    s.by("bookkeeper");
    for body in [
        json!({ "lock_date": "2025-02-28" }),
        json!({ "lock_date": null }),
        json!({ "lock_date": "2025-03-31" }),
        json!({ "lock_date": "2025-04-30", "reason": "month end" }),
        json!({ "lock_date": "2199-12-31" }),
        json!({ "lock_date": "2026-03-11" }),
        json!({ "lock_date": "2026-03-10" }),
        json!({ "reason": "x" }),
        json!({ "lock_date": "2026-03-10", "reason": "" }),
        json!({ "lock_date": "2026-03-10", "reason": "r".repeat(501) }),
    ] {
        s.put("/period-lock", body);
    }
    s.by("admin").both("PUT", "/period-lock", json!({ "lock_date": "2025-12-31", "reason": null }));
    s.by("owner").get("/period-lock");
    s.post(&format!("/journals/{journal}/void"), json!({}));
    s.post(&format!("/journals/{journal}/void"), json!({ "void_date": "2025-12-31" }));
    s.post(&format!("/journals/{journal}/void"), json!({ "void_date": "2026-01-01", "reason": "wrong year" }));
    s.header("If-Match", "\"1\"").put("/period-lock", json!({ "lock_date": "2025-12-31" }));
    s.header("Idempotency-Key", "l").put("/period-lock", json!({ "lock_date": null, "reason": "opened again" }));
    s.header("Idempotency-Key", "l").put("/period-lock", json!({ "lock_date": null, "reason": "opened again" }));
    s.post("/journals", late);
    s.get("/period-lock");
    s.get("");
    s.get("/changes?limit=200");
}

fn roles(s: &mut Session) {
    s.books();
    let customer = s.customer("Brightwell School");
    let account = s.account("7100");
    let line = s.entered("2026-03-01", "-12.00", "STAPLES");
    for role in ["viewer", "bookkeeper", "admin"] {
        s.member(role);
        s.by(role);
        s.get("");
        s.patch("", json!({ "default_payment_terms_days": 21 }));
        s.put("/period-lock", json!({ "lock_date": "2025-01-31" }));
        s.post("/accounts", json!({ "code": format!("77{}", role.len()), "name": role, "account_type": "EXPENSE" }));
        s.patch(&format!("/accounts/{account}"), json!({ "name": format!("Renamed by {role}") }));
        s.act(&format!("/accounts/{account}/archive"));
        s.act(&format!("/accounts/{account}/unarchive"));
        s.post("/customers", json!({ "name": role }));
        s.delete(&format!("/customers/{customer}?dry_run=true"));
        s.post(
            &format!("/bank-transactions/{line}/confirm?dry_run=true"),
            json!({ "account_id": account, "vat_code": "NV" }),
        );
        s.post("/imports", json!({ "kind": "customers", "rows": [{ "name": role }] }));
        s.post(
            "/opening-balances/preview",
            json!({ "as_of": "2025-12-31", "lines": [{ "account_code": "1200", "debit": 1 }] }),
        );
        s.get("/changes?limit=3");
        s.get("/customers?limit=2");
        s.post("/customers", json!({ "name": 7 }));
        s.raw("POST", "/customers", "{");
        s.act("/accounts/999999/archive");
        s.post(ORGANISATIONS, json!({ "name": format!("Made by {role}"), "vat_scheme": "x" }));
    }
}
