//! Runs of sessions: what a job that ended leaves in the session, and that the job then goes.

use super::records::{LINE_COLUMNS, insert, json};
use crate::domain::coding_session::Suggestion;
use crate::domain::ids::{CodingSessionId, JobId};
use crate::domain::job::JobStatus;
use crate::store::StoreError;
use crate::store::sql::{Rows, Unit, params};
use crate::store::writer::{Locks, Writer};

/// A run that ended, to be taken over by its session.
#[derive(Debug, Clone)]
pub struct RunEnded {
    /// The session.
    pub session: CodingSessionId,
    /// The job.
    pub job: JobId,
    /// How it ended.
    pub status: JobStatus,
    /// What the caller should know about the whole.
    pub warnings: Vec<String>,
    /// What lines are suggested.
    pub suggestions: Vec<(i64, Suggestion)>,
}

impl Writer {
    /// Writes what a run suggests into its session and deletes the job; does nothing when that is done already.
    pub async fn take_over_run(&self, ended: RunEnded) -> Result<(), StoreError> {
        let bytes = ended.suggestions.len().saturating_mul(500);
        self.unit_of(Locks::Organisations, bytes, ended, |unit, ended| Box::pin(take_over(unit, ended))).await
    }
}

async fn take_over(unit: &Unit<'_>, ended: &RunEnded) -> Result<(), StoreError> {
    let sql = "update coding_session set run_job_id = null, run_scope = null, run_status = $3, warnings = $4 \
               where id = $1 and run_job_id = $2";
    let warnings = json(&ended.warnings)?;
    let values = params![ended.session.as_str(), ended.job.as_str(), ended.status.as_str(), warnings];
    if unit.execute(sql, values).await? == 0 {
        return Ok(());
    }
    let conflict = "on conflict (session_id, line) do update set suggestion = excluded.suggestion";
    let mut rows = Rows::new("coding_session_line", LINE_COLUMNS, conflict);
    for (line, suggestion) in &ended.suggestions {
        let suggestion = json(suggestion)?;
        let session = ended.session.as_str();
        rows.push([session.into(), line.into(), "".into(), "".into(), (&suggestion).into(), None::<&str>.into()]);
    }
    insert(unit, rows).await?;
    delete_job(unit, &ended.job).await
}

/// Deletes a job that has ended, and what it was made of.
pub(super) async fn delete_job(unit: &Unit<'_>, job: &JobId) -> Result<(), StoreError> {
    unit.payload_deleted();
    for (table, column) in [("job_result", "job_id"), ("job_payload", "job_id"), ("job", "id")] {
        unit.execute(&format!("delete from {table} where {column} = $1"), params![job.as_str()]).await?;
    }
    Ok(())
}
