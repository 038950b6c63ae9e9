//! Documents that come with the opening balances: they have the opening journal and none of their own, and go with it.

use std::collections::BTreeMap;

use super::decide::Desk;
use super::document_rows::DocumentRow;
use super::documents::DocumentView;
use super::ids::Kind;
use super::named::Named;
use crate::domain::ledger::change::ChangeAction;
use crate::domain::ledger::code_totals::CodeTotals;
use crate::domain::ledger::contact::Contact;
use crate::domain::ledger::document::Stage;
use crate::domain::ledger::ids::{AllocationId, ContactId, DocumentId};
use crate::domain::ledger::journal::{Journal, Line, Target};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::opening::OpeningDocument;
use crate::domain::ledger::vat::{Side, Split, VatCode};

impl Named {
    /// Notes what open documents name: their contacts, and who has their numbers.
    pub(super) fn note_opening_documents(&mut self, documents: &[OpeningDocument]) {
        for document in documents {
            self.contacts.insert(document.contact_id.0);
            match document.kind.side() {
                Side::Output => self.numbers.insert(document.number.clone()),
                Side::Input => self.supplier_references.insert(document.number.clone()),
            };
        }
    }
}

impl Desk<'_> {
    /// What the rules have to know of open documents: the contacts, and by place who has the number.
    pub(super) fn opening_facts(&self, documents: &[OpeningDocument]) -> (Vec<Contact>, Vec<Option<DocumentId>>) {
        let contacts = documents.iter().filter_map(|document| self.contact_for_rules(document.contact_id.0)).collect();
        let taken = documents.iter().map(|document| {
            let number = document.number.clone();
            let id = match document.kind.side() {
                Side::Output => self.facts.numbers.get(&(self.organisation(), document.kind, number)),
                Side::Input => self.facts.supplier_references.get(&(document.contact_id.0, document.kind, number)),
            };
            id.copied().map(DocumentId)
        });
        (contacts, taken.collect())
    }

    /// Splits what an opening journal posts to debtors and creditors by the contacts of the open documents, so that their
    /// balances hold it; what is on no document stays without a contact.
    pub(super) fn split_opening(&self, journal: &mut Journal, documents: &[OpeningDocument]) {
        for side in [Side::Output, Side::Input] {
            let mut by_contact: BTreeMap<ContactId, Pence> = BTreeMap::new();
            let mut control = None;
            for document in documents.iter().filter(|document| document.kind.side() == side) {
                let signed = Pence(document.amount_due.0 * document.kind.control_sign());
                *by_contact.entry(document.contact_id).or_default() += signed;
                control = Some(self.books.books().control(document.kind.control_role()));
            }
            if let Some(target) = control {
                split_lines(&mut journal.lines, &target, &by_contact);
            }
        }
    }

    /// Draws up the documents of an opening journal that is written.
    pub(super) fn open_documents(&mut self, journal_id: i64, documents: &[OpeningDocument]) -> Vec<DocumentView> {
        let mut ids = Vec::with_capacity(documents.len());
        for document in documents {
            let id = self.identifiers.next(Kind::Document);
            let row = self.opened(id, journal_id, document);
            if let Some(number) = &row.number {
                self.take_number(row.kind, number, id);
            }
            if let Some(reference) = &row.supplier_reference {
                self.facts.supplier_references.insert((row.contact_id, row.kind, reference.clone()), id);
            }
            self.mark_used(row.contact_id);
            self.change_document(ChangeAction::Create, row);
            ids.push(id);
        }
        ids.into_iter().filter_map(|id| self.document_view(id)).collect()
    }

    fn opened(&self, id: i64, journal_id: i64, document: &OpeningDocument) -> DocumentRow {
        let (kind, amount) = (document.kind, document.amount_due);
        let (number, supplier_reference) = match kind.side() {
            Side::Output => (Some(document.number.clone()), None),
            // Our own numbers are given in order, here too.
            Side::Input => (self.new_number(kind, None).ok(), Some(document.number.clone())),
        };
        let due_day = document.due_date.or_else(|| {
            let contact = self.contact_for_rules(document.contact_id.0)?;
            Some(document.date.saturating_add(contact.payment_terms_days.unwrap_or_else(|| self.terms_days())))
        });
        DocumentRow {
            id,
            kind,
            stage: Stage::Issued,
            number: number.filter(|number| !number.is_empty()),
            supplier_reference,
            contact_id: document.contact_id.0,
            day: document.date,
            due_day: due_day.filter(|_| !kind.is_credit_note()),
            reference: None,
            notes: None,
            is_vat_inclusive: false,
            origin_id: None,
            lines: Vec::new(),
            net_pence: amount.0,
            vat_pence: 0,
            // Its VAT is accounted for.
            by_code: CodeTotals::from_iter([(VatCode::NoVat, Split { net: amount, vat: Pence::ZERO })]),
            paid_pence: 0,
            credited_pence: 0,
            cis: None,
            is_opening: true,
            journal_id: Some(journal_id),
            void_journal_id: None,
            void_day: None,
            void_reason: None,
            issued_at_ms: Some(self.now_ms),
            last_emailed_at_ms: None,
            created_at_ms: self.now_ms,
            updated_at_ms: self.now_ms,
            version: 1,
        }
    }

    /// The ids of the documents of an opening journal, none of them void.
    fn opened_by(&self, journal_id: i64) -> Vec<i64> {
        let organisation = self.organisation();
        let is_of = |of: i64, row: &DocumentRow| {
            of == organisation && row.is_opening && row.journal_id == Some(journal_id) && row.stage == Stage::Issued
        };
        let mut ids: Vec<i64> =
            self.facts.documents.values().filter(|(of, row)| is_of(*of, row)).map(|(_, row)| row.id).collect();
        ids.sort_unstable();
        ids
    }

    /// What settles the documents of an opening journal now, and the earliest day they may be void from.
    pub(super) fn opening_settled(&self, journal_id: i64) -> (Vec<AllocationId>, Option<i32>) {
        let ids = self.opened_by(journal_id);
        let known = || ids.iter().filter_map(|id| self.facts.register.documents.get(&DocumentId(*id)));
        let mut allocations: Vec<_> = known().flat_map(|document| document.active_allocation_ids()).collect();
        allocations.sort_unstable();
        allocations.dedup();
        // A document's own day is before the journal's.
        (allocations, known().map(|document| document.earliest_void()).max())
    }

    /// The documents of an opening journal are void with it. Their numbers are free again.
    pub(super) fn void_opening_documents(&mut self, journal_id: i64, reversal_id: i64, day: i32, reason: Option<&str>) {
        for id in self.opened_by(journal_id) {
            let Some((_, row)) = self.facts.documents.get(&id).cloned() else { continue };
            if let Some(number) = &row.number {
                self.facts.numbers.remove(&(self.organisation(), row.kind, number.clone()));
            }
            self.release_supplier_reference(&row);
            let row = DocumentRow {
                stage: Stage::Void,
                void_journal_id: Some(reversal_id),
                void_day: Some(day),
                void_reason: reason.map(str::to_owned),
                version: row.version + 1,
                updated_at_ms: self.now_ms,
                ..row
            };
            self.change_document(ChangeAction::Void, row);
        }
    }
}

