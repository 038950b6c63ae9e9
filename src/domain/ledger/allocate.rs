//! Setting settlements and credit notes against documents, and releasing that again.

use super::allocation::{Allocation, AllocationEnd, Document, DocumentAfter, Register, Settlement};
use super::document::{DocumentKind, Stage};
use super::money::Pence;
use super::refusal::Refusal;
use super::vat::Side;
use super::vat_cash;
use crate::domain::date::Date;
use crate::domain::ids::{AllocationId, ContactId, DocumentId, SettlementId};
use crate::domain::ledger::chart::Books;
use crate::domain::ledger::journal::first_open;
use crate::domain::ledger::vat::{CodeTotals, VatEntry};

/// What an allocation is asked to go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllocateTo {
    /// An invoice, or for refunds a credit note.
    Document(DocumentId),
    /// For refunds, the receipt or payment that is given back.
    Settlement(SettlementId),
}

/// An allocation as asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllocateRequest {
    /// Where to.
    pub to: AllocateTo,
    /// Cash, or credit; more than nothing.
    pub amount: Pence,
    /// What the customer withheld under CIS beside the cash.
    pub cis_suffered: Pence,
}

/// What allocating and releasing changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllocationEffects {
    /// New allocations.
    pub added: Vec<Allocation>,
    /// Allocations that stop to count, and from when.
    pub released: Vec<(AllocationId, Date)>,
    /// What that adds to the VAT sub-ledger, under cash accounting.
    pub vat: Vec<VatEntry>,
    /// What the documents have become.
    pub documents: Vec<DocumentAfter>,
}

/// Works on copies of the facts, one allocation after another, and tells in the end what changed.
#[derive(Debug)]
pub(super) struct Allocator<'a> {
    books: Books<'a>,
    before: &'a Register,
    after: Register,
    effects: AllocationEffects,
}

impl<'a> Allocator<'a> {
    pub(super) fn new(books: Books<'a>, register: &'a Register) -> Self {
        Self { books, before: register, after: register.clone(), effects: AllocationEffects::default() }
    }

    pub(super) const fn register(&self) -> &Register {
        &self.after
    }

    /// Sets cash against a document or, for refunds, a settlement. The amount of the settlement is for the caller to
    /// watch. The CIS it moves is in the allocation.
    pub(super) fn add_cash(
        &mut self,
        settlement: &Settlement,
        row: usize,
        request: &AllocateRequest,
    ) -> Result<Allocation, Refusal> {
        let (to_date, cis) = match request.to {
            AllocateTo::Document(id) => {
                let document = find_document(&self.after, settlement, row, id)?;
                let about = |refusal: Refusal| refusal.about(field(row, document_key(document.kind)), id.0);
                (document.earliest_change_date(), cash_fits(document, row, request).map_err(about)?)
            }
            AllocateTo::Settlement(id) => {
                let refunded = find_settlement(&self.after, settlement, row, id)?;
                let key = settlement_key(settlement);
                require_available(refunded.unallocated(), request.amount)
                    .map_err(|refusal| refusal.about(field(row, key), id.0))?;
                (refunded.earliest_change_date(), Pence::ZERO)
            }
        };
        let allocation = Allocation {
            id: None,
            from: settlement.end(),
            to: end_of(request.to),
            date: first_open(settlement.earliest_change_date().max(to_date), self.books.lock_date),
            released_on: None,
            amount: request.amount,
            cis,
            credit: CodeTotals::default(),
            as_payment: false,
        };
        self.add(allocation.clone());
        Ok(allocation)
    }

    /// Sets credit of a note against an invoice.
    pub(super) fn add_credit(
        &mut self,
        note: DocumentId,
        row: usize,
        invoice: DocumentId,
        amount: Pence,
        date: Option<Date>,
    ) -> Result<(), Refusal> {
        let unknown = |id: DocumentId| Refusal::UnknownReference { field: field(row, "invoice_id"), id: id.0 };
        let note = self.after.documents.get(&note).ok_or_else(|| unknown(note))?;
        let invoice = named_document(&self.after, note.kind.invoice(), note.contact_id, row, invoice)?;
        require_available(note.due(), amount)?;
        require_available(invoice.due(), amount)
            .map_err(|refusal| refusal.about(field(row, "invoice_id"), invoice.id.0))?;
        let earliest = note.earliest_change_date().max(invoice.earliest_change_date());
        let date = match date {
            Some(date) if date < earliest => {
                return Err(Refusal::field(
                    "date",
                    "must not be before the credit note or the invoice, or before either was last released",
                ));
            }
            Some(date) => {
                self.books.require_open(date)?;
                date
            }
            None => first_open(earliest, self.books.lock_date),
        };
        let (credit, cis) = note.credit_part(amount);
        // Each is declared as it is paid, or one of them is: only of one basis does the credit take off what the other declares.
        let as_payment = note.basis != invoice.basis && (note.waits_for_payment() || invoice.waits_for_payment());
        let (from, to) = (AllocationEnd::Document(note.id), AllocationEnd::Document(invoice.id));
        self.add(Allocation { id: None, from, to, date, released_on: None, amount, cis, credit, as_payment });
        Ok(())
    }

