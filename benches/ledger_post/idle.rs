//! What an organisation costs in memory once its books were touched: resident memory of the whole process before and after
//! so many more organisations were given their actor, beside as many requests to organisations that have theirs.
//!
//! The request is a journal that a rule refuses, so that it goes all the way (actor, writer, books loaded) and leaves
//! nothing in the database. The writer keeps the books of 256 organisations; those are there before anything is counted.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement};
use serde_json::{Value, json};
use xtask::{
    books::ORGANISATIONS,
    http::{Connection, Request},
    statistics::{real64, short},
};

use crate::{Service, support::serve};

/// Organisations touched before, again and again.
const FIRST: u64 = 600;
/// Their ids begin here.
const BEGIN: u64 = 1_000;
/// Bytes each may cost.
const BAR: f64 = 2_048.0;

/// Touch and count so many organisations.
pub fn measure(counted: u64, text: &mut String) -> Result<Value> {
    let Service { server, installation, key, books, _folder } = Service::start(&std::env::temp_dir(), &[], None, 1)?;
    let pattern = books.first().context("no organisation")?.id;
    server.terminate()?;
    let database = installation.folder().join("data").join("bookkeeping.db");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(copies(&format!("sqlite://{}", database.display()), pattern, counted))?;

    let server = serve(&installation, &[])?;
    let mut connection = server.connect()?;
    let first = |number: u64| BEGIN + number % FIRST;
    let resident = |connection: &mut Connection, organisation: &dyn Fn(u64) -> u64| {
        for number in 0..counted {
            touch(connection, &key, organisation(number))?;
        }
        server.process.resident_kib()
    };
    let warm = resident(&mut connection, &first)?;
    let again = resident(&mut connection, &first)?;
    let all = resident(&mut connection, &|number| BEGIN + FIRST + number)?;
    server.terminate()?;

    let each = |from: u64, to: u64| real64(to.saturating_sub(from)) * 1_024.0 / real64(counted);
    let (new, known) = (each(again, all), each(warm, again));
    let verdict = if new <= BAR { "met" } else { "MISSED" };
    writeln!(
        text,
        "idle organisation: {new:.0} bytes of resident memory each ({counted} touched once, {again} -> {all} KiB; as many \
         requests to known ones: {known:.0} bytes each); bar {BAR:.0}: {verdict}"
    )?;
    Ok(json!({
        "organisations": counted,
        "bytes_each": short(new),
        "bytes_each_of_known": short(known),
        "bar": BAR,
        "met": new <= BAR,
    }))
}

/// Post a journal to an account of another organisation.
fn touch(connection: &mut Connection, key: &str, organisation: u64) -> Result<()> {
    let path = format!("{ORGANISATIONS}/{organisation}/journals");
    let body = br#"{"entry_date":"2026-01-31","description":"Touch","lines":[{"account_id":1,"debit":1.00},{"account_id":2,"credit":1.00}]}"#;
    let reply = connection.send(&Request::post(&path, Some(key), body))?;
    ensure!(reply.status == 422, "a journal to a stranger's account was answered {}", reply.summary());
    Ok(())
}

/// Copy an organisation with its membership and the head of its books, but without accounts.
async fn copies(url: &str, pattern: i64, counted: u64) -> Result<()> {
    let database = Database::connect(url).await?;
    for (table, key) in [("organisation", "id"), ("membership", "organisation_id"), ("books", "organisation_id")] {
        let others = columns(&database, table, key).await?.join(", ");
        database
            .execute_unprepared(&format!(
                "with recursive n(i) as (select 0 union all select i + 1 from n where i < {}) \
                 insert into {table} ({key}, {others}) select {BEGIN} + n.i, {others} from {table}, n where {key} = {pattern}",
                FIRST + counted - 1
            ))
            .await?;
    }
    database.close().await?;
    Ok(())
}

async fn columns(database: &DatabaseConnection, table: &str, key: &str) -> Result<Vec<String>> {
    let sql = format!("select name from pragma_table_info('{table}')");
    let rows = database.query_all_raw(Statement::from_string(database.get_database_backend(), sql)).await?;
    let mut names = Vec::new();
    for row in rows {
        let name: String = row.try_get_by_index(0)?;
        if name != key {
            names.push(name);
        }
    }
    Ok(names)
}
