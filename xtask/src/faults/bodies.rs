//! Many large bodies at once from callers without a key: each is checked, refused, and never kept in memory, while
//! those who have a key are served as before.

use std::{
    io::{ErrorKind, Read, Write},
    net::SocketAddr,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use mio::{Events, Interest, Poll, Token, net::TcpStream};

use super::Bench;
use crate::{
    datasets::{Dataset, charged},
    http::{Connection, Request},
    jobs::run_one,
    products::Product,
    program::{Profile, SCOPES, create_key},
    report::Finding,
    statistics::{median, milliseconds, short},
};

/// The largest body the service reads.
const BODY_BYTES: usize = 26_214_400;
/// More resident memory than this for a connection is a buffer.
const GROWTH_BAR_KIB: u64 = 64;
/// A served request may take this many times as long as without the load.
const SLOWER_BAR: f64 = 2.0;

/// Valid JSON of exactly that many bytes, shaped like a submission.
fn valid_body(product: Product, bytes: usize) -> Vec<u8> {
    let row = br#"{"date":"2024-01-01","amount":12.34,"description":"a card payment"},"#;
    let (begin, end) = match product {
        Product::Reconciliation => {
            (&br#"{"bank":["#[..], &br#"{"date":"2024-01-01","amount":1,"description":"x"}],"book":[]}"#[..])
        }
        Product::Coding => (
            &br#"{"transactions":["#[..],
            &br#"{"date":"2024-01-01","amount":1,"description":"x"}],"chart_of_accounts":[{"code":"1","name":"n","type":"ASSET"}]}"#[..],
        ),
    };
    let mut body = begin.to_vec();
    while body.len() + row.len() + end.len() <= bytes {
        body.extend_from_slice(row);
    }
    body.resize(bytes.saturating_sub(end.len()), b' ');
    body.extend_from_slice(end);
    body
}

/// A message to the tool server of exactly that many bytes.
fn valid_message(bytes: usize) -> Vec<u8> {
    let begin = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":{"text":""#;
    let end = br#""}}}"#;
    let mut body = begin.to_vec();
    body.resize(bytes.saturating_sub(end.len()), b'x');
    body.extend_from_slice(end);
    body
}

/// What is uploaded to one place.
struct Load {
    path: &'static str,
    valid: Vec<u8>,
    invalid: Vec<u8>,
}

impl Load {
    fn of_product(product: Product) -> Self {
        Self::new(product.path(), valid_body(product, BODY_BYTES))
    }

    fn of_tools() -> Self {
        Self::new("/mcp", valid_message(BODY_BYTES))
    }

    fn new(path: &'static str, valid: Vec<u8>) -> Self {
        let mut invalid = valid.clone();
        if let Some(last) = invalid.last_mut() {
            *last = b' ';
        }
        Self { path, valid, invalid }
    }
}

struct Upload<'a> {
    load: &'a Load,
    stream: TcpStream,
    head: Vec<u8>,
    broken: bool,
    sent: usize,
    received: Vec<u8>,
    status: Option<u16>,
}

/// What the uploads were answered.
#[derive(Default)]
struct Answers {
    unauthorized: usize,
    invalid: usize,
    wrong: Vec<String>,
    elapsed: Duration,
}

/// Send all bodies at once from this one thread and collect the answers.
fn upload(address: SocketAddr, count: usize, loads: &[Load]) -> Result<Answers> {
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(256);
    let mut uploads = Vec::new();
    for (place, load) in loads.iter().cycle().take(count).enumerate() {
        let length = load.valid.len().to_string();
        // Some have a key or a token that looks right but is unknown; every tenth body ends one byte too soon.
        let bearer = match place % 4 {
            0 => Some("key_AAAAAAAAAAAA_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
            1 => Some("oat_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
            _ => None,
        };
        let request = Request {
            headers: &[("Content-Type", "application/json"), ("Content-Length", length.as_str())],
            ..Request { method: "POST", ..Request::get(load.path, bearer) }
        };
        let mut stream = TcpStream::connect(address)?;
        poll.registry().register(&mut stream, Token(place), Interest::READABLE | Interest::WRITABLE)?;
        uploads.push(Upload {
            load,
            stream,
            head: request.head(address),
            // Not in step with the products.
            broken: place % 10 == place / 10 % 10,
            sent: 0,
            received: Vec::new(),
            status: None,
        });
    }
    let begun = Instant::now();
    let mut answers = Answers::default();
    let mut open = count;
    let mut scratch = [0_u8; 4_096];
    while open > 0 {
        poll.poll(&mut events, Some(Duration::from_secs(1)))?;
        ensure!(begun.elapsed() < Duration::from_secs(600), "{open} uploads were not answered within ten minutes");
        for event in &events {
            let Some(upload) = uploads.get_mut(event.token().0) else { continue };
            if upload.status.is_some() {
                continue;
            }
            let body = if upload.broken { &upload.load.invalid } else { &upload.load.valid };
            let outcome = advance(upload, body, &mut scratch);
            let expected = if upload.broken { 400 } else { 401 };
            let status = match outcome {
                Ok(None) => continue,
                Ok(Some(status)) => status,
                Err(error) => {
                    let sent = upload.sent;
                    answers.wrong.push(format!("an upload broke off after {sent} bytes: {error}"));
                    0
                }
            };
            upload.status = Some(status);
            open -= 1;
            match status {
                401 if expected == 401 => answers.unauthorized += 1,
                400 if expected == 400 => answers.invalid += 1,
                0 => {}
                other => {
                    let text =
                        String::from_utf8_lossy(upload.received.get(..300).unwrap_or(&upload.received)).into_owned();
                    answers.wrong.push(format!(
                        "an upload was answered {other} instead of {expected} after {} bytes: {text}",
                        upload.sent
                    ));
                }
            }
            let _ = poll.registry().deregister(&mut upload.stream);
            let _ = upload.stream.shutdown(std::net::Shutdown::Both);
        }
    }
    answers.elapsed = begun.elapsed();
    Ok(answers)
}

/// Write and read what can be, until the status is there.
fn advance(upload: &mut Upload<'_>, body: &[u8], scratch: &mut [u8]) -> std::io::Result<Option<u16>> {
    let total = upload.head.len() + body.len();
    while upload.sent < total {
        let rest = match upload.head.get(upload.sent..) {
            Some(rest) if !rest.is_empty() => rest,
            _ => body.get(upload.sent - upload.head.len()..).unwrap_or_default(),
        };
        match upload.stream.write(rest) {
            Ok(written) => upload.sent += written,
            Err(error) if error.kind() == ErrorKind::WouldBlock || error.kind() == ErrorKind::NotConnected => break,
            // Refused early: the answer may still be readable.
            Err(error) if error.kind() == ErrorKind::BrokenPipe || error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => return Err(error),
        }
    }
    loop {
        match upload.stream.read(scratch) {
            Ok(0) if upload.received.is_empty() => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(0) => break,
            Ok(read) => upload.received.extend_from_slice(scratch.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::WouldBlock || error.kind() == ErrorKind::NotConnected => break,
            Err(error) => return Err(error),
        }
    }
    if !upload.received.windows(4).any(|window| window == b"\r\n\r\n") {
        return Ok(None);
    }
    Ok(upload.received.get(9..12).and_then(|code| std::str::from_utf8(code).ok()).and_then(|code| code.parse().ok()))
}

/// Medians of two kinds of served request, in milliseconds.
#[derive(Debug, Clone, Copy)]
struct Served {
    me: f64,
    submission: f64,
    samples: usize,
}

/// What is asked and submitted while the uploads run.
struct Probe<'a> {
    address: SocketAddr,
    key: &'a str,
    bodies: &'a [Dataset],
    /// How many times `/me` is asked for one submission of each product. The memory that jobs take is not what is looked
    /// for here, so that there are as few of them as there are uploads.
    asked_per_submission: usize,
}

/// Ask and submit, one after the other, until told to stop (but at least a few times).
fn probe(
    Probe { address, key, bodies, asked_per_submission }: &Probe<'_>,
    stop: &AtomicBool,
    finding: &mut Vec<String>,
) -> Result<Served> {
    let mut connection = Connection::new(*address, Duration::from_secs(60))?;
    let (mut me, mut submission) = (Vec::new(), Vec::new());
    while submission.len() < 20 || !stop.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let reply = connection.send(&Request::get("/api/v1/me", Some(key)))?;
        me.push(milliseconds(begun.elapsed()));
        if reply.status != 200 {
            finding.push(format!("/api/v1/me was answered {}", reply.summary()));
        }
        thread::sleep(Duration::from_millis(10));
        if me.len() % asked_per_submission != 1 {
            continue;
        }
        for body in *bodies {
            let begun = Instant::now();
            let reply = connection.send(&Request::post(body.product.path(), Some(key), &body.body))?;
            submission.push(milliseconds(begun.elapsed()));
            if reply.status != 202 && reply.status != 503 {
                finding.push(format!("a submission was answered {}", reply.summary()));
            }
        }
    }
    Ok(Served { me: median(&me), submission: median(&submission), samples: me.len() })
}

/// Do something while probing from another thread.
fn attack<T>(probes: &Probe<'_>, troubles: &mut Vec<String>, what: impl FnOnce() -> Result<T>) -> Result<(T, Served)> {
    let stop = AtomicBool::new(false);
    let (outcome, served) = thread::scope(|scope| {
        let probing = scope.spawn(|| probe(probes, &stop, troubles));
        let outcome = what();
        stop.store(true, Ordering::Relaxed);
        (outcome, probing.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the probe panicked"))))
    });
    Ok((outcome?, served?))
}

/// Run jobs one after the other, each to its end.
fn run_jobs(mut client: Connection, bodies: &[Dataset], key: &str, count: usize) -> Result<()> {
    const PAUSE: Duration = Duration::from_millis(2);
    const PATIENCE: Duration = Duration::from_secs(60);
    for body in bodies.iter().cycle().take(count) {
        run_one(&mut client, body.product, key, &body.body, PAUSE, PATIENCE)?;
    }
    Ok(())
}

pub(super) fn run(bench: &Bench<'_>, finding: &mut Finding) -> Result<()> {
    let connections = bench.full_or_sample(1_000, 100);
    let (installation, _postgres) = bench.installation("service")?;
    let server = installation.serve_ready()?;
    let person = installation.add_person("served@example.com", 0, 100_000_000)?;
    let key = create_key(&mut server.connect()?, &person.session, "served", &SCOPES)?.plaintext;
    let products = bench.products();
    // The dev build needs a sixth of a second for a job of 200 rows.
    let rows = bench.full_or_sample(200, 50);
    let small: Vec<Dataset> =
        products.iter().map(|product| charged(*product, &mut bench.random.clone(), rows)).collect();
    let loads: Vec<Load> = products.iter().map(|product| Load::of_product(*product)).collect();
    let tools = [Load::of_tools()];

    // A first, smaller attack and the idle probes come before anything is counted: what a process needs once (jobs run,
    // caches filled, threads woken) is not growth for a connection.
    let jobs_of_client = bench.full_or_sample(1_500, 300);
    let clients = [server.connect()?, server.connect()?];
    thread::scope(|scope| {
        let running = clients.map(|client| scope.spawn(|| run_jobs(client, &small, &key, jobs_of_client)));
        running
            .into_iter()
            .try_for_each(|client| client.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a client panicked"))))
    })?;
    let probes = Probe {
        address: server.public(),
        key: &key,
        bodies: &small,
        asked_per_submission: bench.full_or_sample(8, 80),
    };
    let mut troubles = Vec::new();
    let (warm, _) = attack(&probes, &mut troubles, || upload(server.public(), connections / 20, &loads))?;
    ensure!(warm.wrong.is_empty(), "the first uploads failed: {:?}", warm.wrong);
    // Both figures are peaks while the same probes run: what a job needs for a moment is not growth either.
    server.process.forget_peak()?;
    let ((), idle) = attack(&probes, &mut troubles, || {
        thread::sleep(Duration::from_secs(3));
        Ok(())
    })?;
    let idle_peak = server.process.peak_kib()?;
    server.process.forget_peak()?;

    let (answers, busy) = attack(&probes, &mut troubles, || upload(server.public(), connections, &loads))?;
    let count = u64::try_from(connections)?;
    let peak = server.process.peak_kib()?;
    let growth = peak.saturating_sub(idle_peak) / count;
    server.process.forget_peak()?;
    let (at_tools, busy_at_tools) = attack(&probes, &mut troubles, || upload(server.public(), connections, &tools))?;
    let growth_at_tools = server.process.peak_kib()?.saturating_sub(idle_peak) / count;
    for text in answers.wrong.iter().chain(&at_tools.wrong).chain(&troubles) {
        finding.broken(text);
    }
    finding.count("mcp_answered_401", at_tools.unauthorized);
    finding.count("mcp_answered_400", at_tools.invalid);
    finding.count("mcp_growth_kib_per_connection", growth_at_tools);
    finding.count("mcp_me_busy_ms", short(busy_at_tools.me));
    finding.must(
        growth_at_tools <= GROWTH_BAR_KIB,
        format!("memory grew by {growth_at_tools} KiB a connection at /mcp, the bar is {GROWTH_BAR_KIB}"),
    );
    finding.count("connections", connections);
    finding.count("answered_401", answers.unauthorized);
    finding.count("answered_400", answers.invalid);
    finding.count("seconds", short(answers.elapsed.as_secs_f64()));
    finding.count("growth_kib_per_connection", growth);
    finding.count("resident_idle_peak_kib", idle_peak);
    finding.count("resident_peak_kib", peak);
    finding.count("probes", busy.samples);
    finding.count("me_idle_ms", short(idle.me));
    finding.count("me_busy_ms", short(busy.me));
    finding.count("submission_idle_ms", short(idle.submission));
    finding.count("submission_busy_ms", short(busy.submission));
    finding.must(
        growth <= GROWTH_BAR_KIB,
        format!("memory grew by {growth} KiB a connection, the bar is {GROWTH_BAR_KIB}"),
    );
    // A debug build checks a byte so slowly that its timing says nothing.
    if bench.profile == Profile::Release {
        for (what, idle, busy) in [
            ("/api/v1/me", idle.me, busy.me),
            ("/api/v1/me beside /mcp", idle.me, busy_at_tools.me),
            ("a submission", idle.submission, busy.submission),
        ] {
            finding.must(
                busy <= SLOWER_BAR * idle,
                format!("{what} took {busy:.2} ms under load and {idle:.2} ms idle, the bar is {SLOWER_BAR} times"),
            );
        }
    }
    server.terminate()
}

#[cfg(test)]
mod tests {
    use super::{Product, valid_body, valid_message};

    #[test]
    fn the_large_body_has_its_exact_size_and_is_json() {
        let bodies = Product::ALL.into_iter().map(|product| valid_body(product, 100_000));
        for body in bodies.chain([valid_message(100_000)]) {
            assert_eq!(body.len(), 100_000);
            assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok());
            assert!(serde_json::from_slice::<serde_json::Value>(&body[..body.len() - 1]).is_err());
        }
    }
}
