//! Reports and statements: a title, the period, and tables.

use super::blocks::{Block, heading, side_by_side, title};
use super::figures::{amount, decimal, pounds};
use super::page::{Element, Layout, Orientation, Running, Style};
use super::table::{Align, Column, Row, Table, Width, widths};
use super::{Pdf, RenderError};
use crate::domain::books::records::bank_account::BankAccountDetails;
use crate::domain::books::records::contact::ContactDetails;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::journal::SourceType;
use crate::domain::ledger::money::Pence;
use crate::domain::reports::table::{
    ColumnKind, ReportCell, ReportColumn, ReportPart, ReportRow, ReportTable, RowKind,
};

/// The smallest font that a table may have before its page is turned, or its columns stand below one another.
const SIZE_MIN: f32 = 7.0;

/// The statement of a customer or supplier, with what a letter has.
#[derive(Debug, Clone, Copy)]
pub struct StatementLetter<'a> {
    /// The statement.
    pub report: &'a ReportTable,
    /// Whose books they are.
    pub organisation: &'a OrganisationRecord,
    /// Whether the contact is a customer or a supplier.
    pub kind: ContactKind,
    /// The customer or supplier.
    pub contact: &'a ContactDetails,
    /// Where customers pay to.
    pub bank_account: Option<&'a BankAccountDetails>,
    /// What a customer owes at the end of the period.
    pub closing_balance: Pence,
}

/// Prints a report.
pub(super) fn print(report: &ReportTable) -> Result<Pdf, RenderError> {
    let mut layout = layout(report)?;
    let mut elements = vec![title(&mut layout, &report.title)];
    elements.push(line(&mut layout, &report.organisation_name));
    elements.extend(body(report, &mut layout));
    layout.finish(elements)
}

/// Prints a statement: whose it is and for whom, its tables, and how to pay.
pub(super) fn print_statement(letter: &StatementLetter<'_>) -> Result<Pdf, RenderError> {
    let StatementLetter { report, organisation, kind, contact, .. } = *letter;
    let mut layout = layout(report)?;
    let mut elements = vec![title(&mut layout, &report.title)];
    layout.y += 8.0;
    let other = match kind {
        ContactKind::Customer => "Customer",
        ContactKind::Supplier => "Supplier",
    };
    let from = Block::labelled("From").of_organisation(organisation);
    let with = Block::labelled(other).of_contact(&contact.name, contact);
    elements.push(side_by_side(&mut layout, &from, &with));
    layout.y += 10.0;
    elements.extend(body(report, &mut layout));
    if kind == ContactKind::Customer && letter.closing_balance != Pence::ZERO {
        layout.y += 4.0;
        elements.push(to_pay(letter).print(&mut layout));
    }
    layout.finish(elements)
}

/// What a customer is asked to pay, and where to; or what they have in hand, for which nothing is to be paid.
fn to_pay(letter: &StatementLetter<'_>) -> Block {
    let Pence(balance) = letter.closing_balance;
    if balance < 0 {
        return Block::labelled("In your favour").bold(&pounds(-balance));
    }
    let block = Block::labelled("To pay").bold(&pounds(balance));
    let Some(bank_account) = letter.bank_account else { return block };
    let payee = letter.organisation.legal_name.as_deref().unwrap_or(&letter.organisation.name);
    block.of_bank_account(payee, bank_account)
}

/// Empty pages, upright where the figures of each table fit.
fn layout(report: &ReportTable) -> Result<Layout, RenderError> {
    let running = Running {
        title: report.title.clone(),
        author: report.organisation_name.clone(),
        date: report.date,
        stamp: None,
    };
    let mut upright = Layout::new(running.clone(), Orientation::Portrait)?;
    let width = upright.width();
    let mut fits = |part: &ReportPart| {
        let table = table(part, &printed_columns(part));
        widths(&mut upright, &table, SIZE_MIN).iter().sum::<f32>() <= width
    };
    if report.tables.parts.iter().all(&mut fits) { Ok(upright) } else { Layout::new(running, Orientation::Landscape) }
}

/// What stands below the title.
fn body(report: &ReportTable, layout: &mut Layout) -> Vec<Element> {
    let mut elements: Vec<Element> = report.subtitles.iter().map(|text| line(layout, text)).collect();
    layout.y += 10.0;
    // An empty list has no heading either; a report of nothing shows its columns.
    let is_shown =
        |part: &&ReportPart| part.heading.is_none() || !(part.rows.is_empty() || printed_columns(part).is_empty());
    for part in report.tables.parts.iter().filter(is_shown) {
        if let Some(text) = &part.heading {
            elements.push(heading(layout, text));
        }
        for columns in banks(part, layout) {
            let (left, width) = (layout.left(), layout.width());
            elements.push(table(part, &columns).print(layout, left, width));
            layout.y += 14.0;
        }
    }
    for note in &report.tables.notes {
        let (left, width) = (layout.left(), layout.width());
        elements.push(Element::paragraph(layout.flow(note, left, width, Style::regular(8.5))));
        layout.y += 4.0;
    }
    elements
}

