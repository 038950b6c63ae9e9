//! Receipts, payments and refunds: posted whole, set against documents in part or not at all, and undone.

use super::allocate::{AllocateRequest, AllocateTo, AllocationEffects, Allocator, active_among, require_available};
use super::allocation::{Document, Register, Settlement, SettlementKind};
use super::bank::{BankAccount, BankTransaction, ConfirmType};
use super::contact::{self, Contact};
use super::document::Stage;
use super::journal::{Journal, Line, PostedJournal, Source, Target};
use super::money::Pence;
use super::refusal::Refusal;
use super::vat::Side;
use crate::domain::date::Date;
use crate::domain::ids::{AccountId, AllocationId, ContactId, DocumentId};
use crate::domain::ledger::chart::{Account, AccountType, Books, Role};
use crate::domain::ledger::journal;
use crate::domain::ledger::journal::first_open;

/// A settlement as entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnteredSettlement {
    /// Which.
    pub kind: SettlementKind,
    /// With whom.
    pub contact_id: ContactId,
    /// Its date.
    pub date: Date,
    /// The cash; more than nothing.
    pub amount: Pence,
    /// What it is set against.
    pub allocations: Vec<AllocateRequest>,
    /// Whether what is left goes to the oldest open invoices.
    pub is_auto_allocated: bool,
}

/// The account that the cash of a settlement moves through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettlementAccount {
    /// That of a bank account.
    Bank(BankAccount),
    /// Any other: a director paid, or it is set off against what we owe. Either is payment under cash accounting too (VAT
    /// Notice 731).
    Other {
        /// The account.
        account: Account,
        /// The field that named it.
        field: &'static str,
    },
}

impl SettlementAccount {
    /// The account that is debited or credited.
    const fn account_id(&self) -> AccountId {
        match self {
            Self::Bank(bank) => bank.account_id,
            Self::Other { account, .. } => account.id,
        }
    }

    /// Refuses what is archived, and accounts that no debt is settled through: those of income and expense, and those the
    /// rules post to themselves.
    fn require_usable(&self) -> Result<(), Refusal> {
        let (account, field) = match self {
            Self::Bank(bank) => return bank.require_open(),
            Self::Other { account, field } => (account, *field),
        };
        account.require_open(|| field.to_owned())?;
        let carries_balance =
            matches!(account.account_type, AccountType::Asset | AccountType::Liability | AccountType::Equity);
        if carries_balance && !account.is_control() {
            return Ok(());
        }
        let allowed =
            "a settlement takes a bank account, or an ASSET, LIABILITY or EQUITY account that is no control account";
        Err(Refusal::wrong_account(field.to_owned(), account, allowed))
    }
}

/// What a settlement posts and settles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// Its journal: the whole amount, and what CIS withheld on its day.
    pub journal: Journal,
    /// The CIS of allocations that count from a later day, each posted on it.
    pub later: Vec<Journal>,
    /// What CIS withheld beside it: `cis_amount`.
    pub withheld: Pence,
    /// What it settles.
    pub effects: AllocationEffects,
}

/// Decides a settlement, to be known by `number`. `register` holds what its allocations name and, for automatic
/// allocation, every open invoice of the contact.
pub fn settle(
    books: &Books<'_>,
    contact: Option<&Contact>,
    through: &SettlementAccount,
    register: &Register,
    entered: &EnteredSettlement,
    number: &str,
) -> Result<Settled, Refusal> {
    let kind = entered.kind;
    contact::for_settlement(contact, kind.document_kind().contact_kind(), entered.contact_id)?;
    require_known(register, kind, &entered.allocations)?;
    through.require_usable()?;
    let mut settlement = Settlement {
        id: None,
        kind,
        contact_id: entered.contact_id,
        date: entered.date,
        amount: entered.amount,
        is_void: false,
        allocations: Vec::new(),
    };
    let mut allocator = Allocator::new(*books, register);
    allocate_to(&mut allocator, &mut settlement, &entered.allocations)?;
    if entered.is_auto_allocated && !kind.is_refund() {
        allocate_oldest_first(&mut allocator, &mut settlement)?;
    }
    let (now, later): (Vec<_>, Vec<_>) = settlement
        .allocations
        .iter()
        .map(|allocation| (allocation.date, allocation.cis))
        .partition(|(date, _)| *date <= entered.date);
    let withheld_now = now.into_iter().map(|(_, cis)| cis).sum();
    let money = Line::new(Target::Account(through.account_id()), signed(entered.amount, kind));
    let (debt, cis) = control_lines(books, &settlement, entered.amount, withheld_now);
    // Debits first, and the CIS beside the money.
    let lines = if kind.bank_sign() > 0 { vec![money, cis, debt] } else { vec![debt, money, cis] };
    let description = format!("{} {number}", kind.title());
    let journal = Journal::new(entered.date, Source::new(kind.source_type()), description, lines);
    let journal = journal.checked(books.lock_date)?;
    let later = cis_journals(books, &settlement, later.into_iter())?;
    Ok(Settled { journal, later, withheld: settlement.withheld(), effects: allocator.finish() })
}

