//! API keys: the body that makes one.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::str::FromStr as _;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::object::Object;
use crate::domain::caller::{Scope, ScopeSet};
use crate::domain::ids::OrganisationId;
use crate::domain::problem::Issues;

/// Organisations a key may be restricted to.
const ORGANISATIONS_MAX: usize = 100;

/// A key to be created.
pub struct KeyRequest {
    /// Its name.
    pub name: String,
    /// Its scopes.
    pub scopes: ScopeSet,
    /// Whether jobs made with it may be billed as overage.
    pub allow_overage: bool,
    /// The organisations it is restricted to.
    pub organisation_ids: Option<Vec<OrganisationId>>,
}

/// Reads the body of `POST /api/v1/keys`.
pub fn parse(body: &[u8]) -> Result<KeyRequest, Issues> {
    let mut issues = Issues::default();
    let object = Object::read(body, &["name", "scopes", "allow_overage", "organisation_ids"], &mut issues);
    let Some(object) = object else { return Err(issues) };
    let name = object.required_text("name", 1..=120, &mut issues);
    let scopes = scopes(&object, &mut issues);
    let allow_overage = object.boolean("allow_overage", &mut issues).unwrap_or(false);
    let organisation_ids = organisations(&object, &mut issues);
    object.order(&mut issues);
    match name {
        Some(name) if issues.is_empty() => Ok(KeyRequest { name, scopes, allow_overage, organisation_ids }),
        _ => Err(issues),
    }
}

fn scopes(object: &Object<'_>, issues: &mut Issues) -> ScopeSet {
    let mut set = ScopeSet::default();
    let allowed = || Scope::ALL.map(Scope::as_str).join(", ");
    let Some((items, count)) = object.items("scopes", 1000) else {
        issues.field("body", "scopes", format!("is required: an array of at least one of {}", allowed()));
        return set;
    };
    if count == 0 {
        issues.field("body", "scopes", format!("must have at least one of {}", allowed()));
    }
    for (row, item) in (0_u64..).zip(items) {
        let text = serde_json::from_str::<Cow<'_, str>>(item.get()).ok();
        match text.and_then(|text| Scope::parse(&text)) {
            None => issues.row("scopes", row, None, format!("must be one of {}", allowed())),
            Some(scope) if !set.insert(scope) => {
                issues.row("scopes", row, None, format!("{} is given twice", scope.as_str()));
            }
            Some(_) => {}
        }
    }
    set
}

fn organisations(object: &Object<'_>, issues: &mut Issues) -> Option<Vec<OrganisationId>> {
    object.get_nullable("organisation_ids")?;
    let Some((items, count)) = object.items("organisation_ids", ORGANISATIONS_MAX) else {
        issues.field(
            "body",
            "organisation_ids",
            format!("must be an array of 1 to {ORGANISATIONS_MAX} organisation ids, or be left out for all"),
        );
        return None;
    };
    if count == 0 || count > ORGANISATIONS_MAX {
        issues.field(
            "body",
            "organisation_ids",
            format!("must have 1 to {ORGANISATIONS_MAX} organisation ids; leave it out for all"),
        );
    }
    let mut seen = BTreeSet::new();
    let mut ids = Vec::new();
    for (row, item) in (0_u64..).zip(items) {
        match whole_number(item.get()).map(OrganisationId) {
            None => issues.row("organisation_ids", row, None, "must be an integer of at least 1"),
            Some(id) if !seen.insert(id) => issues.row("organisation_ids", row, None, format!("{id} is given twice")),
            Some(id) => ids.push(id),
        }
    }
    Some(ids)
}

/// An integer of at least 1 in any JSON spelling (`7`, `7.0`, `7e0`).
fn whole_number(text: &str) -> Option<i64> {
    let exact = text.parse::<i64>().ok();
    let number = exact.or_else(|| {
        let decimal = Decimal::from_str(text).or_else(|_| Decimal::from_scientific(text)).ok()?;
        decimal.is_integer().then(|| decimal.to_i64()).flatten()
    });
    number.filter(|number| *number >= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_may_be_spelt_in_any_way_json_allows() {
        for (text, number) in [("7", Some(7)), ("7.0", Some(7)), ("7e0", Some(7)), ("1e3", Some(1_000)), ("0", None)] {
            assert_eq!(whole_number(text), number, "{text}");
        }
        for text in ["-7", "7.5", "\"7\"", "null", "[]", "1e400", "9223372036854775808"] {
            assert_eq!(whole_number(text), None, "{text}");
        }
    }

    #[test]
    fn only_organisation_ids_may_be_null() {
        let read = |text: &str| parse(text.as_bytes()).map_err(|issues| issues.listed.len());
        assert!(read(r#"{"name":"n","scopes":["books:read"],"organisation_ids":null}"#).is_ok());
        assert_eq!(read(r#"{"name":"n","scopes":["books:read"],"allow_overage":null}"#).err(), Some(1));
    }
}
