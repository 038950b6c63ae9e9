//! Query strings, read strictly: the filters of a list, `limit` and `offset`. A parameter is given once, except
//! [`Query::words`], and every problem is reported at once. A parameter nobody reads is refused: a misspelt filter would
//! answer with the wrong list.

use crate::domain::date::{Date, moment_ms};
use crate::domain::ledger::cis::TaxMonth;
use crate::domain::ledger::money::Pence;
use crate::domain::problem::Issues;
use crate::http::error::ApiError;
use crate::http::wire::books::{BOOK_DATE_RULE, TAX_MONTH_RULE, parse_book_date, parse_tax_month, period_rule};

/// Items on a page when the caller does not say.
const LIMIT_DEFAULT: u64 = 50;

/// The most a caller may ask for.
const LIMIT_MAX: u64 = 200;

/// The largest offset: what a database row number can be.
const OFFSET_MAX: u64 = i64::MAX.unsigned_abs();

/// The longest text that is searched for.
const SEARCH_CHARS_MAX: usize = 100;

/// How much of an unknown name is repeated to the caller.
const NAME_CHARS_SHOWN_MAX: usize = 50;

/// A part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Items at most, 1 to 200.
    pub limit: u64,
    /// Items to skip.
    pub offset: u64,
}

/// Reads a query string.
pub struct Query {
    pairs: Vec<(String, String)>,
    /// The names whose values were encoded.
    encoded: Vec<String>,
    /// The names that were read, in order.
    known: Vec<String>,
    issues: Issues,
}

impl Query {
    /// Takes a query string apart.
    pub fn new(query: &str) -> Self {
        let is_encoded = |pair: &&str| pair.split_once('=').is_some_and(|(_, value)| value.contains(['%', '+']));
        let encoded = query.split('&').filter(is_encoded).flat_map(pairs).map(|(name, _)| name);
        Self { pairs: pairs(query).collect(), encoded: encoded.collect(), known: Vec::new(), issues: Issues::default() }
    }

    /// Refuses whatever the query string of a request without parameters holds.
    pub fn none(query: &str) -> Result<(), ApiError> {
        if query.is_empty() { Ok(()) } else { Self::new(query).finish() }
    }

    fn one(&mut self, name: &str) -> Option<String> {
        self.known.push(name.to_owned());
        let mut given = self.pairs.iter().filter(|(known, _)| known == name).map(|(_, value)| value.clone());
        let first = given.next();
        if given.next().is_some() {
            self.issues.field("query", name, "must be given once");
        }
        first
    }

    fn read<T>(&mut self, name: &str, rule: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let value = self.one(name)?;
        let read = read(&value);
        if read.is_none() {
            self.issues.field("query", name, rule);
        }
        read
    }

    /// `true` or `false`; absent is false.
    pub fn flag(&mut self, name: &str) -> bool {
        self.maybe_flag(name).unwrap_or_default()
    }

    /// `true`, `false` or neither.
    pub fn maybe_flag(&mut self, name: &str) -> Option<bool> {
        let read = |value: &str| match value {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        self.read(name, "must be true or false", read)
    }

    /// Whether a parameter is given.
    pub fn has(&self, name: &str) -> bool {
        self.pairs.iter().any(|(known, _)| known == name)
    }

    /// Refuses a parameter beside what its own reading refuses.
    pub fn refuse(&mut self, name: &str, message: &str) {
        self.issues.field("query", name, message);
    }

    /// The first and the last day of a period of so many days at most; both have to be given.
    pub fn period(&mut self, first: &str, last: &str, days_max: i32) -> Option<(Date, Date)> {
        let mut required = |name: &str| {
            if !self.has(name) {
                self.issues.field("query", name, "is required");
            }
            self.date(name)
        };
        let (first_day, last_day) = (required(first), required(last));
        let period = first_day.zip(last_day)?;
        if let Some(rule) = period_rule(period, days_max) {
            self.issues.field("query", last, rule);
            return None;
        }
        Some(period)
    }

    /// A date of the books.
    pub fn date(&mut self, name: &str) -> Option<Date> {
        self.read(name, BOOK_DATE_RULE, parse_book_date)
    }

    /// A tax month by its last day; it has to be given.
    pub fn tax_month(&mut self, name: &str) -> Option<TaxMonth> {
        if !self.has(name) {
            self.issues.field("query", name, "is required");
        }
        self.read(name, TAX_MONTH_RULE, parse_tax_month)
    }

    /// The days `date_from` and `date_to` of a list, either of which may be left out, come in this order.
    pub fn in_order(&mut self, first: Option<Date>, last: Option<Date>) {
        if first.zip(last).is_some_and(|(first, last)| first > last) {
            self.issues.field("query", "date_to", "must not be before date_from");
        }
    }

    /// A moment, in milliseconds.
    pub fn moment(&mut self, name: &str) -> Option<i64> {
        self.read(name, "must be a date-time, such as 2026-03-10T12:00:00Z", moment_ms)
    }

    /// An identifier; as in a path it has one form: no sign, no leading zero, nothing encoded.
    pub fn id(&mut self, name: &str) -> Option<i64> {
        let is_plain = !self.encoded.iter().any(|encoded| encoded == name);
        self.read(name, "must be an integer of at least 1", |value| {
            let digits = is_plain && !value.starts_with('0') && value.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| value.parse().ok()).flatten().filter(|id| *id >= 1)
        })
    }

    /// An amount, in pence.
    pub fn money(&mut self, name: &str) -> Option<i64> {
        let rule = "must be an amount with at most two decimals, such as -12.50";
        self.read(name, rule, |value| Pence::parse_text(value).map(|amount| amount.0))
    }

