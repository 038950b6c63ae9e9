//! Commands with who gives them and how they are to be carried out; what they refer to (`ReferencedIds`, collected before it
//! is loaded); their results; and the creation of an organisation.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::domain::books::command::{BooksCommand, Confirmation};
use crate::domain::books::records::account::AccountView;
use crate::domain::books::records::bank_account::{BankAccountView, LedgerAccount};
use crate::domain::books::records::contact::{ContactField, ContactView};
use crate::domain::books::records::document::{DocumentField, DocumentRecord, DocumentView};
use crate::domain::books::records::email::{EmailRecord, EmailedDocument};
use crate::domain::books::records::import::ImportRecord;
use crate::domain::books::records::journal::JournalView;
use crate::domain::books::records::opening::{OpeningInput, OpeningPreview, OpeningSet};
use crate::domain::books::records::organisation::{
    LockChange, OrganisationChange, OrganisationField, OrganisationRecord,
};
use crate::domain::books::records::settlement::{AllocationInput, AllocationTarget, SettlementView};
use crate::domain::books::records::statement_line::{StatementLineRecord, StatementLineResult};
use crate::domain::books::records::vat_adjustment::VatAdjustmentView;
use crate::domain::books::records::vat_return::VatReturnRecord;
use crate::domain::caller::AccessDenied;
use crate::domain::date::Date;
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::{OrganisationId, UserId};
use crate::domain::ledger::organisation::VatPatch;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::Side;

/// A command to change the books of one organisation.
#[derive(Debug, Clone)]
pub struct CommandRequest {
    /// The organisation whose books are changed.
    pub organisation: OrganisationId,
    /// Who gives the command.
    pub actor: Actor,
    /// The command.
    pub command: BooksCommand,
    /// The version the caller has seen.
    pub expected_version: Option<i64>,
    /// The `Idempotency-Key` of the request.
    pub replay: Option<Replay>,
}

/// Who gives a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The person.
    pub user_id: UserId,
    /// The prefix of the key used.
    pub key_prefix: Option<String>,
    /// Whether this person may open locked periods again.
    pub may_reopen: bool,
    /// The way the command came.
    pub via: Via,
}

/// The way a command came, as the history of the books names it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Via {
    /// The REST API.
    #[default]
    Api,
}

impl Via {
    /// The word of the history.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
        }
    }
}

/// How a command is to be carried out.
#[derive(Debug, Clone, Default)]
pub struct ChangeOptions {
    /// Whether it is only to be answered: nothing is written.
    pub dry_run: bool,
    /// The version of the record that the caller has seen.
    pub expected_version: Option<i64>,
    /// The `Idempotency-Key` of the request.
    pub idempotency: Option<Replay>,
    /// The way it came.
    pub via: Via,
}

/// Prints an answer as it will be replayed: its status and body.
pub type PrintAnswer = Arc<dyn Fn(&CommandResult) -> Option<(u16, String)> + Send + Sync>;

/// The `Idempotency-Key` of a request: the answer is stored in the transaction that it answers.
#[derive(Clone)]
pub struct Replay {
    /// The method of the request.
    pub method: String,
    /// The path of the request.
    pub path: String,
    /// The value of the header.
    pub key: String,
    /// The SHA-256 of the body.
    pub body_hash: [u8; 32],
    /// How long the answer is replayed.
    pub retention_ms: i64,
    /// Prints the answer.
    pub print: PrintAnswer,
}

impl fmt::Debug for Replay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Replay").field("path", &self.path).field("key", &self.key).finish_non_exhaustive()
    }
}

/// The result of a command: the records as they are now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandResult {
    /// The organisation.
    Organisation(Box<OrganisationRecord>),
    /// The organisation with its period lock, and the latest changes of the lock.
    Lock(Box<OrganisationRecord>, Vec<LockChange>),
    /// The account.
    Account(Box<AccountView>),
    /// The customer or supplier.
    Contact(Box<ContactView>),
    /// The identifier of the deleted record.
    Deleted(i64),
    /// The bank account.
    BankAccount(Box<BankAccountView>),
    /// The statement line.
    BankTransaction(Box<StatementLineRecord>),
    /// The statement lines.
    BankTransactions(Vec<StatementLineRecord>),
    /// What became of the lines of a statement import.
    Import {
        /// The identifier of the import.
        id: i64,
        /// The lines, in order.
        rows: Vec<StatementLineResult>,
    },
    /// The posted or voided journal.
    Journal(Box<JournalView>),
    /// What opening balances would do.
    OpeningPreview(Box<OpeningPreview>),
    /// The opening balances.
    Opening(Box<OpeningSet>),
    /// The bulk import, and the token that confirms it.
    BulkImport(Box<ImportRecord>, Option<String>),
    /// The invoice or credit note.
    Document(Box<DocumentView>),
    /// The receipt, payment or refund.
    Settlement(Box<SettlementView>),
    /// The adjustment of the VAT return.
    VatAdjustment(Box<VatAdjustmentView>),
    /// The recorded VAT return.
    VatReturn(Box<VatReturnRecord>),
    /// The e-mail.
    Email(Box<EmailRecord>),
}