fn line(layout: &mut Layout, text: &str) -> Element {
    let (left, width) = (layout.left(), layout.width());
    Element::paragraph(layout.flow(text, left, width, Style::regular(9.5)))
}

/// The places of the columns that are printed.
fn printed_columns(part: &ReportPart) -> Vec<usize> {
    (0..part.columns.len()).filter(|at| part.columns.get(*at).is_some_and(|column| column.is_printed)).collect()
}

/// The columns of each of the tables that a table is printed as: one where all figures fit, else as many as it takes, each
/// with the columns of texts.
fn banks(part: &ReportPart, layout: &mut Layout) -> Vec<Vec<usize>> {
    let columns = printed_columns(part);
    let needs = widths(layout, &table(part, &columns), SIZE_MIN);
    let width = layout.width();
    let is_figure = |at: usize| part.columns.get(at).is_some_and(|column| column.kind == ColumnKind::Figure);
    let needed: Vec<(usize, f32)> = columns.iter().copied().zip(needs).collect();
    let (figures, texts): (Vec<_>, Vec<_>) = needed.iter().copied().partition(|(at, _)| is_figure(*at));
    if figures.is_empty() || needed.iter().map(|(_, need)| need).sum::<f32>() <= width {
        return vec![columns];
    }
    let of_texts: f32 = texts.iter().map(|(_, need)| need).sum();
    let texts: Vec<usize> = texts.into_iter().map(|(at, _)| at).collect();
    let mut banks: Vec<Vec<usize>> = Vec::new();
    let mut taken = f32::MAX;
    for (figure, need) in figures {
        taken += need;
        match banks.last_mut().filter(|_| taken <= width) {
            Some(last) => last.push(figure),
            None => {
                banks.push([texts.as_slice(), &[figure]].concat());
                taken = of_texts + need;
            }
        }
    }
    banks
}

/// The table of some columns.
fn table(part: &ReportPart, columns: &[usize]) -> Table {
    let chosen = columns.iter().filter_map(|at| part.columns.get(*at)).map(column).collect();
    let rows = part.rows.iter().map(|row| self::row(row, columns)).collect();
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
    let cells = || columns.iter().map(|at| row.cells.get(*at).map_or_else(String::new, cell)).collect();
    match row.kind {
        RowKind::Heading => Row::heading(row.cells.first().map_or_else(String::new, cell)),
        RowKind::Line => Row::of(cells()),
        RowKind::Total => Row::total(cells()),
    }
}

fn cell(cell: &ReportCell) -> String {
    match cell {
        ReportCell::Empty | ReportCell::Side(Pence(0)) => String::new(),
        ReportCell::Text(text) => text.clone(),
        ReportCell::Word(word) => written_out(word),
        ReportCell::Money(pence) | ReportCell::Side(pence) => amount(pence.0),
        ReportCell::Percent(percent) => format!("{}%", amount(percent.0)),
        ReportCell::Count(count) => decimal(&count.to_string()),
        ReportCell::DaysOverdue(days) if *days <= 0 => String::new(),
        ReportCell::DaysOverdue(days) => decimal(&days.to_string()),
        ReportCell::Day(date) => date.written_out(),
    }
}

/// A word of the API as people write it: `Sales invoice` for `sales_invoice`, `Asset` for `ASSET`, `VAT adjustment` for
/// `vat_adjustment`.
fn written_out(word: &str) -> String {
    let days = word.strip_prefix("days_").map(|days| days.replace("over_", "over ").replace('_', "\u{2013}"));
    if let Some(days) = days {
        return format!("{days} days");
    }
    if word == SourceType::Manual.as_str() {
        return "Journal".to_owned();
    }
    let in_lower_case = word.to_ascii_lowercase();
    let parts = in_lower_case.split('_').enumerate().map(|(at, part)| match part {
        "vat" | "cis" | "hmrc" => part.to_ascii_uppercase(),
        part if at == 0 => {
            let mut letters = part.chars();
            letters.next().map(|letter| letter.to_ascii_uppercase()).into_iter().chain(letters).collect()
        }
        part => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_the_api_is_printed_as_people_write_it() {
        for (word, printed) in [
            ("sales_invoice", "Sales invoice"),
            ("ASSET", "Asset"),
            ("vat_adjustment", "VAT adjustment"),
            ("tell_hmrc", "Tell HMRC"),
            ("cis_suffered", "CIS suffered"),
            ("manual", "Journal"),
            ("days_31_60", "31\u{2013}60 days"),
            ("days_over_90", "over 90 days"),
            ("private_use", "Private use"),
            ("vat", "VAT"),
        ] {
            assert_eq!(written_out(word), printed);
        }
    }
}
