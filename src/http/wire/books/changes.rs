//! Reading where a part of the history of the books begins.

use crate::domain::books::records::change::Since;
use crate::domain::date::moment_ms;

/// What `since` may be.
pub const SINCE_RULE: &str =
    "a cursor, which is an integer of at least 0, or a date-time, such as 2026-03-10T12:00:00Z";

/// What `before` may be.
pub const BEFORE_RULE: &str = "a cursor, which is an integer of at least 0";

/// Reads `before`.
pub fn parse_before(text: &str) -> Option<i64> {
    match parse_since(text) {
        Some(Since::Cursor(cursor)) => Some(cursor),
        _ => None,
    }
}

/// Reads `since`.
pub fn parse_since(text: &str) -> Option<Since> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits {
        // There is nothing after a number that is too large.
        return Some(Since::Cursor(text.parse().unwrap_or(i64::MAX)));
    }
    moment_ms(text).map(Since::Moment)
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
