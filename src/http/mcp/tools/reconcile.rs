//! `reconcile_statement`: rows of a bank statement held against the books of the bank account by the reconciliation engine. It
//! stores nothing and is charged for nothing, so that it is bounded: so many rows, one comparison at a time of a connection and
//! one in the process, on a blocking thread that stops when nobody waits any more.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::vec::IntoIter;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::{Inside, OrganisationName, answer, fault};
use crate::domain::amount::UNITS_PER_PENNY;
use crate::domain::books::records::bank_book::{BankBookRow, BankBookSource};
use crate::domain::control::{Control, Stopped};
use crate::domain::date::Date;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::money::{Money, Pence};
use crate::domain::recon::dataset::MAX_DESCRIPTION_CHARS;
use crate::domain::recon::{self, Dataset, Explanation, Options, Outcome, Rows};
use crate::http::error::ApiError;
use crate::http::mcp::arguments::Arguments;
use crate::http::mcp::comparisons::Turn;
use crate::http::mcp::outcome::{Failure, Outcome as Answer, Refused};

/// The most rows of the books that are looked at.
const BOOK_ROWS_MAX: usize = 20_000;
/// The days two rows may be apart where the caller does not say.
const DAYS_DEFAULT: u32 = 3;
/// How long a comparison may wait for its turn, and how long it may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most characters of the rows of an answer; what is around them fits into the rest of 25,000.
const ROWS_CHARACTERS_MAX: usize = 22_500;
/// How many problems of rows are named; the count goes on.
const PROBLEMS_NAMED_MAX: usize = 20;

/// The comparison that runs in the process: jobs have the other threads.
static PLACE: Semaphore = Semaphore::const_new(1);

/// What the caller sent.
struct Statement {
    bank_account_id: i64,
    rows: Vec<StatementRow>,
    balances: Option<(Pence, Pence)>,
    options: Options,
}

struct StatementRow {
    date: Date,
    amount: Pence,
    description: String,
}

#[derive(Serialize)]
struct Reconciled<'a> {
    organisation: OrganisationName<'a>,
    verified: bool,
    reason: String,
    matched_count: usize,
    missing_from_books: Vec<Box<RawValue>>,
    remove_from_books: Vec<Box<RawValue>>,
    expected_net_discrepancy: Money,
    actual_net_effect: Money,
    #[serde(skip_serializing_if = "Option::is_none")]
    matched: Option<Vec<Box<RawValue>>>,
}

/// What a row of the books stands in.
#[derive(Clone, Copy, Default, Serialize)]
struct InBooks {
    #[serde(skip_serializing_if = "Option::is_none")]
    bank_transaction_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    journal_id: Option<i64>,
}

#[derive(Serialize)]
struct MissingRow<'a> {
    row: usize,
    date: Date,
    amount: Money,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    perhaps: Option<Perhaps>,
}

#[derive(Serialize)]
struct RemovedRow<'a> {
    #[serde(flatten)]
    in_books: InBooks,
    date: Date,
    amount: Money,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    /// Whether its day is one of the tolerance, before or after those of the statement.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    outside_statement: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    perhaps: Option<Perhaps>,
}

#[derive(Serialize)]
struct MatchedRow {
    row: usize,
    #[serde(flatten)]
    in_books: InBooks,
    date_difference_days: u32,
}

/// What probably went wrong, and the rows it has to do with.
#[derive(Clone, Serialize)]
struct Perhaps {
    kind: &'static str,
    #[serde(flatten)]
    other: InBooks,
    /// Of a row of the statement: the rows of the books that add up to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    in_books: Vec<InBooks>,
    /// Of a row of the books: the rows of the statement that add up to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rows: Vec<usize>,
}

/// Compares a statement with the books.
pub(super) async fn statement(inside: &Inside<'_>, arguments: &Arguments) -> Answer {
    let statement = Statement::read(arguments)?;
    let turn = inside.call.state().comparisons.begin(inside.call.access().map_err(fault)?.id).ok_or_else(|| {
        let failure = Failure::new("busy", "a statement of this connection is being compared");
        failure.next("wait for its answer, then ask again")
    })?;
    // The route says whether there is such a bank account.
    inside.ask("getBankAccount", Some(statement.bank_account_id)).await?;
    let place = tokio::time::timeout(PATIENCE, PLACE.acquire()).await.map_err(|_| Refused::from(busy()))?;
    let place = place.map_err(|error| fault(ApiError::internal(error)))?;
    let book = statement.book(inside).await?;
    let (statement, book, outcome) = compare(statement, book, (turn, place)).await?;
    answer(&reconciled(inside.name(), &statement, &book, &outcome)?)
}

fn busy() -> Failure {
    Failure::new("busy", "other statements are being compared")
        .next("ask again in a moment, with fewer rows if it lasts")
}

