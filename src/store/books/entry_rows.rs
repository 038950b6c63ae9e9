//! Rows that are only ever added (journals with their lines, entries of VAT, the history, stored answers) and rows of totals
//! by day and month, which are added to the stored totals.

use std::borrow::Cow;
use std::collections::BTreeMap;

use Column::{Flag, HexBytes, Number, Text, TextBytes};

use crate::domain::books::effects::{
    ChangeEntry, ListDay, LockChangeRecord, ReplayRecord, ReversalRecord, VatCause, VatEntryRecord,
};
use crate::domain::books::facts::CachedBooks;
use crate::domain::books::records::journal::{JournalLineView, JournalView};
use crate::domain::date::{Date, Month};
use crate::domain::ledger::vat::{ReverseCharge, VatScheme};
use crate::domain::ledger::year_end::NO_DAY;
use crate::store::sql::{Cell, Column, Rows};

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
    Number("closing_day"),
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
    Text("reverse_charge"),
    Number("settlement_id"),
    Number("cursor"),
    Number("rate_day"),
];

const LOCK_CHANGE: &[Column] =
    &[Number("id"), Number("organisation_id"), Number("lock_day"), Text("reason"), Number("user_id"), Number("at")];

const VAT_SCHEME: &[Column] = &[
    Number("organisation_id"),
    Number("from_day"),
    Text("scheme"),
    Number("flat_rate_basis_points"),
    Text("flat_rate_basis"),
];

const FINANCIAL_YEAR_END: &[Column] = &[Number("organisation_id"), Number("from_day"), Text("year_end")];

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
    Number("grant_id"),
    Text("tool"),
    Text("note"),
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
pub(super) fn vat_schemes<'a>(books: impl Iterator<Item = &'a CachedBooks>) -> Rows {
    let mut rows = Rows::new("vat_scheme_period", VAT_SCHEME, "");
    for one in books {
        for (from, scheme) in one.vat.iter() {
            let (rate, basis) = match scheme {
                VatScheme::FlatRate(rate, basis) => (Some(rate.0), Some(basis.as_str())),
                VatScheme::Standard | VatScheme::Cash => (None, None),
            };
            let (organisation, from) = (one.organisation.id.0, i64::from(from));
            rows.push([organisation.into(), from.into(), scheme.as_str().into(), rate.into(), basis.into()]);
        }
    }
    rows
}

