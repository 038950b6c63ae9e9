//! Payments that real bodies and people made and coded themselves, many with the body's earlier payments as `history`.
//!
//! *Strict* is the account the body used, *fair* also one it used for at least 15 % of the payee's lines. *Seen* are lines
//! whose description, folded to letters, the history has.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use bookkeeping_suite::domain::coding::{AccountType, CodedRow, Method, run};
use bookkeeping_suite::domain::control::Unattended;

use super::business::{self, Business, Expected};

#[derive(Default, Clone)]
struct Score {
    rows: usize,
    strict: usize,
    fair: usize,
    seen: (usize, usize, usize),
    new: (usize, usize),
    vat: (usize, usize),
    /// Money out to income, and to an own, card, debtors, creditors, VAT or other account of the balance sheet.
    out_to_income: usize,
    out_to_control: usize,
    by_method: BTreeMap<Method, (usize, usize, usize)>,
    /// Confidence in thousandths, whether account (fair) and VAT, where it is known, were right.
    said: Vec<(u16, bool)>,
    by_class: BTreeMap<String, (usize, usize)>,
}

/// Prints the scores of every file of the folders.
pub fn measure(folders: &[PathBuf], without_history: bool, lines: bool, only: Option<&str>) {
    let is_wanted = |id: &str| only.is_none_or(|names| names.split(',').any(|name| name == id));
    println!(
        "{:28} {:>5} strict  fair | seen strict fair | new  fair |   VAT | >=.9 share right | >=.6 share right | income control  ECE",
        "set", "rows"
    );
    let (mut all, mut taught) = (Score::default(), Vec::new());
    let started = std::time::Instant::now();
    for mut business in folders.iter().flat_map(|folder| business::read_folder(folder)) {
        if !is_wanted(&business.id) {
            continue;
        }
        if without_history {
            business.batch.history.clear();
        }
        let score = score(&business, lines);
        println!("{:28} {}", business.id, score.line());
        if !business.batch.history.is_empty() {
            taught.push(score.clone());
        }
        all.merge(score);
    }
    println!("{:28} {}", "all", all.line());
    if !taught.is_empty() {
        let mean = |of: &dyn Fn(&Score) -> (usize, usize)| {
            let shares = taught.iter().map(|score| {
                let (part, rows) = of(score);
                part as f64 / rows.max(1) as f64
            });
            shares.sum::<f64>() / taught.len() as f64
        };
        println!(
            "mean of {} with history: strict {:.3} fair {:.3} new fair {:.3}",
            taught.len(),
            mean(&|score| (score.strict, score.rows)),
            mean(&|score| (score.fair, score.rows)),
            mean(&|score| (score.new.1, score.new.0)),
        );
    }
    println!("by method (rows, strict, fair):");
    for (method, (rows, strict, fair)) in &all.by_method {
        println!("  {:20} {rows:5} {:.3} {:.3}", method.as_str(), share(*strict, *rows), share(*fair, *rows));
    }
    all.print_bins();
    println!("classes by lines wrong (rows, fair):");
    let mut classes: Vec<_> = all.by_class.iter().collect();
    classes.sort_by_key(|(name, (rows, right))| (std::cmp::Reverse(rows - right), (*name).clone()));
    for (name, (rows, right)) in classes.into_iter().take(25) {
        println!("  {name:40} {rows:4} {:.2}", share(*right, *rows));
    }
    println!("{:.2} s", started.elapsed().as_secs_f64());
}

fn share(part: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

/// The letters of a text: what tells whether the history has a payee.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_uppercase).collect()
}

fn score(business: &Business, lines: bool) -> Score {
    let outcome = run(&business.batch, &Unattended).expect("nobody stops it");
    let known: BTreeSet<String> = business.batch.history.iter().map(|line| letters(&line.description)).collect();
    let mut score = Score::default();
    for (at, (row, expected)) in outcome.rows.iter().zip(&business.expected).enumerate() {
        let seen = known.contains(&letters(&business.batch.transactions[at].description));
        score.add(business, at, row, expected, seen, lines);
    }
    score
}

