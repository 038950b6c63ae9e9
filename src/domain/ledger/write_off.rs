//! Debts of customers that will not be paid: a sales invoice is settled against bad debts, and its VAT follows the scheme that
//! the invoice was issued under.

use super::allocate::{AllocationEffects, Allocator, require_available, require_issued};
use super::allocation::{Document, Register};
use super::chart::{Account, AccountReference, AccountType, Books, Role};
use super::document::DocumentKind;
use super::journal;
use super::journal::{Journal, JournalStatus, Line, PostedJournal, Source, SourceType, Target};
use super::money::Pence;
use super::refusal::{Refusal, VatPosting};
use super::vat::{Basis, CodeTotals};
use super::vat_cash::recognised;
use crate::domain::date::Date;
use crate::domain::ids::{AccountId, AllocationId, DocumentId};

/// The account of the standard chart that bears bad debts unless another is named.
pub const BAD_DEBTS_CODE: &str = "8100";

/// Relief may be claimed on debts that are six months old (VAT Notice 700/18, section 2.2).
const RELIEF_AFTER_MONTHS: i32 = 6;

/// A write-off as entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnteredWriteOff {
    /// The day on which the debt is written off.
    pub date: Date,
    /// The account that bears it: [`BAD_DEBTS_CODE`] unless given.
    pub account: Option<AccountReference>,
    /// The debt, more than nothing: all that is due unless given.
    pub amount: Option<Pence>,
}

/// The VAT of a written-off debt that was declared and may be claimed back, by an adjustment of the VAT return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadDebtRelief {
    /// The VAT, never nothing.
    pub vat: Pence,
    /// The first day on which it may be claimed.
    pub from: Date,
}

/// What a write-off posts and settles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenOff {
    /// The debt.
    pub amount: Pence,
    /// The VAT in it.
    pub vat: Pence,
    /// The account that bears it.
    pub account_id: AccountId,
    /// The VAT to claim back; none under cash accounting, where it was never declared.
    pub relief: Option<BadDebtRelief>,
    /// Its journal.
    pub journal: Journal,
    /// What it settles.
    pub effects: AllocationEffects,
}

/// Decides the write-off of a sales invoice, known by `number` and due on a day.
pub fn write_off(
    books: &Books<'_>,
    register: &Register,
    (id, number, due_date): (DocumentId, &str, Option<Date>),
    entered: &EnteredWriteOff,
) -> Result<WrittenOff, Refusal> {
    let unknown = || Refusal::UnknownReference { field: "id".to_owned(), id: id.0 };
    let known = register.documents.get(&id).filter(|known| known.kind == DocumentKind::SalesInvoice);
    let invoice = known.ok_or_else(unknown)?;
    require_issued(invoice.stage)?;
    if invoice.due().is_zero() {
        return Err(Refusal::InvalidState { current: "paid", allowed: &["issued", "part_paid"] });
    }
    let amount = entered.amount.unwrap_or_else(|| invoice.due());
    require_available(invoice.due(), amount)?;
    if entered.date < invoice.earliest_change_date() {
        let message = "must not be before the invoice, or before something settled with it was last released";
        return Err(Refusal::field("date", message));
    }
    let account = bearing_account(books, entered.account.as_ref())?;
    let by_code = vat_in_debt(invoice, amount);
    let vat = by_code.total().vat;
    let undeclared = if invoice.waits_for_payment() { vat } else { Pence::ZERO };
    let mut lines = vec![Line::new(Target::Account(account.id), amount - undeclared)];
    if !undeclared.is_zero() {
        let control = Target::Account(books.vat_control(VatPosting::WriteOff)?);
        lines.push(Line { is_system: true, ..Line::new(control, undeclared) });
    }
    let debt = Line::new(books.control(Role::AccountsReceivable), -amount);
    lines.push(debt.with_contact(invoice.contact_id));
    let source = Source::new(SourceType::WriteOff);
    let journal = Journal::new(entered.date, source, format!("Sales invoice {number} written off"), lines);
    let journal = journal.checked(books.lock_date)?;
    let relief = relief(invoice, vat, due_date);
    let mut allocator = Allocator::new(*books, register);
    allocator.write_off(id, amount, by_code, entered.date);
    Ok(WrittenOff { amount, vat, account_id: account.id, relief, journal, effects: allocator.finish() })
}

