//! The effects of the commands of a group, in the order of their decisions. An effect on a record that may change again
//! is its identifier: the record is written as the books or facts hold it in the end. A record that is only ever added
//! is part of its effect.
//!
//! `decide` and `idempotency` push effects; `store::books::write` writes them to the database. A group is the commands that
//! are committed together; facts are the records that were loaded for them. A refused command is undone back to a mark,
//! without a copy of anything (`UndoMap`).
//!
//! Lists have counters (`ListCounters`): a record is counted by its date, its last change, its type, its bank account and,
//! while it is open, the day it is due. Totals of filtered lists are read from them.

use std::borrow::{Borrow, Cow};
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Deref;
use std::sync::Arc;

use crate::domain::books::records::contact::ContactRecord;
use crate::domain::books::records::document::DocumentRecord;
use crate::domain::books::records::journal::JournalView;
use crate::domain::books::records::settlement::{SettlementRecord, list_name};
use crate::domain::books::records::statement_line::StatementLineRecord;
use crate::domain::books::records::vat_adjustment::{self, VatAdjustmentRecord};
use crate::domain::date::Date;
use crate::domain::ledger::allocation::Allocation;
use crate::domain::ledger::open_item::OpenItem;
use crate::domain::ledger::trade::TradeMovement;
use crate::domain::ledger::vat::VatEntry;

/// A journal with its lines.
#[derive(Debug)]
pub(crate) struct JournalEntry {
    pub(crate) view: JournalView,
    /// For each line: none when its account has no balances by customer and supplier, otherwise whether the journal, or
    /// the journal that it reverses, comes from no document.
    pub(crate) direct: Vec<Option<bool>>,
    /// None when it moves no money.
    pub(crate) cash: Option<CashMovement>,
    /// Its lines among debtors and creditors that nothing else stands behind; of a reversal, those that it takes away.
    pub(crate) open_items: Vec<OpenItem>,
    /// Of the closing of a financial year, and of what undoes one: the day from which each line counts.
    pub(crate) counting_days: Option<Vec<Date>>,
}

/// What a journal moves on all bank accounts taken together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CashMovement {
    /// Debits less credits; not 0.
    pub(crate) pence: i64,
    /// The date of the journal that it reverses.
    pub(crate) reversed: Option<Date>,
}

/// What made an entry of the VAT sub-ledger.
#[derive(Debug, Clone, Copy)]
pub(crate) enum VatCause {
    /// A journal, and the line of it where one is known.
    Journal(i64, Option<i64>),
    /// Money: this receipt or payment was set against the document, or released from it.
    Settlement(i64),
    /// Credit that was set against the document, or released from it.
    Credit,
}

/// An entry of the VAT sub-ledger, with the identifiers of where it comes from, as far as these are known.
#[derive(Debug)]
pub(crate) struct VatEntryRecord {
    pub(crate) id: i64,
    pub(crate) cause: VatCause,
    pub(crate) document: Option<i64>,
    pub(crate) document_line: Option<i64>,
    /// The position of the history at which it was made: that of its own command, or the next.
    pub(crate) cursor: i64,
    pub(crate) entry: VatEntry,
}

/// An entry of the history.
#[derive(Debug)]
pub(crate) struct ChangeEntry {
    pub(crate) cursor: i64,
    pub(crate) at_ms: i64,
    pub(crate) user_id: i64,
    pub(crate) key_prefix: Option<String>,
    pub(crate) via: &'static str,
    pub(crate) action: &'static str,
    pub(crate) resource: &'static str,
    pub(crate) id: i64,
    pub(crate) summary: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    pub(crate) grant_id: Option<i64>,
    pub(crate) tool: Option<&'static str>,
    pub(crate) note: Option<Arc<str>>,
}

/// An answer stored under an `Idempotency-Key`.
#[derive(Debug)]
pub(crate) struct ReplayRecord {
    pub(crate) user_id: i64,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) key: String,
    pub(crate) body_hash: String,
    pub(crate) status: i64,
    pub(crate) body: String,
    pub(crate) at_ms: i64,
    pub(crate) expires_ms: i64,
}

