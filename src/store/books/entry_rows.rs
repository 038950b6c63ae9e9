//! Rows that are only ever added: journals with their lines, entries of VAT, the history, stored answers.

use super::rows::{Cell, Column, Rows};
use crate::domain::books::effects::{ChangeEntry, LockChangeRecord, ReplayRecord, ReversalRecord, VatEntryRecord};
use crate::domain::books::records::journal::{JournalLineView, JournalView};
use Column::{Flag, HexBytes, Number, Text, TextBytes};

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

/// The rows of journals.
pub(super) const fn journals() -> Rows {
    Rows::new("journal", JOURNAL, "")
}

/// The rows of lines of journals.
pub(super) const fn lines() -> Rows {
    Rows::new("journal_line", LINE, "")
}

/// The rows of reversals, which make journals void.
pub(super) const fn reversals() -> Rows {
    Rows::new("journal_reversal", REVERSAL, "")
}

/// The rows of entries of VAT.
pub(super) const fn vat_entries() -> Rows {
    Rows::new("vat_entry", VAT_ENTRY, "")
}

/// The rows of changes of period locks.
pub(super) const fn lock_changes() -> Rows {
    Rows::new("period_lock_change", LOCK_CHANGE, "")
}

/// The rows of the history of the books.
pub(super) const fn changes() -> Rows {
    Rows::new("book_change", CHANGE, "")
}

/// The rows of VAT schemes by the day on which they begin.
pub(super) const fn vat_schemes() -> Rows {
    const CONFLICT: &str = "on conflict (organisation_id, from_day) do update set scheme = excluded.scheme, \
         flat_rate_basis_points = excluded.flat_rate_basis_points";
    Rows::new("vat_scheme_period", VAT_SCHEME, CONFLICT)
}

/// The rows of answers stored under an `Idempotency-Key`.
pub(super) const fn replays() -> Rows {
    const CONFLICT: &str = "on conflict (user_id, method, path, key) do update set body_hash = excluded.body_hash, \
         status = excluded.status, body = excluded.body, created_at = excluded.created_at, \
         expires_at = excluded.expires_at";
    Rows::new("idempotency_key", REPLAY, CONFLICT)
}

/// Adds a journal.
pub(super) fn push_journal(rows: &mut Rows, organisation: i64, view: &JournalView) {
    let mut search = format!("{} {}", view.number, view.description.to_lowercase());
    if let Some(reference) = &view.reference {
        search.push('\n');
        search.push_str(&reference.to_lowercase());
    }
    rows.push([
        view.id.into(),
        organisation.into(),
        view.number.into(),
        i64::from(view.entry_date).into(),
        (&view.description).into(),
        (&view.reference).into(),
        Cell::Text(&search),
        (&view.source_type).into(),
        view.source_id.into(),
        view.reverses.into(),
        view.total_pence.into(),
        i64::try_from(view.lines.len()).unwrap_or(i64::MAX).into(),
        view.created_at_ms.into(),
        view.user_id.into(),
        (&view.key_prefix).into(),
    ]);
}

/// Adds a line of a journal.
pub(super) fn push_line(rows: &mut Rows, organisation: i64, journal: &JournalView, line: &JournalLineView) {
    rows.push([
        line.id.into(),
        organisation.into(),
        journal.id.into(),
        line.line_number.into(),
        line.account_id.into(),
        i64::from(journal.entry_date).into(),
        line.debit_pence.into(),
        line.credit_pence.into(),
        (&line.memo).into(),
        (&line.vat_code).into(),
        line.vat_pence.into(),
        line.contact_id.into(),
        line.system.into(),
    ]);
}

/// Adds the reversal of a journal.
pub(super) fn push_reversal(rows: &mut Rows, organisation: i64, record: &ReversalRecord) {
    rows.push([
        record.journal.into(),
        organisation.into(),
        i64::from(record.date).into(),
        record.reversal.into(),
        (&record.reason).into(),
    ]);
}

/// Adds an entry of VAT.
pub(super) fn push_vat_entry(rows: &mut Rows, organisation: i64, record: &VatEntryRecord) {
    let entry = &record.entry;
    rows.push([
        record.id.into(),
        organisation.into(),
        record.journal.map(|(journal, _)| journal).into(),
        record.journal.and_then(|(_, line)| line).into(),
        record.document.into(),
        record.document_line.into(),
        entry.side.as_str().into(),
        entry.code.code().into(),
        entry.basis.as_str().into(),
        entry.amount.net.0.into(),
        entry.amount.vat.0.into(),
        i64::from(entry.tax_point).into(),
    ]);
}

/// Adds a change of a period lock.
pub(super) fn push_lock_change(rows: &mut Rows, organisation: i64, record: &LockChangeRecord) {
    rows.push([
        record.id.into(),
        organisation.into(),
        record.date.map(i64::from).into(),
        (&record.reason).into(),
        record.user_id.into(),
        record.at_ms.into(),
    ]);
}

/// Adds an entry of the history.
pub(super) fn push_change(rows: &mut Rows, organisation: i64, entry: &ChangeEntry) {
    rows.push([
        organisation.into(),
        entry.cursor.into(),
        entry.at_ms.into(),
        entry.user_id.into(),
        (&entry.key_prefix).into(),
        entry.via.into(),
        entry.action.into(),
        entry.resource.into(),
        entry.id.into(),
        (&entry.summary).into(),
        (&entry.before).into(),
        (&entry.after).into(),
    ]);
}

/// Adds an answer stored under an `Idempotency-Key`.
pub(super) fn push_replay(rows: &mut Rows, record: &ReplayRecord) {
    rows.push([
        record.user_id.into(),
        (&record.method).into(),
        (&record.path).into(),
        (&record.key).into(),
        (&record.body_hash).into(),
        record.status.into(),
        (&record.body).into(),
        record.at_ms.into(),
        record.expires_ms.into(),
    ]);
}
