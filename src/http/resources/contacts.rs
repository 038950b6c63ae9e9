//! Customers and suppliers: the same operations, on paths of their own, and two shapes that differ in what they say of CIS.

use crate::domain::date::Date;
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::ObjectBuilder;

use super::address::AddressJson;
use super::journals::nullable_vat_code;
use super::values::{AssignedId, CURRENCY, Id, Moment, Money};
use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::contact::{CisDetails, ContactFilter, ContactView};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::request::CommandResult;
use crate::domain::calendar::date_in;
use crate::domain::ledger::contact::ContactKind;
use crate::http::books::access::{AnswerContext, member, require_write_access};
use crate::http::books::change::{body_or_path, execute, path_id, printed, printed_deleted};
use crate::http::books::query::Query;
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::error::ApiError;
use crate::http::openapi::schema::choice;
use crate::http::products::Products;
use crate::http::wire::books::contact::parse;

/// `GET …/customers`, `GET …/suppliers`.
pub async fn list(call: Call<Products>, kind: ContactKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let mut query = Query::new(call.query());
    let filter = ContactFilter {
        search: query.search("search"),
        include_archived: query.flag("include_archived"),
        updated_since_ms: query.moment("updated_since"),
    };
    let page = query.page(call.query());
    query.finish()?;
    let today = date_in(&organisation.timezone, call.began_at_ms());
    let reader = &call.state().reader;
    let (contacts, total) = reader.contacts(organisation.id, kind, &filter, today, (page.limit, page.offset)).await?;
    let contacts: Vec<_> = contacts.iter().map(ContactJson::from).collect();
    envelope::page(page, contacts, total)
}

/// `GET …/customers/{id}`, `GET …/suppliers/{id}`.
pub async fn show(call: Call<Products>, kind: ContactKind) -> Result<HttpResponse, ApiError> {
    let (organisation, _) = member(&call).await?;
    let found = found(&call, &organisation, kind, path_id(&call)?).await?;
    let found = found.ok_or_else(ApiError::not_found)?;
    Query::none(call.query())?;
    envelope::data(StatusCode::OK, &ContactJson::from(&found))
}

/// `POST …/customers`, `POST …/suppliers`.
pub async fn create(call: Call<Products>, kind: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let fields = body_or_path(parse(&call.body, kind, true), true)?;
    execute(&call, &access, StatusCode::CREATED, BooksCommand::CreateContact { kind, fields }, print).await
}

/// `PATCH …/customers/{id}`, `PATCH …/suppliers/{id}`.
pub async fn patch(call: Call<Products>, kind: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    let read = parse(&call.body, kind, false);
    let exists = read.is_ok() || found(&call, &access.organisation, kind, id).await?.is_some();
    let fields = body_or_path(read, exists)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::PatchContact { kind, id, fields }, print).await
}

/// `POST …/{id}/archive` and `POST …/{id}/unarchive`.
pub async fn set_archived(call: Call<Products>, kind: ContactKind, archived: bool) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::ArchiveContact { kind, id, archived }, print).await
}

/// `DELETE …/customers/{id}`, `DELETE …/suppliers/{id}`.
pub async fn delete(call: Call<Products>, kind: ContactKind) -> Result<HttpResponse, ApiError> {
    let access = require_write_access(&call).await?;
    let id = path_id(&call)?;
    execute(&call, &access, StatusCode::OK, BooksCommand::DeleteContact { kind, id }, print).await
}

async fn found(
    call: &Call<Products>,
    organisation: &OrganisationRecord,
    kind: ContactKind,
    id: i64,
) -> Result<Option<ContactView>, ApiError> {
    let today = date_in(&organisation.timezone, call.began_at_ms());
    Ok(call.state().reader.contact(organisation.id, kind, id, today).await?)
}

/// The body of an answer.
fn print(result: &CommandResult, _: AnswerContext, dry_run: bool) -> Option<String> {
    match result {
        CommandResult::Contact(view) => printed(&ContactJson::from(&**view), dry_run),
        CommandResult::Deleted(id) => printed_deleted(*id, dry_run),
        _ => None,
    }
}

/// A customer or a supplier.
#[derive(Serialize)]
#[serde(untagged)]
enum ContactJson<'a> {
    Customer(CustomerJson<'a>),
    Supplier(SupplierJson<'a>),
}

impl<'a> From<&'a ContactView> for ContactJson<'a> {
    fn from(view: &'a ContactView) -> Self {
        match view.row.kind {
            ContactKind::Customer => Self::Customer(view.into()),
            ContactKind::Supplier => Self::Supplier(view.into()),
        }
    }
}