/// A change of the period lock.
#[derive(Debug)]
pub(crate) struct LockChangeRecord {
    pub(crate) id: i64,
    pub(crate) user_id: i64,
    pub(crate) date: Option<Date>,
    pub(crate) reason: Option<String>,
    pub(crate) at_ms: i64,
}

/// A voided journal.
#[derive(Debug)]
pub(crate) struct ReversalRecord {
    pub(crate) journal: i64,
    /// The date of the voided journal.
    pub(crate) date: Date,
    pub(crate) reversal: i64,
    pub(crate) reason: Option<String>,
}

/// One effect of a command.
#[derive(Debug)]
pub(crate) enum Effect {
    /// The account of the books is written.
    Account(i64),
    /// The bank account of the books is written.
    BankAccount(i64),
    /// The contact of the facts is written; likewise the documents, settlements, statement lines, imports, adjustments of the
    /// VAT return, recorded returns, write-offs and e-mails.
    Contact(i64),
    Document(i64),
    /// The lines of the document of the facts are written.
    DocumentLines {
        id: i64,
        is_new: bool,
    },
    Settlement(i64),
    StatementLine(i64),
    Import(i64),
    VatAdjustment(i64),
    VatReturn(i64),
    WriteOff(i64),
    Email(i64),
    ContactDeleted(i64),
    DocumentDeleted(i64),
    StatementLineDeleted(i64),
    VatReturnDeleted(i64),
    Allocation(Box<Allocation>),
    /// The highest number of a sequence.
    Sequence {
        family: &'static str,
        prefix: String,
        highest: u64,
    },
    Journal(Box<JournalEntry>),
    /// A document was issued or voided: what it sold or bought counts, or counts no more.
    Trade(Box<TradeMovement>),
    /// An account with postings became a bank account: what its journals moved is counted again.
    CashCounted,
    Reversal(Box<ReversalRecord>),
    VatEntry(Box<VatEntryRecord>),
    LockChange(Box<LockChangeRecord>),
    /// The VAT schemes of the books are written.
    VatSchemes,
    /// The financial years of the books are written.
    FinancialYears,
    /// The closed financial years of the facts are written.
    ClosedYears,
    /// A preview under the hash of its token; the body of a used preview is empty.
    Preview {
        hash: String,
        body: String,
    },
    /// A counter of a list by status grows by so many.
    Count(&'static str, Cow<'static, str>, i64),
    /// A counter of a list by day grows by so many.
    CountDay(ListDay, i64),
    /// The coding policy of the facts is written.
    CodingPolicy(i64),
    Change(Box<ChangeEntry>),
    Replay(Box<ReplayRecord>),
}

/// The effects of a group, each with its organisation.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    log: Vec<(i64, Effect)>,
}

/// How many effects there were.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EffectsMark(usize);

impl Effects {
    /// Adds an effect.
    pub(crate) fn push(&mut self, organisation: i64, effect: Effect) {
        self.log.push((organisation, effect));
    }

    /// Adds to a counter of a list.
    pub(crate) fn count(
        &mut self,
        organisation: i64,
        list: &'static str,
        status: impl Into<Cow<'static, str>>,
        by: i64,
    ) {
        self.push(organisation, Effect::Count(list, status.into(), by));
    }

    /// Adds to a counter of a list on a day.
    pub(crate) fn count_day(&mut self, organisation: i64, date: ListDay, by: i64) {
        self.push(organisation, Effect::CountDay(date, by));
    }

    /// Moves a record from the counters that counted it to those that count it now.
    pub(crate) fn move_counters(
        &mut self,
        organisation: i64,
        before: Option<ListCounters>,
        after: Option<ListCounters>,
    ) {
        let moves = before.into_iter().map(|one| (one, -1)).chain(after.into_iter().map(|one| (one, 1)));
        for (counters, by) in moves {
            for (date, many) in counters.days() {
                self.count_day(organisation, date, by * many);
            }
            for (list, status, many) in counters.counts() {
                self.count(organisation, list, status, by * many);
            }
        }
    }

