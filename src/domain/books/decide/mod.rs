//! Decides one command over the books and facts in memory. The rules of `domain::ledger` say what happens; the effects
//! are the records to be written. A refused command has no effect.
//!
//! Every change has an entry in the history, written with it and never altered. Entries of an organisation are numbered
//! under the lock of its books, so that nobody who has read one ever misses an earlier one, whichever process wrote it.

use std::sync::Arc;

use crate::domain::books::audit_fields::{AuditFields, ChangeAction, Resource, audit_json, truncated};
use crate::domain::books::command::BooksCommand;
use crate::domain::books::effects::{
    ChangeEntry, Effect, Effects, EffectsMark, ListDay, LockChangeRecord, ReversalRecord,
};
use crate::domain::books::facts::{CachedBooks, Facts, FactsMark};
use crate::domain::books::numbers::{IdSequence, Identifiers};
use crate::domain::books::records::account::{AccountRecord, AccountView};
use crate::domain::books::records::journal::JournalView;
use crate::domain::books::records::organisation::{
    ChangedOrganisation, Histories, LockChange, OrganisationChange, OrganisationRecord,
};
use crate::domain::books::request::{Actor, CommandOutcome, CommandRequest, CommandResult};
use crate::domain::date::Date;
use crate::domain::ids::AccountId;
use crate::domain::ledger::chart::{Account, Chart, NewAccount, Role};
use crate::domain::ledger::journal::{LockMove, move_lock};
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::VatScheme;
use crate::domain::ledger::year_end::require_reopened;

mod allocations;
mod bank;
mod coding_policy;
mod confirmations;
mod contacts;
mod credit_notes;
mod documents;
mod emails;
mod financial_years;
mod imports;
mod journals;
mod opening;
mod plans;
mod previews;
mod settlement_lines;
mod settlements;
mod suggestions;
mod trade;
mod vat_adjustments;
pub mod vat_returns;
mod write_offs;

/// Why a command is not carried out.
pub(crate) enum Rejection {
    /// A rule refused it.
    Refused(Refusal),
    /// The organisation has no such record.
    Unknown,
    /// Only owners and administrators may give this command.
    Forbidden,
    /// Too many e-mails of the organisation wait.
    MailQueueFull,
    /// A stored record has a value that no rule ever wrote.
    Corrupt(String),
    /// A plan would not do what its preview showed, for this reason.
    StalePlan(String),
    /// The item of a batch for which the batch was rejected, and why.
    Item(usize, Box<Rejection>),
}

/// The state over which a command is decided.
pub(crate) struct BooksTransaction<'a> {
    pub(crate) books: &'a mut CachedBooks,
    pub(crate) facts: &'a mut Facts,
    pub(crate) identifiers: &'a mut Identifiers,
    pub(crate) effects: &'a mut Effects,
    pub(crate) actor: &'a Actor,
    pub(crate) now_ms: i64,
    /// The date in the time zone of the organisation.
    pub(crate) today: Date,
    /// Whether nothing will be written: no document number is assigned.
    pub(crate) is_dry_run: bool,
    /// Whether an operation of a plan is decided: those after it may use what it makes.
    pub(crate) is_plan: bool,
}

/// A state of a [`BooksTransaction`].
pub(crate) struct Savepoint {
    books: CachedBooks,
    facts: FactsMark,
    effects: EffectsMark,
}

impl From<Refusal> for Rejection {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Rejection {
    /// The answer to a command that is rejected; the value that no rule wrote where one was stored.
    pub(crate) fn into_outcome(self) -> Result<CommandOutcome, String> {
        Ok(match self {
            Self::Refused(refusal) => CommandOutcome::Refused(refusal),
            Self::Unknown => CommandOutcome::Unknown,
            Self::Forbidden => CommandOutcome::Forbidden,
            Self::MailQueueFull => CommandOutcome::MailQueueFull,
            Self::StalePlan(reason) => CommandOutcome::StalePlan(reason),
            Self::Corrupt(what) => return Err(what),
            Self::Item(at, rejection) => match *rejection {
                Self::Refused(refusal) => CommandOutcome::RefusedItem(at, refusal),
                Self::Unknown => CommandOutcome::UnknownItem(at),
                other => return other.into_outcome(),
            },
        })
    }
}

impl BooksTransaction<'_> {
    /// The identifier of the organisation.
    pub(crate) fn organisation(&self) -> i64 {
        self.books.organisation.id.0
    }

