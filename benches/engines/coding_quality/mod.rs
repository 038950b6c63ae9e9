//! How well the coding engine does on labelled businesses.
//!
//! `cargo bench --bench engines -- coding_quality FOLDER... [--lines] [--charts] [--rows N] [--fit]` scores every business
//! of the folders (the examples and those to learn from when none is given): accounts, VAT codes, settlements, transfers,
//! confidence. `--lines` also prints every wrong line with what was thought of it, `--charts` how each chart was
//! understood; `--rows` measures speed instead, `--cost` what charts and a past cost, `--fit` prints the table of confidences
//! (`src/domain/coding/knowledge/confidence.tsv`), `--ranking-inputs` what `tools/ranking` learns from, `--small` scores the examples alone.
//!
//! `--real FOLDER` scores payments that real bodies made and coded themselves, with what each paid before as `history` and
//! (`--without-history`) without; `--only NAME,NAME` takes those files alone.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "a measuring program: it stops at the first thing that is not as it should be"
)]

mod business;
mod fit;
mod ranking;
mod real;
mod speed;

use std::collections::BTreeMap;
use std::path::PathBuf;

use bookkeeping_suite::domain::coding::{
    Batch, CodedRow, Method, Outcome, curve_name, run, run_uncalibrated, trace, trace_chart,
};
use bookkeeping_suite::domain::control::Unattended;
use business::{Business, Expected};

#[derive(Default, Clone)]
struct Tally {
    rows: usize,
    account: usize,
    vat: usize,
    fallback: usize,
    settle: Found,
    transfer: Found,
    by_method: BTreeMap<Method, (usize, usize)>,
    /// Confidence in thousandths, and whether account and VAT were right.
    bins: Vec<(u16, bool)>,
    confusion: BTreeMap<(String, String), usize>,
}

#[derive(Default, Clone, Copy)]
struct Found {
    wanted: usize,
    given: usize,
    right: usize,
}

impl Found {
    fn line(self) -> String {
        let share = |part: usize, of: usize| if of == 0 { 100.0 } else { 100.0 * part as f64 / of as f64 };
        format!(
            "P {:5.1} R {:5.1} ({}/{}/{})",
            share(self.right, self.given),
            share(self.right, self.wanted),
            self.right,
            self.given,
            self.wanted
        )
    }
}

/// Print the scores of the folders, or what the flags ask for.
pub fn measure_businesses(mut arguments: Vec<String>) {
    let is_small = take_flag(&mut arguments, "--small");
    let lines = take_flag(&mut arguments, "--lines");
    let fits = take_flag(&mut arguments, "--fit");
    let prints_ranking = take_flag(&mut arguments, "--ranking-inputs");
    let charts = take_flag(&mut arguments, "--charts");
    let is_cost = take_flag(&mut arguments, "--cost");
    let is_real = take_flag(&mut arguments, "--real");
    let without_history = take_flag(&mut arguments, "--without-history");
    let only = take_text(&mut arguments, "--only");
    let speed_rows = take_value(&mut arguments, "--rows");
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/coding_quality");
    let folders: Vec<PathBuf> = if is_small {
        vec![root.join("dev")]
    } else if arguments.is_empty() {
        vec![root.join("dev"), root.join("learn")]
    } else {
        arguments.iter().map(PathBuf::from).collect()
    };
    if is_real {
        real::measure(&folders, without_history, lines, only.as_deref());
        return;
    }
    if fits {
        fit_confidence(&folders, only.as_deref());
        return;
    }
    if prints_ranking {
        ranking::print(&folders);
        return;
    }
    if is_cost {
        speed::measure_charts(&folders);
        speed::measure_history(&folders);
        return;
    }
    if let Some(rows) = speed_rows {
        speed::measure_rows(&folders, rows);
        return;
    }
    for folder in folders {
        let businesses = business::read_folder(&folder);
        println!("\n{}: {} businesses", folder.file_name().unwrap().to_string_lossy(), businesses.len());
        let mut all = Tally::default();
        for business in &businesses {
            let outcome = run(&business.batch, &Unattended).expect("nobody stops it");
            let tally = score(business, &outcome, lines);
            println!("  {:28} {}", business.id, tally.summary());
            if charts {
                print!("{}", trace_chart(&business.batch));
            }
            all.merge(tally);
        }
        println!("  {:28} {}", "all", all.summary());
        all.print_details();
        assert!(all.rows > 0, "there is nothing to score");
    }
}

fn take_flag(arguments: &mut Vec<String>, flag: &str) -> bool {
    let before = arguments.len();
    arguments.retain(|argument| argument != flag);
    arguments.len() != before
}

