//! A waiting job; claiming never walks finished ones.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A waiting job; claiming never walks finished ones.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "job_hot")]
pub struct Model {
    /// Whose queue.
    #[sea_orm(primary_key, auto_increment = false)]
    pub product: String,
    /// Whose turn it is.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// Its place among those of its person.
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    /// The job.
    pub job_id: String,
}

impl ActiveModelBehavior for ActiveModel {}
