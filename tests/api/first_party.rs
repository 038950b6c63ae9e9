//! `POST /app/v1/register` and `/app/v1/login`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::client::{Answer, Client, keys};
use crate::support::database::on_both_databases;
use crate::support::program::{Shell, files};
use crate::support::server::{RECONCILE, Setup, TestServer};

const PASSWORD: &str = "correct horse battery";

/// Servers where strangers may register.
fn open() -> Setup {
    Setup::new().settings(|settings| settings.open_registration = Some(true))
}

fn register(server: &TestServer, body: &Value) -> Answer {
    server.client.post("/app/v1/register").json(body).send()
}

fn login(server: &TestServer, email: &str, password: &str) -> Answer {
    server.client.post("/app/v1/login").json(&json!({ "email": email, "password": password })).send()
}

fn person(email: &str) -> Value {
    json!({ "email": email, "password": PASSWORD, "name": "A Person" })
}

on_both_databases! {
    fn who_registers_can_log_in_and_make_a_key(database) {
        let server = open().on(&database).settings(|settings| settings.default_monthly_credits = Some(77)).start();
        let made = register(&server, &person("Ada@Example.com")).expect(201);
        assert_eq!(keys(&made), ["user_id"]);
        let session = login(&server, "ada@example.com", PASSWORD).expect(200);
        assert_eq!(keys(&session), ["access_token", "expires_in", "token_type"]);
        assert_eq!((&session["token_type"], &session["expires_in"]), (&json!("Bearer"), &json!(3_600)));
        let token = session["access_token"].as_str().unwrap();
        let request = json!({ "name": "n", "scopes": RECONCILE });
        let key = server.client.post("/api/v1/keys").bearer(token).json(&request).send().expect(201);
        let me = server.client.get("/api/v1/me").bearer(key["key"].as_str().unwrap()).send().expect(200);
        assert_eq!(me["user_id"], made["user_id"]);
        assert_eq!(me["credits"], json!({ "remainingMonthly": 77, "bonusCredits": 0 }));
        // The same address in another case is the same person.
        for email in ["Ada@Example.com", "ada@example.com", "ADA@EXAMPLE.COM"] {
            register(&server, &person(email)).refused(409, "conflict");
        }
        login(&server, "Ada@Example.com", PASSWORD).expect(200);
    }
}

on_both_databases! {
    fn one_of_several_who_register_the_same_address_at_once_gets_it(database) {
        let server = open().on(&database).start();
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..6).map(|_| scope.spawn(|| register(&server, &person("ada@example.com")).status)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 5, "{statuses:?}");
        login(&server, "ada@example.com", PASSWORD).expect(200);
    }
}

#[test]
fn a_large_registration_is_refused_unread() {
    let server = open().start();
    let mut body = person("ada@example.com");
    body["name"] = Value::from("n".repeat(1 << 20));
    register(&server, &body).refused(413, "payload_too_large");
}

