//! Invoices and credit notes: the input, the record with its lines, what callers see of it, and the filter of the list.

use crate::domain::books::audit_fields::{AuditFields, ChangeAction, Resource};
use crate::domain::books::records::settlement::AllocationView;
use crate::domain::date::{Date, date_time_text};
use crate::domain::ids::{ContactId, DocumentId};
use crate::domain::ledger::allocation::{Allocation, Document};
use crate::domain::ledger::cis;
use crate::domain::ledger::document::{CisType, DocumentKind, EnteredLine, Stage, status};
use crate::domain::ledger::money::{Decimal4, Pence, Percent};
use crate::domain::ledger::vat::{Basis, CodeTotals, ReverseCharged, VatCode};

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
    /// The basis it is given for its VAT: only the standard one.
    pub vat_basis: Option<Basis>,
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
    VatBasis(Option<Basis>),
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
            DocumentField::VatBasis(basis) => self.vat_basis = basis,
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
    /// The day of the opening balances that it came with.
    pub(crate) opened_on: Option<Date>,
    /// How its VAT is declared, once it is issued; of opening documents when they say their VAT.
    pub(crate) basis: Option<Basis>,
    /// The basis it is given for its VAT.
    pub(crate) given_basis: Option<Basis>,
    pub(crate) journal_id: Option<i64>,
    pub(crate) void_journal_id: Option<i64>,
    pub(crate) void_date: Option<Date>,
    pub(crate) void_reason: Option<String>,
    pub(crate) issued_at_ms: Option<i64>,
    pub(crate) last_emailed_at_ms: Option<i64>,
    /// How many e-mails of it were queued, each of which made a version.
    pub(crate) email_count: i64,
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
    /// The reverse charge it is under, with its VAT.
    pub reverse_charge: Option<ReverseCharged>,
    /// Whether it is a fixed asset sold outside the turnover of the flat rate.
    pub has_standard_basis: bool,
    /// The caller's own figure for the VAT.
    pub given_vat_pence: Option<i64>,
    /// Without VAT.
    pub net_pence: i64,
    /// The VAT.
    pub vat_pence: i64,
    /// What it is under CIS.
    pub cis_type: CisType,
    /// What the caller says it is; none when it follows from the supplier.
    pub given_cis_type: Option<CisType>,
}

impl DocumentRecord {
    /// Net and VAT together.
    pub(crate) const fn gross_pence(&self) -> i64 {
        self.net_pence + self.vat_pence
    }

    /// Counts the changes of what is printed: e-mails are versions of their own, and print alike.
    pub(crate) const fn printed_version(&self) -> i64 {
        self.version - self.email_count
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
            opened_on: self.opened_on,
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
            .text("last_emailed_at", self.last_emailed_at_ms.map(date_time_text).as_deref())
    }
}

/// The view of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentView {
    /// Identifier; 0 in a dry run.
    pub id: i64,
    /// The kind of document.
    pub kind: DocumentKind,
    /// Whether it is a draft, issued or void.
    pub stage: Stage,
    /// Its number, once it has one; a draft may have one of its own.
    pub number: Option<String>,
    /// The supplier's number.
    pub supplier_reference: Option<String>,
    /// The customer or supplier.
    pub contact_id: i64,
    /// The name of the customer or supplier.
    pub contact_name: String,
    /// Its date.
    pub date: Date,
    /// The day on which it is due.
    pub due_date: Option<Date>,
    /// The caller's own reference.
    pub reference: Option<String>,
    /// Notes.
    pub notes: Option<String>,
    /// Whether the prices contain the VAT.
    pub is_vat_inclusive: bool,
    /// How its VAT is declared; of a draft the basis it is given, if any.
    pub vat_basis: Option<Basis>,
    /// The invoice that a credit note corrects.
    pub origin_id: Option<i64>,
    /// Its lines, in order.
    pub lines: Vec<DocumentLineRecord>,
    /// The code each line's account has now.
    pub account_codes: Vec<String>,
    /// Without VAT.
    pub net_pence: i64,
    /// The VAT.
    pub vat_pence: i64,
    /// The cash allocated to it and the CIS withheld; of a credit note, the amount refunded.
    pub paid_pence: i64,
    /// The credit allocated to it; of a credit note, the credit allocated from it.
    pub credited_pence: i64,
    /// The cash allocated to it, without the CIS withheld.
    pub cash_pence: i64,
    /// Its active allocations, oldest first.
    pub allocations: Vec<AllocationView>,
    /// The CIS of a purchase.
    pub cis: Option<DocumentCis>,
    /// The journal of its issue.
    pub journal_id: Option<i64>,
    /// The journal that voids it.
    pub void_journal_id: Option<i64>,
    /// The day from which it is void.
    pub void_date: Option<Date>,
    /// The reason given.
    pub void_reason: Option<String>,
    /// Whether it is a part of the opening balances.
    pub is_opening: bool,
    /// When it was issued.
    pub issued_at_ms: Option<i64>,
    /// When it was last e-mailed.
    pub last_emailed_at_ms: Option<i64>,
    /// How many e-mails of it were queued.
    pub email_count: i64,
    /// When it was created.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

