//! The bare side: hand-written SQL over the same file behind a handler that prints its rows, in a process of its own.
//! It knows no keys, no tenants and no report; what it prints holds the same figures.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use actix_web::{
    App, HttpResponse, HttpServer,
    web::{Data, Path, Query},
};
use anyhow::{Result, ensure};
use sea_orm::sqlx::{
    Column as _, ConnectOptions as _, Row as _, TypeInfo as _, ValueRef as _,
    sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteRow},
};
use tokio::sync::Mutex;
use xtask::{
    http::{Connection, Request},
    process::{Process, tied_command},
    program::free_address,
};

/// Profit and loss accounts with what was posted in whole months.
const PROFIT_LOSS: &str = "select a.id, a.code, a.name, a.account_type, a.role, sum(m.credit - m.debit) as amount_pence \
     from account a join account_month m on m.account_id = a.id \
     where a.organisation_id = ?1 and a.account_type in ('REVENUE', 'EXPENSE') and m.month >= ?2 and m.month <= ?3 \
     group by a.id order by a.code";
const PROFIT_LOSS_MONTHLY: &str = "select a.id, a.code, a.name, a.account_type, a.role, m.month, m.credit - m.debit as amount_pence \
     from account a join account_month m on m.account_id = a.id \
     where a.organisation_id = ?1 and a.account_type in ('REVENUE', 'EXPENSE') and m.month >= ?2 and m.month <= ?3 \
     order by a.code, m.month";
/// Every account at the end of a day (month ?2, which begins on ?3, day ?4), and at the end of the financial year before
/// (all months before ?5).
const BALANCES: &str = "select a.id, a.code, a.name, a.account_type, a.role, \
     coalesce(t.now, 0) + coalesce((select sum(d.debit - d.credit) from account_day d where d.account_id = a.id \
     and d.day >= ?3 and d.day <= ?4), 0) as now_pence, coalesce(t.before, 0) as before_pence from account a left join \
     (select m.account_id, sum(m.debit - m.credit) as now, \
     sum(case when m.month < ?5 then m.debit - m.credit else 0 end) as before from account_month m \
     join account a on a.id = m.account_id where a.organisation_id = ?1 and m.month < ?2 group by m.account_id) t \
     on t.account_id = a.id where a.organisation_id = ?1 order by a.code";
/// Every account at two ends of months, with the profit between; what moved on bank accounts between two days.
const CASH_FLOW: &str = "select a.id, a.code, a.name, a.account_type, a.role, t.opening as opening_pence, \
     t.closing as closing_pence from account a join (select m.account_id, sum(m.debit - m.credit) as closing, \
     sum(case when m.month < ?2 then m.debit - m.credit else 0 end) as opening from account_month m \
     join account a on a.id = m.account_id where a.organisation_id = ?1 and m.month <= ?3 group by m.account_id) t \
     on t.account_id = a.id \
     union all select null, null, null, null, null, sum(inflow), sum(outflow) from cash_day \
     where organisation_id = ?1 and day >= ?4 and day <= ?5 \
     union all select null, null, null, null, null, sum(amount), 0 from cash_reversal \
     where organisation_id = ?1 and day >= ?4 and day <= ?5 and reversal_day <= ?5";
/// Profit and loss accounts of two periods of whole months.
const PERIOD_COMPARISON: &str = "select a.id, a.code, a.name, a.account_type, a.role, \
     sum(case when m.month >= ?2 then m.credit - m.debit else 0 end) as current_pence, \
     sum(case when m.month < ?2 then m.credit - m.debit else 0 end) as previous_pence \
     from account a join account_month m on m.account_id = a.id \
     where a.organisation_id = ?1 and a.account_type in ('REVENUE', 'EXPENSE') and m.month >= ?4 and m.month <= ?3 \
     group by a.id order by a.code";
