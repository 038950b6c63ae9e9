//! Clients that submit and poll reconciliations while servers die under them, and the reckoning afterwards: nothing
//! acknowledged is lost, nothing is charged twice, and every credit is accounted for.

use std::{
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{
    datasets::{Dataset, Expected},
    http::{Connection, Reply, Request},
    program::{Installation, Person},
    random::Random,
    report::{Complaints, Finding},
};

/// The path of submissions, and of polls with an id after it.
pub const RECONCILIATIONS: &str = "/api/v1/reconciliations";

/// A client asks for no more while it has this many unfinished jobs.
const UNFINISHED_LIMIT: usize = 40;

/// A key and the person it belongs to (by position).
#[derive(Debug, Clone)]
pub struct OwnedKey {
    /// Position in the list of people.
    pub person: usize,
    /// The credential.
    pub plaintext: String,
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// `completed`, with the credits it says were charged.
    Completed(u64),
    /// `failed`, with its code.
    Failed(String),
}

/// What a poll says about a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// `queued` or `processing`.
    Open,
    /// Finished.
    Ended(Outcome),
}

/// Read a poll's answer; anything the contract does not allow is an error text.
pub fn read_state(reply: &Reply) -> std::result::Result<State, String> {
    let answer = reply.json();
    let status = answer.get("status").and_then(Value::as_str).unwrap_or_default();
    match status {
        "queued" | "processing" => Ok(State::Open),
        "completed" => {
            let charged = answer.get("credits_charged").and_then(Value::as_u64);
            let inside = answer.pointer("/result/credits_charged").and_then(Value::as_u64);
            match charged {
                Some(charged) if inside == Some(charged) => Ok(State::Ended(Outcome::Completed(charged))),
                _ => Err(format!("a completed job without one answer on its charge: {}", reply.summary())),
            }
        }
        "failed" => {
            let code = answer.pointer("/error/code").and_then(Value::as_str).unwrap_or_default();
            if answer.get("result").is_some() {
                return Err(format!("a failed job with a result: {}", reply.summary()));
            }
            Ok(State::Ended(Outcome::Failed(code.to_owned())))
        }
        _ => Err(format!("a poll without a status: {}", reply.summary())),
    }
}

/// A submission the service answered with 202.
#[derive(Debug, Clone)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// Position of the key it was submitted with.
    pub key: usize,
    /// Position of its request in the pool.
    pub dataset: usize,
    /// The `Idempotency-Key` it was sent with.
    pub idempotency: Option<String>,
    /// How it ended, once a poll said so.
    pub outcome: Option<Outcome>,
}

/// Counts kept by all clients together.
#[derive(Debug, Default)]
pub struct Counts {
    acknowledged: AtomicU64,
    polls: AtomicU64,
    broken_connections: AtomicU64,
    ambiguous: AtomicU64,
    replays: AtomicU64,
    refused_credits: AtomicU64,
    busy: AtomicU64,
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// What the clients work on.
#[derive(Debug)]
pub struct Workload {
    /// The servers, any of which may be asked.
    pub targets: Vec<SocketAddr>,
    /// The keys to submit with.
    pub keys: Vec<OwnedKey>,
    /// The requests to choose from.
    pub pool: Vec<Dataset>,
    /// Broken invariants.
    pub complaints: Complaints,
    counts: Counts,
    stop: AtomicBool,
    latest_end: Mutex<Option<Instant>>,
}

impl Workload {
    /// A workload that has not begun.
    #[must_use]
    pub fn new(targets: Vec<SocketAddr>, keys: Vec<OwnedKey>, pool: Vec<Dataset>) -> Self {
        Self {
            targets,
            keys,
            pool,
            complaints: Complaints::default(),
            counts: Counts::default(),
            stop: AtomicBool::new(false),
            latest_end: Mutex::new(None),
        }
    }

    /// Submissions answered with 202 so far.
    #[must_use]
    pub fn acknowledged(&self) -> u64 {
        self.counts.acknowledged.load(Ordering::Relaxed)
    }

