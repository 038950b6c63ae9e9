//! The JSON of a reconciliation: the strict request body in, the result object out.
//!
//! The request is read in one pass straight into columns; no tree of values is ever
//! built. Every problem of the body is found at once and listed in document order:
//!
//! * a problem of a row has `dataset` `bank` or `book`, its zero-based `row`, and the `field`;
//! * a problem of a whole list has `dataset` and neither row nor field;
//! * a problem of an option has `dataset` `options` and the `field`;
//! * an unknown or repeated top-level key has no dataset, and the key as `field`.

use std::borrow::Cow;
use std::io::{self, Write};

use super::print::{write_list, write_string};
use crate::domain::amount;
use crate::domain::amount::AmountError;
use crate::domain::date::Date;
use crate::domain::problem::PROBLEMS_LISTED_MAX;
use crate::domain::recon::dataset::MAX_DESCRIPTION_CHARS;
use crate::domain::recon::{Dataset, Options, Outcome, Rows};
use crate::http::wire::strict::{Cursor, Malformed};

/// Longest piece of an unknown key that is repeated to the caller.
const MAX_KEY_CHARS: usize = 100;

const MAX_WINDOW_DAYS: u32 = 30;
const DEFAULT_WINDOW_DAYS: u32 = 3;

/// What the operator allows.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most rows of `bank`, and of `book`.
    pub max_rows_per_dataset: usize,
}

/// A request that keeps to the format.
#[derive(Debug, Clone)]
pub struct Submission {
    /// The rows.
    pub dataset: Dataset,
    /// What the caller chose about the run.
    pub options: Options,
    /// Whether the caller accepts overage for this request.
    pub allow_overage: bool,
}

/// One deviation from the format.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct RowProblem {
    /// `bank`, `book` or `options`; none for the top level.
    pub dataset: Option<&'static str>,
    /// Zero-based row.
    pub row: Option<u64>,
    /// The key concerned.
    pub field: Option<String>,
    /// What is allowed.
    pub message: String,
}

/// Every deviation of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatProblems {
    /// The first [`PROBLEMS_LISTED_MAX`], in document order.
    pub errors: Vec<RowProblem>,
    /// How many there are.
    pub error_count: u64,
}

/// Reads a request body.
pub fn parse(body: &[u8], limits: &Limits) -> Result<Submission, FormatProblems> {
    let mut problems = Problems::default();
    let request = match std::str::from_utf8(body) {
        Ok(text) => Parser::new(text, limits, &mut problems).request(),
        Err(_) => Err(Malformed),
    };
    match request {
        Ok(submission) if problems.count == 0 => return Ok(submission),
        Ok(_) => {}
        Err(Malformed) => problems.add(FieldPath::default(), "the body must be one JSON object"),
    }
    Err(FormatProblems { errors: problems.listed, error_count: problems.count })
}

#[derive(Debug, Clone, Copy, Default)]
struct FieldPath<'a> {
    dataset: Option<&'static str>,
    row: Option<u64>,
    field: Option<&'a str>,
}

impl<'a> FieldPath<'a> {
    fn field(self, field: &'a str) -> Self {
        Self { field: Some(field), ..self }
    }
}

#[derive(Debug, Default)]
struct Problems {
    listed: Vec<RowProblem>,
    count: u64,
}

impl Problems {
    fn add(&mut self, path: FieldPath<'_>, message: impl Into<String>) {
        self.count += 1;
        if self.listed.len() < PROBLEMS_LISTED_MAX {
            self.listed.push(RowProblem {
                dataset: path.dataset,
                row: path.row,
                field: path.field.map(|field| field.chars().take(MAX_KEY_CHARS).collect()),
                message: message.into(),
            });
        }
    }
}

/// Date, digits of the amount, description.
type ParsedRow<'a> = (Date, &'a str, Cow<'a, str>);

struct Parser<'a, 'p> {
    cursor: Cursor<'a>,
    limits: &'p Limits,
    problems: &'p mut Problems,
}

