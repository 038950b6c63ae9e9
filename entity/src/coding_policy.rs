//! The standing instructions of an organisation for coding.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// The standing instructions of an organisation for coding.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "coding_policy")]
pub struct Model {
    /// Whose books.
    #[sea_orm(primary_key, auto_increment = false)]
    pub organisation_id: i64,
    /// Counts changes, from 1.
    pub version: i64,
    /// Words about the business.
    pub business_context: String,
    /// Thousandths; a line of less confidence needs review.
    pub review_below: i64,
    /// A JSON array.
    pub rules: String,
}

impl ActiveModelBehavior for ActiveModel {}