    /// When a client last saw that a job had ended.
    #[must_use]
    pub fn latest_end(&self) -> Option<Instant> {
        *self.latest_end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key(&self, place: usize) -> &str {
        self.keys.get(place).map_or("", |key| key.plaintext.as_str())
    }

    fn body(&self, place: usize) -> &[u8] {
        self.pool.get(place).map_or(b"{}".as_slice(), |dataset| dataset.body.as_slice())
    }

    /// Complain unless the outcome is one this request can have.
    fn judge(&self, job: &Job, outcome: &Outcome) {
        let Some(dataset) = self.pool.get(job.dataset) else { return };
        match outcome {
            Outcome::Completed(charged) if *charged != dataset.price() => self.complaints.add(format!(
                "job {} of {} bank rows ({}) was charged {charged} instead of {}",
                job.id,
                dataset.bank_rows,
                if dataset.expected == Expected::Verified { "verifiable" } else { "not verifiable" },
                dataset.price()
            )),
            Outcome::Failed(code) if code != "insufficient_credits" && code != "internal_error" => {
                self.complaints.add(format!("job {} failed with the unknown code {code:?}", job.id));
            }
            Outcome::Completed(_) | Outcome::Failed(_) => {}
        }
    }

    /// Note a finished job, or complain when it had another end before.
    fn ended(&self, job: &mut Job, outcome: Outcome) {
        match &job.outcome {
            None => {
                self.judge(job, &outcome);
                *self.latest_end.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
                job.outcome = Some(outcome);
            }
            Some(before) if *before != outcome => {
                self.complaints.add(format!("job {} ended as {before:?} and later as {outcome:?}", job.id));
            }
            Some(_) => {}
        }
    }
}

/// A submission that has not been answered yet.
#[derive(Debug, Clone)]
struct Submission {
    key: usize,
    dataset: usize,
    idempotency: Option<String>,
    /// The id it had before, when this is a deliberate repetition.
    known: Option<String>,
}

struct Client {
    workload: Arc<Workload>,
    number: usize,
    submissions: u64,
    random: Random,
    connections: Vec<Connection>,
    jobs: Vec<Job>,
    unfinished: Vec<usize>,
    pending: Option<Submission>,
}

/// How one exchange went.
enum Sent {
    Answered(Reply),
    Broken,
}

impl Client {
    fn new(workload: Arc<Workload>, number: usize, random: Random) -> Result<Self> {
        let connections = workload
            .targets
            .iter()
            .map(|target| Connection::new(*target, Duration::from_secs(30)))
            .collect::<Result<Vec<_>>>()?;
        Ok(Self {
            workload,
            number,
            submissions: 0,
            random,
            connections,
            jobs: Vec::new(),
            unfinished: Vec::new(),
            pending: None,
        })
    }

    fn exchange(&mut self, request: &Request<'_>) -> Sent {
        let target = self.random.index(self.connections.len());
        match self.connections.get_mut(target).map(|connection| connection.send(request)) {
            Some(Ok(reply)) => Sent::Answered(reply),
            Some(Err(_)) | None => {
                add(&self.workload.counts.broken_connections);
                thread::sleep(Duration::from_millis(2));
                Sent::Broken
            }
        }
    }

    fn step(&mut self) {
        if let Some(submission) = self.pending.take() {
            return self.submit(submission);
        }
        if !self.unfinished.is_empty() && (self.unfinished.len() >= UNFINISHED_LIMIT || self.random.chance(50)) {
            let place = self.random.index(self.unfinished.len());
            return self.poll_unfinished(place);
        }
        if !self.jobs.is_empty() && self.random.chance(10) {
            let place = self.random.index(self.jobs.len());
            return self.poll(place);
        }
        if self.random.chance(5)
            && let Some(job) = self.random.pick(&self.jobs)
            && job.idempotency.is_some()
        {
            let again = Submission {
                key: job.key,
                dataset: job.dataset,
                idempotency: job.idempotency.clone(),
                known: Some(job.id.clone()),
            };
            return self.submit(again);
        }
        self.submissions += 1;
        let idempotency = self.random.chance(50).then(|| format!("client-{}-{}", self.number, self.submissions));
        let key = self.random.index(self.workload.keys.len());
        let dataset = self.random.index(self.workload.pool.len());
        self.submit(Submission { key, dataset, idempotency, known: None });
    }

