//! Rows that are only ever added: journals with their lines, entries of VAT, the history, answers kept.

use super::rows::{Column, Rows};
use Column::{Flag, HexBytes, Number, Text, TextBytes};

/// A journal about to be written.
pub(super) struct JournalRow<'a> {
    pub(super) id: i64,
    pub(super) organisation: i64,
    pub(super) number: i64,
    pub(super) day: i32,
    pub(super) description: &'a str,
    pub(super) reference: Option<&'a str>,
    pub(super) source_type: &'static str,
    pub(super) source_id: Option<i64>,
    pub(super) reverses: Option<i64>,
    pub(super) total: i64,
    pub(super) line_count: i64,
    pub(super) at_ms: i64,
    pub(super) user_id: i64,
    pub(super) key_prefix: Option<&'a str>,
}

/// A line about to be written.
pub(super) struct LineRow<'a> {
    pub(super) id: i64,
    pub(super) organisation: i64,
    pub(super) journal: i64,
    pub(super) number: i64,
    pub(super) account: i64,
    pub(super) day: i32,
    pub(super) debit: i64,
    pub(super) credit: i64,
    pub(super) memo: Option<&'a str>,
    pub(super) vat_code: Option<&'a str>,
    pub(super) vat_amount: Option<i64>,
    pub(super) contact: Option<i64>,
    pub(super) system: bool,
}

/// A response kept for an `Idempotency-Key`.
pub(super) struct ReplayRow<'a> {
    pub(super) user_id: i64,
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) key: &'a str,
    pub(super) body_hash: &'a str,
    pub(super) status: i64,
    pub(super) body: &'a str,
    pub(super) at_ms: i64,
    pub(super) expires_ms: i64,
}

/// An entry of the history about to be written.
pub(super) struct ChangeEntry<'a> {
    pub(super) organisation: i64,
    pub(super) cursor: i64,
    pub(super) at_ms: i64,
    pub(super) user_id: i64,
    pub(super) key_prefix: Option<&'a str>,
    pub(super) action: &'static str,
    pub(super) resource: &'static str,
    pub(super) id: i64,
    pub(super) summary: &'a str,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

const JOURNAL: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Number("number"),
    Number("entry_day"),
    Text("description"),
    Text("reference"),
    Text("search"),
    Text("source_type"),
    Number("source_id"),
    Number("reverses_journal_id"),
    Number("total"),
    Number("line_count"),
    Number("created_at"),
    Number("user_id"),
    Text("key_prefix"),
];

const LINE: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Number("journal_id"),
    Number("line_number"),
    Number("account_id"),
    Number("entry_day"),
    Number("debit"),
    Number("credit"),
    Text("memo"),
    Text("vat_code"),
    Number("vat_amount"),
    Number("contact_id"),
    Flag("system"),
];

const REVERSAL: &[Column] =
    &[Number("journal_id"), Number("organisation_id"), Number("entry_day"), Number("reversal_id"), Text("reason")];

const VAT_ENTRY: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Number("journal_id"),
    Number("journal_line_id"),
    Number("document_id"),
    Number("document_line_id"),
    Text("side"),
    Text("vat_code"),
    Text("basis"),
    Number("net"),
    Number("vat"),
    Number("tax_day"),
];

const LOCK_CHANGE: &[Column] =
    &[Number("id"), Number("organisation_id"), Number("lock_day"), Text("reason"), Number("user_id"), Number("at")];

const VAT_SCHEME: &[Column] =
    &[Number("organisation_id"), Number("from_day"), Text("scheme"), Number("flat_rate_basis_points")];

const REPLAY: &[Column] = &[
    Number("user_id"),
    Text("method"),
    Text("path"),
    Text("key"),
    HexBytes("body_hash"),
    Number("status"),
    TextBytes("body"),
    Number("created_at"),
    Number("expires_at"),
];

const CHANGE: &[Column] = &[
    Number("organisation_id"),
    Number("cursor"),
    Number("at"),
    Number("user_id"),
    Text("key_prefix"),
    Text("via"),
    Text("action"),
    Text("resource_type"),
    Number("resource_id"),
    Text("summary"),
    Text("before"),
    Text("after"),
];

/// Journals.
pub(super) const fn journals() -> Rows {
    Rows::new("journal", JOURNAL, "")
}

/// Their lines.
pub(super) const fn lines() -> Rows {
    Rows::new("journal_line", LINE, "")
}

/// Which of them are void.
pub(super) const fn reversals() -> Rows {
    Rows::new("journal_reversal", REVERSAL, "")
}

/// Entries of VAT.
pub(super) const fn vat_entries() -> Rows {
    Rows::new("vat_entry", VAT_ENTRY, "")
}

/// Moves of period locks.
pub(super) const fn lock_changes() -> Rows {
    Rows::new("period_lock_change", LOCK_CHANGE, "")
}

/// The history of the books.
pub(super) const fn changes() -> Rows {
    Rows::new("book_change", CHANGE, "")
}

/// VAT schemes and the days they begin on.
pub(super) const fn vat_schemes() -> Rows {
    const CONFLICT: &str = "on conflict (organisation_id, from_day) do update set scheme = excluded.scheme, \
         flat_rate_basis_points = excluded.flat_rate_basis_points";
    Rows::new("vat_scheme_period", VAT_SCHEME, CONFLICT)
}

/// Answers kept for an `Idempotency-Key`.
pub(super) const fn replays() -> Rows {
    const CONFLICT: &str = "on conflict (user_id, method, path, key) do update set body_hash = excluded.body_hash, \
         status = excluded.status, body = excluded.body, created_at = excluded.created_at, \
         expires_at = excluded.expires_at";
    Rows::new("idempotency_key", REPLAY, CONFLICT)
}