    /// The present state of everything that a decision may change, to be returned to by [`Self::undo_to`].
    pub(crate) fn savepoint(&self) -> Savepoint {
        Savepoint { books: self.books.clone(), facts: self.facts.mark(), effects: self.effects.mark() }
    }

    /// Undoes what was decided since a savepoint. Identifiers handed out since are not used again.
    pub(crate) fn undo_to(&mut self, savepoint: Savepoint) {
        *self.books = savepoint.books;
        self.facts.undo_to(savepoint.facts);
        self.effects.undo_to(savepoint.effects);
    }

    /// Decides the command of a request.
    pub(crate) fn decide(&mut self, request: &CommandRequest) -> Result<CommandResult, Rejection> {
        self.decide_command(request, &request.command)
    }

    /// Decides a command of a request: its own, or that of a row of its import.
    pub(crate) fn decide_command(
        &mut self,
        request: &CommandRequest,
        command: &BooksCommand,
    ) -> Result<CommandResult, Rejection> {
        match command {
            BooksCommand::CreateDocument { entry, is_issued } => self.create_document(request, entry, *is_issued),
            BooksCommand::PatchDocument { kind, id, fields } => self.patch_document(request, *kind, *id, fields),
            BooksCommand::DeleteDocument { kind, id } => self.delete_document(request, *kind, *id),
            BooksCommand::IssueDocument { kind, id } => self.issue_document(request, *kind, *id),
            BooksCommand::VoidDocument { kind, id, void_date, reason } => {
                self.void_document(request, *kind, *id, *void_date, reason.as_deref())
            }
            BooksCommand::AllocateCredit { kind, id, allocations, date } => {
                self.allocate_credit(request, *kind, *id, allocations, *date)
            }
            BooksCommand::UnallocateCredit { kind, id, allocation_ids } => {
                self.unallocate_credit(request, *kind, *id, allocation_ids)
            }
            BooksCommand::CreateSettlement(entry) => self.create_settlement(request, entry),
            BooksCommand::PatchSettlement { side, id, fields } => self.patch_settlement(request, *side, *id, fields),
            BooksCommand::AllocateSettlement { side, id, allocations } => {
                self.allocate_settlement(request, *side, *id, allocations)
            }
            BooksCommand::UnallocateSettlement { side, id, allocation_ids } => {
                self.unallocate_settlement(request, *side, *id, allocation_ids)
            }
            BooksCommand::VoidSettlement { side, id, void_date, reason } => {
                self.void_settlement(request, *side, *id, *void_date, reason.as_deref())
            }
            BooksCommand::PatchOrganisation(change) => self.patch_organisation(request, change),
            BooksCommand::LockPeriod { lock_date, reason } => self.lock_period(request, *lock_date, reason.as_deref()),
            BooksCommand::CreateAccount(new) => self.create_account(new),
            BooksCommand::PatchAccount { id, code, name } => {
                self.patch_account(request, *id, code.as_deref(), name.as_deref())
            }
            BooksCommand::ArchiveAccount { id, archived } => self.archive_account(request, *id, *archived),
            BooksCommand::CreateContact { kind, fields } => self.create_contact(*kind, fields),
            BooksCommand::PatchContact { kind, id, fields } => self.patch_contact(request, *kind, *id, fields),
            BooksCommand::ArchiveContact { kind, id, archived } => self.archive_contact(request, *kind, *id, *archived),
            BooksCommand::DeleteContact { kind, id } => self.delete_contact(request, *kind, *id),
            BooksCommand::PostJournal(entered) => self.post_journal(request, entered),
            BooksCommand::CreateBankAccount { kind, account, fields } => {
                self.create_bank_account(*kind, account, fields)
            }
            BooksCommand::PatchBankAccount { id, fields } => self.patch_bank_account(request, *id, fields),
            BooksCommand::ArchiveBankAccount { id } => self.archive_bank_account(request, *id),
            BooksCommand::CreateBankTransaction { bank_account_id, row } => {
                self.create_bank_transaction(*bank_account_id, row)
            }
            BooksCommand::ImportBankTransactions(import) => self.import_bank_transactions(import),
            BooksCommand::PatchBankTransaction { id, suggestion } => {
                self.patch_bank_transaction(request, *id, suggestion)
            }
            BooksCommand::DeleteBankTransaction { id } => self.delete_bank_transaction(request, *id),
            BooksCommand::ExcludeBankTransaction { id, excluded } => {
                self.exclude_bank_transaction(request, *id, *excluded)
            }
            BooksCommand::Confirm { items, is_batch } => self.confirm_all(request, items, *is_batch),
            BooksCommand::ConfirmSuggestions(asked) => self.confirm_suggestions(request, asked),
            BooksCommand::SaveSuggestions(found) => Ok(self.save_suggestions(found)),
            BooksCommand::Unconfirm { id } => self.unconfirm(request, *id),
            BooksCommand::PreviewOpening { entry, preview } => self.preview_opening(request, entry, preview),
            BooksCommand::SetOpening { entry, token_hash } => {
                self.set_opening(request, entry.as_deref(), token_hash.as_deref())
            }
            BooksCommand::PreviewImport { entries, preview } => self.preview_import(request, entries, preview),
            BooksCommand::ConfirmImport(confirmation) => self.confirm_import(request, confirmation),
            BooksCommand::Plan(operations) => self.preview_plan(request, operations),
            BooksCommand::CommitPlan(confirmation) => self.commit_plan(request, confirmation),
            BooksCommand::CreateVatAdjustment(entered) => self.create_vat_adjustment(request, entered),
            BooksCommand::VoidVatAdjustment { id, void_date, reason } => {
                self.void_vat_adjustment(request, *id, *void_date, reason.as_deref())
            }
            BooksCommand::RecordVatReturn(input) => self.record_vat_return(input),
            BooksCommand::DeleteVatReturn { id } => self.delete_vat_return(*id),
            BooksCommand::CloseYear { last, transfers } => self.close_year(request, *last, transfers),
            BooksCommand::ReopenYear { last } => self.reopen_year(request, *last),
            BooksCommand::WriteOff { invoice_id, entered } => self.write_off(request, *invoice_id, entered),
            BooksCommand::VoidWriteOff { id, void_date, reason } => {
                self.void_write_off(request, *id, *void_date, reason.as_deref())
            }
            BooksCommand::SendEmail(entry) => self.send_email(request, entry),
            BooksCommand::ResendEmail { id, attachment } => self.resend_email(*id, attachment.as_ref()),
            BooksCommand::CancelEmail { id } => self.cancel_email(*id),
            BooksCommand::ChangeCodingPolicy(change) => self.change_coding_policy(request, change),
            BooksCommand::VoidJournal { id, void_date, reason } => {
                self.void_journal(request, *id, *void_date, reason.as_deref())
            }
        }
    }

