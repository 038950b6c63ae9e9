//! The real server under jobs of both products over HTTP: jobs and rows a second, queue wait, end-to-end latency and the
//! share of 503 answers for small, medium and large jobs, beside the ceiling (the same engine called in-process). Then
//! the latency of one tiny job against a bare loop of its three commits, one reconciliation of 100,000 rows a side, and
//! coding jobs of 50,000 transactions one after the other with the memory they take, without a past and, of the texts of
//! the labelled businesses, with one of 20,000 rows.
//!
//! `cargo bench --bench job_throughput [-- --json] [--product reconciliation|coding] [--postgres URL]
//! [--only small|medium|large|tiny|hundred-thousand|fifty-thousand|with-a-past] [--small]`
//!
//! `--small` takes seconds and shows that everything still runs; its figures mean nothing.

mod support;

use std::{
    net::SocketAddr,
    path::Path,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use bookkeeping_suite::{
    domain::{coding, control::Unattended, recon},
    http::wire,
};
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection,
    sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use serde_json::{Value, json};
use support::{Arguments, installation, pressure, print_json, serve};
use xtask::{
    coding_datasets,
    datasets::{Dataset, Expected, charged, ordinary, realistic},
    http::{Connection, Request},
    jobs::{Outcome, State, read_state, run_one},
    products::Product,
    program::{SCOPES, Server, create_key},
    random::Random,
    statistics::{least, median, milliseconds, percentile, real, real64, short, sorted},
};

/// Keys the jobs are spread over.
const KEYS: usize = 16;
/// Times the bare loop a tiny job may take.
const TINY_BAR: f64 = 3.0;
/// Seconds a job of 100,000 rows a side may take.
const HUNDRED_THOUSAND_BAR: f64 = 1.0;
/// Transactions of the large coding job, the seconds it may take, and the megabytes (10^6 bytes) above the idle process.
const CODED_ROWS: u64 = 50_000;
const CODED_BAR: f64 = 6.0;
const CODED_BAR_MB: f64 = 200.0;
/// Rows of the past sent beside the transactions, and the seconds such a job may take.
const PAST_ROWS: u64 = 20_000;
const PAST_BAR: f64 = 4.0;

/// One kind of load.
struct Size {
    name: &'static str,
    rows: u64,
    time: Duration,
}

/// How much of everything.
struct Plan {
    sizes: [Size; 3],
    ceiling: Duration,
    tiny_rounds: usize,
    tiny_jobs: usize,
    /// Rows of a side of the large reconciliation, and transactions of the large coding job.
    matched_rows: u64,
    coded_rows: u64,
    /// Rows of the past of a coding job.
    past_rows: u64,
    large_jobs: usize,
    /// Jobs with a past one after the other: many, because what is kept of each adds up.
    jobs_with_a_past: usize,
}

impl Plan {
    fn full() -> Self {
        let size = |name, rows, seconds| Size { name, rows, time: Duration::from_secs(seconds) };
        Self {
            sizes: [size("small", 10, 6), size("medium", 1_000, 6), size("large", 25_000, 10)],
            ceiling: Duration::from_secs(2),
            tiny_rounds: 7,
            tiny_jobs: 300,
            matched_rows: 100_000,
            coded_rows: CODED_ROWS,
            past_rows: PAST_ROWS,
            large_jobs: 5,
            jobs_with_a_past: 14,
        }
    }

    fn small() -> Self {
        let size = |name, rows| Size { name, rows, time: Duration::from_millis(150) };
        Self {
            sizes: [size("small", 5), size("medium", 10), size("large", 20)],
            ceiling: Duration::from_millis(10),
            tiny_rounds: 1,
            tiny_jobs: 5,
            matched_rows: 200,
            coded_rows: 100,
            past_rows: 40,
            large_jobs: 1,
            jobs_with_a_past: 2,
        }
    }
}

/// What one client saw.
#[derive(Default)]
struct Seen {
    completed: usize,
    busy: usize,
    submissions: usize,
    waits_ms: Vec<f64>,
    totals_ms: Vec<f64>,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.completed += other.completed;
        self.busy += other.busy;
        self.submissions += other.submissions;
        self.waits_ms.extend(other.waits_ms);
        self.totals_ms.extend(other.totals_ms);
    }
}

