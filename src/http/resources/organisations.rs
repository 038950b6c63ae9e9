//! Organisations: those the caller may see, a new one, and what may be changed of one.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde::ser::{Error as _, Serializer};
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use super::accounts::vat_scheme;
use super::address::AddressJson;
use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::request::{CommandResult, CreateOrganisation, OrganisationCreated, PrintAnswer};
use crate::domain::caller::{KeyReach, Role};
use crate::domain::date::Date;
use crate::domain::ledger::money::Percent;
use crate::domain::ledger::organisation::EntityType;
use crate::domain::ledger::refusal::Refusal;
use crate::domain::ledger::vat::FlatRateBasis;
use crate::http::books::change::{
    AnswerContext, ChangeHeaders, answer, body_or_path, execute, printed, replayed, require_administrator_access,
    stored_member,
};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{AssignedId, CURRENCY, Exact, Id, Moment};
use crate::http::error::ApiError;
use crate::http::openapi::schema::{choice, string};
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::wire::books::organisation::{parse_new, parse_patch};
use crate::http::wire::books::refused;

/// `GET /api/v1/books/organisations`: accepted memberships the key covers.
pub async fn list(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    Query::none(call.query())?;
    let access = call.access()?;
    let reader = &call.state().reader;
    let mut rows = reader.organisations_of(access.user_id).await?;
    reader.with_next_numbers(rows.iter_mut().map(|(row, _)| row)).await?;
    let covered = rows.iter().filter(|(row, _)| access.reach.covers(row.id));
    envelope::list(covered.map(|(row, role)| OrganisationJson::new(row, *role)).collect())
}

/// `GET /api/v1/books/organisations/{organisationId}`.
pub async fn show(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let (mut row, role) = stored_member(&call).await?;
    Query::none(call.query())?;
    call.state().reader.with_next_numbers([&mut row]).await?;
    envelope::data(StatusCode::OK, &OrganisationJson::new(&row, role))
}

/// `POST /api/v1/books/organisations`: the caller becomes its owner.
pub async fn create(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = call.access()?;
    let all = match access.reach {
        KeyReach::All => Ok(()),
        _ => Err(ApiError::forbidden("a connection restricted to organisations cannot make another")),
    };
    call.permitted(all)?;
    let new = body_or_path(parse_new(&call.body), true)?;
    if let Some(currency) = new.currency.filter(|currency| currency != CURRENCY) {
        return Err(refused(&Refusal::CurrencyNotSupported { currency }));
    }
    let headers = ChangeHeaders::of(&call)?;
    let dry_run = headers.dry_run;
    let context = AnswerContext { role: Role::Owner, today: Date::MIN };
    let stored: PrintAnswer =
        Arc::new(move |result| Some((StatusCode::CREATED.as_u16(), print(result, context, false)?)));
    let new = CreateOrganisation {
        owner: access.user_id,
        key_prefix: call.caller()?.key_prefix().map(str::to_owned),
        connection: call.caller()?.connection(),
        tool: call.tool(),
        change: new.change,
        vat_control: new.vat_control,
        replay: headers.replay(&call, stored).filter(|_| !dry_run),
        dry_run,
    };
    match call.state().actors.ledgers.create(new).await? {
        OrganisationCreated::Created(row) => {
            answer(&CommandResult::Organisation(row), context, StatusCode::CREATED, (dry_run, print))
        }
        OrganisationCreated::Refused(refusal) => Err(refused(&refusal)),
        OrganisationCreated::Replayed(stored) => replayed(stored),
    }
}

/// `PATCH /api/v1/books/organisations/{organisationId}`: owners and administrators only.
pub async fn patch(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let access = require_administrator_access(&call).await?;
    let change = body_or_path(parse_patch(&call.body), true)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::PatchOrganisation(Box::new(change)), print).await
}

/// The body of an answer.
fn print(result: &CommandResult, context: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::Organisation(row) => printed(&OrganisationJson::new(row, context.role), dry_run),
        _ => None,
    }
}

