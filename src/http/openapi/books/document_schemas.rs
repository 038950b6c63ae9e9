//! The schemas of invoices and credit notes, and an example of each kind.

use serde_json::{Value, json};
use utoipa::openapi::Object;

use super::super::schema::{
    Any, Field, array, boolean, choice, date, id, integer, label_or_empty, mark, maybe, moment, named, nullable,
    number, object, optional, plain, required, strict, string,
};
use super::documents::of;
use super::shared::{
    account_keys, data, date_in, money, money_in, money_in_positive, page, patch, percent_in, quantity_in,
    unit_price_in, vat_code,
};
use crate::domain::ledger::allocation::SettlementKind;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::vat::Side;
use crate::http::books::documents::statuses;

const CIS_TYPES: [&str; 3] = ["labour", "materials", "none"];

/// What the schemas of a kind are called.
pub(super) fn schema_name(kind: DocumentKind) -> &'static str {
    of(kind, ["SalesInvoice", "PurchaseInvoice", "SalesCreditNote", "PurchaseCreditNote"])
}

/// The keys of the contact and of its name.
fn contact_keys(kind: DocumentKind) -> (&'static str, &'static str) {
    match kind.contact_kind() {
        ContactKind::Customer => ("customer_id", "customer_name"),
        ContactKind::Supplier => ("supplier_id", "supplier_name"),
    }
}

fn date_key(kind: DocumentKind) -> &'static str {
    if kind.is_credit_note() { "credit_note_date" } else { "invoice_date" }
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let allocation = strict(
        "A part of a credit note set against an invoice.",
        vec![required("invoice_id", id()), required("amount", money_in_positive())],
    );
    let allocate = strict(
        "Which invoices, and how much.",
        vec![
            required("allocations", array(allocation).min_items(Some(1)).max_items(Some(200)).build()),
            maybe("date", date_in()),
        ],
    );
    let unallocate = strict(
        "Which allocations are released.",
        vec![required("allocation_ids", array(id()).min_items(Some(1)).max_items(Some(200)).build())],
    );
    let mut schemas: Vec<(&'static str, Any)> =
        vec![("AllocateCreditNote", allocate.into()), ("Unallocate", unallocate.into())];
    for kind in DocumentKind::ALL {
        schemas.push((schema_name(kind), document(kind).into()));
        let name = |names| of(kind, names);
        schemas.extend([
            (
                name([
                    "CreateSalesInvoice",
                    "CreatePurchaseInvoice",
                    "CreateSalesCreditNote",
                    "CreatePurchaseCreditNote",
                ]),
                create(kind).into(),
            ),
            (
                name([
                    "UpdateSalesInvoice",
                    "UpdatePurchaseInvoice",
                    "UpdateSalesCreditNote",
                    "UpdatePurchaseCreditNote",
                ]),
                patch(entered(kind, false)).into(),
            ),
            (
                name(["SalesInvoiceData", "PurchaseInvoiceData", "SalesCreditNoteData", "PurchaseCreditNoteData"]),
                data("A document.", named(schema_name(kind))),
            ),
            (
                name(["SalesInvoiceList", "PurchaseInvoiceList", "SalesCreditNoteList", "PurchaseCreditNoteList"]),
                page("Documents.", named(schema_name(kind))),
            ),
        ]);
    }
    schemas
}

fn create(kind: DocumentKind) -> Object {
    let mut fields = entered(kind, true);
    fields.push(optional("issue", boolean().description(Some("False: a draft.")).default(Some(true.into()))));
    strict("A document as entered.", fields)
}

