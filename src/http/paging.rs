//! `limit` and `offset` of list endpoints, and the strict reading of query strings.

use super::error::ApiError;
use crate::domain::problem::Issues;

/// Items on a page when the caller does not say.
pub const LIMIT_DEFAULT: u64 = 50;
/// The most a caller may ask for.
pub const LIMIT_MAX: u64 = 200;
/// The largest offset: what a database row number can be.
const OFFSET_MAX: u64 = i64::MAX.unsigned_abs();

/// A part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Items at most, 1 to 200.
    pub limit: u64,
    /// Items to skip.
    pub offset: u64,
}

/// Reads `limit` and `offset`; other parameters are the caller's business. 422 `invalid_request_format` otherwise.
pub fn parse(query: &str) -> Result<Page, ApiError> {
    let mut issues = Issues::default();
    let page = collect(query, &mut issues);
    if issues.is_empty() { Ok(page) } else { Err(ApiError::invalid_request_format(&issues)) }
}

/// The same for an endpoint that has more parameters and lists all problems at once.
pub fn collect(query: &str, issues: &mut Issues) -> Page {
    let mut page = Page { limit: LIMIT_DEFAULT, offset: 0 };
    let mut seen = (false, false);
    for (name, value) in pairs(query) {
        match name.as_str() {
            "limit" if !std::mem::replace(&mut seen.0, true) => match number(&value) {
                Some(limit @ 1..=LIMIT_MAX) => page.limit = limit,
                _ => issues.field("query", "limit", format!("must be an integer from 1 to {LIMIT_MAX}")),
            },
            "offset" if !std::mem::replace(&mut seen.1, true) => match number(&value) {
                Some(offset) if offset <= OFFSET_MAX => page.offset = offset,
                _ => issues.field("query", "offset", "must be an integer of at least 0"),
            },
            "limit" | "offset" => issues.field("query", &name, "must be given once"),
            _ => {}
        }
    }
    page
}

/// The parameters of a query string, decoded, in order.
pub fn pairs(query: &str) -> impl Iterator<Item = (String, String)> + '_ {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name, true), decode(value, true))
    })
}

/// Percent-decoding; what is not valid UTF-8 becomes U+FFFD, which no valid parameter contains.
pub(super) fn decode(text: &str, plus_is_space: bool) -> String {
    if !text.contains(['%', '+']) {
        return text.to_owned();
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after) {
            (b'+', _) if plus_is_space => decoded.push(b' '),
            (b'%', [high, low, after @ ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => {
                    decoded.push(high << 4 | low);
                    rest = after;
                }
                _ => decoded.push(byte),
            },
            _ => decoded.push(byte),
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::error::ErrorCode;

    #[test]
    fn defaults_and_bounds() {
        assert_eq!(parse("").expect("defaults"), Page { limit: 50, offset: 0 });
        assert_eq!(parse("search=x&limit=200&offset=7").expect("legal"), Page { limit: 200, offset: 7 });
        assert_eq!(parse("limit=%31").expect("decoded"), Page { limit: 1, offset: 0 });
        for query in [
            "limit=0",
            "limit=201",
            "limit=-1",
            "limit=1.5",
            "limit=",
            "limit=+1",
            "limit",
            "limit=1&limit=2",
            "offset=-1",
            "offset=x",
            "offset=9223372036854775808",
            "offset=99999999999999999999",
            "limit=%ff",
        ] {
            let error = parse(query).expect_err(query);
            assert_eq!(error.code(), ErrorCode::InvalidRequestFormat, "{query}");
            let issue = error.details().and_then(|details| details["issues"].get(0)).expect("an issue").clone();
            assert_eq!(issue["section"], "query", "{query}");
        }
        let error = parse("limit=0&offset=x").expect_err("both");
        assert_eq!(error.details().expect("details")["issue_count"], 2);
    }

    #[test]
    fn decoding_keeps_what_is_not_an_escape() {
        assert_eq!(decode("a%20b+c%", true), "a b c%");
        assert_eq!(decode("a+b%zz", false), "a+b%zz");
        assert_eq!(decode("%e2%82%ac", false), "€");
        assert_eq!(decode("%ff", false), "\u{FFFD}");
    }
}