/// A job that was accepted and has not ended as far as we know.
struct Open {
    path: String,
    submitted: Instant,
    started: bool,
}

/// Submit, poll, and submit the next, with up to `in_flight` jobs at once.
fn client(
    address: SocketAddr,
    key: &str,
    pool: &[Dataset],
    in_flight: usize,
    number: usize,
    stop: &AtomicBool,
) -> Result<Seen> {
    let mut connection = Connection::new(address, Duration::from_secs(60))?;
    let mut random = Random::new(u64::try_from(number)?);
    let mut seen = Seen::default();
    let mut open: Vec<Open> = Vec::new();
    // The jobs that are open at the end are waited for, but not counted: the rate is that of the measured time.
    while !stop.load(Ordering::Relaxed) || !open.is_empty() {
        let measuring = !stop.load(Ordering::Relaxed);
        if measuring && open.len() < in_flight {
            let Some(dataset) = random.pick(pool) else { break };
            let submitted = Instant::now();
            let reply = connection.send(&Request::post(dataset.product.path(), Some(key), &dataset.body))?;
            seen.submissions += 1;
            match reply.status {
                202 => {
                    let answer = reply.json();
                    let path =
                        answer.get("poll_url").and_then(Value::as_str).context("a 202 without poll_url")?.to_owned();
                    open.push(Open { path, submitted, started: false });
                }
                503 => {
                    seen.busy += 1;
                    thread::sleep(Duration::from_millis(20));
                }
                _ => anyhow::bail!("a submission was answered {}", reply.summary()),
            }
        }
        let mut ended = Vec::new();
        for (place, job) in open.iter_mut().enumerate() {
            let reply = connection.send(&Request::get(&job.path, Some(key)))?;
            ensure!(reply.status == 200, "a poll was answered {}", reply.summary());
            let now = milliseconds(job.submitted.elapsed());
            let waiting = reply.body.windows(17).any(|window| window == b"\"status\":\"queued\"");
            if !job.started && !waiting {
                job.started = true;
                seen.waits_ms.push(now);
            }
            if let State::Ended(outcome) = read_state(&reply).map_err(anyhow::Error::msg)? {
                ensure!(matches!(outcome, Outcome::Completed(_)), "a job ended as {outcome:?}");
                ended.push(place);
                if measuring {
                    seen.completed += 1;
                    seen.totals_ms.push(now);
                }
            }
        }
        for place in ended.into_iter().rev() {
            open.swap_remove(place);
        }
        // Who waits for many jobs looks less often, so that the clients do not take the server's processors.
        if open.len() >= in_flight {
            thread::sleep(Duration::from_millis(if in_flight > 1 { 20 } else { 1 }));
        }
    }
    Ok(seen)
}

/// A counter and a sum from the operators' metrics, for the queue wait as the server itself measured it.
fn queue_seconds(server: &Server, product: Product) -> Result<(f64, f64)> {
    let reply = Connection::new(server.ops(), Duration::from_secs(10))?.send(&Request::get("/metrics", None))?;
    let text = String::from_utf8_lossy(&reply.body).into_owned();
    let value = |name: &str| {
        text.lines()
            .find(|line| line.starts_with(name) && line.contains(product.name()))
            .and_then(|line| line.rsplit(' ').next()?.parse().ok())
    };
    Ok((value("job_queue_seconds_sum").unwrap_or(0.0), value("job_queue_seconds_count").unwrap_or(0.0)))
}

fn latencies(values: Vec<f64>) -> Value {
    let ordered = sorted(values);
    json!({ "p50": short(percentile(&ordered, 0.5)), "p90": short(percentile(&ordered, 0.9)), "p99": short(percentile(&ordered, 0.99)) })
}

