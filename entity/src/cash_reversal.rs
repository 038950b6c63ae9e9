//! What journals of a day moved on the bank accounts, and reversals of another day moved back.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// What journals of a day moved on the bank accounts, and reversals of another day moved back.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "cash_reversal")]
pub struct Model {
    /// Whose books.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// The day of the journals.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: i64,
    /// The day of their reversals.
    #[sea_orm(primary_key, auto_increment = false)]
    pub reversal_day: i64,
    /// Pence, whichever way they moved.
    pub amount: i64,
}

impl ActiveModelBehavior for ActiveModel {}
