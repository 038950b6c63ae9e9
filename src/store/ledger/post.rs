//! What is asked of the books, and what is answered.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::accounts::AccountView;
use super::bank_accounts::{BankAccountField, BankAccountView};
use super::bank_transactions::BankTransactionRow;
use super::contacts::{ContactField, ContactRow, ContactView};
use super::decide_bank::BankSuggestion;
use super::documents::{DocumentEntry, DocumentField, DocumentView};
use super::import_rows::ImportRow;
use super::imports::{ImportConfirmation, ImportEntries};
use super::journals::JournalView;
use super::opening::{OpeningEntry, OpeningPreview, OpeningSet};
use super::organisation::{LockChange, OrganisationChange};
use super::previews::NewPreview;
use super::settlements::{AllocationEntry, SettlementEntry, SettlementField, SettlementView};
use crate::domain::ids::{OrganisationId, UserId};
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::bank::BankAccountType;
use crate::domain::ledger::bank_coding::Coding;
use crate::domain::ledger::chart::NewAccount;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::manual_journal::ManualJournal;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::problem::Issues;
use crate::store::{OrganisationRow, StoreError, StoredResponse};

/// A change of one organisation's books.
#[derive(Debug, Clone)]
pub struct Post {
    /// Whose books.
    pub organisation: OrganisationId,
    /// Who asks.
    pub poster: Poster,
    /// What for.
    pub action: Action,
    /// The version the caller has seen.
    pub if_match: Option<i64>,
    /// The `Idempotency-Key` of the request.
    pub replay: Option<Replay>,
}

/// Who changes the books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Poster {
    /// The person.
    pub user_id: UserId,
    /// The key they used.
    pub key_prefix: Option<String>,
    /// Whether they may open locked periods again.
    pub may_reopen: bool,
}

/// A change.
#[derive(Debug, Clone)]
pub enum Action {
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
        row: Box<BankRow>,
    },
    /// Enters many.
    ImportBankTransactions(BankImport),
    /// Saves how a line may be confirmed.
    PatchBankTransaction {
        /// Which.
        id: i64,
        /// What is suggested.
        suggestion: BankSuggestion,
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
        entry: Box<OpeningEntry>,
        /// The token.
        preview: Box<NewPreview>,
    },
    /// Sets opening balances.
    SetOpening {
        /// The balances, as given or as kept under the token; none when the token is of no use.
        entry: Option<Box<OpeningEntry>>,
        /// The token's hash, where there is one.
        token_hash: Option<String>,
    },
    /// Keeps a bulk import under a token, and tells what it would do.
    PreviewImport {
        /// Its rows.
        entries: Box<ImportEntries>,
        /// The token.
        preview: Box<NewPreview>,
    },
    /// Carries out a bulk import.
    ConfirmImport(Box<ImportConfirmation>),
    /// Draws up an invoice or credit note.
    CreateDocument {
        /// As entered.
        entry: Box<DocumentEntry>,
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
        allocations: Vec<AllocationEntry>,
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
    CreateSettlement(Box<SettlementEntry>),
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
        allocations: Vec<AllocationEntry>,
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

impl Action {
    /// About how many bytes it writes.
    pub(super) fn bytes(&self) -> usize {
        match self {
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

/// The account of the chart that carries a bank account's balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerAccount {
    /// One there is.
    Existing(i64),
    /// One to be made under this code.
    New(String),
}

/// A line of a bank statement to be entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankRow {
    /// Its date.
    pub day: i32,
    /// Money in is positive.
    pub amount_pence: i64,
    /// What the bank says of it.
    pub description: String,
    /// The payer's reference.
    pub reference: Option<String>,
    /// Whom a card was used at.
    pub merchant: Option<String>,
    /// The bank's own id.
    pub external_id: Option<String>,
}

/// Lines to be entered together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankImport {
    /// Of which bank account.
    pub bank_account_id: i64,
    /// The lines.
    pub rows: Vec<BankRow>,
    /// Whether a line that is there already refuses all of them.
    pub reject_duplicates: bool,
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
        allocations: Vec<AllocationEntry>,
    },
    /// As a receipt or payment that was posted already.
    MatchSettlement {
        /// Customers' (`customer_receipt_id`) or suppliers' (`supplier_payment_id`).
        side: ContactKind,
        /// Which.
        id: i64,
    },
}

