//! Jobs: the slot and queue of each product, payloads, results, and the one unit that finishes and charges.
//!
//! Rows are the queue and the bound. A job is `queued` exactly while it has a row in `job_hot`; only the holder of
//! the product's slot moves it on, and every move names the fence it holds, so that a process that lost the slot
//! without noticing (a zombie) changes nothing.

mod claim;
mod finish;
mod housekeeping;
mod submit;
mod view;

pub use claim::{Claim, ClaimedJob, Requeued};
pub use finish::{Finish, Finished, RunEnd};
pub use housekeeping::{Deleted, Swept};
pub use submit::{Idempotency, NewJob, Submitted};
pub use view::{JobRow, OpenJob};

/// How many jobs of a product wait, and when that was so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueState {
    /// Grows with every change: of two states the one with more moves is the newer.
    pub moves: i64,
    /// Jobs that wait.
    pub waiting: i64,
}

/// The largest payload or result part; larger ones are refused, so that one write never holds up the others.
pub const PART_BYTES_MAX: usize = 1024 * 1024;

/// Parts up to this many bytes in total travel inside the submit or finish unit instead of units of their own.
pub const INLINE_BYTES_MAX: usize = 128 * 1024;
