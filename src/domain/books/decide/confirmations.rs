//! Decides the confirmation of statement lines, and its reversal.

use crate::domain::books::audit_fields::ChangeAction;
use crate::domain::books::command::Confirmation;
use crate::domain::books::decide::journals::as_posted;
use crate::domain::books::decide::{BooksTransaction, Rejection};
use crate::domain::books::records::statement_line::{StatementLinePart, StatementLineRecord};
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::ids::{BankTransactionId, JournalId};
use crate::domain::ledger::bank::{BankStatus, ConfirmType};
use crate::domain::ledger::bank_coding::Coding;
use crate::domain::ledger::bank_import::{AwaitedTransfer, TRANSFER_DAYS_MAX};
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::{bank, bank_coding, bank_transfer};

impl BooksTransaction<'_> {
    /// Confirms all of them, or none.
    pub(crate) fn confirm_all(
        &mut self,
        request: &CommandRequest,
        items: &[(i64, Confirmation)],
        is_batch: bool,
    ) -> Result<CommandResult, Rejection> {
        if let ([(id, confirmation)], false) = (items, is_batch) {
            return Ok(CommandResult::BankTransaction(Box::new(self.confirm(request, *id, confirmation)?)));
        }
        let before = self.savepoint();
        let mut confirmed = Vec::with_capacity(items.len());
        for (at, (id, confirmation)) in items.iter().enumerate() {
            match self.confirm(request, *id, confirmation) {
                Ok(row) => confirmed.push(row),
                Err(stop) => {
                    // The items before it must leave nothing either.
                    self.undo_to(before);
                    return Err(Rejection::Item(at, Box::new(stop)));
                }
            }
        }
        Ok(CommandResult::BankTransactions(confirmed))
    }

    pub(crate) fn confirm(
        &mut self,
        request: &CommandRequest,
        id: i64,
        confirmation: &Confirmation,
    ) -> Result<StatementLineRecord, Rejection> {
        let row = self.transaction(request, id)?;
        match confirmation {
            Confirmation::Settlement { kind, contact_id, allocations } => {
                self.confirm_settlement(request, row, (*kind, *contact_id), allocations)
            }
            Confirmation::MatchSettlement { side, id } => {
                let field = match side {
                    ContactKind::Customer => "customer_receipt_id",
                    ContactKind::Supplier => "supplier_payment_id",
                };
                self.match_settlement(request, row, (*side, *id), field)
            }
            Confirmation::Suggested => {
                if row.lines.is_empty() {
                    row.status.require_unconfirmed()?;
                    if let Some(suggestion) = row.suggestion.clone() {
                        return self.confirm_suggestion(request, &row, &suggestion);
                    }
                    let message = "is required: the line has no saved suggestion to confirm";
                    return Err(Refusal::field("account_id", message).into());
                }
                let lines = row.lines.iter().map(StatementLinePart::to_domain).collect();
                let coding = Coding { lines, is_short: row.lines.len() == 1 };
                self.confirm_coded(request, row, &coding)
            }
            Confirmation::Coded(coding) => {
                let mut coding = coding.clone();
                if let (true, [line]) = (coding.is_short, coding.lines.as_mut_slice()) {
                    line.gross = Pence(row.amount_pence);
                }
                self.confirm_coded(request, row, &coding)
            }
            Confirmation::TransferWith(other) => self.confirm_transfer(request, row, *other),
            Confirmation::TransferTo(bank) => self.confirm_transfer_to(request, row, *bank),
            Confirmation::MatchJournal(journal) => match self.settlement_of_journal(*journal) {
                Some(settlement) => self.match_settlement(request, row, settlement, "journal_id"),
                None => match self.awaiting(*journal, &row) {
                    Some(first) => self.complete_transfer(request, row, first),
                    None => self.confirm_match(request, row, *journal),
                },
            },
        }
    }

    fn confirm_coded(
        &mut self,
        request: &CommandRequest,
        row: StatementLineRecord,
        coding: &Coding,
    ) -> Result<StatementLineRecord, Rejection> {
        let bank = self.bank_of(&row)?;
        let coded = bank_coding::confirm(&self.books.books(), &bank, &row.to_domain(), coding)?;
        let lines = coding.lines.iter().zip(&coded.parts).map(|(line, (account, part))| StatementLinePart {
            account_id: account.0,
            gross_pence: line.gross.0,
            vat_code: line.vat_code.code().to_owned(),
            given_vat_pence: line.vat_amount.map(|vat| vat.0),
            net_pence: part.net.0,
            vat_pence: part.vat.0,
            memo: line.memo.clone(),
        });
        let lines = lines.collect();
        let journal = self.write_journal(request, coded.journal);
        self.effects.count(self.organisation(), "journal", "posted", 1);
        let row = StatementLineRecord { kind: Some(ConfirmType::Coded), journal_id: Some(journal.id), lines, ..row };
        Ok(self.confirmed(request, row))
    }

    pub(crate) fn confirmed(&mut self, request: &CommandRequest, row: StatementLineRecord) -> StatementLineRecord {
        self.recount(&row, BankStatus::Confirmed);
        if let Some(journal) = row.journal_id {
            self.facts.linked.insert(journal, row.id);
        }
        self.changed_transaction(
            ChangeAction::Confirm,
            StatementLineRecord {
                status: BankStatus::Confirmed,
                suggestion: None,
                confirmed_at_ms: Some(self.now_ms),
                confirmed_by: Some(request.actor.user_id.0),
                ..row
            },
        )
    }

    fn confirm_transfer(
        &mut self,
        request: &CommandRequest,
        row: StatementLineRecord,
        other: i64,
    ) -> Result<StatementLineRecord, Rejection> {
        let found = self.facts.transactions.get(&other).filter(|(of, _)| *of == self.organisation());
        let unknown = || Refusal::UnknownReference { field: "bank_transaction_id".to_owned(), id: other };
        let other = found.map(|(_, row)| row.clone()).ok_or_else(unknown)?;
        if other.awaits(&row) {
            return self.complete_transfer(request, row, other);
        }
        let (bank, other_bank) = (self.bank_of(&row)?, self.bank_of(&other)?);
        let journal = bank_transfer::confirm_both(
            &self.books.books(),
            (&bank, &row.to_domain()),
            (&other_bank, &other.to_domain()),
        )?;
        let journal = self.write_journal(request, journal);
        self.effects.count(self.organisation(), "journal", "posted", 1);
        let linked = |row: StatementLineRecord, with: i64| StatementLineRecord {
            kind: Some(ConfirmType::Transfer),
            journal_id: Some(journal.id),
            transfer_id: Some(with),
            lines: Vec::new(),
            ..row
        };
        let (id, other_id) = (row.id, other.id);
        self.confirmed(request, linked(other, id));
        Ok(self.confirmed(request, linked(row, other_id)))
    }

    /// Links a line to the other side of a transfer that is in the books already and awaits it; nothing is posted.
    fn complete_transfer(
        &mut self,
        request: &CommandRequest,
        row: StatementLineRecord,
        first: StatementLineRecord,
    ) -> Result<StatementLineRecord, Rejection> {
        row.status.require_unconfirmed()?;
        self.bank_of(&row)?.require_open()?;
        self.stop_awaiting(first.id);
        let (first_id, journal_id) = (first.id, first.journal_id);
        let linked = StatementLineRecord { transfer_id: Some(row.id), awaited_on: None, ..first };
        self.changed_transaction(ChangeAction::Link, linked);
        let kind = Some(ConfirmType::Transfer);
        let row = StatementLineRecord { kind, journal_id, transfer_id: Some(first_id), lines: Vec::new(), ..row };
        Ok(self.confirmed(request, row))
    }

    /// The line that a journal shows, when it is a transfer that awaits this one.
    fn awaiting(&self, journal: i64, row: &StatementLineRecord) -> Option<StatementLineRecord> {
        let (of, first) = self.facts.transactions.get(self.facts.linked.get(&journal)?)?;
        (*of == self.organisation() && first.awaits(row)).then(|| first.clone())
    }

    /// The line of this bank account that is the other side of a transfer: one that awaits this line, else one that is
    /// not confirmed and near enough; the nearest in time.
    fn other_side(&self, row: &StatementLineRecord, bank: i64) -> Option<StatementLineRecord> {
        let organisation = self.organisation();
        let days = |other: &StatementLineRecord| other.date.abs_diff(row.date);
        let lines = self.facts.transactions.values().filter(|(of, _)| *of == organisation).map(|(_, other)| other);
        let fitting = lines.filter(|other| other.bank_account_id == bank && other.amount_pence == -row.amount_pence);
        let is_near = |other: &StatementLineRecord| {
            other.status == BankStatus::Unconfirmed && days(other) <= TRANSFER_DAYS_MAX.unsigned_abs()
        };
        let sides = fitting.filter(|other| other.awaits(row) || is_near(other));
        sides.min_by_key(|other| (!other.awaits(row), days(other), other.id)).cloned()
    }

    fn confirm_transfer_to(
        &mut self,
        request: &CommandRequest,
        row: StatementLineRecord,
        bank: i64,
    ) -> Result<StatementLineRecord, Rejection> {
        let other_bank = self.named_bank(bank)?;
        // The other side may be on its statement already.
        if row.status == BankStatus::Unconfirmed
            && let Some(other) = self.other_side(&row, bank)
        {
            return self.confirm_transfer(request, row, other.id);
        }
        let own_bank = self.bank_of(&row)?;
        let journal = bank_transfer::confirm_one(&self.books.books(), (&own_bank, &row.to_domain()), &other_bank)?;
        let journal = self.write_journal(request, journal);
        self.effects.count(self.organisation(), "journal", "posted", 1);
        let awaited = AwaitedTransfer {
            transaction_id: BankTransactionId(row.id),
            journal_id: JournalId(journal.id),
            bank_account_id: other_bank.id,
            date: row.date,
            amount: Pence(-row.amount_pence),
        };
        self.facts.awaited.insert(row.id, (self.organisation(), awaited));
        let row = StatementLineRecord {
            kind: Some(ConfirmType::Transfer),
            journal_id: Some(journal.id),
            awaited_on: Some(bank),
            lines: Vec::new(),
            ..row
        };
        Ok(self.confirmed(request, row))
    }

    fn confirm_match(
        &mut self,
        request: &CommandRequest,
        row: StatementLineRecord,
        journal: i64,
    ) -> Result<StatementLineRecord, Rejection> {
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
        bank::confirm_match(&row.to_domain(), &posted)?;
        let row =
            StatementLineRecord { kind: Some(ConfirmType::Match), journal_id: Some(journal), lines: Vec::new(), ..row };
        Ok(self.confirmed(request, row))
    }

    pub(crate) fn unconfirm(&mut self, request: &CommandRequest, id: i64) -> Result<CommandResult, Rejection> {
        let row = self.transaction(request, id)?;
        row.status.require_confirmed()?;
        if let Some(settlement) = row.settlement {
            return Ok(CommandResult::BankTransaction(Box::new(self.unconfirm_settlement(request, row, settlement)?)));
        }
        let journal = row.journal_id.unwrap_or(0);
        if row.kind == Some(ConfirmType::Match) {
            return Ok(CommandResult::BankTransaction(Box::new(self.set_back(row))));
        }
        // A line that this very group confirmed was not confirmed yet when this was asked for.
        let unconfirmed = Refusal::InvalidState { current: "unconfirmed", allowed: &["confirmed"] };
        let loaded = self.facts.journals.get(&journal).cloned().ok_or(unconfirmed)?;
        let posted = as_posted(&loaded)?;
        let reversal = bank_transfer::unconfirm(&row.to_domain(), &posted, self.books.lock_date())?;
        let reversed = self.write_journal(request, reversal);
        self.record_void(&loaded.view, reversed.id, None);
        let other = row.transfer_id.and_then(|other| self.facts.transactions.get(&other)).map(|(_, row)| row.clone());
        if let Some(other) = other {
            self.set_back(other);
        }
        Ok(CommandResult::BankTransaction(Box::new(self.set_back(row))))
    }

    /// The other side of this transfer is not awaited any more.
    pub(crate) fn stop_awaiting(&mut self, id: i64) {
        self.facts.awaited.remove(&id);
    }

    /// A confirmed line is not in the books any more. How it was coded stays as a suggestion.
    pub(crate) fn set_back(&mut self, row: StatementLineRecord) -> StatementLineRecord {
        self.recount(&row, BankStatus::Unconfirmed);
        if let Some(journal) = row.journal_id {
            self.facts.linked.remove(&journal);
        }
        self.stop_awaiting(row.id);
        self.changed_transaction(
            ChangeAction::Unconfirm,
            StatementLineRecord {
                status: BankStatus::Unconfirmed,
                kind: None,
                journal_id: None,
                settlement: None,
                transfer_id: None,
                awaited_on: None,
                confirmed_at_ms: None,
                confirmed_by: None,
                ..row
            },
        )
    }
}
