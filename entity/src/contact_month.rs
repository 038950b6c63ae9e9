//! What was posted to a control account for a contact in a month.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// What was posted to a control account for a contact in a month.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "contact_month")]
pub struct Model {
    /// Whose books.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// The customer or supplier; 0 for none in totals.
    #[sea_orm(primary_key, auto_increment = false)]
    pub contact_id: i64,
    /// The account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: i64,
    /// `year * 12 + month - 1`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub month: i64,
    /// Pence.
    pub debit: i64,
    /// Pence.
    pub credit: i64,
    /// Pence of it without a document.
    pub direct_debit: i64,
    /// Pence of it without a document.
    pub direct_credit: i64,
}

impl ActiveModelBehavior for ActiveModel {}
