//! Issuing and voiding documents, and their numbers: prefix and digits, one after the other, never reused.

use std::borrow::Cow;

use crate::domain::date::Date;
use crate::domain::ids::{AccountId, AllocationId, DocumentId};
use crate::domain::ledger::chart::{Books, Role};
use crate::domain::ledger::document::{Draft, PricedLine, Stage};
use crate::domain::ledger::journal;
use crate::domain::ledger::journal::{Journal, Line, PostedJournal, Source, Target};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::{Basis, Side, Split, VatCode, VatEntry, VatOrigin, is_capital_goods, separates_vat};

/// Invoices due more than so many months after their date are outside cash accounting.
const CASH_ACCOUNTING_MONTHS_MAX: i32 = 6;

/// How the VAT of a document is posted and declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VatTreatment {
    /// When it is declared.
    pub basis: Basis,
    /// The gross of the capital goods bought together, which decides whether the flat rate reclaims their VAT.
    pub capital_gross: Pence,
    /// The date of the invoice that is taken back, whose percentage of the flat rate counts.
    pub origin_date: Option<Date>,
}

impl VatTreatment {
    /// That of a document by itself: the scheme of its date. Outside cash accounting is what is given so (hire purchase,
    /// invoices in advance of the supply), and of itself what is due more than six months after its date (SI 1995/2518,
    /// regulation 58(2)(a) to (f)).
    pub fn of(books: &Books<'_>, draft: &Draft) -> Self {
        let lines = draft.lines.iter().map(|line| (line.account_id, line.vat_code, line.amount.gross()));
        let is_long = draft.due_date.is_some_and(|due| due > draft.date.months_later(CASH_ACCOUNTING_MONTHS_MAX));
        let basis = match Basis::from(books.scheme_on(draft.date)) {
            Basis::Cash if is_long || draft.vat_basis == Some(Basis::Standard) => Basis::Standard,
            // What is bought is no turnover: capital goods are reclaimed at their date.
            Basis::FlatRateCash if draft.kind.side() == Side::Input => Basis::FlatRate,
            basis => basis,
        };
        Self::on(books, basis, lines)
    }

    /// That of a credit note of an invoice with this date, basis and lines: it takes back what that declared, so it is treated
    /// as that was, whatever the scheme and its percentage are by then.
    pub fn taking_back(
        books: &Books<'_>,
        date: Date,
        basis: Basis,
        lines: impl IntoIterator<Item = (AccountId, VatCode, Pence)>,
    ) -> Self {
        Self { origin_date: Some(date), ..Self::on(books, basis, lines) }
    }

    /// That of a document with this basis and these lines, each an account, its code and its gross.
    fn on(books: &Books<'_>, basis: Basis, lines: impl IntoIterator<Item = (AccountId, VatCode, Pence)>) -> Self {
        let is_capital = |id, code| books.chart.get(id).is_some_and(|account| is_capital_goods(account, code));
        let capital = lines.into_iter().filter(|(account, code, _)| is_capital(*account, *code));
        Self { basis, capital_gross: capital.map(|(_, _, gross)| gross).sum(), origin_date: None }
    }
}

/// What is wrong with a basis that a document cannot have.
pub const OTHER_BASIS: &str =
    "must be left out: the document is under the flat rate, or takes back one that is not on this basis";

