//! A command with who asks for it, and its result.

use crate::domain::access::AccessDenied;
use crate::domain::books::command::BooksCommand;
use crate::domain::books::idempotency::Replay;
use crate::domain::books::records::account::AccountView;
use crate::domain::books::records::bank_account::BankAccountView;
use crate::domain::books::records::contact::ContactView;
use crate::domain::books::records::document_view::DocumentView;
use crate::domain::books::records::import::ImportRecord;
use crate::domain::books::records::journal::JournalView;
use crate::domain::books::records::opening::{OpeningPreview, OpeningSet};
use crate::domain::books::records::organisation::{
    LockChange, OrganisationChange, OrganisationField, OrganisationRecord,
};
use crate::domain::books::records::settlement::SettlementView;
use crate::domain::books::records::statement_line::{StatementLineRecord, StatementLineResult};
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::{OrganisationId, UserId};
use crate::domain::ledger::organisation::VatPatch;
use crate::domain::ledger::refusal::Refusal;

/// A change of one organisation's books.
#[derive(Debug, Clone)]
pub struct CommandRequest {
    /// Whose books.
    pub organisation: OrganisationId,
    /// Who asks.
    pub actor: Actor,
    /// What for.
    pub command: BooksCommand,
    /// The version the caller has seen.
    pub expected_version: Option<i64>,
    /// The `Idempotency-Key` of the request.
    pub replay: Option<Replay>,
}

/// Who changes the books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The person.
    pub user_id: UserId,
    /// The key they used.
    pub key_prefix: Option<String>,
    /// Whether they may open locked periods again.
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

/// What a change led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandResult {
    /// The organisation as it is now.
    Organisation(Box<OrganisationRecord>),
    /// The period lock as it is now, with its latest moves.
    Lock(Box<OrganisationRecord>, Vec<LockChange>),
    /// The account as it is now.
    Account(Box<AccountView>),
    /// The contact as it is now.
    Contact(Box<ContactView>),
    /// The record with this id is gone.
    Deleted(i64),
    /// The bank account as it is now.
    BankAccount(Box<BankAccountView>),
    /// The line of a statement as it is now.
    BankTransaction(Box<StatementLineRecord>),
    /// The lines of statements as they are now.
    BankTransactions(Vec<StatementLineRecord>),
    /// What became of an import.
    Import {
        /// The import.
        id: i64,
        /// Its lines, in order.
        rows: Vec<StatementLineResult>,
    },
    /// The journal, or the voided one.
    Journal(Box<JournalView>),
    /// What opening balances would do.
    OpeningPreview(Box<OpeningPreview>),
    /// The opening balances.
    Opening(Box<OpeningSet>),
    /// The bulk import, and the token that confirms it.
    BulkImport(Box<ImportRecord>, Option<String>),
    /// The invoice or credit note as it is now.
    Document(Box<DocumentView>),
    /// The receipt, payment or refund as it is now.
    Settlement(Box<SettlementView>),
}

/// The answer to a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandOutcome {
    /// It is done.
    Done(CommandResult),
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
    /// The caller may not change these books at all.
    Denied(AccessDenied),
    /// It was done before under the same `Idempotency-Key`.
    Replayed(StoredResponse),
}

/// An organisation to be made.
#[derive(Debug, Clone)]
pub struct CreateOrganisation {
    /// Who makes and owns it.
    pub owner: UserId,
    /// With which key.
    pub key_prefix: Option<String>,
    /// What is said about it, its name at least.
    pub change: OrganisationChange,
    /// Whether a VAT Control account comes with it.
    pub vat_control: bool,
    /// The `Idempotency-Key` of the request.
    pub replay: Option<Replay>,
    /// Only what it would be; nothing is written.
    pub dry_run: bool,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrganisationCreated {
    /// It is made.
    Created(Box<OrganisationRecord>),
    /// A rule refused it; nothing was written.
    Refused(Refusal),
    /// It was made before under the same `Idempotency-Key`.
    Replayed(StoredResponse),
}

impl CreateOrganisation {
    /// One with a name and everything else as usual.
    pub fn named(owner: UserId, name: String, vat_control: bool) -> Self {
        let change = OrganisationChange { fields: vec![OrganisationField::Name(name)], vat: VatPatch::default() };
        Self { owner, key_prefix: None, change, vat_control, replay: None, dry_run: false }
    }
}
