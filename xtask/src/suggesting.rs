//! Clients that have bank lines suggested and confirmed while the server dies under them: each imports lines with names of their
//! own, asks for suggestions, waits for the job, and confirms them. Whatever is asked is asked again under the same
//! `Idempotency-Key` until it is answered, so that the reckoning finds what is posted twice, missing, or charged twice.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Value, json};

use crate::{
    books::Books,
    http::{Connection, Reply, Request},
    random::Random,
    report::{Complaints, Finding},
};

/// Records asked for at once.
const PAGE: usize = 200;

/// Lines of one step.
const LINES: u64 = 5;

/// How long a client waits before it asks a server again that could not answer.
const PAUSE: Duration = Duration::from_millis(20);

/// What all clients share.
#[derive(Debug)]
pub struct Suggesting {
    target: SocketAddr,
    key: String,
    books: Vec<Books>,
    /// The first bank account of each organisation.
    banks: Vec<i64>,
    /// Broken invariants.
    pub complaints: Complaints,
    confirmed: AtomicU64,
    replayed: AtomicU64,
    failed_jobs: AtomicU64,
    broken_connections: AtomicU64,
    stop: AtomicBool,
}

impl Suggesting {
    /// Work on these books at this server.
    ///
    /// # Errors
    ///
    /// When the bank accounts cannot be read.
    pub fn new(connection: &mut Connection, key: String, books: Vec<Books>) -> Result<Self> {
        let mut banks = Vec::with_capacity(books.len());
        for books in &books {
            let reply = connection.send(&Request::get(&books.path("/bank-accounts"), Some(&key)))?;
            ensure!(reply.status == 200, "listing bank accounts was answered {}", reply.summary());
            let id = reply.json().pointer("/data/0/id").and_then(Value::as_i64);
            banks.push(id.context("an organisation without a bank account")?);
        }
        let [confirmed, replayed, failed_jobs, broken_connections] = [const { AtomicU64::new(0) }; 4];
        let (complaints, stop, target) = (Complaints::default(), AtomicBool::new(false), connection.address());
        Ok(Self { target, key, books, banks, complaints, confirmed, replayed, failed_jobs, broken_connections, stop })
    }

    /// Lines confirmed so far.
    #[must_use]
    pub fn confirmed(&self) -> u64 {
        self.confirmed.load(Ordering::Relaxed)
    }
}

/// What a client did.
#[derive(Debug, Default)]
pub struct Done {
    /// The names of lines that were confirmed, with their organisation.
    confirmed: BTreeSet<(i64, String)>,
    /// What each job charged.
    charged: BTreeMap<String, i64>,
}

struct Client {
    work: Arc<Suggesting>,
    number: usize,
    sent: u64,
    random: Random,
    connection: Connection,
    done: Done,
}

impl Client {
    /// Sends until there is an answer; an `Idempotency-Key` makes that safe.
    fn send(&mut self, method: &str, path: &str, body: Option<&Value>, label: &str) -> Result<Reply> {
        let text = body.map(Value::to_string);
        let headers = [("Idempotency-Key", label)];
        loop {
            let request = match &text {
                Some(text) => {
                    Request { headers: &headers, ..Request::post(path, Some(&self.work.key), text.as_bytes()) }
                }
                None => Request::get(path, Some(&self.work.key)),
            };
            match self.connection.send(&request) {
                Ok(reply) if reply.status == 503 || reply.status == 429 || reply.error_code() == "busy" => {}
                // The first request with this key has not ended; the server that ran it may be dead.
                Ok(reply) if reply.status == 409 && reply.summary().contains("idempotency_in_progress") => {}
                Ok(reply) => return Ok(reply),
                Err(_) => {
                    self.work.broken_connections.fetch_add(1, Ordering::Relaxed);
                }
            }
            ensure!(method == "GET" || text.is_some(), "{path} was sent without a body");
            thread::sleep(PAUSE);
        }
    }

