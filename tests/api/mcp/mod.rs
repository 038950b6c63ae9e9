//! `/mcp`: the tool server, spoken to as clients of both eras do.

mod changes;
mod finding;
mod protocol;
mod schema;
mod selecting;
mod tenants;
mod tools;

use serde_json::{Value, json};

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
        let differences = schema::differences(&schema::definition(tool)["outputSchema"], &result["structuredContent"]);
        assert!(differences.is_empty(), "{tool}: {differences:?}");
        let text = result["content"][0]["text"].as_str().expect("text");
        assert!(text.chars().count() <= 25_000, "{tool} gave {} characters", text.chars().count());
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
