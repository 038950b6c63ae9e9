//! Clients that ask for large results and read nothing of them: what the service holds for each is bounded.

use std::io::Write as _;
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::program::{Serving, Shell};
use crate::support::until;

/// Connections that read nothing.
const CONNECTIONS: u64 = 200;
/// What each may make the service hold, in KiB.
const KIB_OF_ONE: u64 = 64;
/// What the memory of a process varies by without that, in KiB.
const KIB_OF_PROCESS: u64 = 8 * 1024;

/// Resident memory of a process, in KiB.
fn resident_kib(process: &Serving) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its resident memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn connections_that_read_nothing_of_a_large_result_hold_little_of_it() {
    let shell = Shell::new();
    shell.ok(&["user", "add", "--email", "ada@example.com", "--monthly-credits", "1000000"]);
    let session = shell.ok(&["user", "session", "--email", "ada@example.com"]).trim().to_owned();
    let serving = shell.serve(&["--rate-limit-requests", "100000"]);
    let client = Client::new(&serving.addresses()[0]);
    let scopes = json!({ "name": "n", "scopes": ["reconcile:read", "reconcile:write"] });
    let made = client.post("/api/v1/keys").bearer(&session).json(&scopes).send().expect(201);
    let key = made["key"].as_str().expect("a key");
    let rows: Vec<Value> = (0..20_000_u32)
        .map(|number| {
            let description = format!("row {} of {number}", number.wrapping_mul(2_654_435_761));
            json!({ "date": "2026-03-01", "amount": 10 + number, "description": description })
        })
        .collect();
    let body = json!({ "bank": rows, "book": rows, "options": { "includeMatched": true } });
    let submitted = client.post("/api/v1/reconciliations").bearer(key).json(&body).send().expect(202);
    let path = format!("/api/v1/reconciliations/{}", submitted["reconciliation_id"].as_str().expect("an id"));
    let result = until("the job ends", || {
        let polled = client.get(&path).bearer(key).send();
        (polled.expect(200)["status"] == "completed").then_some(polled)
    });
    assert!(result.body.len() > 3_000_000, "{} bytes", result.body.len());
    assert_eq!(result.value()["result"]["matched"].as_array().map(Vec::len), Some(20_000));

    let before = resident_kib(&serving);
    let ask = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n");
    let held: Vec<TcpStream> = (0..CONNECTIONS)
        .map(|_| {
            let mut connection = TcpStream::connect(client.address()).expect("connected");
            connection.write_all(ask.as_bytes()).expect("asked");
            connection
        })
        .collect();
    for connection in &held {
        // The answer has begun.
        connection.peek(&mut [0]).expect("an answer");
    }
    // Who reads is served meanwhile, and whole.
    for _ in 0..3 {
        assert!(client.get(&path).bearer(key).send().body == result.body);
    }
    let after = resident_kib(&serving);
    let allowed = before + CONNECTIONS * KIB_OF_ONE + KIB_OF_PROCESS;
    assert!(
        after <= allowed,
        "{before} KiB before, {after} KiB with {CONNECTIONS} that do not read; allowed {allowed}"
    );
    drop(held);
    assert_eq!(serving.terminate().code, Some(0));
}
