//! An application that may ask people for access: registered (RFC 7591), or known by its own document.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An application that may ask people for access: registered (RFC 7591), or known by its own document.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "oauth_client")]
pub struct Model {
    /// Identifier, no secret; of a client that was not registered the address of its document.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The name it gave itself.
    pub name: Option<String>,
    /// Its page, as it said.
    pub uri: Option<String>,
    /// A JSON array.
    pub redirect_uris: String,
    /// `none`, `client_secret_basic`, `client_secret_post`.
    pub auth_method: String,
    /// Hexadecimal, for confidential clients.
    pub secret_sha256: Option<String>,
    /// What it said it would ask for, separated by spaces.
    pub scopes: String,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds; none before its first token.
    pub last_used_at: Option<i64>,
    /// Milliseconds: the document is asked for again after this. None for a client that was registered.
    pub document_until: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
