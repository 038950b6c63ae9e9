//! Suggestions inside the books: a coding job made of unconfirmed lines of statements, and what its answer means for each of
//! them. The payload of such a job is what its rows are in the books, and on the next line the body of a coding job.

use serde::{Deserialize, Serialize};

use super::amount::UNITS_PER_PENNY;
use super::books::records::engine_suggestion::{
    EngineSuggestion, SuggestedAllocation, SuggestedAlternative, SuggestedConfirmation,
};
use super::coding::{CodedRow, Method, Outcome, SettledKind, Vat};
use super::date::Date;
use super::ids::{JobId, OrganisationId};
use super::ledger::allocation::SettlementKind;
use super::ledger::document::DocumentKind;

/// Lines of one request.
pub const LINES_MAX: usize = 1_000;

/// Rows of the past that a job is given.
pub const HISTORY_MAX: usize = 20_000;

/// How long before the latest line of a job its past begins, in months.
pub const HISTORY_MONTHS: i32 = 24;

/// Which lines suggestions are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuggestFilter {
    /// These; none means every unconfirmed line that fits the others.
    pub lines: Option<Vec<i64>>,
    /// Of this bank account.
    pub bank_account_id: Option<i64>,
    /// On this day or later.
    pub from_date: Option<Date>,
    /// On this day or before.
    pub to_date: Option<Date>,
}

/// What the rows of a job are in the books.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestReferences {
    /// The organisation.
    pub organisation_id: i64,
    /// The key of the person who asks, as the history names it.
    pub key_prefix: Option<String>,
    /// The connection by OAuth of the person who asks.
    pub grant_id: Option<i64>,
    /// How the organisation stands to VAT.
    pub vat_status: String,
    /// The lines, in the order of the transactions.
    pub lines: Vec<LineReference>,
    /// The accounts, in the order of the chart.
    pub accounts: Vec<AccountIdentity>,
    /// The open documents, in the order of the invoices.
    pub documents: Vec<DocumentReference>,
}

/// A line of a statement as it was when its suggestion was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineReference {
    /// The line.
    pub id: i64,
    /// Its version.
    pub version: i64,
    /// Its bank account.
    pub bank_account_id: i64,
    /// Money in is positive.
    pub amount_pence: i64,
}

/// An account of the chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountIdentity {
    /// The account.
    pub id: i64,
    /// The bank account whose balance it carries.
    pub bank_account_id: Option<i64>,
    /// Whether a line on it may have VAT.
    pub takes_vat: bool,
}

/// An open document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentReference {
    /// `sales_invoice` and so on.
    pub kind: String,
    /// The document.
    pub id: i64,
    /// Its customer or supplier.
    pub contact_id: i64,
    /// What was open of it through the bank.
    pub due_pence: i64,
}

impl SuggestReferences {
    /// The payload of a job with this body.
    pub fn payload(&self, body: &str) -> serde_json::Result<String> {
        Ok(format!("{}\n{body}", serde_json::to_string(self)?))
    }

    /// The two parts of a payload.
    pub fn read(payload: &str) -> Option<(Self, &str)> {
        let (references, body) = payload.split_once('\n')?;
        Some((serde_json::from_str(references).ok()?, body))
    }
}

/// What a job found for a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSuggestion {
    /// The line.
    pub line: i64,
    /// Its version when the suggestion was asked for.
    pub version: i64,
    /// The suggestion; when it is written is not known yet.
    pub suggestion: EngineSuggestion,
}

/// What a job found, to be written in the unit that ends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSuggestions {
    /// The organisation.
    pub organisation: OrganisationId,
    /// The key of the person who asked.
    pub key_prefix: Option<String>,
    /// The connection by OAuth of the person who asked.
    pub grant_id: Option<i64>,
    /// Lines of which nothing can be suggested that the books would take.
    pub without: i64,
    /// By line.
    pub lines: Vec<FoundSuggestion>,
}

/// What became of the suggestions of a job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SuggestionsWritten {
    /// Lines that have theirs.
    pub written: i64,
    /// Lines that had changed meanwhile, or that have none.
    pub skipped: i64,
}