/// The engine alone on the same bodies: read, match, verify; jobs and rows a second on one thread.
fn ceiling(pool: &[Dataset], time: Duration) -> Result<(f64, f64)> {
    let begun = Instant::now();
    let (mut jobs, mut rows) = (0_usize, 0.0);
    while begun.elapsed() < time {
        for dataset in pool {
            rows += real(work(dataset)?);
            jobs += 1;
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    Ok((real(jobs) / seconds, rows / seconds))
}

/// What the service does with a request beside storing it; the rows there were.
fn work(dataset: &Dataset) -> Result<usize> {
    match dataset.product {
        Product::Reconciliation => {
            let limits = wire::recon::Limits { max_rows_per_dataset: 250_000 };
            let submission = wire::recon::parse(&dataset.body, &limits);
            let submission = submission.map_err(|problems| anyhow::anyhow!("{problems:?}"))?;
            std::hint::black_box(recon::run(&submission.dataset, &submission.options, &Unattended)?);
            Ok(usize::try_from(submission.dataset.rows())?)
        }
        Product::Coding => {
            let submission = wire::coding::parse(&dataset.body, &wire::coding::Limits::NONE);
            let submission = submission.map_err(|issues| anyhow::anyhow!("{issues:?}"))?;
            std::hint::black_box(coding::run(&submission.batch, &Unattended)?);
            Ok(submission.inputs.len())
        }
    }
}

/// One load at one depth of the queue.
fn throughput(
    server: &Server,
    product: Product,
    keys: &[String],
    pool: &[Dataset],
    clients: usize,
    in_flight: usize,
    time: Duration,
) -> Result<Value> {
    let stop = AtomicBool::new(false);
    let failures = AtomicUsize::new(0);
    let queue_before = queue_seconds(server, product)?;
    let begun = Instant::now();
    let mut seen = Seen::default();
    let mut elapsed = Duration::ZERO;
    thread::scope(|scope| -> Result<()> {
        let threads: Vec<_> = keys
            .iter()
            .cycle()
            .take(clients)
            .enumerate()
            .map(|(number, key)| {
                let (stop, failures) = (&stop, &failures);
                scope.spawn(move || {
                    let result = client(server.public(), key, pool, in_flight, number, stop);
                    if result.is_err() {
                        failures.fetch_add(1, Ordering::Relaxed);
                    }
                    result
                })
            })
            .collect();
        while begun.elapsed() < time && failures.load(Ordering::Relaxed) == 0 {
            thread::sleep(Duration::from_millis(20));
        }
        elapsed = begun.elapsed();
        stop.store(true, Ordering::Relaxed);
        for thread in threads {
            seen.add(thread.join().map_err(|_| anyhow::anyhow!("a client panicked"))??);
        }
        Ok(())
    })?;
    let queue_after = queue_seconds(server, product)?;
    let waits = queue_after.1 - queue_before.1;
    let mean_wait = if waits > 0.0 { Some(short((queue_after.0 - queue_before.0) * 1_000.0 / waits)) } else { None };
    let sides = match product {
        Product::Reconciliation => 2.0,
        Product::Coding => 1.0,
    };
    let rows_a_job = pool.iter().map(|dataset| real64(dataset.rows) * sides).sum::<f64>() / real(pool.len().max(1));
    let rate = real(seen.completed) / elapsed.as_secs_f64();
    Ok(json!({
        "clients": clients,
        "in_flight_per_client": in_flight,
        "jobs_per_s": short(rate),
        "rows_per_s": short(rate * rows_a_job),
        "queue_wait_seen_ms": latencies(seen.waits_ms),
        "queue_wait_mean_ms": mean_wait,
        "end_to_end_ms": latencies(seen.totals_ms),
        "share_503": short(real(seen.busy) / real(seen.submissions.max(1))),
    }))
}

/// A database connection opened as the service opens its writer.
async fn bare_database(path: &Path) -> Result<DatabaseConnection> {
    let mut options = ConnectOptions::new(format!("sqlite://{}?mode=rwc", path.display()));
    options.max_connections(1).min_connections(1).test_before_acquire(false).sqlx_logging(false);
    options.map_sqlx_sqlite_opts(|sqlite: SqliteConnectOptions| {
        sqlite
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .pragma("temp_store", "memory")
            .pragma("secure_delete", "ON")
    });
    Ok(Database::connect(options).await?)
}

/// The least a durable, charged job can be: three commits (submit, claim, finish) through the same database layer,
/// with the rows the design names and nothing decided. Microseconds of each loop.
fn bare_commits(folder: &Path, loops: usize) -> Result<Vec<f64>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let path = folder.join(format!("bare-{loops}.db"));
        let database = bare_database(&path).await?;
        for table in [
            "create table job(id text primary key, status int, result blob, credits int) without rowid",
            "create table job_hot(seq integer primary key, job_id text)",
            "create table job_payload(job_id text primary key, bytes blob) without rowid",
            "create table product_slot(product int primary key, waiting int)",
            "create table charge(job_id text primary key, credits int) without rowid",
            "create table credit_account(user_id int primary key, bonus int)",
            "create table credit_movement(id integer primary key, reference text unique, bonus int)",
            "insert into product_slot values(0, 0)",
            "insert into credit_account values(1, 1000000000)",
        ] {
            database.execute_unprepared(table).await?;
        }
        let mut times = Vec::new();
        for number in 0..loops {
            let begun = Instant::now();
            let id = format!("rec_{number:026}");
            for unit in [
                [
                    "update product_slot set waiting = waiting + 1 where product = 0 and waiting < 100".to_owned(),
                    format!("insert into job values('{id}', 0, null, 0)"),
                    format!("insert into job_hot values({number}, '{id}')"),
                    format!("insert into job_payload values('{id}', zeroblob(200))"),
                ]
                .as_slice(),
                [
                    format!("delete from job_hot where seq = {number}"),
                    "update product_slot set waiting = waiting - 1 where product = 0".to_owned(),
                    format!("update job set status = 1 where id = '{id}'"),
                ]
                .as_slice(),
                [
                    format!("update job set status = 2, result = zeroblob(300), credits = 1 where id = '{id}'"),
                    "update credit_account set bonus = bonus - 1 where user_id = 1".to_owned(),
                    format!("insert into credit_movement values({number}, '{id}', -1)"),
                    format!("insert into charge values('{id}', 1)"),
                    format!("delete from job_payload where job_id = '{id}'"),
                ]
                .as_slice(),
            ] {
                database.execute_unprepared("begin immediate").await?;
                for statement in unit {
                    database.execute_unprepared(statement).await?;
                }
                database.execute_unprepared("commit").await?;
            }
            times.push(begun.elapsed().as_secs_f64() * 1e6);
        }
        database.close().await?;
        Ok(times)
    })
}

