//! Invoices and credit notes.

use serde_json::{Value, json};

use super::super::operation::Operation;
use super::super::schema::{boolean, choice, id, moment, named, plain};
use super::document_schemas::{of, schema_name};
use super::journals::VOID_DATE;
use super::shared::{DATES_IN_ORDER, about_one, date_in, inside};
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::issue::OTHER_BASIS;
use crate::domain::ledger::vat::Side;
use crate::http::envelope::{Data, PageOf};
use crate::http::resources::documents::{
    PurchaseCreditNoteJson, PurchaseInvoiceJson, SalesCreditNoteJson, SalesInvoiceJson, statuses,
};
use crate::http::wire::books::read::ONE_AT_MOST;

fn word(kind: DocumentKind) -> &'static str {
    of(kind, ["sales invoice", "purchase invoice", "sales credit note", "purchase credit note"])
}

/// The id of an example: of each kind there are eight, in the states in which the operations succeed.
fn place(kind: DocumentKind, at: i64) -> i64 {
    of(kind, [0, 8, 16, 24]) + at
}

impl Operation {
    /// The answer with a document of the kind.
    fn document(self, kind: DocumentKind, description: &'static str) -> Self {
        match kind {
            DocumentKind::SalesInvoice => self.answer::<Data<SalesInvoiceJson>>(200, description),
            DocumentKind::PurchaseInvoice => self.answer::<Data<PurchaseInvoiceJson>>(200, description),
            DocumentKind::SalesCreditNote => self.answer::<Data<SalesCreditNoteJson>>(200, description),
            DocumentKind::PurchaseCreditNote => self.answer::<Data<PurchaseCreditNoteJson>>(200, description),
        }
    }

    /// The answer with a page of the kind.
    fn documents(self, kind: DocumentKind, description: &'static str) -> Self {
        match kind {
            DocumentKind::SalesInvoice => self.answer::<PageOf<SalesInvoiceJson>>(200, description),
            DocumentKind::PurchaseInvoice => self.answer::<PageOf<PurchaseInvoiceJson>>(200, description),
            DocumentKind::SalesCreditNote => self.answer::<PageOf<SalesCreditNoteJson>>(200, description),
            DocumentKind::PurchaseCreditNote => self.answer::<PageOf<PurchaseCreditNoteJson>>(200, description),
        }
    }

    /// The answers to making one of the kind.
    fn created_document(self, kind: DocumentKind, description: &'static str) -> Self {
        match kind {
            DocumentKind::SalesInvoice => self.created::<Data<SalesInvoiceJson>>(description),
            DocumentKind::PurchaseInvoice => self.created::<Data<PurchaseInvoiceJson>>(description),
            DocumentKind::SalesCreditNote => self.created::<Data<SalesCreditNoteJson>>(description),
            DocumentKind::PurchaseCreditNote => self.created::<Data<PurchaseCreditNoteJson>>(description),
        }
    }
}

/// `GET …/sales-invoices` and the like.
pub fn list_documents(kind: DocumentKind) -> Operation {
    let summary = of(
        kind,
        ["List sales invoices", "List purchase invoices", "List sales credit notes", "List purchase credit notes"],
    );
    let contact = match kind.contact_kind() {
        ContactKind::Customer => "customer_id",
        ContactKind::Supplier => "supplier_id",
    };
    let mut operation = inside(summary, "By date, newest first. `status` may be given several times.")
        .query("status", "In this state; several of them mean any.", choice(&statuses(kind)), "issued".into())
        .query(contact, "With this contact only.", id(), 3.into())
        .query("date_from", "Dated this day or later.", date_in(), "2026-01-01".into())
        .query("date_to", "Dated this day or before.", date_in(), "2026-03-31".into())
        .rule("query.date_to", DATES_IN_ORDER);
    if !kind.is_credit_note() {
        operation = operation.query("due_before", "Due before this day.", date_in(), "2026-04-01".into()).query(
            "overdue",
            "`true`: only what is due before today with something left to pay.",
            boolean(),
            true.into(),
        );
    }
    operation
        .query("search", "A text in number, reference or the contact's name.", plain(1, 100), "brightwell".into())
        .query("updated_since", "Changed at this moment or later.", moment(), "2026-03-01T00:00:00Z".into())
        .paged()
        .documents(kind, "The documents.")
}

/// `GET …/sales-invoices/{id}` and the like.
pub fn get_document(kind: DocumentKind) -> Operation {
    let summary = of(
        kind,
        ["Get a sales invoice", "Get a purchase invoice", "Get a sales credit note", "Get a purchase credit note"],
    );
    let description = if kind.is_credit_note() {
        "`amount_credited` is set against invoices, `amount_paid` was refunded, `amount_due` is left."
    } else {
        "`overdue` is derived from today in the organisation's time zone; `amount_due` is gross of CIS."
    };
    about_one(word(kind), place(kind, 1), summary, description).document(kind, "The document.")
}

