//! What the operations of the Construction Industry Scheme describe.

use utoipa::openapi::ObjectBuilder;

use super::super::operation::Operation;
use super::super::schema::date;
use super::shared::{about_one, inside};
use crate::domain::reports::cis_return::CisReturn;
use crate::domain::reports::cis_statement::CisStatement;
use crate::http::envelope::Data;
use crate::http::error::ErrorCode;

/// The fifths from 1900-01-05 to 2199-12-05.
const FIFTH: &str = "^(?:19|20|21)[0-9]{2}-(?:0[1-9]|1[0-2])-05$";

/// The last day of a tax month as a request gives it.
pub(super) fn tax_month_in() -> ObjectBuilder {
    date().pattern(Some(FIFTH))
}

/// `GET …/cis/returns/{tax_month_end}`.
pub fn get_cis_return() -> Operation {
    inside(
        "Get the figures of a CIS return",
        "The CIS300 of the tax month that ends on this 5th: everybody who was paid under the scheme, those paid gross too, with the figures \
         of the CIS position of the same days. `warnings` says what a person should look at first: `no_paye_reference`, `unverified`, \
         `no_utr`, `unallocated_payment` (a payment on account, from which nothing is withheld yet) and `negative` (payments of an earlier \
         tax month were taken back: HMRC takes no figure below zero, so that the return of `tax_month_end` is amended; `amount` is what its \
         payments change by). Figures only: the return and its declarations are a person's.",
    )
    .path("tax_month_end", "The last day of the tax month, a 5th.", tax_month_in(), "2026-04-05".into())
    .answer::<Data<CisReturn>>(200, "The figures.")
    .error(ErrorCode::InvalidRequestFormat)
}

/// `GET …/suppliers/{id}/cis-statement`.
pub fn get_cis_statement() -> Operation {
    of_supplier(about_one(
        "supplier",
        STATED,
        "Get the CIS statement of a supplier",
        "The payment and deduction statement of a tax month (CIS340): what was paid and withheld, as in the return of the tax month. \
         The verification number is there when something was withheld at the higher rate. 404 when nothing was withheld.",
    ))
    .answer::<Data<CisStatement>>(200, "The statement.")
}

/// `GET …/suppliers/{id}/cis-statement/pdf`.
pub fn print_cis_statement() -> Operation {
    of_supplier(about_one("supplier", STATED, "Print the CIS statement of a supplier", super::documents::PRINTED))
        .file("application/pdf", "The statement.")
}

/// The supplier of the examples.
pub(super) const STATED: i64 = 14;

fn of_supplier(operation: Operation) -> Operation {
    operation.query_required(
        "tax_month_end",
        "The last day of the tax month, a 5th.",
        tax_month_in(),
        "2026-04-05".into(),
    )
}
