//! How many rows a list has on a day, kept with every change.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// How many rows a list has on a day, kept with every change.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "list_day")]
pub struct Model {
    /// Whose books.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// `journal`, `bank_transaction`; with a status, `journal void`, `sales_invoice paid`; with `changed` behind it, by the
    /// day of their last change.
    #[sea_orm(primary_key, auto_increment = false)]
    pub list: String,
    /// The day.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: i64,
    /// How many.
    pub items: i64,
}

impl ActiveModelBehavior for ActiveModel {}