    fn patch_organisation(
        &mut self,
        request: &CommandRequest,
        change: &OrganisationChange,
    ) -> Result<CommandResult, Rejection> {
        let row = &self.books.organisation;
        require_version(request, row.version)?;
        if let Some(id) = change.payment_bank_account_id()
            && !self.books.bank_accounts.contains_key(&id)
        {
            return Err(Refusal::UnknownReference { field: "payment_bank_account_id".to_owned(), id }.into());
        }
        let histories = Histories { vat: &self.books.vat, years: &self.books.years };
        let ChangedOrganisation { row: mut next, vat_scheme, years } = row.with(change, Some(histories))?;
        if let Some((from, scheme)) = vat_scheme {
            self.require_no_vat_posted(from, scheme)?;
        }
        next.version += 1;
        next.updated_at_ms = self.now_ms;
        let (before, after) = (row.audit_fields(), next.audit_fields());
        *self.books.change_organisation() = next.clone();
        if let Some((from, scheme)) = vat_scheme {
            Arc::make_mut(&mut self.books.vat).change(from, scheme);
            self.effects.push(next.id.0, Effect::VatSchemes);
        }
        if let Some(years) = years {
            self.books.years = Arc::new(years);
            self.effects.push(next.id.0, Effect::FinancialYears);
        }
        let on = (Resource::Organisation, next.id.0);
        self.record_change(ChangeAction::Update, on, "Organisation changed", Some(before), Some(after));
        self.store_invoice_sequence();
        Ok(CommandResult::Organisation(Box::new(self.with_next_number(next))))
    }

