//! Threats 4 to 7, 11, 12, 16, 17, 30 and 36: codes and refresh tokens.

use bookkeeping_suite::domain::oauth::token::{TokenKind, mint};

use crate::support::database::{Database, on_both_databases};
use crate::support::server::Setup;
use crate::support::until;

use super::*;

const READ: Ticks<'static> = Ticks { scopes: &["books:read"], organisations: None };
const BOTH: Ticks<'static> = Ticks { scopes: &["books:read", "books:write"], organisations: None };

#[test]
fn threats_4_5_7_30_and_36_a_code_is_redeemed_by_its_client_with_its_verifier_alone() {
    let server = TestServer::start();
    let person = server.person();
    let client_id = client_at(&server, REDIRECT_URI);
    let other = client_at(&server, REDIRECT_URI);
    let secret = register(
        &server,
        &json!({
            "redirect_uris": [REDIRECT_URI], "token_endpoint_auth_method": "client_secret_basic",
        }),
    )
    .expect(201);
    let (confidential, secret) = (secret["client_id"].as_str().unwrap(), secret["client_secret"].as_str().unwrap());
    let code = code_for(&server, &person, &client_id, &READ);
    let right = redemption(&client_id, &code);
    let (wrong_verifier, short) = ("b".repeat(50), "a".repeat(42));
    let (long, made_up) = ("a".repeat(129), format!("oac_{}", "0".repeat(43)));
    let typo = format!("{}{}", &code[..code.len() - 1], if code.ends_with('x') { 'y' } else { 'x' });
    let challenge = challenge(VERIFIER);
    let cases: Vec<(&str, Changes<'_>, u16, &str)> = vec![
        ("no verifier", vec![("code_verifier", "")], 400, "invalid_request"),
        ("another verifier", vec![("code_verifier", &wrong_verifier)], 400, "invalid_grant"),
        ("the challenge as the verifier", vec![("code_verifier", &challenge)], 400, "invalid_grant"),
        ("a short verifier", vec![("code_verifier", &short)], 400, "invalid_grant"),
        ("a long verifier", vec![("code_verifier", &long)], 400, "invalid_grant"),
        ("plain", vec![("code_verifier", ""), ("code_challenge_method", "plain")], 400, "invalid_request"),
        ("another client", vec![("client_id", &other)], 400, "invalid_grant"),
        ("an unknown client", vec![("client_id", "client_unknown")], 401, "invalid_client"),
        ("no client", vec![("client_id", "")], 401, "invalid_client"),
        ("a public client with a secret", vec![("client_secret", secret)], 401, "invalid_client"),
        ("a confidential client without its secret", vec![("client_id", confidential)], 401, "invalid_client"),
        ("a wrong secret", vec![("client_id", confidential), ("client_secret", "wrong")], 401, "invalid_client"),
        (
            "the code of another, with a right secret",
            vec![("client_id", confidential), ("client_secret", secret)],
            400,
            "invalid_grant",
        ),
        ("another redirect URI", vec![("redirect_uri", "https://agent.example/other")], 400, "invalid_grant"),
        ("no code", vec![("code", "")], 400, "invalid_request"),
        ("a code that was made up", vec![("code", &made_up)], 400, "invalid_grant"),
        ("a code with a typo", vec![("code", &typo)], 400, "invalid_grant"),
        ("no grant type", vec![("grant_type", "")], 400, "invalid_request"),
        (
            "password",
            vec![("grant_type", "password"), ("username", "a"), ("password", "b")],
            400,
            "unsupported_grant_type",
        ),
        ("client credentials", vec![("grant_type", "client_credentials")], 400, "unsupported_grant_type"),
        ("implicit", vec![("grant_type", "implicit")], 400, "unsupported_grant_type"),
        ("device", vec![("grant_type", "urn:ietf:params:oauth:grant-type:device_code")], 400, "unsupported_grant_type"),
        (
            "assertion",
            vec![("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")],
            400,
            "unsupported_grant_type",
        ),
        ("a foreign resource", vec![("resource", "https://other.example")], 400, "invalid_target"),
    ];
    for (what, changes, status, error) in &cases {
        let answer = token(&server, &with(&right, changes));
        let body = answer.expect(*status);
        assert_eq!(body["error"], *error, "{what}: {answer}");
    }
    // 23: repeated parameters; 36: two ways of authentication.
    for (name, value) in &right {
        let mut twice = right.clone();
        twice.push((name, value));
        refused(&token(&server, &twice), 400, "invalid_request");
    }
    let basic = |id: &str, secret: &str| {
        let pair = base64::prelude::BASE64_STANDARD.encode(format!("{id}:{secret}"));
        form(&server, "/oauth/token", &right).header("Authorization", &format!("Basic {pair}")).send_plain()
    };
    for answer in [basic(&client_id, ""), basic(&other, "x"), basic(confidential, secret), basic(confidential, "wrong")]
    {
        refused(&answer, 401, "invalid_client");
        assert_eq!(answer.header("www-authenticate"), Some("Basic realm=\"oauth\""), "{answer}");
    }
    let twice = with(&right, &[("client_id", confidential), ("client_secret", secret)]);
    let pair = base64::prelude::BASE64_STANDARD.encode(format!("{confidential}:{secret}"));
    let answer = form(&server, "/oauth/token", &twice).header("Authorization", &format!("Basic {pair}")).send_plain();
    refused(&answer, 401, "invalid_client");
    // A body that is no form, and parameters in the query, are nothing.
    let json = server.client.post("/oauth/token").json(&json!({ "grant_type": "authorization_code" })).send_plain();
    refused(&json, 400, "invalid_request");
    let query = server.client.post(&format!("/oauth/token?{}", pairs(&right)));
    let query = query.header("Content-Type", "application/x-www-form-urlencoded").body("").send_plain();
    refused(&query, 400, "invalid_request");
    attacks::tried("threats_4_5_7_30_and_36_a_code", cases.len() + right.len() + 7);
    // After all of this the code is as good as new: what was wrong has not used it up.
    token(&server, &right).expect(200);
}