/// Decides the issue of a document under its number. A document of nothing posts nothing.
pub fn issue(
    books: &Books<'_>,
    draft: &Draft,
    treatment: VatTreatment,
    number: &str,
) -> Result<Option<Journal>, Refusal> {
    let kind = draft.kind;
    let VatTreatment { basis, capital_gross, origin_date } = treatment;
    if draft.vat_basis.is_some_and(|given| given != basis) {
        return Err(Refusal::field("vat_basis", OTHER_BASIS));
    }
    for (row, line) in draft.lines.iter().enumerate() {
        require_line_account(books, row, line)?;
    }

    // What is credited on a sale is debited on a purchase, and the other way round for credit notes.
    let sign = -kind.control_sign();
    let entry_sign = if kind.is_credit_note() { -1 } else { 1 };
    let mut by_account: Vec<(AccountId, Pence)> = Vec::new();
    let mut vat_total = Pence::ZERO;
    let mut reverse_charged = Pence::ZERO;
    let mut has_vat = false;
    let (mut entries, mut entries_at_once) = (Vec::new(), Vec::new());
    for (row, line) in draft.lines.iter().enumerate() {
        let account = books.account(line.account_id, || line.account_field(row))?;
        if let Some(charged) = line.reverse_charge {
            if kind.side() == Side::Input {
                reverse_charged += charged.vat;
                has_vat |= !charged.vat.is_zero();
            }
            entries_at_once.extend(entry(Basis::Standard, draft, row, line, entry_sign));
            add_to(&mut by_account, line.account_id, line.amount.net);
            continue;
        }
        let is_separated = separates_vat(basis, kind.side(), account, capital_gross);
        let posted = if is_separated { line.amount.net } else { line.amount.gross() };
        if is_separated {
            vat_total += line.amount.vat;
            has_vat |= !line.amount.vat.is_zero();
            // A fixed asset whose input tax was reclaimed is sold with its full VAT (VAT Notice 733, section 15).
            if basis.is_flat_rate() && line.has_standard_basis {
                entries_at_once.extend(entry(Basis::Standard, draft, row, line, entry_sign));
            } else {
                entries.extend(entry(basis.of_entries(), draft, row, line, entry_sign));
            }
        }
        add_to(&mut by_account, line.account_id, posted);
    }

    let control = Line::new(books.control(kind.control_role()), Pence(draft.total.gross().0 * kind.control_sign()));
    let mut lines = vec![control.with_contact(draft.contact_id)];
    lines.extend(by_account.into_iter().map(|(id, sum)| Line::new(Target::Account(id), Pence(sum.0 * sign))));
    if has_vat {
        let control = Target::Account(books.vat_control(kind.vat_posting())?);
        // What is due under a reverse charge is reclaimed in the same breath.
        for vat in [Pence(vat_total.0 * sign), reverse_charged, -reverse_charged] {
            lines.push(Line { is_system: true, ..Line::new(control.clone(), vat) });
        }
    }
    let description = format!("{} {number}", kind.title());
    let mut journal = Journal::new(draft.date, Source::new(kind.source_type()), description, lines);
    books.require_open(draft.date)?;
    if journal.lines.is_empty() {
        return Ok(None);
    }
    // Under cash accounting the return counts payments (`vat_cash`); where nothing is to be paid, the issue.
    if !basis.waits_for_payment() || draft.total.gross().is_zero() {
        let rate_date = origin_date.unwrap_or(draft.date);
        journal.vat = entries.into_iter().map(|entry| entry.at_rate_of(rate_date)).collect();
    }
    // A reverse charge is outside of cash accounting (SI 1995/2518, regulation 58(2)(g)), and of the turnover of the flat rate
    // (VATREVCON35100).
    journal.vat.extend(entries_at_once);
    journal.checked(books.lock_date).map(Some)
}

/// Adds to the sum of an account.
fn add_to(by_account: &mut Vec<(AccountId, Pence)>, account: AccountId, amount: Pence) {
    match by_account.iter_mut().find(|(id, _)| *id == account) {
        Some((_, sum)) => *sum += amount,
        None => by_account.push((account, amount)),
    }
}

/// The account of a line must be open and not one that the document itself or money is posted to.
fn require_line_account(books: &Books<'_>, row: usize, line: &PricedLine) -> Result<(), Refusal> {
    let field = || line.account_field(row);
    let account = books.account(line.account_id, field)?;
    account.require_open(field)?;
    let is_money_or_debt = matches!(account.role, Some(Role::Bank | Role::AccountsReceivable | Role::AccountsPayable));
    if is_money_or_debt {
        let allowed = "a line takes any account but bank, receivable and payable control accounts";
        return Err(Refusal::wrong_account(field(), account, allowed));
    }
    if account.is_control() && line.vat_code.is_in_return() {
        return Err(Refusal::wrong_account(field(), account, "a control account takes the VAT code NV only"));
    }
    Ok(())
}