    /// A document keeps the basis it was issued under: where VAT is posted from the first day of a scheme on, the return
    /// would mix two.
    fn require_no_vat_posted(&self, from: Date, scheme: VatScheme) -> Result<(), Refusal> {
        let earliest = self.facts.vat_postings.get(&(self.organisation(), from)).copied().flatten();
        match earliest.filter(|_| self.books.vat.has_other_basis(from, scheme)) {
            Some((date, journal_id)) => Err(Refusal::VatAlreadyPosted { date, journal_id }),
            None => Ok(()),
        }
    }

    fn lock_period(
        &mut self,
        request: &CommandRequest,
        date: Option<Date>,
        reason: Option<&str>,
    ) -> Result<CommandResult, Rejection> {
        require_version(request, self.books.organisation.version)?;
        match move_lock(self.books.lock_date(), date, self.today)? {
            LockMove::Same => return Ok(self.lock_view()),
            LockMove::Back if !request.actor.may_reopen => return Err(Rejection::Forbidden),
            LockMove::Back => require_reopened(&self.closed_years(), date)?,
            LockMove::Forward => {}
        }
        let before = self.books.organisation.lock_audit_fields();
        let row = self.books.change_organisation();
        row.lock_date = date;
        row.version += 1;
        row.updated_at_ms = self.now_ms;
        let organisation = row.clone();
        let id = self.identifiers.next(IdSequence::PeriodLockChange);
        self.record_lock_change(id, date, reason);
        let summary = match date {
            Some(date) => format!("Period locked up to {}", date),
            None => "Period lock cleared".to_owned(),
        };
        let (before, after) = (before.text("reason", None), organisation.lock_audit_fields().text("reason", reason));
        self.record_change(
            ChangeAction::Lock,
            (Resource::Organisation, organisation.id.0),
            summary,
            Some(before),
            Some(after),
        );
        Ok(self.lock_view())
    }

    /// Records a change of the period lock.
    pub(crate) fn record_lock_change(&mut self, id: i64, date: Option<Date>, reason: Option<&str>) {
        let (organisation, user_id, at_ms) = (self.organisation(), self.actor.user_id.0, self.now_ms);
        let reason = reason.map(str::to_owned);
        let record = LockChangeRecord { id, user_id, date, reason: reason.clone(), at_ms };
        self.effects.push(organisation, Effect::LockChange(Box::new(record)));
        let mut changes = self.facts.lock_changes.get(&organisation).cloned().unwrap_or_default();
        changes.insert(0, LockChange { lock_date: date, reason, user_id, at_ms });
        self.facts.lock_changes.insert(organisation, changes);
    }

    /// The answer about the period lock.
    fn lock_view(&self) -> CommandResult {
        let changes = self.facts.lock_changes.get(&self.organisation()).cloned().unwrap_or_default();
        CommandResult::Lock(Box::new((*self.books.organisation).clone()), changes)
    }

    fn create_account(&mut self, new: &NewAccount) -> Result<CommandResult, Rejection> {
        let new = self.books.chart.create(new.clone())?;
        let row = self.add_account(new);
        Ok(CommandResult::Account(Box::new(AccountView {
            row,
            balance_pence: 0,
            has_postings: false,
            bank_account_id: None,
        })))
    }

