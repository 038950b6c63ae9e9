//! From which day on financial years end on a day of the year.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// From which day on financial years end on a day of the year.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "financial_year_end_period")]
pub struct Model {
    /// Whose books.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// The first day on which a year may end so.
    #[sea_orm(primary_key, auto_increment = false)]
    pub from_day: i64,
    /// `MM-DD`.
    pub year_end: String,
}

impl ActiveModelBehavior for ActiveModel {}
