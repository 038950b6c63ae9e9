//! What the operations of the books have in common. Schemas of requests are exactly as strict as the service, because
//! `cargo xtask conformance` makes up requests from them and takes every refusal of one for a failure, except business
//! answers: 409, 422 `unprocessable_entity`, and the rules an operation lists (`Operation::rule`).

use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::{Object, ObjectBuilder};

use super::super::operation::Operation;
use super::super::schema::{
    Any, Field, boolean, choice, date, id, maybe, nullable, one_of, optional, plain, strict, string, text,
};
use super::TAG;
use crate::http::error::ErrorCode;
use crate::http::wire::books::read::CODE_CHARS_MAX;

/// The real days from 1900-01-01 to 2199-12-31; only 1900 and 2100 are no leap years that look like one.
const DAY: &str = "^(?:(?:19|20|21)[0-9]{2}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:19(?:0[48]|[2468][048]|[13579][26])|20(?:[02468][048]|[13579][26])|21(?:0[48]|[2468][048]|[13579][26]))-02-29)$";
const MONEY_MAX: f64 = 9_999_999_999.99;

/// A list of an inverted range would be empty for a reason nobody sees.
pub(super) const DATES_IN_ORDER: &str = "must not be before date_from";

const DRY_RUN: &str = "Only with `dry_run=true`: what would have been made, with null ids.";

/// The schemas of single values that stand once, under these names.
pub(in crate::http::openapi) fn vocabulary() -> Vec<(&'static str, Any)> {
    let maybe = |schema: ObjectBuilder| nullable(schema).into();
    vec![
        ("Id", id().into()),
        ("NullableId", maybe(id())),
        ("DateInput", date_in().into()),
        ("NullableDateInput", maybe(date_in())),
        ("MoneyInput", money_in().into()),
        ("NullableMoneyInput", maybe(money_in())),
        ("MoneyInputNotZero", money_in_not_zero().into()),
        ("MoneyInputNotNegative", money_in_not_negative().into()),
        ("NullableMoneyInputNotNegative", maybe(money_in_not_negative())),
        ("MoneyInputPositive", money_in_positive().into()),
        ("NullableMoneyInputPositive", maybe(money_in_positive())),
        ("QuantityInput", quantity_in().into()),
        ("NullableQuantityInput", maybe(quantity_in())),
        ("UnitPriceInput", unit_price_in().into()),
        ("DiscountInput", percent_in(0.0, 100.0).into()),
        ("NullableDiscountInput", maybe(percent_in(0.0, 100.0))),
        ("AccountCodeInput", account_code_in().into()),
        ("NullableAccountCodeInput", maybe(account_code_in())),
        ("AddressInput", address_in().into()),
    ]
}

/// A date as a request gives it: a real day of the years 1900 to 2199.
pub(in crate::http) fn date_in() -> ObjectBuilder {
    date().pattern(Some(DAY))
}

/// An amount as a request gives it, negative for money out or a reduction.
pub(super) fn money_in() -> ObjectBuilder {
    amount_in("^-?[0-9]{1,10}([.][0-9]{1,2})?$", -MONEY_MAX)
        .description(Some("Pounds: a number that is a whole number of pence, or a string with at most two decimals."))
}

/// The same, and not zero.
pub(super) fn money_in_not_zero() -> ObjectBuilder {
    let mut not = Extensions::default();
    // The builder has no word for `not`; what is put in here is printed as it stands.
    not.insert("not".to_owned(), json!({ "const": 0 }));
    amount_in("^-?(?!0+([.]0+)?$)[0-9]{1,10}([.][0-9]{1,2})?$", -MONEY_MAX).extensions(Some(not)).description(Some(
        "Pounds, not zero: a number that is a whole number of pence, or a string with at most two decimals.",
    ))
}

/// The same, zero or more.
pub(super) fn money_in_not_negative() -> ObjectBuilder {
    amount_in("^[0-9]{1,10}([.][0-9]{1,2})?$", 0.0).description(Some(
        "Pounds, not negative: a number that is a whole number of pence, or a string with at most two decimals.",
    ))
}

/// The same, more than zero.
pub(super) fn money_in_positive() -> ObjectBuilder {
    amount_in("^(?!0+([.]0+)?$)[0-9]{1,10}([.][0-9]{1,2})?$", 0.01).description(Some(
        "Pounds, more than zero: a number that is a whole number of pence, or a string with at most two decimals.",
    ))
}

