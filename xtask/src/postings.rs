//! Clients that post journals while servers die under them, and the reckoning afterwards: every acknowledged journal is
//! there and whole, none is there twice or half, and the numbers of each organisation have no gap.

use std::{
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{
    books::{Books, Entered},
    http::{Connection, Reply, Request},
    random::Random,
    report::{Complaints, Finding},
};

/// Journals asked for at once.
const PAGE: usize = 200;

/// A journal the service answered with 201.
#[derive(Debug, Clone)]
struct Acknowledged {
    /// Position of the organisation.
    organisation: usize,
    id: i64,
    number: i64,
    line_count: usize,
    total_pence: u64,
}

/// Counts kept by all clients together.
#[derive(Debug, Default)]
struct Counts {
    acknowledged: AtomicU64,
    broken_connections: AtomicU64,
    /// Sent without a key and never answered: they may have been posted.
    ambiguous: AtomicU64,
    replays: AtomicU64,
    voided: AtomicU64,
    busy: AtomicU64,
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// What the clients work on.
#[derive(Debug)]
pub struct Postings {
    targets: Vec<SocketAddr>,
    key: String,
    books: Vec<Books>,
    /// Broken invariants.
    pub complaints: Complaints,
    counts: Counts,
    stop: AtomicBool,
}

impl Postings {
    /// Work on these books at any of these servers.
    #[must_use]
    pub fn new(targets: Vec<SocketAddr>, key: String, books: Vec<Books>) -> Self {
        let (complaints, counts) = (Complaints::default(), Counts::default());
        Self { targets, key, books, complaints, counts, stop: AtomicBool::new(false) }
    }

    /// The key that posts.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The organisations posted to.
    #[must_use]
    pub fn books(&self) -> &[Books] {
        &self.books
    }

    /// Journals answered with 201 so far.
    #[must_use]
    pub fn acknowledged(&self) -> u64 {
        self.counts.acknowledged.load(Ordering::Relaxed)
    }
}

/// What is asked of the service.
#[derive(Debug, Clone)]
enum Wish {
    Post(Entered),
    /// Void the journal at this place of the client's own list.
    Void(usize),
}

/// Something that was sent and has not been answered yet.
#[derive(Debug, Clone)]
struct Pending {
    organisation: usize,
    wish: Wish,
    key: Option<String>,
    /// The id it had before, when this is a deliberate repetition.
    known: Option<i64>,
}

/// What a client did.
#[derive(Debug, Default)]
pub struct Done {
    posted: Vec<Acknowledged>,
    /// The requests of those that had a key, to repeat them.
    keyed: Vec<(Pending, i64)>,
    /// Voided journals and their reversals, by id.
    voided: Vec<(i64, i64)>,
}

struct Client {
    work: Arc<Postings>,
    number: usize,
    sent: u64,
    random: Random,
    connections: Vec<Connection>,
    pending: Option<Pending>,
    done: Done,
}

impl Client {
    fn step(&mut self) -> Result<()> {
        let pending = match self.pending.take() {
            Some(pending) => pending,
            None => self.next()?,
        };
        self.send(pending);
        Ok(())
    }

    fn next(&mut self) -> Result<Pending> {
        self.sent += 1;
        let key = Some(format!("client-{}-{}", self.number, self.sent));
        if self.random.chance(5)
            && let Some((again, id)) = self.random.pick(&self.done.keyed)
        {
            return Ok(Pending { known: Some(*id), ..again.clone() });
        }
        let place = self.random.index(self.done.posted.len());
        if self.random.chance(5)
            && let Some(journal) = self.done.posted.get(place)
            && self.done.voided.iter().all(|(voided, _)| *voided != journal.id)
        {
            return Ok(Pending { organisation: journal.organisation, wish: Wish::Void(place), key, known: None });
        }
        let organisation = self.random.index(self.work.books.len());
        let books = self.work.books.get(organisation).context("no organisation")?;
        let wish = Wish::Post(books.journal(&mut self.random)?);
        Ok(Pending { organisation, wish, key: key.filter(|_| self.random.chance(50)), known: None })
    }

    fn send(&mut self, pending: Pending) {
        let work = Arc::clone(&self.work);
        let Some(books) = work.books.get(pending.organisation) else { return };
        let (path, body) = match &pending.wish {
            Wish::Post(entered) => (books.path("/journals"), entered.body.clone()),
            Wish::Void(place) => {
                let id = self.done.posted.get(*place).map_or(0, |journal| journal.id);
                (books.path(&format!("/journals/{id}/void")), br#"{"reason":"fault test"}"#.to_vec())
            }
        };
        let header = pending.key.as_deref().map(|value| ("Idempotency-Key", value));
        let headers: Vec<(&str, &str)> = header.into_iter().collect();
        let request = Request { headers: &headers, ..Request::post(&path, Some(&work.key), &body) };
        let target = self.random.index(self.connections.len());
        let reply = match self.connections.get_mut(target).map(|connection| connection.send(&request)) {
            Some(Ok(reply)) => reply,
            Some(Err(_)) | None => {
                add(&work.counts.broken_connections);
                thread::sleep(Duration::from_millis(2));
                if pending.key.is_some() {
                    self.pending = Some(pending);
                } else {
                    add(&work.counts.ambiguous);
                }
                return;
            }
        };
        match (&pending.wish, reply.status) {
            (Wish::Post(_), 201) | (Wish::Void(_), 200) => self.acknowledge(pending, &reply),
            (_, 503) => {
                add(&work.counts.busy);
                thread::sleep(Duration::from_millis(self.random.between(5, 30)));
                self.pending = Some(pending);
            }
            _ => work.complaints.add(format!("{path} was answered {}", reply.summary())),
        }
    }

    fn acknowledge(&mut self, pending: Pending, reply: &Reply) {
        let work = Arc::clone(&self.work);
        let answer = reply.json();
        let field = |name: &str| answer.pointer(&format!("/data/{name}")).and_then(Value::as_i64);
        let (Some(id), Some(number)) = (field("id"), field("journal_number")) else {
            return work.complaints.add(format!("an acknowledged journal without id or number: {}", reply.summary()));
        };
        if let Some(known) = pending.known {
            add(&work.counts.replays);
            if known != id || reply.header("idempotency-replayed") != Some("true") {
                work.complaints.add(format!("the repetition of journal {known} was answered {}", reply.summary()));
            }
            return;
        }
        match &pending.wish {
            Wish::Void(place) => {
                let Some(journal) = self.done.posted.get(*place).cloned() else { return };
                // The answer is the journal as it is now; its reversal is a journal of its own.
                let Some(reversal) = field("reversed_by_journal_id") else {
                    return work.complaints.add(format!("a voided journal without a reversal: {}", reply.summary()));
                };
                add(&work.counts.voided);
                self.done.voided.push((journal.id, reversal));
            }
            Wish::Post(entered) => {
                add(&work.counts.acknowledged);
                let journal = Acknowledged {
                    organisation: pending.organisation,
                    id,
                    number,
                    line_count: entered.line_count,
                    total_pence: entered.total_pence,
                };
                self.done.posted.push(journal);
                if pending.key.is_some() {
                    self.done.keyed.push((pending, id));
                }
            }
        }
    }
}

/// Running clients.
#[derive(Debug)]
pub struct Clients {
    work: Arc<Postings>,
    threads: Vec<JoinHandle<Result<Done>>>,
}

impl Clients {
    /// Start that many.
    pub fn start(work: &Arc<Postings>, count: usize, random: &Random) -> Result<Self> {
        let mut threads = Vec::new();
        for number in 0..count {
            let connections = work.targets.iter().map(|target| Connection::new(*target, Duration::from_secs(30)));
            let mut client = Client {
                work: Arc::clone(work),
                number,
                sent: 0,
                random: random.fork(2_000 + u64::try_from(number).unwrap_or(0)),
                connections: connections.collect::<Result<_>>()?,
                pending: None,
                done: Done::default(),
            };
            threads.push(thread::spawn(move || {
                while !client.work.stop.load(Ordering::Relaxed) {
                    client.step()?;
                }
                // What was not answered is sent again, as a real client does.
                let deadline = Instant::now() + Duration::from_secs(60);
                while client.pending.is_some() && Instant::now() < deadline {
                    if let Some(pending) = client.pending.take() {
                        client.send(pending);
                    }
                }
                Ok(client.done)
            }));
        }
        Ok(Self { work: Arc::clone(work), threads })
    }

    /// Let them stop; a server must be running.
    pub fn stop(self) -> Result<Vec<Done>> {
        self.work.stop.store(true, Ordering::Relaxed);
        let joined =
            self.threads.into_iter().map(|thread| thread.join().map_err(|_| anyhow::anyhow!("a client panicked")));
        joined.map(|done| done?).collect()
    }
}

/// A journal as the books show it.
struct Shown {
    number: i64,
    line_count: usize,
    total_pence: u64,
    reversed_by: Option<i64>,
    reverses: Option<i64>,
    /// Whether it was entered by hand, as all that the clients post is.
    is_manual: bool,
}

impl Shown {
    /// Whether it takes back a journal entered by hand.
    fn is_reversal(&self, shown: &HashMap<i64, Self>) -> bool {
        self.reverses.and_then(|reversed| shown.get(&reversed)).is_some_and(|reversed| reversed.is_manual)
    }
}

/// Compare what was acknowledged with what is there.
pub fn reckon(work: &Postings, connection: &mut Connection, done: &[Done], finding: &mut Finding) -> Result<()> {
    let mut missing = 0_u64;
    let (mut shown_in_all, mut posted, mut reversals) = (0_u64, 0_u64, 0_u64);
    for (place, books) in work.books.iter().enumerate() {
        let shown = journals(connection, &work.key, books, finding)?;
        shown_in_all += u64::try_from(shown.len())?;
        posted += u64::try_from(shown.values().filter(|journal| journal.is_manual).count())?;
        reversals += u64::try_from(shown.values().filter(|journal| journal.is_reversal(&shown)).count())?;
        let mut numbers: Vec<i64> = shown.values().map(|journal| journal.number).collect();
        numbers.sort_unstable();
        let gap_free = numbers.iter().zip(1_i64..).all(|(number, expected)| *number == expected);
        finding.must(gap_free, format!("the journal numbers of organisation {} have a gap or a double", books.id));
        for journal in done.iter().flat_map(|done| &done.posted).filter(|journal| journal.organisation == place) {
            match shown.get(&journal.id) {
                None => {
                    missing += 1;
                    finding.broken(format!("acknowledged journal {} is lost", journal.id));
                }
                Some(found) => finding.must(
                    found.number == journal.number
                        && found.line_count == journal.line_count
                        && found.total_pence == journal.total_pence,
                    format!("journal {} is not as it was acknowledged", journal.id),
                ),
            }
        }
        for (id, reversal) in done.iter().flat_map(|done| &done.voided) {
            if let Some(journal) = shown.get(id) {
                finding.must(
                    journal.reversed_by == Some(*reversal)
                        && shown.get(reversal).is_some_and(|made| made.is_reversal(&shown)),
                    format!("acknowledged void of journal {id} by {reversal} is lost"),
                );
            }
        }
    }
    let counts = &work.counts;
    let (acknowledged, ambiguous) = (work.acknowledged(), counts.ambiguous.load(Ordering::Relaxed));
    let voided = counts.voided.load(Ordering::Relaxed);
    finding.must(
        posted + missing >= acknowledged && posted <= acknowledged + ambiguous,
        format!("{posted} journals for {acknowledged} acknowledged and {ambiguous} unanswered ones"),
    );
    finding.must(reversals == voided, format!("{reversals} reversals for {voided} acknowledged voids"));
    finding.count("acknowledged", acknowledged);
    finding.count("journals", shown_in_all);
    finding.count("lost", missing);
    for (name, counter) in [
        ("voided", &counts.voided),
        ("replays", &counts.replays),
        ("unanswered", &counts.ambiguous),
        ("broken_connections", &counts.broken_connections),
        ("busy_503", &counts.busy),
    ] {
        finding.count(name, counter.load(Ordering::Relaxed));
    }
    Ok(())
}

/// Every journal of an organisation by its id; each must be whole.
fn journals(
    connection: &mut Connection,
    key: &str,
    books: &Books,
    finding: &mut Finding,
) -> Result<HashMap<i64, Shown>> {
    let mut shown = HashMap::new();
    for page in 0.. {
        let path = books.path(&format!("/journals?limit={PAGE}&offset={}", page * PAGE));
        let reply = connection.send(&Request::get(&path, Some(key)))?;
        ensure!(reply.status == 200, "listing journals was answered {}", reply.summary());
        let answer = reply.json();
        let listed = answer.get("data").and_then(Value::as_array).context("a list without data")?;
        for journal in listed {
            let id = journal.get("id").and_then(Value::as_i64).context("a journal without an id")?;
            let read = read(journal).with_context(|| format!("journal {id} cannot be read: {journal}"))?;
            if let Err(text) = whole(journal, &read) {
                finding.broken(format!("journal {id} is not whole: {text}"));
            }
            if shown.insert(id, read).is_some() {
                finding.broken(format!("journal {id} is listed twice"));
            }
        }
        if listed.len() < PAGE {
            break;
        }
    }
    Ok(shown)
}

fn read(journal: &Value) -> Option<Shown> {
    Some(Shown {
        number: journal.get("journal_number")?.as_i64()?,
        line_count: journal.get("lines")?.as_array()?.len(),
        total_pence: pence(journal.get("total_debit")?)?,
        reversed_by: journal.get("reversed_by_journal_id")?.as_i64(),
        reverses: journal.get("reverses_journal_id")?.as_i64(),
        is_manual: journal.get("source_type")?.as_str() == Some("manual"),
    })
}

/// Debits are credits, and there are at least two lines, each on one side.
fn whole(journal: &Value, shown: &Shown) -> std::result::Result<(), String> {
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for line in journal.get("lines").and_then(Value::as_array).into_iter().flatten() {
        let sides = ["debit", "credit"].map(|side| (side, line.get(side).and_then(pence).unwrap_or(0)));
        if sides.iter().filter(|(_, amount)| *amount > 0).count() != 1 {
            return Err(format!("a line with both sides or neither: {line}"));
        }
        for (side, amount) in sides {
            *sums.entry(side).or_default() += amount;
        }
    }
    let both = ["debit", "credit"].map(|side| sums.get(side).copied().unwrap_or(0));
    if shown.line_count < 2 || both != [shown.total_pence; 2] {
        return Err(format!("{} lines, {both:?} against {}", shown.line_count, shown.total_pence));
    }
    Ok(())
}

/// Pence of an amount as it is printed: a number with two decimals, not negative.
#[must_use]
pub fn pence(value: &Value) -> Option<u64> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let (pounds, rest) = text.split_once('.').unwrap_or((&text, ""));
    let rest = format!("{rest:0<2}");
    format!("{pounds}{rest}").parse().ok().filter(|_| rest.len() == 2)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{pence, read, whole};

    #[test]
    fn amounts_are_read_to_the_penny() {
        assert_eq!(pence(&json!(12.3)), Some(1_230));
        assert_eq!(pence(&json!("0.05")), Some(5));
        assert_eq!(pence(&json!(7)), Some(700));
        assert_eq!(pence(&json!(1.234)), None);
    }

    #[test]
    fn half_a_journal_is_noticed() {
        let line = |side: &str| json!({ side: 5.0 });
        let journal = |lines: Vec<serde_json::Value>| {
            json!({ "journal_number": 1, "total_debit": 5.0, "reversed_by_journal_id": null,
                "reverses_journal_id": null, "source_type": "manual", "lines": lines })
        };
        for (lines, is_whole) in [(vec![line("debit"), line("credit")], true), (vec![line("debit")], false)] {
            let journal = journal(lines);
            assert_eq!(whole(&journal, &read(&journal).unwrap()).is_ok(), is_whole);
        }
    }
}
