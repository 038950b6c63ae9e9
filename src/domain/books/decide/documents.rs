//! Decides commands about invoices and credit notes: created, changed, issued, voided and deleted;
//! and builds the views of documents with their allocations.

use std::borrow::Cow;

use crate::domain::books::audit_fields::ChangeAction;
use crate::domain::books::decide::journals::as_posted;
use crate::domain::books::decide::{BooksTransaction, Rejection, require_version};
use crate::domain::books::effects::{Effect, ListCounters};
use crate::domain::books::facts::LoadedJournal;
use crate::domain::books::numbers::IdSequence;
use crate::domain::books::records::contact::ContactRecord;
use crate::domain::books::records::document::{
    DocumentField, DocumentInput, DocumentLineRecord, DocumentRecord, DocumentView,
};
use crate::domain::books::records::journal::JournalView;
use crate::domain::books::records::settlement::{AllocationView, WRITE_OFF};
use crate::domain::books::request::{CommandRequest, CommandResult};
use crate::domain::date::Date;
use crate::domain::ids::{AccountId, ContactId, DocumentId};
use crate::domain::ledger::allocation::{Allocation, AllocationEnd, Document};
use crate::domain::ledger::chart::AccountReference;
use crate::domain::ledger::contact::Contact;
use crate::domain::ledger::document::{CisType, DocumentKind, Draft, EnteredDocument, EnteredLine, Stage};
use crate::domain::ledger::issue::{VatTreatment, Voidable};
use crate::domain::ledger::journal::{Journal, PostedJournal};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::{CodeTotals, VatEntry, VatOrigin};
use crate::domain::ledger::{document, issue};

/// A draft that the rules agree to issue.
struct Issued {
    number: String,
    treatment: VatTreatment,
    /// Net and VAT by code, as far as they are declared with it.
    by_code: CodeTotals,
    journal: Option<Journal>,
}