/// Every account at two ends of months, and at the ends of the financial years before.
const BALANCE_COMPARISON: &str = "select a.id, a.code, a.name, a.account_type, a.role, sum(m.debit - m.credit) as now_pence, \
     sum(case when m.month < ?3 then m.debit - m.credit else 0 end) as compared_pence, \
     sum(case when m.month < ?4 then m.debit - m.credit else 0 end) as year_pence, \
     sum(case when m.month < ?5 then m.debit - m.credit else 0 end) as compared_year_pence \
     from account a join account_month m on m.account_id = a.id \
     where a.organisation_id = ?1 and m.month < ?2 group by a.id order by a.code";
/// What is due by contact and document, today: the partial index of open documents; what is on the control account.
const AGED_DEBTORS: &str = "select d.contact_id, c.name, d.id, d.number, d.day, d.due_day, d.net + d.vat as amount_pence, \
     d.due as outstanding_pence from document d join contact c on c.id = d.contact_id \
     where d.organisation_id = ?1 and d.kind = 'sales_invoice' and d.due > 0 \
     union all select null, null, null, null, null, null, null, sum(m.debit - m.credit) from account a \
     join account_month m on m.account_id = a.id where a.organisation_id = ?1 and a.role = 'accounts_receivable'";
const AGED_CREDITORS: &str = "select d.contact_id, c.name, d.id, d.number, d.day, d.due_day, d.net + d.vat as amount_pence, \
     d.due as outstanding_pence from document d join contact c on c.id = d.contact_id \
     where d.organisation_id = ?1 and d.kind = 'purchase_invoice' and d.due > 0 \
     union all select null, null, null, null, null, null, null, sum(m.debit - m.credit) from account a \
     join account_month m on m.account_id = a.id where a.organisation_id = ?1 and a.role = 'accounts_payable'";
/// The kept sums of whole months, and the profit and loss figure they are compared with.
const SALES: &str = "select * from (select t.contact_id, c.name, t.invoices, t.credit_notes, t.net_pence, t.vat_pence from \
     (select contact_id, sum(invoices) as invoices, sum(credit_notes) as credit_notes, sum(net) as net_pence, \
     sum(vat) as vat_pence from trade_total where organisation_id = ?1 and side = 'customer' and span = 'month' \
     and number >= ?2 and number <= ?3 group by contact_id) t join contact c on c.id = t.contact_id order by c.name, c.id) \
     union all select null, null, null, null, sum(m.credit - m.debit), null from account a join account_month m on m.account_id = a.id \
     where a.organisation_id = ?1 and a.account_type = 'REVENUE' and m.month >= ?2 and m.month <= ?3";
const PURCHASES: &str = "select * from (select t.contact_id, c.name, t.invoices, t.credit_notes, t.net_pence, t.vat_pence from \
     (select contact_id, sum(invoices) as invoices, sum(credit_notes) as credit_notes, sum(net) as net_pence, \
     sum(vat) as vat_pence from trade_total where organisation_id = ?1 and side = 'supplier' and span = 'month' \
     and number >= ?2 and number <= ?3 group by contact_id) t join contact c on c.id = t.contact_id order by c.name, c.id) \
     union all select null, null, null, null, sum(m.debit - m.credit), null from account a join account_month m on m.account_id = a.id \
     where a.organisation_id = ?1 and a.account_type = 'EXPENSE' and m.month >= ?2 and m.month <= ?3";
/// The lines of contact ?2 from day ?3 to ?4, the sum of what was before, and what is due.
const CUSTOMER_STATEMENT: &str = "select l.entry_day, j.id, j.source_type, d.number, s.number as settlement, d.due_day, l.debit as debit_pence, \
     l.credit as credit_pence from account a join journal_line l on l.account_id = a.id and l.contact_id = ?2 \
     join journal j on j.id = l.journal_id left join document d on d.id = j.source_id and j.source_type = 'sales_invoice' \
     left join settlement s on s.id = j.source_id and j.source_type = 'customer_receipt' \
     where a.organisation_id = ?1 and a.role = 'accounts_receivable' and l.entry_day >= ?3 and l.entry_day <= ?4 \
     union all select null, null, null, null, null, null, sum(debit), sum(credit) from contact_month \
     where organisation_id = ?1 and contact_id = ?2 and month < ?5 \
     union all select null, d.id, d.kind, d.number, null, d.due_day, d.net + d.vat, d.due from document d \
     where d.contact_id = ?2 and d.kind = 'sales_invoice' and d.due > 0";