    /// One of a few words.
    pub fn word<T>(&mut self, name: &str, rule: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        self.read(name, &format!("must be {rule}"), read)
    }

    /// Any of a few words; the parameter may be given several times.
    pub fn words<T>(&mut self, name: &str, rule: &str, read: impl Fn(&str) -> Option<T>) -> Vec<T> {
        self.known.push(name.to_owned());
        let given = self.pairs.iter().filter(|(known, _)| known == name);
        let (words, others): (Vec<_>, Vec<_>) = given.map(|(_, value)| read(value)).partition(Option::is_some);
        if !others.is_empty() {
            self.issues.field("query", name, format!("must be {rule}"));
        }
        words.into_iter().flatten().collect()
    }

    /// A text to search for.
    pub fn search(&mut self, name: &str) -> Option<String> {
        self.text(name, SEARCH_CHARS_MAX)
    }

    /// A text.
    pub fn text(&mut self, name: &str, length_max: usize) -> Option<String> {
        self.read(name, &format!("must have 1 to {length_max} characters"), |value| {
            let legal = (1..=length_max).contains(&value.chars().count()) && !value.contains('\0');
            legal.then(|| value.to_owned())
        })
    }

    /// `limit` and `offset`.
    pub fn page(&mut self, query: &str) -> Page {
        self.known.extend(["limit".to_owned(), "offset".to_owned()]);
        collect(query, &mut self.issues)
    }

    /// `limit` of a list that is read on by a cursor and not by an offset.
    pub fn limit(&mut self) -> u64 {
        let limit = self.read("limit", &format!("must be an integer from 1 to {LIMIT_MAX}"), |value| {
            let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| value.parse().ok()).flatten().filter(|limit| (1..=LIMIT_MAX).contains(limit))
        });
        limit.unwrap_or(LIMIT_DEFAULT)
    }

    /// 422 when anything was wrong, parameters that were not read among it.
    pub fn finish(mut self) -> Result<(), ApiError> {
        let mut refused: Vec<&str> = Vec::new();
        for (name, _) in &self.pairs {
            if !self.known.contains(name) && !refused.contains(&name.as_str()) {
                refused.push(name);
                let shown: String = name.chars().take(NAME_CHARS_SHOWN_MAX).collect();
                self.issues.field("query", &shown, unknown_parameter(&self.known));
            }
        }
        if self.issues.is_empty() { Ok(()) } else { Err(ApiError::invalid_request_format(&self.issues)) }
    }
}

/// The words for a parameter that is not one of these.
fn unknown_parameter(known: &[String]) -> String {
    match known.split_last() {
        None => "unknown parameter; no parameters are allowed here".to_owned(),
        Some((last, [])) => format!("unknown parameter; only {last} is allowed"),
        Some((last, others)) => format!("unknown parameter; only {} and {last} are allowed", others.join(", ")),
    }
}

/// Reads `limit` and `offset`; other parameters are the caller's business. 422 `invalid_request_format` otherwise.
pub fn parse(query: &str) -> Result<Page, ApiError> {
    let mut issues = Issues::default();
    let page = collect(query, &mut issues);
    if issues.is_empty() { Ok(page) } else { Err(ApiError::invalid_request_format(&issues)) }
}

/// The same for an endpoint that has more parameters and lists all problems at once.
fn collect(query: &str, issues: &mut Issues) -> Page {
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
fn pairs(query: &str) -> impl Iterator<Item = (String, String)> + '_ {
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

#[cfg(test)]
mod query_tests {
    use super::*;

    #[test]
    fn an_identifier_has_one_form() {
        assert_eq!(Query::new("customer_id=17").id("customer_id"), Some(17));
        for query in ["customer_id=017", "customer_id=%31", "customer_id=+1", "customer_id=0", "customer_id="] {
            let mut read = Query::new(query);
            assert_eq!(read.id("customer_id"), None, "{query}");
            assert!(read.finish().is_err(), "{query}");
        }
        let mut others = Query::new("search=%31+1&customer_id=17");
        assert_eq!((others.id("customer_id"), others.search("search")), (Some(17), Some("1 1".to_owned())));
    }

    /// The problems of a query of which these names are read.
    fn problems(query: &str, names: &[&str]) -> Vec<(String, String)> {
        let mut read = Query::new(query);
        for name in names {
            read.text(name, 9);
        }
        let Err(error) = read.finish() else { return Vec::new() };
        let issues = error.details().expect("details")["issues"].clone();
        let text = |issue: &serde_json::Value, name: &str| issue[name].as_str().unwrap_or_default().to_owned();
        issues.as_array().expect("a list").iter().map(|issue| (text(issue, "path"), text(issue, "message"))).collect()
    }

    #[test]
    fn a_parameter_that_was_not_read_is_refused_with_the_names_of_those_that_were() {
        let refused = |path: &str, message: &str| vec![(path.to_owned(), format!("unknown parameter; {message}"))];
        assert_eq!(problems("a=1", &["a", "b"]), []);
        assert_eq!(problems("", &[]), []);
        assert_eq!(problems("&&", &[]), []);
        assert_eq!(problems("c=1&a=1&c=2", &["a", "b", "d"]), refused("query.c", "only a, b and d are allowed"));
        assert_eq!(problems("A=1", &["a"]), refused("query.A", "only a is allowed"));
        assert_eq!(problems("a", &[]), refused("query.a", "no parameters are allowed here"));
        assert_eq!(problems(&"n".repeat(300), &[])[0].0, format!("query.{}", "n".repeat(NAME_CHARS_SHOWN_MAX)));
        // What is wrong with a known one comes first.
        let both: Vec<_> = problems("z=1&a=", &["a"]).into_iter().map(|(path, _)| path).collect();
        assert_eq!(both, ["query.a", "query.z"]);
    }
}