/// One client, one tiny verified job after the other, against the bare loop; rounds alternate.
fn tiny(plan: &Plan, server: &Server, key: &str, folder: &Path) -> Result<Value> {
    let dataset = ordinary(&mut Random::new(9), 1, Expected::Verified);
    let mut connection = server.connect()?;
    let mut one = || -> Result<f64> {
        let patience = Duration::from_secs(30);
        let (outcome, _, time) =
            run_one(&mut connection, dataset.product, key, &dataset.body, Duration::ZERO, patience)?;
        ensure!(outcome == Outcome::Completed(1), "a tiny job ended as {outcome:?}");
        Ok(time.as_secs_f64() * 1e6)
    };
    for _ in 0..plan.tiny_jobs / 6 {
        one()?;
    }
    let (mut ours, mut bare, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..plan.tiny_rounds {
        let commits = bare_commits(folder, plan.tiny_jobs + round)?;
        let jobs = (0..plan.tiny_jobs).map(|_| one()).collect::<Result<Vec<_>>>()?;
        ratios.push(median(&jobs) / median(&commits));
        ours.extend(jobs);
        bare.extend(commits);
    }
    let (ours, bare) = (sorted(ours), sorted(bare));
    Ok(json!({
        "p50_us": short(percentile(&ours, 0.5)),
        "p99_us": short(percentile(&ours, 0.99)),
        "bare_p50_us": short(percentile(&bare, 0.5)),
        "bare_p99_us": short(percentile(&bare, 0.99)),
        "ratio_median": short(median(&ratios)),
        "ratio_best": short(least(&ratios)),
        "bar": TINY_BAR,
    }))
}

/// Submit to completed of a realistic 100,000 rows a side, with the completed answer read in full.
fn hundred_thousand(plan: &Plan, server: &Server, key: &str, folder: &Path) -> Result<Value> {
    let with_matched = realistic(plan.matched_rows, folder)?;
    let text = String::from_utf8(with_matched)?;
    let without_matched = text.replace("\"includeMatched\":true", "\"includeMatched\":false");
    let mut connection = server.connect()?;
    let mut measure = |body: &str| -> Result<Vec<f64>> {
        (0..plan.large_jobs)
            .map(|_| {
                let (pause, patience) = (Duration::from_millis(1), Duration::from_secs(120));
                let (outcome, _, time) =
                    run_one(&mut connection, Product::Reconciliation, key, body.as_bytes(), pause, patience)?;
                ensure!(matches!(outcome, Outcome::Completed(_)), "the job ended as {outcome:?}");
                Ok(time.as_secs_f64())
            })
            .collect()
    };
    let (plain, matched) = (measure(&without_matched)?, measure(&text)?);
    Ok(json!({
        "request_mb": short(real(text.len()) / 1e6),
        "best_s": short(least(&plain)),
        "median_s": short(median(&plain)),
        "with_matched_rows_best_s": short(least(&matched)),
        "with_matched_rows_median_s": short(median(&matched)),
        "bar_s": HUNDRED_THOUSAND_BAR,
    }))
}

/// Submit to completed of 50,000 transactions, with the completed answer read in full, and the memory above the idle
/// process; beside it the engine alone on the same body.
fn fifty_thousand(plan: &Plan, server: &Server, key: &str) -> Result<Value> {
    let shape = coding_datasets::ordinary(&mut Random::new(plan.coded_rows), plan.coded_rows);
    let seen = coded_in_a_row(server, key, &shape.body, plan.coded_rows, plan.large_jobs)?;
    let (_, rows_per_s) = ceiling(std::slice::from_ref(&shape), plan.ceiling)?;
    Ok(figures_of(&seen, &json!({ "bar_s": CODED_BAR, "engine_alone_rows_per_s": short(rows_per_s) })))
}

/// The same of texts of the labelled businesses, most of them different, with a past of them as well.
fn with_a_past(plan: &Plan, server: &Server, key: &str) -> Result<Value> {
    let body = labelled_texts_with_a_past(&mut Random::new(PAST_ROWS), plan)?;
    let seen = coded_in_a_row(server, key, &body, plan.coded_rows, plan.jobs_with_a_past)?;
    Ok(figures_of(&seen, &json!({ "bar_s": PAST_BAR, "rows_of_the_past": plan.past_rows })))
}

/// A request whose transactions and past are drawn from all labelled businesses, with the chart of one of them.
fn labelled_texts_with_a_past(random: &mut Random, plan: &Plan) -> Result<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/coding_quality");
    let mut files = Vec::new();
    for folder in std::fs::read_dir(&root)?.collect::<Result<Vec<_>, _>>()? {
        if folder.file_type()?.is_dir() {
            let inside = std::fs::read_dir(folder.path())?.collect::<Result<Vec<_>, _>>()?;
            files.extend(
                inside.iter().map(std::fs::DirEntry::path).filter(|file| file.extension() == Some("json".as_ref())),
            );
        }
    }
    files.sort();
    let mut transactions: Vec<Value> = Vec::new();
    for file in &files {
        let mut business: Value = serde_json::from_slice(&std::fs::read(file)?)?;
        let lines = business.pointer_mut("/request/transactions").map(Value::take);
        transactions.extend(lines.and_then(|lines| lines.as_array().cloned()).unwrap_or_default());
    }
    for transaction in transactions.iter_mut().filter_map(Value::as_object_mut) {
        transaction.remove("bank_account");
    }
    let cafe: Value = serde_json::from_slice(&std::fs::read(root.join("dev/cafe-bean.json"))?)?;
    let chart = cafe.pointer("/request/chart_of_accounts").context("no chart")?;
    let costs: Vec<&Value> =
        chart.as_array().into_iter().flatten().filter(|account| account["type"] == "EXPENSE").collect();
    let drawn: Vec<&Value> = (0..plan.coded_rows).filter_map(|_| random.pick(&transactions)).collect();
    let past: Vec<Value> = (0..plan.past_rows)
        .filter_map(|_| {
            let (line, account) = (random.pick(&transactions)?, random.pick(&costs)?);
            let (description, code) = (&line["description"], &account["code"]);
            Some(json!({ "date": "2025-01-02", "description": description, "amount": -10.5, "account_code": code }))
        })
        .collect();
    let context = json!({ "businessContext": "Cafe, VAT registered" });
    let request = json!({ "transactions": drawn, "chart_of_accounts": chart, "options": context, "history": past });
    Ok(serde_json::to_vec(&request)?)
}