    fn submit(&mut self, submission: Submission) {
        let workload = Arc::clone(&self.workload);
        let header = submission.idempotency.as_deref().map(|value| ("Idempotency-Key", value));
        let headers: Vec<(&str, &str)> = header.into_iter().collect();
        let request = Request {
            headers: &headers,
            ..Request::post(RECONCILIATIONS, Some(workload.key(submission.key)), workload.body(submission.dataset))
        };
        let reply = match self.exchange(&request) {
            Sent::Answered(reply) => reply,
            Sent::Broken => {
                if submission.idempotency.is_some() {
                    self.pending = Some(submission);
                } else {
                    add(&workload.counts.ambiguous);
                }
                return;
            }
        };
        match reply.status {
            202 => self.acknowledge(submission, &reply),
            402 if reply.error_code() == "insufficient_credits" => add(&workload.counts.refused_credits),
            // Another attempt with the same key is still running, or the queue is full.
            409 if submission.idempotency.is_some() => {
                thread::sleep(Duration::from_millis(20));
                self.pending = Some(submission);
            }
            503 => {
                add(&workload.counts.busy);
                if reply.header("retry-after").is_none() {
                    workload.complaints.add(format!("a 503 without Retry-After: {}", reply.summary()));
                }
                thread::sleep(Duration::from_millis(self.random.between(5, 30)));
                // A repetition may wait for its turn; a new request that was refused has changed nothing.
                if submission.known.is_some() {
                    self.pending = Some(submission);
                }
            }
            _ => workload.complaints.add(format!("a submission was answered {}", reply.summary())),
        }
    }

    fn acknowledge(&mut self, submission: Submission, reply: &Reply) {
        let answer = reply.json();
        let Some(id) = answer.get("reconciliation_id").and_then(Value::as_str).map(str::to_owned) else {
            return self.workload.complaints.add(format!("a 202 without an id: {}", reply.summary()));
        };
        if let Some(known) = submission.known {
            add(&self.workload.counts.replays);
            if known != id {
                self.workload.complaints.add(format!("the repetition of job {known} made job {id}"));
            }
            if reply.header("idempotency-replayed") != Some("true") {
                self.workload.complaints.add(format!("the repetition of job {known} is not marked as replayed"));
            }
            return;
        }
        add(&self.workload.counts.acknowledged);
        self.unfinished.push(self.jobs.len());
        self.jobs.push(Job {
            id,
            key: submission.key,
            dataset: submission.dataset,
            idempotency: submission.idempotency,
            outcome: None,
        });
    }

    fn poll_unfinished(&mut self, place: usize) {
        let Some(job) = self.unfinished.get(place).copied() else { return };
        self.poll(job);
        if self.jobs.get(job).is_some_and(|job| job.outcome.is_some()) {
            self.unfinished.swap_remove(place);
        }
    }

    fn poll(&mut self, place: usize) {
        let Some(job) = self.jobs.get(place) else { return };
        let path = format!("{RECONCILIATIONS}/{}", job.id);
        let (id, key) = (job.id.clone(), job.key);
        let workload = Arc::clone(&self.workload);
        let Sent::Answered(reply) = self.exchange(&Request::get(&path, Some(workload.key(key)))) else { return };
        add(&workload.counts.polls);
        match reply.status {
            200 => match (read_state(&reply), self.jobs.get_mut(place)) {
                (Ok(State::Ended(outcome)), Some(job)) => workload.ended(job, outcome),
                (Ok(State::Open), Some(job)) if job.outcome.is_some() => {
                    workload.complaints.add(format!("job {id} had ended and is open again"));
                }
                (Err(complaint), _) => workload.complaints.add(complaint),
                _ => {}
            },
            404 => workload.complaints.add(format!("acknowledged job {id} is lost: 404")),
            503 => {
                add(&workload.counts.busy);
                thread::sleep(Duration::from_millis(10));
            }
            _ => workload.complaints.add(format!("a poll was answered {}", reply.summary())),
        }
    }
}

/// Running clients.
#[derive(Debug)]
pub struct Clients {
    workload: Arc<Workload>,
    threads: Vec<JoinHandle<Vec<Job>>>,
}

impl Clients {
    /// Start that many.
    pub fn start(workload: &Arc<Workload>, count: usize, random: &Random) -> Result<Self> {
        let mut threads = Vec::new();
        for number in 0..count {
            let part = u64::try_from(number).unwrap_or(0);
            let mut client = Client::new(Arc::clone(workload), number, random.fork(1_000 + part))?;
            threads.push(thread::spawn(move || {
                while !client.workload.stop.load(Ordering::Relaxed) {
                    client.step();
                }
                // A submission without an answer is finished by the same means a real client has: send it again.
                let deadline = Instant::now() + Duration::from_secs(60);
                while client.pending.is_some() && Instant::now() < deadline {
                    if let Some(submission) = client.pending.take() {
                        client.submit(submission);
                    }
                }
                client.jobs
            }));
        }
        Ok(Self { workload: Arc::clone(workload), threads })
    }

