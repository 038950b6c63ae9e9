//! E-mails while servers die: one service killed again and again while eight clients queue, sending by a mail server that
//! counts and into an outbox, and the same with two services on one PostgreSQL.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::Bench;
use crate::{
    books::Books,
    http::{Connection, Request},
    mail_server::MailServer,
    postgres::Postgres,
    program::{Installation, SCOPES, Server, create_key},
    report::Finding,
};

/// Clients that queue.
const CLIENTS: usize = 8;
/// Organisations whose invoices they send.
const ORGANISATIONS: usize = 3;
/// How long what is queued may take to leave once nobody is killed any more.
const DRAINED: Duration = Duration::from_secs(300);
/// How long a client tries to have a message queued.
const PATIENCE: Duration = Duration::from_secs(120);

/// How e-mails leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Outbox,
    Smtp,
}

/// What the clients work on.
struct Work {
    targets: Vec<SocketAddr>,
    key: String,
    /// Paths that queue an e-mail.
    paths: Vec<String>,
    books: Vec<Books>,
    /// How many messages may be queued by now, and how many are.
    allowed: AtomicI64,
    taken: AtomicU64,
    is_over: AtomicBool,
    /// The `Message-ID`s that were acknowledged.
    acknowledged: Mutex<BTreeSet<String>>,
    complaints: Mutex<Vec<String>>,
}

impl Work {
    fn of(installation: &Installation, server: &Server, targets: Vec<SocketAddr>) -> Result<Arc<Self>> {
        let person = installation.add_person("sender@example.com", 1_000, 0)?;
        let mut connection = server.connect()?;
        let key = create_key(&mut connection, &person.session, "sender", &SCOPES)?.plaintext;
        let (mut books, mut paths) = (Vec::new(), Vec::new());
        for number in 0..ORGANISATIONS {
            let organisation = Books::create(&mut connection, &key, &format!("Books {number}"))?;
            let mut made = |path: &str, body: Value| -> Result<i64> {
                let (path, body) = (organisation.path(path), body.to_string());
                let reply = connection.send(&Request::post(&path, Some(&key), body.as_bytes()))?;
                ensure!(reply.status == 201, "{path} was answered {}", reply.summary());
                reply.json().pointer("/data/id").and_then(Value::as_i64).context("a record without an id")
            };
            let customer = made("/customers", json!({ "name": "Customer", "email": "customer@example.com" }))?;
            let line = json!({
                "description": "Work", "account_id": organisation.account("4000")?, "unit_price": 5, "vat_code": "NV"
            });
            let invoice = json!({ "customer_id": customer, "invoice_date": "2026-03-01", "lines": [line] });
            let invoice = made("/sales-invoices", invoice)?;
            paths.push(organisation.path(&format!("/sales-invoices/{invoice}/email")));
            books.push(organisation);
        }
        Ok(Arc::new(Self {
            targets,
            key,
            paths,
            books,
            allowed: AtomicI64::new(0),
            taken: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            acknowledged: Mutex::default(),
            complaints: Mutex::default(),
        }))
    }

