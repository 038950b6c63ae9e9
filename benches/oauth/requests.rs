//! The bytes of the requests that are sent.

use std::net::SocketAddr;

use url::form_urlencoded::Serializer;
use xtask::http::Request;

use crate::seed::{REDIRECT_URI, Seeded, VERIFIER};

/// A form for an endpoint of the authorization server.
fn form(address: SocketAddr, path: &str, parameters: &[(&str, &str)]) -> Vec<u8> {
    let body = Serializer::new(String::new()).extend_pairs(parameters).finish();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Redeems the code of a connection.
pub fn redemption(address: SocketAddr, seeded: &Seeded) -> Vec<u8> {
    let parameters = [
        ("grant_type", "authorization_code"),
        ("client_id", seeded.client_id.as_str()),
        ("code", &seeded.code),
        ("code_verifier", VERIFIER),
        ("redirect_uri", REDIRECT_URI),
    ];
    form(address, "/oauth/token", &parameters)
}

/// Exchanges a refresh token.
pub fn refresh(address: SocketAddr, client_id: &str, token: &str) -> Vec<u8> {
    let parameters = [("grant_type", "refresh_token"), ("client_id", client_id), ("refresh_token", token)];
    form(address, "/oauth/token", &parameters)
}

/// Revokes what a client holds.
pub fn revocation(address: SocketAddr, client_id: &str, token: &str) -> Vec<u8> {
    form(address, "/oauth/revoke", &[("client_id", client_id), ("token", token)])
}

/// Asks who calls.
pub fn me(address: SocketAddr, credential: &str) -> Vec<u8> {
    Request::get("/api/v1/me", Some(credential)).head(address)
}

/// A message to the tool server.
pub fn message(address: SocketAddr, token: &str, method: &str, params: &str) -> Vec<u8> {
    to_tools(address, token, format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#))
}

fn to_tools(address: SocketAddr, token: &str, body: String) -> Vec<u8> {
    let headers = [("Accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-11-25")];
    let request = Request { headers: &headers, ..Request::post("/mcp", Some(token), body.as_bytes()) };
    [request.head(address), body.into_bytes()].concat()
}

/// A message of the older revisions that wants no answer.
pub fn notification(address: SocketAddr, token: &str, method: &str) -> Vec<u8> {
    to_tools(address, token, format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#))
}

/// What a client says first.
pub fn initialize(address: SocketAddr, token: &str) -> Vec<u8> {
    let params = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}"#;
    message(address, token, "initialize", params)
}
