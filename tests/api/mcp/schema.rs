//! What tools give, held against the schemas that clients are told.

use std::sync::LazyLock;

use serde_json::Value;

static TOOLS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../src/http/mcp/tools.json")).expect("the tools are JSON")
});

/// The names of the tools in the order of the file.
pub fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|definition| definition["name"].as_str().expect("a name"))
}

/// The definition of a tool as the file has it.
#[track_caller]
pub fn definition(tool: &str) -> &'static Value {
    TOOLS.iter().find(|known| known["name"] == tool).unwrap_or_else(|| panic!("no tool {tool}"))
}

/// The longest text of an answer, in characters.
const CHARACTERS_MAX: usize = 25_000;

/// Fails unless an answer is short enough and has the form of the tool's output schema.
#[track_caller]
pub fn assert_fits(tool: &str, text: &str, value: &Value) {
    assert!(text.chars().count() <= CHARACTERS_MAX, "{tool} gave {} characters", text.chars().count());
    let schema = &definition(tool)["outputSchema"];
    let mut problems = Vec::new();
    check(schema, value, tool, &mut problems);
    // A tool gives nothing of its own that it does not say; the records inside may have more fields.
    let unsaid = value.as_object().into_iter().flatten().filter(|(name, _)| schema["properties"].get(*name).is_none());
    problems.extend(unsaid.map(|(name, _)| format!("{tool}.{name} is not said")));
    assert!(problems.is_empty(), "{problems:?} in {value}");
}

/// Only what the schemas use of JSON Schema is known.
fn check(schema: &Value, value: &Value, path: &str, problems: &mut Vec<String>) {
    for keyword in schema.as_object().into_iter().flatten().map(|(keyword, _)| keyword.as_str()) {
        let known = ["type", "properties", "required", "items", "enum", "minimum", "maximum", "format", "description"];
        assert!(known.contains(&keyword) || keyword == "additionalProperties", "{path}: {keyword} is not checked here");
    }
    let fits = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some(other) => panic!("{path}: type {other}"),
        None => true,
    };
    if !fits {
        problems.push(format!("{path}: {value} is no {}", schema["type"]));
        return;
    }
    if schema["enum"].as_array().is_some_and(|words| !words.contains(value)) {
        problems.push(format!("{path}: {value} is none of {}", schema["enum"]));
    }
    let is_date = |text: &str| text.len() == 10 && text.parse::<chrono::NaiveDate>().is_ok();
    if schema["format"] == "date" && !value.as_str().is_some_and(is_date) {
        problems.push(format!("{path}: {value} is no date"));
    }
    let beyond = |limit: &str, than: fn(&f64, &f64) -> bool| {
        schema[limit].as_f64().zip(value.as_f64()).is_some_and(|(limit, value)| than(&value, &limit))
    };
    if beyond("minimum", f64::lt) || beyond("maximum", f64::gt) {
        problems.push(format!("{path}: {value} is out of range"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            problems.push(format!("{path}.{name} is not there"));
        }
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(schema) => check(schema, inner, &format!("{path}.{name}"), problems),
            None if schema["additionalProperties"] == false => problems.push(format!("{path}.{name} is not known")),
            None => {}
        }
    }
    if let Some(schema) = schema.get("items") {
        for (at, inner) in value.as_array().into_iter().flatten().enumerate() {
            check(schema, inner, &format!("{path}[{at}]"), problems);
        }
    }
}