    /// Queues messages as long as there are any to queue.
    fn queue(&self, client: usize) -> Result<()> {
        let mut connections = Vec::new();
        for target in &self.targets {
            connections.push(Connection::new(*target, Duration::from_secs(10))?);
        }
        loop {
            if self.allowed.fetch_sub(1, Ordering::AcqRel) <= 0 {
                self.allowed.fetch_add(1, Ordering::AcqRel);
                if self.is_over.load(Ordering::Acquire) {
                    return Ok(());
                }
                thread::sleep(Duration::from_millis(1));
                continue;
            }
            let number = self.taken.fetch_add(1, Ordering::AcqRel);
            let place = usize::try_from(number).unwrap_or(0);
            let path = self.paths.get(place % self.paths.len().max(1)).map_or("", String::as_str);
            let idempotency_key = format!("message-{client}-{number}");
            // The same key throughout: however often it is asked, one message is queued.
            let begun = Instant::now();
            let message_id = loop {
                let at = (place + usize::try_from(begun.elapsed().as_millis()).unwrap_or(0)) % connections.len().max(1);
                let Some(connection) = connections.get_mut(at) else { return Ok(()) };
                let headers = [("Idempotency-Key", idempotency_key.as_str())];
                let request = Request { headers: &headers, ..Request::post(path, Some(&self.key), b"{}") };
                match connection.send(&request) {
                    Ok(reply) if reply.status == 202 => {
                        let answer = reply.json();
                        let id = answer.pointer("/data/message_id").and_then(Value::as_str);
                        break id.context("an e-mail without a Message-ID")?.to_owned();
                    }
                    Ok(reply) if reply.status < 500 => {
                        anyhow::bail!("queueing an e-mail was answered {}", reply.summary());
                    }
                    Ok(_) | Err(_) => thread::sleep(Duration::from_millis(5)),
                }
                ensure!(begun.elapsed() < PATIENCE, "an e-mail could not be queued for {PATIENCE:?}");
            };
            self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).insert(message_id);
        }
    }

    fn start(self: &Arc<Self>) -> Vec<JoinHandle<()>> {
        let client = |number: usize| {
            let work = Arc::clone(self);
            thread::spawn(move || {
                if let Err(error) = work.queue(number) {
                    let mut complaints = work.complaints.lock().unwrap_or_else(PoisonError::into_inner);
                    complaints.push(format!("client {number}: {error:#}"));
                }
            })
        };
        (0..CLIENTS).map(client).collect()
    }

    /// Lets the clients queue what is left and waits for them.
    fn finish(&self, clients: Vec<JoinHandle<()>>, finding: &mut Finding) {
        self.is_over.store(true, Ordering::Release);
        for client in clients {
            if client.join().is_err() {
                finding.broken("a client panicked");
            }
        }
        for complaint in self.complaints.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            finding.broken(complaint);
        }
    }

    /// The states of all e-mails, by `Message-ID`.
    fn states(&self, connection: &mut Connection) -> Result<BTreeMap<String, String>> {
        let mut states = BTreeMap::new();
        for books in &self.books {
            let mut offset = 0;
            loop {
                let path = books.path(&format!("/emails?limit=200&offset={offset}"));
                let reply = connection.send(&Request::get(&path, Some(&self.key)))?;
                ensure!(reply.status == 200, "listing e-mails was answered {}", reply.summary());
                let answer = reply.json();
                let page = answer.get("data").and_then(Value::as_array).context("no page of e-mails")?;
                for email in page {
                    let text = |name: &str| email.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                    states.insert(text("message_id"), text("status"));
                }
                offset += page.len();
                if page.len() < 200 {
                    break;
                }
            }
        }
        Ok(states)
    }

    /// Waits until nothing waits any more.
    fn drain(&self, connection: &mut Connection) -> Result<BTreeMap<String, String>> {
        let begun = Instant::now();
        loop {
            let mut waiting = 0;
            for books in &self.books {
                for status in ["queued", "sending"] {
                    let path = books.path(&format!("/emails?status={status}&limit=1"));
                    let reply = connection.send(&Request::get(&path, Some(&self.key)))?;
                    let total = reply.json().pointer("/pagination/total").and_then(Value::as_u64);
                    waiting += total.context("a list without a total")?;
                }
            }
            if waiting == 0 {
                return self.states(connection);
            }
            ensure!(begun.elapsed() < DRAINED, "{waiting} e-mails still wait after {DRAINED:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// What was received, by `Message-ID`: by the mail server, or in the outboxes.
fn arrived(server: Option<&MailServer>, installations: &[&Installation]) -> Result<BTreeMap<String, u64>> {
    if let Some(server) = server {
        return Ok(server.counts());
    }
    let mut counts = BTreeMap::new();
    for installation in installations {
        for entry in fs::read_dir(installation.folder().join("data/outbox"))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if let Some(message_id) = name.strip_suffix(".eml") {
                *counts.entry(message_id.to_owned()).or_default() += 1;
            }
        }
    }
    Ok(counts)
}

/// Compares what was acknowledged, what the service says and what arrived.
fn reckon(
    work: &Work,
    states: &BTreeMap<String, String>,
    arrived: &BTreeMap<String, u64>,
    (way, kills): (Way, u64),
    finding: &mut Finding,
) {
    let acknowledged = work.acknowledged.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut sent, mut uncertain) = (0_u64, 0_u64);
    for message_id in acknowledged.iter() {
        finding.must(states.contains_key(message_id), format!("{message_id} was acknowledged and is not there"));
    }
    finding.must(
        states.len() == acknowledged.len(),
        format!("{} e-mails are there, {} were acknowledged", states.len(), acknowledged.len()),
    );
    for (message_id, status) in states {
        let times = arrived.get(message_id).copied().unwrap_or(0);
        finding.must(times <= 1, format!("{message_id} arrived {times} times"));
        match status.as_str() {
            "sent" => {
                sent += 1;
                finding.must(times == 1, format!("{message_id} is sent and arrived {times} times"));
            }
            "uncertain" if way == Way::Smtp => uncertain += 1,
            other => finding.broken(format!("{message_id} is {other}")),
        }
    }
    for message_id in arrived.keys() {
        finding.must(states.contains_key(message_id), format!("{message_id} arrived and was never queued"));
    }
    finding.must(uncertain <= kills, format!("{uncertain} e-mails are uncertain after {kills} kills"));
    let name = |what: &str| match way {
        Way::Outbox => format!("outbox_{what}"),
        Way::Smtp => format!("smtp_{what}"),
    };
    finding.count(&name("sent"), sent);
    finding.count(&name("uncertain"), uncertain);
}

/// An installation that sends this way.
fn sending(installation: Installation, server: Option<&MailServer>) -> Installation {
    let installation = installation.with("mail_per_minute", "1000000").with("job_lease_ms", "1000");
    match server {
        Some(server) => installation.with("smtp_url", &server.url()).with("mail_from", "books@books.example"),
        None => installation,
    }
}

fn mail_server(way: Way) -> Result<Option<MailServer>> {
    Ok(match way {
        Way::Outbox => None,
        Way::Smtp => Some(MailServer::counting()?),
    })
}

/// All of it.
pub(super) fn run(bench: &Bench<'_>, finding: &mut Finding) -> Result<()> {
    for way in [Way::Outbox, Way::Smtp] {
        one_service(bench, way, finding)?;
        two_services(bench, way, finding)?;
    }
    Ok(())
}

/// One service, killed 20 to 400 ms after its start or after its first answer.
fn one_service(bench: &Bench<'_>, way: Way, finding: &mut Finding) -> Result<()> {
    let kills = bench.options.kills.unwrap_or_else(|| bench.full_or_sample(1_000, 8));
    let messages = kills.saturating_mul(5).max(40);
    let mut random = bench.random.clone();
    let mails = mail_server(way)?;
    let (installation, _postgres) = bench.installation(&format!("{way:?}"))?;
    let installation = sending(installation, mails.as_ref());
    let mut server = installation.serve_ready()?;
    let work = Work::of(&installation, &server, vec![installation.public()])?;
    let clients = work.start();
    let each = i64::try_from(messages.div_ceil(kills.max(1))).unwrap_or(i64::MAX);
    for kill in 0..kills {
        work.allowed.fetch_add(each, Ordering::AcqRel);
        let pause = Duration::from_millis(random.between(20, 400));
        if kill % 4 == 0 {
            thread::sleep(pause.saturating_sub(server.started().elapsed()));
        } else if server.wait_ready(Duration::from_secs(60)).is_err() {
            finding.broken(format!("kill {kill}: the service did not start: {}", server.last_words()));
            break;
        } else {
            thread::sleep(pause);
        }
        if let Some(status) = server.process.ended() {
            finding
                .broken(format!("kill {kill}: the service had ended by itself with {status}: {}", server.last_words()));
        }
        server.process.kill()?;
        drop(server);
        server = installation.serve(&[])?;
    }
    server.wait_ready(Duration::from_secs(60))?;
    work.finish(clients, finding);
    let begun = Instant::now();
    let states = work.drain(&mut server.connect()?)?;
    finding.count("drained_ms", u64::try_from(begun.elapsed().as_millis())?);
    reckon(&work, &states, &arrived(mails.as_ref(), &[&installation])?, (way, kills), finding);
    finding.count("kills", kills);
    server.terminate()?;
    check(&installation, finding)
}

/// Two services on one PostgreSQL, either killed every two seconds.
fn two_services(bench: &Bench<'_>, way: Way, finding: &mut Finding) -> Result<()> {
    let mut random = bench.random.clone();
    let mails = mail_server(way)?;
    let postgres = Postgres::start(&bench.folder.join(format!("postgres-{way:?}")))?;
    let installation = |name: &str| -> Result<Installation> {
        let installation = Installation::new(&bench.program, &bench.folder.join(format!("{name}-{way:?}")))?;
        Ok(sending(installation.with("database_url", &postgres.url()), mails.as_ref()))
    };
    let (left, right) = (installation("left")?, installation("right")?);
    let mut servers = [left.serve_ready()?, right.serve_ready()?];
    let [first, _] = &servers;
    let work = Work::of(&left, first, vec![left.public(), right.public()])?;
    // A new key is known to the other process within a second.
    thread::sleep(Duration::from_secs(1));
    let clients = work.start();
    let deadline = Instant::now() + Duration::from_secs(bench.full_or_sample(180, 8));
    let mut kills = 0_u64;
    while Instant::now() < deadline {
        work.allowed.fetch_add(i64::from(bench.full_or_sample(50, 20)), Ordering::AcqRel);
        thread::sleep(Duration::from_secs(2));
        let victim = random.index(2);
        let (Some(server), Some(installation)) = (servers.get_mut(victim), [&left, &right].get(victim).copied()) else {
            continue;
        };
        server.process.kill()?;
        kills += 1;
        if kills.is_multiple_of(3) {
            thread::sleep(Duration::from_millis(random.between(200, 1_500)));
        }
        *server = installation.serve(&[])?;
    }
    for server in &mut servers {
        server.wait_ready(Duration::from_secs(60))?;
    }
    work.finish(clients, finding);
    let [left_server, right_server] = servers;
    let states = work.drain(&mut right_server.connect()?)?;
    reckon(&work, &states, &arrived(mails.as_ref(), &[&left, &right])?, (way, kills), finding);
    finding.count("kills_of_two", kills);
    left_server.terminate()?;
    right_server.terminate()?;
    check(&left, finding)
}

/// Everything that can be derived anew is as it is kept.
fn check(installation: &Installation, finding: &mut Finding) -> Result<()> {
    let (consistent, text) = installation.attempt(&["check"])?;
    finding.must(consistent, format!("`bookkeeping check` after an orderly end: {}", text.trim()));
    Ok(())
}