impl<'a, 'p> Parser<'a, 'p> {
    fn new(text: &'a str, limits: &'p Limits, problems: &'p mut Problems) -> Self {
        Self { cursor: Cursor::new(text), limits, problems }
    }

    fn request(mut self) -> Result<Submission, Malformed> {
        let mut dataset = Dataset::default();
        let mut options = Options { window_days: DEFAULT_WINDOW_DAYS, include_matched: false };
        let mut allow_overage = false;
        let mut seen = [false; 3];
        let mut members = self.cursor.open(b'{')?;
        while let Some(key) = self.cursor.next_key(&mut members)? {
            let names = ["bank", "book", "options"];
            let Some(at) = names.iter().position(|name| *name == key) else {
                self.problems
                    .add(FieldPath::default().field(&key), "unknown key; only bank, book and options are allowed");
                self.cursor.skip()?;
                continue;
            };
            if self.first_time(&mut seen, at, FieldPath::default(), &key) {
                match at {
                    0 => dataset.bank = self.rows("bank")?,
                    1 => dataset.book = self.rows("book")?,
                    _ => self.options(&mut options, &mut allow_overage)?,
                }
            } else {
                self.cursor.skip()?;
            }
        }
        self.cursor.end()?;
        for (present, name) in seen.into_iter().zip(["bank", "book"]) {
            if !present {
                let path = FieldPath { dataset: Some(name), ..FieldPath::default() };
                self.problems.add(path, format!("{name} is required: an array of rows, which may be empty"));
            }
        }
        Ok(Submission { dataset, options, allow_overage })
    }

    /// Notes a key, and a problem when it was there before.
    fn first_time(&mut self, seen: &mut [bool], at: usize, path: FieldPath<'_>, key: &str) -> bool {
        let repeated = seen.get_mut(at).is_some_and(|seen| std::mem::replace(seen, true));
        if repeated {
            self.problems.add(path.field(key), format!("{key} may be given only once"));
        }
        !repeated
    }

    fn rows(&mut self, name: &'static str) -> Result<Rows, Malformed> {
        let path = FieldPath { dataset: Some(name), ..FieldPath::default() };
        let mut rows = Rows::default();
        if self.cursor.peek()? != b'[' {
            self.problems.add(path, format!("{name} must be an array of rows"));
            self.cursor.skip()?;
            return Ok(rows);
        }
        let limit = u64::try_from(self.limits.max_rows_per_dataset).unwrap_or(u64::MAX);
        let mut items = self.cursor.open(b'[')?;
        let mut row = 0;
        while self.cursor.next_item(&mut items)? {
            let read = self.row(FieldPath { row: Some(row), ..path })?;
            if let Some((date, digits, description)) = read
                && row < limit
                && !rows.push(date, digits, &description)
            {
                self.problems.add(FieldPath { row: Some(row), ..path }, "too much text in this list");
            }
            row += 1;
        }
        if row > limit {
            self.problems.add(path, format!("{name} may have at most {limit} rows; it has {row}"));
        }
        rows.shrink_to_fit();
        Ok(rows)
    }

