//! What the postings of a group name, to be loaded before they are decided.

use std::collections::BTreeSet;

use super::action::Action;
use super::contacts::ContactField;
use super::document_rows::DocumentRow;
use super::documents::DocumentField;
use super::opening::OpeningEntry;
use super::post::{Confirmation, LedgerAccount, Post};
use super::settlements::{AllocationEntry, AllocationTarget};
use crate::domain::ledger::vat::Side;

/// What the postings of a group name.
#[derive(Default)]
pub(super) struct Named {
    pub(super) contacts: BTreeSet<i64>,
    pub(super) balances_of_contacts: BTreeSet<i64>,
    pub(super) references: BTreeSet<String>,
    pub(super) journals: BTreeSet<i64>,
    pub(super) accounts: BTreeSet<i64>,
    pub(super) locks: BTreeSet<i64>,
    pub(super) transactions: BTreeSet<i64>,
    /// Bank accounts whose balances are told.
    pub(super) banks: BTreeSet<i64>,
    /// Organisations that enter lines, or look for the other side of a transfer.
    pub(super) entering: BTreeSet<i64>,
    /// Lines that are transfers, with the bank account of their other side.
    pub(super) transfers: BTreeSet<(i64, i64)>,
    pub(super) replay_keys: BTreeSet<String>,
    pub(super) documents: BTreeSet<i64>,
    pub(super) settlements: BTreeSet<i64>,
    /// Contacts whose open invoices are to be paid, the oldest first.
    pub(super) open_of_contacts: BTreeSet<i64>,
    pub(super) numbers: BTreeSet<String>,
    pub(super) supplier_references: BTreeSet<String>,
    pub(super) imports: BTreeSet<i64>,
    /// Organisations whose opening journal matters.
    pub(super) openings: BTreeSet<i64>,
    /// Whether opening balances that stand are to be replaced.
    pub(super) replaces: bool,
    /// Documents that are to be voided.
    voided: BTreeSet<i64>,
    /// Settlements that are to be voided.
    pub(super) undone_settlements: BTreeSet<i64>,
}

impl Named {
    pub(super) fn note(&mut self, post: &Post) {
        for action in post.action.parts() {
            self.note_action(post, action);
        }
        self.replay_keys.extend(post.replay.as_ref().map(|replay| replay.key.clone()));
    }

