//! What a job was charged, once.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// What a job was charged, once.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "charge")]
pub struct Model {
    /// The job.
    #[sea_orm(primary_key, auto_increment = false)]
    pub job_id: String,
    /// Who paid.
    pub user_id: i64,
    /// From the month's credits.
    pub monthly: i64,
    /// From bonus credits.
    pub bonus: i64,
    /// Billed as overage.
    pub overage: i64,
    /// Milliseconds.
    pub at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
