//! Customer receipts and supplier payments.

use serde_json::json;
use utoipa::openapi::Object;
use utoipa::openapi::schema::ArrayBuilder;

use super::super::operation::Operation;
use super::super::schema::{
    Any, Field, array, boolean, choice, id, maybe, moment, named, optional, plain, required, strict,
};
use super::documents::PRINTED;
use super::journals::VOID_DATE;
use super::shared::{
    DATES_IN_ORDER, about_one, account_keys, date_in, inside, money_in_not_negative, money_in_positive, one_of_shapes,
    patch,
};
use crate::domain::books::records::settlement::PaymentMethod;
use crate::domain::ledger::contact::ContactKind;
use crate::http::envelope::{Data, PageOf};
use crate::http::resources::settlements::{CustomerReceiptJson, SupplierPaymentJson};
use crate::http::wire::books::settlement::ONE_ACCOUNT;

/// What belongs to customers' receipts, and to suppliers' payments.
fn of<T>(side: ContactKind, [receipt, payment]: [T; 2]) -> T {
    match side {
        ContactKind::Customer => receipt,
        ContactKind::Supplier => payment,
    }
}

fn word(side: ContactKind) -> &'static str {
    of(side, ["customer receipt", "supplier payment"])
}

/// The id of an example: of each side there are five, in the states in which the operations succeed.
fn place(side: ContactKind, at: i64) -> i64 {
    of(side, [0, 5]) + at
}

/// The invoice that the examples are set against.
fn open_invoice(side: ContactKind) -> i64 {
    of(side, [8, 16])
}

fn contact_key(side: ContactKind) -> &'static str {
    of(side, ["customer_id", "supplier_id"])
}

impl Operation {
    /// The answer with a settlement of the side.
    fn settlement(self, side: ContactKind, description: &'static str) -> Self {
        match side {
            ContactKind::Customer => self.answer::<Data<CustomerReceiptJson>>(200, description),
            ContactKind::Supplier => self.answer::<Data<SupplierPaymentJson>>(200, description),
        }
    }

    /// The answer with a page of the side.
    fn settlements(self, side: ContactKind, description: &'static str) -> Self {
        match side {
            ContactKind::Customer => self.answer::<PageOf<CustomerReceiptJson>>(200, description),
            ContactKind::Supplier => self.answer::<PageOf<SupplierPaymentJson>>(200, description),
        }
    }

    /// The answers to making one of the side.
    fn created_settlement(self, side: ContactKind, description: &'static str) -> Self {
        match side {
            ContactKind::Customer => self.created::<Data<CustomerReceiptJson>>(description),
            ContactKind::Supplier => self.created::<Data<SupplierPaymentJson>>(description),
        }
    }
}

/// `GET …/customer-receipts`, `GET …/supplier-payments`.
pub fn list_settlements(side: ContactKind) -> Operation {
    inside(of(side, ["List customer receipts", "List supplier payments"]), "With refunds, by date, newest first.")
        .query(contact_key(side), "With this contact only.", id(), 3.into())
        .query("bank_account_id", "Of this bank account only.", id(), 2.into())
        .query("date_from", "On this date or later.", date_in(), "2026-01-01".into())
        .query("date_to", "On this date or before.", date_in(), "2026-03-31".into())
        .rule("query.date_to", DATES_IN_ORDER)
        .query("status", "In this state only.", choice(&["posted", "void"]), "posted".into())
        .query("has_unallocated", "Whether some of it is set against nothing.", boolean(), true.into())
        .query("updated_since", "Changed at this moment or later.", moment(), "2026-03-01T00:00:00Z".into())
        .paged()
        .settlements(side, "The settlements.")
}

/// `GET …/customer-receipts/{id}`, `GET …/supplier-payments/{id}`.
pub fn get_settlement(side: ContactKind) -> Operation {
    let summary = of(side, ["Get a customer receipt", "Get a supplier payment"]);
    about_one(
        word(side),
        place(side, 1),
        summary,
        "`settled_amount` is the allocated cash and what CIS withheld beside it.",
    )
    .settlement(side, "The settlement.")
}

