//! Strict reading of a large JSON body in one pass: only the keys that are allowed, each once, every problem at once and
//! in document order. No tree of values is built: a `Cursor` steps through the text, what is read borrows from the text
//! where it has no escapes, and what is skipped keeps its text.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;

use super::rules::{Characters, Listed, Rows};
use crate::domain::amount;
use crate::domain::amount::AmountError;
use crate::domain::date::Date;
use crate::domain::problem::{Issue, Issues, PROBLEMS_LISTED_MAX};

/// Longest piece of an unknown key that is repeated to the caller.
const MAX_KEY_CHARS: usize = 100;

/// What is read, or why reading ended.
pub type Reading<T> = Result<T, Malformed>;

/// Where in the body a value is, such as `lines[3].account_id`.
#[derive(Debug, Clone, Copy)]
pub struct FieldPath<'k> {
    /// The list around it and the row in that, for a list in a row.
    outer: Option<(&'static str, u64)>,
    section: &'static str,
    row: Option<u64>,
    field: Option<&'k str>,
}

impl<'k> FieldPath<'k> {
    /// A list or object of the body, or the body itself.
    pub const fn section(section: &'static str) -> Self {
        Self { outer: None, section, row: None, field: None }
    }

    /// A list or object in this row, or in the body when this is no row.
    const fn inner(self, section: &'static str) -> FieldPath<'static> {
        let outer = match self.row {
            Some(row) => Some((self.section, row)),
            None => None,
        };
        FieldPath { outer, section, row: None, field: None }
    }

    /// A row of it.
    pub const fn row(self, row: u64) -> Self {
        Self { row: Some(row), ..self }
    }

    /// A key in it.
    pub const fn field(self, field: &'k str) -> Self {
        Self { field: Some(field), ..self }
    }

    /// The name of the innermost part in messages.
    fn name(&self) -> &'k str {
        self.field.unwrap_or(self.section)
    }

    /// The name of an object at this path in messages.
    fn object_name(&self) -> &'k str {
        if self.row.is_some() { "a row" } else { self.name() }
    }

    fn issue(&self, message: String) -> Issue {
        let field = self.field.map(|field| field.chars().take(MAX_KEY_CHARS).collect::<String>());
        let mut path = match self.row {
            Some(row) => format!("{}[{row}]", self.section),
            None => self.section.to_owned(),
        };
        match &field {
            Some(field) if self.section == BODY => path.clone_from(field),
            Some(field) => path = format!("{path}.{field}"),
            None => {}
        }
        if let Some((list, row)) = self.outer {
            path = format!("{list}[{row}].{path}");
        }
        Issue { section: self.section.to_owned(), row: self.row, field, path, message }
    }
}

/// The section of problems of the body as a whole.
pub const BODY: &str = "body";

/// Problems with their offsets: some are known only once the whole body has been read.
#[derive(Debug, Default)]
struct Problems {
    listed: Vec<(usize, Issue)>,
    late: Vec<(usize, Issue)>,
    count: u64,
}

/// A reader of one body.
pub struct StrictReader<'a> {
    cursor: Cursor<'a>,
    problems: Problems,
}

impl<'a> StrictReader<'a> {
    /// A reader at the beginning of a body.
    pub fn new(text: &'a str) -> Self {
        Self { cursor: Cursor::new(text), problems: Problems::default() }
    }

    /// Notes a problem of what has just been read.
    ///
    /// There may be millions in one body: a message is only made when it is listed.
    pub fn problem(&mut self, path: FieldPath<'_>, message: impl fmt::Display) {
        self.problems.count += 1;
        if self.problems.listed.len() < PROBLEMS_LISTED_MAX {
            self.problems.listed.push((self.cursor.at(), path.issue(message.to_string())));
        }
    }

    /// Notes a problem of what was read before, in ascending order of where [`Self::at`] was then.
    pub fn late_problem(&mut self, at: usize, path: FieldPath<'_>, message: impl fmt::Display) {
        self.problems.count += 1;
        if self.problems.late.len() < PROBLEMS_LISTED_MAX {
            self.problems.late.push((at, path.issue(message.to_string())));
        }
    }

