//! Threats 9, 10, 18, 32, 34 and 35: the page that asks, and what its form may do.

use sea_orm::{ConnectionTrait as _, TransactionTrait as _};

use super::*;
use crate::support::database::{Database, on_both_databases};
use crate::support::server::Setup;
use crate::support::until;

const READ: Ticks<'static> = Ticks { scopes: &["books:read"], organisations: None };

/// A server, somebody who is asked by a client, and the page.
fn asked() -> (TestServer, Person, String, Answer) {
    let server = Setup::new().settings(|settings| settings.oauth_registrations_per_hour = Some(1_000)).start();
    let person = server.person();
    server.organisation(&person, "Larkspur Ltd");
    let client_id = client_at(&server, REDIRECT_URI);
    let page = ask(&server, &person, &client_id, FIRST_SCOPES);
    (server, person, client_id, page)
}

fn ask(server: &TestServer, person: &Person, client_id: &str, scope: &str) -> Answer {
    let challenge = challenge(VERIFIER);
    let page = authorize(server, person, &pairs(&with(&request_of(client_id, &challenge), &[("scope", scope)])));
    assert_eq!(page.status, 200, "{page}");
    page
}

/// The form of a page with these fields changed or, when empty, left out.
fn sent(server: &TestServer, cookie: &Person, page: &Answer, changes: &[(&str, &str)]) -> Answer {
    let (request, csrf) = (hidden(page, "request"), hidden(page, "csrf"));
    let fields =
        [("request", &*request), ("csrf", &*csrf), ("decision", "allow"), ("reach", "all"), ("scope", "books:read")];
    as_person(form(server, "/oauth/authorize", &with(&fields, changes)), cookie).send_plain()
}

#[track_caller]
fn nothing_granted(server: &TestServer, answer: &Answer) {
    assert_eq!(answer.status, 400, "{answer}");
    assert!(answer.header("location").is_none(), "{answer}");
    assert_eq!((server.rows_of("oauth_grant"), server.rows_of("oauth_code")), (0, 0), "{answer}");
}

#[test]
fn threat_9_a_form_counts_once_in_the_session_that_was_shown_it() {
    let (server, person, client_id, page) = asked();
    let other = server.person();
    let again = Person { session: server.session_of(&person), ..person.clone() };
    let of_other = ask(&server, &other, &client_id, FIRST_SCOPES);
    let second = ask(&server, &person, &client_id, FIRST_SCOPES);
    let (of_other_request, of_other_csrf) = (hidden(&of_other, "request"), hidden(&of_other, "csrf"));
    let (second_csrf, zeros) = (hidden(&second, "csrf"), "0".repeat(64));
    let cases = [
        vec![("csrf", "")],
        vec![("csrf", "x")],
        vec![("csrf", &*zeros)],
        vec![("csrf", &*of_other_csrf)],
        vec![("csrf", &*second_csrf)],
        vec![("request", "")],
        vec![("request", "x")],
        vec![("request", &*of_other_request)],
        vec![("request", &*of_other_request), ("csrf", &*of_other_csrf)],
        vec![("decision", "")],
        vec![("decision", "yes")],
        vec![("reach", "")],
        vec![("reach", "some")],
    ];
    for changes in &cases {
        nothing_granted(&server, &sent(&server, &person, &page, changes));
    }
    // Another person's session, another session of the same person, and none.
    for cookie in [&other, &again] {
        nothing_granted(&server, &sent(&server, cookie, &page, &[]));
    }
    let nobody = Person { session: "x".to_owned(), ..person.clone() };
    nothing_granted(&server, &sent(&server, &nobody, &page, &[]));
    // The right one, once.
    led_to(&sent(&server, &person, &page, &[]), REDIRECT_URI);
    let twice = sent(&server, &person, &page, &[]);
    assert_eq!(twice.status, 400, "{twice}");
    let denied = sent(&server, &person, &page, &[("decision", "deny")]);
    assert_eq!(denied.status, 400, "{denied}");
    assert_eq!(server.rows_of("oauth_code"), 1);
    // A page that waited too long.
    let late = ask(&server, &person, &client_id, FIRST_SCOPES);
    server.advance_s(600);
    assert_eq!(sent(&server, &person, &late, &[]).status, 400);
    // Beside those: two sessions, none, twice, denied after, late.
    attacks::tried("threat_9_a_form", cases.len() + 6);
}