impl BooksTransaction<'_> {
    pub(crate) fn create_document(
        &mut self,
        request: &CommandRequest,
        entry: &DocumentInput,
        is_issued: bool,
    ) -> Result<CommandResult, Rejection> {
        let draft = self.price(entry)?;
        self.require_free(entry, None)?;
        let issued = if is_issued { Some(self.issued(&draft, entry)?) } else { None };
        let id = self.identifiers.next(IdSequence::Document);
        let row = self.drafted(id, entry, draft);
        self.mark_used(row.contact_id);
        self.claim_supplier_reference(None, &row);
        self.effects.push(self.organisation(), Effect::DocumentLines { id, is_new: true });
        let row = match issued {
            Some(issued) => self.issue_row(request, row, issued, false),
            None => row,
        };
        self.put_document(row);
        self.shown_document(id)
    }

    pub(crate) fn patch_document(
        &mut self,
        request: &CommandRequest,
        kind: DocumentKind,
        id: i64,
        fields: &[DocumentField],
    ) -> Result<CommandResult, Rejection> {
        let row = self.document_row(request, kind, id)?;
        let row = match row.stage {
            Stage::Draft => self.patched_draft(row, fields)?,
            Stage::Issued => self.patched_issued(row, fields)?,
            Stage::Void => return Err(Refusal::InvalidState { current: "void", allowed: &["draft", "issued"] }.into()),
        };
        self.put_document(DocumentRecord { version: row.version + 1, updated_at_ms: self.now_ms, ..row });
        self.shown_document(id)
    }

    /// A draft is priced anew.
    fn patched_draft(&mut self, row: DocumentRecord, fields: &[DocumentField]) -> Result<DocumentRecord, Rejection> {
        let mut entry = entry_of(&row);
        let mut has_lines = false;
        // A due date by the terms follows the date and the terms; any other was given, and stays.
        if row.due_date.is_some() && self.due_by_terms(&row).is_ok_and(|by_terms| by_terms == row.due_date) {
            entry.due_date = None;
        }
        for field in fields {
            has_lines |= match field {
                DocumentField::VatInclusive(inclusive) => *inclusive != entry.is_vat_inclusive,
                DocumentField::Lines(_) => true,
                _ => false,
            };
            entry.set(field.clone());
        }
        let draft = self.price(&entry)?;
        self.require_free(&entry, Some(row.id))?;
        let new = self.drafted(row.id, &entry, draft);
        // Lines that stay as they were keep their ids.
        let lines = if has_lines {
            new.lines.clone()
        } else {
            with_cis_types(&row.lines, new.lines.iter().map(|line| line.cis_type))
        };
        if lines != row.lines {
            self.effects.push(self.organisation(), Effect::DocumentLines { id: row.id, is_new: false });
        }
        let (created_at_ms, version) = (row.created_at_ms, row.version);
        let new = DocumentRecord { lines, created_at_ms, version, ..new };
        self.mark_used(new.contact_id);
        self.claim_supplier_reference(Some(&row), &new);
        Ok(new)
    }

    fn patched_issued(&self, mut row: DocumentRecord, fields: &[DocumentField]) -> Result<DocumentRecord, Rejection> {
        if !fields.iter().all(DocumentField::is_open_to_change) {
            return Err(Refusal::InvalidState { current: row.status(), allowed: &["draft"] }.into());
        }
        for field in fields.iter().cloned() {
            match field {
                DocumentField::Reference(reference) => row.reference = reference,
                DocumentField::Notes(notes) => row.notes = notes,
                DocumentField::DueDate(date) if !row.kind.is_credit_note() => {
                    let date = match date {
                        Some(date) => Some(date),
                        None => self.due_by_terms(&row)?,
                    };
                    if let Some(changed) = date.filter(|date| Some(*date) != row.due_date) {
                        issue::change_due_date(row.stage, row.date, changed, self.books.lock_date())?;
                    }
                    row.due_date = date;
                }
                _ => {}
            }
        }
        Ok(row)
    }

    pub(crate) fn delete_document(
        &mut self,
        request: &CommandRequest,
        kind: DocumentKind,
        id: i64,
    ) -> Result<CommandResult, Rejection> {
        let row = self.document_row(request, kind, id)?;
        issue::require_draft(row.stage)?;
        self.effects.count(self.organisation(), kind.as_str(), row.status(), -1);
        self.effects.move_counters(self.books.organisation.id.0, Some(ListCounters::from(&row)), None);
        self.release_supplier_reference(&row);
        self.facts.documents.remove(&id);
        self.facts.register.remove_document(DocumentId(id));
        self.effects.push(self.organisation(), Effect::DocumentDeleted(id));
        let summary = format!("{} deleted", row.title());
        self.record_change(ChangeAction::Delete, (row.resource(), id), summary, Some(row.audit_fields()), None);
        Ok(CommandResult::Deleted(id))
    }

    pub(crate) fn issue_document(
        &mut self,
        request: &CommandRequest,
        kind: DocumentKind,
        id: i64,
    ) -> Result<CommandResult, Rejection> {
        let row = self.document_row(request, kind, id)?;
        issue::require_draft(row.stage)?;
        let entry = entry_of(&row);
        let draft = self.price(&entry)?;
        let issued = self.issued(&draft, &entry)?;
        // The rate of CIS is the supplier's on the day it is issued, and with it what lines are that do not say it.
        let lines = with_cis_types(&row.lines, draft.lines.iter().map(|line| line.cis_type));
        if lines != row.lines {
            self.effects.push(self.organisation(), Effect::DocumentLines { id, is_new: false });
        }
        let row = DocumentRecord { cis: draft.cis, lines, version: row.version + 1, updated_at_ms: self.now_ms, ..row };
        let row = self.issue_row(request, row, issued, true);
        self.put_document(row);
        self.shown_document(id)
    }

    pub(crate) fn void_document(
        &mut self,
        request: &CommandRequest,
        kind: DocumentKind,
        id: i64,
        void_date: Option<Date>,
        reason: Option<&str>,
    ) -> Result<CommandResult, Rejection> {
        let row = self.document_row(request, kind, id)?;
        let loaded = row.journal_id.and_then(|journal| self.facts.journals.get(&journal));
        let journal: Option<PostedJournal> = loaded.map(as_posted).transpose()?;
        if journal.is_none() && row.journal_id.is_some() && !row.is_opening {
            return Err(Rejection::Unknown);
        }
        let known = self.facts.register.documents.get(&DocumentId(id)).ok_or(Rejection::Unknown)?;
        let allocations = known.active_allocation_ids();
        let voidable = Voidable {
            stage: row.stage,
            date: known.date,
            earliest: known.earliest_change_date(),
            is_opening: row.is_opening,
            allocations: &allocations,
            journal: journal.as_ref(),
        };
        let (date, reversal) = issue::void(&voidable, void_date, self.books.lock_date())?;
        if row.stage == Stage::Issued {
            let posted = row.journal_id.and_then(|journal| self.facts.journals.get(&journal));
            let posted = posted.map(|loaded| loaded.view.clone());
            self.uncount_trade(&row, posted.as_ref(), date);
        }
        let reversed = reversal.map(|reversal| self.reverse(request, reversal, reason));
        self.release_supplier_reference(&row);
        let row = DocumentRecord {
            stage: Stage::Void,
            // A draft has no number to keep.
            number: row.number.filter(|_| row.stage != Stage::Draft),
            void_journal_id: reversed,
            void_date: Some(date),
            void_reason: reason.map(str::to_owned),
            version: row.version + 1,
            updated_at_ms: self.now_ms,
            ..row
        };
        self.put_document(row);
        self.shown_document(id)
    }

    /// Notes a reversal, and that what it reverses is void; gives its id.
    pub(crate) fn reverse(&mut self, request: &CommandRequest, reversal: Journal, reason: Option<&str>) -> i64 {
        let original = reversal.reverses.map_or(0, |id| id.0);
        let reversed = self.write_journal(request, reversal);
        if let Some(loaded) = self.facts.journals.get(&original).map(|loaded| loaded.view.clone()) {
            self.record_void(&loaded, reversed.id, reason);
        }
        reversed.id
    }

    pub(crate) fn document_row(
        &self,
        request: &CommandRequest,
        kind: DocumentKind,
        id: i64,
    ) -> Result<DocumentRecord, Rejection> {
        let found = self.facts.document(self.organisation(), id).filter(|row| row.kind == kind);
        let row = found.ok_or(Rejection::Unknown)?;
        require_version(request, row.version)?;
        Ok(row.clone())
    }

    pub(crate) fn shown_document(&self, id: i64) -> Result<CommandResult, Rejection> {
        self.document_view(id).map(|view| CommandResult::Document(Box::new(view))).ok_or(Rejection::Unknown)
    }

    /// A contact of this organisation, as the rules know it.
    pub(crate) fn contact_for_rules(&self, id: i64) -> Option<Contact> {
        let found = self.facts.contacts.get(&id).filter(|(of, _)| *of == self.organisation());
        found.map(|(_, row)| row.to_domain())
    }

    /// Sets a document. Its lines are written only with an [`Effect::DocumentLines`].
    pub(crate) fn put_document(&mut self, row: DocumentRecord) {
        let before = self.facts.documents.get(&row.id).map(|(_, before)| before);
        let action = row.action_since(before);
        self.put_document_as(action, row);
    }

    /// Sets a document; the history names this action.
    pub(crate) fn put_document_as(&mut self, action: ChangeAction, row: DocumentRecord) {
        let organisation = self.organisation();
        let list = row.kind.as_str();
        let before = self.facts.documents.get(&row.id).map(|(_, before)| before);
        let status = before.map(DocumentRecord::status);
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
        self.facts.register.put_document(row.to_domain(Vec::new()));
        self.effects.push(organisation, Effect::Document(row.id));
        let (on, title, after) = ((row.resource(), row.id), row.title(), row.audit_fields());
        let counters = ListCounters::from(&row);
        let before = self.facts.documents.get(&row.id).map(|(_, before)| before);
        let (counters_before, before) = (before.map(ListCounters::from), before.map(DocumentRecord::audit_fields));
        self.facts.documents.insert(row.id, (organisation, row));
        self.effects.move_counters(organisation, counters_before, Some(counters));
        self.record_change(action, on, format!("{title} {}", action.done()), before, Some(after));
    }

    /// The view of a document.
    pub(crate) fn document_view(&self, id: i64) -> Option<DocumentView> {
        let row = self.facts.document(self.organisation(), id)?;
        let known = self.facts.register.documents.get(&DocumentId(id))?;
        let contact_name = self.contact_name(row.contact_id);
        let allocations = self.allocation_views(&known.allocations, AllocationEnd::Document(known.id));
        let code = |account| self.books.accounts.get(&account).map(|account| account.code.clone());
        Some(row.view(contact_name, allocations, &known.allocations, |account| code(account).unwrap_or_default()))
    }

    /// The active allocations of an end, seen from there, oldest first.
    pub(crate) fn allocation_views(&self, allocations: &[Allocation], at: AllocationEnd) -> Vec<AllocationView> {
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
                    date: one.date,
                    amount_pence: one.amount.0,
                    cis_pence: if one.is_cash() { one.cis.0 } else { 0 },
                }
            })
            .collect();
        // A provisional identifier is negative and counts down: it is the last of its day.
        views.sort_by_key(|view| (view.date, view.id < 1, view.id.abs()));
        views
    }

    /// The kind, identifier and number of an end.
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
            AllocationEnd::WriteOff(id) => (WRITE_OFF, id.map_or(0, |id| id.0), None),
            AllocationEnd::Settlement(None) => ("", 0, None),
        }
    }

    /// The name of a contact.
    pub(crate) fn contact_name(&self, id: i64) -> String {
        self.facts.contacts.get(&id).map(|(_, contact)| contact.details.name.clone()).unwrap_or_default()
    }

    /// Records that a journal line or a document refers to this contact, so that it cannot be deleted any more.
    pub(crate) fn mark_used(&mut self, id: i64) {
        let unused = self.facts.contacts.get(&id).filter(|(_, row)| !row.used);
        if let Some((_, row)) = unused {
            let row = ContactRecord { used: true, ..row.clone() };
            self.put_contact(row);
        }
    }

    pub(crate) fn terms_days(&self) -> i32 {
        i32::try_from(self.books.organisation.default_payment_terms_days).unwrap_or(0)
    }

    fn due_by_terms(&self, row: &DocumentRecord) -> Result<Option<Date>, Refusal> {
        let Some(contact) = self.contact_for_rules(row.contact_id) else { return Ok(None) };
        let terms = contact.payment_terms_days.unwrap_or_else(|| self.terms_days());
        document::due_by_terms(row.date, terms).map(Some)
    }

    /// Prices a document, and looks at the invoice it takes back.
    fn price(&self, entry: &DocumentInput) -> Result<Draft, Refusal> {
        let contact = self.contact_for_rules(entry.contact_id);
        let origin = entry.origin_id.map(|id| (DocumentId(id), self.facts.document(self.organisation(), id)));
        let cis_rate = match origin {
            // What it takes back was deducted from at the rate of then.
            Some((_, row)) => row.and_then(|row| row.cis).map(|terms| terms.rate),
            None => contact.as_ref().and_then(|contact| contact.cis_rate),
        };
        let entered = EnteredDocument {
            kind: entry.kind,
            contact_id: ContactId(entry.contact_id),
            date: entry.date,
            due_date: entry.due_date,
            currency: entry.currency.clone(),
            is_vat_inclusive: entry.is_vat_inclusive,
            cis_rate,
            vat_basis: entry.vat_basis,
            lines: Cow::Borrowed(&entry.lines),
        };
        let draft = document::draft(&self.books.books(), contact.as_ref(), self.terms_days(), &entered)?;
        if let Some((id, row)) = origin {
            let origin = self.facts.register.documents.get(&id).filter(|_| row.is_some());
            Document::require_origin(origin, entry.kind, draft.contact_id, id)?;
        }
        Ok(draft)
    }

    /// The caller's own number and the supplier's reference are nobody else's.
    fn require_free(&self, entry: &DocumentInput, but: Option<i64>) -> Result<(), Refusal> {
        if let Some(number) = &entry.number {
            let taken = self.facts.numbers.get(&(self.organisation(), entry.kind, number.clone()));
            issue::require_free(taken.copied().map(DocumentId), but.map(DocumentId), entry.kind.number_field())?;
        }
        if let Some(reference) = &entry.supplier_reference {
            let taken = self.facts.supplier_references.get(&(entry.contact_id, entry.kind, reference.clone()));
            issue::require_free(taken.copied().map(DocumentId), but.map(DocumentId), "supplier_reference")?;
        }
        Ok(())
    }

    pub(crate) fn claim_supplier_reference(&mut self, before: Option<&DocumentRecord>, row: &DocumentRecord) {
        if let Some(before) = before {
            self.release_supplier_reference(before);
        }
        if let Some(reference) = &row.supplier_reference {
            self.facts.supplier_references.insert((row.contact_id, row.kind, reference.clone()), row.id);
        }
    }

    pub(crate) fn release_supplier_reference(&mut self, row: &DocumentRecord) {
        if let Some(reference) = &row.supplier_reference {
            let key = (row.contact_id, row.kind, reference.clone());
            if self.facts.supplier_references.get(&key) == Some(&row.id) {
                self.facts.supplier_references.remove(&key);
            }
        }
    }

    fn drafted(&mut self, id: i64, entry: &DocumentInput, draft: Draft) -> DocumentRecord {
        let mut lines = Vec::with_capacity(draft.lines.len());
        for (entered, priced) in entry.lines.iter().zip(&draft.lines) {
            lines.push(DocumentLineRecord {
                id: self.identifiers.next(IdSequence::DocumentLine),
                description: entered.description.clone(),
                account_id: priced.account_id.0,
                quantity: entered.quantity,
                unit_price: entered.unit_price,
                discount: entered.discount,
                vat_code: priced.vat_code,
                reverse_charge: priced.reverse_charge,
                has_standard_basis: priced.has_standard_basis,
                given_vat_pence: entered.vat_amount.map(|vat| vat.0),
                net_pence: priced.amount.net.0,
                vat_pence: priced.amount.vat.0,
                cis_type: priced.cis_type,
                given_cis_type: entered.cis_type,
            });
        }
        DocumentRecord {
            id,
            kind: entry.kind,
            stage: Stage::Draft,
            number: entry.number.clone(),
            supplier_reference: entry.supplier_reference.clone(),
            contact_id: entry.contact_id,
            date: draft.date,
            due_date: draft.due_date,
            reference: entry.reference.clone(),
            notes: entry.notes.clone(),
            is_vat_inclusive: entry.is_vat_inclusive,
            origin_id: entry.origin_id,
            lines,
            net_pence: draft.total.net.0,
            vat_pence: draft.total.vat.0,
            by_code: draft.by_code(None),
            paid_pence: 0,
            credited_pence: 0,
            cis: draft.cis,
            is_opening: false,
            opened_on: None,
            basis: None,
            given_basis: entry.vat_basis,
            journal_id: None,
            void_journal_id: None,
            void_date: None,
            void_reason: None,
            issued_at_ms: None,
            last_emailed_at_ms: None,
            email_count: 0,
            created_at_ms: self.now_ms,
            updated_at_ms: self.now_ms,
            version: 1,
        }
    }

    /// Asks the rules whether a draft may be issued.
    fn issued(&self, draft: &Draft, entry: &DocumentInput) -> Result<Issued, Refusal> {
        let number = self.new_number(draft.kind, entry.number.as_deref())?;
        let treatment = self.treatment(draft, entry.origin_id);
        let journal = issue::issue(&self.books.books(), draft, treatment, &number)?;
        Ok(Issued { number, by_code: draft.by_code(Some(treatment.basis)), treatment, journal })
    }

    /// How the VAT of a document is posted: that of a credit note as that of the invoice it takes back.
    fn treatment(&self, draft: &Draft, origin_id: Option<i64>) -> VatTreatment {
        let books = self.books.books();
        let origin = origin_id.and_then(|id| self.facts.document(self.organisation(), id));
        match origin.and_then(|origin| origin.basis.zip(Some(origin))) {
            Some((basis, origin)) => {
                let gross = |line: &DocumentLineRecord| Pence(line.net_pence + line.vat_pence);
                let known = |line: &DocumentLineRecord| (AccountId(line.account_id), line.vat_code, gross(line));
                VatTreatment::taking_back(&books, origin.date, basis, origin.lines.iter().map(known))
            }
            None => VatTreatment::of(&books, draft),
        }
    }

    /// Issues a draft: the number is taken, the journal posted. A draft that was at hand may be voided in the same group.
    fn issue_row(
        &mut self,
        request: &CommandRequest,
        row: DocumentRecord,
        issued: Issued,
        was_stored: bool,
    ) -> DocumentRecord {
        self.take_number(row.kind, &issued.number, row.id);
        let row = DocumentRecord {
            stage: Stage::Issued,
            number: Some(issued.number),
            basis: Some(issued.treatment.basis),
            by_code: issued.by_code,
            issued_at_ms: Some(self.now_ms),
            ..row
        };
        let Some(mut journal) = issued.journal else {
            self.count_trade(&row, None);
            return row;
        };
        journal.source.id = Some(row.id);
        let vat = if was_stored { journal.vat.clone() } else { Vec::new() };
        let view = self.write_journal_of(request, journal, Some(&row));
        self.effects.count(self.organisation(), "journal", "posted", 1);
        self.count_trade(&row, Some(&view));
        let journal_id = Some(view.id);
        if was_stored {
            self.keep_journal(view, vat, row.id);
        }
        DocumentRecord { journal_id, ..row }
    }

    /// Keeps a journal at hand as it would be loaded.
    fn keep_journal(&mut self, view: JournalView, vat: Vec<VatEntry>, document: i64) {
        let origin = VatOrigin::Document(DocumentId(document));
        let vat = vat.into_iter().map(|entry| VatEntry { origin, ..entry }).collect();
        let organisation = self.organisation();
        self.facts.journals.insert(view.id, LoadedJournal { organisation, view, vat });
    }
}