/// Takes the amounts of contacts out of the lines of an account that have no contact, and gives each its own line.
fn split_lines(lines: &mut Vec<Line>, target: &Target, by_contact: &BTreeMap<ContactId, Pence>) {
    let is_whole = |line: &Line| line.target == *target && line.contact_id.is_none();
    let place = lines.iter().position(is_whole).unwrap_or(lines.len());
    let whole: Pence = lines.iter().filter(|line| is_whole(line)).map(|line| line.amount).sum();
    let rest = whole - by_contact.values().copied().sum();
    lines.retain(|line| !is_whole(line));
    let of_contacts = by_contact.iter().map(|(id, amount)| Line::new(target.clone(), *amount).with_contact(*id));
    let split = of_contacts.chain([Line::new(target.clone(), rest)]).filter(|line| !line.amount.is_zero());
    let place = place.min(lines.len());
    lines.splice(place..place, split);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ledger::ids::AccountId;

    #[test]
    fn what_debtors_owe_is_split_by_contact() {
        let control = Target::Account(AccountId(5));
        let mut lines = vec![
            Line::new(Target::Account(AccountId(1)), Pence(900)),
            Line::new(control.clone(), Pence(1_000)),
            Line::new(Target::Account(AccountId(2)), Pence(-1_900)),
        ];
        let by_contact =
            BTreeMap::from([(ContactId(3), Pence(700)), (ContactId(4), Pence::ZERO), (ContactId(7), Pence(-50))]);
        split_lines(&mut lines, &control, &by_contact);
        let shown: Vec<_> = lines.iter().map(|line| (line.contact_id.map(|id| id.0), line.amount.0)).collect();
        assert_eq!(shown, [(None, 900), (Some(3), 700), (Some(7), -50), (None, 350), (None, -1_900)]);
    }
}
