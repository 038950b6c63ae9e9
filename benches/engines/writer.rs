//! The writer: grouped units against bare commits, and a whole tiny job against three of them, in one run.
//!
//! `cargo bench --bench engines -- writer [--json]`. `BENCH_DIR` chooses the folder (and with it the disk), `BENCH_DATABASE_URL`
//! another database. Trust the ratios; the values are the machine's.
#![expect(clippy::unwrap_used, reason = "a bench may fail loudly")]

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bookkeeping_suite::clock::{Clock as _, SystemClock};
use bookkeeping_suite::domain::ids::{JobId, UserId};
use bookkeeping_suite::domain::job::Product;
use bookkeeping_suite::store::{
    Claim, Finish, Finished, NewJob, NewUser, RunEnd, Store, StoreOptions, Submitted, UserCreated,
};

const GROUPED_CALLERS: usize = 64;
const PRODUCT: Product = Product::Reconciliation;

/// How often each thing is done.
struct Plan {
    warm_up: usize,
    rounds: usize,
    grouped_rounds: usize,
}

/// Print the figures.
pub fn measure_writer(arguments: Vec<String>) {
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let json = has("--json");
    let plan = if has("--small") {
        Plan { warm_up: 1, rounds: 5, grouped_rounds: 2 }
    } else {
        Plan { warm_up: 50, rounds: 500, grouped_rounds: 50 }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let figures = runtime.block_on(measure(&plan));
    if json {
        println!("{}", serde_json::to_string_pretty(&figures).unwrap());
    } else {
        for (name, value) in figures.as_object().into_iter().flatten() {
            println!("{name:<36} {value:>12}");
        }
    }
}

async fn measure(plan: &Plan) -> serde_json::Value {
    let folder = std::env::var_os("BENCH_DIR").map_or_else(tempfile::tempdir, tempfile::tempdir_in).unwrap();
    let url = std::env::var("BENCH_DATABASE_URL")
        .unwrap_or_else(|_| format!("sqlite://{}", folder.path().join("bench.db").display()));
    let clock = Arc::new(SystemClock::default());
    let store = Store::open(StoreOptions::new(url), Arc::<SystemClock>::clone(&clock)).await.unwrap();
    store.migrate().await.unwrap();
    let user = create_user(&store, &clock).await;

    // Interleaved, so that a disk that changes its mind changes it for all of them.
    let (mut bare, mut job) = (Vec::new(), Vec::new());
    for round in 0..plan.warm_up + plan.rounds {
        let three = timed(async {
            for _ in 0..3 {
                bare_commit(&store, &clock).await;
            }
        });
        let (three, one_job) = (three.await, timed(tiny_job(&store, &clock, user)).await);
        if round >= plan.warm_up {
            bare.push(three);
            job.push(one_job);
        }
    }
    let commits = || store.stats().groups.load(Ordering::Relaxed);
    let before = commits();
    let grouped = grouped(plan, &store, &clock).await;
    let group_size = f64::from(grouped_units(plan)) / f64::from(u32::try_from(commits() - before).unwrap());
    store.close().await;

    let (bare, job) = (quantiles(bare), quantiles(job));
    let bare_per_s = 3.0 / bare.0.as_secs_f64();
    serde_json::json!({
        "three_bare_commits_p50_us": micros(bare.0),
        "three_bare_commits_p99_us": micros(bare.1),
        "tiny_job_p50_us": micros(job.0),
        "tiny_job_p99_us": micros(job.1),
        "tiny_job_over_three_bare_commits": rounded(job.0.as_secs_f64() / bare.0.as_secs_f64()),
        "bare_commits_per_s": rounded(bare_per_s),
        "grouped_units_per_s": rounded(grouped),
        "units_per_group": rounded(group_size),
        "grouped_over_bare": rounded(grouped / bare_per_s),
    })
}

async fn create_user(store: &Store, clock: &SystemClock) -> UserId {
    let user = NewUser {
        email: format!("{}@example.com", clock.unique().simple()),
        name: "Bench".to_owned(),
        password_hash: String::new(),
        monthly_allocation: i64::from(i32::MAX),
        bonus: 0,
        overage_allowed: false,
    };
    match store.writer.create_user(user).await.unwrap() {
        UserCreated::Created(id) => id,
        UserCreated::EmailTaken => unreachable!("the address is new"),
    }
}

/// One inserted row, one commit.
async fn bare_commit(store: &Store, clock: &SystemClock) {
    let id = JobId::mint("bare", clock.unique());
    store.writer.put_payload(&id, 0, vec![7; 100]).await.unwrap();
}

/// Submitted, claimed, finished, charged.
async fn tiny_job(store: &Store, clock: &SystemClock, user: UserId) {
    let job = NewJob {
        id: JobId::mint(PRODUCT.id_prefix(), clock.unique()),
        product: PRODUCT,
        user_id: user,
        connection: None,
        cost: 1,
        allow_overage: false,
        rows_total: 2,
        parameters: "{}".to_owned(),
        capacity: 100,
        share: 100,
        idempotency: None,
        session: None,
    };
    let submitted = store.writer.submit(job, vec![vec![7; 100]]).await.unwrap();
    assert!(matches!(submitted, Submitted::Accepted { .. }));
    let Claim::Job(job) = store.writer.claim(PRODUCT, "bench", 15_000, Arc::new(|_, _, _| {})).await.unwrap() else {
        unreachable!("one job waits")
    };
    let end = RunEnd::Completed {
        cost: 1,
        result: vec![vec![7; 300]],
        parts_written: 0,
        result_size: 900,
        suggestions: None,
    };
    let finish = Finish { job_id: job.id, product: PRODUCT, fence: job.fence, end };
    let finished = store.writer.finish(finish, Arc::new(|_, _, _| {})).await.unwrap();
    assert!(matches!(finished, Finished::Completed { credits_charged: 1, .. }));
}

fn grouped_units(plan: &Plan) -> u32 {
    u32::try_from(GROUPED_CALLERS * plan.grouped_rounds).unwrap()
}

/// Units a second with many callers at once.
async fn grouped(plan: &Plan, store: &Store, clock: &Arc<SystemClock>) -> f64 {
    let started = Instant::now();
    let callers: Vec<_> = (0..GROUPED_CALLERS)
        .map(|_| {
            let (store, clock, rounds) = (store.clone(), Arc::clone(clock), plan.grouped_rounds);
            tokio::spawn(async move {
                for _ in 0..rounds {
                    bare_commit(&store, &clock).await;
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
    f64::from(grouped_units(plan)) / started.elapsed().as_secs_f64()
}

async fn timed(work: impl Future<Output = ()>) -> Duration {
    let started = Instant::now();
    work.await;
    started.elapsed()
}

fn quantiles(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    let at = |permille: usize| times.get(times.len() * permille / 1000).copied().unwrap_or_default();
    (at(500), at(990))
}

fn micros(time: Duration) -> f64 {
    rounded(time.as_secs_f64() * 1e6)
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
