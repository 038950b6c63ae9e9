//! Journals with their lines, the filter of their list, and the general ledger of one account.

use crate::domain::books::audit_fields::AuditFields;
use crate::domain::date::Date;

/// A journal as stored, with its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalView {
    /// Identifier.
    pub id: i64,
    /// Its number, without gaps in its organisation.
    pub number: i64,
    /// Its date.
    pub entry_date: Date,
    /// A description.
    pub description: String,
    /// The caller's own reference.
    pub reference: Option<String>,
    /// `manual`, `reversal` and so on.
    pub source_type: String,
    /// The document behind it.
    pub source_id: Option<i64>,
    /// The journal it reverses.
    pub reverses: Option<i64>,
    /// The journal that reverses it.
    pub reversed_by: Option<i64>,
    /// Sum of its debits, in pence.
    pub total_pence: i64,
    /// When it was posted.
    pub created_at_ms: i64,
    /// Who posted it.
    pub user_id: i64,
    /// The prefix of the key used.
    pub key_prefix: Option<String>,
    /// Its lines, in order.
    pub lines: Vec<JournalLineView>,
}

/// A line of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalLineView {
    /// Identifier.
    pub id: i64,
    /// From 1.
    pub line_number: i64,
    /// The account.
    pub account_id: i64,
    /// The present code of the account.
    pub account_code: String,
    /// The present name of the account.
    pub account_name: String,
    /// Pence.
    pub debit_pence: i64,
    /// Pence.
    pub credit_pence: i64,
    /// A note.
    pub memo: Option<String>,
    /// VAT code.
    pub vat_code: Option<String>,
    /// VAT in pence.
    pub vat_pence: Option<i64>,
    /// The customer or supplier.
    pub contact_id: Option<i64>,
    /// Whether a rule added the line.
    pub system: bool,
}

/// The filter of the list of journals.
#[derive(Debug, Clone, Default)]
pub struct JournalFilter {
    /// The kind of source of the journals.
    pub source_type: Option<String>,
    /// The source of the journals.
    pub source_id: Option<i64>,
    /// An account with a line in the journals.
    pub account_id: Option<i64>,
    /// On this day or later.
    pub from_date: Option<Date>,
    /// On this day or before.
    pub to_date: Option<Date>,
    /// Whether the journals are void.
    pub voided: Option<bool>,
    /// A text in the description, the reference or the number.
    pub search: Option<String>,
    /// Posted or voided at this moment or later, in milliseconds.
    pub updated_since_ms: Option<i64>,
}

/// A part of the general ledger of one account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountHistory {
    /// Debits less credits before the first date.
    pub opening_pence: i64,
    /// Debits less credits before the first line shown.
    pub carried_pence: i64,
    /// Debits less credits at the end of the last date.
    pub closing_pence: i64,
    /// The lines, oldest first.
    pub lines: Vec<HistoryLine>,
    /// The number of lines between the two dates.
    pub total: Option<u64>,
}

/// A line of the general ledger of one account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryLine {
    /// Its date.
    pub entry_date: Date,
    /// Its journal and the journal's number; none of the profit of an earlier financial year.
    pub journal: Option<(i64, i64)>,
    /// The line's note, or the journal's description.
    pub description: String,
    /// Pence.
    pub debit_pence: i64,
    /// Pence.
    pub credit_pence: i64,
    /// What made the journal.
    pub source_type: String,
    /// The document or settlement behind it.
    pub source_id: Option<i64>,
    /// The number of the document or settlement.
    pub document_number: Option<String>,
    /// The customer or supplier.
    pub contact_id: Option<i64>,
}

impl JournalView {
    /// 1 when posted, 2 when void: no other field of a journal ever changes.
    pub fn version(&self) -> i64 {
        if self.reversed_by.is_some() { 2 } else { 1 }
    }

    /// The fields that the history shows.
    pub(crate) fn audit_fields(&self) -> AuditFields {
        AuditFields::new()
            .number("journal_number", self.number)
            .date("entry_date", self.entry_date)
            .money("total_debit", self.total_pence)
            .text("source_type", self.source_type.as_str())
            .number("source_id", self.source_id)
            .number("reverses_journal_id", self.reverses)
    }
}
