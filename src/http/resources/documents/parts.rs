//! What documents of several kinds have inside: lines, totals by VAT code, allocations, and what CIS withholds.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use crate::domain::books::records::document::{DocumentCis, DocumentLineRecord, DocumentView};
use crate::domain::books::records::settlement::AllocationView;
use crate::domain::date::Date;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::document::{CisType, DocumentKind};
use crate::http::openapi::schema::choice;
use crate::http::resources::values::{AssignedId, Exact, Id, Money, RelatedId, vat_code};

/// A line of an invoice or credit note.
#[derive(Serialize, ToSchema)]
#[schema(as = DocumentLine)]
pub struct LineJson<'a> {
    id: AssignedId,
    #[schema(minimum = 1)]
    position: usize,
    description: &'a str,
    account_id: Id,
    account_code: &'a str,
    quantity: Exact,
    unit_price: Exact,
    discount_percent: Exact,
    #[schema(schema_with = vat_code)]
    vat_code: &'static str,
    /// Percent.
    #[schema(minimum = 0)]
    vat_rate: i64,
    net_amount: Money,
    vat_amount: Money,
    gross_amount: Money,
}

/// A line of a purchase invoice or credit note.
#[derive(Serialize, ToSchema)]
#[schema(as = PurchaseLine)]
pub struct PurchaseLineJson<'a> {
    #[serde(flatten)]
    line: LineJson<'a>,
    /// What it is under the Construction Industry Scheme.
    #[schema(schema_with = cis_type)]
    cis_type: &'static str,
}

/// A line, its position from 1, and the code of its account.
pub type NumberedLine<'a> = (usize, &'a DocumentLineRecord, &'a str);

/// The lines of a document, in order.
pub fn lines<'a, T: From<NumberedLine<'a>>>(view: &'a DocumentView) -> Vec<T> {
    let lines = view.lines.iter().zip(&view.account_codes);
    (1..).zip(lines).map(|(position, (line, code))| T::from((position, line, code))).collect()
}

impl<'a> From<NumberedLine<'a>> for LineJson<'a> {
    fn from((position, line, account_code): NumberedLine<'a>) -> Self {
        Self {
            id: AssignedId(line.id),
            position,
            description: &line.description,
            account_id: Id(line.account_id),
            account_code,
            quantity: Exact::from(line.quantity),
            unit_price: Exact::from(line.unit_price),
            discount_percent: Exact::from(line.discount),
            vat_code: line.vat_code.code(),
            vat_rate: line.vat_code.percent(),
            net_amount: Money(line.net_pence),
            vat_amount: Money(line.vat_pence),
            gross_amount: Money(line.net_pence + line.vat_pence),
        }
    }
}

impl<'a> From<NumberedLine<'a>> for PurchaseLineJson<'a> {
    fn from(numbered: NumberedLine<'a>) -> Self {
        Self { line: numbered.into(), cis_type: numbered.1.cis_type.as_str() }
    }
}

fn cis_type() -> ObjectBuilder {
    choice(&[CisType::Labour, CisType::Materials, CisType::None].map(CisType::as_str))
}

/// Net and VAT of the lines of one code.
#[derive(Serialize, ToSchema)]
#[schema(as = VatSummary)]
pub struct VatSummaryJson {
    #[schema(schema_with = vat_code)]
    vat_code: &'static str,
    net_amount: Money,
    vat_amount: Money,
}

/// Net and VAT by code, in the order of the letters.
pub fn vat_summary(lines: &[DocumentLineRecord]) -> Vec<VatSummaryJson> {
    let mut totals: BTreeMap<&'static str, (i64, i64)> = BTreeMap::new();
    for line in lines {
        let (net, vat) = totals.entry(line.vat_code.code()).or_default();
        *net += line.net_pence;
        *vat += line.vat_pence;
    }
    let code = |(vat_code, (net, vat))| VatSummaryJson { vat_code, net_amount: Money(net), vat_amount: Money(vat) };
    totals.into_iter().map(code).collect()
}

/// What settles an invoice.
#[derive(Serialize, ToSchema)]
#[schema(as = InvoiceAllocation)]
pub struct InvoiceAllocationJson {
    id: AssignedId,
    #[schema(schema_with = source_type)]
    source_type: &'static str,
    source_id: AssignedId,
    date: Date,
    amount: Money,
    cis_amount: Money,
    settled_amount: Money,
}

/// What may settle an invoice: for a sales invoice the first two, for a purchase invoice the others.
fn source_type() -> ObjectBuilder {
    choice(&[
        SettlementKind::CustomerReceipt.as_str(),
        DocumentKind::SalesCreditNote.as_str(),
        SettlementKind::SupplierPayment.as_str(),
        DocumentKind::PurchaseCreditNote.as_str(),
    ])
}

impl From<&AllocationView> for InvoiceAllocationJson {
    fn from(view: &AllocationView) -> Self {
        Self {
            id: AssignedId(view.id),
            source_type: view.other_type,
            source_id: AssignedId(view.other_id),
            date: view.date,
            amount: Money(view.amount_pence),
            cis_amount: Money(view.cis_pence),
            settled_amount: Money(view.amount_pence + view.cis_pence),
        }
    }
}

/// What a credit note is set against: an invoice, or a refund.
#[derive(Serialize, ToSchema)]
#[schema(as = CreditNoteAllocation)]
pub struct CreditNoteAllocationJson<'a> {
    id: AssignedId,
    #[schema(value_type = RelatedId)]
    invoice_id: Option<AssignedId>,
    #[schema(required)]
    invoice_number: Option<&'a str>,
    #[schema(value_type = RelatedId)]
    refund_id: Option<AssignedId>,
    #[schema(required)]
    refund_number: Option<&'a str>,
    date: Date,
    amount: Money,
}

impl<'a> From<&'a AllocationView> for CreditNoteAllocationJson<'a> {
    fn from(view: &'a AllocationView) -> Self {
        let is_invoice = DocumentKind::parse(view.other_type).is_some();
        let (id, number) = (AssignedId(view.other_id), view.other_number.as_deref());
        Self {
            id: AssignedId(view.id),
            invoice_id: is_invoice.then_some(id),
            invoice_number: number.filter(|_| is_invoice),
            refund_id: (!is_invoice).then_some(id),
            refund_number: number.filter(|_| !is_invoice),
            date: view.date,
            amount: Money(view.amount_pence),
        }
    }
}

/// What is withheld under the Construction Industry Scheme when it is paid. Work and materials are as billed; credit set
/// against it is taken off `deduction` and `payable`, and `payable` less the cash paid is still to be transferred.
#[derive(Serialize, ToSchema)]
#[schema(as = DocumentCis)]
pub struct CisJson {
    /// Percent.
    #[schema(minimum = 0)]
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
