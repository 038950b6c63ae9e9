//! What `tools/list` says of each tool: names, hints and schemas, from the checked-in file.

use std::sync::LazyLock;

use rmcp::model::Tool;
use serde::Deserialize as _;
use serde_json::Value;

use crate::domain::caller::Scope;

/// The tools in the order of the specification.
const FILE: &str = include_str!("tools.json");

/// The member of a tool's `_meta` with the scopes it needs, separated by spaces.
const SCOPE: &str = "suite/scope";

/// A tool as clients see it.
pub(super) struct Definition {
    /// As `tools/list` has it.
    pub(super) tool: Tool,
    /// What a caller must hold.
    pub(super) scopes: Vec<Scope>,
}

/// Every tool.
pub(super) static DEFINITIONS: LazyLock<Vec<Definition>> = LazyLock::new(|| {
    let all: Vec<Value> = serde_json::from_str(FILE).unwrap_or_default();
    all.iter().filter_map(read).collect()
});

fn read(value: &Value) -> Option<Definition> {
    let tool = Tool::deserialize(value).ok()?;
    let scopes = value.get("_meta")?.get(SCOPE)?.as_str()?.split_whitespace().map(Scope::parse);
    Some(Definition { tool, scopes: scopes.collect::<Option<_>>()? })
}

impl Definition {
    /// The tool of this name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        DEFINITIONS.iter().find(|definition| definition.tool.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a schema uses beside the keywords that arguments are checked by.
    fn unknown_keywords(schema: &Value, unknown: &mut Vec<String>) {
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            if !crate::http::mcp::arguments::KEYWORDS.contains(&keyword.as_str()) && keyword != "default" {
                unknown.push(keyword.clone());
            }
            match keyword.as_str() {
                "properties" => {
                    value.as_object().into_iter().flatten().for_each(|(_, one)| unknown_keywords(one, unknown))
                }
                "items" => unknown_keywords(value, unknown),
                _ => {}
            }
        }
    }

    #[test]
    fn input_schemas_use_what_arguments_are_checked_by() {
        let all: Vec<Value> = serde_json::from_str(FILE).expect("the file is JSON");
        for tool in &all {
            let mut unknown = Vec::new();
            unknown_keywords(&tool["inputSchema"], &mut unknown);
            assert!(unknown.is_empty(), "{}: {unknown:?}", tool["name"]);
        }
    }

    #[test]
    fn every_tool_of_the_file_is_read() {
        let all: Vec<Value> = serde_json::from_str(FILE).expect("the file is JSON");
        assert_eq!(all.len(), 31);
        for value in &all {
            let definition = read(value).unwrap_or_else(|| panic!("{value} is no tool"));
            let tool = &definition.tool;
            assert!(tool.title.is_some() && tool.output_schema.is_some(), "{}", tool.name);
            let hints = tool.annotations.as_ref().expect("hints");
            for hint in [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint] {
                assert!(hint.is_some(), "{} leaves a hint out", tool.name);
            }
            assert_eq!(&serde_json::to_value(tool).expect("prints"), value, "{} changes when it is read", tool.name);
        }
        assert!(FILE.len() < 120_000 && serde_json::to_string(&all).expect("prints").len() <= 52_000);
    }
}
