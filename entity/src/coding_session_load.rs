//! A load of bank lines into a coding session, with what it was charged.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A load of bank lines into a coding session, with what it was charged.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "coding_session_load")]
pub struct Model {
    /// The session.
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_id: String,
    /// The caller's label.
    #[sea_orm(primary_key, auto_increment = false)]
    pub batch_ref: String,
    /// Who was charged.
    pub user_id: i64,
    /// SHA-256 of what was to be loaded, in hexadecimal.
    pub request_hash: String,
    /// Lines loaded.
    pub line_count: i64,
    /// Monthly credits charged.
    pub monthly: i64,
    /// Bonus credits charged.
    pub bonus: i64,
    /// Credits billed as overage.
    pub overage: i64,
    /// The answer that is given again, as JSON.
    pub answer: String,
    /// Milliseconds.
    pub at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
