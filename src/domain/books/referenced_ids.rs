//! What the commands of a group refer to, collected before it is loaded.

use crate::domain::books::command::{BooksCommand, Confirmation};
use crate::domain::books::records::bank_account::LedgerAccount;
use crate::domain::books::records::contact::ContactField;
use crate::domain::books::records::document::{DocumentField, DocumentRecord};
use crate::domain::books::records::opening::OpeningInput;
use crate::domain::books::records::settlement::{AllocationInput, AllocationTarget};
use crate::domain::books::request::CommandRequest;
use crate::domain::ledger::vat::Side;
use std::collections::BTreeSet;

/// What the postings of a group name.
#[derive(Default)]
pub(crate) struct ReferencedIds {
    pub(crate) contacts: BTreeSet<i64>,
    pub(crate) contact_balances: BTreeSet<i64>,
    pub(crate) references: BTreeSet<String>,
    pub(crate) journals: BTreeSet<i64>,
    pub(crate) accounts: BTreeSet<i64>,
    pub(crate) locks: BTreeSet<i64>,
    pub(crate) transactions: BTreeSet<i64>,
    /// Bank accounts whose balances are told.
    pub(crate) banks: BTreeSet<i64>,
    /// Organisations that enter lines, or look for the other side of a transfer.
    pub(crate) entering: BTreeSet<i64>,
    /// Lines that are transfers, with the bank account of their other side.
    pub(crate) transfers: BTreeSet<(i64, i64)>,
    pub(crate) replay_keys: BTreeSet<String>,
    pub(crate) documents: BTreeSet<i64>,
    pub(crate) settlements: BTreeSet<i64>,
    /// Contacts whose open invoices are to be paid, the oldest first.
    pub(crate) open_of_contacts: BTreeSet<i64>,
    pub(crate) numbers: BTreeSet<String>,
    pub(crate) supplier_references: BTreeSet<String>,
    pub(crate) imports: BTreeSet<i64>,
    /// Organisations whose opening journal matters.
    pub(crate) openings: BTreeSet<i64>,
    /// Whether opening balances that stand are to be replaced.
    pub(crate) replaces: bool,
    /// Documents that are to be voided.
    voided: BTreeSet<i64>,
    /// Settlements that are to be voided.
    pub(crate) undone_settlements: BTreeSet<i64>,
}

impl ReferencedIds {
    pub(crate) fn collect(&mut self, request: &CommandRequest) {
        for action in request.command.parts() {
            self.collect_command(request, action);
        }
        self.replay_keys.extend(request.replay.as_ref().map(|replay| replay.key.clone()));
    }

