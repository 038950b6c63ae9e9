//! A line of a bank statement.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A line of a bank statement.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "bank_transaction")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// The bank account.
    pub bank_account_id: i64,
    /// Its date.
    pub day: i64,
    /// Pence; money in is positive.
    pub amount: i64,
    /// What the bank says of it.
    pub description: String,
    /// The payer's reference.
    pub reference: Option<String>,
    /// Whom a card was used at.
    pub merchant: Option<String>,
    /// The bank's own id.
    pub external_id: Option<String>,
    /// The import it came with.
    pub import_id: Option<i64>,
    /// `unconfirmed` and so on.
    pub status: String,
    /// How it was confirmed.
    pub kind: Option<String>,
    /// The customer or supplier.
    pub contact_id: Option<i64>,
    /// How it is coded, as JSON.
    pub lines: String,
    /// A note.
    pub memo: Option<String>,
    /// The other side of a transfer.
    pub transfer_id: Option<i64>,
    /// Where the other side of a transfer is awaited.
    pub awaited_on: Option<i64>,
    /// Its journal.
    pub journal_id: Option<i64>,
    /// The receipt, payment or refund that it shows.
    pub settlement_id: Option<i64>,
    /// Whether that is a `customer`'s or a `supplier`'s.
    pub settlement_side: Option<String>,
    /// Milliseconds.
    pub confirmed_at: Option<i64>,
    /// Who.
    pub confirmed_by: Option<i64>,
    /// What is searched, in lower case.
    pub search: String,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds.
    pub updated_at: i64,
    /// Counts changes, from 1.
    pub version: i64,
    /// What the coding engine suggests, as JSON.
    pub suggestion: Option<String>,
    /// How sure it is of that, in thousandths.
    pub suggested_confidence: Option<i64>,
}

impl ActiveModelBehavior for ActiveModel {}
