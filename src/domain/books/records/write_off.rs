//! Write-offs of sales invoices: the record, and what callers see of it.

use crate::domain::books::audit_fields::AuditFields;
use crate::domain::date::Date;
use crate::domain::ledger::journal::JournalStatus;
use crate::domain::ledger::write_off::BadDebtRelief;

/// A write-off as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteOffRecord {
    /// Identifier.
    pub id: i64,
    /// The sales invoice.
    pub invoice_id: i64,
    /// The day on which the debt is written off.
    pub date: Date,
    /// The debt.
    pub amount_pence: i64,
    /// The VAT in it.
    pub vat_pence: i64,
    /// The account that bears it.
    pub account_id: i64,
    /// The VAT to claim back.
    pub relief: Option<BadDebtRelief>,
    /// Its journal.
    pub journal_id: i64,
    /// The journal that undoes its own.
    pub void_journal_id: Option<i64>,
    /// The day from which it is void.
    pub void_date: Option<Date>,
    /// The reason given for voiding it.
    pub void_reason: Option<String>,
    /// Who made it.
    pub user_id: i64,
    /// The prefix of the key used.
    pub key_prefix: Option<String>,
    /// When it was made.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

impl WriteOffRecord {
    /// Whether it stands.
    pub const fn journal_status(&self) -> JournalStatus {
        if self.void_date.is_some() { JournalStatus::Void } else { JournalStatus::Posted }
    }

    /// The word of the API: `posted` or `void`.
    pub const fn status(&self) -> &'static str {
        self.journal_status().as_str()
    }

    /// The fields that the history shows.
    pub(crate) fn audit_fields(&self) -> AuditFields {
        AuditFields::new()
            .number("invoice_id", self.invoice_id)
            .date("date", self.date)
            .money("amount", self.amount_pence)
            .money("vat_amount", self.vat_pence)
            .number("account_id", self.account_id)
            .text("status", self.status())
            .number("journal_id", self.journal_id)
            .number("void_journal_id", self.void_journal_id)
            .date("void_date", self.void_date)
            .text("void_reason", self.void_reason.as_deref())
    }
}

/// The view of a write-off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteOffView {
    /// The record.
    pub row: WriteOffRecord,
    /// The number of the invoice.
    pub invoice_number: Option<String>,
    /// The present code of the account that bears it.
    pub account_code: String,
}