fn entered(kind: DocumentKind, is_new: bool) -> Vec<Field> {
    let must = |name, schema: Any| if is_new { required(name, schema) } else { optional(name, schema) };
    let mut line = vec![
        required("description", plain(1, 500)),
        required("unit_price", unit_price_in()),
        maybe("quantity", quantity_in()),
        maybe("discount_percent", percent_in(0.0, 100.0)),
        maybe("vat_code", vat_code()),
        maybe("vat_amount", money_in()),
    ];
    line.extend(account_keys());
    if kind.side() == Side::Input {
        line.push(maybe("cis_type", choice(&CIS_TYPES)));
    }
    let lines =
        array(strict("A line as entered: the account by its id or by its code, else that of the contact.", line))
            .min_items(Some(1))
            .max_items(Some(500))
            .build();
    vec![
        must(contact_keys(kind).0, id().into()),
        must(date_key(kind), date_in().into()),
        must("lines", lines.into()),
        if kind.is_credit_note() { maybe("invoice_id", id()) } else { maybe("due_date", date_in()) },
        maybe(
            of(kind, ["invoice_number", "supplier_reference", "credit_note_number", "supplier_reference"]),
            if kind.side() == Side::Output { mark(50) } else { label_or_empty(50) },
        ),
        maybe("reference", plain(0, 100)),
        optional("vat_inclusive", boolean().description(Some("Whether the prices contain the VAT."))),
        maybe("notes", plain(0, 2_000)),
        optional("currency", plain(3, 3).description(Some("Only GBP."))),
    ]
}

fn document(kind: DocumentKind) -> Object {
    let (contact_id, contact_name) = contact_keys(kind);
    let maybe_text = |name| required(name, nullable(string()));
    let is_purchase = kind.side() == Side::Input;
    let mut fields = vec![
        required("id", nullable(id())),
        required("document_type", choice(&[kind.as_str()])),
        maybe_text(of(kind, ["invoice_number", "number", "credit_note_number", "credit_note_number"])),
    ];
    if is_purchase {
        fields.push(maybe_text("supplier_reference"));
    }
    fields.push(required("status", choice(&statuses(kind))));
    if !kind.is_credit_note() {
        fields.push(required("overdue", boolean()));
        fields.push(required("days_overdue", integer(0)));
    }
    fields.extend([required(contact_id, id()), required(contact_name, string()), required(date_key(kind), date())]);
    if kind.is_credit_note() {
        fields.push(required("invoice_id", nullable(id())));
    } else {
        fields.push(required("due_date", nullable(date())));
        fields.push(required("payment_terms_days", nullable(integer(0))));
    }
    fields.extend([maybe_text("reference"), maybe_text("notes"), required("currency", string())]);
    fields.extend([
        required("vat_inclusive", boolean()),
        required("lines", array(line(is_purchase)).build()),
        required("vat_summary", array(summary()).build()),
    ]);
    let amounts = ["net_amount", "vat_amount", "gross_amount", "amount_paid", "amount_credited", "amount_due"];
    fields.extend(amounts.map(|name| required(name, money())));
    fields.push(required("allocations", array(allocation(kind)).build()));
    if is_purchase {
        fields.push(required("cis", nullable(cis())));
    }
    fields.extend([
        required("journal_id", nullable(id())),
        required("void_journal_id", nullable(id())),
        required("void_date", nullable(date())),
        maybe_text("void_reason"),
        required("opening", boolean().description(Some("Whether it came with the opening balances."))),
        required("issued_at", nullable(moment())),
        required("last_emailed_at", nullable(moment())),
        required("created_at", moment()),
        required("updated_at", moment()),
        required("version", integer(1)),
    ]);
    object("A document.", fields)
}

fn line(is_purchase: bool) -> Object {
    let mut fields = vec![
        required("id", nullable(id())),
        required("position", integer(1)),
        required("description", string()),
        required("account_id", id()),
        required("account_code", string()),
        required("quantity", number()),
        required("unit_price", number()),
        required("discount_percent", number()),
        required("vat_code", vat_code()),
        required("vat_rate", integer(0)),
        required("net_amount", money()),
        required("vat_amount", money()),
        required("gross_amount", money()),
    ];
    if is_purchase {
        fields.push(required("cis_type", choice(&CIS_TYPES)));
    }
    object("A line.", fields)
}

fn summary() -> Object {
    object(
        "Net and VAT of the lines of one code.",
        vec![required("vat_code", vat_code()), required("net_amount", money()), required("vat_amount", money())],
    )
}