#[test]
fn a_registration_is_checked_field_by_field() {
    let server = open().start();
    let with = |name: &str, value: Value| {
        let mut body = person("someone@example.com");
        body[name] = value;
        body
    };
    let without = |name: &str| {
        let mut body = person("someone@example.com");
        body.as_object_mut().unwrap().remove(name);
        body
    };
    let long_email = format!("{}@example.com", "a".repeat(243));
    for (body, field) in [
        (without("email"), "email"),
        (without("password"), "password"),
        (without("name"), "name"),
        (with("email", json!("nonsense")), "email"),
        (with("email", json!("@example.com")), "email"),
        (with("email", json!("a@")), "email"),
        (with("email", json!("a b@example.com")), "email"),
        (with("email", json!(7)), "email"),
        (with("email", json!(long_email)), "email"),
        (with("password", json!("elevenchars")), "password"),
        (with("password", json!("p".repeat(129))), "password"),
        (with("password", Value::Null), "password"),
        (with("password", json!(" ".repeat(12))), "password"),
        (with("password", json!("\u{3000}\u{200b}".repeat(6))), "password"),
        (with("password", json!("someone@example.com")), "password"),
        (with("password", json!(" SOMEONE@example.com")), "password"),
        (with("password", json!("é".repeat(12))), "password"),
        (with("password", json!("123456789012")), "password"),
        (with("password", json!("Password1234")), "password"),
        (with("password", json!("password1234\u{200b}")), "password"),
        (with("password", json!("some\u{200d}one@example.com")), "password"),
        (with("password", json!("aaaaaaaaaaaa\u{ad}")), "password"),
        (with("email", json!("some\u{200b}one@example.com")), "email"),
        (with("email", json!("someone@exam\u{ad}ple.com")), "email"),
        (with("email", json!("\u{202e}someone@example.com")), "email"),
        (with("email", json!("someone\u{fe0f}@example.com")), "email"),
        (with("name", json!("")), "name"),
        (with("name", json!("n".repeat(121))), "name"),
        (with("name", json!("a\u{0}")), "name"),
        (with("admin", json!(true)), "admin"),
    ] {
        let answer = register(&server, &body);
        assert_eq!(answer.issue_paths(), [field], "{body}");
        assert!(!answer.text().contains("elevenchars"), "a password is not repeated");
        // Attempts are counted per address; the next minute is another.
        server.advance_s(60);
    }
    server.client.post("/app/v1/register").body("{").send().refused(400, "invalid_json");
    server.advance_s(60);
    let longest_email = format!("{}@example.com", "a".repeat(242));
    let shortest = json!({ "email": longest_email, "password": "éà".repeat(6), "name": "n".repeat(120) });
    register(&server, &shortest).expect(201);
    let longest = json!({ "email": "b@c", "password": "pq".repeat(64), "name": "🧾" });
    register(&server, &longest).expect(201);
    login(&server, &longest_email, &"éà".repeat(6)).expect(200);
}

#[test]
fn an_unknown_person_and_a_wrong_password_read_the_same() {
    let server = open().start();
    register(&server, &person("ada@example.com")).expect(201);
    let wrong = login(&server, "ada@example.com", "wrong horse battery").refused(401, "unauthorized");
    let unknown = login(&server, "bob@example.com", PASSWORD).refused(401, "unauthorized");
    assert_eq!(wrong, unknown);
    login(&server, "ada@example.com", PASSWORD).expect(200);
}

/// How many of so many log-ins at once, from one address, were answered what.
fn at_once(server: &TestServer, address: &str, password: &str, count: usize) -> BTreeMap<u16, usize> {
    let mut statuses = BTreeMap::new();
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..count).map(|_| scope.spawn(|| login_from(server, address, "ada@example.com", password))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for answer in answers {
        *statuses.entry(answer.status).or_default() += 1;
        if answer.status == 429 {
            answer.refused(429, "rate_limited");
            assert!((1..=60).contains(&answer.number("retry-after")), "{answer}");
        }
    }
    statuses
}

fn login_from(server: &TestServer, address: &str, email: &str, password: &str) -> Answer {
    let request = server.client.post("/app/v1/login").header("X-Forwarded-For", address);
    request.json(&json!({ "email": email, "password": password })).send()
}

/// Servers behind a proxy, at which Ada has registered and was signed in from one address.
fn with_ada_at(address: &str) -> TestServer {
    let server = open().settings(|settings| settings.trusted_proxies = Some("127.0.0.1".to_owned())).start();
    register(&server, &person("ada@example.com")).expect(201);
    login_from(&server, address, "ada@example.com", PASSWORD).expect(200);
    server
}

#[test]
fn guesses_at_once_are_no_more_than_guesses_one_after_the_other() {
    let server = with_ada_at("203.0.113.1");
    let of_strangers = at_once(&server, "203.0.113.2", "wrong horse battery", 60);
    assert_eq!(of_strangers, BTreeMap::from([(401, 4), (429, 56)]));
    // Neither another address nor the right password is let in by the way of strangers, the owner is by their own.
    login_from(&server, "203.0.113.3", "ada@example.com", PASSWORD).refused(429, "rate_limited");
    login_from(&server, "203.0.113.1", "ada@example.com", PASSWORD).expect(200);
    // Nor does whoever sits beside the owner guess more than ten times with everybody together.
    assert_eq!(at_once(&server, "203.0.113.1", "wrong horse battery", 30), BTreeMap::from([(401, 6), (429, 24)]));
    server.advance_s(60);
    login_from(&server, "203.0.113.3", "ada@example.com", PASSWORD).expect(200);
}

