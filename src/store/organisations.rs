//! Organisations and memberships.

use chrono::NaiveDate;

use super::reader::Reader;
use super::writer::Writer;
use super::StoreError;
use crate::domain::access::Role;
use crate::domain::ids::{OrganisationId, UserId};

/// A postal address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressRow {
    /// First line.
    pub line1: Option<String>,
    /// Second line.
    pub line2: Option<String>,
    /// Town or city.
    pub city: Option<String>,
    /// County or region.
    pub region: Option<String>,
    /// Postcode.
    pub postcode: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
}

/// An organisation as stored (`ledger.md` 2.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganisationRow {
    /// Identifier.
    pub id: OrganisationId,
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
    /// Postal address.
    pub address: AddressRow,
    /// `MM-DD`.
    pub financial_year_end: String,
    /// First day of the books.
    pub books_start_date: Option<NaiveDate>,
    /// Whether it is registered for VAT.
    pub vat_registered: bool,
    /// VAT registration number.
    pub vat_number: Option<String>,
    /// `standard`, `cash`, `flat_rate` or none.
    pub vat_scheme: Option<String>,
    /// First day of the scheme.
    pub vat_scheme_from: Option<NaiveDate>,
    /// Flat rate in hundredths of a percent.
    pub flat_rate_basis_points: Option<i64>,
    /// Length of a VAT period.
    pub vat_period_months: i64,
    /// A month a VAT period ends in.
    pub vat_period_end_month: i64,
    /// Whether it deducts under CIS.
    pub cis_contractor: bool,
    /// Whether it suffers deductions under CIS.
    pub cis_subcontractor: bool,
    /// Rate suffered in hundredths of a percent.
    pub cis_suffered_basis_points: Option<i64>,
    /// Nothing is posted on or before this day.
    pub lock_date: Option<NaiveDate>,
    /// Days until an invoice is due.
    pub default_payment_terms_days: i64,
    /// What invoice numbers start with.
    pub sales_invoice_prefix: String,
    /// The next invoice number.
    pub sales_invoice_next_number: i64,
    /// What credit note numbers start with.
    pub sales_credit_note_prefix: String,
    /// Whether an account has the role `vat_control`.
    pub has_vat_control: bool,
    /// Whether opening balances were posted.
    pub opening_balances_set: bool,
    /// `active`.
    pub status: String,
    /// When it was created.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
    /// The value of the topic `memberships` this row was last changed at.
    pub changed_epoch: i64,
}

/// A membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MembershipRow {
    /// Where.
    pub organisation_id: OrganisationId,
    /// Who.
    pub user_id: UserId,
    /// As what.
    pub role: Role,
    /// Whether the person accepted; only accepted ones count.
    pub accepted: bool,
    /// The value of the topic `memberships` this row was last changed at.
    pub changed_epoch: i64,
}

/// What became of a new membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberAdded {
    /// Added.
    Added,
    /// The person was a member already and now has this role.
    RoleChanged,
    /// No such organisation; nothing was written.
    UnknownOrganisation,
}

impl Writer {
    /// Creates an organisation owned by a person. `vat_control` says that a VAT Control account comes with it.
    pub async fn create_organisation(
        &self,
        owner: UserId,
        name: String,
        vat_control: bool,
    ) -> Result<OrganisationRow, StoreError> {
        todo!()
    }

    /// Makes a person an accepted member.
    pub async fn add_member(
        &self,
        organisation: OrganisationId,
        user: UserId,
        role: Role,
    ) -> Result<MemberAdded, StoreError> {
        todo!()
    }
}

impl Reader {
    /// The organisations a person is an accepted member of, by id.
    pub async fn organisations_of(&self, user: UserId) -> Result<Vec<(OrganisationRow, Role)>, StoreError> {
        todo!()
    }

    /// An organisation, when the person is an accepted member of it.
    pub async fn organisation_for(
        &self,
        user: UserId,
        organisation: OrganisationId,
    ) -> Result<Option<(OrganisationRow, Role)>, StoreError> {
        todo!()
    }

    /// Memberships changed after an epoch; 0 gives all.
    pub async fn memberships_changed_after(&self, epoch: i64) -> Result<Vec<MembershipRow>, StoreError> {
        todo!()
    }
}
