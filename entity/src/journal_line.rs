//! A line of a journal: never changed once written.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A line of a journal: never changed once written.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "journal_line")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// The journal.
    pub journal_id: i64,
    /// From 1.
    pub line_number: i64,
    /// The account.
    pub account_id: i64,
    /// The date it counts on.
    pub entry_day: i64,
    /// Pence.
    pub debit: i64,
    /// Pence.
    pub credit: i64,
    /// A note.
    pub memo: Option<String>,
    /// VAT code.
    pub vat_code: Option<String>,
    /// VAT in pence.
    pub vat_amount: Option<i64>,
    /// The customer or supplier; 0 for none in totals.
    pub contact_id: Option<i64>,
    /// Whether it was added by a rule.
    pub system: bool,
    /// Of a closing, the day from which it counts; the day after the last of the books for never.
    pub closing_day: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
