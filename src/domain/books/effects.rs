//! The effects of the commands of a group, in the order of their decisions. An effect on a record that may change again
//! is its identifier: the record is written as the books or facts hold it in the end. A record that is only ever added
//! is part of its effect.
//!
//! `decide`, `history` and `idempotency` push effects; `store::books::write` writes them to the database. A group is the
//! commands that are committed together; facts are the records that were loaded for them.

use std::borrow::Cow;

use super::counters::{ListCounters, ListDay};
use super::records::journal::JournalView;
use crate::domain::date::Date;
use crate::domain::ledger::allocation::Allocation;
use crate::domain::ledger::vat_entry::VatEntry;

/// A journal with its lines.
#[derive(Debug)]
pub(crate) struct JournalEntry {
    pub(crate) view: JournalView,
    /// For each line: none when its account has no balances by customer and supplier, otherwise whether the journal, or
    /// the journal that it reverses, comes from no document.
    pub(crate) direct: Vec<Option<bool>>,
}

/// An entry of the VAT sub-ledger, with the identifiers of where it comes from, as far as these are known.
#[derive(Debug)]
pub(crate) struct VatEntryRecord {
    pub(crate) id: i64,
    /// The journal and the line of it.
    pub(crate) journal: Option<(i64, Option<i64>)>,
    pub(crate) document: Option<i64>,
    pub(crate) document_line: Option<i64>,
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
    /// The contact of the facts is written; likewise the documents, settlements, statement lines and imports.
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
    ContactDeleted(i64),
    DocumentDeleted(i64),
    StatementLineDeleted(i64),
    Allocation(Box<Allocation>),
    /// The highest number of a sequence.
    Sequence {
        family: &'static str,
        prefix: String,
        highest: u64,
    },
    Journal(Box<JournalEntry>),
    Reversal(Box<ReversalRecord>),
    VatEntry(Box<VatEntryRecord>),
    LockChange(Box<LockChangeRecord>),
    /// A VAT scheme begins on a day.
    VatScheme {
        from: Date,
        scheme: &'static str,
        flat_rate: Option<i64>,
    },
    /// A preview under the hash of its token; the body of a used preview is empty.
    Preview {
        hash: String,
        body: String,
    },
    /// A counter of a list by status grows by so many.
    Count(&'static str, Cow<'static, str>, i64),
    /// A counter of a list by day grows by so many.
    CountDay(ListDay, i64),
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

    /// Whether a preview is stored.
    pub(crate) fn has_previews(&self) -> bool {
        self.log.iter().any(|(_, effect)| matches!(effect, Effect::Preview { .. }))
    }

    /// The present state, to be returned to by [`Self::undo_to`].
    pub(crate) const fn mark(&self) -> EffectsMark {
        EffectsMark(self.log.len())
    }

    /// Drops the effects added since a mark.
    pub(crate) fn undo_to(&mut self, mark: EffectsMark) {
        self.log.truncate(mark.0);
    }

    /// The effects in order, each with its organisation.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(i64, Effect)> {
        self.log.iter()
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
        assert!(effects.has_previews());
        effects.undo_to(mark);
        assert!(!effects.has_previews());
        assert_eq!(format!("{effects:?}"), before);
        effects.push(3, Effect::Account(9));
        let organisations: Vec<i64> = effects.iter().map(|(organisation, _)| *organisation).collect();
        assert_eq!(organisations, [1, 1, 3]);
    }
}
