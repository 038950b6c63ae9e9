//! A debt of a customer that is written off.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A debt of a customer that is written off.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "write_off")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// The sales invoice.
    pub document_id: i64,
    /// Its date.
    pub day: i64,
    /// Pence of debt.
    pub amount: i64,
    /// Pence of VAT in it.
    pub vat: i64,
    /// The account that bears it.
    pub account_id: i64,
    /// Pence of VAT to claim back.
    pub relief_vat: Option<i64>,
    /// The first day on which it may be claimed.
    pub relief_day: Option<i64>,
    /// Its journal.
    pub journal_id: i64,
    /// The journal that undoes its own.
    pub void_journal_id: Option<i64>,
    /// From when it is void.
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
