//! Bulk imports: the record, and what became of each row.

use crate::domain::problem::Issues;
use serde::{Deserialize, Serialize};

/// A bulk import as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRecord {
    /// Identifier.
    pub id: i64,
    /// What is imported.
    pub kind: String,
    /// Whether it was carried out.
    pub is_confirmed: bool,
    /// How many rows were sent.
    pub rows_total: i64,
    /// The rows that cannot be imported.
    pub invalid: Vec<u64>,
    /// The rows that are there already.
    pub duplicates: Vec<u64>,
    /// What is wrong with the invalid rows.
    pub issues: Issues,
    /// How many journals it posts.
    pub journals: i64,
    /// Sum of their debits, in pence.
    pub debit_pence: i64,
    /// What became of each row, once it is confirmed.
    pub results: Vec<RowResult>,
    /// Who previewed it.
    pub user_id: i64,
    /// With which key.
    pub key_prefix: Option<String>,
    /// When it was previewed.
    pub created_at_ms: i64,
    /// Until when it may be confirmed.
    pub expires_at_ms: i64,
    /// When it was confirmed.
    pub confirmed_at_ms: Option<i64>,
}

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowStatus {
    /// It made a record.
    Created,
    /// It is there already.
    Duplicate,
    /// It was left out.
    Invalid,
}

/// What became of a row, and the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowResult {
    /// Its place, from 0.
    pub row: u64,
    /// The record.
    pub id: Option<i64>,
    /// What became of it.
    pub status: RowStatus,
}
