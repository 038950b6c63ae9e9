//! Deleting what retention ends and what a crash left behind, in small units.

use crate::store::StoreError;
use crate::store::writer::Writer;

/// What a retention run deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deleted {
    /// Finished jobs with their results.
    pub jobs: u64,
    /// Responses kept for replay.
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
        todo!()
    }

    /// Removes payload and result parts that no job needs and that are older than `older_than_ms`.
    pub async fn sweep_orphans(&self, older_than_ms: i64) -> Result<Swept, StoreError> {
        todo!()
    }
}
