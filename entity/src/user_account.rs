//! A person.

use sea_orm::entity::prelude::*;

/// A person.
#[sea_orm::model]
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
    /// Their keys.
    #[sea_orm(has_many)]
    pub keys: HasMany<super::api_key::Entity>,
    /// Where they are members.
    #[sea_orm(has_many)]
    pub memberships: HasMany<super::membership::Entity>,
    /// Their credits.
    #[sea_orm(has_one)]
    pub credits: HasOne<super::credit_account::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
