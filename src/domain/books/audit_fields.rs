//! The fields of a record that the history of the books shows, printed as answers print them.

use crate::domain::calendar::day_text;
use crate::domain::ledger::decimal::Percent;
use crate::domain::ledger::money::Pence;

/// Longer texts of a record are cut in its history.
const TEXT_CHARS_MAX: usize = 200;

/// What the history tells of a record: some of its fields by name, as answers print them.
#[derive(Debug, Clone, Default)]
pub(crate) struct AuditFields(Vec<(&'static str, String)>);

const NULL: &str = "null";

impl AuditFields {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    fn with(mut self, name: &'static str, json: String) -> Self {
        self.0.push((name, json));
        self
    }

    pub(crate) fn text<'t>(self, name: &'static str, text: impl Into<Option<&'t str>>) -> Self {
        // Text always prints.
        let json = text.into().map(|text| serde_json::to_string(cut(text, TEXT_CHARS_MAX)).unwrap_or_default());
        self.with(name, json.unwrap_or_else(|| NULL.to_owned()))
    }

    pub(crate) fn number(self, name: &'static str, number: impl Into<Option<i64>>) -> Self {
        self.with(name, number.into().map_or_else(|| NULL.to_owned(), |number| number.to_string()))
    }

    /// A percentage, kept in hundredths of a percent.
    pub(crate) fn percent(self, name: &'static str, hundredths: Option<i64>) -> Self {
        self.with(name, hundredths.map_or_else(|| NULL.to_owned(), |rate| Percent(rate).to_string()))
    }

    pub(crate) fn money(self, name: &'static str, pence: i64) -> Self {
        self.with(name, Pence(pence).to_string())
    }

    pub(crate) fn day(self, name: &'static str, day: impl Into<Option<i32>>) -> Self {
        let text = day.into().map(day_text);
        self.text(name, text.as_deref())
    }

    pub(crate) fn flag(self, name: &'static str, flag: bool) -> Self {
        self.with(name, flag.to_string())
    }

    /// As a JSON object, without the fields that are not wanted.
    fn print(&self, is_wanted: impl Fn(&(&'static str, String)) -> bool) -> String {
        let mut json = String::from("{");
        for field in self.0.iter().filter(|field| is_wanted(field)) {
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

/// What was before and after: all that is said of what came or went, and of what stayed only what is otherwise.
pub(crate) fn printed(before: Option<&AuditFields>, after: Option<&AuditFields>) -> (Option<String>, Option<String>) {
    let said = |audit_fields: &AuditFields| audit_fields.print(|(_, json)| json != NULL);
    match (before, after) {
        (Some(before), Some(after)) => {
            (Some(before.print(|field| !after.0.contains(field))), Some(after.print(|field| !before.0.contains(field))))
        }
        (before, after) => (before.map(said), after.map(said)),
    }
}

pub(crate) fn cut(text: &str, chars_max: usize) -> &str {
    text.char_indices().nth(chars_max).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stayed_is_told_by_its_differences() {
        let fields =
            |name: &str, code: Option<&str>| AuditFields::new().text("name", name).text("code", code).money("due", 50);
        let (before, after) = printed(Some(&fields("Ann", None)), Some(&fields("Anna", Some("\"7\""))));
        assert_eq!(before.as_deref(), Some(r#"{"name":"Ann","code":null}"#));
        assert_eq!(after.as_deref(), Some(r#"{"name":"Anna","code":"\"7\""}"#));
        let (before, after) = printed(None, Some(&fields("Ann", None)));
        assert_eq!((before, after.as_deref()), (None, Some(r#"{"name":"Ann","due":0.50}"#)));
    }

    #[test]
    fn long_texts_are_cut() {
        let long = "ä".repeat(500);
        let printed = AuditFields::new().text("notes", long.as_str()).print(|_| true);
        assert_eq!(printed.chars().filter(|character| *character == 'ä').count(), TEXT_CHARS_MAX);
    }
}
