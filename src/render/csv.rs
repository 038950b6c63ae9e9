//! The CSV of a report: UTF-8, RFC 4180, one head, one row a row, amounts as in JSON.

use std::borrow::Cow;

use crate::domain::ledger::money::Pence;
use crate::domain::reports::table::{ReportCell, ReportPart, ReportRow, ReportTable, RowKind};

/// The column that says where the JSON has a row.
const SECTION: &str = "section";

/// Prints a report as CSV: the rows of all its tables under one head, in which each column stands once.
pub fn print(table: &ReportTable) -> String {
    let parts = &table.tables.parts;
    let mut keys: Vec<&str> = Vec::new();
    for column in parts.iter().flat_map(|part| &part.columns) {
        if !keys.contains(&column.key.as_ref()) {
            keys.push(&column.key);
        }
    }
    let mut text = String::new();
    push_record(&mut text, std::iter::once(SECTION).chain(keys.iter().copied()).map(str::to_owned));
    for part in parts {
        let places: Vec<Option<usize>> =
            keys.iter().map(|key| part.columns.iter().position(|column| column.key == *key)).collect();
        push_rows(&mut text, part, &places);
    }
    text
}

/// Prints the rows of a table whose cells stand at these places, without the headings between them.
fn push_rows(text: &mut String, part: &ReportPart, places: &[Option<usize>]) {
    for row in part.rows.iter().filter(|row| row.kind != RowKind::Heading) {
        let cells = places.iter().map(|place| place.map_or_else(String::new, |at| cell(row, at)));
        push_record(text, std::iter::once(row.section.to_owned()).chain(cells));
    }
}

fn cell(row: &ReportRow, at: usize) -> String {
    row.cells.get(at).map_or_else(String::new, field)
}

fn push_record(text: &mut String, fields: impl Iterator<Item = String>) {
    for (at, field) in fields.enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(&field);
    }
    text.push_str("\r\n");
}

/// A field, quoted as RFC 4180 says.
fn field(cell: &ReportCell) -> String {
    match cell {
        ReportCell::Empty => String::new(),
        // Always quoted: a spreadsheet can be told to keep what is quoted as it is, such as a code that begins with 0.
        ReportCell::Text(text) => quoted(&guarded(text)),
        ReportCell::Word(word) => (*word).to_owned(),
        ReportCell::Money(amount) | ReportCell::Side(amount) => amount.to_string(),
        ReportCell::Percent(percent) => Pence(percent.0).to_string(),
        ReportCell::Count(count) | ReportCell::DaysOverdue(count) => count.to_string(),
        ReportCell::Day(date) => date.to_string(),
    }
}

/// A text that a spreadsheet would take for a formula, with an apostrophe before it.
fn guarded(text: &str) -> Cow<'_, str> {
    const FIRST: [char; 11] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '\t', '\r', '\n'];
    if text.starts_with(FIRST) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::date::Date;
    use crate::domain::ledger::money::Percentage;
    use crate::domain::reports::table::{ReportColumn, ReportTables};

    fn printed(parts: Vec<ReportPart>) -> String {
        print(&ReportTable {
            file_name: "sales 2025-04-01 2025-06-30".to_owned(),
            organisation_name: "Larkspur".to_owned(),
            date: Date::MIN,
            title: "Sales".to_owned(),
            subtitles: Vec::new(),
            tables: ReportTables::of(parts),
        })
    }

    fn part(rows: Vec<Vec<ReportCell>>) -> ReportPart {
        let columns = vec![ReportColumn::text("name", "Name"), ReportColumn::figure("amount", "Amount")];
        ReportPart::new(columns, rows.into_iter().map(|cells| ReportRow::line("rows", cells)).collect())
    }

    #[test]
    fn a_head_and_a_row_a_row() {
        let rows = vec![
            vec!["Brightwell School".into(), Pence(-120_005).into()],
            vec![Date::parse("2025-04-14").unwrap().into(), ReportCell::Percent(Percentage(1_250))],
            vec![ReportCell::Word("sales_invoice"), ReportCell::Side(Pence::ZERO)],
            vec![ReportCell::Count(-3)],
        ];
        assert_eq!(
            printed(vec![part(rows)]),
            "section,name,amount\r\nrows,\"Brightwell School\",-1200.05\r\nrows,2025-04-14,12.50\r\n\
             rows,sales_invoice,0.00\r\nrows,-3,\r\n"
        );
        assert_eq!(printed(vec![part(Vec::new())]), "section,name,amount\r\n");
        assert_eq!(printed(Vec::new()), "section\r\n");
        let largest = vec![vec![ReportCell::Empty, Pence(i64::MIN).into()]];
        assert!(printed(vec![part(largest)]).ends_with("rows,,-92233720368547758.08\r\n"));
    }

    #[test]
    fn tables_stand_under_one_head_and_headings_are_for_paper() {
        let mut first = part(vec![vec!["A".into(), Pence(1).into()]]);
        first.rows.insert(0, ReportRow::heading("Heading"));
        first.rows.push(ReportRow::total("total", vec!["Total".into(), Pence(1).into()]));
        let columns = vec![ReportColumn::figure("amount", "Amount"), ReportColumn::unprinted("id")];
        let row = ReportRow::line("documents", vec![Pence(2).into(), ReportCell::Count(7)]);
        let second = ReportPart::headed("Documents", columns, vec![row]);
        assert_eq!(
            printed(vec![first, second]),
            "section,name,amount,id\r\nrows,\"A\",0.01,\r\ntotal,\"Total\",0.01,\r\ndocuments,,0.02,7\r\n"
        );
    }

    #[test]
    fn texts_are_quoted_and_no_formula() {
        for (typed, shown) in [
            ("a, b", "\"a, b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("two\r\nlines", "\"two\r\nlines\""),
            ("=1+1", "\"'=1+1\""),
            ("+44 20", "\"'+44 20\""),
            ("-5", "\"'-5\""),
            ("@cmd", "\"'@cmd\""),
            ("\u{ff1d}1", "\"'\u{ff1d}1\""),
            ("\u{ff0b}1", "\"'\u{ff0b}1\""),
            ("\u{ff0d}1", "\"'\u{ff0d}1\""),
            ("\u{ff20}1", "\"'\u{ff20}1\""),
            ("\tx", "\"'\tx\""),
            ("\rx", "\"'\rx\""),
            ("=A1,\"x\"", "\"'=A1,\"\"x\"\"\""),
            ("0030", "\"0030\""),
            ("a=1", "\"a=1\""),
            ("", "\"\""),
        ] {
            let text = printed(vec![part(vec![vec![typed.into()]])]);
            assert_eq!(text, format!("section,name,amount\r\nrows,{shown},\r\n"), "{typed:?}");
        }
    }
}
