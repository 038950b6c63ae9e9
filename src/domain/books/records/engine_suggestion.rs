//! What the coding engine suggests for a line of a statement: how it may be confirmed, and why.

use serde::{Deserialize, Serialize};

use crate::domain::books::command::Confirmation;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::records::settlement::{AllocationInput, AllocationTarget};
use crate::domain::ids::AccountId;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::bank_coding::{CodedLine, Coding};
use crate::domain::ledger::chart::AccountReference;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat::VatCode;

/// A suggestion as stored with its line. Only a coding job sets it; whatever decides about the line clears it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineSuggestion {
    /// How the line may be confirmed.
    pub confirmation: SuggestedConfirmation,
    /// The chance that it is right, in thousandths.
    pub confidence: u16,
    /// How it was decided, as in the result of a coding job.
    pub method: String,
    /// One sentence why.
    pub reason: String,
    /// Other accounts that were considered, best first.
    pub alternatives: Vec<SuggestedAlternative>,
    /// The job that found it.
    pub coding_job_id: String,
    /// When it was written, in milliseconds.
    pub suggested_at_ms: i64,
    /// How the organisation stood to VAT when it was found ([`vat_status`]).
    pub vat_status: String,
}

/// How a line may be confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SuggestedConfirmation {
    /// Against an account.
    Coded {
        /// The account.
        account_id: i64,
        /// Its code when it was suggested.
        account_code: String,
        /// `ST`, `RR`, `ZR`, `EX` or `NV`.
        vat_code: String,
    },
    /// As a receipt, a payment, or a refund of one.
    Settlement {
        /// `customer_receipt` and so on.
        kind: String,
        /// The customer or supplier.
        contact_id: i64,
        /// What it is set against.
        allocations: Vec<SuggestedAllocation>,
    },
    /// As one side of a transfer whose other side is this line.
    TransferWith(i64),
    /// As a transfer to or from this bank account, whose line is still to come.
    TransferTo(i64),
}

/// What a suggested settlement is set against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedAllocation {
    /// The invoice, or of a refund the credit note.
    pub document_id: i64,
    /// The cash set against it.
    pub amount_pence: i64,
    /// What the customer withheld under CIS beside the cash.
    pub cis_suffered_pence: i64,
}

/// Another account that was considered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestedAlternative {
    /// The account.
    pub account_id: i64,
    /// Its code when it was suggested.
    pub account_code: String,
    /// The VAT code it would have.
    pub vat_code: String,
    /// Thousandths.
    pub confidence: u16,
}

impl SuggestedConfirmation {
    /// The type of the confirm body.
    pub fn kind(&self) -> &str {
        match self {
            Self::Coded { .. } => "coded",
            Self::Settlement { kind, .. } => kind,
            Self::TransferWith(_) | Self::TransferTo(_) => "transfer",
        }
    }

    /// Whether it is a refund, which is set against credit notes.
    pub fn is_refund(&self) -> bool {
        match self {
            Self::Settlement { kind, .. } => SettlementKind::parse(kind).is_some_and(SettlementKind::is_refund),
            _ => false,
        }
    }

    /// The confirmation as a request would give it; none when a word was stored that the rules do not know.
    pub(crate) fn to_confirmation(&self) -> Option<Confirmation> {
        Some(match self {
            Self::Coded { account_id, vat_code, .. } => {
                let line = CodedLine {
                    account: AccountReference::Id(AccountId(*account_id)),
                    gross: Pence::ZERO,
                    vat_code: VatCode::parse(vat_code)?,
                    vat_amount: None,
                    memo: None,
                };
                Confirmation::Coded(Coding { lines: vec![line], is_short: true })
            }
            Self::Settlement { kind, contact_id, allocations } => {
                let kind = SettlementKind::parse(kind)?;
                let target = |id: i64| match kind.is_refund() {
                    true => AllocationTarget::CreditNote(id),
                    false => AllocationTarget::Invoice(id),
                };
                let allocations = allocations.iter().map(|allocation| AllocationInput {
                    to: target(allocation.document_id),
                    amount_pence: allocation.amount_pence,
                    cis_suffered_pence: allocation.cis_suffered_pence,
                });
                Confirmation::Settlement { kind, contact_id: *contact_id, allocations: allocations.collect() }
            }
            Self::TransferWith(id) => Confirmation::TransferWith(*id),
            Self::TransferTo(id) => Confirmation::TransferTo(*id),
        })
    }
}

impl EngineSuggestion {
    /// What the history calls it.
    pub(crate) fn title(&self) -> String {
        let what = match &self.confirmation {
            SuggestedConfirmation::Coded { account_code, vat_code, .. } => format!("{account_code} {vat_code}"),
            SuggestedConfirmation::Settlement { contact_id, .. } => format!("contact {contact_id}"),
            SuggestedConfirmation::TransferWith(id) => format!("bank transaction {id}"),
            SuggestedConfirmation::TransferTo(id) => format!("bank account {id}"),
        };
        format!("{}: {what}", self.confirmation.kind())
    }
}

/// How an organisation stands to VAT: a coded suggestion that was found under another registration or scheme is stale.
pub fn vat_status(organisation: &OrganisationRecord) -> String {
    let scheme = organisation.vat_scheme.as_deref().filter(|_| organisation.vat_registered).unwrap_or("none");
    let from = organisation.vat_scheme_from.map_or_else(String::new, |date| date.to_string());
    format!("{scheme} {from}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read_back_and_confirms_as_it_says() {
        let allocations = vec![SuggestedAllocation { document_id: 31, amount_pence: 9_600, cis_suffered_pence: 2_400 }];
        let confirmations = [
            (
                SuggestedConfirmation::Coded {
                    account_id: 7,
                    account_code: "7200".to_owned(),
                    vat_code: "ST".to_owned(),
                },
                "coded",
            ),
            (
                SuggestedConfirmation::Settlement {
                    kind: "customer_receipt".to_owned(),
                    contact_id: 12,
                    allocations: allocations.clone(),
                },
                "customer_receipt",
            ),
            (
                SuggestedConfirmation::Settlement { kind: "supplier_refund".to_owned(), contact_id: 12, allocations },
                "supplier_refund",
            ),
            (SuggestedConfirmation::TransferWith(44), "transfer"),
            (SuggestedConfirmation::TransferTo(2), "transfer"),
        ];
        for (confirmation, kind) in confirmations {
            let text = serde_json::to_string(&confirmation).unwrap();
            assert_eq!(serde_json::from_str::<SuggestedConfirmation>(&text).unwrap(), confirmation);
            assert_eq!((confirmation.kind(), confirmation.is_refund()), (kind, kind.ends_with("refund")));
            assert!(confirmation.to_confirmation().is_some());
        }
        let unknown =
            SuggestedConfirmation::Settlement { kind: "gift".to_owned(), contact_id: 1, allocations: Vec::new() };
        assert_eq!(unknown.to_confirmation(), None);
    }
}
