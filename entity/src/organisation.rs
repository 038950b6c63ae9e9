//! An organisation whose books are kept.

use sea_orm::entity::prelude::*;

use super::NoRelation as Relation;

/// An organisation whose books are kept.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "organisation")]
pub struct Model {
    /// Identifier.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Display name.
    pub name: String,
    /// Registered name.
    pub legal_name: Option<String>,
    /// `limited_company` and so on.
    pub entity_type: String,
    /// Companies House number.
    pub company_number: Option<String>,
    /// Unique taxpayer reference.
    pub utr: Option<String>,
    /// ISO 4217.
    pub base_currency: String,
    /// ISO 3166-1 alpha-2.
    pub country: String,
    /// IANA name.
    pub timezone: String,
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
    /// `MM-DD`.
    pub financial_year_end: String,
    /// First day of the books.
    pub books_start_date: Option<Date>,
    /// Registered for VAT.
    pub vat_registered: bool,
    /// VAT registration number.
    pub vat_number: Option<String>,
    /// `standard`, `cash`, `flat_rate`.
    pub vat_scheme: Option<String>,
    /// First day of the scheme.
    pub vat_scheme_from: Option<Date>,
    /// Hundredths of a percent.
    pub flat_rate_basis_points: Option<i64>,
    /// `invoice` or `cash`: when sales are turnover of the flat rate.
    pub flat_rate_basis: String,
    /// Length of a VAT period.
    pub vat_period_months: i64,
    /// A month a VAT period ends in.
    pub vat_period_end_month: i64,
    /// Deducts under CIS.
    pub cis_contractor: bool,
    /// Suffers deductions under CIS.
    pub cis_subcontractor: bool,
    /// Hundredths of a percent.
    pub cis_suffered_basis_points: Option<i64>,
    /// Nothing is posted on or before it.
    pub lock_date: Option<Date>,
    /// Days until an invoice is due.
    pub default_payment_terms_days: i64,
    /// What invoice numbers start with.
    pub sales_invoice_prefix: String,
    /// The next invoice number.
    pub sales_invoice_next_number: i64,
    /// What credit note numbers start with.
    pub sales_credit_note_prefix: String,
    /// Reply address of what is sent.
    pub email: Option<String>,
    /// Printed on documents.
    pub phone: Option<String>,
    /// Employer's reference at HMRC.
    pub paye_reference: Option<String>,
    /// For payments of PAYE and CIS to HMRC.
    pub accounts_office_reference: Option<String>,
    /// Printed on invoices.
    pub payment_bank_account_id: Option<i64>,
    /// Printed below invoices.
    pub invoice_footer: Option<String>,
    /// An account has the role `vat_control`.
    pub has_vat_control: bool,
    /// Opening balances were posted.
    pub opening_balances_set: bool,
    /// `active`.
    pub status: String,
    /// Milliseconds.
    pub created_at: i64,
    /// Milliseconds.
    pub updated_at: i64,
    /// Counts changes, from 1.
    pub version: i64,
    /// Topic `memberships` at the last change.
    pub changed_epoch: i64,
    /// Suggestions are asked for after each import.
    pub auto_suggest: bool,
}

impl ActiveModelBehavior for ActiveModel {}
