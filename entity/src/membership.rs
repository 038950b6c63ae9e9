//! A person in an organisation.

use sea_orm::entity::prelude::*;

/// A person in an organisation.
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
}

/// What a membership is joined to.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    /// The organisation the person is a member of.
    #[sea_orm(
        belongs_to = "super::organisation::Entity",
        from = "Column::OrganisationId",
        to = "super::organisation::Column::Id"
    )]
    Organisation,
}

impl Related<super::organisation::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Organisation.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