/// What jobs of one body took, one after the other.
struct InARow {
    rows: u64,
    request_bytes: usize,
    times: Vec<f64>,
    first_job_of_one_row_s: f64,
    before_first_kib: u64,
    idle_kib: u64,
    peak_kib: u64,
}

fn coded_in_a_row(server: &Server, key: &str, body: &[u8], rows: u64, jobs: usize) -> Result<InARow> {
    let mut connection = server.connect()?;
    let mut measure = |body: &[u8], rows: u64| -> Result<f64> {
        let (pause, patience) = (Duration::from_millis(1), Duration::from_secs(120));
        let (outcome, _, time) = run_one(&mut connection, Product::Coding, key, body, pause, patience)?;
        ensure!(outcome == Outcome::Completed(rows), "the job ended as {outcome:?}");
        Ok(time.as_secs_f64())
    };
    // What is loaded once and kept is not the memory of a job, but it is told.
    let before_first_kib = server.process.resident_kib()?;
    let first_job_of_one_row_s = measure(&coding_datasets::ordinary(&mut Random::new(1), 1).body, 1)?;
    let idle_kib = server.process.resident_kib()?;
    server.process.forget_peak()?;
    let times = (0..jobs).map(|_| measure(body, rows)).collect::<Result<Vec<_>>>()?;
    let (request_bytes, peak_kib) = (body.len(), server.process.peak_kib()?);
    Ok(InARow { rows, request_bytes, times, first_job_of_one_row_s, before_first_kib, idle_kib, peak_kib })
}

