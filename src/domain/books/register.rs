//! The register of documents and settlements with their allocations, whose changes can be undone back to a mark.

use std::ops::Deref;

use crate::domain::date::Date;
use crate::domain::ids::{AllocationId, DocumentId, SettlementId};
use crate::domain::ledger::allocation::{Allocation, AllocationEnd, Document, Register, Settlement};

/// A [`Register`] whose changes are logged. It reads like the register.
#[derive(Debug, Default)]
pub(crate) struct UndoRegister {
    register: Register,
    log: Vec<Change>,
}

/// A state of an [`UndoRegister`]: the length of its log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RegisterMark(usize);

/// A change of the register, with what is needed to undo it.
#[derive(Debug)]
enum Change {
    /// A document was set; this was the one before, whose allocations the new one has.
    Document(DocumentId, Option<Box<Document>>),
    /// A document was removed.
    DocumentRemoved(Box<Document>),
    /// A settlement was set; this was the one before, whose allocations the new one has.
    Settlement(SettlementId, Option<Box<Settlement>>),
    /// An allocation was added as the last of an end.
    Added(AllocationEnd),
    /// An allocation of an end was released; before, it was released on this day or not at all.
    Released(AllocationEnd, AllocationId, Option<Date>),
}

impl Deref for UndoRegister {
    type Target = Register;

    fn deref(&self) -> &Register {
        &self.register
    }
}

impl UndoRegister {
    /// The register itself, for records that are loaded before any command is decided; such changes are never undone.
    pub(crate) const fn loading(&mut self) -> &mut Register {
        &mut self.register
    }

    /// Sets a document. Its allocations are those of the document before.
    pub(crate) fn put_document(&mut self, mut document: Document) {
        let id = document.id;
        let before = self.register.documents.remove(&id).map(|mut before| {
            document.allocations = std::mem::take(&mut before.allocations);
            Box::new(before)
        });
        self.register.documents.insert(id, document);
        self.log.push(Change::Document(id, before));
    }

    /// Removes a document.
    pub(crate) fn remove_document(&mut self, id: DocumentId) {
        if let Some(document) = self.register.documents.remove(&id) {
            self.log.push(Change::DocumentRemoved(Box::new(document)));
        }
    }

    /// Sets a settlement. Its allocations are those of the settlement before.
    pub(crate) fn put_settlement(&mut self, id: SettlementId, mut settlement: Settlement) {
        let before = self.register.settlements.remove(&id).map(|mut before| {
            settlement.allocations = std::mem::take(&mut before.allocations);
            Box::new(before)
        });
        self.register.settlements.insert(id, settlement);
        self.log.push(Change::Settlement(id, before));
    }

    /// Adds an allocation to one of its ends.
    pub(crate) fn add(&mut self, end: AllocationEnd, allocation: Allocation) {
        if let Some(known) = self.allocations_of(end) {
            known.push(allocation);
            self.log.push(Change::Added(end));
        }
    }

    /// Releases an allocation of one of its ends from a day on; returns the released allocation.
    pub(crate) fn release(&mut self, end: AllocationEnd, id: AllocationId, date: Date) -> Option<Allocation> {
        let known = self.allocations_of(end)?.iter_mut().find(|known| known.id == Some(id))?;
        let before = known.released_on.replace(date);
        let released = known.clone();
        self.log.push(Change::Released(end, id, before));
        Some(released)
    }

    /// The allocations of a document or settlement.
    fn allocations_of(&mut self, end: AllocationEnd) -> Option<&mut Vec<Allocation>> {
        match end {
            AllocationEnd::Document(id) => self.register.documents.get_mut(&id).map(|known| &mut known.allocations),
            AllocationEnd::Settlement(id) => {
                self.register.settlements.get_mut(&id?).map(|known| &mut known.allocations)
            }
        }
    }

    /// The present state, to be returned to by [`Self::undo_to`].
    pub(crate) const fn mark(&self) -> RegisterMark {
        RegisterMark(self.log.len())
    }

