//! Financial years.

use serde_json::json;

use super::super::operation::Operation;
use super::super::schema::{Any, array, id, named, optional, strict};
use super::shared::{date_in, inside};
use crate::http::envelope::{Data, List};
use crate::http::resources::financial_years::{FinancialYearJson, TRANSFERS_MAX};

/// `GET …/financial-years`.
pub fn list_financial_years() -> Operation {
    inside(
        "List financial years",
        "From the first with a posting, or that in which the books began, to this one. Nothing has to be done at the end of a year: the \
         profit of earlier years is in retained earnings by computation.",
    )
    .answer::<List<FinancialYearJson>>(200, "The years, in their order.")
}

/// `POST …/financial-years/{end}/close`.
pub fn close_financial_year() -> Operation {
    of_year(
        "2024-03-31",
        "Close a financial year",
        "Owners and administrators only. A journal of its last day takes income and expenses to retained earnings, and with them the \
         balances of `transfer_account_ids` (dividends, drawings); the period lock moves to that day, unless more is locked already. No \
         report of any day changes but for the accounts named: their balances are retained earnings from the first day of the next year. \
         Years are closed in their order.",
    )
    .request(named("CloseFinancialYear"), json!({ "transfer_account_ids": [] }))
    .answer::<Data<FinancialYearJson>>(200, "The closed year.")
    .conflict(json!({ "reason": "invalid_state", "current": "closed", "allowed": ["open"] }))
    .refusals(&["unknown_reference", "wrong_account_type"])
    .change()
    .versioned()
}

/// `POST …/financial-years/{end}/reopen`.
pub fn reopen_financial_year() -> Operation {
    of_year(
        "2023-03-31",
        "Reopen a financial year",
        "Owners only; the latest closed year first. Its journal is reversed on the same day, and the period lock goes back to where it \
         was before the year was closed.",
    )
    .answer::<Data<FinancialYearJson>>(200, "The open year.")
    .conflict(json!({ "reason": "invalid_state", "current": "open", "allowed": ["closed"] }))
    .change()
    .versioned()
}

/// An operation on a year, with the last day that is the example.
fn of_year(end: &'static str, summary: &'static str, description: &'static str) -> Operation {
    inside(summary, description).path("end", "The last day of the year.", date_in(), end.into())
}

/// The schemas of the bodies.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let transfers = array(id()).max_items(Some(usize::try_from(TRANSFERS_MAX).unwrap_or(usize::MAX))).build();
    let fields = vec![optional("transfer_account_ids", transfers)];
    vec![("CloseFinancialYear", strict("What is transferred to retained earnings with the profit.", fields).into())]
}
