//! A report as tables: what its PDF and its CSV are printed from. Every figure is taken from the report, none is computed.

use std::borrow::Cow;

use super::ReportDays;
use crate::domain::date::Date;
use crate::domain::ids::Id;
use crate::domain::ledger::money::{Money, Pence, Percentage};

/// A report that can be printed as tables.
pub trait Tabulated<P> {
    /// Whether income and expenses in it count by the dates of documents, which is said below its title.
    const IS_ACCRUAL: bool = true;

    /// Its tables and texts, by what it was asked for.
    fn tables(&self, parameters: P) -> ReportTables;
}

/// What stands in a report on paper.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportTables {
    /// Whom or what it is about beside the days: the name of a customer.
    pub subject: Option<String>,
    /// The tables, one below the other. A CSV has the rows of all in one table.
    pub parts: Vec<ReportPart>,
    /// Paragraphs below the tables: warnings, what a figure contains.
    pub notes: Vec<String>,
}

impl ReportTables {
    /// A report of these tables.
    pub fn of(parts: Vec<ReportPart>) -> Self {
        Self { parts, ..Self::default() }
    }
}

/// A report with all that is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportTable {
    /// The name of a file without its ending, such as `profit-loss 2025-04-01 2025-06-30`.
    pub file_name: String,
    /// Whose report it is.
    pub organisation_name: String,
    /// The day it is of: the last of a period, or the day of the balances.
    pub date: Date,
    /// The title, such as `Profit and loss`.
    pub title: String,
    /// Lines below the title: the period, the basis.
    pub subtitles: Vec<String>,
    /// The tables and texts.
    pub tables: ReportTables,
}

/// What a report is, whatever is in it.
#[derive(Debug, Clone, Copy)]
pub struct ReportHead<'a> {
    /// Its name in the API.
    pub name: &'static str,
    /// Its title on paper.
    pub title: &'static str,
    /// Whose report it is.
    pub organisation_name: &'a str,
    /// What income and expenses count by; none of what has neither.
    pub basis: Option<&'static str>,
}

impl ReportTable {
    /// How much of the name of a contact stands in the name of a file.
    const SUBJECT_CHARS_MAX: usize = 60;

    /// A report with what is printed around its tables. It names no moment and no person, so that the same figures give the
    /// same bytes.
    pub fn new(head: ReportHead<'_>, days: impl ReportDays, tables: ReportTables) -> Self {
        let subject = tables.subject.iter().map(|subject| subject.chars().take(Self::SUBJECT_CHARS_MAX).collect());
        let dates = days.days().into_iter().map(|date| date.to_string());
        let words: Vec<String> = std::iter::once(head.name.to_owned()).chain(subject).chain(dates).collect();
        let amounts = head.basis.map_or_else(|| AMOUNTS.to_owned(), |basis| format!("{AMOUNTS}, {basis} basis"));
        Self {
            file_name: words.join(" "),
            organisation_name: head.organisation_name.to_owned(),
            date: days.last(),
            title: head.title.to_owned(),
            subtitles: vec![days.caption(), amounts],
            tables,
        }
    }
}

const AMOUNTS: &str = "Amounts in pounds sterling";

/// A table of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportPart {
    /// What stands above it; nothing above the only table.
    pub heading: Option<String>,
    /// The columns.
    pub columns: Vec<ReportColumn>,
    /// The rows.
    pub rows: Vec<ReportRow>,
}

/// A column of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportColumn {
    /// The name of the column in a CSV: that of the JSON, such as `net_amount`.
    pub key: Cow<'static, str>,
    /// The heading that is printed.
    pub heading: String,
    /// What its cells are.
    pub kind: ColumnKind,
    /// Whether it stands in the PDF too: identifiers and paths are for programs.
    pub is_printed: bool,
}

impl ReportColumn {
    fn new(key: &'static str, heading: &str, kind: ColumnKind) -> Self {
        Self { key: key.into(), heading: heading.to_owned(), kind, is_printed: true }
    }

