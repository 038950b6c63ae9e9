//! Threats 14, 15, 20, 24 to 26 and 19: tokens at the door of the REST API and of the tool server.

use super::*;
use bookkeeping_suite::domain::oauth::token::{TokenKind, mint};

use crate::mcp;
use crate::support::database::Database;
use crate::support::server::Setup;
use crate::support::until;

const READ: Ticks<'static> = Ticks { scopes: &["books:read"], organisations: None };

/// The header that tells a refused program what to do.
#[track_caller]
fn challenge_of(answer: &Answer) -> String {
    answer.header("www-authenticate").unwrap_or_else(|| panic!("{answer}: no challenge")).to_owned()
}

#[test]
fn every_401_names_the_metadata_and_the_scopes() {
    let server = TestServer::start();
    let url = server.url();
    let scope = "scope=\"coding:read coding:write books:read books:write\"";
    let api = format!("resource_metadata=\"{url}/.well-known/oauth-protected-resource/api/v1\", {scope}");
    let tools = format!("resource_metadata=\"{url}/.well-known/oauth-protected-resource/mcp\", {scope}");
    let made_up = format!("oat_{}", "0".repeat(43));
    for path in ["/api/v1/me", "/api/v1/books/organisations", "/api/v1/reconciliations/x"] {
        assert_eq!(challenge_of(&server.client.get(path).send()), format!("Bearer {api}"), "{path}");
        for credential in [&*made_up, "key_x", "x", ""] {
            let answer = server.client.get(path).bearer(credential).send();
            assert_eq!(challenge_of(&answer), format!("Bearer error=\"invalid_token\", {api}"), "{path} {credential}");
        }
    }
    let message = || server.client.post("/mcp").json(&json!({}));
    assert_eq!(challenge_of(&message().send()), format!("Bearer {tools}"));
    let answer = message().bearer(&made_up).send();
    assert_eq!(challenge_of(&answer), format!("Bearer error=\"invalid_token\", {tools}"));
    // The key endpoints take a web session, and say no to a token.
    let connected = connect(&server, &server.person(), &READ);
    for answer in [
        server.client.get("/api/v1/keys").bearer(&connected.access).send(),
        server
            .client
            .post("/api/v1/keys")
            .bearer(&connected.access)
            .json(&json!({ "name": "n", "scopes": ["books:read"] }))
            .send(),
        server.client.delete("/api/v1/keys/1").bearer(&connected.access).send(),
    ] {
        answer.refused(401, "invalid_token");
        assert!(challenge_of(&answer).starts_with("Bearer error=\"invalid_token\", "), "{answer}");
    }
    // Elsewhere no more than the scheme is said.
    let login = server.client.post("/app/v1/login").json(&json!({ "email": "a@b.example", "password": "x" })).send();
    assert_eq!((login.status, login.header("www-authenticate")), (401, Some("Bearer")));
}

#[test]
fn threat_14_a_token_counts_in_the_authorization_header_alone() {
    let server = TestServer::start();
    let connected = connect(&server, &server.person(), &READ);
    let token = &connected.access;
    assert_eq!(me(&server, token), 200);
    let get = |path: &str| server.client.get(path);
    let answers = [
        get(&format!("/api/v1/me?access_token={token}")).send(),
        get(&format!("/api/v1/me?token={token}")).send(),
        get("/api/v1/me").header("X-API-Key", token).send(),
        get("/api/v1/me").header("X-API-Key", token).bearer(token).send(),
        get("/api/v1/me").header("Cookie", &format!("access_token={token}")).send(),
        get("/api/v1/me").header("Authorization", token).send(),
        get("/api/v1/me").header("Authorization", &format!("Basic {token}")).send(),
        get("/api/v1/me").bearer(&connected.refresh).send(),
        get("/api/v1/me").bearer(&token.to_uppercase()).send(),
        get("/api/v1/me").bearer(&token[..token.len() - 1]).send(),
        get("/api/v1/me").bearer(&format!("{token}0")).send(),
        form(&server, "/mcp", &[("access_token", token)]).send(),
    ];
    attacks::tried("threat_14_a_token", answers.len());
    for answer in answers {
        assert_eq!(answer.status, if answer.to_string().starts_with("POST /mcp") { 400 } else { 401 }, "{answer}");
    }
    assert_eq!(get("/api/v1/me").header("Authorization", &format!("bearer {token}")).send().status, 200);
}

