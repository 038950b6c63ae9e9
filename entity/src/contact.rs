//! A customer or supplier.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// A customer or supplier.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "contact")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    /// Whose books.
    pub organisation_id: i64,
    /// `customer` or `supplier`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Whom to ask for.
    pub contact_name: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
    /// Telephone.
    pub phone: Option<String>,
    /// First line.
    pub address_line1: Option<String>,
    /// Second line.
    pub address_line2: Option<String>,
    /// Town or city.
    pub address_city: Option<String>,
    /// County or region.
    pub address_region: Option<String>,
    /// Postcode.
    pub address_postcode: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub address_country: Option<String>,
    /// Companies House number.
    pub company_number: Option<String>,
    /// VAT registration number.
    pub vat_number: Option<String>,
    /// Days until a document is due.
    pub payment_terms_days: Option<i64>,
    /// Account of its lines unless told otherwise.
    pub default_account_id: Option<i64>,
    /// VAT code of its lines unless told otherwise.
    pub default_vat_code: Option<String>,
    /// The caller's own reference.
    pub reference: Option<String>,
    /// Notes.
    pub notes: Option<String>,
    /// Whether this customer deducts CIS.
    pub cis_deducts: bool,
    /// Whether CIS is deducted from this supplier.
    pub cis_is_subcontractor: bool,
    /// Percent.
    pub cis_deduction_rate: Option<i64>,
    /// Unique taxpayer reference.
    pub cis_utr: Option<String>,
    /// HMRC's verification.
    pub cis_verification_number: Option<String>,
    /// When verified.
    pub cis_verified_day: Option<i64>,
    /// What is searched, in lower case.
    pub search: String,
    /// Whether anything was ever posted or drawn up for it.
    pub used: bool,
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
