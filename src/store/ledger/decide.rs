//! Decides one posting over the books at hand: the rules of `domain::ledger` say what happens, this notes what is to be
//! written. A refused posting has changed nothing, neither the books at hand nor what is to be written.

use super::accounts::{AccountRow, AccountView};
use super::contacts::{ContactDetails, ContactField, ContactRow, ContactView};
use super::effects::{Effects, JournalRow, LineRow};
use super::facts::{Facts, LoadedJournal};
use super::ids::{Identifiers, Kind};
use super::journals::{JournalLineView, JournalView};
use super::organisation::{LockChange, OrganisationChange};
use super::post::{Action, Post, Posted, Poster};
use super::shelf::Shelved;
use crate::domain::calendar::{date_of, day_text};
use crate::domain::ledger::account::{Account, Role};
use crate::domain::ledger::change::{ChangeAction, Resource};
use crate::domain::ledger::chart::{Chart, NewAccount};
use crate::domain::ledger::contact::{self, CisRate, ContactKind};
use crate::domain::ledger::ids::{AccountId, ContactId, JournalId};
use crate::domain::ledger::journal::{Journal, JournalStatus, Line, PostedJournal, Source, SourceType, Target};
use crate::domain::ledger::manual_journal::{self, ManualJournal};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::period::{LockMove, move_lock};
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::VatCode;
use crate::domain::ledger::vat_entry::VatOrigin;
use crate::domain::problem::Issues;
use crate::store::StoreError;

/// Why a posting is not done.
pub(super) enum Stop {
    Refused(Refusal),
    /// Rows of an import that cannot be imported.
    Invalid(Issues),
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
            Action::PreviewOpening { entry, preview } => self.preview_opening(entry, preview),
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
        Ok(Posted::Organisation(Box::new(next)))
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

    fn create_contact(&mut self, kind: ContactKind, fields: &[ContactField]) -> Result<Posted, Stop> {
        let details = self.accepted(kind, None, ContactDetails::default().with(fields))?;
        let row = ContactRow {
            id: self.identifiers.next(Kind::Contact),
            kind,
            details,
            used: false,
            archived_at_ms: None,
            created_at_ms: self.now_ms,
            updated_at_ms: self.now_ms,
            version: 1,
        };
        self.effects.count(self.organisation(), kind.as_str(), "active", 1);
        self.put_contact(row.clone());
        let summary = format!("{} made", row.title());
        self.note_change(ChangeAction::Create, (row.resource(), row.id), summary, None, Some(row.told()));
        Ok(self.contact_view(row))
    }

    /// Details as the rules accept them.
    fn accepted(
        &self,
        kind: ContactKind,
        id: Option<i64>,
        mut details: ContactDetails,
    ) -> Result<ContactDetails, Refusal> {
        if let Some(account) = details.default_account_id {
            self.books.books().account(AccountId(account), || "default_account_id".to_owned())?;
        }
        let rate = details.cis.deduction_rate.and_then(CisRate::from_percent);
        details.cis.deduction_rate = contact::cis_rate(details.cis.is_subcontractor, rate)?.map(CisRate::percent);
        if let Some(reference) = &details.reference {
            let taken = self.facts.references.get(&(self.organisation(), kind, reference.clone()));
            contact::require_free_reference(id.map(ContactId), taken.copied().map(ContactId))?;
        }
        Ok(details)
    }

    fn put_contact(&mut self, row: ContactRow) {
        let organisation = self.organisation();
        self.facts.references.retain(|_, id| *id != row.id);
        if let Some(reference) = &row.details.reference {
            self.facts.references.insert((organisation, row.kind, reference.clone()), row.id);
        }
        self.facts.contacts.insert(row.id, (organisation, row.clone()));
        self.effects.contact(organisation, row);
    }

    fn contact(&self, post: &Post, kind: ContactKind, id: i64) -> Result<ContactRow, Stop> {
        let found = self.facts.contacts.get(&id);
        let row = found.filter(|(organisation, row)| *organisation == self.organisation() && row.kind == kind);
        let (_, row) = row.ok_or(Stop::Unknown)?;
        require_version(post, row.version)?;
        Ok(row.clone())
    }

    fn contact_view(&self, row: ContactRow) -> Posted {
        let (debit, not_yet_due) = self.facts.contact_balances.get(&row.id).copied().unwrap_or_default();
        let balance_pence = if row.kind == ContactKind::Customer { debit } else { -debit };
        let overdue_pence = balance_pence.saturating_sub(not_yet_due).max(0);
        Posted::Contact(Box::new(ContactView { row, balance_pence, overdue_pence }))
    }

    fn changed_contact(&mut self, action: ChangeAction, row: ContactRow) -> Posted {
        let row = ContactRow { version: row.version + 1, updated_at_ms: self.now_ms, ..row };
        let before = self.facts.contacts.get(&row.id).map(|(_, before)| before.told());
        self.put_contact(row.clone());
        let summary = format!("{} {}", row.title(), action.done());
        self.note_change(action, (row.resource(), row.id), summary, before, Some(row.told()));
        self.contact_view(row)
    }

