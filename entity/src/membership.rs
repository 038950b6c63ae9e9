//! A person in an organisation.

use sea_orm::entity::prelude::*;

/// A person in an organisation.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "membership")]
pub struct Model {
    /// Where.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// Who.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// `owner`, `admin`, `bookkeeper`, `viewer`.
    pub role: String,
    /// Only accepted ones count.
    pub accepted: bool,
    /// Milliseconds.
    pub created_at: i64,
    /// Topic `memberships` at the last change.
    pub changed_epoch: i64,
    /// Where.
    #[sea_orm(belongs_to, from = "organisation_id", to = "id")]
    pub organisation: BelongsTo<super::organisation::Entity>,
    /// Who.
    #[sea_orm(belongs_to, from = "user_id", to = "id")]
    pub user: BelongsTo<super::user_account::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