const SUPPLIER_STATEMENT: &str = "select l.entry_day, j.id, j.source_type, d.number, s.number as settlement, d.due_day, l.debit as debit_pence, \
     l.credit as credit_pence from account a join journal_line l on l.account_id = a.id and l.contact_id = ?2 \
     join journal j on j.id = l.journal_id left join document d on d.id = j.source_id and j.source_type = 'purchase_invoice' \
     left join settlement s on s.id = j.source_id and j.source_type = 'supplier_payment' \
     where a.organisation_id = ?1 and a.role = 'accounts_payable' and l.entry_day >= ?3 and l.entry_day <= ?4 \
     union all select null, null, null, null, null, null, sum(debit), sum(credit) from contact_month \
     where organisation_id = ?1 and contact_id = ?2 and month < ?5 \
     union all select null, d.id, d.kind, d.number, null, d.due_day, d.net + d.vat, d.due from document d \
     where d.contact_id = ?2 and d.kind = 'purchase_invoice' and d.due > 0";

/// The sums of months ?2 to ?3 by kind, the scheme and the registration, the adjustments from day ?4 to ?5, and the recorded
/// returns up to then.
const VAT_RETURN: &str = "select side, vat_code, basis, reverse_charge, sum(net) as net_pence, sum(vat) as vat_pence, \
     sum(entries) as entries from vat_month where organisation_id = ?1 and month >= ?2 and month <= ?3 \
     group by side, vat_code, basis, reverse_charge \
     union all select o.name, o.vat_number, p.scheme, null, p.from_day, o.vat_period_months, o.vat_period_end_month \
     from organisation o left join vat_scheme_period p on p.organisation_id = o.id where o.id = ?1 \
     union all select v.reason, null, null, null, e.amount, e.box_number, v.day from vat_adjustment v \
     join vat_adjustment_entry e on e.vat_adjustment_id = v.id \
     where v.organisation_id = ?1 and v.day >= ?4 and v.day <= ?5 \
     union all select scheme, null, null, null, box1, box4, last_month from vat_return \
     where organisation_id = ?1 and last_month <= ?3";

/// The statement of each report.
const STATEMENTS: &[(&str, &str)] = &[
    ("profit-loss", PROFIT_LOSS),
    ("profit-loss-monthly", PROFIT_LOSS_MONTHLY),
    ("balance-sheet", BALANCES),
    ("trial-balance", BALANCES),
    ("cash-flow", CASH_FLOW),
    ("vat-return", VAT_RETURN),
    ("period-comparison", PERIOD_COMPARISON),
    ("balance-comparison", BALANCE_COMPARISON),
    ("aged-debtors", AGED_DEBTORS),
    ("aged-creditors", AGED_CREDITORS),
    ("sales-by-customer", SALES),
    ("purchases-by-supplier", PURCHASES),
    ("customer-statement", CUSTOMER_STATEMENT),
    ("supplier-statement", SUPPLIER_STATEMENT),
];

/// The argument that makes this bench the bare side.
pub const WORD: &str = "--bare-reports";
/// Before the address it is to answer at.
pub const ADDRESS: &str = "--address";

/// A running bare side.
pub struct Bare {
    connection: Connection,
    _process: Process,
}

