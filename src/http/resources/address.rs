//! Postal addresses, inside the records that have one.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::books::records::address::Address;

/// A postal address.
#[derive(Serialize, ToSchema)]
#[schema(as = Address)]
pub struct AddressJson<'a> {
    #[schema(required)]
    line1: Option<&'a str>,
    #[schema(required)]
    line2: Option<&'a str>,
    #[schema(required)]
    city: Option<&'a str>,
    #[schema(required)]
    region: Option<&'a str>,
    #[schema(required)]
    postcode: Option<&'a str>,
    #[schema(required)]
    country: Option<&'a str>,
}

impl<'a> From<&'a Address> for AddressJson<'a> {
    fn from(address: &'a Address) -> Self {
        Self {
            line1: address.line1.as_deref(),
            line2: address.line2.as_deref(),
            city: address.city.as_deref(),
            region: address.region.as_deref(),
            postcode: address.postcode.as_deref(),
            country: address.country.as_deref(),
        }
    }
}