/// The figures of `seen`, with `more` beside them.
fn figures_of(seen: &InARow, more: &Value) -> Value {
    let megabytes = |kib: u64| short(real64(kib) * 1_024.0 / 1e6);
    let mut figures = json!({
        "rows": seen.rows,
        "jobs": seen.times.len(),
        "request_mb": short(real(seen.request_bytes) / 1e6),
        "best_s": short(least(&seen.times)),
        "median_s": short(median(&seen.times)),
        "worst_s": short(seen.times.iter().copied().fold(0.0, f64::max)),
        "peak_above_idle_mb": megabytes(seen.peak_kib.saturating_sub(seen.idle_kib)),
        "bar_mb": CODED_BAR_MB,
        "idle_mb": megabytes(seen.idle_kib),
        "kept_since_the_first_job_mb": megabytes(seen.idle_kib.saturating_sub(seen.before_first_kib)),
        "first_job_of_one_row_s": short(seen.first_job_of_one_row_s),
    });
    if let (Some(figures), Some(more)) = (figures.as_object_mut(), more.as_object()) {
        figures.extend(more.clone());
    }
    figures
}

fn main() -> Result<()> {
    let arguments = Arguments::read();
    if arguments.is_check() {
        return Ok(());
    }
    let plan = if arguments.has("--small") { Plan::small() } else { Plan::full() };
    let only = arguments.after("--only");
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    let product_wanted = |product: Product| arguments.after("--product").is_none_or(|only| only == product.name());
    let (folder, mut installation) = installation(&std::env::temp_dir())?;
    if let Some(url) = arguments.after("--postgres") {
        installation = installation.with("database_url", url);
    }
    let server = serve(&installation, &[])?;
    let mut connection = server.connect()?;
    let mut keys = Vec::new();
    for number in 0..4 {
        let person = installation.add_person(&format!("bench-{number}@example.com"), 0, 1_000_000_000)?;
        for place in 0..KEYS / 4 {
            keys.push(create_key(&mut connection, &person.session, &format!("bench {place}"), &SCOPES)?.plaintext);
        }
    }
    drop(connection);
    let first_key = keys.first().cloned().context("no key")?;
    // Before anything else, so that what the first job loads is seen.
    let coded = if product_wanted(Product::Coding) && wanted("fifty-thousand") {
        Some(fifty_thousand(&plan, &server, &first_key)?)
    } else {
        None
    };
    let coded_with_a_past = if product_wanted(Product::Coding) && wanted("with-a-past") {
        Some(with_a_past(&plan, &server, &first_key)?)
    } else {
        None
    };
    let mut loads = Vec::new();
    for product in Product::ALL.into_iter().filter(|product| product_wanted(*product)) {
        for size in plan.sizes.iter().filter(|size| wanted(size.name)) {
            loads.push(load(&plan, &server, product, &keys, size)?);
        }
    }
    let reconciling = product_wanted(Product::Reconciliation);
    let tiny =
        if reconciling && wanted("tiny") { Some(tiny(&plan, &server, &first_key, folder.path())?) } else { None };
    let large = if reconciling && wanted("hundred-thousand") {
        Some(hundred_thousand(&plan, &server, &first_key, folder.path())?)
    } else {
        None
    };
    server.terminate()?;
    let figures = json!({ "bench": "job_throughput", "pressure_percent": pressure(), "loads": loads, "tiny_job": tiny, "hundred_thousand": large, "fifty_thousand_coded": coded, "fifty_thousand_coded_with_a_past": coded_with_a_past });
    if arguments.has("--json") {
        return print_json(&figures);
    }
    print_table(&figures);
    Ok(())
}

