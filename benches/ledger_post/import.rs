//! Bulk import of a bank statement: rows a second, of lines that are new and of lines that are there already.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use xtask::{
    books::Books,
    http::{Connection, Request},
    random::Random,
    statistics::{greatest, median, real, short},
};

use crate::{Plan, Service};

/// Rows of one request: as many as it may have.
const ROWS: usize = 5_000;

/// A statement of which no line is like another.
fn statement(bank: i64, round: usize, random: &mut Random) -> Vec<u8> {
    let rows: Vec<String> = (0..ROWS)
        .map(|row| {
            let (month, day) = (random.between(1, 12), random.between(1, 28));
            format!(
                r#"{{"date":"2026-{month:02}-{day:02}","amount":-{}.{:02},"description":"CARD PAYMENT {round} {row}","external_id":"{round}-{row}"}}"#,
                random.between(1, 900),
                random.below(100)
            )
        })
        .collect();
    format!(r#"{{"bank_account_id":{bank},"rows":[{}]}}"#, rows.join(",")).into_bytes()
}

fn first_bank_account(connection: &mut Connection, key: &str, books: &Books) -> Result<i64> {
    let reply = connection.send(&Request::get(&books.path("/bank-accounts"), Some(key)))?;
    reply.json().pointer("/data/0/id").and_then(Value::as_i64).context("there is no bank account")
}

pub fn measure(plan: &Plan, text: &mut String) -> Result<Value> {
    let service = Service::start(&std::env::temp_dir(), &[], None, 1)?;
    let books = service.books.first().context("no organisation")?;
    let mut connection = Connection::new(service.server.public(), Duration::from_secs(60))?;
    let bank = first_bank_account(&mut connection, &service.key, books)?;
    let path = books.path("/bank-transactions/import");
    let mut random = Random::new(3);
    let (mut fresh, mut repeated) = (Vec::new(), Vec::new());
    for round in 0..plan.rounds.max(3) {
        let body = statement(bank, round, &mut random);
        for (rates, created) in [(&mut fresh, ROWS), (&mut repeated, 0)] {
            let begun = Instant::now();
            let reply = connection.send(&Request::post(&path, Some(&service.key), &body))?;
            let seconds = begun.elapsed().as_secs_f64();
            ensure!(reply.status == 201, "an import was answered {}", reply.summary());
            let made = reply.json().pointer("/data/created").and_then(Value::as_u64).context("created")?;
            ensure!(usize::try_from(made)? == created, "{made} lines were made instead of {created}");
            rates.push(real(ROWS) / seconds);
        }
    }
    service.end()?;
    writeln!(
        text,
        "import of {ROWS} rows a request, one client, SQLite on the disk: {:.0} new rows/s (best {:.0}), \
         {:.0} known rows/s (best {:.0})",
        median(&fresh),
        greatest(&fresh),
        median(&repeated),
        greatest(&repeated)
    )?;
    Ok(
        json!({ "rows_per_request": ROWS, "new_rows_per_s": short(median(&fresh)), "known_rows_per_s": short(median(&repeated)) }),
    )
}