#[test]
fn an_account_that_nobody_has_is_counted_like_any_other() {
    let server = open().start();
    for _ in 0..4 {
        login(&server, "nobody@example.com", PASSWORD).refused(401, "unauthorized");
    }
    let refused = login(&server, "NOBODY@example.com", PASSWORD);
    refused.refused(429, "rate_limited");
    assert_eq!(refused.number("retry-after"), 60);
    login(&server, "somebody-else@example.com", PASSWORD).refused(401, "unauthorized");
}

#[test]
fn who_mistypes_a_few_times_signs_in_after_it() {
    let server = open().start();
    register(&server, &person("ada@example.com")).expect(201);
    for _ in 0..3 {
        login(&server, "ada@example.com", "wrong horse battery").refused(401, "unauthorized");
    }
    for _ in 0..20 {
        login(&server, "ada@example.com", PASSWORD).expect(200);
    }
}

#[test]
fn strangers_and_a_few_typos_together_do_not_lock_the_owner_out() {
    let server = with_ada_at("203.0.113.1");
    at_once(&server, "203.0.113.2", "wrong horse battery", 20);
    for _ in 0..5 {
        login_from(&server, "203.0.113.1", "ada@example.com", "wrong horse battery").refused(401, "unauthorized");
    }
    login_from(&server, "203.0.113.1", "ada@example.com", PASSWORD).expect(200);
}

#[test]
fn whatever_form_a_proxy_writes_an_address_in_it_is_the_clients() {
    let server = Setup::new().settings(|settings| settings.trusted_proxies = Some("127.0.0.1".to_owned())).start();
    let status = |hops: &[u8]| {
        use std::io::{Read as _, Write as _};
        let mut connection = std::net::TcpStream::connect(server.client.address()).expect("connected");
        let head =
            b"POST /app/v1/register HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\nX-Forwarded-For: ";
        connection.write_all(&[head.as_slice(), hops, b"\r\n\r\n{}"].concat()).expect("sent");
        let mut answer = Vec::new();
        connection.read_to_end(&mut answer).expect("an answer");
        String::from_utf8_lossy(&answer).split(' ').nth(1).and_then(|status| status.parse::<u16>().ok())
    };
    // An address registers ten times a minute.
    let use_up = |hops: &[u8]| while status(hops) == Some(403) {};
    let plain_and_written: [(&[u8], &[&[u8]]); 4] = [
        (b"198.51.100.1", &[b"\"198.51.100.1\"", b"198.51.100.1:443", b"198.51.100.1, ", b"\xff\xfe, 198.51.100.1"]),
        (b"2001:db8::1", &[b"[2001:db8::2]", b"2001:db8::2%eth0", b"\"[2001:db8::2]:443\"", b"[2001:db8::2%1]:9"]),
        (b"198.51.100.1\r\nX-Forwarded-For: 198.51.100.2", &[b"198.51.100.2\r\nX-Forwarded-For: "]),
        // What cannot be read is one for all.
        (b"unknown", &[b"\xff", b"_hidden", b"198.51.100.9, [2001:db8::7", b"1.2.3.4.5", b"\"", b"[::1]x"]),
    ];
    for (plain, written) in plain_and_written {
        use_up(plain);
        for hops in written {
            assert_eq!(status(hops), Some(429), "{}", String::from_utf8_lossy(hops));
        }
    }
    // The proxy itself is somebody else all the time.
    assert_eq!(status(b""), Some(403));
    assert_eq!(status(b", ,"), Some(403));
}

