//! What a posting puts on the VAT return.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// What a posting puts on the VAT return.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "vat_entry")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// The journal it was made with; none when a payment brought it onto the return.
    pub journal_id: Option<i64>,
    /// The line it comes from.
    pub journal_line_id: Option<i64>,
    /// The document it comes from.
    pub document_id: Option<i64>,
    /// The line of the document it comes from.
    pub document_line_id: Option<i64>,
    /// `output` or `input`.
    pub side: String,
    /// VAT code.
    pub vat_code: String,
    /// The scheme it was made under.
    pub basis: String,
    /// Pence without VAT.
    pub net: i64,
    /// Pence of VAT.
    pub vat: i64,
    /// The day it counts for the return.
    pub tax_day: i64,
    /// `domestic` or `imported_services`: the VAT of a purchase is due as well as reclaimed.
    pub reverse_charge: Option<String>,
    /// The receipt or payment that brought it onto the return, under cash accounting.
    pub settlement_id: Option<i64>,
    /// The position of the history at which it was made; 0 before positions were kept.
    pub cursor: i64,
    /// The day whose percentage of the flat rate counts; the day after the last of the books where it is the day above.
    pub rate_day: i64,
}

impl ActiveModelBehavior for ActiveModel {}
