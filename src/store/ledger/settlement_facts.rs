//! What a group loads to decide receipts and payments, and the identifiers they take.

use std::collections::BTreeSet;

use super::action::Action;
use super::facts::{Facts, json};
use super::ids::Kind;
use super::named::Named;
use super::post::{Confirmation, Post};
use super::settlements::AllocationEntry;
use crate::domain::ledger::allocation::AllocationEnd;
use crate::domain::ledger::ids::{DocumentId, SettlementId};
use crate::store::StoreError;
use crate::store::sql::{Unit, params};

/// An allocation begins on a day and may end on one.
const DAYS: i64 = 2;
/// VAT codes there are.
const CODES: i64 = 5;

impl Named {
    /// Notes what a posting about settlements names.
    pub(super) fn note_settlement(&mut self, action: &Action) {
        match action {
            Action::CreateSettlement(entry) => {
                self.contacts.insert(entry.contact_id);
                self.note_targets(&entry.allocations);
                if entry.is_auto_allocated {
                    self.open_of_contacts.insert(entry.contact_id);
                }
            }
            Action::AllocateSettlement { id, allocations, .. } => {
                self.settlements.insert(*id);
                self.note_targets(allocations);
            }
            Action::PatchSettlement { id, .. } | Action::UnallocateSettlement { id, .. } => {
                self.settlements.insert(*id);
            }
            Action::VoidSettlement { id, .. } => {
                self.settlements.insert(*id);
                self.undone_settlements.insert(*id);
            }
            _ => {}
        }
    }

    /// Notes what the confirmation of a line names.
    pub(super) fn note_confirmed_settlement(&mut self, confirmation: &Confirmation) {
        match confirmation {
            Confirmation::Settlement { contact_id, allocations, .. } => {
                self.contacts.insert(*contact_id);
                self.note_targets(allocations);
            }
            Confirmation::MatchSettlement { id, .. } => {
                self.settlements.insert(*id);
            }
            _ => {}
        }
    }
}