/// `GET …/sales-invoices/{id}/pdf`, `GET …/sales-credit-notes/{id}/pdf`.
pub fn print_sales_document(kind: DocumentKind) -> Operation {
    let summary = if kind.is_credit_note() { "Print a sales credit note" } else { "Print a sales invoice" };
    about_one(word(kind), place(kind, 1), summary, PRINTED).file("application/pdf", "The document.")
}

/// What is said of every printed document.
pub(super) const PRINTED: &str = "PDF/A-2a, tagged, A4. A draft says DRAFT, a void one VOID. The same record gives the same bytes. A character that the font lacks is \
     printed as a box and named in the header `Missing-Characters`.";

/// `POST …/sales-invoices` and the like.
pub fn create_document(kind: DocumentKind) -> Operation {
    let summary = of(
        kind,
        [
            "Create a sales invoice",
            "Create a purchase invoice",
            "Create a sales credit note",
            "Create a purchase credit note",
        ],
    );
    let operation = inside(
        summary,
        "Issued at once unless `issue` is false: a draft has no number and posts nothing. VAT is computed line by line, halves of a penny \
         away from zero; with `vat_inclusive` the prices contain it. Account and VAT code of a line default to the contact's. A line \
         with `reverse_charge` (and the code ST or RR) charges no VAT: the customer accounts for it, at the date of the document under \
         every scheme. `vat_basis` `standard` takes the document out of cash accounting (hire purchase, invoices in advance of the \
         supply), as a due date more than six months later does by itself; on a sales line of a fixed asset it takes the sale out \
         of the turnover of the flat rate.",
    )
    .request(named(&format!("Create{}", schema_name(kind))), request_example(kind))
    .created_document(kind, "The document was made.")
    .conflict(json!({ "reason": "duplicate_number", "field": number_field(kind), "existing_id": 30 }))
    .refusals(&[
        "period_locked",
        "vat_control_required",
        "unknown_reference",
        "account_archived",
        "contact_archived",
        "contact_mismatch",
        "wrong_account_type",
        "vat_amount_out_of_tolerance",
        "negative_total",
        "currency_not_supported",
    ]);
    rules(kind, operation).change()
}

/// `PATCH …/sales-invoices/{id}` and the like.
pub fn update_document(kind: DocumentKind) -> Operation {
    let summary = of(
        kind,
        [
            "Change a sales invoice",
            "Change a purchase invoice",
            "Change a sales credit note",
            "Change a purchase credit note",
        ],
    );
    let description = if kind.is_credit_note() {
        "Everything of a draft; of an issued one only `reference` and `notes`."
    } else {
        "Everything of a draft; of an issued one only `reference`, `notes` and `due_date`. The due date of a draft that is the one \
         by the terms follows the date and the contact; any other was given, and stays."
    };
    let operation = about_one(word(kind), place(kind, 2), summary, description)
        .request(named(&format!("Update{}", schema_name(kind))), json!({ "reference": "PO 8812" }))
        .document(kind, "The document as it is now.")
        .conflict(json!({ "reason": "invalid_state", "current": "issued", "allowed": ["draft"] }))
        .conflict(json!({ "reason": "duplicate_number", "field": number_field(kind), "existing_id": 30 }))
        .refusals(&[
            "period_locked",
            "unknown_reference",
            "account_archived",
            "contact_archived",
            "contact_mismatch",
            "wrong_account_type",
            "vat_amount_out_of_tolerance",
            "negative_total",
        ]);
    rules(kind, operation).change().versioned()
}

/// `DELETE …/sales-invoices/{id}` and the like.
pub fn delete_document(kind: DocumentKind) -> Operation {
    let summary = of(
        kind,
        [
            "Delete a draft sales invoice",
            "Delete a draft purchase invoice",
            "Delete a draft sales credit note",
            "Delete a draft purchase credit note",
        ],
    );
    about_one(word(kind), place(kind, 3), summary, "Only a draft; what was issued is voided.")
        .success(200, "The draft is gone.", named("DeletedData"), json!({ "data": { "id": 12, "deleted": true } }))
        .conflict(json!({ "reason": "invalid_state", "current": "issued", "allowed": ["draft"] }))
        .change()
        .versioned()
}

/// `POST …/sales-invoices/{id}/issue` and the like.
pub fn issue_document(kind: DocumentKind) -> Operation {
    let summary = of(
        kind,
        [
            "Issue a sales invoice",
            "Issue a purchase invoice",
            "Issue a sales credit note",
            "Issue a purchase credit note",
        ],
    );
    let operation = about_one(word(kind), place(kind, 4), summary, "Gives a draft its number and posts its journal.")
        .rule("vat_basis", OTHER_BASIS)
        .document(kind, "The document as it is now.")
        .conflict(json!({ "reason": "invalid_state", "current": "issued", "allowed": ["draft"] }))
        .conflict(json!({ "reason": "duplicate_number", "field": number_field(kind), "existing_id": 30 }))
        .refusals(&[
            "period_locked",
            "vat_control_required",
            "unknown_reference",
            "account_archived",
            "contact_archived",
            "wrong_account_type",
            "vat_amount_out_of_tolerance",
            "negative_total",
        ]);
    operation.change().versioned()
}

