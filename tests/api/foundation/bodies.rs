//! Bodies: size, syntax, speed, budget.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bookkeeping_suite::http::BodyLimits;

use crate::support::until;

use super::support::{Client, SESSION, Setup, chunked, exchange, request, start, start_with};

const MAX: usize = 26_214_400;

fn json_of(length: usize) -> Vec<u8> {
    let mut body = vec![b'a'; length];
    body[0] = b'"';
    body[length - 1] = b'"';
    body
}

#[test]
fn the_largest_body_is_accepted_and_one_byte_more_is_not() {
    let server = start();
    let key = &server.full_key;
    let head = format!("POST /echo\nX-API-Key: {key}");
    assert_eq!(exchange(server.address, &head, json_of(MAX)).json()["length"], MAX);
    assert_eq!(exchange(server.address, &head, json_of(MAX + 1)).checked(), (413, "payload_too_large".to_owned()));
    let head = format!("{head}\nTransfer-Encoding: chunked");
    assert_eq!(exchange(server.address, &head, chunked(&json_of(MAX), 1 << 20)).json()["length"], MAX);
    for head in [head.as_str(), "POST /echo\nTransfer-Encoding: chunked"] {
        let answer = exchange(server.address, head, chunked(&json_of(MAX + 1), 1 << 20));
        assert_eq!(answer.checked(), (413, "payload_too_large".to_owned()));
    }
    let mut client = Client::connect(server.address);
    client.send(request("POST /echo\nContent-Length: 99999999999999", ""));
    assert_eq!(client.answer().checked().0, 413, "a declared length is refused before a byte is read");
}

#[test]
fn a_route_may_have_a_smaller_limit() {
    let server = start();
    assert_eq!(exchange(server.address, "POST /small", json_of(1024)).json()["length"], 1024);
    assert_eq!(exchange(server.address, "POST /small", json_of(1025)).checked().0, 413);
    let answer = exchange(server.address, "POST /small\nTransfer-Encoding: chunked", chunked(&json_of(1025), 100));
    assert_eq!(answer.checked().0, 413);
}

#[test]
fn a_body_a_little_too_large_leaves_the_connection_usable_however_it_arrives() {
    let server = start();
    let whole = request("POST /small", json_of(17_000));
    for pieces in [1, 2, 7] {
        let mut client = Client::connect(server.address);
        for piece in whole.chunks(whole.len().div_ceil(pieces)) {
            client.send(piece);
        }
        let answer = client.answer();
        assert_eq!((answer.checked().0, answer.header("connection")), (413, ""));
        client.send(request("POST /small", json_of(1024)));
        assert_eq!(client.answer().json()["length"], 1024);
    }
}

#[test]
fn malformed_bodies_get_the_reason_and_the_byte_with_or_without_a_key() {
    let server = start();
    let with_key = format!("POST /echo\nX-API-Key: {}", server.full_key);
    let deep = |levels: usize| [vec![b'['; levels], vec![b']'; levels]].concat();
    for (body, reason) in [
        (b"".to_vec(), "the body is empty; a JSON value is required at byte 0"),
        (b" \n".to_vec(), "the body is empty; a JSON value is required at byte 2"),
        (b"{\"a\":1,}".to_vec(), "expected a key at byte 7"),
        (b"{} x".to_vec(), "only one JSON value is allowed at byte 3"),
        (b"\"\\ud800\"".to_vec(), "lone surrogate in a string at byte 7"),
        (b"\"\xff\"".to_vec(), "invalid UTF-8 at byte 1"),
        (b"\xef\xbb\xbf{}".to_vec(), "a byte order mark is not allowed at byte 0"),
        (b"\x1f\x8b\x08\x00".to_vec(), "expected a JSON value at byte 0"),
        (deep(129), "nested deeper than 128 levels at byte 128"),
        (vec![b'['; 26_000_000], "nested deeper than 128 levels at byte 128"),
        ([json_of(5_000_000), b"]".to_vec()].concat(), "only one JSON value is allowed at byte 5000000"),
    ] {
        for head in ["POST /echo", "POST /echo\nX-API-Key: nonsense", &with_key] {
            let answer = exchange(server.address, head, &body);
            assert_eq!(answer.checked(), (400, "invalid_json".to_owned()));
            assert_eq!(answer.json()["error"]["details"]["reason"], reason);
        }
    }
    for body in [&b"1e999"[..], b"{\"a\":1,\"a\":2}", b"\"\\u0000\"", &deep(128)] {
        assert_eq!(exchange(server.address, &with_key, body).checked().0, 200, "products refuse these, not the syntax");
        assert_eq!(exchange(server.address, "POST /echo", body).checked().0, 401);
    }
}