#[test]
fn threat_15_a_connection_that_is_ended_is_refused_on_the_next_request() {
    let server = TestServer::start();
    let person = server.person();
    let organisation = server.organisation(&person, "Larkspur Ltd");
    let connected = connect(&server, &person, &Ticks { scopes: &["books:read"], organisations: Some(&[organisation]) });
    let key = connected.key();
    let page = as_person(server.client.get("/app/connections"), &person).send_plain();
    assert!(page.text().contains("Larkspur Ltd") && page.text().contains("Test agent"), "{page}");
    let csrf = hidden(&page, "csrf");
    let revoke = |csrf: &str, id: &str, cookie: &Person| {
        as_person(form(&server, "/app/connections", &[("csrf", csrf), ("revoke", id)]), cookie).send_plain()
    };
    // A form of another site, another person's, or none at all ends nothing.
    let other = server.person();
    for answer in
        [revoke("", "1", &person), revoke("x", "1", &person), revoke(&csrf, "x", &person), revoke(&csrf, "1", &other)]
    {
        assert_eq!(answer.status, 400, "{answer}");
    }
    assert_eq!(me(&server, &connected.access), 200);
    let answer = revoke(&csrf, "1", &person);
    assert_eq!((answer.status, answer.header("location")), (303, Some("/app/connections")), "{answer}");
    for path in ["/api/v1/me", "/api/v1/books/organisations", "/api/v1/nowhere"] {
        let expected = if path.ends_with("nowhere") { 404 } else { 401 };
        let answer = server.client.get(path).key(&key).send();
        assert_eq!((answer.status, answer.header("ratelimit-limit")), (expected, None), "{answer}");
    }
    mcp::message(&server, &key, &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }))
        .send()
        .refused(401, "unauthorized");
    refused(&refresh(&server, &connected.client_id, &connected.refresh), 400, "invalid_grant");
    // A new consent is a new connection; the old tokens stay what they are.
    connect_client(&server, &person, &connected.client_id, &READ);
    assert_eq!(me(&server, &connected.access), 401);
    // Four forms that end nothing, three paths, the tools, the refresh token, and the old token of a connection made anew.
    attacks::tried("threat_15_a_connection", 4 + 3 + 3);
}

#[test]
fn threat_15_every_process_refuses_within_a_moment() {
    let Some(database) = Database::postgresql() else { return };
    let (here, there) = (Setup::new().on(&database).start(), Setup::new().on(&database).start());
    let person = here.person();
    let organisation = here.organisation(&person, "Larkspur Ltd");
    for round in 0..10 {
        let connected =
            connect(&here, &person, &Ticks { scopes: &["books:read"], organisations: Some(&[organisation]) });
        // A token that the other process issued is read once.
        assert_eq!((me(&here, &connected.access), me(&there, &connected.access)), (200, 200));
        assert_eq!(me(&there, &connected.access[1..]), 401);
        let (revoking, other) = if round % 2 == 0 { (&here, &there) } else { (&there, &here) };
        let revoke = [("client_id", &*connected.client_id), ("token", &*connected.refresh)];
        if round % 4 < 2 {
            assert_eq!(form(revoking, "/oauth/revoke", &revoke).send_plain().status, 200);
        } else {
            // One access token alone.
            let revoke = [("client_id", &*connected.client_id), ("token", &*connected.access)];
            assert_eq!(form(revoking, "/oauth/revoke", &revoke).send_plain().status, 200);
        }
        assert_eq!(me(revoking, &connected.access), 401, "at once where it was revoked");
        until("it is refused in the other process", || (me(other, &connected.access) == 401).then_some(()));
    }
    attacks::tried("threat_15_every_process", 2);
}

