//! Write-offs of sales invoices.

use serde_json::json;

use super::super::operation::Operation;
use super::super::schema::{Any, maybe, named, required, strict};
use super::journals::VOID_DATE;
use super::shared::{about, about_one, account_keys, date_in, money_in_positive};
use crate::http::envelope::Data;
use crate::http::resources::write_offs::WriteOffJson;
use crate::http::wire::books::read::ONE_AT_MOST;

/// `POST …/sales-invoices/{id}/write-off`.
pub fn write_off_sales_invoice() -> Operation {
    about_one(
        "sales invoice",
        45,
        "Write a sales invoice off",
        "Settles what a customer will not pay, all that is due or `amount` of it, against bad debts (account 8100, unless \
         `account_id` or `account_code` names another). Under cash accounting the VAT of the debt leaves VAT Control with it: it was \
         never declared. Otherwise the whole debt is a cost, and `relief` says what VAT may be claimed back from when, by a VAT \
         adjustment with the reason `bad_debt_relief`. A credit note is not the way: it takes the VAT back at once. The invoice shows the \
         write-off among its allocations and in `amount_credited`.",
    )
    .request(named("WriteOffRequest"), json!({ "date": "2026-03-31" }))
    .created::<Data<WriteOffJson>>("The debt was written off.")
    .conflict(json!({ "reason": "invalid_state", "current": "paid", "allowed": ["issued", "part_paid"] }))
    .refusals(&[
        "over_allocated",
        "period_locked",
        "unknown_reference",
        "account_archived",
        "wrong_account_type",
        "vat_control_required",
    ])
    .rule("date", "must not be before the invoice, or before something settled with it was last released")
    .rule("account_id", ONE_AT_MOST)
    .change()
    .versioned()
}

/// `GET …/write-offs/{id}`.
pub fn get_write_off() -> Operation {
    about("write-off", "Get a write-off", "A write-off is never changed; it may be voided.")
        .answer::<Data<WriteOffJson>>(200, "The write-off.")
}

/// `POST …/write-offs/{id}/void`.
pub fn void_write_off() -> Operation {
    about(
        "write-off",
        "Void a write-off",
        "Reverses its journal on `void_date`, or on its own date when that is open; from that day the invoice is due again. VAT \
         that was claimed back is repaid by a VAT adjustment with the reason `bad_debt_repayment`.",
    )
    .request(named("VoidRequest"), json!({ "void_date": "2026-04-30", "reason": "paid after all" }))
    .answer::<Data<WriteOffJson>>(200, "The voided write-off.")
    .conflict(json!({ "reason": "invalid_state", "current": "void", "allowed": ["posted"] }))
    .rule("void_date", VOID_DATE)
    .refusals(&["period_locked"])
    .change()
    .versioned()
}

/// The schemas of the bodies.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let mut fields = vec![required("date", date_in()), maybe("amount", money_in_positive())];
    fields.extend(account_keys());
    vec![("WriteOffRequest", strict("What is written off: all that is due, unless `amount` says less.", fields).into())]
}
