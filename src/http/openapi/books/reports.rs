//! What the operations of reports have in common: their answers, and the days they are about.

use utoipa::ToSchema;

use super::super::operation::Operation;
use super::shared::{date_in, inside};
use crate::http::envelope::Data;

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
}

/// The parameter of a report as of a day.
pub fn as_of(operation: Operation) -> Operation {
    operation.query("as_of", "At the end of this day; today when it is left out.", date_in(), "2026-03-31".into())
}
