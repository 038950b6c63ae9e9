//! An access token, as its hash.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An access token, as its hash.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "oauth_access_token")]
pub struct Model {
    /// Hexadecimal.
    #[sea_orm(primary_key, auto_increment = false)]
    pub sha256: String,
    /// The connection.
    pub grant_id: i64,
    /// Names separated by spaces; never more than the connection's count.
    pub scopes: String,
    /// Milliseconds.
    pub expires_at: i64,
    /// Milliseconds.
    pub revoked_at: Option<i64>,
    /// Topic `grants` when it was revoked, else 0.
    pub changed_epoch: i64,
}

impl ActiveModelBehavior for ActiveModel {}
