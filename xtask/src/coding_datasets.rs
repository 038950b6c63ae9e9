//! Seeded coding requests: ordinary ones as a small business would send them, and the large shapes that are hardest on
//! whoever reads a batch as a whole.

use std::fmt::Write as _;

use anyhow::{Result, ensure};

use crate::{
    datasets::{Dataset, Expected, Shape, date},
    products::Product,
    random::Random,
};

/// The largest body the service reads.
const BODY_BYTES: usize = 26_214_400;

/// What a line says (a `#` is a digit), whether money goes out, and the merchant as the bank names it.
const LINES: [(&str, bool, Option<&str>); 30] = [
    ("CARD PAYMENT TO TESCO STORES ####", true, Some("Tesco")),
    ("CARD PAYMENT TO SHELL FOREST HILL ###", true, Some("Shell")),
    ("CARD PAYMENT TO RYMAN ####", true, Some("Ryman")),
    ("CARD PAYMENT TO SCREWFIX DIR LTD ##", true, None),
    ("CARD PAYMENT TO AMZN MKTP UK*######", true, Some("Amazon")),
    ("CARD PAYMENT TO TRAINLINE.COM ####", true, Some("Trainline")),
    ("CARD PAYMENT TO GOOGLE*ADS##########", true, Some("Google Ads")),
    ("CARD PAYMENT TO PREMIER INN ######", true, Some("Premier Inn")),
    ("DIRECT DEBIT PAYMENT TO BRITISH GAS REF ########", true, None),
    ("DIRECT DEBIT PAYMENT TO VODAFONE LTD REF ########", true, None),
    ("DIRECT DEBIT PAYMENT TO HISCOX REF ######", true, None),
    ("DIRECT DEBIT PAYMENT TO XERO UK LTD REF ########", true, None),
    ("HMRC VAT DDI ###########", true, None),
    ("HMRC PAYE/NIC CUMBERNAULD ###PA########", true, None),
    ("BACS WAGES RUN ##", true, None),
    ("STANDING ORDER PARKSIDE PROPERTIES RENT", true, None),
    ("ACCOUNT CHARGES TO ##", true, None),
    ("LOAN REPAYMENT FUNDING CIRCLE ######", true, None),
    ("CASH WITHDRAWAL LNK HIGH STREET ####", true, None),
    ("FASTER PAYMENT TO J EXAMPLE DIVIDEND", true, None),
    ("BILL PAYMENT TO HARGREAVES TIMBER INV ####", true, None),
    ("CARD PAYMENT TO COSTA COFFEE ####", true, Some("Costa")),
    ("STRIPE PAYMENTS UK PAYOUT ########", false, None),
    ("SUMUP PID####### PAYOUT", false, None),
    ("FASTER PAYMENT RECEIVED FROM K OSEI DEPOSIT", false, None),
    ("BANK GIRO CREDIT MERIDIAN HOMES LTD", false, None),
    ("INTEREST PAID GROSS", false, None),
    ("CASH PAID IN AT BRANCH ####", false, None),
    ("REFUND SCREWFIX DIR LTD ##", false, None),
    ("FASTER PAYMENT RECEIVED FROM OAKFIELD SCHOOL ORDER ####", false, None),
];

const NAMES: [&str; 16] = [
    "Acme", "Harbour", "Silver", "Oakfield", "Meridian", "Summit", "Beacon", "Castle", "Delta", "Falcon", "Jubilee",
    "Kestrel", "Maple", "Quartz", "Regent", "Willow",
];
const TRADES: [&str; 12] = [
    "Joinery",
    "Foods",
    "Print",
    "Logistics",
    "Dental",
    "Motors",
    "Interiors",
    "Textiles",
    "Media",
    "Plumbing",
    "Florists",
    "Fencing",
];

