//! Pair F1 of the engine and of simple matchers on statements whose truth is known.
//!
//! `cargo bench --bench engines -- recon_quality` without arguments: the generator named by `RECON_GENERATOR` (default
//! `../shared/data/reconciliation/gen.py`), seeds 1 to 5 at 1,000, 10,000 and 100,000 rows.
//! With arguments: `<base>` reads `<base>.json` and `<base>.truth.json`; options before them
//! are `--window <days>`, `--seeds <first>-<last>`, `--rows <n,n>` and `--profile <name>`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::as_conversions,
    clippy::indexing_slicing,
    reason = "a benchmark may stop at the first surprise"
)]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::process::Command;
use std::time::Instant;

use bookkeeping_suite::domain::amount;
use bookkeeping_suite::domain::control::Unattended;
use bookkeeping_suite::domain::recon::explain::Kind;
use bookkeeping_suite::domain::recon::{Dataset, Options, Rows, run};
use bookkeeping_suite::http::wire::recon::{Limits, parse};

mod peers;

use peers::{Matcher, PEERS, Pairs, Row};

/// One statement with its truth.
struct Case {
    group: String,
    dataset: Dataset,
    bank: Vec<Row>,
    book: Vec<Row>,
    truth: Pairs,
    /// Whether it is a bank row, the row, and the rows of the other side that it is the sum of.
    groups: HashSet<(bool, usize, Vec<usize>)>,
    /// Whether the file says which rows are groups: of one that does not nothing is counted.
    knows_groups: bool,
}

/// Groups that were found, that were found and true, and that are true.
#[derive(Default, Clone, Copy)]
struct Groups {
    found: usize,
    right: usize,
    wanted: usize,
}

/// Precision, recall and F1 over pairs.
#[derive(Default, Clone, Copy)]
struct Score {
    precision: f64,
    recall: f64,
    f1: f64,
    seconds: f64,
    cases: f64,
}

/// Scores of the engine and its peers, and the engine's groups, by kind of statement.
type Table = BTreeMap<String, (Vec<Score>, Groups)>;

/// Print precision, recall and F1 of the engine and of its peers.
pub fn measure_pairs(arguments: Vec<String>) {
    let mut arguments = arguments.into_iter();
    let (mut window, mut seeds, mut profile) = (3, (1, 5), "default".to_owned());
    let mut rows = vec!["1000".to_owned(), "10000".to_owned(), "100000".to_owned()];
    let mut bases = Vec::new();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--small" => return measure_small(),
            "--window" => window = arguments.next().unwrap().parse().unwrap(),
            "--profile" => profile = arguments.next().unwrap(),
            "--rows" => rows = arguments.next().unwrap().split(',').map(str::to_owned).collect(),
            "--seeds" => {
                let text = arguments.next().unwrap();
                let (first, last) = text.split_once('-').unwrap();
                seeds = (first.parse().unwrap(), last.parse().unwrap());
            }
            _ => bases.push(argument),
        }
    }
    let mut table = Table::new();
    if bases.is_empty() {
        for rows in &rows {
            for seed in seeds.0..=seeds.1 {
                measure(&generated(seed, rows, &profile), window, &mut table);
            }
        }
    }
    for base in bases {
        measure(&read(&base, base.clone()), window, &mut table);
    }
    print_table(&table, window);
}

