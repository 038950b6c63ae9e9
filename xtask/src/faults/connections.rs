//! Connections that take without giving: that ask for large answers and read nothing, and that send the head of a request for ever. Each is
//! cut within its deadline and holds little until then, while those who have a key are served as before.

use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};

use super::Bench;
use crate::{
    http::{Connection, Request},
    program::{Profile, SCOPES, create_key},
    report::Finding,
    statistics::{median, milliseconds, short},
};

/// More resident memory than this for a connection is a buffer.
const GROWTH_BAR_KIB: u64 = 64;
/// A served request may take this many times as long as without the load.
const SLOWER_BAR: f64 = 2.0;
/// The server looks at its connections twice a second, and this program at its own as often; the rest is the machine's.
const LATENESS: Duration = Duration::from_secs(5);
/// Requests sent at once on a connection that reads nothing.
const UNREAD_REQUESTS: usize = 16;
/// How often a slow head goes on.
const PAUSE: Duration = Duration::from_millis(500);

/// Asks who calls, again and again, until told to stop; the median in milliseconds.
fn probe(address: SocketAddr, key: &str, stop: &AtomicBool) -> Result<(f64, usize)> {
    let mut connection = Connection::new(address, Duration::from_secs(60))?;
    let mut samples = Vec::new();
    while samples.len() < 50 || !stop.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let reply = connection.send(&Request::get("/api/v1/me", Some(key)))?;
        samples.push(milliseconds(begun.elapsed()));
        ensure!(reply.status == 200, "/api/v1/me was answered {}", reply.summary());
        thread::sleep(Duration::from_millis(10));
    }
    Ok((median(&samples), samples.len()))
}

/// Does something while probing from another thread.
fn beside<T>(address: SocketAddr, key: &str, what: impl FnOnce() -> Result<T>) -> Result<(T, f64, usize)> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let probing = scope.spawn(|| probe(address, key, &stop));
        let outcome = what();
        stop.store(true, Ordering::Relaxed);
        let (median, count) = probing.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the probe panicked")))?;
        Ok((outcome?, median, count))
    })
}

/// A client that has sent its part.
struct Client {
    stream: TcpStream,
    is_cut: bool,
}

fn connect(address: SocketAddr, bytes: &[u8]) -> Result<Client> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.write_all(bytes)?;
    Ok(Client { stream, is_cut: false })
}

/// Goes on with all clients until the server has closed them; how long the last one took.
fn until_cut(
    clients: &mut [Client],
    within: Duration,
    mut is_cut: impl FnMut(&mut Client) -> Result<bool>,
) -> Result<Duration> {
    let begun = Instant::now();
    loop {
        for client in clients.iter_mut().filter(|client| !client.is_cut) {
            client.is_cut = is_cut(client)?;
        }
        let open = clients.iter().filter(|client| !client.is_cut).count();
        if open == 0 {
            return Ok(begun.elapsed());
        }
        ensure!(begun.elapsed() < within, "{open} connections were not closed within {} s", within.as_secs());
        thread::sleep(PAUSE);
    }
}

/// Whether the server closed by force what nobody read.
fn is_reset(client: &mut Client) -> Result<bool> {
    Ok(client.stream.take_error()?.is_some())
}

/// Sends one more byte of a head, unless the server has closed.
fn drips(client: &mut Client) -> Result<bool> {
    client.stream.set_nonblocking(true)?;
    let mut scratch = [0; 512];
    loop {
        match client.stream.read(&mut scratch) {
            Ok(0) => return Ok(true),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(_) => return Ok(true),
        }
    }
    Ok(match client.stream.write(b"a") {
        Ok(_) => false,
        Err(error) => error.kind() != ErrorKind::WouldBlock,
    })
}

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Large answers that nobody reads.
    Unread,
    /// Heads without an end.
    SlowHeads,
}

pub(super) fn run(bench: &Bench<'_>, finding: &mut Finding, kind: Kind) -> Result<()> {
    let count = bench.full_or_sample(1_000, 300);
    let (installation, _postgres) = bench.installation("service")?;
    // The defaults where it counts; a sample does not wait for them.
    let (head_s, write_s) = bench.full_or_sample((10, 30), (3, 4));
    let installation = installation
        .with("client_request_timeout_s", &head_s.to_string())
        .with("client_write_timeout_s", &write_s.to_string())
        .with("rate_limit_requests", "1000000");
    let server = installation.serve_ready()?;
    let address = server.public();
    let person = installation.add_person("connections@example.com", 1_000, 1_000)?;
    let key = create_key(&mut server.connect()?, &person.session, "served", &SCOPES)?.plaintext;

    let unread = Request::get("/openapi.json", None).head(address).repeat(UNREAD_REQUESTS);
    let whole = Request::get("/api/v1/health", None).head(address);
    let begin = b"GET /api/v1/health HTTP/1.1\r\nHost: x\r\nX-Slow: ";
    let attack = |count: usize| -> Result<Duration> {
        let mut clients = Vec::with_capacity(count);
        for number in 0..count {
            let bytes = match kind {
                Kind::Unread => unread.clone(),
                // Half of them behaved well once.
                Kind::SlowHeads if number % 2 == 0 => begin.to_vec(),
                Kind::SlowHeads => [&whole[..], begin].concat(),
            };
            clients.push(connect(address, &bytes)?);
        }
        match kind {
            Kind::Unread => until_cut(&mut clients, Duration::from_secs(write_s) + LATENESS, is_reset),
            Kind::SlowHeads => until_cut(&mut clients, Duration::from_secs(head_s) + LATENESS, drips),
        }
    };
    // What a process needs once is not growth for a connection.
    attack(count / 20)?;
    let ((), idle_ms, _) = beside(address, &key, || {
        thread::sleep(Duration::from_secs(2));
        Ok(())
    })?;
    server.process.forget_peak()?;
    let idle_kib = server.process.peak_kib()?;
    let (last, busy_ms, samples) = beside(address, &key, || attack(count))?;
    let growth = server.process.peak_kib()?.saturating_sub(idle_kib) / u64::try_from(count)?;
    finding.count("connections", count);
    finding.count("last_closed_after_s", short(last.as_secs_f64()));
    finding.count("growth_kib_per_connection", growth);
    finding.count("resident_idle_kib", idle_kib);
    finding.count("probes", samples);
    finding.count("me_idle_ms", short(idle_ms));
    finding.count("me_busy_ms", short(busy_ms));
    finding.must(
        growth <= GROWTH_BAR_KIB,
        format!("memory grew by {growth} KiB a connection, the bar is {GROWTH_BAR_KIB}"),
    );
    // A debug build's timing says nothing.
    if bench.profile == Profile::Release {
        finding.must(
            busy_ms <= SLOWER_BAR * idle_ms,
            format!(
                "/api/v1/me took {busy_ms:.2} ms under load and {idle_ms:.2} ms idle, the bar is {SLOWER_BAR} times"
            ),
        );
    }
    server.terminate()
}
