//! Suggestions over a thousand lines of a year-old organisation, then the confirmation of all that are at least .9 sure.
//!
//! `cargo bench --bench suggestions [-- --json] [--samples N]`; `--small` takes a tenth and shows that it still runs.

mod support;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use support::{Arguments, installation, pressure, print_json, serve};
use xtask::{
    http::{Connection, Request},
    program::{SCOPES, create_key},
    statistics::{median, short},
};

/// Seconds that suggesting and confirming may take together.
const BAR_S: f64 = 5.0;

/// Lines that are suggested.
const LINES: usize = 1_000;

const ORGANISATIONS: &str = "/api/v1/books/organisations";

/// Payees of every month with their account and VAT code, and the amount in pence.
const PAYEES: [(&str, &str, &str, usize); 12] = [
    ("SO HARGREAVES ESTATES WORKSHOP RENT", "7100", "EX", 95_000),
    ("DD BRITISH GAS BUSINESS", "7200", "RR", 21_260),
    ("DD O2 UK", "7500", "ST", 4_120),
    ("CARD PAYMENT TO TRAVIS PERKINS YORK", "5000", "ST", 18_642),
    ("CARD PAYMENT TO SHELL CLIFTON MOOR", "7300", "ST", 6_210),
    ("CARD PAYMENT TO XERO UK LTD", "7520", "ST", 3_960),
    ("CARD PAYMENT TO POST OFFICE COUNTER YORK", "7510", "EX", 1_740),
    ("ACCOUNT MAINTENANCE FEE", "7900", "EX", 800),
    ("DD NEST PENSION", "2230", "NV", 16_420),
    ("T BRADLEY WAGES", "2240", "NV", 142_000),
    ("CARD PAYMENT TO ZORBLAX HEATING", "7200", "ST", 4_800),
    ("CARD PAYMENT TO QUORNWICK SUPPLIES", "5000", "ST", 7_450),
];

/// Customers, each of many branches.
const CUSTOMERS: [&str; 5] =
    ["Pemberton Kitchens", "Ashdown School", "Meridian Design", "Fenwick Builders", "Marlowe Interiors"];

struct Books {
    connection: Connection,
    key: String,
    base: String,
}

impl Books {
    fn send(&mut self, path: &str, body: &Value, status: u16) -> Result<Value> {
        let path = format!("{}{path}", self.base);
        let text = body.to_string();
        let reply = self.connection.send(&Request::post(&path, Some(&self.key), text.as_bytes()))?;
        ensure!(reply.status == status, "{path} was answered {}", reply.summary());
        Ok(reply.json())
    }

    fn get(&mut self, path: &str) -> Result<Value> {
        let reply = self.connection.send(&Request::get(path, Some(&self.key)))?;
        ensure!(reply.status == 200, "{path} was answered {}", reply.summary());
        Ok(reply.json())
    }

    /// Imports lines, each a date, an amount in pence and a description; their ids.
    fn import(&mut self, bank: i64, rows: &[(String, i64, String)]) -> Result<Vec<i64>> {
        let rows: Vec<Value> = rows
            .iter()
            .map(|(date, pence, description)| {
                let sign = if *pence < 0 { "-" } else { "" };
                let amount = format!("{sign}{}.{:02}", pence.abs() / 100, pence.abs() % 100);
                json!({ "date": date, "amount": amount, "description": description })
            })
            .collect();
        let made = self.send("/bank-transactions/import", &json!({ "bank_account_id": bank, "rows": rows }), 201)?;
        let rows = made.pointer("/data/transactions").and_then(Value::as_array).context("nothing imported")?;
        Ok(rows.iter().filter_map(|row| row.get("id").and_then(Value::as_i64)).collect())
    }
}

fn day(month: usize, at: usize) -> String {
    let (year, month) = if month <= 9 { (2025, month + 3) } else { (2026, month - 9) };
    format!("{year}-{month:02}-{:02}", at % 28 + 1)
}

/// A year of books: every payee five times a month, coded and confirmed, and invoices and bills that are still open.
fn year(books: &mut Books, bank: i64, scale: usize) -> Result<Vec<(i64, String)>> {
    for month in 1..=12 {
        let lines: Vec<_> = (0..PAYEES.len() * 5 / scale)
            .filter_map(|at| Some((at, PAYEES.get(at % PAYEES.len())?)))
            .map(|(at, (payee, code, vat, pence))| {
                let pence =
                    -i64::try_from(*pence).unwrap_or_default() - i64::try_from(at * 13 + month).unwrap_or_default();
                ((day(month, at), pence, format!("{payee} {at:02}")), *code, *vat)
            })
            .collect();
        let rows: Vec<_> = lines.iter().map(|(row, ..)| row.clone()).collect();
        let ids = books.import(bank, &rows)?;
        let items: Vec<Value> = ids
            .iter()
            .zip(&lines)
            .map(|(id, (_, code, vat))| json!({ "id": id, "account_code": code, "vat_code": vat }))
            .collect();
        books.send("/bank-transactions/confirm-batch", &json!({ "items": items }), 200)?;
    }
    let mut invoices = Vec::new();
    for at in 0..100 / scale {
        let name = CUSTOMERS.get(at % CUSTOMERS.len()).copied().unwrap_or_default();
        let customer = books.send("/customers", &json!({ "name": format!("{name} {at}") }), 201)?;
        let pence = i64::try_from(50_000 + at * 731).unwrap_or_default();
        let price = format!("{}.{:02}", pence / 100, pence % 100);
        let line = json!({ "description": "Joinery", "account_code": "4000", "unit_price": price, "vat_code": "ZR" });
        let customer = customer.pointer("/data/id").context("a customer without an id")?;
        let invoice = json!({ "customer_id": customer, "invoice_date": "2026-03-20", "lines": [line] });
        let made = books.send("/sales-invoices", &invoice, 201)?;
        let number =
            made.pointer("/data/invoice_number").and_then(Value::as_str).context("an invoice without a number")?;
        invoices.push((pence, format!("FPI {} {at} {number}", name.to_uppercase())));
    }
    Ok(invoices)
}

