//! What is asked of the books, and what is answered.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::accounts::AccountView;
use super::contacts::{ContactField, ContactRow, ContactView};
use super::journals::JournalView;
use super::organisation::{LockChange, OrganisationChange};
use crate::domain::ids::{OrganisationId, UserId};
use crate::domain::ledger::chart::NewAccount;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::manual_journal::ManualJournal;
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
            _ => 2_048,
        }
    }
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
    /// The contact with this id is gone.
    Deleted(i64),
    /// The journal, or the voided one.
    Journal(Box<JournalView>),
}

/// The answer to a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostOutcome {
    /// It is done.
    Done(Posted),
    /// A rule refused it; nothing was written.
    Refused(Refusal),
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
