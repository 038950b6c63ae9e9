//! A bank line in a coding session.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A bank line in a coding session.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "coding_session_line")]
pub struct Model {
    /// The session.
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_id: String,
    /// Its number in the session, from 1.
    #[sea_orm(primary_key, auto_increment = false)]
    pub line: i64,
    /// The load it came with.
    pub batch_ref: String,
    /// The line, as JSON.
    pub details: String,
    /// What the last run suggested, as JSON.
    pub suggestion: Option<String>,
    /// What the caller set, as JSON.
    pub recoding: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