    fn collect_command(&mut self, request: &CommandRequest, action: &BooksCommand) {
        match action {
            BooksCommand::PatchOrganisation(_)
            | BooksCommand::CreateAccount(_)
            | BooksCommand::PreviewImport { .. } => {}
            BooksCommand::PreviewOpening { entry, .. } => {
                self.openings.insert(request.organisation.0);
                self.collect_opening(entry);
            }
            BooksCommand::SetOpening { entry, .. } => {
                self.openings.insert(request.organisation.0);
                self.locks.insert(request.organisation.0);
                if let Some(entry) = entry {
                    self.collect_opening(entry);
                }
            }
            BooksCommand::ConfirmImport(confirmed) => {
                self.imports.insert(confirmed.id);
            }
            BooksCommand::CreateDocument { entry, .. } => {
                self.contacts.insert(entry.contact_id);
                self.documents.extend(entry.origin_id);
                self.numbers.extend(entry.number.clone());
                self.supplier_references.extend(entry.supplier_reference.clone());
            }
            BooksCommand::PatchDocument { id, fields, .. } => {
                self.documents.insert(*id);
                fields.iter().for_each(|field| self.collect_field(field));
            }
            BooksCommand::DeleteDocument { id, .. } | BooksCommand::IssueDocument { id, .. } => {
                self.documents.insert(*id);
            }
            BooksCommand::VoidDocument { id, .. } => {
                self.documents.insert(*id);
                self.voided.insert(*id);
            }
            BooksCommand::AllocateCredit { id, allocations, .. } => {
                self.documents.insert(*id);
                self.collect_targets(allocations);
            }
            BooksCommand::UnallocateCredit { id, .. } => {
                self.documents.insert(*id);
            }
            BooksCommand::CreateSettlement(_)
            | BooksCommand::PatchSettlement { .. }
            | BooksCommand::AllocateSettlement { .. }
            | BooksCommand::UnallocateSettlement { .. }
            | BooksCommand::VoidSettlement { .. } => self.collect_settlement(action),
            BooksCommand::LockPeriod { .. } => {
                self.locks.insert(request.organisation.0);
            }
            BooksCommand::PatchAccount { id, .. } | BooksCommand::ArchiveAccount { id, .. } => {
                self.accounts.insert(*id);
            }
            BooksCommand::CreateContact { fields, .. } => self.collect_references(fields),
            BooksCommand::PatchContact { id, fields, .. } => {
                self.contacts.insert(*id);
                self.contact_balances.insert(*id);
                self.collect_references(fields);
            }
            BooksCommand::ArchiveContact { id, .. } | BooksCommand::DeleteContact { id, .. } => {
                self.contacts.insert(*id);
                self.contact_balances.insert(*id);
            }
            BooksCommand::PostJournal(journal) => {
                self.contacts.extend(journal.lines.iter().filter_map(|line| line.contact_id).map(|id| id.0));
            }
            BooksCommand::VoidJournal { id, .. } => {
                self.openings.insert(request.organisation.0);
                self.journals.insert(*id);
            }
            BooksCommand::CreateBankAccount { account, .. } => {
                if let LedgerAccount::Existing(id) = account {
                    self.accounts.insert(*id);
                    self.openings.insert(request.organisation.0);
                }
            }
            BooksCommand::PatchBankAccount { id, .. } | BooksCommand::ArchiveBankAccount { id } => {
                self.banks.insert(*id);
            }
            BooksCommand::CreateBankTransaction { .. } | BooksCommand::ImportBankTransactions(_) => {
                self.entering.insert(request.organisation.0);
            }
            BooksCommand::PatchBankTransaction { id, suggestion } => {
                self.transactions.insert(*id);
                self.contacts.extend(suggestion.contact_id.flatten());
            }
            BooksCommand::DeleteBankTransaction { id }
            | BooksCommand::ExcludeBankTransaction { id, .. }
            | BooksCommand::Unconfirm { id } => {
                self.transactions.insert(*id);
            }
            BooksCommand::Confirm { items, .. } => {
                for (id, confirmation) in items {
                    self.transactions.insert(*id);
                    match confirmation {
                        Confirmation::TransferWith(other) => {
                            self.transactions.insert(*other);
                        }
                        Confirmation::MatchJournal(journal) => {
                            self.journals.insert(*journal);
                            self.entering.insert(request.organisation.0);
                        }
                        Confirmation::TransferTo(bank) => {
                            self.entering.insert(request.organisation.0);
                            self.transfers.insert((*id, *bank));
                        }
                        Confirmation::Settlement { .. } | Confirmation::MatchSettlement { .. } => {
                            self.collect_confirmed_settlement(confirmation);
                        }
                        Confirmation::Suggested | Confirmation::Coded(_) => {}
                    }
                }
            }
        }
    }
}

impl ReferencedIds {
    fn collect_field(&mut self, field: &DocumentField) {
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
    pub(crate) fn collect_targets(&mut self, allocations: &[AllocationInput]) {
        for allocation in allocations {
            match allocation.to {
                AllocationTarget::Invoice(id) | AllocationTarget::CreditNote(id) => self.documents.insert(id),
                AllocationTarget::Settlement(id) => self.settlements.insert(id),
            };
        }
    }

    /// A document that is at hand: its journal is wanted if it is to be voided.
    pub(crate) fn collect_loaded(&mut self, document: &DocumentRecord) {
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

    fn collect_opening(&mut self, entry: &OpeningInput) {
        self.replaces |= entry.replaces;
        for document in &entry.documents {
            self.contacts.insert(document.contact_id.0);
            match document.kind.side() {
                Side::Output => self.numbers.insert(document.number.clone()),
                Side::Input => self.supplier_references.insert(document.number.clone()),
            };
        }
    }

    fn collect_references(&mut self, fields: &[ContactField]) {
        for field in fields {
            if let ContactField::Reference(Some(reference)) = field {
                self.references.insert(reference.clone());
            }
        }
    }
}
