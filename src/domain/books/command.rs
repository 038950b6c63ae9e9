//! The commands that change an organisation's books.

use crate::domain::books::imports::{ImportConfirmation, ImportInput};
use crate::domain::books::records::bank_account::{BankAccountField, LedgerAccount};
use crate::domain::books::records::contact::ContactField;
use crate::domain::books::records::document::{DocumentField, DocumentInput};
use crate::domain::books::records::opening::OpeningInput;
use crate::domain::books::records::organisation::OrganisationChange;
use crate::domain::books::records::preview::NewPreview;
use crate::domain::books::records::settlement::{AllocationInput, SettlementField, SettlementInput};
use crate::domain::books::records::statement_line::{StatementImport, StatementLineInput};
use crate::domain::books::records::suggestion::StatementLineSuggestion;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::bank::BankAccountType;
use crate::domain::ledger::bank_coding::Coding;
use crate::domain::ledger::chart::NewAccount;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::manual_journal::ManualJournal;

/// A change.
#[derive(Debug, Clone)]
pub enum BooksCommand {
    /// Changes the organisation's record.
    PatchOrganisation(Box<OrganisationChange>),
    /// Moves the date up to which nothing is posted.
    LockPeriod {
        /// The last locked day.
        lock_day: Option<i32>,
        /// Why.
        reason: Option<String>,
    },
    /// Makes an account.
    CreateAccount(NewAccount),
    /// Changes an account.
    PatchAccount {
        /// Which.
        id: i64,
        /// Its new code.
        code: Option<String>,
        /// Its new name.
        name: Option<String>,
    },
    /// Archives an account, or takes it back into use.
    ArchiveAccount {
        /// Which.
        id: i64,
        /// Whether it is to be archived.
        archived: bool,
    },
    /// Makes a customer or supplier.
    CreateContact {
        /// Which of the two.
        kind: ContactKind,
        /// What is said of it, its name at least.
        fields: Vec<ContactField>,
    },
    /// Changes one.
    PatchContact {
        /// Which of the two.
        kind: ContactKind,
        /// Which.
        id: i64,
        /// What is said anew.
        fields: Vec<ContactField>,
    },
    /// Archives one, or takes it back into use.
    ArchiveContact {
        /// Which of the two.
        kind: ContactKind,
        /// Which.
        id: i64,
        /// Whether it is to be archived.
        archived: bool,
    },
    /// Removes one that was never used.
    DeleteContact {
        /// Which of the two.
        kind: ContactKind,
        /// Which.
        id: i64,
    },
    /// Posts a journal.
    PostJournal(ManualJournal),
    /// Makes a bank account.
    CreateBankAccount {
        /// What kind.
        kind: BankAccountType,
        /// The account that carries its balance.
        account: LedgerAccount,
        /// What is said of it, its name at least.
        fields: Vec<BankAccountField>,
    },
    /// Changes one.
    PatchBankAccount {
        /// Which.
        id: i64,
        /// What is said anew.
        fields: Vec<BankAccountField>,
    },
    /// Archives one.
    ArchiveBankAccount {
        /// Which.
        id: i64,
    },
    /// Enters a line of a bank statement.
    CreateBankTransaction {
        /// Of which bank account.
        bank_account_id: i64,
        /// The line.
        row: Box<StatementLineInput>,
    },
    /// Enters many.
    ImportBankTransactions(StatementImport),
    /// Saves how a line may be confirmed.
    PatchBankTransaction {
        /// Which.
        id: i64,
        /// What is suggested.
        suggestion: StatementLineSuggestion,
    },
    /// Removes a line that is not confirmed.
    DeleteBankTransaction {
        /// Which.
        id: i64,
    },
    /// Excludes a line, or takes it back.
    ExcludeBankTransaction {
        /// Which.
        id: i64,
        /// Whether it is to be excluded.
        excluded: bool,
    },
    /// Brings lines into the books: all of them or, if one is refused, none.
    Confirm {
        /// Which, and how.
        items: Vec<(i64, Confirmation)>,
        /// Whether they came as a batch, whose refusals name the row.
        is_batch: bool,
    },
    /// Takes a line out of the books.
    Unconfirm {
        /// Which.
        id: i64,
    },
    /// Keeps opening balances under a token, and tells what they would do.
    PreviewOpening {
        /// The balances.
        entry: Box<OpeningInput>,
        /// The token.
        preview: Box<NewPreview>,
    },
    /// Sets opening balances.
    SetOpening {
        /// The balances, as given or as kept under the token; none when the token is of no use.
        entry: Option<Box<OpeningInput>>,
        /// The token's hash, where there is one.
        token_hash: Option<String>,
    },
    /// Keeps a bulk import under a token, and tells what it would do.
    PreviewImport {
        /// Its rows.
        entries: Box<ImportInput>,
        /// The token.
        preview: Box<NewPreview>,
    },
    /// Carries out a bulk import.
    ConfirmImport(Box<ImportConfirmation>),
    /// Draws up an invoice or credit note.
    CreateDocument {
        /// As entered.
        entry: Box<DocumentInput>,
        /// Whether it is issued at once.
        is_issued: bool,
    },
    /// Changes one.
    PatchDocument {
        /// Which of the four.
        kind: DocumentKind,
        /// Which.
        id: i64,
        /// What is said anew.
        fields: Vec<DocumentField>,
    },
    /// Removes a draft.
    DeleteDocument {
        /// Which of the four.
        kind: DocumentKind,
        /// Which.
        id: i64,
    },
    /// Issues a draft.
    IssueDocument {
        /// Which of the four.
        kind: DocumentKind,
        /// Which.
        id: i64,
    },
    /// Voids a document by reversing its journal.
    VoidDocument {
        /// Which of the four.
        kind: DocumentKind,
        /// Which.
        id: i64,
        /// The day of the reversal; the document's own unless given.
        void_day: Option<i32>,
        /// Why.
        reason: Option<String>,
    },
    /// Sets a credit note against invoices.
    AllocateCredit {
        /// Which of the two credit notes.
        kind: DocumentKind,
        /// Which.
        id: i64,
        /// Which invoices, and how much.
        allocations: Vec<AllocationInput>,
        /// From when; by the rule unless given.
        day: Option<i32>,
    },
    /// Releases allocations of a credit note.
    UnallocateCredit {
        /// Which of the two credit notes.
        kind: DocumentKind,
        /// Which.
        id: i64,
        /// Which allocations.
        allocation_ids: Vec<i64>,
    },
    /// Posts a receipt, a payment, or a refund of one.
    CreateSettlement(Box<SettlementInput>),
    /// Changes what is said of one.
    PatchSettlement {
        /// Customers' or suppliers'.
        side: ContactKind,
        /// Which.
        id: i64,
        /// What is said anew.
        fields: Vec<SettlementField>,
    },
    /// Sets more of a settlement against documents.
    AllocateSettlement {
        /// Customers' or suppliers'.
        side: ContactKind,
        /// Which.
        id: i64,
        /// Against what, and how much.
        allocations: Vec<AllocationInput>,
    },
    /// Releases allocations of a settlement.
    UnallocateSettlement {
        /// Customers' or suppliers'.
        side: ContactKind,
        /// Which.
        id: i64,
        /// Which allocations.
        allocation_ids: Vec<i64>,
    },
    /// Voids a settlement by reversing its journals; its allocations are released.
    VoidSettlement {
        /// Customers' or suppliers'.
        side: ContactKind,
        /// Which.
        id: i64,
        /// The day of the reversal; its own unless given.
        void_day: Option<i32>,
        /// Why.
        reason: Option<String>,
    },
    /// Voids a journal by posting its reversal.
    VoidJournal {
        /// Which.
        id: i64,
        /// The day of the reversal; the journal's own unless given.
        void_day: Option<i32>,
        /// Why.
        reason: Option<String>,
    },
}