impl FoundSuggestions {
    /// The answer to a job's batch in the terms of the books; none when it does not fit what the rows are. `codes` are those of
    /// the chart.
    pub fn of(references: SuggestReferences, codes: &[&str], outcome: &Outcome, job: &JobId) -> Option<Self> {
        if outcome.rows.len() != references.lines.len() || codes.len() != references.accounts.len() {
            return None;
        }
        let lines: Vec<FoundSuggestion> = (references.lines.iter().zip(&outcome.rows))
            .filter_map(|(line, row)| {
                let confirmation = confirmation(&references, codes, line, row)?;
                let alternatives = row.alternatives.iter().filter_map(|other| {
                    let account = references.accounts.get(other.account)?;
                    Some(SuggestedAlternative {
                        account_id: account.id,
                        account_code: (*codes.get(other.account)?).to_owned(),
                        vat_code: vat_code(account, row.vat).to_owned(),
                        confidence: other.confidence,
                    })
                });
                let suggestion = EngineSuggestion {
                    confirmation,
                    confidence: row.confidence,
                    method: row.method.as_str().to_owned(),
                    reason: row.reason.clone().into_owned(),
                    alternatives: alternatives.collect(),
                    coding_job_id: job.as_str().to_owned(),
                    suggested_at_ms: 0,
                    vat_status: references.vat_status.clone(),
                };
                Some(FoundSuggestion { line: line.id, version: line.version, suggestion })
            })
            .collect();
        let without = i64::try_from(references.lines.len() - lines.len()).unwrap_or_default();
        Some(Self {
            organisation: OrganisationId(references.organisation_id),
            key_prefix: references.key_prefix,
            grant_id: references.grant_id,
            without,
            lines,
        })
    }
}

/// The VAT code of a line on an account.
const fn vat_code(account: &AccountIdentity, vat: Vat) -> &'static str {
    if account.takes_vat { vat.as_str() } else { Vat::NoVat.as_str() }
}

/// How a line may be confirmed as the engine says; none where the books would not take it.
fn confirmation(
    references: &SuggestReferences,
    codes: &[&str],
    line: &LineReference,
    row: &CodedRow,
) -> Option<SuggestedConfirmation> {
    if !row.settles.is_empty() {
        return settlement(references, line, row);
    }
    let pair = row.transfer_pair.filter(|_| row.method == Method::Transfer);
    if let Some(other) = pair.and_then(|pair| references.lines.get(pair)) {
        let fits = other.bank_account_id != line.bank_account_id && other.amount_pence == -line.amount_pence;
        return fits.then_some(SuggestedConfirmation::TransferWith(other.id));
    }
    let account = references.accounts.get(row.account)?;
    match account.bank_account_id {
        // Money on the bank account it is on already goes nowhere.
        Some(bank) if bank == line.bank_account_id => None,
        Some(bank) => Some(SuggestedConfirmation::TransferTo(bank)),
        None => Some(SuggestedConfirmation::Coded {
            account_id: account.id,
            account_code: (*codes.get(row.account)?).to_owned(),
            vat_code: vat_code(account, row.vat).to_owned(),
        }),
    }
}

/// A receipt, a payment or a refund for the documents that a line settles, all of one contact and kind.
fn settlement(references: &SuggestReferences, line: &LineReference, row: &CodedRow) -> Option<SuggestedConfirmation> {
    let mut left = line.amount_pence.abs();
    let (mut of, mut allocations) = (None, Vec::with_capacity(row.settles.len()));
    for settled in &row.settles {
        let document = references.documents.get(settled.invoice)?;
        let kind = settlement_kind(DocumentKind::parse(&document.kind)?, line.amount_pence)?;
        let this = (kind, document.contact_id);
        if *of.get_or_insert(this) != this {
            return None;
        }
        let open = i64::try_from(settled.amount / UNITS_PER_PENNY).ok()?.min(document.due_pence);
        let amount_pence = open.min(left);
        left -= amount_pence;
        // What a customer withheld under the Construction Industry Scheme is settled beside the cash.
        let is_cis = settled.kind == SettledKind::CisDeduction && kind == SettlementKind::CustomerReceipt;
        let cis_suffered_pence = if is_cis { open - amount_pence } else { 0 };
        if amount_pence > 0 {
            allocations.push(SuggestedAllocation { document_id: document.id, amount_pence, cis_suffered_pence });
        }
    }
    let (kind, contact_id) = of?;
    Some(SuggestedConfirmation::Settlement { kind: kind.as_str().to_owned(), contact_id, allocations })
}

