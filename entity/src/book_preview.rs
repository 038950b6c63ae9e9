//! What was previewed and waits to be confirmed.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// What was previewed and waits to be confirmed.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "book_preview")]
pub struct Model {
    /// SHA-256 of the token, in hexadecimal.
    #[sea_orm(primary_key, auto_increment = false)]
    pub token_hash: String,
    /// Whose books.
    pub organisation_id: i64,
    /// Who may confirm it.
    pub user_id: i64,
    /// The bulk import; opening balances have none.
    pub import_id: Option<i64>,
    /// The request; empty once it was confirmed.
    pub body: String,
    /// When.
    pub created_at: i64,
    /// Until when it may be confirmed.
    pub expires_at: i64,
    /// When it was confirmed.
    pub used_at: Option<i64>,
    /// The key or connection by OAuth that made it, where a tool did.
    pub connection: Option<String>,
    /// The tool that made it.
    pub tool: Option<String>,
    /// What a plan would write, without identifiers and numbers.
    pub outline: Option<String>,
    /// Why a plan cannot be carried out any more.
    pub dead_reason: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
