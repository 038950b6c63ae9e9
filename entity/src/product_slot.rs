//! The right to run a product's jobs.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// The right to run a product's jobs.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "product_slot")]
pub struct Model {
    /// `reconciliation`, `coding`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub product: String,
    /// Which process.
    pub holder: Option<String>,
    /// Grows with every change of holder.
    pub fence: i64,
    /// Milliseconds.
    pub lease_until: i64,
    /// Rows in `job_hot`.
    pub waiting: i64,
    /// The last place given out.
    pub last_seq: i64,
}

impl ActiveModelBehavior for ActiveModel {}