    /// Reads one row; none when it has a problem.
    fn row(&mut self, path: FieldPath<'_>) -> Result<Option<ParsedRow<'a>>, Malformed> {
        const FIELDS: [&str; 3] = ["date", "amount", "description"];
        if self.cursor.peek()? != b'{' {
            self.problems.add(path, "a row must be an object with date, amount and description");
            self.cursor.skip()?;
            return Ok(None);
        }
        let (mut date, mut digits, mut description) = (None, None, None);
        let mut seen = [false; 3];
        let mut members = self.cursor.open(b'{')?;
        while let Some(key) = self.cursor.next_key(&mut members)? {
            let Some(at) = FIELDS.iter().position(|name| *name == key) else {
                self.problems.add(path.field(&key), "unknown key; a row has exactly date, amount and description");
                self.cursor.skip()?;
                continue;
            };
            if !self.first_time(&mut seen, at, path, &key) {
                self.cursor.skip()?;
                continue;
            }
            match at {
                0 => date = self.date(path.field("date"))?,
                1 => digits = self.amount(path.field("amount"))?,
                _ => description = self.description(path.field("description"))?,
            }
        }
        for (present, name) in seen.into_iter().zip(FIELDS) {
            if !present {
                self.problems.add(path.field(name), format!("{name} is required"));
            }
        }
        Ok(date.zip(digits).zip(description).map(|((date, digits), text)| (date, digits, text)))
    }

    fn date(&mut self, path: FieldPath<'_>) -> Result<Option<Date>, Malformed> {
        let date = match self.cursor.peek()? {
            b'"' => Date::parse(&self.cursor.string()?),
            _ => {
                self.cursor.skip()?;
                None
            }
        };
        if date.is_none() {
            self.problems
                .add(path, "date must be a string YYYY-MM-DD, a real calendar date from 0001-01-01 to 9999-12-31");
        }
        Ok(date)
    }

    fn amount(&mut self, path: FieldPath<'_>) -> Result<Option<&'a str>, Malformed> {
        let text = self.cursor.skip()?;
        let message = match amount::parse(text) {
            Ok(_) => return Ok(Some(text)),
            Err(AmountError::NotANumber) => "amount must be a JSON number, such as -12.50",
            Err(AmountError::TooLarge) => "amount must be below 1e18 in magnitude",
        };
        self.problems.add(path, message);
        Ok(None)
    }

    fn description(&mut self, path: FieldPath<'_>) -> Result<Option<Cow<'a, str>>, Malformed> {
        if self.cursor.peek()? != b'"' {
            self.problems.add(path, "description must be a string of 1 to 500 characters");
            self.cursor.skip()?;
            return Ok(None);
        }
        let text = self.cursor.string()?;
        let too_long = text.len() > MAX_DESCRIPTION_CHARS && text.chars().count() > MAX_DESCRIPTION_CHARS;
        if text.is_empty() || too_long {
            self.problems.add(path, "description must have 1 to 500 characters");
            return Ok(None);
        }
        // A raw NUL is not JSON, so only an escape can bring one.
        if matches!(text, Cow::Owned(_)) && text.contains('\0') {
            self.problems.add(path, "description must not contain the NUL character");
            return Ok(None);
        }
        Ok(Some(text))
    }

    fn options(&mut self, options: &mut Options, allow_overage: &mut bool) -> Result<(), Malformed> {
        const FIELDS: [&str; 3] = ["allowedDateDifferenceInDays", "includeMatched", "allowOverage"];
        let path = FieldPath { dataset: Some("options"), ..FieldPath::default() };
        if self.cursor.peek()? != b'{' {
            self.problems.add(path, "options must be an object");
            self.cursor.skip()?;
            return Ok(());
        }
        let mut seen = [false; 3];
        let mut members = self.cursor.open(b'{')?;
        while let Some(key) = self.cursor.next_key(&mut members)? {
            let at = FIELDS.iter().position(|name| *name == key);
            let value_path = path.field(&key);
            match at {
                None => self.problems.add(
                    value_path,
                    "unknown key; only allowedDateDifferenceInDays, includeMatched and allowOverage are allowed",
                ),
                Some(at) if self.first_time(&mut seen, at, path, &key) => {
                    let text = self.cursor.skip()?;
                    match at {
                        0 => self.window(value_path, text, &mut options.window_days),
                        1 => self.flag(value_path, text, &mut options.include_matched),
                        _ => self.flag(value_path, text, allow_overage),
                    }
                    continue;
                }
                Some(_) => {}
            }
            self.cursor.skip()?;
        }
        Ok(())
    }

    /// A whole number in any spelling JSON has for it: 3, 3.0, 30e-1.
    fn window(&mut self, path: FieldPath<'_>, text: &str, window_days: &mut u32) {
        let days = amount::parse_outward(text).ok().and_then(|units| {
            let whole = units % amount::UNITS_PER_WHOLE == 0;
            let days = u32::try_from(units / amount::UNITS_PER_WHOLE).ok()?;
            (whole && days <= MAX_WINDOW_DAYS).then_some(days)
        });
        match days {
            Some(days) => *window_days = days,
            None => self.problems.add(path, "allowedDateDifferenceInDays must be an integer from 0 to 30"),
        }
    }

    fn flag(&mut self, path: FieldPath<'_>, text: &str, flag: &mut bool) {
        match text {
            "true" => *flag = true,
            "false" => *flag = false,
            _ => {
                let name = path.field.unwrap_or("the value");
                self.problems.add(path, format!("{name} must be true or false"));
            }
        }
    }
}

/// Writes the `result` object of a completed run, piece by piece.
pub fn write_result(out: &mut impl Write, dataset: &Dataset, options: &Options, outcome: &Outcome) -> io::Result<()> {
    let verification = outcome.verification();
    let missing = outcome.missing_from_books().count();
    let remove = outcome.remove_from_books().count();
    write!(
        out,
        "{{\"summary\":{{\"bank_rows\":{},\"book_rows\":{},\"matched_count\":{},\
         \"missing_from_books_count\":{missing},\"remove_from_books_count\":{remove},\
         \"verified\":{}}},\"credits_charged\":{}",
        dataset.bank.len(),
        dataset.book.len(),
        dataset.bank.len() - missing,
        verification.is_verified,
        outcome.credits_charged(),
    )?;
    out.write_all(b",\"missing_from_books\":")?;
    write_list(out, outcome.missing_from_books(), |out, row| write_row(out, &dataset.bank, row))?;
    out.write_all(b",\"remove_from_books\":")?;
    write_list(out, outcome.remove_from_books(), |out, row| write_row(out, &dataset.book, row))?;
    write!(
        out,
        ",\"verification\":{{\"is_verified\":{},\"expected_net_discrepancy\":{},\
         \"actual_net_effect\":{},\"reason\":",
        verification.is_verified,
        amount::plain_decimal(verification.expected_net_discrepancy),
        amount::plain_decimal(verification.actual_net_effect),
    )?;
    write_string(out, &verification.reason)?;
    out.write_all(b"}")?;
    if options.include_matched {
        out.write_all(b",\"matched\":")?;
        write_list(out, outcome.matched(), |out, (bank, book)| {
            out.write_all(b"{\"bank\":")?;
            write_row(out, &dataset.bank, bank)?;
            out.write_all(b",\"book\":")?;
            write_row(out, &dataset.book, book)?;
            let days = dataset.bank.date(bank).abs_diff(dataset.book.date(book));
            write!(out, ",\"date_difference\":{days}}}")
        })?;
    }
    if !outcome.explanations().is_empty() {
        write_explanations(out, outcome)?;
    }
    out.write_all(b"}")
}

fn write_explanations(out: &mut impl Write, outcome: &Outcome) -> io::Result<()> {
    out.write_all(b",\"explanations\":")?;
    write_list(out, outcome.explanations().iter(), |out, explanation| {
        let dataset = if explanation.is_bank { "bank" } else { "book" };
        let kind = explanation.kind.as_str();
        write!(out, "{{\"dataset\":\"{dataset}\",\"row\":{},\"kind\":\"{kind}\"", explanation.row)?;
        if let Some(other) = explanation.other_row {
            write!(out, ",\"other_row\":{other}")?;
        }
        if !explanation.other_rows.is_empty() {
            out.write_all(b",\"other_rows\":")?;
            write_list(out, explanation.other_rows.iter(), |out, row| write!(out, "{row}"))?;
            out.write_all(b",\"difference\":0")?;
        }
        out.write_all(b",\"detail\":")?;
        write_string(out, &explanation.detail)?;
        out.write_all(b"}")
    })
}

/// A row as it was submitted, so that the caller can post it back.
fn write_row(out: &mut impl Write, rows: &Rows, row: usize) -> io::Result<()> {
    out.write_all(b"{\"date\":\"")?;
    out.write_all(&rows.date(row).to_ascii())?;
    out.write_all(b"\",\"amount\":")?;
    out.write_all(rows.amount_text(row).as_bytes())?;
    out.write_all(b",\"description\":")?;
    write_string(out, rows.description(row))?;
    out.write_all(b"}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::control::Unattended;
    use crate::domain::recon::run;

    const LIMITS: Limits = Limits { max_rows_per_dataset: 3 };

    fn problems(body: &str) -> Vec<(Option<&'static str>, Option<u64>, Option<String>)> {
        let problems = parse(body.as_bytes(), &LIMITS).unwrap_err();
        problems.errors.into_iter().map(|error| (error.dataset, error.row, error.field)).collect()
    }

    fn field(
        dataset: &'static str,
        row: Option<u64>,
        field: &str,
    ) -> (Option<&'static str>, Option<u64>, Option<String>) {
        (Some(dataset), row, Some(field.to_owned()))
    }

    #[test]
    fn a_window_is_a_whole_number_however_small_its_fraction() {
        let body =
            |days: &str| format!(r#"{{"bank":[],"book":[],"options":{{"allowedDateDifferenceInDays":{days}}}}}"#);
        for days in ["2.5890419884777833e-42", "3.0000000000000001", "-1e-13"] {
            assert_eq!(problems(&body(days)), vec![field("options", None, "allowedDateDifferenceInDays")], "{days}");
        }
    }

    #[test]
    fn a_request_in_order_is_read_with_its_digits() {
        let body = r#" {"book": [], "bank":[{"description":"Caf\u00e9 \"1\"","amount":-1.50e1,"date":"2024-02-29"}],
            "options":{"allowedDateDifferenceInDays":30,"includeMatched":true,"allowOverage":true}} "#;
        let submission = parse(body.as_bytes(), &LIMITS).unwrap();
        assert_eq!(submission.dataset.bank.amount_text(0), "-1.50e1");
        assert_eq!(submission.dataset.bank.description(0), "Caf\u{e9} \"1\"");
        assert_eq!(submission.options, Options { window_days: 30, include_matched: true });
        assert!(submission.allow_overage);
        let submission = parse(br#"{"bank":[],"book":[]}"#, &LIMITS).unwrap();
        assert_eq!(submission.options, Options { window_days: 3, include_matched: false });
    }

    #[test]
    fn all_problems_are_told_in_document_order() {
        let body = r#"{"bank":[{"date":"2024-02-30","amount":"1","description":""},
            7, {"amount":1e400,"date":1,"date":"2024-01-01","x":[{"y":"]"}],"description":"a\u0000b"}],
            "extra":{"bank":[]}, "options":{"allowedDateDifferenceInDays":31,"includeMatched":null,"z":1},
            "bank":[]}"#;
        assert_eq!(
            problems(body),
            [
                field("bank", Some(0), "date"),
                field("bank", Some(0), "amount"),
                field("bank", Some(0), "description"),
                (Some("bank"), Some(1), None),
                field("bank", Some(2), "amount"),
                field("bank", Some(2), "date"),
                field("bank", Some(2), "date"),
                field("bank", Some(2), "x"),
                field("bank", Some(2), "description"),
                (None, None, Some("extra".to_owned())),
                field("options", None, "allowedDateDifferenceInDays"),
                field("options", None, "includeMatched"),
                field("options", None, "z"),
                (None, None, Some("bank".to_owned())),
                (Some("book"), None, None),
            ]
        );
    }

    #[test]
    fn missing_fields_wrong_lists_and_too_many_rows_are_problems() {
        assert_eq!(problems("[]"), [(None, None, None)]);
        assert_eq!(problems("{}"), [(Some("bank"), None, None), (Some("book"), None, None)]);
        assert_eq!(
            problems(r#"{"bank":null,"book":[{}],"options":[]}"#),
            [
                (Some("bank"), None, None),
                field("book", Some(0), "date"),
                field("book", Some(0), "amount"),
                field("book", Some(0), "description"),
                (Some("options"), None, None),
            ]
        );
        let row = r#"{"date":"2024-01-01","amount":1,"description":"a"}"#;
        let four = [row; 4].join(",");
        let body = format!(r#"{{"bank":[{four}],"book":[]}}"#);
        assert_eq!(problems(&body), [(Some("bank"), None, None)]);
    }

    #[test]
    fn only_a_hundred_problems_are_listed_and_all_are_counted() {
        let body = format!(r#"{{"bank":[{}],"book":[]}}"#, ["7"; 250].join(","));
        let problems = parse(body.as_bytes(), &Limits { max_rows_per_dataset: 1000 }).unwrap_err();
        assert_eq!((problems.errors.len(), problems.error_count), (100, 250));
    }

    #[test]
    fn descriptions_are_counted_in_characters() {
        let body = |length: usize| {
            let text = "\u{e9}".repeat(length);
            format!(r#"{{"bank":[{{"date":"2024-01-01","amount":1,"description":"{text}"}}],"book":[]}}"#)
        };
        assert!(parse(body(500).as_bytes(), &LIMITS).is_ok());
        assert!(parse(body(501).as_bytes(), &LIMITS).is_err());
    }

    #[test]
    fn broken_bodies_are_problems_and_never_a_panic() {
        let body = br#"{"bank":[{"date":"2024-01-01","amount":1,"description":"a\n"}],"book":[],"options":{"q":[1,{"a":"b"}]}}"#;
        for cut in 0..body.len() {
            assert!(parse(body.get(..cut).unwrap(), &LIMITS).is_err());
        }
        for byte in [b'"', b'{', b'}', b'[', b']', b',', b':', b'\\', 0xff, b'0'] {
            for at in 0..body.len() {
                let mut damaged = body.to_vec();
                *damaged.get_mut(at).unwrap() = byte;
                let _ = parse(&damaged, &LIMITS);
            }
        }
        let deep = format!(r#"{{"bank":{}"#, "[".repeat(1 << 20));
        assert!(parse(deep.as_bytes(), &LIMITS).is_err());
    }

    #[test]
    fn the_result_echoes_rows_and_says_what_the_contract_says() {
        let body = r#"{"bank":[{"date":"2024-01-02","amount":10.0,"description":"ACME \"x\""},
            {"date":"2024-01-05","amount":-3.10,"description":"FEE"}],
            "book":[{"date":"2024-01-01","amount":1e1,"description":"Acme"}],
            "options":{"includeMatched":true}}"#;
        let submission = parse(body.as_bytes(), &LIMITS).unwrap();
        let outcome = run(&submission.dataset, &submission.options, &Unattended).unwrap();
        let mut out = Vec::new();
        write_result(&mut out, &submission.dataset, &submission.options, &outcome).unwrap();
        let text = String::from_utf8(out).unwrap();
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"summary":{"bank_rows":2,"book_rows":1,"matched_count":1,"missing_from_books_count":1,"#,
                r#""remove_from_books_count":0,"verified":true},"credits_charged":2,"missing_from_books":["#,
                r#"{"date":"2024-01-05","amount":-3.10,"description":"FEE"}],"remove_from_books":[],"#,
                r#""verification":{"is_verified":true,"expected_net_discrepancy":-3.1,"actual_net_effect":-3.1,"#,
                r#""reason":"Verified: 1 pair matched; 1 bank row, -3.10, not in the books; 0 book rows, 0.00, not at the bank; the difference of -3.10 agrees."},"#,
                r#""matched":[{"bank":{"date":"2024-01-02","amount":10.0,"description":"ACME \"x\""},"#,
                r#""book":{"date":"2024-01-01","amount":1e1,"description":"Acme"},"date_difference":1}]}"#,
            )
        );
    }
}
