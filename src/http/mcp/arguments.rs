//! The arguments of a tool, held against its input schema before it runs: every problem at once, each with its field and what is
//! allowed. Only what the checked-in schemas use of JSON Schema 2020-12 is known; a test refuses anything else in them.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::outcome::Failure;
use crate::domain::date::Date;

/// The arguments of a tool.
pub(super) type Arguments = Map<String, Value>;

/// How many problems are named; the count goes on.
const PROBLEMS_NAMED_MAX: usize = 20;

/// The keywords of schemas that are understood here.
#[cfg(test)]
pub(super) const KEYWORDS: [&str; 15] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "pattern",
    "format",
    "description",
];

/// Refuses arguments that do not have the form of the schema.
pub(super) fn check(schema: &Map<String, Value>, arguments: &Arguments) -> Result<(), Failure> {
    let mut problems = Problems::default();
    object(schema, arguments, "", &mut problems);
    problems.into_result()
}

#[derive(Default)]
struct Problems {
    text: String,
    count: usize,
}

impl Problems {
    fn add(&mut self, path: &str, message: impl std::fmt::Display) {
        self.count += 1;
        if self.count <= PROBLEMS_NAMED_MAX {
            let before = if self.text.is_empty() { "" } else { "; " };
            let name = if path.is_empty() { "the arguments" } else { path };
            // Nothing fails that is written to a text.
            let _ = write!(self.text, "{before}{name}: {message}");
        }
    }

    fn into_result(mut self) -> Result<(), Failure> {
        if self.count == 0 {
            return Ok(());
        }
        if self.count > PROBLEMS_NAMED_MAX {
            let _ = write!(self.text, "; and {} more", self.count - PROBLEMS_NAMED_MAX);
        }
        Err(Failure::new("invalid_request_format", self.text))
    }
}

fn object(schema: &Map<String, Value>, value: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let nothing = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
    let is_open = schema.get("additionalProperties").is_none_or(|allowed| allowed != &Value::Bool(false));
    let inner = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !value.contains_key(name) {
            problems.add(&inner(name), "is required");
        }
    }
    for (name, value) in value {
        match properties.get(name).and_then(Value::as_object) {
            Some(schema) => one(schema, value, &inner(name), problems),
            None if is_open => {}
            None if properties.is_empty() => problems.add(&inner(name), "is not known; nothing is taken here"),
            None => {
                let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                problems.add(&inner(name), format_args!("is not known; known are {}", known.join(", ")));
            }
        }
    }
}

fn one(schema: &Map<String, Value>, value: &Value, path: &str, problems: &mut Problems) {
    let number = |name: &str| schema.get(name).and_then(Value::as_f64);
    let count = |name: &str| schema.get(name).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    match (kind, value) {
        ("object", Value::Object(value)) => object(schema, value, path, problems),
        ("array", Value::Array(items)) => {
            if count("minItems").is_some_and(|least| items.len() < least)
                || count("maxItems").is_some_and(|most| items.len() > most)
            {
                problems.add(path, format_args!("must have {} items", range(count("minItems"), count("maxItems"))));
            }
            if let Some(schema) = schema.get("items").and_then(Value::as_object) {
                for (at, item) in items.iter().enumerate() {
                    one(schema, item, &format!("{path}[{at}]"), problems);
                }
            }
        }
        ("string", Value::String(text)) => string(schema, text, path, problems),
        ("integer", Value::Number(given)) if given.is_i64() || given.is_u64() => {
            limits(number("minimum"), number("maximum"), given.as_f64(), path, problems);
        }
        ("number", Value::Number(given)) => {
            limits(number("minimum"), number("maximum"), given.as_f64(), path, problems);
        }
        ("boolean", Value::Bool(_)) => {}
        ("object", _) => problems.add(path, "must be an object"),
        ("array", _) => problems.add(path, "must be an array"),
        ("string", _) => problems.add(path, "must be text"),
        ("integer", _) => problems.add(path, "must be a whole number"),
        ("number", _) => problems.add(path, "must be a number"),
        ("boolean", _) => problems.add(path, "must be true or false"),
        _ => {}
    }
}

