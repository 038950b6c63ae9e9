//! What callers may reach: other tenants, restricted keys, missing scopes, and the keys themselves.

use serde_json::{Value, json};

use super::session::Session;
use crate::support::server::ALL_SCOPES;

super::chapters!(strangers, restricted_keys, scopes, keys);

const ORGANISATIONS: &str = "/api/v1/books/organisations";

/// Requests of every kind inside an organisation, each with a body that would be accepted.
fn everything(s: &Session) -> Vec<(&'static str, String, Option<Value>)> {
    let (account, bank) = (s.account("7100"), s.bank());
    let mut all = Vec::new();
    for list in [
        "",
        "/accounts",
        "/tax-codes",
        "/customers",
        "/suppliers",
        "/bank-accounts",
        "/bank-transactions",
        "/journals",
        "/sales-invoices",
        "/purchase-invoices",
        "/sales-credit-notes",
        "/purchase-credit-notes",
        "/customer-receipts",
        "/supplier-payments",
        "/imports",
        "/changes",
        "/status",
        "/period-lock",
        "/cis/position?period_start=2026-01-06&period_end=2026-02-05",
        "/reports/profit-loss?period_start=2026-01-06&period_end=2026-02-05",
        "/reports/profit-loss-monthly?period_start=2026-01-06&period_end=2026-02-05",
        "/reports/cash-flow?period_start=2026-01-06&period_end=2026-02-05",
        "/reports/period-comparison?period_start=2026-01-06&period_end=2026-02-05",
        "/reports/balance-sheet",
        "/reports/trial-balance",
        "/reports/balance-comparison",
    ] {
        all.push(("GET", list.to_owned(), None));
    }
    for rest in ["/transactions", "/history"] {
        all.push(("GET", format!("/accounts/{account}{rest}"), None));
    }
    let lines = json!([{ "description": "x", "account_id": account, "unit_price": 1, "vat_code": "NV" }]);
    for (method, path, body) in [
        ("PATCH", "", json!({ "name": "Renamed" })),
        ("PUT", "/period-lock", json!({ "lock_date": "2025-01-31" })),
        ("POST", "/accounts", json!({ "code": "7777", "name": "New", "account_type": "EXPENSE" })),
        ("POST", "/customers", json!({ "name": "New" })),
        ("POST", "/suppliers", json!({ "name": "New" })),
        ("POST", "/bank-accounts", json!({ "name": "New", "code": "1299" })),
        (
            "POST",
            "/bank-transactions",
            json!({ "bank_account_id": bank, "date": "2026-03-01", "amount": -5, "description": "x" }),
        ),
        (
            "POST",
            "/bank-transactions/import",
            json!({ "bank_account_id": bank, "rows": [{ "date": "2026-03-02", "amount": 1, "description": "y" }] }),
        ),
        ("POST", "/journals", s.two_lines("2026-03-02", "7100", "1200", json!(1))),
        ("POST", "/sales-invoices", json!({ "customer_id": 1, "invoice_date": "2026-03-01", "lines": lines })),
        (
            "POST",
            "/customer-receipts",
            json!({ "customer_id": 1, "date": "2026-03-01", "amount": 1, "bank_account_id": bank }),
        ),
        (
            "POST",
            "/opening-balances/preview",
            json!({ "as_of": "2025-12-31", "lines": [{ "account_code": "1200", "debit": 1 }, { "account_code": "3000", "credit": 1 }] }),
        ),
        ("POST", "/imports", json!({ "kind": "customers", "rows": [{ "name": "New" }] })),
    ] {
        all.push((method, path.to_owned(), Some(body)));
    }
    all.push(("POST", format!("/accounts/{account}/archive"), None));
    all.push(("DELETE", "/customers/1".to_owned(), None));
    all
}

fn strangers(s: &mut Session) {
    s.books();
    s.customer("Brightwell School");
    s.person("stranger");
    s.key("stranger", "stranger", &["books:read", "books:write"]);
    for (method, path, body) in everything(s) {
        s.ask(method, &path, body.as_ref());
    }
    s.get(ORGANISATIONS);
    let foreign = s.post(ORGANISATIONS, json!({ "name": "Foreign Ltd" }))["data"]["id"].clone();
    s.get(ORGANISATIONS);
    // Records of one organisation under the path of the other.
    let (account, bank) = (s.account("7100"), s.bank());
    for path in [
        format!("accounts/{account}"),
        "customers/1".to_owned(),
        format!("bank-accounts/{bank}"),
        format!("accounts/{account}/history"),
        format!("accounts/{account}/transactions"),
    ] {
        s.get(&format!("{ORGANISATIONS}/{foreign}/{path}"));
    }
    let line = json!({ "bank_account_id": bank, "date": "2026-03-01", "amount": 1, "description": "x" });
    s.post(&format!("{ORGANISATIONS}/{foreign}/bank-transactions"), line);
    let journal = s.two_lines("2026-03-02", "7100", "1200", json!(1));
    s.post(&format!("{ORGANISATIONS}/{foreign}/journals"), journal);
    s.by("owner").get(&format!("{ORGANISATIONS}/{foreign}"));
    s.patch(&format!("{ORGANISATIONS}/{foreign}"), json!({ "name": 7 }));
    s.by("owner").get("/changes");
}

