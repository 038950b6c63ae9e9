//! The records of the books on the wire. Amounts are JSON numbers written with exactly two decimals, read from their
//! digits, and never pass through a float.

pub mod account;
pub mod allocation;
pub mod bank;
pub mod bank_account;
pub mod changes;
pub mod confirmation;
pub mod email;
pub mod imports;
pub mod journal;
pub mod opening;
pub mod organisation;
pub(in crate::http) mod read;
pub mod settlement;
pub mod suggestions;
pub mod vat_adjustment;
pub mod vat_return;
pub mod write_off;

pub use read::{BOOK_DATE_RULE, TAX_MONTH_RULE, body, parse_book_date, parse_tax_month, period_rule, utr};

use serde::ser::{Serialize, Serializer};

use crate::domain::ledger::refusal::{DetailValue, Refusal, RefusalClass};
use crate::domain::problem::{Issue, Issues};
pub use crate::http::envelope::{AssignedId, CURRENCY, Exact, Money};
use crate::http::error::ApiError;

/// The same for an item of a batch, which is named by its row.
pub fn refused_item(row: usize, refusal: &Refusal) -> ApiError {
    if refusal.class() == RefusalClass::Field {
        return field_issue(refusal, u64::try_from(row).ok());
    }
    let error = refused(refusal);
    let details = Details { reason: refusal.reason(), extras: refusal.extras(), row: Some(row) };
    error.with_details_text(serde_json::value::to_raw_value(&details).ok())
}

/// How a refusal of the rules is answered.
pub fn refused(refusal: &Refusal) -> ApiError {
    let message = refusal.message();
    let error = match refusal.class() {
        RefusalClass::Field => return field_issue(refusal, None),
        RefusalClass::Conflict => ApiError::conflict(refusal.reason(), message),
        RefusalClass::Unprocessable => ApiError::unprocessable(refusal.reason(), message),
    };
    let details = Details { reason: refusal.reason(), extras: refusal.extras(), row: None };
    error.with_details_text(serde_json::value::to_raw_value(&details).ok())
}

/// A field that is not what it may be beside the others is answered like one that breaks the format.
fn field_issue(refusal: &Refusal, item: Option<u64>) -> ApiError {
    let Refusal::Field { field: path, message } = refusal else { return ApiError::internal(refusal.message()) };
    let (section, field) = path.rsplit_once('.').unwrap_or(("body", path));
    // `lines[2].account_id` is the field of a row.
    let (section, row) = match section.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        Some((section, row)) => (section, row.parse().ok()),
        None => (section, None),
    };
    let mut issue = Issue {
        section: section.to_owned(),
        row,
        field: Some(field.to_owned()),
        path: path.clone(),
        message: message.clone().into_owned(),
    };
    if let Some(row) = item {
        issue.path = format!("items[{row}].{path}");
        (issue.section, issue.row) = ("items".to_owned(), Some(row));
    }
    let mut issues = Issues::default();
    issues.push(issue);
    match item {
        Some(_) => batch_format(&issues),
        None => ApiError::invalid_request_format(&issues),
    }
}

/// 422 `invalid_request_format` of a batch, with the item of the first problem.
pub fn batch_format(issues: &Issues) -> ApiError {
    let error = ApiError::invalid_request_format(issues);
    let first = issues.listed.first().and_then(|issue| issue.path.strip_prefix("items[")?.split_once(']'));
    match first.and_then(|(row, _)| row.parse::<u64>().ok()) {
        Some(row) => error.with_detail("row", row),
        None => error,
    }
}

struct Details {
    reason: &'static str,
    extras: Vec<(&'static str, DetailValue)>,
    /// The item of a batch.
    row: Option<usize>,
}

impl Serialize for Details {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut map = serializer.serialize_map(Some(self.extras.len() + 1))?;
        map.serialize_entry("reason", self.reason)?;
        for (key, extra) in &self.extras {
            match extra {
                DetailValue::Null => map.serialize_entry(key, &())?,
                DetailValue::Id(id) => map.serialize_entry(key, id)?,
                DetailValue::Ids(ids) => map.serialize_entry(key, ids)?,
                DetailValue::Text(text) => map.serialize_entry(key, text)?,
                DetailValue::Texts(texts) => map.serialize_entry(key, texts)?,
                DetailValue::Money(amount) => map.serialize_entry(key, &Money(amount.0))?,
                DetailValue::Date(date) => map.serialize_entry(key, date)?,
                DetailValue::Row(row) => map.serialize_entry(key, row)?,
            }
        }
        if let Some(row) = &self.row {
            map.serialize_entry("row", row)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::domain::ledger::money::Pence;

    #[test]
    fn refusals_become_the_errors_of_the_list() {
        let error = refused(&Refusal::Unbalanced { total_debit: Pence(500), total_credit: Pence(499) });
        let details = error.details_text().map(RawValue::get);
        assert_eq!(details, Some(r#"{"reason":"unbalanced","total_debit":5.00,"total_credit":4.99}"#));
        let error = refused(&Refusal::field("cis.deduction_rate", "is needed"));
        assert_eq!(error.details().unwrap()["issues"][0]["path"], "cis.deduction_rate");
        let error = refused(&Refusal::field("lines[2].vat_code", "is needed"));
        let issue = error.details().unwrap()["issues"][0].clone();
        assert_eq!((&issue["section"], &issue["row"]), (&"lines".into(), &2.into()));
        assert_eq!((&issue["field"], &issue["path"]), (&"vat_code".into(), &"lines[2].vat_code".into()));
    }
}