/// Resident memory of a process, in KiB.
fn resident_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its resident memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn the_memory_of_passwords_is_given_back() {
    let shell = Shell::new();
    shell.ok(&["user", "add", "--email", "ada@example.com"]);
    let serving = shell.serve(&[]);
    let client = Client::new(&serving.addresses()[0]);
    let log_in = |number: usize| {
        let body = json!({ "email": format!("person-{number}@example.com"), "password": "wrong horse battery" });
        client.post("/app/v1/login").json(&body).send().status
    };
    assert_eq!(log_in(0), 401);
    let idle = resident_kib(serving.id());
    for round in 0..2 {
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..150).map(|number| scope.spawn(move || log_in(1_000 * round + number))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(statuses.iter().all(|status| [401, 429, 503].contains(status)), "{statuses:?}");
    }
    let after = resident_kib(serving.id());
    assert!(10 * after <= 13 * idle, "{idle} KiB idle, {after} KiB after the log-ins");
}

#[test]
fn a_log_in_must_have_its_shape() {
    let server = open().start();
    for (body, fields) in [
        (json!({}), vec!["email", "password"]),
        (json!({ "email": "a@b.c" }), vec!["password"]),
        (json!({ "email": "a@b.c", "password": 7 }), vec!["password"]),
        (json!({ "email": "a@b.c", "password": "p", "remember": true }), vec!["remember"]),
    ] {
        let answer = server.client.post("/app/v1/login").json(&body).send();
        assert_eq!(answer.issue_paths(), fields, "{body}");
    }
}

#[test]
fn an_address_may_register_ten_times_a_minute() {
    let server = open().start();
    let mut number = 0;
    let mut next = || {
        number += 1;
        register(&server, &person(&format!("person-{number}@example.com")))
    };
    for _ in 0..10 {
        next().expect(201);
    }
    let answer = next();
    answer.refused(429, "rate_limited");
    assert_eq!(answer.number("retry-after"), 60);
    server.advance_s(59);
    assert_eq!(next().number("retry-after"), 1);
    // A header anybody can write makes nobody another address.
    let forged = server.client.post("/app/v1/register").header("X-Forwarded-For", "203.0.113.9");
    forged.json(&person("forged@example.com")).send().refused(429, "rate_limited");
    server.advance_s(1);
    next().expect(201);
}

#[test]
fn behind_a_trusted_proxy_addresses_are_told_apart() {
    let server = open().settings(|settings| settings.trusted_proxies = Some("127.0.0.1".to_owned())).start();
    let from = |address: &str, number: usize| {
        let request = server.client.post("/app/v1/register").header("X-Forwarded-For", address);
        request.json(&person(&format!("person-{}-{number}@example.com", address.replace([':', ',', ' '], "-")))).send()
    };
    for number in 0..10 {
        from("203.0.113.9", number).expect(201);
    }
    from("203.0.113.9", 10).refused(429, "rate_limited");
    from("203.0.113.10", 0).expect(201);
    // Only the hop the proxy itself wrote counts; what the caller put in front of it is hearsay.
    from("198.51.100.1, 203.0.113.9", 11).refused(429, "rate_limited");
    // A proxy may add a line of its own instead of going on with the caller's, and a port to the address.
    for (own, added) in
        [("198.51.100.2", "203.0.113.9"), ("198.51.100.3, 203.0.113.9", "127.0.0.1"), ("x", "203.0.113.9:4711")]
    {
        let request = server.client.post("/app/v1/register").header("X-Forwarded-For", own);
        let request = request.header("X-Forwarded-For", added).json(&person("forged@example.com"));
        request.send().refused(429, "rate_limited");
    }
}

#[test]
fn the_addresses_of_a_trusted_network_are_all_proxies() {
    let proxies = "127.0.0.0/8, 10.0.0.0/8, 2001:db8:5::/48".to_owned();
    let server = open().settings(|settings| settings.trusted_proxies = Some(proxies)).start();
    let from = |hops: &str, number: usize| {
        let request = server.client.post("/app/v1/register").header("X-Forwarded-For", hops);
        request.json(&person(&format!("person-{number}@example.com"))).send()
    };
    let hops = ["203.0.113.9, 10.1.2.3", "203.0.113.9,2001:db8:5::7, 10.255.0.1", "::ffff:203.0.113.9"];
    for number in 0..10 {
        from(hops[number % 3], number).expect(201);
    }
    from("203.0.113.9", 10).refused(429, "rate_limited");
    // Beside the network it is somebody.
    from("203.0.113.9, 11.0.0.1", 11).expect(201);
    // What is no address ends what can be believed: it is nobody who is known, and not the proxy before it.
    from("203.0.113.9, unknown, 10.1.2.3", 12).expect(201);
}

