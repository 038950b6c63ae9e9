//! What is going to change on purpose, apart from everything else, so that it can be recorded again by itself: unknown
//! query parameters of the ledger, and who may register.

use serde_json::json;

use super::session::Session;

super::chapters!(changes_on_purpose);

fn changes_on_purpose(s: &mut Session) {
    s.setup(|setup| setup.settings(|settings| settings.open_registration = Some(true)));
    s.books();
    let customer = s.customer("Brightwell School");
    for path in [
        "/api/v1/books/organisations?odd=1",
        "?odd=1",
        "/accounts?odd=1",
        "/customers?odd=1&limit=1",
        "/customers?Limit=1",
        "/bank-accounts?limit=1",
        "/journals?limit=1&page=2",
        "/sales-invoices?sort=date",
        "/tax-codes?odd",
        "/period-lock?odd=1",
        "/status?odd=1",
        "/changes?offset=1",
        "/imports?kind=customers",
        "/cis/position?period_start=2026-01-06&period_end=2026-02-05&odd=1",
    ] {
        s.get(path);
    }
    s.get(&format!("/customers/{customer}?odd=1"));
    s.post("/customers?dry_run=true&odd=1", json!({ "name": "x" }));
    s.patch(&format!("/customers/{customer}?dryrun=true"), json!({ "name": "Changed, though meant as a dry run" }));
    s.delete(&format!("/customers/{customer}?dry_run=true&odd=1"));
    s.by("nobody");
    let person = json!({ "email": "Ada@Example.com", "password": "correct horse battery", "name": "Ada" });
    let login = |email: &str, password: &str| json!({ "email": email, "password": password });
    s.post("/app/v1/register", person.clone());
    s.post("/app/v1/register", person.clone());
    s.post("/app/v1/login", login("ada@example.com", "wrong horse battery"));
    let session = s.post("/app/v1/login", login("ada@example.com", "correct horse battery"));
    s.caller("ada session", &session["access_token"]);
    s.by("ada session").get("/api/v1/keys");
    let key = s.post("/api/v1/keys", json!({ "name": "n", "scopes": ["books:read"] }));
    s.caller("ada", &key["key"]);
    s.by("ada").get("/api/v1/me");
    s.get("/api/v1/books/organisations");
    s.by("nobody").server().advance_s(60);
    for wrong in [
        json!({}),
        json!({ "email": "nonsense", "password": "elevenchars", "name": "" }),
        json!({ "email": 7, "password": null, "name": [] }),
        json!({ "email": "a@b", "password": "p".repeat(129), "name": "a\u{0}", "admin": true }),
        json!([]),
    ] {
        s.post("/app/v1/register", wrong);
        s.server().advance_s(60);
    }
    s.raw("POST", "/app/v1/register", "{");
    s.post("/app/v1/register", json!({ "name": "n".repeat(17_000) }));
    s.header("Content-Type", "text/plain").raw("POST", "/app/v1/register", "{}");
}
