//! What commands refer to: the identifiers of all that has to be loaded before they are decided.

use std::collections::BTreeSet;

use crate::domain::books::command::{BooksCommand, Confirmation};
use crate::domain::books::records::bank_account::LedgerAccount;
use crate::domain::books::records::contact::ContactField;
use crate::domain::books::records::document::{DocumentField, DocumentRecord};
use crate::domain::books::records::email::EmailedDocument;
use crate::domain::books::records::opening::OpeningInput;
use crate::domain::books::records::settlement::{AllocationInput, AllocationTarget};
use crate::domain::books::request::CommandRequest;
use crate::domain::date::Date;
use crate::domain::ledger::vat::Side;

/// The identifiers and other keys of the records that commands refer to.
#[derive(Default)]
pub(crate) struct ReferencedIds {
    pub(crate) contacts: BTreeSet<i64>,
    pub(crate) contact_balances: BTreeSet<i64>,
    /// The callers' own references of contacts.
    pub(crate) contact_references: BTreeSet<String>,
    pub(crate) journals: BTreeSet<i64>,
    pub(crate) accounts: BTreeSet<i64>,
    /// Organisations whose changes of the period lock are shown or added to.
    pub(crate) locks: BTreeSet<i64>,
    pub(crate) transactions: BTreeSet<i64>,
    /// Bank accounts whose balances are shown.
    pub(crate) bank_accounts: BTreeSet<i64>,
    /// Organisations, with the days on which a VAT scheme is to begin.
    pub(crate) vat_scheme_starts: BTreeSet<(i64, Date)>,
    /// Organisations whose commands may enter or confirm the other side of a transfer.
    pub(crate) transfer_organisations: BTreeSet<i64>,
    /// Statement lines that are transfers, with the bank account of their other side.
    pub(crate) transfers: BTreeSet<(i64, i64)>,
    pub(crate) documents: BTreeSet<i64>,
    pub(crate) settlements: BTreeSet<i64>,
    /// Contacts whose open invoices a settlement pays, the oldest first.
    pub(crate) auto_allocated_contacts: BTreeSet<i64>,
    pub(crate) document_numbers: BTreeSet<String>,
    pub(crate) supplier_references: BTreeSet<String>,
    pub(crate) imports: BTreeSet<i64>,
    pub(crate) vat_adjustments: BTreeSet<i64>,
    pub(crate) vat_returns: BTreeSet<i64>,
    /// Organisations, with the last days of the periods whose returns are recorded.
    pub(crate) vat_return_ends: BTreeSet<(i64, Date)>,
    pub(crate) write_offs: BTreeSet<i64>,
    /// Organisations whose closed financial years matter.
    pub(crate) closed_years: BTreeSet<i64>,
    /// Financial years that are closed or reopened: organisation and last day.
    pub(crate) year_ends: BTreeSet<(i64, Date)>,
    pub(crate) emails: BTreeSet<i64>,
    /// Organisations whose coding policy is changed.
    pub(crate) coding_policies: BTreeSet<i64>,
    /// Organisations whose waiting e-mails are counted.
    pub(crate) mail_organisations: BTreeSet<i64>,
    /// Organisations whose opening journal matters.
    pub(crate) openings: BTreeSet<i64>,
    /// Whether posted opening balances are replaced.
    pub(crate) replaces_opening: bool,
    /// Settlements that are voided.
    pub(crate) voided_settlements: BTreeSet<i64>,
    /// Documents that are voided.
    voided_documents: BTreeSet<i64>,
}

impl ReferencedIds {
    /// Collects what a command refers to; of a bulk import, also what its rows refer to.
    pub(crate) fn collect(&mut self, request: &CommandRequest) {
        for command in request.command.parts() {
            self.collect_command(request.organisation.0, command);
        }
    }

