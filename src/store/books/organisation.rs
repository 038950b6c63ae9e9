//! Organisations: how they are created with their books and how their rows are written.

use std::collections::HashMap;
use std::sync::Arc;

use entity::organisation;
use sea_orm::ActiveModelTrait as _;
use sea_orm::ActiveValue::{NotSet, Set};

use crate::domain::books::decide::record_organisation_created;
use crate::domain::books::effects::{Effect, Effects};
use crate::domain::books::facts::{CachedBooks, Facts};
use crate::domain::books::idempotency::{ReplayLookup, store_answer};
use crate::domain::books::numbers::{IdSequence, Identifiers};
use crate::domain::books::records::account::AccountRecord;
use crate::domain::books::records::bank_account::BankAccountRecord;
use crate::domain::books::records::organisation::{ChangedOrganisation, LockChange, OrganisationRecord, blank};
use crate::domain::books::request::{Actor, CommandResult, CreateOrganisation, OrganisationCreated};
use crate::domain::caller::Role;
use crate::domain::date::Date;
use crate::domain::ids::{AccountId, OrganisationId};
use crate::domain::ledger::financial_year::{FinancialYears, YearEnd};
use crate::domain::ledger::money::Percent;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::standard_chart;
use crate::domain::ledger::vat::{FlatRateBasis, VatHistory, VatScheme};
use crate::store::books::{replays, write};
use crate::store::epochs::Topic;
use crate::store::organisations::{insert_member, read};
use crate::store::sql::{Query, Row, Unit, for_update, params};
use crate::store::writer::{Locks, Writer};
use crate::store::{Reader, StoreError, books};

/// The number of changes of the period lock that are shown.
pub(super) const LOCK_CHANGES_MAX: i64 = 100;

/// Selects the latest changes of the period lock.
pub(super) const LOCK_CHANGES: &str = "select lock_day, reason, user_id, at from period_lock_change \
     where organisation_id = $1 order by id desc limit $2";

impl Writer {
    /// Creates an organisation with the standard chart.
    pub async fn create_organisation(&self, new: CreateOrganisation) -> Result<OrganisationCreated, StoreError> {
        self.unit_of(Locks::Organisations, 32 * 1024, new, |unit, new| Box::pin(create(unit, new))).await
    }
}

impl Reader {
    /// The latest changes of the period lock of an organisation, newest first.
    pub async fn lock_changes(&self, organisation: OrganisationId) -> Result<Vec<LockChange>, StoreError> {
        let rows = self.all(LOCK_CHANGES, params![organisation.0, LOCK_CHANGES_MAX]).await?;
        rows.iter().map(read_lock_change).collect()
    }

    /// The financial years of an organisation.
    pub async fn financial_years(&self, organisation: OrganisationId) -> Result<FinancialYears, StoreError> {
        read_financial_years(organisation, &self.all(YEAR_ENDS, params![organisation.0]).await?)
    }
}

/// Selects the year ends of [`read_financial_years`]; without a history, that of the organisation since 1900.
const YEAR_ENDS: &str = "select coalesce(p.from_day, -25567), coalesce(p.year_end, o.financial_year_end) \
     from organisation o left join financial_year_end_period p on p.organisation_id = o.id where o.id = $1";

/// Selects the rows of [`read_financial_years`].
pub(super) fn financial_years(organisation: OrganisationId) -> Query {
    Query::new(YEAR_ENDS, 2, params![organisation.0])
}

/// The financial years of an organisation, from its year ends.
pub(super) fn read_financial_years(organisation: OrganisationId, rows: &[Row]) -> Result<FinancialYears, StoreError> {
    let read = |row: &Row| Ok((row.date(0)?, row.parsed(1, YearEnd::parse)?));
    let from = rows.iter().map(read).collect::<Result<_, StoreError>>()?;
    FinancialYears::new(from).ok_or_else(|| StoreError::corrupt("missing organisation", organisation.0))
}

/// Loads the financial years of an organisation.
pub(super) async fn load_financial_years(
    unit: &Unit<'_>,
    organisation: OrganisationId,
) -> Result<FinancialYears, StoreError> {
    read_financial_years(organisation, &unit.all(YEAR_ENDS, params![organisation.0]).await?)
}