const CHART: [(&str, &str, &str); 28] = [
    ("200", "Sales", "REVENUE"),
    ("260", "Other income", "INCOME"),
    ("270", "Interest income", "Income"),
    ("310", "Cost of goods sold", "EXPENSE"),
    ("320", "Wages and salaries", "EXPENSE"),
    ("325", "Employer's national insurance", "EXPENSE"),
    ("400", "Advertising and marketing", "EXPENSE"),
    ("404", "Bank charges", "EXPENSE"),
    ("408", "Cleaning", "EXPENSE"),
    ("420", "Entertainment", "EXPENSE"),
    ("433", "Insurance", "EXPENSE"),
    ("437", "Loan interest", "EXPENSE"),
    ("445", "Light, power and heating", "EXPENSE"),
    ("449", "Motor expenses", "EXPENSE"),
    ("461", "Printing and stationery", "EXPENSE"),
    ("463", "IT software and consumables", "EXPENSE"),
    ("469", "Rent", "EXPENSE"),
    ("473", "Repairs and maintenance", "EXPENSE"),
    ("485", "Subscriptions", "EXPENSE"),
    ("489", "Telephone and internet", "EXPENSE"),
    ("493", "Travel", "EXPENSE"),
    ("610", "Accounts receivable", "ASSET"),
    ("090", "Business current account", "ASSET"),
    ("091", "Savings account", "ASSET"),
    ("800", "Accounts payable", "LIABILITY"),
    ("820", "VAT", "LIABILITY"),
    ("835", "Director's loan account", "LIABILITY"),
    ("900", "Loan", "LIABILITY"),
];

const CONTEXT: &str = "VAT registered limited company, a small furniture maker with a shop; director J Example";

/// A body being written.
struct Body {
    text: String,
    rows: u64,
}

impl Body {
    fn new() -> Self {
        Self { text: "{\"transactions\":[".to_owned(), rows: 0 }
    }

    /// Adds a transaction; `more` is further keys, each with a comma before it.
    fn row(&mut self, day: u64, amount: &str, description: &str, more: &str) {
        let comma = if self.rows == 0 { "" } else { "," };
        // Writing to memory cannot fail.
        let _ = write!(
            self.text,
            "{comma}{{\"date\":\"{}\",\"description\":\"{description}\",\"amount\":{amount}{more}}}",
            date(day)
        );
        self.rows += 1;
    }

    /// Ends it with these accounts and these invoices, both JSON.
    fn end(mut self, accounts: &str, invoices: &str) -> Vec<u8> {
        let _ = write!(
            self.text,
            "],\"chart_of_accounts\":[{accounts}],\"invoices\":[{invoices}],\"options\":{{\"businessContext\":\"{CONTEXT}\"}}}}"
        );
        self.text.into_bytes()
    }
}

fn chart() -> String {
    let accounts: Vec<String> = CHART.iter().map(|(code, name, kind)| account(code, name, kind)).collect();
    accounts.join(",")
}

fn account(code: &str, name: &str, kind: &str) -> String {
    format!("{{\"code\":\"{code}\",\"name\":\"{name}\",\"type\":\"{kind}\"}}")
}

fn invoice(number: &str, kind: &str, contact: &str, day: u64, amount: &str) -> String {
    let date = date(day);
    format!(
        "{{\"number\":\"{number}\",\"kind\":\"{kind}\",\"contact\":\"{contact}\",\"date\":\"{date}\",\"amount_due\":{amount}}}"
    )
}

fn pounds(pence: u64) -> String {
    format!("{}.{:02}", pence / 100, pence % 100)
}

/// A line with its digits filled in.
fn filled(random: &mut Random, line: &str) -> String {
    line.chars().map(|place| if place == '#' { digit(random) } else { place }).collect()
}

fn digit(random: &mut Random) -> char {
    char::from_digit(u32::try_from(random.below(10)).unwrap_or(0), 10).unwrap_or('0')
}

fn company(random: &mut Random) -> String {
    let name = random.pick(&NAMES).copied().unwrap_or_default();
    let trade = random.pick(&TRADES).copied().unwrap_or_default();
    format!("{name} {trade}")
}

