//! Applies allocations and releases to documents and settlements.

use crate::domain::books::decide::{BooksTransaction, Rejection};
use crate::domain::books::effects::{Effect, VatCause};
use crate::domain::books::numbers::IdSequence;
use crate::domain::books::records::document::DocumentRecord;
use crate::domain::books::records::settlement::SettlementRecord;
use crate::domain::ids::{AllocationId, DocumentId, SettlementId};
use crate::domain::ledger::allocate::AllocationEffects;
use crate::domain::ledger::allocation::{Allocation, AllocationEnd, Register};
use crate::domain::ledger::document::DocumentKind;

impl BooksTransaction<'_> {
    /// The register over which the rules decide about documents and settlements: these and the other ends of their
    /// allocations, as far as they are of this organisation.
    pub(crate) fn register(
        &self,
        documents: impl IntoIterator<Item = i64>,
        settlements: impl IntoIterator<Item = i64>,
    ) -> Register {
        let documents = documents.into_iter().map(|id| AllocationEnd::Document(DocumentId(id)));
        let settlements = settlements.into_iter().map(|id| AllocationEnd::Settlement(Some(SettlementId(id))));
        let mut register = Register::default();
        let ends: Vec<AllocationEnd> = documents.chain(settlements).collect();
        for end in ends {
            for allocation in self.copy_into(&mut register, end) {
                for other in [allocation.from, allocation.to] {
                    self.copy_into(&mut register, other);
                }
            }
        }
        register
    }

    /// The open invoices of a contact.
    pub(crate) fn open_invoices(&self, kind: DocumentKind, contact_id: i64) -> Vec<i64> {
        let organisation = self.organisation();
        let is_open = |of: i64, row: &DocumentRecord| {
            of == organisation && row.kind == kind && row.contact_id == contact_id && row.due_pence() > 0
        };
        self.facts.documents.values().filter(|(of, row)| is_open(*of, row)).map(|(_, row)| row.id).collect()
    }

    /// Copies a document or settlement into a register; returns its allocations.
    fn copy_into(&self, register: &mut Register, end: AllocationEnd) -> &[Allocation] {
        let organisation = self.organisation();
        match end {
            AllocationEnd::Document(id) => {
                let known = self.facts.document(organisation, id.0).and(self.facts.register.documents.get(&id));
                let Some(known) = known else { return &[] };
                register.documents.entry(id).or_insert_with(|| known.clone());
                &known.allocations
            }
            AllocationEnd::Settlement(Some(id)) => {
                let is_ours = self.facts.settlements.get(&id.0).is_some_and(|(of, _)| *of == organisation);
                let known = self.facts.register.settlements.get(&id).filter(|_| is_ours);
                let Some(known) = known else { return &[] };
                register.settlements.entry(id).or_insert_with(|| known.clone());
                &known.allocations
            }
            AllocationEnd::Settlement(None) | AllocationEnd::WriteOff(_) => &[],
        }
    }

    /// Adds and releases the allocations of a decision. `own` is the settlement that the decision creates or voids, or the
    /// write-off that it creates: its version and its entry of the history are left to the caller.
    pub(crate) fn apply_allocations(
        &mut self,
        changed: &AllocationEffects,
        own: Option<AllocationEnd>,
    ) -> Result<(), Rejection> {
        let organisation = self.organisation();
        let with_own = |end: AllocationEnd| match end {
            AllocationEnd::Settlement(None) | AllocationEnd::WriteOff(None) => own.unwrap_or(end),
            known => known,
        };
        let mut touched: Vec<AllocationEnd> =
            changed.documents.iter().map(|after| AllocationEnd::Document(after.id)).collect();
        touched.extend(own);
        let mut settlement = None;
        let settlement_of = |end: AllocationEnd| match end {
            AllocationEnd::Settlement(id) => id,
            AllocationEnd::Document(_) | AllocationEnd::WriteOff(_) => None,
        };
        for added in &changed.added {
            let id = AllocationId(self.identifiers.next(IdSequence::Allocation));
            let added =
                Allocation { id: Some(id), from: with_own(added.from), to: with_own(added.to), ..added.clone() };
            settlement = settlement.or(settlement_of(added.from));
            for end in [added.from, added.to] {
                self.facts.register.add(end, added.clone());
                touched.push(end);
            }
            self.facts.ends.insert(id.0, [added.from, added.to]);
            self.effects.push(organisation, Effect::Allocation(Box::new(added)));
        }
        for (id, date) in &changed.released {
            let Some(ends) = self.facts.ends.get(&id.0).copied() else { continue };
            let mut released = None;
            let [from, _] = ends;
            settlement = settlement.or(settlement_of(from));
            for end in ends {
                released = self.facts.register.release(end, *id, *date).or(released);
                touched.push(end);
            }
            if let Some(released) = released {
                self.effects.push(organisation, Effect::Allocation(Box::new(released)));
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for end in touched {
            self.recount_allocations(end, own);
        }
        // All that is set and released in one decision is of one settlement, one credit note or one write-off.
        let cause =
            settlement.or(own.and_then(settlement_of)).map_or(VatCause::Credit, |id| VatCause::Settlement(id.0));
        for entry in &changed.vat {
            self.write_vat_entry(entry, cause, None);
        }
        Ok(())
    }

    /// Sets the stored sums of a document or settlement from its allocations.
    fn recount_allocations(&mut self, end: AllocationEnd, own: Option<AllocationEnd>) {
        match end {
            AllocationEnd::Document(id) => {
                let found = self.facts.documents.get(&id.0).zip(self.facts.register.documents.get(&id));
                let Some(((_, row), known)) = found else { return };
                let row = DocumentRecord {
                    paid_pence: known.paid().0,
                    credited_pence: known.credited().0,
                    version: row.version + 1,
                    updated_at_ms: self.now_ms,
                    ..row.clone()
                };
                self.put_document(row);
            }
            AllocationEnd::Settlement(Some(id)) => {
                let found = self.facts.settlements.get(&id.0).zip(self.facts.register.settlements.get(&id));
                let Some(((_, row), known)) = found else { return };
                let row = SettlementRecord {
                    allocated_pence: known.allocated().0,
                    cis_pence: known.withheld().0,
                    ..row.clone()
                };
                if own == Some(end) {
                    self.put_settlement(row);
                } else {
                    self.write_changed_settlement(row);
                }
            }
            AllocationEnd::Settlement(None) | AllocationEnd::WriteOff(_) => {}
        }
    }
}