/// How money in or out settles a kind of document; none when it does not.
const fn settlement_kind(document: DocumentKind, amount_pence: i64) -> Option<SettlementKind> {
    match (document, amount_pence > 0) {
        (DocumentKind::SalesInvoice, true) => Some(SettlementKind::CustomerReceipt),
        (DocumentKind::SalesCreditNote, false) => Some(SettlementKind::CustomerRefund),
        (DocumentKind::PurchaseInvoice, false) => Some(SettlementKind::SupplierPayment),
        (DocumentKind::PurchaseCreditNote, true) => Some(SettlementKind::SupplierRefund),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::coding::{Alternative, Settled};

    fn references() -> SuggestReferences {
        let line = |id, bank_account_id, amount_pence| LineReference { id, version: 1, bank_account_id, amount_pence };
        let account = |id, bank_account_id, takes_vat| AccountIdentity { id, bank_account_id, takes_vat };
        let document = |kind: &str, id, contact_id, due_pence| DocumentReference {
            kind: kind.to_owned(),
            id,
            contact_id,
            due_pence,
        };
        SuggestReferences {
            organisation_id: 7,
            key_prefix: None,
            grant_id: None,
            vat_status: "standard".to_owned(),
            lines: vec![line(41, 1, -500), line(42, 2, 500), line(43, 1, 9_600)],
            accounts: vec![account(10, Some(1), false), account(11, Some(2), false), account(12, None, true)],
            documents: vec![
                document("sales_invoice", 31, 5, 12_000),
                document("sales_invoice", 32, 6, 700),
                document("purchase_credit_note", 33, 5, 700),
            ],
        }
    }

    fn row(method: Method, account: usize) -> CodedRow {
        CodedRow { method, vat: Vat::Standard, ..CodedRow::fallback(account, "known".into()) }
    }

    fn settled(invoice: usize, pence: i128, kind: SettledKind) -> Settled {
        Settled { invoice, amount: pence * UNITS_PER_PENNY, kind }
    }

    fn suggested(line: usize, row: CodedRow) -> Option<SuggestedConfirmation> {
        let references = references();
        confirmation(&references, &["1200", "1210", "7200"], &references.lines[line], &row)
    }

    #[test]
    fn a_line_is_coded_to_the_account_and_has_vat_where_the_account_takes_it() {
        let coded = suggested(0, row(Method::Merchant, 2)).unwrap();
        let expected =
            SuggestedConfirmation::Coded { account_id: 12, account_code: "7200".to_owned(), vat_code: "ST".to_owned() };
        assert_eq!(coded, expected);
    }

    #[test]
    fn money_to_an_own_bank_account_is_a_transfer_and_to_its_own_nothing() {
        assert_eq!(suggested(0, row(Method::Merchant, 0)), None);
        assert_eq!(suggested(0, row(Method::History, 1)), Some(SuggestedConfirmation::TransferTo(2)));
        let pair = CodedRow { transfer_pair: Some(1), ..row(Method::Transfer, 1) };
        assert_eq!(suggested(0, pair.clone()), Some(SuggestedConfirmation::TransferWith(42)));
        assert_eq!(suggested(2, pair), None);
    }

    #[test]
    fn a_settlement_is_of_one_contact_and_takes_no_more_than_is_open() {
        let settles = |settles| CodedRow { settles, ..row(Method::InvoiceSettlement, 2) };
        let one = suggested(2, settles(vec![settled(0, 12_000, SettledKind::CisDeduction)])).unwrap();
        let allocations = vec![SuggestedAllocation { document_id: 31, amount_pence: 9_600, cis_suffered_pence: 2_400 }];
        let kind = "customer_receipt".to_owned();
        assert_eq!(one, SuggestedConfirmation::Settlement { kind, contact_id: 5, allocations });
        let two = settles(vec![settled(0, 9_000, SettledKind::Sum), settled(1, 600, SettledKind::Sum)]);
        assert_eq!(suggested(2, two), None);
        assert_eq!(suggested(0, settles(vec![settled(0, 500, SettledKind::Part)])), None);
        let refund = suggested(2, settles(vec![settled(2, 700, SettledKind::Exact)])).unwrap();
        assert_eq!((refund.kind(), refund.is_refund()), ("supplier_refund", true));
    }

    #[test]
    fn an_answer_of_other_rows_is_no_answer() {
        let outcome = |rows| Outcome { history: None, rows, warnings: Vec::new() };
        let codes = ["1200", "1210", "7200"];
        let job = JobId("cod_1".to_owned());
        assert_eq!(FoundSuggestions::of(references(), &codes, &outcome(Vec::new()), &job), None);
        let with_alternative =
            CodedRow { alternatives: vec![Alternative { account: 1, confidence: 90 }], ..row(Method::Merchant, 2) };
        let rows = vec![row(Method::Merchant, 0), row(Method::Merchant, 1), with_alternative];
        let found = FoundSuggestions::of(references(), &codes, &outcome(rows), &job).unwrap();
        // Money on its own bank account says nothing, twice.
        assert_eq!((found.lines.len(), found.without), (1, 2));
        let alternative = &found.lines[0].suggestion.alternatives[0];
        assert_eq!((alternative.account_code.as_str(), alternative.vat_code.as_str()), ("1210", "NV"));
    }

    #[test]
    fn a_payload_is_read_back() {
        let payload = references().payload("{\n}").unwrap();
        assert_eq!(SuggestReferences::read(&payload), Some((references(), "{\n}")));
        assert_eq!(SuggestReferences::read("{}"), None);
    }
}
