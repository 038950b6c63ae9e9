//! Adjustments of the VAT return: the record, what callers see of it, and the filter of the list.

use crate::domain::books::audit_fields::AuditFields;
use crate::domain::date::Date;
use crate::domain::ledger::journal::JournalStatus;
use crate::domain::ledger::vat_adjustment::{AdjustmentReason, BoxEntry};

/// The name of the list that counts adjustments.
pub(crate) const LIST: &str = "vat_adjustment";

/// An adjustment as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatAdjustmentRecord {
    /// Identifier.
    pub id: i64,
    /// The day it counts in the return.
    pub date: Date,
    /// Why it was made.
    pub reason: AdjustmentReason,
    /// What it is.
    pub description: String,
    /// What it adds to which boxes, in the order entered.
    pub entries: Vec<BoxEntry>,
    /// The account that bears the VAT; none where nothing was posted.
    pub account_id: Option<i64>,
    /// Its journal; none where nothing was posted.
    pub journal_id: Option<i64>,
    /// The journal that undoes its own.
    pub void_journal_id: Option<i64>,
    /// The day from which it is undone in the return.
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

impl VatAdjustmentRecord {
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
        let entry = |entry: &BoxEntry| format!("box {} {}", entry.vat_box.number(), entry.amount);
        let entries = self.entries.iter().map(entry).collect::<Vec<_>>().join(", ");
        AuditFields::new()
            .date("date", self.date)
            .text("reason", self.reason.as_str())
            .text("description", self.description.as_str())
            .text("entries", entries.as_str())
            .number("account_id", self.account_id)
            .text("status", self.status())
            .number("journal_id", self.journal_id)
            .number("void_journal_id", self.void_journal_id)
            .date("void_date", self.void_date)
            .text("void_reason", self.void_reason.as_deref())
    }
}

/// The view of an adjustment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatAdjustmentView {
    /// The record.
    pub row: VatAdjustmentRecord,
    /// The present code of the account that bears the VAT.
    pub account_code: Option<String>,
}

/// The filter of the list of adjustments.
#[derive(Debug, Clone, Copy, Default)]
pub struct VatAdjustmentFilter {
    /// On this day or later.
    pub from_date: Option<Date>,
    /// On this day or before.
    pub to_date: Option<Date>,
    /// Whether the adjustments are void.
    pub voided: Option<bool>,
    /// Made or voided at this moment or later, in milliseconds.
    pub updated_since_ms: Option<i64>,
}
