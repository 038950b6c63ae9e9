//! An adjustment of the VAT return.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An adjustment of the VAT return.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "vat_adjustment")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// The day it counts in the return.
    pub day: i64,
    /// `bad_debt_relief` and so on.
    pub reason: String,
    /// What it is.
    pub description: String,
    /// The account that bears the VAT; none where nothing was posted.
    pub account_id: Option<i64>,
    /// Its journal; none where nothing was posted.
    pub journal_id: Option<i64>,
    /// The journal that undoes its own.
    pub void_journal_id: Option<i64>,
    /// From when it is undone in the return.
    pub void_day: Option<i64>,
    /// Why it was voided.
    pub void_reason: Option<String>,
    /// Who made it.
    pub user_id: i64,
    /// The prefix of the key used.
    pub key_prefix: Option<String>,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds.
    pub updated_at: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
