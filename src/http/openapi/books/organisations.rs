//! Organisations and their period lock.

use serde_json::json;

use super::super::operation::Operation;
use super::super::schema::{
    Any, Field, boolean, choice, id, integer, label, label_or_empty, maybe, named, nullable, optional, plain, prefix,
    required, strict,
};
use super::TAG;
use super::shared::{address_in, date_in, email_in, inside, patch, percent_in, utr_in};
use crate::domain::date::timezones;
use crate::http::envelope::{Data, List};
use crate::http::error::ErrorCode;
use crate::http::resources::organisations::{OrganisationJson, entity_type, financial_year_end, flat_rate_basis};
use crate::http::resources::period_lock::PeriodLockJson;

/// `GET /api/v1/books/organisations`.
pub fn list_organisations() -> Operation {
    Operation::new(
        TAG,
        "List organisations",
        "The organisations the key covers: accepted memberships only, without a pagination block.",
    )
    .answer::<List<OrganisationJson>>(200, "The organisations.")
}

/// `GET /api/v1/books/organisations/{organisationId}`.
pub fn get_organisation() -> Operation {
    Operation::new(
        TAG,
        "Get an organisation",
        "404 for one the person is not an accepted member of, 403 for one the key does not cover.",
    )
    .path("organisationId", "The id of the organisation.", id(), 1.into())
    .answer::<Data<OrganisationJson>>(200, "The organisation.")
    .error(ErrorCode::NotFound)
}

/// `POST /api/v1/books/organisations`.
pub fn create_organisation() -> Operation {
    Operation::new(
        TAG,
        "Create an organisation",
        "The caller becomes its owner, and it gets the standard UK chart of accounts; VAT Control only with `vat_control`. A key \
         restricted to organisations is refused.",
    )
    .request(named("CreateOrganisation"), json!({ "name": "Larkspur Joinery Ltd", "vat_control": true }))
    .created::<Data<OrganisationJson>>("The organisation was made.")
    .refusals(&["currency_not_supported", "unknown_reference"])
    .vat_rules()
    .change()
}

/// `PATCH /api/v1/books/organisations/{organisationId}`.
pub fn update_organisation() -> Operation {
    inside(
        "Change an organisation",
        "Owners and administrators only. Another VAT scheme begins on the first day of a VAT period after the lock date, another \
         percentage of the flat rate on any day after it; what is dated before keeps the old one. Another `flat_rate_basis` is another \
         scheme where the flat rate applies. A document keeps the basis it \
         was issued under, so another scheme is 409 `vat_already_posted` where VAT stands from its first day on: `journal_id` is \
         the earliest. What was undone on its own day does not count. Another `financial_year_end` is that of the years that end after \
         the lock date: what is locked stays as it is, and the first of the others is short or long, of 18 months at most.",
    )
    .request(named("UpdateOrganisation"), json!({ "vat_registered": true, "vat_scheme": "standard", "vat_scheme_from": "2026-04-01" }))
    .answer::<Data<OrganisationJson>>(200, "The organisation as it is now.")
    .refusals(&["period_locked", "unknown_reference"])
    .conflict(json!({ "reason": "vat_already_posted", "date": "2026-04-03", "journal_id": 40 }))
    .vat_rules()
    .rule("vat_scheme_from", "a change of scheme needs its first day")
    .rule("vat_scheme_from", "goes with a change of vat_scheme, flat_rate_percent or flat_rate_basis: what has begun is not moved")
    .rule("vat_scheme_from", "must be the first day of a VAT period")
    .rule("financial_year_end", "would make the first year that is not locked longer than 18 months")
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
    inside("Get the period lock", "The last day on which nothing is posted any more, and how it came there.")
        .answer::<Data<PeriodLockJson>>(200, "The lock.")
}

/// `PUT …/period-lock`.
pub fn set_period_lock() -> Operation {
    inside(
        "Move the period lock",
        "Forward: any role that may write; back, or null to clear it: owners and administrators. Never into the future.",
    )
    .request(named("SetPeriodLock"), json!({ "lock_date": "2026-02-28", "reason": "February is done" }))
    .answer::<Data<PeriodLockJson>>(200, "The lock as it is now.")
    .rule("lock_date", "must not be in the future")
    .change()
    .versioned()
}

/// The schemas of the bodies.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    vec![
        ("CreateOrganisation", create()),
        ("Timezone", choice(&timezones().collect::<Vec<_>>()).description(Some("An IANA time zone.")).into()),
        ("UpdateOrganisation", patch(patchable(false)).into()),
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
        optional("entity_type", entity_type()),
        maybe("company_number", plain(0, 20)),
        maybe("utr", utr_in()),
        optional("address", address_in()),
        optional("timezone", named("Timezone")),
        optional("financial_year_end", financial_year_end()),
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
        optional("flat_rate_basis", flat_rate_basis()),
        optional("vat_period_months", integer(1).enum_values(Some([1, 3, 12]))),
        optional("vat_period_end_month", integer(1).maximum(Some(12_isize))),
        maybe("email", email_in()),
        maybe("phone", plain(0, 50)),
        maybe("paye_reference", label_or_empty(20)),
        maybe("accounts_office_reference", label_or_empty(20)),
        maybe("payment_bank_account_id", id()),
        maybe("invoice_footer", plain(0, 2_000)),
        optional("auto_suggest", boolean().description(Some("Whether suggestions are asked for after each import."))),
    ]
}
