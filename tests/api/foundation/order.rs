//! 413 (declared) → 400 `invalid_json` → 401 → 429 → 403 → 415 → the product.

use super::support::{Answer, Setup, TestServer, exchange, start, start_with};
use bookkeeping_suite::domain::caller::RateRule;

/// What may be wrong with a request, in the order in which it must be reported.
const FAULTS: [(&str, u16, &str); 6] = [
    ("too large", 413, "payload_too_large"),
    ("bad json", 400, "invalid_json"),
    ("bad key", 401, "unauthorized"),
    ("rate", 429, "rate_limited"),
    ("scope", 403, "forbidden"),
    ("media type", 415, "unsupported_media_type"),
];

fn send(server: &TestServer, faults: &[bool; 6], wrong_key: &str) -> Answer {
    let [too_large, bad_json, bad_key, _, scope, media_type] = *faults;
    let key = match (bad_key, scope) {
        (true, _) => wrong_key,
        (false, true) => &server.read_key,
        (false, false) => &server.full_key,
    };
    let mut head = "POST /echo".to_owned();
    if !key.is_empty() {
        head.push_str(&format!("\nAuthorization: Bearer {key}"));
    }
    if media_type {
        head.push_str("\nContent-Type: text/plain");
    }
    if too_large {
        head.push_str("\nContent-Length: 27000000");
    }
    exchange(server.address, &head, if bad_json { "{\"a\":}" } else { "{\"a\":1}" })
}

#[test]
fn the_first_fault_in_the_order_is_reported_for_every_combination() {
    let calm = start_with(Setup { rule: RateRule { limit: 1_000, window_ms: 60_000 }, ..Setup::default() });
    let exhausted = start_with(Setup { rule: RateRule { limit: 1, window_ms: 60_000 }, ..Setup::default() });
    for key in [&exhausted.full_key, &exhausted.read_key] {
        let answer = exchange(exhausted.address, &format!("GET /whoami\nX-API-Key: {key}"), "");
        assert_eq!(answer.checked().0, 200);
    }
    for combination in 0..64_u32 {
        let mut faults = [false; 6];
        for (bit, fault) in faults.iter_mut().enumerate() {
            *fault = combination & (1 << bit) != 0;
        }
        let server = if faults[3] { &exhausted } else { &calm };
        let (head, last) = server.full_key.split_at(server.full_key.len() - 1);
        let well_formed = format!("{head}{}", if last == "0" { "1" } else { "0" });
        for wrong_key in ["", "nonsense", well_formed.as_str()] {
            let answer = send(server, &faults, wrong_key);
            let first = FAULTS.iter().zip(faults).find(|(_, fault)| *fault).map(|(expected, _)| *expected);
            let expected = first.map_or((200, ""), |(_, status, code)| (status, code));
            let (status, code) = answer.checked();
            assert_eq!((status, code.as_str()), expected, "{faults:?} {wrong_key:?}: {answer:?}");
            let accepted = !matches!(status, 413 | 400 | 401);
            assert_eq!(answer.has_rate_headers(), accepted, "{faults:?}: {answer:?}");
            if status == 429 {
                assert_eq!(answer.header("retry-after"), answer.header("ratelimit-reset"));
                assert_eq!(answer.header("ratelimit-remaining"), "0");
            }
        }
    }
}

#[test]
fn the_same_order_holds_for_bodies_that_come_in_chunks() {
    let server = start();
    let chunked = |head: &str, body: &str| {
        let body = super::support::chunked(body.as_bytes(), 3);
        exchange(server.address, &format!("{head}\nTransfer-Encoding: chunked"), body).checked()
    };
    assert_eq!(chunked("POST /echo", "{\"a\":}").1, "invalid_json");
    assert_eq!(chunked("POST /echo", "{\"a\":1}").1, "unauthorized");
    let key = format!("POST /echo\nX-API-Key: {}", server.full_key);
    assert_eq!(chunked(&key, "{\"a\":1}").0, 200);
    assert_eq!(chunked(&key, "{\"a\":").1, "invalid_json");
}

#[test]
fn product_answers_come_last_and_carry_the_rate_headers() {
    let server = start();
    let get = |path: &str| exchange(server.address, &format!("GET {path}\nX-API-Key: {}", server.full_key), "");
    for (path, status, code) in [
        ("/items/missing", 404, "not_found"),
        ("/items/7", 200, ""),
        ("/broken", 500, "internal_error"),
        ("/busy", 503, "busy"),
        ("/panic", 500, "internal_error"),
        ("/panic-before", 500, "internal_error"),
        ("/nowhere", 404, "not_found"),
        ("/echo", 405, "method_not_allowed"),
    ] {
        let answer = get(path);
        assert_eq!(answer.checked(), (status, code.to_owned()), "{path}");
        assert!(answer.has_rate_headers(), "{path}: {answer:?}");
        assert!(!String::from_utf8_lossy(&answer.body).contains("secret"), "causes are for the log: {answer:?}");
        assert_eq!(answer.header("retry-after"), if status == 503 { "3" } else { "" });
    }
}

