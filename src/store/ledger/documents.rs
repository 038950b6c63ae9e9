//! Invoices and credit notes: what is said of them, the rows, and what is asked about them.

use super::settlements::AllocationView;
use crate::domain::ledger::decimal::{Decimal4, Percent};
use crate::domain::ledger::document::{DocumentKind, Stage};
use crate::domain::ledger::document_line::CisType;
use crate::domain::ledger::vat::VatCode;

/// An invoice or credit note as entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentEntry {
    /// Which of the four.
    pub kind: DocumentKind,
    /// With whom.
    pub contact_id: i64,
    /// Its date.
    pub day: i32,
    /// When it is to be paid; by the terms when absent. Credit notes have none.
    pub due_day: Option<i32>,
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
    pub lines: Vec<DocumentLineEntry>,
}

/// A line as entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentLineEntry {
    /// What it is for.
    pub description: String,
    /// The account; the contact's when absent.
    pub account_id: Option<i64>,
    /// How many.
    pub quantity: Decimal4,
    /// The price of one.
    pub unit_price: Decimal4,
    /// What is taken off.
    pub discount: Percent,
    /// The VAT code; the contact's when absent.
    pub vat_code: Option<VatCode>,
    /// The caller's own figure for the VAT.
    pub vat_pence: Option<i64>,
    /// What it is under CIS.
    pub cis_type: CisType,
}

/// One thing said anew about a document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of `DocumentEntry`, one each")]
pub enum DocumentField {
    Contact(i64),
    Day(i32),
    DueDay(Option<i32>),
    Number(Option<String>),
    SupplierReference(Option<String>),
    Reference(Option<String>),
    Notes(Option<String>),
    Currency(String),
    VatInclusive(bool),
    Origin(Option<i64>),
    Lines(Vec<DocumentLineEntry>),
}

impl DocumentField {
    /// Whether it may be changed on an issued document too.
    pub const fn is_open_to_change(&self) -> bool {
        matches!(self, Self::Reference(_) | Self::Notes(_) | Self::DueDay(_))
    }
}

/// A document with all that a caller sees of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentView {
    /// Identifier; 0 in a rehearsal.
    pub id: i64,
    /// Which of the four.
    pub kind: DocumentKind,
    /// Where it is in its life.
    pub stage: Stage,
    /// Its number, once it has one (a draft's own number is kept too).
    pub number: Option<String>,
    /// The supplier's number.
    pub supplier_reference: Option<String>,
    /// With whom.
    pub contact_id: i64,
    /// Their name now.
    pub contact_name: String,
    /// Its date.
    pub day: i32,
    /// When it is to be paid.
    pub due_day: Option<i32>,
    /// The caller's reference.
    pub reference: Option<String>,
    /// Notes.
    pub notes: Option<String>,
    /// Whether the prices contain the VAT.
    pub is_vat_inclusive: bool,
    /// The invoice that a credit note takes back.
    pub origin_id: Option<i64>,
    /// Its lines, in order.
    pub lines: Vec<DocumentLineView>,
    /// Without VAT.
    pub net_pence: i64,
    /// The VAT.
    pub vat_pence: i64,
    /// Money that settles it, with what CIS withheld. For credit notes: refunded.
    pub paid_pence: i64,
    /// Credit that settles it; for credit notes, credit given.
    pub credited_pence: i64,
    /// Cash that settles it, without what CIS withheld.
    pub cash_pence: i64,
    /// What settles it now, oldest first.
    pub allocations: Vec<AllocationView>,
    /// What CIS withholds of a purchase.
    pub cis: Option<DocumentCis>,
    /// The journal of its issue.
    pub journal_id: Option<i64>,
    /// The journal that voids it.
    pub void_journal_id: Option<i64>,
    /// From when it is void.
    pub void_day: Option<i32>,
    /// Why.
    pub void_reason: Option<String>,
    /// Whether it came with the opening balances.
    pub is_opening: bool,
    /// When it was issued.
    pub issued_at_ms: Option<i64>,
    /// When it was last e-mailed.
    pub last_emailed_at_ms: Option<i64>,
    /// When it was made.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

impl DocumentView {
    /// Net and VAT together.
    pub const fn gross_pence(&self) -> i64 {
        self.net_pence + self.vat_pence
    }

    /// `amount_due` of an invoice, what is left of a credit note; nothing for drafts and void documents.
    pub const fn due_pence(&self) -> i64 {
        match self.stage {
            Stage::Issued => self.gross_pence() - self.paid_pence - self.credited_pence,
            Stage::Draft | Stage::Void => 0,
        }
    }
}

/// A line of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentLineView {
    /// Identifier.
    pub id: i64,
    /// What it is for.
    pub description: String,
    /// The account.
    pub account_id: i64,
    /// Its code now.
    pub account_code: String,
    /// How many.
    pub quantity: Decimal4,
    /// The price of one.
    pub unit_price: Decimal4,
    /// What is taken off.
    pub discount: Percent,
    /// The VAT code.
    pub vat_code: VatCode,
    /// Without VAT.
    pub net_pence: i64,
    /// The VAT.
    pub vat_pence: i64,
    /// What it is under CIS.
    pub cis_type: CisType,
}

/// What CIS withholds of a purchase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentCis {
    /// Percent.
    pub rate: i64,
    /// The base of the deduction, as billed.
    pub labour_net_pence: i64,
    /// What is not deducted from, as billed.
    pub materials_net_pence: i64,
    /// The deduction in all, without what credit takes off it.
    pub deduction_pence: i64,
    /// Cash to be paid in all, without what credit takes off it.
    pub payable_pence: i64,
    /// Deducted with the payments so far.
    pub deducted_to_date_pence: i64,
}

/// Which documents of one kind.
#[derive(Debug, Clone, Default)]
pub struct DocumentFilter {
    /// Any of these statuses (`draft`, `issued`, `part_paid`, `paid`, `void`, `part_allocated`, `allocated`).
    pub statuses: Vec<&'static str>,
    /// With whom.
    pub contact_id: Option<i64>,
    /// Dated from.
    pub from_day: Option<i32>,
    /// Dated to.
    pub to_day: Option<i32>,
    /// Due before.
    pub due_before_day: Option<i32>,
    /// Due before this day (today) with something left to pay.
    pub overdue_on: Option<i32>,
    /// Text in number, reference, supplier's reference or the contact's name.
    pub search: Option<String>,
    /// Changed since, in milliseconds.
    pub updated_since_ms: Option<i64>,
}
