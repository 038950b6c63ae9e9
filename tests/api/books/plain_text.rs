//! The reports read beside programs that are not ours: the journals of an organisation written for hledger and beancount,
//! which add them up at twenty dates, and our trial balance, balance sheet and profit and loss account at the same dates.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use chrono::{Datelike as _, Days, NaiveDate};
use serde_json::Value;
use xtask::plain_text::ExportedBooks;

use super::Books;
use super::figures::{pence, pence_of_text};
use super::independent;

/// The dates are the last days of so many stretches, of so many days each.
const STRETCHES: u64 = 20;
const STRETCH_DAYS: u64 = 27;
const FIRST_DAY: &str = "2024-09-01";

/// Debits less credits in pence, by the name of the account in the other programs.
type Balances = BTreeMap<String, i64>;

/// Where `hledger` is: `HLEDGER`, else the path. Without it the comparison is skipped, which is said on standard error, or
/// is a failure with `REQUIRE_HLEDGER=1`.
fn hledger() -> Option<PathBuf> {
    let found = independent::program("HLEDGER", "hledger");
    if found.is_none() {
        assert!(std::env::var("REQUIRE_HLEDGER").as_deref() != Ok("1"), "REQUIRE_HLEDGER=1, but there is no hledger");
        eprintln!("SKIPPED the comparison with hledger: set HLEDGER or install hledger");
    }
    found
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// The first and the last day of each stretch.
fn stretches() -> Vec<(NaiveDate, NaiveDate)> {
    let first = |at: u64| date(FIRST_DAY) + Days::new(at * STRETCH_DAYS);
    (0..STRETCHES).map(|at| (first(at), first(at + 1) - Days::new(1))).collect()
}

/// The columns of a balance report of hledger with these words, each the balances of a period.
fn columns(program: &Path, journal: &Path, words: &[&str]) -> Vec<Balances> {
    let output = Command::new(program)
        .arg("-f")
        .arg(journal)
        .args(["balance", "--no-total", "--output-format=csv"])
        .args(words)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut lines = text.lines().map(|line| line.trim_matches('"').split("\",\"").collect::<Vec<_>>());
    let width = lines.next().map_or(0, |head| head.len() - 1);
    let mut columns = vec![Balances::new(); width];
    for cells in lines {
        for (column, cell) in columns.iter_mut().zip(&cells[1..]) {
            let value = if *cell == "0" { 0 } else { pence_of_text(cell.strip_suffix(" GBP").unwrap()) };
            if value != 0 {
                column.insert(cells[0].to_owned(), value);
            }
        }
    }
    columns
}

fn is_nominal(name: &str) -> bool {
    name.starts_with("Income") || name.starts_with("Expenses")
}

/// What the books come to, from the other program alone.
struct Added {
    /// At the end of each stretch, everything posted.
    balances: Vec<Balances>,
    /// Within each stretch.
    moved: Vec<Balances>,
    /// At the end of each financial year, by its last day.
    years: BTreeMap<NaiveDate, Balances>,
}

impl Added {
    fn up(program: &Path, journal: &Path) -> Self {
        let (first, last) = (stretches()[0].0, stretches().last().unwrap().1 + Days::new(1));
        let period = format!("--period=every {STRETCH_DAYS} days from {first} to {last}");
        let year_end = |year: i32| {
            let end = NaiveDate::from_ymd_opt(year, 3, 31).unwrap();
            let to = format!("--end={}", end + Days::new(1));
            (end, columns(program, journal, &[&to]).into_iter().next().unwrap_or_default())
        };
        Self {
            balances: columns(program, journal, &[&period, "--historical"]),
            moved: columns(program, journal, &[&period]),
            years: [2023, 2024, 2025, 2026].map(year_end).into(),
        }
    }

    /// The last day of the financial year before that of a day.
    fn year_before(day: NaiveDate) -> NaiveDate {
        let year = if (day.month(), day.day()) > (3, 31) { day.year() } else { day.year() - 1 };
        NaiveDate::from_ymd_opt(year, 3, 31).unwrap()
    }

    /// Income and expenses of all financial years before that of a day, debits less credits.
    fn brought_forward(&self, day: NaiveDate) -> i64 {
        let before = &self.years[&Self::year_before(day)];
        before.iter().filter(|(name, _)| is_nominal(name)).map(|(_, pence)| pence).sum()
    }

    /// A trial balance: income and expenses since the first day of the financial year, those before in retained earnings.
    fn trial_balance(&self, at: usize, day: NaiveDate, retained_earnings: &str) -> Balances {
        let mut balances = self.balances[at].clone();
        for (name, pence) in &self.years[&Self::year_before(day)] {
            if is_nominal(name) {
                *balances.entry(name.clone()).or_default() -= pence;
            }
        }
        *balances.entry(retained_earnings.to_owned()).or_default() += self.brought_forward(day);
        balances.retain(|_, pence| *pence != 0);
        balances
    }
}

/// Rows of a report by the names of their accounts; `direction` says which way an amount of a section grows.
fn amounts(exported: &ExportedBooks, rows: &Value, direction: i64, into: &mut Balances) {
    for row in rows.as_array().unwrap() {
        let name = &exported.accounts[&row["account_id"].as_i64().unwrap()];
        *into.entry(name.clone()).or_default() += direction * pence(&row["amount"]);
    }
}

/// Every figure of the trial balance, balance sheet and profit and loss account at twenty dates, as hledger and beancount
/// come to it from the journals.
#[track_caller]
pub fn assert_reports_agree(books: &Books, journals: &[Value]) {
    let mut exported = ExportedBooks::default();
    let accounts = books.get("/accounts?include_archived=true");
    exported.add_accounts(&accounts).unwrap();
    exported.add_journals(&serde_json::json!({ "data": journals })).unwrap();
    exported.journals.sort_by(|one, other| (&one.date, one.number).cmp(&(&other.date, other.number)));
    let retained = accounts["data"].as_array().unwrap().iter().find(|one| one["role"] == "retained_earnings").unwrap();
    let retained = &exported.accounts[&retained["id"].as_i64().unwrap()];
    let shown: Vec<Shown> = stretches().into_iter().map(|days| Shown::read(books, &exported, days)).collect();
    let folder = crate::folder::temporary_folder();
    if let Some(program) = hledger() {
        let path = folder.path().join("books.journal");
        std::fs::write(&path, exported.ledger()).unwrap();
        let added = Added::up(&program, &path);
        for (at, ((_, last), shown)) in stretches().into_iter().zip(&shown).enumerate() {
            assert_eq!(shown.trial_balance, added.trial_balance(at, last, retained), "trial balance at {last}");
            let mut moved = added.moved[at].clone();
            moved.retain(|name, _| is_nominal(name));
            assert_eq!(shown.profit_loss, moved, "profit and loss to {last}");
            // Current year earnings have no row.
            let mut sheet = added.balances[at].clone();
            sheet.retain(|name, _| !is_nominal(name));
            *sheet.entry(retained.clone()).or_default() += added.brought_forward(last);
            sheet.retain(|_, pence| *pence != 0);
            assert_eq!(shown.balance_sheet, sheet, "balance sheet at {last}");
        }
    }
    let asserted = shown.iter().zip(stretches()).fold(String::new(), |mut text, (shown, (_, last))| {
        for (name, pence) in &shown.ever {
            let (day, sign) = (last + Days::new(1), if *pence < 0 { "-" } else { "" });
            let (pounds, rest) = (pence.abs() / 100, pence.abs() % 100);
            writeln!(text, "{day} balance {name} {sign}{pounds}.{rest:02} ~ 0.001 GBP").unwrap();
        }
        text
    });
    independent::assert_is_accepted(&folder, &format!("{}\n{asserted}", exported.beancount()));
}

/// What our reports say at the end of a stretch, debits less credits.
struct Shown {
    trial_balance: Balances,
    balance_sheet: Balances,
    /// Of the stretch.
    profit_loss: Balances,
    /// Balances of everything ever posted: the balance sheet's, and a profit and loss account since long ago; without
    /// equity, since retained earnings are no sum of journals.
    ever: Balances,
}

impl Shown {
    fn read(books: &Books, exported: &ExportedBooks, (first, last): (NaiveDate, NaiveDate)) -> Self {
        let data = |path: String| books.get(&path)["data"].take();
        let mut trial_balance = Balances::new();
        for row in data(format!("/reports/trial-balance?as_of={last}"))["rows"].as_array().unwrap() {
            let name = exported.accounts[&row["account_id"].as_i64().unwrap()].clone();
            trial_balance.insert(name, pence(&row["debit"]) - pence(&row["credit"]));
        }
        let profit_loss = |from: NaiveDate| {
            let report = data(format!("/reports/profit-loss?period_start={from}&period_end={last}"));
            let mut balances = Balances::new();
            for (section, direction) in
                [("revenue", -1), ("other_income", -1), ("cost_of_sales", 1), ("expenses", 1), ("corporation_tax", 1)]
            {
                amounts(exported, &report[section], direction, &mut balances);
            }
            balances
        };
        let sheet = data(format!("/reports/balance-sheet?as_of={last}"));
        let (mut balance_sheet, mut ever) = (Balances::new(), profit_loss(date("2017-01-01")));
        for (section, direction) in [("assets", 1), ("liabilities", -1), ("suspense", 1)] {
            amounts(exported, &sheet[section], direction, &mut balance_sheet);
        }
        ever.extend(balance_sheet.clone());
        amounts(exported, &sheet["equity"], -1, &mut balance_sheet);
        Self { trial_balance, balance_sheet, profit_loss: profit_loss(first), ever }
    }
}
