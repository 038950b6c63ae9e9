//! Opening balances: the input, the preview and the result.

use crate::domain::books::records::document::DocumentView;
use crate::domain::books::records::journal::JournalView;
use crate::domain::date::Date;
use crate::domain::ledger::chart::AccountReference;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::opening::OpeningDocument;

/// Opening balances as a body has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningInput {
    /// The day they are the balances at the end of.
    pub as_of: Date,
    /// The balances: the account, a debit, a credit.
    pub lines: Vec<(AccountReference, Option<Pence>, Option<Pence>)>,
    /// What was not settled.
    pub documents: Vec<OpeningDocument>,
    /// Whether the books are locked up to the day.
    pub locks_period: bool,
    /// Where a difference goes.
    pub balance_to: Option<AccountReference>,
    /// Whether debtors and creditors may be more or less than the open documents.
    pub allows_unassigned: bool,
    /// Whether those that stand are voided first.
    pub replaces: bool,
}

/// A line of a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningPreviewLine {
    /// The account.
    pub account_id: i64,
    /// Its code.
    pub account_code: String,
    /// Its name.
    pub account_name: String,
    /// The customer or supplier of a control account's line.
    pub contact_id: Option<i64>,
    /// Debits are positive.
    pub amount_pence: i64,
}

/// What opening balances would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningPreview {
    /// What confirms it.
    pub token: String,
    /// Until when.
    pub expires_at_ms: i64,
    /// The day.
    pub as_of: Date,
    /// The lines of the journal.
    pub lines: Vec<OpeningPreviewLine>,
    /// Debits, as entered.
    pub debit_pence: i64,
    /// Credits, as entered.
    pub credit_pence: i64,
    /// What a person should look at.
    pub warnings: Vec<String>,
    /// Through which day the books will be locked; none where they will not be.
    pub lock_date: Option<Date>,
}

/// Opening balances that were set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningSet {
    /// Their journal.
    pub journal: JournalView,
    /// What was not settled.
    pub documents: Vec<DocumentView>,
    /// The lock date from then on.
    pub lock_date: Option<Date>,
}
