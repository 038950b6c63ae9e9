//! The documents and settlements that a group of commands works with, with all of their allocations. Changes can be
//! undone back to a mark.

use std::ops::Deref;

use crate::domain::ledger::allocation::{Allocation, AllocationEnd, Document, Register, Settlement};
use crate::domain::ledger::ids::{AllocationId, DocumentId, SettlementId};
use crate::domain::ledger::period::Day;

/// One change, as it is undone.
#[derive(Debug)]
enum Change {
    /// A document was put in place of this one, which had the same allocations.
    Document(DocumentId, Option<Box<Document>>),
    DocumentRemoved(Box<Document>),
    /// The same for a settlement.
    Settlement(SettlementId, Option<Box<Settlement>>),
    /// The last allocation at an end was added.
    Added(AllocationEnd),
    /// An allocation at an end was released.
    Released(AllocationEnd, AllocationId),
}

/// A [`Register`] whose changes are logged. It reads like the register.
#[derive(Debug, Default)]
pub(crate) struct UndoRegister {
    register: Register,
    log: Vec<Change>,
}

/// How far the log of an [`UndoRegister`] had come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RegisterMark(usize);

impl Deref for UndoRegister {
    type Target = Register;

    fn deref(&self) -> &Register {
        &self.register
    }
}

impl UndoRegister {
    /// The register itself, for what is loaded before any command is decided: it is never undone.
    pub(crate) const fn loading(&mut self) -> &mut Register {
        &mut self.register
    }

    /// Sets a document; it keeps the allocations it has.
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

    /// Sets a settlement; it keeps the allocations it has.
    pub(crate) fn put_settlement(&mut self, id: SettlementId, mut settlement: Settlement) {
        let before = self.register.settlements.remove(&id).map(|mut before| {
            settlement.allocations = std::mem::take(&mut before.allocations);
            Box::new(before)
        });
        self.register.settlements.insert(id, settlement);
        self.log.push(Change::Settlement(id, before));
    }

    /// Adds an allocation at one of its ends.
    pub(crate) fn add(&mut self, end: AllocationEnd, allocation: Allocation) {
        if let Some(known) = self.allocations_of(end) {
            known.push(allocation);
            self.log.push(Change::Added(end));
        }
    }

    /// Releases an allocation at one of its ends from a day on; gives it as it is then.
    pub(crate) fn release(&mut self, end: AllocationEnd, id: AllocationId, day: Day) -> Option<Allocation> {
        let known = self.allocations_of(end)?.iter_mut().find(|known| known.id == Some(id))?;
        known.released_on = Some(day);
        let released = known.clone();
        self.log.push(Change::Released(end, id));
        Some(released)
    }

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
