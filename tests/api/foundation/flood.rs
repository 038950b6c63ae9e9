//! A thousand refused uploads at once: what they cost, and what a served request notices.
//!
//! The server runs in a child process, so that its memory can be read from outside.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bookkeeping_suite::domain::rate_window::RateRule;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::support::{Client, Setup, request, start_with};

const BODY_BYTES: usize = 26_214_400;
const CHILD: &str = "FOUNDATION_FLOOD_CHILD";

struct Server {
    child: Child,
    address: SocketAddr,
    key: String,
}

impl Server {
    fn spawn() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "foundation::flood::serve_in_a_child", "--ignored", "--nocapture"])
            .env(CHILD, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.find_map(|line| line.unwrap().split_once("READY ").map(|(_, rest)| rest.to_owned())).unwrap();
        // The test runner in the child speaks now and then; it would die of a closed pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let (address, key) = line.split_once(' ').unwrap();
        Self { child, address: address.parse().unwrap(), key: key.to_owned() }
    }

    fn resident_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
    }

    fn processor_seconds(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let ticks: u32 =
            stat.rsplit(") ").next().unwrap().split(' ').skip(11).take(2).map(|t| t.parse::<u32>().unwrap()).sum();
        f64::from(ticks) / 100.0
    }

    /// Round trips of a served request on one connection, sorted.
    fn round_trips(&self, count: usize) -> Vec<Duration> {
        let mut client = Client::connect(self.address);
        let bytes = request(&format!("GET /whoami\nX-API-Key: {}", self.key), "");
        let mut times: Vec<Duration> = (0..count)
            .map(|_| {
                let started = Instant::now();
                client.send(&bytes);
                assert_eq!(client.answer().status, 200);
                let elapsed = started.elapsed();
                std::thread::sleep(Duration::from_millis(1));
                elapsed
            })
            .collect();
        times.sort_unstable();
        times
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

#[test]
#[ignore = "the server of the other tests"]
fn serve_in_a_child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let server = start_with(Setup { rule: RateRule { limit: 10_000_000, window_ms: 60_000 }, ..Setup::default() });
    println!("READY {} {}", server.address, server.full_key);
    // Lives until the parent closes the pipe, or dies.
    let mut line = String::new();
    let _closed = std::io::stdin().read_line(&mut line);
}

#[derive(Default)]
struct Progress {
    connected: AtomicUsize,
    answered: AtomicUsize,
    bytes: AtomicU64,
}

/// Uploads until the bodies are through or the runtime is dropped.
fn flood(address: SocketAddr, head: &str, uploads: usize, progress: &Arc<Progress>) -> tokio::runtime::Runtime {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let row = br#"{"date":"2026-01-02","amount":-12.34,"description":"CARD PAYMENT TO ACME SUPPLIES"},"#;
    let mut piece = Vec::new();
    while piece.len() < 64 * 1024 {
        piece.extend_from_slice(row);
    }
    let piece: Arc<[u8]> = piece.into();
    for _ in 0..uploads {
        let (piece, progress) = (Arc::clone(&piece), Arc::clone(progress));
        let head = request(&format!("{head}\nContent-Length: {BODY_BYTES}"), "");
        runtime.spawn(async move {
            let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
            progress.connected.fetch_add(1, Ordering::Relaxed);
            stream.write_all(&head).await.unwrap();
            stream.write_all(b"[").await.unwrap();
            let mut left = BODY_BYTES - 1;
            while left > 0 {
                let now = left.min(piece.len());
                let now = if left == now { now } else { now.min(left) };
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

fn wait_for(what: &str, limit: Duration, mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < limit, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn median(times: &[Duration]) -> Duration {
    times[times.len() / 2]
}

fn measure(head: &str, uploads: usize, round_trips: usize, to_the_end: bool) {
    let server = Server::spawn();
    server.round_trips(200);
    let idle = server.round_trips(round_trips);
    let idle_bytes = server.resident_bytes();
    let progress = Arc::new(Progress::default());
    let started = Instant::now();
    let runtime = flood(server.address, head, uploads, &progress);
    wait_for("all uploads connect", Duration::from_secs(60), || progress.connected.load(Ordering::Relaxed) == uploads);
    // The peak is looked for in the background while served requests are timed.
    std::thread::sleep(Duration::from_millis(500));
    let processor = (server.processor_seconds(), Instant::now(), progress.bytes.load(Ordering::Relaxed));
    let mut peak = server.resident_bytes();
    let mut busy = Vec::new();
    for _ in 0..10 {
        busy.extend(server.round_trips(round_trips / 10));
        peak = peak.max(server.resident_bytes());
    }
    busy.sort_unstable();
    let seconds = processor.1.elapsed().as_secs_f64();
    let used = (server.processor_seconds() - processor.0) / seconds;
    let bytes = progress.bytes.load(Ordering::Relaxed) - processor.2;
    let per_upload = peak.saturating_sub(idle_bytes) / u64::try_from(uploads).unwrap();
    println!("uploads {uploads}: {per_upload} bytes each at the peak; idle {idle_bytes}");
    let read = bytes as f64 / seconds / 1e6;
    println!("read {read:.0} MB/s using {used:.2} processors");
    for (name, times) in [("idle", &idle), ("busy", &busy)] {
        let at = |share: usize| times[times.len() * share / 100];
        println!("{name}: p50 {:?} p90 {:?} p99 {:?}", at(50), at(90), at(99));
    }
    assert!(progress.answered.load(Ordering::Relaxed) < uploads, "the flood was over before it was measured");
    assert!(per_upload <= 64 * 1024, "{per_upload} bytes for each upload");
    if !cfg!(debug_assertions) {
        assert!(median(&busy) <= 2 * median(&idle), "{:?} against {:?}", median(&busy), median(&idle));
    }
    if to_the_end {
        let mut peak = peak;
        wait_for("all uploads are answered", Duration::from_secs(600), || {
            peak = peak.max(server.resident_bytes());
            progress.answered.load(Ordering::Relaxed) == uploads
        });
        println!("all answered after {:?}", started.elapsed());
        let per_upload = peak.saturating_sub(idle_bytes) / u64::try_from(uploads).unwrap();
        println!("{per_upload} bytes each at the peak of all");
        assert!(per_upload <= 64 * 1024, "{per_upload} bytes for each upload");
        std::thread::sleep(Duration::from_secs(1));
        println!("resident afterwards {}", server.resident_bytes());
    }
    runtime.shutdown_background();
}

#[test]
fn a_thousand_refused_uploads_cost_little_and_served_requests_go_on() {
    measure("POST /echo", 1_000, 300, false);
}

#[test]
#[ignore = "a minute or more; for figures"]
fn a_thousand_refused_uploads_to_the_end() {
    measure("POST /echo", 1_000, 2_000, true);
}
