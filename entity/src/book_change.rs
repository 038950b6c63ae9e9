//! An entry of the history of the books, written with the change it tells of and never altered.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An entry of the history of the books, written with the change it tells of and never altered.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "book_change")]
pub struct Model {
    /// Whose books.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// Its place: from 1, without a gap.
    #[sea_orm(primary_key, auto_increment = false)]
    pub cursor: i64,
    /// When.
    pub at: i64,
    /// Who.
    pub user_id: i64,
    /// With which key.
    pub key_prefix: Option<String>,
    /// By which way: `api`, `web` or `mcp`.
    pub via: String,
    /// `create`, `void` and so on.
    pub action: String,
    /// What kind of record.
    pub resource_type: String,
    /// Which.
    pub resource_id: i64,
    /// A sentence for people.
    pub summary: String,
    /// What was otherwise before, as JSON.
    pub before: Option<String>,
    /// The same after.
    pub after: Option<String>,
    /// Through which connection by OAuth.
    pub grant_id: Option<i64>,
    /// By which tool.
    pub tool: Option<String>,
    /// What the caller said it was for.
    pub note: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