    /// The sum of the debits of the journals, in pence.
    pub(crate) fn debits_pence(&self) -> i64 {
        let journals = self.log.iter().map(|(_, effect)| match effect {
            Effect::Journal(journal) => journal.view.total_pence,
            _ => 0,
        });
        journals.sum()
    }

    /// The number of journals posted.
    pub(crate) fn journals(&self) -> u64 {
        self.log.iter().map(|(_, effect)| u64::from(matches!(effect, Effect::Journal(_)))).sum()
    }

    /// The hashes of the tokens whose previews are stored.
    pub(crate) fn preview_hashes(&self) -> impl Iterator<Item = &str> {
        self.log.iter().filter_map(|(_, effect)| match effect {
            Effect::Preview { hash, .. } => Some(hash.as_str()),
            _ => None,
        })
    }

    /// The present state, to be returned to by [`Self::undo_to`].
    pub(crate) const fn mark(&self) -> EffectsMark {
        EffectsMark(self.log.len())
    }

    /// Drops the effects added since a mark.
    pub(crate) fn undo_to(&mut self, mark: EffectsMark) {
        self.log.truncate(mark.0);
    }

    /// The effects added since a mark.
    pub(crate) fn since(&self, mark: EffectsMark) -> impl Iterator<Item = &Effect> + Clone {
        self.log.iter().skip(mark.0).map(|(_, effect)| effect)
    }

    /// The effects in order, each with its organisation.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(i64, Effect)> {
        self.log.iter()
    }
}

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
        let bank_account = self.bank_account.map(|id| ("bank_account", bank_account_status(id, self.status).into(), 1));
        let kind = self.kind.map(|(list, kind)| (list, kind.into(), 1));
        let owed = self.due.filter(|(_, pence)| *pence > 0).zip(type_list(self.list));
        let open = owed.map(|(_, list)| (list, "open".into(), 1));
        let owed = owed.map(|((_, pence), list)| (list, "owed".into(), pence));
        [kind, bank_account, open, owed].into_iter().flatten()
    }
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
            kind: type_list(list).filter(|_| is_open).map(|list| (list, "unallocated")),
            bank_account: None,
            due: None,
        }
    }
}

impl From<&VatAdjustmentRecord> for ListCounters {
    fn from(row: &VatAdjustmentRecord) -> Self {
        Self {
            list: vat_adjustment::LIST,
            status: row.status(),
            date: Some(row.date),
            changed_ms: row.updated_at_ms,
            kind: None,
            bank_account: None,
            due: None,
        }
    }
}

/// The list that counts the receipts or invoices of a list by what is open (`sales_invoice type`); none for other lists.
pub(crate) fn type_list(list: &str) -> Option<&'static str> {
    Some(match list {
        "sales_invoice" => "sales_invoice type",
        "purchase_invoice" => "purchase_invoice type",
        "customer_receipt" => "customer_receipt type",
        "supplier_payment" => "supplier_payment type",
        _ => return None,
    })
}

/// The counter of the lines of a bank account with a status.
pub(crate) fn bank_account_status(id: i64, status: &str) -> String {
    format!("{id} {status}")
}

/// A map that logs the value before every change. It reads like a [`HashMap`].
#[derive(Debug)]
pub(crate) struct UndoMap<K, V> {
    map: HashMap<K, V>,
    log: Vec<(K, Option<V>)>,
}

/// A state of an [`UndoMap`]: the length of its log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UndoMark(usize);

impl<K, V> Default for UndoMap<K, V> {
    fn default() -> Self {
        Self { map: HashMap::new(), log: Vec::new() }
    }
}

impl<K, V> Deref for UndoMap<K, V> {
    type Target = HashMap<K, V>;

    fn deref(&self) -> &HashMap<K, V> {
        &self.map
    }
}

impl<K: Hash + Eq + Clone, V> UndoMap<K, V> {
    /// The map itself, for values that are loaded before any command is decided; such changes are never undone.
    pub(crate) const fn loading(&mut self) -> &mut HashMap<K, V> {
        &mut self.map
    }

