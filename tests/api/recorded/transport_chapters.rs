//! What is decided before any product: methods, media types, malformed JSON, sizes, credentials, the rate limit, health,
//! the documentation.

use serde_json::json;

use super::session::Session;

super::chapters!(methods_and_media, large_bodies, rate_limit, open_doors);

fn methods_and_media(s: &mut Session) {
    s.books();
    let customer = s.customer("Brightwell School");
    for (method, path) in [
        ("POST", "/api/v1/me"),
        ("DELETE", "/api/v1/reconciliations"),
        ("GET", "/api/v1/reconciliations"),
        ("GET", "/api/v1/coding/coding-jobs"),
        ("PUT", "/api/v1/keys"),
        ("GET", "/api/v1/keys/1"),
        ("PATCH", "/api/v1/books/organisations"),
        ("DELETE", ""),
        ("PUT", ""),
        ("POST", ""),
        ("POST", "/period-lock"),
        ("DELETE", "/period-lock"),
        ("POST", "/tax-codes"),
        ("DELETE", "/accounts"),
        ("PUT", "/accounts/1"),
        ("DELETE", "/accounts/1"),
        ("GET", "/accounts/1/archive"),
        ("POST", "/accounts/1/history"),
        ("PUT", "/customers/1"),
        ("GET", "/customers/1/archive"),
        ("GET", "/bank-transactions/import"),
        ("PUT", "/bank-transactions/1"),
        ("GET", "/bank-transactions/1/confirm"),
        ("PATCH", "/journals/1"),
        ("DELETE", "/journals/1"),
        ("GET", "/journals/1/void"),
        ("PUT", "/sales-invoices/1"),
        ("DELETE", "/customer-receipts/1"),
        ("GET", "/customer-receipts/1/allocate"),
        ("PATCH", "/imports/1"),
        ("GET", "/imports/1/confirm"),
        ("GET", "/opening-balances"),
        ("POST", "/cis/position"),
        ("POST", "/status"),
        ("DELETE", "/changes"),
        ("OPTIONS", "/customers"),
        ("TRACE", "/customers"),
    ] {
        s.ask(method, path, None);
    }
    for path in [
        "/nothing",
        "/accounts/",
        "//accounts",
        "/accounts/1/nothing",
        "/api/v1/me/",
        "/sales-invoices/1/allocate",
        "/Accounts",
    ] {
        s.get(path);
    }
    for media in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "json",
        "application/jsonp",
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "application/vnd.example+json",
    ] {
        s.header("Content-Type", media).raw("POST", "/customers?dry_run=true", r#"{"name":"x"}"#);
    }
    s.header("Content-Encoding", "gzip").raw("POST", "/customers?dry_run=true", r#"{"name":"x"}"#);
    s.header("Content-Type", "text/plain").raw("PATCH", &format!("/customers/{customer}"), r#"{"name":"x"}"#);
    s.header("Content-Type", "text/plain").act(&format!("/customers/{customer}/archive?dry_run=true"));
    for body in [
        "",
        "{",
        "{\"a\":}",
        "[1,]",
        "nul",
        "{\"a\":1}x",
        "\u{feff}{}",
        "\"\\ud800\"",
        "{\"name\":\"x\",}",
        "{'name':'x'}",
        "{\"name\":\"\t\"}",
        "01",
        "[",
        "{\"a\":1,\"a\":2}",
        " {\"name\" : \"x\"} ",
        "7",
        "null",
        "\"x\"",
    ] {
        s.raw("POST", "/customers?dry_run=true", body);
    }
    for body in ["{", "[]", "7", "null", "{}", ""] {
        s.raw("POST", &format!("/customers/{customer}/archive?dry_run=true"), body);
        s.raw("POST", "/journals/999999/void", body);
    }
    for path in [
        "/customers?dry_run=x",
        "/customers?dry_run=",
        "/customers?dry_run=true&dry_run=true",
        "/customers?dry_run=TRUE",
    ] {
        s.post(path, json!({ "name": "Not made" }));
    }
    for key in ["", " ", "\u{e9}", "k k"] {
        if key.is_ascii() {
            s.header("Idempotency-Key", key).post("/customers", json!({ "name": "Keyed" }));
        }
    }
    s.header("Idempotency-Key", &"k".repeat(255)).post("/customers", json!({ "name": "Keyed" }));
    s.header("Idempotency-Key", &"k".repeat(255)).post("/suppliers", json!({ "name": "Keyed" }));
    s.header("Idempotency-Key", "n").post("/customers", json!({ "name": 7 }));
    s.header("Idempotency-Key", "n").post("/customers", json!({ "name": "After the refusal" }));
    s.get("/customers");
}

fn large_bodies(s: &mut Session) {
    s.setup(|setup| setup.settings(|settings| settings.max_body_bytes = Some(1_024)));
    s.books();
    let large = json!({ "name": "x", "notes": "n".repeat(1_100) });
    let fits = json!({ "name": "x", "notes": "n".repeat(900) });
    for path in [
        "/customers",
        "/suppliers",
        "/journals",
        "/nothing",
        "/api/v1/keys",
        "/api/v1/reconciliations",
        "/api/v1/coding/coding-jobs",
        "/api/v1/me",
    ] {
        s.post(path, large.clone());
    }
    s.post("/customers", fits);
    s.patch("/customers/1", large.clone());
    s.put("/period-lock", large.clone());
    s.by("nobody").post("/customers", large.clone());
    s.header("Content-Type", "text/plain").raw("POST", "/customers", &"{".repeat(1_100));
    s.get("/api/v1/me");
}

fn rate_limit(s: &mut Session) {
    s.setup(|setup| setup.settings(|settings| settings.rate_limit_requests = Some(8)));
    s.count_requests();
    s.person("owner");
    s.key("owner", "owner", &["books:read", "books:write"]);
    s.get("/api/v1/me");
    s.server().advance_ms(17_250);
    s.get("/api/v1/me");
    s.post("/api/v1/books/organisations", json!({ "name": "Larkspur Joinery Ltd" }));
    s.post("/api/v1/books/organisations", json!({ "name": 7 }));
    s.raw("POST", "/api/v1/books/organisations", "{");
    s.get("/api/v1/nothing");
    s.get("/api/v1/books/organisations/999999");
    for _ in 0..4 {
        s.get("/api/v1/books/organisations");
    }
    s.raw("POST", "/api/v1/books/organisations", "{");
    s.get("/api/v1/health");
    s.raw("POST", "/api/v1/reconciliations", "{}");
    s.by("owner session").get("/api/v1/keys");
    s.by("owner").server().advance_ms(42_749);
    s.get("/api/v1/me");
    s.server().advance_ms(1);
    s.get("/api/v1/me");
    s.by("nobody").get("/api/v1/me");
    s.by("owner session");
    for _ in 0..9 {
        s.get("/api/v1/keys");
    }
}

fn open_doors(s: &mut Session) {
    s.person("owner");
    s.key("owner", "owner", &["books:read"]);
    s.get("/api/v1/health");
    s.get("/api/v1/me");
    s.by("nobody");
    s.get("/api/v1/health");
    s.get("/api/v1/me");
    s.get("/docs");
    s.head_of("/docs/");
    s.head_of("/docs/index.html");
    s.head_of("/docs/swagger-ui.css");
    s.get("/docs/nothing.js");
    s.get("/docs/../openapi.json");
    s.head_of("/openapi.json");
    for (method, path) in [
        ("GET", "/app/v1/login"),
        ("DELETE", "/app/v1/register"),
        ("POST", "/openapi.json"),
        ("PUT", "/docs"),
        ("POST", "/api/v1/health"),
    ] {
        s.ask(method, path, None);
    }
    for path in [
        "/api/v1/nothing",
        "/app/v1/nothing",
        "/api/v1",
        "/api/v2/me",
        "/api/",
        "/docs-of-another",
        "/",
        "/api/v1/books",
        "/app/v1/progress",
    ] {
        s.get(path);
    }
    for body in [
        json!({}),
        json!({ "email": "nobody@example.com", "password": "wrong horse battery" }),
        json!({ "email": 7, "password": null }),
        json!({ "email": "", "password": "" }),
        json!({ "email": "a@b", "password": "correct horse battery", "odd": 1 }),
        json!([]),
    ] {
        s.post("/app/v1/login", body);
    }
    s.raw("POST", "/app/v1/login", "{");
    s.raw("POST", "/app/v1/login", "");
    s.header("Content-Type", "text/plain").raw("POST", "/app/v1/login", "{}");
    s.post("/app/v1/login", json!({ "email": "x".repeat(17_000), "password": "p" }));
    s.server().advance_s(60);
    for (name, value) in [
        ("Authorization", "Bearer "),
        ("Authorization", "Basic x"),
        ("X-API-Key", ""),
        ("X-API-Key", "nonsense"),
        ("Authorization", "key_0123456789ab_x"),
    ] {
        s.header(name, value).get("/api/v1/me");
    }
    s.by("owner").header("X-API-Key", "nonsense").get("/api/v1/me");
    s.header("Origin", "https://example.com").get("/api/v1/me");
    s.header("X-Request-Id", "mine").get("/api/v1/me");
    s.header("Accept", "text/html").get("/api/v1/me");
}