    /// Let them stop; a server must be running. Everything that was acknowledged.
    pub fn stop(self) -> Result<Vec<Job>> {
        self.workload.stop.store(true, Ordering::Relaxed);
        let mut jobs = Vec::new();
        for thread in self.threads {
            jobs.append(&mut thread.join().map_err(|_| anyhow::anyhow!("a client panicked"))?);
        }
        Ok(jobs)
    }
}

/// Poll every job until it has ended. With `patience` counted from the last one that ended, so that a long queue is
/// not mistaken for a stuck one.
pub fn settle(workload: &Workload, connection: &mut Connection, jobs: &mut [Job], patience: Duration) -> Result<()> {
    let mut progress = Instant::now();
    loop {
        let mut open = 0_usize;
        for job in jobs.iter_mut().filter(|job| job.outcome.is_none()) {
            let path = format!("{RECONCILIATIONS}/{}", job.id);
            let reply = connection
                .send_patiently(&Request::get(&path, Some(workload.key(job.key))), Duration::from_secs(30))?;
            match (reply.status, read_state(&reply)) {
                (200, Ok(State::Ended(outcome))) => {
                    workload.ended(job, outcome);
                    progress = Instant::now();
                }
                (200, Ok(State::Open)) | (503, _) => open += 1,
                (404, _) => {
                    workload.complaints.add(format!("acknowledged job {} is lost: 404", job.id));
                    job.outcome = Some(Outcome::Failed("lost".to_owned()));
                }
                _ => {
                    workload.complaints.add(format!("job {}: {}", job.id, reply.summary()));
                    open += 1;
                }
            }
        }
        if open == 0 {
            return Ok(());
        }
        if progress.elapsed() > patience {
            workload.complaints.add(format!("{open} acknowledged jobs are stuck: none ended for {patience:?}"));
            return Ok(());
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// One row behind a balance.
#[derive(Debug, Clone)]
struct Movement {
    kind: String,
    reference: String,
    monthly: i64,
    bonus: i64,
    overage: i64,
}

/// An account as `bookkeeping credits show` prints it.
#[derive(Debug)]
pub struct Account {
    monthly: i64,
    bonus: i64,
    overage: i64,
    movements: Vec<Movement>,
}

fn number(object: &Value, names: &[&str]) -> Option<i64> {
    names.iter().find_map(|name| object.get(name).and_then(Value::as_i64))
}

impl Account {
    /// Ask the program.
    pub fn of(installation: &Installation, person: &Person) -> Result<Self> {
        Self::parse(&installation.run_json(&["credits", "show", "--email", &person.email])?)
    }

    /// Read what the program printed.
    fn parse(shown: &Value) -> Result<Self> {
        let rows = shown.get("movements").and_then(Value::as_array).context("`credits show` printed no movements")?;
        let movements = rows
            .iter()
            .map(|row| {
                // The change may stand in the row itself or in an object of its own.
                let change = row.get("change").unwrap_or(row);
                Movement {
                    kind: row.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned(),
                    reference: row.get("reference").and_then(Value::as_str).unwrap_or_default().to_owned(),
                    monthly: number(change, &["monthly"]).unwrap_or(0),
                    bonus: number(change, &["bonus"]).unwrap_or(0),
                    overage: number(change, &["overage"]).unwrap_or(0),
                }
            })
            .collect();
        let balances =
            shown.get("balances").or_else(|| shown.get("balance")).or_else(|| shown.get("credits")).unwrap_or(shown);
        let monthly = number(balances, &["remaining_monthly", "remainingMonthly", "monthly"])
            .context("`credits show` printed no monthly balance")?;
        let bonus = number(balances, &["bonus", "bonus_credits", "bonusCredits"])
            .context("`credits show` printed no bonus balance")?;
        let overage = number(balances, &["overage_used", "overageUsed", "overage"]).unwrap_or(0);
        Ok(Self { monthly, bonus, overage, movements })
    }

    /// What can still be spent.
    #[must_use]
    pub fn available(&self) -> i64 {
        self.monthly + self.bonus
    }

    /// Credits charged by job id; a job charged more than once has several amounts.
    fn charges(&self) -> BTreeMap<String, Vec<i64>> {
        let mut charges: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for movement in self.movements.iter().filter(|movement| movement.kind.contains("charge")) {
            let job = movement
                .reference
                .find("rec_")
                .and_then(|start| movement.reference.get(start..))
                .unwrap_or(&movement.reference);
            charges.entry(job.to_owned()).or_default().push(movement.overage.abs() - movement.monthly - movement.bonus);
        }
        charges
    }
}

/// What a person was given, for the sum that must come out.
#[derive(Debug, Clone)]
pub struct Given {
    /// Who.
    pub person: Person,
    /// Everything granted by us: the opening allocation, the bonus, later grants.
    pub credits: u64,
}

/// After every job has ended: movements, balances, charges and polls must tell the same story.
pub fn reckon(
    installation: &Installation,
    connection: &mut Connection,
    workload: &Workload,
    jobs: &[Job],
    people: &[Given],
    finding: &mut Finding,
) -> Result<()> {
    let by_id: HashMap<&str, &Job> = jobs.iter().map(|job| (job.id.as_str(), job)).collect();
    finding.must(by_id.len() == jobs.len(), format!("{} acknowledgements name only {} jobs", jobs.len(), by_id.len()));
    let (mut charged_in_all, mut unacknowledged) = (0_i64, 0_u64);
    let mut charges_of: Vec<BTreeMap<String, Vec<i64>>> = Vec::new();
    for (place, given) in people.iter().enumerate() {
        let email = &given.person.email;
        let account = Account::of(installation, &given.person)?;
        let sum = |part: fn(&Movement) -> i64| account.movements.iter().map(part).sum::<i64>();
        let (monthly, bonus) = (sum(|movement| movement.monthly), sum(|movement| movement.bonus));
        finding.must(
            (monthly, bonus) == (account.monthly, account.bonus),
            format!(
                "{email}: movements sum to {monthly} monthly and {bonus} bonus, balances are {} and {}",
                account.monthly, account.bonus
            ),
        );
        finding.must(
            account.monthly >= 0 && account.bonus >= 0,
            format!("{email}: a balance is negative: {} monthly, {} bonus", account.monthly, account.bonus),
        );
        finding.must(account.overage == 0, format!("{email}: overage of {} without permission", account.overage));
        let charges = account.charges();
        let charged: i64 = charges.values().flatten().sum();
        charged_in_all += charged;
        let given_credits = i64::try_from(given.credits)?;
        finding.must(
            given_credits - charged == account.available(),
            format!("{email}: given {given_credits}, charged {charged}, but {} are left", account.available()),
        );
        for (job, amounts) in &charges {
            finding.must(amounts.len() == 1, format!("job {job} was charged {} times: {amounts:?}", amounts.len()));
            if by_id.contains_key(job.as_str()) {
                continue;
            }
            // Accepted, but the acknowledgement never reached a client: the owner can still see it by its id.
            unacknowledged += 1;
            let Some(key) = workload.keys.iter().find(|key| key.person == place) else { continue };
            let path = format!("{RECONCILIATIONS}/{job}");
            let reply =
                connection.send_patiently(&Request::get(&path, Some(&key.plaintext)), Duration::from_secs(30))?;
            let told = match read_state(&reply) {
                Ok(State::Ended(Outcome::Completed(charged))) => i64::try_from(charged).ok(),
                _ => None,
            };
            finding.must(
                told == amounts.first().copied(),
                format!("job {job} was charged {amounts:?} but says {}", reply.summary()),
            );
        }
        charges_of.push(charges);
    }
    let mut completed_credits = 0_i64;
    for job in jobs {
        let person = workload.keys.get(job.key).map_or(0, |key| key.person);
        let amounts = charges_of.get(person).and_then(|charges| charges.get(&job.id)).map_or(&[][..], Vec::as_slice);
        match &job.outcome {
            Some(Outcome::Completed(0)) | Some(Outcome::Failed(_)) => {
                finding.must(
                    amounts.is_empty(),
                    format!("job {} ended as {:?} but was charged {amounts:?}", job.id, job.outcome),
                );
            }
            Some(Outcome::Completed(charged)) => {
                let charged = i64::try_from(*charged)?;
                completed_credits += charged;
                finding.must(
                    amounts == [charged],
                    format!("job {} says {charged} credits, the movements say {amounts:?}", job.id),
                );
            }
            None => finding.broken(format!("job {} never ended", job.id)),
        }
    }
    let (consistent, text) = installation.attempt(&["check"])?;
    finding.must(consistent, format!("`bookkeeping check` found differences: {}", text.trim()));
    report(workload, jobs, finding);
    finding.count("charged_credits", charged_in_all);
    finding.count("charged_to_acknowledged", completed_credits);
    finding.count("charged_unacknowledged_jobs", unacknowledged);
    Ok(())
}

fn report(workload: &Workload, jobs: &[Job], finding: &mut Finding) {
    let ended =
        |wanted: fn(&Outcome) -> bool| jobs.iter().filter(|job| job.outcome.as_ref().is_some_and(wanted)).count();
    let counts = &workload.counts;
    finding.count("acknowledged", jobs.len());
    finding.count("completed_charged", ended(|outcome| matches!(outcome, Outcome::Completed(charged) if *charged > 0)));
    finding.count("completed_unverified", ended(|outcome| *outcome == Outcome::Completed(0)));
    finding.count(
        "failed_credits",
        ended(|outcome| matches!(outcome, Outcome::Failed(code) if code == "insufficient_credits")),
    );
    finding.count(
        "failed_other",
        ended(|outcome| matches!(outcome, Outcome::Failed(code) if code != "insufficient_credits")),
    );
    for (name, counter) in [
        ("polls", &counts.polls),
        ("broken_connections", &counts.broken_connections),
        ("unanswered", &counts.ambiguous),
        ("replays", &counts.replays),
        ("refused_402", &counts.refused_credits),
        ("busy_503", &counts.busy),
    ] {
        finding.count(name, counter.load(Ordering::Relaxed));
    }
}

/// Submit once and wait for the end; for set-ups and measurements. The time is from the first byte to the poll that
/// said so.
pub fn run_one(
    connection: &mut Connection,
    key: &str,
    body: &[u8],
    pause: Duration,
    patience: Duration,
) -> Result<(Outcome, String, Duration)> {
    let begun = Instant::now();
    let reply = connection.send(&Request::post(RECONCILIATIONS, Some(key), body))?;
    ensure!(reply.status == 202, "a submission was answered {}", reply.summary());
    let id = reply.json().get("reconciliation_id").and_then(Value::as_str).context("a 202 without an id")?.to_owned();
    let path = format!("{RECONCILIATIONS}/{id}");
    loop {
        if !pause.is_zero() {
            thread::sleep(pause);
        }
        let reply = connection.send(&Request::get(&path, Some(key)))?;
        // Before the answer is parsed: what the client does with a large result is not the service's time.
        let elapsed = begun.elapsed();
        ensure!(reply.status == 200, "a poll was answered {}", reply.summary());
        if let State::Ended(outcome) = read_state(&reply).map_err(anyhow::Error::msg)? {
            return Ok((outcome, id, elapsed));
        }
        ensure!(begun.elapsed() < patience, "job {id} had not ended after {patience:?}");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Account, Outcome, State, read_state};
    use crate::http::Reply;

    fn reply(body: &serde_json::Value) -> Reply {
        Reply { status: 200, headers: Vec::new(), body: body.to_string().into_bytes() }
    }

    #[test]
    fn polls_are_read_as_the_contract_says() {
        assert_eq!(read_state(&reply(&json!({"status": "processing"}))), Ok(State::Open));
        let completed = json!({"status": "completed", "credits_charged": 3, "result": {"credits_charged": 3}});
        assert_eq!(read_state(&reply(&completed)), Ok(State::Ended(Outcome::Completed(3))));
        let differing = json!({"status": "completed", "credits_charged": 3, "result": {"credits_charged": 0}});
        assert!(read_state(&reply(&differing)).is_err());
        let failed = json!({"status": "failed", "error": {"code": "insufficient_credits"}});
        assert_eq!(read_state(&reply(&failed)), Ok(State::Ended(Outcome::Failed("insufficient_credits".into()))));
    }

    #[test]
    fn charges_are_found_by_job_and_double_ones_are_seen() {
        let account = Account::parse(&json!({
            "monthly": 5, "bonus": 0,
            "movements": [
                {"kind": "opening", "reference": "opening", "monthly": 9, "bonus": 0, "overage": 0},
                {"kind": "charge", "reference": "rec_1", "monthly": -2, "bonus": 0, "overage": 0},
                {"kind": "charge", "reference": "reconciliation:rec_1", "monthly": -2, "bonus": 0, "overage": 0},
            ],
        }))
        .unwrap();
        assert_eq!(account.charges().get("rec_1"), Some(&vec![2, 2]));
        assert_eq!(account.available(), 5);
    }
}
