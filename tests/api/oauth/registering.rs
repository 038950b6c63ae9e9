//! Threats 21 and 22: who may become a client, and what it may call itself.

use super::*;
use crate::support::server::Setup;

#[test]
fn threat_21_an_address_registers_so_many_clients_an_hour() {
    let server = Setup::new().settings(|settings| settings.oauth_registrations_per_hour = Some(3)).start();
    let request = json!({ "redirect_uris": [REDIRECT_URI] });
    for _ in 0..3 {
        register(&server, &request).expect(201);
    }
    let slowed = register(&server, &request);
    refused(&slowed, 429, "slow_down");
    assert_eq!(slowed.number("retry-after"), 3_600);
    server.advance_s(3_600);
    register(&server, &request).expect(201);
    attacks::tried("threat_21_an_address", 1);
}

#[test]
fn threat_21_what_a_client_says_of_itself_is_small_and_of_the_right_form() {
    let server = Setup::new().settings(|settings| settings.oauth_registrations_per_hour = Some(1_000)).start();
    let huge = json!({ "redirect_uris": [REDIRECT_URI], "client_name": "x".repeat(20_000) });
    refused(&register(&server, &huge), 413, "invalid_request");
    let uri = json!([REDIRECT_URI]);
    let many: Vec<String> = (0..11).map(|number| format!("https://agent.example/{number}")).collect();
    let cases = [
        (json!([]), "invalid_client_metadata"),
        (json!(null), "invalid_client_metadata"),
        (json!({}), "invalid_redirect_uri"),
        (json!({ "redirect_uris": [] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": REDIRECT_URI }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": [1] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": many }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": uri, "client_name": 7 }), "invalid_client_metadata"),
        (json!({ "redirect_uris": uri, "token_endpoint_auth_method": "private_key_jwt" }), "invalid_client_metadata"),
        (json!({ "redirect_uris": uri, "token_endpoint_auth_method": 1 }), "invalid_client_metadata"),
        (json!({ "redirect_uris": uri, "grant_types": ["client_credentials"] }), "invalid_client_metadata"),
        (json!({ "redirect_uris": uri, "grant_types": "authorization_code" }), "invalid_client_metadata"),
        (json!({ "redirect_uris": uri, "response_types": ["token"] }), "invalid_client_metadata"),
        (json!({ "redirect_uris": uri, "scope": ["books:read"] }), "invalid_client_metadata"),
    ];
    attacks::tried("threat_21_what_a_client", cases.len() + 1);
    for (request, error) in cases {
        refused(&register(&server, &request), 400, error);
    }
    for text in ["", "{", "redirect_uris=x", "\u{0}"] {
        let answer = server.client.post("/oauth/register").body(text).send_plain();
        refused(&answer, 400, "invalid_client_metadata");
    }
    assert_eq!(server.rows_of("oauth_client"), 0);
}

#[test]
fn a_registration_is_answered_with_what_is_kept() {
    let server = TestServer::start();
    let made = register(&server, &json!({
        "redirect_uris": [REDIRECT_URI], "client_name": "Agent", "client_uri": "https://agent.example", "logo_uri": "https://agent.example/l",
        "scope": "books:read books:send openid", "grant_types": ["authorization_code", "refresh_token", "other"],
        "response_types": ["code"], "application_type": "native", "software_id": "x", "contacts": ["a@b.example"],
    })).expect(201);
    let issued_at = made["client_id_issued_at"].as_i64().unwrap();
    assert_eq!(
        made,
        json!({
            "client_id": made["client_id"], "client_id_issued_at": issued_at, "redirect_uris": [REDIRECT_URI], "client_name": "Agent",
            "client_uri": "https://agent.example", "scope": "books:read books:send",
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"], "token_endpoint_auth_method": "none",
        })
    );
}

#[test]
fn threat_22_a_name_is_text_whatever_it_holds() {
    let server = Setup::new().settings(|settings| settings.oauth_registrations_per_hour = Some(1_000)).start();
    let person = server.person();
    let challenge = challenge(VERIFIER);
    let long = "é".repeat(300);
    let names = [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("\"><img src=x onerror=alert(1)>", "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;"),
        ("' onmouseover='alert(1)", "&#39; onmouseover=&#39;alert(1)"),
        ("A &amp; B", "A &amp;amp; B"),
        ("</q></h1><form action=//evil.example>", "&lt;/q&gt;&lt;/h1&gt;&lt;form action=//evil.example&gt;"),
        ("Bank\u{0}\r\n\u{1b}[31m of \u{202e}tset", "Bank[31m of tset"),
        ("\u{200b}\u{feff}Hidden\u{2066}", "Hidden"),
        (&long, &"é".repeat(100)),
    ];
    // On the page that asks, and on that of the connections.
    attacks::tried("threat_22_a_name", 2 * names.len());
    for (name, shown) in names {
        let made = register(&server, &json!({ "redirect_uris": [REDIRECT_URI], "client_name": name })).expect(201);
        let client_id = made["client_id"].as_str().unwrap();
        let page = authorize(&server, &person, &pairs(&request_of(client_id, &challenge)));
        assert!(page.text().contains(&format!("<q>{shown}</q>")), "{name:?}: {page}");
        let dangerous = ["<script", "<img", "onmouseover='", "<form action=", "\u{202e}", "\u{0}"];
        assert!(!dangerous.iter().any(|part| page.text().contains(part)), "{name:?}: {page}");
        // On the page of connections too.
        decide(&server, &person, &page, "allow", &Ticks { scopes: &["books:read"], organisations: None });
        let connections = as_person(server.client.get("/app/connections"), &person).send_plain();
        assert!(connections.text().contains(&format!("<h2>{shown}</h2>")), "{name:?}: {connections}");
        assert!(!dangerous.iter().any(|part| connections.text().contains(part)), "{name:?}: {connections}");
    }
    // A state and an organisation with markup stay what they are as well.
    let organisation = server.organisation(&person, "<b>Larkspur</b> & Sons");
    let client_id = client_at(&server, REDIRECT_URI);
    let request = with(&request_of(&client_id, &challenge), &[("state", "\"><script>alert(1)</script>")]);
    let page = authorize(&server, &person, &pairs(&request));
    assert!(
        page.text().contains("&lt;b&gt;Larkspur&lt;/b&gt; &amp; Sons") && !page.text().contains("<script"),
        "{page}"
    );
    let answer = decide(
        &server,
        &person,
        &page,
        "allow",
        &Ticks { scopes: &["books:read"], organisations: Some(&[organisation]) },
    );
    let parameters = led_to(&answer, REDIRECT_URI);
    assert_eq!(parameters.get("state").map(String::as_str), Some("\"><script>alert(1)</script>"));
}
