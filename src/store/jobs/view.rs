//! What polling shows.

use super::INLINE_BYTES_MAX;
use crate::domain::ids::{ConnectionId, GrantId, JobId, KeyId, UserId};
use crate::domain::job::{JobFailure, JobStatus, Product};
use crate::domain::suggestions::SuggestionsWritten;
use crate::store::StoreError;
use crate::store::sql::{Reader, Row, params};

/// A job as its owner sees it.
#[derive(Debug, Clone)]
pub struct JobRow {
    /// Identifier.
    pub id: JobId,
    /// Whose queue.
    pub product: Product,
    /// Its owner.
    pub user_id: UserId,
    /// The key or grant that submitted it, which may always poll it.
    pub connection: Option<ConnectionId>,
    /// Where it stands.
    pub status: JobStatus,
    /// For progress.
    pub rows_total: i64,
    /// The request's options.
    pub parameters: String,
    /// When it was submitted.
    pub created_at_ms: i64,
    /// When it was last claimed.
    pub started_at_ms: Option<i64>,
    /// When it ended.
    pub completed_at_ms: Option<i64>,
    /// Credits charged, once completed.
    pub credits_charged: Option<i64>,
    /// Why it failed.
    pub failure: Option<JobFailure>,
    /// Parts of the stored result.
    pub result_parts: u32,
    /// Size of the result as it will be sent.
    pub result_size: u64,
    /// The stored result, when it has one part only; else `Reader::result_part` reads them.
    pub result: Option<Vec<u8>>,
    /// Of a job over lines of the books: what became of its suggestions. The stored result is then open at the end of its
    /// summary.
    pub suggestions: Option<SuggestionsWritten>,
}

/// A job that has not ended, for the progress socket.
#[derive(Debug, Clone)]
pub struct OpenJob {
    /// Identifier.
    pub id: JobId,
    /// Whose queue.
    pub product: Product,
    /// Where it stands.
    pub status: JobStatus,
    /// For progress.
    pub rows_total: i64,
}

impl Reader {
    /// A job of a product, when the person owns it: everything a poll needs, in one query.
    pub async fn find_visible(
        &self,
        product: Product,
        job: &JobId,
        user: UserId,
    ) -> Result<Option<JobRow>, StoreError> {
        let sql = format!(
            "select j.key_id, j.status, j.rows_total, j.parameters, j.created_at, j.started_at, j.completed_at, \
             j.credits_charged, j.failure, j.credits_required, j.credits_available, j.result_parts, j.result_size, \
             r.bytes, j.grant_id, j.suggestions_written, j.suggestions_skipped from job j left join job_result r on r.job_id = j.id and r.part = 0 and j.result_parts = 1 \
             and j.result_size <= {} and length(r.bytes) <= {INLINE_BYTES_MAX} where j.id = $1 and j.product = $2 and j.user_id = $3",
            INLINE_BYTES_MAX * 8
        );
        let row = self.one(&sql, params![job.as_str(), product.as_str(), user.0]).await?;
        row.map(|row| read(&row, product, job, user)).transpose()
    }

    /// One part of a stored result.
    pub async fn result_part(&self, job: &JobId, part: u32) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "select bytes from job_result where job_id = $1 and part = $2";
        let row = self.one(sql, params![job.as_str(), i64::from(part)]).await?;
        row.map(|row| row.get(0)).transpose()
    }

    /// A person's jobs that have not ended, oldest first.
    pub async fn open_jobs(&self, user: UserId) -> Result<Vec<OpenJob>, StoreError> {
        let sql = "select id, product, status, rows_total from job where completed_at is null and user_id = $1 \
                   order by created_at, id";
        let rows = self.all(sql, params![user.0]).await?;
        rows.iter()
            .map(|row| {
                Ok(OpenJob {
                    id: JobId(row.get(0)?),
                    product: row.parsed(1, Product::parse)?,
                    status: row.parsed(2, JobStatus::parse)?,
                    rows_total: row.get(3)?,
                })
            })
            .collect()
    }
}

fn read(row: &Row, product: Product, job: &JobId, user: UserId) -> Result<JobRow, StoreError> {
    let (written, skipped): (Option<i64>, Option<i64>) = (row.get(15)?, row.get(16)?);
    Ok(JobRow {
        id: job.clone(),
        product,
        user_id: user,
        connection: connection_of(row.get(0)?, row.get(14)?),
        status: row.parsed(1, JobStatus::parse)?,
        rows_total: row.get(2)?,
        parameters: row.get(3)?,
        created_at_ms: row.get(4)?,
        started_at_ms: row.get(5)?,
        completed_at_ms: row.get(6)?,
        credits_charged: row.get(7)?,
        failure: read_failure(row)?,
        result_parts: row.unsigned(11)?,
        result_size: row.unsigned(12)?,
        result: row.get(13)?,
        suggestions: written.zip(skipped).map(|(written, skipped)| SuggestionsWritten { written, skipped }),
    })
}

fn connection_of(key: Option<i64>, grant: Option<i64>) -> Option<ConnectionId> {
    let key = key.map(|id| ConnectionId::Key(KeyId(id)));
    key.or_else(|| grant.map(|id| ConnectionId::Grant(GrantId(id))))
}

fn read_failure(row: &Row) -> Result<Option<JobFailure>, StoreError> {
    let Some(text) = row.get::<Option<String>>(8)? else { return Ok(None) };
    let credits = JobFailure::InsufficientCredits {
        required: row.get::<Option<i64>>(9)?.unwrap_or_default(),
        available: row.get::<Option<i64>>(10)?.unwrap_or_default(),
    };
    [credits, JobFailure::DeadlineExceeded, JobFailure::EngineFailed]
        .into_iter()
        .find(|failure| failure.as_str() == text)
        .map(Some)
        .ok_or_else(|| StoreError::corrupt("failure", text))
}
