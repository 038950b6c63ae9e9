//! An authorization code, as its hash.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An authorization code, as its hash.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "oauth_code")]
pub struct Model {
    /// Hexadecimal.
    #[sea_orm(primary_key, auto_increment = false)]
    pub sha256: String,
    /// The connection.
    pub grant_id: i64,
    /// Of the proof key, S256.
    pub challenge: String,
    /// Where it was sent.
    pub redirect_uri: String,
    /// Names separated by spaces.
    pub scopes: String,
    /// Milliseconds.
    pub expires_at: i64,
    /// Milliseconds.
    pub used_at: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