    /// Adds an account to the chart, and to the history.
    pub(crate) fn add_account(&mut self, new: NewAccount) -> AccountRecord {
        let account = new.with_id(AccountId(self.identifiers.next(IdSequence::Account)));
        if account.has_role(&Role::VatControl) {
            self.books.change_organisation().has_vat_control = true;
        }
        let row = AccountRecord::of(&account, self.now_ms);
        self.put_account(row.clone());
        self.facts.balances.insert(row.id, (0, false));
        let summary = format!("Account {} {} made", row.code, row.name);
        self.record_change(ChangeAction::Create, (Resource::Account, row.id), summary, None, Some(row.audit_fields()));
        row
    }

    /// Sets an account.
    pub(crate) fn put_account(&mut self, row: AccountRecord) {
        self.effects.push(self.organisation(), Effect::Account(row.id));
        self.books.put_account(row);
    }

    /// An account, if the caller has seen its version.
    fn account(&self, request: &CommandRequest, id: i64) -> Result<AccountRecord, Rejection> {
        let row = self.books.accounts.get(&id).cloned().ok_or(Rejection::Unknown)?;
        require_version(request, row.version)?;
        Ok(row)
    }

    /// The answer about an account.
    fn account_view(&self, row: AccountRecord) -> CommandResult {
        let (balance_pence, has_postings) = self.facts.balances.get(&row.id).copied().unwrap_or_default();
        let bank_account = self.books.bank_accounts.values().find(|bank| bank.account_id == row.id);
        let bank_account_id = bank_account.map(|bank| bank.id);
        CommandResult::Account(Box::new(AccountView { row, balance_pence, has_postings, bank_account_id }))
    }

    /// Writes a changed account.
    fn write_changed_account(&mut self, action: ChangeAction, row: AccountRecord) -> CommandResult {
        let row = AccountRecord { version: row.version + 1, updated_at_ms: self.now_ms, ..row };
        let before = self.books.accounts.get(&row.id).map(AccountRecord::audit_fields);
        self.put_account(row.clone());
        let summary = format!("Account {} {} {}", row.code, row.name, action.done());
        self.record_change(action, (Resource::Account, row.id), summary, before, Some(row.audit_fields()));
        self.account_view(row)
    }

    fn patch_account(
        &mut self,
        request: &CommandRequest,
        id: i64,
        code: Option<&str>,
        name: Option<&str>,
    ) -> Result<CommandResult, Rejection> {
        let mut row = self.account(request, id)?;
        if let Some(code) = code {
            self.books.chart.recode(AccountId(id), code)?;
            code.clone_into(&mut row.code);
        }
        if let Some(name) = name {
            name.clone_into(&mut row.name);
        }
        Ok(self.write_changed_account(ChangeAction::Update, row))
    }

    fn archive_account(
        &mut self,
        request: &CommandRequest,
        id: i64,
        archived: bool,
    ) -> Result<CommandResult, Rejection> {
        let row = self.account(request, id)?;
        if archived {
            Chart::archive(self.ledger_account(id)?)?;
            if self.books.bank_accounts.values().any(|bank| bank.account_id == id) {
                return Err(Refusal::InvalidState { current: "bank account", allowed: &[] }.into());
            }
        }
        if row.archived_at_ms.is_some() == archived {
            return Ok(self.account_view(row));
        }
        let archived_at_ms = archived.then_some(self.now_ms);
        Ok(self.write_changed_account(archiving(archived), AccountRecord { archived_at_ms, ..row }))
    }

    /// An account as the rules read it.
    fn ledger_account(&self, id: i64) -> Result<&Account, Rejection> {
        self.books.chart.get(AccountId(id)).ok_or(Rejection::Unknown)
    }
}

/// The action of the history: archived or restored.
pub(crate) const fn archiving(archived: bool) -> ChangeAction {
    if archived { ChangeAction::Archive } else { ChangeAction::Unarchive }
}

/// Requires that the version the caller has seen, if the request gives one, is that of the record.
pub(crate) fn require_version(request: &CommandRequest, version: i64) -> Result<(), Refusal> {
    if request.expected_version.is_none_or(|seen| seen == version) { Ok(()) } else { Err(Refusal::StaleVersion) }
}

