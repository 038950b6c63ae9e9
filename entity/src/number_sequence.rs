//! The highest number so far of a prefix.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// The highest number so far of a prefix.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "number_sequence")]
pub struct Model {
    /// Whose books.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// What is numbered.
    #[sea_orm(primary_key, auto_increment = false)]
    pub family: String,
    /// What its numbers begin with.
    #[sea_orm(primary_key, auto_increment = false)]
    pub prefix: String,
    /// The highest so far.
    pub highest: i64,
}

impl ActiveModelBehavior for ActiveModel {}