#[test]
fn a_confidential_client_proves_itself_in_either_way() {
    let server = TestServer::start();
    let person = server.person();
    for method in ["client_secret_basic", "client_secret_post"] {
        let request = json!({ "redirect_uris": [REDIRECT_URI], "token_endpoint_auth_method": method });
        let made = register(&server, &request).expect(201);
        assert_eq!(
            (&made["token_endpoint_auth_method"], &made["client_secret_expires_at"]),
            (&json!(method), &json!(0))
        );
        let (id, secret) = (made["client_id"].as_str().unwrap(), made["client_secret"].as_str().unwrap());
        let code = code_for(&server, &person, id, &READ);
        let tokens = match method {
            "client_secret_post" => token(&server, &with(&redemption(id, &code), &[("client_secret", secret)])),
            _ => {
                let pair = base64::prelude::BASE64_STANDARD.encode(format!("{id}:{secret}"));
                let form = form(&server, "/oauth/token", &with(&redemption(id, &code), &[("client_id", "")]));
                form.header("Authorization", &format!("Basic {pair}")).send_plain()
            }
        };
        let tokens = tokens.expect(200);
        assert_eq!(me(&server, tokens["access_token"].as_str().unwrap()), 200);
    }
}

on_both_databases! {
    fn threat_6_a_code_that_comes_back_ends_what_it_made(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person();
        let client_id = client_at(&server, REDIRECT_URI);
        let code = code_for(&server, &person, &client_id, &READ);
        let connected = Connected::of(&client_id, &token(&server, &redemption(&client_id, &code)).expect(200));
        // Without the verifier nobody can end a connection by a code that leaked.
        let wrong = "b".repeat(50);
        refused(&token(&server, &with(&redemption(&client_id, &code), &[("code_verifier", &wrong)])), 400, "invalid_grant");
        assert_eq!(me(&server, &connected.access), 200);
        refused(&token(&server, &redemption(&client_id, &code)), 400, "invalid_grant");
        assert_eq!(me(&server, &connected.access), 401);
        refused(&refresh(&server, &client_id, &connected.refresh), 400, "invalid_grant");
        attacks::tried("threat_6_a_code_that", 2);
    }

    fn threat_17_one_code_redeemed_a_thousand_times_at_once_gives_tokens_once(database) {
        let proxies = Some("127.0.0.1".to_owned());
        let server = Setup::new().on(&database).settings(|settings| settings.trusted_proxies = proxies).start();
        let person = server.person();
        let client_id = client_at(&server, REDIRECT_URI);
        let code = code_for(&server, &person, &client_id, &READ);
        let redemption = redemption(&client_id, &code);
        // From many addresses: one that fails so often has to slow down.
        let redeem = |number: u8| {
            let address = format!("203.0.113.{number}");
            let redeem = || form(&server, "/oauth/token", &redemption).header("X-Forwarded-For", &address).send_plain();
            (0..50).map(|_| redeem()).collect::<Vec<_>>()
        };
        let redeem = &redeem;
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..20).map(|number| scope.spawn(move || redeem(number))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let (given, rest): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
        assert_eq!((given.len(), rest.len()), (1, 999));
        rest.iter().for_each(|answer| refused(answer, 400, "invalid_grant"));
        // The replay ended the connection.
        assert_eq!(me(&server, given[0].value()["access_token"].as_str().unwrap()), 401);
        attacks::tried("threat_17_one_code", 1);
    }

    fn threat_17_each_of_many_codes_redeemed_twice_at_once_gives_tokens_once(database) {
        let server = Setup::new().on(&database).settings(|settings| {
            settings.oauth_registrations_per_hour = Some(1_000);
        }).start();
        let person = server.person();
        let codes: Vec<(String, String)> = (0..20)
            .map(|_| {
                let client_id = client_at(&server, REDIRECT_URI);
                let code = code_for(&server, &person, &client_id, &READ);
                (client_id, code)
            })
            .collect();
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let redeem = |(client_id, code): &(String, String)| token(&server, &redemption(client_id, code));
            let threads: Vec<_> = codes.iter().flat_map(|code| [code, code]).map(|code| scope.spawn(move || redeem(code))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for pair in answers.chunks(2) {
            let (given, rest): (Vec<_>, Vec<_>) = pair.iter().partition(|answer| answer.status == 200);
            assert_eq!((given.len(), rest.len()), (1, 1));
            refused(rest[0], 400, "invalid_grant");
            assert_eq!(me(&server, given[0].value()["access_token"].as_str().unwrap()), 401);
        }
        attacks::tried("threat_17_each", codes.len());
    }

    fn threat_16_no_refresh_outlives_a_revocation(database) {
        let server = Setup::new().on(&database).settings(|settings| {
            settings.oauth_registrations_per_hour = Some(1_000);
            settings.oauth_refresh_grace_s = Some(300);
        }).start();
        let person = server.person();
        for _ in 0..10 {
            let connected = connect(&server, &person, &READ);
            // Sixteen refresh tokens of one family, each used once while the connection is being ended.
            let mut tokens = vec![connected.refresh.clone()];
            for _ in 0..5 {
                let tokens_now = tokens.clone();
                for token in tokens_now {
                    if tokens.len() < 16 {
                        let next = refresh(&server, &connected.client_id, &token).expect(200);
                        tokens.push(next["refresh_token"].as_str().unwrap().to_owned());
                    }
                }
            }
            let fresh: Vec<&String> = tokens.iter().rev().take(8).collect();
            let answers: Vec<Answer> = std::thread::scope(|scope| {
                let refresh = |token: &str| refresh(&server, &connected.client_id, token);
                let threads: Vec<_> = fresh.iter().map(|token| scope.spawn(move || refresh(token))).collect();
                let revoke = [("client_id", &*connected.client_id), ("token", &*connected.refresh)];
                assert_eq!(form(&server, "/oauth/revoke", &revoke).send_plain().status, 200);
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            for answer in &answers {
                if answer.status == 200 {
                    let made = Connected::of(&connected.client_id, &answer.value());
                    assert_eq!(me(&server, &made.access), 401, "an access token outlives the connection");
                    refused(&refresh(&server, &connected.client_id, &made.refresh), 400, "invalid_grant");
                } else {
                    refused(answer, 400, "invalid_grant");
                }
            }
            assert_eq!(me(&server, &connected.access), 401);
        }
        attacks::tried("threat_16_no_refresh", 1);
    }

    fn threat_12_a_refresh_narrows_and_never_widens(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person();
        let connected = connect(&server, &person, &BOTH);
        let ask = |token_text: &str, scope: &str| {
            token(&server, &[
                ("grant_type", "refresh_token"), ("client_id", &connected.client_id), ("refresh_token", token_text), ("scope", scope),
            ])
        };
        let wider = ["books:send", "books:read books:send", "reconcile:read", "books:everything", "admin"];
        for wider in wider {
            refused(&ask(&connected.refresh, wider), 400, "invalid_scope");
        }
        attacks::tried("threat_12_a_refresh", wider.len());
        let narrow = ask(&connected.refresh, "books:read").expect(200);
        assert_eq!(narrow["scope"], "books:read");
        let narrow = Connected::of(&connected.client_id, &narrow);
        let create = json!({ "name": "New Ltd" });
        let organisations = "/api/v1/books/organisations";
        server.client.post(organisations).bearer(&narrow.access).json(&create).send().refused(403, "forbidden");
        server.client.post(organisations).bearer(&connected.access).json(&create).send().expect(201);
        // The refresh token still stands for all that was granted (RFC 6749, section 6).
        let whole = refresh(&server, &connected.client_id, &narrow.refresh).expect(200);
        assert_eq!(whole["scope"], "books:read books:write");
    }
}

#[test]
fn threat_11_a_refresh_token_comes_back_within_the_grace_five_times() {
    let server = TestServer::start();
    let person = server.person();
    let connected = connect(&server, &person, &READ);
    let again = || refresh(&server, &connected.client_id, &connected.refresh);
    let mut family = vec![Connected::of(&connected.client_id, &again().expect(200))];
    for _ in 0..5 {
        family.push(Connected::of(&connected.client_id, &again().expect(200)));
    }
    for made in &family {
        assert_eq!(me(&server, &made.access), 200);
    }
    refused(&again(), 400, "invalid_grant");
    for made in family.iter().chain([&connected]) {
        assert_eq!(me(&server, &made.access), 401);
        refused(&refresh(&server, &connected.client_id, &made.refresh), 400, "invalid_grant");
    }
    attacks::tried("threat_11_a_refresh_token", 1);
}

#[test]
fn threat_11_after_the_grace_a_refresh_token_that_comes_back_ends_the_connection() {
    let cases = [(60, 59, true), (60, 60, false), (60, 61, false), (0, 0, false), (300, 299, true)];
    attacks::tried("threat_11_after_the_grace", cases.iter().filter(|(.., works)| !works).count());
    for (grace_s, waits_s, works) in cases {
        let server = Setup::new().settings(|settings| settings.oauth_refresh_grace_s = Some(grace_s)).start();
        let person = server.person();
        let connected = connect(&server, &person, &READ);
        let next = Connected::of(
            &connected.client_id,
            &refresh(&server, &connected.client_id, &connected.refresh).expect(200),
        );
        server.advance_s(waits_s);
        let answer = refresh(&server, &connected.client_id, &connected.refresh);
        assert_eq!(answer.status == 200, works, "{grace_s} {waits_s}: {answer}");
        assert_eq!(me(&server, &next.access) == 200, works, "{grace_s} {waits_s}");
    }
}

#[test]
fn what_is_granted_ends_in_time() {
    let server = TestServer::start();
    let person = server.person();
    let client_id = client_at(&server, REDIRECT_URI);
    // A code lasts a minute.
    let code = code_for(&server, &person, &client_id, &READ);
    server.advance_s(60);
    refused(&token(&server, &redemption(&client_id, &code)), 400, "invalid_grant");
    // An access token lasts an hour.
    let connected = connect_client(&server, &person, &client_id, &READ);
    server.advance_s(3_599);
    assert_eq!(me(&server, &connected.access), 200);
    server.advance_s(1);
    assert_eq!(me(&server, &connected.access), 401);
    let next = refresh(&server, &client_id, &connected.refresh).expect(200);
    // A refresh token lasts sixty days of rest.
    server.advance_s(60 * 86_400);
    refused(&refresh(&server, &client_id, next["refresh_token"].as_str().unwrap()), 400, "invalid_grant");
}

#[test]
fn a_client_revokes_its_own_alone_and_one_token_at_a_time() {
    let server = TestServer::start();
    let person = server.person();
    let (connected, other) = (connect(&server, &person, &READ), connect(&server, &person, &READ));
    let revoke = |client_id: &str, text: &str| {
        form(&server, "/oauth/revoke", &[("client_id", client_id), ("token", text)]).send_plain().status
    };
    for text in [&connected.access, &connected.refresh] {
        assert_eq!(revoke(&other.client_id, text), 200, "whose token it is, is not told");
    }
    for unknown in ["x", "oat_unknown", &format!("oat_{}", "0".repeat(43))] {
        assert_eq!(revoke(&connected.client_id, unknown), 200, "{unknown}");
    }
    assert_eq!(me(&server, &connected.access), 200);
    assert_eq!(revoke("client_unknown", &connected.access), 401);
    let second =
        Connected::of(&connected.client_id, &refresh(&server, &connected.client_id, &connected.refresh).expect(200));
    assert_eq!(revoke(&connected.client_id, &connected.access), 200);
    assert_eq!((me(&server, &connected.access), me(&server, &second.access)), (401, 200));
    assert_eq!(revoke(&connected.client_id, &second.refresh), 200);
    assert_eq!((me(&server, &second.access), me(&server, &other.access)), (401, 200));
}

/// How many messages the actor of connections has finished.
pub fn messages(server: &TestServer) -> u64 {
    let metrics = server.operators().get("/metrics").send_plain().text();
    let mine = metrics.lines().filter(|line| line.starts_with("actor_messages_total{actor=\"grant_registry\""));
    mine.map(|line| line.rsplit(' ').next().expect("a value").parse::<u64>().expect("a number")).sum()
}

/// A token of the right form that nobody was given: its checksum is no secret.
fn made_up(kind: TokenKind, number: u8) -> String {
    mint(kind, |bytes| bytes.fill(number)).text
}

on_both_databases! {
    fn what_nobody_was_given_reaches_neither_the_actor_nor_the_writer(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person();
        let (connected, other) = (connect(&server, &person, &READ), connect(&server, &person, &READ));
        let client_id = &*connected.client_id;
        let revoke = |text: &str| {
            form(&server, "/oauth/revoke", &[("client_id", client_id), ("token", text)]).send_plain().status
        };
        let before = messages(&server);
        assert!(before > 0, "messages are counted under another name");
        for number in 0..50 {
            let code = made_up(TokenKind::Code, number);
            refused(&token(&server, &redemption(client_id, &code)), 400, "invalid_grant");
            refused(&refresh(&server, client_id, &made_up(TokenKind::Refresh, number)), 400, "invalid_grant");
            for kind in [TokenKind::Refresh, TokenKind::Access] {
                assert_eq!(revoke(&made_up(kind, number)), 200);
            }
            refused(&refresh(&server, client_id, &other.refresh), 400, "invalid_grant");
            assert_eq!(revoke(&other.access), 200);
        }
        // The follower and the housekeeping ask now and then.
        let asked = messages(&server) - before;
        assert!(asked < 50, "{asked} messages for 300 requests");
        // What is revoked already is not revoked again.
        assert_eq!(revoke(&connected.access), 200);
        let before = messages(&server);
        for _ in 0..50 {
            assert_eq!(revoke(&connected.access), 200);
        }
        let asked = messages(&server) - before;
        assert!(asked < 25, "{asked} messages for 50 requests");
        assert_eq!((me(&server, &connected.access), me(&server, &other.access)), (401, 200));
    }
}

#[test]
fn an_address_that_fails_too_often_slows_down() {
    let proxies = Some("127.0.0.1".to_owned());
    let server = Setup::new().settings(|settings| settings.trusted_proxies = proxies).start();
    let person = server.person();
    let connected = connect(&server, &person, &READ);
    let ask = |path: &str, address: &str, parameters: &[(&str, &str)]| {
        form(&server, path, parameters).header("X-Forwarded-For", address).send_plain()
    };
    let made_up = made_up(TokenKind::Refresh, 1);
    let revocation = [("client_id", &*connected.client_id), ("token", &*made_up)];
    let refreshing = |text: &'static str| [("grant_type", text), ("client_id", &*connected.client_id)];
    for number in 0..300 {
        let address = format!("2001:db8:1:2::{number:x}");
        assert_eq!(ask("/oauth/revoke", &address, &revocation).status, 200);
        refused(&ask("/oauth/token", &address, &refreshing("password")), 400, "unsupported_grant_type");
    }
    for path in ["/oauth/token", "/oauth/revoke"] {
        let slowed = ask(path, "2001:db8:1:2::ffff", &revocation);
        refused(&slowed, 429, "slow_down");
        assert_eq!(slowed.number("retry-after"), 60);
        assert_eq!(slowed.header("cache-control"), Some("no-store"));
    }
    // Nobody else waits, and nobody waits for long.
    assert_eq!(ask("/oauth/revoke", "2001:db8:1:3::1", &revocation).status, 200);
    server.advance_s(60);
    assert_eq!(ask("/oauth/revoke", "2001:db8:1:2::1", &revocation).status, 200);
    // What succeeds is not counted.
    for _ in 0..6 {
        let connected = connect(&server, &person, &READ);
        refreshed(&server, &connected, 110);
    }
}

/// A connection that was refreshed so many times.
fn refreshed(server: &TestServer, connected: &Connected, times: usize) -> Connected {
    (0..times).fold(connected.clone(), |last, _| {
        Connected::of(&last.client_id, &refresh(server, &last.client_id, &last.refresh).expect(200))
    })
}

on_both_databases! {
    fn a_connection_is_refreshed_so_often_and_no_faster(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person();
        let (connected, other) = (connect(&server, &person, &READ), connect(&server, &person, &READ));
        // The first refresh token came with the code.
        let last = refreshed(&server, &connected, 119);
        let rows = server.rows_of("oauth_refresh_token");
        for _ in 0..20 {
            let slowed = refresh(&server, &last.client_id, &last.refresh);
            refused(&slowed, 429, "slow_down");
            assert!((3_000..=3_600).contains(&slowed.number("retry-after")), "{slowed}");
        }
        assert_eq!(server.rows_of("oauth_refresh_token"), rows, "nothing is stored");
        assert_eq!(me(&server, &last.access), 200, "nothing is taken away");
        refreshed(&server, &other, 1);
    }
}

#[test]
fn a_refresh_that_was_put_off_works_later() {
    let server = TestServer::start();
    let person = server.person();
    let connected = connect(&server, &person, &READ);
    let last = refreshed(&server, &connected, 119);
    server.advance_s(600);
    let slowed = refresh(&server, &last.client_id, &last.refresh);
    refused(&slowed, 429, "slow_down");
    assert_eq!(slowed.number("retry-after"), 3_000);
    server.advance_s(3_000);
    let last = refreshed(&server, &last, 5);
    // A token that comes back is known however many came after it.
    refused(&refresh(&server, &connected.client_id, &connected.refresh), 400, "invalid_grant");
    assert_eq!(me(&server, &last.access), 401);
}

on_both_databases! {
    fn a_connection_has_so_many_access_tokens_and_the_oldest_end(database) {
        let here = Setup::new().on(&database).start();
        // On PostgreSQL another process knows every token too.
        let there = matches!(database, Database::Postgresql(_)).then(|| Setup::new().on(&database).start());
        let person = here.person();
        let (mut connected, other) = (connect(&here, &person, &READ), connect(&here, &person, &READ));
        let mut tokens = vec![connected.access.clone()];
        for _ in 0..24 {
            here.pass_ms(1);
            for server in there.iter().chain([&here]) {
                assert_eq!(me(server, tokens.last().expect("a token")), 200);
            }
            connected =
                Connected::of(&connected.client_id, &refresh(&here, &connected.client_id, &connected.refresh).expect(200));
            tokens.push(connected.access.clone());
        }
        let statuses: Vec<u16> = tokens.iter().map(|token| me(&here, token)).collect();
        assert_eq!(statuses, [vec![401; 5], vec![200; 20]].concat());
        if let Some(server) = &there {
            until("the others have ended there too", || (me(server, &tokens[4]) == 401).then_some(()));
            assert_eq!(me(server, &tokens[5]), 200);
        }
        assert_eq!(me(&here, &other.access), 200, "each connection has its own");
    }
}
