//! The history of the books.

use serde_json::{Value, json};
use utoipa::openapi::schema::AdditionalProperties;

use super::super::operation::Operation;
use super::super::schema::{
    Any, array, choice, id, integer, moment, named, nullable, object, one_of, required, string,
};
use super::shared::{about, inside};
use crate::domain::ledger::change::{ChangeAction, Resource};
use crate::http::error::ErrorCode;

impl Operation {
    /// A part of the history: from where, and how much.
    fn part_of_history(self) -> Self {
        self.query(
            "since",
            "The `next_cursor` of the part before, to read on; or a date-time to begin at. From the beginning without it.",
            one_of(vec![integer(0).into(), moment().into()]),
            41.into(),
        )
        .query("limit", "Entries at most.", integer(1).maximum(Some(200_isize)).default(Some(50.into())), 50.into())
        .error(ErrorCode::InvalidRequestFormat)
        .success(200, "The entries, oldest first.", named("ChangeList"), json!({ "data": [example()], "next_cursor": 42 }))
    }
}

/// `GET …/changes`.
pub fn list_changes() -> Operation {
    inside(
        "List changes",
        "Everything that was changed in the books, oldest first, written with the change itself and never altered. Nothing ever \
         appears before an entry that was read, so polling with `next_cursor` misses nothing.",
    )
    .part_of_history()
}

/// What every history of a record is.
pub fn list_history(what: &str, summary: &'static str) -> Operation {
    about(what, summary, "What was done to it, oldest first; also when it was deleted since.").part_of_history()
}

fn example() -> Value {
    json!({
        "cursor": 42, "at": "2026-03-10T12:00:00.000Z",
        "actor": { "user_id": 3, "key_prefix": "4fK9zQ2mXw7B", "via": "api" },
        "action": "update", "resource_type": "customer", "resource_id": 12, "summary": "Customer Brightwell School changed",
        "before": { "email": null }, "after": { "email": "office@brightwell.example" }
    })
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let actor = object(
        "Who changed it.",
        vec![
            required("user_id", id()),
            required("key_prefix", nullable(string())),
            required("via", choice(&["api", "web", "mcp"])),
        ],
    );
    let fields = |description: &str| {
        let mut fields = object(description, Vec::new());
        fields.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(true)));
        nullable(fields)
    };
    let actions: Vec<&str> = ChangeAction::ALL.iter().map(|action| action.as_str()).collect();
    let resources: Vec<&str> = Resource::ALL.iter().map(|resource| resource.as_str()).collect();
    let change = object(
        "An entry of the history.",
        vec![
            required("cursor", integer(1).description(Some("Its place: counted from 1 in every organisation."))),
            required("at", moment()),
            required("actor", actor),
            required("action", choice(&actions)),
            required("resource_type", choice(&resources)),
            required("resource_id", id()),
            required("summary", string()),
            required("before", fields("What was otherwise before; null for what was made.")),
            required("after", fields("The same after; null for what was deleted. Long texts are cut.")),
        ],
    );
    let list = object(
        "A part of the history.",
        vec![
            required("data", array(named("Change")).build()),
            required("next_cursor", integer(0).description(Some("`since` of the part that follows."))),
        ],
    );
    vec![("Change", change.into()), ("ChangeList", list.into())]
}