/// Longer summaries are truncated.
const SUMMARY_CHARS_MAX: usize = 300;

/// A change of a record, as the history describes it.
pub(crate) struct Change {
    /// What was done to the record.
    pub(crate) action: ChangeAction,
    /// The kind of the record.
    pub(crate) resource: Resource,
    /// The identifier of the record.
    pub(crate) id: i64,
    /// A sentence for people.
    pub(crate) summary: String,
    /// The fields before; none when it was created.
    pub(crate) before: Option<AuditFields>,
    /// The fields after; none when it was deleted.
    pub(crate) after: Option<AuditFields>,
}

impl BooksTransaction<'_> {
    /// Adds a change to the history. Every decision calls it once no rule can refuse the command any more. Journals are
    /// recorded by [`BooksTransaction::write_journal`] and [`BooksTransaction::record_void`].
    pub(crate) fn record_change(
        &mut self,
        action: ChangeAction,
        (resource, id): (Resource, i64),
        summary: impl Into<String>,
        before: Option<AuditFields>,
        after: Option<AuditFields>,
    ) {
        let change = Change { action, resource, id, summary: summary.into(), before, after };
        let entry = entry(self.books.next_change, self.actor, self.now_ms, &change);
        self.books.next_change += 1;
        self.effects.push(self.organisation(), Effect::Change(Box::new(entry)));
    }

    /// Records that a journal is void: with its reversal, in the counters and in the history.
    pub(crate) fn record_void(&mut self, journal: &JournalView, reversal: i64, reason: Option<&str>) {
        self.push_reversal((journal.id, journal.entry_date), reversal, reason);
        let before =
            AuditFields::new().text("status", "posted").number("reversed_by_journal_id", None).text("reason", None);
        let after =
            AuditFields::new().text("status", "void").number("reversed_by_journal_id", reversal).text("reason", reason);
        let summary = format!("Journal {} voided", journal.number);
        self.record_change(ChangeAction::Void, (Resource::Journal, journal.id), summary, Some(before), Some(after));
    }

    /// Records that a journal is void, without an entry of the history: the voided settlement has one.
    pub(crate) fn push_reversal(&mut self, (journal, date): (i64, Date), reversal: i64, reason: Option<&str>) {
        let organisation = self.organisation();
        self.effects.count_day(organisation, ListDay::dated("journal", Some("void"), date), 1);
        // The reversal counts as posted, the original as void.
        self.effects.count(organisation, "journal", "void", 1);
        let record = ReversalRecord { journal, date, reversal, reason: reason.map(str::to_owned) };
        self.effects.push(organisation, Effect::Reversal(Box::new(record)));
        self.facts.journals.update(&journal, |loaded| loaded.view.reversed_by = Some(reversal));
    }
}

/// Adds the first entry of a history. The accounts of the standard chart have no entries of their own.
pub(crate) fn record_organisation_created(effects: &mut Effects, row: &OrganisationRecord, actor: &Actor, at_ms: i64) {
    let change = Change {
        action: ChangeAction::Create,
        resource: Resource::Organisation,
        id: row.id.0,
        summary: format!("Organisation {} made", row.name),
        before: None,
        after: Some(row.audit_fields()),
    };
    effects.push(row.id.0, Effect::Change(Box::new(entry(1, actor, at_ms, &change))));
}

/// The entry of a history with this number.
fn entry(cursor: i64, actor: &Actor, at_ms: i64, change: &Change) -> ChangeEntry {
    let (before, after) = audit_json(change.before.as_ref(), change.after.as_ref());
    ChangeEntry {
        cursor,
        at_ms,
        user_id: actor.user_id.0,
        key_prefix: actor.key_prefix.clone(),
        via: actor.via(),
        grant_id: actor.grant().map(|grant| grant.0),
        tool: actor.tool,
        note: actor.note.clone(),
        action: change.action.as_str(),
        resource: change.resource.as_str(),
        id: change.id,
        summary: truncated(&change.summary, SUMMARY_CHARS_MAX).to_owned(),
        before,
        after,
    }
}
