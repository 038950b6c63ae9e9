//! Single values as they are printed in JSON, for records and reports alike.

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::domain::ledger::money::Pence;

/// The one currency there is.
pub const CURRENCY: &str = "GBP";

/// An amount in pence, printed in pounds with two decimals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Money(pub i64);

impl From<Pence> for Money {
    fn from(amount: Pence) -> Self {
        Self(amount.0)
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(Pence(self.0).to_string()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// The identifier of a record that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id(pub i64);

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.0)
    }
}
