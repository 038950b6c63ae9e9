//! The history of the books: an entry for every change, written with it and never altered.
//!
//! Entries of an organisation are numbered under the lock of its books, so that nobody who has read one ever misses an
//! earlier one, whichever process wrote it.

use super::audit_fields::{AuditFields, audit_json, truncated};
use super::counters::ListDay;
use super::decide::BooksTransaction;
use super::effects::{ChangeEntry, Effect, Effects, ReversalRecord};
use super::records::journal::JournalView;
use super::records::organisation::OrganisationRecord;
use super::request::Actor;
use crate::domain::date::Date;
use crate::domain::ledger::change::{ChangeAction, Resource};

/// Longer summaries are truncated.
const SUMMARY_CHARS_MAX: usize = 300;

/// A change of a record, as the history describes it.
pub(crate) struct Change {
    /// What was done to the record.
    pub(crate) action: ChangeAction,
    /// The kind of the record.
    pub(crate) resource: Resource,
    /// The identifier of the record.
    pub(crate) id: i64,
    /// A sentence for people.
    pub(crate) summary: String,
    /// The fields before; none when it was created.
    pub(crate) before: Option<AuditFields>,
    /// The fields after; none when it was deleted.
    pub(crate) after: Option<AuditFields>,
}

impl BooksTransaction<'_> {
    /// Adds a change to the history. Every decision calls it once no rule can refuse the command any more. Journals are
    /// recorded by [`BooksTransaction::write_journal`] and [`BooksTransaction::record_void`].
    pub(crate) fn record_change(
        &mut self,
        action: ChangeAction,
        (resource, id): (Resource, i64),
        summary: impl Into<String>,
        before: Option<AuditFields>,
        after: Option<AuditFields>,
    ) {
        let change = Change { action, resource, id, summary: summary.into(), before, after };
        let entry = entry(self.books.next_change, self.actor, self.now_ms, &change);
        self.books.next_change += 1;
        self.effects.push(self.organisation(), Effect::Change(Box::new(entry)));
    }

    /// Records that a journal is void: with its reversal, in the counters and in the history.
    pub(crate) fn record_void(&mut self, journal: &JournalView, reversal: i64, reason: Option<&str>) {
        self.push_reversal((journal.id, journal.entry_date), reversal, reason);
        let before =
            AuditFields::new().text("status", "posted").number("reversed_by_journal_id", None).text("reason", None);
        let after =
            AuditFields::new().text("status", "void").number("reversed_by_journal_id", reversal).text("reason", reason);
        let summary = format!("Journal {} voided", journal.number);
        self.record_change(ChangeAction::Void, (Resource::Journal, journal.id), summary, Some(before), Some(after));
    }

    /// Records that a journal is void, without an entry of the history: the voided settlement has one.
    pub(crate) fn push_reversal(&mut self, (journal, date): (i64, Date), reversal: i64, reason: Option<&str>) {
        let organisation = self.organisation();
        self.effects.count_day(organisation, ListDay::dated("journal", Some("void"), date), 1);
        // The reversal counts as posted, the original as void.
        self.effects.count(organisation, "journal", "void", 1);
        let record = ReversalRecord { journal, date, reversal, reason: reason.map(str::to_owned) };
        self.effects.push(organisation, Effect::Reversal(Box::new(record)));
        self.facts.journals.update(&journal, |loaded| loaded.view.reversed_by = Some(reversal));
    }
}

/// Adds the first entry of a history. The accounts of the standard chart have no entries of their own.
pub(crate) fn record_organisation_created(effects: &mut Effects, row: &OrganisationRecord, actor: &Actor, at_ms: i64) {
    let change = Change {
        action: ChangeAction::Create,
        resource: Resource::Organisation,
        id: row.id.0,
        summary: format!("Organisation {} made", row.name),
        before: None,
        after: Some(row.audit_fields()),
    };
    effects.push(row.id.0, Effect::Change(Box::new(entry(1, actor, at_ms, &change))));
}

/// The entry of a history with this number.
fn entry(cursor: i64, actor: &Actor, at_ms: i64, change: &Change) -> ChangeEntry {
    let (before, after) = audit_json(change.before.as_ref(), change.after.as_ref());
    ChangeEntry {
        cursor,
        at_ms,
        user_id: actor.user_id.0,
        key_prefix: actor.key_prefix.clone(),
        via: actor.via.as_str(),
        action: change.action.as_str(),
        resource: change.resource.as_str(),
        id: change.id,
        summary: truncated(&change.summary, SUMMARY_CHARS_MAX).to_owned(),
        before,
        after,
    }
}