fn restricted_keys(s: &mut Session) {
    s.books();
    s.customer("Brightwell School");
    let other = s.post(ORGANISATIONS, json!({ "name": "Second Ltd" }))["data"]["id"].clone();
    s.key_with(
        "elsewhere",
        "owner",
        json!({ "name": "elsewhere", "scopes": ["books:read", "books:write"], "organisation_ids": [other] }),
    );
    for (method, path, body) in everything(s) {
        s.ask(method, &path, body.as_ref());
    }
    s.get(ORGANISATIONS);
    s.get(&format!("{ORGANISATIONS}/{other}"));
    s.get("/api/v1/me");
    s.post(ORGANISATIONS, json!({ "name": "Third Ltd" }));
    s.post(ORGANISATIONS, json!({ "name": 7 }));
    s.get(&format!("{ORGANISATIONS}/999999"));
    s.key_with(
        "here",
        "owner",
        json!({ "name": "here", "scopes": ["books:read"], "organisation_ids": [s.organisation()] }),
    );
    s.get("");
    s.get(ORGANISATIONS);
    s.post("/customers", json!({ "name": "New" }));
}

fn scopes(s: &mut Session) {
    s.books();
    s.customer("Brightwell School");
    s.key("reader", "owner", &["books:read"]);
    s.key("writer", "owner", &["books:write"]);
    s.key("sender", "owner", &["books:send", "reconcile:read", "coding:write"]);
    for (method, path, body) in everything(s) {
        // A key is accepted for one half of this; the other half is what is recorded here.
        let caller = if method == "GET" { "writer" } else { "reader" };
        s.by(caller).ask(method, &path, body.as_ref());
    }
    for caller in ["reader", "writer", "sender", "nobody", "owner session"] {
        s.by(caller).get("/api/v1/me");
        s.get(ORGANISATIONS);
        s.post("/customers", json!({ "name": 7 }));
        s.raw("POST", "/customers", "{");
        s.get("/nothing");
        s.get("/api/v1/keys");
        s.raw("POST", "/api/v1/reconciliations", "{}");
    }
}

fn keys(s: &mut Session) {
    const KEYS: &str = "/api/v1/keys";
    s.person("owner");
    s.person("stranger");
    s.by("owner session").get(KEYS);
    let made = s.post(KEYS, json!({ "name": "first", "scopes": ["books:read", "reconcile:write"] }));
    s.caller("first", &made["key"]);
    s.post(KEYS, json!({ "name": "second", "scopes": ALL_SCOPES, "allow_overage": true, "organisation_ids": null }));
    s.server().advance_s(90);
    s.by("first").get("/api/v1/me");
    s.by("owner session").get(KEYS);
    s.by("stranger session").get(KEYS);
    s.delete(&format!("{KEYS}/{}", made["id"]));
    s.by("owner session").delete(&format!("{KEYS}/{}", made["id"]));
    s.delete(&format!("{KEYS}/{}", made["id"]));
    s.by("first").get("/api/v1/me");
    s.get(KEYS);
    s.by("nobody").get(KEYS);
    s.post(KEYS, json!({ "name": "x", "scopes": ["books:read"] }));
    s.delete(&format!("{KEYS}/1"));
    s.header("Authorization", "Bearer nonsense").get(KEYS);
    s.header("Authorization", "Basic nonsense").get(KEYS);
    s.by("owner session");
    for id in ["0", "-1", "x", "999999", "01", "9223372036854775808"] {
        s.delete(&format!("{KEYS}/{id}"));
    }
    let long = "é".repeat(121);
    for body in [
        json!({}),
        json!([]),
        json!({ "name": "", "scopes": [] }),
        json!({ "name": long, "scopes": ["books:read", "books:read"] }),
        json!({ "name": 7, "scopes": "books:read" }),
        json!({ "name": "x", "scopes": ["books:admin"] }),
        json!({ "name": "x", "scopes": [7] }),
        json!({ "name": "x", "scopes": ["books:read"], "allow_overage": "yes" }),
        json!({ "name": "x", "scopes": ["books:read"], "organisation_ids": [] }),
        json!({ "name": "x", "scopes": ["books:read"], "organisation_ids": [1] }),
        json!({ "name": "x", "scopes": ["books:read"], "organisation_ids": ["1", 0] }),
        json!({ "name": "x", "scopes": ["books:read"], "organisation_ids": 7 }),
        json!({ "name": "x", "scopes": ["books:read"], "odd": 1 }),
    ] {
        s.post(KEYS, body);
    }
    s.raw("POST", KEYS, "{");
    s.header("Content-Type", "text/plain").raw("POST", KEYS, "{}");
    s.get(KEYS);
}
