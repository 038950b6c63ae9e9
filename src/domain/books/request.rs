//! Commands with who gives them and how they are to be carried out; what they refer to (`ReferencedIds`, collected before it
//! is loaded); their results; and the creation of an organisation.

use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::account::AccountView;
use crate::domain::books::records::bank_account::BankAccountView;
use crate::domain::books::records::coding_policy::CodingPolicy;
use crate::domain::books::records::contact::ContactView;
use crate::domain::books::records::document::DocumentView;
use crate::domain::books::records::email::EmailRecord;
use crate::domain::books::records::financial_year::FinancialYearView;
use crate::domain::books::records::import::ImportRecord;
use crate::domain::books::records::journal::JournalView;
use crate::domain::books::records::opening::{OpeningPreview, OpeningSet};
use crate::domain::books::records::organisation::{
    LockChange, OrganisationChange, OrganisationField, OrganisationRecord,
};
use crate::domain::books::records::plan::PlanOutcome;
use crate::domain::books::records::settlement::SettlementView;
use crate::domain::books::records::statement_line::{StatementLineRecord, StatementLineResult};
use crate::domain::books::records::vat_adjustment::VatAdjustmentView;
use crate::domain::books::records::vat_return::VatReturnRecord;
use crate::domain::books::records::write_off::WriteOffView;
use crate::domain::caller::AccessDenied;
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::{ConnectionId, GrantId, OrganisationId, UserId};
use crate::domain::ledger::organisation::VatPatch;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::suggestions::SuggestionsWritten;
use serde_json::{Value, json};
use std::fmt;
use std::sync::Arc;

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
    /// The key or connection by OAuth used.
    pub connection: Option<ConnectionId>,
    /// The tool that was called; none of a request to the REST API.
    pub tool: Option<&'static str>,
    /// What the caller says it is for.
    pub note: Option<Arc<str>>,
}

impl Actor {
    /// The way the command came, as the history names it.
    pub const fn via(&self) -> &'static str {
        match self.tool {
            Some(_) => "mcp",
            None => "api",
        }
    }

    /// The connection by OAuth used.
    pub const fn grant(&self) -> Option<GrantId> {
        match self.connection {
            Some(ConnectionId::Grant(id)) => Some(id),
            Some(ConnectionId::Key(_)) | None => None,
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
    /// The tool that was called; none of a request to the REST API.
    pub tool: Option<&'static str>,
    /// What the caller says it is for.
    pub note: Option<Arc<str>>,
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
    /// What became of lines that were to be confirmed as the engine suggests.
    SuggestionsConfirmed(Box<SuggestionsOutcome>),
    /// What became of the suggestions of a job.
    SuggestionsWritten(SuggestionsWritten),
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
    /// The financial year.
    FinancialYear(Box<FinancialYearView>),
    /// The write-off.
    WriteOff(Box<WriteOffView>),
    /// The e-mail.
    Email(Box<EmailRecord>),
    /// The coding policy, with its organisation.
    CodingPolicy(i64, Box<CodingPolicy>),
    /// What the operations of a plan do.
    Plan(Box<PlanOutcome>),
}

impl CommandResult {
    /// The identifiers of the records, in the shape of the answer.
    pub(crate) fn ids_json(&self) -> Value {
        let id = |id: i64| json!({ "id": id });
        match self {
            Self::BankTransactions(rows) => rows.iter().map(|row| id(row.id)).collect(),
            Self::SuggestionsConfirmed(outcome) => outcome.lines.iter().map(|(line, _)| id(*line)).collect(),
            Self::Import { id: import, rows } => {
                let transactions: Value = rows.iter().map(|row| id(row.id)).collect();
                json!({ "import_id": import, "transactions": transactions })
            }
            _ => id(self.id()),
        }
    }

    /// The identifier of the record, or of the first of several.
    pub fn id(&self) -> i64 {
        match self {
            Self::Organisation(row) | Self::Lock(row, _) => row.id.0,
            Self::Account(view) => view.row.id,
            Self::Contact(view) => view.row.id,
            Self::Deleted(id) | Self::Import { id, .. } | Self::CodingPolicy(id, _) => *id,
            Self::BankAccount(view) => view.row.id,
            Self::BankTransaction(row) => row.id,
            Self::BankTransactions(rows) => rows.first().map_or(0, |row| row.id),
            Self::SuggestionsConfirmed(outcome) => outcome.lines.first().map_or(0, |(line, _)| *line),
            Self::Document(view) => view.id,
            Self::Settlement(view) => view.id,
            Self::VatAdjustment(view) => view.row.id,
            Self::VatReturn(row) => row.id,
            Self::WriteOff(view) => view.row.id,
            Self::FinancialYear(view) => view.organisation_id,
            Self::Journal(view) => view.id,
            Self::OpeningPreview(_) | Self::SuggestionsWritten(_) => 0,
            Self::Opening(set) => set.journal.id,
            Self::BulkImport(row, _) => row.id,
            Self::Email(row) => row.id,
            Self::Plan(_) => 0,
        }
    }
}

/// What became of lines that were to be confirmed as the engine suggests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestionsOutcome {
    /// The lines in the order of the request, each with what became of it.
    pub lines: Vec<(i64, LineOutcome)>,
    /// Lines with a suggestion that are left for another request.
    pub remaining: i64,
}

/// What became of a line that was to be confirmed as the engine suggests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineOutcome {
    /// It is in the books, by this journal.
    Confirmed(Option<i64>),
    /// A rule refused it; it is as it was.
    Refused(Refusal),
    /// It has no suggestion, or one that is not sure enough.
    Skipped,
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
    /// A plan would not do what its preview showed, for this reason; nothing was written.
    StalePlan(String),
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
    /// The key or connection by OAuth used.
    pub connection: Option<ConnectionId>,
    /// The tool that was called.
    pub tool: Option<&'static str>,
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
        Self {
            owner,
            key_prefix: None,
            connection: None,
            tool: None,
            change,
            vat_control,
            replay: None,
            dry_run: false,
        }
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
