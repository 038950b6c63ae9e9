//! An API key; the secret is not here.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An API key; the secret is not here.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_key")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Its owner.
    pub user_id: i64,
    /// Display name.
    pub name: String,
    /// The look-up handle; unique.
    pub prefix: String,
    /// SHA-256 of the whole key.
    pub hash: Vec<u8>,
    /// Names separated by spaces.
    pub scopes: String,
    /// Its jobs may be billed as overage.
    pub allow_overage: bool,
    /// It covers the listed organisations only.
    pub restricted: bool,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds, up to half a minute behind.
    pub last_used_at: Option<i64>,
    /// Milliseconds.
    pub revoked_at: Option<i64>,
    /// Topic `keys` at the last change.
    pub changed_epoch: i64,
}

impl ActiveModelBehavior for ActiveModel {}
