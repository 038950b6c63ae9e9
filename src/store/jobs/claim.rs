//! Taking jobs from the queue, keeping the slot, giving jobs back.

use crate::domain::ids::{JobId, KeyId, UserId};
use crate::domain::job::Product;
use crate::store::StoreError;
use crate::store::reader::Reader;
use crate::store::writer::Writer;

/// What a claim got.
#[derive(Debug, Clone)]
pub enum Claim {
    /// A job to run.
    Job(Box<ClaimedJob>),
    /// Nothing waits.
    Nothing,
    /// Another process holds the slot.
    HeldElsewhere {
        /// Until then, unless it extends its lease.
        lease_until_ms: i64,
    },
}

/// A job to run.
#[derive(Debug, Clone)]
pub struct ClaimedJob {
    /// Identifier.
    pub id: JobId,
    /// Whose queue.
    pub product: Product,
    /// Its owner.
    pub user_id: UserId,
    /// The key that submitted it.
    pub key_id: Option<KeyId>,
    /// To be named in every later move.
    pub fence: i64,
    /// Which start this is, from 1.
    pub attempt: i64,
    /// Credits it costs when it succeeds.
    pub cost: i64,
    /// Whether key and request both allow overage.
    pub allow_overage: bool,
    /// For progress.
    pub rows_total: i64,
    /// The request's options.
    pub parameters: String,
    /// When it was submitted.
    pub created_at_ms: i64,
    /// When it was claimed.
    pub started_at_ms: i64,
    /// Parts of the payload.
    pub payload_parts: u32,
    /// The payload, when it has one part only; else `Reader::payload_part` reads them.
    pub payload: Option<Vec<u8>>,
}

/// What giving jobs back did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requeued {
    /// Back in the queue, with their owners.
    pub queued: Vec<(JobId, UserId)>,
    /// Given up after too many attempts, with their owners.
    pub failed: Vec<(JobId, UserId)>,
    /// The caller no longer held them; nothing was written.
    pub zombie: bool,
}

impl Writer {
    /// Takes or keeps the product's slot and the oldest waiting job. Taking it from a silent process gives the jobs
    /// that process was running back to the queue first.
    pub async fn claim(&self, product: Product, holder: &str, lease_ms: i64) -> Result<Claim, StoreError> {
        todo!()
    }

    /// Extends the lease; `false` means the slot was lost: stop.
    pub async fn heartbeat(
        &self,
        product: Product,
        holder: &str,
        fence: i64,
        lease_ms: i64,
    ) -> Result<bool, StoreError> {
        todo!()
    }

    /// Gives a running job back to the front of the queue, even above capacity; after too many attempts it fails.
    pub async fn requeue(&self, product: Product, job: &JobId, fence: i64) -> Result<Requeued, StoreError> {
        todo!()
    }

    /// At the start of the only process of a SQLite database: takes every slot with a new fence and gives every
    /// running job back. With PostgreSQL it does nothing; `claim` does it when a lease has run out.
    pub async fn recover(&self, holder: &str, lease_ms: i64) -> Result<Vec<(Product, Requeued)>, StoreError> {
        todo!()
    }

    /// Frees the slot, when it is still the caller's.
    pub async fn release_slot(&self, product: Product, holder: &str) -> Result<(), StoreError> {
        todo!()
    }
}

impl Reader {
    /// One part of a payload.
    pub async fn payload_part(&self, job: &JobId, part: u32) -> Result<Option<Vec<u8>>, StoreError> {
        todo!()
    }
}
