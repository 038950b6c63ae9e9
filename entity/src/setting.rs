//! A value several processes share.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A value several processes share.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "setting")]
pub struct Model {
    /// Its name.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// Its value.
    pub value: String,
}

impl ActiveModelBehavior for ActiveModel {}
