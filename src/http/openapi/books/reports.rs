//! What the operations of reports have in common: their answers, and the days they are about.

use utoipa::ToSchema;

use super::super::operation::Operation;
use super::shared::{about_one, date_in, inside};
use crate::http::envelope::Data;
use crate::http::openapi::schema::choice;

/// An operation that answers with a report.
pub fn report<T: ToSchema>(summary: &'static str, description: &'static str, answer: &'static str) -> Operation {
    inside(summary, description).answer::<Data<T>>(200, answer)
}

/// The parameters of a report over a period.
pub fn of_period(operation: Operation) -> Operation {
    operation
        .query_required("period_start", "The first day.", date_in(), "2026-03-06".into())
        .query_required("period_end", "The last day.", date_in(), "2026-04-05".into())
        .rule("query.period_end", "must not be before the first day of the period")
        .rule("query.period_end", "must end a period of at most 3660 days")
}

/// `GET …/customers/{id}/statement/pdf`.
pub fn print_customer_statement() -> Operation {
    let printed = "The statement of account of a period, as `reports/customer-statement/{contactId}` prints it. PDF/A-2a, tagged, A4. A character \
         that the font lacks is printed as a box and named in the header `Missing-Characters`.";
    let operation = about_one("customer", 3, "Print the statement of a customer", printed);
    of_period(operation).file("application/pdf", "The statement.")
}

/// The parameters of the period that another is compared with.
pub fn compared_periods(operation: Operation) -> Operation {
    operation
        .query("compare", "The same days of the year before.", choice(&["previous_year"]), "previous_year".into())
        .query("compare_start", "The first day of the period compared with.", date_in(), "2025-03-06".into())
        .query("compare_end", "Its last day.", date_in(), "2025-04-05".into())
        .rule("query.compare", COMPARE_RULE)
        .rule("query.compare_start", "is required")
        .rule("query.compare_end", "is required")
        .rule("query.compare_end", "must not be before the first day of the period")
        .rule("query.compare_end", "must end a period of at most 3660 days")
}

/// The parameter of the day that another is compared with.
pub fn compared_days(operation: Operation) -> Operation {
    operation.query(
        "compare_as_of",
        "The end of this day is compared with; the same day of the year before when it is left out.",
        date_in(),
        "2025-03-31".into(),
    )
}

/// What a period by months is refused with.
pub const MONTHS_RULE: &str = "must end a period of at most 60 months";

/// What two ways to name the other period are refused with.
pub const COMPARE_RULE: &str = "is not combined with compare_start and compare_end";

/// The parameter of a report as of a day.
pub fn as_of(operation: Operation) -> Operation {
    operation.query("as_of", "At the end of this day; today when it is left out.", date_in(), "2026-03-31".into())
}
