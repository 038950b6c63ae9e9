//! What the writer writes to see whether it can.

use sea_orm::DbBackend;

use super::queue::Work;
use crate::store::StoreError;
use crate::store::sql::Unit;

/// How long a probe waits on PostgreSQL for what somebody else has locked, in milliseconds: less than a deadlock is looked for.
const PROBE_LOCK_MS: u64 = 500;
/// The tables whose locks keep products from working.
const PROBED_TABLES: [&str; 17] = [
    "job",
    "job_hot",
    "job_payload",
    "job_result",
    "charge",
    "product_slot",
    "credit_account",
    "credit_movement",
    "idempotency_key",
    "change_epoch",
    "organisation",
    "journal",
    "journal_line",
    "document",
    "settlement",
    "bank_transaction",
    "email",
];

/// Changes what nobody reads: a number in the header of a SQLite file, a message in the log of PostgreSQL, where it takes the locks of
/// a write too.
pub(super) fn touch<'a>(unit: &'a Unit<'a>, (): &'a ()) -> Work<'a, ()> {
    Box::pin(async move {
        if unit.backend == DbBackend::Sqlite {
            let number = i32::try_from(unit.now_ms.div_euclid(1000).rem_euclid(1_000_000)).unwrap_or_default();
            // Writing the same number again would write nothing.
            let number = number * 2 + i32::from(unit.now_ms.rem_euclid(1000) >= 500);
            return unit.execute(&format!("pragma user_version = {number}"), Vec::new()).await.map(|_| ());
        }
        let sql = "select pg_logical_emit_message(true, 'bookkeeping', 'probe')::text, current_setting('transaction_read_only')";
        let row = unit.one(sql, Vec::new()).await?;
        if row.map(|row| row.get::<String>(1)).transpose()?.as_deref() == Some("on") {
            return Err(StoreError::Unavailable("it is read-only".to_owned()));
        }
        unit.execute(&format!("set local lock_timeout = {PROBE_LOCK_MS}"), Vec::new()).await?;
        // Before the first start there are none.
        let there = PROBED_TABLES.map(|table| format!("to_regclass('{table}')")).join(", ");
        let sql = format!("select string_agg(c.oid::regclass::text, ', ') from pg_class c where c.oid in ({there})");
        let tables = unit.one(&sql, Vec::new()).await?.map(|row| row.get::<Option<String>>(0)).transpose()?.flatten();
        if let Some(tables) = tables {
            unit.execute(&format!("lock table {tables} in row exclusive mode"), Vec::new()).await?;
        }
        Ok(())
    })
}
