//! Every field of the bodies of jobs, keys and web sessions in every wrong way; what is accepted by accident is let end.

use serde_json::{Value, json};

use super::session::Session;

super::chapters!(product_fields);

fn product_fields(s: &mut Session) {
    s.person("owner");
    s.key("owner", "owner", &["reconcile:read", "reconcile:write", "coding:read", "coding:write"]);
    reconciliation_fields(s);
    coding_fields(s);
    key_fields(s);
}

/// The wrong bodies of a job; one that is no fault after all is a job like others.
fn job_fields(s: &mut Session, path: &str, body: &Value) {
    for wrong in super::fields::wrong_bodies(body) {
        let answer = s.post(path, wrong);
        if let Some(poll) = answer["poll_url"].as_str() {
            s.ended(poll);
        }
    }
}

fn reconciliation_fields(s: &mut Session) {
    let row = json!({ "date": "2026-01-05", "amount": 12.5, "description": "Rent" });
    let options = json!({ "allowedDateDifferenceInDays": 3, "includeMatched": true, "allowOverage": false });
    job_fields(s, "/api/v1/reconciliations", &json!({ "bank": [row], "book": [row], "options": options }));
}

fn coding_fields(s: &mut Session) {
    let body = json!({
        "transactions": [{ "date": "2026-01-05", "amount": -12.5, "description": "Rent", "merchant": "M", "reference": "R", "bank_account": "Current" }],
        "chart_of_accounts": [{ "code": "400", "name": "General expenses", "type": "EXPENSE" }],
        "vat_codes": [{ "code": "T1", "name": "Standard", "rate": 20 }],
        "invoices": [{ "number": "INV-1", "kind": "invoice", "contact": "Larkspur", "date": "2025-12-20", "amount_due": 12.5 }],
        "options": { "allowOverage": false, "businessContext": "studio" }
    });
    job_fields(s, "/api/v1/coding/coding-jobs", &body);
}

fn key_fields(s: &mut Session) {
    s.by("owner session").wrong_fields(
        "POST",
        "/api/v1/keys",
        &json!({
            "name": "n", "scopes": ["books:read"], "allow_overage": false, "organisation_ids": [7]
        }),
    );
}
