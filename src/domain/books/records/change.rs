//! The history of the books, as callers read it.

use crate::domain::books::audit_fields::{ChangeAction, Resource};
use crate::domain::ids::GrantId;

/// An entry of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRecord {
    /// Its number in the history of its organisation, from 1.
    pub cursor: i64,
    /// The moment, in milliseconds.
    pub at_ms: i64,
    /// The person.
    pub user_id: i64,
    /// What the person is called now.
    pub user_name: String,
    /// The prefix of the key used.
    pub key_prefix: Option<String>,
    /// What the key is called.
    pub key_name: Option<String>,
    /// How the change was requested.
    pub via: String,
    /// What was done to the record.
    pub action: ChangeAction,
    /// The kind of record.
    pub resource: Resource,
    /// Its identifier.
    pub resource_id: i64,
    /// A sentence for people.
    pub summary: String,
    /// The changed fields before, as JSON.
    pub before: Option<String>,
    /// The changed fields after, as JSON.
    pub after: Option<String>,
    /// The connection by OAuth that was used, and its name.
    pub connection: Option<(GrantId, String)>,
    /// The tool that was called.
    pub tool: Option<String>,
    /// What the caller said it was for.
    pub note: Option<String>,
}

/// Where a part of the history begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// After this entry.
    Cursor(i64),
    /// At this moment, in milliseconds.
    Moment(i64),
}

/// Which part of the history is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangesPart {
    /// Entries after this one, or from this moment on.
    pub since: Since,
    /// Only entries older than this one.
    pub before: Option<i64>,
    /// Whether the newest come first.
    pub newest_first: bool,
    /// Entries at most.
    pub limit: u64,
}

/// A part of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// The entries, in the order that was asked for.
    pub rows: Vec<ChangeRecord>,
    /// The cursor of the next part.
    pub next_cursor: i64,
}