impl Statement {
    /// The arguments, which have the form of the schema.
    fn read(arguments: &Arguments) -> Result<Self, Failure> {
        let mut problems = Vec::new();
        let mut money = |value: Option<&Value>, path: &str| {
            // A number prints as the shortest decimal that is it.
            let amount = Pence::parse_number(&value.map(Value::to_string).unwrap_or_default());
            if amount.is_none() {
                problems.push(format!("{path}: must be at most {} with at most two decimals", Pence::MAX));
            }
            amount.unwrap_or_default()
        };
        let mut rows = Vec::new();
        for (at, row) in arguments.get("rows").and_then(Value::as_array).into_iter().flatten().enumerate() {
            let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
            rows.push(StatementRow {
                date: Date::parse(text("date")).unwrap_or(Date::MIN),
                amount: money(row.get("amount"), &format!("rows[{at}].amount")),
                description: text("description").to_owned(),
            });
        }
        let mut balance = |name: &str| arguments.get(name).map(|value| money(Some(value), name));
        let balances = [balance("opening_balance"), balance("closing_balance")];
        if !problems.is_empty() {
            let more = problems.len().saturating_sub(PROBLEMS_NAMED_MAX);
            problems.truncate(PROBLEMS_NAMED_MAX);
            if more > 0 {
                problems.push(format!("and {more} more"));
            }
            return Err(Failure::new("invalid_request_format", problems.join("; ")));
        }
        let whole = |name: &str| arguments.get(name).and_then(Value::as_i64);
        let days = whole("allowed_date_difference_days").and_then(|days| u32::try_from(days).ok());
        Ok(Self {
            bank_account_id: whole("bank_account_id").unwrap_or_default(),
            rows,
            balances: match balances {
                [Some(opening), Some(closing)] => Some((opening, closing)),
                _ => None,
            },
            options: Options {
                window_days: days.unwrap_or(DAYS_DEFAULT),
                include_matched: arguments.get("include_matched").and_then(Value::as_bool).unwrap_or(false),
            },
        })
    }

    /// The first and the last day of the rows.
    fn days(&self) -> (Date, Date) {
        let dates = || self.rows.iter().map(|row| row.date);
        (dates().min().unwrap_or(Date::MIN), dates().max().unwrap_or(Date::MIN))
    }

    /// What the books have of the bank account on the days of the rows and as many before and after as rows may be apart.
    async fn book(&self, inside: &Inside<'_>) -> Result<Vec<BankBookRow>, Refused> {
        let (first, last) = self.days();
        let around = i32::try_from(self.options.window_days).unwrap_or(0);
        let reader = &inside.call.state().reader;
        let days = (first - around, last + around);
        let book = reader.bank_book(OrganisationId(inside.id), self.bank_account_id, days, BOOK_ROWS_MAX).await;
        let book = book.map_err(|error| fault(error.into()))?;
        if book.len() > BOOK_ROWS_MAX {
            let message = format!(
                "the books have more than {BOOK_ROWS_MAX} rows of this bank account from {} to {}",
                days.0, days.1
            );
            return Err(Failure::new("unprocessable_entity", message).next("compare fewer days at a time").into());
        }
        Ok(book)
    }

    /// How far the rows are from leading from the opening to the closing balance.
    fn gap(&self) -> Option<Pence> {
        let (opening, closing) = self.balances?;
        let moved: Pence = self.rows.iter().map(|row| row.amount).sum();
        Some(closing - opening - moved)
    }
}

/// Stops the computation when nobody waits for it any more.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Watched(Arc<AtomicBool>);

impl Control for Watched {
    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn progress(&self, _rows_done: u64) {}
}

