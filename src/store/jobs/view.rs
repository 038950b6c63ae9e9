//! What polling shows.

use crate::domain::ids::{JobId, KeyId, UserId};
use crate::domain::job::{JobFailure, JobStatus, Product};
use crate::store::StoreError;
use crate::store::reader::Reader;

/// A job as its owner sees it.
#[derive(Debug, Clone)]
pub struct JobRow {
    /// Identifier.
    pub id: JobId,
    /// Whose queue.
    pub product: Product,
    /// Its owner.
    pub user_id: UserId,
    /// The key that submitted it, which may always poll it.
    pub key_id: Option<KeyId>,
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
        todo!()
    }

    /// One part of a stored result.
    pub async fn result_part(&self, job: &JobId, part: u32) -> Result<Option<Vec<u8>>, StoreError> {
        todo!()
    }

    /// A person's jobs that have not ended, oldest first.
    pub async fn open_jobs(&self, user: UserId) -> Result<Vec<OpenJob>, StoreError> {
        todo!()
    }
}
