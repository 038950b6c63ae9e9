//! An organisation a restricted key covers.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An organisation a restricted key covers.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_key_organisation")]
pub struct Model {
    /// The organisation.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// The key.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key_id: i64,
}

impl ActiveModelBehavior for ActiveModel {}