/// Stored lines with what they are now under CIS.
fn with_cis_types(lines: &[DocumentLineRecord], cis_types: impl Iterator<Item = CisType>) -> Vec<DocumentLineRecord> {
    let now = |(line, cis_type): (&DocumentLineRecord, CisType)| DocumentLineRecord { cis_type, ..line.clone() };
    lines.iter().zip(cis_types).map(now).collect()
}

/// A stored draft as it would be entered.
fn entry_of(row: &DocumentRecord) -> DocumentInput {
    let line = |line: &DocumentLineRecord| EnteredLine {
        description: line.description.clone(),
        account: Some(AccountReference::Id(AccountId(line.account_id))),
        quantity: line.quantity,
        unit_price: line.unit_price,
        discount: line.discount,
        vat_code: Some(line.vat_code),
        reverse_charge: line.reverse_charge.map(|charged| charged.kind),
        has_standard_basis: line.has_standard_basis,
        vat_amount: line.given_vat_pence.map(Pence),
        cis_type: line.given_cis_type,
    };
    DocumentInput {
        kind: row.kind,
        contact_id: row.contact_id,
        date: row.date,
        due_date: row.due_date,
        number: row.number.clone(),
        supplier_reference: row.supplier_reference.clone(),
        reference: row.reference.clone(),
        notes: row.notes.clone(),
        currency: None,
        is_vat_inclusive: row.is_vat_inclusive,
        vat_basis: row.given_basis,
        origin_id: row.origin_id,
        lines: row.lines.iter().map(line).collect(),
    }
}
