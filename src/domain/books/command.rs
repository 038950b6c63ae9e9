//! The commands that change an organisation's books, with the bulk imports whose rows are commands themselves.

use crate::domain::books::records::bank_account::{BankAccountField, LedgerAccount};
use crate::domain::books::records::coding_policy::CodingPolicyChange;
use crate::domain::books::records::contact::ContactField;
use crate::domain::books::records::document::{DocumentField, DocumentInput};
use crate::domain::books::records::email::{Attachment, EmailInput};
use crate::domain::books::records::opening::OpeningInput;
use crate::domain::books::records::organisation::OrganisationChange;
use crate::domain::books::records::plan::{PlanConfirmation, PlannedOperation};
use crate::domain::books::records::preview::NewPreview;
use crate::domain::books::records::settlement::{AllocationInput, SettlementField, SettlementInput};
use crate::domain::books::records::statement_line::{StatementImport, StatementLineInput};
use crate::domain::books::records::suggestion::StatementLineSuggestion;
use crate::domain::books::records::vat_return::VatReturnInput;
use crate::domain::date::Date;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::bank::BankAccountType;
use crate::domain::ledger::bank_coding::Coding;
use crate::domain::ledger::chart::NewAccount;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::manual_journal::ManualJournal;
use crate::domain::ledger::vat_adjustment::EnteredAdjustment;
use crate::domain::ledger::write_off::EnteredWriteOff;
use crate::domain::problem::Issues;
use crate::domain::suggestions::FoundSuggestions;
use std::sync::Arc;

/// Explains what it takes to confirm an import with invalid rows.
pub const SKIP_INVALID: &str = "must be true to leave out the invalid rows, which the import lists";

