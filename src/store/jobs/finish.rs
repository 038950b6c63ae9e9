//! The one unit that ends a job: state, charge, movement, payload gone, result there, all or nothing.

use std::sync::Arc;

use crate::domain::credits::{CreditAccount, CreditChange};
use crate::domain::ids::{JobId, UserId};
use crate::domain::job::{JobFailure, Product};
use crate::store::StoreError;
use crate::store::writer::Writer;

/// Called inside the unit with the balance about to be committed, so that no caller who polls `completed` reads an
/// older one. When the unit fails afterwards the balance must be read again.
pub type Publish = Arc<dyn Fn(UserId, CreditAccount) + Send + Sync>;

/// A run that ended.
#[derive(Debug, Clone)]
pub struct Finish {
    /// Which job.
    pub job_id: JobId,
    /// Whose queue.
    pub product: Product,
    /// As claimed.
    pub fence: i64,
    /// How it ended.
    pub end: RunEnd,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub enum RunEnd {
    /// It has a result.
    Completed {
        /// Credits to charge; 0 for a reconciliation that could not be verified.
        cost: i64,
        /// The stored result in parts of at most `PART_BYTES_MAX`, without those already written.
        result: Vec<Vec<u8>>,
        /// Parts already written with `put_result`.
        parts_written: u32,
        /// Size of the result as it will be sent.
        result_size: u64,
    },
    /// It has none.
    Failed(JobFailure),
}

/// What the finishing unit did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// Completed.
    Completed {
        /// Its owner.
        user_id: UserId,
        /// Credits charged.
        credits_charged: i64,
        /// Where they came from.
        change: CreditChange,
    },
    /// Failed, for the reason given or for want of credits.
    Failed {
        /// Its owner.
        user_id: UserId,
        /// Why.
        failure: JobFailure,
    },
    /// The job is no longer the caller's; nothing was written.
    Zombie,
}

impl Writer {
    /// Ends a job exactly once.
    pub async fn finish(&self, finish: Finish, publish: Publish) -> Result<Finished, StoreError> {
        todo!()
    }

    /// Writes one part of a result ahead of `finish`; `false` means the job is no longer the caller's.
    pub async fn put_result(&self, job: &JobId, fence: i64, part: u32, bytes: Vec<u8>) -> Result<bool, StoreError> {
        todo!()
    }
}
