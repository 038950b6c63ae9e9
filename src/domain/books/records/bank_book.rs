//! A bank account as the books have it, for the comparison with a statement.

use crate::domain::date::Date;
use crate::domain::ledger::bank::BankStatus;
use crate::domain::ledger::money::Pence;

/// A movement of a bank account in the books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankBookRow {
    /// Its date.
    pub date: Date,
    /// Money in is positive.
    pub amount: Pence,
    /// What is said of it.
    pub description: String,
    /// What stands behind it.
    pub source: BankBookSource,
}

/// What a movement of a bank account stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BankBookSource {
    /// A line of a statement, and its state.
    StatementLine(i64, BankStatus),
    /// A journal that no line of a statement shows.
    Journal(i64),
}
