//! What a day puts on the VAT return.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// What a day puts on the VAT return.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "vat_day")]
pub struct Model {
    /// Whose books.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// `output` or `input`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub side: String,
    /// VAT code.
    #[sea_orm(primary_key, auto_increment = false)]
    pub vat_code: String,
    /// The scheme it was made under.
    #[sea_orm(primary_key, auto_increment = false)]
    pub basis: String,
    /// `domestic` or `imported_services`; empty when there is none.
    #[sea_orm(primary_key, auto_increment = false)]
    pub reverse_charge: String,
    /// The day.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: i64,
    /// The day whose percentage of the flat rate counts; the day after the last of the books where it is the own one.
    #[sea_orm(primary_key, auto_increment = false)]
    pub rate_day: i64,
    /// Pence without VAT.
    pub net: i64,
    /// Pence of VAT.
    pub vat: i64,
    /// How many.
    pub entries: i64,
}

impl ActiveModelBehavior for ActiveModel {}
