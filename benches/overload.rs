//! Goodput under overload: jobs completed a second when as many are offered as the service can do, and ten times as many, for
//! small, medium and large jobs of both products. Each is offered at a steady pace over connections of their own by the keys
//! of eight people; what is refused with 503 is not offered again.
//!
//! `cargo bench --bench overload [-- --json] [--product reconciliation|coding] [--only small|medium|large] [--rounds N] [--small]`
//!
//! `--rounds` takes the three loads in turn so many times and compares their means: on a machine that others use too, what one
//! load of eight seconds achieves varies more from run to run than the bar allows.
//!
//! `--small` takes seconds and shows that everything still runs; its figures mean nothing.

mod support;

use std::{
    net::SocketAddr,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use support::{Arguments, installation, pressure, print_json, serve};
use xtask::{
    datasets::{Dataset, charged},
    http::{Connection, Request},
    products::Product,
    program::{SCOPES, Server, create_key},
    random::Random,
    statistics::{real, short},
};

/// People with a key each.
const PEOPLE: usize = 8;
/// Connections that offer jobs.
const CONNECTIONS: usize = 24;
/// Waiting jobs of a product, so that what is left of a round is soon done.
const PLACES: &str = "24";
/// When a client that keeps jobs waiting comes back after a 503.
const COME_BACK: Duration = Duration::from_millis(10);
/// How much more than the capacity is offered.
const OVERLOAD: f64 = 10.0;
/// The least share of the best that overload may leave, and that of large reconciliations, whose refused bodies of four
/// megabytes cost what checking them costs.
const BAR: f64 = 0.9;
const BAR_LARGE_RECONCILIATION: f64 = 0.8;

/// What came of the offers of a round.
#[derive(Default)]
struct Offered {
    sent: AtomicUsize,
    accepted: AtomicUsize,
    busy: AtomicUsize,
}

/// Offers jobs at a steady pace over one connection until the end; an offer that is late is made at once.
fn offer(
    address: SocketAddr,
    key: &str,
    pool: &[Dataset],
    (every, begun, time): (Duration, Instant, Duration),
    offered: &Offered,
) -> Result<()> {
    let mut connection = Connection::new(address, Duration::from_secs(60))?;
    let mut due = begun;
    for dataset in pool.iter().cycle() {
        if begun.elapsed() >= time {
            break;
        }
        if let Some(early) = due.checked_duration_since(Instant::now()) {
            thread::sleep(early.min(time.saturating_sub(begun.elapsed())));
        }
        due += every;
        let reply = connection.send(&Request::post(dataset.product.path(), Some(key), &dataset.body))?;
        offered.sent.fetch_add(1, Ordering::Relaxed);
        match reply.status {
            202 => offered.accepted.fetch_add(1, Ordering::Relaxed),
            503 => {
                if every.is_zero() {
                    // Clients that only keep jobs waiting come back when there may be room.
                    thread::sleep(COME_BACK);
                }
                offered.busy.fetch_add(1, Ordering::Relaxed)
            }
            _ => anyhow::bail!("a submission was answered {}", reply.summary()),
        };
    }
    Ok(())
}

/// A figure from the operators' metrics, by the start of its line.
fn metric(server: &Server, start: &str) -> Result<f64> {
    let mut connection = Connection::new(server.ops(), Duration::from_secs(30))?;
    let reply = connection.send(&Request::get("/metrics", None))?;
    let text = String::from_utf8_lossy(&reply.body).into_owned();
    let value = text.lines().find_map(|line| line.strip_prefix(start)?.trim().parse().ok());
    Ok(value.unwrap_or(0.0))
}

fn completed(server: &Server, product: Product) -> Result<f64> {
    metric(server, &format!("jobs_total{{product=\"{}\",status=\"completed\"}}", product.name()))
}

fn submitted(server: &Server, product: Product) -> Result<f64> {
    metric(server, &format!("jobs_total{{product=\"{}\",status=\"queued\"}}", product.name()))
}

/// Waits until everything that was accepted has ended.
fn drain(server: &Server, product: Product) -> Result<()> {
    let begun = Instant::now();
    while completed(server, product)? < submitted(server, product)? {
        ensure!(begun.elapsed() < Duration::from_secs(120), "jobs that were accepted do not end");
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Jobs completed a second while so many are offered a second; infinitely many are as many as the connections send.
fn round(
    server: &Server,
    keys: &[String],
    pool: &[Dataset],
    (connections, per_second): (usize, f64),
    time: Duration,
) -> Result<Value> {
    let product = pool.first().context("no data")?.product;
    let offered = Offered::default();
    let every = Duration::from_secs_f64(real(connections) / per_second.max(0.001));
    let every = if per_second.is_finite() { every } else { Duration::ZERO };
    // The first jobs fill the pipeline and are not counted.
    let warm = time / 5;
    let begun = Instant::now();
    let mut counted = (0.0, 0.0);
    thread::scope(|scope| -> Result<()> {
        let threads: Vec<_> = (0..connections)
            .zip(keys.iter().cycle())
            .map(|(_, key)| {
                let offered = &offered;
                scope.spawn(move || offer(server.public(), key, pool, (every, begun, time), offered))
            })
            .collect();
        thread::sleep(warm);
        let (before, at) = (completed(server, product)?, Instant::now());
        thread::sleep(time.saturating_sub(begun.elapsed()));
        counted = (completed(server, product)? - before, at.elapsed().as_secs_f64());
        for thread in threads {
            thread.join().map_err(|_| anyhow::anyhow!("a client panicked"))??;
        }
        Ok(())
    })?;
    let elapsed = begun.elapsed().as_secs_f64();
    drain(server, product)?;
    let count = |counter: &AtomicUsize| real(counter.load(Ordering::Relaxed));
    Ok(json!({
        "offered_per_s": short(count(&offered.sent) / elapsed),
        "accepted_per_s": short(count(&offered.accepted) / elapsed),
        "completed_per_s": short(counted.0 / counted.1.max(1e-9)),
        "share_503": short(count(&offered.busy) / count(&offered.sent).max(1.0)),
    }))
}

fn number(value: &Value, name: &str) -> f64 {
    value.get(name).and_then(Value::as_f64).unwrap_or(0.0)
}

/// The means of every figure of some rounds.
fn mean(rounds: &[Value]) -> Value {
    let names = rounds.first().and_then(Value::as_object).into_iter().flat_map(|round| round.keys());
    let mean = |name: &String| short(rounds.iter().map(|round| number(round, name)).sum::<f64>() / real(rounds.len()));
    names.map(|name| (name.clone(), json!(mean(name)))).collect::<serde_json::Map<_, _>>().into()
}

/// One size of one product: a few clients that always have a job waiting, then the capacity offered, then ten times as much;
/// again for every further round, with the capacity of that round.
fn load(
    server: &Server,
    keys: &[String],
    product: Product,
    (name, rows): (&str, u64),
    (time, rounds): (Duration, usize),
) -> Result<Value> {
    let mut random = Random::new(rows);
    let pool: Vec<Dataset> = (0..8).map(|_| charged(product, &mut random, rows)).collect();
    let (mut few, mut once, mut tenfold) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let unpaced = round(server, keys, &pool, (4, f64::INFINITY), time)?;
        let capacity = number(&unpaced, "completed_per_s").max(1.0);
        few.push(unpaced);
        once.push(round(server, keys, &pool, (CONNECTIONS, capacity), time)?);
        tenfold.push(round(server, keys, &pool, (CONNECTIONS, capacity * OVERLOAD), time)?);
    }
    let [few, once, tenfold] = [few, once, tenfold].map(|rounds| mean(&rounds));
    let rates = [&few, &once, &tenfold].map(|round| number(round, "completed_per_s"));
    let best = rates.into_iter().fold(0.0, f64::max);
    let is_large_reconciliation = name == "large" && product == Product::Reconciliation;
    Ok(json!({
        "product": product.name(), "size": name, "rows": rows, "rounds": rounds,
        "few_clients": few, "once": once, "tenfold": tenfold,
        "goodput_of_best": short(number(&tenfold, "completed_per_s") / best.max(1e-9)),
        "bar": if is_large_reconciliation { BAR_LARGE_RECONCILIATION } else { BAR },
    }))
}

fn main() -> Result<()> {
    let arguments = Arguments::read();
    if arguments.is_check() {
        return Ok(());
    }
    let is_small = arguments.has("--small");
    let (sizes, time) = match is_small {
        true => ([("small", 5), ("medium", 10), ("large", 20)], Duration::from_millis(400)),
        false => ([("small", 10), ("medium", 1_000), ("large", 25_000)], Duration::from_secs(8)),
    };
    let (_folder, installation) = installation(&std::env::temp_dir())?;
    let installation = installation.with("queue_capacity_jobs", PLACES);
    let server = serve(&installation, &[])?;
    let mut connection = server.connect()?;
    let mut keys = Vec::new();
    for place in 0..PEOPLE {
        let person = installation.add_person(&format!("bench-{place}@example.com"), 0, 1_000_000_000)?;
        keys.push(create_key(&mut connection, &person.session, "bench", &SCOPES)?.plaintext);
    }
    drop(connection);
    let rounds: usize = arguments.after("--rounds").map_or(Ok(1), str::parse)?.max(1);
    let wanted = |option: &str, name: &str| arguments.after(option).is_none_or(|only| only == name);
    let mut loads = Vec::new();
    for product in Product::ALL.into_iter().filter(|product| wanted("--product", product.name())) {
        for size in sizes.into_iter().filter(|(name, _)| wanted("--only", name)) {
            loads.push(load(&server, &keys, product, size, (time, rounds))?);
        }
    }
    server.terminate()?;
    let figures = json!({ "bench": "overload", "pressure_percent": pressure(), "loads": loads });
    if arguments.has("--json") {
        return print_json(&figures);
    }
    println!(
        "{:<16}{:<8}{:<12}{:>12}{:>12}{:>12}{:>8}",
        "product", "jobs", "load", "offered/s", "accepted/s", "completed/s", "503"
    );
    for load in &loads {
        let text = |name: &str| load.get(name).and_then(Value::as_str).unwrap_or_default();
        for (title, part) in [("few clients", "few_clients"), ("once", "once"), ("tenfold", "tenfold")] {
            let round = load.get(part).unwrap_or(&Value::Null);
            println!(
                "{:<16}{:<8}{title:<12}{:>12.1}{:>12.1}{:>12.1}{:>7.0}%",
                text("product"),
                text("size"),
                number(round, "offered_per_s"),
                number(round, "accepted_per_s"),
                number(round, "completed_per_s"),
                number(round, "share_503") * 100.0
            );
        }
        println!("{:<24}goodput of the best {} (bar {})", "", number(load, "goodput_of_best"), number(load, "bar"));
    }
    Ok(())
}
