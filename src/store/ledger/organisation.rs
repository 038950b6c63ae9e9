//! Organisations: made with their books, and changed.

use chrono::NaiveDate;
use entity::organisation;
use sea_orm::ActiveModelTrait as _;
use sea_orm::ActiveValue::Set;

use super::accounts::AccountRow;
use super::bank_accounts::BankAccountRow;
use super::changes;
use super::effects::Effects;
use super::ids::{Identifiers, Kind};
use super::post::{Poster, Replay};
use super::replay::{self, Found};
use crate::domain::access::Role;
use crate::domain::calendar::{date_of, day_number};
use crate::domain::ids::{OrganisationId, UserId};
use crate::domain::ledger::decimal::Percent;
use crate::domain::ledger::organisation::{EntityType, VatPatch, VatSettings};
use crate::domain::ledger::period::Day;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::standard_chart;
use crate::domain::ledger::vat_scheme::VatScheme;
use crate::store::epochs::Topic;
use crate::store::organisations::{insert_member, read};
use crate::store::sql::{Row, Unit, for_update, params};
use crate::store::writer::{Locks, Writer};
use crate::store::{AddressChange, AddressRow, OrganisationRow, Reader, StoreError, StoredResponse};

/// One thing said about an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of the record, one each")]
pub enum OrganisationField {
    Name(String),
    LegalName(Option<String>),
    EntityType(EntityType),
    CompanyNumber(Option<String>),
    Utr(Option<String>),
    Address(AddressChange),
    Timezone(String),
    FinancialYearEnd(String),
    BooksStartDate(Option<NaiveDate>),
    CisContractor(bool),
    CisSubcontractor(bool),
    CisSufferedBasisPoints(Option<i64>),
    DefaultPaymentTermsDays(i64),
    SalesInvoicePrefix(String),
    SalesCreditNotePrefix(String),
}

/// What is said about an organisation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrganisationChange {
    /// Plain fields.
    pub fields: Vec<OrganisationField>,
    /// The VAT settings, which depend on each other.
    pub vat: VatPatch,
}

/// An organisation to be made.
#[derive(Debug, Clone)]
pub struct CreateOrganisation {
    /// Who makes and owns it.
    pub owner: UserId,
    /// With which key.
    pub key_prefix: Option<String>,
    /// What is said about it, its name at least.
    pub change: OrganisationChange,
    /// Whether a VAT Control account comes with it.
    pub vat_control: bool,
    /// The `Idempotency-Key` of the request.
    pub replay: Option<Replay>,
    /// Only what it would be; nothing is written.
    pub rehearsal: bool,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrganisationCreated {
    /// It is made.
    Created(Box<OrganisationRow>),
    /// A rule refused it; nothing was written.
    Refused(Refusal),
    /// It was made before under the same `Idempotency-Key`.
    Replayed(StoredResponse),
}

impl CreateOrganisation {
    /// One with a name and everything else as usual.
    pub fn named(owner: UserId, name: String, vat_control: bool) -> Self {
        let change = OrganisationChange { fields: vec![OrganisationField::Name(name)], vat: VatPatch::default() };
        Self { owner, key_prefix: None, change, vat_control, replay: None, rehearsal: false }
    }
}

impl Writer {
    /// Makes an organisation with the standard chart.
    pub async fn create_organisation(&self, new: CreateOrganisation) -> Result<OrganisationCreated, StoreError> {
        self.unit_of(Locks::Organisations, 32 * 1024, new, |unit, new| Box::pin(create(unit, new))).await
    }
}

impl OrganisationRow {
    /// The row after some of it was said anew. The VAT scheme that begins, if another does, is given back.
    pub(super) fn with(
        &self,
        change: &OrganisationChange,
        lock_day: Option<Day>,
        is_new: bool,
    ) -> Result<(Self, Option<(Day, VatScheme)>), Refusal> {
        let mut row = self.clone();
        for field in change.fields.iter().cloned() {
            match field {
                OrganisationField::Name(name) => row.name = name,
                OrganisationField::LegalName(name) => row.legal_name = name,
                OrganisationField::EntityType(kind) => row.entity_type = kind.as_str().to_owned(),
                OrganisationField::CompanyNumber(number) => row.company_number = number,
                OrganisationField::Utr(utr) => row.utr = utr,
                OrganisationField::Address(change) => row.address = change.applied_to(row.address),
                OrganisationField::Timezone(name) => row.timezone = name,
                OrganisationField::FinancialYearEnd(day) => row.financial_year_end = day,
                OrganisationField::BooksStartDate(date) => row.books_start_date = date,
                OrganisationField::CisContractor(is) => row.cis_contractor = is,
                OrganisationField::CisSubcontractor(is) => row.cis_subcontractor = is,
                OrganisationField::CisSufferedBasisPoints(rate) => row.cis_suffered_basis_points = rate,
                OrganisationField::DefaultPaymentTermsDays(days) => row.default_payment_terms_days = days,
                OrganisationField::SalesInvoicePrefix(prefix) => row.sales_invoice_prefix = prefix,
                OrganisationField::SalesCreditNotePrefix(prefix) => row.sales_credit_note_prefix = prefix,
            }
        }
        let (vat, begins) = if is_new {
            let vat = VatSettings::initial(&change.vat)?;
            let begins = vat.scheme.map(|scheme| (vat.scheme_from.unwrap_or(FIRST_DAY), scheme));
            (vat, begins)
        } else {
            row.vat_settings().patched(&change.vat, lock_day)?
        };
        row.vat_registered = vat.is_registered;
        row.vat_number = vat.number;
        row.vat_scheme = vat.scheme.map(|scheme| scheme.as_str().to_owned());
        row.vat_scheme_from = vat.scheme_from.map(date_of);
        row.flat_rate_basis_points = vat.scheme.and_then(VatScheme::flat_rate).map(|rate| rate.0);
        row.vat_period_months = i64::from(vat.period_months);
        row.vat_period_end_month = i64::from(vat.period_end_month);
        Ok((row, begins))
    }

