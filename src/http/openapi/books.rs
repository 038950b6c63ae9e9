//! The ledger: organisations so far.

use serde_json::{Value, json};

use super::operation::Operation;
use super::schema::{
    Any, array, boolean, choice, date, id, integer, moment, named, nullable, number, object, required, string, text,
};
use crate::http::error::ErrorCode;

const TAG: &str = "Ledger";

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
    let kinds = ["sole_trader", "partnership", "limited_company", "llp", "charity", "landlord", "other"];
    object(
        "An organisation whose books are kept. What does not apply is null.",
        vec![
            required("id", id()),
            required("name", text(1, 255)),
            required("legal_name", maybe_text()),
            required("entity_type", nullable(choice(&kinds))),
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
