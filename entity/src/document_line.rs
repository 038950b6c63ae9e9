//! A line of an invoice or credit note.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A line of an invoice or credit note.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "document_line")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// The document.
    pub document_id: i64,
    /// From 1.
    pub line_number: i64,
    /// What it is for.
    pub description: String,
    /// The account.
    pub account_id: i64,
    /// Ten-thousandths.
    pub quantity: i64,
    /// Ten-thousandths of a pound.
    pub unit_price: i64,
    /// Hundredths of a percent.
    pub discount: i64,
    /// VAT code.
    pub vat_code: String,
    /// The caller's own figure for the VAT, in pence.
    pub given_vat: Option<i64>,
    /// Pence without VAT.
    pub net: i64,
    /// Pence of VAT.
    pub vat: i64,
    /// `labour`, `materials` or `none`.
    pub cis_type: String,
    /// What the caller says it is; null when it follows from the supplier.
    pub given_cis_type: Option<String>,
    /// `domestic` or `imported_services`.
    pub reverse_charge: Option<String>,
    /// Pence of VAT that the customer accounts for.
    pub reverse_charge_vat: Option<i64>,
    /// `standard` when it is given: outside the turnover of the flat rate.
    pub vat_basis: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
