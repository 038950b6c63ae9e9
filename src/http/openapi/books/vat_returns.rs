//! Recorded VAT returns.

use serde_json::json;

use super::super::operation::Operation;
use super::super::schema::{Any, boolean, label_or_empty, maybe, named, required, strict};
use super::shared::{about_one, date_in, inside};
use crate::domain::books::decide::vat_returns::{NO_PERIOD_END, NOT_FILED_THEN, NOT_OVER};
use crate::http::books::change::DeletedJson;
use crate::http::envelope::{Data, PageOf};
use crate::http::resources::vat_returns::VatReturnJson;
use crate::http::wire::books::vat_return::RECEIPT_CHARS_MAX;

/// `GET …/vat-returns`.
pub fn list_vat_returns() -> Operation {
    inside("List recorded VAT returns", "The latest period first.")
        .paged()
        .answer::<PageOf<VatReturnJson>>(200, "The recorded returns.")
}

/// `GET …/vat-returns/{id}`.
pub fn get_vat_return() -> Operation {
    about_one(
        "recorded VAT return",
        1,
        "Get a recorded VAT return",
        "The figures as they were recorded, whatever came later.",
    )
    .query("detail", "Also list the entries and adjustments that were declared.", boolean(), true.into())
    .answer::<Data<VatReturnJson>>(200, "The recorded return.")
}

/// `POST …/vat-returns`.
pub fn create_vat_return() -> Operation {
    inside(
        "Record a VAT return",
        "Keeps the figures of the return of a VAT period as they are now: the nine boxes, what came late into earlier returns, and the \
         object for HMRC. Nothing is submitted and nothing is locked; what comes into the period later is `late` in the next return. \
         For owners and administrators. A period is recorded once: 409 `period_recorded`.",
    )
    .request(
        named("RecordVatReturn"),
        json!({ "period_end": "2025-12-31", "filed_on": "2026-01-20", "hmrc_receipt": "256660290587" }),
    )
    .created::<Data<VatReturnJson>>("The return was recorded.")
    .conflict(json!({ "reason": "period_recorded", "existing_id": 3 }))
    .rule("period_end", NO_PERIOD_END)
    .rule("period_end", NOT_OVER)
    .rule("filed_on", NOT_FILED_THEN)
    .change()
}

/// `DELETE …/vat-returns/{id}`.
pub fn delete_vat_return() -> Operation {
    about_one(
        "recorded VAT return",
        1,
        "Delete a recorded VAT return",
        "The period counts as not declared again. The history keeps what was recorded. For owners.",
    )
    .answer::<Data<DeletedJson>>(200, "The return is recorded no more.")
    .change()
}

/// The schemas of the bodies.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let fields = vec![
        required("period_end", date_in()),
        maybe("filed_on", date_in()),
        maybe("hmrc_receipt", label_or_empty(RECEIPT_CHARS_MAX)),
    ];
    vec![("RecordVatReturn", strict("A VAT return that was declared.", fields).into())]
}