    /// Sets a value; returns the one before.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<&V> {
        let before = self.map.insert(key.clone(), value);
        self.log.push((key, before));
        self.log.last().and_then(|(_, before)| before.as_ref())
    }

    /// Removes a value; returns it.
    pub(crate) fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let entry = self.map.remove_entry(key);
        let (key, before) = entry?;
        self.log.push((key, Some(before)));
        self.log.last().and_then(|(_, before)| before.as_ref())
    }

    /// Removes the values that do not pass.
    pub(crate) fn retain(&mut self, passes: impl Fn(&K, &V) -> bool) {
        let failing: Vec<K> =
            self.map.iter().filter(|(key, value)| !passes(key, value)).map(|(key, _)| key.clone()).collect();
        for key in failing {
            self.remove(&key);
        }
    }

    /// The present state, to be returned to by [`Self::undo_to`].
    pub(crate) const fn mark(&self) -> UndoMark {
        UndoMark(self.log.len())
    }

    /// Undoes every change since a mark, the latest first.
    pub(crate) fn undo_to(&mut self, mark: UndoMark) {
        while self.log.len() > mark.0 {
            match self.log.pop() {
                Some((key, Some(before))) => {
                    self.map.insert(key, before);
                }
                Some((key, None)) => {
                    self.map.remove(&key);
                }
                None => return,
            }
        }
    }
}

impl<K: Hash + Eq + Clone, V: Clone> UndoMap<K, V> {
    /// Changes a value in place, if there is one.
    pub(crate) fn update<Q: Hash + Eq + ?Sized>(&mut self, key: &Q, change: impl FnOnce(&mut V))
    where
        K: Borrow<Q>,
    {
        let Some((key, before)) = self.map.get_key_value(key) else { return };
        let (key, before) = (key.clone(), before.clone());
        if let Some(value) = self.map.get_mut::<K>(&key) {
            change(value);
            self.log.push((key, Some(before)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_undone_to_a_mark_are_dropped_and_the_others_are_in_order() {
        let mut effects = Effects::default();
        effects.push(1, Effect::Contact(5));
        effects.count(1, "customer", "active", 1);
        let (mark, before) = (effects.mark(), format!("{effects:?}"));
        effects.push(2, Effect::Preview { hash: "hash".to_owned(), body: "{}".to_owned() });
        effects.count_day(2, ListDay::dated("journal", None, Date::numbered(20_000)), 1);
        assert_eq!(effects.preview_hashes().collect::<Vec<_>>(), ["hash"]);
        effects.undo_to(mark);
        assert_eq!(effects.preview_hashes().count(), 0);
        assert_eq!(format!("{effects:?}"), before);
        effects.push(3, Effect::Account(9));
        let organisations: Vec<i64> = effects.iter().map(|(organisation, _)| *organisation).collect();
        assert_eq!(organisations, [1, 1, 3]);
    }
}

#[cfg(test)]
mod undo_tests {
    use super::*;

    #[test]
    fn changes_are_undone_to_the_mark_and_no_further() {
        let mut map = UndoMap::default();
        map.loading().insert(1, "loaded");
        map.insert(2, "before");
        let mark = map.mark();
        assert_eq!(map.insert(1, "changed"), Some(&"loaded"));
        map.insert(3, "new");
        map.update(&2, |value| *value = "updated");
        map.remove(&2);
        map.retain(|key, _| *key != 3);
        let inner = map.mark();
        map.insert(1, "again");
        map.undo_to(inner);
        assert_eq!(map.get(&1), Some(&"changed"));
        map.undo_to(mark);
        let mut left: Vec<_> = map.iter().map(|(key, value)| (*key, *value)).collect();
        left.sort_unstable();
        assert_eq!(left, [(1, "loaded"), (2, "before")]);
    }

    #[test]
    fn a_missing_value_is_neither_updated_nor_removed() {
        let mut map: UndoMap<i32, i32> = UndoMap::default();
        let mark = map.mark();
        map.update(&1, |value| *value += 1);
        assert_eq!(map.remove(&1), None);
        map.undo_to(mark);
        assert!(map.is_empty());
    }
}