fn take_value(arguments: &mut Vec<String>, flag: &str) -> Option<usize> {
    let at = arguments.iter().position(|argument| argument == flag)?;
    let value = arguments.get(at + 1).and_then(|text| text.parse().ok()).expect("a number behind the flag");
    arguments.drain(at..=at + 1);
    Some(value)
}

fn take_text(arguments: &mut Vec<String>, flag: &str) -> Option<String> {
    let at = arguments.iter().position(|argument| argument == flag)?;
    let value = arguments.get(at + 1).cloned().expect("a word behind the flag");
    arguments.drain(at..=at + 1);
    Some(value)
}

/// Prints the table of confidences fitted to the folders, and the calibration error of businesses left out.
fn fit_confidence(folders: &[PathBuf], only: Option<&str>) {
    let is_wanted = |business: &Business| {
        only.is_none_or(|names| !business.is_real || names.split(',').any(|name| name == business.id))
    };
    let businesses: Vec<Business> =
        folders.iter().flat_map(|folder| business::read_folder(folder)).filter(is_wanted).collect();
    let mut samples = Vec::new();
    for (at, business) in businesses.iter().enumerate() {
        let mut add = |batch: &Batch<'static>, step: usize| {
            let outcome = run_uncalibrated(batch, &Unattended).expect("nobody stops it");
            for (row, expected) in outcome.rows.iter().zip(&business.expected).step_by(step) {
                let account = &batch.accounts[row.account].code;
                let vat_right = expected.vat.is_empty() || expected.vat.contains(&row.vat);
                let right = expected.accounts.iter().any(|code| code == account) && vat_right;
                samples.push(fit::Sample {
                    business: at,
                    curve: curve_name(row.method, row.basis),
                    raw: row.confidence,
                    right,
                });
            }
        };
        add(&business.batch, 1);
        // A body with a chart of its own is asked without its past, too: some of its lines, since such callers send one.
        if !business.batch.history.is_empty() {
            add(&Batch { history: Vec::new(), ..business.batch.clone() }, 3);
        }
    }
    eprintln!("calibration error of businesses left out: {:.3}", fit::error_of_left_out(&samples, businesses.len()));
    println!(
        "# method, then points raw=chance in thousandths; written by `cargo bench --bench engines -- coding_quality --fit`"
    );
    for (name, curve) in fit::fit(&samples.iter().collect::<Vec<_>>()) {
        let points: Vec<String> = curve.iter().map(|(raw, chance)| format!("{raw}={chance}")).collect();
        println!("{name}\t{}", points.join(" "));
    }
}

fn score(business: &Business, outcome: &Outcome, lines: bool) -> Tally {
    let mut tally = Tally::default();
    for (at, (row, expected)) in outcome.rows.iter().zip(&business.expected).enumerate() {
        tally.add(business, at, row, expected, lines);
    }
    tally
}

impl Tally {
    fn add(&mut self, business: &Business, at: usize, row: &CodedRow, expected: &Expected, lines: bool) {
        let accounts = &business.batch.accounts;
        let account = &accounts[row.account];
        let account_right = expected.accounts.iter().any(|code| *code == account.code);
        let vat_right = expected.vat.contains(&row.vat);
        self.rows += 1;
        self.account += usize::from(account_right);
        self.vat += usize::from(vat_right);
        self.fallback += usize::from(row.method == Method::Fallback);
        let entry = self.by_method.entry(row.method).or_default();
        entry.0 += 1;
        entry.1 += usize::from(account_right);
        self.bins.push((row.confidence, account_right && vat_right));
        let wanted = expected.method.as_deref();
        let mut numbers: Vec<&str> = row
            .settles
            .iter()
            .map(|settled| business.batch.invoices.as_ref().unwrap()[settled.invoice].number.as_ref())
            .collect();
        let mut wanted_numbers: Vec<&str> = expected.invoices.iter().map(String::as_str).collect();
        numbers.sort_unstable();
        wanted_numbers.sort_unstable();
        self.settle.wanted += usize::from(wanted == Some("invoice_settlement"));
        self.settle.given += usize::from(row.method == Method::InvoiceSettlement);
        self.settle.right += usize::from(
            row.method == Method::InvoiceSettlement
                && wanted == Some("invoice_settlement")
                && numbers == wanted_numbers,
        );
        self.transfer.wanted += usize::from(wanted == Some("transfer"));
        self.transfer.given += usize::from(row.method == Method::Transfer);
        self.transfer.right +=
            usize::from(row.method == Method::Transfer && wanted == Some("transfer") && account_right);
        let wanted_account = accounts.iter().find(|account| account.code == expected.accounts[0]).unwrap();
        if !account_right {
            *self.confusion.entry((wanted_account.name.to_string(), account.name.to_string())).or_default() += 1;
        }
        let settled_right = wanted != Some("invoice_settlement") || numbers == wanted_numbers;
        if lines && !(account_right && vat_right && settled_right) {
            let line = &business.batch.transactions[at];
            println!(
                "    {}{} {:4} {} [{}|{}] {:.2}: {} {} not {} {}  conf {} {}  {}",
                if account_right { " " } else { "A" },
                if vat_right { " " } else { "V" },
                at,
                line.description,
                line.merchant.as_deref().unwrap_or(""),
                line.reference.as_deref().unwrap_or(""),
                line.amount as f64 / 1e12,
                account.name,
                row.vat.as_str(),
                wanted_account.name,
                expected.vat[0].as_str(),
                row.confidence,
                row.method.as_str(),
                row.reason
            );
            print!("{}", trace(&business.batch, at));
        }
    }

    fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        self.account += other.account;
        self.vat += other.vat;
        self.fallback += other.fallback;
        for (mine, theirs) in [(&mut self.settle, other.settle), (&mut self.transfer, other.transfer)] {
            mine.wanted += theirs.wanted;
            mine.given += theirs.given;
            mine.right += theirs.right;
        }
        for (method, (rows, right)) in other.by_method {
            let entry = self.by_method.entry(method).or_default();
            entry.0 += rows;
            entry.1 += right;
        }
        for (pair, count) in other.confusion {
            *self.confusion.entry(pair).or_default() += count;
        }
        self.bins.extend(other.bins);
    }

    fn summary(&self) -> String {
        let share = |part: usize| 100.0 * part as f64 / self.rows.max(1) as f64;
        format!(
            "{:5} rows  account {:5.1}  VAT {:5.1}  fallback {:4.1}  settled {}  moved {}  ECE {:.3}",
            self.rows,
            share(self.account),
            share(self.vat),
            share(self.fallback),
            self.settle.line(),
            self.transfer.line(),
            self.calibration_error()
        )
    }

    /// Ten bins of equal width, weighted by rows.
    fn calibration_error(&self) -> f64 {
        let mut error = 0.0;
        for bin in 0..10_u16 {
            let inside: Vec<&(u16, bool)> =
                self.bins.iter().filter(|(confidence, _)| (confidence / 100).min(9) == bin).collect();
            if inside.is_empty() {
                continue;
            }
            let mean: f64 =
                inside.iter().map(|(confidence, _)| f64::from(*confidence) / 1000.0).sum::<f64>() / inside.len() as f64;
            let right = inside.iter().filter(|(_, right)| *right).count() as f64 / inside.len() as f64;
            error += (mean - right).abs() * inside.len() as f64;
        }
        error / self.bins.len().max(1) as f64
    }

    fn print_details(&self) {
        println!("  by method (rows, account right):");
        for (method, (rows, right)) in &self.by_method {
            println!("    {:20} {rows:5}  {:5.1}", method.as_str(), 100.0 * *right as f64 / *rows as f64);
        }
        println!("  account and VAT right, by confidence:");
        for bin in 0..10_u16 {
            let inside: Vec<bool> = self
                .bins
                .iter()
                .filter(|(confidence, _)| (confidence / 100).min(9) == bin)
                .map(|(_, right)| *right)
                .collect();
            if !inside.is_empty() {
                let right = inside.iter().filter(|right| **right).count();
                println!(
                    "    {:.1}-{:.1} {:5} rows {:5.1}",
                    f64::from(bin) / 10.0,
                    f64::from(bin + 1) / 10.0,
                    inside.len(),
                    100.0 * right as f64 / inside.len() as f64
                );
            }
        }
        for bar in [900, 800, 600] {
            let inside: Vec<bool> =
                self.bins.iter().filter(|(confidence, _)| *confidence >= bar).map(|(_, right)| *right).collect();
            let right = inside.iter().filter(|right| **right).count();
            println!(
                "  confidence >= {:.1}: {:5.1} % of rows, {:5.1} % right",
                f64::from(bar) / 1000.0,
                100.0 * inside.len() as f64 / self.rows.max(1) as f64,
                100.0 * right as f64 / inside.len().max(1) as f64
            );
        }
        let mut worst: Vec<_> = self.confusion.iter().collect();
        worst.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        println!("  worst confusions (right account, given account):");
        for ((right, given), count) in worst.into_iter().take(15) {
            println!("    {count:3}  {right}  <-  {given}");
        }
    }
}
