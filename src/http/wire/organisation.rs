//! The organisation record on the wire (`ledger.md` 2.1).

use serde_json::{Value, json};

use crate::domain::access::Role;
use crate::domain::calendar::date_time_text;
use crate::http::wire::books::AssignedId;
use crate::store::OrganisationRow;

/// The record as one person sees it; every field is always present.
pub fn organisation_json(row: &OrganisationRow, role: Role) -> Value {
    let percent = |basis_points: Option<i64>| {
        basis_points.map(|points| rust_decimal::Decimal::new(points, 2).normalize().to_string())
    };
    json!({
        "id": AssignedId(row.id.0),
        "name": row.name,
        "legal_name": row.legal_name,
        "entity_type": row.entity_type,
        "company_number": row.company_number,
        "utr": row.utr,
        "base_currency": row.base_currency,
        "country": row.country,
        "timezone": row.timezone,
        "address": {
            "line1": row.address.line1,
            "line2": row.address.line2,
            "city": row.address.city,
            "region": row.address.region,
            "postcode": row.address.postcode,
            "country": row.address.country,
        },
        "financial_year_end": row.financial_year_end,
        "books_start_date": row.books_start_date,
        "vat_registered": row.vat_registered,
        "vat_number": row.vat_number,
        "vat_scheme": row.vat_scheme,
        "vat_scheme_from": row.vat_scheme_from,
        "flat_rate_percent": number(percent(row.flat_rate_basis_points)),
        "vat_period_months": row.vat_period_months,
        "vat_period_end_month": row.vat_period_end_month,
        "cis_contractor": row.cis_contractor,
        "cis_subcontractor": row.cis_subcontractor,
        "cis_suffered_rate": number(percent(row.cis_suffered_basis_points)),
        "lock_date": row.lock_date,
        "default_payment_terms_days": row.default_payment_terms_days,
        "sales_invoice_prefix": row.sales_invoice_prefix,
        "sales_invoice_next_number": row.sales_invoice_next_number,
        "sales_credit_note_prefix": row.sales_credit_note_prefix,
        "has_vat_control": row.has_vat_control,
        "opening_balances_set": row.opening_balances_set,
        "role": role.as_str(),
        "status": row.status,
        "created_at": date_time_text(row.created_at_ms),
        "updated_at": date_time_text(row.updated_at_ms),
        "version": row.version,
    })
}

/// A JSON number from decimal text of at most two decimals, which a float holds and prints exactly.
fn number(text: Option<String>) -> Value {
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null)
}
