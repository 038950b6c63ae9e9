//! Decides one posting over the books at hand: the rules of `domain::ledger` say what happens, this notes what is to be
//! written. A refused posting has changed nothing, neither the books at hand nor what is to be written.

use super::accounts::{AccountRow, AccountView};
use super::action::Action;
use super::effects::Effects;
use super::facts::Facts;
use super::ids::{Identifiers, Kind};
use super::organisation::{LockChange, OrganisationChange};
use super::post::{Post, Posted, Poster};
use super::shelf::Shelved;
use crate::domain::calendar::{date_of, day_text};
use crate::domain::ledger::account::{Account, Role};
use crate::domain::ledger::change::{ChangeAction, Resource};
use crate::domain::ledger::chart::{Chart, NewAccount};
use crate::domain::ledger::ids::AccountId;
use crate::domain::ledger::period::{LockMove, move_lock};
use crate::domain::ledger::refusal::Refusal;
use crate::store::StoreError;

/// Why a posting is not done.
pub(super) enum Stop {
    Refused(Refusal),
    Unknown,
    Forbidden,
    Failed(StoreError),
    /// The item of a batch that stopped it.
    Item(usize, Box<Stop>),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// Where a posting is decided.
pub(super) struct Desk<'a> {
    pub(super) books: &'a mut Shelved,
    pub(super) facts: &'a mut Facts,
    pub(super) identifiers: &'a mut Identifiers,
    pub(super) effects: &'a mut Effects,
    pub(super) poster: &'a Poster,
    pub(super) now_ms: i64,
    /// In the organisation's time zone.
    pub(super) today: i32,
    /// Whether nothing of it is written: numbers and identifiers are not handed out.
    pub(super) is_rehearsal: bool,
}