/// Finds the settlements behind lines that are taken out of the books and behind journals that lines are matched with;
/// then the journals of those that are undone, and the lines that show them.
pub(super) async fn find(
    unit: &Unit<'_>,
    posts: &[&Post],
    named: &mut Named,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let among = unit.numbers_of_json();
    let (mut unconfirmed, mut matched) = (BTreeSet::new(), BTreeSet::new());
    for post in posts {
        match &post.action {
            Action::Unconfirm { id } => {
                unconfirmed.insert(*id);
            }
            Action::Confirm { items, .. } => {
                matched.extend(items.iter().filter_map(|(_, confirmation)| match confirmation {
                    Confirmation::MatchJournal(journal) => Some(*journal),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    if !unconfirmed.is_empty() {
        let sql = format!(
            "select settlement_id, kind from bank_transaction where id in {among} and settlement_id is not null"
        );
        for row in unit.all(&sql, params![json(&unconfirmed)]).await? {
            let (id, kind): (i64, Option<String>) = (row.get(0)?, row.get(1)?);
            named.settlements.insert(id);
            if kind.as_deref() != Some("match") {
                named.undone_settlements.insert(id);
            }
        }
    }
    if !matched.is_empty() {
        let sql = format!("select id from settlement where journal_id in {among}");
        for row in unit.all(&sql, params![json(&matched)]).await? {
            named.settlements.insert(row.get(0)?);
        }
    }
    if !named.undone_settlements.is_empty() {
        let sql = format!(
            "select s.id, s.bank_transaction_id, j.id from settlement s join journal j \
             on j.organisation_id = s.organisation_id and j.source_type = s.kind and j.source_id = s.id \
             where s.id in {among} order by j.id"
        );
        for row in unit.all(&sql, params![json(&named.undone_settlements)]).await? {
            let journal: i64 = row.get(2)?;
            named.transactions.extend(row.get::<Option<i64>>(1)?);
            named.journals.insert(journal);
            facts.settlement_journals.entry(row.get(0)?).or_default().push(journal);
        }
    }
    Ok(())
}

/// The identifiers that a posting about settlements may take. `allocated` is how many allocations the whole group may
/// make, and `issued` how many documents it may issue.
pub(super) fn wanted(action: &Action, facts: &Facts, allocated: usize, issued: usize) -> Vec<(Kind, i64)> {
    match action {
        Action::CreateSettlement(entry) if entry.is_auto_allocated => {
            let mut wanted = of_new(facts, &entry.allocations, documents_of(facts, entry.contact_id), allocated);
            // What the group issues before is open by then.
            let (issued, entries) = (count(issued), DAYS * CODES * count(issued * allocated));
            wanted.extend([(Kind::Allocation, issued), (Kind::VatEntry, entries)]);
            wanted.extend([(Kind::Journal, issued), (Kind::JournalLine, 2 * issued)]);
            wanted
        }
        Action::CreateSettlement(entry) => of_new(facts, &entry.allocations, Vec::new(), allocated),
        Action::AllocateSettlement { allocations, .. } => {
            let mut wanted = of_new(facts, allocations, Vec::new(), allocated);
            // A later posting of the group may undo the journals of it.
            wanted
                .extend([(Kind::Journal, count(allocations.len())), (Kind::JournalLine, 2 * count(allocations.len()))]);
            wanted
        }
        Action::UnallocateSettlement { id, allocation_ids, .. } => {
            let journals = count(allocation_ids.len());
            let vat = vat_entries(facts, settled_by(facts, *id), allocated);
            // Two lines each, and as many again should the group undo them.
            vec![
                (Kind::Account, 1),
                (Kind::Journal, 2 * journals),
                (Kind::JournalLine, 4 * journals),
                (Kind::VatEntry, vat),
            ]
        }
        Action::VoidSettlement { id, .. } => of_undone(facts, *id, allocated),
        _ => Vec::new(),
    }
}

/// The identifiers that a line confirmed as a settlement may take beside those of a coded line.
pub(super) fn wanted_of_confirmed(confirmation: &Confirmation, facts: &Facts, allocated: usize) -> Vec<(Kind, i64)> {
    match confirmation {
        Confirmation::Settlement { allocations, .. } => of_new(facts, allocations, Vec::new(), allocated),
        _ => Vec::new(),
    }
}

/// How many allocations a group may make.
pub(super) fn allocated(posts: &[&Post]) -> usize {
    let of_action = |action: &Action| match action {
        Action::CreateSettlement(entry) => entry.allocations.len() + usize::from(entry.is_auto_allocated),
        Action::AllocateSettlement { allocations, .. } | Action::AllocateCredit { allocations, .. } => {
            allocations.len()
        }
        Action::Confirm { items, .. } => items
            .iter()
            .map(|(_, confirmation)| match confirmation {
                Confirmation::Settlement { allocations, .. } => allocations.len(),
                _ => 0,
            })
            .sum(),
        _ => 0,
    };
    posts.iter().flat_map(|post| post.action.parts()).map(of_action).sum()
}

fn of_new(facts: &Facts, entries: &[AllocationEntry], open: Vec<i64>, allocated: usize) -> Vec<(Kind, i64)> {
    let allocations = count(entries.len() + open.len());
    let targets = entries.iter().filter_map(|entry| match entry.to {
        super::settlements::AllocationTarget::Invoice(id) | super::settlements::AllocationTarget::CreditNote(id) => {
            Some(id)
        }
        super::settlements::AllocationTarget::Settlement(_) => None,
    });
    let documents: BTreeSet<i64> = targets.chain(open).collect();
    vec![
        (Kind::Settlement, 1),
        (Kind::Account, 2),
        (Kind::Allocation, allocations),
        // Its own, and one for the CIS of each allocation that counts later.
        (Kind::Journal, 1 + allocations),
        (Kind::JournalLine, 3 + 2 * allocations),
        (Kind::VatEntry, vat_entries(facts, documents, allocated)),
    ]
}

/// What undoing a settlement takes.
pub(super) fn of_undone(facts: &Facts, id: i64, allocated: usize) -> Vec<(Kind, i64)> {
    let journals = facts.settlement_journals.get(&id).map_or(&[][..], Vec::as_slice);
    vec![
        (Kind::Journal, count(journals.len())),
        (Kind::JournalLine, 3 * count(journals.len())),
        (Kind::VatEntry, vat_entries(facts, settled_by(facts, id), allocated)),
    ]
}

/// How many documents a group may issue.
pub(super) fn issued(posts: &[&Post]) -> usize {
    let issues = |action: &Action| matches!(action, Action::CreateDocument { .. } | Action::IssueDocument { .. });
    posts.iter().flat_map(|post| post.action.parts()).filter(|action| issues(action)).count()
}

/// The documents of a contact at hand: what is settled now may be open again by the time it is asked for.
fn documents_of(facts: &Facts, contact_id: i64) -> Vec<i64> {
    facts.documents.values().filter(|(_, row)| row.contact_id == contact_id).map(|(_, row)| row.id).collect()
}

/// The documents that a settlement is set against.
pub(super) fn settled_by(facts: &Facts, id: i64) -> BTreeSet<i64> {
    let known = facts.register.settlements.get(&SettlementId(id));
    let allocations = known.map_or(&[][..], |known| known.allocations.as_slice());
    let documents = allocations.iter().flat_map(|one| [one.from, one.to]).filter_map(|end| match end {
        AllocationEnd::Document(id) => Some(id.0),
        AllocationEnd::Settlement(_) => None,
    });
    documents.collect()
}

/// A credit note and the documents that it is set against.
pub(super) fn credited_by(facts: &Facts, id: i64) -> BTreeSet<i64> {
    let known = facts.register.documents.get(&DocumentId(id));
    let allocations = known.map_or(&[][..], |known| known.allocations.as_slice());
    let documents = allocations.iter().flat_map(|one| [one.from, one.to]).filter_map(|end| match end {
        AllocationEnd::Document(id) => Some(id.0),
        AllocationEnd::Settlement(_) => None,
    });
    documents.chain([id]).collect()
}

/// How many entries payments of these documents may add to a return under cash accounting: each day on which an
/// allocation begins or ends, with each code.
pub(super) fn vat_entries(facts: &Facts, documents: impl IntoIterator<Item = i64>, allocated: usize) -> i64 {
    let known = |id| facts.register.documents.get(&DocumentId(id)).map_or(0, |known| known.allocations.len());
    documents.into_iter().map(|id| DAYS * CODES * count(known(id) + allocated)).sum()
}

fn count(of: usize) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}
