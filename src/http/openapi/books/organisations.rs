//! Organisations and their period lock.

use serde_json::{Value, json};

use super::super::operation::Operation;
use super::super::schema::{
    Any, Field, array, boolean, choice, date, id, integer, label, label_or_empty, maybe, moment, named, nullable,
    number, object, optional, plain, prefix, required, strict, string, text,
};
use super::TAG;
use super::shared::{address_in, address_out, data, date_in, inside, patch, percent_in, utr_in};
use crate::domain::calendar::timezones;
use crate::http::error::ErrorCode;

/// A day of the year as MM-DD; 02-28 and 02-29 both are the last day of February.
const YEAR_END: &str =
    "^(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))$";
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
    .path("organisationId", "The id of the organisation.", id(), 1.into())
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
    .made("The organisation was made.", named("OrganisationData"), json!({ "data": organisation_example() }))
    .refusals(&["currency_not_supported"])
    .vat_rules()
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
    .refusals(&["period_locked"])
    .vat_rules()
    .rule("vat_scheme_from", "a change of scheme needs its first day")
    .rule("vat_scheme_from", "must be the first day of a VAT period")
    .change()
    .versioned()
}

impl Operation {
    /// How registration, scheme and percentage go together.
    fn vat_rules(self) -> Self {
        self.rule("vat_scheme", "is required when VAT registered")
            .rule("vat_scheme", "must be null unless VAT registered")
            .rule("flat_rate_percent", "must be null unless the scheme is flat_rate")
            .rule("flat_rate_percent", "the flat rate scheme needs a percentage from 0.01 to 50")
            .rule("flat_rate_percent", "only the flat rate scheme has a percentage; use null")
    }
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
    .rule("lock_date", "must not be in the future")
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
        "id": 1, "name": "Larkspur Joinery Ltd", "legal_name": "Larkspur Joinery Limited", "entity_type": "limited_company",
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
        ("OrganisationData", data("An organisation.", named("Organisation"))),
        ("CreateOrganisation", create()),
        ("Timezone", choice(&timezones().collect::<Vec<_>>()).description(Some("An IANA time zone.")).into()),
        ("UpdateOrganisation", patch(patchable(false)).into()),
        ("PeriodLock", lock()),
        ("PeriodLockData", data("The period lock.", named("PeriodLock"))),
        (
            "SetPeriodLock",
            strict(
                "Where the lock goes.",
                vec![required("lock_date", nullable(date_in())), maybe("reason", plain(1, 500))],
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
        maybe("books_start_date", date_in()),
        optional("base_currency", choice(&["GBP"])),
    ]);
    strict("What a new organisation shall be.", fields).into()
}

fn patchable(is_new: bool) -> Vec<Field> {
    let name = if is_new { required("name", label(255)) } else { optional("name", label(255)) };
    vec![
        name,
        maybe("legal_name", label_or_empty(255)),
        optional("entity_type", choice(&KINDS)),
        maybe("company_number", plain(0, 20)),
        maybe("utr", utr_in()),
        optional("address", address_in()),
        optional("timezone", named("Timezone")),
        optional("financial_year_end", string().pattern(Some(YEAR_END))),
        optional("cis_contractor", boolean()),
        optional("cis_subcontractor", boolean()),
        maybe("cis_suffered_rate", percent_in(0.0, 100.0)),
        optional("default_payment_terms_days", integer(0).maximum(Some(365_isize))),
        optional("sales_invoice_prefix", prefix(10)),
        optional("sales_credit_note_prefix", prefix(10)),
        optional("vat_registered", boolean()),
        maybe("vat_number", plain(0, 20)),
        maybe("vat_scheme", choice(&["standard", "cash", "flat_rate"])),
        maybe("vat_scheme_from", date_in()),
        maybe("flat_rate_percent", percent_in(0.01, 50.0)),
        optional("vat_period_months", integer(1).enum_values(Some([1, 3, 12]))),
        optional("vat_period_end_month", integer(1).maximum(Some(12_isize))),
    ]
}

fn organisation() -> utoipa::openapi::Object {
    let maybe_text = || nullable(string());
    object(
        "An organisation whose books are kept. What does not apply is null.",
        vec![
            required("id", nullable(id())),
            required("name", text(1, 255)),
            required("legal_name", maybe_text()),
            required("entity_type", nullable(choice(&KINDS))),
            required("company_number", maybe_text()),
            required("utr", maybe_text()),
            required("base_currency", string()),
            required("country", string()),
            required("timezone", string()),
            required("address", nullable(address_out())),
            required("financial_year_end", string().pattern(Some(YEAR_END))),
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
