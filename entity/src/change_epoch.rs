//! A counter every process follows.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A counter every process follows.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "change_epoch")]
pub struct Model {
    /// `keys`, `memberships`, `credits`, `limits`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub topic: String,
    /// Moves in the unit that changes what it stands for.
    pub value: i64,
}

impl ActiveModelBehavior for ActiveModel {}
