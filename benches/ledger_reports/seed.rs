//! Books of a business of an ordinary shape, posted over HTTP: the same every time, and as large as asked for.
//!
//! Ten journals and forty lines a cycle: two sales invoices and two bills of four lines, a receipt or payment of each, two
//! journals of eight. Cycles are spread over five years. However many there are, there are the same accounts, contacts and
//! open documents, and one customer and one supplier have the same documents.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use xtask::{
    books::ORGANISATIONS,
    http::{Connection, Request},
    program::{Installation, Program, SCOPES, Server, copy_data, create_key},
};

use crate::support::serve;

/// Lines of a cycle.
const CYCLE_LINES: u64 = 40;
/// Clients that post at once.
const CLIENTS: u64 = 16;
/// 2021-04-01, and the days of the five years from it.
const FIRST_DAY: i64 = 18_718;
const DAYS: u64 = 1_826;
/// The last day of the books: 2026-03-31.
pub const LAST_DAY: i64 = FIRST_DAY + 1_825;
/// Accounts of the books.
const ACCOUNTS: usize = 100;
/// Customers, and as many suppliers.
const CONTACTS: u64 = 250;
/// The last cycles leave one invoice and one bill open.
const OPEN_CYCLES: u64 = 150;
/// Cycles whose first documents are those of the first customer and the first supplier.
const KNOWN_CYCLES: u64 = 100;

/// What there is to ask for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Description {
    /// How many lines were posted.
    pub lines: u64,
    /// A key with every scope.
    pub key: String,
    /// The organisation.
    pub organisation: i64,
    /// Contacts with as many documents, however many lines there are.
    pub customer: i64,
    pub supplier: i64,
    accounts: Vec<(String, i64)>,
    bank_account: i64,
}

impl Description {
    /// A path inside the organisation.
    pub fn path(&self, inside: &str) -> String {
        format!("{ORGANISATIONS}/{}{inside}", self.organisation)
    }

    /// A journal of eight lines, as the clients post that load the service while it is read.
    pub fn journal(&self, number: u64) -> Result<Vec<u8>> {
        Ok(Poster::new(self, Vec::new(), Vec::new())?.journal(number, date(LAST_DAY)))
    }
}

/// Books in a folder: those that are there already, else newly posted.
pub struct ReportedBooks {
    folder: PathBuf,
    /// What there is to ask for.
    pub description: Description,
}

impl ReportedBooks {
    pub fn open(folder: &Path, program: &Program, lines: u64) -> Result<Self> {
        let path = folder.join("seed.json");
        if path.exists() {
            let description: Description = serde_json::from_str(&fs::read_to_string(&path)?)?;
            ensure!(description.lines == lines, "{} holds {} lines", folder.display(), description.lines);
            return Ok(Self { folder: folder.to_owned(), description });
        }
        let installation = Installation::new(program, folder)?;
        let server = serve(&installation, &[])?;
        let person = installation.add_person("bench@example.com", 1_000, 0)?;
        let mut connection = server.connect()?;
        let key = create_key(&mut connection, &person.session, "bench", &SCOPES)?.plaintext;
        let begun = Instant::now();
        let description = post(&server, &key, lines)?;
        eprintln!("{lines} journal lines posted in {:.0} s", begun.elapsed().as_secs_f64());
        server.terminate()?;
        let (is_consistent, text) = installation.attempt_within(&["check"], Duration::from_secs(900))?;
        ensure!(is_consistent, "the books are not consistent: {}", text.trim());
        fs::write(path, serde_json::to_string_pretty(&description)?)?;
        Ok(Self { folder: folder.to_owned(), description })
    }

    /// A copy in another folder.
    pub fn copy_to(&self, folder: &Path) -> Result<Self> {
        copy_data(&self.folder, folder)?;
        Ok(Self { folder: folder.to_owned(), description: self.description.clone() })
    }

    /// A service of that program on these books.
    pub fn serve(&self, program: &Program) -> Result<Server> {
        serve(&Installation::new(program, &self.folder)?, &[])
    }

