//! A job.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A job.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "job")]
pub struct Model {
    /// `rec_…` or `cod_…`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// Whose queue.
    pub product: String,
    /// Its owner.
    pub user_id: i64,
    /// The key that submitted it.
    pub key_id: Option<i64>,
    /// The connection by OAuth that submitted it.
    pub grant_id: Option<i64>,
    /// `queued`, `processing`, `completed`, `failed`.
    pub status: String,
    /// Of the slot it runs under.
    pub fence: i64,
    /// How often it was started.
    pub attempt: i64,
    /// Credits it costs when it succeeds.
    pub cost: i64,
    /// Key and request allow overage.
    pub allow_overage: bool,
    /// For progress.
    pub rows_total: i64,
    /// The request's options.
    pub parameters: String,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds.
    pub started_at: Option<i64>,
    /// Milliseconds; set exactly when it has ended.
    pub completed_at: Option<i64>,
    /// Set when completed.
    pub credits_charged: Option<i64>,
    /// Why it failed.
    pub failure: Option<String>,
    /// With `insufficient_credits`.
    pub credits_required: Option<i64>,
    /// With `insufficient_credits`.
    pub credits_available: Option<i64>,
    /// Parts of the result.
    pub result_parts: i64,
    /// Bytes of the result as sent.
    pub result_size: i64,
    /// Of a job over lines of the books: the suggestions it wrote.
    pub suggestions_written: Option<i64>,
    /// Those it did not write, because the lines had changed.
    pub suggestions_skipped: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
