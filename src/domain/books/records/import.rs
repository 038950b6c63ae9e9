//! Bulk imports: the record, and the result of each row.

use serde::{Deserialize, Serialize};

use crate::domain::problem::Issues;

/// A bulk import as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRecord {
    /// Identifier.
    pub id: i64,
    /// The kind of records imported.
    pub kind: String,
    /// Whether it was confirmed.
    pub is_confirmed: bool,
    /// The number of rows sent.
    pub rows_total: i64,
    /// The rows that cannot be imported.
    pub invalid: Vec<u64>,
    /// The rows whose records exist already.
    pub duplicates: Vec<u64>,
    /// The problems of the invalid rows.
    pub issues: Issues,
    /// The number of journals it posts.
    pub journals: i64,
    /// The sum of the debits of these journals, in pence.
    pub debit_pence: i64,
    /// The result of each row, once the import is confirmed.
    pub results: Vec<RowResult>,
    /// The person who previewed it.
    pub user_id: i64,
    /// The prefix of the key used.
    pub key_prefix: Option<String>,
    /// When it was previewed.
    pub created_at_ms: i64,
    /// The moment until which it may be confirmed.
    pub expires_at_ms: i64,
    /// When it was confirmed.
    pub confirmed_at_ms: Option<i64>,
}

/// The status of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowStatus {
    /// A record was created.
    Created,
    /// The record exists already.
    Duplicate,
    /// The row was left out.
    Invalid,
}

/// The result of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowResult {
    /// The place of the row, from 0.
    pub row: u64,
    /// The record.
    pub id: Option<i64>,
    /// The status of the row.
    pub status: RowStatus,
}
