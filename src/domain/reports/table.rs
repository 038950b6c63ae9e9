//! A report, statement or list as a table: what its PDF and its CSV are printed from.

use crate::domain::date::Date;
use crate::domain::ledger::money::{Pence, Percent};

/// A report as a table.
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
    /// Lines below the title: the period, the basis, the address of a customer.
    pub subtitles: Vec<String>,
    /// The columns.
    pub columns: Vec<ReportColumn>,
    /// The rows.
    pub rows: Vec<ReportRow>,
    /// Paragraphs below the table: warnings, what a figure contains.
    pub notes: Vec<String>,
}

/// A column of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportColumn {
    /// The key of the column in a CSV, such as `net_amount`.
    pub key: &'static str,
    /// The heading that is printed.
    pub heading: String,
    /// What its cells are.
    pub kind: ColumnKind,
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
    /// How deep it is in a hierarchy, from 0.
    pub level: u8,
    /// A cell for each column; those that are missing are empty.
    pub cells: Vec<ReportCell>,
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// The name of the section that begins.
    Section,
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
    /// An amount.
    Money(Pence),
    /// A percentage.
    Percent(Percent),
    /// A number of things.
    Count(i64),
    /// A day.
    Day(Date),
}

impl ReportRow {
    /// A row of this kind at the top level.
    pub const fn new(kind: RowKind, cells: Vec<ReportCell>) -> Self {
        Self { kind, level: 0, cells }
    }
}

impl From<&str> for ReportCell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Option<&str>> for ReportCell {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Empty, Self::from)
    }
}

impl From<Pence> for ReportCell {
    fn from(amount: Pence) -> Self {
        Self::Money(amount)
    }
}

impl From<Date> for ReportCell {
    fn from(date: Date) -> Self {
        Self::Day(date)
    }
}