    fn step(&mut self) -> Result<()> {
        self.sent += 1;
        let at = self.random.index(self.work.books.len());
        let (books, bank) = (self.work.books.get(at).cloned(), self.work.banks.get(at).copied());
        let (books, bank) = books.zip(bank).context("no organisation")?;
        let label = format!("s{}-{}", self.number, self.sent);
        let rows: Vec<Value> = (0..LINES)
            .map(|line| {
                let pence = self.random.between(1, 90_000);
                json!({
                    "date": format!("2026-0{}-{:02}", self.random.between(1, 6), self.random.between(1, 28)),
                    "amount": format!("-{}.{:02}", pence / 100, pence % 100),
                    "description": format!("CARD PAYMENT TO RYMAN {label}-{line}"),
                    "external_id": format!("{label}-{line}"),
                })
            })
            .collect();
        let path = books.path("/bank-transactions/import");
        let import = json!({ "bank_account_id": bank, "rows": rows });
        let reply = self.send("POST", &path, Some(&import), &format!("{label}-import"))?;
        ensure!(reply.status == 201, "{path} was answered {}", reply.summary());
        let lines: Vec<i64> = ids(&reply.json(), "/data/transactions");
        ensure!(lines.len() == rows.len(), "{} lines of {} were imported", lines.len(), rows.len());
        self.suggest(&books, &label, &lines)?;
        if self.random.chance(10) {
            return Ok(());
        }
        self.confirm(&books, &label, &lines)
    }

    /// Asks for suggestions until a job has completed.
    fn suggest(&mut self, books: &Books, label: &str, lines: &[i64]) -> Result<()> {
        let path = books.path("/bank-transactions/suggest");
        for attempt in 0.. {
            let asked =
                self.send("POST", &path, Some(&json!({ "transaction_ids": lines })), &format!("{label}-ask{attempt}"))?;
            ensure!(asked.status == 202, "{path} was answered {}", asked.summary());
            let data = asked.json();
            let text = |pointer: &str| data.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
            let (job, poll) = text("/data/coding_job_id").zip(text("/data/poll_url")).context("a job without an id")?;
            loop {
                let reply = self.send("GET", &poll, None, "")?;
                ensure!(reply.status == 200, "{poll} was answered {}", reply.summary());
                let state = reply.json();
                match state.get("status").and_then(Value::as_str) {
                    Some("completed") => {
                        let charged = state.get("credits_charged").and_then(Value::as_i64).unwrap_or(-1);
                        self.done.charged.insert(job, charged);
                        let written = state.pointer("/result/summary/suggestions/written").and_then(Value::as_i64);
                        if written != i64::try_from(lines.len()).ok() {
                            self.work.complaints.add(format!("{written:?} of {} were suggested", lines.len()));
                        }
                        return Ok(());
                    }
                    // It was started too often while servers died.
                    Some("failed") => {
                        self.done.charged.insert(job, 0);
                        self.work.failed_jobs.fetch_add(1, Ordering::Relaxed);
                        break;
                    }
                    _ => thread::sleep(PAUSE),
                }
            }
        }
        Ok(())
    }

    /// Confirms lines; what was confirmed is answered again and not done again.
    fn confirm(&mut self, books: &Books, label: &str, lines: &[i64]) -> Result<()> {
        let path = books.path("/bank-transactions/confirm");
        let body = json!({ "transaction_ids": lines });
        let key = format!("{label}-confirm");
        let first = self.send("POST", &path, Some(&body), &key)?;
        ensure!(first.status == 200, "{path} was answered {}", first.summary());
        let confirmed = first.json().pointer("/data/confirmed").and_then(Value::as_u64).unwrap_or_default();
        if confirmed != u64::try_from(lines.len())? {
            self.work.complaints.add(format!("not every line was confirmed: {}", first.summary()));
        }
        self.work.confirmed.fetch_add(confirmed, Ordering::Relaxed);
        for line in 0..LINES {
            self.done.confirmed.insert((books.id, format!("CARD PAYMENT TO RYMAN {label}-{line}")));
        }
        if self.random.chance(20) {
            let again = self.send("POST", &path, Some(&body), &key)?;
            match again.body == first.body {
                true => drop(self.work.replayed.fetch_add(1, Ordering::Relaxed)),
                false => self.work.complaints.add(format!("answered otherwise the second time: {}", again.summary())),
            }
        }
        Ok(())
    }
}

