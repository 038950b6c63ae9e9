//! Organisations and memberships.

use chrono::NaiveDate;

use entity::{membership, organisation};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};

use super::StoreError;
use super::epochs::Topic;
use super::reader::Reader;
use super::sql::{Row, Unit, params};
use super::writer::{Locks, Writer};
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

/// What is said anew about a postal address: what is none stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as the fields of the address")]
pub struct AddressChange {
    pub line1: Option<Option<String>>,
    pub line2: Option<Option<String>>,
    pub city: Option<Option<String>>,
    pub region: Option<Option<String>>,
    pub postcode: Option<Option<String>>,
    pub country: Option<Option<String>>,
}

impl AddressChange {
    /// Nothing is left of the address.
    pub fn cleared() -> Self {
        let none = || Some(None);
        Self { line1: none(), line2: none(), city: none(), region: none(), postcode: none(), country: none() }
    }

    /// The address as it is afterwards.
    #[must_use]
    pub fn applied_to(self, before: AddressRow) -> AddressRow {
        AddressRow {
            line1: self.line1.unwrap_or(before.line1),
            line2: self.line2.unwrap_or(before.line2),
            city: self.city.unwrap_or(before.city),
            region: self.region.unwrap_or(before.region),
            postcode: self.postcode.unwrap_or(before.postcode),
            country: self.country.unwrap_or(before.country),
        }
    }
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
    /// Makes a person an accepted member.
    pub async fn add_member(
        &self,
        organisation: OrganisationId,
        user: UserId,
        role: Role,
    ) -> Result<MemberAdded, StoreError> {
        let input = (organisation, user, role);
        self.unit(Locks::Organisations, input, |unit, (organisation, user, role)| {
            Box::pin(add_member(unit, *organisation, *user, *role))
        })
        .await
    }
}

impl Reader {
    /// The organisations a person is an accepted member of, by id.
    pub async fn organisations_of(&self, user: UserId) -> Result<Vec<(OrganisationRow, Role)>, StoreError> {
        self.accepted(user, None).await
    }

    /// An organisation, when the person is an accepted member of it.
    pub async fn organisation_for(
        &self,
        user: UserId,
        organisation: OrganisationId,
    ) -> Result<Option<(OrganisationRow, Role)>, StoreError> {
        Ok(self.accepted(user, Some(organisation)).await?.pop())
    }

    /// Whether there is such an organisation.
    pub async fn organisation_exists(&self, organisation: OrganisationId) -> Result<bool, StoreError> {
        Ok(self.one("select id from organisation where id = $1", params![organisation.0]).await?.is_some())
    }

    /// Memberships changed after an epoch; 0 gives all.
    pub async fn memberships_changed_after(&self, epoch: i64) -> Result<Vec<MembershipRow>, StoreError> {
        let sql = "select organisation_id, user_id, role, accepted, changed_epoch from membership \
                   where changed_epoch > $1 order by organisation_id, user_id";
        let rows = self.all(sql, params![epoch]).await?;
        rows.iter().map(read_membership).collect()
    }

    /// A person's membership of an organisation, accepted or not.
    pub async fn membership(
        &self,
        user: UserId,
        organisation: OrganisationId,
    ) -> Result<Option<MembershipRow>, StoreError> {
        let sql = "select organisation_id, user_id, role, accepted, changed_epoch from membership \
                   where organisation_id = $1 and user_id = $2";
        self.one(sql, params![organisation.0, user.0]).await?.as_ref().map(read_membership).transpose()
    }

    async fn accepted(
        &self,
        user: UserId,
        only: Option<OrganisationId>,
    ) -> Result<Vec<(OrganisationRow, Role)>, StoreError> {
        let mut query = membership::Entity::find()
            .find_both_related(organisation::Entity)
            .filter(membership::Column::UserId.eq(user.0))
            .filter(membership::Column::Accepted.eq(true))
            .order_by_asc(membership::Column::OrganisationId);
        if let Some(id) = only {
            query = query.filter(membership::Column::OrganisationId.eq(id.0));
        }
        let rows = self
            .repeating(|pool| {
                let query = query.clone();
                async move { query.all(&pool).await }
            })
            .await?;
        rows.into_iter()
            .map(|(membership, row)| {
                let role = Role::parse(&membership.role).ok_or_else(|| StoreError::corrupt("role", membership.role))?;
                Ok((read(row), role))
            })
            .collect()
    }
}

