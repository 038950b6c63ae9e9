//! A move of the date up to which nothing is posted.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A move of the date up to which nothing is posted.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "period_lock_change")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// The new date; none when cleared.
    pub lock_day: Option<i64>,
    /// Why, if told.
    pub reason: Option<String>,
    /// Who.
    pub user_id: i64,
    /// Milliseconds.
    pub at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
