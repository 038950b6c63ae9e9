//! Decides what brings lines of statements into the books and takes them out again.

use super::bank_transactions::{BankLine, BankTransactionRow};
use super::decide::{Desk, Stop};
use super::decide_journal::as_posted;
use super::post::{Confirmation, Post, Posted};
use crate::domain::ledger::bank::{self, BankStatus, ConfirmType};
use crate::domain::ledger::bank_coding::{self, CodedLine, Coding};
use crate::domain::ledger::bank_import::{AwaitedTransfer, TRANSFER_DAYS_MAX};
use crate::domain::ledger::bank_transfer;
use crate::domain::ledger::change::ChangeAction;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::ids::{AccountId, BankTransactionId, JournalId};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::VatCode;

impl Desk<'_> {
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
            Confirmation::Settlement { kind, contact_id, allocations } => {
                self.confirm_settlement(post, row, (*kind, *contact_id), allocations)
            }
            Confirmation::MatchSettlement { side, id } => {
                let field = match side {
                    ContactKind::Customer => "customer_receipt_id",
                    ContactKind::Supplier => "supplier_payment_id",
                };
                self.match_settlement(post, row, (*side, *id), field)
            }
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
            Confirmation::MatchJournal(journal) => match self.settlement_of_journal(*journal) {
                Some(settlement) => self.match_settlement(post, row, settlement, "journal_id"),
                None => match self.awaiting(*journal, &row) {
                    Some(first) => self.complete_transfer(post, row, first),
                    None => self.confirm_match(post, row, *journal),
                },
            },
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

    pub(super) fn confirmed(&mut self, post: &Post, row: BankTransactionRow) -> BankTransactionRow {
        self.recount(&row, BankStatus::Confirmed);
        if let Some(journal) = row.journal_id {
            self.facts.linked.insert(journal, row.id);
        }
        self.changed_transaction(
            ChangeAction::Confirm,
            BankTransactionRow {
                status: BankStatus::Confirmed,
                confirmed_at_ms: Some(self.now_ms),
                confirmed_by: Some(post.poster.user_id.0),
                ..row
            },
        )
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
        if other.awaits(&row) {
            return self.complete_transfer(post, row, other);
        }
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

    /// Links a line to the other side of a transfer that is in the books already and awaits it; nothing is posted.
    fn complete_transfer(
        &mut self,
        post: &Post,
        row: BankTransactionRow,
        first: BankTransactionRow,
    ) -> Result<BankTransactionRow, Stop> {
        row.status.require_unconfirmed()?;
        self.bank_of(&row)?.require_open()?;
        self.stop_awaiting(first.id);
        let (first_id, journal_id) = (first.id, first.journal_id);
        let linked = BankTransactionRow { transfer_id: Some(row.id), awaited_on: None, ..first };
        self.changed_transaction(ChangeAction::Link, linked);
        let kind = Some(ConfirmType::Transfer);
        let row = BankTransactionRow { kind, journal_id, transfer_id: Some(first_id), lines: Vec::new(), ..row };
        Ok(self.confirmed(post, row))
    }

    /// The line that a journal shows, when it is a transfer that awaits this one.
    fn awaiting(&self, journal: i64, row: &BankTransactionRow) -> Option<BankTransactionRow> {
        let (of, first) = self.facts.transactions.get(self.facts.linked.get(&journal)?)?;
        (*of == self.organisation() && first.awaits(row)).then(|| first.clone())
    }

    /// The line of this bank account that is the other side of a transfer: one that awaits this line, else one that is
    /// not confirmed and near enough; the nearest in time.
    fn other_side(&self, row: &BankTransactionRow, bank: i64) -> Option<BankTransactionRow> {
        let organisation = self.organisation();
        let days = |other: &BankTransactionRow| i64::from(other.day).abs_diff(i64::from(row.day));
        let lines = self.facts.transactions.values().filter(|(of, _)| *of == organisation).map(|(_, other)| other);
        let fitting = lines.filter(|other| other.bank_account_id == bank && other.amount_pence == -row.amount_pence);
        let is_near = |other: &BankTransactionRow| {
            other.status == BankStatus::Unconfirmed && days(other) <= u64::from(TRANSFER_DAYS_MAX.unsigned_abs())
        };
        let sides = fitting.filter(|other| other.awaits(row) || is_near(other));
        sides.min_by_key(|other| (!other.awaits(row), days(other), other.id)).cloned()
    }

    fn confirm_transfer_to(
        &mut self,
        post: &Post,
        row: BankTransactionRow,
        bank: i64,
    ) -> Result<BankTransactionRow, Stop> {
        let other_bank = self.named_bank(bank)?;
        // The other side may be on its statement already.
        if row.status == BankStatus::Unconfirmed
            && let Some(other) = self.other_side(&row, bank)
        {
            return self.confirm_transfer(post, row, other.id);
        }
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
        if let Some(settlement) = row.settlement {
            return Ok(Posted::BankTransaction(Box::new(self.unconfirm_settlement(post, row, settlement)?)));
        }
        let journal = row.journal_id.unwrap_or(0);
        if row.kind == Some(ConfirmType::Match) {
            return Ok(Posted::BankTransaction(Box::new(self.set_back(row))));
        }
        // A line that this very group confirmed was not confirmed yet when this was asked for.
        let unconfirmed = Refusal::InvalidState { current: "unconfirmed", allowed: &["confirmed"] };
        let loaded = self.facts.journals.get(&journal).cloned().ok_or(unconfirmed)?;
        let posted = as_posted(&loaded)?;
        let reversal = bank_transfer::unconfirm(&row.for_rules(), &posted, self.books.lock_day())?;
        let reversed = self.write_journal(post, reversal);
        self.note_voided(&loaded.view, reversed.id, None);
        let other = row.transfer_id.and_then(|other| self.facts.transactions.get(&other)).map(|(_, row)| row.clone());
        if let Some(other) = other {
            self.set_back(other);
        }
        Ok(Posted::BankTransaction(Box::new(self.set_back(row))))
    }

    /// The other side of this transfer is not awaited any more.
    pub(super) fn stop_awaiting(&mut self, id: i64) {
        if let Some(awaited) = self.facts.awaited.get_mut(&self.books.organisation.id.0) {
            awaited.retain(|transfer| transfer.transaction_id.0 != id);
        }
    }

    /// A confirmed line is not in the books any more. How it was coded stays as a suggestion.
    pub(super) fn set_back(&mut self, row: BankTransactionRow) -> BankTransactionRow {
        self.recount(&row, BankStatus::Unconfirmed);
        if let Some(journal) = row.journal_id {
            self.facts.linked.remove(&journal);
        }
        self.stop_awaiting(row.id);
        self.changed_transaction(
            ChangeAction::Unconfirm,
            BankTransactionRow {
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
