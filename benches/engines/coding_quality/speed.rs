//! How fast the engine is, and what large charts and a past cost it.

use std::borrow::Cow;
use std::path::PathBuf;

use bookkeeping_suite::domain::coding::{Account, AccountType, Batch, PastLine, Transaction, run};
use bookkeeping_suite::domain::control::Unattended;

use super::business::{self, Business};

/// Every line of the folders in one batch against one chart, again and again with other words in it so that no two are
/// equal, until there are so many rows.
pub fn measure_rows(folders: &[PathBuf], rows: usize) {
    let businesses: Vec<Business> = folders.iter().flat_map(|folder| business::read_folder(folder)).collect();
    let mut batch = businesses[0].batch.clone();
    let lines: Vec<_> = businesses.iter().flat_map(|business| business.batch.transactions.clone()).collect();
    batch.transactions = (0..rows)
        .map(|at| {
            let mut line = lines[at % lines.len()].clone();
            let round = at / lines.len();
            let word: String =
                (0..3).map(|place| char::from(b'A' + (round / 26_usize.pow(place) % 26) as u8)).collect();
            line.description = format!("{} Q{word}", line.description).into();
            line
        })
        .collect();
    let mut seconds: Vec<f64> = (0..5)
        .map(|_| {
            let start = std::time::Instant::now();
            let outcome = run(&batch, &Unattended).expect("nobody stops it");
            assert_eq!(outcome.rows.len(), rows);
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    println!(
        "{rows} different rows, {} accounts: best {:.0} rows/s, median {:.0} rows/s (one thread)",
        batch.accounts.len(),
        rows as f64 / seconds[0],
        rows as f64 / seconds[2]
    );
}

/// Ten lines with sixty accounts, and a thousand with sixty and with five thousand, named by common bookkeeping words.
pub fn measure_charts(folders: &[PathBuf]) {
    let ten = batch(folders, 10, 60);
    let (small, large) = (batch(folders, 1000, 60), batch(folders, 1000, 5000));
    let (ten, small, large) = (median(&ten), median(&small), median(&large));
    println!(
        "10 lines, 60 accounts {:.2} ms; 1,000 lines: 60 accounts {:.1} ms, 5,000 accounts {:.1} ms, {:.2} times",
        ten * 1e3,
        small * 1e3,
        large * 1e3,
        large / small
    );
}

/// A thousand lines with twenty thousand of the past against twenty-one thousand without one, and with pasts nobody
/// should send.
pub fn measure_history(folders: &[PathBuf]) {
    let all = batch(folders, 21_000, 60);
    let usual = median(&all);
    let past = |of: &dyn Fn(usize, &Transaction<'static>) -> (String, usize)| {
        let mut batch = all.clone();
        let rows = batch.transactions.split_off(1000);
        batch.history = rows
            .iter()
            .enumerate()
            .map(|(at, row)| {
                let (description, account) = of(at, row);
                PastLine {
                    description: Cow::Owned(description),
                    account_code: batch.accounts[account % batch.accounts.len()].code.clone(),
                    date: Some(row.date),
                    amount: Some(row.amount),
                    merchant: row.merchant.clone(),
                    vat_code: None,
                    bank_account: row.bank_account.clone(),
                }
            })
            .collect();
        batch
    };
    println!("21,000 lines without a past {:.0} ms", usual * 1e3);
    type Shape<'s> = (&'s str, &'s dyn Fn(usize, &Transaction<'static>) -> (String, usize));
    let shapes: [Shape<'_>; 5] = [
        ("all different", &|_, row| (row.description.to_string(), row.description.len())),
        ("contradictory", &|at, row| (row.description.chars().take(12).collect(), at)),
        ("one payee", &|_, _| ("ZORBLAX LTD".to_owned(), 3)),
        ("every account", &|at, _| (format!("PAYEE {}", (b'A' + (at % 26) as u8) as char), at)),
        ("one letter", &|_, _| ("Z".repeat(500), 3)),
    ];
    for (name, of) in shapes {
        let seconds = median(&past(of));
        println!("1,000 lines with 20,000 of the past, {name}: {:.0} ms, {:.2} times", seconds * 1e3, seconds / usual);
    }
}

fn batch(folders: &[PathBuf], rows: usize, accounts: usize) -> Batch<'static> {
    const WORDS: [&str; 24] = [
        "Motor",
        "Office",
        "Travel",
        "Bank",
        "Repairs",
        "Insurance",
        "Rent",
        "Rates",
        "Light",
        "Heat",
        "Telephone",
        "Printing",
        "Stationery",
        "Training",
        "Subscriptions",
        "Legal",
        "Wages",
        "Materials",
        "Equipment",
        "Hire",
        "Cleaning",
        "Waste",
        "Advertising",
        "Food",
    ];
    let businesses: Vec<Business> = folders.iter().flat_map(|folder| business::read_folder(folder)).collect();
    let lines: Vec<_> = businesses.iter().flat_map(|business| business.batch.transactions.clone()).collect();
    let transactions = (0..rows)
        .map(|at| {
            let mut line = lines[at % lines.len()].clone();
            line.description = format!("{} Q{}", line.description, spelt(at / lines.len())).into();
            line
        })
        .collect();
    let kinds = [AccountType::Expense, AccountType::Expense, AccountType::Income, AccountType::Liability];
    let accounts = (0..accounts)
        .map(|at| Account {
            code: Cow::Owned(format!("{}", 1000 + at)),
            name: Cow::Owned(format!(
                "{} {} {}",
                WORDS[at % 24],
                WORDS[at / 24 % 24].to_lowercase(),
                WORDS[(at / 576 + 5 * at) % 24].to_lowercase()
            )),
            kind: kinds[at % 4],
        })
        .collect();
    Batch { transactions, accounts, ..Batch::default() }
}

/// A number as letters.
fn spelt(number: usize) -> String {
    (0..3).map(|place| char::from(b'A' + (number / 26_usize.pow(place) % 26) as u8)).collect()
}

fn median(batch: &Batch<'_>) -> f64 {
    let mut seconds: Vec<f64> = (0..7)
        .map(|_| {
            let start = std::time::Instant::now();
            assert_eq!(run(batch, &Unattended).expect("nobody stops it").rows.len(), batch.transactions.len());
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    seconds[3]
}
