//! The same weeks of the joinery for coding: its statement with a transfer to the savings account, its chart of accounts
//! and what its customers and suppliers owed.

use chrono::{Days, NaiveDate};

use super::sample::BANK;

const CURRENT: &str = "Current account";
const SAVINGS: &str = "Savings account";

/// What lies between the accounts: days before today, amount, description, account.
const TRANSFERS: [(u64, &str, &str, &str); 3] = [
    (12, "-600.00", "TFR TO SAVINGS ACCOUNT", CURRENT),
    (12, "600.00", "TRANSFER FROM CURRENT ACCOUNT", SAVINGS),
    (2, "4.31", "GROSS INTEREST", SAVINGS),
];

const CHART: [(&str, &str, &str); 24] = [
    ("1200", CURRENT, "ASSET"),
    ("1210", SAVINGS, "ASSET"),
    ("1100", "Trade debtors", "ASSET"),
    ("2100", "Trade creditors", "LIABILITY"),
    ("2200", "VAT", "LIABILITY"),
    ("2210", "PAYE and National Insurance", "LIABILITY"),
    ("2220", "Net wages", "LIABILITY"),
    ("2300", "Director's loan account", "LIABILITY"),
    ("3000", "Share capital", "EQUITY"),
    ("4000", "Sales of joinery", "REVENUE"),
    ("4900", "Bank interest received", "REVENUE"),
    ("5000", "Timber and materials", "EXPENSE"),
    ("5100", "Small tools", "EXPENSE"),
    ("7000", "Wages and salaries", "EXPENSE"),
    ("7100", "Rent and rates", "EXPENSE"),
    ("7200", "Gas and electricity", "EXPENSE"),
    ("7300", "Motor fuel", "EXPENSE"),
    ("7350", "Parking and travel", "EXPENSE"),
    ("7500", "Telephone", "EXPENSE"),
    ("7505", "Software subscriptions", "EXPENSE"),
    ("7510", "Postage and stationery", "EXPENSE"),
    ("7700", "Waste and skip hire", "EXPENSE"),
    ("7900", "Bank charges", "EXPENSE"),
    ("9998", "Suspense", "ASSET"),
];

/// What was open: number, kind, contact, days before today, amount.
const INVOICES: [(&str, &str, &str, u64, &str); 5] = [
    ("INV-1038", "invoice", "Ashdown School", 52, "960.00"),
    ("INV-1041", "invoice", "Pemberton Kitchens", 47, "1840.00"),
    ("INV-1043", "invoice", "Meridian Design LLP", 35, "3125.00"),
    ("INV-1045", "invoice", "York Minster Cafe", 22, "780.00"),
    ("HJ-55120", "bill", "Howdens Joinery Ltd", 40, "530.40"),
];

/// The sample as a request body for `POST /api/v1/coding/coding-jobs`.
pub fn coding_body(today: NaiveDate) -> String {
    let date = |days_ago: u64| today.checked_sub_days(Days::new(days_ago)).unwrap_or(today);
    let transaction = |days_ago: u64, amount: &str, description: &str, account: &str| {
        let date = date(days_ago);
        format!(r#"{{"date":"{date}","amount":{amount},"description":"{description}","bank_account":"{account}"}}"#)
    };
    let bank = BANK.iter().map(|(days_ago, amount, description)| transaction(*days_ago, amount, description, CURRENT));
    let transfers = TRANSFERS
        .iter()
        .map(|(days_ago, amount, description, account)| transaction(*days_ago, amount, description, account));
    let transactions: Vec<String> = bank.chain(transfers).collect();
    let account =
        |(code, name, kind): &(&str, &str, &str)| format!(r#"{{"code":"{code}","name":"{name}","type":"{kind}"}}"#);
    let accounts: Vec<String> = CHART.iter().map(account).collect();
    let invoice = |(number, kind, contact, days_ago, amount): &(&str, &str, &str, u64, &str)| {
        let date = date(*days_ago);
        format!(
            r#"{{"number":"{number}","kind":"{kind}","contact":"{contact}","date":"{date}","amount_due":{amount}}}"#
        )
    };
    let invoices: Vec<String> = INVOICES.iter().map(invoice).collect();
    format!(
        "{{\n  \"transactions\": [\n    {}\n  ],\n  \"chart_of_accounts\": [\n    {}\n  ],\n  \"invoices\": [\n    {}\n  ],\n  \
         \"options\": {{\"businessContext\": \"VAT registered limited company: bespoke joinery, staircases and fitted furniture\"}}\n}}\n",
        transactions.join(",\n    "),
        accounts.join(",\n    "),
        invoices.join(",\n    ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_keeps_to_the_format() {
        let today = NaiveDate::from_ymd_opt(2026, 3, 10).expect("a date");
        let body = coding_body(today);
        let limits = crate::http::wire::coding::Limits::NONE;
        let submission = crate::http::wire::coding::parse(body.as_bytes(), &limits).expect("accepted");
        assert_eq!(submission.inputs.len(), BANK.len() + TRANSFERS.len());
    }
}