    /// Undoes every change since a mark, the latest first.
    pub(crate) fn undo_to(&mut self, mark: RegisterMark) {
        while self.log.len() > mark.0 {
            match self.log.pop() {
                Some(Change::Document(id, before)) => {
                    let current = self.register.documents.remove(&id);
                    if let (Some(mut before), Some(current)) = (before, current) {
                        before.allocations = current.allocations;
                        self.register.documents.insert(id, *before);
                    }
                }
                Some(Change::DocumentRemoved(document)) => {
                    self.register.documents.insert(document.id, *document);
                }
                Some(Change::Settlement(id, before)) => {
                    let current = self.register.settlements.remove(&id);
                    if let (Some(mut before), Some(current)) = (before, current) {
                        before.allocations = current.allocations;
                        self.register.settlements.insert(id, *before);
                    }
                }
                Some(Change::Added(end)) => {
                    self.allocations_of(end).and_then(Vec::pop);
                }
                Some(Change::Released(end, id, before)) => {
                    let mut known = self.allocations_of(end).into_iter().flatten();
                    if let Some(known) = known.find(|known| known.id == Some(id)) {
                        known.released_on = before;
                    }
                }
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::ids::ContactId;
    use crate::domain::ledger::allocation::SettlementKind;
    use crate::domain::ledger::document::{DocumentKind, Stage};
    use crate::domain::ledger::money::Pence;
    use crate::domain::ledger::vat_entry::CodeTotals;

    /// A call that changes a register.
    #[derive(Debug, Clone)]
    enum Step {
        PutDocument(i64, i64),
        RemoveDocument(i64),
        PutSettlement(i64, i64),
        Add { document: i64, settlement: i64, allocation: i64 },
        Release { document: i64, settlement: i64, allocation: i64, date: Date },
    }

    fn document(id: i64, gross: i64) -> Document {
        Document {
            id: DocumentId(id),
            kind: DocumentKind::SalesInvoice,
            contact_id: ContactId(1),
            stage: Stage::Issued,
            date: Date::numbered(20_000),
            gross: Pence(gross),
            deduction: Pence(0),
            by_code: CodeTotals::default(),
            basis: None,
            allocations: Vec::new(),
        }
    }

    fn settlement(id: i64, amount: i64) -> Settlement {
        Settlement {
            id: Some(SettlementId(id)),
            kind: SettlementKind::CustomerReceipt,
            contact_id: ContactId(1),
            date: Date::numbered(20_000),
            amount: Pence(amount),
            is_void: false,
            allocations: Vec::new(),
        }
    }

    /// Both ends of an allocation of a settlement to a document.
    const fn ends(document: i64, settlement: i64) -> [AllocationEnd; 2] {
        [AllocationEnd::Settlement(Some(SettlementId(settlement))), AllocationEnd::Document(DocumentId(document))]
    }

    fn allocation(id: i64, [from, to]: [AllocationEnd; 2]) -> Allocation {
        Allocation {
            id: Some(AllocationId(id)),
            from,
            to,
            date: Date::numbered(20_000),
            released_on: None,
            amount: Pence(100),
            cis: Pence(0),
            credit: CodeTotals::default(),
            as_payment: false,
        }
    }

    impl Step {
        fn take(&self, register: &mut UndoRegister) {
            match *self {
                Self::PutDocument(id, gross) => register.put_document(document(id, gross)),
                Self::RemoveDocument(id) => register.remove_document(DocumentId(id)),
                Self::PutSettlement(id, amount) => {
                    register.put_settlement(SettlementId(id), settlement(id, amount));
                }
                Self::Add { document, settlement, allocation: id } => {
                    let ends = ends(document, settlement);
                    ends.into_iter().for_each(|end| register.add(end, allocation(id, ends)));
                }
                Self::Release { document, settlement, allocation, date } => {
                    for end in ends(document, settlement) {
                        register.release(end, AllocationId(allocation), date);
                    }
                }
            }
        }
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            (1_i64..4, 1_i64..1_000).prop_map(|(id, gross)| Step::PutDocument(id, gross)),
            (1_i64..4).prop_map(Step::RemoveDocument),
            (1_i64..4, 1_i64..1_000).prop_map(|(id, amount)| Step::PutSettlement(id, amount)),
            (1_i64..4, 1_i64..4, 1_i64..6).prop_map(|(document, settlement, allocation)| Step::Add {
                document,
                settlement,
                allocation
            }),
            (1_i64..4, 1_i64..4, 1_i64..6, 0..10).prop_map(|(document, settlement, allocation, days)| {
                Step::Release { document, settlement, allocation, date: Date::numbered(20_000) + days }
            }),
        ];
        prop::collection::vec(step, 0..30)
    }

    proptest! {
        #[test]
        fn changes_undone_to_a_mark_leave_the_register_as_it_was(before in steps(), after in steps()) {
            let mut register = UndoRegister::default();
            before.iter().for_each(|step| step.take(&mut register));
            let (mark, expected) = (register.mark(), register.register.clone());
            after.iter().for_each(|step| step.take(&mut register));
            register.undo_to(mark);
            prop_assert_eq!(&register.documents, &expected.documents);
            prop_assert_eq!(&register.settlements, &expected.settlements);
        }
    }

    #[test]
    fn a_document_that_is_set_again_has_the_allocations_of_the_one_before() {
        let mut register = UndoRegister::default();
        register.put_document(document(1, 500));
        register.add(ends(1, 2)[1], allocation(7, ends(1, 2)));
        register.put_document(document(1, 600));
        let known = &register.documents[&DocumentId(1)];
        assert_eq!((known.gross, known.paid()), (Pence(600), Pence(100)));
        let released =
            register.release(ends(1, 2)[1], AllocationId(7), Date::numbered(20_005)).expect("the allocation is known");
        assert_eq!(released.released_on, Some(Date::numbered(20_005)));
        assert_eq!(register.documents[&DocumentId(1)].paid(), Pence(0));
    }
}
