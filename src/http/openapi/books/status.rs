//! How the books stand.

use super::super::operation::Operation;
use super::shared::inside;
use crate::http::envelope::Data;
use crate::http::resources::status::BooksStatusJson;

/// `GET …/status`.
pub fn get_books_status() -> Operation {
    inside(
        "Get the status of the books",
        "What waits to be dealt with: bank lines to be confirmed, drafts, what is overdue, and what is missing (`gaps`); and how the \
         business stands today. Each figure is that of its report.",
    )
    .answer::<Data<BooksStatusJson>>(200, "The status.")
}
