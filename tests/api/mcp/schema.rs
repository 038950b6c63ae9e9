//! What tools give, held against what they say they give: the keywords that the checked-in output schemas use.

use std::sync::LazyLock;

use serde_json::Value;

static TOOLS: LazyLock<Vec<Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../src/http/mcp/tools.json")).expect("the file is JSON"));

/// The names of the tools in the order of the file.
pub fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|definition| definition["name"].as_str().expect("a name"))
}

/// The definition of a tool as the file has it.
pub fn definition(tool: &str) -> &'static Value {
    TOOLS.iter().find(|definition| definition["name"] == tool).unwrap_or_else(|| panic!("no tool {tool} in the file"))
}

/// Every difference between a value and its schema.
pub fn differences(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    differ(schema, value, "", &mut found);
    found
}

fn differ(schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    for keyword in schema.as_object().expect("a schema").keys() {
        let known =
            ["type", "properties", "required", "additionalProperties", "items", "enum", "format", "description"];
        assert!(known.contains(&keyword.as_str()), "nothing here holds a value against {keyword}");
    }
    let is_of_type = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        other => panic!("{path}: nothing here knows the type {other:?}"),
    };
    if !is_of_type {
        found.push(format!("{path}: {value} is not of type {}", schema["type"]));
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array)
        && !words.contains(value)
    {
        found.push(format!("{path}: {value} is none of {words:?}"));
    }
    if schema.get("format").is_some_and(|format| format == "date") {
        let text = value.as_str().unwrap_or_default();
        let shape = text.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte }).collect::<Vec<_>>();
        if shape != b"0000-00-00" {
            found.push(format!("{path}: {value} is no date"));
        }
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            found.push(format!("{path}: {name} is missing"));
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    // A tool gives nothing of its own that it does not say; the records inside may have more fields.
    let is_closed = path.is_empty() || schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (name, value) in value.as_object().into_iter().flatten() {
        match properties.and_then(|properties| properties.get(name)) {
            Some(schema) => differ(schema, value, &format!("{path}/{name}"), found),
            None if !is_closed => {}
            None => found.push(format!("{path}: {name} is not in the schema")),
        }
    }
    if let Some(schema) = schema.get("items") {
        for (at, value) in value.as_array().into_iter().flatten().enumerate() {
            differ(schema, value, &format!("{path}[{at}]"), found);
        }
    }
}
