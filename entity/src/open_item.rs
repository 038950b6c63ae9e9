//! An item of debtors or creditors, and between which days something of it is open.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An item of debtors or creditors, and between which days something of it is open.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "open_item")]
pub struct Model {
    /// The kind of document or settlement; `journal_line` for a line that neither stands behind.
    #[sea_orm(primary_key, auto_increment = false)]
    pub source_type: String,
    /// The document, settlement or line.
    #[sea_orm(primary_key, auto_increment = false)]
    pub source_id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// `customer` or `supplier`.
    pub side: String,
    /// The customer or supplier; 0 for none.
    pub contact_id: i64,
    /// The day it was posted.
    pub from_day: i64,
    /// From when nothing of it is open any more; the day after the last of the books while something is.
    pub until_day: i64,
    /// Where the interval tree of days holds it; none when it is open on no day.
    pub node: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
