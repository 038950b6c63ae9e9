//! An open invoice, bill or credit note in a coding session.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An open invoice, bill or credit note in a coding session.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "coding_session_invoice")]
pub struct Model {
    /// The session.
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_id: String,
    /// What it is named by.
    #[sea_orm(primary_key, auto_increment = false)]
    pub invoice_ref: String,
    /// Whether it came from the books.
    pub is_fetched: bool,
    /// The document, as JSON.
    pub details: String,
}

impl ActiveModelBehavior for ActiveModel {}
