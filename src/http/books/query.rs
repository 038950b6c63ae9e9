//! The query strings of lists: what filters, each given once unless it says otherwise, every problem
//! at once. A parameter nobody reads is refused: a misspelt filter would answer with the wrong list.

use crate::domain::date::{Date, moment_ms};
use crate::domain::ledger::money::Pence;
use crate::domain::problem::Issues;
use crate::http::error::ApiError;
use crate::http::paging;
use crate::http::paging::{LIMIT_DEFAULT, LIMIT_MAX, Page};
use crate::http::wire::books::{BOOK_DATE_RULE, parse_book_date};

/// The longest text that is searched for.
const SEARCH_CHARS_MAX: usize = 100;
/// How much of an unknown name is repeated to the caller.
const NAME_CHARS_SHOWN_MAX: usize = 50;

/// Reads a query string.
pub struct Query {
    pairs: Vec<(String, String)>,
    /// The names that were read, in order.
    known: Vec<String>,
    issues: Issues,
}

impl Query {
    /// Takes a query string apart.
    pub fn new(query: &str) -> Self {
        Self { pairs: paging::pairs(query).collect(), known: Vec::new(), issues: Issues::default() }
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

    /// The first and the last day of a period; both have to be given.
    pub fn period(&mut self, first: &str, last: &str) -> Option<(Date, Date)> {
        let mut required = |name: &str| {
            let is_missing = !self.pairs.iter().any(|(known, _)| known == name);
            if is_missing {
                self.issues.field("query", name, "is required");
            }
            self.date(name)
        };
        let (first_day, last_day) = (required(first), required(last));
        let period = first_day.zip(last_day)?;
        if period.0 > period.1 {
            self.issues.field("query", last, "must not be before the first day of the period");
            return None;
        }
        Some(period)
    }

    /// A date of the books.
    pub fn date(&mut self, name: &str) -> Option<Date> {
        self.read(name, BOOK_DATE_RULE, parse_book_date)
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

    /// An identifier.
    pub fn id(&mut self, name: &str) -> Option<i64> {
        self.read(name, "must be an integer of at least 1", |value| {
            let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
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
        paging::collect(query, &mut self.issues)
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

#[cfg(test)]
mod tests {
    use super::*;

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
