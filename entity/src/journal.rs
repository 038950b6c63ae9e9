//! A journal: never changed once written.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A journal: never changed once written.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "journal")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// Gap-free in an organisation.
    pub number: i64,
    /// The date it counts on.
    pub entry_day: i64,
    /// What it is about.
    pub description: String,
    /// The caller's own reference.
    pub reference: Option<String>,
    /// What is searched, in lower case.
    pub search: String,
    /// `manual`, `reversal` and so on.
    pub source_type: String,
    /// The document behind it.
    pub source_id: Option<i64>,
    /// The journal it reverses.
    pub reverses_journal_id: Option<i64>,
    /// Sum of its debits, in pence.
    pub total: i64,
    /// How many lines it has.
    pub line_count: i64,
    /// Milliseconds.
    pub created_at: i64,
    /// Who posted it.
    pub user_id: i64,
    /// With which key.
    pub key_prefix: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
