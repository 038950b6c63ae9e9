//! `/mcp`: the tool server, spoken to as clients of both eras do.

mod changes;
mod cis;
mod counting;
mod direct;
mod finding;
mod guide;
mod narrowing;
mod plans;
mod protocol;
mod random_plans;
mod reading;
mod reconcile;
mod schema;
mod selecting;
mod sessions;
mod tenants;
mod tools;
mod vat;
mod writing;

use serde_json::{Value, json};

use crate::books::Books;
use crate::support::client::{Answer, Request};
use crate::support::server::{ApiKey, TestServer};

/// The revision without sessions and handshakes.
pub const MODERN: &str = "2026-07-28";
/// The last one with a handshake.
pub const LEGACY: &str = "2025-11-25";

/// A message to the tool server, with the headers every client sends.
pub fn message(server: &TestServer, key: &ApiKey, body: &Value) -> Request {
    server.client.post("/mcp").key(key).header("Accept", "application/json, text/event-stream").json(body)
}

/// A request of the older era.
pub fn legacy(server: &TestServer, key: &ApiKey, method: &str, params: &Value) -> Answer {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    message(server, key, &body).header("MCP-Protocol-Version", LEGACY).send()
}

/// A request of the newer era, which says in every message what others say in a handshake.
pub fn modern(server: &TestServer, key: &ApiKey, method: &str, params: &Value) -> Answer {
    let mut params = params.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    let body = json!({ "jsonrpc": "2.0", "id": "one", "method": method, "params": params });
    let request = message(server, key, &body).header("MCP-Protocol-Version", MODERN).header("Mcp-Method", method);
    match params.get("name").and_then(Value::as_str) {
        Some(name) => request.header("Mcp-Name", name).send(),
        None => request.send(),
    }
}

/// The result of a tool in the older era.
pub fn call(server: &TestServer, key: &ApiKey, tool: &str, arguments: &Value) -> Value {
    let answer = legacy(server, key, "tools/call", &json!({ "name": tool, "arguments": arguments })).expect(200);
    let result = answer["result"].clone();
    assert!(!result.is_null(), "{answer}");
    if result["isError"] == false {
        let text = result["content"][0]["text"].as_str().expect("text");
        schema::assert_fits(tool, text, &result["structuredContent"]);
    }
    result
}

/// What a tool gave, which it also gave as text.
pub fn given(server: &TestServer, key: &ApiKey, tool: &str, arguments: &Value) -> Value {
    let result = call(server, key, tool, arguments);
    assert_eq!(result["isError"], false, "{result}");
    let text = result["content"][0]["text"].as_str().expect("text");
    assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), result["structuredContent"]);
    result["structuredContent"].clone()
}

/// The words of a tool that did nothing; it gives no value then.
pub fn failure(server: &TestServer, key: &ApiKey, tool: &str, arguments: &Value) -> String {
    let result = call(server, key, tool, arguments);
    assert_eq!(result["isError"], true, "{result}");
    assert!(result.get("structuredContent").is_none(), "{result}");
    result["content"][0]["text"].as_str().expect("text").to_owned()
}

/// The text of what a tool gave.
pub fn text(server: &TestServer, key: &ApiKey, tool: &str, arguments: &Value) -> String {
    let result = call(server, key, tool, arguments);
    assert_eq!(result["isError"], false, "{result}");
    result["content"][0]["text"].as_str().expect("text").to_owned()
}

/// A number in the environment that makes a test larger.
fn setting<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

/// What every tool that works on an organisation refuses, whatever else it is asked.
pub fn assert_guards_organisations(books: &Books, tool: &str, arguments: &Value) {
    let server = &books.server;
    let of = |id: i64| {
        let mut arguments = arguments.clone();
        arguments["organisation_id"] = json!(id);
        arguments
    };
    let stranger = server.person();
    let others = server.organisation(&stranger, "Not theirs");
    for id in [others, 999_999] {
        let words = failure(server, &books.key, tool, &of(id));
        assert!(words.starts_with("not_found: "), "{tool}: {words}");
    }
    let other_scope = server.key(&books.owner, &["books:write", "reconcile:read"]);
    let words = failure(server, &other_scope, tool, &of(books.id));
    assert!(words.starts_with("forbidden: the key lacks the scope books:read\nNext: "), "{tool}: {words}");
    let another = server.organisation(&books.owner, "Another");
    let restricted = json!({ "name": "k", "scopes": ["books:read"], "organisation_ids": [another] });
    let restricted = server.key_with(&books.owner, &restricted);
    let words = failure(server, &restricted, tool, &of(books.id));
    assert!(words.starts_with("forbidden: "), "{tool}: {words}");
    let words = failure(server, &books.key, tool, arguments);
    assert!(words.starts_with("no_organisation_selected: "), "{tool}: {words}");
    let words = failure(server, &books.key, tool, &json!({ "surprise": 1 }));
    assert!(words.contains("surprise: is not known"), "{tool}: {words}");
}
