//! A customer receipt or supplier payment, or a refund of either.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A customer receipt or supplier payment, or a refund of either.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "settlement")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// `customer` or `supplier`.
    pub side: String,
    /// `customer_receipt` and so on.
    pub kind: String,
    /// Gap-free in an organisation and side.
    pub number: String,
    /// With whom.
    pub contact_id: i64,
    /// Its date.
    pub day: i64,
    /// Pence of cash.
    pub amount: i64,
    /// The bank account that the cash moved through; none when it was another account.
    pub bank_account_id: Option<i64>,
    /// The caller's reference.
    pub reference: Option<String>,
    /// A note.
    pub memo: Option<String>,
    /// How.
    pub method: Option<String>,
    /// Pence of cash that are set against something.
    pub allocated: i64,
    /// Pence that CIS withheld beside it.
    pub cis: i64,
    /// The line of a statement that shows it.
    pub bank_transaction_id: Option<i64>,
    /// Its journal.
    pub journal_id: i64,
    /// The journal that voids it.
    pub void_journal_id: Option<i64>,
    /// From when it is void.
    pub void_day: Option<i64>,
    /// Why.
    pub void_reason: Option<String>,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds.
    pub updated_at: i64,
    /// Counts changes, from 1.
    pub version: i64,
    /// The account in place of a bank account.
    pub account_id: Option<i64>,
    /// When it was e-mailed last.
    pub last_emailed_at: Option<i64>,
    /// How many e-mails of it were queued, each of which made a version.
    pub email_count: i64,
}

impl ActiveModelBehavior for ActiveModel {}
