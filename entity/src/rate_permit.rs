//! Permits of a subject's window leased so far.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// Permits of a subject's window leased so far.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "rate_permit")]
pub struct Model {
    /// A key or a person.
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject: String,
    /// Milliseconds.
    pub window_start: i64,
    /// Permits leased.
    pub used: i64,
    /// By the last lease.
    pub granted: i64,
}

impl ActiveModelBehavior for ActiveModel {}