fn read_membership(row: &Row) -> Result<MembershipRow, StoreError> {
    Ok(MembershipRow {
        organisation_id: OrganisationId(row.get(0)?),
        user_id: UserId(row.get(1)?),
        role: row.parsed(2, Role::parse)?,
        accepted: row.get(3)?,
        changed_epoch: row.get(4)?,
    })
}

pub(super) fn read(row: organisation::Model) -> OrganisationRow {
    OrganisationRow {
        id: OrganisationId(row.id),
        name: row.name,
        legal_name: row.legal_name,
        entity_type: row.entity_type,
        company_number: row.company_number,
        utr: row.utr,
        base_currency: row.base_currency,
        country: row.country,
        timezone: row.timezone,
        address: AddressRow {
            line1: row.address_line1,
            line2: row.address_line2,
            city: row.address_city,
            region: row.address_region,
            postcode: row.address_postcode,
            country: row.address_country,
        },
        financial_year_end: row.financial_year_end,
        books_start_date: row.books_start_date,
        vat_registered: row.vat_registered,
        vat_number: row.vat_number,
        vat_scheme: row.vat_scheme,
        vat_scheme_from: row.vat_scheme_from,
        flat_rate_basis_points: row.flat_rate_basis_points,
        vat_period_months: row.vat_period_months,
        vat_period_end_month: row.vat_period_end_month,
        cis_contractor: row.cis_contractor,
        cis_subcontractor: row.cis_subcontractor,
        cis_suffered_basis_points: row.cis_suffered_basis_points,
        lock_date: row.lock_date,
        default_payment_terms_days: row.default_payment_terms_days,
        sales_invoice_prefix: row.sales_invoice_prefix,
        sales_invoice_next_number: row.sales_invoice_next_number,
        sales_credit_note_prefix: row.sales_credit_note_prefix,
        has_vat_control: row.has_vat_control,
        opening_balances_set: row.opening_balances_set,
        status: row.status,
        created_at_ms: row.created_at,
        updated_at_ms: row.updated_at,
        version: row.version,
        changed_epoch: row.changed_epoch,
    }
}

/// An organisation's row, as a unit sees it.
pub(super) async fn organisation_by_id(unit: &Unit<'_>, id: OrganisationId) -> Result<OrganisationRow, StoreError> {
    let row = organisation::Entity::find_by_id(id.0).one(unit.db).await?;
    row.map(read).ok_or_else(|| StoreError::corrupt("books without an organisation", id))
}

async fn add_member(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    user: UserId,
    role: Role,
) -> Result<MemberAdded, StoreError> {
    let known = "select (select count(*) from membership where organisation_id = $1 and user_id = $2) \
                 from organisation where id = $1";
    let Some(row) = unit.one(known, params![organisation.0, user.0]).await? else {
        return Ok(MemberAdded::UnknownOrganisation);
    };
    let was_member: i64 = row.get(0)?;
    let epoch = unit.bump(Topic::Memberships).await?;
    insert_member(unit, organisation, user, role, epoch).await?;
    Ok(if was_member == 0 { MemberAdded::Added } else { MemberAdded::RoleChanged })
}

pub(super) async fn insert_member(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    user: UserId,
    role: Role,
    epoch: i64,
) -> Result<(), StoreError> {
    let sql = "insert into membership (organisation_id, user_id, role, accepted, created_at, changed_epoch) \
               values ($1, $2, $3, $4, $5, $6) on conflict (organisation_id, user_id) do update set \
               role = excluded.role, accepted = excluded.accepted, changed_epoch = excluded.changed_epoch";
    let values = params![organisation.0, user.0, role.as_str(), true, unit.now_ms, epoch];
    unit.execute(sql, values).await.map(|_| ())
}