#[test]
fn a_missing_scope_is_asked_for_with_what_is_held() {
    let server = TestServer::start();
    let person = server.person();
    let organisation = server.organisation(&person, "Larkspur Ltd");
    let url = server.url();
    let connected = connect(&server, &person, &Ticks { scopes: &["coding:read", "coding:write"], organisations: None });
    let key = connected.key();
    let answer = server.client.get("/api/v1/books/organisations").key(&key).send();
    assert_eq!(answer.details(403, "forbidden")["required_scope"], "books:read");
    let metadata = |path: &str| format!("resource_metadata=\"{url}/.well-known/oauth-protected-resource{path}\"");
    let asked =
        |path: &str, scope: &str| format!("Bearer error=\"insufficient_scope\", {}, scope=\"{scope}\"", metadata(path));
    assert_eq!(challenge_of(&answer), asked("/api/v1", "coding:read coding:write books:read"));
    let answer = server.client.get("/api/v1/reconciliations/rec_x").key(&key).send();
    answer.refused(403, "forbidden");
    assert_eq!(challenge_of(&answer), asked("/api/v1", "reconcile:read coding:read coding:write"));
    // The tool server says so before it looks at the arguments; the request counts all the same.
    for arguments in
        [json!({ "organisation_id": organisation }), json!({ "organisation_id": 999_999 }), json!({ "nonsense": 1 })]
    {
        for send in [mcp::legacy, mcp::modern] {
            let answer = send(&server, &key, "tools/call", &json!({ "name": "books_status", "arguments": arguments }));
            answer.refused(403, "forbidden");
            assert_eq!(challenge_of(&answer), asked("/mcp", "coding:read coding:write books:read"));
        }
    }
    // What needs no scope works, and what is no tool is told as to a key.
    assert_eq!(mcp::given(&server, &key, "whoami", &json!({}))["scopes"], json!(["coding:read", "coding:write"]));
    let answer = mcp::legacy(&server, &key, "tools/call", &json!({ "name": "nonsense", "arguments": {} }));
    assert_eq!(answer.status, 200, "{answer}");
    // A key cannot ask: it is told in words.
    let key = server.key(&person, &["coding:read"]);
    let words = mcp::failure(&server, &key, "books_status", &json!({ "organisation_id": organisation }));
    assert!(words.starts_with("forbidden: the key lacks the scope books:read"), "{words}");
    let answer = server.client.get("/api/v1/books/organisations").key(&key).send();
    assert_eq!((answer.status, answer.header("www-authenticate")), (403, None));
}

#[test]
fn a_step_up_after_a_narrowed_refresh_asks_for_all_that_was_allowed() {
    let server = TestServer::start();
    let person = server.person();
    let organisation = server.organisation(&person, "Larkspur Ltd");
    let ticks = Ticks { scopes: &["books:read", "books:write", "coding:read"], organisations: Some(&[organisation]) };
    let narrow = connect(&server, &person, &ticks).narrowed(&server, "coding:read");
    let key = narrow.key();
    let scope_of = |answer: &Answer| {
        let challenge = challenge_of(answer);
        challenge.split("scope=\"").nth(1).expect("scopes").trim_end_matches('"').to_owned()
    };
    // The token may do little, and that alone counts.
    let me = server.client.get("/api/v1/me").key(&key).send().expect(200);
    assert_eq!(me["scopes"], json!(["coding:read"]));
    let path = format!("/api/v1/books/organisations/{organisation}/accounts");
    let answer = server.client.get(&path).key(&key).send();
    answer.refused(403, "forbidden");
    assert_eq!(scope_of(&answer), "coding:read books:read books:write");
    // What it never had is asked for beside all of that, at the tools too.
    let answer = server.client.get("/api/v1/reconciliations/rec_x").key(&key).send();
    assert_eq!(scope_of(&answer), "reconcile:read coding:read books:read books:write");
    let arguments = json!({ "name": "run_coding", "arguments": { "session_id": "x" } });
    let answer = mcp::legacy(&server, &key, "tools/call", &arguments);
    let scopes = scope_of(&answer);
    assert_eq!(scopes, "coding:read coding:write books:read books:write");
    // A person who allows what is asked keeps every tick.
    let challenge = challenge(VERIFIER);
    let page =
        authorize(&server, &person, &pairs(&with(&request_of(&narrow.client_id, &challenge), &[("scope", &scopes)])));
    for id in ["scope-coding-read", "scope-coding-write", "scope-books-read", "scope-books-write"] {
        assert!(page.text().contains(&format!("id=\"{id}\" checked")), "{id}: {page}");
    }
    assert!(!page.text().contains("will lose"), "{page}");
}

