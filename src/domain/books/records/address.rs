//! Postal addresses, and their changes.

use crate::domain::books::audit_fields::AuditFields;

/// A postal address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// First line.
    pub line1: Option<String>,
    /// Second line.
    pub line2: Option<String>,
    /// Town or city.
    pub city: Option<String>,
    /// County or region.
    pub region: Option<String>,
    /// Postcode.
    pub postcode: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
}

/// The changed fields of a postal address; a field that is none stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as the fields of the address")]
pub struct AddressChange {
    pub line1: Option<Option<String>>,
    pub line2: Option<Option<String>>,
    pub city: Option<Option<String>>,
    pub region: Option<Option<String>>,
    pub postcode: Option<Option<String>>,
    pub country: Option<Option<String>>,
}

impl AddressChange {
    /// The change that clears every field.
    pub fn cleared() -> Self {
        let none = || Some(None);
        Self { line1: none(), line2: none(), city: none(), region: none(), postcode: none(), country: none() }
    }

    /// The address after the change.
    #[must_use]
    pub fn applied_to(self, before: Address) -> Address {
        Address {
            line1: self.line1.unwrap_or(before.line1),
            line2: self.line2.unwrap_or(before.line2),
            city: self.city.unwrap_or(before.city),
            region: self.region.unwrap_or(before.region),
            postcode: self.postcode.unwrap_or(before.postcode),
            country: self.country.unwrap_or(before.country),
        }
    }
}

/// Adds the fields of an address.
pub(crate) fn with_address(audit_fields: AuditFields, address: &Address) -> AuditFields {
    audit_fields
        .text("address_line1", address.line1.as_deref())
        .text("address_line2", address.line2.as_deref())
        .text("address_city", address.city.as_deref())
        .text("address_region", address.region.as_deref())
        .text("address_postcode", address.postcode.as_deref())
        .text("address_country", address.country.as_deref())
}
