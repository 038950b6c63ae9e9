//! Confirming a line of a statement against accounts and VAT codes.

use super::bank::{BankAccount, BankTransaction};
use super::journal::{Journal, Line, Source, SourceType, Target};
use super::money::Pence;
use super::refusal::{Refusal, VatPosting};
use super::vat::{Side, Split, VatCode, split_gross};
use crate::domain::ids::AccountId;
use crate::domain::ledger::chart::{Account, AccountReference, Books};
use crate::domain::ledger::vat::{Basis, VatEntry, VatOrigin, is_capital_goods, separates_vat, side_of_line};

/// How a line of a statement is coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coding {
    /// Its parts.
    pub lines: Vec<CodedLine>,
    /// Whether the body named account and VAT code without `lines`, which refusals then do not mention.
    pub is_short: bool,
}

/// A part of a line of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodedLine {
    /// The account.
    pub account: AccountReference,
    /// VAT included, with the sign of money: in is positive.
    pub gross: Pence,
    /// The VAT code.
    pub vat_code: VatCode,
    /// The caller's own figure for the VAT, with the sign of money.
    pub vat_amount: Option<Pence>,
    /// A remark.
    pub memo: Option<String>,
}

/// What a coded line posts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coded {
    /// The journal.
    pub journal: Journal,
    /// The account of each part, and its net and VAT as posted, with the sign of money.
    pub parts: Vec<(AccountId, Split)>,
}

/// Decides a coded confirmation.
pub fn confirm(
    books: &Books<'_>,
    bank: &BankAccount,
    transaction: &BankTransaction,
    coding: &Coding,
) -> Result<Coded, Refusal> {
    let accounts = coding.accounts(books)?;
    transaction.status.require_unconfirmed()?;
    bank.require_open()?;
    let sum: Pence = coding.lines.iter().map(|line| line.gross).sum();
    if sum != transaction.amount {
        return Err(Refusal::AmountMismatch { expected: transaction.amount, actual: sum });
    }
    coding.require_usable(&accounts, bank)?;
    let scheme = books.scheme_on(transaction.date);
    // What is bought, without what is sold or traded in beside it.
    let is_purchase =
        |line: &CodedLine, account: &Account| is_capital_goods(account, line.vat_code) && line.gross.is_negative();
    let capital = coding.lines.iter().zip(&accounts).filter(|(line, account)| is_purchase(line, account));
    let capital_gross: Pence = capital.map(|(line, _)| line.gross).sum();

    // Debits come first: the bank when money comes in, everything else when it goes out.
    let bank_line = Line::new(Target::Account(bank.account_id), transaction.amount);
    let mut lines: Vec<Line> = transaction.amount.is_positive().then(|| bank_line.clone()).into_iter().collect();
    let mut parts = Vec::new();
    let mut vat = Vec::new();
    let mut vat_total = Pence::ZERO;
    let mut has_vat = false;
    for (row, (line, account)) in coding.lines.iter().zip(accounts).enumerate() {
        let side = side_of_line(account, -line.gross, line.vat_code, || coding.account_field(row, line))?;
        let mut split =
            split_gross(side, line.vat_code, line.gross, line.vat_amount, || coding.field(row, "vat_amount"))?;
        if !separates_vat(scheme, side, account, capital_gross) {
            split = Split { net: line.gross, vat: Pence::ZERO };
        } else if line.vat_code.is_in_return() {
            // Money out buys; money in sells.
            let amount = match side {
                Side::Output => split,
                Side::Input => Split { net: -split.net, vat: -split.vat },
            };
            vat.push(VatEntry {
                side,
                code: line.vat_code,
                amount,
                basis: Basis::from(scheme).of_entries(),
                reverse_charge: None,
                tax_point: transaction.date,
                rate_date: None,
                origin: VatOrigin::JournalLine(lines.len()),
            });
        }
        has_vat |= !split.vat.is_zero();
        vat_total += split.vat;
        if !split.net.is_zero() {
            lines.push(Line {
                memo: line.memo.clone(),
                vat_code: Some(line.vat_code),
                vat_amount: Some(split.vat.abs()),
                ..Line::new(Target::Account(account.id), -split.net)
            });
        }
        parts.push((account.id, split));
    }
    if has_vat {
        let control = Target::Account(books.vat_control(VatPosting::BankTransaction)?);
        lines.push(Line { is_system: true, ..Line::new(control, -vat_total) });
    }
    if transaction.amount.is_negative() {
        lines.push(bank_line);
    }
    let source = Source { kind: SourceType::BankTransaction, id: Some(transaction.id.0) };
    let journal = Journal::new(transaction.date, source, transaction.description.clone(), lines);
    let journal = Journal { vat, ..journal }.checked(books.lock_date)?;
    Ok(Coded { journal, parts })
}

impl Coding {
    /// The field of a part that a key names.
    pub fn field(&self, row: usize, key: &str) -> String {
        if self.is_short { key.to_owned() } else { format!("lines[{row}].{key}") }
    }

    /// The field that names the account of a part.
    fn account_field(&self, row: usize, line: &CodedLine) -> String {
        self.field(row, line.account.key())
    }

    /// The accounts of the parts, which have to be of this organisation.
    fn accounts<'a>(&self, books: &Books<'a>) -> Result<Vec<&'a Account>, Refusal> {
        let account = |(row, line): (usize, &CodedLine)| books.named_account(&line.account, |key| self.field(row, key));
        self.lines.iter().enumerate().map(account).collect()
    }

    /// The accounts of the parts are open, and none is the bank account itself.
    fn require_usable(&self, accounts: &[&Account], bank: &BankAccount) -> Result<(), Refusal> {
        for (row, (line, account)) in self.lines.iter().zip(accounts).enumerate() {
            let field = || self.account_field(row, line);
            account.require_open(field)?;
            if account.id == bank.account_id {
                let allowed = "it is the bank account itself: take another account, or confirm a transfer";
                return Err(Refusal::wrong_account(field(), account, allowed));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