    /// A column of texts.
    pub fn text(key: &'static str, heading: &str) -> Self {
        Self::new(key, heading, ColumnKind::Text)
    }

    /// A column of short texts.
    pub fn mark(key: &'static str, heading: &str) -> Self {
        Self::new(key, heading, ColumnKind::Mark)
    }

    /// A column of figures.
    pub fn figure(key: &'static str, heading: &str) -> Self {
        Self::new(key, heading, ColumnKind::Figure)
    }

    /// A column that only programs read.
    pub fn unprinted(key: &'static str) -> Self {
        Self { is_printed: false, ..Self::new(key, "", ColumnKind::Mark) }
    }

    /// The same column, printed only if this holds.
    #[must_use]
    pub fn printed_if(self, is_printed: bool) -> Self {
        Self { is_printed, ..self }
    }
}

/// What the cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Texts, which wrap.
    Text,
    /// Codes, numbers of documents and dates: short texts that keep to one line.
    Mark,
    /// Figures, which stand at the right.
    Figure,
}

/// A row of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportRow {
    /// What the row is.
    pub kind: RowKind,
    /// Where the row stands in the JSON, the first column of a CSV: the section of an account, the name of a total.
    pub section: &'static str,
    /// A cell for each column; those that are missing are empty.
    pub cells: Vec<ReportCell>,
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// The name of the section that begins: on paper only, in the first cell.
    Heading,
    /// An ordinary row.
    Line,
    /// A sum.
    Total,
}

/// A cell of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportCell {
    /// Nothing.
    Empty,
    /// A text, which people may have typed.
    Text(String),
    /// A word of the API, such as `sales_invoice`, which is written out on paper.
    Word(&'static str),
    /// An amount.
    Money(Pence),
    /// A debit or credit, of which one is 0.00 and left out on paper.
    Side(Pence),
    /// A percentage with two decimals.
    Percent(Percentage),
    /// A number of things, or an identifier.
    Count(i64),
    /// How many days something is overdue: left out on paper unless it is.
    DaysOverdue(i64),
    /// A day.
    Day(Date),
}

impl ReportRow {
    /// A heading of a section.
    pub fn heading(text: impl Into<String>) -> Self {
        Self { kind: RowKind::Heading, section: "", cells: vec![ReportCell::Text(text.into())] }
    }

    /// An ordinary row of a section.
    pub const fn line(section: &'static str, cells: Vec<ReportCell>) -> Self {
        Self { kind: RowKind::Line, section, cells }
    }

    /// A sum.
    pub const fn total(section: &'static str, cells: Vec<ReportCell>) -> Self {
        Self { kind: RowKind::Total, section, cells }
    }
}

impl ReportPart {
    /// The only table of a report.
    pub const fn new(columns: Vec<ReportColumn>, rows: Vec<ReportRow>) -> Self {
        Self { heading: None, columns, rows }
    }

    /// A table below a heading.
    pub fn headed(heading: impl Into<String>, columns: Vec<ReportColumn>, rows: Vec<ReportRow>) -> Self {
        Self { heading: Some(heading.into()), columns, rows }
    }
}

impl From<&str> for ReportCell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for ReportCell {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl<T> From<Option<T>> for ReportCell
where
    Self: From<T>,
{
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Self::from)
    }
}

impl From<Id> for ReportCell {
    fn from(id: Id) -> Self {
        Self::Count(id.0)
    }
}

impl From<Pence> for ReportCell {
    fn from(amount: Pence) -> Self {
        Self::Money(amount)
    }
}

impl From<Money> for ReportCell {
    fn from(amount: Money) -> Self {
        Self::Money(Pence(amount.0))
    }
}

impl From<Percentage> for ReportCell {
    fn from(percentage: Percentage) -> Self {
        Self::Percent(percentage)
    }
}

impl From<Date> for ReportCell {
    fn from(date: Date) -> Self {
        Self::Day(date)
    }
}