    /// Where the reader is, for [`Self::late_problem`].
    pub const fn at(&self) -> usize {
        self.cursor.at()
    }

    /// What was read, if there is no problem and nothing follows; else every problem.
    pub fn finish<T>(mut self, read: Reading<T>) -> Result<T, Issues> {
        let read = read.and_then(|value| self.cursor.end().map(|()| value));
        match read {
            Ok(value) if self.problems.count == 0 => return Ok(value),
            Ok(_) => {}
            Err(Malformed) => self.problem(FieldPath::section(BODY), "the body must be one JSON object"),
        }
        let mut listed = self.problems.listed;
        listed.append(&mut self.problems.late);
        // Stable, and each part is in order already: cutting both parts at a hundred loses none of the first hundred.
        listed.sort_by_key(|(at, _)| *at);
        listed.truncate(PROBLEMS_LISTED_MAX);
        Err(Issues { listed: listed.into_iter().map(|(_, issue)| issue).collect(), count: self.problems.count })
    }

    /// Reads an object with these keys only, calling `read` with the position of each key that is given for the first
    /// time. Says which were given; `None` when the value is no object.
    pub fn object<const N: usize>(
        &mut self,
        path: FieldPath<'_>,
        names: &[&'static str; N],
        mut read: impl FnMut(&mut Self, usize) -> Reading<()>,
    ) -> Reading<Option<[bool; N]>> {
        if self.cursor.peek()? != b'{' {
            self.cursor.skip()?;
            match N {
                0 => self.problem(path, format_args!("{} must be empty or an empty object", path.object_name())),
                _ => {
                    let (name, names) = (path.object_name(), Listed(names));
                    self.problem(path, format_args!("{name} must be an object with {names}"));
                }
            }
            return Ok(None);
        }
        let mut given = [false; N];
        let mut members = self.cursor.open(b'{')?;
        while let Some(key) = self.cursor.next_key(&mut members)? {
            let Some((at, given)) = names
                .iter()
                .zip(&mut given)
                .enumerate()
                .find_map(|(at, (name, given))| (*name == key).then_some((at, given)))
            else {
                match N {
                    0 => self.problem(path.field(&key), "unknown key; no keys are allowed here"),
                    _ => {
                        self.problem(path.field(&key), format_args!("unknown key; only {} are allowed", Listed(names)));
                    }
                }
                self.cursor.skip()?;
                continue;
            };
            if std::mem::replace(given, true) {
                self.problem(path.field(&key), format_args!("{key} may be given only once"));
                self.cursor.skip()?;
            } else {
                read(self, at)?;
            }
        }
        Ok(Some(given))
    }

    /// Notes the keys that had to be given and were not.
    pub fn require<const N: usize>(
        &mut self,
        path: FieldPath<'_>,
        names: &[&'static str; N],
        given: &[bool; N],
        required: usize,
    ) {
        for (name, given) in names.iter().zip(given).take(required) {
            if !given {
                self.problem(path.field(name), format_args!("{name} is required"));
            }
        }
    }

    /// Reads an array of a number of rows, calling `read` for each with its path; also for those above the limit, whose
    /// problems count too. Says how many there are.
    pub fn list(
        &mut self,
        section: &'static str,
        length: RangeInclusive<u64>,
        read: impl FnMut(&mut Self, FieldPath<'static>) -> Reading<()>,
    ) -> Reading<()> {
        self.list_in(FieldPath::section(BODY), section, length, read)
    }

    /// The same for a list in a row of another: paths are as `items[3].lines[0].account_id`.
    pub fn list_in(
        &mut self,
        around: FieldPath<'_>,
        section: &'static str,
        length: RangeInclusive<u64>,
        mut read: impl FnMut(&mut Self, FieldPath<'static>) -> Reading<()>,
    ) -> Reading<()> {
        let path = around.inner(section);
        if self.cursor.peek()? != b'[' {
            self.cursor.skip()?;
            self.problem(path, format_args!("{section} must be an array of {}", Rows(&length)));
            return Ok(());
        }
        let mut items = self.cursor.open(b'[')?;
        let mut rows = 0;
        while self.cursor.next_item(&mut items)? {
            read(self, path.row(rows))?;
            rows += 1;
        }
        if !length.contains(&rows) {
            self.problem(path, format_args!("{section} must have {}; it has {rows}", Rows(&length)));
        }
        Ok(())
    }

    /// Passes over a value of any kind and keeps its text.
    pub fn raw<T>(&mut self, read: impl FnOnce(&mut Self) -> Reading<T>) -> Reading<(&'a str, T)> {
        self.cursor.peek()?;
        let start = self.cursor.at();
        let value = read(self)?;
        Ok((self.cursor.since(start)?, value))
    }

    /// Passes over a value of any kind; its text.
    pub fn value(&mut self) -> Reading<&'a str> {
        self.cursor.skip()
    }

    /// Passes over `null`, which for an optional key is the same as leaving it out.
    pub fn is_null(&mut self) -> Reading<bool> {
        let is_null = self.cursor.peek()? == b'n';
        if is_null && self.cursor.skip()? != "null" {
            return Err(Malformed);
        }
        Ok(is_null)
    }

    /// Reads text of a number of characters without NUL.
    pub fn text(&mut self, path: FieldPath<'_>, length: RangeInclusive<usize>) -> Reading<Option<Cow<'a, str>>> {
        let rule = Characters(&length);
        if self.cursor.peek()? != b'"' {
            self.cursor.skip()?;
            self.problem(path, format_args!("{} must be a string of {rule}", path.name()));
            return Ok(None);
        }
        let text = self.cursor.string()?;
        // Bytes are never fewer than characters, so most text need not be counted.
        let too_long = text.len() > *length.end() && text.chars().count() > *length.end();
        if text.len() < *length.start() || too_long {
            self.problem(path, format_args!("{} must have {rule}", path.name()));
            return Ok(None);
        }
        // A raw NUL is not JSON, so only an escape can bring one.
        if matches!(text, Cow::Owned(_)) && text.contains('\0') {
            self.problem(path, format_args!("{} must not contain the NUL character", path.name()));
            return Ok(None);
        }
        Ok(Some(text))
    }

    /// Reads a name: one line that is not blank.
    pub fn name(&mut self, path: FieldPath<'_>, length: RangeInclusive<usize>) -> Reading<Option<Cow<'a, str>>> {
        self.line(path, length, |text| if text.trim().is_empty() { Err("must not be blank") } else { Ok(()) })
    }

    /// Reads a code or a number: one line without blanks before or after.
    pub fn code(&mut self, path: FieldPath<'_>, length: RangeInclusive<usize>) -> Reading<Option<Cow<'a, str>>> {
        self.line(path, length, |text| match text.trim() {
            "" => Err("must not be blank"),
            trimmed if trimmed.len() < text.len() => Err("must not begin or end with a blank"),
            _ => Ok(()),
        })
    }

    /// What codes or numbers begin with, if with anything.
    pub fn prefix(&mut self, path: FieldPath<'_>, length_max: usize) -> Reading<Option<Cow<'a, str>>> {
        self.line(path, 0..=length_max, |text| match text.starts_with(char::is_whitespace) {
            true => Err("must not begin with a blank"),
            false => Ok(()),
        })
    }

    /// A name, or empty text, which is no name.
    pub fn name_or_empty(&mut self, path: FieldPath<'_>, length_max: usize) -> Reading<Option<Cow<'a, str>>> {
        let check = |text: &str| match text.is_empty() || !text.trim().is_empty() {
            true => Ok(()),
            false => Err("must not be blank"),
        };
        self.line(path, 0..=length_max, check)
    }

    fn line(
        &mut self,
        path: FieldPath<'_>,
        length: RangeInclusive<usize>,
        check: fn(&str) -> Result<(), &'static str>,
    ) -> Reading<Option<Cow<'a, str>>> {
        let Some(text) = self.text(path, length)? else { return Ok(None) };
        let breaks = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
        let problem = match text.contains(breaks) {
            true => Err("must not contain line breaks or other control characters"),
            false => check(&text),
        };
        let Err(problem) = problem else { return Ok(Some(text)) };
        self.problem(path, format_args!("{} {problem}", path.name()));
        Ok(None)
    }

    /// How many problems there are so far.
    pub const fn problems(&self) -> u64 {
        self.problems.count
    }

    /// Reads text that may be left out; empty says nothing either.
    pub fn optional_text(&mut self, path: FieldPath<'_>, length_max: usize) -> Reading<Option<Cow<'a, str>>> {
        if self.is_null()? {
            return Ok(None);
        }
        Ok(self.text(path, 0..=length_max)?.filter(|text| !text.is_empty()))
    }

    /// Reads a date.
    pub fn date(&mut self, path: FieldPath<'_>) -> Reading<Option<Date>> {
        let date = match self.cursor.peek()? {
            b'"' => Date::parse(&self.cursor.string()?),
            _ => {
                self.cursor.skip()?;
                None
            }
        };
        if date.is_none() {
            let rule = "must be a string YYYY-MM-DD, a real calendar date from 0001-01-01 to 9999-12-31";
            self.problem(path, format_args!("{} {rule}", path.name()));
        }
        Ok(date)
    }

    /// Reads an amount in the units of [`crate::domain::amount`].
    pub fn amount(&mut self, path: FieldPath<'_>) -> Reading<Option<i128>> {
        let text = self.cursor.skip()?;
        let rule = match amount::parse(text) {
            Ok(units) => return Ok(Some(units)),
            Err(AmountError::NotANumber) => "must be a JSON number, such as -12.50",
            Err(AmountError::TooLarge) => "must be below 1e18 in magnitude",
        };
        self.problem(path, format_args!("{} {rule}", path.name()));
        Ok(None)
    }

    /// Reads a number for which only some values are allowed; what is finer than a unit goes away from zero, so that
    /// nothing is rounded onto a bound it is beyond.
    pub fn bounded(&mut self, path: FieldPath<'_>, allowed: RangeInclusive<i128>, rule: &str) -> Reading<Option<i128>> {
        let units = amount::parse_outward(self.cursor.skip()?).ok().filter(|units| allowed.contains(units));
        if units.is_none() {
            self.problem(path, format_args!("{} must be {rule}", path.name()));
        }
        Ok(units)
    }

    /// Reads one of a few words.
    pub fn word<T>(
        &mut self,
        path: FieldPath<'_>,
        parse: impl FnOnce(&str) -> Option<T>,
        rule: &str,
    ) -> Reading<Option<T>> {
        let value = match self.cursor.peek()? {
            b'"' => parse(&self.cursor.string()?),
            _ => {
                self.cursor.skip()?;
                None
            }
        };
        if value.is_none() {
            self.problem(path, format_args!("{} must be {rule}", path.name()));
        }
        Ok(value)
    }

    /// Reads true or false.
    pub fn flag(&mut self, path: FieldPath<'_>) -> Reading<Option<bool>> {
        let flag = match self.cursor.skip()? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        if flag.is_none() {
            self.problem(path, format_args!("{} must be true or false", path.name()));
        }
        Ok(flag)
    }
}

/// Reads a body that says nothing: it is empty, or an object without keys.
pub fn read_no_keys(body: &[u8]) -> Result<(), Issues> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(());
    }
    let mut reader = StrictReader::new(std::str::from_utf8(body).unwrap_or_default());
    let read = reader.object(FieldPath::section(BODY), &[], |_, _| Ok(()));
    reader.finish(read).map(|_| ())
}

/// The text is not JSON. The HTTP layer has checked that before; this is the second line.
#[derive(Debug)]
pub struct Malformed;

/// A position in JSON text.
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

/// An object or array being read.
pub struct Members {
    close: u8,
    first: bool,
}

impl<'a> Cursor<'a> {
    /// The beginning of a text.
    pub const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// How many bytes lie behind.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// What was passed since [`Self::at`] was `start`.
    pub fn since(&self, start: usize) -> Result<&'a str, Malformed> {
        self.text.get(start..self.at).ok_or(Malformed)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is not white space.
    pub fn peek(&mut self) -> Result<u8, Malformed> {
        loop {
            match self.byte().ok_or(Malformed)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Ok(byte),
            }
        }
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Malformed> {
        if self.peek()? != wanted {
            return Err(Malformed);
        }
        self.at += 1;
        Ok(())
    }

    /// Enters an object or array, by its opening bracket.
    pub fn open(&mut self, bracket: u8) -> Result<Members, Malformed> {
        self.expect(bracket)?;
        Ok(Members { close: if bracket == b'{' { b'}' } else { b']' }, first: true })
    }

    /// Whether there is another item, at which the cursor then stands; leaves the array after the last.
    pub fn next_item(&mut self, members: &mut Members) -> Result<bool, Malformed> {
        let byte = self.peek()?;
        if byte == members.close {
            self.at += 1;
            return Ok(false);
        }
        if !std::mem::take(&mut members.first) {
            self.expect(b',')?;
        }
        Ok(true)
    }

    /// The next key, its value being next; leaves the object after the last.
    pub fn next_key(&mut self, members: &mut Members) -> Result<Option<Cow<'a, str>>, Malformed> {
        if !self.next_item(members)? {
            return Ok(None);
        }
        if self.peek()? != b'"' {
            return Err(Malformed);
        }
        let key = self.string()?;
        self.expect(b':')?;
        Ok(Some(key))
    }

    /// Nothing but white space may follow.
    pub fn end(&mut self) -> Result<(), Malformed> {
        match self.peek() {
            Err(Malformed) => Ok(()),
            Ok(_) => Err(Malformed),
        }
    }

    /// The string that starts at the next quote.
    pub fn string(&mut self) -> Result<Cow<'a, str>, Malformed> {
        let (raw, escaped) = self.raw_string()?;
        if !escaped {
            let inner = raw.get(1..raw.len() - 1).ok_or(Malformed)?;
            return Ok(Cow::Borrowed(inner));
        }
        serde_json::from_str::<String>(raw).map(Cow::Owned).map_err(|_| Malformed)
    }

    /// A string with its quotes, and whether it has escapes.
    fn raw_string(&mut self) -> Result<(&'a str, bool), Malformed> {
        self.expect(b'"')?;
        let start = self.at - 1;
        let mut escaped = false;
        loop {
            let rest = self.text.as_bytes().get(self.at..).ok_or(Malformed)?;
            let stop = |byte: &u8| *byte == b'"' || *byte == b'\\';
            self.at += rest.iter().position(stop).ok_or(Malformed)? + 1;
            if self.text.as_bytes().get(self.at - 1) == Some(&b'"') {
                let raw = self.text.get(start..self.at).ok_or(Malformed)?;
                return Ok((raw, escaped));
            }
            escaped = true;
            self.at += 1;
        }
    }

    /// Passes over one value of any kind, however deep, and returns its text.
    pub fn skip(&mut self) -> Result<&'a str, Malformed> {
        self.peek()?;
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.raw_string()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1).ok_or(Malformed)?;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                _ => self.scalar()?,
            }
            if depth == 0 {
                return self.text.get(start..self.at).ok_or(Malformed);
            }
        }
    }

    /// Passes over a number or a word.
    fn scalar(&mut self) -> Result<(), Malformed> {
        let rest = self.text.as_bytes().get(self.at..).ok_or(Malformed)?;
        let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
        let length = rest.iter().take_while(|byte| belongs(byte)).count();
        self.at += length;
        if length == 0 { Err(Malformed) } else { Ok(()) }
    }
}
