//! A thousand refused uploads at once: what they cost, and that served requests go on meanwhile. `cargo xtask faults` has
//! the same with uploads to their end and with times.
//!
//! The server is a process of its own, so that its memory can be read from outside.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::support::{Client, request};
use crate::support::client::Client as HttpClient;
use crate::support::program::{Serving, Shell};
use crate::support::until;

const BODY_BYTES: usize = 26_214_400;
const UPLOADS: usize = 1_000;
/// Memory an upload may cost.
const UPLOAD_BYTES_MAX: u64 = 64 * 1024;
/// Served requests before and during the flood.
const SERVED: usize = 300;

struct Server {
    serving: Serving,
    address: SocketAddr,
    key: String,
    _shell: Shell,
}

impl Server {
    fn start() -> Self {
        let shell = Shell::new();
        let serving = shell.serve(&["--rate-limit-requests", "10000000"]);
        shell.json(&["user", "add", "--email", "flood@example.com"]);
        let session = shell.ok(&["user", "session", "--email", "flood@example.com"]);
        let [url, _] = serving.addresses();
        let body = json!({ "name": "flood", "scopes": ["reconcile:read"] });
        let made = HttpClient::new(&url).post("/api/v1/keys").bearer(session.trim()).json(&body).send().expect(201);
        let key = made["key"].as_str().unwrap().to_owned();
        let address = url.trim_start_matches("http://").parse().unwrap();
        Self { serving, address, key, _shell: shell }
    }

    fn resident_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.serving.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
    }

    /// Served requests on one connection, one after the other.
    fn serve(&self, count: usize) {
        let mut client = Client::connect(self.address);
        let bytes = request(&format!("GET /api/v1/me\nX-API-Key: {}", self.key), "");
        for _ in 0..count {
            client.send(&bytes);
            assert_eq!(client.answer().status, 200);
        }
    }
}

#[derive(Default)]
struct Progress {
    connected: AtomicUsize,
    answered: AtomicUsize,
    bytes: AtomicU64,
}

/// Uploads without a key until the bodies are through or the runtime is dropped.
fn flood(address: SocketAddr, progress: &Arc<Progress>) -> tokio::runtime::Runtime {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let row = br#"{"date":"2026-01-02","amount":-12.34,"description":"CARD PAYMENT TO ACME SUPPLIES"},"#;
    let piece: Arc<[u8]> = row.repeat(64 * 1024 / row.len()).into();
    for _ in 0..UPLOADS {
        let (piece, progress) = (Arc::clone(&piece), Arc::clone(progress));
        let head = request(&format!("POST /api/v1/reconciliations\nContent-Length: {BODY_BYTES}"), "");
        runtime.spawn(async move {
            let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
            progress.connected.fetch_add(1, Ordering::Relaxed);
            stream.write_all(&head).await.unwrap();
            stream.write_all(b"[").await.unwrap();
            let mut left = BODY_BYTES - 1;
            while left > 0 {
                let now = left.min(piece.len());
                stream.write_all(&piece[..now]).await.unwrap();
                progress.bytes.fetch_add(u64::try_from(now).unwrap(), Ordering::Relaxed);
                left -= now;
            }
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).await.unwrap();
            progress.answered.fetch_add(1, Ordering::Relaxed);
        });
    }
    runtime
}

#[test]
fn a_thousand_refused_uploads_cost_little_and_served_requests_go_on() {
    let server = Server::start();
    server.serve(SERVED);
    let idle_bytes = server.resident_bytes();
    let progress = Arc::new(Progress::default());
    let runtime = flood(server.address, &progress);
    until("all uploads connect", || (progress.connected.load(Ordering::Relaxed) == UPLOADS).then_some(()));
    let enough = u64::try_from(UPLOADS).unwrap() * UPLOAD_BYTES_MAX / 4;
    until("every upload could have sent a piece", || (progress.bytes.load(Ordering::Relaxed) >= enough).then_some(()));
    let mut peak = server.resident_bytes();
    for _ in 0..10 {
        server.serve(SERVED / 10);
        peak = peak.max(server.resident_bytes());
    }
    assert!(progress.answered.load(Ordering::Relaxed) < UPLOADS, "the flood was over before it was measured");
    let per_upload = peak.saturating_sub(idle_bytes) / u64::try_from(UPLOADS).unwrap();
    assert!(per_upload <= UPLOAD_BYTES_MAX, "{per_upload} bytes for each upload");
    runtime.shutdown_background();
}
