//! From which day on a VAT scheme applies.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// From which day on a VAT scheme applies.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "vat_scheme_period")]
pub struct Model {
    /// Whose books.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// The first day.
    #[sea_orm(primary_key, auto_increment = false)]
    pub from_day: i64,
    /// `standard`, `cash` or `flat_rate`.
    pub scheme: String,
    /// Hundredths of a percent.
    pub flat_rate_basis_points: Option<i64>,
    /// `invoice` or `cash` under the flat rate: when sales are its turnover; `invoice` when it is not said.
    pub flat_rate_basis: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