/// The ids of a list.
fn ids(answer: &Value, pointer: &str) -> Vec<i64> {
    let rows = answer.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
    rows.filter_map(|row| row.get("id").and_then(Value::as_i64)).collect()
}

/// The clients at work.
#[derive(Debug)]
pub struct Clients {
    work: Arc<Suggesting>,
    threads: Vec<JoinHandle<Result<Done>>>,
}

impl Clients {
    /// Start that many.
    ///
    /// # Errors
    ///
    /// When the target is no address to connect to.
    pub fn start(work: &Arc<Suggesting>, count: usize, random: &Random) -> Result<Self> {
        let mut threads = Vec::new();
        for number in 0..count {
            let mut client = Client {
                work: Arc::clone(work),
                number,
                sent: 0,
                random: random.fork(7_000 + u64::try_from(number).unwrap_or(0)),
                connection: Connection::new(work.target, Duration::from_secs(30))?,
                done: Done::default(),
            };
            threads.push(thread::spawn(move || {
                while !client.work.stop.load(Ordering::Relaxed) {
                    client.step()?;
                }
                Ok(client.done)
            }));
        }
        Ok(Self { work: Arc::clone(work), threads })
    }

    /// Let them stop; a server must be running.
    ///
    /// # Errors
    ///
    /// When a client met an answer that it cannot go on from.
    pub fn stop(self) -> Result<Vec<Done>> {
        self.work.stop.store(true, Ordering::Relaxed);
        let joined = self.threads.into_iter().map(|thread| thread.join().map_err(|_| anyhow!("a client panicked")));
        joined.map(|done| done?).collect()
    }
}

/// Holds what the books show against what was confirmed, and the credits that were spent against what jobs charged.
///
/// # Errors
///
/// When the books cannot be read.
pub fn reckon(
    work: &Suggesting,
    connection: &mut Connection,
    done: &[Done],
    spent: u64,
    finding: &mut Finding,
) -> Result<()> {
    let expected: BTreeSet<&(i64, String)> = done.iter().flat_map(|done| &done.confirmed).collect();
    let mut found: BTreeMap<(i64, String), u64> = BTreeMap::new();
    for books in &work.books {
        for offset in (0..).step_by(PAGE) {
            let path = books.path(&format!("/journals?limit={PAGE}&offset={offset}"));
            let reply = connection.send_patiently(&Request::get(&path, Some(&work.key)), Duration::from_secs(60))?;
            ensure!(reply.status == 200, "{path} was answered {}", reply.summary());
            let page = reply.json();
            let rows = page.get("data").and_then(Value::as_array).cloned().unwrap_or_default();
            for row in &rows {
                let name = row.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
                *found.entry((books.id, name)).or_default() += 1;
            }
            if rows.len() < PAGE {
                break;
            }
        }
    }
    let lost = expected.iter().filter(|line| !found.contains_key(**line)).count();
    let twice = found.values().filter(|count| **count > 1).count();
    let never_confirmed = found.keys().filter(|line| !expected.contains(line)).count();
    let charged: i64 = done.iter().flat_map(|done| done.charged.values()).sum();
    finding.count("confirmed", work.confirmed());
    finding.count("replayed", work.replayed.load(Ordering::Relaxed));
    finding.count("jobs", done.iter().map(|done| done.charged.len()).sum::<usize>());
    finding.count("failed_jobs", work.failed_jobs.load(Ordering::Relaxed));
    finding.count("broken_connections", work.broken_connections.load(Ordering::Relaxed));
    finding.count("lost", lost);
    finding.count("twice", twice);
    finding.count("never_confirmed", never_confirmed);
    finding.must(lost == 0, format!("{lost} lines that were confirmed have no journal"));
    finding.must(twice == 0, format!("{twice} lines are posted twice"));
    finding.must(never_confirmed == 0, format!("{never_confirmed} journals are there that nobody confirmed"));
    let spent = i64::try_from(spent)?;
    finding.must(spent == charged, format!("{spent} credits are gone and jobs charged {charged}"));
    Ok(())
}
