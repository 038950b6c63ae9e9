//! The register of documents and settlements with their allocations, whose changes can be undone back to a mark.

use std::ops::Deref;

use crate::domain::ledger::allocation::{Allocation, AllocationEnd, Document, Register, Settlement};
use crate::domain::ledger::ids::{AllocationId, DocumentId, SettlementId};
use crate::domain::ledger::period::Day;

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
    /// An allocation of an end was released.
    Released(AllocationEnd, AllocationId),
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
    pub(crate) fn release(&mut self, end: AllocationEnd, id: AllocationId, day: Day) -> Option<Allocation> {
        let known = self.allocations_of(end)?.iter_mut().find(|known| known.id == Some(id))?;
        known.released_on = Some(day);
        let released = known.clone();
        self.log.push(Change::Released(end, id));
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
                Some(Change::Released(end, id)) => {
                    let known = self.allocations_of(end).into_iter().flatten();
                    known.filter(|known| known.id == Some(id)).for_each(|known| known.released_on = None);
                }
                None => return,
            }
        }
    }
}