impl CommandResult {
    /// The identifiers of the records, in the shape of the answer.
    pub(crate) fn ids_json(&self) -> Value {
        let id = |id: i64| json!({ "id": id });
        match self {
            Self::BankTransactions(rows) => rows.iter().map(|row| id(row.id)).collect(),
            Self::Import { id: import, rows } => {
                let transactions: Value = rows.iter().map(|row| id(row.id)).collect();
                json!({ "import_id": import, "transactions": transactions })
            }
            _ => id(self.id()),
        }
    }

    /// The identifier of the record, or of the first of several.
    pub(crate) fn id(&self) -> i64 {
        match self {
            Self::Organisation(row) | Self::Lock(row, _) => row.id.0,
            Self::Account(view) => view.row.id,
            Self::Contact(view) => view.row.id,
            Self::Deleted(id) | Self::Import { id, .. } => *id,
            Self::BankAccount(view) => view.row.id,
            Self::BankTransaction(row) => row.id,
            Self::BankTransactions(rows) => rows.first().map_or(0, |row| row.id),
            Self::Document(view) => view.id,
            Self::Settlement(view) => view.id,
            Self::VatAdjustment(view) => view.row.id,
            Self::VatReturn(row) => row.id,
            Self::Journal(view) => view.id,
            Self::OpeningPreview(_) => 0,
            Self::Opening(set) => set.journal.id,
            Self::BulkImport(row, _) => row.id,
            Self::Email(row) => row.id,
        }
    }
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandOutcome {
    /// The command is carried out.
    Done(CommandResult),
    /// A rule refused it; nothing was written.
    Refused(Refusal),
    /// A rule refused an item of a batch; nothing was written.
    RefusedItem(usize, Refusal),
    /// The organisation has no record of an item of a batch.
    UnknownItem(usize),
    /// The organisation has no such record.
    Unknown,
    /// Only owners and administrators may give this command.
    Forbidden,
    /// Too many e-mails of the organisation wait.
    MailQueueFull,
    /// The caller may not change these books at all.
    Denied(AccessDenied),
    /// The stored answer: a command with the same `Idempotency-Key` was answered before.
    Replayed(StoredResponse),
}

/// A command to create an organisation.
#[derive(Debug, Clone)]
pub struct CreateOrganisation {
    /// The person who creates and owns it.
    pub owner: UserId,
    /// The prefix of the key used.
    pub key_prefix: Option<String>,
    /// Its fields; the name is required.
    pub change: OrganisationChange,
    /// Whether a VAT Control account comes with it.
    pub vat_control: bool,
    /// The `Idempotency-Key` of the request.
    pub replay: Option<Replay>,
    /// Whether only the result is shown and nothing is written.
    pub dry_run: bool,
}

impl CreateOrganisation {
    /// A command with a name and the usual value of every other field.
    pub fn named(owner: UserId, name: String, vat_control: bool) -> Self {
        let change = OrganisationChange { fields: vec![OrganisationField::Name(name)], vat: VatPatch::default() };
        Self { owner, key_prefix: None, change, vat_control, replay: None, dry_run: false }
    }
}

/// The answer to [`CreateOrganisation`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrganisationCreated {
    /// The new organisation.
    Created(Box<OrganisationRecord>),
    /// A rule refused it; nothing was written.
    Refused(Refusal),
    /// The stored answer: a request with the same `Idempotency-Key` was answered before.
    Replayed(StoredResponse),
}

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
    pub(crate) replay_keys: BTreeSet<String>,
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
    pub(crate) emails: BTreeSet<i64>,
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
        self.replay_keys.extend(request.replay.as_ref().map(|replay| replay.key.clone()));
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
            | BooksCommand::CreateVatAdjustment(_)
            | BooksCommand::CreateAccount(_) => {}
            BooksCommand::PatchOrganisation(change) => {
                self.vat_scheme_starts.extend(change.vat.scheme_from.flatten().map(|from| (organisation, from)));
            }
            BooksCommand::LockPeriod { .. } => {
                self.locks.insert(organisation);
            }
            BooksCommand::RecordVatReturn(input) => {
                self.vat_return_ends.insert((organisation, input.period_end));
            }
            BooksCommand::DeleteVatReturn { id } => {
                self.vat_returns.insert(*id);
            }
            BooksCommand::VoidVatAdjustment { id, .. } => {
                self.vat_adjustments.insert(*id);
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
            BooksCommand::Confirm { items, .. } => {
                for (id, confirmation) in items {
                    self.transactions.insert(*id);
                    self.collect_confirmation(organisation, *id, confirmation);
                }
            }
            _ => {}
        }
    }

    fn collect_confirmation(&mut self, organisation: i64, line: i64, confirmation: &Confirmation) {
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
            },
            BooksCommand::ResendEmail { id } | BooksCommand::CancelEmail { id } => {
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
