//! The end of sessions: what they held goes, and their names are kept for a while, so that one that has ended is told from one
//! that never was.

use super::records::json;
use super::runs::delete_job;
use crate::domain::coding_session::{Platform, SessionDetails};
use crate::domain::ids::JobId;
use crate::store::StoreError;
use crate::store::sql::{Unit, params};
use crate::store::writer::{Locks, Writer};

/// Sessions of one unit.
const SESSIONS_MAX: i64 = 50;
/// How long the name of a session that has ended is kept.
const NAME_KEPT_MS: i64 = 30 * 24 * 3_600 * 1_000;

/// What a run of the housekeeping ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cleared {
    /// Sessions whose lines are deleted.
    pub sessions: u64,
    /// Whether there are more.
    pub more: bool,
}

impl Writer {
    /// Deletes what sessions held that were not used for long enough, at most 50 of them.
    pub async fn clear_coding_sessions(&self) -> Result<Cleared, StoreError> {
        self.unit(Locks::Organisations, (), |unit, ()| Box::pin(clear(unit))).await
    }
}

async fn clear(unit: &Unit<'_>) -> Result<Cleared, StoreError> {
    let lock = unit.dialect("", " for update of s skip locked");
    // A session whose job is in the queue or runs ends with it: the job could not write its result otherwise.
    let sql = format!(
        "select s.id, s.run_job_id from coding_session s where not s.is_cleared and s.expires_at <= $1 \
         and not exists (select 1 from job j where j.id = s.run_job_id and j.completed_at is null) \
         order by s.expires_at limit {SESSIONS_MAX}{lock}"
    );
    let nothing = SessionDetails {
        platform: Platform::Manual,
        accounts: Vec::new(),
        vat_codes: None,
        business_context: String::new(),
    };
    let nothing = json(&nothing)?;
    let ended = unit.all(&sql, params![unit.now_ms]).await?;
    for row in &ended {
        let session: String = row.get(0)?;
        if let Some(job) = row.get::<Option<String>>(1)? {
            delete_job(unit, &JobId(job)).await?;
        }
        for table in
            ["coding_session_line", "coding_session_load", "coding_session_invoice", "coding_session_statement"]
        {
            unit.execute(&format!("delete from {table} where session_id = $1"), params![session.as_str()]).await?;
        }
        let sql = "update coding_session set is_cleared = true, details = $2, run_job_id = null, run_scope = null, \
                   warnings = '[]' where id = $1";
        unit.execute(sql, params![session.as_str(), nothing.as_str()]).await?;
    }
    if !ended.is_empty() {
        unit.payload_deleted();
    }
    let sql = "delete from coding_session where is_cleared and expires_at <= $1";
    unit.execute(sql, params![unit.now_ms.saturating_sub(NAME_KEPT_MS)]).await?;
    let sessions = u64::try_from(ended.len()).unwrap_or_default();
    Ok(Cleared { sessions, more: i64::try_from(sessions) == Ok(SESSIONS_MAX) })
}
