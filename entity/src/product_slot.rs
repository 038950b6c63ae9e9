//! Table `product_slot`: one row for each product. `store/jobs/claim.rs` of the service reads and writes it.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// The right to run a product's jobs.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "product_slot")]
pub struct Model {
    /// `reconciliation`, `coding`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub product: String,
    /// The process that holds the right; null when none does.
    pub holder: Option<String>,
    /// Grows with every change of holder, so that a process that lost the right cannot write.
    pub fence: i64,
    /// When the right ends unless it is renewed, in milliseconds since 1970; 0 when no process holds it.
    pub lease_until: i64,
    /// Rows in `job_hot`.
    pub waiting: i64,
    /// The last `seq` given to a job of this product in `job_hot`.
    pub last_seq: i64,
    /// Whose job was taken last: the next turn is that of the person after them.
    pub last_user_id: i64,
    /// Grows with every change of `waiting`, so that of two states the newer is known.
    pub moves: i64,
}

impl ActiveModelBehavior for ActiveModel {}
