//! A change of a balance; unique by kind and reference.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A change of a balance; unique by kind and reference.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "credit_movement")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Whose.
    pub user_id: i64,
    /// `opening`, `bonus_grant`, `monthly_renewal`, `charge`.
    pub kind: String,
    /// What it was for.
    pub reference: String,
    /// Change of the monthly credits.
    pub monthly: i64,
    /// Change of the bonus credits.
    pub bonus: i64,
    /// Credits billed as overage.
    pub overage: i64,
    /// The reason given.
    pub note: Option<String>,
    /// Milliseconds.
    pub at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