/// The settlement that confirms a line of a statement: its date and amount, if the sign is right for the type.
pub fn from_bank(
    transaction: &BankTransaction,
    confirm_type: ConfirmType,
    contact_id: ContactId,
    allocations: Vec<AllocateRequest>,
) -> Result<EnteredSettlement, Refusal> {
    transaction.status.require_unconfirmed()?;
    let kind = match confirm_type {
        ConfirmType::CustomerReceipt => SettlementKind::CustomerReceipt,
        ConfirmType::CustomerRefund => SettlementKind::CustomerRefund,
        ConfirmType::SupplierPayment => SettlementKind::SupplierPayment,
        ConfirmType::SupplierRefund => SettlementKind::SupplierRefund,
        ConfirmType::Coded | ConfirmType::Transfer | ConfirmType::Match => {
            return Err(Refusal::field("type", "must be a receipt, a payment or a refund"));
        }
    };
    let amount = transaction.amount.abs();
    if signed(amount, kind) != transaction.amount {
        return Err(Refusal::AmountMismatch { expected: signed(amount, kind), actual: transaction.amount });
    }
    let date = transaction.date;
    Ok(EnteredSettlement { kind, contact_id, date, amount, allocations, is_auto_allocated: false })
}

/// What allocating or releasing later posts and settles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reallocated {
    /// The CIS that the allocations move; nothing else is posted.
    pub journals: Vec<Journal>,
    /// What is settled.
    pub effects: AllocationEffects,
}

/// Decides further allocations of a settlement; they add to what is there.
pub fn allocate(
    books: &Books<'_>,
    register: &Register,
    settlement: &Settlement,
    requests: &[AllocateRequest],
) -> Result<Reallocated, Refusal> {
    require_known(register, settlement.kind, requests)?;
    require_standing(settlement)?;
    let mut allocator = Allocator::new(*books, register);
    let mut after = settlement.clone();
    allocate_to(&mut allocator, &mut after, requests)?;
    let effects = allocator.finish();
    let moved = effects.added.iter().map(|added| (added.date, added.cis));
    Ok(Reallocated { journals: cis_journals(books, settlement, moved)?, effects })
}

/// Decides the release of allocations of a settlement: from their own date on or, if that is locked, from the first open
/// day.
pub fn unallocate(
    books: &Books<'_>,
    register: &Register,
    settlement: &Settlement,
    ids: &[AllocationId],
) -> Result<Reallocated, Refusal> {
    let released = active_among(&settlement.allocations, ids)?;
    require_standing(settlement)?;
    let mut allocator = Allocator::new(*books, register);
    for allocation in &released {
        allocator.release(allocation, first_open(allocation.date, books.lock_date));
    }
    let moved = released.iter().filter(|allocation| allocation.from == settlement.end());
    let moved = moved.map(|allocation| (first_open(allocation.date, books.lock_date), -allocation.cis));
    Ok(Reallocated { journals: cis_journals(books, settlement, moved)?, effects: allocator.finish() })
}

/// What undoing a settlement posts and releases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoidedSettlement {
    /// The day it is void from.
    pub date: Date,
    /// The journals that undo its own.
    pub reversals: Vec<Journal>,
    /// What is not settled any more.
    pub effects: AllocationEffects,
}

/// Decides the undoing of a settlement, and of a bank line that made one: its journals (its own, and those of CIS that
/// allocations moved on other days) are reversed and its allocations released.
pub fn void(
    books: &Books<'_>,
    register: &Register,
    settlement: &Settlement,
    journals: &[PostedJournal],
    asked_date: Option<Date>,
) -> Result<VoidedSettlement, Refusal> {
    require_standing(settlement)?;
    let date = journal::void_date(settlement.date, settlement.earliest_change_date(), asked_date, books.lock_date)?;
    let mut allocator = Allocator::new(*books, register);
    for allocation in settlement.allocations.iter().filter(|allocation| allocation.is_active()) {
        allocator.release(allocation, date.max(allocation.date));
    }
    let reversal = |posted: &PostedJournal| posted.reversal(date.max(posted.journal.entry_date), books.lock_date);
    let reversals = journals.iter().map(reversal).collect::<Result<_, _>>()?;
    Ok(VoidedSettlement { date, reversals, effects: allocator.finish() })
}

