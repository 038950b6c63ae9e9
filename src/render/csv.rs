//! The CSV of a report: UTF-8, RFC 4180, one head, one row a row, amounts as in JSON.

use crate::domain::reports::table::{ReportCell, ReportTable};

/// Prints a report as CSV.
pub fn print(table: &ReportTable) -> String {
    let mut text = String::new();
    let keys = table.columns.iter().map(|column| column.key.to_owned());
    push_record(&mut text, keys);
    for row in &table.rows {
        let cells = row.cells.iter().chain(std::iter::repeat(&ReportCell::Empty)).take(table.columns.len());
        push_record(&mut text, cells.map(field));
    }
    text
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

/// A field, quoted where RFC 4180 asks for it.
fn field(cell: &ReportCell) -> String {
    match cell {
        ReportCell::Empty => String::new(),
        ReportCell::Text(text) => quoted(guarded(text)),
        ReportCell::Money(amount) => amount.to_string(),
        ReportCell::Percent(percent) => percent.to_string(),
        ReportCell::Count(count) => count.to_string(),
        ReportCell::Day(date) => date.to_string(),
    }
}

/// A text that a spreadsheet would take for a formula, with an apostrophe before it.
fn guarded(text: &str) -> String {
    const FIRST: [char; 11] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '\t', '\r', '\n'];
    if text.starts_with(FIRST) { format!("'{text}") } else { text.to_owned() }
}

fn quoted(text: String) -> String {
    if text.contains([',', '"', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::date::Date;
    use crate::domain::ledger::money::{Pence, Percent};
    use crate::domain::reports::table::{ColumnKind, ReportColumn, ReportRow, RowKind};

    fn table(rows: Vec<Vec<ReportCell>>) -> ReportTable {
        let column = |key: &'static str, kind| ReportColumn { key, heading: format!("The {key}"), kind };
        ReportTable {
            file_name: "sales 2025-04-01 2025-06-30".to_owned(),
            organisation_name: "Larkspur".to_owned(),
            date: Date::MIN,
            title: "Sales".to_owned(),
            subtitles: Vec::new(),
            columns: vec![column("name", ColumnKind::Text), column("amount", ColumnKind::Figure)],
            rows: rows.into_iter().map(|cells| ReportRow::new(RowKind::Line, cells)).collect(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_head_and_a_row_a_row() {
        let rows = vec![
            vec!["Brightwell School".into(), Pence(-120_005).into()],
            vec![Date::parse("2025-04-14").unwrap().into(), ReportCell::Percent(Percent(1_250))],
            vec![ReportCell::Count(-3)],
        ];
        assert_eq!(print(&table(rows)), "name,amount\r\nBrightwell School,-1200.05\r\n2025-04-14,12.5\r\n-3,\r\n");
        assert_eq!(print(&table(Vec::new())), "name,amount\r\n");
    }

    #[test]
    fn texts_are_quoted_and_no_formula() {
        for (typed, printed) in [
            ("a, b", "\"a, b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("two\r\nlines", "\"two\r\nlines\""),
            ("=1+1", "'=1+1"),
            ("+44 20", "'+44 20"),
            ("-5", "'-5"),
            ("@cmd", "'@cmd"),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("\u{ff0b}1", "'\u{ff0b}1"),
            ("\u{ff0d}1", "'\u{ff0d}1"),
            ("\u{ff20}1", "'\u{ff20}1"),
            ("\tx", "'\tx"),
            ("\rx", "\"'\rx\""),
            ("=A1,\"x\"", "\"'=A1,\"\"x\"\"\""),
            ("a=1", "a=1"),
            ("", ""),
        ] {
            let printed_table = print(&table(vec![vec![typed.into()]]));
            assert_eq!(printed_table, format!("name,amount\r\n{printed},\r\n"), "{typed:?}");
        }
    }
}