/// The CIS of a purchase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentCis {
    /// Percent.
    pub rate: i64,
    /// The base of the deduction, as billed.
    pub labour_net_pence: i64,
    /// The part without a deduction, as billed.
    pub materials_net_pence: i64,
    /// The whole deduction, before credit.
    pub deduction_pence: i64,
    /// The whole cash to be paid, before credit.
    pub payable_pence: i64,
    /// The amount deducted with the payments so far.
    pub deducted_to_date_pence: i64,
}

impl DocumentView {
    /// Net and VAT together.
    pub const fn gross_pence(&self) -> i64 {
        self.net_pence + self.vat_pence
    }

    /// The amount due of an invoice, or the unallocated amount of a credit note; 0 for drafts and void documents.
    pub const fn due_pence(&self) -> i64 {
        match self.stage {
            Stage::Issued => self.gross_pence() - self.paid_pence - self.credited_pence,
            Stage::Draft | Stage::Void => 0,
        }
    }

    /// What follows from the stage and from what settles it.
    pub fn status(&self) -> &'static str {
        status(self.kind, self.stage, Pence(self.gross_pence()), Pence(self.paid_pence + self.credited_pence))
    }

    /// Days since it should have been paid; 0 when nothing is overdue.
    pub fn days_overdue(&self, today: Date) -> i32 {
        let due = self.due_date.filter(|_| self.due_pence() > 0);
        due.map_or(0, |due| (today - due).max(0))
    }
}

impl DocumentRecord {
    /// Its view: `shown` are the active allocations, `all` are all allocations as the rules read them.
    pub(crate) fn view(
        &self,
        contact_name: String,
        shown: Vec<AllocationView>,
        all: &[Allocation],
        code_of: impl Fn(i64) -> String,
    ) -> DocumentView {
        let cash = || all.iter().filter(|one| one.is_active() && one.is_cash());
        let deducted = cash().map(|one| one.cis.0).sum();
        // A number that a dry run would have consumed is not known.
        let number = self.number.clone().filter(|number| !number.is_empty());
        DocumentView {
            id: self.id,
            kind: self.kind,
            stage: self.stage,
            number,
            supplier_reference: self.supplier_reference.clone(),
            contact_id: self.contact_id,
            contact_name,
            date: self.date,
            due_date: self.due_date,
            reference: self.reference.clone(),
            notes: self.notes.clone(),
            is_vat_inclusive: self.is_vat_inclusive,
            vat_basis: self.basis.or(self.given_basis),
            origin_id: self.origin_id,
            lines: self.lines.clone(),
            account_codes: self.lines.iter().map(|line| code_of(line.account_id)).collect(),
            net_pence: self.net_pence,
            vat_pence: self.vat_pence,
            paid_pence: self.paid_pence,
            credited_pence: self.credited_pence,
            cash_pence: cash().map(|one| one.amount.0).sum(),
            allocations: shown,
            cis: self.cis.map(|terms| {
                let (deduction, payable) = self.to_domain(all.to_vec()).cis_totals();
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
            void_date: self.void_date,
            void_reason: self.void_reason.clone(),
            is_opening: self.is_opening,
            issued_at_ms: self.issued_at_ms.filter(|_| self.stage != Stage::Draft),
            last_emailed_at_ms: self.last_emailed_at_ms,
            email_count: self.email_count,
            created_at_ms: self.created_at_ms,
            updated_at_ms: self.updated_at_ms,
            version: self.version,
        }
    }
}
