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

/// What is wrong with the params of an operation by the schema that `list_operations` gives of them.
pub fn problems_of_params(op: &str, schema: &Value, params: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    check(schema, params, op, &mut problems);
    problems
}

/// The keywords that are checked, or that restrict nothing; what a pattern says is said by the service's own refusals.
const KEYWORDS: [&str; 22] = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "minimum",
    "maximum",
    "format",
    "description",
    "additionalProperties",
    "anyOf",
    "oneOf",
    "not",
    "const",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "uniqueItems",
    "pattern",
    "default",
];

/// Whether a value is of a type of JSON Schema.
fn is_of_type(kind: &str, value: &Value, path: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{path}: type {other}"),
    }
}

/// Checks the keywords that hold a value against other schemas.
fn check_alternatives(schema: &Value, value: &Value, path: &str, problems: &mut Vec<String>) {
    let fitting = |alternatives: &[Value]| {
        let fits = |one: &&Value| {
            let mut wrong = Vec::new();
            check(one, value, path, &mut wrong);
            wrong.is_empty()
        };
        alternatives.iter().filter(fits).count()
    };
    if schema["anyOf"].as_array().is_some_and(|any| fitting(any) == 0) {
        problems.push(format!("{path}: {value} fits none of anyOf"));
    }
    if let Some(one) = schema["oneOf"].as_array()
        && fitting(one) != 1
    {
        problems.push(format!("{path}: {value} fits {} of oneOf", fitting(one)));
    }
    if schema.get("not").is_some_and(|not| fitting(std::slice::from_ref(not)) == 1) {
        problems.push(format!("{path}: {value} is what it must not be"));
    }
    if schema.get("const").is_some_and(|only| only != value) {
        problems.push(format!("{path}: {value} is not {}", schema["const"]));
    }
}

/// Checks how long a value is, and whether its items differ.
fn check_size(schema: &Value, value: &Value, path: &str, problems: &mut Vec<String>) {
    let sizes = [
        ("minLength", "maxLength", value.as_str().map(|text| text.chars().count())),
        ("minItems", "maxItems", value.as_array().map(Vec::len)),
        ("minProperties", "maxProperties", value.as_object().map(serde_json::Map::len)),
    ];
    for (least, most, size) in sizes {
        let Some(size) = size.and_then(|size| u64::try_from(size).ok()) else { continue };
        if schema[least].as_u64().is_some_and(|least| size < least)
            || schema[most].as_u64().is_some_and(|most| size > most)
        {
            problems.push(format!("{path}: {value} is too short or too long"));
        }
    }
    let repeats = |items: &Vec<Value>| items.iter().enumerate().any(|(at, one)| items[..at].contains(one));
    if schema["uniqueItems"] == true && value.as_array().is_some_and(repeats) {
        problems.push(format!("{path}: {value} has an item twice"));
    }
}

/// Only what the schemas use of JSON Schema is known.
fn check(schema: &Value, value: &Value, path: &str, problems: &mut Vec<String>) {
    for keyword in schema.as_object().into_iter().flatten().map(|(keyword, _)| keyword.as_str()) {
        assert!(KEYWORDS.contains(&keyword), "{path}: {keyword} is not checked here");
    }
    let fits = match &schema["type"] {
        Value::String(kind) => is_of_type(kind, value, path),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).any(|kind| is_of_type(kind, value, path)),
        _ => true,
    };
    if !fits {
        problems.push(format!("{path}: {value} is no {}", schema["type"]));
        return;
    }
    check_alternatives(schema, value, path, problems);
    check_size(schema, value, path, problems);
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
