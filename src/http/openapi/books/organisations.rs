//! Organisations and their period lock.

use serde_json::{Value, json};

use super::super::operation::Operation;
use super::super::schema::{
    Any, Field, array, boolean, choice, date, id, integer, maybe, moment, named, nullable, number, object, optional,
    required, strict, string, text,
};
use super::{TAG, inside};
use crate::http::error::ErrorCode;

const KINDS: [&str; 7] = ["sole_trader", "partnership", "limited_company", "llp", "charity", "landlord", "other"];

/// `GET /api/v1/books/organisations`.
pub fn list_organisations() -> Operation {
    Operation::new(
        TAG,
        "List organisations",
        "The organisations the key covers: accepted memberships only, without a pagination block.",
    )
    .success(200, "The organisations.", named("OrganisationList"), json!({ "data": [organisation_example()] }))
}

/// `GET /api/v1/books/organisations/{organisationId}`.
pub fn get_organisation() -> Operation {
    Operation::new(
        TAG,
        "Get an organisation",
        "404 for one the person is not an accepted member of, 403 for one the key does not cover.",
    )
    .path("organisationId", "The id of the organisation.", id(), 7.into())
    .success(200, "The organisation.", named("OrganisationData"), json!({ "data": organisation_example() }))
    .error(ErrorCode::NotFound)
}

/// `POST /api/v1/books/organisations`.
pub fn create_organisation() -> Operation {
    Operation::new(
        TAG,
        "Make an organisation",
        "The caller becomes its owner, and it gets the standard UK chart of accounts; VAT Control only with `vat_control`. A key \
         restricted to organisations is refused.",
    )
    .request(named("CreateOrganisation"), json!({ "name": "Larkspur Joinery Ltd", "vat_control": true }))
    .success(201, "The organisation was made.", named("OrganisationData"), json!({ "data": organisation_example() }))
    .refused(json!({ "reason": "currency_not_supported", "currency": "USD" }))
    .change()
}

/// `PATCH /api/v1/books/organisations/{organisationId}`.
pub fn update_organisation() -> Operation {
    inside(
        "Change an organisation",
        "Owners and administrators only. Another VAT scheme begins on the first day of a VAT period after the lock date; what is \
         dated before it keeps the old one.",
    )
    .request(named("UpdateOrganisation"), json!({ "vat_registered": true, "vat_scheme": "cash", "vat_scheme_from": "2026-04-01" }))
    .success(200, "The organisation as it is now.", named("OrganisationData"), json!({ "data": organisation_example() }))
    .conflict(json!({ "reason": "stale_version" }))
    .refused(json!({
        "reason": "period_locked", "lock_date": "2026-02-28", "date": "2026-01-01", "earliest_date": "2026-03-01"
    }))
    .change()
    .versioned()
}

/// `GET …/period-lock`.
pub fn get_period_lock() -> Operation {
    inside("Get the period lock", "The last day on which nothing is posted any more, and how it came there.").success(
        200,
        "The lock.",
        named("PeriodLockData"),
        json!({ "data": lock_example() }),
    )
}

/// `PUT …/period-lock`.
pub fn set_period_lock() -> Operation {
    inside(
        "Move the period lock",
        "Forward: any role that may write; back, or null to clear it: owners and administrators. Never into the future.",
    )
    .request(named("SetPeriodLock"), json!({ "lock_date": "2026-02-28", "reason": "February is done" }))
    .success(200, "The lock as it is now.", named("PeriodLockData"), json!({ "data": lock_example() }))
    .conflict(json!({ "reason": "stale_version" }))
    .change()
    .versioned()
}

fn lock_example() -> Value {
    let change = json!({
        "lock_date": "2026-02-28", "locked_by": 3, "locked_at": "2026-03-10T12:00:00.000Z", "reason": "February is done"
    });
    json!({
        "lock_date": "2026-02-28", "locked_by": 3, "locked_at": "2026-03-10T12:00:00.000Z", "reason": "February is done",
        "history": [change]
    })
}

fn organisation_example() -> Value {
    json!({
        "id": 7, "name": "Larkspur Joinery Ltd", "legal_name": "Larkspur Joinery Limited", "entity_type": "limited_company",
        "company_number": "09876543", "utr": null, "base_currency": "GBP", "country": "GB", "timezone": "Europe/London",
        "address": { "line1": "4 Mill Yard", "line2": null, "city": "York", "region": null, "postcode": "YO1 7EP", "country": "GB" },
        "financial_year_end": "03-31", "books_start_date": "2025-04-01",
        "vat_registered": true, "vat_number": "GB123456789", "vat_scheme": "standard", "vat_scheme_from": "2019-04-01",
        "flat_rate_percent": null, "vat_period_months": 3, "vat_period_end_month": 6,
        "cis_contractor": true, "cis_subcontractor": false, "cis_suffered_rate": null,
        "lock_date": "2025-04-30", "default_payment_terms_days": 30,
        "sales_invoice_prefix": "INV-", "sales_invoice_next_number": 102, "sales_credit_note_prefix": "SCN-",
        "has_vat_control": true, "opening_balances_set": true, "role": "owner", "status": "active",
        "created_at": "2025-04-01T09:00:00Z", "updated_at": "2025-05-10T10:00:00Z", "version": 3
    })
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    vec![
        ("Organisation", organisation().into()),
        (
            "OrganisationList",
            object("Organisations.", vec![required("data", array(named("Organisation")).build())]).into(),
        ),
        ("OrganisationData", object("An organisation.", vec![required("data", named("Organisation"))]).into()),
        ("CreateOrganisation", create()),
        ("UpdateOrganisation", strict("What is to change; at least one of them.", patchable(false)).into()),
        ("PeriodLock", lock()),
        ("PeriodLockData", object("The period lock.", vec![required("data", named("PeriodLock"))]).into()),
        (
            "SetPeriodLock",
            strict(
                "Where the lock goes.",
                vec![required("lock_date", nullable(date())), maybe("reason", text(1, 500))],
            )
            .into(),
        ),
    ]
}

