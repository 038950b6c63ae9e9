//! Invoices and credit notes: the input, the record with its lines, and the filter of the list.

use crate::domain::books::audit_fields::AuditFields;
use crate::domain::date::Date;
use crate::domain::ids::{ContactId, DocumentId};
use crate::domain::ledger::allocation::{Allocation, Document};
use crate::domain::ledger::change::{ChangeAction, Resource};
use crate::domain::ledger::cis;
use crate::domain::ledger::document::{CisType, DocumentKind, EnteredLine, Stage, status};
use crate::domain::ledger::money::{Decimal4, Pence, Percent};
use crate::domain::ledger::vat::VatCode;
use crate::domain::ledger::vat_entry::{Basis, CodeTotals};

/// An invoice or credit note as entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentInput {
    /// Which of the four.
    pub kind: DocumentKind,
    /// With whom.
    pub contact_id: i64,
    /// Its date.
    pub date: Date,
    /// When it is to be paid; by the terms when absent. Credit notes have none.
    pub due_date: Option<Date>,
    /// The caller's own number of a sales document.
    pub number: Option<String>,
    /// The supplier's number of a purchase document.
    pub supplier_reference: Option<String>,
    /// The caller's reference.
    pub reference: Option<String>,
    /// Notes.
    pub notes: Option<String>,
    /// The currency, when given.
    pub currency: Option<String>,
    /// Whether the prices contain the VAT.
    pub is_vat_inclusive: bool,
    /// The invoice that a credit note takes back.
    pub origin_id: Option<i64>,
    /// Its lines.
    pub lines: Vec<EnteredLine>,
}

/// A field of a document with its new value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of `DocumentInput`, one each")]
pub enum DocumentField {
    Contact(i64),
    Date(Date),
    DueDate(Option<Date>),
    Number(Option<String>),
    SupplierReference(Option<String>),
    Reference(Option<String>),
    Notes(Option<String>),
    Currency(String),
    VatInclusive(bool),
    Origin(Option<i64>),
    Lines(Vec<EnteredLine>),
}

impl DocumentField {
    /// Whether it may be changed on an issued document too.
    pub const fn is_open_to_change(&self) -> bool {
        matches!(self, Self::Reference(_) | Self::Notes(_) | Self::DueDate(_))
    }
}

impl DocumentInput {
    /// Sets a field.
    pub fn set(&mut self, field: DocumentField) {
        match field {
            DocumentField::Contact(id) => self.contact_id = id,
            DocumentField::Date(date) => self.date = date,
            DocumentField::DueDate(date) => self.due_date = date,
            DocumentField::Number(number) => self.number = number,
            DocumentField::SupplierReference(reference) => self.supplier_reference = reference,
            DocumentField::Reference(reference) => self.reference = reference,
            DocumentField::Notes(notes) => self.notes = notes,
            DocumentField::Currency(currency) => self.currency = Some(currency),
            DocumentField::VatInclusive(inclusive) => self.is_vat_inclusive = inclusive,
            DocumentField::Origin(origin) => self.origin_id = origin,
            DocumentField::Lines(lines) => self.lines = lines,
        }
    }
}

/// Which documents of one kind.
#[derive(Debug, Clone, Default)]
pub struct DocumentFilter {
    /// Any of these statuses (`draft`, `issued`, `part_paid`, `paid`, `void`, `part_allocated`, `allocated`).
    pub statuses: Vec<&'static str>,
    /// With whom.
    pub contact_id: Option<i64>,
    /// Dated from.
    pub from_date: Option<Date>,
    /// Dated to.
    pub to_date: Option<Date>,
    /// Due before.
    pub due_before_date: Option<Date>,
    /// Due before this day (today) with something left to pay.
    pub overdue_on: Option<Date>,
    /// Text in number, reference, supplier's reference or the contact's name.
    pub search: Option<String>,
    /// Changed since, in milliseconds.
    pub updated_since_ms: Option<i64>,
}

/// An invoice or credit note as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DocumentRecord {
    pub(crate) id: i64,
    pub(crate) kind: DocumentKind,
    pub(crate) stage: Stage,
    /// Of a draft, the number it is to get.
    pub(crate) number: Option<String>,
    pub(crate) supplier_reference: Option<String>,
    pub(crate) contact_id: i64,
    pub(crate) date: Date,
    pub(crate) due_date: Option<Date>,
    pub(crate) reference: Option<String>,
    pub(crate) notes: Option<String>,
    pub(crate) is_vat_inclusive: bool,
    pub(crate) origin_id: Option<i64>,
    /// Only of documents that are shown or priced again.
    pub(crate) lines: Vec<DocumentLineRecord>,
    pub(crate) net_pence: i64,
    pub(crate) vat_pence: i64,
    pub(crate) by_code: CodeTotals,
    /// Kept sums of its allocations.
    pub(crate) paid_pence: i64,
    pub(crate) credited_pence: i64,
    pub(crate) cis: Option<cis::Terms>,
    pub(crate) is_opening: bool,
    /// How its VAT is declared, once it is issued; none of opening documents.
    pub(crate) basis: Option<Basis>,
    pub(crate) journal_id: Option<i64>,
    pub(crate) void_journal_id: Option<i64>,
    pub(crate) void_date: Option<Date>,
    pub(crate) void_reason: Option<String>,
    pub(crate) issued_at_ms: Option<i64>,
    pub(crate) last_emailed_at_ms: Option<i64>,
    pub(crate) created_at_ms: i64,
    pub(crate) updated_at_ms: i64,
    pub(crate) version: i64,
}