impl Bare {
    /// Start it on a database.
    pub fn start(url: &str) -> Result<Self> {
        let address = free_address()?;
        let mut command = tied_command(std::env::current_exe()?, "KILL");
        command.args(["--bench", WORD, url, ADDRESS, &address.to_string()]).stdin(Stdio::null());
        let process = Process::spawn(&mut command)?;
        let mut connection = Connection::new(address, Duration::from_secs(10))?;
        let reply = connection.send_patiently(&Request::get("/", None), Duration::from_secs(30))?;
        ensure!(reply.status == 404, "the bare side answered {}", reply.summary());
        Ok(Self { connection, _process: process })
    }

    /// Microseconds of one answer.
    pub fn ask(&mut self, report: &str, numbers: &str) -> Result<f64> {
        let path = format!("/{report}?p={numbers}");
        let begun = Instant::now();
        let reply = self.connection.send(&Request::get(&path, None))?;
        let time_us = begun.elapsed().as_secs_f64() * 1e6;
        ensure!(reply.status == 200, "the bare side answered {path} with {}", reply.summary());
        Ok(time_us)
    }
}

/// Be the bare side until killed.
pub fn serve(url: &str, address: &str) -> Result<()> {
    let (url, address) = (url.to_owned(), address.to_owned());
    actix_web::rt::System::new().block_on(async move {
        let options: SqliteConnectOptions = url.parse()?;
        let options = options.journal_mode(SqliteJournalMode::Wal).pragma("temp_store", "memory");
        let connection = options.pragma("cache_size", "-8192").pragma("query_only", "ON").connect().await?;
        let connection = Data::new(Mutex::new(connection));
        let server = HttpServer::new(move || {
            App::new().app_data(connection.clone()).route("/{report}", actix_web::web::get().to(answer))
        });
        server.workers(1).bind(address)?.run().await?;
        Ok(())
    })
}

/// What a statement is asked with: numbers, separated by commas.
#[derive(serde::Deserialize)]
struct Numbers {
    p: String,
}

async fn answer(
    report: Path<String>,
    numbers: Query<Numbers>,
    connection: Data<Mutex<SqliteConnection>>,
) -> actix_web::Result<HttpResponse> {
    let statement = STATEMENTS.iter().find(|(name, _)| *name == report.as_str());
    let (_, sql) = statement.ok_or_else(|| actix_web::error::ErrorNotFound("no such report"))?;
    let mut query = sea_orm::sqlx::query(*sql);
    for number in numbers.p.split(',') {
        query = query.bind(number.parse::<i64>().map_err(actix_web::error::ErrorBadRequest)?);
    }
    let mut connection = connection.lock().await;
    let rows = query.fetch_all(&mut *connection).await.map_err(actix_web::error::ErrorInternalServerError)?;
    let body = print(&rows).map_err(actix_web::error::ErrorInternalServerError)?;
    Ok(HttpResponse::Ok().content_type("application/json").body(body))
}

/// The rows as JSON; a column of pence becomes pounds.
fn print(rows: &[SqliteRow]) -> Result<String> {
    let mut text = String::from(r#"{"rows":["#);
    for (place, row) in rows.iter().enumerate() {
        text.push_str(if place == 0 { "{" } else { ",{" });
        for (at, column) in row.columns().iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            let name = column.name();
            text.push('"');
            text.push_str(name.trim_end_matches("_pence"));
            text.push_str("\":");
            let value = row.try_get_raw(at)?;
            if value.is_null() {
                text.push_str("null");
            } else if value.type_info().name() == "TEXT" {
                text.push_str(&serde_json::to_string(&row.try_get::<String, _>(at)?)?);
            } else {
                let number: i64 = row.try_get(at)?;
                if name.ends_with("_pence") {
                    let sign = if number < 0 { "-" } else { "" };
                    text.push_str(&format!("{sign}{}.{:02}", number.abs() / 100, number.abs() % 100));
                } else {
                    text.push_str(&number.to_string());
                }
            }
        }
        text.push('}');
    }
    text.push_str("]}");
    ensure!(!rows.is_empty(), "no rows");
    Ok(text)
}
