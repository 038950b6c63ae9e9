//! A part of a settlement or credit note set against a document, or of a refund against a settlement, or a debt written off.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A part of a settlement or credit note set against a document, or of a refund against a settlement, or a debt written off.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "allocation")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// The credit note.
    pub from_document_id: Option<i64>,
    /// The settlement.
    pub from_settlement_id: Option<i64>,
    /// The document it settles.
    pub to_document_id: Option<i64>,
    /// The settlement it gives back.
    pub to_settlement_id: Option<i64>,
    /// From when it counts.
    pub day: i64,
    /// From when it does not count any more.
    pub released_day: Option<i64>,
    /// Pence of cash or credit.
    pub amount: i64,
    /// Pence that CIS withheld beside it.
    pub cis: i64,
    /// What credit takes off the VAT of the invoice, by code.
    pub credit: String,
    /// Whether credit counts as a payment, because only one of the documents is declared when it is paid.
    pub as_payment: bool,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds.
    pub released_at: Option<i64>,
    /// The write-off.
    pub from_write_off_id: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
