//! Invoices and credit notes, as answers show them.

use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{AssignedId, CURRENCY, Date, Exact, Money};
use crate::domain::calendar::date_time_text;
use crate::domain::ledger::document::{DocumentKind, status};
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::period::Day;
use crate::domain::ledger::vat::Side;
use crate::store::{AllocationView, DocumentCis, DocumentLineView, DocumentView};

/// A document on a day, which decides what is overdue.
pub struct DocumentJson<'a> {
    view: &'a DocumentView,
    today: Day,
}

impl<'a> DocumentJson<'a> {
    /// A document as it is today.
    pub const fn new(view: &'a DocumentView, today: Day) -> Self {
        Self { view, today }
    }

    fn status(&self) -> &'static str {
        let view = self.view;
        status(view.kind, view.stage, Pence(view.gross_pence()), Pence(view.paid_pence + view.credited_pence))
    }

    /// Days since it should have been paid; 0 when nothing is overdue.
    fn days_overdue(&self) -> i32 {
        let due = self.view.due_day.filter(|_| self.view.due_pence() > 0);
        due.map_or(0, |due| (self.today - due).max(0))
    }
}

/// The keys that differ between the kinds: the number, the contact, its name, the date.
const fn keys(kind: DocumentKind) -> [&'static str; 4] {
    match kind {
        DocumentKind::SalesInvoice => ["invoice_number", "customer_id", "customer_name", "invoice_date"],
        DocumentKind::PurchaseInvoice => ["number", "supplier_id", "supplier_name", "invoice_date"],
        DocumentKind::SalesCreditNote => ["credit_note_number", "customer_id", "customer_name", "credit_note_date"],
        DocumentKind::PurchaseCreditNote => ["credit_note_number", "supplier_id", "supplier_name", "credit_note_date"],
    }
}

impl Serialize for DocumentJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let view = self.view;
        let is_credit_note = view.kind.is_credit_note();
        let [number, contact_id, contact_name, date] = keys(view.kind);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &AssignedId(view.id))?;
        map.serialize_entry("document_type", view.kind.as_str())?;
        map.serialize_entry(number, &view.number)?;
        if view.kind.side() == Side::Input {
            map.serialize_entry("supplier_reference", &view.supplier_reference)?;
        }
        map.serialize_entry("status", self.status())?;
        if !is_credit_note {
            let days_overdue = self.days_overdue();
            map.serialize_entry("overdue", &(days_overdue > 0))?;
            map.serialize_entry("days_overdue", &days_overdue)?;
        }
        map.serialize_entry(contact_id, &view.contact_id)?;
        map.serialize_entry(contact_name, &view.contact_name)?;
        map.serialize_entry(date, &Date(view.day))?;
        if is_credit_note {
            map.serialize_entry("invoice_id", &view.origin_id)?;
        } else {
            map.serialize_entry("due_date", &view.due_day.map(Date))?;
            map.serialize_entry("payment_terms_days", &view.due_day.map(|due| due - view.day))?;
        }
        map.serialize_entry("reference", &view.reference)?;
        map.serialize_entry("notes", &view.notes)?;
        map.serialize_entry("currency", CURRENCY)?;
        map.serialize_entry("vat_inclusive", &view.is_vat_inclusive)?;
        self.amounts(&mut map)?;
        map.serialize_entry("journal_id", &view.journal_id.map(AssignedId))?;
        map.serialize_entry("void_journal_id", &view.void_journal_id.map(AssignedId))?;
        map.serialize_entry("void_date", &view.void_day.map(Date))?;
        map.serialize_entry("void_reason", &view.void_reason)?;
        map.serialize_entry("opening", &view.is_opening)?;
        map.serialize_entry("issued_at", &view.issued_at_ms.map(date_time_text))?;
        map.serialize_entry("last_emailed_at", &view.last_emailed_at_ms.map(date_time_text))?;
        map.serialize_entry("created_at", &date_time_text(view.created_at_ms))?;
        map.serialize_entry("updated_at", &date_time_text(view.updated_at_ms))?;
        map.serialize_entry("version", &view.version)?;
        map.end()
    }
}

impl DocumentJson<'_> {
    fn amounts<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let view = self.view;
        let lines: Vec<_> = (1..).zip(&view.lines).map(|(at, line)| LineJson::new(view.kind, at, line)).collect();
        map.serialize_entry("lines", &lines)?;
        map.serialize_entry("vat_summary", &vat_summary(&view.lines))?;
        map.serialize_entry("net_amount", &Money(view.net_pence))?;
        map.serialize_entry("vat_amount", &Money(view.vat_pence))?;
        map.serialize_entry("gross_amount", &Money(view.gross_pence()))?;
        map.serialize_entry("amount_paid", &Money(view.paid_pence))?;
        map.serialize_entry("amount_credited", &Money(view.credited_pence))?;
        map.serialize_entry("amount_due", &Money(view.due_pence()))?;
        if view.kind.is_credit_note() {
            let given: Vec<_> = view.allocations.iter().map(GivenJson::from).collect();
            map.serialize_entry("allocations", &given)?;
        } else {
            let taken: Vec<_> = view.allocations.iter().map(TakenJson::from).collect();
            map.serialize_entry("allocations", &taken)?;
        }
        if view.kind.side() == Side::Input {
            map.serialize_entry("cis", &view.cis.map(|cis| CisJson::from(&cis)))?;
        }
        Ok(())
    }
}