fn limits(least: Option<f64>, most: Option<f64>, given: Option<f64>, path: &str, problems: &mut Problems) {
    let Some(given) = given else { return };
    if least.is_some_and(|least| given < least) || most.is_some_and(|most| given > most) {
        problems.add(path, format_args!("must be {}", range(least, most)));
    }
}

fn string(schema: &Map<String, Value>, text: &str, path: &str, problems: &mut Problems) {
    let count = |name: &str| schema.get(name).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
    let length = text.chars().count();
    if count("minLength").is_some_and(|least| length < least) || count("maxLength").is_some_and(|most| length > most) {
        problems.add(path, format_args!("must have {} characters", range(count("minLength"), count("maxLength"))));
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        if !words.contains(&text) {
            problems.add(path, format_args!("must be one of {}", words.join(", ")));
        }
    }
    if schema.get("format").is_some_and(|format| format == "date") && Date::parse(text).is_none() {
        problems.add(path, "must be a date, YYYY-MM-DD");
    }
}

/// `1 to 50`, `at least 1`, `at most 50`.
fn range<T: std::fmt::Display>(least: Option<T>, most: Option<T>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => "other".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(schema: &Value, arguments: &Value) -> String {
        let (schema, arguments) = (schema.as_object().expect("a schema"), arguments.as_object().expect("an object"));
        check(schema, arguments).err().map_or_else(String::new, |failure| failure.to_string())
    }

    #[test]
    fn every_problem_names_its_field_and_what_is_allowed() {
        let line = json!({
            "type": "object", "required": ["debit"], "additionalProperties": false,
            "properties": { "debit": { "type": "number", "minimum": 0 } },
        });
        let schema = json!({
            "type": "object", "required": ["kind", "lines"], "additionalProperties": false,
            "properties": {
                "kind": { "type": "string", "enum": ["a", "b"] }, "limit": { "type": "integer", "minimum": 1, "maximum": 50 },
                "as_of": { "type": "string", "format": "date" }, "all": { "type": "boolean" },
                "lines": { "type": "array", "minItems": 1, "items": line }, "search": { "type": "string", "minLength": 1 },
            },
        });
        for (arguments, expected) in [
            (json!({ "kind": "a", "lines": [{ "debit": 1.5 }], "limit": 50, "as_of": "2026-02-28", "all": true }), ""),
            (json!({}), "kind: is required; lines: is required"),
            (json!({ "kind": "c", "lines": [] }), "kind: must be one of a, b; lines: must have at least 1 items"),
            (
                json!({ "kind": "a", "lines": [{}, { "debit": -1, "x": 1 }] }),
                "lines[0].debit: is required; lines[1].debit: must be at least 0; lines[1].x: is not known; known are debit",
            ),
            (
                json!({ "kind": 1, "lines": {}, "limit": 51, "as_of": "2026-02-30", "all": "yes" }),
                "all: must be true or false; as_of: must be a date, YYYY-MM-DD; kind: must be text; limit: must be 1 to 50; \
                 lines: must be an array",
            ),
            (json!({ "kind": "a", "lines": [{ "debit": 1 }], "limit": 1.5 }), "limit: must be a whole number"),
            (
                json!({ "kind": "a", "lines": [{ "debit": 1 }], "search": "" }),
                "search: must have at least 1 characters",
            ),
        ] {
            let expected =
                if expected.is_empty() { String::new() } else { format!("invalid_request_format: {expected}") };
            assert_eq!(said(&schema, &arguments), expected, "{arguments}");
        }
        assert_eq!(
            said(
                &json!({ "type": "object", "properties": {}, "additionalProperties": false }),
                &json!({ "verbose": 1 })
            ),
            "invalid_request_format: verbose: is not known; nothing is taken here"
        );
    }

    #[test]
    fn many_problems_are_counted() {
        let schema = json!({
            "type": "object",
            "properties": { "lines": { "type": "array", "items": { "type": "integer" } } },
        });
        let said = said(&schema, &json!({ "lines": vec!["x"; 25] }));
        assert!(said.ends_with("lines[19]: must be a whole number; and 5 more"), "{said}");
    }
}