#[test]
fn threat_20_what_the_dispatcher_refuses_is_not_cached_either() {
    let server = TestServer::start();
    let person = server.person();
    let large = "x".repeat(20_000);
    for path in
        ["/oauth/token", "/oauth/revoke", "/oauth/register", "/oauth/authorize", "/app/sign-in", "/app/connections"]
    {
        for answer in [
            server.client.request("DELETE", path).send_plain(),
            server.client.request("PUT", path).header("Content-Type", "application/json").body("{}").send_plain(),
            server.client.post(path).header("Content-Type", "application/json").body(large.clone()).send_plain(),
            server.client.get(&format!("{path}/nowhere")).send_plain(),
        ] {
            assert!((400..500).contains(&answer.status), "{answer}");
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{answer}");
        }
    }
    for answer in [
        server.client.get("/oauth/token").send(),
        server.client.get("/.well-known/oauth-protected-resource/other").send(),
        server.client.get("/app/v1/connections").send(),
        server.client.get("/app/v1/connections").session(&person).send(),
        server.client.delete("/app/v1/connections/1").session(&person).send(),
    ] {
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{answer}");
    }
    // What everybody may keep for an hour stays so.
    let metadata = server.client.get("/.well-known/oauth-authorization-server").send_plain();
    assert!(metadata.header("cache-control").is_some_and(|value| value.contains("max-age=3600")), "{metadata}");
    let off = Setup::new().settings(|settings| settings.base_url = Some("http://books.example".to_owned())).start();
    let answer = form(&off, "/oauth/token", &[]).send_plain();
    assert_eq!((answer.status, answer.header("cache-control")), (404, Some("no-store")), "{answer}");
    attacks::tried("threat_20_what_the_dispatcher", 6 * 4 + 5 + 1);
}

#[test]
fn who_makes_tokens_up_keeps_nobody_else_out() {
    let Some(database) = Database::postgresql() else { return };
    let proxies = || Some("127.0.0.1".to_owned());
    let setup = || Setup::new().on(&database).settings(move |settings| settings.trusted_proxies = proxies());
    let (here, there) = (setup().start(), setup().start());
    let person = here.person();
    let connected = connect(&here, &person, &READ);
    // Once the other process has read what there is, it learns of a further token by looking for it alone.
    until("the connection is known there", || {
        let metrics = there.operators().get("/metrics").send_plain().text();
        metrics.lines().any(|line| line == "oauth_connections 1").then_some(())
    });
    let ask = |token: &str, address: &str| {
        there.client.get("/api/v1/me").bearer(token).header("X-Forwarded-For", address).send()
    };
    // Well-formed but for the checksum: nothing is looked for.
    let before = super::exchanging::messages(&there);
    for number in 0..2_000 {
        assert_eq!(ask(&format!("oat_{number:043}"), "2001:db8:1:2::1").status, 401);
    }
    let asked = super::exchanging::messages(&there) - before;
    assert!(asked < 100, "{asked} messages for 2,000 tokens with a wrong checksum");
    // Right checksums: an address, of IPv6 a network, has so many a minute.
    let made_up = |number: u32| {
        let digits = [number % 60, number / 60 % 60].map(|digit| u8::try_from(digit).expect("a digit"));
        mint(TokenKind::Access, |bytes| {
            bytes.iter_mut().zip(digits.iter().cycle()).for_each(|(byte, digit)| *byte = *digit)
        })
        .text
    };
    let mut looked_for = 0;
    for number in 0..3_600 {
        match ask(&made_up(number), &format!("2001:db8:1:2::{number:x}")) {
            answer if answer.status == 401 => looked_for += 1,
            answer => {
                answer.refused(503, "busy");
            }
        }
        if looked_for == 600 {
            break;
        }
    }
    assert_eq!(looked_for, 600);
    let connected = connected.narrowed(&here, "books:read");
    let slowed = ask(&connected.access, "2001:db8:1:2::ffff");
    slowed.refused(503, "busy");
    assert!(slowed.number("retry-after") >= 1, "{slowed}");
    // Somebody else's token of another process is found at once, and then by everybody.
    assert_eq!(ask(&connected.access, "2001:db8:1:3::1").status, 200);
    assert_eq!(ask(&connected.access, "2001:db8:1:2::ffff").status, 200);
}

#[test]
fn threat_20_nothing_of_the_authorization_server_is_cached() {
    let server = TestServer::start();
    let person = server.person();
    let client_id = client_at(&server, REDIRECT_URI);
    let challenge = challenge(VERIFIER);
    let query = pairs(&request_of(&client_id, &challenge));
    let answers = [
        register(&server, &json!({ "redirect_uris": [REDIRECT_URI] })),
        register(&server, &json!({})),
        authorize(&server, &person, &query),
        server.client.get(&format!("/oauth/authorize?{query}")).send_plain(),
        form(&server, "/oauth/token", &[]).send_plain(),
        form(&server, "/oauth/revoke", &[]).send_plain(),
        server.client.get("/app/sign-in").send_plain(),
        as_person(server.client.get("/app/connections"), &person).send_plain(),
    ];
    attacks::tried("threat_20_nothing", answers.len());
    for answer in answers {
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{answer}");
    }
}

