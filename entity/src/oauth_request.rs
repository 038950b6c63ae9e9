//! An authorization request that waits for the person's decision.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An authorization request that waits for the person's decision.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "oauth_request")]
pub struct Model {
    /// Of the handle on the page, hexadecimal.
    #[sea_orm(primary_key, auto_increment = false)]
    pub sha256: String,
    /// Who asks.
    pub client_id: String,
    /// Who was asked.
    pub user_id: i64,
    /// The web session the page was shown in.
    pub session: String,
    /// Where the answer goes.
    pub redirect_uri: String,
    /// Given back with the answer.
    pub state: Option<String>,
    /// What is asked for, separated by spaces.
    pub scopes: String,
    /// Of the proof key, S256.
    pub challenge: String,
    /// What the tokens are for.
    pub resource: String,
    /// Milliseconds.
    pub expires_at: i64,
    /// Milliseconds; set by the decision.
    pub used_at: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
