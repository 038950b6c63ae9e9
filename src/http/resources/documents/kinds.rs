//! The four kinds of documents as answers show them: their keys differ.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use super::parts::{
    CisJson, CreditNoteAllocationJson, InvoiceAllocationJson, LineJson, PurchaseLineJson, VatSummaryJson, lines,
    vat_summary,
};
use super::statuses;
use crate::domain::books::records::document::DocumentView;
use crate::domain::date::Date;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::vat::Side;
use crate::http::openapi::schema::choice;
use crate::http::resources::values::{AssignedId, CURRENCY, Id, Moment, Money};

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
    SalesInvoiceJson of SalesInvoice with LineJson, |view, today|
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
    SalesCreditNoteJson of SalesCreditNote with LineJson, |view, _today|
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
        "vat_amount": 2.01, "gross_amount": 12.04
    });
    if is_purchase {
        line = merged([line, json!({ "cis_type": "none" })]);
    }
    let all = json!({
        "id": 31, "document_type": kind.as_str(), "reference": "PO 8812", "notes": null, "currency": "GBP",
        "vat_inclusive": false, "lines": [line],
        "vat_summary": [{ "vat_code": "ST", "net_amount": 10.03, "vat_amount": 2.01 }],
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
