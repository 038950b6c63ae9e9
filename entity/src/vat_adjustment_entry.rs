//! What an adjustment of the VAT return adds to a box.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// What an adjustment of the VAT return adds to a box.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "vat_adjustment_entry")]
pub struct Model {
    /// The adjustment.
    #[sea_orm(primary_key, auto_increment = false)]
    pub vat_adjustment_id: i64,
    /// From 1.
    #[sea_orm(primary_key, auto_increment = false)]
    pub position: i64,
    /// The number of the box.
    pub box_number: i64,
    /// Pence; negative when taken off.
    pub amount: i64,
}

impl ActiveModelBehavior for ActiveModel {}