#[test]
fn an_optional_body_may_be_absent_but_not_malformed() {
    let server = start();
    let head = format!("POST /optional\nX-API-Key: {}", server.full_key);
    assert_eq!(exchange(server.address, &head, "").json()["length"], 0);
    assert_eq!(exchange(server.address, &head, "{}").json()["length"], 2);
    assert_eq!(exchange(server.address, &head, "{").checked().1, "invalid_json");
    assert_eq!(exchange(server.address, "POST /optional", "").checked().1, "unauthorized");
}

#[test]
fn bodies_of_get_and_delete_are_ignored_and_the_connection_goes_on() {
    let server = start();
    let mut client = Client::connect(server.address);
    for method in ["GET", "DELETE"] {
        let head = format!("{method} /items/7\nX-API-Key: {}\nContent-Type: text/plain", server.full_key);
        client.send(request(&head, "not json"));
        assert_eq!(client.answer().json()["id"], "7");
        client.send(request(&format!("{head}\nTransfer-Encoding: chunked"), chunked(b"not json", 3)));
        assert_eq!(client.answer().json()["id"], "7");
    }
    client.send(request("GET /health\nContent-Length: 5", ""));
    assert_eq!(client.answer().status, 200, "a body that never comes does not hold the answer back");
}

/// Limits of which one alone can end a body.
fn patient() -> BodyLimits {
    let long = Duration::from_secs(3_600);
    BodyLimits { rate_grace: long, min_bytes_per_s: 1, deadline: long, ..BodyLimits::default() }
}

#[test]
fn a_body_that_comes_too_slowly_ends_with_408() {
    let limits = BodyLimits { rate_grace: Duration::from_millis(300), min_bytes_per_s: 1_000_000, ..patient() };
    let server = start_with(Setup { limits, ..Setup::default() });
    let with_key = format!("POST /echo\nX-API-Key: {}", server.full_key);
    for head in ["POST /echo", &with_key] {
        // Nothing at all.
        let mut client = Client::connect(server.address);
        client.send(request(&format!("{head}\nContent-Length: 1000"), ""));
        assert_eq!(client.answer().checked(), (408, "request_timeout".to_owned()));
        // A trickle below the rate.
        let mut client = Client::connect(server.address);
        client.send(request(&format!("{head}\nContent-Length: 1000000"), ""));
        client.send("[");
        assert_eq!(client.send_until_answered(" ").checked(), (408, "request_timeout".to_owned()));
    }
}

#[test]
fn who_was_too_slow_is_not_listened_to_any_longer() {
    let limits = BodyLimits { rate_grace: Duration::from_millis(300), min_bytes_per_s: 1_000_000, ..patient() };
    let server = start_with(Setup { limits, ..Setup::default() });
    for goes_on in [false, true] {
        let mut client = Client::connect(server.address);
        client.send(request("POST /echo\nContent-Length: 1000000", ""));
        client.send("[");
        assert_eq!(client.answer().checked(), (408, "request_timeout".to_owned()));
        // Others that are answered early are given half a minute.
        client.stream.get_ref().set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let closed = (0..500).find(|_| match std::io::BufRead::fill_buf(&mut client.stream) {
            Ok(bytes) => bytes.is_empty(),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => goes_on && !client.send_if_possible(" "),
            Err(_) => true,
        });
        assert!(closed.is_some(), "still open, goes on: {goes_on}");
    }
}

