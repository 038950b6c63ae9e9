//! The counters of lists: a record is counted by its date, its last change, its type, its bank account and, while it is
//! open, the day it is due. Totals of filtered lists are read from these counters.

use std::borrow::Cow;

use crate::domain::books::records::contact::ContactRecord;
use crate::domain::books::records::document::DocumentRecord;
use crate::domain::books::records::settlement::{SettlementRecord, list_name};
use crate::domain::books::records::statement_line::StatementLineRecord;
use crate::domain::date::Date;

/// The milliseconds of a day.
pub(crate) const DAY_MS: i64 = 86_400_000;

/// A counter of the rows of a list on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ListDay {
    list: &'static str,
    /// None counts the rows of every status.
    status: Option<&'static str>,
    /// Whether rows are counted by the day of their last change rather than by their date.
    is_changed: bool,
    /// The number of that day.
    pub(crate) day: i64,
}

impl ListDay {
    /// Counts rows by their date.
    pub(crate) fn dated(list: &'static str, status: Option<&'static str>, date: Date) -> Self {
        Self { list, status, is_changed: false, day: i64::from(date) }
    }

    /// Counts rows by the day of their last change, given as a moment.
    pub(crate) const fn changed(list: &'static str, status: Option<&'static str>, at_ms: i64) -> Self {
        Self { list, status, is_changed: true, day: at_ms.div_euclid(DAY_MS) }
    }

    /// The name of the list as stored.
    pub(crate) fn list_name(&self) -> String {
        let status = self.status.map_or(String::new(), |status| format!(" {status}"));
        format!("{}{status}{}", self.list, if self.is_changed { " changed" } else { "" })
    }
}

/// The counters that count a record.
pub(crate) struct ListCounters {
    list: &'static str,
    status: &'static str,
    /// Contacts have no date.
    date: Option<Date>,
    changed_ms: i64,
    kind: Option<(&'static str, &'static str)>,
    bank_account: Option<i64>,
    /// The day on which a document is due, and the amount due.
    due: Option<(Date, i64)>,
}

impl ListCounters {
    /// The counters by day, with the amounts that the record adds.
    pub(crate) fn days(&self) -> impl Iterator<Item = (ListDay, i64)> {
        let dated = self.date.map(|date| (ListDay::dated(self.list, Some(self.status), date), 1));
        let due = |what: &'static str, date: Date| ListDay::dated(self.list, Some(what), date);
        let all = self.due.map(|(date, _)| (due("due", date), 1));
        let open = self.due.filter(|(_, pence)| *pence > 0);
        let owed = open.map(|(date, pence)| (due("owed", date), pence));
        let open = open.map(|(date, _)| (due("open", date), 1));
        let changed = (ListDay::changed(self.list, Some(self.status), self.changed_ms), 1);
        [dated, all, open, owed, Some(changed)].into_iter().flatten()
    }

    /// The counters without a day, with the amounts that the record adds.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static str, Cow<'static, str>, i64)> {
        let bank_account = self.bank_account.map(|id| ("bank_account", of_bank_account(id, self.status).into(), 1));
        let kind = self.kind.map(|(list, kind)| (list, kind.into(), 1));
        let owed = self.due.filter(|(_, pence)| *pence > 0).zip(of_type(self.list));
        let open = owed.map(|(_, list)| (list, "open".into(), 1));
        let owed = owed.map(|((_, pence), list)| (list, "owed".into(), pence));
        [kind, bank_account, open, owed].into_iter().flatten()
    }
}

/// The list that counts the records of a list otherwise than by status.
pub(crate) fn of_type(list: &str) -> Option<&'static str> {
    Some(match list {
        "sales_invoice" => "sales_invoice type",
        "purchase_invoice" => "purchase_invoice type",
        "customer_receipt" => "customer_receipt type",
        "supplier_payment" => "supplier_payment type",
        _ => return None,
    })
}

/// The counter of the lines of a bank account with a status.
pub(crate) fn of_bank_account(id: i64, status: &str) -> String {
    format!("{id} {status}")
}

impl From<&ContactRecord> for ListCounters {
    fn from(row: &ContactRecord) -> Self {
        Self {
            list: row.kind.as_str(),
            status: if row.archived_at_ms.is_some() { "archived" } else { "active" },
            date: None,
            changed_ms: row.updated_at_ms,
            kind: None,
            bank_account: None,
            due: None,
        }
    }
}

impl From<&StatementLineRecord> for ListCounters {
    fn from(row: &StatementLineRecord) -> Self {
        Self {
            list: "bank_transaction",
            status: row.status.as_str(),
            date: Some(row.date),
            changed_ms: row.updated_at_ms,
            kind: row.kind.map(|kind| ("bank_transaction type", kind.as_str())),
            bank_account: Some(row.bank_account_id),
            due: None,
        }
    }
}

impl From<&DocumentRecord> for ListCounters {
    fn from(row: &DocumentRecord) -> Self {
        Self {
            list: row.kind.as_str(),
            status: row.status(),
            date: Some(row.date),
            changed_ms: row.updated_at_ms,
            kind: None,
            bank_account: None,
            due: row.due_date.map(|date| (date, row.due_pence())),
        }
    }
}

impl From<&SettlementRecord> for ListCounters {
    fn from(row: &SettlementRecord) -> Self {
        let list = list_name(row.side());
        let is_open = !row.is_void() && row.allocated_pence < row.amount_pence;
        Self {
            list,
            status: if row.is_void() { "void" } else { "posted" },
            date: Some(row.date),
            changed_ms: row.updated_at_ms,
            kind: of_type(list).filter(|_| is_open).map(|list| (list, "unallocated")),
            bank_account: None,
            due: None,
        }
    }
}