fn allocation(kind: DocumentKind) -> Object {
    let mut fields = vec![required("id", nullable(id()))];
    if kind.is_credit_note() {
        fields.extend([
            required("invoice_id", nullable(id())),
            required("invoice_number", nullable(string())),
            required("refund_id", nullable(id())),
            required("refund_number", nullable(string())),
        ]);
    } else {
        let sources = match kind.contact_kind() {
            ContactKind::Customer => [SettlementKind::CustomerReceipt.as_str(), kind.credit_note().as_str()],
            ContactKind::Supplier => [SettlementKind::SupplierPayment.as_str(), kind.credit_note().as_str()],
        };
        fields.extend([required("source_type", choice(&sources)), required("source_id", nullable(id()))]);
    }
    fields.extend([required("date", date()), required("amount", money())]);
    if !kind.is_credit_note() {
        fields.extend([required("cis_amount", money()), required("settled_amount", money())]);
    }
    object("What settles it, or what it settles.", fields)
}

fn cis() -> Object {
    let mut fields = vec![required("rate", integer(0))];
    let amounts = ["labour_net", "materials_net", "deduction", "payable", "deducted_to_date"];
    fields.extend(amounts.map(|name| required(name, money())));
    object(
        "What is withheld under the Construction Industry Scheme when it is paid. Work and materials are as billed; credit set \
         against it is taken off `deduction` and `payable`, and `payable` less the cash paid is still to be transferred.",
        fields,
    )
}

/// An example of a kind.
pub(super) fn example(kind: DocumentKind) -> Value {
    let (contact_id, contact_name) = contact_keys(kind);
    let is_purchase = kind.side() == Side::Input;
    let is_credit_note = kind.is_credit_note();
    let status = if is_credit_note { "issued" } else { "part_paid" };
    let mut document = json!({ "id": 31, "document_type": kind.as_str(), "status": status });
    let mut put = |name: &str, value: Value| {
        if let Some(fields) = document.as_object_mut() {
            fields.insert(name.to_owned(), value);
        }
    };
    let number = of(
        kind,
        [
            ("invoice_number", "INV-0103"),
            ("number", "BILL-00007"),
            ("credit_note_number", "SCN-0002"),
            ("credit_note_number", "PCN-00001"),
        ],
    );
    put(number.0, number.1.into());
    put(contact_id, 3.into());
    put(contact_name, if is_purchase { "Reed Carpentry".into() } else { "Brightwell School".into() });
    put(date_key(kind), "2026-03-14".into());
    let mut line = json!({
        "id": 88, "position": 1, "description": "Brass hinge set", "account_id": 16, "account_code": "4000", "quantity": 1,
        "unit_price": 10.03, "discount_percent": 0, "vat_code": "ST", "vat_rate": 20, "net_amount": 10.03,
        "vat_amount": 2.01, "gross_amount": 12.04
    });
    if is_purchase {
        put("supplier_reference", "RC-77".into());
        put("cis", Value::Null);
        if let Some(fields) = line.as_object_mut() {
            fields.insert("cis_type".to_owned(), "none".into());
        }
    }
    if is_credit_note {
        put("invoice_id", Value::Null);
        put("allocations", json!([]));
    } else {
        put("overdue", true.into());
        put("days_overdue", 6.into());
        put("due_date", "2026-04-13".into());
        put("payment_terms_days", 30.into());
        put(
            "allocations",
            json!([{
                "id": 5, "source_type": kind.credit_note().as_str(), "source_id": 2, "date": "2026-03-20",
                "amount": 2.04, "cis_amount": 0.00, "settled_amount": 2.04
            }]),
        );
    }
    let credited = if is_credit_note { 0.00 } else { 2.04 };
    let rest = json!({
        "reference": "PO 8812", "notes": null, "currency": "GBP", "vat_inclusive": false, "lines": [line],
        "vat_summary": [{ "vat_code": "ST", "net_amount": 10.03, "vat_amount": 2.01 }],
        "net_amount": 10.03, "vat_amount": 2.01, "gross_amount": 12.04, "amount_paid": 0.00,
        "amount_credited": credited, "amount_due": if is_credit_note { 12.04 } else { 10.00 },
        "journal_id": 9, "void_journal_id": null, "void_date": null, "void_reason": null, "opening": false,
        "issued_at": "2026-03-14T12:00:00.000Z", "last_emailed_at": null, "created_at": "2026-03-14T12:00:00.000Z",
        "updated_at": "2026-03-20T12:00:00.000Z", "version": 2
    });
    for (name, value) in rest.as_object().into_iter().flatten() {
        put(name, value.clone());
    }
    document
}