impl Desk<'_> {
    pub(super) fn organisation(&self) -> i64 {
        self.books.organisation.id.0
    }

    /// Decides one posting.
    pub(super) fn decide(&mut self, post: &Post) -> Result<Posted, Stop> {
        self.decide_action(post, &post.action)
    }

    /// Decides an action of a posting: its own, or a row of an import.
    pub(super) fn decide_action(&mut self, post: &Post, action: &Action) -> Result<Posted, Stop> {
        match action {
            Action::CreateDocument { entry, is_issued } => self.create_document(post, entry, *is_issued),
            Action::PatchDocument { kind, id, fields } => self.patch_document(post, *kind, *id, fields),
            Action::DeleteDocument { kind, id } => self.delete_document(post, *kind, *id),
            Action::IssueDocument { kind, id } => self.issue_document(post, *kind, *id),
            Action::VoidDocument { kind, id, void_day, reason } => {
                self.void_document(post, *kind, *id, *void_day, reason.as_deref())
            }
            Action::AllocateCredit { kind, id, allocations, day } => {
                self.allocate_credit(post, *kind, *id, allocations, *day)
            }
            Action::UnallocateCredit { kind, id, allocation_ids } => {
                self.unallocate_credit(post, *kind, *id, allocation_ids)
            }
            Action::CreateSettlement(entry) => self.create_settlement(post, entry),
            Action::PatchSettlement { side, id, fields } => self.patch_settlement(post, *side, *id, fields),
            Action::AllocateSettlement { side, id, allocations } => {
                self.allocate_settlement(post, *side, *id, allocations)
            }
            Action::UnallocateSettlement { side, id, allocation_ids } => {
                self.unallocate_settlement(post, *side, *id, allocation_ids)
            }
            Action::VoidSettlement { side, id, void_day, reason } => {
                self.void_settlement(post, *side, *id, *void_day, reason.as_deref())
            }
            Action::PatchOrganisation(change) => self.patch_organisation(post, change),
            Action::LockPeriod { lock_day, reason } => self.lock_period(post, *lock_day, reason.as_deref()),
            Action::CreateAccount(new) => self.create_account(new),
            Action::PatchAccount { id, code, name } => self.patch_account(post, *id, code.as_deref(), name.as_deref()),
            Action::ArchiveAccount { id, archived } => self.archive_account(post, *id, *archived),
            Action::CreateContact { kind, fields } => self.create_contact(*kind, fields),
            Action::PatchContact { kind, id, fields } => self.patch_contact(post, *kind, *id, fields),
            Action::ArchiveContact { kind, id, archived } => self.archive_contact(post, *kind, *id, *archived),
            Action::DeleteContact { kind, id } => self.delete_contact(post, *kind, *id),
            Action::PostJournal(entered) => self.post_journal(post, entered),
            Action::CreateBankAccount { kind, account, fields } => self.create_bank_account(*kind, account, fields),
            Action::PatchBankAccount { id, fields } => self.patch_bank_account(post, *id, fields),
            Action::ArchiveBankAccount { id } => self.archive_bank_account(post, *id),
            Action::CreateBankTransaction { bank_account_id, row } => {
                self.create_bank_transaction(*bank_account_id, row)
            }
            Action::ImportBankTransactions(import) => self.import_bank_transactions(import),
            Action::PatchBankTransaction { id, suggestion } => self.patch_bank_transaction(post, *id, suggestion),
            Action::DeleteBankTransaction { id } => self.delete_bank_transaction(post, *id),
            Action::ExcludeBankTransaction { id, excluded } => self.exclude_bank_transaction(post, *id, *excluded),
            Action::Confirm { items, is_batch } => self.confirm_all(post, items, *is_batch),
            Action::Unconfirm { id } => self.unconfirm(post, *id),
            Action::PreviewOpening { entry, preview } => self.preview_opening(post, entry, preview),
            Action::SetOpening { entry, token_hash } => self.set_opening(post, entry.as_deref(), token_hash.as_deref()),
            Action::PreviewImport { entries, preview } => self.preview_import(post, entries, preview),
            Action::ConfirmImport(asked) => self.confirm_import(post, asked),
            Action::VoidJournal { id, void_day, reason } => self.void_journal(post, *id, *void_day, reason.as_deref()),
        }
    }

    fn patch_organisation(&mut self, post: &Post, change: &OrganisationChange) -> Result<Posted, Stop> {
        let row = &self.books.organisation;
        require_version(post, row.version)?;
        let (mut next, begins) = row.with(change, self.books.lock_day(), false)?;
        next.version += 1;
        next.updated_at_ms = self.now_ms;
        let (before, after) = (row.told(), next.told());
        self.books.organisation = next.clone();
        self.books.organisation_changed = true;
        if let Some((from, scheme)) = begins {
            self.books.vat.change(from, scheme);
            let rate = scheme.flat_rate().map(|rate| rate.0);
            self.effects.vat_scheme(next.id.0, from, scheme.as_str(), rate);
        }
        let on = (Resource::Organisation, next.id.0);
        self.note_change(ChangeAction::Update, on, "Organisation changed", Some(before), Some(after));
        self.keep_sequence();
        Ok(Posted::Organisation(Box::new(self.with_next_number(next))))
    }

    fn lock_period(&mut self, post: &Post, day: Option<i32>, reason: Option<&str>) -> Result<Posted, Stop> {
        require_version(post, self.books.organisation.version)?;
        match move_lock(self.books.lock_day(), day, self.today)? {
            LockMove::Same => return Ok(self.lock_view()),
            LockMove::Back if !post.poster.may_reopen => return Err(Stop::Forbidden),
            LockMove::Back | LockMove::Forward => {}
        }
        let before = self.books.organisation.told_lock();
        let row = &mut self.books.organisation;
        row.lock_date = day.map(date_of);
        row.version += 1;
        row.updated_at_ms = self.now_ms;
        let organisation = row.clone();
        self.books.organisation_changed = true;
        let id = self.identifiers.next(Kind::PeriodLockChange);
        self.effects.lock_change((id, organisation.id.0, post.poster.user_id.0), day, reason, self.now_ms);
        let change = LockChange {
            lock_day: day,
            reason: reason.map(str::to_owned),
            user_id: post.poster.user_id.0,
            at_ms: self.now_ms,
        };
        self.facts.lock_changes.entry(organisation.id.0).or_default().insert(0, change);
        let summary = match day {
            Some(day) => format!("Period locked up to {}", day_text(day)),
            None => "Period lock cleared".to_owned(),
        };
        let (before, after) = (before.text("reason", None), organisation.told_lock().text("reason", reason));
        self.note_change(
            ChangeAction::Lock,
            (Resource::Organisation, organisation.id.0),
            summary,
            Some(before),
            Some(after),
        );
        Ok(self.lock_view())
    }

    fn lock_view(&self) -> Posted {
        let changes = self.facts.lock_changes.get(&self.organisation()).cloned().unwrap_or_default();
        Posted::Lock(Box::new(self.books.organisation.clone()), changes)
    }

    fn create_account(&mut self, new: &NewAccount) -> Result<Posted, Stop> {
        let new = self.books.chart.create(new.clone())?;
        let row = self.add_account(new);
        Ok(Posted::Account(Box::new(AccountView { row, balance_pence: 0, has_postings: false, bank_account_id: None })))
    }

    pub(super) fn add_account(&mut self, new: NewAccount) -> AccountRow {
        let account = new.with_id(AccountId(self.identifiers.next(Kind::Account)));
        if account.has_role(&Role::VatControl) {
            self.books.organisation.has_vat_control = true;
            self.books.organisation_changed = true;
        }
        let row = AccountRow::of(&account, self.now_ms);
        self.put_account(row.clone());
        let summary = format!("Account {} {} made", row.code, row.name);
        self.note_change(ChangeAction::Create, (Resource::Account, row.id), summary, None, Some(row.told()));
        row
    }

    pub(super) fn put_account(&mut self, row: AccountRow) {
        self.books.put_account(row.clone());
        self.effects.account(self.organisation(), row);
    }

    fn account(&self, post: &Post, id: i64) -> Result<AccountRow, Stop> {
        let row = self.books.accounts.get(&id).cloned().ok_or(Stop::Unknown)?;
        require_version(post, row.version)?;
        Ok(row)
    }

    fn account_view(&self, row: AccountRow) -> Posted {
        let (balance_pence, has_postings) = self.facts.balances.get(&row.id).copied().unwrap_or_default();
        let carried = self.books.bank_accounts.values().find(|bank| bank.account_id == row.id);
        let bank_account_id = carried.map(|bank| bank.id);
        Posted::Account(Box::new(AccountView { row, balance_pence, has_postings, bank_account_id }))
    }

    fn changed_account(&mut self, action: ChangeAction, row: AccountRow) -> Posted {
        let row = AccountRow { version: row.version + 1, updated_at_ms: self.now_ms, ..row };
        let before = self.books.accounts.get(&row.id).map(AccountRow::told);
        self.put_account(row.clone());
        let summary = format!("Account {} {} {}", row.code, row.name, action.done());
        self.note_change(action, (Resource::Account, row.id), summary, before, Some(row.told()));
        self.account_view(row)
    }

    fn patch_account(&mut self, post: &Post, id: i64, code: Option<&str>, name: Option<&str>) -> Result<Posted, Stop> {
        let mut row = self.account(post, id)?;
        if let Some(code) = code {
            self.books.chart.recode(AccountId(id), code)?;
            code.clone_into(&mut row.code);
        }
        if let Some(name) = name {
            name.clone_into(&mut row.name);
        }
        Ok(self.changed_account(ChangeAction::Update, row))
    }

    fn archive_account(&mut self, post: &Post, id: i64, archived: bool) -> Result<Posted, Stop> {
        let row = self.account(post, id)?;
        if archived {
            Chart::archive(self.rule_account(id)?)?;
            if self.books.bank_accounts.values().any(|bank| bank.account_id == id) {
                return Err(Refusal::InvalidState { current: "bank account", allowed: &[] }.into());
            }
        }
        if row.archived_at_ms.is_some() == archived {
            return Ok(self.account_view(row));
        }
        let archived_at_ms = archived.then_some(self.now_ms);
        Ok(self.changed_account(archiving(archived), AccountRow { archived_at_ms, ..row }))
    }

    fn rule_account(&self, id: i64) -> Result<&Account, Stop> {
        self.books.chart.get(AccountId(id)).ok_or(Stop::Unknown)
    }
}

pub(super) const fn archiving(archived: bool) -> ChangeAction {
    if archived { ChangeAction::Archive } else { ChangeAction::Unarchive }
}

pub(super) fn require_version(post: &Post, version: i64) -> Result<(), Refusal> {
    if post.if_match.is_none_or(|seen| seen == version) { Ok(()) } else { Err(Refusal::StaleVersion) }
}