/// `POST …/sales-invoices/{id}/void` and the like.
pub fn void_document(kind: DocumentKind) -> Operation {
    let summary = of(
        kind,
        ["Void a sales invoice", "Void a purchase invoice", "Void a sales credit note", "Void a purchase credit note"],
    );
    about_one(
        word(kind),
        place(kind, 5),
        summary,
        "Posts the exact reversal on `void_date`, or on the document's own date when that is open. Nothing may be allocated. A draft is \
         voided without a posting. Its number is never used again.",
    )
    .request(named("VoidRequest"), json!({ "void_date": "2026-03-31", "reason": "wrong customer" }))
    .document(kind, "The voided document.")
    .conflict(json!({ "reason": "has_allocations", "allocation_ids": [5] }))
    .conflict(json!({ "reason": "invalid_state", "current": "void", "allowed": ["draft", "issued"] }))
    .refusals(&["period_locked"])
    .rule("void_date", VOID_DATE)
    .rule("void_date", "must not be before the date of the draft")
    .change()
    .versioned()
}

/// `POST …/sales-credit-notes/{id}/allocate` and the like.
pub fn allocate_credit_note(kind: DocumentKind) -> Operation {
    let summary = match kind.contact_kind() {
        ContactKind::Customer => "Set a sales credit note against invoices",
        ContactKind::Supplier => "Set a purchase credit note against invoices",
    };
    about_one(
        word(kind),
        place(kind, 6),
        summary,
        "Adds to what is there and posts nothing. It counts from `date`, else from the later of the two documents' dates, and never in a \
         locked period.",
    )
    .request(named("AllocateCreditNote"), json!({ "allocations": [{ "invoice_id": place(kind.invoice(), 8), "amount": 2.04 }] }))
    .document(kind, "The credit note as it is now.")
    .conflict(json!({ "reason": "invalid_state", "current": "draft", "allowed": ["issued"] }))
    .refusals(&["period_locked", "unknown_reference", "contact_mismatch", "over_allocated"])
    .rule("date", "must not be before the credit note or the invoice")
    .change()
    .versioned()
}

/// `POST …/sales-credit-notes/{id}/unallocate` and the like.
pub fn unallocate_credit_note(kind: DocumentKind) -> Operation {
    let summary = match kind.contact_kind() {
        ContactKind::Customer => "Release allocations of a sales credit note",
        ContactKind::Supplier => "Release allocations of a purchase credit note",
    };
    about_one(
        word(kind),
        place(kind, 7),
        summary,
        "From their own date on or, if that is locked, from the first open day. Their ids stand in `allocations` of the credit note and of \
         the invoice.",
    )
    .request(named("Unallocate"), json!({ "allocation_ids": [of(kind, [0, 0, 1, 2])] }))
    .document(kind, "The credit note as it is now.")
    .conflict(json!({ "reason": "invalid_state", "current": "released", "allowed": ["active"] }))
    .refusals(&["unknown_reference"])
    .change()
    .versioned()
}

fn number_field(kind: DocumentKind) -> &'static str {
    of(kind, ["invoice_number", "supplier_reference", "credit_note_number", "supplier_reference"])
}

/// What no schema says about a document.
fn rules(kind: DocumentKind, operation: Operation) -> Operation {
    let operation = operation
        .rule("lines[].account_id", ONE_AT_MOST)
        .rule("lines[].account_id", "is required: the contact has no default account")
        .rule("lines[].vat_code", "is required: the contact has no default VAT code")
        .rule("lines[].reverse_charge", "needs the VAT code ST or RR")
        .rule("vat_basis", OTHER_BASIS)
        .rule("lines[].unit_price", "the line must be within ±9999999999.99")
        .rule("lines", "the total must be at most 9999999999.99");
    let operation = match kind.side() {
        Side::Output => operation.rule("lines[].vat_basis", "is for an account with the role fixed_asset"),
        Side::Input => operation,
    };
    if kind.is_credit_note() {
        return operation;
    }
    operation
        .rule("due_date", "must not be before invoice_date")
        .rule("due_date", "must be given: by the terms it would be after 2199-12-31")
}

fn request_example(kind: DocumentKind) -> Value {
    let line = json!({ "description": "Brass hinge set", "account_id": 28, "unit_price": 10.03, "vat_code": "ST" });
    let bill = json!({
        "description": "First fix", "account_id": 34, "unit_price": 1500.00, "vat_code": "ST", "cis_type": "labour"
    });
    of(
        kind,
        [
            json!({ "customer_id": 3, "invoice_date": "2026-03-14", "reference": "PO 8812", "lines": [line] }),
            json!({ "supplier_id": 13, "invoice_date": "2026-03-14", "supplier_reference": "RC-77", "lines": [bill] }),
            json!({ "customer_id": 3, "credit_note_date": "2026-03-20", "invoice_id": 1, "lines": [line] }),
            json!({ "supplier_id": 13, "credit_note_date": "2026-03-20", "invoice_id": 9, "lines": [bill] }),
        ],
    )
}