/// Net and VAT by code in a part of what is due: the part of what the document has beyond its credit and payments.
fn vat_in_debt(invoice: &Document, amount: Pence) -> CodeTotals {
    let active = invoice.allocations.iter().filter(|one| one.is_active() && !one.is_payment());
    let credit = active.flat_map(|one| one.credit.iter()).collect();
    let left = invoice.by_code.without(&credit).without(&recognised(invoice, Date::MAX));
    left.part(amount, invoice.due())
}

/// The VAT that may be claimed back, six months after the later of the due date and the supply.
///
/// Under cash accounting relief is automatic (HMRC VCAS1100). An opening invoice that does not say its VAT has none to tell.
/// Under the flat rate it is the whole VAT charged, which is right where the turnover is that of invoices (VAT Notice 733,
/// section 14): with the cash-based turnover it would be the VAT less the percentage of `amount`, and belongs here.
fn relief(invoice: &Document, vat: Pence, due_date: Option<Date>) -> Option<BadDebtRelief> {
    let is_declared = matches!(invoice.basis, Some(Basis::Standard | Basis::FlatRate));
    let from = due_date.map_or(invoice.date, |due| due.max(invoice.date)).months_later(RELIEF_AFTER_MONTHS);
    (is_declared && !vat.is_zero()).then_some(BadDebtRelief { vat, from })
}

/// The account that bears a bad debt: an expense, or a provision made for it before.
fn bearing_account<'a>(books: &Books<'a>, named: Option<&AccountReference>) -> Result<&'a Account, Refusal> {
    let default = AccountReference::Code(BAD_DEBTS_CODE.to_owned());
    let (named, field) = named.map_or((&default, "account_id"), |named| (named, named.key()));
    let account = books.named_account(named, |_| field.to_owned())?;
    account.require_open(|| field.to_owned())?;
    let bears = matches!(account.account_type, AccountType::Expense | AccountType::Asset | AccountType::Liability);
    if bears && !account.is_control() && !account.has_role(&Role::Bank) {
        return Ok(account);
    }
    let allowed =
        "a write-off takes an EXPENSE account, or an ASSET or LIABILITY account that is no bank or control account";
    Err(Refusal::wrong_account(field.to_owned(), account, allowed))
}

/// A write-off that is to be undone.
#[derive(Debug, Clone, Copy)]
pub struct PostedWriteOff<'a> {
    /// Its date.
    pub date: Date,
    /// Whether it stands.
    pub status: JournalStatus,
    /// The invoice.
    pub invoice: DocumentId,
    /// Its part of the allocations of the invoice.
    pub allocation: AllocationId,
    /// Its journal.
    pub journal: &'a PostedJournal,
}

/// What undoing a write-off posts and releases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoidedWriteOff {
    /// The day it is void from.
    pub date: Date,
    /// The journal that undoes its own.
    pub reversal: Journal,
    /// What is due again.
    pub effects: AllocationEffects,
}

/// Decides the undoing of a write-off, because the customer pays after all or it was a mistake: the invoice is due again. VAT
/// that was claimed back is repaid by an adjustment of its own.
pub fn void(
    books: &Books<'_>,
    register: &Register,
    posted: &PostedWriteOff<'_>,
    asked_date: Option<Date>,
) -> Result<VoidedWriteOff, Refusal> {
    if posted.status == JournalStatus::Void {
        return Err(Refusal::InvalidState { current: "void", allowed: &["posted"] });
    }
    let date = journal::void_date(posted.date, posted.date, asked_date, books.lock_date)?;
    let reversal = posted.journal.reversal(date, books.lock_date)?;
    let mut allocator = Allocator::new(*books, register);
    let invoice = register.documents.get(&posted.invoice);
    let own = invoice.and_then(|known| known.allocations.iter().find(|one| one.id == Some(posted.allocation)));
    if let Some(own) = own {
        allocator.release(own, date);
    }
    Ok(VoidedWriteOff { date, reversal, effects: allocator.finish() })
}

#[cfg(test)]
mod tests;
