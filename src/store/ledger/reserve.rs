//! How many identifiers the postings of a group may need.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::documents::DocumentField;
use super::facts::Facts;
use super::ids::{Identifiers, Kind};
use super::post::{Action, Confirmation, Post};
use super::settlements::{AllocationEntry, AllocationTarget};
use super::shelf::Shelved;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::allocation::AllocationEnd;
use crate::domain::ledger::ids::{DocumentId, SettlementId};
use crate::store::StoreError;
use crate::store::sql::Unit;

/// Sees to it that every posting finds the identifiers it may need.
pub(super) async fn reserve(
    identifiers: &mut Identifiers,
    unit: &Unit<'_>,
    books: &HashMap<OrganisationId, Shelved>,
    facts: &Facts,
    posts: &[&Post],
) -> Result<(), StoreError> {
    let count = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
    let cash = Cash { books, facts, posts };
    // In one order everywhere, so that two processes never wait for each other.
    let mut wanted: BTreeMap<Kind, i64> = BTreeMap::new();
    for post in posts {
        let mut want = |kind, count| *wanted.entry(kind).or_default() += count;
        match &post.action {
            Action::LockPeriod { .. } => want(Kind::PeriodLockChange, 1),
            Action::CreateAccount(_) => want(Kind::Account, 1),
            Action::CreateContact { .. } => want(Kind::Contact, 1),
            Action::PostJournal(journal) => {
                let lines = i64::try_from(journal.lines.len()).unwrap_or(i64::MAX);
                want(Kind::Journal, 1);
                // Each line may be split into net and VAT.
                want(Kind::JournalLine, lines.saturating_mul(2));
                want(Kind::VatEntry, lines);
            }
            Action::VoidJournal { id, .. } => {
                let lines = facts.journals.get(id).map_or(0, |journal| journal.view.lines.len());
                let lines = i64::try_from(lines).unwrap_or(i64::MAX);
                want(Kind::Journal, 1);
                want(Kind::JournalLine, lines);
                want(Kind::VatEntry, lines);
            }
            Action::CreateBankAccount { .. } => {
                want(Kind::BankAccount, 1);
                want(Kind::Account, 1);
            }
            Action::CreateBankTransaction { .. } => want(Kind::BankTransaction, 1),
            Action::ImportBankTransactions(import) => {
                want(Kind::BankTransaction, i64::try_from(import.rows.len()).unwrap_or(i64::MAX));
                want(Kind::BankImport, 1);
            }
            Action::Confirm { items, .. } => {
                for (id, confirmation) in items {
                    let saved = facts.transactions.get(id).map_or(0, |(_, row)| row.lines.len());
                    let lines = match confirmation {
                        Confirmation::Coded(coding) => coding.lines.len(),
                        _ => saved,
                    };
                    let lines = i64::try_from(lines).unwrap_or(i64::MAX);
                    want(Kind::Journal, 1);
                    // The bank, each part, and the VAT of all of them.
                    want(Kind::JournalLine, lines.saturating_add(2));
                    want(Kind::VatEntry, lines);
                }
            }
            Action::Unconfirm { id } => {
                let journal = facts.transactions.get(id).and_then(|(_, row)| row.journal_id);
                let loaded = journal.and_then(|journal| facts.journals.get(&journal));
                let lines = loaded.map_or(0, |journal| journal.view.lines.len());
                let lines = i64::try_from(lines).unwrap_or(i64::MAX);
                want(Kind::Journal, 1);
                want(Kind::JournalLine, lines);
                want(Kind::VatEntry, lines);
            }
            Action::CreateDocument { entry, .. } => {
                let lines = count(entry.lines.len());
                want(Kind::Document, 1);
                want(Kind::DocumentLine, lines);
                want_journal(&mut want, lines);
            }
            Action::PatchDocument { id, fields, .. } => {
                let given = fields.iter().map(|field| match field {
                    DocumentField::Lines(lines) => lines.len(),
                    _ => facts.documents.get(id).map_or(0, |(_, row)| row.lines.len()),
                });
                let lines = count(given.max().unwrap_or(0));
                want(Kind::DocumentLine, lines);
                // It may be issued in the same group.
                want(Kind::JournalLine, lines);
                want(Kind::VatEntry, lines);
            }
            Action::IssueDocument { id, .. } | Action::VoidDocument { id, .. } => {
                want_journal(&mut want, count(facts.documents.get(id).map_or(0, |(_, row)| row.lines.len())));
            }
            Action::AllocateCredit { id, allocations, .. } => {
                want(Kind::Allocation, count(allocations.len()));
                want(Kind::VatEntry, cash.entries(post, named(allocations).chain([*id]), []));
            }
            Action::UnallocateCredit { id, .. } => want(Kind::VatEntry, cash.entries(post, [*id], [])),
            Action::DeleteDocument { .. } => {}
            Action::CreateSettlement(_)
            | Action::PatchSettlement { .. }
            | Action::AllocateSettlement { .. }
            | Action::UnallocateSettlement { .. }
            | Action::VoidSettlement { .. } => {}
            Action::PatchBankAccount { .. }
            | Action::ArchiveBankAccount { .. }
            | Action::PatchBankTransaction { .. }
            | Action::DeleteBankTransaction { .. }
            | Action::ExcludeBankTransaction { .. }
            | Action::PatchOrganisation(_)
            | Action::PatchAccount { .. }
            | Action::ArchiveAccount { .. }
            | Action::PatchContact { .. }
            | Action::ArchiveContact { .. }
            | Action::DeleteContact { .. } => {}
        }
    }
    for (kind, count) in wanted {
        identifiers.reserve(unit, kind, count).await?;
    }
    Ok(())
}