#[test]
fn a_person_who_denies_grants_nothing() {
    let (server, person, _, page) = asked();
    let parameters = led_to(&decide(&server, &person, &page, "deny", &READ), REDIRECT_URI);
    assert_eq!(parameters.get("error").map(String::as_str), Some("access_denied"));
    assert_eq!(parameters.get("iss").map(String::as_str), Some(server.url()));
    assert_eq!(parameters.get("state").map(String::as_str), Some(STATE));
    assert_eq!((server.rows_of("oauth_grant"), server.rows_of("oauth_code")), (0, 0));
}

#[test]
fn threat_10_pages_are_not_framed_scripted_or_kept() {
    let (server, person, _, consent) = asked();
    let local = client_at(&server, "http://127.0.0.1:3000/callback");
    let challenge = challenge(VERIFIER);
    let request = with(&request_of(&local, &challenge), &[("redirect_uri", "http://127.0.0.1:5555/callback")]);
    let local = authorize(&server, &person, &pairs(&request));
    let sign_in = server.client.get("/app/sign-in").send_plain();
    let connections = as_person(server.client.get("/app/connections"), &person).send_plain();
    let error = authorize(&server, &person, &pairs(&[("client_id", "client_unknown")]));
    let pages = [
        (&consent, " https://agent.example"),
        (&local, " http://127.0.0.1:5555"),
        (&sign_in, ""),
        (&connections, ""),
        (&error, ""),
    ];
    attacks::tried("threat_10_pages", pages.len());
    for (page, targets) in pages {
        let policy = format!(
            "default-src 'none'; style-src 'self'; form-action 'self'{targets}; frame-ancestors 'none'; base-uri 'none'"
        );
        for (name, value) in [
            ("content-security-policy", &*policy),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("cross-origin-opener-policy", "same-origin"),
            ("x-content-type-options", "nosniff"),
            ("content-type", "text/html; charset=utf-8"),
        ] {
            assert_eq!(page.header(name), Some(value), "{page}");
        }
        assert!(!page.text().contains("<script") && !page.text().contains("style="), "{page}");
    }
    assert!(consent.text().contains("form id=\"consent\" method=\"post\" action=\"/oauth/authorize\""), "{consent}");
    assert!(consent.text().contains("agent.example") && consent.text().contains(&person.email), "{consent}");
    assert_eq!(
        server.client.get("/app/style.css").send_plain().header("content-type"),
        Some("text/css; charset=utf-8")
    );
}

#[test]
fn threat_34_what_was_not_asked_for_cannot_be_granted() {
    let (server, person, client_id, _) = asked();
    let cases = [
        ("books:read", "books:write"),
        ("books:read", "books:send"),
        ("books:read books:write", "reconcile:write"),
        ("coding:read", "books:read"),
        ("books:read", "books:everything"),
        ("books:read", "admin"),
        ("books:read", "books:read books:write"),
    ];
    attacks::tried("threat_34_what", cases.len());
    for (asked, smuggled) in cases {
        let page = ask(&server, &person, &client_id, asked);
        let first = asked.split(' ').next().unwrap();
        let answer =
            decide(&server, &person, &page, "allow", &Ticks { scopes: &[first, smuggled], organisations: None });
        nothing_granted(&server, &answer);
    }
    // What is ticked of what was asked for is granted, and the tokens say so.
    let ticks = Ticks { scopes: &["books:read"], organisations: None };
    let page = ask(&server, &person, &client_id, FIRST_SCOPES);
    let code = led_to(&decide(&server, &person, &page, "allow", &ticks), REDIRECT_URI)["code"].clone();
    assert_eq!(token(&server, &redemption(&client_id, &code)).expect(200)["scope"], "books:read");
}

#[test]
fn threat_35_organisations_are_those_of_the_person_at_that_moment() {
    let (server, person, client_id, _) = asked();
    let own = server.organisation(&person, "Own Ltd");
    let foreign = server.organisation(&server.person(), "Foreign Ltd");
    for organisations in [&[foreign][..], &[own, foreign], &[999_999], &[]] {
        let page = ask(&server, &person, &client_id, FIRST_SCOPES);
        let ticks = Ticks { scopes: &["books:read"], organisations: Some(organisations) };
        let answer = decide(&server, &person, &page, "allow", &ticks);
        nothing_granted(&server, &answer);
        // The page again, saying so; its form still counts.
        assert!(answer.text().contains("role=\"alert\"") && !answer.text().contains("Foreign Ltd"), "{answer}");
        assert_eq!(hidden(&answer, "request"), hidden(&page, "request"));
    }
    let page = ask(&server, &person, &client_id, FIRST_SCOPES);
    for words in ["-1", "0", "x", "1 or 1=1", "1,2"] {
        nothing_granted(&server, &sent(&server, &person, &page, &[("reach", "chosen"), ("organisation_id", words)]));
    }
    attacks::tried("threat_35_organisations", 4 + 5 + 1);
    // Nothing to do is nothing to grant.
    let answer = sent(&server, &person, &page, &[("scope", "")]);
    nothing_granted(&server, &answer);
    assert!(answer.text().contains("Tick at least one thing"), "{answer}");
    led_to(
        &decide(&server, &person, &answer, "allow", &Ticks { scopes: &["books:read"], organisations: Some(&[own]) }),
        REDIRECT_URI,
    );
}

