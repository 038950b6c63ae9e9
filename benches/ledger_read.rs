//! Latency of every `GET` of the books with 10 thousand and with 1 million journal lines: two services of the same program,
//! each with a database of its own, asked alternately by one client.
//!
//! `cargo bench --bench ledger_read [-- --json] [--postgres] [--rounds N] [--only TEXT] [--small N] [--large N]`
//!
//! Bars: a request with an offset of at most 1,000 and no search takes at most 1.2 times as long at a million lines,
//! any other at most 3 times. To measure another path add a line to `REQUESTS`.

#[path = "support/ledger_seed.rs"]
mod ledger_seed;
mod support;

use std::time::Instant;

use anyhow::{Result, ensure};
use ledger_seed::{Seeded, seed};
use serde_json::{Value, json};
use support::{Arguments, installation, pressure, print_json, serve};
use tempfile::TempDir;
use xtask::{
    books::Books,
    http::{Connection, Request},
    postgres::Postgres,
    program::{SCOPES, Server, create_key},
    statistics::{median, percentile, short, sorted},
};

/// Requests with an offset of at most 1,000 and no search.
const NEAR: f64 = 1.2;
/// Any other.
const FAR: f64 = 3.0;

/// Requests of each kind that are not counted: they fill the caches of every connection that reads.
const WARM_UP: usize = 8;

