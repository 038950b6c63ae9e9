//! What is answered without rmcp reads as rmcp would print it. A session identifier, which nothing here uses, takes a message
//! to rmcp.

use serde_json::{Value, json};

use super::{LEGACY, MODERN};
use crate::support::client::Answer;
use crate::support::server::{ALL_SCOPES, ApiKey, TestServer};

/// The same message answered both ways.
fn both(server: &TestServer, key: &ApiKey, headers: &[(&str, &str)], body: &str) -> [Answer; 2] {
    [false, true].map(|by_rmcp| {
        let mut request = server.client.post("/mcp").key(key).header("Accept", "application/json, text/event-stream");
        request = request.header("Content-Type", "application/json");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if by_rmcp {
            request = request.header("Mcp-Session-Id", "any");
        }
        request.body(body.as_bytes()).send()
    })
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1", "title": "A test" },
    })
}

#[test]
fn both_ways_answer_the_same_bytes() {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &ALL_SCOPES);
    server.organisation(&person, "Quote \" and é🧾 & \\ Ltd");
    let message = |id: Value, method: &str, params: &Value| {
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
    };
    let calls = [
        json!({ "name": "whoami", "arguments": {} }),
        json!({ "name": "whoami" }),
        json!({ "name": "list_organisations", "arguments": {} }),
        json!({ "name": "books_status", "arguments": { "organisation_id": 999 } }),
        json!({ "name": "find", "arguments": { "kind": "é\"" } }),
        json!({ "name": "no_such_tool", "arguments": {} }),
        json!({ "name": "whoami", "arguments": [] }),
        json!({ "name": "whoami", "arguments": {}, "more": 1 }),
        json!({ "name": 7 }),
    ];
    let ids = [json!(1), json!(-1), json!("a"), json!("é"), json!("a\"b"), json!(null), json!(1.5), json!(u64::MAX)];
    for version in ["2025-03-26", "2025-06-18", LEGACY, "2024-11-05", "1999-01-01", MODERN, ""] {
        let headers: &[_] = if version.is_empty() { &[] } else { &[("MCP-Protocol-Version", version)] };
        for call in &calls {
            let [ours, theirs] = both(&server, &key, headers, &message(json!(1), "tools/call", call));
            assert_eq!((ours.status, ours.text()), (theirs.status, theirs.text()), "{version} {call}");
            assert_eq!(ours.header("content-type"), theirs.header("content-type"));
        }
        for id in &ids {
            let [ours, theirs] = both(&server, &key, headers, &message(id.clone(), "tools/call", &calls[0]));
            assert_eq!((ours.status, ours.text()), (theirs.status, theirs.text()), "{version} {id}");
        }
        for wanted in ["2025-03-26", "2025-06-18", LEGACY, "2024-11-05", "1999-01-01", MODERN] {
            for client in [json!({ "name": "t", "version": "1" }), json!({ "name": "t" })] {
                let params =
                    json!({ "protocolVersion": wanted, "capabilities": { "roots": {} }, "clientInfo": client });
                let [ours, theirs] = both(&server, &key, headers, &message(json!("i"), "initialize", &params));
                assert_eq!((ours.status, ours.text()), (theirs.status, theirs.text()), "{version} {params}");
            }
        }
    }
}

