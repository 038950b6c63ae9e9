//! Reports at dates up to the period lock: whatever is posted or voided afterwards, and however often the service dies, they
//! stay as they were, byte for byte but for the moment they were made and the position of the history.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::{
    books::Books,
    http::{Connection, Request},
    random::Random,
    report::Complaints,
};

/// The last locked day.
const LOCK: &str = "2025-12-31";
/// Ends of periods and days of reports, all locked.
const DATES: [&str; 5] = ["2025-01-31", "2025-03-31", "2025-06-17", "2025-09-30", LOCK];
/// Invoices and bills of an organisation.
const DOCUMENTS: u64 = 12;
/// How long an answer is waited for while servers die.
const PATIENCE: Duration = Duration::from_secs(60);

/// A report of an organisation as it was when the period had been locked.
#[derive(Debug, Clone)]
struct Frozen {
    path: String,
    text: String,
}

/// Organisations with locked periods.
#[derive(Debug)]
pub struct FrozenReports {
    key: String,
    reports: Vec<Frozen>,
    /// Paths that void a document of the locked period, on a day after it.
    voids: Vec<String>,
}

/// The paths of all reports of an organisation.
fn paths(books: &Books, [customer, supplier]: [i64; 2]) -> Vec<String> {
    let mut paths = Vec::new();
    for date in DATES {
        let period = format!("period_start=2025-01-01&period_end={date}");
        for report in ["balance-sheet", "trial-balance", "balance-comparison", "aged-debtors", "aged-creditors"] {
            paths.push(books.path(&format!("/reports/{report}?as_of={date}")));
        }
        for report in [
            "profit-loss",
            "profit-loss-monthly",
            "cash-flow",
            "vat-return",
            "period-comparison",
            "sales-by-customer",
            "purchases-by-supplier",
        ] {
            paths.push(books.path(&format!("/reports/{report}?{period}")));
        }
        paths.push(books.path(&format!("/reports/customer-statement/{customer}?{period}")));
        paths.push(books.path(&format!("/reports/supplier-statement/{supplier}?{period}")));
    }
    paths
}

/// A report without what may change.
fn text_of(connection: &mut Connection, key: &str, path: &str) -> Result<String> {
    let reply = connection.send_patiently(&Request::get(path, Some(key)), PATIENCE)?;
    ensure!(reply.status == 200, "{path} was answered {}", reply.summary());
    let mut report = reply.json();
    let data = report.get_mut("data").and_then(Value::as_object_mut).context("an answer without data")?;
    for changing in ["generated_at", "cursor"] {
        ensure!(data.remove(changing).is_some(), "{path} has no {changing}");
    }
    Ok(report.to_string())
}

impl FrozenReports {
    /// Give each organisation documents and settlements in a period, lock it, and read every report.
    pub fn make(connection: &mut Connection, key: &str, all: &[Books], random: &Random) -> Result<Self> {
        let mut made = Self { key: key.to_owned(), reports: Vec::new(), voids: Vec::new() };
        for (books, part) in all.iter().zip(0..) {
            let contacts = made.enter(connection, books, &mut random.fork(3_000 + part))?;
            let lock = json!({ "lock_date": LOCK }).to_string();
            let path = books.path("/period-lock");
            let request = Request { method: "PUT", ..Request::post(&path, Some(key), lock.as_bytes()) };
            let reply = connection.send(&request)?;
            ensure!(reply.status == 200, "locking was answered {}", reply.summary());
            for path in paths(books, contacts) {
                let text = text_of(connection, key, &path)?;
                made.reports.push(Frozen { path, text });
            }
        }
        Ok(made)
    }

