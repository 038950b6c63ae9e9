//! A small joinery's last weeks, as its bank prints them and as its books have them, with dates relative to today.
//!
//! The two sides disagree the way real ones do: other words for the same payment, a charge nobody booked, an unpresented
//! cheque, two digits the wrong way round, a receipt keyed twice.

use chrono::{Days, NaiveDate};

/// One row: days before today, amount as written, description.
pub(super) type SampleRow = (u64, &'static str, &'static str);

pub(super) const BANK: [SampleRow; 30] = [
    (34, "-950.00", "STO HARGREAVES ESTATES RENT"),
    (33, "1840.00", "BGC PEMBERTON KITCHENS INV-1041"),
    (32, "-186.42", "TRAVIS PERKINS TR YORK"),
    (31, "-62.10", "ESSO CLIFTON MOOR"),
    (30, "-14.39", "GOOGLE *GSUITE_LARKSPUR"),
    (29, "2400.00", "FPI D OKAFOR STAIRCASE DEPOSIT"),
    (28, "-1420.00", "T BRADLEY WAGES"),
    (28, "-1385.50", "S MARSH WAGES"),
    (27, "-318.00", "HMRC NDDS 475PX00123"),
    (26, "-74.99", "SCREWFIX DIRECT"),
    (25, "-41.20", "DIRECT DEBIT O2 88120417"),
    (24, "960.00", "BGC ASHDOWN SCHOOL 1038"),
    (23, "-8.00", "ACCOUNT MAINTENANCE FEE"),
    (22, "-58.75", "ESSO CLIFTON MOOR"),
    (21, "-530.40", "HOWDENS JOINERY LTD"),
    (20, "3125.00", "FPI MERIDIAN DESIGN LLP 1043"),
    (18, "-29.50", "RINGGO PARKING"),
    (17, "-212.60", "BRITISH GAS BUSINE DD"),
    (16, "1250.00", "FPI R PATEL WARDROBES"),
    (15, "1250.00", "FPI M JONES ALCOVE UNITS"),
    (14, "-96.30", "TOOLSTATION LTD"),
    (13, "-1420.00", "T BRADLEY WAGES"),
    (13, "-1385.50", "S MARSH WAGES"),
    (11, "-450.00", "CHEQUE 000412"),
    (9, "-65.20", "SHELL MALTON RD"),
    (8, "780.00", "BGC YORK MINSTER CAFE INV-1045"),
    (6, "-24.99", "ADOBE *CREATIVE CLD"),
    (5, "-343.00", "JEWSON LTD"),
    (4, "2400.00", "FPI D OKAFOR STAIRCASE BALANCE"),
    (3, "-17.40", "POST OFFICE COUNTER"),
];

const BOOK: [SampleRow; 31] = [
    (34, "-950.00", "Workshop rent - Hargreaves"),
    (34, "1840.00", "Pemberton Kitchens invoice 1041"),
    (33, "-186.42", "Timber, Travis Perkins"),
    (32, "-62.10", "Diesel, van 1"),
    (31, "-14.39", "Google Workspace"),
    (29, "2400.00", "Deposit, staircase - Okafor"),
    (28, "-1420.00", "Wages Tom Bradley"),
    (28, "-1385.50", "Wages Sue Marsh"),
    (28, "-318.00", "PAYE and NI"),
    (27, "-74.99", "Screwfix fixings"),
    (25, "-41.20", "Mobile phones"),
    (26, "960.00", "Ashdown School invoice 1038"),
    (23, "-58.75", "Diesel, van 2"),
    (22, "-530.40", "Howdens, Patel job"),
    (21, "3125.00", "Meridian Design invoice 1043"),
    (19, "-29.50", "Parking, site visit"),
    (17, "-212.60", "Gas, workshop"),
    (16, "1250.00", "Patel wardrobes"),
    (15, "1250.00", "Jones alcove units"),
    (15, "-96.30", "Toolstation blades"),
    (13, "-1420.00", "Wages Tom Bradley"),
    (13, "-1385.50", "Wages Sue Marsh"),
    (19, "-450.00", "Chq 412, second-hand planer"),
    (10, "-65.20", "Diesel, van 1"),
    (9, "780.00", "Minster Cafe invoice 1045"),
    (9, "780.00", "Minster Cafe invoice 1045"),
    (7, "-24.99", "Adobe licence"),
    (6, "-334.00", "Jewson, sheet materials"),
    (4, "2400.00", "Balance, staircase - Okafor"),
    (3, "-17.40", "Postage"),
    (2, "-128.00", "Chq 413, skip hire"),
];

fn rows(rows: &[SampleRow], today: NaiveDate) -> String {
    let lines: Vec<String> = rows
        .iter()
        .map(|(days_ago, amount, description)| {
            let date = today.checked_sub_days(Days::new(*days_ago)).unwrap_or(today);
            format!(r#"{{"date":"{date}","amount":{amount},"description":"{description}"}}"#)
        })
        .collect();
    lines.join(",\n    ")
}

/// The sample statement and books as a request body for `POST /api/v1/reconciliations`.
pub fn reconciliation_body(today: NaiveDate) -> String {
    format!(
        "{{\n  \"bank\": [\n    {}\n  ],\n  \"book\": [\n    {}\n  ],\n  \"options\": {{\"allowedDateDifferenceInDays\": 3, \"includeMatched\": true}}\n}}\n",
        rows(&BANK, today),
        rows(&BOOK, today)
    )
}