#[test]
fn job_polls_need_a_key_and_leave_the_scope_to_the_product() {
    let server = start();
    assert_eq!(exchange(server.address, "GET /jobs/1", "").checked().1, "unauthorized");
    let answer = exchange(server.address, &format!("GET /jobs/1\nX-API-Key: {}", server.read_key), "");
    assert_eq!(answer.json()["reads"], false);
    let answer = exchange(server.address, &format!("GET /items/1\nX-API-Key: {}", server.read_key), "");
    assert_eq!(answer.checked().1, "forbidden");
}

#[test]
fn unknown_paths_and_methods_need_no_credentials_but_count_those_that_are_accepted() {
    let server = start_with(Setup { rule: RateRule { limit: 2, window_ms: 60_000 }, ..Setup::default() });
    for path in ["/", "/nowhere", "/items", "/items/", "/items/1/2", "/api/v1/nowhere", "/%00", "//health"] {
        let answer = exchange(server.address, &format!("GET {path}"), "");
        assert_eq!(answer.checked(), (404, "not_found".to_owned()), "{path}");
        assert!(!answer.has_rate_headers());
    }
    for (method, path, allow) in [
        ("PUT", "/items/1", "DELETE, GET, HEAD"),
        ("POST", "/health", "GET, HEAD"),
        ("GET", "/echo", "POST"),
        ("TRACE", "/session", "GET, HEAD, POST"),
        ("OPTIONS", "/echo", "POST"),
        ("BREW", "/echo", "POST"),
    ] {
        let answer = exchange(server.address, &format!("{method} {path}\nAuthorization: Bearer nonsense"), "");
        assert_eq!(answer.checked(), (405, "method_not_allowed".to_owned()), "{method} {path}");
        assert_eq!(answer.header("allow"), allow);
        assert!(!answer.has_rate_headers());
    }
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let answer = exchange(server.address, &format!("GET /nowhere\nX-API-Key: {}", server.full_key), "");
        assert!(answer.has_rate_headers());
        statuses.push(answer.checked().0);
    }
    assert_eq!(statuses, [404, 404, 429]);
}

#[test]
fn sessions_are_told_apart_from_keys() {
    let server = start();
    let get = |headers: &str| exchange(server.address, &format!("GET /session\n{headers}"), "");
    assert_eq!(get("").checked().1, "unauthorized");
    assert_eq!(get("Authorization: Basic eDp5").checked().1, "unauthorized");
    assert_eq!(get("Authorization: Bearer wrong").checked().1, "invalid_token");
    assert_eq!(get(&format!("Authorization: Bearer {}", server.full_key)).checked().1, "invalid_token");
    assert_eq!(get(&format!("X-API-Key: {}", server.full_key)).checked().1, "unauthorized");
    let answer = get("Authorization: bearer good-session");
    assert_eq!(answer.json()["user_id"], 9);
    assert!(answer.has_rate_headers());
    let answer = exchange(server.address, "GET /whoami\nAuthorization: Bearer good-session", "");
    assert_eq!(answer.checked().1, "unauthorized");
}

#[test]
fn a_session_counts_in_the_persons_window_and_a_body_fault_comes_before_it() {
    let server = start_with(Setup { rule: RateRule { limit: 1, window_ms: 60_000 }, ..Setup::default() });
    let post = |token: &str, body: &str| {
        exchange(server.address, &format!("POST /session\nAuthorization: Bearer {token}"), body).checked().1
    };
    assert_eq!(post("wrong", "{"), "invalid_json");
    assert_eq!(post("wrong", "{}"), "invalid_token");
    assert_eq!(post("good-session", "{}"), "");
    assert_eq!(post("good-session", "{}"), "rate_limited");
    assert_eq!(exchange(server.address, &format!("GET /whoami\nX-API-Key: {}", server.full_key), "").status, 200);
}

#[test]
fn credentials_in_both_headers_must_be_equal() {
    let server = start();
    let (full, read) = (&server.full_key, &server.read_key);
    let get = |headers: String| exchange(server.address, &format!("GET /whoami\n{headers}"), "").checked().0;
    assert_eq!(get(format!("Authorization: Bearer {full}\nX-API-Key: {full}")), 200);
    assert_eq!(get(format!("Authorization: Bearer {full}\nX-API-Key: {read}")), 401);
    assert_eq!(get(format!("Authorization: Bearer {full}\nAuthorization: Bearer {full}")), 200);
    assert_eq!(get(format!("Authorization: Bearer {full}\nAuthorization: Bearer {read}")), 401);
    assert_eq!(get(format!("X-API-Key: {full}\nX-API-Key: {read}")), 401);
    assert_eq!(get(format!("X-API-Key: {full}\nAuthorization: Basic eDp5")), 401);
    assert_eq!(get(format!("aUTHORIZATION: bEaReR   {full}  ")), 200);
    assert_eq!(get(format!("Authorization: {full}")), 401);
    assert_eq!(get("X-API-Key: ".to_owned()), 401);
}