/// Jobs of one size of one product, with few and with too many waiting.
fn load(plan: &Plan, server: &Server, product: Product, keys: &[String], size: &Size) -> Result<Value> {
    let mut random = Random::new(size.rows);
    let pool: Vec<Dataset> = (0..16).map(|_| charged(product, &mut random, size.rows)).collect();
    let time = size.time;
    let (jobs, rows) = ceiling(&pool, plan.ceiling)?;
    let shallow = throughput(server, product, keys, &pool, 4, 1, time)?;
    // 128 wanted at once on a queue of 100: this is where 503 answers come from.
    let deep = throughput(server, product, keys, &pool, KEYS, 8, time)?;
    Ok(json!({
        "product": product.name(),
        "size": size.name,
        "rows": size.rows,
        "ceiling": { "jobs_per_s": short(jobs), "rows_per_s": short(rows) },
        "few_waiting": shallow,
        "queue_full": deep,
    }))
}

fn print_table(figures: &Value) {
    let none = Vec::new();
    println!(
        "{:<16}{:<8}{:<14}{:>10}{:>12}{:>12}{:>10}{:>10}{:>10}{:>8}",
        "product", "jobs", "load", "jobs/s", "rows/s", "wait p50 ms", "p50 ms", "p90 ms", "p99 ms", "503"
    );
    for load in figures.get("loads").and_then(Value::as_array).unwrap_or(&none) {
        let number = |pointer: &str| load.pointer(pointer).and_then(Value::as_f64).unwrap_or(0.0);
        let text = |name: &str| load.get(name).and_then(Value::as_str).unwrap_or_default();
        let name = format!("{:<16}{:<8}", text("product"), text("size"));
        println!(
            "{name}{:<14}{:>10.0}{:>12.0}",
            "engine alone",
            number("/ceiling/jobs_per_s"),
            number("/ceiling/rows_per_s")
        );
        for (title, part) in [("few waiting", "few_waiting"), ("queue full", "queue_full")] {
            println!(
                "{name}{title:<14}{:>10.0}{:>12.0}{:>12.1}{:>10.1}{:>10.1}{:>10.1}{:>7.0}%",
                number(&format!("/{part}/jobs_per_s")),
                number(&format!("/{part}/rows_per_s")),
                number(&format!("/{part}/queue_wait_seen_ms/p50")),
                number(&format!("/{part}/end_to_end_ms/p50")),
                number(&format!("/{part}/end_to_end_ms/p90")),
                number(&format!("/{part}/end_to_end_ms/p99")),
                number(&format!("/{part}/share_503")) * 100.0
            );
        }
    }
    for part in ["tiny_job", "hundred_thousand", "fifty_thousand_coded", "fifty_thousand_coded_with_a_past"] {
        if let Some(value) = figures.get(part).filter(|value| !value.is_null()) {
            println!("{part}: {value}");
        }
    }
}
