//! Decides what concerns bank accounts and the lines of their statements.

use super::accounts::AccountRow;
use super::bank_accounts::{BankAccountDetails, BankAccountField, BankAccountRow, BankAccountView};
use super::bank_transactions::{BankLine, BankTransactionRow};
use super::changes::Told;
use super::decide::{Desk, Stop, require_version};
use super::ids::Kind;
use super::post::{BankImport, BankRow, ImportedRow, LedgerAccount, Post, Posted};
use super::tallies::{ListDay, Tally};
use crate::domain::ledger::account::Role;
use crate::domain::ledger::bank::{self, BankAccount, BankAccountType, BankStatus, ConfirmType};
use crate::domain::ledger::bank_import::{self, ImportRow, RowKey, RowOutcome, StoredRow, completes};
use crate::domain::ledger::change::{ChangeAction, Resource};
use crate::domain::ledger::chart::NewAccount;
use crate::domain::ledger::ids::{AccountId, BankAccountId, BankTransactionId};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::VatCode;

/// What a suggestion, saved with a line that is not confirmed, says anew.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BankSuggestion {
    /// How it is to be coded, in parts.
    pub lines: Option<Vec<BankLine>>,
    /// The account of the whole line; none within clears it.
    pub account_id: Option<Option<i64>>,
    /// Its VAT code.
    pub vat_code: Option<Option<String>>,
    /// The customer or supplier.
    pub contact_id: Option<Option<i64>>,
    /// A note.
    pub memo: Option<Option<String>>,
}

const LIST: &str = "bank_transaction";