    /// Whether there is anything of bank accounts to load, or a journal, which statement lines may be linked with.
    pub(crate) fn refers_to_bank(&self) -> bool {
        let any =
            !self.bank_accounts.is_empty() || !self.transfer_organisations.is_empty() || !self.transfers.is_empty();
        any || !self.transactions.is_empty() || !self.journals.is_empty()
    }

    /// Collects what a loaded document refers to, if a command refers to the document.
    pub(crate) fn collect_of_document(&mut self, document: &DocumentRecord) {
        if !self.documents.contains(&document.id) {
            return;
        }
        self.contacts.insert(document.contact_id);
        self.document_numbers.extend(document.number.clone());
        self.supplier_references.extend(document.supplier_reference.clone());
        if self.voided_documents.contains(&document.id) {
            self.journals.extend(document.journal_id);
        }
    }

    fn collect_command(&mut self, organisation: i64, command: &BooksCommand) {
        match command {
            BooksCommand::PreviewImport { .. }
            | BooksCommand::Plan(_)
            | BooksCommand::CommitPlan(_)
            | BooksCommand::CreateVatAdjustment(_)
            | BooksCommand::CreateAccount(_) => {}
            BooksCommand::PatchOrganisation(change) => {
                self.vat_scheme_starts.extend(change.vat.scheme_from.flatten().map(|from| (organisation, from)));
            }
            BooksCommand::LockPeriod { .. } => {
                self.locks.insert(organisation);
                self.closed_years.insert(organisation);
            }
            BooksCommand::CloseYear { last, .. } | BooksCommand::ReopenYear { last } => {
                self.locks.insert(organisation);
                self.closed_years.insert(organisation);
                self.year_ends.insert((organisation, *last));
            }
            BooksCommand::RecordVatReturn(input) => {
                self.vat_return_ends.insert((organisation, input.period_end));
            }
            BooksCommand::ChangeCodingPolicy(_) => {
                self.coding_policies.insert(organisation);
            }
            BooksCommand::DeleteVatReturn { id } => {
                self.vat_returns.insert(*id);
            }
            BooksCommand::VoidVatAdjustment { id, .. } => {
                self.vat_adjustments.insert(*id);
            }
            BooksCommand::WriteOff { invoice_id, .. } => {
                self.documents.insert(*invoice_id);
            }
            BooksCommand::VoidWriteOff { id, .. } => {
                self.write_offs.insert(*id);
            }
            BooksCommand::ConfirmImport(confirmed) => {
                self.imports.insert(confirmed.id);
            }
            BooksCommand::PatchAccount { id, .. } | BooksCommand::ArchiveAccount { id, .. } => {
                self.accounts.insert(*id);
            }
            BooksCommand::CreateContact { fields, .. } => self.collect_references(fields),
            BooksCommand::PatchContact { id, fields, .. } => {
                self.collect_contact(*id);
                self.collect_references(fields);
            }
            BooksCommand::ArchiveContact { id, .. } | BooksCommand::DeleteContact { id, .. } => {
                self.collect_contact(*id);
            }
            BooksCommand::PostJournal(_) | BooksCommand::VoidJournal { .. } => {
                self.collect_journal(organisation, command);
            }
            BooksCommand::CreateBankAccount { .. }
            | BooksCommand::PatchBankAccount { .. }
            | BooksCommand::ArchiveBankAccount { .. } => self.collect_bank_account(organisation, command),
            BooksCommand::CreateBankTransaction { .. }
            | BooksCommand::ImportBankTransactions(_)
            | BooksCommand::PatchBankTransaction { .. }
            | BooksCommand::DeleteBankTransaction { .. }
            | BooksCommand::ExcludeBankTransaction { .. }
            | BooksCommand::Confirm { .. }
            | BooksCommand::ConfirmSuggestions(_)
            | BooksCommand::SaveSuggestions(_)
            | BooksCommand::Unconfirm { .. } => self.collect_statement_line(organisation, command),
            BooksCommand::PreviewOpening { .. } | BooksCommand::SetOpening { .. } => {
                self.collect_opening(organisation, command);
            }
            BooksCommand::CreateDocument { .. }
            | BooksCommand::PatchDocument { .. }
            | BooksCommand::DeleteDocument { .. }
            | BooksCommand::IssueDocument { .. }
            | BooksCommand::VoidDocument { .. }
            | BooksCommand::AllocateCredit { .. }
            | BooksCommand::UnallocateCredit { .. } => self.collect_document(command),
            BooksCommand::SendEmail(_) | BooksCommand::ResendEmail { .. } | BooksCommand::CancelEmail { .. } => {
                self.collect_email(organisation, command);
            }
            BooksCommand::CreateSettlement(_)
            | BooksCommand::PatchSettlement { .. }
            | BooksCommand::AllocateSettlement { .. }
            | BooksCommand::UnallocateSettlement { .. }
            | BooksCommand::VoidSettlement { .. } => self.collect_settlement(command),
        }
    }

