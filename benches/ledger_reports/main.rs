//! Latency of the fourteen reports: against hand-written SQL over the same file behind a bare handler, at a million journal
//! lines against a hundred thousand, and while other clients post to the same books.
//!
//! `cargo bench --bench ledger_reports [-- --json] [--samples N] [--only TEXT,…] [--data FOLDER] [--few N] [--many N]`
//!
//! * `--data FOLDER` keeps the books there: the first run posts them over HTTP (some minutes), the next ones use them;
//! * `--export FOLDER` writes the larger books there for ledger, hledger and beancount, and ends;
//! * `--small` takes seconds and shows that everything above still runs; its figures mean nothing.
//!
//! Bars: at a million lines at most 1.5 times the bare side, the median at most 5 ms and the 99th percentile at most 20 ms;
//! at most 1.3 times as long as at a hundred thousand; while sixteen clients post, the median at most twice as long, and
//! posting at least 0.9 times as fast as without the reader.

mod bare;
mod load;
mod requests;
mod seed;
#[path = "../support/mod.rs"]
mod support;

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Result, ensure};
use bare::Bare;
use requests::{REPORTS, ReportRequest};
use seed::{Description, ReportedBooks};
use serde_json::{Value, json};
use support::{Arguments, installation, pressure, print_json};
use xtask::{
    http::{Connection, Request},
    program::Program,
    statistics::{median, percentile, short, sorted},
};

/// Requests of each kind that are not counted.
const WARM_UP: usize = 8;
/// Against the bare side, against fewer lines; milliseconds of the median and of the 99th percentile.
const BARE_BAR: f64 = 1.5;
const GROWTH_BAR: f64 = 1.3;
const MEDIAN_BAR_US: f64 = 5_000.0;
const P99_BAR_US: f64 = 20_000.0;

/// Asks one service for reports.
pub struct Reports<'a> {
    connection: Connection,
    description: &'a Description,
}

impl<'a> Reports<'a> {
    /// On that connection.
    pub fn new(connection: Connection, description: &'a Description) -> Self {
        Self { connection, description }
    }

    /// Microseconds of one answer, and the answer.
    pub fn ask(&mut self, report: &ReportRequest) -> Result<(f64, Value)> {
        let path = self.description.path(&report.path(self.description));
        let begun = Instant::now();
        let reply = self.connection.send(&Request::get(&path, Some(&self.description.key)))?;
        let time_us = begun.elapsed().as_secs_f64() * 1e6;
        ensure!(reply.status == 200, "{path} was answered {}", reply.summary());
        Ok((time_us, reply.json().get_mut("data").map(Value::take).unwrap_or_default()))
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::read();
    if arguments.is_check() {
        return Ok(());
    }
    if let (Some(url), Some(address)) = (arguments.after(bare::WORD), arguments.after(bare::ADDRESS)) {
        return bare::serve(url, address);
    }
    let is_small = arguments.has("--small");
    let number = |name: &str, default: u64, small: u64| {
        let given = arguments.after(name).and_then(|text| text.parse().ok());
        given.unwrap_or(if is_small { small } else { default })
    };
    let (temporary, _) = installation(&std::env::temp_dir())?;
    let folder = arguments.after("--data").map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    let folder = std::path::absolute(folder)?;
    let program = Program::at(Path::new(arguments.after("--binary").unwrap_or(env!("CARGO_BIN_EXE_bookkeeping"))))?;
    let (few, many) = (number("--few", 100_000, 8_000), number("--many", 1_000_000, 12_000));
    let few = ReportedBooks::open(&folder.join(few.to_string()), &program, few)?;
    let many = ReportedBooks::open(&folder.join(many.to_string()), &program, many)?;
    if let Some(target) = arguments.after("--export") {
        return load::export(&program, &many, Path::new(target));
    }
    let samples = usize::try_from(number("--samples", 200, 2))?;
    let wanted = |report: &&ReportRequest| {
        arguments.after("--only").is_none_or(|only| only.split(',').any(|part| report.name.contains(part)))
    };
    let reports: Vec<&ReportRequest> = REPORTS.iter().filter(wanted).collect();
    let rows = by_report(&program, (&few, &many), &reports, samples)?;
    let copy = many.copy_to(&temporary.path().join("under-load"))?;
    let under_load = load::measure(&program, &copy, &reports, is_small)?;
    if arguments.has("--json") {
        print_json(&json!({
            "bench": "ledger_reports", "samples": samples, "lines": [few.description.lines, many.description.lines],
            "pressure_percent": pressure(), "reports": rows, "under_load": under_load,
        }))?;
    }
    Ok(())
}

/// Each report of few lines, of many, and of the bare side, asked in turn.
fn by_report(
    program: &Program,
    (few, many): (&ReportedBooks, &ReportedBooks),
    reports: &[&ReportRequest],
    samples: usize,
) -> Result<Vec<Value>> {
    let (few_server, many_server) = (few.serve(program)?, many.serve(program)?);
    let mut few_reports = Reports::new(few_server.connect()?, &few.description);
    let mut many_reports = Reports::new(many_server.connect()?, &many.description);
    let mut bare = Bare::start(&many.url())?;
    println!(
        "{:<24}{:>10}{:>10}{:>10}{:>10}{:>8}{:>8}",
        "", "p50 few", "p50 many", "p99 many", "p50 bare", "growth", "bare"
    );
    let mut rows = Vec::new();
    for report in reports {
        let numbers = report.numbers(&many.description);
        let (mut few_us, mut many_us, mut bare_us) = (Vec::new(), Vec::new(), Vec::new());
        for sample in 0..WARM_UP + samples {
            let one = few_reports.ask(report)?.0;
            let other = many_reports.ask(report)?.0;
            let third = bare.ask(report.name, &numbers)?;
            if sample >= WARM_UP {
                few_us.push(one);
                many_us.push(other);
                bare_us.push(third);
            }
        }
        let (few_us, bare_us) = (median(&few_us), median(&bare_us));
        let many_us = sorted(many_us);
        let (p50_us, p99_us) = (median(&many_us), percentile(&many_us, 0.99));
        let (growth, against_bare) = (p50_us / few_us.max(1e-9), p50_us / bare_us.max(1e-9));
        let is_met =
            growth <= GROWTH_BAR && against_bare <= BARE_BAR && p50_us <= MEDIAN_BAR_US && p99_us <= P99_BAR_US;
        println!(
            "{:<24}{few_us:>7.0} µs{p50_us:>7.0} µs{p99_us:>7.0} µs{bare_us:>7.0} µs{growth:>8.2}{against_bare:>8.2}{}",
            report.name,
            if is_met { "" } else { "  MISSED" }
        );
        rows.push(json!({
            "report": report.name, "p50_few_us": short(few_us), "p50_many_us": short(p50_us), "p99_many_us": short(p99_us),
            "p50_bare_us": short(bare_us), "growth": short(growth), "against_bare": short(against_bare), "met": is_met,
        }));
    }
    few_server.terminate()?;
    many_server.terminate()?;
    Ok(rows)
}
