//! How many rows a list has by status, kept with every change.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// How many rows a list has by status, kept with every change.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "list_count")]
pub struct Model {
    /// Whose books.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// `journal`, `customer` and so on; `journal type`, `bank_transaction type`, `bank_account`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub list: String,
    /// `posted`, `active` and so on; of a type the type, of a bank account its id and a status.
    #[sea_orm(primary_key, auto_increment = false)]
    pub status: String,
    /// How many.
    pub items: i64,
}

impl ActiveModelBehavior for ActiveModel {}
