//! Customers and suppliers: the same operations, on paths of their own, and two shapes that differ in what they say of CIS.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::{Object, ObjectBuilder};

use super::address::AddressJson;
use super::journals::nullable_vat_code;
use crate::domain::books::command::BooksCommand;
use crate::domain::books::records::contact::{CisChange, CisDetails, ContactField, ContactFilter, ContactView};
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::request::CommandResult;
use crate::domain::date::{Date, date_in};
use crate::domain::ledger::contact::{CisRate, ContactKind};
use crate::domain::problem::Issues;
use crate::http::books::change::{
    AnswerContext, body_or_path, execute, member, path_id, printed, printed_deleted, require_write_access,
};
use crate::http::call::Call;
use crate::http::envelope;
use crate::http::envelope::{AssignedId, CURRENCY, Id, Moment, Money};
use crate::http::error::ApiError;
use crate::http::openapi::books::shared;
use crate::http::openapi::schema::{
    Any, Field, boolean, choice, id, integer, label, label_or_empty, maybe, optional, plain, required, strict,
};
use crate::http::products::Products;
use crate::http::query::Query;
use crate::http::wire::books::{body, utr};
use crate::http::wire::strict::{BODY, FieldPath, Reading, StrictReader};

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

/// A key of the bodies that make and change a contact.
struct BodyField {
    name: &'static str,
    /// Its schema, in a body that makes (`true`) or changes a contact.
    schema: fn(&'static str, bool) -> Field,
    /// Reads its value, in a body that makes (`true`) or changes a contact.
    read: fn(&mut StrictReader<'_>, FieldPath<'static>, bool) -> Reading<Option<ContactField>>,
}

/// The keys that both kinds have. The first one is required.
const BODY_FIELDS: [BodyField; 12] = [
    BodyField {
        name: "name",
        schema: |name, is_new| if is_new { required(name, label(255)) } else { optional(name, label(255)) },
        read: |reader, path, _| Ok(reader.name(path, 1..=255)?.map(|name| ContactField::Name(name.into_owned()))),
    },
    BodyField {
        name: "contact_name",
        schema: |name, _| maybe(name, label_or_empty(255)),
        read: |reader, path, _| Ok(reader.maybe_label(path, 255)?.map(ContactField::ContactName)),
    },
    BodyField {
        name: "email",
        schema: |name, _| maybe(name, shared::email_in()),
        read: |reader, path, _| Ok(reader.maybe_email(path)?.map(ContactField::Email)),
    },
    BodyField {
        name: "phone",
        schema: |name, _| maybe(name, plain(0, 50)),
        read: |reader, path, _| Ok(reader.maybe_text(path, 50)?.map(ContactField::Phone)),
    },
    BodyField {
        name: "address",
        schema: |name, _| optional(name, shared::address_in()),
        read: |reader, _, _| Ok(Some(ContactField::Address(reader.address()?))),
    },
    BodyField {
        name: "company_number",
        schema: |name, _| maybe(name, plain(0, 20)),
        read: |reader, path, _| Ok(reader.maybe_text(path, 20)?.map(ContactField::CompanyNumber)),
    },
    BodyField {
        name: "vat_number",
        schema: |name, _| maybe(name, plain(0, 20)),
        read: |reader, path, _| Ok(reader.maybe_text(path, 20)?.map(ContactField::VatNumber)),
    },
    BodyField {
        name: "payment_terms_days",
        schema: |name, _| maybe(name, integer(0).maximum(Some(365_isize))),
        read: |reader, path, _| {
            let days = or_null(reader, |reader| reader.whole(path, 0..=365))?;
            Ok(days.map(ContactField::PaymentTermsDays))
        },
    },
    BodyField {
        name: "default_account_id",
        schema: |name, _| maybe(name, id()),
        read: |reader, path, _| Ok(or_null(reader, |reader| reader.id(path))?.map(ContactField::DefaultAccountId)),
    },
    BodyField {
        name: "default_vat_code",
        schema: |name, _| maybe(name, shared::vat_code()),
        read: |reader, path, _| {
            let code = or_null(reader, |reader| reader.vat_code(path))?;
            Ok(code.map(|code| ContactField::DefaultVatCode(code.map(|code| code.code().to_owned()))))
        },
    },
    BodyField {
        name: "reference",
        schema: |name, _| maybe(name, plain(0, 50)),
        read: |reader, path, _| Ok(reader.maybe_text(path, 50)?.map(ContactField::Reference)),
    },
    BodyField {
        name: "notes",
        schema: |name, _| maybe(name, plain(0, 2000)),
        read: |reader, path, _| Ok(reader.maybe_text(path, 2_000)?.map(ContactField::Notes)),
    },
];

/// The last key of a customer's bodies.
const CUSTOMER_BODY_FIELD: BodyField = BodyField {
    name: "cis_deducts",
    schema: |name, _| {
        optional(name, boolean().description(Some("Whether this customer deducts CIS from what it pays.")))
    },
    read: |reader, path, _| Ok(reader.flag(path)?.map(ContactField::CisDeducts)),
};

/// The last key of a supplier's bodies.
const SUPPLIER_BODY_FIELD: BodyField = BodyField {
    name: "cis",
    schema: |name, is_new| maybe(name, cis_in(is_new)),
    read: |reader, _, is_new| Ok(cis(reader, is_new)?.map(ContactField::Cis)),
};

/// The keys of the bodies of a kind.
fn body_fields(kind: ContactKind) -> impl Iterator<Item = &'static BodyField> {
    const OWN: [BodyField; 2] = [CUSTOMER_BODY_FIELD, SUPPLIER_BODY_FIELD];
    BODY_FIELDS.iter().chain(match kind {
        ContactKind::Customer => &OWN[..1],
        ContactKind::Supplier => &OWN[1..],
    })
}

