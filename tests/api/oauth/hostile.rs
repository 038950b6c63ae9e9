//! What a reviewer found who wanted in: each is refused, and nothing behind it breaks.

use super::*;
use crate::support::database::on_both_databases;
use crate::support::server::Setup;

on_both_databases! {
    fn a_nul_character_reaches_no_database(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person();
        let registered = register(&server, &json!({
            "redirect_uris": ["https://app.example/cb"], "client_uri": "https://a.example/\0x"
        }));
        assert!(registered.expect(201).get("client_uri").is_none(), "{registered}");
        let client = client_at(&server, "https://app.example/cb");
        let challenge = challenge(&"v".repeat(43));
        let query = pairs(&request_of(&client, &challenge));
        for extra in ["state=%00", "x%00=1", "client_id=%00"] {
            assert_eq!(authorize(&server, &person, &format!("{query}&{extra}")).status, 400, "{extra}");
        }
        let body = [("grant_type", "refresh_token"), ("refresh_token", "a\0"), ("client_id", client.as_str())];
        refused(&form(&server, "/oauth/token", &body).send_plain(), 400, "invalid_request");
        let page = form(&server, "/app/sign-in", &[("email", "a\0@b.example"), ("password", "x")]).send_plain();
        assert_eq!(page.status, 400);
        // Everything still works.
        connect(&server, &person, &Ticks { scopes: &["books:read"], organisations: None });
    }
}

#[test]
fn a_request_has_so_many_parameters_and_no_more() {
    let server = TestServer::start();
    let client = client_at(&server, "https://app.example/cb");
    let many: String = (0..5_000).map(|at| format!("&a{at}=")).collect();
    let query = format!("{}{many}", pairs(&request_of(&client, &challenge(&"v".repeat(43)))));
    assert_eq!(authorize(&server, &server.person(), &query).status, 400);
    let names: Vec<String> = (0..1_000).map(|at| format!("a{at}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    refused(&form(&server, "/oauth/token", &many).send_plain(), 400, "invalid_request");
}

#[test]
fn a_connected_application_makes_no_declaration_for_its_person() {
    let server = TestServer::start();
    let person = server.person();
    let id = server.organisation(&person, "Larkspur Joinery Ltd");
    let connected = connect(&server, &person, &Ticks { scopes: &["books:read", "books:write"], organisations: None });
    let path = |rest: &str| format!("/api/v1/books/organisations/{id}{rest}");
    let send = |method: &str, rest: &str, body: &Value| {
        let request = server.client.request(method, &path(rest)).bearer(&connected.access);
        if method == "DELETE" { request.send() } else { request.json(body).send() }
    };
    for (method, rest, body) in [
        ("POST", "/financial-years/2026-03-31/close", json!({})),
        ("POST", "/financial-years/2026-03-31/reopen", json!({})),
        ("POST", "/vat-returns", json!({ "period_end": "2026-02-28" })),
        ("DELETE", "/vat-returns/1", json!({})),
    ] {
        let answer = send(method, rest, &body);
        answer.refused(403, "forbidden");
        assert!(answer.to_string().contains("a connected application cannot"), "{answer}");
    }
    // What is no declaration it may do.
    assert_eq!(send("POST", "/customers", &json!({ "name": "A" })).status, 201);
}

#[test]
fn a_host_says_nothing_to_the_policy_of_the_page() {
    let server = TestServer::start();
    for host in [
        "google.com,x.evil.example",
        "a.example;script-src *",
        "*.example",
        "a'b.example",
        "a!b.example",
        "a(b).example",
    ] {
        let registered = register(&server, &json!({ "redirect_uris": [format!("https://{host}/cb")] }));
        refused(&registered, 400, "invalid_redirect_uri");
    }
}

#[test]
fn the_sign_in_form_is_as_long_as_a_log_in() {
    let server = TestServer::start();
    let long = "a".repeat(10_000);
    for (email, password) in [(long.as_str(), "x"), ("a@b.example", long.as_str())] {
        let shown = server.client.get("/app/sign-in").send_plain();
        let (csrf, cookie) = (hidden(&shown, "csrf"), shown.header("set-cookie").expect("a cookie").to_owned());
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let body = [("email", email), ("password", password), ("csrf", csrf.as_str())];
        let answer = form(&server, "/app/sign-in", &body).header("Cookie", &cookie).send_plain();
        assert_eq!(answer.status, 400, "{answer}");
    }
}