/// Loads the VAT schemes of an organisation.
pub(super) async fn load_vat_schemes(unit: &Unit<'_>, organisation: OrganisationId) -> Result<VatHistory, StoreError> {
    let sql = "select from_day, scheme, flat_rate_basis_points, flat_rate_basis from vat_scheme_period where organisation_id = $1";
    let rows = unit.all(sql, params![organisation.0]).await?;
    let schemes = rows.iter().map(|row| read_vat_scheme(row, 0)).collect::<Result<_, StoreError>>()?;
    Ok(VatHistory::new(schemes))
}

/// Reads a VAT scheme and its first day from four columns of a row.
pub(super) fn read_vat_scheme(row: &Row, from: usize) -> Result<(Date, VatScheme), StoreError> {
    let (word, rate): (String, Option<i64>) = (row.get(from + 1)?, row.get(from + 2)?);
    let basis = row.get::<Option<String>>(from + 3)?.as_deref().and_then(FlatRateBasis::parse).unwrap_or_default();
    let scheme = VatScheme::from_parts(&word, rate.map(Percent), basis);
    Ok((row.date(from)?, scheme.map_err(|_| StoreError::corrupt("vat scheme", word))?))
}

/// Writes the row of an organisation.
pub(super) async fn write(unit: &Unit<'_>, row: &OrganisationRecord) -> Result<(), StoreError> {
    active_model(row).update(unit.db).await?;
    Ok(())
}

/// The row of an organisation.
fn active_model(row: &OrganisationRecord) -> organisation::ActiveModel {
    let row = row.clone();
    organisation::ActiveModel {
        id: Set(row.id.0),
        name: Set(row.name),
        legal_name: Set(row.legal_name),
        entity_type: Set(row.entity_type),
        company_number: Set(row.company_number),
        utr: Set(row.utr),
        base_currency: Set(row.base_currency),
        country: Set(row.country),
        timezone: Set(row.timezone),
        address_line1: Set(row.address.line1),
        address_line2: Set(row.address.line2),
        address_city: Set(row.address.city),
        address_region: Set(row.address.region),
        address_postcode: Set(row.address.postcode),
        address_country: Set(row.address.country),
        financial_year_end: Set(row.financial_year_end),
        books_start_date: Set(row.books_start_date.map(Into::into)),
        vat_registered: Set(row.vat_registered),
        vat_number: Set(row.vat_number),
        vat_scheme: Set(row.vat_scheme),
        vat_scheme_from: Set(row.vat_scheme_from.map(Into::into)),
        flat_rate_basis_points: Set(row.flat_rate_basis_points),
        flat_rate_basis: Set(row.flat_rate_basis.as_str().to_owned()),
        vat_period_months: Set(row.vat_period_months),
        vat_period_end_month: Set(row.vat_period_end_month),
        cis_contractor: Set(row.cis_contractor),
        cis_subcontractor: Set(row.cis_subcontractor),
        cis_suffered_basis_points: Set(row.cis_suffered_basis_points),
        lock_date: Set(row.lock_date.map(Into::into)),
        default_payment_terms_days: Set(row.default_payment_terms_days),
        sales_invoice_prefix: Set(row.sales_invoice_prefix),
        sales_invoice_next_number: Set(row.sales_invoice_next_number),
        sales_credit_note_prefix: Set(row.sales_credit_note_prefix),
        email: Set(row.email),
        phone: Set(row.phone),
        paye_reference: Set(row.paye_reference),
        accounts_office_reference: Set(row.accounts_office_reference),
        payment_bank_account_id: Set(row.payment_bank_account_id),
        invoice_footer: Set(row.invoice_footer),
        auto_suggest: Set(row.auto_suggest),
        has_vat_control: Set(row.has_vat_control),
        opening_balances_set: Set(row.opening_balances_set),
        status: Set(row.status),
        created_at: Set(row.created_at_ms),
        updated_at: Set(row.updated_at_ms),
        version: Set(row.version),
        changed_epoch: Set(row.changed_epoch),
    }
}