/// A line of a document as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentLineRecord {
    /// Identifier; 0 in a rehearsal.
    pub id: i64,
    /// What it is for.
    pub description: String,
    /// The account.
    pub account_id: i64,
    /// How many.
    pub quantity: Decimal4,
    /// The price of one.
    pub unit_price: Decimal4,
    /// What is taken off.
    pub discount: Percent,
    /// The VAT code.
    pub vat_code: VatCode,
    /// The caller's own figure for the VAT.
    pub given_vat_pence: Option<i64>,
    /// Without VAT.
    pub net_pence: i64,
    /// The VAT.
    pub vat_pence: i64,
    /// What it is under CIS.
    pub cis_type: CisType,
}

impl DocumentRecord {
    /// Net and VAT together.
    pub(crate) const fn gross_pence(&self) -> i64 {
        self.net_pence + self.vat_pence
    }

    /// What is left to settle; nothing of drafts and void documents.
    pub(crate) const fn due_pence(&self) -> i64 {
        match self.stage {
            Stage::Issued => self.gross_pence() - self.paid_pence - self.credited_pence,
            Stage::Draft | Stage::Void => 0,
        }
    }

    /// What follows from the stage and the allocations.
    pub(crate) fn status(&self) -> &'static str {
        let settled = Pence(self.paid_pence + self.credited_pence);
        status(self.kind, self.stage, Pence(self.gross_pence()), settled)
    }

    /// How much of it is due before a day.
    pub(crate) fn overdue_pence(&self, today: Date) -> i64 {
        if self.due_date.is_some_and(|date| date < today) { self.due_pence() } else { 0 }
    }

    /// The document as the rules know it, with what settles it.
    pub(crate) fn to_domain(&self, allocations: Vec<Allocation>) -> Document {
        Document {
            id: DocumentId(self.id),
            kind: self.kind,
            contact_id: ContactId(self.contact_id),
            stage: self.stage,
            date: self.date,
            gross: Pence(self.gross_pence()),
            deduction: self.cis.map_or(Pence::ZERO, |terms| terms.deduction),
            by_code: self.by_code.clone(),
            basis: self.basis,
            allocations,
        }
    }

    /// What a search looks in, beside the contact's name.
    pub(crate) fn search_text(&self) -> String {
        let mut text = String::new();
        for part in [&self.number, &self.reference, &self.supplier_reference].into_iter().flatten() {
            text.push_str(&part.to_lowercase());
            text.push('\n');
        }
        text
    }
}

impl DocumentRecord {
    pub(crate) const fn resource(&self) -> Resource {
        match self.kind {
            DocumentKind::SalesInvoice => Resource::SalesInvoice,
            DocumentKind::SalesCreditNote => Resource::SalesCreditNote,
            DocumentKind::PurchaseInvoice => Resource::PurchaseInvoice,
            DocumentKind::PurchaseCreditNote => Resource::PurchaseCreditNote,
        }
    }

    /// What it is called in a summary.
    pub(crate) fn title(&self) -> String {
        let number = self.number.as_deref().filter(|number| !number.is_empty());
        format!("{} {}", self.kind.title(), number.unwrap_or(if self.stage == Stage::Draft { "(draft)" } else { "" }))
    }

    /// What was done to it.
    pub(crate) fn action_since(&self, before: Option<&Self>) -> ChangeAction {
        let Some(before) = before else { return ChangeAction::Create };
        let settled = |row: &Self| row.paid_pence + row.credited_pence;
        match (before.stage, self.stage) {
            (Stage::Draft, Stage::Issued) => ChangeAction::Issue,
            (Stage::Draft | Stage::Issued, Stage::Void) => ChangeAction::Void,
            _ if settled(self) > settled(before) => ChangeAction::Allocate,
            _ if settled(self) < settled(before) => ChangeAction::Unallocate,
            _ => ChangeAction::Update,
        }
    }

    pub(crate) fn audit_fields(&self) -> AuditFields {
        AuditFields::new()
            .text("number", self.number.as_deref())
            .text("status", self.status())
            .text("supplier_reference", self.supplier_reference.as_deref())
            .number("contact_id", self.contact_id)
            .date("date", self.date)
            .date("due_date", self.due_date)
            .text("reference", self.reference.as_deref())
            .text("notes", self.notes.as_deref())
            .number("invoice_id", self.origin_id)
            .money("net_amount", self.net_pence)
            .money("vat_amount", self.vat_pence)
            .money("amount_due", self.due_pence())
            .number("journal_id", self.journal_id)
            .number("void_journal_id", self.void_journal_id)
            .date("void_date", self.void_date)
            .text("void_reason", self.void_reason.as_deref())
    }
}