/// An amount in a query string.
pub(super) fn money_text() -> ObjectBuilder {
    string().pattern(Some("^-?[0-9]{1,10}([.][0-9]{1,2})?$")).description(Some("Pounds with at most two decimals."))
}

fn amount_in(pattern: &str, minimum: f64) -> ObjectBuilder {
    decimal_in(pattern, 0.01, minimum, MONEY_MAX)
}

/// A number or a string: the bounds are for the number, the pattern is for the string.
fn decimal_in(pattern: &str, step: f64, minimum: f64, maximum: f64) -> ObjectBuilder {
    let kinds: SchemaType = [Type::Number, Type::String].into_iter().collect();
    ObjectBuilder::new()
        .schema_type(kinds)
        .multiple_of(Some(step))
        .minimum(Some(minimum))
        .maximum(Some(maximum))
        .pattern(Some(pattern))
}

/// A quantity as a request gives it: not zero, at most four decimals, below a million.
pub(super) fn quantity_in() -> ObjectBuilder {
    let mut not = Extensions::default();
    not.insert("not".to_owned(), json!({ "const": 0 }));
    let pattern = "^-?(?!0+([.]0+)?$)0{0,4}[0-9]{1,6}([.][0-9]{1,4})?$";
    decimal_in(pattern, 0.0001, -999_999.999_9, 999_999.999_9)
        .extensions(Some(not))
        .description(Some("Not zero, at most four decimals; a number or a string."))
}

/// A price of one as a request gives it: at most four decimals, below a hundred million.
pub(super) fn unit_price_in() -> ObjectBuilder {
    let pattern = "^-?0{0,2}[0-9]{1,8}([.][0-9]{1,4})?$";
    decimal_in(pattern, 0.0001, -99_999_999.999_9, 99_999_999.999_9)
        .description(Some("Pounds, at most four decimals; a number or a string."))
}

/// A percentage with at most two decimals.
pub(super) fn percent_in(minimum: f64, maximum: f64) -> ObjectBuilder {
    // From 0 to 100, or more than 0 to 50: the two there are.
    let pattern = match minimum > 0.0 {
        false => "^0{0,7}(?:100([.]0{1,2})?|[0-9]{1,2}([.][0-9]{1,2})?)$",
        true => "^(?!0+([.]0+)?$)0{0,8}(?:50([.]0{1,2})?|[0-4]?[0-9]([.][0-9]{1,2})?)$",
    };
    decimal_in(pattern, 0.01, minimum, maximum)
        .description(Some("Percent with at most two decimals; a number or a string."))
}

/// The code of an account as a request gives it.
pub(super) fn account_code_in() -> ObjectBuilder {
    plain(1, CODE_CHARS_MAX).description(Some("The code of the account, in the place of its id."))
}

/// The two keys that name an account; at most one of them is given, which the operations have as a rule.
pub(super) fn account_keys() -> [Field; 2] {
    [maybe("account_id", id()), maybe("account_code", account_code_in())]
}

/// One of the five VAT codes.
pub(in crate::http) fn vat_code() -> ObjectBuilder {
    choice(&["ST", "RR", "ZR", "EX", "NV"])
}

/// The pattern of what the reader of e-mail addresses takes, but for letters of other scripts.
const EMAIL: &str = "^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:[.][A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:[.][A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$";

/// An e-mail address as a request gives it.
pub(in crate::http) fn email_in() -> ObjectBuilder {
    text(5, 254).pattern(Some(EMAIL))
}

/// A UTR as a request gives it.
pub(in crate::http) fn utr_in() -> ObjectBuilder {
    string().pattern(Some("^[0-9]{10}$"))
}

/// A postal address as a request gives it; it may also be null.
pub(in crate::http) fn address_in() -> Object {
    let line = |name| maybe(name, plain(0, 255));
    nullable(strict(
        "A postal address. Where one is changed, keys that are left out stay as they were and null clears: a key, or the whole.",
        vec![line("line1"), line("line2"), line("city"), line("region"), line("postcode"), line("country")],
    ))
}

/// What is to change: strict, and at least one of the keys.
pub(in crate::http) fn patch(fields: Vec<Field>) -> Object {
    let mut schema = strict("What is to change; at least one of them.", fields);
    schema.min_properties = Some(1);
    schema
}