/// Runs the engine on a blocking thread, which gives turn and place back when it has really ended.
async fn compare(
    statement: Statement,
    book: Vec<BankBookRow>,
    held: (Turn, SemaphorePermit<'static>),
) -> Result<(Statement, Vec<BankBookRow>, Outcome), Refused> {
    let is_over = Arc::new(AtomicBool::new(false));
    let waiting = Waiting(Arc::clone(&is_over));
    let work = actix_web::web::block(move || {
        let dataset = dataset(&statement.rows, &book);
        let outcome = recon::run(&dataset, &statement.options, &Watched(is_over));
        drop(held);
        outcome.map(|outcome| (statement, book, outcome))
    });
    let ended = tokio::time::timeout(PATIENCE, work).await;
    drop(waiting);
    match ended {
        Ok(Ok(Ok(found))) => Ok(found),
        Ok(Ok(Err(Stopped))) | Err(_) => Err(busy().into()),
        Ok(Err(error)) => Err(fault(ApiError::internal(error))),
    }
}

fn dataset(rows: &[StatementRow], book: &[BankBookRow]) -> Dataset {
    let mut dataset = Dataset { bank: Rows::default(), book: Rows::default() };
    // Neither side comes near to what a dataset can hold.
    let mut is_whole = true;
    for row in rows {
        is_whole &= dataset.bank.push(row.date, &row.amount.to_string(), &row.description);
    }
    for row in book {
        let end =
            row.description.char_indices().nth(MAX_DESCRIPTION_CHARS).map_or(row.description.len(), |(end, _)| end);
        let description = row.description.get(..end).unwrap_or_default();
        is_whole &= dataset.book.push(row.date, &row.amount.to_string(), description);
    }
    debug_assert!(is_whole, "a dataset is full");
    dataset
}

impl From<&BankBookRow> for InBooks {
    fn from(row: &BankBookRow) -> Self {
        match row.source {
            BankBookSource::StatementLine(id, _) => Self { bank_transaction_id: Some(id), journal_id: None },
            BankBookSource::Journal(id) => Self { bank_transaction_id: None, journal_id: Some(id) },
        }
    }
}

/// The answer.
fn reconciled<'a>(
    organisation: OrganisationName<'a>,
    statement: &Statement,
    book: &[BankBookRow],
    outcome: &Outcome,
) -> Result<Reconciled<'a>, Refused> {
    let missing = missing_rows(statement, book, outcome)?;
    let (remove, outside) = removed_rows(statement, book, outcome)?;
    let matched = matched_rows(statement, book, outcome)?;
    let totals = [missing.len(), remove.len(), matched.len()];
    let wanted = if statement.options.include_matched { matched } else { Vec::new() };
    let [missing, remove, matched] = fitting([missing, remove, wanted]);
    let shown = [missing.len(), remove.len(), matched.len()];
    let verification = outcome.verification();
    let gap = statement.gap();
    let is_verified = verification.is_verified && gap.is_none_or(Pence::is_zero);
    let pence = |units: i128| Money(i64::try_from(units / UNITS_PER_PENNY).unwrap_or_default());
    let mut reason = reason(&verification.reason, gap);
    if outside > 0 {
        reason.push_str(&format!(
            " Of the rows not at the bank, {outside} are dated before or after the statement and may belong to another one."
        ));
    }
    for (name, (shown, total)) in
        ["missing_from_books", "remove_from_books", "matched"].iter().zip(shown.iter().zip(totals))
    {
        if *shown < total && (*name != "matched" || statement.options.include_matched) {
            reason.push_str(&format!(" {name} shows {shown} of {total}."));
        }
    }
    Ok(Reconciled {
        organisation,
        verified: is_verified,
        reason,
        matched_count: totals.last().copied().unwrap_or_default(),
        missing_from_books: missing,
        remove_from_books: remove,
        expected_net_discrepancy: pence(verification.expected_net_discrepancy),
        actual_net_effect: pence(verification.actual_net_effect),
        matched: statement.options.include_matched.then_some(matched),
    })
}

/// What the engine says, after what the balances say.
fn reason(of_engine: &str, gap: Option<Pence>) -> String {
    match gap.filter(|gap| !gap.is_zero()) {
        None => of_engine.to_owned(),
        Some(gap) => format!(
            "Not verified: the rows do not lead from the opening to the closing balance; rows of {gap} are missing from \
             the statement, or an amount is wrong. Of the rows that were given: {}",
            of_engine.trim_start_matches("Verified: ").trim_start_matches("Not verified: ")
        ),
    }
}

/// What the engine suggests for rows of one side.
fn suggestions(outcome: &Outcome, book: &[BankBookRow], is_bank: bool) -> BTreeMap<usize, Perhaps> {
    let of_side = outcome.explanations().iter().filter(|one| one.is_bank == is_bank);
    let perhaps = |one: &Explanation| {
        let other = one.other_row.and_then(|row| book.get(row)).map(InBooks::from);
        let in_books = match is_bank {
            true => one.other_rows.iter().filter_map(|&row| book.get(row)).map(InBooks::from).collect(),
            false => Vec::new(),
        };
        let rows = if is_bank { Vec::new() } else { one.other_rows.clone() };
        (one.row, Perhaps { kind: one.kind.as_str(), other: other.unwrap_or_default(), in_books, rows })
    };
    of_side.map(perhaps).collect()
}

fn missing_rows(statement: &Statement, book: &[BankBookRow], outcome: &Outcome) -> Result<Vec<Box<RawValue>>, Refused> {
    let perhaps = suggestions(outcome, book, true);
    let rows = outcome.missing_from_books().filter_map(|at| Some((at, statement.rows.get(at)?)));
    let printed = rows.map(|(at, row)| {
        answer(&MissingRow {
            row: at,
            date: row.date,
            amount: row.amount.into(),
            description: &row.description,
            perhaps: perhaps.get(&at).cloned(),
        })
    });
    printed.collect()
}

