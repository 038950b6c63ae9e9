//! A statement of a card processor or marketplace in a coding session.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A statement of a card processor or marketplace in a coding session.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "coding_session_statement")]
pub struct Model {
    /// The session.
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_id: String,
    /// The caller's label.
    #[sea_orm(primary_key, auto_increment = false)]
    pub batch_ref: String,
    /// SHA-256 of the statement, in hexadecimal.
    pub request_hash: String,
    /// The statement, as JSON.
    pub details: String,
}

impl ActiveModelBehavior for ActiveModel {}
