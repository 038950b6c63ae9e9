//! What lines themselves say of a payment: that it comes back, repays a claim, or is paid in over the counter.

use crate::domain::coding::context::has_phrase;
use crate::domain::coding::knowledge::Knowledge;
use crate::domain::coding::person::is_person;
use crate::domain::coding::wording::Wording;

/// Whether a deposit is one over the counter: no more than the place of a branch follows.
pub fn is_paying_in(wording: &Wording) -> bool {
    const COUNTERS: &[&str] = &["POST OFFICE ", "PO ", "COUNTER ", "BRANCH "];
    const OF_SLIPS: &[&str] = &["CASH", "DEP", "DEPOSIT", "OFFICE", "PO", "POST"];
    let text = wording.text();
    let behind = COUNTERS.iter().find_map(|counter| text.strip_prefix(counter)).unwrap_or(text);
    let towns = &Knowledge::get().words.town;
    let mut words = behind.split(' ').filter(|word| !OF_SLIPS.contains(word) || *word == "DEP" || *word == "DEPOSIT");
    if !matches!(words.next(), Some("DEP" | "DEPOSIT")) || is_person(&wording.payee) {
        return false;
    }
    let place: Vec<&str> = words.filter(|word| !OF_SLIPS.contains(word)).collect();
    // Of places that are not listed one word, or two that are parts of one: `LOUGH BOROUGH`.
    let is_one = || place.len() == 2 && wording.payee.split(' ').any(|word| word == place.concat());
    place.len() <= 1 || place.first().is_some_and(|first| towns.has(first)) && place.len() <= 3 || is_one()
}

/// Whether a line says that money comes back.
pub fn is_money_back(wording: &Wording) -> bool {
    says_refund(wording.text())
}

/// Whether a folded text says so.
pub fn says_refund(text: &str) -> bool {
    REFUNDS.iter().any(|word| has_phrase(text, word))
}

/// Words of money that comes back.
const REFUNDS: &[&str] = &[
    "REFUND",
    "REFUNDED",
    "REFUNDS",
    "REVERSAL",
    "RETURNED",
    "CREDIT NOTE",
    "REIMBURSEMENT",
    "RFND",
    "REFD",
    "UNPAID DD",
    "UNPAID DIRECT DEBIT",
    "RETURNED DD",
    "RETD",
    "RTND",
];

/// Words of money that somebody has spent for the business.
const CLAIMED: &[&str] =
    &["EXP", "EXPENSE", "EXPENSES", "EXPS", "MILEAGE", "REIMB", "REIMBURSE", "REIMBURSEMENT", "REIMBURSED"];

/// Whether a line pays somebody back what was spent for the business.
pub fn is_claim(wording: &Wording) -> bool {
    wording.text().split(' ').any(|word| CLAIMED.contains(&word))
}