/// What customers and suppliers have, and one key of their own between them.
macro_rules! contact {
    ($(#[$of_record:meta])* $name:ident { $(#[$of_key:meta])* $key:ident: [$($type:tt)+] from $details:ident $value:expr }) => {
        #[derive(Serialize, ToSchema)]
        $(#[$of_record])*
        pub struct $name<'a> {
            id: AssignedId,
            #[schema(schema_with = kind)]
            kind: &'static str,
            name: &'a str,
            #[schema(required)]
            contact_name: Option<&'a str>,
            #[schema(required)]
            email: Option<&'a str>,
            #[schema(required)]
            phone: Option<&'a str>,
            address: AddressJson<'a>,
            #[schema(required)]
            company_number: Option<&'a str>,
            #[schema(required)]
            vat_number: Option<&'a str>,
            #[schema(minimum = 0, required)]
            payment_terms_days: Option<i64>,
            #[schema(required)]
            default_account_id: Option<Id>,
            #[schema(schema_with = nullable_vat_code, required)]
            default_vat_code: Option<&'a str>,
            #[schema(required)]
            reference: Option<&'a str>,
            #[schema(required)]
            notes: Option<&'a str>,
            $(#[$of_key])*
            $key: $($type)+,
            currency: &'static str,
            balance: Money,
            overdue: Money,
            is_archived: bool,
            #[schema(required)]
            archived_at: Option<Moment>,
            created_at: Moment,
            updated_at: Moment,
            #[schema(minimum = 1)]
            version: i64,
        }

        impl<'a> From<&'a ContactView> for $name<'a> {
            fn from(view: &'a ContactView) -> Self {
                let row = &view.row;
                let $details = &row.details;
                Self {
                    id: AssignedId(row.id),
                    kind: row.kind.as_str(),
                    name: &$details.name,
                    contact_name: $details.contact_name.as_deref(),
                    email: $details.email.as_deref(),
                    phone: $details.phone.as_deref(),
                    address: (&$details.address).into(),
                    company_number: $details.company_number.as_deref(),
                    vat_number: $details.vat_number.as_deref(),
                    payment_terms_days: $details.payment_terms_days,
                    default_account_id: $details.default_account_id.map(Id),
                    default_vat_code: $details.default_vat_code.as_deref(),
                    reference: $details.reference.as_deref(),
                    notes: $details.notes.as_deref(),
                    $key: $value,
                    currency: CURRENCY,
                    balance: Money(view.balance_pence),
                    overdue: Money(view.overdue_pence),
                    is_archived: row.archived_at_ms.is_some(),
                    archived_at: row.archived_at_ms.map(Moment),
                    created_at: Moment(row.created_at_ms),
                    updated_at: Moment(row.updated_at_ms),
                    version: row.version,
                }
            }
        }
    };
}

contact! {
    /// A customer.
    #[schema(as = Customer, example = customer_example)]
    CustomerJson {
        /// Whether this customer deducts CIS from what it pays.
        cis_deducts: [bool] from details details.cis_deducts
    }
}

contact! {
    /// A supplier.
    #[schema(as = Supplier, example = supplier_example)]
    SupplierJson {
        cis: [SupplierCisJson<'a>] from details (&details.cis).into()
    }
}

/// How CIS is deducted from the supplier.
#[derive(Serialize, ToSchema)]
#[schema(as = SupplierCis)]
struct SupplierCisJson<'a> {
    is_subcontractor: bool,
    /// Percent.
    #[schema(minimum = 0, required)]
    deduction_rate: Option<i64>,
    #[schema(required)]
    utr: Option<&'a str>,
    #[schema(required)]
    verification_number: Option<&'a str>,
    #[schema(required)]
    verified_on: Option<Date>,
}

impl<'a> From<&'a CisDetails> for SupplierCisJson<'a> {
    fn from(cis: &'a CisDetails) -> Self {
        Self {
            is_subcontractor: cis.is_subcontractor,
            deduction_rate: cis.deduction_rate,
            utr: cis.utr.as_deref(),
            verification_number: cis.verification_number.as_deref(),
            verified_on: cis.verified_date,
        }
    }
}

fn kind() -> ObjectBuilder {
    choice(&[ContactKind::Customer, ContactKind::Supplier].map(ContactKind::as_str))
}

fn customer_example() -> Value {
    example("customer", "cis_deducts", json!(false))
}

fn supplier_example() -> Value {
    let cis = json!({
        "is_subcontractor": true, "deduction_rate": 20, "utr": "1234567890", "verification_number": "V0001234567",
        "verified_on": "2026-02-01"
    });
    example("supplier", "cis", cis)
}

fn example(kind: &str, own: &str, value: Value) -> Value {
    let mut example = json!({
        "id": 12, "kind": kind, "name": "Brightwell School", "contact_name": "P. Ash", "email": "accounts@example.com",
        "phone": null,
        "address": { "line1": "4 Mill Yard", "line2": null, "city": "York", "region": null, "postcode": "YO1 7EP", "country": "GB" },
        "company_number": null, "vat_number": null, "payment_terms_days": 14, "default_account_id": null,
        "default_vat_code": "ST", "reference": "BW-7", "notes": null,
        "currency": "GBP", "balance": 120.00, "overdue": 0.00, "is_archived": false, "archived_at": null,
        "created_at": "2026-03-10T12:00:00.000Z", "updated_at": "2026-03-10T12:00:00.000Z", "version": 1
    });
    if let Some(fields) = example.as_object_mut() {
        fields.insert(own.to_owned(), value);
    }
    example
}