#[test]
fn the_addresses_of_one_ipv6_network_are_one() {
    let server = with_ada_at("2001:db8:1:2::1");
    for number in 0..7 {
        login_from(&server, "2001:db8:1:3::1", &format!("{number}@example.com"), PASSWORD).refused(401, "unauthorized");
    }
    // The owner is known in the whole of their network, and nowhere else.
    at_once(&server, "2001:db8:9::1", "wrong horse battery", 20);
    login_from(&server, "2001:db8:1:2:ffff::9", "ada@example.com", PASSWORD).expect(200);
    login_from(&server, "2001:db8:1:3::9", "ada@example.com", PASSWORD).refused(429, "rate_limited");
    // 60 attempts a minute, from whichever of its addresses.
    let tries = (0..60).filter(|number| {
        let address = format!("2001:db8:1:3::{number:x}");
        login_from(&server, &address, &format!("{number}@example.org"), PASSWORD).status == 401
    });
    assert_eq!(tries.count(), 53);
}

#[test]
fn no_cache_keeps_what_holds_a_secret() {
    let server = open().start();
    let stored = |answer: &Answer| assert_eq!(answer.header("cache-control"), Some("no-store"), "{answer}");
    stored(&register(&server, &person("ada@example.com")));
    let session = login(&server, "ada@example.com", PASSWORD);
    stored(&session);
    stored(&login(&server, "ada@example.com", "wrong horse battery"));
    let token = session.expect(200)["access_token"].as_str().unwrap().to_owned();
    let request = json!({ "name": "n", "scopes": RECONCILE });
    let made = server.client.post("/api/v1/keys").bearer(&token).json(&request).send();
    stored(&made);
    stored(&server.client.get("/api/v1/keys").bearer(&token).send());
    let path = format!("/api/v1/keys/{}", made.expect(201)["id"]);
    stored(&server.client.delete(&path).bearer(&token).send());
}

#[test]
fn a_password_is_stored_nowhere_in_plain() {
    let server = open().start();
    let password = "a password nobody else has";
    let body = json!({ "email": "ada@example.com", "password": password, "name": "Ada" });
    register(&server, &body).expect(201);
    let session = login(&server, "ada@example.com", password).expect(200);
    let token = session["access_token"].as_str().unwrap();
    let request = json!({ "name": "n", "scopes": RECONCILE });
    let key = server.client.post("/api/v1/keys").bearer(token).json(&request).send().expect(201);
    let secret = key["key"].as_str().unwrap().rsplit('_').next().unwrap().to_owned();
    let folder = server.folder();
    server.stop();
    for file in files(folder.path()) {
        let bytes = std::fs::read(&file).unwrap();
        for text in [password, &secret, token] {
            let found = bytes.windows(text.len()).any(|window| window == text.as_bytes());
            assert!(!found, "found in {}", file.display());
        }
    }
}

#[test]
fn registration_is_closed_unless_it_was_opened() {
    for given in [None, Some(false)] {
        let server = Setup::new().settings(|settings| settings.open_registration = given).start();
        let refused = register(&server, &person("ada@example.com")).refused(403, "forbidden");
        assert_eq!(refused["details"], json!({ "reason": "registration_closed" }));
        assert_eq!(register(&server, &json!({})).refused(403, "forbidden"), refused);
        server.client.post("/app/v1/register").body("{").send().refused(400, "invalid_json");
        login(&server, "ada@example.com", PASSWORD).refused(401, "unauthorized");
        assert_eq!(server.rows_of("user_account"), 0);
        // Who tries too often is refused for that, as where registration is open.
        for _ in 0..8 {
            register(&server, &person("ada@example.com")).refused(403, "forbidden");
        }
        register(&server, &person("ada@example.com")).refused(429, "rate_limited");
    }
}
