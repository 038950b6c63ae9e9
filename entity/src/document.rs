//! An invoice or credit note.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An invoice or credit note.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "document")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// `sales_invoice` and so on.
    pub kind: String,
    /// `draft`, `issued` or `void`.
    pub stage: String,
    /// What follows from the stage and the allocations.
    pub status: String,
    /// Its number; of a draft, the one it is to get.
    pub number: Option<String>,
    /// The supplier's number.
    pub supplier_reference: Option<String>,
    /// The customer or supplier.
    pub contact_id: i64,
    /// Its date.
    pub day: i64,
    /// When it is to be paid.
    pub due_day: Option<i64>,
    /// The caller's reference.
    pub reference: Option<String>,
    /// Notes.
    pub notes: Option<String>,
    /// Whether the prices contain the VAT.
    pub vat_inclusive: bool,
    /// The invoice that a credit note takes back.
    pub origin_id: Option<i64>,
    /// Pence without VAT.
    pub net: i64,
    /// Pence of VAT.
    pub vat: i64,
    /// Net and VAT by code, as text.
    pub by_code: String,
    /// Pence settled by money, with what CIS withheld.
    pub paid: i64,
    /// Pence settled by credit.
    pub credited: i64,
    /// Pence left to settle; nothing of drafts and void documents.
    pub due: i64,
    /// The percentage CIS withholds.
    pub cis_rate: Option<i64>,
    /// Pence of labour without VAT.
    pub cis_labour: i64,
    /// Pence of materials without VAT.
    pub cis_materials: i64,
    /// Pence that CIS withholds in all.
    pub cis_deduction: i64,
    /// Whether it came with the opening balances.
    pub opening: bool,
    /// How its VAT is declared: `standard`, `cash` or `flat_rate`; none of drafts, nor of opening documents but `cash` of those
    /// that say their VAT.
    pub vat_basis: Option<String>,
    /// The journal of its issue.
    pub journal_id: Option<i64>,
    /// The journal that voids it.
    pub void_journal_id: Option<i64>,
    /// From when it is void.
    pub void_day: Option<i64>,
    /// Why.
    pub void_reason: Option<String>,
    /// What a search looks in, in lower case.
    pub search: String,
    /// When it was issued, in milliseconds.
    pub issued_at: Option<i64>,
    /// When it was last e-mailed, in milliseconds.
    pub last_emailed_at: Option<i64>,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds.
    pub updated_at: i64,
    /// Counts changes, from 1.
    pub version: i64,
    /// `standard` when it is given: outside cash accounting.
    pub given_vat_basis: Option<String>,
    /// How many e-mails of it were queued, each of which made a version.
    pub email_count: i64,
}

impl ActiveModelBehavior for ActiveModel {}
