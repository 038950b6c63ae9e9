//! Latency of every `GET` of the books: with 10 thousand and with 1 million journal lines, two services of the same
//! program asked alternately by one client; or of two builds of the program at a million lines, in turns.
//!
//! `cargo bench --bench ledger_read [-- --json] [--postgres] [--samples N] [--only TEXT,…] [--few N] [--many N]`
//! `cargo bench --bench ledger_read -- --binary PATH --against PATH [--rounds N] [--data FOLDER]`
//!
//! * `--data FOLDER` keeps the larger books there: the first run seeds them, the next ones measure a copy;
//!   `--seed-only` ends after that;
//! * `--binary PATH` measures a program that is built already;
//! * `--small` takes seconds and shows that everything above still runs; its figures mean nothing.
//!
//! Bars: a request with an offset of at most 1,000 and no search takes at most 1.2 times as long at a million lines,
//! any other at most 3 times; between two builds each request may be slower by at most 5 %. To measure another path add a
//! line to `REQUESTS`.

#[path = "../support/ledger_seed.rs"]
mod ledger_seed;
mod requests;
mod side;
#[path = "../support/mod.rs"]
mod support;
mod turns;

use std::path::{Path, PathBuf};

use anyhow::Result;
use requests::REQUESTS;
use serde_json::{Value, json};
use side::{SeededBooks, ask_both};
use support::{Arguments, installation, pressure, print_json};
use tempfile::TempDir;
use turns::Turns;
use xtask::{
    program::Program,
    statistics::{median, percentile, short, sorted},
};

/// Requests of each kind that are not counted: they fill the caches of every connection that reads.
const WARM_UP: usize = 8;

/// A folder for books, removed afterwards unless it was named.
struct Folder {
    path: PathBuf,
    _temporary: Option<TempDir>,
}

impl Folder {
    fn temporary() -> Result<Self> {
        let (temporary, installation) = installation(&std::env::temp_dir())?;
        Ok(Self { path: installation.folder().to_owned(), _temporary: Some(temporary) })
    }

    fn kept_or_temporary(arguments: &Arguments) -> Result<Self> {
        match arguments.after("--data") {
            Some(path) => Ok(Self { path: std::path::absolute(path)?, _temporary: None }),
            None => Self::temporary(),
        }
    }

    /// Where copies of it are made: on the same file system.
    fn parent(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::read();
    if arguments.is_check() {
        return Ok(());
    }
    let is_small = arguments.has("--small");
    let number = |name: &str, default: u64, small: u64| {
        let given = arguments.after(name).and_then(|text| text.parse().ok());
        given.unwrap_or(if is_small { small } else { default })
    };
    let wanted =
        |pattern: &str| arguments.after("--only").is_none_or(|only| only.split(',').any(|part| pattern.contains(part)));
    let program =
        |name: &str| Program::at(Path::new(arguments.after(name).unwrap_or(env!("CARGO_BIN_EXE_bookkeeping"))));
    let binary = program("--binary")?;
    let (few, many) = (number("--few", 10_000, 2_500), number("--many", 1_000_000, 5_000));
    let samples = usize::try_from(number("--samples", 100, 2))?;
    let on_postgres = arguments.has("--postgres");

    let folder = Folder::kept_or_temporary(&arguments)?;
    let books = SeededBooks::open(&folder.path, &binary, many, on_postgres)?;
    if arguments.has("--seed-only") {
        return Ok(());
    }
    let mut figures = Vec::new();
    if arguments.has("--against") || (is_small && !on_postgres) {
        let rounds = usize::try_from(number("--rounds", 7, 1))?;
        let samples = usize::try_from(number("--samples", 40, 2))?;
        let turns = Turns { binary: &binary, against: &program("--against")?, rounds, samples };
        figures.push(turns.measure(&books, folder.parent(), wanted)?);
    }
    if !arguments.has("--against") {
        let few_folder = Folder::temporary()?;
        let few_books = SeededBooks::open(&few_folder.path, &binary, few, on_postgres)?;
        let copy = Folder::temporary()?;
        let many_books = if on_postgres { books } else { books.copy_to(&copy.path)? };
        let requests = by_size(&binary, (&few_books, &many_books), samples, wanted)?;
        let missed = requests.iter().filter(|request| request.get("met") == Some(&Value::Bool(false))).count();
        println!("{} requests, {missed} missed", requests.len());
        let database = if on_postgres { "postgres" } else { "sqlite" };
        figures.push(json!({
            "bench": "ledger_read", "database": database, "samples": samples, "lines": [few, many],
            "pressure_percent": pressure(), "requests": requests,
        }));
    }
    if arguments.has("--json") {
        for figures in &figures {
            print_json(figures)?;
        }
    }
    Ok(())
}

/// The same program on few and on many lines.
fn by_size(
    program: &Program,
    (few, many): (&SeededBooks, &SeededBooks),
    samples: usize,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Value>> {
    let (mut few, mut many) = (few.serve(program)?, many.serve(program)?);
    let mut rows = Vec::new();
    println!(
        "{:<84}{:>7}{:>7}{:>12}{:>12}{:>12}{:>7}{:>5}",
        "", "rows", "rows", "p50 small", "p50 large", "p99 large", "ratio", "bar"
    );
    for (bar, pattern) in REQUESTS.iter().filter(|(_, pattern)| wanted(pattern)) {
        let pair = ask_both(&mut few, &mut many, pattern, WARM_UP, samples)?;
        let (few_us, many_us) = (median(&pair.times_us.0), median(&pair.times_us.1));
        let p99_us = percentile(&sorted(pair.times_us.1), 0.99);
        let ratio = many_us / few_us.max(1e-9);
        let is_met = ratio <= *bar;
        println!(
            "{pattern:<84}{:>7}{:>7}{few_us:>9.0} µs{many_us:>9.0} µs{p99_us:>9.0} µs{ratio:>7.2}{bar:>5}{}",
            pair.rows.0,
            pair.rows.1,
            if is_met { "" } else { "  MISSED" }
        );
        rows.push(json!({
            "path": pattern, "rows_small": pair.rows.0, "rows_large": pair.rows.1, "p50_small_us": short(few_us),
            "p50_large_us": short(many_us), "p99_large_us": short(p99_us), "ratio": short(ratio), "bar": bar, "met": is_met,
        }));
    }
    few.end()?;
    many.end()?;
    Ok(rows)
}
