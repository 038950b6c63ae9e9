//! Document numbers: prefix and digits, one after the other, never reused.

use std::borrow::Cow;

use super::ids::DocumentId;
use super::refusal::Refusal;

/// Digits that numbers of sales documents have at least.
pub const SALES_DIGITS_MIN: usize = 4;

/// Digits that internal numbers (bills, receipts, payments) have at least.
pub const INTERNAL_DIGITS_MIN: usize = 5;

/// The prefix of purchase invoices.
pub const BILL_PREFIX: &str = "BILL-";
/// The prefix of purchase credit notes.
pub const PURCHASE_CREDIT_NOTE_PREFIX: &str = "PCN-";
/// The prefix of customer receipts and refunds.
pub const RECEIPT_PREFIX: &str = "RCP-";
/// The prefix of supplier payments and refunds.
pub const PAYMENT_PREFIX: &str = "PAY-";

/// The number after the highest so far.
pub fn next(prefix: &str, highest: u64, digits_min: usize) -> String {
    format!("{prefix}{:0digits_min$}", highest.saturating_add(1))
}

/// The digits after the prefix, when a number is nothing but the two; it then moves the sequence on. At most eighteen
/// digits: more is a name, not a count.
pub fn sequence_of(prefix: &str, number: &str) -> Option<u64> {
    const DIGITS_MAX: usize = 18;
    let digits = number.strip_prefix(prefix)?;
    let is_count = (1..=DIGITS_MAX).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_count.then(|| digits.parse().ok()).flatten()
}

/// Decides whether a number may be a caller's own: a long row of digits would carry its sequence out of reach.
pub fn require_countable(own: &str, field: impl Into<String>) -> Result<(), Refusal> {
    const DIGITS_MAX: usize = 15;
    let longest = own.split(|character: char| !character.is_ascii_digit()).map(str::len).max();
    if longest.is_some_and(|digits| digits > DIGITS_MAX) {
        return Err(Refusal::field(field, "must have at most 15 digits in a row"));
    }
    Ok(())
}

/// The number a sales document is issued with: the caller's own, if no document has it (a void one keeps it), else the
/// next. The second value is the highest of the sequence from then on.
pub fn assign(
    prefix: &str,
    own: Option<&str>,
    own_taken_by: Option<DocumentId>,
    highest: u64,
    field: &'static str,
) -> Result<(String, u64), Refusal> {
    let Some(own) = own else {
        return Ok((next(prefix, highest, SALES_DIGITS_MIN), highest.saturating_add(1)));
    };
    require_countable(own, field)?;
    require_free(own_taken_by, None, field)?;
    let sequence = sequence_of(prefix, own).unwrap_or(0);
    Ok((own.to_owned(), highest.max(sequence)))
}

/// Decides whether a document may have a number or supplier's reference that `taken_by` has.
pub fn require_free(
    taken_by: Option<DocumentId>,
    but: Option<DocumentId>,
    field: impl Into<Cow<'static, str>>,
) -> Result<(), Refusal> {
    match taken_by.filter(|other| Some(*other) != but) {
        Some(other) => Err(Refusal::DuplicateNumber { field: field.into(), existing_id: other.0 }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_highest_with_at_least_four_digits() {
        assert_eq!(next("INV-", 0, SALES_DIGITS_MIN), "INV-0001");
        assert_eq!(next("INV-", 102, SALES_DIGITS_MIN), "INV-0103");
        assert_eq!(next("", 9_999, SALES_DIGITS_MIN), "10000");
        assert_eq!(next(BILL_PREFIX, 0, INTERNAL_DIGITS_MIN), "BILL-00001");
    }

    #[test]
    fn a_callers_own_number_moves_the_sequence_only_in_its_form() {
        assert_eq!(assign("INV-", None, None, 7, "invoice_number"), Ok(("INV-0008".to_owned(), 8)));
        let own = |own, highest| assign("INV-", Some(own), None, highest, "invoice_number").unwrap();
        assert_eq!(own("INV-0300", 7), ("INV-0300".to_owned(), 300));
        assert_eq!(own("INV-3", 7), ("INV-3".to_owned(), 7));
        assert_eq!(own("2025/17", 7), ("2025/17".to_owned(), 7));
        assert_eq!(own("INV-17a", 7), ("INV-17a".to_owned(), 7));
        assert_eq!(own("INV-", 7), ("INV-".to_owned(), 7));
        assert_eq!(own("INV-999999999999999", 7).1, 999_999_999_999_999);
        let endless = assign("INV-", Some("INV-1234567890123456"), None, 7, "invoice_number").unwrap_err();
        assert_eq!(endless.reason(), "invalid_field");
    }

    #[test]
    fn a_number_is_used_once() {
        let taken = assign("INV-", Some("INV-0007"), Some(DocumentId(3)), 7, "invoice_number").unwrap_err();
        assert_eq!(taken, Refusal::DuplicateNumber { field: "invoice_number".into(), existing_id: 3 });
        assert!(require_free(Some(DocumentId(3)), Some(DocumentId(3)), "supplier_reference").is_ok());
    }
}
