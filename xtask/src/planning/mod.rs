//! Clients that keep books by tools while servers die under them: plans, bulk imports and opening balances, each previewed and
//! then confirmed until it is answered, and loads of coding sessions. Everything they make has a name of its own, so that the
//! reckoning finds what is there twice, what is missing, and what nobody confirmed.

mod loads;
mod openings;

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::{Value, json};

use crate::{
    books::Books,
    http::{Connection, Request},
    random::Random,
    report::{Complaints, Finding},
};

/// Records asked for at once.
const PAGE: usize = 200;

/// What all clients share.
#[derive(Debug)]
pub struct Planning {
    targets: Vec<SocketAddr>,
    /// Each a connection of its own: a plan whose answer was lost waits until it expires, and a connection may have so many.
    keys: Vec<String>,
    books: Vec<Books>,
    /// Books whose opening balances are set by whoever takes the next.
    unopened: Vec<Books>,
    opened: AtomicUsize,
    /// Broken invariants.
    pub complaints: Complaints,
    confirmed: AtomicU64,
    replayed: AtomicU64,
    broken_connections: AtomicU64,
    stop: AtomicBool,
}

impl Planning {
    /// Work on these books at any of these servers; the later ones get their opening balances.
    #[must_use]
    pub fn new(targets: Vec<SocketAddr>, keys: Vec<String>, books: Vec<Books>, unopened: Vec<Books>) -> Self {
        let (complaints, stop) = (Complaints::default(), AtomicBool::new(false));
        let [confirmed, replayed, broken_connections] = [const { AtomicU64::new(0) }; 3];
        let opened = AtomicUsize::new(0);
        Self { targets, keys, books, unopened, opened, complaints, confirmed, replayed, broken_connections, stop }
    }

    /// What was confirmed so far.
    #[must_use]
    pub fn confirmed(&self) -> u64 {
        self.confirmed.load(Ordering::Relaxed)
    }
}

/// Something that was previewed.
#[derive(Debug, Clone)]
struct Previewed {
    tool: &'static str,
    arguments: Value,
    /// The names of what it makes.
    names: Vec<String>,
    organisation: i64,
    /// The place of the key it belongs to.
    key: usize,
}

/// What a client did.
#[derive(Debug, Default)]
pub struct Done {
    confirmed: Vec<Previewed>,
    abandoned: Vec<Previewed>,
    sessions: Vec<loads::Session>,
}

struct Client {
    work: Arc<Planning>,
    number: usize,
    sent: u64,
    random: Random,
    connections: Vec<Connection>,
    /// The place of the key in use.
    key: usize,
    done: Done,
}

/// What a tool said.
enum Said {
    Given(Value),
    Failed(String),
}