/// A statement whose every row stands in the books a day later, in another order: the engine finds every pair.
fn measure_small() {
    const ROWS: usize = 300;
    let entry = |row: usize, day: usize| {
        format!(
            r#"{{"date":"2026-01-{:02}","amount":-{}.50,"description":"INVOICE {row:05}"}}"#,
            1 + row % 27 + day,
            10 + row
        )
    };
    let bank: Vec<String> = (0..ROWS).map(|row| entry(row, 0)).collect();
    let book: Vec<String> = (0..ROWS).rev().map(|row| entry(row, 1)).collect();
    let body = format!(r#"{{"bank":[{}],"book":[{}]}}"#, bank.join(","), book.join(","));
    let dataset = parse(body.as_bytes(), &Limits { max_rows_per_dataset: ROWS }).unwrap().dataset;
    let truth = (0..ROWS).map(|row| (row, ROWS - 1 - row)).collect();
    let (bank, book) = (rows_of(&dataset.bank), rows_of(&dataset.book));
    let mut table = Table::new();
    measure(
        &Case { group: "small".to_owned(), dataset, bank, book, truth, groups: HashSet::new(), knows_groups: false },
        3,
        &mut table,
    );
    print_table(&table, 3);
    let engine = table["small"].0[0];
    assert!(engine.f1 > 0.999, "the engine missed pairs that are plain to see: F1 {}", engine.f1);
}

fn print_table(table: &Table, window: i32) {
    println!("pair P / R / F1 (seconds), W = {window}, means");
    for (group, (scores, groups)) in table {
        println!("{group}");
        let names = ["this engine"].into_iter().chain(PEERS.iter().map(|peer| peer.0));
        for (name, score) in names.zip(scores) {
            let mean = |sum: f64| sum / score.cases;
            println!(
                "  {name:<32} {:.4} / {:.4} / {:.4}  ({:.3})",
                mean(score.precision),
                mean(score.recall),
                mean(score.f1),
                mean(score.seconds)
            );
        }
        if groups.wanted + groups.found > 0 {
            let share = |of: usize| groups.right as f64 / of.max(1) as f64;
            let (precision, recall) = (share(groups.found), share(groups.wanted));
            println!("  groups: P {precision:.4} R {recall:.4} of {} true, {} found", groups.wanted, groups.found);
        }
    }
}

fn measure(case: &Case, window: i32, table: &mut Table) {
    let options = Options { window_days: window as u32, include_matched: true };
    let started = Instant::now();
    let outcome = run(&case.dataset, &options, &Unattended).unwrap();
    let seconds = started.elapsed().as_secs_f64();
    let mut scores = vec![score(case, window, &outcome.matched().collect::<Pairs>(), seconds)];
    for (_, peer) in PEERS {
        let peer: Matcher = peer;
        let started = Instant::now();
        let pairs = peer(&case.bank, &case.book, window);
        scores.push(score(case, window, &pairs, started.elapsed().as_secs_f64()));
    }
    let entry = || (vec![Score::default(); scores.len()], Groups::default());
    let (sums, groups) = table.entry(case.group.clone()).or_insert_with(entry);
    let found = outcome.explanations().iter().filter(|explanation| explanation.kind == Kind::Group);
    for group in found.filter(|_| case.knows_groups) {
        groups.found += 1;
        let group = (group.is_bank, group.row, group.other_rows.clone());
        groups.right += usize::from(case.groups.contains(&group));
    }
    groups.wanted += case.groups.iter().filter(|group| is_reachable(case, window, group)).count();
    for (sum, score) in sums.iter_mut().zip(scores) {
        sum.precision += score.precision;
        sum.recall += score.recall;
        sum.f1 += score.f1;
        sum.seconds += score.seconds;
        sum.cases += 1.0;
    }
}

/// Whether the rows of a group lie inside the window and add up: others cannot be explained.
fn is_reachable(case: &Case, window: i32, (is_bank, row, others): &(bool, usize, Vec<usize>)) -> bool {
    let (ones, parts) = if *is_bank { (&case.bank, &case.book) } else { (&case.book, &case.bank) };
    let one = &ones[*row];
    let sum: i128 = others.iter().map(|&other| parts[other].pence).sum();
    sum == one.pence && others.iter().all(|&other| (parts[other].day - one.day).abs() <= window)
}

/// Rows with identical content are interchangeable; illegal or doubled pairs stop the benchmark.
fn score(case: &Case, window: i32, pairs: &Pairs, seconds: f64) -> Score {
    let legal = |&(i, j): &(usize, usize)| {
        case.bank[i].pence == case.book[j].pence && (case.bank[i].day - case.book[j].day).abs() <= window
    };
    assert!(pairs.iter().all(legal), "illegal pair");
    assert_eq!(pairs.iter().map(|pair| pair.0).collect::<HashSet<_>>().len(), pairs.len());
    assert_eq!(pairs.iter().map(|pair| pair.1).collect::<HashSet<_>>().len(), pairs.len());
    let count = |pairs: &mut dyn Iterator<Item = (usize, usize)>| {
        let mut counts: HashMap<(&Row, &Row), usize> = HashMap::new();
        pairs.for_each(|(i, j)| *counts.entry((&case.bank[i], &case.book[j])).or_default() += 1);
        counts
    };
    let wanted = count(&mut case.truth.iter().copied().filter(legal));
    let found = count(&mut pairs.iter().copied());
    let right: usize = wanted.iter().map(|(pair, &times)| times.min(found.get(pair).copied().unwrap_or(0))).sum();
    let share = |of: usize| if of == 0 { 1.0 } else { right as f64 / of as f64 };
    let (precision, recall) = (share(pairs.len()), share(wanted.values().sum()));
    let f1 = if right == 0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
    Score { precision, recall, f1, seconds, cases: 1.0 }
}

fn generated(seed: u32, rows: &str, profile: &str) -> Case {
    let generator =
        std::env::var("RECON_GENERATOR").unwrap_or_else(|_| "../shared/data/reconciliation/gen.py".to_owned());
    let base = std::env::temp_dir().join(format!("recon-quality-{}", std::process::id()));
    let base = base.to_str().unwrap();
    let status = Command::new("python3")
        .args([&generator, "--seed", &seed.to_string(), "--n", rows, "--profile", profile])
        .args(["--out", base])
        .stdout(std::process::Stdio::null())
        .status()
        .expect("python3 runs the generator");
    assert!(status.success(), "the generator failed; set RECON_GENERATOR to gen.py");
    let case = read(base, format!("{profile}, {rows:>7} rows"));
    for ending in ["json", "truth.json", "tsv"] {
        std::fs::remove_file(format!("{base}.{ending}")).unwrap();
    }
    case
}

fn read(base: &str, group: String) -> Case {
    let body = std::fs::read(format!("{base}.json")).unwrap();
    let dataset = parse(&body, &Limits { max_rows_per_dataset: 1_000_000 }).unwrap().dataset;
    let truth = std::fs::read(format!("{base}.truth.json")).unwrap();
    let whole: serde_json::Value = serde_json::from_slice(&truth).unwrap();
    let index = |value: &serde_json::Value| value.as_u64().unwrap() as usize;
    let pairs = whole["pairs"].as_array().unwrap().iter();
    let truth = pairs.map(|pair| (index(&pair[0]), index(&pair[1]))).collect();
    // `{dataset, row, other_rows}`, or the same three in an array.
    let group_of = |group: &serde_json::Value| {
        let of = |key: &str, place: usize| group.get(key).unwrap_or_else(|| &group[place]);
        let mut others: Vec<usize> = of("other_rows", 2).as_array().unwrap().iter().map(index).collect();
        others.sort_unstable();
        (of("dataset", 0) == "bank", index(of("row", 1)), others)
    };
    let groups = whole["groups"].as_array().map(|groups| groups.iter().map(group_of).collect()).unwrap_or_default();
    let (bank, book) = (rows_of(&dataset.bank), rows_of(&dataset.book));
    let knows_groups = whole["groups"].is_array();
    Case { group, bank, book, dataset, truth, groups, knows_groups }
}

fn rows_of(rows: &Rows) -> Vec<Row> {
    let row = |row: usize| Row {
        day: rows.date(row).day_number(),
        pence: amount::pence(rows.units(row)),
        text: rows.description(row).to_owned(),
    };
    (0..rows.len()).map(row).collect()
}