    /// The database of these books.
    pub fn url(&self) -> String {
        format!("sqlite://{}", self.folder.join("data").join("bookkeeping.db").display())
    }
}

/// Send a request that must be answered 200 or 201; its data.
fn send(connection: &mut Connection, key: &str, path: &str, body: Option<&[u8]>) -> Result<Value> {
    let request = body.map_or_else(|| Request::get(path, Some(key)), |body| Request::post(path, Some(key), body));
    let reply = connection.send(&request)?;
    ensure!(matches!(reply.status, 200 | 201), "{path} was answered {}", reply.summary());
    Ok(reply.json().get_mut("data").map(Value::take).unwrap_or_default())
}

fn id_of(value: &Value) -> Result<i64> {
    value.get("id").and_then(Value::as_i64).context("an answer without an id")
}

fn post(server: &Server, key: &str, lines: u64) -> Result<Description> {
    let mut connection = server.connect()?;
    let mut create = |path: &str, body: Value| send(&mut connection, key, path, Some(body.to_string().as_bytes()));
    let registration = json!({
        "name": "Five years", "vat_control": true, "vat_registered": true, "vat_number": "GB123456789",
        "vat_scheme": "standard", "vat_scheme_from": "2019-04-01", "financial_year_end": "03-31",
    });
    let organisation = id_of(&create(ORGANISATIONS, registration)?)?;
    let inside = |path: &str| format!("{ORGANISATIONS}/{organisation}{path}");
    let (mut customers, mut suppliers) = (Vec::new(), Vec::new());
    for number in 0..CONTACTS {
        customers.push(id_of(&create(&inside("/customers"), json!({ "name": format!("Customer {number:03}") }))?)?);
        suppliers.push(id_of(&create(&inside("/suppliers"), json!({ "name": format!("Supplier {number:03}") }))?)?);
    }
    let existing = send(&mut connection, key, &inside("/accounts"), None)?;
    let present = existing.as_array().map_or(0, Vec::len);
    for number in present..ACCOUNTS {
        let body =
            json!({ "code": format!("91{number:02}"), "name": format!("Cost {number}"), "account_type": "EXPENSE" });
        send(&mut connection, key, &inside("/accounts"), Some(body.to_string().as_bytes()))?;
    }
    let mut accounts = Vec::new();
    for account in send(&mut connection, key, &inside("/accounts"), None)?.as_array().into_iter().flatten() {
        let code = account.get("code").and_then(Value::as_str).context("an account without a code")?;
        let kind = account.get("account_type").and_then(Value::as_str).unwrap_or_default();
        accounts.push((format!("{kind} {code}"), id_of(account)?));
    }
    let banks = send(&mut connection, key, &inside("/bank-accounts"), None)?;
    let bank_account = id_of(banks.get(0).context("no bank account")?)?;
    let (customer, supplier) = (*customers.first().context("no customer")?, *suppliers.first().context("no supplier")?);
    let key = key.to_owned();
    let description = Description { lines, key, organisation, customer, supplier, accounts, bank_account };
    let poster = Poster::new(&description, customers, suppliers)?;
    let cycles = lines / CYCLE_LINES;
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let poster = &poster;
                scope.spawn(move || {
                    let mut connection = server.connect()?;
                    (client..cycles)
                        .step_by(usize::try_from(CLIENTS)?)
                        .try_for_each(|cycle| poster.cycle(&mut connection, cycle, cycles))
                })
            })
            .collect();
        clients.into_iter().try_for_each(|client| client.join().map_err(|_| anyhow::anyhow!("a client panicked"))?)
    })?;
    Ok(description)
}

/// Posts cycles.
struct Poster<'a> {
    description: &'a Description,
    customers: Vec<i64>,
    suppliers: Vec<i64>,
    revenue: Vec<i64>,
    expenses: Vec<i64>,
    bank: i64,
}

impl<'a> Poster<'a> {
    fn new(description: &'a Description, customers: Vec<i64>, suppliers: Vec<i64>) -> Result<Self> {
        let of = |kind: &str| -> Vec<i64> {
            description.accounts.iter().filter(|(name, _)| name.starts_with(kind)).map(|(_, id)| *id).collect()
        };
        let bank = of("ASSET 1200").first().copied().context("no bank")?;
        Ok(Self { description, customers, suppliers, revenue: of("REVENUE"), expenses: of("EXPENSE"), bank })
    }

