//! A bulk import.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A bulk import.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "book_import")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// What is imported.
    pub kind: String,
    /// `previewed` or `confirmed`.
    pub status: String,
    /// How many rows were sent.
    pub rows_total: i64,
    /// The rows that cannot be imported, as JSON.
    pub invalid: String,
    /// The rows that are there already, as JSON.
    pub duplicates: String,
    /// What is wrong with the invalid rows, as JSON.
    pub issues: String,
    /// How much is wrong.
    pub issue_count: i64,
    /// How many journals it posts.
    pub journals: i64,
    /// Sum of their debits.
    pub debit: i64,
    /// What became of each row, as JSON.
    pub results: String,
    /// Who previewed it.
    pub user_id: i64,
    /// With which key.
    pub key_prefix: Option<String>,
    /// When.
    pub created_at: i64,
    /// Until when it may be confirmed.
    pub expires_at: i64,
    /// When it was confirmed.
    pub confirmed_at: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