/// Writes that many ordinary transactions and the open invoices that some of them settle.
fn ordinary_rows(body: &mut Body, invoices: &mut Vec<String>, random: &mut Random, rows: u64) {
    const CURRENT: &str = ",\"bank_account\":\"Business current account\"";
    const SAVINGS: &str = ",\"bank_account\":\"Savings account\"";
    let last = body.rows + rows;
    while body.rows < last {
        let day = 8_766 + random.below(365);
        let amount = pounds(random.between(100, 500_000));
        let kind = random.below(100);
        if kind < 8 && invoices.len() < 10_000 {
            // A customer or a supplier is paid, most of them with the number in the text.
            let (number, contact) = (format!("INV-{:05}", invoices.len()), company(random));
            let (sign, kind) = if random.chance(60) { ("", "invoice") } else { ("-", "bill") };
            invoices.push(invoice(&number, kind, &format!("{contact} Ltd"), day - 30, &amount));
            let said = if random.chance(80) { number.as_str() } else { "INVOICE" };
            let text = format!("FASTER PAYMENT {} LTD {said}", contact.to_uppercase());
            body.row(day, &format!("{sign}{amount}"), &text, CURRENT);
        } else if kind < 12 && body.rows + 1 < last {
            // Money goes to the savings account: two lines.
            body.row(day, &format!("-{amount}"), "TRANSFER TO SAVINGS ACCOUNT", CURRENT);
            body.row(day + random.below(2), &amount, "TRANSFER FROM CURRENT ACCOUNT", SAVINGS);
        } else if kind < 40 {
            // Somebody nobody knows.
            let text = format!("CARD PAYMENT TO {} {:04}", company(random).to_uppercase(), random.below(10_000));
            body.row(day, &format!("-{amount}"), &text, CURRENT);
        } else {
            let Some((line, is_out, merchant)) = random.pick(&LINES).copied() else { continue };
            let merchant = merchant.map(|merchant| format!(",\"merchant\":\"{merchant}\"")).unwrap_or_default();
            let sign = if is_out { "-" } else { "" };
            let text = filled(random, line);
            body.row(day, &format!("{sign}{amount}"), &text, &format!("{merchant}{CURRENT}"));
        }
    }
}

/// An ordinary request of that many transactions.
#[must_use]
pub fn ordinary(random: &mut Random, rows: u64) -> Dataset {
    let (mut body, mut invoices) = (Body::new(), Vec::new());
    ordinary_rows(&mut body, &mut invoices, random, rows);
    let body = body.end(&chart(), &invoices.join(","));
    Dataset { product: Product::Coding, body, rows, expected: Expected::Verified }
}

/// The names of the large shapes, in the order in which they are tried.
pub const SHAPES: [&str; 9] = [
    "coding-50000",
    "coding-largest",
    "coding-one-line",
    "coding-equal-amounts",
    "coding-foreign-numbers",
    "coding-one-contact",
    "coding-strangers",
    "coding-long-texts",
    "coding-large-chart",
];