/// What is asked: a name is not needed, the path says it. `{account}` and so on stand for identifiers of the seed,
/// `{deep}`, `{middle}` and `{few}` for half, a quarter and a twentieth of the journals.
const REQUESTS: &[(f64, &str)] = &[
    (NEAR, "/api/v1/books/organisations"),
    (NEAR, ""),
    (NEAR, "/status"),
    (NEAR, "/period-lock"),
    (NEAR, "/tax-codes"),
    (NEAR, "/accounts"),
    (NEAR, "/accounts/{account}"),
    (NEAR, "/accounts/{account}/transactions"),
    (NEAR, "/accounts/{bank}/transactions?offset=1000"),
    (NEAR, "/accounts/{account}/transactions?date_from=2025-06-01&date_to=2025-06-30"),
    (NEAR, "/accounts/{bank}/transactions?date_from=2025-01-01"),
    (FAR, "/accounts/{bank}/transactions?offset={deep}"),
    (NEAR, "/customers"),
    (NEAR, "/customers?offset=1000"),
    (NEAR, "/customers?include_archived=true"),
    (NEAR, "/customers?updated_since=2026-02-01T00:00:00Z"),
    (NEAR, "/customers?updated_since=2026-02-02T01:00:00Z&include_archived=true"),
    (NEAR, "/customers/{customer}"),
    (FAR, "/customers?search=customer 11"),
    (FAR, "/customers?search=customer"),
    (FAR, "/customers?search=nowhere"),
    (NEAR, "/suppliers"),
    (NEAR, "/suppliers?offset=1000"),
    (NEAR, "/suppliers/{supplier}"),
    (NEAR, "/bank-accounts"),
    (NEAR, "/bank-accounts/{bank_account}"),
    (NEAR, "/bank-transactions"),
    (NEAR, "/bank-transactions?offset=1000"),
    (NEAR, "/bank-transactions?status=unconfirmed"),
    (NEAR, "/bank-transactions?status=unconfirmed&date_from=2025-01-01"),
    (NEAR, "/bank-transactions?status=excluded"),
    (NEAR, "/bank-transactions?date_from=2025-01-01&date_to=2025-01-31"),
    (NEAR, "/bank-transactions?bank_account_id={bank_account}"),
    (NEAR, "/bank-transactions?type=coded"),
    (NEAR, "/bank-transactions?min_amount=-5&max_amount=5"),
    (NEAR, "/bank-transactions?min_amount=-4.23&max_amount=-4.23"),
    (NEAR, "/bank-transactions?updated_since=2026-02-01T00:00:00Z"),
    (NEAR, "/bank-transactions?updated_since=2026-02-02T01:00:00Z&status=confirmed"),
    (NEAR, "/bank-transactions/{transaction}"),
    (NEAR, "/bank-transactions/{transaction}/candidates"),
    (FAR, "/bank-transactions?offset={middle}"),
    (FAR, "/bank-transactions?search=payment 77"),
    (FAR, "/bank-transactions?search=payment"),
    (FAR, "/bank-transactions?search=nowhere"),
    (NEAR, "/sales-invoices"),
    (NEAR, "/sales-invoices?offset=300"),
    (NEAR, "/sales-invoices?status=draft"),
    (NEAR, "/sales-invoices?status=issued&status=part_paid"),
    (NEAR, "/sales-invoices?status=paid"),
    (NEAR, "/sales-invoices?status=void"),
    (NEAR, "/sales-invoices?status=paid&date_from=2025-01-01"),
    (NEAR, "/sales-invoices?overdue=true"),
    (NEAR, "/sales-invoices?due_before=2025-01-01"),
    (NEAR, "/sales-invoices?customer_id={billed}"),
    (NEAR, "/sales-invoices?date_from=2025-01-01&date_to=2025-06-30"),
    (NEAR, "/sales-invoices?updated_since=2026-02-01T00:00:00Z"),
    (NEAR, "/sales-invoices?updated_since=2026-02-02T01:00:00Z"),
    (NEAR, "/sales-invoices/{invoice}"),
    (NEAR, "/sales-invoices/{invoice}/history"),
    (FAR, "/sales-invoices?offset={few}"),
    (FAR, "/sales-invoices?search=inv-1000"),
    (FAR, "/sales-invoices?search=customer 11"),
    (FAR, "/sales-invoices?search=po"),
    (FAR, "/sales-invoices?search=customer"),
    (FAR, "/sales-invoices?search=nowhere"),
    (NEAR, "/purchase-invoices"),
    (NEAR, "/purchase-invoices?status=issued"),
    (NEAR, "/purchase-invoices?overdue=true"),
    (NEAR, "/purchase-invoices?date_from=2025-01-01&date_to=2025-06-30"),
    (NEAR, "/purchase-invoices?updated_since=2026-02-01T00:00:00Z"),
    (NEAR, "/purchase-invoices/{bill}"),
    (NEAR, "/sales-credit-notes"),
    (NEAR, "/sales-credit-notes?status=issued"),
    (NEAR, "/sales-credit-notes?date_from=2025-01-01"),
    (NEAR, "/sales-credit-notes/{credit_note}"),
    (NEAR, "/purchase-credit-notes"),
    (NEAR, "/customer-receipts"),
    (NEAR, "/customer-receipts?offset=300"),
    (NEAR, "/customer-receipts?status=posted"),
    (NEAR, "/customer-receipts?status=void"),
    (NEAR, "/customer-receipts?customer_id={billed}"),
    (NEAR, "/customer-receipts?bank_account_id={bank_account}"),
    (NEAR, "/customer-receipts?date_from=2025-01-01&date_to=2025-06-30"),
    (NEAR, "/customer-receipts?has_unallocated=true"),
    (NEAR, "/customer-receipts?has_unallocated=false"),
    (NEAR, "/customer-receipts?updated_since=2026-02-01T00:00:00Z"),
    (NEAR, "/customer-receipts/{receipt}"),
    (NEAR, "/customer-receipts/{receipt}/history"),
    (FAR, "/customer-receipts?offset={few}"),
    (NEAR, "/supplier-payments"),
    (NEAR, "/supplier-payments?has_unallocated=true"),
    (NEAR, "/supplier-payments?date_from=2025-01-01"),
    (NEAR, "/supplier-payments/{payment}"),
    (NEAR, "/cis/position?period_start=2026-01-06&period_end=2026-02-05"),
    (NEAR, "/changes"),
    (NEAR, "/changes?since={change}"),
    (NEAR, "/changes?since=2026-02-01T00:00:00Z"),
    (NEAR, "/imports"),
    (NEAR, "/imports/{import}"),
    (NEAR, "/accounts/{account}/history"),
    (NEAR, "/customers/{customer}/history"),
    (NEAR, "/bank-transactions/{transaction}/history"),
    (NEAR, "/journals/{journal}/history"),
    (NEAR, "/journals"),
    (NEAR, "/journals?limit=200"),
    (NEAR, "/journals?offset=1000"),
    (NEAR, "/journals?status=posted"),
    (NEAR, "/journals?status=void"),
    (NEAR, "/journals?date_from=2025-01-01"),
    (NEAR, "/journals?date_from=2025-01-01&date_to=2025-01-31"),
    (NEAR, "/journals?status=posted&date_from=2025-01-01"),
    (NEAR, "/journals?account_id={account}"),
    (NEAR, "/journals?account_id={account}&date_from=2025-01-01"),
    (NEAR, "/journals?account_id={rare}"),
    (NEAR, "/journals?source_type=manual"),
    (NEAR, "/journals?source_type=bank_transaction&source_id=2"),
    (NEAR, "/journals?updated_since=2026-02-01T00:00:00Z"),
    (NEAR, "/journals?updated_since=2026-02-02T01:00:00Z"),
    (NEAR, "/journals/{journal}"),
    (FAR, "/journals?offset={deep}"),
    (FAR, "/journals?search=payment 77"),
    (FAR, "/journals?search=payment"),
    (FAR, "/journals?search=nowhere"),
];

