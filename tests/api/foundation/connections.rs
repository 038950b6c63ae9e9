//! The connection around a request: pipelining, early answers, HEAD, what is not HTTP.

use std::io::{BufRead as _, ErrorKind};
use std::time::Duration;

use super::support::{Client, LARGE_BYTES, chunked, exchange, request, start};
use crate::support::until;

#[test]
fn pipelined_requests_after_errors_are_answered_in_order() {
    let server = start();
    let key = format!("X-API-Key: {}", server.full_key);
    let mut client = Client::connect(server.address);
    let mut bytes = Vec::new();
    let mut expected = Vec::new();
    for _ in 0..10 {
        for (head, body, status) in [
            ("POST /echo", "{}", 401),
            (&format!("POST /echo\n{key}"), "{\"a\":[1,2]}", 200),
            ("GET /nowhere", "", 404),
            ("GET /nowhere", "ignored", 404),
            ("PUT /echo", "{}", 405),
            (&format!("POST /echo\n{key}\nContent-Type: text/plain"), "{}", 415),
            (&format!("GET /panic\n{key}"), "", 500),
            (&format!("GET /items/1\n{key}"), "", 200),
        ] {
            bytes.extend(request(head, body));
            expected.push(status);
        }
    }
    client.send(&bytes);
    let answered: Vec<u16> = expected.iter().map(|_| client.answer().checked().0).collect();
    assert_eq!(answered, expected);
}

#[test]
fn a_client_that_goes_on_sending_can_still_read_an_early_answer() {
    let server = start();
    for (head, body, status) in [
        ("POST /echo\nContent-Length: 27000000", vec![b' '; 27_000_000], 413),
        ("POST /small\nContent-Length: 20000000", vec![b' '; 20_000_000], 413),
        ("POST /echo\nContent-Length: 20000000", vec![b'x'; 20_000_000], 400),
        ("GET /nowhere\nContent-Length: 20000000", vec![b'x'; 20_000_000], 404),
        ("POST /echo\nTransfer-Encoding: chunked", chunked(&vec![b' '; 27_000_000], 1 << 16), 413),
    ] {
        let mut client = Client::connect(server.address);
        client.send(request(head, ""));
        client.send(&body);
        assert_eq!(client.answer().checked().0, status, "{head}");
    }
}

#[test]
fn an_endless_body_after_an_early_answer_does_not_last() {
    let server = start();
    for head in ["POST /small\nContent-Length: 9999999999", "POST /small\nTransfer-Encoding: chunked"] {
        let mut client = Client::connect(server.address);
        client.send(request(head, ""));
        let piece = [b"10000\r\n".to_vec(), vec![b' '; 0x10000], b"\r\n".to_vec()].concat();
        let mut sent = 0_usize;
        while client.send_if_possible(&piece) {
            sent += piece.len();
            assert!(sent < 200 << 20, "{head}: still read after {sent} bytes");
        }
    }
}

#[test]
fn a_cut_off_body_is_not_served_and_does_no_harm() {
    let server = start();
    for head in [format!("POST /echo\nX-API-Key: {}", server.full_key), "POST /echo".to_owned()] {
        let mut client = Client::connect(server.address);
        client.send(request(&format!("{head}\nContent-Length: 100"), ""));
        client.send("[1,2]");
        client.stream.get_ref().shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(client.answer().checked().0, 400);
    }
    assert_eq!(exchange(server.address, "GET /health", "").status, 200);
}

#[test]
fn head_is_get_without_the_body() {
    let server = start();
    let mut client = Client::connect(server.address);
    for _ in 0..2 {
        client.send(request(&format!("HEAD /items/7\nX-API-Key: {}", server.full_key), ""));
        let answer = client.answer_to("HEAD");
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-length"), "23");
    }
    client.send(request("GET /health", ""));
    assert_eq!(client.answer().json()["ok"], true);
}

#[test]
fn expect_100_continue_is_honoured() {
    let server = start();
    let mut client = Client::connect(server.address);
    client.send(request(
        &format!("POST /echo\nX-API-Key: {}\nExpect: 100-continue\nContent-Length: 2", server.full_key),
        "",
    ));
    assert_eq!([client.line(), client.line()], ["HTTP/1.1 100 Continue", ""]);
    client.send("{}");
    assert_eq!(client.answer().json()["length"], 2);
}

