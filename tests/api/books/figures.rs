//! Figures of answers: amounts as pence, and how every amount must be printed.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::client::Answer;

/// An amount written with two decimals.
#[track_caller]
pub fn pence_of_text(text: &str) -> i64 {
    let (whole, part) = text.split_once('.').unwrap_or_else(|| panic!("{text} has no decimals"));
    assert_eq!(part.len(), 2, "{text} has not two decimals");
    format!("{whole}{part}").parse().unwrap_or_else(|_| panic!("{text} is no amount"))
}

/// An amount of an answer. Two decimals of at most ten digits survive a float.
#[track_caller]
pub fn pence(value: &Value) -> i64 {
    let number = value.as_f64().unwrap_or_else(|| panic!("{value} is no amount"));
    (number * 100.0).round() as i64
}

/// Debits less credits of a journal by account code, without accounts that come to nothing.
#[track_caller]
pub fn sides(journal: &Value) -> BTreeMap<String, i64> {
    let mut sides = BTreeMap::new();
    for line in journal["lines"].as_array().unwrap_or_else(|| panic!("no lines: {journal}")) {
        let code = line["account_code"].as_str().unwrap().to_owned();
        *sides.entry(code).or_default() += pence(&line["debit"]) - pence(&line["credit"]);
    }
    sides.retain(|_, amount| *amount != 0);
    sides
}

/// I1: at least two lines, each with one side, in balance.
#[track_caller]
pub fn assert_is_a_journal(journal: &Value) {
    let lines = journal["lines"].as_array().unwrap_or_else(|| panic!("no lines: {journal}"));
    assert!(lines.len() >= 2, "{journal}");
    let mut total = (0, 0);
    for line in lines {
        let (debit, credit) = (pence(&line["debit"]), pence(&line["credit"]));
        assert!((debit > 0 && credit == 0) || (debit == 0 && credit > 0), "one side of a line: {journal}");
        total = (total.0 + debit, total.1 + credit);
    }
    assert_eq!(total.0, total.1, "{journal}");
    assert_eq!((pence(&journal["total_debit"]), pence(&journal["total_credit"])), total, "{journal}");
}

/// Numbers that are no amounts and may have other decimals.
const NO_AMOUNTS: [&str; 7] =
    ["quantity", "unit_price", "discount_percent", "vat_rate", "rate", "rate_fraction", "flat_rate_percent"];
/// How the names of amounts end.
const AMOUNTS: [&str; 9] =
    ["amount", "balance", "debit", "credit", "amount_due", "amount_paid", "amount_credited", "deduction", "payable"];

/// I34: every amount is printed with two decimals, and there is no minus nothing. What is wrong, if anything.
pub fn badly_printed(answer: &Answer) -> Option<String> {
    let text = answer.text();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("\":") {
        let key = rest[..at].rsplit('"').next().unwrap_or_default();
        rest = &rest[at + 2..];
        let end = rest.find([',', '}', ']']).unwrap_or(rest.len());
        let value = rest[..end].trim();
        if !value.starts_with(|first: char| first == '-' || first.is_ascii_digit()) || NO_AMOUNTS.contains(&key) {
            continue;
        }
        let decimals = value.split_once('.').map(|(_, decimals)| decimals.len());
        let is_amount = decimals.is_some() || AMOUNTS.iter().any(|ending| key.ends_with(ending));
        if is_amount && (decimals != Some(2) || value == "-0.00") {
            return Some(format!("{key} is printed as {value}"));
        }
    }
    None
}
