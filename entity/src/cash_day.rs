//! What journals moved on the bank accounts of an organisation on a day.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// What journals moved on the bank accounts of an organisation on a day.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "cash_day")]
pub struct Model {
    /// Whose books.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// The day.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: i64,
    /// Pence of journals that brought money.
    pub inflow: i64,
    /// Pence of journals that took money.
    pub outflow: i64,
}

impl ActiveModelBehavior for ActiveModel {}
