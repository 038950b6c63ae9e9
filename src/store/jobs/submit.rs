//! Accepting a job, and the responses an `Idempotency-Key` replays.

use crate::domain::ids::{JobId, KeyId, UserId};
use crate::domain::job::Product;
use crate::store::StoreError;
use crate::store::reader::Reader;
use crate::store::writer::Writer;

/// A job to be accepted.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// Minted by the caller.
    pub id: JobId,
    /// Whose queue.
    pub product: Product,
    /// Its owner.
    pub user_id: UserId,
    /// The key (or grant) that submits it, which may always poll it.
    pub key_id: Option<KeyId>,
    /// Credits it costs when it succeeds.
    pub cost: i64,
    /// Whether key and request both allow overage.
    pub allow_overage: bool,
    /// For progress.
    pub rows_total: i64,
    /// The request's options, opaque here and kept with the job: nothing of the submitted data belongs in it.
    pub parameters: String,
    /// Most jobs that may wait.
    pub capacity: i64,
    /// The caller's `Idempotency-Key`.
    pub idempotency: Option<Idempotency>,
}

/// An `Idempotency-Key` with the response to replay; its scope is the owner, method and path.
#[derive(Debug, Clone)]
pub struct Idempotency {
    /// `POST`.
    pub method: String,
    /// The request's path.
    pub path: String,
    /// The header's value.
    pub key: String,
    /// SHA-256 of the body.
    pub body_hash: [u8; 32],
    /// Status of the response.
    pub status: u16,
    /// Body of the response.
    pub body: Vec<u8>,
    /// How long it replays.
    pub retention_ms: i64,
}

/// What became of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Submitted {
    /// Durably queued.
    Accepted {
        /// Jobs waiting, this one included.
        waiting: i64,
    },
    /// The queue is full; nothing is left of the job.
    QueueFull,
    /// The `Idempotency-Key` was used with this body before; nothing is left of this job.
    Replayed(StoredResponse),
    /// The `Idempotency-Key` was used with another body; nothing is left of this job.
    KeyReused,
}

/// A response kept for replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// SHA-256 of the request's body.
    pub body_hash: [u8; 32],
    /// Status.
    pub status: u16,
    /// Body.
    pub body: Vec<u8>,
}

impl Writer {
    /// Accepts a job. `payload` is what `ClaimedJob` and `Reader::payload_part` give back, in parts of at most
    /// `PART_BYTES_MAX`; a large one is written in units of its own first, so that other writes pass between. A
    /// caller that wrote its parts with `put_payload` passes none here.
    pub async fn submit(&self, job: NewJob, payload: Vec<Vec<u8>>) -> Result<Submitted, StoreError> {
        todo!()
    }

    /// Writes one part of a payload ahead of `submit`.
    pub async fn put_payload(&self, job: &JobId, part: u32, bytes: Vec<u8>) -> Result<(), StoreError> {
        todo!()
    }

    /// Removes payload parts written ahead for a job that is not going to be submitted.
    pub async fn drop_payload(&self, job: &JobId) -> Result<(), StoreError> {
        todo!()
    }
}

impl Reader {
    /// The response kept for an `Idempotency-Key`, so that a replay need not be parsed again.
    pub async fn find_replay(
        &self,
        user: UserId,
        method: &str,
        path: &str,
        key: &str,
    ) -> Result<Option<StoredResponse>, StoreError> {
        todo!()
    }
}
