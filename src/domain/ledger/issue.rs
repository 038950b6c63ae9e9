//! Issuing and voiding documents.

use super::account::Role;
use super::books::Books;
use super::document::{Draft, Stage};
use super::document_line::PricedLine;
use super::ids::{AccountId, AllocationId};
use super::journal::{Journal, Line, PostedJournal, Source, Target};
use super::money::Pence;
use super::period::{self};
use super::refusal::Refusal;
use super::vat::Split;
use super::vat_entry::{Basis, VatEntry, VatOrigin};
use super::vat_scheme::separates_vat;
use crate::domain::date::Date;

/// How the VAT of a document is posted and declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VatTreatment {
    /// When it is declared.
    pub basis: Basis,
    /// The gross of the capital goods bought together, which decides whether the flat rate reclaims their VAT.
    pub capital_gross: Pence,
}

impl VatTreatment {
    /// That of a document by itself: the scheme of its date.
    pub fn of(books: &Books<'_>, draft: &Draft) -> Self {
        let lines = draft.lines.iter().map(|line| (line.account_id, line.amount.gross()));
        Self::on(books, books.scheme_on(draft.date).into(), lines)
    }

    /// That of a document with this basis and these lines, each an account and its gross. A credit note takes back what
    /// its invoice declared, so it is treated as that was, whatever the scheme is by then.
    pub fn on(books: &Books<'_>, basis: Basis, lines: impl IntoIterator<Item = (AccountId, Pence)>) -> Self {
        let is_capital = |id: AccountId| books.chart.get(id).is_some_and(|account| account.has_role(&Role::FixedAsset));
        let capital = lines.into_iter().filter(|(account, _)| is_capital(*account));
        Self { basis, capital_gross: capital.map(|(_, gross)| gross).sum() }
    }
}

/// Decides the issue of a document under its number. A document of nothing posts nothing.
pub fn issue(
    books: &Books<'_>,
    draft: &Draft,
    treatment: VatTreatment,
    number: &str,
) -> Result<Option<Journal>, Refusal> {
    let kind = draft.kind;
    let VatTreatment { basis, capital_gross } = treatment;
    for (row, line) in draft.lines.iter().enumerate() {
        require_line_account(books, row, line)?;
    }

    // What is credited on a sale is debited on a purchase, and the other way round for credit notes.
    let sign = -kind.control_sign();
    let entry_sign = if kind.is_credit_note() { -1 } else { 1 };
    let mut by_account: Vec<(AccountId, Pence)> = Vec::new();
    let mut vat_total = Pence::ZERO;
    let mut has_vat = false;
    let mut entries = Vec::new();
    for (row, line) in draft.lines.iter().enumerate() {
        let account = books.account(line.account_id, || line.account_field(row))?;
        let is_separated = separates_vat(basis, kind.side(), account, capital_gross);
        let posted = if is_separated { line.amount.net } else { line.amount.gross() };
        if is_separated {
            vat_total += line.amount.vat;
            has_vat |= !line.amount.vat.is_zero();
            entries.extend(entry(basis, draft, row, line, entry_sign));
        }
        match by_account.iter_mut().find(|(id, _)| *id == line.account_id) {
            Some((_, sum)) => *sum += posted,
            None => by_account.push((line.account_id, posted)),
        }
    }

    let control = Line::new(books.control(kind.control_role()), Pence(draft.total.gross().0 * kind.control_sign()));
    let mut lines = vec![control.with_contact(draft.contact_id)];
    lines.extend(by_account.into_iter().map(|(id, sum)| Line::new(Target::Account(id), Pence(sum.0 * sign))));
    if has_vat {
        let control = Target::Account(books.vat_control(kind.vat_posting())?);
        lines.push(Line { is_system: true, ..Line::new(control, Pence(vat_total.0 * sign)) });
    }
    let description = format!("{} {number}", kind.title());
    let mut journal = Journal::new(draft.date, Source::new(kind.source_type()), description, lines);
    books.require_open(draft.date)?;
    if journal.lines.is_empty() {
        return Ok(None);
    }
    // Under cash accounting the return counts payments (`vat_cash`); where nothing is to be paid, the issue.
    if basis != Basis::Cash || draft.total.gross().is_zero() {
        journal.vat = entries;
    }
    journal.checked(books.lock_date).map(Some)
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
    let amount = Split { net: Pence(line.amount.net.0 * sign), vat: Pence(line.amount.vat.0 * sign) };
    Some(VatEntry {
        side: draft.kind.side(),
        code: line.vat_code,
        amount,
        basis,
        tax_point: draft.date,
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
    let date = period::void_date(document.date, document.earliest, asked_date, lock_date)?;
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
    period::require_open(date, lock_date)
}

#[cfg(test)]
mod tests;
