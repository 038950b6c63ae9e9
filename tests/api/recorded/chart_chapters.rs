//! Accounts and tax codes, and the ledger of an account.

use serde_json::{Value, json};

use super::session::Session;

super::chapters!(accounts, account_ledger, account_identifiers);

fn accounts(s: &mut Session) {
    s.books();
    for query in [
        "?account_type=EQUITY",
        "?account_type=equity",
        "?account_type=x",
        "?role=vat_control",
        "?role=bank",
        "?role=",
        "?role=nothing",
        "?include_archived=1",
        "?updated_since=2026-03-10T12:00:00Z&account_type=SUSPENSE",
        "?updated_since=2026-03-10T12:00:00.001Z",
        "?updated_since=2026-03-10",
        "?updated_since=zzz",
        "?account_type=EQUITY&account_type=ASSET",
    ] {
        s.get(&format!("/accounts{query}"));
    }
    let made = s.both("POST", "/accounts", json!({ "code": "7505", "name": "Broadband", "account_type": "EXPENSE" }));
    let path = format!("/accounts/{}", made["data"]["id"]);
    s.get(&path);
    s.both("PATCH", &path, json!({ "code": "7506", "name": "Broadband and telephone" }));
    s.header("If-Match", "\"1\"").patch(&path, json!({ "name": "stale" }));
    s.header("If-Match", "\"2\"").patch(&path, json!({ "name": "Telephone" }));
    s.patch(&path, json!({}));
    s.patch(&path, json!({ "account_type": "ASSET" }));
    s.patch(&path, json!({ "code": "4000" }));
    s.patch(&path, json!({ "code": "7506" }));
    s.learn_accounts();
    let journal = s.two_lines("2026-03-01", "7506", "1200", json!("12.30"));
    s.made("/journals", journal.clone());
    s.both_bare("POST", &format!("{path}/archive"));
    s.act(&format!("{path}/archive"));
    s.header("If-Match", "1").act(&format!("{path}/archive"));
    s.post("/journals", journal.clone());
    s.get("/accounts?account_type=EXPENSE&include_archived=true&updated_since=2026-03-10T12:00:00Z");
    s.both_bare("POST", &format!("{path}/unarchive"));
    s.act(&format!("{path}/unarchive"));
    s.post(&format!("{path}/unarchive"), json!({}));
    s.post(&format!("{path}/unarchive"), json!({ "now": true }));
    s.raw("POST", &format!("{path}/unarchive"), "[]");
    s.made("/journals", journal);
    for body in [
        json!({ "code": "4000", "name": "Twice", "account_type": "EXPENSE" }),
        json!({ "code": "1101", "name": "x", "account_type": "ASSET", "role": "accounts_receivable" }),
        json!({ "code": "2201", "name": "x", "account_type": "ASSET", "role": "vat_control" }),
        json!({ "code": "2201", "name": "x", "account_type": "LIABILITY", "role": "vat_control" }),
        json!({ "code": "9", "name": "x", "account_type": "ASSET", "role": "no role at all" }),
        json!({ "code": "1210", "name": "Till", "account_type": "ASSET", "role": "bank" }),
        json!({ "code": "c".repeat(21), "name": "x", "account_type": "ASSET" }),
        json!({ "code": "", "name": "", "account_type": "", "role": "" }),
        json!({}),
    ] {
        s.post("/accounts", body);
    }
    for code in ["1100", "1200", "2100", "2200", "3200"] {
        let id = s.account(code);
        s.act(&format!("/accounts/{id}/archive"));
    }
    s.get(&format!("{path}/history"));
    s.get(&format!("{path}/history?limit=2"));
    s.get(&format!("{path}/history?since=2"));
    s.get(&format!("{path}/history?limit=x"));
}

fn account_ledger(s: &mut Session) {
    s.books();
    for (date, amount) in [
        ("2026-01-31", json!("10.00")),
        ("2026-02-01", json!("20.05")),
        ("2026-02-28", json!("0.05")),
        ("2026-03-01", json!(7)),
        ("2025-12-31", json!("0.01")),
        ("2026-03-10", json!("1000000.00")),
    ] {
        let body = s.two_lines(date, "7100", "1200", amount);
        s.made("/journals", body);
    }
    let path = format!("/accounts/{}/transactions", s.account("1200"));
    for query in [
        "",
        "?date_from=2026-02-01&date_to=2026-02-28",
        "?limit=1&offset=2",
        "?limit=2",
        "?offset=99",
        "?date_to=2026-01-31",
        "?date_from=2026-03-02&date_to=2026-03-01",
        "?date_from=x",
        "?limit=0",
        "?limit=201",
        "?offset=-1",
        "?limit=1.5",
        "?limit=200&offset=0",
        "?limit=",
        "?date_from=2026-03-01&date_from=2026-03-02",
        "?offset=99999999999999999999",
    ] {
        s.get(&format!("{path}{query}"));
    }
    s.get(&format!("/accounts/{}/transactions?limit=3", s.account("7100")));
    s.get(&format!("/accounts/{}/transactions", s.account("4000")));
    s.see(&["1200", "7100"]);
}

/// Identifiers in paths that name nothing, on every resource that has them.
fn account_identifiers(s: &mut Session) {
    s.books();
    for list in [
        "accounts",
        "customers",
        "suppliers",
        "bank-accounts",
        "bank-transactions",
        "journals",
        "sales-invoices",
        "purchase-invoices",
        "sales-credit-notes",
        "purchase-credit-notes",
        "customer-receipts",
        "supplier-payments",
        "imports",
    ] {
        for id in ["0", "-1", "abc", "01", "999999", "9223372036854775808"] {
            s.get(&format!("/{list}/{id}"));
        }
        s.get(&format!("/{list}/999999/history"));
    }
    for path in [
        "accounts/999999/transactions",
        "customers/0/history",
        "journals/01/history",
        "bank-transactions/999999/candidates",
        "sales-invoices/abc/history",
        "supplier-payments/-1/history",
    ] {
        s.get(&format!("/{path}"));
    }
    // The path comes before the body, and the body before nothing at all.
    let bodies: [(&str, &str, Value); 8] = [
        ("PATCH", "/accounts/999999", json!({})),
        ("PATCH", "/customers/999999", json!({ "name": 7 })),
        ("PATCH", "/sales-invoices/999999", json!({ "odd": 1 })),
        ("POST", "/bank-transactions/999999/confirm", json!({ "odd": 1 })),
        ("POST", "/journals/999999/void", json!({ "odd": 1 })),
        ("POST", "/customer-receipts/999999/allocate", json!({})),
        ("POST", "/sales-credit-notes/999999/unallocate", json!({})),
        ("POST", "/imports/999999/confirm", json!({})),
    ];
    for (method, path, body) in bodies {
        s.ask(method, path, Some(&body));
    }
    for path in [
        "/accounts/999999/archive",
        "/customers/0/archive",
        "/customers/999999/unarchive",
        "/suppliers/999999/unarchive",
        "/purchase-invoices/999999/issue",
        "/bank-transactions/999999/exclude",
        "/sales-invoices/999999/issue",
    ] {
        s.act(path);
        s.post(path, json!({ "odd": 1 }));
    }
    for path in ["/customers/999999", "/suppliers/x", "/bank-transactions/01", "/purchase-invoices/0"] {
        s.delete(path);
    }
}
