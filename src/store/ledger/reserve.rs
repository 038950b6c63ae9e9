//! How many identifiers the postings of a group may need.

use std::collections::BTreeMap;

use super::action::Action;
use super::documents::DocumentField;
use super::facts::Facts;
use super::ids::{Identifiers, Kind};
use super::post::{Confirmation, Post};
use super::settlement_facts;
use crate::store::StoreError;
use crate::store::sql::Unit;

/// Sees to it that every posting finds the identifiers it may need.
pub(super) async fn reserve(
    identifiers: &mut Identifiers,
    unit: &Unit<'_>,
    facts: &Facts,
    posts: &[&Post],
) -> Result<(), StoreError> {
    let count = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
    let (allocated, issued) = (settlement_facts::allocated(posts), settlement_facts::issued(posts));
    // In one order everywhere, so that two processes never wait for each other.
    let mut wanted: BTreeMap<Kind, i64> = BTreeMap::new();
    for action in posts.iter().flat_map(|post| post.action.parts()) {
        let mut want = |kind, count| *wanted.entry(kind).or_default() += count;
        match action {
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
                want(Kind::Import, 1);
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
                    settlement_facts::wanted_of_confirmed(confirmation, facts, allocated)
                        .into_iter()
                        .for_each(|(kind, count)| want(kind, count));
                }
            }
            Action::Unconfirm { id } => {
                let line = facts.transactions.get(id).map(|(_, row)| row);
                if let Some((_, settlement)) = line.and_then(|line| line.settlement) {
                    settlement_facts::of_undone(facts, settlement, allocated)
                        .into_iter()
                        .for_each(|(kind, count)| want(kind, count));
                }
                let journal = line.and_then(|line| line.journal_id);
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
                let invoices = allocations.iter().map(|asked| asked.to.id());
                want(Kind::VatEntry, settlement_facts::vat_entries(facts, invoices.chain([*id]), allocated));
            }
            Action::UnallocateCredit { id, .. } => {
                let settled = settlement_facts::credited_by(facts, *id);
                want(Kind::VatEntry, settlement_facts::vat_entries(facts, settled, allocated));
            }
            Action::DeleteDocument { .. } => {}
            Action::CreateSettlement(_)
            | Action::PatchSettlement { .. }
            | Action::AllocateSettlement { .. }
            | Action::UnallocateSettlement { .. }
            | Action::VoidSettlement { .. } => {
                settlement_facts::wanted(action, facts, allocated, issued)
                    .into_iter()
                    .for_each(|(kind, count)| want(kind, count));
            }
            Action::SetOpening { entry, .. } => {
                let (lines, documents) =
                    entry.as_ref().map_or((0, 0), |entry| (entry.lines.len(), entry.documents.len()));
                let standing = facts.opening_journals.values().filter_map(|id| facts.journals.get(id));
                let voided: usize = standing.map(|journal| journal.view.lines.len()).sum();
                want(Kind::Journal, 2);
                // A control account has a line for every contact, and a difference one more.
                want(Kind::JournalLine, count(lines + documents + 3 + voided));
                want(Kind::PeriodLockChange, 1);
                want(Kind::Document, count(documents));
                want(Kind::DocumentLine, count(documents));
            }
            // The rehearsal of a void takes identifiers too.
            Action::PreviewOpening { .. } => {
                let standing = facts.opening_journals.values().filter_map(|id| facts.journals.get(id));
                want(Kind::Journal, 1);
                want(Kind::JournalLine, count(standing.map(|journal| journal.view.lines.len()).sum()));
            }
            Action::PreviewImport { .. } => want(Kind::Import, 1),
            Action::ConfirmImport(_)
            | Action::PatchBankAccount { .. }
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
