//! Clients that submit and poll jobs of any product while servers die under them; `reckoning` is what follows.

use std::{
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
    products::Product,
    random::Random,
    report::{Complaints, Finding},
};

/// How jobs may fail.
const FAILURES: [&str; 4] = ["insufficient_credits", "internal_error", "engine_failed", "deadline_exceeded"];

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
    /// `failed`, with its code, or with its reason where the product has one code for all.
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
            // What the result says beside it: its own charge, or the transactions that are charged for.
            let inside = ["/result/credits_charged", "/result/summary/transaction_count"]
                .into_iter()
                .find_map(|pointer| answer.pointer(pointer))
                .and_then(Value::as_u64);
            match charged {
                Some(charged) if inside == Some(charged) => Ok(State::Ended(Outcome::Completed(charged))),
                _ => Err(format!("a completed job without one answer on its charge: {}", reply.summary())),
            }
        }
        "failed" => {
            let text = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
            if answer.get("result").is_some() {
                return Err(format!("a failed job with a result: {}", reply.summary()));
            }
            let code = match text("/error/code") {
                code if code == "coding_failed" => text("/error/details/reason"),
                code => code,
            };
            Ok(State::Ended(Outcome::Failed(code)))
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

    /// Notes what the clients saw.
    pub fn report(&self, jobs: &[Job], finding: &mut Finding) {
        let ended =
            |wanted: fn(&Outcome) -> bool| jobs.iter().filter(|job| job.outcome.as_ref().is_some_and(wanted)).count();
        let counts = &self.counts;
        finding.count("acknowledged", jobs.len());
        finding.count(
            "completed_charged",
            ended(|outcome| matches!(outcome, Outcome::Completed(charged) if *charged > 0)),
        );
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

    fn key(&self, place: usize) -> &str {
        self.keys.get(place).map_or("", |key| key.plaintext.as_str())
    }

    fn body(&self, place: usize) -> &[u8] {
        self.pool.get(place).map_or(b"{}".as_slice(), |dataset| dataset.body.as_slice())
    }

    fn product(&self, place: usize) -> Product {
        self.pool.get(place).map_or(Product::Reconciliation, |dataset| dataset.product)
    }

    /// Complain unless the outcome is one this request can have.
    fn judge(&self, job: &Job, outcome: &Outcome) {
        let Some(dataset) = self.pool.get(job.dataset) else { return };
        match outcome {
            Outcome::Completed(charged) if *charged != dataset.price() => self.complaints.add(format!(
                "job {} of {} rows ({}) was charged {charged} instead of {}",
                job.id,
                dataset.rows,
                if dataset.expected == Expected::Verified { "verifiable" } else { "not verifiable" },
                dataset.price()
            )),
            Outcome::Failed(code) if !FAILURES.contains(&code.as_str()) => {
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
            ..Request::post(
                workload.product(submission.dataset).path(),
                Some(workload.key(submission.key)),
                workload.body(submission.dataset),
            )
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
        let field = self.workload.product(submission.dataset).id_field();
        let Some(id) = answer.get(field).and_then(Value::as_str).map(str::to_owned) else {
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
        let path = self.workload.product(job.dataset).poll_path(&job.id);
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
            let path = workload.product(job.dataset).poll_path(&job.id);
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

/// Submit once and wait for the end; for set-ups and measurements. The time is from the first byte to the poll that
/// said so.
pub fn run_one(
    connection: &mut Connection,
    product: Product,
    key: &str,
    body: &[u8],
    pause: Duration,
    patience: Duration,
) -> Result<(Outcome, String, Duration)> {
    let begun = Instant::now();
    let reply = connection.send(&Request::post(product.path(), Some(key), body))?;
    ensure!(reply.status == 202, "a submission was answered {}", reply.summary());
    let id = reply.json().get(product.id_field()).and_then(Value::as_str).context("a 202 without an id")?.to_owned();
    let path = product.poll_path(&id);
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

    use super::{Outcome, State, read_state};
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
        let coded =
            json!({"status": "completed", "credits_charged": 3, "result": {"summary": {"transaction_count": 3}}});
        assert_eq!(read_state(&reply(&coded)), Ok(State::Ended(Outcome::Completed(3))));
        let short = Ok(State::Ended(Outcome::Failed("insufficient_credits".into())));
        assert_eq!(read_state(&reply(&json!({"status": "failed", "error": {"code": "insufficient_credits"}}))), short);
        let details = json!({"reason": "insufficient_credits"});
        let failed = json!({"status": "failed", "error": {"code": "coding_failed", "details": details}});
        assert_eq!(read_state(&reply(&failed)), short);
    }
}
