//! Reports while sixteen clients post to the same books, and what that costs the clients; the books for other programs.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use xtask::{
    http::Request,
    load::keep_alive_each,
    plain_text,
    program::{Program, Server},
    statistics::{median, short},
};

use crate::{Reports, requests::ReportRequest, seed::ReportedBooks};

/// Clients that post.
const CLIENTS: u64 = 16;
/// Different journals of a client.
const JOURNALS: u64 = 8;
/// Between two reports of the reader: somebody who reads, not another load.
const PAUSE: Duration = Duration::from_millis(20);
/// The median against an idle service, and posting against posting without a reader.
const LATENCY_BAR: f64 = 2.0;
const RATE_BAR: f64 = 0.9;

/// Measure a copy of the books, which the journals stay in.
pub fn measure(program: &Program, books: &ReportedBooks, reports: &[&ReportRequest], is_small: bool) -> Result<Value> {
    let server = books.serve(program)?;
    let time = Duration::from_millis(if is_small { 200 } else { 10_000 });
    let idle = read(&server, books, reports, Reading::Rounds(if is_small { 1 } else { 30 }))?;
    let mut rates = (Vec::new(), Vec::new());
    let mut loaded = vec![Vec::new(); reports.len()];
    for _ in 0..if is_small { 1 } else { 3 } {
        rates.0.push(posting_rate(&server, books, time)?);
        let is_over = AtomicBool::new(false);
        let (rate, times) = thread::scope(|scope| {
            let reader = scope.spawn(|| read(&server, books, reports, Reading::Until(&is_over)));
            let rate = posting_rate(&server, books, time);
            is_over.store(true, Ordering::Relaxed);
            let times = reader.join().map_err(|_| anyhow::anyhow!("the reader panicked"))?;
            anyhow::Ok((rate?, times?))
        })?;
        rates.1.push(rate);
        for (all, some) in loaded.iter_mut().zip(times) {
            all.extend(some);
        }
    }
    server.terminate()?;
    let share = median(&rates.1) / median(&rates.0).max(1e-9);
    println!(
        "16 clients post {:.0} journals/s alone, {:.0} with a reader: {share:.2} (bar {RATE_BAR}){}",
        median(&rates.0),
        median(&rates.1),
        if share >= RATE_BAR { "" } else { "  MISSED" }
    );
    let mut rows = Vec::new();
    for ((report, idle), loaded) in reports.iter().zip(&idle).zip(&loaded) {
        let (idle_us, loaded_us) = (median(idle), median(loaded));
        let ratio = loaded_us / idle_us.max(1e-9);
        println!(
            "{:<24}{idle_us:>7.0} µs{loaded_us:>7.0} µs{ratio:>8.2}{}",
            report.name,
            if ratio <= LATENCY_BAR { "" } else { "  MISSED" }
        );
        rows.push(json!({
            "report": report.name, "p50_idle_us": short(idle_us), "p50_loaded_us": short(loaded_us), "ratio": short(ratio),
            "answers": loaded.len(),
        }));
    }
    Ok(json!({
        "posted_per_s": short(median(&rates.0)), "posted_with_reader_per_s": short(median(&rates.1)),
        "share": short(share), "reports": rows,
    }))
}

/// How long to read.
enum Reading<'a> {
    /// So many times each report.
    Rounds(usize),
    /// Until told, and once at least.
    Until(&'a AtomicBool),
}

/// Microseconds of each answer of each report, asked in turn; every answer must add up.
fn read(
    server: &Server,
    books: &ReportedBooks,
    reports: &[&ReportRequest],
    reading: Reading<'_>,
) -> Result<Vec<Vec<f64>>> {
    let mut client = Reports::new(server.connect()?, &books.description);
    let mut times = vec![Vec::new(); reports.len()];
    let mut rounds = 0;
    loop {
        for (report, times) in reports.iter().zip(&mut times) {
            let (time_us, answer) = client.ask(report)?;
            ensure!((report.ties)(&answer), "{} does not add up: {answer}", report.name);
            times.push(time_us);
            thread::sleep(PAUSE);
        }
        rounds += 1;
        let is_over = match reading {
            Reading::Rounds(count) => rounds >= count,
            Reading::Until(flag) => flag.load(Ordering::Relaxed),
        };
        if is_over {
            return Ok(times);
        }
    }
}

/// Journals a second of the clients.
fn posting_rate(server: &Server, books: &ReportedBooks, time: Duration) -> Result<f64> {
    let path = books.description.path("/journals");
    let prepared = |number: u64| {
        let body = books.description.journal(number)?;
        let request = Request::post(&path, Some(&books.description.key), &body);
        anyhow::Ok([request.head(server.public()), body.clone()].concat())
    };
    let list = |client: u64| (0..JOURNALS).map(|number| prepared(client * JOURNALS + number)).collect();
    let lists = (0..CLIENTS).map(list).collect::<Result<Vec<Vec<Vec<u8>>>>>()?;
    let round = keep_alive_each(server.public(), &lists, 201, time)?;
    ensure!(round.refused == 0, "{} journals were refused", round.refused);
    Ok(round.rate())
}

/// Write the books for ledger, hledger and beancount, with the trial balance of the last day.
pub fn export(program: &Program, books: &ReportedBooks, target: &Path) -> Result<()> {
    let server = books.serve(program)?;
    let mut connection = server.connect()?;
    let description = &books.description;
    let exported = plain_text::read(&mut connection, &description.key, description.organisation)?;
    server.terminate()?;
    fs::create_dir_all(target)?;
    fs::write(target.join("books.journal"), exported.ledger()).context("cannot write")?;
    fs::write(target.join("books.beancount"), exported.beancount())?;
    Ok(())
}
