//! A person.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A person.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_account")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// As given.
    pub email: String,
    /// In lower case; unique.
    pub email_key: String,
    /// Display name.
    pub name: String,
    /// In PHC form.
    pub password_hash: String,
    /// Milliseconds.
    pub created_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
