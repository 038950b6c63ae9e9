//! A response kept for replay.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A response kept for replay.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency_key")]
pub struct Model {
    /// Who.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    /// `POST`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub method: String,
    /// The request's path.
    #[sea_orm(primary_key, auto_increment = false)]
    pub path: String,
    /// The header's value.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// SHA-256 of the body.
    pub body_hash: Vec<u8>,
    /// Of the response.
    pub status: i64,
    /// Of the response.
    pub body: Vec<u8>,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds.
    pub expires_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