/// One of the two services.
struct Side {
    server: Server,
    key: String,
    books: Books,
    seeded: Seeded,
    connection: Connection,
    _folder: TempDir,
    _postgres: Option<Postgres>,
}

impl Side {
    fn start(lines: u64, on_postgres: bool) -> Result<Self> {
        let (folder, mut installation) = installation(&std::env::temp_dir())?;
        let mut url = format!("sqlite://{}", installation.folder().join("data").join("bookkeeping.db").display());
        let mut postgres = None;
        if on_postgres {
            let started = Postgres::start(&folder.path().join("postgres"))?;
            url = started.url();
            installation = installation.with("database_url", &url);
            postgres = Some(started);
        }
        let server = serve(&installation, &[])?;
        let person = installation.add_person("bench@example.com", 1_000, 0)?;
        let mut connection = server.connect()?;
        let key = create_key(&mut connection, &person.session, "bench", &SCOPES)?.plaintext;
        let books = Books::create(&mut connection, &key, "Bench")?;
        server.terminate()?;

        let begun = Instant::now();
        let seeded = seed(&url, &books, lines)?;
        let seconds = begun.elapsed().as_secs_f64();
        let (consistent, text) = installation.attempt(&["check"])?;
        ensure!(consistent, "the seed is not consistent: {}", text.trim());
        eprintln!("{lines} journal lines seeded in {seconds:.1} s and checked");
        let server = serve(&installation, &[])?;
        let connection = server.connect()?;
        Ok(Self { server, key, books, seeded, connection, _folder: folder, _postgres: postgres })
    }

    /// The path as this side knows it.
    fn path(&self, pattern: &str) -> Result<String> {
        let mut path = pattern.to_owned();
        for (name, value) in [
            ("{account}", self.books.account("7300")?),
            ("{rare}", self.seeded.rare_account),
            ("{bank}", self.books.account("1200")?),
            ("{bank_account}", self.seeded.bank_account),
            ("{customer}", self.seeded.customer),
            ("{supplier}", self.seeded.supplier),
            ("{transaction}", self.seeded.transaction),
            ("{journal}", self.seeded.journal),
            ("{invoice}", self.seeded.invoice),
            ("{receipt}", self.seeded.receipt),
            ("{billed}", self.seeded.billed),
            ("{bill}", self.seeded.bill),
            ("{credit_note}", self.seeded.credit_note),
            ("{payment}", self.seeded.payment),
            ("{import}", self.seeded.import),
            ("{change}", self.seeded.change),
            ("{deep}", self.seeded.journals / 2),
            ("{middle}", self.seeded.journals / 4),
            ("{few}", self.seeded.journals / 20),
        ] {
            path = path.replace(name, &value.to_string());
        }
        let path = path.replace(' ', "%20");
        Ok(if path.starts_with("/api/") { path } else { self.books.path(&path) })
    }