#[test]
fn threat_32_two_tabs_and_two_clients_do_not_mix() {
    let (server, person, _, page) = asked();
    let second = register(&server, &json!({ "redirect_uris": ["https://second.example/cb"], "client_name": "Second" }))
        .expect(201);
    let second_id = second["client_id"].as_str().unwrap();
    let challenge = challenge(VERIFIER);
    let request = with(&request_of(second_id, &challenge), &[("redirect_uri", "https://second.example/cb")]);
    let other = authorize(&server, &person, &pairs(&request));
    // The handle of one page with the token of the other.
    let mixed = hidden(&other, "request");
    nothing_granted(&server, &sent(&server, &person, &page, &[("request", &mixed)]));
    // Fields that a page does not have change nothing about whom it is for.
    let swapped = [("client_id", second_id), ("redirect_uri", "https://second.example/cb"), ("state", "other")];
    let parameters = led_to(&sent(&server, &person, &page, &swapped), REDIRECT_URI);
    assert_eq!(parameters.get("state").map(String::as_str), Some(STATE));
    let code = &parameters["code"];
    let stolen = with(&redemption(second_id, code), &[("redirect_uri", "")]);
    refused(&token(&server, &stolen), 400, "invalid_grant");
    led_to(&sent(&server, &person, &other, &[]), "https://second.example/cb");
    attacks::tried("threat_32_two_tabs", 3);
}

#[test]
fn threat_18_who_leaves_an_organisation_takes_the_connection_along() {
    let server = TestServer::start();
    let (person, owner) = (server.person(), server.person());
    let organisation = server.organisation(&owner, "Larkspur Ltd");
    server.member(organisation, &person, "bookkeeper");
    let connected = connect(&server, &person, &Ticks { scopes: &["books:read"], organisations: Some(&[organisation]) });
    let path = format!("/api/v1/books/organisations/{organisation}/accounts");
    server.client.get(&path).bearer(&connected.access).send().expect(200);
    server.remove_member(organisation, &person);
    until("the membership is gone", || {
        (server.client.get(&path).bearer(&connected.access).send().status == 404).then_some(())
    });
    server.client.get(&path).bearer(&connected.access).send().refused(404, "not_found");
    let listed = server.client.get("/api/v1/books/organisations").bearer(&connected.access).send().expect(200);
    assert_eq!(listed["data"], json!([]));
    let words =
        crate::mcp::failure(&server, &connected.key(), "books_status", &json!({ "organisation_id": organisation }));
    assert!(words.starts_with("not_found: "), "{words}");
    attacks::tried("threat_18_who_leaves", 3);
}

#[test]
fn a_step_up_keeps_the_connection_and_what_was_ticked() {
    let server = TestServer::start();
    let person = server.person();
    let (one, two) = (server.organisation(&person, "One Ltd"), server.organisation(&person, "Two Ltd"));
    let connected = connect(&server, &person, &Ticks { scopes: &["books:read"], organisations: Some(&[one]) });
    let page = ask(&server, &person, &connected.client_id, "books:read books:write books:send");
    let is_ticked = |id: &str| page.text().contains(&format!("id=\"{id}\" checked"));
    assert!(
        is_ticked("scope-books-read") && is_ticked("scope-books-write") && !is_ticked("scope-books-send"),
        "{page}"
    );
    assert!(is_ticked(&format!("organisation-{one}")) && !is_ticked(&format!("organisation-{two}")), "{page}");
    assert!(is_ticked("reach-chosen") && !is_ticked("reach-all"), "{page}");
    let ticks = Ticks { scopes: &["books:read", "books:write"], organisations: Some(&[one]) };
    let code = led_to(&decide(&server, &person, &page, "allow", &ticks), REDIRECT_URI)["code"].clone();
    let wider =
        Connected::of(&connected.client_id, &token(&server, &redemption(&connected.client_id, &code)).expect(200));
    assert_eq!(server.rows_of("oauth_grant"), 1, "the same connection");
    let scopes = |connected: &Connected| {
        server.client.get("/api/v1/me").bearer(&connected.access).send().expect(200)["scopes"].clone()
    };
    assert_eq!(scopes(&wider), json!(["books:read", "books:write"]));
    assert_eq!(scopes(&connected), json!(["books:read"]), "a token never grows");
    // Allowed again with less, at once.
    let page = ask(&server, &person, &connected.client_id, "books:read");
    decide(&server, &person, &page, "allow", &Ticks { scopes: &["books:read"], organisations: Some(&[two]) });
    assert_eq!(scopes(&wider), json!(["books:read"]));
    let path = format!("/api/v1/books/organisations/{one}/accounts");
    server.client.get(&path).bearer(&wider.access).send().refused(403, "forbidden");
}

