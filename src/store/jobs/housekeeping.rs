//! Deleting what retention ends and what a crash left behind, in small units.

use crate::store::StoreError;
use crate::store::sql::{Reader, Row, Unit, params};
use crate::store::writer::{Locks, Writer};

/// Rows of one unit.
const ROWS_MAX: i64 = 500;
/// Result bytes (as sent) of one unit: deleted pages are overwritten, which takes its time.
const RESULT_BYTES_MAX: i64 = 64 * 1024 * 1024;

/// What a retention run deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deleted {
    /// Finished jobs with their results.
    pub jobs: u64,
    /// Responses stored for replay.
    pub responses: u64,
    /// Whether there is more to delete.
    pub more: bool,
}

/// What a sweep removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Payload parts without an open job.
    pub payload_parts: u64,
    /// Result parts without a job that could show them.
    pub result_parts: u64,
}

impl Writer {
    /// Deletes at most 500 jobs that ended longer ago than `retention_ms`, and at most 500 expired responses.
    pub async fn delete_expired(&self, retention_ms: i64) -> Result<Deleted, StoreError> {
        self.unit(Locks::Organisations, retention_ms, |unit, retention_ms| {
            Box::pin(delete_expired(unit, *retention_ms))
        })
        .await
    }

    /// Removes payload and result parts that no job needs and that are older than `older_than_ms`.
    pub async fn sweep_orphans(&self, reader: &Reader, older_than_ms: i64) -> Result<Swept, StoreError> {
        let before_ms = self.shared().now_ms().saturating_sub(older_than_ms);
        let mut swept = Swept::default();
        // Finding them walks whole tables, which a reader may do; the unit looks again before it deletes.
        for table in [PAYLOAD, RESULT] {
            let sql = format!(
                "select distinct p.job_id from {} p where p.at < $1 and {} limit {ROWS_MAX}",
                table.name, table.unneeded
            );
            let jobs = texts(&reader.all(&sql, params![before_ms]).await?)?;
            if jobs.is_empty() {
                continue;
            }
            let removed = self
                .unit(Locks::Organisations, (table, jobs, before_ms), |unit, (table, jobs, before_ms)| {
                    Box::pin(sweep(unit, table, jobs, *before_ms))
                })
                .await?;
            match table.name {
                "job_payload" => swept.payload_parts += removed,
                _ => swept.result_parts += removed,
            }
        }
        Ok(swept)
    }
}

/// A table of parts and when a part of it is of no use.
#[derive(Clone, Copy)]
struct Parts {
    name: &'static str,
    unneeded: &'static str,
}

const PAYLOAD: Parts = Parts {
    name: "job_payload",
    unneeded: "not exists (select 1 from job j where j.id = p.job_id and j.completed_at is null)",
};
const RESULT: Parts = Parts {
    name: "job_result",
    unneeded: "not exists (select 1 from job j where j.id = p.job_id and j.status in ('processing', 'completed'))",
};

fn texts(rows: &[Row]) -> Result<Vec<String>, StoreError> {
    rows.iter().map(|row| row.get(0)).collect()
}

fn json(texts: &[String]) -> Result<String, StoreError> {
    serde_json::to_string(texts).map_err(|error| StoreError::Other(error.to_string()))
}

async fn sweep(unit: &Unit<'_>, table: &Parts, jobs: &[String], before_ms: i64) -> Result<u64, StoreError> {
    unit.payload_deleted();
    let sql = format!(
        "delete from {} as p where p.job_id in {} and p.at < $2 and {}",
        table.name,
        unit.texts_of_json(),
        table.unneeded
    );
    unit.execute(&sql, params![json(jobs)?, before_ms]).await
}

async fn delete_expired(unit: &Unit<'_>, retention_ms: i64) -> Result<Deleted, StoreError> {
    let lock = unit.dialect("", " for update skip locked");
    let sql = format!(
        "select id, result_size from job where completed_at < $1 order by completed_at, id limit {ROWS_MAX}{lock}"
    );
    let expired = unit.all(&sql, params![unit.now_ms.saturating_sub(retention_ms)]).await?;
    let mut jobs = Vec::new();
    let mut bytes = 0_i64;
    for row in &expired {
        if bytes > RESULT_BYTES_MAX {
            break;
        }
        jobs.push(row.get::<String>(0)?);
        bytes = bytes.saturating_add(row.get(1)?);
    }
    if !jobs.is_empty() {
        let of_jobs = unit.texts_of_json();
        for (table, column) in
            [("job_result", "job_id"), ("job_payload", "job_id"), ("charge", "job_id"), ("job", "id")]
        {
            unit.execute(&format!("delete from {table} where {column} in {of_jobs}"), params![json(&jobs)?]).await?;
        }
    }
    let sql = format!(
        "delete from idempotency_key where (user_id, method, path, key) in \
         (select user_id, method, path, key from idempotency_key where expires_at <= $1 limit {ROWS_MAX})"
    );
    let responses = unit.execute(&sql, params![unit.served_ms()]).await?;
    let deleted = u64::try_from(jobs.len()).unwrap_or_default();
    let more = jobs.len() < expired.len() || i64::try_from(jobs.len().max(1)) == Ok(ROWS_MAX);
    Ok(Deleted { jobs: deleted, responses, more: more || i64::try_from(responses) == Ok(ROWS_MAX) })
}