/// Reads a body that makes (`is_new`) or changes a contact.
pub fn parse(text: &[u8], kind: ContactKind, is_new: bool) -> Result<Vec<ContactField>, Issues> {
    let mut names = [""; BODY_FIELDS.len() + 1];
    names.iter_mut().zip(body_fields(kind)).for_each(|(name, field)| *name = field.name);
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let mut fields = Vec::new();
    let read = reader.object(FieldPath::section(BODY), &names, |reader, at| {
        let Some(field) = body_fields(kind).nth(at) else { return Ok(()) };
        fields.extend((field.read)(reader, body(field.name), is_new)?);
        Ok(())
    });
    let read = read.map(|given| match given {
        Some(given) if is_new => reader.require(FieldPath::section(BODY), &names, &given, 1),
        given => reader.require_some(given),
    });
    reader.finish(read)?;
    Ok(fields)
}

/// The schemas of the bodies, by name.
pub fn body_schemas() -> Vec<(&'static str, Any)> {
    let fields = |kind, is_new| body_fields(kind).map(|field| (field.schema)(field.name, is_new)).collect();
    let new = |kind| strict("A new one; only the name is required.", fields(kind, true)).into();
    let change = |kind| shared::patch(fields(kind, false)).into();
    vec![
        ("CreateCustomer", new(ContactKind::Customer)),
        ("CreateSupplier", new(ContactKind::Supplier)),
        ("UpdateCustomer", change(ContactKind::Customer)),
        ("UpdateSupplier", change(ContactKind::Supplier)),
    ]
}

/// What may be null, which says that there is none.
fn or_null<'a, T>(
    reader: &mut StrictReader<'a>,
    read: impl FnOnce(&mut StrictReader<'a>) -> Reading<Option<T>>,
) -> Reading<Option<Option<T>>> {
    if reader.is_null()? { Ok(Some(None)) } else { Ok(read(reader)?.map(Some)) }
}

/// The schema of what [`cis`] reads.
fn cis_in(is_new: bool) -> Object {
    let is_subcontractor = match is_new {
        true => required("is_subcontractor", boolean()),
        false => optional("is_subcontractor", boolean()),
    };
    strict(
        "How CIS is deducted from the supplier; a subcontractor needs a rate.",
        vec![
            is_subcontractor,
            maybe("deduction_rate", integer(0).enum_values(Some([0, 20, 30]))),
            maybe("utr", shared::utr_in()),
            maybe("verification_number", plain(0, 20)),
            maybe("verified_on", shared::date_in()),
        ],
    )
}

/// What is said about the CIS: keys that are left out stay as they were, null clears.
fn cis(reader: &mut StrictReader<'_>, is_new: bool) -> Reading<Option<CisChange>> {
    const NAMES: [&str; 5] = ["is_subcontractor", "deduction_rate", "utr", "verification_number", "verified_on"];
    if reader.is_null()? {
        return Ok(Some(CisDetails::default().into()));
    }
    let mut cis = CisChange::default();
    let section = FieldPath::section("cis");
    let given = reader.object(section, &NAMES, |reader, at| {
        let path = section.field(NAMES.get(at).copied().unwrap_or_default());
        let is_null = at > 0 && reader.is_null()?;
        match at {
            0 => cis.is_subcontractor = reader.flag(path)?,
            1 if is_null => cis.deduction_rate = Some(None),
            1 => {
                let rate = reader.whole(path, 0..=30)?;
                if rate.is_some_and(|rate| CisRate::from_percent(rate).is_none()) {
                    reader.problem(path, "must be 0, 20 or 30");
                }
                cis.deduction_rate = Some(rate);
            }
            2 if is_null => cis.utr = Some(None),
            2 => cis.utr = Some(utr(reader, path)?),
            3 if is_null => cis.verification_number = Some(None),
            3 => cis.verification_number = reader.maybe_text(path, 20)?,
            _ if is_null => cis.verified_date = Some(None),
            _ => cis.verified_date = Some(reader.book_date(path)?),
        }
        Ok(())
    })?;
    if let Some(given) = given.filter(|_| is_new) {
        reader.require(section, &NAMES, &given, 1);
    }
    Ok(given.map(|_| cis))
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