    fn collect_contact(&mut self, id: i64) {
        self.contacts.insert(id);
        self.contact_balances.insert(id);
    }

    fn collect_references(&mut self, fields: &[ContactField]) {
        for field in fields {
            if let ContactField::Reference(Some(reference)) = field {
                self.contact_references.insert(reference.clone());
            }
        }
    }

    fn collect_journal(&mut self, organisation: i64, command: &BooksCommand) {
        match command {
            BooksCommand::PostJournal(journal) => {
                self.contacts.extend(journal.lines.iter().filter_map(|line| line.contact_id).map(|id| id.0));
            }
            BooksCommand::VoidJournal { id, .. } => {
                self.openings.insert(organisation);
                self.journals.insert(*id);
            }
            _ => {}
        }
    }

    fn collect_bank_account(&mut self, organisation: i64, command: &BooksCommand) {
        match command {
            BooksCommand::CreateBankAccount { account: LedgerAccount::Existing(id), .. } => {
                self.accounts.insert(*id);
                self.openings.insert(organisation);
            }
            BooksCommand::PatchBankAccount { id, .. } | BooksCommand::ArchiveBankAccount { id } => {
                self.bank_accounts.insert(*id);
            }
            _ => {}
        }
    }

    fn collect_statement_line(&mut self, organisation: i64, command: &BooksCommand) {
        match command {
            BooksCommand::CreateBankTransaction { .. } | BooksCommand::ImportBankTransactions(_) => {
                self.transfer_organisations.insert(organisation);
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
            BooksCommand::ConfirmSuggestions(asked) => self.transactions.extend(&asked.lines),
            BooksCommand::SaveSuggestions(found) => {
                self.transactions.extend(found.lines.iter().map(|found| found.line));
            }
            BooksCommand::Confirm { items, .. } => {
                for (id, confirmation) in items {
                    self.transactions.insert(*id);
                    self.collect_confirmation(organisation, *id, confirmation);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn collect_confirmation(&mut self, organisation: i64, line: i64, confirmation: &Confirmation) {
        match confirmation {
            Confirmation::Suggested | Confirmation::Coded(_) => {}
            Confirmation::TransferWith(other) => {
                self.transactions.insert(*other);
            }
            Confirmation::TransferTo(bank_account) => {
                self.transfer_organisations.insert(organisation);
                self.transfers.insert((line, *bank_account));
            }
            Confirmation::MatchJournal(journal) => {
                self.journals.insert(*journal);
                self.transfer_organisations.insert(organisation);
            }
            Confirmation::Settlement { contact_id, allocations, .. } => {
                self.contacts.insert(*contact_id);
                self.collect_targets(allocations);
            }
            Confirmation::MatchSettlement { id, .. } => {
                self.settlements.insert(*id);
            }
        }
    }

    fn collect_opening(&mut self, organisation: i64, command: &BooksCommand) {
        self.openings.insert(organisation);
        match command {
            BooksCommand::PreviewOpening { entry, .. } => self.collect_opening_balances(entry),
            BooksCommand::SetOpening { entry, .. } => {
                self.locks.insert(organisation);
                if let Some(entry) = entry {
                    self.collect_opening_balances(entry);
                }
            }
            _ => {}
        }
    }

    fn collect_opening_balances(&mut self, entry: &OpeningInput) {
        self.replaces_opening |= entry.replaces;
        for document in &entry.documents {
            self.contacts.insert(document.contact_id.0);
            match document.kind.side() {
                Side::Output => self.document_numbers.insert(document.number.clone()),
                Side::Input => self.supplier_references.insert(document.number.clone()),
            };
        }
    }

    fn collect_document(&mut self, command: &BooksCommand) {
        match command {
            BooksCommand::CreateDocument { entry, .. } => {
                self.contacts.insert(entry.contact_id);
                self.documents.extend(entry.origin_id);
                self.document_numbers.extend(entry.number.clone());
                self.supplier_references.extend(entry.supplier_reference.clone());
            }
            BooksCommand::PatchDocument { id, fields, .. } => {
                self.documents.insert(*id);
                fields.iter().for_each(|field| self.collect_document_field(field));
            }
            BooksCommand::DeleteDocument { id, .. }
            | BooksCommand::IssueDocument { id, .. }
            | BooksCommand::UnallocateCredit { id, .. } => {
                self.documents.insert(*id);
            }
            BooksCommand::VoidDocument { id, .. } => {
                self.documents.insert(*id);
                self.voided_documents.insert(*id);
            }
            BooksCommand::AllocateCredit { id, allocations, .. } => {
                self.documents.insert(*id);
                self.collect_targets(allocations);
            }
            _ => {}
        }
    }

    fn collect_document_field(&mut self, field: &DocumentField) {
        match field {
            DocumentField::Contact(id) => {
                self.contacts.insert(*id);
            }
            DocumentField::Origin(id) => self.documents.extend(*id),
            DocumentField::Number(number) => self.document_numbers.extend(number.clone()),
            DocumentField::SupplierReference(reference) => self.supplier_references.extend(reference.clone()),
            _ => {}
        }
    }

    fn collect_email(&mut self, organisation: i64, command: &BooksCommand) {
        self.mail_organisations.insert(organisation);
        match command {
            BooksCommand::SendEmail(entry) => match entry.document {
                EmailedDocument::Document(_, id) => {
                    self.documents.insert(id);
                }
                EmailedDocument::Settlement(_, id) => {
                    self.settlements.insert(id);
                }
                EmailedDocument::CisStatement(id, _) | EmailedDocument::CustomerStatement(id, _) => {
                    self.contacts.insert(id);
                }
            },
            BooksCommand::ResendEmail { id, .. } | BooksCommand::CancelEmail { id } => {
                self.emails.insert(*id);
            }
            _ => {}
        }
    }

    fn collect_settlement(&mut self, command: &BooksCommand) {
        match command {
            BooksCommand::CreateSettlement(entry) => {
                self.contacts.insert(entry.contact_id);
                self.collect_targets(&entry.allocations);
                if entry.is_auto_allocated {
                    self.auto_allocated_contacts.insert(entry.contact_id);
                }
            }
            BooksCommand::AllocateSettlement { id, allocations, .. } => {
                self.settlements.insert(*id);
                self.collect_targets(allocations);
            }
            BooksCommand::PatchSettlement { id, .. } | BooksCommand::UnallocateSettlement { id, .. } => {
                self.settlements.insert(*id);
            }
            BooksCommand::VoidSettlement { id, .. } => {
                self.settlements.insert(*id);
                self.voided_settlements.insert(*id);
            }
            _ => {}
        }
    }

    /// Collects the documents and settlements that allocations go to.
    fn collect_targets(&mut self, allocations: &[AllocationInput]) {
        for allocation in allocations {
            match allocation.to {
                AllocationTarget::Invoice(id) | AllocationTarget::CreditNote(id) => self.documents.insert(id),
                AllocationTarget::Settlement(id) => self.settlements.insert(id),
            };
        }
    }
}