/// An organisation whose books are kept. What does not apply is null.
// The keys are printed in the order of the alphabet.
#[derive(Serialize, ToSchema)]
#[schema(as = Organisation, example = example)]
pub struct OrganisationJson<'a> {
    /// The reference of payments of PAYE and CIS to HMRC.
    #[schema(required)]
    accounts_office_reference: Option<&'a str>,
    #[serde(serialize_with = "in_order_of_the_alphabet")]
    address: AddressJson<'a>,
    /// Whether suggestions are asked for after each import of bank lines.
    auto_suggest: bool,
    base_currency: &'a str,
    #[schema(required)]
    books_start_date: Option<Date>,
    cis_contractor: bool,
    cis_subcontractor: bool,
    /// Percent.
    #[schema(required)]
    cis_suffered_rate: Option<Exact>,
    #[schema(required)]
    company_number: Option<&'a str>,
    country: &'a str,
    created_at: Moment,
    #[schema(minimum = 0, maximum = 365)]
    default_payment_terms_days: i64,
    /// The reply address of what is sent.
    #[schema(required)]
    email: Option<&'a str>,
    #[schema(schema_with = entity_type)]
    entity_type: &'a str,
    #[schema(schema_with = financial_year_end)]
    financial_year_end: &'a str,
    /// Under the flat rate: sales are its turnover at the date of the `invoice`, or in `cash`.
    #[schema(schema_with = flat_rate_basis)]
    flat_rate_basis: &'static str,
    #[schema(required)]
    flat_rate_percent: Option<Exact>,
    has_vat_control: bool,
    id: AssignedId,
    /// Printed below every invoice.
    #[schema(required)]
    invoice_footer: Option<&'a str>,
    #[schema(required)]
    legal_name: Option<&'a str>,
    #[schema(required)]
    lock_date: Option<Date>,
    #[schema(min_length = 1, max_length = 255)]
    name: &'a str,
    opening_balances_set: bool,
    /// The employer's reference at HMRC.
    #[schema(required)]
    paye_reference: Option<&'a str>,
    /// The bank account that invoices ask to pay to.
    #[schema(required)]
    payment_bank_account_id: Option<Id>,
    #[schema(required)]
    phone: Option<&'a str>,
    #[schema(schema_with = role)]
    role: &'static str,
    sales_credit_note_prefix: &'a str,
    #[schema(minimum = 1)]
    sales_invoice_next_number: i64,
    sales_invoice_prefix: &'a str,
    status: &'a str,
    timezone: &'a str,
    updated_at: Moment,
    #[schema(required)]
    utr: Option<&'a str>,
    #[schema(required)]
    vat_number: Option<&'a str>,
    #[schema(minimum = 1, maximum = 12)]
    vat_period_end_month: i64,
    #[schema(minimum = 1)]
    vat_period_months: i64,
    vat_registered: bool,
    #[schema(schema_with = vat_scheme, required)]
    vat_scheme: Option<&'a str>,
    #[schema(required)]
    vat_scheme_from: Option<Date>,
    #[schema(minimum = 1)]
    version: i64,
}

/// The schema of the type of an organisation.
pub fn entity_type() -> ObjectBuilder {
    choice(&EntityType::ALL.map(EntityType::as_str))
}

/// The schema of a day of the year as MM-DD; 02-28 and 02-29 both are the last day of February.
pub fn financial_year_end() -> ObjectBuilder {
    string().pattern(Some(
        "^(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))$",
    ))
}

/// The schema of when sales are turnover of the flat rate.
pub fn flat_rate_basis() -> ObjectBuilder {
    choice(&FlatRateBasis::ALL.map(FlatRateBasis::as_str))
}

fn role() -> ObjectBuilder {
    choice(&Role::ALL.map(Role::as_str)).description(Some("The caller's."))
}

fn in_order_of_the_alphabet<S: Serializer>(address: &AddressJson<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::to_value(address).map_err(S::Error::custom)?.serialize(serializer)
}

