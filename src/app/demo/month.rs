//! A month of the joinery as a coding job: three accounts of its own, its chart, and the invoices that were open.
//!
//! What a month has that makes coding more than a list of known shops: payments of invoices, whole, several at once and
//! in part; money moved between own accounts; tax and payroll; a refund; and a cheque that says nothing.

use chrono::{Datelike as _, Days, Months, NaiveDate};
use serde_json::{Value, json};

/// One line: day of the month, which own account, amount as written, description.
type MonthLine = (u32, &'static str, &'static str, &'static str);

const CURRENT: &str = "Current account";
const SAVINGS: &str = "Savings account";
const CARD: &str = "Barclaycard";

const LINES: [MonthLine; 31] = [
    (1, CURRENT, "-950.00", "SO HARGREAVES ESTATES WORKSHOP RENT"),
    (2, CURRENT, "1840.00", "FPI PEMBERTON KITCHENS INV-1041"),
    (3, CARD, "-186.42", "TRAVIS PERKINS YORK"),
    (3, CURRENT, "-212.60", "DD BRITISH GAS BUSINESS"),
    (4, CURRENT, "2385.00", "BGC ASHDOWN SCHOOL 1038 1044"),
    (5, CARD, "-74.99", "SCREWFIX DIRECT YORK"),
    (6, CURRENT, "-530.40", "FPO MERCER VENEERS LTD BILL 88214"),
    (7, CURRENT, "-3218.44", "DD HMRC VAT"),
    (8, CURRENT, "1500.00", "FPI MERIDIAN DESIGN LLP PART PAYMENT 1043"),
    (9, CARD, "-62.10", "SHELL CLIFTON MOOR"),
    (10, CURRENT, "-1500.00", "TRANSFER TO SAVINGS ACCOUNT"),
    (10, SAVINGS, "1500.00", "TRANSFER FROM CURRENT ACCOUNT"),
    (12, CARD, "-39.60", "XERO UK LTD"),
    (14, CURRENT, "-41.20", "DD O2 UK"),
    (15, CURRENT, "-318.75", "DD BLACK HORSE LTD VAN HP"),
    (18, CARD, "32.40", "TRAVIS PERKINS YORK REFUND"),
    (19, CURRENT, "-1104.38", "FPO HMRC PAYE 475PX00123456"),
    (20, CURRENT, "-640.00", "FPO D WHITFIELD SUBCONTRACT FITTING"),
    (21, CURRENT, "1200.00", "FPI J MARLOWE STAIRCASE DEPOSIT"),
    (22, CARD, "-84.00", "GUY FAWKES INN YORK CLIENT LUNCH"),
    (23, CARD, "-17.40", "POST OFFICE COUNTER YORK"),
    (24, CARD, "-228.00", "YORK SKIP HIRE"),
    (25, CURRENT, "-411.84", "DD BARCLAYCARD COMMERCIAL"),
    (25, CARD, "411.84", "PAYMENT RECEIVED THANK YOU"),
    (26, CURRENT, "-1420.00", "T BRADLEY WAGES"),
    (26, CURRENT, "-1385.50", "S MARSH WAGES"),
    (27, CURRENT, "-164.20", "DD NEST PENSION"),
    (28, CURRENT, "-1200.00", "FPO R LARKIN DIVIDEND"),
    (28, CURRENT, "-450.00", "CHEQUE 000412"),
    (28, CURRENT, "-8.00", "ACCOUNT MAINTENANCE FEE"),
    (28, SAVINGS, "6.41", "GROSS INTEREST"),
];

/// Code, name, type.
const CHART: [(&str, &str, &str); 39] = [
    ("0040", "Machinery and equipment", "ASSET"),
    ("1100", "Trade debtors", "ASSET"),
    ("1200", CURRENT, "ASSET"),
    ("1210", SAVINGS, "ASSET"),
    ("2100", "Trade creditors", "LIABILITY"),
    ("2110", CARD, "LIABILITY"),
    ("2200", "VAT control account", "LIABILITY"),
    ("2210", "PAYE and NI", "LIABILITY"),
    ("2220", "Corporation tax", "LIABILITY"),
    ("2300", "Van hire purchase", "LIABILITY"),
    ("2400", "Director's loan account", "LIABILITY"),
    ("3000", "Share capital", "EQUITY"),
    ("3100", "Dividends paid", "EQUITY"),
    ("4000", "Joinery sales", "INCOME"),
    ("4900", "Other income", "INCOME"),
    ("4910", "Bank interest received", "INCOME"),
    ("5000", "Timber and materials", "EXPENSE"),
    ("5100", "Subcontractors", "EXPENSE"),
    ("5200", "Plant and skip hire", "EXPENSE"),
    ("6000", "Wages and salaries", "EXPENSE"),
    ("6010", "Pension contributions", "EXPENSE"),
    ("6100", "Workshop rent", "EXPENSE"),
    ("6110", "Business rates", "EXPENSE"),
    ("6120", "Light, heat and power", "EXPENSE"),
    ("6130", "Repairs and maintenance", "EXPENSE"),
    ("6200", "Van fuel", "EXPENSE"),
    ("6210", "Van repairs and MOT", "EXPENSE"),
    ("6220", "Travel and subsistence", "EXPENSE"),
    ("6300", "Telephone and broadband", "EXPENSE"),
    ("6310", "Software and IT", "EXPENSE"),
    ("6320", "Postage and stationery", "EXPENSE"),
    ("6400", "Advertising and website", "EXPENSE"),
    ("6410", "Insurance", "EXPENSE"),
    ("6500", "Accountancy fees", "EXPENSE"),
    ("6510", "Bank charges", "EXPENSE"),
    ("6600", "Client entertaining", "EXPENSE"),
    ("6700", "Small tools", "EXPENSE"),
    ("6900", "Sundry expenses", "EXPENSE"),
    ("9998", "Suspense account", "LIABILITY"),
];

/// Number, kind, contact, days before the month began, what is owed.
const INVOICES: [(&str, &str, &str, u64, f64); 5] = [
    ("INV-1038", "invoice", "Ashdown School", 28, 960.0),
    ("INV-1041", "invoice", "Pemberton Kitchens", 19, 1840.0),
    ("INV-1043", "invoice", "Meridian Design LLP", 13, 3125.0),
    ("INV-1044", "invoice", "Ashdown School", 10, 1425.0),
    ("88214", "bill", "Mercer Veneers Ltd", 23, 530.4),
];

const BUSINESS: &str = "Larkspur Joinery Ltd makes and fits staircases, wardrobes and kitchens in York. VAT registered, \
    standard accounting. Robin Larkin is the only director; Tom Bradley and Sue Marsh are employees.";

/// The first day of the last whole month before a day.
fn month_before(today: NaiveDate) -> NaiveDate {
    let first = today.with_day(1).unwrap_or(today);
    first.checked_sub_months(Months::new(1)).unwrap_or(first)
}

/// The sample month, the last whole one before today, as a request body for `POST /api/v1/coding/coding-jobs`.
pub fn coding_body(today: NaiveDate) -> String {
    let first = month_before(today);
    let lines: Vec<String> = LINES
        .iter()
        .map(|(day, account, amount, description)| {
            let date = first.with_day(*day).unwrap_or(first);
            // Amounts are written, not computed: the answer repeats their digits.
            format!(r#"{{"date":"{date}","amount":{amount},"description":"{description}","bank_account":"{account}"}}"#)
        })
        .collect();
    let chart: Vec<Value> =
        CHART.iter().map(|(code, name, kind)| json!({ "code": code, "name": name, "type": kind })).collect();
    let invoices: Vec<Value> = INVOICES
        .iter()
        .map(|(number, kind, contact, days_before, due)| {
            let date = first.checked_sub_days(Days::new(*days_before)).unwrap_or(first).to_string();
            json!({ "number": number, "kind": kind, "contact": contact, "date": date, "total": due, "amount_due": due })
        })
        .collect();
    format!(
        "{{\n  \"transactions\": [\n    {}\n  ],\n  \"chart_of_accounts\": {},\n  \"invoices\": {},\n  \"options\": {}\n}}\n",
        lines.join(",\n    "),
        Value::from(chart),
        Value::from(invoices),
        json!({ "businessContext": BUSINESS })
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_month_is_the_last_whole_one() {
        let day = |year, month, day| NaiveDate::from_ymd_opt(year, month, day).expect("a date");
        assert_eq!(month_before(day(2026, 3, 31)), day(2026, 2, 1));
        assert_eq!(month_before(day(2026, 1, 1)), day(2025, 12, 1));
        let body: Value = serde_json::from_str(&coding_body(day(2026, 3, 31))).expect("JSON");
        let lines = body["transactions"].as_array().expect("lines");
        assert_eq!(
            (lines.len(), &lines[0]["date"], &lines[30]["date"]),
            (31, &json!("2026-02-01"), &json!("2026-02-28"))
        );
    }
}
