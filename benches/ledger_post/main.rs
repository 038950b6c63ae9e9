//! Durable `POST …/journals` over HTTP with 1, 8 and 64 clients, beside the bare rate of single-insert commits through the
//! same driver in the same run; then bulk import and the memory of an idle organisation.
//!
//! `cargo bench --bench ledger_post [-- --json] [--rounds N] [--ms N] [--only held|postgres|disk|import|idle] [--small]`
//!
//! * `held`: SQLite on a file system in memory, every fsync held at 1 ms (`support/slow_sync.c`), for service and bare side;
//! * `postgres`: a private server on the disk, beside `pgbench -n -c 16 -j 2` with `support/post_journal.sql`;
//! * `disk`: SQLite on the disk as it is.
//!
//! Sides alternate within each round; ratios are of one round. Trust them, not the rates. `--small` takes seconds and shows
//! that everything still runs; its figures mean nothing.

mod bare;
mod idle;
mod import;
#[path = "../support/slow_sync.rs"]
mod slow_sync;
#[path = "../support/mod.rs"]
mod support;

use std::{fmt::Write as _, path::Path, time::Duration};

use anyhow::{Context, Result, ensure};
use bare::{Bare, pgbench};
use serde_json::{Value, json};
use slow_sync::{SlowSync, memory_folder};
use support::{Arguments, pressure, print_json};
use tempfile::TempDir;
use xtask::{
    books::Books,
    http::Request,
    load::{Round, keep_alive_each},
    postgres::Postgres,
    program::{Installation, SCOPES, Server, create_key},
    random::Random,
    statistics::{greatest, median, real, short},
};

/// Organisations that are posted to.
const ORGANISATIONS: usize = 16;
/// Different journals a client posts before it begins again.
const JOURNALS_A_CLIENT: usize = 48;

/// One kind of load.
struct Load {
    clients: usize,
    organisations: usize,
    /// Times the bare rate it must reach where the fsync is held.
    held_bar: Option<f64>,
    /// Share of pgbench's rate it must reach on PostgreSQL.
    postgres_bar: Option<f64>,
}

const LOADS: [Load; 4] = [
    Load { clients: 1, organisations: ORGANISATIONS, held_bar: None, postgres_bar: None },
    Load { clients: 8, organisations: ORGANISATIONS, held_bar: None, postgres_bar: None },
    Load { clients: 64, organisations: ORGANISATIONS, held_bar: Some(5.0), postgres_bar: Some(0.3) },
    Load { clients: 64, organisations: 1, held_bar: Some(3.0), postgres_bar: None },
];

/// What was measured of one load over all rounds.
#[derive(Default)]
struct Measured {
    rates: Vec<f64>,
    ratios: Vec<f64>,
    processor_us: Vec<f64>,
    p50_us: Vec<f64>,
    p99_us: Vec<f64>,
}

/// The bare rates, and what was measured of each load.
type Compared = (Vec<f64>, Vec<Measured>);

/// A service with organisations to post to.
pub struct Service {
    server: Server,
    installation: Installation,
    key: String,
    books: Vec<Books>,
    /// Keeps the folder.
    _folder: TempDir,
}

impl Service {
    /// Start it behind those words, in a folder of `parent`, with that many organisations.
    pub fn start(parent: &Path, wrapper: &[String], database: Option<&str>, organisations: usize) -> Result<Self> {
        let (folder, mut installation) = support::installation(parent)?;
        if let Some(url) = database {
            installation = installation.with("database_url", url);
        }
        let server = support::serve(&installation, wrapper)?;
        let person = installation.add_person("bench@example.com", 1_000, 0)?;
        let mut connection = server.connect()?;
        let key = create_key(&mut connection, &person.session, "bench", &SCOPES)?.plaintext;
        let books = (0..organisations).map(|number| Books::create(&mut connection, &key, &format!("Bench {number}")));
        let books = books.collect::<Result<_>>()?;
        Ok(Self { server, installation, key, books, _folder: folder })
    }

    /// Requests for each client of a load.
    fn requests(&self, load: &Load, random: &mut Random) -> Result<Vec<Vec<Vec<u8>>>> {
        let mut clients = Vec::new();
        for books in self.books.iter().take(load.organisations).cycle().take(load.clients) {
            let path = books.path("/journals");
            let mut requests = Vec::new();
            for _ in 0..JOURNALS_A_CLIENT {
                let body = books.journal(random)?.body;
                let mut request = Request::post(&path, Some(&self.key), &body).head(self.server.public());
                request.extend_from_slice(&body);
                requests.push(request);
            }
            clients.push(requests);
        }
        Ok(clients)
    }

