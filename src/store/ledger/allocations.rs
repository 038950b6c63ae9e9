//! Carries out what allocating and releasing changed, and shows documents with what settles them.

use super::decide::{Desk, Stop};
use super::document_rows::DocumentRow;
use super::documents::{DocumentCis, DocumentLineView, DocumentView};
use super::ids::Kind;
use super::settlements::{AllocationView, SettlementRow};
use super::tallies::Tally;
use crate::domain::ledger::allocate::AllocationEffects;
use crate::domain::ledger::allocation::{Allocation, AllocationEnd, Register};
use crate::domain::ledger::document::{DocumentKind, Stage};
use crate::domain::ledger::ids::{AllocationId, DocumentId, SettlementId};
use crate::domain::ledger::vat_entry::VatEntry;

impl Desk<'_> {
    /// What a decision about these documents and settlements has to know: them and the other ends of what is set against
    /// them, as far as they are of this organisation.
    pub(super) fn register(
        &self,
        documents: impl IntoIterator<Item = i64>,
        settlements: impl IntoIterator<Item = i64>,
    ) -> Register {
        let documents = documents.into_iter().map(|id| AllocationEnd::Document(DocumentId(id)));
        let settlements = settlements.into_iter().map(|id| AllocationEnd::Settlement(Some(SettlementId(id))));
        let mut register = Register::default();
        let named: Vec<AllocationEnd> = documents.chain(settlements).collect();
        for end in named {
            for allocation in self.enter(&mut register, end) {
                for other in [allocation.from, allocation.to] {
                    self.enter(&mut register, other);
                }
            }
        }
        register
    }

    /// The same for every open invoice of a contact.
    pub(super) fn open_invoices(&self, kind: DocumentKind, contact_id: i64) -> Vec<i64> {
        let organisation = self.organisation();
        let is_open = |of: i64, row: &DocumentRow| {
            of == organisation && row.kind == kind && row.contact_id == contact_id && row.due_pence() > 0
        };
        self.facts.documents.values().filter(|(of, row)| is_open(*of, row)).map(|(_, row)| row.id).collect()
    }

    /// Copies a document or settlement into a register; gives its allocations.
    fn enter(&self, register: &mut Register, end: AllocationEnd) -> &[Allocation] {
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
            AllocationEnd::Settlement(None) => &[],
        }
    }

    /// Carries out what a decision set against what and released; `own` is the settlement it makes or voids, whose row is
    /// at hand and whose change is the caller's to count and to tell.
    pub(super) fn apply_allocations(
        &mut self,
        changed: &AllocationEffects,
        own: Option<SettlementId>,
    ) -> Result<(), Stop> {
        let organisation = self.organisation();
        let made = |end: AllocationEnd| match end {
            AllocationEnd::Settlement(None) => AllocationEnd::Settlement(own),
            known => known,
        };
        let mut touched: Vec<AllocationEnd> =
            changed.documents.iter().map(|after| AllocationEnd::Document(after.id)).collect();
        touched.extend(own.map(|id| AllocationEnd::Settlement(Some(id))));
        for added in &changed.added {
            let id = AllocationId(self.identifiers.next(Kind::Allocation));
            let added = Allocation { id: Some(id), from: made(added.from), to: made(added.to), ..added.clone() };
            for end in [added.from, added.to] {
                self.facts.allocations_of(end).into_iter().for_each(|known| known.push(added.clone()));
                touched.push(end);
            }
            self.facts.ends.insert(id.0, [added.from, added.to]);
            self.effects.allocation(organisation, added);
        }
        for (id, day) in &changed.released {
            let Some(ends) = self.facts.ends.get(&id.0).copied() else { continue };
            let mut released = None;
            for end in ends {
                let known = self.facts.allocations_of(end).into_iter().flatten();
                for same in known.filter(|same| same.id == Some(*id)) {
                    same.released_on = Some(*day);
                    released = Some(same.clone());
                }
                touched.push(end);
            }
            if let Some(released) = released {
                self.effects.allocation(organisation, released);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for end in touched {
            self.recount_allocations(end, own);
        }
        for entry in &changed.vat {
            self.write_vat_entry(entry, None, None);
        }
        Ok(())
    }

    /// Takes the sums kept of a document or settlement from its allocations.
    fn recount_allocations(&mut self, end: AllocationEnd, own: Option<SettlementId>) {
        match end {
            AllocationEnd::Document(id) => {
                let found = self.facts.documents.get(&id.0).zip(self.facts.register.documents.get(&id));
                let Some(((_, row), known)) = found else { return };
                let row = DocumentRow {
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
                let row = SettlementRow {
                    allocated_pence: known.allocated().0,
                    cis_pence: known.withheld().0,
                    ..row.clone()
                };
                if own == Some(id) {
                    self.put_settlement(row);
                } else {
                    self.changed_settlement(row);
                }
            }
            AllocationEnd::Settlement(None) => {}
        }
    }

    /// An entry of the VAT sub-ledger: of a journal and its line, or of no journal when a payment brought it about.
    pub(super) fn write_vat_entry(
        &mut self,
        entry: &VatEntry,
        journal: Option<(i64, Option<i64>)>,
        of: Option<&DocumentRow>,
    ) {
        use crate::domain::ledger::vat_entry::VatOrigin;
        let (document, line) = match entry.origin {
            VatOrigin::JournalLine(_) => (None, None),
            VatOrigin::DocumentLine(at) => {
                (of.map(|row| row.id), of.and_then(|row| row.lines.get(at)).map(|line| line.id))
            }
            VatOrigin::Document(id) => (Some(id.0), None),
        };
        let id = self.identifiers.next(Kind::VatEntry);
        let organisation = self.organisation();
        self.effects.vat_entry((id, organisation), journal, (document, line), entry);
    }

    /// The document as it is from now on; its lines are written only if [`Self::put_lines`] is called too.
    pub(super) fn put_document(&mut self, row: DocumentRow) {
        let organisation = self.organisation();
        let list = row.kind.as_str();
        let before = self.facts.documents.get(&row.id).map(|(_, before)| before);
        let status = before.map(DocumentRow::status);
        if let Some(before) = before {
            let overdue = before.overdue_pence(self.today);
            self.facts.move_overdue(before.contact_id, before.kind, -overdue);
        }
        if status != Some(row.status()) {
            if let Some(status) = status {
                self.effects.count(organisation, list, status, -1);
            }
            self.effects.count(organisation, list, row.status(), 1);
        }
        self.facts.move_overdue(row.contact_id, row.kind, row.overdue_pence(self.today));
        let id = DocumentId(row.id);
        let allocations = self.facts.register.documents.remove(&id).map(|known| known.allocations);
        self.facts.register.documents.insert(id, row.for_rules(allocations.unwrap_or_default()));
        let before = self.facts.documents.insert(row.id, (organisation, row.clone())).map(|(_, before)| before);
        self.effects.tally(organisation, before.as_ref().map(Tally::from), Some(Tally::from(&row)));
        let action = row.action_since(before.as_ref());
        let summary = format!("{} {}", row.title(), action.done());
        let before = before.map(|before| before.told());
        self.note_change(action, (row.resource(), row.id), summary, before, Some(row.told()));
        self.effects.document(organisation, row);
    }

    /// What a caller sees of a document, from what is at hand.
    pub(super) fn document_view(&self, id: i64) -> Option<DocumentView> {
        let row = self.facts.document(self.organisation(), id)?;
        let known = self.facts.register.documents.get(&DocumentId(id))?;
        let contact_name = self.contact_name(row.contact_id);
        let allocations = self.allocation_views(&known.allocations, AllocationEnd::Document(known.id));
        let code = |account| self.books.accounts.get(&account).map(|account| account.code.clone());
        Some(row.view(contact_name, allocations, &known.allocations, |account| code(account).unwrap_or_default()))
    }

    pub(super) fn contact_name(&self, id: i64) -> String {
        self.facts.contacts.get(&id).map(|(_, contact)| contact.details.name.clone()).unwrap_or_default()
    }

    /// What counts of the allocations at an end, seen from there, oldest first.
    pub(super) fn allocation_views(&self, allocations: &[Allocation], at: AllocationEnd) -> Vec<AllocationView> {
        let mut views: Vec<AllocationView> = allocations
            .iter()
            .filter(|one| one.is_active())
            .map(|one| {
                let other = if one.from == at { one.to } else { one.from };
                let (other_type, other_id, other_number) = self.other_end(other);
                AllocationView {
                    id: one.id.map_or(0, |id| id.0),
                    other_type,
                    other_id,
                    other_number,
                    day: one.date,
                    amount_pence: one.amount.0,
                    cis_pence: if one.is_cash() { one.cis.0 } else { 0 },
                }
            })
            .collect();
        // A rehearsed one has no id yet and will be the last of its day.
        views.sort_by_key(|view| (view.day, view.id == 0, view.id));
        views
    }

    fn other_end(&self, end: AllocationEnd) -> (&'static str, i64, Option<String>) {
        match end {
            AllocationEnd::Document(id) => match self.facts.documents.get(&id.0) {
                Some((_, row)) => (row.kind.as_str(), row.id, row.number.clone()),
                None => ("", id.0, None),
            },
            AllocationEnd::Settlement(Some(id)) => match self.facts.settlements.get(&id.0) {
                Some((_, row)) => (row.kind.as_str(), row.id, Some(row.number.clone()).filter(|_| row.id > 0)),
                None => ("", id.0, None),
            },
            AllocationEnd::Settlement(None) => ("", 0, None),
        }
    }
}

impl DocumentRow {
    /// What a caller sees of it: `shown` counts now, `all` are its allocations as the rules know them.
    pub(super) fn view(
        &self,
        contact_name: String,
        shown: Vec<AllocationView>,
        all: &[Allocation],
        code_of: impl Fn(i64) -> String,
    ) -> DocumentView {
        let cash = || all.iter().filter(|one| one.is_active() && one.is_cash());
        let deducted = cash().map(|one| one.cis.0).sum();
        let line = |line: &super::document_rows::DocumentLineRow| DocumentLineView {
            id: line.id,
            description: line.description.clone(),
            account_id: line.account_id,
            account_code: code_of(line.account_id),
            quantity: line.quantity,
            unit_price: line.unit_price,
            discount: line.discount,
            vat_code: line.vat_code,
            net_pence: line.net_pence,
            vat_pence: line.vat_pence,
            cis_type: line.cis_type,
        };
        // A number that a rehearsal would have consumed is not known.
        let number = self.number.clone().filter(|number| !number.is_empty());
        DocumentView {
            id: self.id,
            kind: self.kind,
            stage: self.stage,
            number,
            supplier_reference: self.supplier_reference.clone(),
            contact_id: self.contact_id,
            contact_name,
            day: self.day,
            due_day: self.due_day,
            reference: self.reference.clone(),
            notes: self.notes.clone(),
            is_vat_inclusive: self.is_vat_inclusive,
            origin_id: self.origin_id,
            lines: self.lines.iter().map(line).collect(),
            net_pence: self.net_pence,
            vat_pence: self.vat_pence,
            paid_pence: self.paid_pence,
            credited_pence: self.credited_pence,
            cash_pence: cash().map(|one| one.amount.0).sum(),
            allocations: shown,
            cis: self.cis.map(|terms| {
                let (deduction, payable) = self.for_rules(all.to_vec()).cis_totals();
                DocumentCis {
                    rate: terms.rate.percent(),
                    labour_net_pence: terms.labour_net.0,
                    materials_net_pence: terms.materials_net.0,
                    deduction_pence: deduction.0,
                    payable_pence: payable.0,
                    deducted_to_date_pence: deducted,
                }
            }),
            journal_id: self.journal_id.filter(|id| *id > 0),
            void_journal_id: self.void_journal_id.filter(|id| *id > 0),
            void_day: self.void_day,
            void_reason: self.void_reason.clone(),
            is_opening: self.is_opening,
            issued_at_ms: self.issued_at_ms.filter(|_| self.stage != Stage::Draft),
            last_emailed_at_ms: self.last_emailed_at_ms,
            created_at_ms: self.created_at_ms,
            updated_at_ms: self.updated_at_ms,
            version: self.version,
        }
    }
}