/// What became of a line of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportedRow {
    /// The line.
    pub id: i64,
    /// Whether it is new.
    pub is_new: bool,
}

/// Prints an answer for replay: its status and body.
pub type PrintAnswer = Arc<dyn Fn(&Posted) -> Option<(u16, String)> + Send + Sync>;

/// An `Idempotency-Key`: the answer is kept with what it caused.
#[derive(Clone)]
pub struct Replay {
    /// The request's method.
    pub method: String,
    /// Its path.
    pub path: String,
    /// The header's value.
    pub key: String,
    /// SHA-256 of the body.
    pub body_hash: [u8; 32],
    /// How long it replays.
    pub retention_ms: i64,
    /// How the answer is printed.
    pub print: PrintAnswer,
}

impl std::fmt::Debug for Replay {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Replay").field("path", &self.path).field("key", &self.key).finish_non_exhaustive()
    }
}

/// What a change led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Posted {
    /// The organisation as it is now.
    Organisation(Box<OrganisationRow>),
    /// The period lock as it is now, with its latest moves.
    Lock(Box<OrganisationRow>, Vec<LockChange>),
    /// The account as it is now.
    Account(Box<AccountView>),
    /// The contact as it is now.
    Contact(Box<ContactView>),
    /// The record with this id is gone.
    Deleted(i64),
    /// The bank account as it is now.
    BankAccount(Box<BankAccountView>),
    /// The line of a statement as it is now.
    BankTransaction(Box<BankTransactionRow>),
    /// The lines of statements as they are now.
    BankTransactions(Vec<BankTransactionRow>),
    /// What became of an import.
    Import {
        /// The import.
        id: i64,
        /// Its lines, in order.
        rows: Vec<ImportedRow>,
    },
    /// The journal, or the voided one.
    Journal(Box<JournalView>),
    /// What opening balances would do.
    OpeningPreview(Box<OpeningPreview>),
    /// The opening balances.
    Opening(Box<OpeningSet>),
    /// The bulk import, and the token that confirms it.
    BulkImport(Box<ImportRow>, Option<String>),
    /// The invoice or credit note as it is now.
    Document(Box<DocumentView>),
    /// The receipt, payment or refund as it is now.
    Settlement(Box<SettlementView>),
}

/// The answer to a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostOutcome {
    /// It is done.
    Done(Posted),
    /// A rule refused it; nothing was written.
    Refused(Refusal),
    /// A rule refused an item of a batch; nothing was written.
    RefusedItem(usize, Refusal),
    /// Some rows of an import cannot be imported; nothing was written.
    Invalid(Issues),
    /// The organisation has no record of an item of a batch.
    UnknownItem(usize),
    /// The organisation has no such record.
    Unknown,
    /// Only owners and administrators may do it.
    Forbidden,
    /// It was done before under the same `Idempotency-Key`.
    Replayed(StoredResponse),
}

/// A change that waits for the writer.
pub(in crate::store) struct WaitingPost {
    pub(super) post: Post,
    pub(super) outcome: Option<PostOutcome>,
    caller: oneshot::Sender<Result<PostOutcome, StoreError>>,
}

impl WaitingPost {
    pub(in crate::store) fn new(post: Post, caller: oneshot::Sender<Result<PostOutcome, StoreError>>) -> Self {
        Self { post, outcome: None, caller }
    }

    pub(in crate::store) fn answer(self: Box<Self>, outcome: Result<(), StoreError>) {
        let Self { outcome: decided, caller, .. } = *self;
        let missing = || StoreError::Other("the posting was not decided".to_owned());
        // The caller may have gone; the posting stands.
        let _ = caller.send(outcome.and_then(|()| decided.ok_or_else(missing)));
    }
}

impl ContactRow {
    /// What a search looks in.
    pub(super) fn search_text(&self) -> String {
        let details = &self.details;
        let mut text = details.name.to_lowercase();
        for more in [&details.contact_name, &details.email].into_iter().flatten() {
            text.push('\n');
            text.push_str(&more.to_lowercase());
        }
        text
    }
}