    fn post(&self, requests: &[Vec<Vec<u8>>], time: Duration, measured: &mut Measured) -> Result<f64> {
        let before = self.server.process.processor_time()?;
        let round: Round = keep_alive_each(self.server.public(), requests, 201, time)?;
        let spent = self.server.process.processor_time()? - before;
        ensure!(round.refused == 0 && round.answered > 0, "{} journals were not answered 201", round.refused);
        measured.rates.push(round.rate());
        measured.processor_us.push(spent.as_secs_f64() * 1e6 / real(round.answered));
        measured.p50_us.push(round.latency_us(0.5));
        measured.p99_us.push(round.latency_us(0.99));
        Ok(round.rate())
    }

    /// End it, and let it check what was posted.
    pub fn end(self) -> Result<()> {
        self.server.terminate()?;
        let (consistent, text) = self.installation.attempt(&["check"])?;
        ensure!(consistent, "`bookkeeping check`: {}", text.trim());
        Ok(())
    }
}

/// How long and how often.
struct Plan {
    rounds: usize,
    time: Duration,
    /// Organisations whose memory is counted.
    idle_organisations: u64,
}

/// Measure all loads beside `bare`, which gives a rate.
fn beside(plan: &Plan, service: &Service, bare: impl Fn(Duration) -> Result<f64>) -> Result<Compared> {
    let mut random = Random::new(7);
    let requests = LOADS.iter().map(|load| service.requests(load, &mut random)).collect::<Result<Vec<_>>>()?;
    let mut all: Vec<Measured> = LOADS.iter().map(|_| Measured::default()).collect();
    let mut bare_rates = Vec::new();
    // Not counted: both sides reach their pace.
    for requests in &requests {
        service.post(requests, plan.time / 4, &mut Measured::default())?;
    }
    bare(plan.time / 4)?;
    for _ in 0..plan.rounds {
        for (measured, requests) in all.iter_mut().zip(&requests) {
            let before = bare(plan.time / 2)?;
            let rate = service.post(requests, plan.time, measured)?;
            let after = bare(plan.time / 2)?;
            bare_rates.extend([before, after]);
            measured.ratios.push(2.0 * rate / (before + after).max(1e-9));
        }
    }
    Ok((bare_rates, all))
}

fn report(
    text: &mut String,
    title: &str,
    bare_name: &str,
    bar: impl Fn(&Load) -> Option<f64>,
    (bare_rates, all): &Compared,
) -> Result<Value> {
    writeln!(text, "{title}; {bare_name}: {:.0}/s (best {:.0})", median(bare_rates), greatest(bare_rates))?;
    writeln!(
        text,
        "{:<28}{:>10}{:>9}{:>9}{:>7}{:>8}{:>12}{:>10}{:>10}",
        "", "journals/s", "ratio", "best", "bar", "", "processor µs", "p50 ms", "p99 ms"
    )?;
    let mut rows = Vec::new();
    for (load, measured) in LOADS.iter().zip(all) {
        let (ratio, best) = (median(&measured.ratios), greatest(&measured.ratios));
        let bar = bar(load);
        let verdict = bar.map_or("", |bar| if ratio >= bar { "met" } else { "MISSED" });
        let name = format!("{} clients, {} organisations", load.clients, load.organisations);
        writeln!(
            text,
            "{name:<28}{:>10.0}{ratio:>9.2}{best:>9.2}{:>7}{verdict:>8}{:>12.0}{:>10.2}{:>10.2}",
            median(&measured.rates),
            bar.map_or(String::new(), |bar| format!("{bar}")),
            median(&measured.processor_us),
            median(&measured.p50_us) / 1e3,
            median(&measured.p99_us) / 1e3,
        )?;
        rows.push(json!({
            "clients": load.clients,
            "organisations": load.organisations,
            "journals_per_s": short(median(&measured.rates)),
            "ratio": short(ratio),
            "ratio_best": short(best),
            "bar": bar,
            "met": bar.map(|bar| ratio >= bar),
            "processor_us_per_journal": short(median(&measured.processor_us)),
            "p50_us": short(median(&measured.p50_us)),
            "p99_us": short(median(&measured.p99_us)),
        }));
    }
    Ok(json!({ "bare": bare_name, "bare_per_s": short(median(bare_rates)), "loads": rows }))
}

