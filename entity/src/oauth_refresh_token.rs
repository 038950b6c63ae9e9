//! A refresh token, as its hash.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A refresh token, as its hash.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "oauth_refresh_token")]
pub struct Model {
    /// Hexadecimal.
    #[sea_orm(primary_key, auto_increment = false)]
    pub sha256: String,
    /// The connection.
    pub grant_id: i64,
    /// Names separated by spaces.
    pub scopes: String,
    /// The token it was exchanged for.
    pub parent: Option<String>,
    /// Milliseconds.
    pub issued_at: i64,
    /// Milliseconds.
    pub expires_at: i64,
    /// Milliseconds; when it was used first.
    pub used_at: Option<i64>,
    /// How often it came back within the grace.
    pub siblings: i64,
}

impl ActiveModelBehavior for ActiveModel {}