    /// Writes a part of an invoice off; `credit` is its VAT by code.
    pub(super) fn write_off(&mut self, invoice: DocumentId, amount: Pence, credit: CodeTotals, date: Date) {
        self.add(Allocation {
            id: None,
            from: AllocationEnd::WriteOff(None),
            to: AllocationEnd::Document(invoice),
            date,
            released_on: None,
            amount,
            cis: Pence::ZERO,
            credit,
            as_payment: false,
        });
    }

    fn add(&mut self, allocation: Allocation) {
        for end in [allocation.from, allocation.to] {
            self.allocations_of(end).into_iter().for_each(|known| known.push(allocation.clone()));
        }
        self.effects.added.push(allocation);
    }

    /// Releases an allocation from a day on.
    pub(super) fn release(&mut self, allocation: &Allocation, date: Date) {
        for end in [allocation.from, allocation.to] {
            let known = self.allocations_of(end).into_iter().flatten();
            for same in known.filter(|known| known.id == allocation.id && known.is_active()) {
                same.released_on = Some(date);
            }
        }
        self.effects.released.extend(allocation.id.map(|id| (id, date)));
    }

    fn allocations_of(&mut self, end: AllocationEnd) -> Option<&mut Vec<Allocation>> {
        match end {
            AllocationEnd::Document(id) => self.after.documents.get_mut(&id).map(|known| &mut known.allocations),
            AllocationEnd::Settlement(id) => self.after.settlements.get_mut(&id?).map(|known| &mut known.allocations),
            // It has no more than this one.
            AllocationEnd::WriteOff(_) => None,
        }
    }

    pub(super) fn finish(mut self) -> AllocationEffects {
        for (before, after) in self.before.documents.values().zip(self.after.documents.values()) {
            if before.allocations != after.allocations {
                self.effects.vat.extend(vat_cash::changes(before, after));
                self.effects.documents.push(DocumentAfter::from(after));
            }
        }
        self.effects
    }
}

const fn end_of(to: AllocateTo) -> AllocationEnd {
    match to {
        AllocateTo::Document(id) => AllocationEnd::Document(id),
        AllocateTo::Settlement(id) => AllocationEnd::Settlement(Some(id)),
    }
}

fn field(row: usize, key: &str) -> String {
    format!("allocations[{row}].{key}")
}

pub(super) fn require_available(available: Pence, requested: Pence) -> Result<(), Refusal> {
    if requested > available {
        return Err(Refusal::OverAllocated { available: available.max(Pence::ZERO), requested });
    }
    Ok(())
}

/// The key that names a document of a kind.
const fn document_key(kind: DocumentKind) -> &'static str {
    if kind.is_credit_note() { "credit_note_id" } else { "invoice_id" }
}

/// A document named in a request: known and of the kind, issued, and of the same contact.
fn named_document(
    register: &Register,
    kind: DocumentKind,
    contact_id: ContactId,
    row: usize,
    id: DocumentId,
) -> Result<&Document, Refusal> {
    let key = document_key(kind);
    let unknown = || Refusal::UnknownReference { field: field(row, key), id: id.0 };
    let document = register.documents.get(&id).filter(|document| document.kind == kind).ok_or_else(unknown)?;
    require_issued(document.stage).map_err(|refusal| refusal.about(field(row, key), id.0))?;
    if document.contact_id != contact_id {
        return Err(Refusal::ContactMismatch { field: field(row, key), id: id.0 });
    }
    Ok(document)
}

/// The key that names a settlement that a refund gives back.
const fn settlement_key(refund: &Settlement) -> &'static str {
    match refund.kind.document_kind().side() {
        Side::Output => "receipt_id",
        Side::Input => "payment_id",
    }
}

fn find_document<'r>(
    register: &'r Register,
    settlement: &Settlement,
    row: usize,
    id: DocumentId,
) -> Result<&'r Document, Refusal> {
    named_document(register, settlement.kind.document_kind(), settlement.contact_id, row, id)
}

