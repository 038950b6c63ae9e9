//! A financial year that is closed.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A financial year that is closed.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "financial_year_close")]
pub struct Model {
    /// Whose books.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// Its last day.
    #[sea_orm(primary_key, auto_increment = false)]
    pub end_day: i64,
    /// Its first day.
    pub start_day: i64,
    /// The closing journal; none where there was nothing to close.
    pub journal_id: Option<i64>,
    /// The last locked day before it was closed.
    pub previous_lock_day: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