impl Desk<'_> {
    pub(super) fn create_bank_account(
        &mut self,
        kind: BankAccountType,
        account: &LedgerAccount,
        fields: &[BankAccountField],
    ) -> Result<Posted, Stop> {
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
        let id = self.identifiers.next(Kind::BankAccount);
        let opening_pence = self.opening_of(account_id);
        let row = BankAccountRow { opening_pence, ..BankAccountRow::new(id, account_id, details, kind, self.now_ms) };
        // An account that carries a bank account is one of the accounts of that role.
        if let Some(existing) = self.books.accounts.get(&account_id).filter(|account| account.role.is_none()) {
            let role = Some(Role::Bank.as_str().to_owned());
            self.put_account(AccountRow { role, ..existing.clone() });
        }
        self.put_bank_account(row.clone());
        let summary = format!("Bank account {} made", row.details.name);
        self.note_change(ChangeAction::Create, (Resource::BankAccount, id), summary, None, Some(row.told()));
        Ok(self.bank_account_view(row))
    }

    fn changed_bank_account(&mut self, action: ChangeAction, row: BankAccountRow) -> Posted {
        let row = BankAccountRow { version: row.version + 1, updated_at_ms: self.now_ms, ..row };
        let before = self.books.bank_accounts.get(&row.id).map(BankAccountRow::told);
        self.put_bank_account(row.clone());
        let summary = format!("Bank account {} {}", row.details.name, action.done());
        self.note_change(action, (Resource::BankAccount, row.id), summary, before, Some(row.told()));
        self.bank_account_view(row)
    }

    pub(super) fn put_bank_account(&mut self, row: BankAccountRow) {
        self.effects.bank_account(self.organisation(), row.clone());
        self.books.bank_accounts.insert(row.id, row);
    }

    fn bank_account_view(&self, row: BankAccountRow) -> Posted {
        let account = self.books.accounts.get(&row.account_id);
        let ledger_pence = self.facts.balances.get(&row.account_id).map_or(0, |(balance, _)| *balance);
        let last_transaction_day = self.facts.last_days.get(&row.id).copied();
        let account_code = account.map(|account| account.code.clone()).unwrap_or_default();
        Posted::BankAccount(Box::new(BankAccountView { row, account_code, ledger_pence, last_transaction_day }))
    }

    fn bank_account_row(&self, post: &Post, id: i64) -> Result<BankAccountRow, Stop> {
        let row = self.books.bank_accounts.get(&id).cloned().ok_or(Stop::Unknown)?;
        require_version(post, row.version)?;
        Ok(row)
    }

    pub(super) fn patch_bank_account(
        &mut self,
        post: &Post,
        id: i64,
        fields: &[BankAccountField],
    ) -> Result<Posted, Stop> {
        let row = self.bank_account_row(post, id)?;
        let details = row.details.clone().with(fields);
        Ok(self.changed_bank_account(ChangeAction::Update, BankAccountRow { details, ..row }))
    }

    pub(super) fn archive_bank_account(&mut self, post: &Post, id: i64) -> Result<Posted, Stop> {
        let row = self.bank_account_row(post, id)?;
        if row.archived_at_ms.is_some() {
            return Ok(self.bank_account_view(row));
        }
        let archived_at_ms = Some(self.now_ms);
        Ok(self.changed_bank_account(ChangeAction::Archive, BankAccountRow { archived_at_ms, ..row }))
    }

    /// A bank account that a body names, open.
    pub(super) fn named_bank(&self, id: i64) -> Result<BankAccount, Refusal> {
        bank::named(self.bank(id).as_ref(), BankAccountId(id)).copied()
    }

    /// A bank account, whatever its state.
    pub(super) fn bank(&self, id: i64) -> Option<BankAccount> {
        self.books.bank_accounts.get(&id).map(for_rules)
    }

    /// The bank account of a line, whatever its state.
    pub(super) fn bank_of(&self, row: &BankTransactionRow) -> Result<BankAccount, Stop> {
        self.bank(row.bank_account_id).ok_or(Stop::Unknown)
    }

    pub(super) fn create_bank_transaction(&mut self, bank_account_id: i64, new: &BankRow) -> Result<Posted, Stop> {
        self.named_bank(bank_account_id)?;
        if let Some(external_id) = &new.external_id {
            let stored = self.facts.stored_rows.get(&bank_account_id);
            let known = stored.into_iter().flatten().find(|row| row.external_id.as_ref() == Some(external_id));
            if let Some(known) = known {
                let existing_id = Some(known.id.0);
                return Err(Refusal::DuplicateExternalId { field: "external_id".into(), existing_id }.into());
            }
        }
        self.enter_bank_transaction(bank_account_id, new, None)
    }

    /// The same for a line that is known to be new.
    pub(super) fn enter_bank_transaction(
        &mut self,
        bank_account_id: i64,
        new: &BankRow,
        import_id: Option<i64>,
    ) -> Result<Posted, Stop> {
        self.named_bank(bank_account_id)?;
        let row = self.add_bank_transaction(bank_account_id, new, import_id);
        Ok(Posted::BankTransaction(Box::new(row)))
    }

    /// Notes when a statement was last imported.
    pub(super) fn imported_now(&mut self, bank_account_id: i64) {
        if let Some(bank) = self.books.bank_accounts.get(&bank_account_id).cloned() {
            self.put_bank_account(BankAccountRow { last_imported_at_ms: Some(self.now_ms), ..bank });
        }
    }

    fn add_bank_transaction(
        &mut self,
        bank_account_id: i64,
        new: &BankRow,
        import_id: Option<i64>,
    ) -> BankTransactionRow {
        let mut row = BankTransactionRow {
            id: self.identifiers.next(Kind::BankTransaction),
            bank_account_id,
            day: new.day,
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
        self.facts.stored_rows.entry(bank_account_id).or_default().push(StoredRow {
            id: BankTransactionId(row.id),
            key: RowKey { date: new.day, amount: Pence(new.amount_pence), description: new.description.clone() },
            external_id: new.external_id.clone(),
        });
        let awaited = self.facts.awaited.get(&self.organisation()).cloned().unwrap_or_default();
        let place = completes(BankAccountId(bank_account_id), new.day, Pence(new.amount_pence), &awaited);
        let first = place.and_then(|place| awaited.get(place)).map(|transfer| transfer.transaction_id.0);
        self.count_line(&row, 1);
        if let Some(first) = first.and_then(|id| self.facts.transactions.get(&id)).map(|(_, row)| row.clone()) {
            // The other side of a transfer that is in the books already: linked, and nothing is posted.
            let linked = BankTransactionRow {
                transfer_id: Some(row.id),
                awaited_on: None,
                version: first.version + 1,
                updated_at_ms: self.now_ms,
                ..first.clone()
            };
            self.recount(&row, BankStatus::Confirmed);
            row = BankTransactionRow {
                status: BankStatus::Confirmed,
                kind: Some(ConfirmType::Transfer),
                transfer_id: Some(first.id),
                journal_id: first.journal_id,
                confirmed_at_ms: Some(self.now_ms),
                confirmed_by: first.confirmed_by,
                ..row
            };
            self.stop_awaiting(first.id);
            let (summary, on) = (format!("{} linked", linked.title()), (Resource::BankTransaction, linked.id));
            self.note_change(ChangeAction::Link, on, summary, Some(first.told()), Some(linked.told()));
            self.put_bank_transaction(linked);
        }
        self.put_bank_transaction(row.clone());
        let summary = format!("{} entered", row.title());
        self.note_change(ChangeAction::Create, (Resource::BankTransaction, row.id), summary, None, Some(row.told()));
        row
    }

    fn put_bank_transaction(&mut self, row: BankTransactionRow) {
        let organisation = self.organisation();
        let before = self.facts.transactions.insert(row.id, (organisation, row.clone()));
        self.effects.tally(organisation, before.map(|(_, row)| Tally::from(&row)), Some(Tally::from(&row)));
        self.effects.bank_transaction(organisation, row);
    }

    /// Counts a line in (1) or out (-1) of its bank account and of the list.
    fn count_line(&mut self, row: &BankTransactionRow, by: i64) {
        self.effects.count(self.books.organisation.id.0, LIST, row.status.as_str(), by);
        self.effects.count_day(self.books.organisation.id.0, ListDay::dated(LIST, None, row.day), by);
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

    pub(super) fn recount(&mut self, row: &BankTransactionRow, to: BankStatus) {
        self.count_line(row, -1);
        self.count_line(&BankTransactionRow { status: to, ..row.clone() }, 1);
    }

    pub(super) fn import_bank_transactions(&mut self, import: &BankImport) -> Result<Posted, Stop> {
        self.named_bank(import.bank_account_id)?;
        let rows: Vec<ImportRow> = import
            .rows
            .iter()
            .map(|row| ImportRow {
                key: RowKey { date: row.day, amount: Pence(row.amount_pence), description: row.description.clone() },
                external_id: row.external_id.clone(),
            })
            .collect();
        let stored = self.facts.stored_rows.get(&import.bank_account_id).cloned().unwrap_or_default();
        let outcomes = bank_import::plan(&rows, &stored);
        if import.reject_duplicates {
            bank_import::require_no_duplicates(&rows, &outcomes)?;
        }
        let import_id = self.identifiers.next(Kind::Import);
        let mut told: Vec<ImportedRow> = Vec::with_capacity(outcomes.len());
        for (new, outcome) in import.rows.iter().zip(&outcomes) {
            told.push(match outcome {
                RowOutcome::Created => {
                    let made = self.add_bank_transaction(import.bank_account_id, new, Some(import_id));
                    ImportedRow { id: made.id, is_new: true }
                }
                RowOutcome::DuplicateOf(id) => ImportedRow { id: id.0, is_new: false },
                RowOutcome::RepeatsRow(row) => {
                    ImportedRow { id: told.get(*row).map_or(0, |row| row.id), is_new: false }
                }
            });
        }
        self.imported_now(import.bank_account_id);
        let created = told.iter().filter(|row| row.is_new).count();
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let after = Told::new()
            .number("bank_account_id", import.bank_account_id)
            .number("created", count(created))
            .number("skipped", count(told.len() - created));
        let summary = format!("{created} bank transactions imported");
        self.note_change(ChangeAction::Create, (Resource::BankImport, import_id), summary, None, Some(after));
        Ok(Posted::Import { id: import_id, rows: told })
    }

    pub(super) fn transaction(&self, post: &Post, id: i64) -> Result<BankTransactionRow, Stop> {
        let found = self.facts.transactions.get(&id).filter(|(of, _)| *of == self.organisation());
        let (_, row) = found.ok_or(Stop::Unknown)?;
        require_version(post, row.version)?;
        Ok(row.clone())
    }

    pub(super) fn changed_transaction(&mut self, action: ChangeAction, row: BankTransactionRow) -> BankTransactionRow {
        let row = BankTransactionRow { version: row.version + 1, updated_at_ms: self.now_ms, ..row };
        let before = self.facts.transactions.get(&row.id).map(|(_, before)| before.told());
        self.put_bank_transaction(row.clone());
        let summary = format!("{} {}", row.title(), action.done());
        self.note_change(action, (Resource::BankTransaction, row.id), summary, before, Some(row.told()));
        row
    }

    pub(super) fn patch_bank_transaction(
        &mut self,
        post: &Post,
        id: i64,
        suggestion: &BankSuggestion,
    ) -> Result<Posted, Stop> {
        let mut row = self.transaction(post, id)?;
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
        if let Some(mut lines) = suggestion.lines_of(&row)? {
            for (at, line) in lines.iter_mut().enumerate() {
                self.books.books().open_account(AccountId(line.account_id), || format!("lines[{at}].account_id"))?;
                // A whole line that names no amount of its own has that of the statement.
                if line.gross_pence == 0 {
                    line.gross_pence = row.amount_pence;
                }
                let code = VatCode::parse(&line.vat_code).unwrap_or(VatCode::NoVat);
                let vat = line.given_vat_pence.unwrap_or_else(|| code.vat_in_gross(Pence(line.gross_pence)).0);
                line.vat_pence = vat;
                line.net_pence = line.gross_pence - vat;
            }
            row.lines = lines;
        }
        Ok(Posted::BankTransaction(Box::new(self.changed_transaction(ChangeAction::Update, row))))
    }

    fn require_contact(&self, id: i64) -> Result<(), Refusal> {
        let known = self.facts.contacts.get(&id).is_some_and(|(of, _)| *of == self.organisation());
        if known { Ok(()) } else { Err(Refusal::UnknownReference { field: "contact_id".to_owned(), id }) }
    }

    pub(super) fn delete_bank_transaction(&mut self, post: &Post, id: i64) -> Result<Posted, Stop> {
        let row = self.transaction(post, id)?;
        row.status.require_deletable()?;
        self.count_line(&row, -1);
        self.effects.tally(self.books.organisation.id.0, Some(Tally::from(&row)), None);
        self.facts.transactions.remove(&id);
        if let Some(stored) = self.facts.stored_rows.get_mut(&row.bank_account_id) {
            stored.retain(|stored| stored.id.0 != id);
        }
        self.effects.delete_bank_transaction(id);
        let summary = format!("{} deleted", row.title());
        self.note_change(ChangeAction::Delete, (Resource::BankTransaction, id), summary, Some(row.told()), None);
        Ok(Posted::Deleted(id))
    }

    pub(super) fn exclude_bank_transaction(&mut self, post: &Post, id: i64, excluded: bool) -> Result<Posted, Stop> {
        let row = self.transaction(post, id)?;
        let to = if excluded {
            row.status.require_unconfirmed()?;
            BankStatus::Excluded
        } else {
            row.status.require_excluded()?;
            BankStatus::Unconfirmed
        };
        self.recount(&row, to);
        let action = if excluded { ChangeAction::Exclude } else { ChangeAction::Restore };
        let row = self.changed_transaction(action, BankTransactionRow { status: to, ..row });
        Ok(Posted::BankTransaction(Box::new(row)))
    }
}

fn for_rules(row: &BankAccountRow) -> BankAccount {
    BankAccount {
        id: BankAccountId(row.id),
        account_id: AccountId(row.account_id),
        is_archived: row.archived_at_ms.is_some(),
    }
}