/// `GET …/customer-receipts/{id}/pdf`, `GET …/supplier-payments/{id}/pdf`.
pub fn print_settlement(side: ContactKind) -> Operation {
    let summary = of(side, ["Print a receipt", "Print a remittance advice"]);
    about_one(word(side), place(side, 1), summary, PRINTED).file("application/pdf", "The document.")
}

/// `POST …/customer-receipts`, `POST …/supplier-payments`.
pub fn create_settlement(side: ContactKind) -> Operation {
    inside(
        of(side, ["Post a customer receipt", "Post a supplier payment"]),
        "Records money that changed hands, and moves none. It is posted whole; what is not allocated stays as credit of the contact. `kind` `refund` gives back credit \
         notes or what was received. `auto_allocate` sets what is left against the oldest open invoices. In place of \
         `bank_account_id`, `account_id` or `account_code` names any ASSET, LIABILITY or EQUITY account that is no control account: a \
         director paid, or it is set off.",
    )
    .request(
        named(of(side, ["CreateCustomerReceipt", "CreateSupplierPayment"])),
        json!({
            contact_key(side): of(side, [3, 13]), "date": "2026-03-20", "amount": 700.00, "bank_account_id": 2,
            "method": "bank_transfer", "allocations": [{ "invoice_id": open_invoice(side), "amount": 1.00 }]
        }),
    )
    .created_settlement(side, "The settlement was posted.")
    .conflict(json!({ "reason": "invalid_state", "current": "draft", "allowed": ["issued"] }))
    .refusals(&[
        "period_locked",
        "unknown_reference",
        "contact_mismatch",
        "over_allocated",
        "contact_archived",
        "bank_account_archived",
        "wrong_account_type",
        "account_archived",
    ])
    .rule("bank_account_id", ONE_ACCOUNT)
    .change()
}

/// `PATCH …/customer-receipts/{id}`, `PATCH …/supplier-payments/{id}`.
pub fn update_settlement(side: ContactKind) -> Operation {
    let summary = of(side, ["Change a customer receipt", "Change a supplier payment"]);
    about_one(word(side), place(side, 2), summary, "Reference and memo only; null clears.")
        .request(named("UpdateSettlement"), json!({ "reference": "BACS 12" }))
        .settlement(side, "The settlement as it is now.")
        .change()
        .versioned()
}

/// `POST …/{id}/allocate`.
pub fn allocate_settlement(side: ContactKind) -> Operation {
    about_one(
        word(side),
        place(side, 3),
        of(side, ["Set a customer receipt against documents", "Set a supplier payment against documents"]),
        "Adds to what is there. An allocation counts from the later of the two dates, and never in a locked period.",
    )
    .request(
        named(of(side, ["AllocateCustomerReceipt", "AllocateSupplierPayment"])),
        json!({ "allocations": [{ "invoice_id": open_invoice(side), "amount": 1.00 }] }),
    )
    .settlement(side, "The settlement as it is now.")
    .conflict(json!({ "reason": "invalid_state", "current": "void", "allowed": ["posted"] }))
    .refusals(&["period_locked", "unknown_reference", "contact_mismatch", "over_allocated"])
    .change()
    .versioned()
}

/// `POST …/{id}/unallocate`.
pub fn unallocate_settlement(side: ContactKind) -> Operation {
    let summary = of(side, ["Release allocations of a customer receipt", "Release allocations of a supplier payment"]);
    about_one(
        word(side),
        place(side, 4),
        summary,
        "From their own date on or, if that is locked, from the first open day. Their ids stand in `allocations` of the settlement and of \
         the invoice.",
    )
    .request(named("Unallocate"), json!({ "allocation_ids": [of(side, [3, 4])] }))
    .settlement(side, "The settlement as it is now.")
    .conflict(json!({ "reason": "invalid_state", "current": "released", "allowed": ["active"] }))
    .refusals(&["period_locked", "unknown_reference"])
    .change()
    .versioned()
}