/// The rows of year ends by the day from which on financial years end there.
pub(super) fn financial_years<'a>(books: impl Iterator<Item = &'a CachedBooks>) -> Rows {
    let mut rows = Rows::new("financial_year_end_period", FINANCIAL_YEAR_END, "");
    for one in books {
        for (from, year_end) in one.years.iter() {
            let year_end = year_end.to_string();
            rows.push([one.organisation.id.0.into(), i64::from(from).into(), Cell::Text(&year_end)]);
        }
    }
    rows
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

/// Adds a line of a journal; one of a closing counts from another day than that of the journal.
pub(super) fn push_line(
    rows: &mut Rows,
    organisation: i64,
    journal: &JournalView,
    (line, closing_day): (&JournalLineView, Option<Date>),
) {
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
        closing_day.map(i64::from).into(),
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
    let (journal, line, settlement) = match record.cause {
        VatCause::Journal(id, line) => (Some(id), line, None),
        VatCause::Settlement(id) => (None, None, Some(id)),
        VatCause::Credit => (None, None, None),
    };
    rows.push([
        record.id.into(),
        organisation.into(),
        journal.into(),
        line.into(),
        record.document.into(),
        record.document_line.into(),
        entry.side.as_str().into(),
        entry.code.code().into(),
        entry.basis.as_str().into(),
        entry.amount.net.0.into(),
        entry.amount.vat.0.into(),
        i64::from(entry.tax_point).into(),
        entry.reverse_charge.map(ReverseCharge::as_str).into(),
        settlement.into(),
        record.cursor.into(),
        i64::from(entry.rate_date.unwrap_or(NO_DAY)).into(),
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
        entry.grant_id.into(),
        entry.tool.into(),
        entry.note.as_deref().into(),
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

/// Debits and credits.
pub(super) type Sides = (i64, i64);

/// The conflict clause that adds debits and credits to the stored totals.
macro_rules! conflict {
    ($key:literal) => {
        concat!(
            "on conflict (",
            $key,
            ") do update set debit = t.debit + excluded.debit, credit = t.credit + excluded.credit"
        )
    };
    ($key:literal, direct) => {
        concat!(
            "on conflict (",
            $key,
            ") do update set debit = t.debit + excluded.debit, credit = t.credit + excluded.credit, \
             direct_debit = t.direct_debit + excluded.direct_debit, \
             direct_credit = t.direct_credit + excluded.direct_credit"
        )
    };
}

/// Totals of an account on a day.
#[derive(Clone, Copy, Default)]
pub(super) struct AccountSums {
    pub(super) organisation: i64,
    pub(super) sides: Sides,
    pub(super) lines: i64,
    /// The number of journals with these lines.
    pub(super) journals: i64,
}

/// The rows of totals by day and by month, from totals by account and day.
pub(super) fn account_totals(days: &BTreeMap<(i64, Date), AccountSums>) -> (Rows, Rows) {
    const DAY: &[Column] = &[
        Number("account_id"),
        Number("day"),
        Number("organisation_id"),
        Number("debit"),
        Number("credit"),
        Number("items"),
        Number("journals"),
    ];
    const ADD_DAY: &str = concat!(
        conflict!("account_id, day"),
        ", items = t.items + excluded.items, journals = t.journals + excluded.journals"
    );
    const MONTH: &[Column] = &[
        Number("account_id"),
        Number("month"),
        Number("organisation_id"),
        Number("debit"),
        Number("credit"),
        Number("journals"),
    ];
    const ADD_MONTH: &str = concat!(conflict!("account_id, month"), ", journals = t.journals + excluded.journals");
    let mut of_days = Rows::new("account_day", DAY, ADD_DAY);
    let mut months: BTreeMap<(i64, i64), AccountSums> = BTreeMap::new();
    for ((account, date), sums) in days {
        of_days.push([
            account.into(),
            i64::from(*date).into(),
            sums.organisation.into(),
            sums.sides.0.into(),
            sums.sides.1.into(),
            sums.lines.into(),
            sums.journals.into(),
        ]);
        let month = months.entry((*account, Month::of(*date).0)).or_default();
        month.organisation = sums.organisation;
        month.sides.0 += sums.sides.0;
        month.sides.1 += sums.sides.1;
        month.journals += sums.journals;
    }
    let mut of_months = Rows::new("account_month", MONTH, ADD_MONTH);
    for ((account, month), sums) in &months {
        of_months.push([
            account.into(),
            month.into(),
            sums.organisation.into(),
            sums.sides.0.into(),
            sums.sides.1.into(),
            sums.journals.into(),
        ]);
    }
    (of_days, of_months)
}

/// Debits and credits of a contact, and the part of them that comes from no document.
#[derive(Clone, Copy, Default)]
pub(super) struct ContactSides {
    pub(super) all: Sides,
    pub(super) direct: Sides,
}

impl ContactSides {
    /// Adds a line.
    pub(super) const fn add(&mut self, (debit, credit): Sides, is_direct: bool) {
        self.all.0 += debit;
        self.all.1 += credit;
        if is_direct {
            self.direct.0 += debit;
            self.direct.1 += credit;
        }
    }
}

/// The rows of totals by day and by month, from totals by organisation, account, contact and day.
pub(super) fn contact_totals(days: &BTreeMap<(i64, i64, i64, Date), ContactSides>) -> (Rows, Rows) {
    const fn columns(period: Column) -> [Column; 8] {
        [
            Number("organisation_id"),
            Number("account_id"),
            Number("contact_id"),
            period,
            Number("debit"),
            Number("credit"),
            Number("direct_debit"),
            Number("direct_credit"),
        ]
    }
    const DAY: &[Column] = &columns(Number("day"));
    const MONTH: &[Column] = &columns(Number("month"));
    let mut of_days = Rows::new("contact_day", DAY, conflict!("organisation_id, contact_id, account_id, day", direct));
    let mut of_months =
        Rows::new("contact_month", MONTH, conflict!("organisation_id, contact_id, account_id, month", direct));
    let mut months: BTreeMap<(i64, i64, i64, i64), ContactSides> = BTreeMap::new();
    let push = |rows: &mut Rows, key: (i64, i64, i64), period: i64, sides: &ContactSides| {
        rows.push([
            key.0.into(),
            key.1.into(),
            key.2.into(),
            period.into(),
            sides.all.0.into(),
            sides.all.1.into(),
            sides.direct.0.into(),
            sides.direct.1.into(),
        ]);
    };
    for ((organisation, account, contact, date), sides) in days {
        push(&mut of_days, (*organisation, *account, *contact), i64::from(*date), sides);
        let month = months.entry((*organisation, *account, *contact, Month::of(*date).0)).or_default();
        month.all.0 += sides.all.0;
        month.all.1 += sides.all.1;
        month.direct.0 += sides.direct.0;
        month.direct.1 += sides.direct.1;
    }
    for ((organisation, account, contact, month), sides) in &months {
        push(&mut of_months, (*organisation, *account, *contact), *month, sides);
    }
    (of_days, of_months)
}

/// What came in and what went out by organisation and day.
pub(super) type CashDays = BTreeMap<(i64, Date), (i64, i64)>;

/// What reversed journals had moved, by organisation, day of the journal and day of the reversal.
pub(super) type CashReversals = BTreeMap<(i64, Date, Date), i64>;

/// The rows of cash by day.
pub(super) fn cash_day_rows(days: &CashDays) -> Rows {
    let mut rows = Rows::new(
        "cash_day",
        &[Number("organisation_id"), Number("day"), Number("inflow"), Number("outflow")],
        "on conflict (organisation_id, day) do update set inflow = t.inflow + excluded.inflow, \
         outflow = t.outflow + excluded.outflow",
    );
    for ((organisation, date), (inflow, outflow)) in days {
        rows.push([organisation.into(), i64::from(*date).into(), inflow.into(), outflow.into()]);
    }
    rows
}

/// The rows of cash that was moved back.
pub(super) fn cash_reversal_rows(reversals: &CashReversals) -> Rows {
    let mut rows = Rows::new(
        "cash_reversal",
        &[Number("organisation_id"), Number("day"), Number("reversal_day"), Number("amount")],
        "on conflict (organisation_id, day, reversal_day) do update set amount = t.amount + excluded.amount",
    );
    for ((organisation, date, reversal), amount) in reversals {
        rows.push([organisation.into(), i64::from(*date).into(), i64::from(*reversal).into(), amount.into()]);
    }
    rows
}

/// The rows of sequences: the highest number of each prefix.
pub(super) fn sequence_rows(sequences: &BTreeMap<(i64, &'static str, &str), u64>) -> Rows {
    let mut rows = Rows::new(
        "number_sequence",
        &[Number("organisation_id"), Text("family"), Text("prefix"), Number("highest")],
        "on conflict (organisation_id, family, prefix) do update set highest = excluded.highest",
    );
    for ((organisation, family, prefix), highest) in sequences {
        let highest = i64::try_from(*highest).unwrap_or(i64::MAX);
        rows.push([organisation.into(), (*family).into(), (*prefix).into(), highest.into()]);
    }
    rows
}

/// The rows of counters of lists.
pub(super) fn count_rows(counts: &BTreeMap<(i64, &'static str, Cow<'_, str>), i64>) -> Rows {
    let mut rows = Rows::new(
        "list_count",
        &[Number("organisation_id"), Text("list"), Text("status"), Number("items")],
        "on conflict (organisation_id, list, status) do update set items = t.items + excluded.items",
    );
    for ((organisation, list, status), by) in counts.iter().filter(|(_, by)| **by != 0) {
        rows.push([organisation.into(), (*list).into(), status.as_ref().into(), by.into()]);
    }
    rows
}

/// The rows of counters of lists by day.
pub(super) fn list_day_rows(days: &BTreeMap<(i64, ListDay), i64>) -> Rows {
    let mut rows = Rows::new(
        "list_day",
        &[Number("organisation_id"), Text("list"), Number("day"), Number("items")],
        "on conflict (organisation_id, list, day) do update set items = t.items + excluded.items",
    );
    for ((organisation, of), by) in days.iter().filter(|(_, by)| **by != 0) {
        rows.push([organisation.into(), (&of.list_name()).into(), of.day.into(), by.into()]);
    }
    rows
}
