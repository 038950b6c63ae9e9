//! Organisations and memberships, and the ones that were read last.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use dashmap::DashMap;
use entity::{membership, organisation};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};

use super::StoreError;
use super::epochs::Topic;
use super::sql::{Row, Unit, params};
use super::writer::{Locks, Writer};
use crate::domain::books::records::address::Address;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::caller::Role;
use crate::domain::ids::{ConnectionId, OrganisationId, UserId};
use crate::domain::ledger::vat::FlatRateBasis;
use crate::store::sql::Reader;

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

/// The organisations that requests named last, as their members may see them, so that a request about the books does not
/// begin with a query.
///
/// An entry counts as long as no organisation and no membership was written since it was read: in this process until the
/// commit, and what another process committed until the follower of the epochs has seen it.
#[derive(Default)]
pub(super) struct RecentOrganisations {
    /// How often something was written; an entry of an earlier number is out of date.
    generation: AtomicU64,
    /// What is written counts from its commit on.
    is_pending: AtomicBool,
    entries: DashMap<(UserId, OrganisationId), RecentOrganisation>,
}

struct RecentOrganisation {
    generation: u64,
    found: Arc<(OrganisationRecord, Role)>,
}

impl RecentOrganisations {
    /// Entries above this number are dropped with all others.
    const ENTRIES_MAX: usize = 10_000;

    /// Says that the open transaction writes an organisation or a membership.
    pub(super) fn will_change(&self) {
        self.is_pending.store(true, Ordering::Release);
    }

    /// Says that a transaction is over, whether it was committed or not.
    pub(super) fn transaction_ended(&self) {
        if self.is_pending.swap(false, Ordering::AcqRel) {
            self.forget();
        }
    }

    fn forget(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    fn find(&self, key: (UserId, OrganisationId)) -> Option<Arc<(OrganisationRecord, Role)>> {
        let entry = self.entries.get(&key)?;
        (entry.generation == self.generation.load(Ordering::Acquire)).then(|| Arc::clone(&entry.found))
    }

    fn keep(&self, key: (UserId, OrganisationId), entry: RecentOrganisation) {
        if self.entries.len() >= Self::ENTRIES_MAX {
            self.entries.clear();
        }
        self.entries.insert(key, entry);
    }
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

impl Writer {
    /// Sets the organisation a connection works on when a call names none; gives the one before.
    pub async fn select_organisation(
        &self,
        connection: ConnectionId,
        organisation: OrganisationId,
    ) -> Result<Option<OrganisationId>, StoreError> {
        let input = (connection.to_stored(), organisation);
        self.unit(Locks::Organisations, input, |unit, (connection, organisation)| {
            Box::pin(select(unit, connection, *organisation))
        })
        .await
    }
}

async fn select(
    unit: &Unit<'_>,
    connection: &str,
    organisation: OrganisationId,
) -> Result<Option<OrganisationId>, StoreError> {
    let before =
        unit.one(SELECTED, params![connection]).await?.map(|row| row.get(0).map(OrganisationId)).transpose()?;
    if before != Some(organisation) {
        let sql = "insert into selected_organisation (connection, organisation_id) values ($1, $2) \
                   on conflict (connection) do update set organisation_id = excluded.organisation_id";
        unit.execute(sql, params![connection, organisation.0]).await?;
    }
    Ok(before)
}

/// The organisation a connection works on.
const SELECTED: &str = "select organisation_id from selected_organisation where connection = $1";

impl Reader {
    /// The organisation a connection works on when a call names none.
    pub async fn selected_organisation(&self, connection: ConnectionId) -> Result<Option<OrganisationId>, StoreError> {
        self.one(SELECTED, params![connection.to_stored()]).await?.map(|row| row.get(0).map(OrganisationId)).transpose()
    }

    /// The organisations a person is an accepted member of, by id.
    pub async fn organisations_of(&self, user: UserId) -> Result<Vec<(OrganisationRecord, Role)>, StoreError> {
        self.accepted(user, None).await
    }

    /// An organisation, when the person is an accepted member of it.
    pub async fn organisation_for(
        &self,
        user: UserId,
        organisation: OrganisationId,
    ) -> Result<Option<(OrganisationRecord, Role)>, StoreError> {
        Ok(self.accepted(user, Some(organisation)).await?.pop())
    }

    /// The same as it was read last, unless an organisation or a membership was written since.
    pub async fn recent_organisation_for(
        &self,
        user: UserId,
        organisation: OrganisationId,
    ) -> Result<Option<Arc<(OrganisationRecord, Role)>>, StoreError> {
        let recent = &self.shared().recent_organisations;
        if let Some(found) = recent.find((user, organisation)) {
            return Ok(Some(found));
        }
        // What is written while the query runs makes the entry out of date at once.
        let generation = recent.generation.load(Ordering::Acquire);
        let found = self.organisation_for(user, organisation).await?.map(Arc::new);
        if let Some(found) = &found {
            recent.keep((user, organisation), RecentOrganisation { generation, found: Arc::clone(found) });
        }
        Ok(found)
    }

    /// Says that another process wrote an organisation or a membership.
    pub fn forget_recent_organisations(&self) {
        self.shared().recent_organisations.forget();
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
    ) -> Result<Vec<(OrganisationRecord, Role)>, StoreError> {
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

pub(super) fn read(row: organisation::Model) -> OrganisationRecord {
    OrganisationRecord {
        id: OrganisationId(row.id),
        name: row.name,
        legal_name: row.legal_name,
        entity_type: row.entity_type,
        company_number: row.company_number,
        utr: row.utr,
        base_currency: row.base_currency,
        country: row.country,
        timezone: row.timezone,
        address: Address {
            line1: row.address_line1,
            line2: row.address_line2,
            city: row.address_city,
            region: row.address_region,
            postcode: row.address_postcode,
            country: row.address_country,
        },
        financial_year_end: row.financial_year_end,
        books_start_date: row.books_start_date.map(Into::into),
        vat_registered: row.vat_registered,
        vat_number: row.vat_number,
        vat_scheme: row.vat_scheme,
        vat_scheme_from: row.vat_scheme_from.map(Into::into),
        flat_rate_basis_points: row.flat_rate_basis_points,
        // Only words of this list are written.
        flat_rate_basis: FlatRateBasis::parse(&row.flat_rate_basis).unwrap_or_default(),
        vat_period_months: row.vat_period_months,
        vat_period_end_month: row.vat_period_end_month,
        cis_contractor: row.cis_contractor,
        cis_subcontractor: row.cis_subcontractor,
        cis_suffered_basis_points: row.cis_suffered_basis_points,
        lock_date: row.lock_date.map(Into::into),
        default_payment_terms_days: row.default_payment_terms_days,
        sales_invoice_prefix: row.sales_invoice_prefix,
        sales_invoice_next_number: row.sales_invoice_next_number,
        sales_credit_note_prefix: row.sales_credit_note_prefix,
        email: row.email,
        phone: row.phone,
        paye_reference: row.paye_reference,
        accounts_office_reference: row.accounts_office_reference,
        payment_bank_account_id: row.payment_bank_account_id,
        invoice_footer: row.invoice_footer,
        auto_suggest: row.auto_suggest,
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
pub(super) async fn organisation_by_id(unit: &Unit<'_>, id: OrganisationId) -> Result<OrganisationRecord, StoreError> {
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
