//! What settles what: allocations, and the documents and settlements they join.
//!
//! How much of a document is settled is always the sum of its allocations; nothing keeps it as a fact of its own.

use std::collections::BTreeMap;

use super::allocate::require_issued;
use super::cis;
use super::document::{DocumentKind, Stage, status};
use super::journal::SourceType;
use super::money::Pence;
use super::refusal::Refusal;
use super::vat::Side;
use crate::domain::date::Date;
use crate::domain::ids::{AllocationId, ContactId, DocumentId, SettlementId, WriteOffId};
use crate::domain::ledger::vat::{Basis, CodeTotals};

/// Money that changed hands with a customer or supplier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SettlementKind {
    /// From a customer.
    CustomerReceipt,
    /// Back to a customer.
    CustomerRefund,
    /// To a supplier.
    SupplierPayment,
    /// Back from a supplier.
    SupplierRefund,
}

impl SettlementKind {
    /// Every kind.
    pub const ALL: [Self; 4] =
        [Self::CustomerReceipt, Self::CustomerRefund, Self::SupplierPayment, Self::SupplierRefund];

    /// The word kept.
    pub const fn as_str(self) -> &'static str {
        self.source_type().as_str()
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }

    /// What its journal is made by.
    pub const fn source_type(self) -> SourceType {
        match self {
            Self::CustomerReceipt => SourceType::CustomerReceipt,
            Self::CustomerRefund => SourceType::CustomerRefund,
            Self::SupplierPayment => SourceType::SupplierPayment,
            Self::SupplierRefund => SourceType::SupplierRefund,
        }
    }

    /// What it is called in descriptions.
    pub const fn title(self) -> &'static str {
        match self {
            Self::CustomerReceipt => "Customer receipt",
            Self::CustomerRefund => "Customer refund",
            Self::SupplierPayment => "Supplier payment",
            Self::SupplierRefund => "Supplier refund",
        }
    }

    /// Whether it gives money back.
    pub const fn is_refund(self) -> bool {
        matches!(self, Self::CustomerRefund | Self::SupplierRefund)
    }

    /// 1 when money comes in, −1 when it goes out.
    pub const fn bank_sign(self) -> i64 {
        match self {
            Self::CustomerReceipt | Self::SupplierRefund => 1,
            Self::CustomerRefund | Self::SupplierPayment => -1,
        }
    }

    /// The documents it settles: invoices, or for refunds credit notes.
    pub const fn document_kind(self) -> DocumentKind {
        match self {
            Self::CustomerReceipt => DocumentKind::SalesInvoice,
            Self::CustomerRefund => DocumentKind::SalesCreditNote,
            Self::SupplierPayment => DocumentKind::PurchaseInvoice,
            Self::SupplierRefund => DocumentKind::PurchaseCreditNote,
        }
    }

    /// The settlements it gives back, for refunds.
    pub const fn refunds(self) -> Option<Self> {
        match self {
            Self::CustomerRefund => Some(Self::CustomerReceipt),
            Self::SupplierRefund => Some(Self::SupplierPayment),
            Self::CustomerReceipt | Self::SupplierPayment => None,
        }
    }
}

/// What an allocation comes from or goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AllocationEnd {
    /// An invoice or credit note.
    Document(DocumentId),
    /// A settlement; none for the one that the decision creates.
    Settlement(Option<SettlementId>),
    /// A write-off; none for the one that the decision creates.
    WriteOff(Option<WriteOffId>),
}

/// A part of a settlement or credit note set against a document, or of a refund against a settlement, or a debt written off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// Its id; none when the decision creates it.
    pub id: Option<AllocationId>,
    /// The settlement, credit note or write-off.
    pub from: AllocationEnd,
    /// The document or refunded settlement.
    pub to: AllocationEnd,
    /// From when it counts.
    pub date: Date,
    /// From when it does not count any more.
    pub released_on: Option<Date>,
    /// Cash, or credit.
    pub amount: Pence,
    /// With cash, what CIS withheld beside it; with credit, the part of the invoice's deduction that it takes off.
    pub cis: Pence,
    /// What credit takes off the VAT of the invoice; nothing with cash.
    pub credit: CodeTotals,
    /// Whether credit counts as a payment of what of both is declared when it is paid, because they are not declared alike.
    pub as_payment: bool,
}

