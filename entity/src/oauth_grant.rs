//! What a person granted to an application: a connection.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// What a person granted to an application: a connection.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "oauth_grant")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Whose books.
    pub user_id: i64,
    /// The application; its record may be gone.
    pub client_id: String,
    /// The name it gave itself.
    pub client_name: String,
    /// Where its answers went.
    pub redirect_host: String,
    /// Names separated by spaces.
    pub scopes: String,
    /// What its tokens are for.
    pub resource: String,
    /// It covers the listed organisations only.
    pub restricted: bool,
    /// Its jobs may be billed as overage.
    pub allow_overage: bool,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds; when the person last decided.
    pub allowed_at: i64,
    /// Milliseconds, up to half a minute behind.
    pub last_used_at: Option<i64>,
    /// Milliseconds.
    pub revoked_at: Option<i64>,
    /// Why it ended.
    pub revoke_reason: Option<String>,
    /// Topic `grants` at the last change.
    pub changed_epoch: i64,
}

impl ActiveModelBehavior for ActiveModel {}