/// A journal of a document: what is owed, each line, and the VAT of all of them; control accounts may have to be made.
fn want_journal(want: &mut impl FnMut(Kind, i64), lines: i64) {
    want(Kind::Journal, 1);
    want(Kind::JournalLine, lines.saturating_add(2));
    want(Kind::VatEntry, lines);
    want(Kind::Account, 2);
}

/// The documents that allocations are to go to.
pub(super) fn named(allocations: &[AllocationEntry]) -> impl Iterator<Item = i64> {
    allocations.iter().filter_map(|asked| match asked.to {
        AllocationTarget::Invoice(id) | AllocationTarget::CreditNote(id) => Some(id),
        AllocationTarget::Settlement(_) => None,
    })
}

/// How many entries of VAT allocating and releasing may bring about, under cash accounting.
pub(super) struct Cash<'a> {
    books: &'a HashMap<OrganisationId, Shelved>,
    facts: &'a Facts,
    posts: &'a [&'a Post],
}

impl Cash<'_> {
    /// Each allocation has two days, and each day up to four codes, of everything that is settled by these documents and
    /// settlements or settles them.
    pub(super) fn entries(
        &self,
        post: &Post,
        documents: impl IntoIterator<Item = i64>,
        settlements: impl IntoIterator<Item = i64>,
    ) -> i64 {
        if !self.books.get(&post.organisation).is_some_and(|books| books.vat.uses_cash()) {
            return 0;
        }
        let register = &self.facts.register;
        let mut touched: BTreeSet<DocumentId> = documents.into_iter().map(DocumentId).collect();
        let settlements = settlements.into_iter().filter_map(|id| register.settlements.get(&SettlementId(id)));
        let own = touched.iter().filter_map(|id| register.documents.get(id)).flat_map(|known| &known.allocations);
        let all = own.chain(settlements.flat_map(|known| &known.allocations));
        let others: Vec<_> = all.flat_map(|one| [one.from, one.to]).collect();
        touched.extend(others.into_iter().filter_map(|end| match end {
            AllocationEnd::Document(id) => Some(id),
            AllocationEnd::Settlement(_) => None,
        }));
        // Postings before this one may have added to them.
        let added: usize = self.posts.iter().map(|post| post.action.allocations()).sum();
        let of = |id: &DocumentId| register.documents.get(id).map_or(0, |known| known.allocations.len());
        let days: usize = touched.iter().map(|id| 2 * (of(id) + added)).sum();
        i64::try_from(days.saturating_mul(4)).unwrap_or(i64::MAX)
    }
}

impl Action {
    /// How many allocations it asks for.
    fn allocations(&self) -> usize {
        match self {
            Self::AllocateCredit { allocations, .. } | Self::AllocateSettlement { allocations, .. } => {
                allocations.len()
            }
            // Automatic allocation adds one to each open invoice.
            Self::CreateSettlement(entry) => entry.allocations.len() + usize::from(entry.is_auto_allocated),
            Self::Confirm { items, .. } => {
                let asked = items.iter().map(|(_, confirmation)| match confirmation {
                    Confirmation::Settlement { allocations, .. } => allocations.len(),
                    _ => 0,
                });
                asked.sum()
            }
            _ => 0,
        }
    }
}