/// A command that changes the books of one organisation.
#[derive(Debug, Clone)]
pub enum BooksCommand {
    /// Changes the organisation's record.
    PatchOrganisation(Box<OrganisationChange>),
    /// Moves the date of the period lock: nothing is posted on or before it.
    LockPeriod {
        /// The last locked day.
        lock_date: Option<Date>,
        /// The reason given.
        reason: Option<String>,
    },
    /// Creates an account.
    CreateAccount(NewAccount),
    /// Changes an account.
    PatchAccount {
        /// Its identifier.
        id: i64,
        /// Its new code.
        code: Option<String>,
        /// Its new name.
        name: Option<String>,
    },
    /// Archives an account, or restores it.
    ArchiveAccount {
        /// Its identifier.
        id: i64,
        /// Whether it is archived rather than restored.
        archived: bool,
    },
    /// Creates a customer or supplier.
    CreateContact {
        /// Whether it is a customer or a supplier.
        kind: ContactKind,
        /// Its fields; the name is required.
        fields: Vec<ContactField>,
    },
    /// Changes a customer or supplier.
    PatchContact {
        /// Whether it is a customer or a supplier.
        kind: ContactKind,
        /// Its identifier.
        id: i64,
        /// The changed fields.
        fields: Vec<ContactField>,
    },
    /// Archives a customer or supplier, or restores it.
    ArchiveContact {
        /// Whether it is a customer or a supplier.
        kind: ContactKind,
        /// Its identifier.
        id: i64,
        /// Whether it is archived rather than restored.
        archived: bool,
    },
    /// Deletes a customer or supplier that was never used.
    DeleteContact {
        /// Whether it is a customer or a supplier.
        kind: ContactKind,
        /// Its identifier.
        id: i64,
    },
    /// Posts a journal.
    PostJournal(ManualJournal),
    /// Creates a bank account.
    CreateBankAccount {
        /// The kind of bank account.
        kind: BankAccountType,
        /// The account that carries its balance.
        account: LedgerAccount,
        /// Its fields; the name is required.
        fields: Vec<BankAccountField>,
    },
    /// Changes a bank account.
    PatchBankAccount {
        /// Its identifier.
        id: i64,
        /// The changed fields.
        fields: Vec<BankAccountField>,
    },
    /// Archives a bank account.
    ArchiveBankAccount {
        /// Its identifier.
        id: i64,
    },
    /// Enters a line of a bank statement.
    CreateBankTransaction {
        /// The bank account of the statement.
        bank_account_id: i64,
        /// The line.
        row: Box<StatementLineInput>,
    },
    /// Enters many lines of one bank statement.
    ImportBankTransactions(StatementImport),
    /// Saves a suggestion how a line may be confirmed.
    PatchBankTransaction {
        /// Its identifier.
        id: i64,
        /// The suggestion.
        suggestion: StatementLineSuggestion,
    },
    /// Deletes a line that is not confirmed.
    DeleteBankTransaction {
        /// Its identifier.
        id: i64,
    },
    /// Excludes a line, or restores it.
    ExcludeBankTransaction {
        /// Its identifier.
        id: i64,
        /// Whether it is excluded rather than restored.
        excluded: bool,
    },
    /// Confirms lines: all of them or, if one is refused, none.
    Confirm {
        /// The lines and how each is confirmed.
        items: Vec<(i64, Confirmation)>,
        /// Whether the lines came as a batch, whose refusals name the row.
        is_batch: bool,
    },
    /// Confirms lines as the coding engine suggests, each for itself.
    ConfirmSuggestions(SuggestionsConfirmed),
    /// Writes what a coding job found for lines.
    SaveSuggestions(Arc<FoundSuggestions>),
    /// Undoes the confirmation of a line.
    Unconfirm {
        /// Its identifier.
        id: i64,
    },
    /// Stores opening balances under a token, and answers with what they would do.
    PreviewOpening {
        /// The balances.
        entry: Box<OpeningInput>,
        /// The token.
        preview: Box<NewPreview>,
    },
    /// Sets opening balances.
    SetOpening {
        /// The balances, as given or as stored under the token; none when the token is not valid.
        entry: Option<Box<OpeningInput>>,
        /// The token's hash, where there is one.
        token_hash: Option<String>,
    },
    /// Stores a bulk import under a token, and answers with what it would do.
    PreviewImport {
        /// Its rows.
        entries: Box<ImportInput>,
        /// The token.
        preview: Box<NewPreview>,
    },
    /// Carries out a bulk import.
    ConfirmImport(Box<ImportConfirmation>),
    /// Creates an invoice or credit note.
    CreateDocument {
        /// The document as entered.
        entry: Box<DocumentInput>,
        /// Whether the document is issued at once.
        is_issued: bool,
    },
    /// Changes an invoice or credit note.
    PatchDocument {
        /// The kind of document.
        kind: DocumentKind,
        /// Its identifier.
        id: i64,
        /// The changed fields.
        fields: Vec<DocumentField>,
    },
    /// Deletes a draft.
    DeleteDocument {
        /// The kind of document.
        kind: DocumentKind,
        /// Its identifier.
        id: i64,
    },
    /// Issues a draft.
    IssueDocument {
        /// The kind of document.
        kind: DocumentKind,
        /// Its identifier.
        id: i64,
    },
    /// Voids a document by reversing its journal.
    VoidDocument {
        /// The kind of document.
        kind: DocumentKind,
        /// Its identifier.
        id: i64,
        /// The day of the reversal; that of the document unless given.
        void_date: Option<Date>,
        /// The reason given.
        reason: Option<String>,
    },
    /// Allocates a credit note to invoices.
    AllocateCredit {
        /// Whether it is a sales or a purchase credit note.
        kind: DocumentKind,
        /// Its identifier.
        id: i64,
        /// The invoices, and how much goes to each.
        allocations: Vec<AllocationInput>,
        /// The day from which the allocations count; decided by the rule unless given.
        date: Option<Date>,
    },
    /// Releases allocations of a credit note.
    UnallocateCredit {
        /// Whether it is a sales or a purchase credit note.
        kind: DocumentKind,
        /// Its identifier.
        id: i64,
        /// The allocations to release.
        allocation_ids: Vec<i64>,
    },
    /// Posts a receipt, a payment, or a refund of one.
    CreateSettlement(Box<SettlementInput>),
    /// Changes the reference or memo of a settlement.
    PatchSettlement {
        /// Whether it is a customer's or a supplier's.
        side: ContactKind,
        /// Its identifier.
        id: i64,
        /// The changed fields.
        fields: Vec<SettlementField>,
    },
    /// Allocates more of a settlement to documents.
    AllocateSettlement {
        /// Whether it is a customer's or a supplier's.
        side: ContactKind,
        /// Its identifier.
        id: i64,
        /// The documents, and how much goes to each.
        allocations: Vec<AllocationInput>,
    },
    /// Releases allocations of a settlement.
    UnallocateSettlement {
        /// Whether it is a customer's or a supplier's.
        side: ContactKind,
        /// Its identifier.
        id: i64,
        /// The allocations to release.
        allocation_ids: Vec<i64>,
    },
    /// Voids a settlement by reversing its journals; its allocations are released.
    VoidSettlement {
        /// Whether it is a customer's or a supplier's.
        side: ContactKind,
        /// Its identifier.
        id: i64,
        /// The day of the reversal; that of the settlement unless given.
        void_date: Option<Date>,
        /// The reason given.
        reason: Option<String>,
    },
    /// Adjusts the VAT return.
    CreateVatAdjustment(EnteredAdjustment),
    /// Voids an adjustment of the VAT return, and reverses its journal.
    VoidVatAdjustment {
        /// Its identifier.
        id: i64,
        /// The day from which it is undone; that of the adjustment unless given.
        void_date: Option<Date>,
        /// The reason given.
        reason: Option<String>,
    },
    /// Records what was declared for a VAT period.
    RecordVatReturn(VatReturnInput),
    /// Takes back that a VAT return was recorded.
    DeleteVatReturn {
        /// Its identifier.
        id: i64,
    },
    /// Closes a financial year.
    CloseYear {
        /// Its last day.
        last: Date,
        /// The equity accounts whose balances are transferred to retained earnings.
        transfers: Vec<i64>,
    },
    /// Reopens a closed financial year.
    ReopenYear {
        /// Its last day.
        last: Date,
    },
    /// Writes a debt of a customer off.
    WriteOff {
        /// The sales invoice.
        invoice_id: i64,
        /// What is written off.
        entered: EnteredWriteOff,
    },
    /// Voids a write-off: the invoice is due again.
    VoidWriteOff {
        /// Its identifier.
        id: i64,
        /// The day from which it is undone; that of the write-off unless given.
        void_date: Option<Date>,
        /// The reason given.
        reason: Option<String>,
    },
    /// Voids a journal by posting its reversal.
    VoidJournal {
        /// Its identifier.
        id: i64,
        /// The day of the reversal; that of the journal unless given.
        void_date: Option<Date>,
        /// The reason given.
        reason: Option<String>,
    },
    /// Queues an e-mail of a document.
    SendEmail(Box<EmailInput>),
    /// Queues an e-mail once more that failed or may have been sent.
    ResendEmail {
        /// Its identifier.
        id: i64,
        /// The PDF of the document as it is now, where the bytes of the first one are dropped.
        attachment: Option<Attachment>,
    },
    /// Takes an e-mail out of the queue.
    CancelEmail {
        /// Its identifier.
        id: i64,
    },
    /// Changes the standing instructions for coding.
    ChangeCodingPolicy(CodingPolicyChange),
    /// Answers with what several operations would do, each over what those before it left. It is never written.
    Plan(Vec<PlannedOperation>),
    /// Carries out a plan.
    CommitPlan(Box<PlanConfirmation>),
}