#[test]
fn rate_headers_count_down_and_the_window_ends() {
    let server = start_with(Setup { rule: RateRule { limit: 2, window_ms: 60_000 }, ..Setup::default() });
    for pending in [false, true] {
        server.gate.asks_others.store(pending, std::sync::atomic::Ordering::Relaxed);
        for (status, remaining, reset) in [(200, "1", "60"), (200, "0", "50"), (429, "0", "40")] {
            let answer = exchange(server.address, &format!("GET /whoami\nX-API-Key: {}", server.full_key), "");
            assert_eq!(answer.checked().0, status);
            assert_eq!(answer.header("ratelimit-limit"), "2");
            assert_eq!(answer.header("ratelimit-policy"), "2;w=60");
            assert_eq!(answer.header("ratelimit-remaining"), remaining);
            assert_eq!(answer.header("ratelimit-reset"), reset);
            server.clock.advance_ms(10_000);
        }
        server.clock.advance_ms(60_000);
    }
    let health = exchange(server.address, &format!("GET /health\nX-API-Key: {}", server.full_key), "");
    assert!(health.status == 200 && !health.has_rate_headers());
    assert_eq!(exchange(server.address, "GET /health\nX-API-Key: wrong", "").status, 200);
}

#[test]
fn keys_that_are_too_old_to_be_trusted_make_authenticated_calls_busy() {
    let server = start();
    server.gate.stale.store(true, std::sync::atomic::Ordering::Relaxed);
    let answer = exchange(server.address, &format!("GET /whoami\nX-API-Key: {}", server.full_key), "");
    assert_eq!(answer.checked(), (503, "busy".to_owned()));
    assert_eq!(answer.header("retry-after"), "1");
    assert_eq!(exchange(server.address, "POST /echo", "{").checked().1, "invalid_json");
    assert_eq!(exchange(server.address, "GET /health", "").status, 200);
}

#[test]
fn media_types_and_encodings() {
    let server = start();
    let post = |headers: &str, body: &[u8]| {
        exchange(server.address, &format!("POST /echo\nX-API-Key: {}\n{headers}", server.full_key), body).checked()
    };
    for accepted in [
        "",
        "Content-Type: application/json",
        "Content-Type: APPLICATION/vnd.x+JSON; charset=utf-8",
        "Content-Encoding: identity",
    ] {
        assert_eq!(post(accepted, b"{}").0, 200, "{accepted}");
    }
    for refused in [
        "Content-Type: text/plain",
        "Content-Type: multipart/form-data; boundary=x",
        "Content-Type: ",
        "Content-Encoding: br",
    ] {
        assert_eq!(post(refused, b"{}").1, "unsupported_media_type", "{refused}");
    }
    // What is encoded is not the JSON text, so its syntax is not what is wrong with it.
    assert_eq!(post("Content-Encoding: gzip", b"\x1f\x8b\x08\x00").1, "unsupported_media_type");
    assert_eq!(
        exchange(server.address, "POST /echo\nContent-Encoding: gzip", b"\x1f\x8b\x08").checked().1,
        "unauthorized"
    );
    assert_eq!(post("Content-Type: text/plain", b"hello").1, "invalid_json");
}

#[test]
fn request_ids_are_minted_here_and_unique() {
    let server = start();
    let first = exchange(server.address, "GET /health\nX-Request-Id: mine", "");
    let second = exchange(server.address, "GET /health\nX-Request-Id: mine", "");
    assert_ne!(first.header("x-request-id"), second.header("x-request-id"));
    assert!(first.checked().0 == 200 && !first.header("x-request-id").contains("mine"));
}

#[test]
fn every_finished_request_is_observed_once_with_its_route() {
    let server = start();
    exchange(server.address, "GET /health", "");
    exchange(server.address, "HEAD /health", "");
    exchange(server.address, "GET /nowhere", "");
    exchange(server.address, "POST /echo", "{");
    exchange(server.address, &format!("GET /panic\nX-API-Key: {}", server.full_key), "");
    let seen = server.seen.0.lock().unwrap().clone();
    let expected = [
        (Some(0), "GET", 200),
        (Some(0), "HEAD", 200),
        (None, "GET", 404),
        (Some(2), "POST", 400),
        (Some(10), "GET", 500),
    ];
    let seen: Vec<_> = seen.iter().map(|(route, method, status)| (*route, method.as_str(), *status)).collect();
    assert_eq!(seen, expected);
}