impl Allocation {
    /// Whether it counts, and no day is known on which it stops.
    pub const fn is_active(&self) -> bool {
        self.released_on.is_none()
    }

    /// Whether it counts on a day.
    pub fn counts_on(&self, date: Date) -> bool {
        self.date <= date && self.released_on.is_none_or(|released_on| date < released_on)
    }

    /// The day it was released, when it counted before.
    pub fn counted_until(&self) -> Option<Date> {
        self.released_on.filter(|released_on| self.date < *released_on)
    }

    /// Whether it is money rather than credit.
    pub const fn is_cash(&self) -> bool {
        matches!(self.from, AllocationEnd::Settlement(_))
    }

    /// Whether it counts as a payment in the return: money, or credit that is declared on its own.
    pub const fn is_payment(&self) -> bool {
        self.is_cash() || self.as_payment
    }

    /// What it settles: cash with what CIS withheld beside it, or credit.
    pub fn settled(&self) -> Pence {
        if self.is_cash() { self.amount + self.cis } else { self.amount }
    }
}

/// An invoice or credit note with what settles it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its id.
    pub id: DocumentId,
    /// Which.
    pub kind: DocumentKind,
    /// With whom.
    pub contact_id: ContactId,
    /// Where it is in its life.
    pub stage: Stage,
    /// Its date.
    pub date: Date,
    /// The day of the opening balances that it came with, which is not before its date.
    pub opened_on: Option<Date>,
    /// Net and VAT together.
    pub gross: Pence,
    /// What CIS withholds of it in all.
    pub deduction: Pence,
    /// Net and VAT by code.
    pub by_code: CodeTotals,
    /// How its VAT is declared, fixed when it is issued; drafts have none to declare, nor have opening documents that are
    /// accounted for.
    pub basis: Option<Basis>,
    /// Everything allocated to it or from it, released or not.
    pub allocations: Vec<Allocation>,
}

impl Document {
    /// Decides whether a credit note of a kind may name an invoice as what it takes back: one of its own side and contact,
    /// issued.
    pub fn require_origin(
        origin: Option<&Self>,
        kind: DocumentKind,
        contact_id: ContactId,
        id: DocumentId,
    ) -> Result<(), Refusal> {
        let field = || "invoice_id".to_owned();
        let unknown = || Refusal::UnknownReference { field: field(), id: id.0 };
        let origin = origin.filter(|origin| origin.kind == kind.invoice()).ok_or_else(unknown)?;
        require_issued(origin.stage).map_err(|refusal| refusal.about(field(), id.0))?;
        if origin.contact_id != contact_id {
            return Err(Refusal::ContactMismatch { field: field(), id: id.0 });
        }
        Ok(())
    }

    /// Whether its VAT is declared when it is paid.
    pub fn waits_for_payment(&self) -> bool {
        self.basis.is_some_and(Basis::waits_for_payment)
    }

    fn active(&self) -> impl Iterator<Item = &Allocation> {
        self.allocations.iter().filter(|allocation| allocation.is_active())
    }

    /// Money received or paid for it, with what CIS withheld: `amount_paid`.
    pub fn paid(&self) -> Pence {
        self.active().filter(|one| one.is_cash()).map(Allocation::settled).sum()
    }

    /// Credit set against it, or given by it, and what of it is written off: `amount_credited`.
    pub fn credited(&self) -> Pence {
        self.active().filter(|one| !one.is_cash()).map(|one| one.amount).sum()
    }

    /// `amount_due`.
    pub fn due(&self) -> Pence {
        self.gross - self.paid() - self.credited()
    }

    /// What is left for cash when CIS is withheld beside it.
    pub fn cis_balance(&self) -> cis::Balance {
        let cash = self.active().filter(|one| one.is_cash());
        cis::Balance {
            gross: self.gross - self.credited(),
            deduction: self.left_of_deduction(),
            cash: cash.map(|one| one.amount).sum(),
            settled: self.paid(),
        }
    }

    /// The deduction of CIS and the cash to pay beside it, in all, with what credit takes off both. Of what is settled it is
    /// what was withheld and paid.
    pub fn cis_totals(&self) -> (Pence, Pence) {
        let balance = self.cis_balance();
        let to_pay = if self.due().is_zero() { Pence::ZERO } else { balance.payable().max(Pence::ZERO) };
        let payable = balance.cash + to_pay;
        (balance.gross - payable, payable)
    }

