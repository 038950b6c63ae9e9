//! What a person holds.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// What a person holds.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "credit_account")]
pub struct Model {
    /// Who.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// The month the monthly credits belong to: year times 12 plus month from 0.
    pub period: i64,
    /// Left of the month's allocation.
    pub monthly: i64,
    /// Credits that do not expire.
    pub bonus: i64,
    /// Billed as overage so far.
    pub overage_used: i64,
    /// What a month brings.
    pub monthly_allocation: i64,
    /// The subscription permits overage.
    pub overage_allowed: bool,
    /// Topic `credits` at the last change.
    pub changed_epoch: i64,
    /// What the running jobs will cost.
    pub reserved: i64,
}

impl ActiveModelBehavior for ActiveModel {}