/// A settlement named in a refund: known and of the kind that is given back, standing, and of the same contact.
fn find_settlement<'r>(
    register: &'r Register,
    refund: &Settlement,
    row: usize,
    id: SettlementId,
) -> Result<&'r Settlement, Refusal> {
    let key = settlement_key(refund);
    let unknown = || Refusal::UnknownReference { field: field(row, key), id: id.0 };
    let kind = refund.kind.refunds();
    let known = register.settlements.get(&id).filter(|known| Some(known.kind) == kind).ok_or_else(unknown)?;
    if known.is_void {
        let void = Refusal::InvalidState { current: "void", allowed: &["posted"] };
        return Err(void.about(field(row, key), id.0));
    }
    if known.contact_id != refund.contact_id {
        return Err(Refusal::ContactMismatch { field: field(row, key), id: id.0 });
    }
    Ok(known)
}

pub(super) const fn require_issued(stage: Stage) -> Result<(), Refusal> {
    match stage {
        Stage::Issued => Ok(()),
        Stage::Draft => Err(Refusal::InvalidState { current: "draft", allowed: &["issued"] }),
        Stage::Void => Err(Refusal::InvalidState { current: "void", allowed: &["issued"] }),
    }
}

/// The CIS that cash moves beside it on a document that has room for both.
fn cash_fits(document: &Document, row: usize, request: &AllocateRequest) -> Result<Pence, Refusal> {
    let is_sale = document.kind == DocumentKind::SalesInvoice;
    if !request.cis_suffered.is_zero() && !is_sale {
        let field = field(row, "cis_suffered");
        return Err(Refusal::field(field, "is for receipts on sales invoices; what we withhold is computed"));
    }
    match document.kind.side() {
        Side::Output => {
            require_available(document.due(), request.amount + request.cis_suffered)?;
            Ok(request.cis_suffered)
        }
        Side::Input => {
            require_available(document.payable(), request.amount)?;
            Ok(document.cis_balance().withheld_from(request.amount))
        }
    }
}

/// Decides the allocation of a credit note to invoices.
pub fn allocate_credit(
    books: &Books<'_>,
    register: &Register,
    note_id: DocumentId,
    requests: &[(DocumentId, Pence)],
    date: Option<Date>,
) -> Result<AllocationEffects, Refusal> {
    let unknown = || Refusal::UnknownReference { field: "id".to_owned(), id: note_id.0 };
    let note = register.documents.get(&note_id).filter(|note| note.kind.is_credit_note()).ok_or_else(unknown)?;
    for (row, (id, _)) in requests.iter().enumerate() {
        let known = register.documents.get(id).filter(|document| document.kind == note.kind.invoice());
        if known.is_none() {
            return Err(Refusal::UnknownReference { field: field(row, "invoice_id"), id: id.0 });
        }
    }
    require_issued(note.stage)?;
    require_available(note.due(), requests.iter().map(|(_, amount)| *amount).sum())?;
    let mut allocator = Allocator::new(*books, register);
    for (row, (invoice, amount)) in requests.iter().enumerate() {
        allocator.add_credit(note_id, row, *invoice, *amount, date)?;
    }
    Ok(allocator.finish())
}

/// Decides the release of allocations of a credit note.
pub fn unallocate_credit(
    books: &Books<'_>,
    register: &Register,
    note_id: DocumentId,
    ids: &[AllocationId],
) -> Result<AllocationEffects, Refusal> {
    let note = register.documents.get(&note_id);
    let given = active_among(note.map_or(&[], |note| note.allocations.as_slice()), ids)?;
    let mut allocator = Allocator::new(*books, register);
    for allocation in given {
        if allocation.from != AllocationEnd::Document(note_id) {
            let id = allocation.id.map_or(0, |id| id.0);
            return Err(Refusal::UnknownReference { field: "allocation_ids".to_owned(), id });
        }
        allocator.release(allocation, first_open(allocation.date, books.lock_date));
    }
    Ok(allocator.finish())
}

/// The allocations with these ids; each has to be there and to count. One named twice is taken once.
pub(super) fn active_among<'r>(
    allocations: &'r [Allocation],
    ids: &[AllocationId],
) -> Result<Vec<&'r Allocation>, Refusal> {
    let mut found: Vec<&Allocation> = Vec::with_capacity(ids.len());
    for (row, id) in ids.iter().enumerate() {
        let unknown = || Refusal::UnknownReference { field: format!("allocation_ids[{row}]"), id: id.0 };
        let allocation = allocations.iter().find(|known| known.id == Some(*id)).ok_or_else(unknown)?;
        if !allocation.is_active() {
            let released = Refusal::InvalidState { current: "released", allowed: &["active"] };
            return Err(released.about(format!("allocation_ids[{row}]"), id.0));
        }
        if !found.iter().any(|known| known.id == allocation.id) {
            found.push(allocation);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