/// SQLite in `parent`, with or without fsyncs held at a millisecond.
fn sqlite(plan: &Plan, parent: &Path, slow: Option<&SlowSync>) -> Result<Compared> {
    let wrapper = slow.map_or_else(Vec::new, SlowSync::wrapper);
    let service = Service::start(parent, &wrapper, None, ORGANISATIONS)?;
    let folder = tempfile::Builder::new().prefix("bookkeeping-bare-").tempdir_in(parent)?;
    let bare = Bare::new(format!("sqlite://{}?mode=rwc", folder.path().join("bare.db").display()), wrapper);
    let measured = beside(plan, &service, |time| bare.rate(time))?;
    service.end()?;
    Ok(measured)
}

/// PostgreSQL beside pgbench, and the driver's own single inserts.
fn postgres(plan: &Plan) -> Result<(f64, Compared)> {
    let folder = tempfile::Builder::new().prefix("bookkeeping-bench-").tempdir()?;
    let postgres = Postgres::start(&folder.path().join("postgres"))?;
    bare::make_tables(&postgres)?;
    let service = Service::start(folder.path(), &[], Some(&postgres.url()), ORGANISATIONS)?;
    let single = Bare::new(postgres.url(), Vec::new()).rate(plan.time)?;
    let measured = beside(plan, &service, |time| pgbench(&postgres, time))?;
    service.end()?;
    Ok((single, measured))
}

fn main() -> Result<()> {
    let arguments = Arguments::read();
    if let Some(url) = arguments.after("--bare-commits") {
        let time = arguments.after("--for-ms").and_then(|text| text.parse().ok()).context("--for-ms")?;
        return bare::commit_for(url, Duration::from_millis(time));
    }
    if arguments.is_check() {
        return Ok(());
    }
    let is_small = arguments.has("--small");
    let number = |name: &str, default: u64, small: u64| {
        let given = arguments.after(name).and_then(|text| text.parse().ok());
        given.unwrap_or(if is_small { small } else { default })
    };
    let plan = Plan {
        rounds: usize::try_from(number("--rounds", 5, 1))?,
        time: Duration::from_millis(number("--ms", 1_000, 100)),
        idle_organisations: number("--idle", 10_000, 50),
    };
    let wanted = |name: &str| arguments.after("--only").is_none_or(|only| only == name);
    let mut text = String::new();
    let mut figures = json!({ "bench": "ledger_post", "rounds": plan.rounds, "pressure_percent": pressure() });
    let mut note = |name: &str, value: Value| {
        if let Some(figures) = figures.as_object_mut() {
            figures.insert(name.to_owned(), value);
        }
    };
    if wanted("held") {
        let parent = memory_folder().context("there is no file system in memory at /dev/shm")?;
        let slow = SlowSync::build(1_000)?;
        let measured = sqlite(&plan, &parent, Some(&slow))?;
        let title = "SQLite in memory, fsync held at 1 ms";
        note("held", report(&mut text, title, "single-insert commits", |load| load.held_bar, &measured)?);
    }
    if wanted("postgres") {
        let (single, measured) = postgres(&plan)?;
        let mut value = report(&mut text, "PostgreSQL", "pgbench -n -c 16 -j 2", |load| load.postgres_bar, &measured)?;
        writeln!(text, "single-insert commits through the driver, one after the other: {single:.0}/s")?;
        if let Some(value) = value.as_object_mut() {
            value.insert("single_insert_per_s".to_owned(), json!(short(single)));
        }
        note("postgres", value);
    }
    if wanted("disk") {
        let measured = sqlite(&plan, &std::env::temp_dir(), None)?;
        note("disk", report(&mut text, "SQLite on the disk", "single-insert commits", |_| None, &measured)?);
    }
    if wanted("import") {
        note("import", import::measure(&plan, &mut text)?);
    }
    if wanted("idle") {
        note("idle", idle::measure(plan.idle_organisations, &mut text)?);
    }
    if arguments.has("--json") {
        return print_json(&figures);
    }
    print!("{text}");
    Ok(())
}