/// The rows, and how many of them are dated before or after the statement.
fn removed_rows(
    statement: &Statement,
    book: &[BankBookRow],
    outcome: &Outcome,
) -> Result<(Vec<Box<RawValue>>, usize), Refused> {
    let perhaps = suggestions(outcome, book, false);
    let (first, last) = statement.days();
    let is_outside = |row: &BankBookRow| row.date < first || last < row.date;
    let rows = || outcome.remove_from_books().filter_map(|at| Some((at, book.get(at)?)));
    let printed = rows().map(|(at, row)| {
        answer(&RemovedRow {
            in_books: row.into(),
            date: row.date,
            amount: row.amount.into(),
            description: &row.description,
            status: match row.source {
                BankBookSource::StatementLine(_, status) => Some(status.as_str()),
                BankBookSource::Journal(_) => None,
            },
            outside_statement: is_outside(row),
            perhaps: perhaps.get(&at).cloned(),
        })
    });
    Ok((printed.collect::<Result<_, _>>()?, rows().filter(|(_, row)| is_outside(row)).count()))
}

fn matched_rows(statement: &Statement, book: &[BankBookRow], outcome: &Outcome) -> Result<Vec<Box<RawValue>>, Refused> {
    let pairs = outcome.matched().filter_map(|(row, other)| Some((row, statement.rows.get(row)?, book.get(other)?)));
    let printed = pairs.map(|(row, at_bank, in_books)| {
        answer(&MatchedRow {
            row,
            in_books: in_books.into(),
            date_difference_days: at_bank.date.abs_diff(in_books.date),
        })
    });
    printed.collect()
}

/// A list of which as many rows are shown as fit.
struct Shown {
    waiting: Peekable<IntoIter<Box<RawValue>>>,
    rows: Vec<Box<RawValue>>,
}

impl Shown {
    fn of(rows: Vec<Box<RawValue>>) -> Self {
        Self { waiting: rows.into_iter().peekable(), rows: Vec::new() }
    }

    /// Shows the next row where there is one and room for it.
    fn take(&mut self, characters_left: &mut usize) -> bool {
        let Some(row) = self.waiting.next_if(|row| characters(row) <= *characters_left) else { return false };
        *characters_left -= characters(&row);
        self.rows.push(row);
        true
    }
}

/// How many characters a row takes, with what stands between it and the next.
fn characters(row: &RawValue) -> usize {
    row.get().chars().count() + 1
}

/// The rows that fit into an answer: those that are open in turn from both sides, then the matched ones.
fn fitting(lists: [Vec<Box<RawValue>>; 3]) -> [Vec<Box<RawValue>>; 3] {
    let [mut missing, mut remove, mut matched] = lists.map(Shown::of);
    let mut left = ROWS_CHARACTERS_MAX;
    loop {
        let is_shown = [missing.take(&mut left), remove.take(&mut left)];
        if !is_shown.contains(&true) {
            break;
        }
    }
    while matched.take(&mut left) {}
    [missing.rows, remove.rows, matched.rows]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_goes_away_stops_the_comparison() {
        let is_over = Arc::new(AtomicBool::new(false));
        let watched = Watched(Arc::clone(&is_over));
        let waiting = Waiting(is_over);
        assert!(!watched.is_cancelled());
        drop(waiting);
        assert!(watched.is_cancelled());
        let row = || StatementRow { date: Date::MIN, amount: Pence(100), description: "x".to_owned() };
        let rows: Vec<_> = (0..10).map(|_| row()).collect();
        let options = Options { window_days: 3, include_matched: false };
        assert_eq!(recon::run(&dataset(&rows, &[]), &options, &watched), Err(Stopped));
    }

    #[test]
    fn open_rows_of_both_sides_come_before_matched_ones() {
        let rows = |count: usize| -> Vec<Box<RawValue>> {
            let long = "x".repeat(98);
            (0..count).map(|_| serde_json::value::to_raw_value(&long).expect("text")).collect()
        };
        let counts = |[missing, remove, matched]: [Vec<Box<RawValue>>; 3]| [missing.len(), remove.len(), matched.len()];
        assert_eq!(counts(fitting([rows(3), rows(2), rows(1)])), [3, 2, 1]);
        let room = ROWS_CHARACTERS_MAX / 101;
        assert_eq!(counts(fitting([rows(1_000), rows(1_000), rows(1)])), [room.div_ceil(2), room / 2, 0]);
        assert_eq!(counts(fitting([rows(1_000), rows(5), rows(9)])), [room - 5, 5, 0]);
        assert_eq!(counts(fitting([rows(1), rows(0), rows(1_000)])), [1, 0, room - 1]);
    }
}
