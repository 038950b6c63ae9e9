//! The history of the books.

use super::super::operation::Operation;
use super::super::schema::{choice, integer, moment, one_of};
use super::shared::{about, inside};
use crate::http::error::ErrorCode;
use crate::http::resources::changes::ChangesJson;

impl Operation {
    /// A part of the history: from where, and how much.
    fn part_of_history(self) -> Self {
        self.query(
            "since",
            "The `next_cursor` of the part before, to read on; or a date-time to begin at. From the beginning without it.",
            one_of(vec![integer(0).into(), moment().into()]),
            41.into(),
        )
        .query(
            "order",
            "Whether the oldest entries come first or the newest.",
            choice(&["asc", "desc"]).default(Some("asc".into())),
            "desc".into(),
        )
        .query(
            "before",
            "With `order=desc`: the `next_cursor` of the part before, to read on.",
            integer(0),
            43.into(),
        )
        .query("limit", "Entries at most.", integer(1).maximum(Some(200_isize)).default(Some(50.into())), 50.into())
        .error(ErrorCode::InvalidRequestFormat)
        .answer::<ChangesJson>(200, "The entries, oldest first unless `order` says otherwise.")
    }
}

/// `GET …/changes`.
pub fn list_changes() -> Operation {
    inside(
        "List changes",
        "Everything that was changed in the books, oldest first or newest first, written with the change itself and never altered. Nothing ever \
         appears before an entry that was read, so polling with `next_cursor` misses nothing.",
    )
    .part_of_history()
}

/// What every history of a record is.
pub fn list_history(what: &str, summary: &'static str) -> Operation {
    about(what, summary, "What was done to it, oldest first or newest first; also when it was deleted since.")
        .part_of_history()
}
