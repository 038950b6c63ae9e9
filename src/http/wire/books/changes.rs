//! The history of the books on the wire.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::domain::calendar::{date_time_text, moment_ms};
use crate::store::{ChangeRow, Changes, Since};

/// What `since` may be.
pub const SINCE_RULE: &str =
    "a cursor, which is an integer of at least 0, or a date-time, such as 2026-03-10T12:00:00Z";

/// Reads `since`.
pub fn parse_since(text: &str) -> Option<Since> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits {
        // There is nothing after a number that is too large.
        return Some(Since::Cursor(text.parse().unwrap_or(i64::MAX)));
    }
    moment_ms(text).map(Since::Moment)
}

/// A part of the history, as answers show it.
#[derive(Serialize)]
pub struct ChangesJson<'a> {
    data: Vec<ChangeJson<'a>>,
    next_cursor: i64,
}

#[derive(Serialize)]
struct ChangeJson<'a> {
    cursor: i64,
    at: String,
    actor: Actor<'a>,
    action: &'static str,
    resource_type: &'static str,
    resource_id: i64,
    summary: &'a str,
    before: Option<&'a RawValue>,
    after: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Actor<'a> {
    user_id: i64,
    key_prefix: Option<&'a str>,
    via: &'a str,
}

impl<'a> ChangesJson<'a> {
    /// Prints a part of the history.
    pub fn new(changes: &'a Changes) -> Self {
        Self { data: changes.rows.iter().map(ChangeJson::from).collect(), next_cursor: changes.next_cursor }
    }
}

impl<'a> From<&'a ChangeRow> for ChangeJson<'a> {
    fn from(row: &'a ChangeRow) -> Self {
        Self {
            cursor: row.cursor,
            at: date_time_text(row.at_ms),
            actor: Actor { user_id: row.user_id, key_prefix: row.key_prefix.as_deref(), via: &row.via },
            action: row.action.as_str(),
            resource_type: row.resource.as_str(),
            resource_id: row.resource_id,
            summary: &row.summary,
            before: json(row.before.as_ref()),
            after: json(row.after.as_ref()),
        }
    }
}

/// Stored JSON as it is; it was printed by the service itself.
fn json(text: Option<&String>) -> Option<&RawValue> {
    text.and_then(|text| serde_json::from_str(text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_a_cursor_or_a_moment() {
        assert_eq!(parse_since("0"), Some(Since::Cursor(0)));
        assert_eq!(parse_since("99999999999999999999"), Some(Since::Cursor(i64::MAX)));
        assert_eq!(parse_since("1970-01-01T00:00:01Z"), Some(Since::Moment(1_000)));
        for wrong in ["", "-1", "+1", "1.5", "yesterday", "2026-03-10"] {
            assert_eq!(parse_since(wrong), None, "{wrong}");
        }
    }
}