    fn cycle(&self, connection: &mut Connection, cycle: u64, cycles: u64) -> Result<()> {
        let day = FIRST_DAY + i64::try_from(cycle * DAYS / cycles)?;
        let is_known = cycle.is_multiple_of((cycles / KNOWN_CYCLES).max(1));
        let is_open = cycles - cycle <= OPEN_CYCLES;
        for document in 0..2 {
            let number = cycle * 2 + document;
            let place = if is_known && document == 0 { 0 } else { 1 + number * 7_919 % (CONTACTS - 1) };
            let is_left_open = is_open && document == 0;
            self.trade(connection, "sales-invoices", (number, place), day, is_left_open)?;
            self.trade(connection, "purchase-invoices", (number, place), day, is_left_open)?;
            let path = self.description.path("/journals");
            send(connection, &self.description.key, &path, Some(&self.journal(number, date(day))))?;
        }
        Ok(())
    }

    /// An invoice or bill of two lines, and what settles it unless it stays open.
    fn trade(
        &self,
        connection: &mut Connection,
        documents: &str,
        (number, place): (u64, u64),
        day: i64,
        is_left_open: bool,
    ) -> Result<()> {
        let is_sale = documents == "sales-invoices";
        let (contacts, accounts) =
            if is_sale { (&self.customers, &self.revenue) } else { (&self.suppliers, &self.expenses) };
        let (contact_field, settlements) =
            if is_sale { ("customer_id", "customer-receipts") } else { ("supplier_id", "supplier-payments") };
        let contact = contacts.get(usize::try_from(place)?).context("no such contact")?;
        let line = |offset: u64| {
            json!({
                "description": "Goods", "account_id": pick(accounts, number + offset), "vat_code": "ST",
                "unit_price": pounds(1_000 + (number * 7_919 + offset * 31) % 90_000),
            })
        };
        let body = json!({ contact_field: contact, "invoice_date": date(day), "lines": [line(0), line(1)] });
        let key = &self.description.key;
        let path = self.description.path(&format!("/{documents}"));
        let issued = send(connection, key, &path, Some(body.to_string().as_bytes()))?;
        if is_left_open {
            return Ok(());
        }
        let body = json!({
            contact_field: contact, "date": date((day + 2).min(LAST_DAY)), "amount": issued.get("gross_amount"),
            "bank_account_id": self.description.bank_account,
            "allocations": [{ "invoice_id": id_of(&issued)?, "amount": issued.get("gross_amount") }],
        });
        let path = self.description.path(&format!("/{settlements}"));
        send(connection, key, &path, Some(body.to_string().as_bytes()))?;
        Ok(())
    }

    fn journal(&self, number: u64, date: String) -> Vec<u8> {
        let mut lines = Vec::new();
        let mut total = 0;
        for offset in 0..7 {
            let pence = 100 + (number * 7_919 + offset * 131) % 9_000;
            total += pence;
            lines.push(json!({ "account_id": pick(&self.expenses, number * 7 + offset), "debit": pounds(pence) }));
        }
        lines.push(json!({ "account_id": self.bank, "credit": pounds(total) }));
        let body = json!({ "entry_date": date, "description": format!("Wages {number}"), "lines": lines });
        body.to_string().into_bytes()
    }
}

fn pick(accounts: &[i64], number: u64) -> Option<i64> {
    let place = usize::try_from(number).unwrap_or(0) % accounts.len().max(1);
    accounts.get(place).copied()
}

/// An amount as a JSON number.
fn pounds(pence: u64) -> Value {
    serde_json::from_str(&format!("{}.{:02}", pence / 100, pence % 100)).unwrap_or_default()
}

/// A day as text.
fn date(day: i64) -> String {
    let seconds = chrono::DateTime::from_timestamp(day * 86_400, 0);
    seconds.map(|moment| moment.date_naive().to_string()).unwrap_or_default()
}