impl BooksCommand {
    /// Whether only owners and administrators may give it.
    pub const fn needs_administrator(&self) -> bool {
        matches!(self, Self::PatchOrganisation(_))
    }

    /// About how many bytes it writes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::CreateDocument { entry, .. } => 2_048 + entry.lines.len() * 512,
            Self::PostJournal(journal) => 512 + journal.lines.len() * 512,
            Self::ImportBankTransactions(import) => import.rows.len() * 512,
            Self::Confirm { items, .. } => items.len() * 2_048,
            // More than five hundred rows fill a group of their own.
            Self::PreviewImport { entries, preview } => preview.body.len() + entries.entries.len() * 8_192,
            Self::ConfirmImport(confirmed) => {
                confirmed.entries.as_ref().map_or(2_048, |entries| entries.entries.len() * 8_192)
            }
            _ => 2_048,
        }
    }
}

/// How a line comes into the books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmation {
    /// As saved with it.
    Suggested,
    /// Against accounts and VAT codes.
    Coded(Coding),
    /// As one side of a transfer whose other side is this line.
    TransferWith(i64),
    /// As a transfer to or from this bank account, whose line is still to come.
    TransferTo(i64),
    /// As what this journal posted already.
    MatchJournal(i64),
    /// As a receipt, a payment, or a refund of one.
    Settlement {
        /// Which.
        kind: SettlementKind,
        /// With whom.
        contact_id: i64,
        /// What it is set against.
        allocations: Vec<AllocationInput>,
    },
    /// As a receipt or payment that was posted already.
    MatchSettlement {
        /// Customers' (`customer_receipt_id`) or suppliers' (`supplier_payment_id`).
        side: ContactKind,
        /// Which.
        id: i64,
    },
}

impl BooksCommand {
    /// The token it confirms.
    pub(crate) fn token_hash(&self) -> Option<&str> {
        match self {
            Self::SetOpening { token_hash, .. } => token_hash.as_deref(),
            Self::ConfirmImport(confirmed) => Some(&confirmed.token_hash),
            _ => None,
        }
    }
}
