//! Entries of the history of the books, as they are read.

use crate::domain::ledger::change::{ChangeAction, Resource};

/// An entry of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRecord {
    /// Its place in the history of its organisation, from 1.
    pub cursor: i64,
    /// When.
    pub at_ms: i64,
    /// Who.
    pub user_id: i64,
    /// With which key.
    pub key_prefix: Option<String>,
    /// By which way.
    pub via: String,
    /// How it was changed.
    pub action: ChangeAction,
    /// What kind of record.
    pub resource: Resource,
    /// Which.
    pub resource_id: i64,
    /// A sentence for people.
    pub summary: String,
    /// What was otherwise before, as JSON.
    pub before: Option<String>,
    /// The same after.
    pub after: Option<String>,
}

/// Where a part of the history begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// After this entry.
    Cursor(i64),
    /// At this moment, in milliseconds.
    Moment(i64),
}

/// A part of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// The entries, oldest first.
    pub rows: Vec<ChangeRecord>,
    /// Where to go on.
    pub next_cursor: i64,
}