/// A strict object with one of several sets of keys. Each set also takes the keys only the other sets have, as null,
/// since null is the same as leaving a key out.
pub(super) fn one_of_shapes(description: &str, keys: &[&'static str], shapes: Vec<Vec<Field>>) -> Any {
    let shapes = shapes.into_iter().map(|mut fields| {
        let absent: Vec<Field> = keys
            .iter()
            .filter(|key| fields.iter().all(|field| field.name() != **key))
            .map(|key| optional(key, ObjectBuilder::new().schema_type(Type::Null)))
            .collect();
        fields.extend(absent);
        strict(description, fields).into()
    });
    one_of(shapes.collect()).into()
}

/// An operation inside an organisation.
pub(super) fn inside(summary: &'static str, description: &'static str) -> Operation {
    Operation::new(TAG, summary, description)
        .path("organisationId", "The id of the organisation.", id(), 1.into())
        .error(ErrorCode::NotFound)
}

/// The same about one record.
pub(super) fn about(what: &str, summary: &'static str, description: &'static str) -> Operation {
    about_one(what, 12, summary, description)
}

/// The same with the id that is the example: `cargo xtask conformance` makes records to be found under the documented
/// ids, in the states in which the operation succeeds.
pub(super) fn about_one(what: &str, example: i64, summary: &'static str, description: &'static str) -> Operation {
    inside(summary, description).path("id", &format!("The id of the {what}."), id(), example.into())
}

impl Operation {
    /// What every change takes beside its body, and how it may be refused.
    pub(super) fn change(self) -> Self {
        self.idempotent()
            .query("dry_run", "`true`: decide and answer, and write nothing.", boolean(), true.into())
            .error(ErrorCode::ValidationError)
            .error(ErrorCode::InvalidRequestFormat)
    }

    /// The version the caller has seen.
    pub(super) fn versioned(self) -> Self {
        self.header(
            "If-Match",
            "The version the caller has seen, best in quotes; another one is 409 `stale_version`.",
            string().pattern(Some("^(?:\"[0-9]+\"|[0-9]+)$")).max_length(Some(100)),
            "\"1\"".into(),
        )
        .conflict(json!({ "reason": "stale_version" }))
    }

    /// The same with the type the handler answers with.
    pub(super) fn created<T: ToSchema>(self, description: &'static str) -> Self {
        self.answer::<T>(200, DRY_RUN).answer::<T>(201, description)
    }

    /// A 409 with this reason; there may be several.
    pub(super) fn conflict(self, details: Value) -> Self {
        self.error_with(ErrorCode::Conflict, details)
    }

    /// A 422 `unprocessable_entity` with this reason; there may be several.
    pub(super) fn refused(self, details: Value) -> Self {
        self.error_with(ErrorCode::UnprocessableEntity, details)
    }

    /// The 422 of these reasons, with an example of each.
    pub(super) fn refusals(self, reasons: &[&'static str]) -> Self {
        reasons.iter().fold(self, |operation, reason| operation.refused(refusal_example(reason)))
    }
}

fn refusal_example(reason: &'static str) -> Value {
    let mut details = match reason {
        "period_locked" => json!({ "lock_date": "2026-02-28", "date": "2026-02-10", "earliest_date": "2026-03-01" }),
        "unknown_reference" | "account_archived" | "wrong_account_type" => json!({ "field": "account_id", "id": 999 }),
        "contact_archived" => json!({ "field": "customer_id", "id": 12 }),
        "bank_account_archived" | "bank_account_mismatch" => json!({ "field": "bank_account_id", "id": 2 }),
        "contact_mismatch" => json!({ "field": "allocations[0].sales_invoice_id", "id": 31 }),
        "unbalanced" => json!({ "total_debit": 54.00, "total_credit": 53.00 }),
        "one_sided_line" => json!({ "row": 1 }),
        "over_allocated" => json!({ "available": 100.00, "requested": 120.00 }),
        "amount_mismatch" => json!({ "expected": -84.37, "actual": -80.00 }),
        "vat_amount_out_of_tolerance" => json!({ "field": "lines[0].vat_amount", "expected": 9.00, "actual": 12.00 }),
        "negative_total" => json!({ "total": -12.00 }),
        "currency_not_supported" => json!({ "currency": "USD" }),
        _ => json!({}),
    };
    if let Some(fields) = details.as_object_mut() {
        fields.insert("reason".to_owned(), reason.into());
    }
    details
}
