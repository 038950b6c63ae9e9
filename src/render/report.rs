//! Reports and statements: a title, the period, and a table.

use super::blocks::title;
use super::figures::{amount, day, decimal};
use super::page::{Element, Layout, Orientation, Running, Style};
use super::table::{Align, Column, Row, Table, Width, fits};
use super::text::Weight;
use super::{Pdf, RenderError};
use crate::domain::reports::table::{ColumnKind, ReportCell, ReportColumn, ReportRow, ReportTable, RowKind};

/// The smallest font that a table may have before its page is turned, or its columns stand below one another.
const SIZE_MIN: f32 = 7.0;

/// Prints a report.
pub(super) fn print(report: &ReportTable) -> Result<Pdf, RenderError> {
    let running = Running {
        title: report.title.clone(),
        author: report.organisation_name.clone(),
        date: report.date,
        stamp: None,
    };
    let mut layout = Layout::new(running.clone(), Orientation::Portrait)?;
    let whole = part(report, &(0..report.columns.len()).collect::<Vec<_>>());
    let width = layout.width();
    let is_upright = fits(&mut layout, &whole, width, SIZE_MIN);
    let mut layout = if is_upright { layout } else { Layout::new(running, Orientation::Landscape)? };
    let mut elements = Vec::new();
    elements.push(title(&mut layout, &report.title));
    for line in std::iter::once(&report.organisation_name).chain(&report.subtitles) {
        let (left, width) = (layout.left(), layout.width());
        elements.push(Element::paragraph(layout.flow(line, left, width, Style::regular(9.5))));
    }
    layout.y += 10.0;
    for columns in banks(report, &mut layout) {
        let (left, width) = (layout.left(), layout.width());
        elements.push(part(report, &columns).print(&mut layout, left, width));
        layout.y += 14.0;
    }
    for note in &report.notes {
        let (left, width) = (layout.left(), layout.width());
        elements.push(Element::paragraph(layout.flow(note, left, width, Style::regular(8.5))));
        layout.y += 4.0;
    }
    layout.finish(elements)
}

/// The columns of each of the tables that a report is printed as: one where all figures fit, else as many as it takes, each
/// with the columns of texts.
fn banks(report: &ReportTable, layout: &mut Layout) -> Vec<Vec<usize>> {
    let is_figure = |at: &usize| report.columns.get(*at).is_some_and(|column| column.kind == ColumnKind::Figure);
    let (figures, texts): (Vec<usize>, Vec<usize>) = (0..report.columns.len()).partition(is_figure);
    let width = layout.width();
    let mut bank_fits = |columns: &[usize]| fits(layout, &part(report, columns), width, SIZE_MIN);
    let all: Vec<usize> = (0..report.columns.len()).collect();
    if figures.is_empty() || bank_fits(&all) {
        return vec![all];
    }
    let mut banks: Vec<Vec<usize>> = Vec::new();
    for figure in figures {
        let with = banks.last().map(|bank| [bank.as_slice(), &[figure]].concat()).filter(|bank| bank_fits(bank));
        match (with, banks.last_mut()) {
            (Some(with), Some(last)) => *last = with,
            _ => banks.push([texts.as_slice(), &[figure]].concat()),
        }
    }
    banks
}

/// The table of some columns.
fn part(report: &ReportTable, columns: &[usize]) -> Table {
    let chosen = columns.iter().filter_map(|at| report.columns.get(*at)).map(column).collect();
    let rows = report.rows.iter().map(|row| self::row(row, columns)).collect();
    Table { columns: chosen, rows }
}

fn column(column: &ReportColumn) -> Column {
    let (align, width) = match column.kind {
        ColumnKind::Text => (Align::Left, Width::Share(1.0)),
        ColumnKind::Mark => (Align::Left, Width::Content),
        ColumnKind::Figure => (Align::Right, Width::Content),
    };
    Column { heading: column.heading.clone(), align, width }
}

fn row(row: &ReportRow, columns: &[usize]) -> Row {
    let cells = columns.iter().map(|at| row.cells.get(*at).map_or_else(String::new, cell)).collect();
    let weight = if row.kind == RowKind::Line { Weight::Regular } else { Weight::Bold };
    Row { cells, weight, level: row.level, has_rule: row.kind == RowKind::Total }
}

fn cell(cell: &ReportCell) -> String {
    match cell {
        ReportCell::Empty => String::new(),
        ReportCell::Text(text) => text.clone(),
        ReportCell::Money(pence) => amount(pence.0),
        ReportCell::Percent(percent) => format!("{}%", decimal(&percent.to_string())),
        ReportCell::Count(count) => decimal(&count.to_string()),
        ReportCell::Day(date) => day(*date),
    }
}
