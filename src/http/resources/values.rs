//! The single values of answers: how each is printed, and how the OpenAPI document describes it.

use std::fmt::Display;

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{ObjectBuilder, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::domain::date::{Date, date_time_text};
pub use crate::domain::ids::Id;
pub use crate::domain::ledger::money::{CURRENCY, Money};
use crate::domain::ledger::vat::VatCode;
use crate::http::openapi::schema::{choice, date, id, moment, nullable, number};

/// A moment in milliseconds, printed as RFC 3339 in UTC.
#[derive(Debug, Clone, Copy)]
pub struct Moment(pub i64);

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&date_time_text(self.0))
    }
}

/// An identifier or number that the change assigns: null in the answer to a dry run, where it is below 1.
#[derive(Debug, Clone, Copy)]
pub struct AssignedId(pub i64);

impl Serialize for AssignedId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 < 1 { serializer.serialize_none() } else { serializer.serialize_i64(self.0) }
    }
}

/// How an identifier of another record is described, where there may be none: its value is `Option<AssignedId>`.
#[derive(Debug, Clone, Copy)]
pub struct RelatedId;

/// A decimal, printed as a JSON number without trailing zeros.
#[derive(Debug, Clone)]
pub struct Exact(String);

impl<T: Display> From<T> for Exact {
    fn from(decimal: T) -> Self {
        Self(decimal.to_string())
    }
}

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.clone()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// How a value is described; its component has the name of the type.
macro_rules! described {
    ($($value:ty => $schema:expr),+ $(,)?) => {
        $(
            impl PartialSchema for $value {
                fn schema() -> RefOr<Schema> {
                    $schema.into()
                }
            }

            impl ToSchema for $value {}
        )+
    };
}

described! {
    Money => number().description(Some("Pounds, always with two decimals.")),
    Date => date(),
    Moment => moment(),
    Id => id(),
    AssignedId => nullable(id().description(Some("Null in the answer to a dry run."))),
    RelatedId => nullable(id().description(Some("Null when there is no such record, and when a dry run would create it."))),
    Exact => number().description(Some("A decimal without trailing zeros.")),
}

/// The schema of a VAT code: `#[schema(schema_with = vat_code)]`.
pub fn vat_code() -> ObjectBuilder {
    choice(&VatCode::ALL.map(VatCode::code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ledger::money::{Decimal4, Percent};

    #[test]
    fn amounts_have_two_decimals_and_no_minus_zero() {
        let printed = serde_json::to_string(&[Money(120_000), Money(-5), Money(0), Money(7), Money(-123)]).unwrap();
        assert_eq!(printed, "[1200.00,-0.05,0.00,0.07,-1.23]");
    }

    #[test]
    fn dates_moments_and_identifiers_are_printed() {
        let values = (Date::numbered(0), Moment(1), Id(7), AssignedId(0), AssignedId(7));
        let printed = serde_json::to_string(&values).unwrap();
        assert_eq!(printed, r#"["1970-01-01","1970-01-01T00:00:00.001Z",7,null,7]"#);
    }

    #[test]
    fn decimals_are_printed_without_trailing_zeros() {
        let decimals = [Decimal4(75_000), Decimal4(-1), Decimal4(10_000)].map(Exact::from);
        assert_eq!(serde_json::to_string(&decimals).unwrap(), "[7.5,-0.0001,1]");
        assert_eq!(serde_json::to_string(&Exact::from(Percent(1_250))).unwrap(), "12.5");
    }
}