#[test]
fn a_body_that_is_fast_enough_but_over_the_deadline_ends_with_408() {
    let limits = BodyLimits { deadline: Duration::from_millis(600), ..patient() };
    let server = start_with(Setup { limits, ..Setup::default() });
    let with_key = format!("POST /echo\nX-API-Key: {}", server.full_key);
    for head in ["POST /echo", &with_key] {
        let mut client = Client::connect(server.address);
        client.send(request(&format!("{head}\nContent-Length: 1000000"), ""));
        client.send("[");
        assert_eq!(client.send_until_answered([b' '; 100]).checked(), (408, "request_timeout".to_owned()));
    }
}

#[test]
fn a_body_that_comes_slowly_but_in_time_is_served() {
    // A second for each byte, and ten for the first.
    let limits = BodyLimits { rate_grace: Duration::from_secs(10), ..patient() };
    let server = start_with(Setup { limits, ..Setup::default() });
    let mut client = Client::connect(server.address);
    client.send(request(&format!("POST /echo\nX-API-Key: {}\nContent-Length: 5", server.full_key), ""));
    for byte in b"[1,2]" {
        client.send([*byte]);
        // The slowness that is tested; nothing waits for it.
        std::thread::sleep(Duration::from_millis(30));
    }
    assert_eq!(client.answer().json()["length"], 5);
}

#[test]
fn served_bodies_beyond_the_budget_are_refused_as_busy_and_the_budget_recovers() {
    let limits = BodyLimits { max_in_flight_bytes: 1_000_000, ..BodyLimits::default() };
    let server = start_with(Setup { limits, ..Setup::default() });
    let head = format!("POST /echo\nX-API-Key: {}", server.full_key);
    let mut holder = Client::connect(server.address);
    holder.send(request(&format!("{head}\nContent-Length: 900000"), ""));
    holder.send(&json_of(900_000)[..800_000]);
    until("the server has read what the holder sent", || holder.all_is_read().then_some(()));
    let refused = exchange(server.address, &head, json_of(300_000));
    assert_eq!(refused.checked(), (503, "busy".to_owned()));
    assert_eq!(refused.header("retry-after"), "1");
    assert!(refused.has_rate_headers());
    assert_eq!(exchange(server.address, &head, json_of(100_000)).checked().0, 200);
    // Refused requests need no budget, whatever their size.
    assert_eq!(exchange(server.address, "POST /echo", json_of(5_000_000)).checked().0, 401);
    holder.send(&json_of(900_000)[800_000..]);
    assert_eq!(holder.answer().json()["length"], 900_000);
    for _ in 0..5 {
        assert_eq!(exchange(server.address, &head, json_of(900_000)).json()["length"], 900_000);
    }
}

#[test]
fn one_sender_leaves_room_for_others_and_small_bodies_have_room_of_their_own() {
    let limits = BodyLimits { max_bytes: 1_000_000, max_in_flight_bytes: 4_000_000, ..BodyLimits::default() };
    let server = start_with(Setup { limits, ..Setup::default() });
    let head = format!("POST /echo\nX-API-Key: {}", server.full_key);
    let hold = |head: &str| {
        let mut holder = Client::connect(server.address);
        holder.send(request(&format!("{head}\nContent-Length: 1000000"), ""));
        holder.send(&json_of(1_000_000)[..900_000]);
        until("the server has read what the holder sent", || holder.all_is_read().then_some(()));
        holder
    };
    let mut holder = hold(&head);
    let refused = exchange(server.address, &head, json_of(500_000));
    assert_eq!(refused.checked(), (503, "busy".to_owned()));
    assert_eq!(refused.json()["error"]["details"]["reason"], "body_share");
    assert_eq!(exchange(server.address, &head, json_of(60_000)).checked().0, 200);
    // Somebody else.
    let other = format!("POST /session\nAuthorization: Bearer {SESSION}");
    assert_eq!(exchange(server.address, &other, json_of(900_000)).checked().0, 200);
    let of_reader = format!("POST /optional\nX-API-Key: {}", server.read_key);
    let mut of_others = [hold(&other), hold(&of_reader)];
    assert_eq!(exchange(server.address, "POST /small", json_of(1_000)).checked().0, 200);
    for holder in of_others.iter_mut().chain([&mut holder]) {
        holder.send(&json_of(1_000_000)[900_000..]);
        assert_eq!(holder.answer().json()["length"], 1_000_000);
    }
    assert_eq!(exchange(server.address, &head, json_of(500_000)).checked().0, 200);
}