    /// How many reports there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.reports.len()
    }

    /// Invoices and bills over a year, most of them paid in part; the customer and the supplier.
    fn enter(&mut self, connection: &mut Connection, books: &Books, random: &mut Random) -> Result<[i64; 2]> {
        let mut create = |path: &str, body: Value| -> Result<i64> {
            let body = body.to_string();
            let reply = connection.send(&Request::post(&books.path(path), Some(&self.key), body.as_bytes()))?;
            ensure!(reply.status == 201, "{path} was answered {}", reply.summary());
            reply.json().pointer("/data/id").and_then(Value::as_i64).context("an answer without an id")
        };
        create(
            "/accounts",
            json!({ "code": "2200", "name": "VAT Control", "account_type": "LIABILITY", "role": "vat_control" }),
        )?;
        let bank = create("/bank-accounts", json!({ "name": "Second account", "code": "1299" }))?;
        let contacts = [
            create("/customers", json!({ "name": "Customer" }))?,
            create("/suppliers", json!({ "name": "Supplier" }))?,
        ];
        let [customer, supplier] = contacts;
        for document in 0..DOCUMENTS {
            let (path, who, contact, account, settlements) = if document % 2 == 0 {
                ("sales-invoices", "customer_id", customer, books.account("4000")?, "customer-receipts")
            } else {
                ("purchase-invoices", "supplier_id", supplier, books.account("7300")?, "supplier-payments")
            };
            let (month, pounds) = (1 + document, random.between(100, 900));
            let line = json!({ "description": "Work", "account_id": account, "unit_price": pounds, "vat_code": "ST" });
            let body = json!({ who: contact, "invoice_date": format!("2025-{month:02}-05"), "lines": [line] });
            let invoice = create(&format!("/{path}"), body)?;
            if random.chance(60) {
                let amount = random.between(1, pounds);
                let allocations = json!([{ "invoice_id": invoice, "amount": amount }]);
                let body = json!({
                    who: contact, "date": format!("2025-{month:02}-20"), "amount": amount, "bank_account_id": bank,
                    "allocations": allocations,
                });
                create(&format!("/{settlements}"), body)?;
            } else {
                self.voids.push(books.path(&format!("/{path}/{invoice}/void")));
            }
        }
        Ok(contacts)
    }

    /// Compare every report with what it was.
    pub fn compare(&self, connection: &mut Connection, complaints: &Complaints) -> Result<()> {
        for frozen in &self.reports {
            self.compare_one(connection, frozen, complaints)?;
        }
        Ok(())
    }

    fn compare_one(&self, connection: &mut Connection, frozen: &Frozen, complaints: &Complaints) -> Result<()> {
        let now = text_of(connection, &self.key, &frozen.path)?;
        if now != frozen.text {
            complaints.add(format!("{} was {} and is {now}", frozen.path, frozen.text));
        }
        Ok(())
    }
}

/// Somebody who reads reports of the locked period, and voids its documents on a later day, while servers die.
#[derive(Debug)]
pub struct FrozenReader {
    thread: JoinHandle<Result<u64>>,
    is_over: Arc<AtomicBool>,
}

impl FrozenReader {
    /// Start reading over this connection.
    #[must_use]
    pub fn start(
        reports: &Arc<FrozenReports>,
        complaints: &Arc<Complaints>,
        mut connection: Connection,
        mut random: Random,
    ) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (ended, reports, complaints) = (Arc::clone(&is_over), Arc::clone(reports), Arc::clone(complaints));
        let thread = thread::spawn(move || {
            let (mut read, mut voids) = (0, reports.voids.iter());
            while !ended.load(Ordering::Relaxed) {
                if let Some(frozen) = random.pick(&reports.reports) {
                    reports.compare_one(&mut connection, frozen, &complaints)?;
                    read += 1;
                }
                if read % 50 == 0
                    && let Some(path) = voids.next()
                {
                    let body = br#"{"void_date":"2026-02-01"}"#;
                    // Whether it was carried out before a server died is not asked: nothing locked may move in either case.
                    let _ = connection.send(&Request::post(path, Some(&reports.key), body));
                }
            }
            Ok(read)
        });
        Self { thread, is_over }
    }

    /// Let it stop; a server must be running. How many reports it compared.
    pub fn stop(self) -> Result<u64> {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| anyhow::anyhow!("the reader of reports panicked"))?
    }
}
