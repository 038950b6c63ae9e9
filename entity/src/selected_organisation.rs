//! The organisation an agent's connection works on when a call names none.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// The organisation an agent's connection works on when a call names none.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "selected_organisation")]
pub struct Model {
    /// The connection: `key:7`, `grant:7`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub connection: String,
    /// The organisation.
    pub organisation_id: i64,
}

impl ActiveModelBehavior for ActiveModel {}