#[test]
fn who_belongs_to_no_organisation_is_offered_all_alone() {
    let server = TestServer::start();
    let person = server.person();
    let client_id = client_at(&server, REDIRECT_URI);
    let page = ask(&server, &person, &client_id, FIRST_SCOPES);
    assert!(page.text().contains("id=\"reach-all\" checked") && !page.text().contains("reach-chosen"), "{page}");
    server.organisation(&person, "Only Ltd");
    let page = ask(&server, &person, &client_id, FIRST_SCOPES);
    assert!(page.text().contains("id=\"reach-chosen\" checked"), "{page}");
    assert!(page.text().contains("name=\"organisation_id\""), "{page}");
    assert_eq!(
        page.text().matches("name=\"organisation_id\" value=\"1\" id=\"organisation-1\" checked").count(),
        1,
        "{page}"
    );
}

on_both_databases! {
    fn so_many_requests_of_a_person_wait_and_the_oldest_go(database) {
        let server = Setup::new().on(&database).start();
        let (person, other) = (server.person(), server.person());
        let client_id = client_at(&server, REDIRECT_URI);
        let challenge = challenge(VERIFIER);
        let query = pairs(&request_of(&client_id, &challenge));
        let kept = authorize(&server, &other, &query);
        let pages: Vec<Answer> = (0..53)
            .map(|_| {
                server.pass_ms(1);
                authorize(&server, &person, &query)
            })
            .collect();
        assert_eq!(server.rows_of("oauth_request"), 51);
        let allow = |person: &Person, page: &Answer| {
            decide(&server, person, page, "allow", &Ticks { scopes: &["books:read"], organisations: None }).status
        };
        assert_ne!(allow(&person, &pages[2]), 303, "the oldest went");
        assert_eq!((allow(&person, &pages[3]), allow(&person, &pages[52]), allow(&other, &kept)), (303, 303, 303));
    }
}

/// A consent that is under way while the housekeeping finds its connection unusable keeps the connection.
#[test]
fn a_connection_that_is_allowed_anew_is_not_ended_as_unusable() {
    let Some(database) = Database::postgresql() else { return };
    let server = Setup::new().on(&database).start();
    let person = server.person();
    for _ in 0..2 {
        connect(&server, &person, &READ);
    }
    let url = database.url().expect("an address");
    server.with_store(async |store| {
        let other = sea_orm::Database::connect(&url).await.expect("connected");
        for sql in [
            "delete from oauth_code",
            "delete from oauth_access_token",
            "delete from oauth_refresh_token",
            "update oauth_grant set allowed_at = 0",
        ] {
            other.execute_unprepared(sql).await.expect(sql);
        }
        let consent = other.begin().await.expect("begun");
        for sql in [
            "update change_epoch set value = value + 1 where topic = 'grants'",
            "update oauth_grant set allowed_at = 9000000000000 where id = (select min(id) from oauth_grant)",
        ] {
            consent.execute_unprepared(sql).await.expect(sql);
        }
        let writer = store.writer.clone();
        let keeping = tokio::spawn(async move { writer.delete_expired_oauth().await });
        // The housekeeping has found both and waits for the consent.
        let waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
        let waiting = sea_orm::Statement::from_string(other.get_database_backend(), waiting);
        while !keeping.is_finished() && other.query_one_raw(waiting.clone()).await.expect("readable").is_none() {
            tokio::task::yield_now().await;
        }
        consent.commit().await.expect("committed");
        keeping.await.expect("no panic").expect("kept house");
        other.close().await.expect("closed");
    });
    assert_eq!(server.rows_of("oauth_grant where revoked_at is null"), 1);
    assert_eq!(server.rows_of("oauth_grant where revoke_reason = 'expired'"), 1);
}
