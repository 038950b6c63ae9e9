//! The head of an organisation's books: locked by every group that changes them.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// The head of an organisation's books: locked by every group that changes them.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "books")]
pub struct Model {
    /// Whose.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// Counts groups that changed the books.
    pub version: i64,
    /// The next journal gets it.
    pub next_journal_number: i64,
    /// The next entry of the history gets it.
    pub next_change: i64,
}

impl ActiveModelBehavior for ActiveModel {}
