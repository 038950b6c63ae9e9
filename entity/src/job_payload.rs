//! A part of submitted data, until the job ends.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A part of submitted data, until the job ends.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "job_payload")]
pub struct Model {
    /// The job.
    #[sea_orm(primary_key, auto_increment = false)]
    pub job_id: String,
    /// From 0.
    #[sea_orm(primary_key, auto_increment = false)]
    pub part: i64,
    /// Compressed.
    pub bytes: Vec<u8>,
    /// Milliseconds.
    pub at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