    fn vat_settings(&self) -> VatSettings {
        let scheme = self.vat_scheme.as_deref();
        let rate = self.flat_rate_basis_points.map(Percent);
        VatSettings {
            is_registered: self.vat_registered,
            number: self.vat_number.clone(),
            // What is stored was accepted by the same rule.
            scheme: scheme.and_then(|word| VatScheme::from_parts(word, rate).ok()),
            scheme_from: self.vat_scheme_from.map(day_number),
            period_months: i32::try_from(self.vat_period_months).unwrap_or(3),
            period_end_month: i32::try_from(self.vat_period_end_month).unwrap_or(3),
        }
    }
}

/// 1900-01-01: before any date the books take.
const FIRST_DAY: Day = -25_567;

/// Writes an organisation's row as it is now.
pub(super) async fn write(unit: &Unit<'_>, row: &OrganisationRow) -> Result<(), StoreError> {
    active(row).update(unit.db).await?;
    Ok(())
}

fn active(row: &OrganisationRow) -> organisation::ActiveModel {
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
        books_start_date: Set(row.books_start_date),
        vat_registered: Set(row.vat_registered),
        vat_number: Set(row.vat_number),
        vat_scheme: Set(row.vat_scheme),
        vat_scheme_from: Set(row.vat_scheme_from),
        flat_rate_basis_points: Set(row.flat_rate_basis_points),
        vat_period_months: Set(row.vat_period_months),
        vat_period_end_month: Set(row.vat_period_end_month),
        cis_contractor: Set(row.cis_contractor),
        cis_subcontractor: Set(row.cis_subcontractor),
        cis_suffered_basis_points: Set(row.cis_suffered_basis_points),
        lock_date: Set(row.lock_date),
        default_payment_terms_days: Set(row.default_payment_terms_days),
        sales_invoice_prefix: Set(row.sales_invoice_prefix),
        sales_invoice_next_number: Set(row.sales_invoice_next_number),
        sales_credit_note_prefix: Set(row.sales_credit_note_prefix),
        has_vat_control: Set(row.has_vat_control),
        opening_balances_set: Set(row.opening_balances_set),
        status: Set(row.status),
        created_at: Set(row.created_at_ms),
        updated_at: Set(row.updated_at_ms),
        version: Set(row.version),
        changed_epoch: Set(row.changed_epoch),
    }
}

fn blank(now_ms: i64) -> OrganisationRow {
    OrganisationRow {
        id: OrganisationId(0),
        name: String::new(),
        legal_name: None,
        entity_type: EntityType::LimitedCompany.as_str().to_owned(),
        company_number: None,
        utr: None,
        base_currency: "GBP".to_owned(),
        country: "GB".to_owned(),
        timezone: "Europe/London".to_owned(),
        address: AddressRow::default(),
        financial_year_end: "03-31".to_owned(),
        books_start_date: None,
        vat_registered: false,
        vat_number: None,
        vat_scheme: None,
        vat_scheme_from: None,
        flat_rate_basis_points: None,
        vat_period_months: 3,
        vat_period_end_month: 3,
        cis_contractor: false,
        cis_subcontractor: false,
        cis_suffered_basis_points: None,
        lock_date: None,
        default_payment_terms_days: 30,
        sales_invoice_prefix: "INV-".to_owned(),
        sales_invoice_next_number: 1,
        sales_credit_note_prefix: "SCN-".to_owned(),
        has_vat_control: false,
        opening_balances_set: false,
        status: "active".to_owned(),
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        version: 1,
        changed_epoch: 0,
    }
}

