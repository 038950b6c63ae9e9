//! `/api/v1/me` of somebody while strangers present ten thousand tokens a second that they made up.

use std::fmt::Write as _;
use std::io::{BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use bookkeeping_suite::domain::oauth::token::TokenKind;
use serde_json::{Value, json};
use xtask::{
    http::{Connection, Request, read_reply},
    postgres::Postgres,
    program::{SCOPES, Server, create_key},
    statistics::{percentile, real, short, sorted},
};

use crate::requests;
use crate::seed::made_up;
use crate::support::{installation, serve};

/// Times as long as idle.
const BAR: f64 = 2.0;
/// Tokens a second.
const PER_S: u32 = 10_000;
/// Threads of strangers, and connections of each.
const THREADS: u32 = 2;
const CONNECTIONS: u32 = 25;
/// Different tokens of each connection.
const TOKENS: usize = 400;

/// What strangers present.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stranger {
    WrongChecksum,
    RightChecksum,
}

fn token(stranger: Stranger) -> String {
    let mut text = made_up(TokenKind::Access).text;
    if stranger == Stranger::WrongChecksum {
        let last = if text.pop() == Some('0') { '1' } else { '0' };
        text.push(last);
    }
    text
}

/// Presents tokens on some connections at an even pace until told to stop; how many.
fn present(address: SocketAddr, stranger: Stranger, stop: &AtomicBool) -> Result<usize> {
    let mut lanes = Vec::new();
    for _ in 0..CONNECTIONS {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let requests: Vec<Vec<u8>> = (0..TOKENS).map(|_| requests::me(address, &token(stranger))).collect();
        lanes.push((BufReader::new(stream), requests));
    }
    let pause = Duration::from_secs(1) * CONNECTIONS * THREADS / PER_S;
    let (mut next, mut count) = (Instant::now(), 0);
    while !stop.load(Ordering::Relaxed) {
        for (reader, requests) in &mut lanes {
            let request = requests.get(count / 25 % TOKENS).context("no request")?;
            reader.get_mut().write_all(request)?;
        }
        for (reader, _) in &mut lanes {
            let reply = read_reply(reader, "GET")?;
            ensure!(matches!(reply.status, 401 | 503), "a made-up token was answered {}", reply.summary());
            count += 1;
        }
        next += pause;
        thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    Ok(count)
}

/// Latencies of somebody's own requests, in microseconds.
fn ask(connection: &mut Connection, key: &str, time: Duration) -> Result<Vec<f64>> {
    let (begun, mut latencies) = (Instant::now(), Vec::new());
    while begun.elapsed() < time {
        let asked = Instant::now();
        let reply = connection.send(&Request::get("/api/v1/me", Some(key)))?;
        latencies.push(asked.elapsed().as_secs_f64() * 1e6);
        ensure!(reply.status == 200, "/api/v1/me was answered {}", reply.summary());
        thread::sleep(Duration::from_millis(2));
    }
    Ok(sorted(latencies))
}

fn compare(
    server: &Server,
    key: &str,
    name: &str,
    stranger: Stranger,
    time: Duration,
    text: &mut String,
) -> Result<Value> {
    let mut connection = server.connect()?;
    ask(&mut connection, key, time / 4)?;
    let idle = ask(&mut connection, key, time)?;
    let stop = AtomicBool::new(false);
    let (busy, counts) = thread::scope(|scope| {
        let strangers: Vec<_> =
            (0..THREADS).map(|_| scope.spawn(|| present(server.public(), stranger, &stop))).collect();
        thread::sleep(time / 4);
        let begun = Instant::now();
        let busy = ask(&mut connection, key, time);
        stop.store(true, Ordering::Relaxed);
        let counts: Result<Vec<usize>> = strangers
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a stranger panicked"))))
            .collect();
        (busy, counts.map(|counts| real(counts.iter().sum()) / (begun.elapsed() + time / 4).as_secs_f64()))
    });
    let (busy, per_s) = (busy?, counts?);
    let (idle_p50, busy_p50) = (percentile(&idle, 0.5), percentile(&busy, 0.5));
    let (idle_p99, busy_p99) = (percentile(&idle, 0.99), percentile(&busy, 0.99));
    let ratio = busy_p50 / idle_p50.max(1e-9);
    writeln!(
        text,
        "{per_s:.0} tokens/s {name}: /api/v1/me p50 {busy_p50:.0} µs, idle {idle_p50:.0} µs, ratio {ratio:.2} (bar {BAR}){}; p99 \
         {busy_p99:.0} µs, idle {idle_p99:.0} µs",
        if ratio <= BAR { "" } else { "  MISSED" }
    )?;
    Ok(json!({
        "name": name, "tokens_per_s": short(per_s), "p50_us": short(busy_p50), "p50_idle_us": short(idle_p50), "ratio": short(ratio),
        "p99_us": short(busy_p99), "p99_idle_us": short(idle_p99), "bar": BAR, "met": ratio <= BAR,
    }))
}

/// Strangers on SQLite, where one process knows every token, and on PostgreSQL, where another may have issued it.
pub fn measure(is_small: bool, text: &mut String) -> Result<Value> {
    let time = if is_small { Duration::from_millis(200) } else { Duration::from_secs(5) };
    let mut rows = Vec::new();
    for database in ["SQLite", "PostgreSQL"] {
        let (folder, mut installation) = installation(&std::env::temp_dir())?;
        let postgres = match database {
            "PostgreSQL" => Some(Postgres::start(&folder.path().join("postgres"))?),
            _ => None,
        };
        if let Some(postgres) = &postgres {
            installation = installation.with("database_url", &postgres.url());
        }
        let server = serve(&installation, &[])?;
        let person = installation.add_person("bench@example.com", 1_000, 1_000)?;
        let key = create_key(&mut server.connect()?, &person.session, "bench", &SCOPES)?.plaintext;
        for (what, stranger) in
            [("with a wrong checksum", Stranger::WrongChecksum), ("with a right one", Stranger::RightChecksum)]
        {
            let name = format!("{what}, {database}");
            rows.push(compare(&server, &key, &name, stranger, time, text)?);
        }
        server.terminate()?;
    }
    Ok(json!(rows))
}
