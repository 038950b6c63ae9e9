//! A VAT return that was recorded.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A VAT return that was recorded.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "vat_return")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// The first month of its period: `year * 12 + month - 1`.
    pub first_month: i64,
    /// The last month of its period.
    pub last_month: i64,
    /// The scheme at the end of the period.
    pub scheme: String,
    /// Pence of box 1.
    pub box1: i64,
    /// Pence of box 2.
    pub box2: i64,
    /// Pence of box 4.
    pub box4: i64,
    /// Pence of box 6.
    pub box6: i64,
    /// Pence of box 7.
    pub box7: i64,
    /// Pence of box 8.
    pub box8: i64,
    /// Pence of box 9.
    pub box9: i64,
    /// How many entries and movements of adjustments it is made of.
    pub entries: i64,
    /// Pence of box 1 that had come late into earlier returns.
    pub late_box1: i64,
    /// Pence of box 2 that had come late into earlier returns.
    pub late_box2: i64,
    /// Pence of box 4 that had come late into earlier returns.
    pub late_box4: i64,
    /// Pence of box 6 that had come late into earlier returns.
    pub late_box6: i64,
    /// Pence of box 7 that had come late into earlier returns.
    pub late_box7: i64,
    /// Pence of box 8 that had come late into earlier returns.
    pub late_box8: i64,
    /// Pence of box 9 that had come late into earlier returns.
    pub late_box9: i64,
    /// How many had come late into earlier returns.
    pub late_entries: i64,
    /// `next_return` or `tell_hmrc`.
    pub late_method: String,
    /// When it was filed.
    pub filed_day: Option<i64>,
    /// What HMRC answered.
    pub hmrc_receipt: Option<String>,
    /// The position of its entry in the history.
    pub cursor: i64,
    /// Who recorded it.
    pub user_id: i64,
    /// The prefix of the key used.
    pub key_prefix: Option<String>,
    /// Milliseconds.
    pub created_at: i64,
}

impl ActiveModelBehavior for ActiveModel {}
