//! An organisation that a restricted connection covers.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An organisation that a restricted connection covers.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "oauth_grant_organisation")]
pub struct Model {
    /// The connection.
    #[sea_orm(primary_key, auto_increment = false)]
    pub grant_id: i64,
    /// The organisation.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
}

impl ActiveModelBehavior for ActiveModel {}
