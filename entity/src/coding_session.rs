//! A coding session of an agent's connection.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A coding session of an agent's connection.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "coding_session")]
pub struct Model {
    /// `cs_…`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// The person.
    pub user_id: i64,
    /// The connection it belongs to, such as `key:7`.
    pub connection: String,
    /// The organisation whose books it works on; none with a chart of the caller's own.
    pub organisation_id: Option<i64>,
    /// The first day of the period.
    pub start_day: Option<i64>,
    /// The last day of the period.
    pub end_day: Option<i64>,
    /// The chart, VAT codes and context that the caller gave, as JSON.
    pub details: String,
    /// The number of the line loaded last.
    pub last_line: i64,
    /// The job of the run whose result has not been taken over.
    pub run_job_id: Option<String>,
    /// `all` or `uncoded`, of that run.
    pub run_scope: Option<String>,
    /// `completed` or `failed`, of the last run that ended.
    pub run_status: Option<String>,
    /// What the last run warned of, as JSON.
    pub warnings: String,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds.
    pub expires_at: i64,
    /// Whether it has ended and what it held is deleted.
    pub is_cleared: bool,
}

impl ActiveModelBehavior for ActiveModel {}
