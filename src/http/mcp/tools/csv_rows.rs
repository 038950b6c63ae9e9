//! Rows of an import as CSV (RFC 4180) with a header line. A column is named as the field it fills, also inside another
//! (`address.city`, `lines[0].unit_price`); an empty cell fills nothing.

use serde_json::{Map, Value, json};

use super::wrong;
use crate::http::mcp::outcome::Failure;

/// Fields that hold true or false.
const BOOLEANS: [&str; 8] = [
    "issue",
    "vat_inclusive",
    "cis_deducts",
    "is_subcontractor",
    "has_standard_basis",
    "cis_subcontractor",
    "is_archived",
    "standard_basis",
];

/// Fields that hold a whole number beside those that end in `_id` or `_days`.
const INTEGERS: [&str; 2] = ["deduction_rate", "cis_rate"];

/// The rows of a CSV text.
pub(super) fn rows(text: &str) -> Result<Vec<Value>, Failure> {
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let header = reader.headers().map_err(|error| wrong("csv", error))?.clone();
    let columns: Vec<Vec<Step>> = header
        .iter()
        .map(|name| steps(name).ok_or_else(|| wrong("csv", format!("the column {name:?} names no field"))))
        .collect::<Result<_, _>>()?;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| wrong("csv", error))?;
        let mut row = Value::Object(Map::new());
        for (steps, cell) in columns.iter().zip(&record).filter(|(_, cell)| !cell.is_empty()) {
            put(&mut row, steps, cell);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// A part of the name of a column.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Member(String),
    Item(usize),
}

/// The most rows inside a row.
const ITEMS_MAX: usize = 500;

/// The parts of the name of a column.
fn steps(name: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for part in name.split('.') {
        let (member, mut rest) = part.split_once('[').map_or((part, None), |(member, rest)| (member, Some(rest)));
        let is_name = !member.is_empty() && member.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_name {
            return None;
        }
        steps.push(Step::Member(member.to_owned()));
        while let Some(item) = rest {
            let (number, after) = item.split_once(']')?;
            let number: usize = number.parse().ok().filter(|number| *number < ITEMS_MAX)?;
            steps.push(Step::Item(number));
            rest = match after {
                "" => None,
                after => Some(after.strip_prefix('[')?),
            };
        }
    }
    Some(steps)
}

/// Fills a field with a cell.
fn put(place: &mut Value, steps: &[Step], cell: &str) {
    match steps {
        [] => *place = Value::String(cell.to_owned()),
        [Step::Member(name)] => {
            if let Some(members) = members(place) {
                members.insert(name.clone(), value(name, cell));
            }
        }
        [Step::Member(name), rest @ ..] => {
            if let Some(members) = members(place) {
                put(members.entry(name.clone()).or_insert(Value::Null), rest, cell);
            }
        }
        [Step::Item(at), rest @ ..] => {
            if !place.is_array() {
                *place = json!([]);
            }
            if let Some(items) = place.as_array_mut() {
                while items.len() <= *at {
                    items.push(Value::Object(Map::new()));
                }
                if let Some(item) = items.get_mut(*at) {
                    put(item, rest, cell);
                }
            }
        }
    }
}

fn members(place: &mut Value) -> Option<&mut Map<String, Value>> {
    if !place.is_object() {
        *place = Value::Object(Map::new());
    }
    place.as_object_mut()
}

/// A cell as the field takes it: amounts and the rest are text, which every field of money reads exactly.
fn value(name: &str, cell: &str) -> Value {
    let is_integer = name.ends_with("_id") || name.ends_with("_days") || INTEGERS.contains(&name);
    match cell.to_ascii_lowercase().as_str() {
        "true" | "yes" if BOOLEANS.contains(&name) => json!(true),
        "false" | "no" if BOOLEANS.contains(&name) => json!(false),
        _ => match cell.parse::<i64>() {
            Ok(number) if is_integer => json!(number),
            _ => json!(cell),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_name_fields_inside_fields() {
        let text = "\u{feff}customer_id,invoice_date,lines[0].description,lines[0].unit_price,lines[1].description,address.city,issue\r\n\
                    3,2026-03-10,\"Shelves, oak\",100.50,,York,no\r\n";
        let expected = json!([{
            "customer_id": 3, "invoice_date": "2026-03-10", "lines": [{ "description": "Shelves, oak", "unit_price": "100.50" }],
            "address": { "city": "York" }, "issue": false,
        }]);
        assert_eq!(Value::Array(rows(text).expect("rows")), expected);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for (text, part) in [
            ("name,a b\nx,y\n", "the column \"a b\" names no field"),
            ("name,lines[x]\nx,y\n", "the column \"lines[x]\" names no field"),
            ("name,lines[0\nx,y\n", "names no field"),
            ("name,lines[99999].x\nx,y\n", "names no field"),
            ("name,email\nx\n", "found record with 1 fields"),
        ] {
            let failure = rows(text).expect_err(text).to_string();
            assert!(
                failure.starts_with("invalid_request_format: csv: ") && failure.contains(part),
                "{text}: {failure}"
            );
        }
        assert_eq!(rows("name,email\n").expect("no rows"), Vec::<Value>::new());
    }
}