    /// The most cash that may still be set against it.
    pub fn payable(&self) -> Pence {
        match self.kind.side() {
            Side::Output => self.due(),
            Side::Input => self.cis_balance().payable().min(self.due()).max(Pence::ZERO),
        }
    }

    /// The deduction, without what credit takes off it.
    fn left_of_deduction(&self) -> Pence {
        self.deduction - self.active().filter(|one| !one.is_cash()).map(|one| one.cis).sum()
    }

    /// What an amount of this credit note takes off an invoice: VAT by code, and CIS deduction. The last part takes all
    /// that is left.
    pub fn credit_part(&self, amount: Pence) -> (CodeTotals, Pence) {
        let given = self.active().filter(|one| !one.is_cash()).flat_map(|one| one.credit.iter()).collect();
        let left = self.gross - self.credited();
        (self.by_code.without(&given).part(amount, left), self.left_of_deduction().proportion(amount, left))
    }

    /// The status that follows from what settles it.
    pub fn status(&self) -> &'static str {
        status(self.kind, self.stage, self.gross, self.paid() + self.credited())
    }

    /// The day from which it is in the books: its own, or that of the opening balances.
    pub fn posted_on(&self) -> Date {
        self.opened_on.unwrap_or(self.date)
    }

    /// The earliest day on which something more may happen to it, a voiding or an allocation: the day from which it is in
    /// the books, or when the last allocation that counted was released.
    pub fn earliest_change_date(&self) -> Date {
        self.allocations.iter().filter_map(Allocation::counted_until).fold(self.posted_on(), Date::max)
    }

    /// The ids of what settles it now, which voiding it has to wait for.
    pub fn active_allocation_ids(&self) -> Vec<AllocationId> {
        self.active().filter_map(|one| one.id).collect()
    }
}

/// A receipt, payment or refund with what it is set against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// Its id; none while it is being created.
    pub id: Option<SettlementId>,
    /// Which.
    pub kind: SettlementKind,
    /// With whom.
    pub contact_id: ContactId,
    /// Its date.
    pub date: Date,
    /// The cash.
    pub amount: Pence,
    /// Whether it is undone.
    pub is_void: bool,
    /// Everything allocated from it or, by refunds, to it, released or not.
    pub allocations: Vec<Allocation>,
}

impl Settlement {
    /// Its end of an allocation.
    pub const fn end(&self) -> AllocationEnd {
        AllocationEnd::Settlement(self.id)
    }

    /// The earliest day on which something more may happen to it, a voiding or an allocation: its own, or when the last
    /// allocation that counted was released.
    pub fn earliest_change_date(&self) -> Date {
        self.allocations.iter().filter_map(Allocation::counted_until).fold(self.date, Date::max)
    }

    /// Cash that is set against something: `allocated_amount`.
    pub fn allocated(&self) -> Pence {
        self.allocations.iter().filter(|one| one.is_active()).map(|one| one.amount).sum()
    }

    /// Cash that is not: `unallocated_amount`.
    pub fn unallocated(&self) -> Pence {
        self.amount - self.allocated()
    }

    /// What CIS withheld beside it: `cis_amount`.
    pub fn withheld(&self) -> Pence {
        let given = self.allocations.iter().filter(|one| one.is_active() && one.from == self.end());
        given.map(|one| one.cis).sum()
    }
}

/// The documents and settlements a decision is about, by id.
#[derive(Debug, Clone, Default)]
pub struct Register {
    /// Documents.
    pub documents: BTreeMap<DocumentId, Document>,
    /// Settlements.
    pub settlements: BTreeMap<SettlementId, Settlement>,
}

/// What a document has become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentAfter {
    /// Its id.
    pub id: DocumentId,
    /// `amount_paid`.
    pub paid: Pence,
    /// `amount_credited`.
    pub credited: Pence,
    /// `amount_due`.
    pub due: Pence,
    /// `status`.
    pub status: &'static str,
}

impl From<&Document> for DocumentAfter {
    fn from(document: &Document) -> Self {
        Self {
            id: document.id,
            paid: document.paid(),
            credited: document.credited(),
            due: document.due(),
            status: document.status(),
        }
    }
}
