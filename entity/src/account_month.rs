//! What was posted to an account in a month.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// What was posted to an account in a month.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "account_month")]
pub struct Model {
    /// The account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: i64,
    /// `year * 12 + month - 1`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub month: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// Pence.
    pub debit: i64,
    /// Pence.
    pub credit: i64,
    /// How many journals have lines of it.
    pub journals: i64,
}

impl ActiveModelBehavior for ActiveModel {}