#[test]
fn threat_24_and_26_no_header_of_a_request_changes_an_address() {
    let server = TestServer::start();
    let url = server.url();
    let forged = |path: &str| {
        let request = server.client.get(path).header("Host", "evil.example").header("X-Forwarded-Host", "evil.example");
        request.header("Forwarded", "host=evil.example;proto=https").header("X-Forwarded-Proto", "https").send_plain()
    };
    for path in ["", "/mcp", "/api/v1"] {
        let answer = forged(&format!("/.well-known/oauth-protected-resource{path}"));
        assert_eq!(answer.expect(200)["resource"], format!("{url}{path}"));
    }
    assert_eq!(forged("/.well-known/oauth-authorization-server").expect(200)["issuer"], url);
    for answer in [forged("/api/v1/me"), forged("/oauth/authorize"), forged("/app/connections"), forged("/app/sign-in")]
    {
        let shown = format!("{:?} {}", answer.headers, answer.text());
        assert!(!shown.contains("evil.example"), "{shown}");
    }
    // The tool server takes requests for its own host and from pages of its own origin alone.
    let connected = connect(&server, &server.person(), &READ);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
    let message = || mcp::message(&server, &connected.key(), &list).header("MCP-Protocol-Version", mcp::LEGACY);
    assert_eq!(message().send().status, 200);
    assert_eq!(message().header("Origin", "https://evil.example").send().status, 403);
    assert_eq!(message().header("Host", "evil.example").send().status, 403);
    attacks::tried("threat_24_and_26", 3 + 1 + 4 + 2);
}

#[test]
fn a_connection_has_a_window_of_its_own_over_rest_and_tools() {
    let server = Setup::new().rate_limited().start();
    let person = server.person();
    let connected = connect(&server, &person, &READ);
    let other = connect(&server, &person, &READ);
    let first = server.client.get("/api/v1/me").bearer(&connected.access).send();
    assert_eq!((first.number("ratelimit-limit"), first.number("ratelimit-remaining")), (120, 119));
    mcp::given(&server, &connected.key(), "whoami", &json!({}));
    // Another token of the same connection counts in the same window.
    let next =
        Connected::of(&connected.client_id, &refresh(&server, &connected.client_id, &connected.refresh).expect(200));
    let third = server.client.get("/api/v1/me").bearer(&next.access).send();
    assert_eq!(third.number("ratelimit-remaining"), 117);
    for _ in 0..117 {
        assert_eq!(me(&server, &next.access), 200);
    }
    server.client.get("/api/v1/me").bearer(&next.access).send().refused(429, "rate_limited");
    mcp::message(&server, &connected.key(), &json!({})).send().refused(429, "rate_limited");
    assert_eq!(me(&server, &other.access), 200);
}

#[test]
fn where_tokens_would_cross_a_network_in_plain_text_there_is_no_oauth() {
    let server = Setup::new().settings(|settings| settings.base_url = Some("http://books.example".to_owned())).start();
    let person = server.person();
    for path in [
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-protected-resource/mcp",
        "/oauth/authorize",
        "/app/sign-in",
        "/app/connections",
        "/app/style.css",
    ] {
        assert_eq!(server.client.get(path).send_plain().status, 404, "{path}");
    }
    for path in ["/oauth/register", "/oauth/token", "/oauth/revoke", "/app/sign-in"] {
        assert_eq!(form(&server, path, &[]).send_plain().status, 404, "{path}");
    }
    let key = server.key(&person, &["books:read"]);
    assert_eq!(server.client.get("/api/v1/me").key(&key).send().status, 200);
    assert_eq!(server.client.get("/api/v1/me").send().header("www-authenticate"), Some("Bearer"));
}

#[test]
fn what_happens_is_counted() {
    let server = TestServer::start();
    let person = server.person();
    let connected = connect(&server, &person, &READ);
    refresh(&server, &connected.client_id, &connected.refresh).expect(200);
    refresh(&server, &connected.client_id, &connected.refresh).expect(200);
    refresh(&server, &connected.client_id, "wrong").expect(400);
    let metrics = server.operators().get("/metrics").send_plain().text();
    for line in [
        "oauth_tokens_issued_total{grant_type=\"authorization_code\"} 1",
        "oauth_tokens_issued_total{grant_type=\"refresh_token\"} 2",
        "oauth_refusals_total{error=\"invalid_grant\"} 1",
        "oauth_reuse_detected_total{kind=\"within_grace\"} 1",
        "oauth_connections 1",
    ] {
        assert!(metrics.lines().any(|shown| shown == line), "{line}: {metrics}");
    }
}