/// Creates an organisation with the standard chart, its first bank account and its owner.
async fn create(unit: &Unit<'_>, new: &CreateOrganisation) -> Result<OrganisationCreated, StoreError> {
    if let Some(replay) = &new.replay {
        // A request with the same key in another process waits here for the first to commit, and then finds its answer.
        let topic = Topic::Memberships.as_str();
        let lock = format!("select value from change_epoch where topic = $1{}", for_update(unit.backend));
        unit.one(&lock, params![topic]).await?;
        match replays::find(unit, new.owner, replay).await? {
            ReplayLookup::Nothing => {}
            ReplayLookup::Same(stored) => return Ok(OrganisationCreated::Replayed(stored)),
            ReplayLookup::Other => return Ok(OrganisationCreated::Refused(Refusal::IdempotencyKeyReused)),
        }
    }
    if let Some(id) = new.change.payment_bank_account_id() {
        // Bank accounts come after the organisation.
        let field = "payment_bank_account_id".to_owned();
        return Ok(OrganisationCreated::Refused(Refusal::UnknownReference { field, id }));
    }
    let ChangedOrganisation { mut row, vat_scheme, .. } = match blank(unit.now_ms).with(&new.change, None) {
        Ok(created) => created,
        Err(refusal) => return Ok(OrganisationCreated::Refused(refusal)),
    };
    row.has_vat_control = new.vat_control;
    if new.dry_run {
        return Ok(OrganisationCreated::Created(Box::new(row)));
    }
    row.changed_epoch = unit.bump(Topic::Memberships).await?;
    let inserted = organisation::ActiveModel { id: NotSet, ..active_model(&row) };
    let row = read(inserted.insert(unit.db).await?);
    insert_member(unit, row.id, new.owner, Role::Owner, row.changed_epoch).await?;

    let mut books = CachedBooks::new(row.clone());
    let (mut effects, mut identifiers) = (Effects::default(), Identifiers::default());
    let chart: Vec<_> = standard_chart::at_creation(new.vat_control).collect();
    let accounts = i64::try_from(chart.len()).unwrap_or(i64::MAX);
    books::reserve(&mut identifiers, unit, IdSequence::Account, accounts).await?;
    books::reserve(&mut identifiers, unit, IdSequence::BankAccount, 1).await?;
    for account in chart {
        let account = account.with_id(AccountId(identifiers.next(IdSequence::Account)));
        if account.code == standard_chart::FIRST_BANK_ACCOUNT_CODE {
            let bank = BankAccountRecord::first(identifiers.next(IdSequence::BankAccount), account.id.0, unit.now_ms);
            effects.push(row.id.0, Effect::BankAccount(bank.id));
            books.put_bank_account(bank);
        }
        effects.push(row.id.0, Effect::Account(account.id.0));
        books.put_account(AccountRecord::of(&account, unit.now_ms));
    }
    effects.push(row.id.0, Effect::FinancialYears);
    if let Some((from, scheme)) = vat_scheme {
        books.vat = Arc::new(VatHistory::new(vec![(from, scheme)]));
        effects.push(row.id.0, Effect::VatSchemes);
    }
    if let Some(replay) = &new.replay {
        let result = CommandResult::Organisation(Box::new(row.clone()));
        store_answer(&mut effects, (unit.now_ms, unit.served_ms()), (row.id.0, new.owner), replay, &result);
    }
    let actor = Actor {
        user_id: new.owner,
        key_prefix: new.key_prefix.clone(),
        may_reopen: true,
        connection: new.connection,
        tool: new.tool,
        note: None,
    };
    record_organisation_created(&mut effects, &row, &actor, unit.now_ms);
    let of_group = HashMap::from([(row.id, books)]);
    write::write(unit, &effects, (&Facts::default(), &of_group), &[(row.id.0, 1, 1, 2)]).await?;
    Ok(OrganisationCreated::Created(Box::new(row)))
}

/// Reads a change of the period lock.
pub(super) fn read_lock_change(row: &Row) -> Result<LockChange, StoreError> {
    Ok(LockChange { lock_date: row.maybe_date(0)?, reason: row.get(1)?, user_id: row.get(2)?, at_ms: row.get(3)? })
}
