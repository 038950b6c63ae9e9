//! The database: the only code that names the ORM, entities or SQL.
//!
//! Writes are units handed to the one [`Writer`] task, reads are queries on [`Reader`], whose connections cannot
//! write. Nothing that decides a write is read outside its unit.

mod check;
mod credits;
mod epochs;
mod error;
mod jobs;
mod keys;
mod organisations;
mod permits;
mod reader;
mod serve_lock;
mod settings;
mod users;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;

pub use credits::MovementRow;
pub use epochs::{Epochs, SlotView, Topic};
pub use error::StoreError;
pub use jobs::{
    Claim, ClaimedJob, Deleted, Finish, Finished, INLINE_BYTES_MAX, Idempotency, JobRow, NewJob, OpenJob,
    PART_BYTES_MAX, Publish, Requeued, RunEnd, StoredResponse, Submitted, Swept,
};
pub use keys::{KeyCreated, KeyRow, NewKey};
pub use organisations::{AddressRow, MemberAdded, MembershipRow, OrganisationRow};
pub use permits::PermitLease;
pub use reader::Reader;
pub use serve_lock::ServeLock;
pub use users::{NewUser, UserCreated, UserRow};
pub use writer::Writer;

/// How to open the store.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// `sqlite://…` or `postgres://…`.
    pub database_url: String,
    /// Read connections.
    pub reader_connections: u32,
    /// A write that waited longer is refused.
    pub write_wait_max: Duration,
    /// On PostgreSQL: correct the clock by its offset to the database's, so that processes agree on leases. Tests
    /// with a clock of their own switch it off.
    pub follow_database_clock: bool,
}

impl StoreOptions {
    /// The defaults for a database.
    pub fn new(database_url: impl Into<String>) -> Self {
        Self {
            database_url: database_url.into(),
            reader_connections: 4,
            write_wait_max: Duration::from_secs(5),
            follow_database_clock: true,
        }
    }
}

/// An open database. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    /// Queries.
    pub reader: Reader,
    /// Units.
    pub writer: Writer,
}

impl Store {
    /// Opens the database, creating a SQLite file that is not there yet (mode 0600). Does not migrate.
    /// Must be called on the runtime that lives as long as the store: connections belong to it.
    pub async fn open(options: StoreOptions, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        todo!()
    }

    /// Applies pending schema steps under a lock and names them.
    pub async fn migrate(&self) -> Result<Vec<String>, StoreError> {
        todo!()
    }

    /// Whether other processes may serve from the same database (PostgreSQL).
    pub fn is_shared(&self) -> bool {
        todo!()
    }

    /// Milliseconds since 1970-01-01, as every process on this database agrees on them.
    pub fn now_ms(&self) -> i64 {
        todo!()
    }

    /// Writes what is queued, erases deleted payloads from the write-ahead log and closes every connection.
    pub async fn close(&self) {
        todo!()
    }
}