fn lock() -> Any {
    let change = || {
        vec![
            required("lock_date", nullable(date())),
            required("locked_by", nullable(id())),
            required("locked_at", nullable(moment())),
            required("reason", nullable(string())),
        ]
    };
    let mut fields = change();
    fields.push(required("history", array(object("A move of the lock.", change())).build()));
    object("Up to when nothing is posted any more.", fields).into()
}

fn create() -> Any {
    let mut fields = patchable(true);
    fields.extend([
        optional("vat_control", boolean().description(Some("Whether a VAT Control account comes with the chart."))),
        maybe("books_start_date", date()),
        optional("base_currency", choice(&["GBP"])),
    ]);
    strict("What a new organisation shall be.", fields).into()
}

fn patchable(is_new: bool) -> Vec<Field> {
    let line = |name| maybe(name, text(0, 255));
    let address = strict(
        "Where it is; it replaces the address before.",
        vec![line("line1"), line("line2"), line("city"), line("region"), line("postcode"), line("country")],
    );
    let name = if is_new { required("name", text(1, 255)) } else { optional("name", text(1, 255)) };
    vec![
        name,
        maybe("legal_name", text(0, 255)),
        optional("entity_type", choice(&KINDS)),
        maybe("company_number", text(0, 20)),
        maybe("utr", string().pattern(Some("^[0-9]{10}$"))),
        optional("address", address),
        optional("timezone", string().description(Some("IANA name."))),
        optional("financial_year_end", string().pattern(Some("^[0-9]{2}-[0-9]{2}$"))),
        optional("cis_contractor", boolean()),
        optional("cis_subcontractor", boolean()),
        maybe("cis_suffered_rate", number()),
        optional("default_payment_terms_days", integer(0).maximum(Some(365_isize))),
        optional("sales_invoice_prefix", text(0, 10)),
        optional("sales_credit_note_prefix", text(0, 10)),
        optional("vat_registered", boolean()),
        maybe("vat_number", text(0, 20)),
        maybe("vat_scheme", choice(&["standard", "cash", "flat_rate"])),
        maybe("vat_scheme_from", date()),
        maybe("flat_rate_percent", number()),
        optional("vat_period_months", integer(1).maximum(Some(12_isize))),
        optional("vat_period_end_month", integer(1).maximum(Some(12_isize))),
    ]
}

fn organisation() -> utoipa::openapi::Object {
    let maybe_text = || nullable(string());
    let mut address = object(
        "Where it is.",
        vec![
            required("line1", maybe_text()),
            required("line2", maybe_text()),
            required("city", maybe_text()),
            required("region", maybe_text()),
            required("postcode", maybe_text()),
            required("country", maybe_text()),
        ],
    );
    address.schema_type =
        [utoipa::openapi::schema::Type::Object, utoipa::openapi::schema::Type::Null].into_iter().collect();
    object(
        "An organisation whose books are kept. What does not apply is null.",
        vec![
            required("id", id()),
            required("name", text(1, 255)),
            required("legal_name", maybe_text()),
            required("entity_type", nullable(choice(&KINDS))),
            required("company_number", maybe_text()),
            required("utr", maybe_text()),
            required("base_currency", string()),
            required("country", string()),
            required("timezone", string()),
            required("address", address),
            required("financial_year_end", string().pattern(Some("^[0-9]{2}-[0-9]{2}$"))),
            required("books_start_date", nullable(date())),
            required("vat_registered", boolean()),
            required("vat_number", maybe_text()),
            required("vat_scheme", nullable(choice(&["standard", "cash", "flat_rate"]))),
            required("vat_scheme_from", nullable(date())),
            required("flat_rate_percent", nullable(number())),
            required("vat_period_months", nullable(integer(1))),
            required("vat_period_end_month", nullable(integer(1).maximum(Some(12_isize)))),
            required("cis_contractor", boolean()),
            required("cis_subcontractor", boolean()),
            required("cis_suffered_rate", nullable(number())),
            required("lock_date", nullable(date())),
            required("default_payment_terms_days", integer(0).maximum(Some(365_isize))),
            required("sales_invoice_prefix", string()),
            required("sales_invoice_next_number", integer(1)),
            required("sales_credit_note_prefix", string()),
            required("has_vat_control", boolean()),
            required("opening_balances_set", boolean()),
            required("role", choice(&["owner", "admin", "bookkeeper", "viewer"]).description(Some("The caller's."))),
            required("status", string()),
            required("created_at", moment()),
            required("updated_at", moment()),
            required("version", integer(1)),
        ],
    )
}