#[test]
fn both_ways_answer_the_same_bytes_without_a_handshake() {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &ALL_SCOPES);
    let mut without_client = meta();
    without_client.as_object_mut().unwrap().remove("io.modelcontextprotocol/clientInfo");
    let mut without_capabilities = meta();
    without_capabilities.as_object_mut().unwrap().remove("io.modelcontextprotocol/clientCapabilities");
    let mut with_progress = meta();
    with_progress["progressToken"] = json!("p");
    let mut other_version = meta();
    other_version["io.modelcontextprotocol/protocolVersion"] = json!(LEGACY);
    let metas = [meta(), without_client, without_capabilities, with_progress, other_version, json!({}), json!(7)];
    let version = ("MCP-Protocol-Version", MODERN);
    let header_sets: [&[(&str, &str)]; 9] = [
        &[version, ("Mcp-Method", "tools/call"), ("Mcp-Name", "whoami")],
        &[version, ("Mcp-Method", "server/discover")],
        &[version, ("Mcp-Method", "tools/list")],
        &[version, ("Mcp-Method", "tools/call"), ("Mcp-Name", "find")],
        &[version, ("Mcp-Method", "tools/call")],
        &[version, ("Mcp-Method", "TOOLS/CALL"), ("Mcp-Name", "whoami")],
        &[("MCP-Protocol-Version", LEGACY), ("Mcp-Method", "tools/call"), ("Mcp-Name", "whoami")],
        &[("Mcp-Method", "tools/call"), ("Mcp-Name", "whoami")],
        &[],
    ];
    for headers in header_sets {
        for meta in &metas {
            for (method, params) in [
                ("tools/call", json!({ "name": "whoami", "arguments": {}, "_meta": meta })),
                ("tools/call", json!({ "name": "whoami", "arguments": { "x": 1 }, "_meta": meta })),
                ("server/discover", json!({ "_meta": meta })),
                ("tools/list", json!({ "_meta": meta })),
                ("tools/list", json!({ "_meta": meta, "cursor": "x" })),
            ] {
                let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
                let [ours, theirs] = both(&server, &key, headers, &body);
                assert_eq!((ours.status, ours.text()), (theirs.status, theirs.text()), "{headers:?} {body}");
            }
        }
    }
}

#[test]
fn other_members_and_forms_are_answered_the_same_too() {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &ALL_SCOPES);
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who\u0061mi"}}"#,
        r#"{"jsonrpc":"2.0","id":"\u0061","method":"tools/call","params":{"name":"whoami"}}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"whoami"}}"#,
        r#"{"id":1,"method":"tools/call","params":{"name":"whoami"}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"whoami"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"whoami"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"},"extra":true}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":null}}"#,
        r#"{"jsonrpc":"2.0","id":1e0,"method":"tools/call","params":{"name":"whoami"}}"#,
        r#" {"jsonrpc": "2.0", "id": 01, "method": "tools/call", "params": {"name": "whoami"}}"#,
    ] {
        let [ours, theirs] = both(&server, &key, &[("MCP-Protocol-Version", LEGACY)], body);
        let without_request = |answer: &Answer| {
            let mut value = answer.value();
            value.as_object_mut().map(|object| object.remove("request_id"));
            value
        };
        assert_eq!((ours.status, without_request(&ours)), (theirs.status, without_request(&theirs)), "{body}");
    }
}

#[test]
fn a_client_that_says_that_it_is_ready_is_accepted_both_ways() {
    let server = TestServer::start();
    let key = server.key(&server.person(), &ALL_SCOPES);
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let with = |name: &str, value: Value| {
        let mut message = ready.clone();
        message[name] = value;
        message
    };
    let messages = [
        ready.clone(),
        with("params", json!({})),
        with("params", json!({ "_meta": {} })),
        with("params", json!({ "more": 1 })),
        with("params", json!([])),
        with("params", json!(null)),
        with("id", json!(1)),
        with("id", json!(null)),
        with("jsonrpc", json!("1.0")),
        with("method", json!("notifications/other")),
        with("more", json!(1)),
    ];
    for version in ["2025-03-26", "2025-06-18", LEGACY, "2024-11-05", "1999-01-01", MODERN, ""] {
        let headers: &[_] = if version.is_empty() { &[] } else { &[("MCP-Protocol-Version", version)] };
        for message in &messages {
            let [ours, theirs] = both(&server, &key, headers, &message.to_string());
            assert_eq!((ours.status, ours.text()), (theirs.status, theirs.text()), "{version} {message}");
            assert_eq!(ours.header("content-type"), theirs.header("content-type"), "{version} {message}");
        }
    }
    let headers = [("MCP-Protocol-Version", LEGACY)];
    assert_eq!(both(&server, &key, &headers, &ready.to_string()).map(|answer| answer.status), [202, 202]);
}