/// The lines that are suggested: payments of the open invoices, the usual payees, and a tenth that nobody knows.
fn statement(invoices: &[(i64, String)], lines: usize) -> Vec<(String, i64, String)> {
    (0..lines)
        .map(|at| {
            let date = format!("2026-04-{:02}", at % 28 + 1);
            if let Some((pence, text)) = invoices.get(at) {
                return (date, *pence, text.clone());
            }
            let (payee, _, _, pence) = PAYEES.get(at % PAYEES.len()).copied().unwrap_or(("CHEQUE", "", "", 1));
            let pence = -i64::try_from(pence + at * 7).unwrap_or_default();
            match at % 10 {
                9 => (date, pence, format!("CHEQUE {at:06}")),
                _ => (date, pence, format!("{payee} {at:03}")),
            }
        })
        .collect()
}

/// Suggests all unconfirmed lines and confirms what is sure; seconds until the job was completed, seconds of the confirmation, and
/// how many were confirmed.
fn suggest_and_confirm(books: &mut Books) -> Result<(f64, f64, u64)> {
    let begun = Instant::now();
    let asked = books.send("/bank-transactions/suggest", &json!({}), 202)?;
    let poll = asked.pointer("/data/poll_url").and_then(Value::as_str).context("no job")?.to_owned();
    while books.get(&poll)?.get("status").and_then(Value::as_str) != Some("completed") {
        std::thread::sleep(Duration::from_millis(5));
    }
    let suggested = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let taken = books.send("/bank-transactions/confirm", &json!({ "min_confidence": 0.9 }), 200)?;
    let confirmed = taken.pointer("/data/confirmed").and_then(Value::as_u64).unwrap_or_default();
    let refused = taken.pointer("/data/refused").and_then(Value::as_u64).unwrap_or_default();
    ensure!(refused == 0, "{refused} suggestions were refused");
    Ok((suggested, begun.elapsed().as_secs_f64(), confirmed))
}

fn main() -> Result<()> {
    let arguments = Arguments::read();
    if arguments.is_check() {
        return Ok(());
    }
    let scale = if arguments.has("--small") { 10 } else { 1 };
    let default = if arguments.has("--small") { 1 } else { 5 };
    let samples: usize = arguments.after("--samples").and_then(|word| word.parse().ok()).unwrap_or(default);
    let (_folder, installation) = installation(&std::env::temp_dir())?;
    let server = serve(&installation, &[])?;
    let person = installation.add_person("bench@example.com", 1_000_000, 0)?;
    let (mut walls, mut rows) = (Vec::new(), Vec::new());
    for sample in 0..samples {
        let mut connection = server.connect()?;
        let key = create_key(&mut connection, &person.session, &format!("bench {sample}"), &SCOPES)?.plaintext;
        let body =
            json!({ "name": "Bench Ltd", "vat_control": true, "vat_registered": true, "vat_scheme": "standard" });
        let made = connection.send(&Request::post(ORGANISATIONS, Some(&key), body.to_string().as_bytes()))?.json();
        let id = made.pointer("/data/id").and_then(Value::as_i64).context("an organisation without an id")?;
        let mut books = Books { connection, key, base: format!("{ORGANISATIONS}/{id}") };
        let banks = books.get(&format!("{ORGANISATIONS}/{id}/bank-accounts"))?;
        let bank = banks.pointer("/data/0/id").and_then(Value::as_i64).context("no bank account")?;
        let invoices = year(&mut books, bank, scale)?;
        let lines = statement(&invoices, LINES / scale);
        books.import(bank, &lines)?;
        let (suggested, confirmed, count) = suggest_and_confirm(&mut books)?;
        println!(
            "{} lines: suggested in {suggested:.2} s, {count} confirmed in {confirmed:.2} s, together {:.2} s",
            lines.len(),
            suggested + confirmed
        );
        walls.push(suggested + confirmed);
        rows.push(json!({ "suggest_s": short(suggested), "confirm_s": short(confirmed), "confirmed": count }));
    }
    let wall = median(&walls);
    let said = if wall <= BAR_S { "" } else { "  MISSED" };
    println!("median {wall:.2} s (bar {BAR_S}){said}");
    if arguments.has("--json") {
        print_json(&json!({
            "bench": "suggestions", "samples": samples, "pressure_percent": pressure(), "median_s": short(wall),
            "bar_s": BAR_S, "met": wall <= BAR_S, "rows": rows,
        }))?;
    }
    Ok(())
}
