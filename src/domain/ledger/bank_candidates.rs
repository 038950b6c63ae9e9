//! What a line of a statement may be: open documents, money already in the books, the other side of a transfer.

use super::money::Pence;
use crate::domain::date::Date;

/// What a candidate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CandidateKind {
    /// An open sales invoice.
    SalesInvoice,
    /// An open purchase invoice.
    PurchaseInvoice,
    /// A receipt or refund that no line shows yet.
    CustomerReceipt,
    /// A payment or refund that no line shows yet.
    SupplierPayment,
    /// An unconfirmed line of another own account.
    BankTransaction,
}

impl CandidateKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [
        Self::SalesInvoice,
        Self::PurchaseInvoice,
        Self::CustomerReceipt,
        Self::SupplierPayment,
        Self::BankTransaction,
    ];

    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SalesInvoice => "sales_invoice",
            Self::PurchaseInvoice => "purchase_invoice",
            Self::CustomerReceipt => "customer_receipt",
            Self::SupplierPayment => "supplier_payment",
            Self::BankTransaction => "bank_transaction",
        }
    }

    /// Whether its number in the description is enough, though the amount is another.
    const fn may_be_part(self) -> bool {
        matches!(self, Self::SalesInvoice | Self::PurchaseInvoice)
    }
}

/// Something a line may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What it is.
    pub kind: CandidateKind,
    /// Its id.
    pub id: i64,
    /// What the line would be if it were this: the sign of money as on this statement.
    pub amount: Pence,
    /// Its date.
    pub date: Date,
    /// Numbers and references that a payer may write.
    pub references: Vec<String>,
}

/// How many days the two sides of a transfer may lie apart to be offered as one, unless one awaits the other.
pub const TRANSFER_CANDIDATE_DAYS: i32 = 3;

/// How likely a line is a candidate, from 1 to 100; `None` when it is not offered.
pub fn score(amount: Pence, date: Date, description: &str, candidate: &Candidate) -> Option<u32> {
    let is_same_amount = candidate.amount == amount;
    let text = letters_and_digits(description);
    let is_named = candidate.references.iter().map(|one| letters_and_digits(one)).any(|one| {
        const TOO_SHORT: usize = 3;
        one.len() >= TOO_SHORT && text.contains(&one)
    });
    let days = candidate.date.abs_diff(date);
    let is_of_this_sign = candidate.amount.signum() == amount.signum();
    let is_part = is_named && candidate.kind.may_be_part() && is_of_this_sign;
    if !(is_same_amount || is_part) {
        return None;
    }
    let nearness = 10_u32.saturating_sub(days / 9);
    Some(if is_same_amount { 55 } else { 20 } + if is_named { 35 } else { 0 } + nearness)
}

/// The candidates that are offered with their scores, the likeliest first, then the nearest in time.
pub fn ranked(amount: Pence, date: Date, description: &str, candidates: Vec<Candidate>) -> Vec<(Candidate, u32)> {
    let scored = candidates.into_iter().filter_map(|candidate| {
        let score = score(amount, date, description, &candidate)?;
        Some((candidate, score))
    });
    let mut ranked: Vec<_> = scored.collect();
    ranked.sort_by_key(|(candidate, score)| {
        (std::cmp::Reverse(*score), candidate.date.abs_diff(date), candidate.kind, candidate.id)
    });
    ranked
}

/// A text without what people and banks write differently: `INV-0103` is in `FPI inv 0103`.
fn letters_and_digits(text: &str) -> String {
    text.chars().filter(|one| one.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Date = Date::numbered(20_200);

    fn candidate(kind: CandidateKind, id: i64, pence: i64, date: Date, reference: &str) -> Candidate {
        Candidate { kind, id, amount: Pence(pence), date, references: vec![reference.to_owned()] }
    }

    #[test]
    fn the_right_amount_with_the_right_number_comes_first() {
        let open = vec![
            candidate(CandidateKind::SalesInvoice, 1, 12_000, DAY - 30, "INV-0101"),
            candidate(CandidateKind::SalesInvoice, 2, 12_000, DAY - 60, "INV-0103"),
            candidate(CandidateKind::SalesInvoice, 3, 90_000, DAY - 30, "INV-0104"),
            candidate(CandidateKind::CustomerReceipt, 4, 12_000, DAY, "RCP-00001"),
        ];
        let ranked = ranked(Pence(12_000), DAY, "FPI BRIGHTWELL inv 0103", open);
        let ids: Vec<i64> = ranked.iter().map(|(candidate, _)| candidate.id).collect();
        assert_eq!(ids, [2, 4, 1]);
        assert!(ranked.iter().all(|(_, score)| (1..=100).contains(score)));
    }

    #[test]
    fn a_number_is_enough_for_a_part_payment_but_not_against_the_sign() {
        let invoice = |pence| candidate(CandidateKind::SalesInvoice, 1, pence, DAY, "INV-0104");
        assert!(score(Pence(500), DAY, "PART INV-0104", &invoice(90_000)).is_some());
        assert_eq!(score(Pence(-500), DAY, "PART INV-0104", &invoice(90_000)), None);
        assert_eq!(score(Pence(500), DAY, "PART", &invoice(90_000)), None);
        let receipt = candidate(CandidateKind::CustomerReceipt, 1, 90_000, DAY, "INV-0104");
        assert_eq!(score(Pence(500), DAY, "PART INV-0104", &receipt), None);
        let short = candidate(CandidateKind::PurchaseInvoice, 1, -900, DAY, "7");
        assert_eq!(score(Pence(-500), DAY, "CARD 7", &short), None);
    }
}
