//! Decides what concerns bank accounts and the lines of their statements.

use super::accounts::AccountRow;
use super::bank_accounts::{BankAccountDetails, BankAccountField, BankAccountRow, BankAccountView};
use super::bank_transactions::{BankLine, BankTransactionRow};
use super::decide::{Desk, Stop, as_posted, require_version};
use super::ids::Kind;
use super::post::{BankImport, BankRow, Confirmation, ImportedRow, LedgerAccount, Post, Posted};
use crate::domain::ledger::account::Role;
use crate::domain::ledger::bank::{self, BankAccount, BankAccountType, BankStatus, ConfirmType};
use crate::domain::ledger::bank_coding::{self, CodedLine, Coding};
use crate::domain::ledger::bank_import::{self, AwaitedTransfer, ImportRow, RowKey, RowOutcome, StoredRow, completes};
use crate::domain::ledger::bank_transfer;
use crate::domain::ledger::chart::NewAccount;
use crate::domain::ledger::ids::{AccountId, BankAccountId, BankTransactionId, JournalId};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::VatCode;

/// What a suggestion, saved with a line that is not confirmed, says anew.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BankSuggestion {
    /// How it is to be coded.
    pub lines: Option<Vec<BankLine>>,
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
        let row = BankAccountRow::new(id, account_id, details, kind, self.now_ms);
        // An account that carries a bank account is one of the accounts of that role.
        if let Some(existing) = self.books.accounts.get(&account_id).filter(|account| account.role.is_none()) {
            let role = Some(Role::Bank.as_str().to_owned());
            self.put_account(AccountRow { role, ..existing.clone() });
        }
        self.put_bank_account(row.clone());
        Ok(self.bank_account_view(row))
    }

    fn put_bank_account(&mut self, row: BankAccountRow) {
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
        let row = BankAccountRow { details, version: row.version + 1, updated_at_ms: self.now_ms, ..row };
        self.put_bank_account(row.clone());
        Ok(self.bank_account_view(row))
    }

    pub(super) fn archive_bank_account(&mut self, post: &Post, id: i64) -> Result<Posted, Stop> {
        let row = self.bank_account_row(post, id)?;
        if row.archived_at_ms.is_some() {
            return Ok(self.bank_account_view(row));
        }
        let archived_at_ms = Some(self.now_ms);
        let row = BankAccountRow { archived_at_ms, version: row.version + 1, updated_at_ms: self.now_ms, ..row };
        self.put_bank_account(row.clone());
        Ok(self.bank_account_view(row))
    }

    /// A bank account that a body names, open.
    fn named_bank(&self, id: i64) -> Result<BankAccount, Refusal> {
        let found = self.books.bank_accounts.get(&id).map(for_rules);
        bank::named(found.as_ref(), BankAccountId(id)).copied()
    }

    /// The bank account of a line, whatever its state.
    fn bank_of(&self, row: &BankTransactionRow) -> Result<BankAccount, Stop> {
        self.books.bank_accounts.get(&row.bank_account_id).map(for_rules).ok_or(Stop::Unknown)
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
        let row = self.add_bank_transaction(bank_account_id, new, None);
        Ok(Posted::BankTransaction(Box::new(row)))
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
            if let Some(awaited) = self.facts.awaited.get_mut(&self.books.organisation.id.0) {
                awaited.retain(|transfer| transfer.transaction_id.0 != first.id);
            }
            self.put_bank_transaction(linked);
        }
        self.put_bank_transaction(row.clone());
        row
    }

    fn put_bank_transaction(&mut self, row: BankTransactionRow) {
        let organisation = self.organisation();
        self.facts.transactions.insert(row.id, (organisation, row.clone()));
        self.effects.bank_transaction(organisation, row);
    }

    /// Counts a line in (1) or out (-1) of its bank account and of the list.
    fn count_line(&mut self, row: &BankTransactionRow, by: i64) {
        self.effects.count(self.books.organisation.id.0, LIST, row.status.as_str(), by);
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

    fn recount(&mut self, row: &BankTransactionRow, to: BankStatus) {
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
            bank_import::require_no_duplicates(&outcomes)?;
        }
        let import_id = self.identifiers.next(Kind::BankImport);
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
        if let Some(bank) = self.books.bank_accounts.get(&import.bank_account_id).cloned() {
            self.put_bank_account(BankAccountRow { last_imported_at_ms: Some(self.now_ms), ..bank });
        }
        Ok(Posted::Import { id: import_id, rows: told })
    }

    fn transaction(&self, post: &Post, id: i64) -> Result<BankTransactionRow, Stop> {
        let found = self.facts.transactions.get(&id).filter(|(of, _)| *of == self.organisation());
        let (_, row) = found.ok_or(Stop::Unknown)?;
        require_version(post, row.version)?;
        Ok(row.clone())
    }

    fn changed_transaction(&mut self, row: BankTransactionRow) -> BankTransactionRow {
        let row = BankTransactionRow { version: row.version + 1, updated_at_ms: self.now_ms, ..row };
        self.put_bank_transaction(row.clone());
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
            }
            row.contact_id = contact;
        }
        if let Some(memo) = &suggestion.memo {
            row.memo.clone_from(memo);
        }
        if let Some(lines) = &suggestion.lines {
            let mut lines = lines.clone();
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
        Ok(Posted::BankTransaction(Box::new(self.changed_transaction(row))))
    }

    fn require_contact(&self, id: i64) -> Result<(), Refusal> {
        let known = self.facts.contacts.get(&id).is_some_and(|(of, _)| *of == self.organisation());
        if known { Ok(()) } else { Err(Refusal::UnknownReference { field: "contact_id".to_owned(), id }) }
    }

    pub(super) fn delete_bank_transaction(&mut self, post: &Post, id: i64) -> Result<Posted, Stop> {
        let row = self.transaction(post, id)?;
        row.status.require_deletable()?;
        self.count_line(&row, -1);
        self.facts.transactions.remove(&id);
        if let Some(stored) = self.facts.stored_rows.get_mut(&row.bank_account_id) {
            stored.retain(|stored| stored.id.0 != id);
        }
        self.effects.delete_bank_transaction(id);
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
        let row = self.changed_transaction(BankTransactionRow { status: to, ..row });
        Ok(Posted::BankTransaction(Box::new(row)))
    }

    /// Confirms all of them, or none.
    pub(super) fn confirm_all(
        &mut self,
        post: &Post,
        items: &[(i64, Confirmation)],
        is_batch: bool,
    ) -> Result<Posted, Stop> {
        if let ([(id, confirmation)], false) = (items, is_batch) {
            return Ok(Posted::BankTransaction(Box::new(self.confirm(post, *id, confirmation)?)));
        }
        let before = (self.books.clone(), self.facts.clone(), self.effects.clone());
        let mut confirmed = Vec::with_capacity(items.len());
        for (at, (id, confirmation)) in items.iter().enumerate() {
            match self.confirm(post, *id, confirmation) {
                Ok(row) => confirmed.push(row),
                Err(stop) => {
                    // The items before it must leave nothing either.
                    (*self.books, *self.facts, *self.effects) = before;
                    return Err(Stop::Item(at, Box::new(stop)));
                }
            }
        }
        Ok(Posted::BankTransactions(confirmed))
    }

    fn confirm(&mut self, post: &Post, id: i64, confirmation: &Confirmation) -> Result<BankTransactionRow, Stop> {
        let row = self.transaction(post, id)?;
        match confirmation {
            Confirmation::Suggested => {
                if row.lines.is_empty() {
                    row.status.require_unconfirmed()?;
                    let message = "is required: the line has no saved suggestion to confirm";
                    return Err(Refusal::field("account_id", message).into());
                }
                let coding = Coding { lines: row.lines.iter().map(coded).collect(), is_short: row.lines.len() == 1 };
                self.confirm_coded(post, row, &coding)
            }
            Confirmation::Coded(coding) => {
                let mut coding = coding.clone();
                if let (true, [line]) = (coding.is_short, coding.lines.as_mut_slice()) {
                    line.gross = Pence(row.amount_pence);
                }
                self.confirm_coded(post, row, &coding)
            }
            Confirmation::TransferWith(other) => self.confirm_transfer(post, row, *other),
            Confirmation::TransferTo(bank) => self.confirm_transfer_to(post, row, *bank),
            Confirmation::MatchJournal(journal) => self.confirm_match(post, row, *journal),
        }
    }

    fn confirm_coded(
        &mut self,
        post: &Post,
        row: BankTransactionRow,
        coding: &Coding,
    ) -> Result<BankTransactionRow, Stop> {
        let bank = self.bank_of(&row)?;
        let coded = bank_coding::confirm(&self.books.books(), &bank, &row.for_rules(), coding)?;
        let lines = coding.lines.iter().zip(&coded.parts).map(|(line, part)| BankLine {
            account_id: line.account_id.0,
            gross_pence: line.gross.0,
            vat_code: line.vat_code.code().to_owned(),
            given_vat_pence: line.vat_amount.map(|vat| vat.0),
            net_pence: part.net.0,
            vat_pence: part.vat.0,
            memo: line.memo.clone(),
        });
        let lines = lines.collect();
        let journal = self.write_journal(post, coded.journal);
        self.effects.count(self.organisation(), "journal", "posted", 1);
        let row = BankTransactionRow { kind: Some(ConfirmType::Coded), journal_id: Some(journal.id), lines, ..row };
        Ok(self.confirmed(post, row))
    }

    fn confirmed(&mut self, post: &Post, row: BankTransactionRow) -> BankTransactionRow {
        self.recount(&row, BankStatus::Confirmed);
        if let Some(journal) = row.journal_id {
            self.facts.linked.insert(journal, row.id);
        }
        self.changed_transaction(BankTransactionRow {
            status: BankStatus::Confirmed,
            confirmed_at_ms: Some(self.now_ms),
            confirmed_by: Some(post.poster.user_id.0),
            ..row
        })
    }

    fn confirm_transfer(
        &mut self,
        post: &Post,
        row: BankTransactionRow,
        other: i64,
    ) -> Result<BankTransactionRow, Stop> {
        let found = self.facts.transactions.get(&other).filter(|(of, _)| *of == self.organisation());
        let unknown = || Refusal::UnknownReference { field: "bank_transaction_id".to_owned(), id: other };
        let other = found.map(|(_, row)| row.clone()).ok_or_else(unknown)?;
        let (bank, other_bank) = (self.bank_of(&row)?, self.bank_of(&other)?);
        let journal = bank_transfer::confirm_both(
            &self.books.books(),
            (&bank, &row.for_rules()),
            (&other_bank, &other.for_rules()),
        )?;
        let journal = self.write_journal(post, journal);
        self.effects.count(self.organisation(), "journal", "posted", 1);
        let linked = |row: BankTransactionRow, with: i64| BankTransactionRow {
            kind: Some(ConfirmType::Transfer),
            journal_id: Some(journal.id),
            transfer_id: Some(with),
            lines: Vec::new(),
            ..row
        };
        let (id, other_id) = (row.id, other.id);
        self.confirmed(post, linked(other, id));
        Ok(self.confirmed(post, linked(row, other_id)))
    }

    fn confirm_transfer_to(
        &mut self,
        post: &Post,
        row: BankTransactionRow,
        bank: i64,
    ) -> Result<BankTransactionRow, Stop> {
        let other_bank = self.named_bank(bank)?;
        let own_bank = self.bank_of(&row)?;
        let journal = bank_transfer::confirm_one(&self.books.books(), (&own_bank, &row.for_rules()), &other_bank)?;
        let journal = self.write_journal(post, journal);
        self.effects.count(self.organisation(), "journal", "posted", 1);
        let awaited = AwaitedTransfer {
            transaction_id: BankTransactionId(row.id),
            journal_id: JournalId(journal.id),
            bank_account_id: other_bank.id,
            date: row.day,
            amount: Pence(-row.amount_pence),
        };
        self.facts.awaited.entry(self.books.organisation.id.0).or_default().push(awaited);
        let row = BankTransactionRow {
            kind: Some(ConfirmType::Transfer),
            journal_id: Some(journal.id),
            awaited_on: Some(bank),
            lines: Vec::new(),
            ..row
        };
        Ok(self.confirmed(post, row))
    }

    fn confirm_match(
        &mut self,
        post: &Post,
        row: BankTransactionRow,
        journal: i64,
    ) -> Result<BankTransactionRow, Stop> {
        let loaded = self.facts.journals.get(&journal).filter(|loaded| loaded.organisation == self.organisation());
        let unknown = || Refusal::UnknownReference { field: "journal_id".to_owned(), id: journal };
        let view = &loaded.ok_or_else(unknown)?.view;
        let bank = self.bank_of(&row)?;
        bank.require_open()?;
        let on_bank = view.lines.iter().filter(|line| line.account_id == bank.account_id.0);
        let moved: Vec<i64> = on_bank.map(|line| line.debit_pence - line.credit_pence).collect();
        let posted = bank::Posted {
            field: "journal_id",
            id: journal,
            journal_id: JournalId(journal),
            is_void: view.reversed_by.is_some() || view.reverses.is_some(),
            amount: (!moved.is_empty()).then(|| Pence(moved.iter().sum())),
            linked_to: self.facts.linked.get(&journal).copied().map(BankTransactionId),
        };
        bank::confirm_match(&row.for_rules(), &posted)?;
        let row =
            BankTransactionRow { kind: Some(ConfirmType::Match), journal_id: Some(journal), lines: Vec::new(), ..row };
        Ok(self.confirmed(post, row))
    }

    pub(super) fn unconfirm(&mut self, post: &Post, id: i64) -> Result<Posted, Stop> {
        let row = self.transaction(post, id)?;
        row.status.require_confirmed()?;
        let journal = row.journal_id.unwrap_or(0);
        if row.kind == Some(ConfirmType::Match) {
            return Ok(Posted::BankTransaction(Box::new(self.set_back(row))));
        }
        let loaded = self.facts.journals.get(&journal).cloned().ok_or(Stop::Unknown)?;
        let posted = as_posted(&loaded)?;
        let reversal = bank_transfer::unconfirm(&row.for_rules(), &posted, self.books.lock_day())?;
        let reversed = self.write_journal(post, reversal);
        let organisation = self.organisation();
        self.effects.reversal(organisation, journal, loaded.view.entry_day, reversed.id, None);
        self.effects.count(organisation, "journal", "void", 1);
        if let Some(kept) = self.facts.journals.get_mut(&journal) {
            kept.view.reversed_by = Some(reversed.id);
        }
        let other = row.transfer_id.and_then(|other| self.facts.transactions.get(&other)).map(|(_, row)| row.clone());
        if let Some(other) = other {
            self.set_back(other);
        }
        Ok(Posted::BankTransaction(Box::new(self.set_back(row))))
    }

    /// A confirmed line is not in the books any more. How it was coded stays as a suggestion.
    fn set_back(&mut self, row: BankTransactionRow) -> BankTransactionRow {
        self.recount(&row, BankStatus::Unconfirmed);
        if let Some(journal) = row.journal_id {
            self.facts.linked.remove(&journal);
        }
        if let Some(awaited) = self.facts.awaited.get_mut(&self.books.organisation.id.0) {
            awaited.retain(|transfer| transfer.transaction_id.0 != row.id);
        }
        self.changed_transaction(BankTransactionRow {
            status: BankStatus::Unconfirmed,
            kind: None,
            journal_id: None,
            transfer_id: None,
            awaited_on: None,
            confirmed_at_ms: None,
            confirmed_by: None,
            ..row
        })
    }
}

fn for_rules(row: &BankAccountRow) -> BankAccount {
    BankAccount {
        id: BankAccountId(row.id),
        account_id: AccountId(row.account_id),
        is_archived: row.archived_at_ms.is_some(),
    }
}

fn coded(line: &BankLine) -> CodedLine {
    CodedLine {
        account_id: AccountId(line.account_id),
        gross: Pence(line.gross_pence),
        // What is stored was read as a code.
        vat_code: VatCode::parse(&line.vat_code).unwrap_or(VatCode::NoVat),
        vat_amount: line.given_vat_pence.map(Pence),
        memo: line.memo.clone(),
    }
}
