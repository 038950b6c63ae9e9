//! What operators see of the tool server.

use serde_json::json;

use super::{MODERN, call, legacy, message};
use crate::books::Books;
use crate::support::server::TestServer;

#[test]
fn messages_are_counted_by_method_tool_and_outcome() {
    let books = Books::of(TestServer::start());
    let server = &books.server;
    call(server, &books.key, "books_status", &json!({}));
    call(server, &books.key, "books_status", &json!({ "organisation_id": 999_999 }));
    legacy(server, &books.key, "tools/list", &json!({})).expect(200);
    message(server, &books.key, &json!({ "jsonrpc": "2.0", "id": 1, "method": "nothing/such" }))
        .header("MCP-Protocol-Version", MODERN)
        .send_plain();
    // A call that goes through rmcp, which this header makes it do, is counted as a call and as nothing else.
    let params = json!({ "name": "whoami", "arguments": {} });
    message(server, &books.key, &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }))
        .header("MCP-Protocol-Version", "2025-11-25")
        .header("Mcp-Session-Id", "any")
        .send()
        .expect(200);
    let text = server.operators().get("/metrics").send_plain().text();
    for line in [
        "mcp_requests_total{method=\"tools/call\",tool=\"books_status\",outcome=\"done\"} 1",
        "mcp_requests_total{method=\"tools/call\",tool=\"books_status\",outcome=\"refused\"} 1",
        "mcp_requests_total{method=\"tools/list\",tool=\"\",outcome=\"answered\"} 1",
        "mcp_requests_total{method=\"tools/call\",tool=\"whoami\",outcome=\"done\"} 1",
        "mcp_requests_total{method=\"other\",tool=\"\",outcome=\"refused\"} 1",
        "mcp_request_seconds_count{tool=\"books_status\"} 2",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
}
