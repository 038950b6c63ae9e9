//! How the engine behaves as a whole: what must hold for every batch, whatever is in it.

mod accounts_apart;
mod cancelling;
mod charts;
mod circumstances;
mod classes;
mod history;
mod hostile_invoices;
mod hostile_texts;
mod hostile_transfers;
mod in_doubt;
mod labelled;
mod order;
mod patterns;
mod prices_and_refunds;
mod said_in_contexts;
mod said_of_people_and_places;
mod services_and_people;
mod statements;
mod vat;
mod what_is_owed;
mod whose_money;
mod wordings;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::{
    Account, AccountType, Batch, CodedRow, Invoice, InvoiceKind, Method, Outcome, SettledKind, Transaction, Vat, run,
};
use crate::domain::amount::{self, UNITS_PER_PENNY};
use crate::domain::control::{Control, Stopped, Unattended};
use crate::domain::date::Date;

/// The answer of a run that nobody cancels.
fn code(batch: &Batch<'_>) -> Outcome {
    let outcome = run(batch, &Unattended).expect("nobody cancels");
    assert_sound(batch, &outcome);
    outcome
}

fn pounds(text: &str) -> i128 {
    amount::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn date(text: &str) -> Date {
    Date::parse(text).unwrap_or_else(|| panic!("{text} is no date"))
}

fn line(on: &str, description: &str, amount: &str) -> Transaction<'static> {
    Transaction {
        date: date(on),
        description: Cow::Owned(description.to_owned()),
        amount: pounds(amount),
        merchant: None,
        reference: None,
        bank_account: None,
        merchant_category_code: None,
    }
}

fn line_of(tag: &str, on: &str, description: &str, amount: &str) -> Transaction<'static> {
    Transaction { bank_account: Some(Cow::Owned(tag.to_owned())), ..line(on, description, amount) }
}

fn account(code: &str, name: &str, kind: AccountType) -> Account<'static> {
    Account { code: Cow::Owned(code.to_owned()), name: Cow::Owned(name.to_owned()), kind }
}

fn invoice(kind: InvoiceKind, number: &str, contact: &str, on: &str, due: &str) -> Invoice<'static> {
    Invoice {
        number: Cow::Owned(number.to_owned()),
        kind,
        contact: Cow::Owned(contact.to_owned()),
        date: date(on),
        due_date: None,
        total: None,
        amount_due: pounds(due),
        currency: None,
        reference: None,
        account: None,
    }
}

/// A chart as a small company has one.
fn chart() -> Vec<Account<'static>> {
    use AccountType::{Asset, Equity, Expense, Income, Liability};
    let named = [
        ("200", "Sales", Income),
        ("260", "Other income", Income),
        ("270", "Interest received", Income),
        ("310", "Cost of goods sold", Expense),
        ("400", "Advertising", Expense),
        ("404", "Bank fees", Expense),
        ("408", "Cleaning", Expense),
        ("412", "Accountancy fees", Expense),
        ("420", "Entertainment", Expense),
        ("429", "General expenses", Expense),
        ("433", "Insurance", Expense),
        ("445", "Light, power, heating", Expense),
        ("449", "Motor vehicle expenses", Expense),
        ("461", "Printing and stationery", Expense),
        ("463", "IT software and consumables", Expense),
        ("469", "Rent", Expense),
        ("477", "Salaries", Expense),
        ("489", "Telephone and internet", Expense),
        ("493", "Travel", Expense),
        ("090", "Barclays Current Account", Asset),
        ("091", "Barclays Savings Account", Asset),
        ("610", "Accounts receivable", Asset),
        ("710", "Office equipment", Asset),
        ("800", "Accounts payable", Liability),
        ("810", "Barclaycard", Liability),
        ("820", "VAT", Liability),
        ("825", "PAYE payable", Liability),
        ("835", "Directors' loan account", Liability),
        ("900", "Loan", Liability),
        ("950", "Capital", Equity),
        ("960", "Retained earnings", Equity),
    ];
    named.into_iter().map(|(code, name, kind)| account(code, name, kind)).collect()
}