    fn patch_contact(
        &mut self,
        post: &Post,
        kind: ContactKind,
        id: i64,
        fields: &[ContactField],
    ) -> Result<Posted, Stop> {
        let row = self.contact(post, kind, id)?;
        let details = self.accepted(kind, Some(id), row.details.clone().with(fields))?;
        Ok(self.changed_contact(ChangeAction::Update, ContactRow { details, ..row }))
    }

    fn archive_contact(&mut self, post: &Post, kind: ContactKind, id: i64, archived: bool) -> Result<Posted, Stop> {
        let row = self.contact(post, kind, id)?;
        if row.archived_at_ms.is_some() == archived {
            return Ok(self.contact_view(row));
        }
        let (to, from) = if archived { ("archived", "active") } else { ("active", "archived") };
        self.effects.count(self.organisation(), kind.as_str(), from, -1);
        self.effects.count(self.organisation(), kind.as_str(), to, 1);
        let archived_at_ms = archived.then_some(self.now_ms);
        Ok(self.changed_contact(archiving(archived), ContactRow { archived_at_ms, ..row }))
    }

    fn delete_contact(&mut self, post: &Post, kind: ContactKind, id: i64) -> Result<Posted, Stop> {
        let row = self.contact(post, kind, id)?;
        contact::delete(row.used)?;
        let status = if row.archived_at_ms.is_some() { "archived" } else { "active" };
        self.effects.count(self.organisation(), kind.as_str(), status, -1);
        self.facts.contacts.remove(&id);
        self.facts.references.retain(|_, holder| *holder != id);
        self.effects.delete_contact(id);
        let summary = format!("{} deleted", row.title());
        self.note_change(ChangeAction::Delete, (row.resource(), id), summary, Some(row.told()), None);
        Ok(Posted::Deleted(id))
    }

    fn post_journal(&mut self, post: &Post, entered: &ManualJournal) -> Result<Posted, Stop> {
        let organisation = self.organisation();
        let named = entered.lines.iter().filter_map(|line| line.contact_id);
        let known: Vec<ContactId> =
            named.filter(|id| self.facts.contacts.get(&id.0).is_some_and(|(of, _)| *of == organisation)).collect();
        let journal = manual_journal::post(&self.books.books(), entered, &known)?;
        let view = self.write_journal(post, journal);
        self.effects.count(organisation, "journal", "posted", 1);
        Ok(Posted::Journal(Box::new(view)))
    }

    pub(super) fn void_journal(
        &mut self,
        post: &Post,
        id: i64,
        void_day: Option<i32>,
        reason: Option<&str>,
    ) -> Result<Posted, Stop> {
        let organisation = self.organisation();
        let loaded = self.facts.journals.get(&id).filter(|journal| journal.organisation == organisation);
        let loaded = loaded.ok_or(Stop::Unknown)?;
        let posted = as_posted(loaded)?;
        let mut voided = loaded.view.clone();
        // A journal has two versions: as posted, and void.
        require_version(post, voided.version())?;
        if let Some(transaction) = self.facts.linked.get(&id) {
            let source_type = SourceType::BankTransaction;
            return Err(Refusal::LinkedToDocument { source_type, source_id: Some(*transaction) }.into());
        }
        let reversal = manual_journal::void(&posted, void_day, &[], self.books.lock_day())?;
        let reversed = self.write_journal(post, reversal);
        self.note_voided(&voided, reversed.id, reason);
        self.reopen_if_opening(&voided);
        voided.reversed_by = Some(reversed.id);
        Ok(Posted::Journal(Box::new(voided)))
    }