fn example() -> Value {
    let mut example = json!({
        "id": 1, "name": "Larkspur Joinery Ltd", "legal_name": "Larkspur Joinery Limited", "entity_type": "limited_company",
        "company_number": "09876543", "utr": null, "base_currency": "GBP", "country": "GB", "timezone": "Europe/London",
        "address": { "line1": "4 Mill Yard", "line2": null, "city": "York", "region": null, "postcode": "YO1 7EP", "country": "GB" },
        "financial_year_end": "03-31", "books_start_date": "2025-04-01",
        "vat_registered": true, "vat_number": "GB123456789", "vat_scheme": "standard", "vat_scheme_from": "2019-04-01",
        "flat_rate_percent": null, "flat_rate_basis": "invoice", "vat_period_months": 3, "vat_period_end_month": 6,
        "cis_contractor": true, "cis_subcontractor": false, "cis_suffered_rate": null,
        "lock_date": "2025-04-30", "default_payment_terms_days": 30,
        "sales_invoice_prefix": "INV-", "sales_invoice_next_number": 102, "sales_credit_note_prefix": "SCN-",
        "email": "accounts@larkspur.example", "phone": "01904 555 0123", "paye_reference": "123/AB456",
        "accounts_office_reference": "123PA00045678", "payment_bank_account_id": 1,
        "invoice_footer": "Thank you for your business.",
        "has_vat_control": true, "opening_balances_set": true, "role": "owner", "status": "active",
        "created_at": "2025-04-01T09:00:00Z", "updated_at": "2025-05-10T10:00:00Z", "version": 3
    });
    // The macro takes no more fields.
    if let Some(fields) = example.as_object_mut() {
        fields.insert("auto_suggest".to_owned(), false.into());
    }
    example
}

impl<'a> OrganisationJson<'a> {
    /// The record as one person sees it; every field is always present.
    pub fn new(row: &'a OrganisationRecord, role: Role) -> Self {
        let percent = |basis_points: Option<i64>| basis_points.map(|points| Exact::from(Percent(points)));
        Self {
            accounts_office_reference: row.accounts_office_reference.as_deref(),
            address: (&row.address).into(),
            auto_suggest: row.auto_suggest,
            base_currency: &row.base_currency,
            books_start_date: row.books_start_date,
            cis_contractor: row.cis_contractor,
            cis_subcontractor: row.cis_subcontractor,
            cis_suffered_rate: percent(row.cis_suffered_basis_points),
            company_number: row.company_number.as_deref(),
            country: &row.country,
            created_at: Moment(row.created_at_ms),
            default_payment_terms_days: row.default_payment_terms_days,
            email: row.email.as_deref(),
            entity_type: &row.entity_type,
            financial_year_end: &row.financial_year_end,
            flat_rate_basis: row.flat_rate_basis.as_str(),
            flat_rate_percent: percent(row.flat_rate_basis_points),
            has_vat_control: row.has_vat_control,
            id: AssignedId(row.id.0),
            invoice_footer: row.invoice_footer.as_deref(),
            legal_name: row.legal_name.as_deref(),
            lock_date: row.lock_date,
            name: &row.name,
            opening_balances_set: row.opening_balances_set,
            paye_reference: row.paye_reference.as_deref(),
            payment_bank_account_id: row.payment_bank_account_id.map(Id),
            phone: row.phone.as_deref(),
            role: role.as_str(),
            sales_credit_note_prefix: &row.sales_credit_note_prefix,
            sales_invoice_next_number: row.sales_invoice_next_number,
            sales_invoice_prefix: &row.sales_invoice_prefix,
            status: &row.status,
            timezone: &row.timezone,
            updated_at: Moment(row.updated_at_ms),
            utr: row.utr.as_deref(),
            vat_number: row.vat_number.as_deref(),
            vat_period_end_month: row.vat_period_end_month,
            vat_period_months: row.vat_period_months,
            vat_registered: row.vat_registered,
            vat_scheme: row.vat_scheme.as_deref(),
            vat_scheme_from: row.vat_scheme_from,
            version: row.version,
        }
    }
}
