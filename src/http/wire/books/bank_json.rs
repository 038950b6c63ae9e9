//! The lines of bank statements, as answers show them.

use serde::Serialize;

use super::{AssignedId, CURRENCY, Date, Money};
use crate::domain::calendar::date_time_text;
use crate::domain::ledger::bank::{BankStatus, ConfirmType};
use crate::domain::ledger::bank_candidates::Candidate;
use crate::domain::ledger::contact::ContactKind;
use crate::store::{BankLine, BankTransactionRow, ImportedRow};

/// A line of a statement, as answers show it.
#[derive(Serialize)]
pub struct BankTransactionJson<'a> {
    id: AssignedId,
    bank_account_id: i64,
    date: Date,
    amount: Money,
    currency: &'static str,
    description: &'a str,
    reference: Option<&'a str>,
    merchant: Option<&'a str>,
    external_id: Option<&'a str>,
    import_id: Option<AssignedId>,
    status: &'static str,
    r#type: Option<&'static str>,
    contact_id: Option<i64>,
    account_id: Option<i64>,
    vat_code: Option<&'a str>,
    net_amount: Option<Money>,
    vat_amount: Option<Money>,
    lines: Vec<BankLineJson<'a>>,
    suggestion: Option<()>,
    customer_receipt_id: Option<AssignedId>,
    supplier_payment_id: Option<AssignedId>,
    transfer_bank_transaction_id: Option<AssignedId>,
    journal_id: Option<AssignedId>,
    memo: Option<&'a str>,
    confirmed_at: Option<String>,
    confirmed_by: Option<i64>,
    created_at: String,
    updated_at: String,
    version: i64,
}

#[derive(Serialize)]
struct BankLineJson<'a> {
    account_id: i64,
    gross_amount: Money,
    vat_code: &'a str,
    net_amount: Money,
    vat_amount: Money,
    memo: Option<&'a str>,
}

impl<'a> From<&'a BankTransactionRow> for BankTransactionJson<'a> {
    fn from(row: &'a BankTransactionRow) -> Self {
        let only = match row.lines.as_slice() {
            [line] => Some(line),
            _ => None,
        };
        let without_code = row.lines.is_empty() && row.status == BankStatus::Confirmed;
        let is_coded = !row.lines.is_empty();
        let sum = |part: fn(&BankLine) -> i64| row.lines.iter().map(part).sum::<i64>();
        let net = if is_coded { Some(sum(|line| line.net_pence)) } else { without_code.then_some(row.amount_pence) };
        let vat = if is_coded { Some(sum(|line| line.vat_pence)) } else { without_code.then_some(0) };
        Self {
            id: AssignedId(row.id),
            bank_account_id: row.bank_account_id,
            date: Date(row.day),
            amount: Money(row.amount_pence),
            currency: CURRENCY,
            description: &row.description,
            reference: row.reference.as_deref(),
            merchant: row.merchant.as_deref(),
            external_id: row.external_id.as_deref(),
            import_id: row.import_id.map(AssignedId),
            status: row.status.as_str(),
            r#type: row.kind.map(ConfirmType::as_str),
            contact_id: row.contact_id,
            account_id: only.map(|line| line.account_id),
            vat_code: only.map(|line| line.vat_code.as_str()).or(without_code.then_some("NV")),
            net_amount: net.map(Money),
            vat_amount: vat.map(Money),
            lines: row.lines.iter().map(BankLineJson::from).collect(),
            suggestion: None,
            customer_receipt_id: row
                .settlement
                .filter(|(side, _)| *side == ContactKind::Customer)
                .map(|(_, id)| AssignedId(id)),
            supplier_payment_id: row
                .settlement
                .filter(|(side, _)| *side == ContactKind::Supplier)
                .map(|(_, id)| AssignedId(id)),
            transfer_bank_transaction_id: row.transfer_id.map(AssignedId),
            journal_id: row.journal_id.map(AssignedId),
            memo: row.memo.as_deref(),
            confirmed_at: row.confirmed_at_ms.map(date_time_text),
            confirmed_by: row.confirmed_by,
            created_at: date_time_text(row.created_at_ms),
            updated_at: date_time_text(row.updated_at_ms),
            version: row.version,
        }
    }
}

impl<'a> From<&'a BankLine> for BankLineJson<'a> {
    fn from(line: &'a BankLine) -> Self {
        Self {
            account_id: line.account_id,
            gross_amount: Money(line.gross_pence),
            vat_code: &line.vat_code,
            net_amount: Money(line.net_pence),
            vat_amount: Money(line.vat_pence),
            memo: line.memo.as_deref(),
        }
    }
}

/// What became of an import, as answers show it.
#[derive(Serialize)]
pub struct ImportJson {
    import_id: AssignedId,
    created: usize,
    skipped: usize,
    transactions: Vec<ImportedJson>,
}

#[derive(Serialize)]
struct ImportedJson {
    row: usize,
    id: AssignedId,
    status: &'static str,
}

impl ImportJson {
    /// An import and its rows, in order.
    pub fn new(id: i64, rows: &[ImportedRow]) -> Self {
        let created = rows.iter().filter(|row| row.is_new).count();
        let transactions = rows.iter().enumerate().map(|(at, row)| ImportedJson {
            row: at,
            id: AssignedId(row.id),
            status: if row.is_new { "created" } else { "duplicate" },
        });
        Self { import_id: AssignedId(id), created, skipped: rows.len() - created, transactions: transactions.collect() }
    }
}

/// What a line may be, as answers show it.
#[derive(Serialize)]
pub struct CandidateJson {
    kind: &'static str,
    id: i64,
    amount: Money,
    date: Date,
    score: u32,
}

impl CandidateJson {
    /// A candidate and how likely it is.
    pub fn new(candidate: &Candidate, score: u32) -> Self {
        Self {
            kind: candidate.kind.as_str(),
            id: candidate.id,
            amount: Money(candidate.amount.0),
            date: Date(candidate.date),
            score,
        }
    }
}
