//! What was posted to an account on a day.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// What was posted to an account on a day.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "account_day")]
pub struct Model {
    /// The account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: i64,
    /// The day.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// Pence.
    pub debit: i64,
    /// Pence.
    pub credit: i64,
    /// How many lines.
    pub items: i64,
    /// How many journals these lines are of.
    pub journals: i64,
}

impl ActiveModelBehavior for ActiveModel {}