impl Client {
    /// Calls a tool; nothing when the connection broke or the service was busy.
    fn call(&mut self, key: usize, tool: &str, arguments: &Value) -> Result<Option<Said>> {
        let key = self.work.keys.get(key).context("no key")?;
        let target = self.random.index(self.connections.len());
        let connection = self.connections.get_mut(target).context("no server")?;
        match spoken(connection, key, tool, arguments) {
            Ok(Some(said)) => Ok(Some(said)),
            Ok(None) => {
                thread::sleep(Duration::from_millis(self.random.between(5, 30)));
                Ok(None)
            }
            Err(error) if error.is::<Broken>() => {
                self.work.broken_connections.fetch_add(1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(2));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The same until there is an answer.
    fn call_until_answered(&mut self, key: usize, tool: &str, arguments: &Value) -> Result<Said> {
        for _ in 0..60_000 {
            if let Some(said) = self.call(key, tool, arguments)? {
                return Ok(said);
            }
        }
        bail!("{tool} was never answered")
    }

    /// What a tool gives that has no reason to refuse.
    fn must_give(&mut self, key: usize, tool: &str, arguments: &Value) -> Result<Value> {
        match self.call_until_answered(key, tool, arguments)? {
            Said::Given(given) => Ok(given),
            Said::Failed(text) => Err(anyhow!("{tool} refused what is right: {text}")),
        }
    }

    fn step(&mut self) -> Result<()> {
        self.sent += 1;
        if self.random.chance(20) {
            return self.code();
        }
        if self.random.chance(5)
            && let Some(known) = self.random.pick(&self.done.confirmed).cloned()
        {
            return self.confirm_again(&known);
        }
        let organisation = self.random.index(self.work.books.len());
        let organisation = self.work.books.get(organisation).context("no organisation")?.id;
        let names: Vec<String> = (0..3).map(|part| format!("c{}-{}-{part}", self.number, self.sent)).collect();
        let opening = if self.random.chance(10) { self.opening() } else { None };
        let is_opening = opening.is_some();
        let is_plan = !is_opening && self.random.chance(70);
        let (organisation, tool, arguments) = match opening {
            Some(opening) => opening,
            None if is_plan => self.plan(organisation, &names),
            None => self.import(organisation, &names),
        };
        let names = if is_opening { Vec::new() } else { names };
        let key = self.key;
        let preview = match self.call_until_answered(key, tool, &arguments)? {
            Said::Given(preview) => preview,
            Said::Failed(text) if text.contains("too_many_plans") => {
                self.key = (self.key + 1) % self.work.keys.len();
                return Ok(());
            }
            Said::Failed(text) => return Err(anyhow!("{tool} refused what is right: {text}")),
        };
        let (confirm, token) = if is_plan { ("commit_plan", "plan_token") } else { (tool, "confirm_token") };
        let given = preview.get(token).cloned().with_context(|| format!("{tool} gave no token: {preview}"))?;
        let previewed = Previewed { tool: confirm, arguments: json!({ token: given }), names, organisation, key };
        if self.random.chance(10) {
            self.done.abandoned.push(previewed);
            return Ok(());
        }
        match self.call_until_answered(key, confirm, &previewed.arguments)? {
            Said::Given(_) => {
                self.work.confirmed.fetch_add(1, Ordering::Relaxed);
                self.done.confirmed.push(previewed);
            }
            Said::Failed(text) => self.work.complaints.add(format!("{confirm} refused what it previewed: {text}")),
        }
        Ok(())
    }

    /// What was confirmed is answered again and not done again.
    fn confirm_again(&mut self, known: &Previewed) -> Result<()> {
        match self.call_until_answered(known.key, known.tool, &known.arguments)? {
            Said::Given(given) if given.get("replayed") == Some(&Value::Bool(true)) => {
                self.work.replayed.fetch_add(1, Ordering::Relaxed);
            }
            Said::Given(given) => self.work.complaints.add(format!("{} was carried out again: {given}", known.tool)),
            Said::Failed(text) => self.work.complaints.add(format!("{} forgot what it did: {text}", known.tool)),
        }
        Ok(())
    }

    fn import(&self, organisation: i64, names: &[String]) -> (i64, &'static str, Value) {
        let rows: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
        let arguments = json!({ "organisation_id": organisation, "kind": "customers", "rows": rows });
        (organisation, "bulk_import", arguments)
    }

    /// Three customers and, for each, a journal that names them.
    fn plan(&mut self, organisation: i64, names: &[String]) -> (i64, &'static str, Value) {
        let amount = self.random.between(1, 90_000);
        let operations: Vec<Value> = names
            .iter()
            .flat_map(|name| {
                let amount = format!("{}.{:02}", amount / 100, amount % 100);
                let lines = json!([
                    { "account_code": "7500", "debit": amount }, { "account_code": "2400", "credit": amount },
                    { "account_code": "1100", "debit": amount, "contact_id": { "$from": name } },
                    { "account_code": "4000", "credit": amount },
                ]);
                let journal = json!({ "entry_date": "2026-03-10", "description": name, "lines": lines });
                [
                    json!({ "op": "customer.create", "ref": name, "params": { "name": name } }),
                    json!({ "op": "journal.create", "params": journal }),
                ]
            })
            .collect();
        let arguments = json!({ "organisation_id": organisation, "operations": operations });
        (organisation, "plan_bookkeeping", arguments)
    }
}

/// The connection broke, so that nobody knows what became of the call.
#[derive(Debug)]
struct Broken(String);

impl std::fmt::Display for Broken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}

/// Calls a tool; nothing when the service is busy, starting or stopping.
fn spoken(connection: &mut Connection, key: &str, tool: &str, arguments: &Value) -> Result<Option<Said>> {
    let params = json!({ "name": tool, "arguments": arguments });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let headers = [("Accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-11-25")];
    let request = Request { headers: &headers, ..Request::post("/mcp", Some(key), body.as_bytes()) };
    let reply = connection.send(&request).map_err(|error| Broken(error.to_string()))?;
    if reply.status == 503 || reply.status == 429 {
        return Ok(None);
    }
    ensure!(reply.status == 200, "{tool} was answered {}", reply.summary());
    let answer = reply.json();
    let result = answer.get("result").with_context(|| format!("{tool} was answered {answer}"))?;
    if result.get("isError") == Some(&Value::Bool(true)) {
        let text = result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default();
        return Ok((!text.starts_with("busy")).then(|| Said::Failed(text.to_owned())));
    }
    Ok(result.get("structuredContent").map(|given| Said::Given(given.clone())))
}

/// The clients at work.
#[derive(Debug)]
pub struct Clients {
    work: Arc<Planning>,
    threads: Vec<JoinHandle<Result<Done>>>,
}

impl Clients {
    /// Start that many.
    ///
    /// # Errors
    ///
    /// When a target is no address to connect to.
    pub fn start(work: &Arc<Planning>, count: usize, random: &Random) -> Result<Self> {
        let mut threads = Vec::new();
        for number in 0..count {
            let connections = work.targets.iter().map(|target| Connection::new(*target, Duration::from_secs(30)));
            let mut client = Client {
                work: Arc::clone(work),
                number,
                sent: 0,
                random: random.fork(6_000 + u64::try_from(number).unwrap_or(0)),
                connections: connections.collect::<Result<_>>()?,
                key: number,
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

/// Holds what the books show against what was confirmed: everything once, and nothing that was only previewed; and the credits
/// that were spent against the lines that were loaded.
///
/// # Errors
///
/// When the books cannot be read.
pub fn reckon(
    work: &Planning,
    connection: &mut Connection,
    done: &[Done],
    spent: u64,
    finding: &mut Finding,
) -> Result<()> {
    openings::reckon(work, connection, done, finding)?;
    loads::reckon(work, connection, done, spent, finding)?;
    let mut expected: BTreeMap<(i64, &str, &str), u64> = BTreeMap::new();
    for previewed in done.iter().flat_map(|done| &done.confirmed) {
        for name in &previewed.names {
            expected.insert((previewed.organisation, "customers", name), 1);
            if previewed.tool == "commit_plan" {
                expected.insert((previewed.organisation, "journals", name), 1);
            }
        }
    }
    let mut found: BTreeMap<(i64, String, String), u64> = BTreeMap::new();
    let key = work.keys.first().map(String::as_str);
    for books in &work.books {
        for (list, field) in [("customers", "name"), ("journals", "description")] {
            for offset in (0..).step_by(PAGE) {
                let path = books.path(&format!("/{list}?limit={PAGE}&offset={offset}"));
                let reply = connection.send_patiently(&Request::get(&path, key), Duration::from_secs(60))?;
                ensure!(reply.status == 200, "{path} was answered {}", reply.summary());
                let page = reply.json();
                let rows = page.get("data").and_then(Value::as_array).cloned().unwrap_or_default();
                for row in &rows {
                    let name = row.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
                    *found.entry((books.id, list.to_owned(), name)).or_default() += 1;
                }
                if rows.len() < PAGE {
                    break;
                }
            }
        }
    }
    let count = |key: &(i64, &str, &str)| found.get(&(key.0, key.1.to_owned(), key.2.to_owned())).copied().unwrap_or(0);
    let lost = expected.keys().filter(|key| count(key) == 0).count();
    let twice = found.values().filter(|count| **count > 1).count();
    let never_confirmed =
        found.keys().filter(|(id, list, name)| !expected.contains_key(&(*id, list.as_str(), name.as_str())));
    let never_confirmed = never_confirmed.count();
    let abandoned: usize = done.iter().map(|done| done.abandoned.len()).sum();
    finding.count("confirmed", work.confirmed());
    finding.count("previewed_and_left", abandoned);
    finding.count("replayed", work.replayed.load(Ordering::Relaxed));
    finding.count("broken_connections", work.broken_connections.load(Ordering::Relaxed));
    finding.count("lost", lost);
    finding.count("twice", twice);
    finding.count("never_confirmed", never_confirmed);
    finding.must(lost == 0, format!("{lost} records that were confirmed are not there"));
    finding.must(twice == 0, format!("{twice} records are there twice"));
    finding.must(never_confirmed == 0, format!("{never_confirmed} records are there that nobody confirmed"));
    Ok(())
}
