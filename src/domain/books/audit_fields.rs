//! The fields of a record that the history of the books shows, printed as answers print them.

use crate::domain::date::Date;
use crate::domain::ledger::money::{Pence, Percent};

/// Longer texts of a record are truncated in its history.
const TEXT_CHARS_MAX: usize = 200;

/// Some fields of a record by name, each as the JSON of an answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct AuditFields(Vec<(&'static str, String)>);

/// The JSON of a field without a value.
const NULL: &str = "null";

impl AuditFields {
    /// No fields yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a field.
    fn with(mut self, name: &'static str, json: String) -> Self {
        self.0.push((name, json));
        self
    }

    /// Adds a text.
    pub(crate) fn text<'t>(self, name: &'static str, text: impl Into<Option<&'t str>>) -> Self {
        // Text always prints.
        let json = text.into().map(|text| serde_json::to_string(truncated(text, TEXT_CHARS_MAX)).unwrap_or_default());
        self.with(name, json.unwrap_or_else(|| NULL.to_owned()))
    }

    /// Adds a number.
    pub(crate) fn number(self, name: &'static str, number: impl Into<Option<i64>>) -> Self {
        self.with(name, number.into().map_or_else(|| NULL.to_owned(), |number| number.to_string()))
    }

    /// Adds a percentage, given in hundredths of a percent.
    pub(crate) fn percent(self, name: &'static str, hundredths: Option<i64>) -> Self {
        self.with(name, hundredths.map_or_else(|| NULL.to_owned(), |rate| Percent(rate).to_string()))
    }

    /// Adds an amount of money.
    pub(crate) fn money(self, name: &'static str, pence: i64) -> Self {
        self.with(name, Pence(pence).to_string())
    }

    /// Adds a date.
    pub(crate) fn date(self, name: &'static str, date: impl Into<Option<Date>>) -> Self {
        let text = date.into().map(|date| date.to_string());
        self.text(name, text.as_deref())
    }

    /// Adds a truth value.
    pub(crate) fn flag(self, name: &'static str, flag: bool) -> Self {
        self.with(name, flag.to_string())
    }

    /// A JSON object of the fields that pass.
    fn to_json(&self, passes: impl Fn(&(&'static str, String)) -> bool) -> String {
        let mut json = String::from("{");
        for field in self.0.iter().filter(|field| passes(field)) {
            if json.len() > 1 {
                json.push(',');
            }
            json.push('"');
            json.push_str(field.0);
            json.push_str("\":");
            json.push_str(&field.1);
        }
        json.push('}');
        json
    }
}

/// The record before and after a change as JSON: of a created or deleted record the fields with a value, of a changed
/// record the fields that differ.
pub(crate) fn audit_json(
    before: Option<&AuditFields>,
    after: Option<&AuditFields>,
) -> (Option<String>, Option<String>) {
    let with_value = |audit_fields: &AuditFields| audit_fields.to_json(|(_, json)| json != NULL);
    match (before, after) {
        (Some(before), Some(after)) => (
            Some(before.to_json(|field| !after.0.contains(field))),
            Some(after.to_json(|field| !before.0.contains(field))),
        ),
        (before, after) => (before.map(with_value), after.map(with_value)),
    }
}

/// The first characters of a text.
pub(crate) fn truncated(text: &str, chars_max: usize) -> &str {
    text.char_indices().nth(chars_max).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_record_is_shown_by_its_differences() {
        let fields =
            |name: &str, code: Option<&str>| AuditFields::new().text("name", name).text("code", code).money("due", 50);
        let (before, after) = audit_json(Some(&fields("Ann", None)), Some(&fields("Anna", Some("\"7\""))));
        assert_eq!(before.as_deref(), Some(r#"{"name":"Ann","code":null}"#));
        assert_eq!(after.as_deref(), Some(r#"{"name":"Anna","code":"\"7\""}"#));
        let (before, after) = audit_json(None, Some(&fields("Ann", None)));
        assert_eq!((before, after.as_deref()), (None, Some(r#"{"name":"Ann","due":0.50}"#)));
    }

    #[test]
    fn long_texts_are_truncated() {
        let long = "ä".repeat(500);
        let printed = AuditFields::new().text("notes", long.as_str()).to_json(|_| true);
        assert_eq!(printed.chars().filter(|character| *character == 'ä').count(), TEXT_CHARS_MAX);
    }
}