async fn create(unit: &Unit<'_>, new: &CreateOrganisation) -> Result<OrganisationCreated, StoreError> {
    if let Some(asked) = &new.replay {
        // The same key in another process waits here for the commit of the first, and then finds its answer.
        let topic = Topic::Memberships.as_str();
        let lock = format!("select value from change_epoch where topic = $1{}", for_update(unit.backend));
        unit.one(&lock, params![topic]).await?;
        match replay::find(unit, new.owner, asked).await? {
            Found::Nothing => {}
            Found::Same(stored) => return Ok(OrganisationCreated::Replayed(stored)),
            Found::Other => return Ok(OrganisationCreated::Refused(Refusal::IdempotencyKeyReused)),
        }
    }
    let (mut row, begins) = match blank(unit.now_ms).with(&new.change, None, true) {
        Ok(made) => made,
        Err(refusal) => return Ok(OrganisationCreated::Refused(refusal)),
    };
    row.has_vat_control = new.vat_control;
    if new.rehearsal {
        return Ok(OrganisationCreated::Created(Box::new(row)));
    }
    row.changed_epoch = unit.bump(Topic::Memberships).await?;
    let inserted = organisation::ActiveModel { id: sea_orm::ActiveValue::NotSet, ..active(&row) };
    let row = read(inserted.insert(unit.db).await?);
    insert_member(unit, row.id, new.owner, Role::Owner, row.changed_epoch).await?;

    let mut effects = Effects::default();
    let mut identifiers = Identifiers::default();
    let chart: Vec<_> = standard_chart::at_creation(new.vat_control).collect();
    identifiers.reserve(unit, Kind::Account, i64::try_from(chart.len()).unwrap_or(i64::MAX)).await?;
    identifiers.reserve(unit, Kind::BankAccount, 1).await?;
    for account in chart {
        let account = account.with_id(crate::domain::ledger::ids::AccountId(identifiers.next(Kind::Account)));
        if account.code == standard_chart::FIRST_BANK_ACCOUNT_CODE {
            let bank = BankAccountRow::first(identifiers.next(Kind::BankAccount), account.id.0, unit.now_ms);
            effects.bank_account(row.id.0, bank);
        }
        effects.account(row.id.0, AccountRow::of(&account, unit.now_ms));
    }
    if let Some((from, scheme)) = begins {
        effects.vat_scheme(row.id.0, from, scheme.as_str(), scheme.flat_rate().map(|rate| rate.0));
    }
    if let Some(asked) = &new.replay {
        let posted = super::post::Posted::Organisation(Box::new(row.clone()));
        replay::keep(&mut effects, unit.now_ms, new.owner, asked, &posted);
    }
    let poster = Poster { user_id: new.owner, key_prefix: new.key_prefix.clone(), may_reopen: true };
    changes::note_organisation_made(&mut effects, &row, &poster, unit.now_ms);
    effects.write(unit, &[(row.id.0, 1, 1, 2)]).await?;
    Ok(OrganisationCreated::Created(Box::new(row)))
}

/// The history of an organisation's period lock, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockChange {
    /// The last locked day; none when it was cleared.
    pub lock_day: Option<i32>,
    /// Why.
    pub reason: Option<String>,
    /// Who.
    pub user_id: i64,
    /// When.
    pub at_ms: i64,
}

/// Moves of the lock that are told.
pub(super) const LOCK_CHANGES_MAX: i64 = 100;

pub(super) const LOCK_CHANGES: &str = "select lock_day, reason, user_id, at from period_lock_change \
     where organisation_id = $1 order by id desc limit $2";

pub(super) fn read_lock_change(row: &Row) -> Result<LockChange, StoreError> {
    let day: Option<i64> = row.get(0)?;
    Ok(LockChange {
        lock_day: day.and_then(|day| i32::try_from(day).ok()),
        reason: row.get(1)?,
        user_id: row.get(2)?,
        at_ms: row.get(3)?,
    })
}

impl Reader {
    /// The latest moves of an organisation's period lock, newest first.
    pub async fn lock_changes(&self, organisation: OrganisationId) -> Result<Vec<LockChange>, StoreError> {
        let rows = self.all(LOCK_CHANGES, params![organisation.0, LOCK_CHANGES_MAX]).await?;
        rows.iter().map(read_lock_change).collect()
    }
}
