//! That a journal was voided, and by which one.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// That a journal was voided, and by which one.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "journal_reversal")]
pub struct Model {
    /// The journal.
    #[sea_orm(primary_key, auto_increment = false)]
    pub journal_id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// The date it counts on.
    pub entry_day: i64,
    /// The journal that reverses it.
    pub reversal_id: i64,
    /// Why, if told.
    pub reason: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
