//! Decides commands about bank accounts and statement lines.

use crate::domain::books::audit_fields::{AuditFields, ChangeAction, Resource};
use crate::domain::books::decide::{BooksTransaction, Rejection, require_version};
use crate::domain::books::effects::{Effect, ListCounters, ListDay};
use crate::domain::books::numbers::IdSequence;
use crate::domain::books::records::account::AccountRecord;
use crate::domain::books::records::bank_account::{
    BankAccountDetails, BankAccountField, BankAccountRecord, BankAccountView, LedgerAccount,
};
use crate::domain::books::records::statement_line::{
    StatementImport, StatementLineInput, StatementLinePart, StatementLineRecord, StatementLineResult,
};
use crate::domain::books::records::suggestion::StatementLineSuggestion;
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::ids::{AccountId, BankAccountId, BankTransactionId};
use crate::domain::ledger::bank::{BankAccount, BankAccountType, BankStatus, ConfirmType};
use crate::domain::ledger::bank_coding::Coding;
use crate::domain::ledger::bank_import::{
    NewStatementLine, RowOutcome, StatementLineKey, StoredStatementLine, completes,
};
use crate::domain::ledger::chart::{NewAccount, Role};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::{bank, bank_import};

const LIST: &str = "bank_transaction";

impl BooksTransaction<'_> {
    pub(crate) fn create_bank_account(
        &mut self,
        kind: BankAccountType,
        account: &LedgerAccount,
        fields: &[BankAccountField],
    ) -> Result<CommandResult, Rejection> {
        let details = BankAccountDetails::default().with(fields);
        let account_id = match account {
            LedgerAccount::Existing(id) => {
                let field = || "account_id".to_owned();
                let found = self.books.books().account(AccountId(*id), field)?;
                let linked = self.books.bank_accounts.values().find(|bank| bank.account_id == *id);
                bank::link_account(kind, found, linked.map(|bank| BankAccountId(bank.id)))?;
                *id
            }
            LedgerAccount::New(code) => {
                let new = NewAccount {
                    code: code.clone().into(),
                    name: details.name.clone().into(),
                    account_type: kind.account_type(),
                    role: Some(Role::Bank),
                };
                let new = self.books.chart.create(new)?;
                self.add_account(new).id
            }
        };
        let id = self.identifiers.next(IdSequence::BankAccount);
        let opening_pence = self.opening_of(account_id);
        let row =
            BankAccountRecord { opening_pence, ..BankAccountRecord::new(id, account_id, details, kind, self.now_ms) };
        // An account that carries a bank account is one of the accounts of that role.
        if let Some(existing) = self.books.accounts.get(&account_id).filter(|account| account.role.is_none()) {
            let role = Some(Role::Bank.as_str().to_owned());
            self.put_account(AccountRecord { role, ..existing.clone() });
            if self.facts.balances.get(&account_id).is_none_or(|(_, has_postings)| *has_postings) {
                self.effects.push(self.organisation(), Effect::CashCounted);
            }
        }
        self.put_bank_account(row.clone());
        let summary = format!("Bank account {} made", row.details.name);
        self.record_change(ChangeAction::Create, (Resource::BankAccount, id), summary, None, Some(row.audit_fields()));
        Ok(self.bank_account_view(row))
    }

    fn changed_bank_account(&mut self, action: ChangeAction, row: BankAccountRecord) -> CommandResult {
        let row = BankAccountRecord { version: row.version + 1, updated_at_ms: self.now_ms, ..row };
        let before = self.books.bank_accounts.get(&row.id).map(BankAccountRecord::audit_fields);
        self.put_bank_account(row.clone());
        let summary = format!("Bank account {} {}", row.details.name, action.done());
        self.record_change(action, (Resource::BankAccount, row.id), summary, before, Some(row.audit_fields()));
        self.bank_account_view(row)
    }

    pub(crate) fn put_bank_account(&mut self, row: BankAccountRecord) {
        self.effects.push(self.organisation(), Effect::BankAccount(row.id));
        self.books.put_bank_account(row);
    }

    fn bank_account_view(&self, row: BankAccountRecord) -> CommandResult {
        let account = self.books.accounts.get(&row.account_id);
        let ledger_pence = self.facts.balances.get(&row.account_id).map_or(0, |(balance, _)| *balance);
        let last_transaction_date = self.facts.last_dates.get(&row.id).copied();
        let account_code = account.map(|account| account.code.clone()).unwrap_or_default();
        CommandResult::BankAccount(Box::new(BankAccountView { row, account_code, ledger_pence, last_transaction_date }))
    }

    fn bank_account_row(&self, request: &CommandRequest, id: i64) -> Result<BankAccountRecord, Rejection> {
        let row = self.books.bank_accounts.get(&id).cloned().ok_or(Rejection::Unknown)?;
        require_version(request, row.version)?;
        Ok(row)
    }

    pub(crate) fn patch_bank_account(
        &mut self,
        request: &CommandRequest,
        id: i64,
        fields: &[BankAccountField],
    ) -> Result<CommandResult, Rejection> {
        let row = self.bank_account_row(request, id)?;
        let details = row.details.clone().with(fields);
        Ok(self.changed_bank_account(ChangeAction::Update, BankAccountRecord { details, ..row }))
    }

    pub(crate) fn archive_bank_account(
        &mut self,
        request: &CommandRequest,
        id: i64,
    ) -> Result<CommandResult, Rejection> {
        let row = self.bank_account_row(request, id)?;
        if row.archived_at_ms.is_some() {
            return Ok(self.bank_account_view(row));
        }
        let archived_at_ms = Some(self.now_ms);
        Ok(self.changed_bank_account(ChangeAction::Archive, BankAccountRecord { archived_at_ms, ..row }))
    }

    /// A bank account that a body names, open.
    pub(crate) fn named_bank(&self, id: i64) -> Result<BankAccount, Refusal> {
        bank::named(self.bank(id).as_ref(), BankAccountId(id)).copied()
    }

    /// A bank account, whatever its state.
    pub(crate) fn bank(&self, id: i64) -> Option<BankAccount> {
        self.books.bank_accounts.get(&id).map(BankAccountRecord::to_domain)
    }

    /// The bank account of a line, whatever its state.
    pub(crate) fn bank_of(&self, row: &StatementLineRecord) -> Result<BankAccount, Rejection> {
        self.bank(row.bank_account_id).ok_or(Rejection::Unknown)
    }

    pub(crate) fn create_bank_transaction(
        &mut self,
        bank_account_id: i64,
        new: &StatementLineInput,
    ) -> Result<CommandResult, Rejection> {
        self.named_bank(bank_account_id)?;
        if let Some(external_id) = &new.external_id {
            let stored = self.facts.stored_lines(bank_account_id);
            let known = stored.into_iter().find(|row| row.external_id.as_ref() == Some(external_id));
            if let Some(known) = known {
                let existing_id = Some(known.id.0);
                return Err(Refusal::DuplicateExternalId { field: "external_id".into(), existing_id }.into());
            }
        }
        self.enter_bank_transaction(bank_account_id, new, None)
    }

    /// The same for a line that is known to be new.
    pub(crate) fn enter_bank_transaction(
        &mut self,
        bank_account_id: i64,
        new: &StatementLineInput,
        import_id: Option<i64>,
    ) -> Result<CommandResult, Rejection> {
        self.named_bank(bank_account_id)?;
        let row = self.add_bank_transaction(bank_account_id, new, import_id);
        Ok(CommandResult::BankTransaction(Box::new(row)))
    }

    /// Notes when a statement was last imported.
    pub(crate) fn imported_now(&mut self, bank_account_id: i64) {
        if let Some(bank) = self.books.bank_accounts.get(&bank_account_id).cloned() {
            self.put_bank_account(BankAccountRecord { last_imported_at_ms: Some(self.now_ms), ..bank });
        }
    }

    fn add_bank_transaction(
        &mut self,
        bank_account_id: i64,
        new: &StatementLineInput,
        import_id: Option<i64>,
    ) -> StatementLineRecord {
        let mut row = StatementLineRecord {
            id: self.identifiers.next(IdSequence::BankTransaction),
            bank_account_id,
            date: new.date,
            amount_pence: new.amount_pence,
            description: new.description.clone(),
            reference: new.reference.clone(),
            merchant: new.merchant.clone(),
            external_id: new.external_id.clone(),
            import_id,
            status: BankStatus::Unconfirmed,
            kind: None,
            contact_id: None,
            lines: Vec::new(),
            memo: None,
            suggestion: None,
            transfer_id: None,
            awaited_on: None,
            journal_id: None,
            settlement: None,
            confirmed_at_ms: None,
            confirmed_by: None,
            created_at_ms: self.now_ms,
            updated_at_ms: self.now_ms,
            version: 1,
        };
        let stored = StoredStatementLine {
            id: BankTransactionId(row.id),
            key: StatementLineKey {
                date: new.date,
                amount: Pence(new.amount_pence),
                description: new.description.clone(),
            },
            external_id: new.external_id.clone(),
        };
        self.facts.stored_rows.insert(row.id, (bank_account_id, stored));
        let awaited = self.facts.awaited_transfers(self.organisation());
        let place = completes(BankAccountId(bank_account_id), new.date, Pence(new.amount_pence), &awaited);
        let first = place.and_then(|place| awaited.get(place)).map(|transfer| transfer.transaction_id.0);
        self.count_line(&row, 1);
        if let Some(first) = first.and_then(|id| self.facts.transactions.get(&id)).map(|(_, row)| row.clone()) {
            row = self.link_to_awaiting(row, &first);
        }
        self.put_bank_transaction(row.clone());
        let summary = format!("{} entered", row.title());
        self.record_change(
            ChangeAction::Create,
            (Resource::BankTransaction, row.id),
            summary,
            None,
            Some(row.audit_fields()),
        );
        row
    }

    /// Links a new line to the transfer in the books that awaits it: it is confirmed, and nothing is posted.
    fn link_to_awaiting(&mut self, row: StatementLineRecord, first: &StatementLineRecord) -> StatementLineRecord {
        let linked = StatementLineRecord {
            transfer_id: Some(row.id),
            awaited_on: None,
            version: first.version + 1,
            updated_at_ms: self.now_ms,
            ..first.clone()
        };
        self.recount(&row, BankStatus::Confirmed);
        self.stop_awaiting(first.id);
        let (summary, on) = (format!("{} linked", linked.title()), (Resource::BankTransaction, linked.id));
        self.record_change(ChangeAction::Link, on, summary, Some(first.audit_fields()), Some(linked.audit_fields()));
        self.put_bank_transaction(linked);
        StatementLineRecord {
            status: BankStatus::Confirmed,
            kind: Some(ConfirmType::Transfer),
            transfer_id: Some(first.id),
            journal_id: first.journal_id,
            confirmed_at_ms: Some(self.now_ms),
            confirmed_by: first.confirmed_by,
            ..row
        }
    }

    fn put_bank_transaction(&mut self, row: StatementLineRecord) {
        let organisation = self.organisation();
        let (id, after) = (row.id, ListCounters::from(&row));
        let before = self.facts.transactions.insert(id, (organisation, row));
        self.effects.move_counters(organisation, before.map(|(_, row)| ListCounters::from(row)), Some(after));
        self.effects.push(organisation, Effect::StatementLine(id));
    }

    /// Counts a line in (1) or out (-1) of its bank account and of the list.
    fn count_line(&mut self, row: &StatementLineRecord, by: i64) {
        self.effects.count(self.books.organisation.id.0, LIST, row.status.as_str(), by);
        self.effects.count_day(self.books.organisation.id.0, ListDay::dated(LIST, None, row.date), by);
        let Some(bank) = self.books.bank_accounts.get(&row.bank_account_id).cloned() else { return };
        let mut bank = bank;
        if row.status != BankStatus::Excluded {
            bank.statement_pence += by * row.amount_pence;
        }
        if row.status == BankStatus::Unconfirmed {
            bank.unconfirmed_count += by;
            bank.unconfirmed_pence += by * row.amount_pence;
        }
        self.put_bank_account(bank);
    }

    pub(crate) fn recount(&mut self, row: &StatementLineRecord, to: BankStatus) {
        self.count_line(row, -1);
        self.count_line(&StatementLineRecord { status: to, ..row.clone() }, 1);
    }

    pub(crate) fn import_bank_transactions(&mut self, import: &StatementImport) -> Result<CommandResult, Rejection> {
        self.named_bank(import.bank_account_id)?;
        let rows: Vec<NewStatementLine> = import
            .rows
            .iter()
            .map(|row| NewStatementLine {
                key: StatementLineKey {
                    date: row.date,
                    amount: Pence(row.amount_pence),
                    description: row.description.clone(),
                },
                external_id: row.external_id.clone(),
            })
            .collect();
        let stored = self.facts.stored_lines(import.bank_account_id);
        let outcomes = bank_import::plan(&rows, &stored);
        if import.reject_duplicates {
            bank_import::require_no_duplicates(&rows, &outcomes)?;
        }
        let import_id = self.identifiers.next(IdSequence::Import);
        let mut audit_fields: Vec<StatementLineResult> = Vec::with_capacity(outcomes.len());
        for (new, outcome) in import.rows.iter().zip(&outcomes) {
            audit_fields.push(match outcome {
                RowOutcome::Created => {
                    let made = self.add_bank_transaction(import.bank_account_id, new, Some(import_id));
                    StatementLineResult { id: made.id, is_new: true }
                }
                RowOutcome::DuplicateOf(id) => StatementLineResult { id: id.0, is_new: false },
                RowOutcome::RepeatsRow(row) => {
                    StatementLineResult { id: audit_fields.get(*row).map_or(0, |row| row.id), is_new: false }
                }
            });
        }
        self.imported_now(import.bank_account_id);
        let created = audit_fields.iter().filter(|row| row.is_new).count();
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let after = AuditFields::new()
            .number("bank_account_id", import.bank_account_id)
            .number("created", count(created))
            .number("skipped", count(audit_fields.len() - created));
        let summary = format!("{created} bank transactions imported");
        self.record_change(ChangeAction::Create, (Resource::BankImport, import_id), summary, None, Some(after));
        Ok(CommandResult::Import { id: import_id, rows: audit_fields })
    }

    pub(crate) fn transaction(&self, request: &CommandRequest, id: i64) -> Result<StatementLineRecord, Rejection> {
        let found = self.facts.transactions.get(&id).filter(|(of, _)| *of == self.organisation());
        let (_, row) = found.ok_or(Rejection::Unknown)?;
        require_version(request, row.version)?;
        Ok(row.clone())
    }

    pub(crate) fn changed_transaction(
        &mut self,
        action: ChangeAction,
        row: StatementLineRecord,
    ) -> StatementLineRecord {
        let row = StatementLineRecord { version: row.version + 1, updated_at_ms: self.now_ms, ..row };
        let before = self.facts.transactions.get(&row.id).map(|(_, before)| before.audit_fields());
        self.put_bank_transaction(row.clone());
        let summary = format!("{} {}", row.title(), action.done());
        self.record_change(action, (Resource::BankTransaction, row.id), summary, before, Some(row.audit_fields()));
        row
    }

    pub(crate) fn patch_bank_transaction(
        &mut self,
        request: &CommandRequest,
        id: i64,
        suggestion: &StatementLineSuggestion,
    ) -> Result<CommandResult, Rejection> {
        let mut row = self.transaction(request, id)?;
        row.status.require_unconfirmed()?;
        if let Some(contact) = suggestion.contact_id {
            if let Some(contact) = contact {
                self.require_contact(contact)?;
                self.mark_used(contact);
            }
            row.contact_id = contact;
        }
        if let Some(memo) = &suggestion.memo {
            row.memo.clone_from(memo);
        }
        // A note decides nothing; whoever says how the line is coded, or whose it is, has decided against the engine.
        if suggestion.says_how() {
            row.suggestion = None;
        }
        if let Some(coding) = suggestion.coding(&row)? {
            row.lines = self.suggested_parts(&coding, Pence(row.amount_pence))?;
        }
        Ok(CommandResult::BankTransaction(Box::new(self.changed_transaction(ChangeAction::Update, row))))
    }

    /// The parts of a suggestion as they are saved; a whole line that names no amount of its own has that of the
    /// statement.
    fn suggested_parts(&self, coding: &Coding, whole: Pence) -> Result<Vec<StatementLinePart>, Refusal> {
        let mut parts = Vec::with_capacity(coding.lines.len());
        for (row, line) in coding.lines.iter().enumerate() {
            let field = |key: &str| coding.field(row, key);
            let account = self.books.books().named_account(&line.account, field)?;
            account.require_open(|| field(line.account.key()))?;
            let gross = if line.gross.is_zero() { whole } else { line.gross };
            let vat = line.vat_amount.unwrap_or_else(|| line.vat_code.vat_in_gross(gross));
            parts.push(StatementLinePart {
                account_id: account.id.0,
                gross_pence: gross.0,
                vat_code: line.vat_code.code().to_owned(),
                given_vat_pence: line.vat_amount.map(|vat| vat.0),
                net_pence: (gross - vat).0,
                vat_pence: vat.0,
                memo: line.memo.clone(),
            });
        }
        Ok(parts)
    }

    fn require_contact(&self, id: i64) -> Result<(), Refusal> {
        let known = self.facts.contacts.get(&id).is_some_and(|(of, _)| *of == self.organisation());
        if known { Ok(()) } else { Err(Refusal::UnknownReference { field: "contact_id".to_owned(), id }) }
    }

    pub(crate) fn delete_bank_transaction(
        &mut self,
        request: &CommandRequest,
        id: i64,
    ) -> Result<CommandResult, Rejection> {
        let row = self.transaction(request, id)?;
        row.status.require_deletable()?;
        self.count_line(&row, -1);
        self.effects.move_counters(self.books.organisation.id.0, Some(ListCounters::from(&row)), None);
        self.facts.transactions.remove(&id);
        self.facts.stored_rows.remove(&id);
        self.effects.push(self.organisation(), Effect::StatementLineDeleted(id));
        let summary = format!("{} deleted", row.title());
        self.record_change(
            ChangeAction::Delete,
            (Resource::BankTransaction, id),
            summary,
            Some(row.audit_fields()),
            None,
        );
        Ok(CommandResult::Deleted(id))
    }

    pub(crate) fn exclude_bank_transaction(
        &mut self,
        request: &CommandRequest,
        id: i64,
        excluded: bool,
    ) -> Result<CommandResult, Rejection> {
        let row = self.transaction(request, id)?;
        let to = if excluded {
            row.status.require_unconfirmed()?;
            BankStatus::Excluded
        } else {
            row.status.require_excluded()?;
            BankStatus::Unconfirmed
        };
        self.recount(&row, to);
        let action = if excluded { ChangeAction::Exclude } else { ChangeAction::Restore };
        let row = self.changed_transaction(action, StatementLineRecord { status: to, suggestion: None, ..row });
        Ok(CommandResult::BankTransaction(Box::new(row)))
    }
}