    fn note_action(&mut self, post: &Post, action: &Action) {
        match action {
            Action::PatchOrganisation(_) | Action::CreateAccount(_) | Action::PreviewImport { .. } => {}
            Action::PreviewOpening { entry, .. } => {
                self.openings.insert(post.organisation.0);
                self.note_opening(entry);
            }
            Action::SetOpening { entry, .. } => {
                self.openings.insert(post.organisation.0);
                self.locks.insert(post.organisation.0);
                if let Some(entry) = entry {
                    self.note_opening(entry);
                }
            }
            Action::ConfirmImport(confirmed) => {
                self.imports.insert(confirmed.id);
            }
            Action::CreateDocument { entry, .. } => {
                self.contacts.insert(entry.contact_id);
                self.documents.extend(entry.origin_id);
                self.numbers.extend(entry.number.clone());
                self.supplier_references.extend(entry.supplier_reference.clone());
            }
            Action::PatchDocument { id, fields, .. } => {
                self.documents.insert(*id);
                fields.iter().for_each(|field| self.note_field(field));
            }
            Action::DeleteDocument { id, .. } | Action::IssueDocument { id, .. } => {
                self.documents.insert(*id);
            }
            Action::VoidDocument { id, .. } => {
                self.documents.insert(*id);
                self.voided.insert(*id);
            }
            Action::AllocateCredit { id, allocations, .. } => {
                self.documents.insert(*id);
                self.note_targets(allocations);
            }
            Action::UnallocateCredit { id, .. } => {
                self.documents.insert(*id);
            }
            Action::CreateSettlement(_)
            | Action::PatchSettlement { .. }
            | Action::AllocateSettlement { .. }
            | Action::UnallocateSettlement { .. }
            | Action::VoidSettlement { .. } => self.note_settlement(action),
            Action::LockPeriod { .. } => {
                self.locks.insert(post.organisation.0);
            }
            Action::PatchAccount { id, .. } | Action::ArchiveAccount { id, .. } => {
                self.accounts.insert(*id);
            }
            Action::CreateContact { fields, .. } => self.note_references(fields),
            Action::PatchContact { id, fields, .. } => {
                self.contacts.insert(*id);
                self.balances_of_contacts.insert(*id);
                self.note_references(fields);
            }
            Action::ArchiveContact { id, .. } | Action::DeleteContact { id, .. } => {
                self.contacts.insert(*id);
                self.balances_of_contacts.insert(*id);
            }
            Action::PostJournal(journal) => {
                self.contacts.extend(journal.lines.iter().filter_map(|line| line.contact_id).map(|id| id.0));
            }
            Action::VoidJournal { id, .. } => {
                self.openings.insert(post.organisation.0);
                self.journals.insert(*id);
            }
            Action::CreateBankAccount { account, .. } => {
                if let LedgerAccount::Existing(id) = account {
                    self.accounts.insert(*id);
                    self.openings.insert(post.organisation.0);
                }
            }
            Action::PatchBankAccount { id, .. } | Action::ArchiveBankAccount { id } => {
                self.banks.insert(*id);
            }
            Action::CreateBankTransaction { .. } | Action::ImportBankTransactions(_) => {
                self.entering.insert(post.organisation.0);
            }
            Action::PatchBankTransaction { id, suggestion } => {
                self.transactions.insert(*id);
                self.contacts.extend(suggestion.contact_id.flatten());
            }
            Action::DeleteBankTransaction { id }
            | Action::ExcludeBankTransaction { id, .. }
            | Action::Unconfirm { id } => {
                self.transactions.insert(*id);
            }
            Action::Confirm { items, .. } => {
                for (id, confirmation) in items {
                    self.transactions.insert(*id);
                    match confirmation {
                        Confirmation::TransferWith(other) => {
                            self.transactions.insert(*other);
                        }
                        Confirmation::MatchJournal(journal) => {
                            self.journals.insert(*journal);
                            self.entering.insert(post.organisation.0);
                        }
                        Confirmation::TransferTo(bank) => {
                            self.entering.insert(post.organisation.0);
                            self.transfers.insert((*id, *bank));
                        }
                        Confirmation::Settlement { .. } | Confirmation::MatchSettlement { .. } => {
                            self.note_confirmed_settlement(confirmation);
                        }
                        Confirmation::Suggested | Confirmation::Coded(_) => {}
                    }
                }
            }
        }
    }
}

impl Named {
    fn note_field(&mut self, field: &DocumentField) {
        match field {
            DocumentField::Contact(id) => {
                self.contacts.insert(*id);
            }
            DocumentField::Origin(id) => self.documents.extend(*id),
            DocumentField::Number(number) => self.numbers.extend(number.clone()),
            DocumentField::SupplierReference(reference) => self.supplier_references.extend(reference.clone()),
            _ => {}
        }
    }

    /// What allocations are to go to.
    pub(super) fn note_targets(&mut self, allocations: &[AllocationEntry]) {
        for allocation in allocations {
            match allocation.to {
                AllocationTarget::Invoice(id) | AllocationTarget::CreditNote(id) => self.documents.insert(id),
                AllocationTarget::Settlement(id) => self.settlements.insert(id),
            };
        }
    }

    /// A document that is at hand: its journal is wanted if it is to be voided.
    pub(super) fn at_hand(&mut self, document: &DocumentRow) {
        if !self.documents.contains(&document.id) {
            return;
        }
        self.contacts.insert(document.contact_id);
        self.numbers.extend(document.number.clone());
        self.supplier_references.extend(document.supplier_reference.clone());
        if self.voided.contains(&document.id) {
            self.journals.extend(document.journal_id);
        }
    }

    fn note_opening(&mut self, entry: &OpeningEntry) {
        self.replaces |= entry.replaces;
        for document in &entry.documents {
            self.contacts.insert(document.contact_id.0);
            match document.kind.side() {
                Side::Output => self.numbers.insert(document.number.clone()),
                Side::Input => self.supplier_references.insert(document.number.clone()),
            };
        }
    }

    fn note_references(&mut self, fields: &[ContactField]) {
        for field in fields {
            if let ContactField::Reference(Some(reference)) = field {
                self.references.insert(reference.clone());
            }
        }
    }
}