#[test]
fn what_is_revoked_while_the_body_is_on_its_way_is_refused() {
    let server = start();
    let of_key = format!("X-API-Key: {}", server.full_key);
    for head in [format!("POST /echo\n{of_key}"), format!("POST /optional\n{of_key}")] {
        server.gate.revoked.store(false, Ordering::Relaxed);
        let mut client = Client::connect(server.address);
        client.send(request(&format!("{head}\nContent-Length: 100000"), ""));
        client.send(&json_of(100_000)[..50_000]);
        until("the server has read what was sent", || client.all_is_read().then_some(()));
        server.gate.revoked.store(true, Ordering::Relaxed);
        client.send(&json_of(100_000)[50_000..]);
        assert_eq!(client.answer().checked(), (401, "unauthorized".to_owned()));
        // A body that is no JSON is that first.
        server.gate.revoked.store(false, Ordering::Relaxed);
        client.send(request(&format!("{head}\nContent-Length: 100000"), ""));
        client.send(&json_of(100_000)[..50_000]);
        until("the server has read what was sent", || client.all_is_read().then_some(()));
        server.gate.revoked.store(true, Ordering::Relaxed);
        client.send([b'"'; 50_000]);
        assert_eq!(client.answer().checked(), (400, "invalid_json".to_owned()));
    }
}

#[test]
fn bodies_arrive_whole_however_they_are_cut() {
    let server = start();
    let head = format!("POST /echo\nX-API-Key: {}", server.full_key);
    for (length, piece) in [(10, 1), (300, 7), (70_000, 1_000), (200_000, 65_536), (3_000_000, 100_000)] {
        let body = json_of(length);
        let mut client = Client::connect(server.address);
        client.send(request(&format!("{head}\nContent-Length: {length}"), ""));
        for piece in body.chunks(piece) {
            client.send(piece);
        }
        assert_eq!(client.answer().json()["length"], length);
        let head = format!("{head}\nTransfer-Encoding: chunked");
        client.send(request(&head, chunked(&body, piece)));
        assert_eq!(client.answer().json()["length"], length);
        client.send(request("POST /echo\nTransfer-Encoding: chunked", chunked(&body, piece)));
        assert_eq!(client.answer().checked().0, 401);
    }
}

#[test]
fn idempotency_keys_are_read_strictly() {
    let server = start();
    let post = |headers: &str| {
        exchange(server.address, &format!("POST /echo\nX-API-Key: {}\n{headers}", server.full_key), "{}")
    };
    assert_eq!(post("Idempotency-Key: a b-1").json()["idempotency_key"], "a b-1");
    assert_eq!(post("").json()["idempotency_key"], serde_json::Value::Null);
    assert_eq!(post(&format!("Idempotency-Key: {}", "x".repeat(128))).status, 200);
    assert_eq!(post(&format!("Idempotency-Key: {}", "x".repeat(129))).checked().1, "validation_error");
    assert_eq!(post("Idempotency-Key: a\nIdempotency-Key: a").checked().1, "validation_error");
    assert_eq!(post("Idempotency-Key: é").checked().1, "validation_error");
    assert_eq!(post("Idempotency-Key: ").checked().1, "validation_error");
}
