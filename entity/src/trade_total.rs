//! What was sold to a customer or bought from a supplier in a day, a month or a year.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// What was sold to a customer or bought from a supplier in a day, a month or a year.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "trade_total")]
pub struct Model {
    /// Whose books.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// `customer` for sales, `supplier` for purchases.
    #[sea_orm(primary_key, auto_increment = false)]
    pub side: String,
    /// `day`, `month` or `year`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub span: String,
    /// The number of the day, of the month or of the year.
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i64,
    /// The customer or supplier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub contact_id: i64,
    /// Invoices less those voided.
    pub invoices: i64,
    /// Credit notes less those voided.
    pub credit_notes: i64,
    /// Pence without VAT: of sales those on income accounts, of purchases all.
    pub net: i64,
    /// Pence of VAT of the same lines.
    pub vat: i64,
    /// Pence of `net` of purchases on asset accounts.
    pub capital_net: i64,
    /// Pence of sales on other accounts than income; pence of `net` of purchases on neither expense nor asset accounts.
    pub other_net: i64,
}

impl ActiveModelBehavior for ActiveModel {}