/// `POST …/{id}/void`.
pub fn void_settlement(side: ContactKind) -> Operation {
    about_one(
        word(side),
        place(side, 5),
        of(side, ["Void a customer receipt", "Void a supplier payment"]),
        "Posts the reversal on `void_date`, or on its own date when that is open, and releases its allocations; a bank transaction that \
         shows it is unconfirmed again.",
    )
    .request(named("VoidRequest"), json!({ "void_date": "2026-03-31", "reason": "bounced" }))
    .settlement(side, "The voided settlement.")
    .conflict(json!({ "reason": "invalid_state", "current": "void", "allowed": ["posted"] }))
    .refusals(&["period_locked"])
    .rule("void_date", VOID_DATE)
    .change()
    .versioned()
}

/// Keys of an allocation that says what it goes to by this one.
fn allocation_shape(side: ContactKind, target: &'static str) -> Vec<Field> {
    let mut fields = vec![required("amount", money_in_positive()), required(target, id())];
    if side == ContactKind::Customer && target == "invoice_id" {
        fields.push(maybe("cis_suffered", money_in_not_negative()));
    }
    fields
}

/// An allocation to one of these.
fn allocation_to(side: ContactKind, targets: &[&'static str]) -> Any {
    let keys: &[&'static str] = match side {
        ContactKind::Customer => &["invoice_id", "credit_note_id", "receipt_id", "cis_suffered"],
        ContactKind::Supplier => &["invoice_id", "credit_note_id", "payment_id"],
    };
    let shapes = targets.iter().map(|target| allocation_shape(side, target)).collect();
    one_of_shapes("What it goes to, and how much.", keys, shapes)
}

/// What a receipt or payment goes to, and what a refund of one.
const fn targets(side: ContactKind, is_refund: bool) -> &'static [&'static str] {
    match (side, is_refund) {
        (_, false) => &["invoice_id"],
        (ContactKind::Customer, true) => &["credit_note_id", "receipt_id"],
        (ContactKind::Supplier, true) => &["credit_note_id", "payment_id"],
    }
}

/// The allocations of a confirmation, where the keys of either side may be there as null.
pub(super) fn confirmed_allocations(side: ContactKind, is_refund: bool) -> ArrayBuilder {
    let keys = ["invoice_id", "credit_note_id", "receipt_id", "payment_id", "cis_suffered"];
    let shapes = targets(side, is_refund).iter().map(|target| allocation_shape(side, target)).collect();
    array(one_of_shapes("What it goes to, and how much.", &keys, shapes)).max_items(Some(200))
}

fn create(side: ContactKind) -> Any {
    let methods = PaymentMethod::ALL.map(PaymentMethod::as_str);
    let shape = |kind: Field, is_refund: bool| {
        let [account_id, account_code] = account_keys();
        vec![
            required(contact_key(side), id()),
            required("date", date_in()),
            required("amount", money_in_positive()),
            maybe("bank_account_id", id()),
            account_id,
            account_code,
            kind,
            maybe("reference", plain(0, 100)),
            maybe("memo", plain(0, 500)),
            maybe("method", choice(&methods)),
            optional("allocations", array(allocation_to(side, targets(side, is_refund))).max_items(Some(200)).build()),
            optional("auto_allocate", boolean()),
        ]
    };
    let kinds = of(side, [["receipt"], ["payment"]]);
    let shapes =
        vec![shape(optional("kind", choice(&kinds)), false), shape(required("kind", choice(&["refund"])), true)];
    one_of_shapes("Money that changed hands.", &[], shapes)
}

fn allocate(side: ContactKind) -> Object {
    let targets = ["invoice_id", "credit_note_id", of(side, ["receipt_id", "payment_id"])];
    let items = array(allocation_to(side, &targets)).min_items(Some(1)).max_items(Some(200)).build();
    strict("Against what, and how much.", vec![required("allocations", items)])
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let update = patch(vec![maybe("reference", plain(0, 100)), maybe("memo", plain(0, 500))]);
    let mut schemas: Vec<(&'static str, Any)> = vec![("UpdateSettlement", update.into())];
    for side in [ContactKind::Customer, ContactKind::Supplier] {
        let name = |names| of(side, names);
        schemas.extend([
            (name(["CreateCustomerReceipt", "CreateSupplierPayment"]), create(side)),
            (name(["AllocateCustomerReceipt", "AllocateSupplierPayment"]), allocate(side).into()),
        ]);
    }
    schemas
}
