//! The next identifier of a kind that no process has taken.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// The next identifier of a kind that no process has taken.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "id_block")]
pub struct Model {
    /// The kind.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// The next one.
    pub next: i64,
}

impl ActiveModelBehavior for ActiveModel {}