/// How a statement line is confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmation {
    /// As a person saved with it, else as the coding engine suggests.
    Suggested,
    /// Against accounts and VAT codes.
    Coded(Coding),
    /// As one side of a transfer whose other side is this line.
    TransferWith(i64),
    /// As a transfer to or from this bank account, whose line is still to come.
    TransferTo(i64),
    /// As money that this journal posted already.
    MatchJournal(i64),
    /// As a receipt, a payment, or a refund of one.
    Settlement {
        /// The kind of settlement.
        kind: SettlementKind,
        /// The customer or supplier.
        contact_id: i64,
        /// The documents it is allocated to.
        allocations: Vec<AllocationInput>,
    },
    /// As a receipt or payment that was posted already.
    MatchSettlement {
        /// Whether it is a customer's (`customer_receipt_id`) or a supplier's (`supplier_payment_id`).
        side: ContactKind,
        /// Its identifier.
        id: i64,
    },
}

/// Lines that are confirmed as the coding engine suggests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestionsConfirmed {
    /// The lines, in the order of the answer.
    pub lines: Vec<i64>,
    /// The bank account they have to be of.
    pub bank_account_id: Option<i64>,
    /// The least confidence of a suggestion that is taken, in thousandths.
    pub min_confidence: u16,
    /// Lines with a suggestion that are left for another request.
    pub remaining: i64,
    /// Whether the caller named the lines.
    pub is_named: bool,
}

/// A row of a bulk import that could be read.
#[derive(Debug, Clone)]
pub struct ImportRowInput {
    /// Its place in the request, from 0.
    pub row: u64,
    /// The command it stands for.
    pub command: BooksCommand,
}