/// A large shape; `share` of its full rows (1 is full, 10 a tenth).
pub fn shape(name: &'static str, share: u64) -> Result<Shape> {
    let share = share.max(1);
    let mut random = Random::new(2_025);
    let random = &mut random;
    let (mut body, mut invoices, mut accounts) = (Body::new(), Vec::new(), chart());
    let (rows, open) = (100_000 / share, 10_000 / share);
    match name {
        "coding-50000" => ordinary_rows(&mut body, &mut invoices, random, 50_000 / share),
        "coding-largest" => ordinary_rows(&mut body, &mut invoices, random, rows),
        "coding-one-line" => (0..rows).for_each(|_| body.row(8_766, "-9.99", "CARD PAYMENT TO NETFLIX.COM", "")),
        // One amount everywhere, opposite signs in two accounts, words of a transfer: every pair is possible.
        "coding-equal-amounts" => {
            invoices.extend((0..open).map(|place| {
                invoice(&format!("INV-{place:05}"), "invoice", &format!("{} Ltd", company(random)), 8_766, "25")
            }));
            for place in 0..rows {
                let (sign, account) = if place % 2 == 0 { ("-", "Main") } else { ("", "Savings") };
                let more = format!(",\"bank_account\":\"{account}\"");
                body.row(8_766 + place % 30, &format!("{sign}25.00"), "TRANSFER BETWEEN ACCOUNTS", &more);
            }
        }
        // Every line names an invoice nobody has, and almost every contact.
        "coding-foreign-numbers" => {
            invoices.extend((0..open).map(|place| {
                invoice(&format!("QR-2025-{place:05}"), "invoice", &format!("{} Ltd", company(random)), 8_766, "100")
            }));
            for place in 0..rows {
                let text = format!("FPI {} LTD INV {:06}", company(random).to_uppercase(), 500_000 + place);
                body.row(8_770, "100.00", &text, "");
            }
        }
        // All that is open is owed by one customer, who pays sums of several.
        "coding-one-contact" => {
            invoices.extend((0..open).map(|place| {
                let amount = pounds(1_000 + place * 37 % 9_000);
                invoice(&format!("S{place:05}"), "invoice", "Larkspur Homes Ltd", 8_766 + place % 90, &amount)
            }));
            for place in 0..rows {
                let amount = pounds(2_500 + place * 101 % 30_000);
                body.row(8_780 + place % 90, &amount, "BGC LARKSPUR HOMES LTD", "");
            }
        }
        "coding-strangers" => {
            for _ in 0..rows {
                let word = |random: &mut Random| -> String {
                    (0..random.between(4, 10))
                        .map(|_| char::from(b'A' + u8::try_from(random.below(26)).unwrap_or(0)))
                        .collect()
                };
                let text = format!("{} {} {}", word(random), word(random), word(random));
                let amount = format!("-{}", pounds(random.between(100, 99_999)));
                body.row(8_766 + random.below(365), &amount, &text, "");
            }
        }
        // As many rows of five hundred characters as the size limit of a request allows.
        "coding-long-texts" => {
            for _ in 0..44_000 / share {
                let mut text = String::new();
                while text.len() < 480 {
                    let line = random.pick(&LINES).map_or("", |line| line.0);
                    text.push_str(&filled(random, line));
                    text.push(' ');
                }
                text.truncate(500);
                body.row(8_766, "-12.34", &text, "");
            }
        }
        "coding-large-chart" => {
            let more = 5_000 - u64::try_from(CHART.len())?;
            for place in 0..more / share {
                let name = format!("{} {} {place}", company(random), if place % 2 == 0 { "costs" } else { "fees" });
                accounts.push(',');
                accounts.push_str(&account(&format!("N{place}"), &name, "EXPENSE"));
            }
            ordinary_rows(&mut body, &mut invoices, random, rows / 2);
        }
        _ => anyhow::bail!("there is no shape called {name}"),
    }
    let body = body.end(&accounts, &invoices.join(","));
    ensure!(body.len() <= BODY_BYTES, "the shape {name} has {} bytes, more than a request may have", body.len());
    Ok(Shape { name, product: Product::Coding, body })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{SHAPES, ordinary, shape};
    use crate::random::Random;

    #[test]
    fn requests_are_valid_json_with_the_promised_rows() {
        for rows in [1, 2, 500] {
            let dataset = ordinary(&mut Random::new(rows), rows);
            let json: Value = serde_json::from_slice(&dataset.body).unwrap();
            assert_eq!(json["transactions"].as_array().unwrap().len(), usize::try_from(rows).unwrap());
        }
    }

    #[test]
    fn every_large_shape_is_a_request() {
        for name in SHAPES {
            let made = shape(name, 1_000).unwrap();
            let json: Value = serde_json::from_slice(&made.body).unwrap();
            assert!(!json["transactions"].as_array().unwrap().is_empty(), "{name}");
        }
    }
}