#[derive(serde::Serialize)]
struct LineJson<'a> {
    id: AssignedId,
    position: usize,
    description: &'a str,
    account_id: i64,
    account_code: &'a str,
    quantity: Exact,
    unit_price: Exact,
    discount_percent: Exact,
    vat_code: &'static str,
    vat_rate: i64,
    net_amount: Money,
    vat_amount: Money,
    gross_amount: Money,
    #[serde(skip_serializing_if = "Option::is_none")]
    cis_type: Option<&'static str>,
}

impl<'a> LineJson<'a> {
    fn new(kind: DocumentKind, position: usize, line: &'a DocumentLineView) -> Self {
        Self {
            id: AssignedId(line.id),
            position,
            description: &line.description,
            account_id: line.account_id,
            account_code: &line.account_code,
            quantity: Exact::from(line.quantity),
            unit_price: Exact::from(line.unit_price),
            discount_percent: Exact::from(line.discount),
            vat_code: line.vat_code.code(),
            vat_rate: line.vat_code.percent(),
            net_amount: Money(line.net_pence),
            vat_amount: Money(line.vat_pence),
            gross_amount: Money(line.net_pence + line.vat_pence),
            cis_type: (kind.side() == Side::Input).then(|| line.cis_type.as_str()),
        }
    }
}

#[derive(serde::Serialize)]
struct CodeJson {
    vat_code: &'static str,
    net_amount: Money,
    vat_amount: Money,
}

/// Net and VAT by code, in the order of the letters.
fn vat_summary(lines: &[DocumentLineView]) -> Vec<CodeJson> {
    let mut totals: BTreeMap<&'static str, (i64, i64)> = BTreeMap::new();
    for line in lines {
        let (net, vat) = totals.entry(line.vat_code.code()).or_default();
        *net += line.net_pence;
        *vat += line.vat_pence;
    }
    let code = |(vat_code, (net, vat))| CodeJson { vat_code, net_amount: Money(net), vat_amount: Money(vat) };
    totals.into_iter().map(code).collect()
}

/// What settles an invoice.
#[derive(serde::Serialize)]
struct TakenJson {
    id: AssignedId,
    source_type: &'static str,
    source_id: AssignedId,
    date: Date,
    amount: Money,
    cis_amount: Money,
    settled_amount: Money,
}

impl From<&AllocationView> for TakenJson {
    fn from(view: &AllocationView) -> Self {
        Self {
            id: AssignedId(view.id),
            source_type: view.other_type,
            source_id: AssignedId(view.other_id),
            date: Date(view.day),
            amount: Money(view.amount_pence),
            cis_amount: Money(view.cis_pence),
            settled_amount: Money(view.amount_pence + view.cis_pence),
        }
    }
}

/// What a credit note is set against: an invoice, or a refund.
#[derive(serde::Serialize)]
struct GivenJson<'a> {
    id: AssignedId,
    invoice_id: Option<AssignedId>,
    invoice_number: Option<&'a str>,
    refund_id: Option<AssignedId>,
    refund_number: Option<&'a str>,
    date: Date,
    amount: Money,
}

impl<'a> From<&'a AllocationView> for GivenJson<'a> {
    fn from(view: &'a AllocationView) -> Self {
        let is_invoice = DocumentKind::parse(view.other_type).is_some();
        let (id, number) = (AssignedId(view.other_id), view.other_number.as_deref());
        Self {
            id: AssignedId(view.id),
            invoice_id: is_invoice.then_some(id),
            invoice_number: number.filter(|_| is_invoice),
            refund_id: (!is_invoice).then_some(id),
            refund_number: number.filter(|_| !is_invoice),
            date: Date(view.day),
            amount: Money(view.amount_pence),
        }
    }
}

#[derive(serde::Serialize)]
struct CisJson {
    rate: i64,
    labour_net: Money,
    materials_net: Money,
    deduction: Money,
    payable: Money,
    deducted_to_date: Money,
}

impl From<&DocumentCis> for CisJson {
    fn from(cis: &DocumentCis) -> Self {
        Self {
            rate: cis.rate,
            labour_net: Money(cis.labour_net_pence),
            materials_net: Money(cis.materials_net_pence),
            deduction: Money(cis.deduction_pence),
            payable: Money(cis.payable_pence),
            deducted_to_date: Money(cis.deducted_to_date_pence),
        }
    }
}
