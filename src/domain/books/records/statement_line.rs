//! Lines of bank statements: the input, the record, what an import made of each, and the filter of the list.

use crate::domain::books::audit_fields::AuditFields;
use crate::domain::books::records::engine_suggestion::EngineSuggestion;
use crate::domain::date::Date;
use crate::domain::ids::{AccountId, BankAccountId, BankTransactionId};
use crate::domain::ledger::bank::{BankStatus, BankTransaction, ConfirmType};
use crate::domain::ledger::bank_coding::CodedLine;
use crate::domain::ledger::chart::AccountReference;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::VatCode;
use serde::{Deserialize, Serialize};

/// A line of a bank statement as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementLineRecord {
    /// Identifier.
    pub id: i64,
    /// The bank account it is of.
    pub bank_account_id: i64,
    /// Its date.
    pub date: Date,
    /// Money in is positive.
    pub amount_pence: i64,
    /// What the bank says of it.
    pub description: String,
    /// The payer's reference.
    pub reference: Option<String>,
    /// Whom a card was used at.
    pub merchant: Option<String>,
    /// The bank's own id.
    pub external_id: Option<String>,
    /// The import it came with.
    pub import_id: Option<i64>,
    /// Its state.
    pub status: BankStatus,
    /// How it was confirmed.
    pub kind: Option<ConfirmType>,
    /// The customer or supplier.
    pub contact_id: Option<i64>,
    /// How it is coded; a suggestion until it is confirmed.
    pub lines: Vec<StatementLinePart>,
    /// A note.
    pub memo: Option<String>,
    /// What the coding engine suggests, while it is not confirmed.
    pub suggestion: Option<Box<EngineSuggestion>>,
    /// The other side of a transfer.
    pub transfer_id: Option<i64>,
    /// The bank account on which the other side of a transfer is awaited.
    pub awaited_on: Option<i64>,
    /// Its journal.
    pub journal_id: Option<i64>,
    /// The receipt, payment or refund that it shows: whose, and which.
    pub settlement: Option<(ContactKind, i64)>,
    /// When it was confirmed.
    pub confirmed_at_ms: Option<i64>,
    /// By whom.
    pub confirmed_by: Option<i64>,
    /// When it was made.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

/// A part of a coded line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementLinePart {
    /// The account.
    pub account_id: i64,
    /// With the sign of money, VAT included.
    pub gross_pence: i64,
    /// The VAT code.
    pub vat_code: String,
    /// The caller's own figure for the VAT.
    pub given_vat_pence: Option<i64>,
    /// Net as posted.
    pub net_pence: i64,
    /// VAT as posted.
    pub vat_pence: i64,
    /// A note.
    pub memo: Option<String>,
}

impl StatementLinePart {
    /// The part as the rules know it.
    pub(crate) fn to_domain(&self) -> CodedLine {
        CodedLine {
            account: AccountReference::Id(AccountId(self.account_id)),
            gross: Pence(self.gross_pence),
            // What is stored was read as a code.
            vat_code: VatCode::parse(&self.vat_code).unwrap_or(VatCode::NoVat),
            vat_amount: self.given_vat_pence.map(Pence),
            memo: self.memo.clone(),
        }
    }
}

/// Which lines of statements.
#[derive(Debug, Clone, Default)]
pub struct StatementLineFilter {
    /// In this state.
    pub status: Option<BankStatus>,
    /// Of this bank account.
    pub bank_account_id: Option<i64>,
    /// On this day or later.
    pub from_date: Option<Date>,
    /// On this day or before.
    pub to_date: Option<Date>,
    /// Text in description, reference or merchant.
    pub search: Option<String>,
    /// Confirmed this way.
    pub kind: Option<ConfirmType>,
    /// Of this amount or more.
    pub min_pence: Option<i64>,
    /// Of this amount or less.
    pub max_pence: Option<i64>,
    /// Changed since, in milliseconds.
    pub updated_since_ms: Option<i64>,
}

impl StatementLineRecord {
    /// The line as the rules know it.
    pub(crate) fn to_domain(&self) -> BankTransaction {
        BankTransaction {
            id: BankTransactionId(self.id),
            bank_account_id: BankAccountId(self.bank_account_id),
            date: self.date,
            amount: Pence(self.amount_pence),
            description: self.description.clone(),
            status: self.status,
        }
    }

    /// Whether it is a transfer whose other side is awaited, and this is it.
    pub(crate) fn awaits(&self, other: &Self) -> bool {
        self.awaited_on == Some(other.bank_account_id) && self.amount_pence == -other.amount_pence
    }

    /// What a search looks in.
    pub(crate) fn search_text(&self) -> String {
        let mut text = self.description.to_lowercase();
        for more in [&self.reference, &self.merchant].into_iter().flatten() {
            text.push('\n');
            text.push_str(&more.to_lowercase());
        }
        text
    }
}

/// A line of a bank statement to be entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementLineInput {
    /// Its date.
    pub date: Date,
    /// Money in is positive.
    pub amount_pence: i64,
    /// What the bank says of it.
    pub description: String,
    /// The payer's reference.
    pub reference: Option<String>,
    /// Whom a card was used at.
    pub merchant: Option<String>,
    /// The bank's own id.
    pub external_id: Option<String>,
}

/// Lines to be entered together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementImport {
    /// Of which bank account.
    pub bank_account_id: i64,
    /// The lines.
    pub rows: Vec<StatementLineInput>,
    /// Whether a line that is there already refuses all of them.
    pub reject_duplicates: bool,
}

/// What became of a line of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementLineResult {
    /// The line.
    pub id: i64,
    /// Whether it is new.
    pub is_new: bool,
}

impl StatementLineRecord {
    pub(crate) fn audit_fields(&self) -> AuditFields {
        let first = match self.lines.as_slice() {
            [line] => Some(line),
            _ => None,
        };
        let lines = i64::try_from(self.lines.len()).unwrap_or(i64::MAX);
        AuditFields::new()
            .date("date", self.date)
            .money("amount", self.amount_pence)
            .text("description", self.description.as_str())
            .text("status", self.status.as_str())
            .text("type", self.kind.map(ConfirmType::as_str))
            .number("import_id", self.import_id)
            .number("contact_id", self.contact_id)
            .number("account_id", first.map(|line| line.account_id))
            .text("vat_code", first.map(|line| line.vat_code.as_str()))
            .number("line_count", Some(lines).filter(|lines| *lines > 1))
            .text("memo", self.memo.as_deref())
            .text("suggestion", self.suggestion.as_deref().map(EngineSuggestion::title).as_deref())
            .number("transfer_bank_transaction_id", self.transfer_id)
            .number("journal_id", self.journal_id)
    }

    /// What it is called in a summary.
    pub(crate) fn title(&self) -> String {
        format!("Bank transaction of {}: {}", Pence(self.amount_pence), self.description)
    }
}
