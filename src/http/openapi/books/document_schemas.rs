//! The schemas of the requests about invoices and credit notes.

use utoipa::openapi::Object;

use super::super::schema::{
    Any, Field, array, boolean, choice, id, label_or_empty, mark, maybe, optional, plain, required, strict,
};
use super::shared::{
    account_keys, date_in, money_in, money_in_positive, patch, percent_in, quantity_in, unit_price_in, vat_code,
};
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::vat::{ReverseCharge, Side};

/// The only basis that may be given.
const STANDARD_BASIS: [&str; 1] = ["standard"];

const CIS_TYPES: [&str; 3] = ["labour", "materials", "none"];

/// What belongs to a kind: sales invoices, purchase invoices, sales credit notes, purchase credit notes.
pub(super) fn of<T>(kind: DocumentKind, [sales, purchase, sales_note, purchase_note]: [T; 4]) -> T {
    match kind {
        DocumentKind::SalesInvoice => sales,
        DocumentKind::PurchaseInvoice => purchase,
        DocumentKind::SalesCreditNote => sales_note,
        DocumentKind::PurchaseCreditNote => purchase_note,
    }
}

/// What the schemas of a kind are called.
pub(super) fn schema_name(kind: DocumentKind) -> &'static str {
    of(kind, ["SalesInvoice", "PurchaseInvoice", "SalesCreditNote", "PurchaseCreditNote"])
}

fn contact_key(kind: DocumentKind) -> &'static str {
    match kind.contact_kind() {
        ContactKind::Customer => "customer_id",
        ContactKind::Supplier => "supplier_id",
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
    let charges: Vec<_> = ReverseCharge::of_side(kind.side()).iter().map(|charge| charge.as_str()).collect();
    line.push(maybe("reverse_charge", choice(&charges)));
    line.push(match kind.side() {
        Side::Output => maybe("vat_basis", choice(&STANDARD_BASIS)),
        Side::Input => {
            let description = "Without it, `labour` on a subcontractor's bill, for all but materials is deducted from (CIS340), and \
                               `none` on others. It is decided at issue.";
            maybe("cis_type", choice(&CIS_TYPES).description(Some(description)))
        }
    });
    let lines =
        array(strict("A line as entered: the account by its id or by its code, else that of the contact.", line))
            .min_items(Some(1))
            .max_items(Some(500))
            .build();
    vec![
        must(contact_key(kind), id().into()),
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
        maybe("vat_basis", choice(&STANDARD_BASIS)),
    ]
}