    /// Microseconds of one request, and the rows it gave.
    fn ask(&mut self, path: &str) -> Result<(f64, usize)> {
        let begun = Instant::now();
        let reply = self.connection.send(&Request::get(path, Some(&self.key)))?;
        let time = begun.elapsed().as_secs_f64() * 1e6;
        ensure!(reply.status == 200, "{path} was answered {}", reply.summary());
        let answer = reply.json();
        let rows = answer.get("data").and_then(Value::as_array).or_else(|| answer.pointer("/data/lines")?.as_array());
        Ok((time, rows.map_or(1, Vec::len)))
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::read();
    if arguments.is_check() {
        return Ok(());
    }
    let number = |name: &str, default: u64| arguments.after(name).and_then(|text| text.parse().ok()).unwrap_or(default);
    let on_postgres = arguments.has("--postgres");
    let rounds = usize::try_from(number("--rounds", 100))?;
    let (small, large) = (number("--small", 10_000), number("--large", 1_000_000));
    let (mut one, mut other) = (Side::start(small, on_postgres)?, Side::start(large, on_postgres)?);
    let mut rows = Vec::new();
    let mut missed = 0;
    println!(
        "{:<84}{:>7}{:>7}{:>12}{:>12}{:>12}{:>7}{:>5}",
        "", "rows", "rows", "p50 small", "p50 large", "p99 large", "ratio", "bar"
    );
    for (bar, pattern) in REQUESTS {
        if arguments.after("--only").is_some_and(|only| !only.split(',').any(|part| pattern.contains(part))) {
            continue;
        }
        let (one_path, other_path) = (one.path(pattern)?, other.path(pattern)?);
        let (mut one_times, mut other_times) = (Vec::new(), Vec::new());
        let (mut one_rows, mut other_rows) = (0, 0);
        for round in 0..rounds + WARM_UP {
            let (one_time, other_time);
            // In turn, so that neither always follows the other.
            if round % 2 == 0 {
                (one_time, one_rows) = one.ask(&one_path)?;
                (other_time, other_rows) = other.ask(&other_path)?;
            } else {
                (other_time, other_rows) = other.ask(&other_path)?;
                (one_time, one_rows) = one.ask(&one_path)?;
            }
            if round >= WARM_UP {
                one_times.push(one_time);
                other_times.push(other_time);
            }
        }
        let (one_us, other_us) = (median(&one_times), median(&other_times));
        let p99 = percentile(&sorted(other_times), 0.99);
        let ratio = other_us / one_us.max(1e-9);
        let is_met = ratio <= *bar;
        missed += usize::from(!is_met);
        println!(
            "{pattern:<84}{one_rows:>7}{other_rows:>7}{one_us:>9.0} µs{other_us:>9.0} µs{p99:>9.0} µs{ratio:>7.2}{bar:>5}{}",
            if is_met { "" } else { "  MISSED" }
        );
        rows.push(json!({
            "path": pattern, "rows_small": one_rows, "rows_large": other_rows, "p50_small_us": short(one_us),
            "p50_large_us": short(other_us), "p99_large_us": short(p99), "ratio": short(ratio), "bar": bar, "met": is_met,
        }));
    }
    println!("{} requests, {missed} missed", rows.len());
    one.server.terminate()?;
    other.server.terminate()?;
    if arguments.has("--json") {
        let database = if on_postgres { "postgres" } else { "sqlite" };
        return print_json(&json!({
            "bench": "ledger_read", "database": database, "rounds": rounds, "lines": [small, large],
            "pressure_percent": pressure(), "requests": rows,
        }));
    }
    Ok(())
}