impl Score {
    fn add(&mut self, business: &Business, at: usize, row: &CodedRow, expected: &Expected, seen: bool, lines: bool) {
        let accounts = &business.batch.accounts;
        let line = &business.batch.transactions[at];
        let account = &accounts[row.account];
        let strict = expected.accounts[0] == account.code;
        let fair = expected.accounts.iter().any(|code| *code == account.code);
        let vat_right = expected.vat.contains(&row.vat);
        self.rows += 1;
        self.strict += usize::from(strict);
        self.fair += usize::from(fair);
        if seen {
            self.seen.0 += 1;
            self.seen.1 += usize::from(strict);
            self.seen.2 += usize::from(fair);
        } else {
            self.new.0 += 1;
            self.new.1 += usize::from(fair);
        }
        if !expected.vat.is_empty() {
            self.vat.0 += 1;
            self.vat.1 += usize::from(vat_right);
        }
        if line.amount < 0 && !fair {
            match account.kind {
                AccountType::Income => self.out_to_income += 1,
                AccountType::Expense => {}
                _ => self.out_to_control += 1,
            }
        }
        let method = self.by_method.entry(row.method).or_default();
        method.0 += 1;
        method.1 += usize::from(strict);
        method.2 += usize::from(fair);
        self.said.push((row.confidence, fair && (vat_right || expected.vat.is_empty())));
        let wanted = accounts.iter().find(|account| account.code == expected.accounts[0]).expect("an account");
        let class = self.by_class.entry(wanted.name.to_string()).or_default();
        class.0 += 1;
        class.1 += usize::from(fair);
        let vat_wrong = !expected.vat.is_empty() && !vat_right;
        if lines && (!fair || vat_wrong) {
            println!(
                "  {} {} {:.2}: {} {} {}{}  .{:03} {}  {}",
                if seen { "seen" } else { "new " },
                line.description,
                line.amount as f64 / 1e12,
                account.name,
                if fair { "as" } else { "not" },
                wanted.name,
                if vat_wrong {
                    format!(", {} not {}", row.vat.as_str(), expected.vat[0].as_str())
                } else {
                    String::new()
                },
                row.confidence,
                row.method.as_str(),
                row.reason
            );
        }
    }

    fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        self.strict += other.strict;
        self.fair += other.fair;
        self.seen = (self.seen.0 + other.seen.0, self.seen.1 + other.seen.1, self.seen.2 + other.seen.2);
        self.new = (self.new.0 + other.new.0, self.new.1 + other.new.1);
        self.vat = (self.vat.0 + other.vat.0, self.vat.1 + other.vat.1);
        self.out_to_income += other.out_to_income;
        self.out_to_control += other.out_to_control;
        for (method, (rows, strict, fair)) in other.by_method {
            let entry = self.by_method.entry(method).or_default();
            *entry = (entry.0 + rows, entry.1 + strict, entry.2 + fair);
        }
        for (class, (rows, right)) in other.by_class {
            let entry = self.by_class.entry(class).or_default();
            *entry = (entry.0 + rows, entry.1 + right);
        }
        self.said.extend(other.said);
    }

    fn line(&self) -> String {
        let at_least = |bar: u16| {
            let inside: Vec<bool> =
                self.said.iter().filter(|(said, _)| *said >= bar).map(|(_, right)| *right).collect();
            let right = inside.iter().filter(|right| **right).count();
            (share(inside.len(), self.rows), share(right, inside.len()))
        };
        let ((sure, sure_right), (likely, likely_right)) = (at_least(900), at_least(600));
        format!(
            "{:5}   {:.3} {:.3} | {:4} {:.3} {:.3} | {:4} {:.3} | {:.3} |   {sure:.3} {sure_right:.3}    |   {likely:.3} {likely_right:.3}    | {:6} {:7} {:.3}",
            self.rows,
            share(self.strict, self.rows),
            share(self.fair, self.rows),
            self.seen.0,
            share(self.seen.1, self.seen.0),
            share(self.seen.2, self.seen.0),
            self.new.0,
            share(self.new.1, self.new.0),
            share(self.vat.1, self.vat.0),
            self.out_to_income,
            self.out_to_control,
            self.calibration_error(),
        )
    }

    /// Ten bins of equal width, weighted by rows.
    fn calibration_error(&self) -> f64 {
        let mut bins = [(0.0_f64, 0.0_f64); 10];
        for (said, right) in &self.said {
            let bin = &mut bins[usize::from((said / 100).min(9))];
            bin.0 += f64::from(*said) / 1000.0;
            bin.1 += f64::from(u8::from(*right));
        }
        bins.iter().map(|(said, right)| (said - right).abs()).sum::<f64>() / self.said.len().max(1) as f64
    }

    fn print_bins(&self) {
        println!("said, lines, right:");
        for bin in 0..10_u16 {
            let inside: Vec<&(u16, bool)> = self.said.iter().filter(|(said, _)| (said / 100).min(9) == bin).collect();
            let right = inside.iter().filter(|(_, right)| *right).count();
            let said: f64 = inside.iter().map(|(said, _)| f64::from(*said) / 1000.0).sum();
            println!("  {:.2} {:5} {:.3}", said / inside.len().max(1) as f64, inside.len(), share(right, inside.len()));
        }
    }
}