fn batch(transactions: Vec<Transaction<'static>>) -> Batch<'static> {
    Batch {
        transactions,
        accounts: chart(),
        business_context: Cow::Borrowed("A small company that sells furniture. VAT registered."),
        ..Batch::default()
    }
}

/// What holds for every answer to every batch.
fn assert_sound(batch: &Batch<'_>, outcome: &Outcome) {
    assert_eq!(outcome.rows.len(), batch.transactions.len());
    assert!(outcome.warnings.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", outcome.warnings);
    let invoices = batch.invoices.as_deref().unwrap_or_default();
    let mut paid: BTreeMap<usize, i128> = BTreeMap::new();
    for (at, (row, source)) in outcome.rows.iter().zip(&batch.transactions).enumerate() {
        let described = || format!("row {at}: {source:?}\n{row:?}");
        assert!(row.account < batch.accounts.len(), "{}", described());
        assert!(row.confidence <= 1000 && !row.reason.trim().is_empty(), "{}", described());
        assert_split(row, source, &described);
        assert!(row.alternatives.len() <= 3, "{}", described());
        let others: BTreeSet<usize> = row.alternatives.iter().map(|other| other.account).collect();
        assert_eq!(others.len(), row.alternatives.len(), "{}", described());
        assert!(!others.contains(&row.account), "{}", described());
        for other in &row.alternatives {
            assert!(other.account < batch.accounts.len() && other.confidence <= row.confidence, "{}", described());
        }
        assert_eq!(row.settles.is_empty(), row.method != Method::InvoiceSettlement, "{}", described());
        assert!(row.transfer_pair.is_none() || row.method == Method::Transfer, "{}", described());
        let mut seen = BTreeSet::new();
        for settled in &row.settles {
            assert!(settled.invoice < invoices.len() && settled.amount > 0, "{}", described());
            assert!(seen.insert(settled.invoice), "an item twice: {}", described());
            *paid.entry(settled.invoice).or_default() += settled.amount;
        }
        if let Some(other) = row.transfer_pair {
            let (there, back) = (&batch.transactions[other], &outcome.rows[other]);
            assert_eq!(back.transfer_pair, Some(at), "{}", described());
            assert_eq!(amount::pence(source.amount), -amount::pence(there.amount), "{}", described());
            assert!(source.bank_account.is_some() && there.bank_account.is_some(), "{}", described());
            assert_ne!(source.bank_account, there.bank_account, "{}", described());
        }
    }
    for (place, amount) in paid {
        assert!(amount <= invoices[place].amount_due, "more than is open is settled of {:?}", invoices[place]);
    }
}

/// VAT in whole pence, with the sign of the amount and never more than it; net and VAT are the amount by construction.
fn assert_split(row: &CodedRow, source: &Transaction<'_>, described: &impl Fn() -> String) {
    assert_eq!(row.vat_amount % UNITS_PER_PENNY, 0, "{}", described());
    assert!(row.vat_amount.abs() <= source.amount.abs(), "{}", described());
    assert!(row.vat_amount == 0 || row.vat_amount.signum() == source.amount.signum(), "{}", described());
    assert!((0..=100 * amount::UNITS_PER_WHOLE).contains(&row.vat_rate), "{}", described());
    assert!(row.vat_rate > 0 || row.vat_amount == 0, "{}", described());
}

/// Everything that is said about a line, without the places of rows, accounts and invoices.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Answer {
    account: String,
    vat: Vat,
    vat_rate: i128,
    vat_amount: i128,
    confidence: u16,
    method: Method,
    reason: String,
    alternatives: Vec<(String, u16)>,
    settles: Vec<(String, i128, &'static str)>,
    pair: Option<String>,
}

/// The answers to each different transaction, ordered: lines that are the same in every field may change places.
fn answers(batch: &Batch<'_>, outcome: &Outcome) -> BTreeMap<String, Vec<Answer>> {
    let mut answers: BTreeMap<String, Vec<Answer>> = BTreeMap::new();
    for (source, row) in batch.transactions.iter().zip(&outcome.rows) {
        answers.entry(format!("{source:?}")).or_default().push(answer(batch, row));
    }
    answers.values_mut().for_each(|list| list.sort());
    answers
}

fn answer(batch: &Batch<'_>, row: &CodedRow) -> Answer {
    let invoices = batch.invoices.as_deref().unwrap_or_default();
    let code = |account: usize| batch.accounts[account].code.to_string();
    let item = |place: usize| format!("{:?}", Invoice { account: None, ..invoices[place].clone() });
    let settles = row.settles.iter().map(|settled| (item(settled.invoice), settled.amount, settled.kind.as_str()));
    Answer {
        account: code(row.account),
        vat: row.vat,
        vat_rate: row.vat_rate,
        vat_amount: row.vat_amount,
        confidence: row.confidence,
        method: row.method,
        reason: row.reason.to_string(),
        alternatives: row.alternatives.iter().map(|other| (code(other.account), other.confidence)).collect(),
        settles: settles.collect(),
        pair: row.transfer_pair.map(|other| format!("{:?}", batch.transactions[other])),
    }
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).expect("sides")).expect("a side")
    }

    /// Every place of a list once, in any order.
    fn order(&mut self, length: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..length).collect();
        for place in (1..length).rev() {
            order.swap(place, self.roll(place + 1));
        }
        order
    }
}

/// Counts what the engine asks and tells; says "cancelled" at a chosen question.
#[derive(Default)]
struct Counted {
    questions: Cell<u64>,
    cancels_at: Option<u64>,
    progress: RefCell<Vec<u64>>,
}

impl Control for Counted {
    fn is_cancelled(&self) -> bool {
        self.questions.set(self.questions.get() + 1);
        self.cancels_at.is_some_and(|at| self.questions.get() >= at)
    }

    fn progress(&self, rows_done: u64) {
        self.progress.borrow_mut().push(rows_done);
    }
}

/// Runs a batch and counts the questions that were asked.
fn questions(batch: &Batch<'_>) -> (Outcome, u64) {
    let control = Counted::default();
    let outcome = run(batch, &control).expect("nobody cancels");
    assert_sound(batch, &outcome);
    (outcome, control.questions.get())
}
