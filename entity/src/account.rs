//! A ledger account.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A ledger account.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "account")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// What people call it.
    pub code: String,
    /// Its name.
    pub name: String,
    /// `ASSET` and so on.
    pub account_type: String,
    /// What it does beside holding a balance.
    pub role: Option<String>,
    /// Milliseconds; none while in use.
    pub archived_at: Option<i64>,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds.
    pub updated_at: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
