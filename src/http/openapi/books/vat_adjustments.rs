//! Adjustments of the VAT return.

use serde_json::json;

use super::super::operation::Operation;
use super::super::schema::{Any, array, choice, moment, named, plain, required, strict};
use super::journals::VOID_DATE;
use super::shared::{DATES_IN_ORDER, about, account_keys, date_in, inside, money_in_not_zero};
use crate::http::envelope::{Data, PageOf};
use crate::http::resources::vat_adjustments::{VatAdjustmentJson, box_number, reason};
use crate::http::wire::books::read::ONE_AT_MOST;

/// `GET …/vat-adjustments`.
pub fn list_vat_adjustments() -> Operation {
    inside("List VAT adjustments", "By date, newest first.")
        .query("date_from", "On this date or later.", date_in(), "2026-01-01".into())
        .query("date_to", "On this date or before.", date_in(), "2026-03-31".into())
        .rule("query.date_to", DATES_IN_ORDER)
        .query("status", "In this state only.", choice(&["posted", "void"]), "posted".into())
        .query("updated_since", "Made or voided at this moment or later.", moment(), "2026-03-01T00:00:00Z".into())
        .paged()
        .answer::<PageOf<VatAdjustmentJson>>(200, "The adjustments.")
}

/// `GET …/vat-adjustments/{id}`.
pub fn get_vat_adjustment() -> Operation {
    about("VAT adjustment", "Get a VAT adjustment", "An adjustment is never changed; it may be voided.").answer::<Data<
        VatAdjustmentJson,
    >>(
        200,
        "The adjustment.",
    )
}

/// `POST …/vat-adjustments`.
pub fn create_vat_adjustment() -> Operation {
    inside(
        "Adjust the VAT return",
        "What belongs into the boxes of the return and follows from no document, bank line or journal: relief for bad debts, scale \
         charges, import VAT, errors of earlier returns. It counts in the return of its date and moves no other figure of it. Where \
         boxes 1 and 2 less box 4 change what is owed, a journal posts that to VAT Control against `account_id` or \
         `account_code`, one of which is then required; where they cancel, as postponed import VAT does, nothing is posted and an \
         account is refused. A box may be given several times.",
    )
    .request(
        named("CreateVatAdjustment"),
        json!({
            "date": "2026-03-31", "reason": "fuel_scale_charge", "description": "Scale charge, one car, 180 g/km",
            "entries": [{ "box": 1, "amount": 61.17 }, { "box": 6, "amount": 305.83 }], "account_id": 48
        }),
    )
    .created::<Data<VatAdjustmentJson>>("The adjustment was made.")
    .refusals(&[
        "period_locked",
        "unknown_reference",
        "account_archived",
        "wrong_account_type",
        "vat_control_required",
    ])
    .rule("account_id", ONE_AT_MOST)
    .rule("account_id", "is required: boxes 1, 2 and 4 do not cancel")
    .rule("account_id", "must not be given: boxes 1, 2 and 4 cancel, so nothing is posted")
    .rule("account_code", "must not be given: boxes 1, 2 and 4 cancel, so nothing is posted")
    .rule("entries", "boxes 1 and 2 less box 4 must be within ±9999999999.99")
    .change()
}

/// `POST …/vat-adjustments/{id}/void`.
pub fn void_vat_adjustment() -> Operation {
    about(
        "VAT adjustment",
        "Void a VAT adjustment",
        "Takes its entries off again, and reverses its journal, on `void_date`, or on its own date when that is open.",
    )
    .request(named("VoidRequest"), json!({ "void_date": "2026-03-31", "reason": "entered twice" }))
    .answer::<Data<VatAdjustmentJson>>(200, "The voided adjustment.")
    .conflict(json!({ "reason": "invalid_state", "current": "void", "allowed": ["posted"] }))
    .rule("void_date", VOID_DATE)
    .refusals(&["period_locked"])
    .change()
    .versioned()
}

/// The schemas of the bodies.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let entry =
        strict("What is added to a box.", vec![required("box", box_number()), required("amount", money_in_not_zero())]);
    let mut fields = vec![
        required("date", date_in()),
        required("reason", reason()),
        required("description", plain(1, 500)),
        required("entries", array(entry).min_items(Some(1)).max_items(Some(9)).build()),
    ];
    fields.extend(account_keys());
    vec![("CreateVatAdjustment", strict("An adjustment of the VAT return.", fields).into())]
}