#[test]
fn bytes_that_are_not_http_get_a_bare_status_and_a_closed_connection() {
    let server = start();
    for bytes in [
        "nonsense\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
    ] {
        let mut client = Client::connect(server.address);
        client.send(bytes);
        assert_eq!(client.answer().status, 400);
        assert!(client.is_closed());
    }
    let mut client = Client::connect(server.address);
    client.send(format!("GET /health HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "x".repeat(200_000)));
    assert_eq!(client.answer().status, 431);
    let mut client = Client::connect(server.address);
    client.send("GET /health HTTP/1.1\r\n");
    assert_eq!(client.answer().status, 408, "a head that never ends");
}

#[test]
fn large_heads_are_read_across_turns() {
    let server = start();
    let answer = exchange(server.address, &format!("GET /health\nX: {}", "x".repeat(60_000)), "");
    assert_eq!(answer.status, 200);
}

#[test]
fn the_head_of_a_later_request_has_its_time_like_the_first() {
    let server = start();
    let mut client = Client::connect(server.address);
    client.send(request("GET /health", ""));
    assert_eq!(client.answer().checked().0, 200);
    client.send("GET /health HTTP/1.1\r\nHost: x\r\nX-More: ");
    client.stream.get_ref().set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    // A little more of it, again and again, gains no time.
    let closed = (0..3_000).find(|_| match client.stream.fill_buf() {
        Ok(bytes) => bytes.is_empty(),
        Err(error) if error.kind() == ErrorKind::WouldBlock => !client.send_if_possible("a"),
        Err(_) => true,
    });
    assert!(closed.is_some(), "still waiting for the head");
    assert_eq!(exchange(server.address, "GET /health", "").status, 200);
}

#[test]
fn who_does_not_read_is_cut_off() {
    let server = start();
    let mut client = Client::connect(server.address);
    for _ in 0..16 {
        client.send(request("GET /large", ""));
    }
    until("the connection is closed by force", || client.stream.get_ref().take_error().unwrap());
    assert_eq!(exchange(server.address, "GET /health", "").status, 200);
}

#[test]
fn who_reads_slowly_gets_everything_and_the_next_answer() {
    let server = start();
    let mut client = Client::connect(server.address);
    client.send([request("GET /large", ""), request("GET /health", "")].concat());
    let mut received = Vec::new();
    while received.len() < LARGE_BYTES {
        // Together longer than a client may read nothing, and than a head may take.
        std::thread::sleep(Duration::from_millis(100));
        let mut piece = vec![0; 64 << 10];
        std::io::Read::read_exact(&mut client.stream, &mut piece).unwrap();
        received.extend_from_slice(&piece);
    }
    let end = client.stream.read_until(b'}', &mut received).unwrap();
    assert!(end > 0 && received.ends_with(b"x\"}"), "the end of the large answer");
    assert_eq!(client.answer().checked().0, 200);
    client.send(request("GET /large", ""));
    assert_eq!(client.answer().body.len(), LARGE_BYTES + "{\"text\":\"\"}".len());
}

#[test]
fn a_head_that_begins_beside_another_request_has_no_more_time() {
    let server = start();
    let mut client = Client::connect(server.address);
    client.send(
        [request("GET /health", ""), request("GET /nowhere", ""), b"GET /health HTTP/1.1\r\nX: ".to_vec()].concat(),
    );
    assert_eq!(client.answer().checked().0, 200);
    assert_eq!(client.answer().checked().0, 404);
    // Nothing more is sent; a connection that rests would be kept for longer than this waits.
    assert!(client.stream.fill_buf().unwrap().is_empty(), "closed");
}

#[test]
fn requests_that_come_together_are_answered_each() {
    let server = start();
    let mut client = Client::connect(server.address);
    let key = format!("X-API-Key: {}", server.full_key);
    let kinds = [
        (request("GET /health", ""), 200),
        (request(&format!("POST /echo\n{key}"), "{\"a\":\"\\r\\n\\r\\n\"}"), 200),
        (request("GET /large", ""), 200),
        (request("GET /nowhere", "GET /health HTTP/1.1\r\n\r\n"), 404),
        (request(&format!("GET /items/1\n{key}"), ""), 200),
    ];
    for size in [1, 7, 100, 1_000, 10_000] {
        let bytes: Vec<u8> = kinds.iter().cycle().take(20).flat_map(|(bytes, _)| bytes.clone()).collect();
        let mut sending = client.stream.get_ref().try_clone().unwrap();
        let sender = std::thread::spawn(move || {
            for piece in bytes.chunks(size) {
                std::io::Write::write_all(&mut sending, piece).unwrap();
            }
        });
        for (_, status) in kinds.iter().cycle().take(20) {
            assert_eq!(client.answer().checked().0, *status, "{size}");
        }
        sender.join().unwrap();
    }
}