/// An amount with the sign it has on the bank account.
const fn signed(amount: Pence, kind: SettlementKind) -> Pence {
    Pence(amount.0 * kind.bank_sign())
}

const fn require_standing(settlement: &Settlement) -> Result<(), Refusal> {
    if settlement.is_void {
        return Err(Refusal::InvalidState { current: "void", allowed: &["posted"] });
    }
    Ok(())
}

/// Everything that allocations name is of this organisation and of the kind that the settlement settles.
fn require_known(register: &Register, kind: SettlementKind, requests: &[AllocateRequest]) -> Result<(), Refusal> {
    for (row, request) in requests.iter().enumerate() {
        let is_sale = kind.document_kind().side() == Side::Output;
        let (key, id, is_known) = match request.to {
            AllocateTo::Document(id) => {
                let known = register.documents.get(&id);
                let key = if kind.is_refund() { "credit_note_id" } else { "invoice_id" };
                (key, id.0, known.is_some_and(|known| known.kind == kind.document_kind()))
            }
            AllocateTo::Settlement(id) => {
                let known = register.settlements.get(&id);
                let key = if is_sale { "receipt_id" } else { "payment_id" };
                (key, id.0, known.is_some_and(|known| Some(known.kind) == kind.refunds()))
            }
        };
        if !is_known {
            return Err(Refusal::UnknownReference { field: format!("allocations[{row}].{key}"), id });
        }
    }
    Ok(())
}

fn allocate_to(
    allocator: &mut Allocator<'_>,
    settlement: &mut Settlement,
    requests: &[AllocateRequest],
) -> Result<(), Refusal> {
    let unallocated = settlement.unallocated();
    let mut requested = Pence::ZERO;
    for (row, request) in requests.iter().enumerate() {
        let allocation = allocator.add_cash(settlement, row, request)?;
        settlement.allocations.push(allocation);
        requested += request.amount;
    }
    require_available(unallocated, requested)
}

/// The oldest invoice first, by date and id, each with as much cash as it takes.
fn allocate_oldest_first(allocator: &mut Allocator<'_>, settlement: &mut Settlement) -> Result<(), Refusal> {
    let is_open = |document: &&Document| {
        document.kind == settlement.kind.document_kind()
            && document.contact_id == settlement.contact_id
            && document.stage == Stage::Issued
    };
    let documents = allocator.register().documents.values().filter(is_open);
    let mut open: Vec<(Date, DocumentId, Pence)> =
        documents.map(|document| (document.date, document.id, document.payable())).collect();
    open.sort_unstable();
    for (_, id, payable) in open {
        let amount = payable.min(settlement.unallocated());
        if !amount.is_positive() {
            continue;
        }
        let request = AllocateRequest { to: AllocateTo::Document(id), amount, cis_suffered: Pence::ZERO };
        let allocation = allocator.add_cash(settlement, 0, &request)?;
        settlement.allocations.push(allocation);
    }
    Ok(())
}

/// What is posted against the money: the debt it settles, and the CIS withheld beside it.
fn control_lines(books: &Books<'_>, settlement: &Settlement, amount: Pence, withheld: Pence) -> (Line, Line) {
    let kind = settlement.kind;
    let (control, cis) = match kind.document_kind().side() {
        Side::Output => (Role::AccountsReceivable, Role::CisSuffered),
        Side::Input => (Role::AccountsPayable, Role::CisPayable),
    };
    let debt = Line::new(books.control(control), -signed(amount + withheld, kind));
    (debt.with_contact(settlement.contact_id), Line::new(books.control(cis), signed(withheld, kind)))
}

/// The journals of CIS that later allocations move.
fn cis_journals(
    books: &Books<'_>,
    settlement: &Settlement,
    moved: impl Iterator<Item = (Date, Pence)>,
) -> Result<Vec<Journal>, Refusal> {
    let journal = |(date, cis): (Date, Pence)| {
        let id = settlement.id.map(|id| id.0);
        let source = Source { kind: settlement.kind.source_type(), id };
        let (debt, cis) = control_lines(books, settlement, Pence::ZERO, cis);
        Journal::new(date, source, "CIS deduction", vec![debt, cis]).checked(books.lock_date)
    };
    moved.filter(|(_, cis)| !cis.is_zero()).map(journal).collect()
}

#[cfg(test)]
mod tests;
