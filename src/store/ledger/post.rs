//! What is asked of the books, and what is answered.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::accounts::AccountView;
use super::action::Action;
use super::bank_accounts::BankAccountView;
use super::bank_transactions::BankTransactionRow;
use super::contacts::{ContactRow, ContactView};
use super::documents::DocumentView;
use super::import_rows::ImportRow;
use super::journals::JournalView;
use super::opening::{OpeningPreview, OpeningSet};
use super::organisation::LockChange;
use super::settlements::{AllocationEntry, SettlementView};
use crate::domain::ids::{OrganisationId, UserId};
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::bank_coding::Coding;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::refusal::Refusal;
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