/// What a line adds to the return, if anything.
fn entry(basis: Basis, draft: &Draft, row: usize, line: &PricedLine, sign: i64) -> Option<VatEntry> {
    let is_nothing = line.amount.net.is_zero() && line.amount.vat.is_zero();
    if !line.vat_code.is_in_return() || is_nothing {
        return None;
    }
    let vat = match line.reverse_charge {
        Some(charged) if draft.kind.side() == Side::Input => charged.vat,
        _ => line.amount.vat,
    };
    let amount = Split { net: Pence(line.amount.net.0 * sign), vat: Pence(vat.0 * sign) };
    Some(VatEntry {
        side: draft.kind.side(),
        code: line.vat_code,
        amount,
        basis,
        reverse_charge: line.reverse_charge.map(|charged| charged.kind),
        tax_point: draft.date,
        rate_date: None,
        origin: VatOrigin::DocumentLine(row),
    })
}

/// A document that may be voided.
#[derive(Debug, Clone, Copy)]
pub struct Voidable<'a> {
    /// Where it is in its life.
    pub stage: Stage,
    /// Its date.
    pub date: Date,
    /// The earliest day it may be void from ([`super::allocation::Document::earliest_change_date`]).
    pub earliest: Date,
    /// Whether it came with the opening balances, and has no journal of its own.
    pub is_opening: bool,
    /// What settles it now.
    pub allocations: &'a [AllocationId],
    /// Its journal; none for drafts and documents of nothing.
    pub journal: Option<&'a PostedJournal>,
}

/// Decides the voiding of a document: the date it is void from, and the journal that undoes its own.
pub fn void(
    document: &Voidable<'_>,
    asked_date: Option<Date>,
    lock_date: Option<Date>,
) -> Result<(Date, Option<Journal>), Refusal> {
    match document.stage {
        Stage::Void => return Err(Refusal::InvalidState { current: "void", allowed: &["draft", "issued"] }),
        Stage::Draft if asked_date.is_some_and(|date| date < document.earliest) => {
            return Err(Refusal::field("void_date", "must not be before the date of the draft"));
        }
        Stage::Draft => return Ok((asked_date.unwrap_or(document.earliest), None)),
        Stage::Issued if document.is_opening => {
            return Err(Refusal::InvalidState { current: "opening balance", allowed: &["draft", "issued"] });
        }
        Stage::Issued => {}
    }
    if !document.allocations.is_empty() {
        return Err(Refusal::HasAllocations { allocation_ids: document.allocations.to_vec() });
    }
    let date = journal::void_date(document.date, document.earliest, asked_date, lock_date)?;
    let reversal = document.journal.map(|journal| journal.reversal(date, lock_date)).transpose()?;
    Ok((date, reversal))
}

/// Decides whether a document that is not a draft may be deleted or issued: it may not.
pub const fn require_draft(stage: Stage) -> Result<(), Refusal> {
    match stage {
        Stage::Draft => Ok(()),
        Stage::Issued => Err(Refusal::InvalidState { current: "issued", allowed: &["draft"] }),
        Stage::Void => Err(Refusal::InvalidState { current: "void", allowed: &["draft"] }),
    }
}

/// Decides a change of the due date of an issued invoice, which is refused in a locked period.
pub fn change_due_date(stage: Stage, date: Date, due_date: Date, lock_date: Option<Date>) -> Result<(), Refusal> {
    if stage == Stage::Void {
        return Err(Refusal::InvalidState { current: "void", allowed: &["draft", "issued"] });
    }
    if due_date < date {
        return Err(Refusal::field("due_date", "must not be before invoice_date"));
    }
    journal::require_open(date, lock_date)
}

#[cfg(test)]
mod tests;

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
mod numbering_tests {
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
