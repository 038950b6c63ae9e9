//! The four kinds of documents as answers show them (their keys differ), and what is inside several of them: lines, totals by
//! VAT code, allocations, and what CIS withholds.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::{Object, ObjectBuilder};

use crate::domain::books::records::document::{DocumentCis, DocumentLineRecord, DocumentView};
use crate::domain::books::records::settlement::AllocationView;
use crate::domain::date::Date;
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::document::{CisType, DocumentKind};
use crate::domain::ledger::vat::{Basis, ReverseCharge, Side};
use crate::http::envelope::{AssignedId, CURRENCY, Exact, Id, Moment, Money, RelatedId, vat_code};
use crate::http::openapi::schema::{choice, nullable};
use crate::http::resources::documents::statuses;

/// An invoice or credit note on a day, which decides what is overdue.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = Document)]
#[expect(missing_docs, reason = "the four kinds of documents")]
pub enum DocumentJson<'a> {
    SalesInvoice(SalesInvoiceJson<'a>),
    SalesCreditNote(SalesCreditNoteJson<'a>),
    PurchaseInvoice(PurchaseInvoiceJson<'a>),
    PurchaseCreditNote(PurchaseCreditNoteJson<'a>),
}

impl<'a> DocumentJson<'a> {
    /// A document as it is today.
    pub fn new(view: &'a DocumentView, today: Date) -> Self {
        match view.kind {
            DocumentKind::SalesInvoice => Self::SalesInvoice((view, today).into()),
            DocumentKind::SalesCreditNote => Self::SalesCreditNote((view, today).into()),
            DocumentKind::PurchaseInvoice => Self::PurchaseInvoice((view, today).into()),
            DocumentKind::PurchaseCreditNote => Self::PurchaseCreditNote((view, today).into()),
        }
    }
}

/// Declares the answer of one kind of document: the keys that all kinds have, and at three places those that only this
/// one has, or has under another name, each with its value.
macro_rules! document_answer {
    (
        $(#[$description:meta])*
        $name:ident of $kind:ident with $line:ident, |$view:ident, $today:ident|
        after_document_type { $($(#[$number_schema:meta])* $number:ident: $number_type:ty = $number_value:expr,)* }
        after_status { $($(#[$term_schema:meta])* $term:ident: $term_type:ty = $term_value:expr,)* }
        after_amounts { $($(#[$settled_schema:meta])* $settled:ident: $settled_type:ty = $settled_value:expr,)* }
    ) => {
        $(#[$description])*
        #[derive(Serialize, ToSchema)]
        #[schema(as = $kind, example = $name::example)]
        pub struct $name<'a> {
            id: AssignedId,
            #[schema(schema_with = $name::document_type)]
            document_type: &'static str,
            $($(#[$number_schema])* $number: $number_type,)*
            #[schema(schema_with = $name::status)]
            status: &'static str,
            $($(#[$term_schema])* $term: $term_type,)*
            #[schema(required)]
            reference: Option<&'a str>,
            #[schema(required)]
            notes: Option<&'a str>,
            currency: &'static str,
            vat_inclusive: bool,
            /// How its VAT is declared, once it is issued; of a draft the basis it is given, if any.
            #[schema(schema_with = vat_basis, required)]
            vat_basis: Option<&'static str>,
            lines: Vec<$line<'a>>,
            vat_summary: Vec<VatSummaryJson>,
            net_amount: Money,
            vat_amount: Money,
            gross_amount: Money,
            amount_paid: Money,
            amount_credited: Money,
            amount_due: Money,
            $($(#[$settled_schema])* $settled: $settled_type,)*
            #[schema(required)]
            journal_id: Option<Id>,
            #[schema(required)]
            void_journal_id: Option<Id>,
            #[schema(required)]
            void_date: Option<Date>,
            #[schema(required)]
            void_reason: Option<&'a str>,
            /// Whether it came with the opening balances.
            opening: bool,
            #[schema(required)]
            issued_at: Option<Moment>,
            #[schema(required)]
            last_emailed_at: Option<Moment>,
            created_at: Moment,
            updated_at: Moment,
            #[schema(minimum = 1)]
            version: i64,
        }

        impl $name<'_> {
            const KIND: DocumentKind = DocumentKind::$kind;

            fn document_type() -> ObjectBuilder {
                choice(&[Self::KIND.as_str()])
            }

            fn status() -> ObjectBuilder {
                choice(&statuses(Self::KIND))
            }

            fn example() -> Value {
                example(Self::KIND)
            }
        }

        impl<'a> From<(&'a DocumentView, Date)> for $name<'a> {
            fn from(($view, $today): (&'a DocumentView, Date)) -> Self {
                Self {
                    id: AssignedId($view.id),
                    document_type: Self::KIND.as_str(),
                    $($number: $number_value,)*
                    status: $view.status(),
                    $($term: $term_value,)*
                    reference: $view.reference.as_deref(),
                    notes: $view.notes.as_deref(),
                    currency: CURRENCY,
                    vat_inclusive: $view.is_vat_inclusive,
                    vat_basis: $view.vat_basis.map(Basis::as_str),
                    lines: lines($view),
                    vat_summary: vat_summary(&$view.lines),
                    net_amount: Money($view.net_pence),
                    vat_amount: Money($view.vat_pence),
                    gross_amount: Money($view.gross_pence()),
                    amount_paid: Money($view.paid_pence),
                    amount_credited: Money($view.credited_pence),
                    amount_due: Money($view.due_pence()),
                    $($settled: $settled_value,)*
                    journal_id: $view.journal_id.map(Id),
                    void_journal_id: $view.void_journal_id.map(Id),
                    void_date: $view.void_date,
                    void_reason: $view.void_reason.as_deref(),
                    opening: $view.is_opening,
                    issued_at: $view.issued_at_ms.map(Moment),
                    last_emailed_at: $view.last_emailed_at_ms.map(Moment),
                    created_at: Moment($view.created_at_ms),
                    updated_at: Moment($view.updated_at_ms),
                    version: $view.version,
                }
            }
        }
    };
}

document_answer! {
    /// A sales invoice.
    SalesInvoiceJson of SalesInvoice with SalesLineJson, |view, today|
    after_document_type {
        #[schema(required)]
        invoice_number: Option<&'a str> = view.number.as_deref(),
    }
    after_status {
        overdue: bool = view.days_overdue(today) > 0,
        #[schema(minimum = 0)]
        days_overdue: i32 = view.days_overdue(today),
        customer_id: Id = Id(view.contact_id),
        customer_name: &'a str = &view.contact_name,
        invoice_date: Date = view.date,
        #[schema(required)]
        due_date: Option<Date> = view.due_date,
        #[schema(required, minimum = 0)]
        payment_terms_days: Option<i32> = view.due_date.map(|due| due - view.date),
    }
    after_amounts {
        allocations: Vec<InvoiceAllocationJson> = view.allocations.iter().map(Into::into).collect(),
    }
}

document_answer! {
    /// A sales credit note.
    SalesCreditNoteJson of SalesCreditNote with SalesLineJson, |view, _today|
    after_document_type {
        #[schema(required)]
        credit_note_number: Option<&'a str> = view.number.as_deref(),
    }
    after_status {
        customer_id: Id = Id(view.contact_id),
        customer_name: &'a str = &view.contact_name,
        credit_note_date: Date = view.date,
        #[schema(required)]
        invoice_id: Option<Id> = view.origin_id.map(Id),
    }
    after_amounts {
        allocations: Vec<CreditNoteAllocationJson<'a>> = view.allocations.iter().map(Into::into).collect(),
    }
}

document_answer! {
    /// A purchase invoice.
    PurchaseInvoiceJson of PurchaseInvoice with PurchaseLineJson, |view, today|
    after_document_type {
        #[schema(required)]
        number: Option<&'a str> = view.number.as_deref(),
        #[schema(required)]
        supplier_reference: Option<&'a str> = view.supplier_reference.as_deref(),
    }
    after_status {
        overdue: bool = view.days_overdue(today) > 0,
        #[schema(minimum = 0)]
        days_overdue: i32 = view.days_overdue(today),
        supplier_id: Id = Id(view.contact_id),
        supplier_name: &'a str = &view.contact_name,
        invoice_date: Date = view.date,
        #[schema(required)]
        due_date: Option<Date> = view.due_date,
        #[schema(required, minimum = 0)]
        payment_terms_days: Option<i32> = view.due_date.map(|due| due - view.date),
    }
    after_amounts {
        allocations: Vec<InvoiceAllocationJson> = view.allocations.iter().map(Into::into).collect(),
        #[schema(required)]
        cis: Option<CisJson> = view.cis.as_ref().map(CisJson::from),
    }
}

document_answer! {
    /// A purchase credit note.
    PurchaseCreditNoteJson of PurchaseCreditNote with PurchaseLineJson, |view, _today|
    after_document_type {
        #[schema(required)]
        credit_note_number: Option<&'a str> = view.number.as_deref(),
        #[schema(required)]
        supplier_reference: Option<&'a str> = view.supplier_reference.as_deref(),
    }
    after_status {
        supplier_id: Id = Id(view.contact_id),
        supplier_name: &'a str = &view.contact_name,
        credit_note_date: Date = view.date,
        #[schema(required)]
        invoice_id: Option<Id> = view.origin_id.map(Id),
    }
    after_amounts {
        allocations: Vec<CreditNoteAllocationJson<'a>> = view.allocations.iter().map(Into::into).collect(),
        #[schema(required)]
        cis: Option<CisJson> = view.cis.as_ref().map(CisJson::from),
    }
}

/// An example of a kind.
fn example(kind: DocumentKind) -> Value {
    let is_purchase = kind.side() == Side::Input;
    let mut line = json!({
        "id": 88, "position": 1, "description": "Brass hinge set", "account_id": 16, "account_code": "4000", "quantity": 1,
        "unit_price": 10.03, "discount_percent": 0, "vat_code": "ST", "vat_rate": 20, "net_amount": 10.03,
        "vat_amount": 2.01, "gross_amount": 12.04, "reverse_charge": null, "reverse_charge_vat_amount": null
    });
    line = merged([line, if is_purchase { json!({ "cis_type": "none" }) } else { json!({ "vat_basis": null }) }]);
    let all = json!({
        "id": 31, "document_type": kind.as_str(), "reference": "PO 8812", "notes": null, "currency": "GBP",
        "vat_inclusive": false, "vat_basis": "standard", "lines": [line],
        "vat_summary": [{ "vat_code": "ST", "reverse_charge": null, "net_amount": 10.03, "vat_amount": 2.01 }],
        "net_amount": 10.03, "vat_amount": 2.01, "gross_amount": 12.04, "amount_paid": 0.00, "journal_id": 9,
        "void_journal_id": null, "void_date": null, "void_reason": null, "opening": false,
        "issued_at": "2026-03-14T12:00:00.000Z", "last_emailed_at": null, "created_at": "2026-03-14T12:00:00.000Z",
        "updated_at": "2026-03-20T12:00:00.000Z", "version": 2
    });
    let contact = match is_purchase {
        true => {
            json!({ "supplier_id": 3, "supplier_name": "Reed Carpentry", "supplier_reference": "RC-77", "cis": null })
        }
        false => json!({ "customer_id": 3, "customer_name": "Brightwell School" }),
    };
    let number = match kind {
        DocumentKind::SalesInvoice => json!({ "invoice_number": "INV-0103" }),
        DocumentKind::SalesCreditNote => json!({ "credit_note_number": "SCN-0002" }),
        DocumentKind::PurchaseInvoice => json!({ "number": "BILL-00007" }),
        DocumentKind::PurchaseCreditNote => json!({ "credit_note_number": "PCN-00001" }),
    };
    let settled = if kind.is_credit_note() {
        json!({
            "status": "issued", "credit_note_date": "2026-03-14", "invoice_id": null, "amount_credited": 0.00,
            "amount_due": 12.04, "allocations": []
        })
    } else {
        json!({
            "status": "part_paid", "overdue": true, "days_overdue": 6, "invoice_date": "2026-03-14",
            "due_date": "2026-04-13", "payment_terms_days": 30, "amount_credited": 2.04, "amount_due": 10.00,
            "allocations": [{
                "id": 5, "source_type": kind.credit_note().as_str(), "source_id": 2, "date": "2026-03-20",
                "amount": 2.04, "cis_amount": 0.00, "settled_amount": 2.04
            }]
        })
    };
    merged([all, contact, number, settled])
}

/// One object with the keys of all.
fn merged<const N: usize>(parts: [Value; N]) -> Value {
    let objects = parts.into_iter().filter_map(|part| match part {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    Value::Object(objects.flatten().collect())
}

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
    /// The charge under which the customer accounts for the VAT, which is then in none of the amounts.
    #[schema(schema_with = nullable_reverse_charge, required)]
    reverse_charge: Option<&'static str>,
    /// The VAT that the customer accounts for.
    #[schema(required)]
    reverse_charge_vat_amount: Option<Money>,
}

/// A line of a sales invoice or credit note.
#[derive(Serialize, ToSchema)]
#[schema(as = SalesLine)]
pub struct SalesLineJson<'a> {
    #[serde(flatten)]
    line: LineJson<'a>,
    /// `standard` for a fixed asset sold outside the turnover of the flat rate.
    #[schema(schema_with = line_basis, required)]
    vat_basis: Option<&'static str>,
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
            reverse_charge: line.reverse_charge.map(|charged| charged.kind.as_str()),
            reverse_charge_vat_amount: line.reverse_charge.map(|charged| Money(charged.vat.0)),
        }
    }
}

impl<'a> From<NumberedLine<'a>> for SalesLineJson<'a> {
    fn from(numbered: NumberedLine<'a>) -> Self {
        let vat_basis = numbered.1.has_standard_basis.then_some(Basis::Standard.as_str());
        Self { line: numbered.into(), vat_basis }
    }
}

impl<'a> From<NumberedLine<'a>> for PurchaseLineJson<'a> {
    fn from(numbered: NumberedLine<'a>) -> Self {
        Self { line: numbered.into(), cis_type: numbered.1.cis_type.as_str() }
    }
}

fn vat_basis() -> Object {
    nullable(choice(&Basis::ALL.map(Basis::as_str)))
}

fn line_basis() -> Object {
    nullable(choice(&[Basis::Standard.as_str()]))
}

fn nullable_reverse_charge() -> Object {
    nullable(choice(&ReverseCharge::ALL.map(ReverseCharge::as_str)))
}

fn cis_type() -> ObjectBuilder {
    choice(&[CisType::Labour, CisType::Materials, CisType::None].map(CisType::as_str))
}

/// Net and VAT of the lines of one code, those under a reverse charge apart.
#[derive(Serialize, ToSchema)]
#[schema(as = VatSummary)]
pub struct VatSummaryJson {
    #[schema(schema_with = vat_code)]
    vat_code: &'static str,
    #[schema(schema_with = nullable_reverse_charge, required)]
    reverse_charge: Option<&'static str>,
    net_amount: Money,
    vat_amount: Money,
}

/// Net and VAT by code, in the order of the letters.
pub fn vat_summary(lines: &[DocumentLineRecord]) -> Vec<VatSummaryJson> {
    let mut totals: BTreeMap<(&'static str, Option<&'static str>), (i64, i64)> = BTreeMap::new();
    for line in lines {
        let charge = line.reverse_charge.map(|charged| charged.kind.as_str());
        let (net, vat) = totals.entry((line.vat_code.code(), charge)).or_default();
        *net += line.net_pence;
        *vat += line.vat_pence;
    }
    let row = |((vat_code, reverse_charge), (net, vat))| VatSummaryJson {
        vat_code,
        reverse_charge,
        net_amount: Money(net),
        vat_amount: Money(vat),
    };
    totals.into_iter().map(row).collect()
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
