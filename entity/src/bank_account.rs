//! A bank account, with the sums of its statement lines.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A bank account, with the sums of its statement lines.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "bank_account")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// The account that carries its balance.
    pub account_id: i64,
    /// Its name.
    pub name: String,
    /// The bank.
    pub bank_name: Option<String>,
    /// `NN-NN-NN`.
    pub sort_code: Option<String>,
    /// Eight digits.
    pub account_number: Option<String>,
    /// International number.
    pub iban: Option<String>,
    /// `current` and so on.
    pub kind: String,
    /// What the opening balances put on it, in pence.
    pub opening: i64,
    /// Sum of the lines that are not excluded.
    pub statement: i64,
    /// Lines that are not confirmed.
    pub unconfirmed_count: i64,
    /// Their sum.
    pub unconfirmed: i64,
    /// Milliseconds.
    pub last_imported_at: Option<i64>,
    /// Milliseconds; none while in use.
    pub archived_at: Option<i64>,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds.
    pub updated_at: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