/// The rows of a bulk import.
#[derive(Debug, Clone)]
pub struct ImportInput {
    /// Its kind, as the API words it.
    pub kind: String,
    /// How many rows were sent.
    pub rows_total: u64,
    /// The rows that could be read.
    pub entries: Vec<ImportRowInput>,
    /// The rows that could not.
    pub unread: Vec<u64>,
    /// The problems of the rows that could not be read.
    pub issues: Issues,
    /// Whether a duplicate statement line makes its row invalid.
    pub rejects_duplicates: bool,
}

/// The confirmation of a previewed bulk import.
#[derive(Debug, Clone)]
pub struct ImportConfirmation {
    /// The identifier of the import.
    pub id: i64,
    /// The hash of the token.
    pub token_hash: String,
    /// The rows as they were previewed; none when the token is not valid.
    pub entries: Option<ImportInput>,
    /// Whether invalid rows are left out.
    pub skips_invalid: bool,
}

impl BooksCommand {
    /// Whether only owners and administrators may give it.
    pub const fn needs_administrator(&self) -> bool {
        matches!(self, Self::PatchOrganisation(_) | Self::RecordVatReturn(_) | Self::CloseYear { .. })
    }

    /// Whether only owners may give it.
    pub const fn needs_owner(&self) -> bool {
        matches!(self, Self::DeleteVatReturn { .. } | Self::ReopenYear { .. })
    }

    /// Whether it is a declaration of a person, which nobody makes through an application that was connected.
    pub const fn is_declaration(&self) -> bool {
        matches!(
            self,
            Self::RecordVatReturn(_) | Self::DeleteVatReturn { .. } | Self::CloseYear { .. } | Self::ReopenYear { .. }
        )
    }

    /// About how many bytes it writes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::CreateDocument { entry, .. } => 2_048 + entry.lines.len() * 512,
            Self::PostJournal(journal) => 512 + journal.lines.len() * 512,
            Self::ImportBankTransactions(import) => import.rows.len() * 512,
            Self::Confirm { items, .. } => items.len() * 2_048,
            Self::ConfirmSuggestions(asked) => asked.lines.len() * 2_048,
            Self::SaveSuggestions(found) => found.lines.len() * 1_024,
            Self::SendEmail(email) => {
                // In hexadecimal on its way to the database.
                4_096 + email.attachment.as_ref().map_or(0, |attachment| attachment.bytes.len() * 2)
            }
            Self::ResendEmail { attachment, .. } => {
                4_096 + attachment.as_ref().map_or(0, |attachment| attachment.bytes.len() * 2)
            }
            // An import of more than five hundred rows fills a group alone.
            Self::PreviewImport { entries, preview } => preview.body.len() + entries.entries.len() * 8_192,
            Self::ConfirmImport(confirmed) => {
                confirmed.entries.as_ref().map_or(2_048, |entries| entries.entries.len() * 8_192)
            }
            Self::CommitPlan(confirmation) => {
                confirmation.operations.iter().map(|operation| operation.command.bytes() + 4_096).sum()
            }
            _ => 2_048,
        }
    }

    /// The hash of the preview token it confirms.
    pub(crate) fn token_hash(&self) -> Option<&str> {
        match self {
            Self::SetOpening { token_hash, .. } => token_hash.as_deref(),
            Self::ConfirmImport(confirmed) => Some(&confirmed.token_hash),
            Self::CommitPlan(confirmation) => Some(&confirmation.token_hash),
            _ => None,
        }
    }

    /// The operations of a plan.
    fn operations(&self) -> &[PlannedOperation] {
        match self {
            Self::Plan(operations) => operations,
            Self::CommitPlan(confirmation) => &confirmation.operations,
            _ => &[],
        }
    }

    /// The command itself and the commands of the rows of a bulk import or of the operations of a plan.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Self> {
        let entries = match self {
            Self::PreviewImport { entries, .. } => entries.entries.as_slice(),
            Self::ConfirmImport(confirmed) => confirmed.entries.as_ref().map_or(&[][..], |all| all.entries.as_slice()),
            _ => &[],
        };
        let operations = self.operations().iter().map(|operation| &operation.command);
        std::iter::once(self).chain(entries.iter().map(|entry| &entry.command)).chain(operations)
    }
}

/// The statement lines among the rows of an import, each with its bank account.
pub(crate) fn statement_rows(import: &ImportInput) -> impl Iterator<Item = (i64, &StatementLineInput)> {
    import.entries.iter().filter_map(|entry| match &entry.command {
        BooksCommand::CreateBankTransaction { bank_account_id, row } => Some((*bank_account_id, &**row)),
        _ => None,
    })
}