    /// Notes a journal for writing, with the accounts it needs first.
    pub(super) fn write_journal(&mut self, post: &Post, mut journal: Journal) -> JournalView {
        let roles: Vec<Role> = journal.roles_to_make().cloned().collect();
        for role in roles {
            if let Some(new) = self.books.chart.first_use(&role) {
                let made = self.add_account(new);
                journal.made(&role, AccountId(made.id));
            }
        }
        let id = self.identifiers.next(Kind::Journal);
        let number = self.books.next_journal_number;
        self.books.next_journal_number += 1;
        let mut view = JournalView {
            id,
            number,
            entry_day: journal.entry_date,
            description: journal.description.clone(),
            reference: journal.reference.clone(),
            source_type: journal.source.kind.as_str().to_owned(),
            source_id: journal.source.id,
            reverses: journal.reverses.map(|id| id.0),
            reversed_by: None,
            total_pence: journal.total_debit().0,
            created_at_ms: self.now_ms,
            user_id: post.poster.user_id.0,
            key_prefix: post.poster.key_prefix.clone(),
            lines: Vec::with_capacity(journal.lines.len()),
        };
        for line in &journal.lines {
            let line = self.line_view(&view, line);
            self.write_line(&view, &line);
            view.lines.push(line);
        }
        self.effects.journal(&JournalRow {
            id,
            organisation: self.organisation(),
            number,
            day: view.entry_day,
            description: &view.description,
            reference: view.reference.as_deref(),
            source_type: &view.source_type,
            source_id: view.source_id,
            reverses: view.reverses,
            total: view.total_pence,
            line_count: i64::try_from(view.lines.len()).unwrap_or(i64::MAX),
            at_ms: self.now_ms,
            user_id: view.user_id,
            key_prefix: view.key_prefix.as_deref(),
        });
        for entry in &journal.vat {
            let line = match entry.origin {
                VatOrigin::JournalLine(at) => view.lines.get(at).map(|line| line.id),
                VatOrigin::DocumentLine(_) | VatOrigin::Document(_) => None,
            };
            let entry_id = self.identifiers.next(Kind::VatEntry);
            self.effects.vat_entry(entry_id, self.organisation(), id, line, entry);
        }
        let summary = format!("Journal {number} posted: {}", view.description);
        self.note_change(ChangeAction::Create, (Resource::Journal, id), summary, None, Some(view.told()));
        view
    }

    fn line_view(&mut self, journal: &JournalView, line: &Line) -> JournalLineView {
        let account_id = match &line.target {
            Target::Account(id) => id.0,
            // Made before; 0 is an account nobody has, which the schema refuses.
            Target::FirstUse(_) => 0,
        };
        let account = self.books.accounts.get(&account_id);
        JournalLineView {
            id: self.identifiers.next(Kind::JournalLine),
            line_number: i64::try_from(journal.lines.len()).unwrap_or(i64::MAX).saturating_add(1),
            account_id,
            account_code: account.map(|account| account.code.clone()).unwrap_or_default(),
            account_name: account.map(|account| account.name.clone()).unwrap_or_default(),
            debit_pence: line.debit().0,
            credit_pence: line.credit().0,
            memo: line.memo.clone(),
            vat_code: line.vat_code.map(|code| code.code().to_owned()),
            vat_pence: line.vat_amount.map(|vat| vat.0),
            contact_id: line.contact_id.map(|id| id.0),
            system: line.is_system,
        }
    }

    fn write_line(&mut self, journal: &JournalView, line: &JournalLineView) {
        let account = self.books.chart.get(AccountId(line.account_id));
        let of_contact = account.is_some_and(|account| {
            account.has_role(&Role::AccountsReceivable) || account.has_role(&Role::AccountsPayable)
        });
        self.effects.line(
            &LineRow {
                id: line.id,
                organisation: self.books.organisation.id.0,
                journal: journal.id,
                number: line.line_number,
                account: line.account_id,
                day: journal.entry_day,
                debit: line.debit_pence,
                credit: line.credit_pence,
                memo: line.memo.as_deref(),
                vat_code: line.vat_code.as_deref(),
                vat_amount: line.vat_pence,
                contact: line.contact_id,
                system: line.system,
            },
            of_contact,
        );
        let unused = line.contact_id.and_then(|id| self.facts.contacts.get(&id)).filter(|(_, row)| !row.used);
        if let Some((_, row)) = unused {
            let row = ContactRow { used: true, ..row.clone() };
            self.put_contact(row);
        }
    }
}

const fn archiving(archived: bool) -> ChangeAction {
    if archived { ChangeAction::Archive } else { ChangeAction::Unarchive }
}

pub(super) fn require_version(post: &Post, version: i64) -> Result<(), Refusal> {
    if post.if_match.is_none_or(|seen| seen == version) { Ok(()) } else { Err(Refusal::StaleVersion) }
}

/// A stored journal as the rules know it.
pub(super) fn as_posted(loaded: &LoadedJournal) -> Result<PostedJournal, StoreError> {
    let view = &loaded.view;
    let kind =
        SourceType::parse(&view.source_type).ok_or_else(|| StoreError::corrupt("source type", &view.source_type))?;
    let lines = view.lines.iter().map(|line| Line {
        target: Target::Account(AccountId(line.account_id)),
        amount: Pence(line.debit_pence - line.credit_pence),
        memo: line.memo.clone(),
        vat_code: line.vat_code.as_deref().and_then(VatCode::parse),
        vat_amount: line.vat_pence.map(Pence),
        contact_id: line.contact_id.map(ContactId),
        is_system: line.system,
    });
    Ok(PostedJournal {
        id: JournalId(view.id),
        number: view.number,
        status: if view.reversed_by.is_some() { JournalStatus::Void } else { JournalStatus::Posted },
        journal: Journal {
            entry_date: view.entry_day,
            description: view.description.clone(),
            reference: view.reference.clone(),
            memo: None,
            source: Source { kind, id: view.source_id },
            reverses: view.reverses.map(JournalId),
            lines: lines.collect(),
            vat: loaded.vat.clone(),
        },
    })
}
