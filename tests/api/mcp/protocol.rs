//! The protocol: both eras, what each owes a client, and what is refused before a tool runs.

use serde_json::{Value, json};

use super::{LEGACY, MODERN, legacy, message, modern, schema};
use crate::support::server::{ALL_SCOPES, Setup, TestServer};

/// The longest answer to `tools/list`.
const LIST_BYTES_MAX: usize = 52_000;

/// A server and a key with every scope.
fn server() -> (TestServer, crate::support::server::ApiKey) {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &ALL_SCOPES);
    (server, key)
}

#[test]
fn the_older_era_opens_with_a_handshake_and_keeps_no_session() {
    let (server, key) = server();
    for version in ["2025-03-26", "2025-06-18", LEGACY] {
        let params = json!({
            "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        let answer = message(&server, &key, &body).send();
        assert_eq!(answer.header("mcp-session-id"), None);
        let result = &answer.expect(200)["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "bookkeeping-suite");
        assert!(result["capabilities"]["tools"].is_object(), "{result}");
        assert!(result["instructions"].as_str().is_some_and(|text| text.contains("whoami")));
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let answer = message(&server, &key, &initialized).header("MCP-Protocol-Version", version).send();
        assert_eq!((answer.status, answer.text().as_str()), (202, ""));
    }
    assert_eq!(legacy(&server, &key, "ping", &json!({})).expect(200)["result"], json!({}));
}

#[test]
fn the_newer_era_discovers_and_needs_no_handshake() {
    let (server, key) = server();
    let result = modern(&server, &key, "server/discover", &json!({})).expect(200)["result"].clone();
    let versions = ["2025-03-26", "2025-06-18", LEGACY, MODERN];
    assert_eq!(result["supportedVersions"], json!(versions));
    assert_eq!((&result["cacheScope"], &result["ttlMs"]), (&json!("public"), &json!(3_600_000)));
    let answer = modern(&server, &key, "tools/call", &json!({ "name": "whoami", "arguments": {} })).expect(200);
    assert_eq!(answer["id"], "one");
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["structuredContent"]["connection"]["kind"], "api_key");
}

#[test]
fn both_eras_list_the_same_tools_in_the_same_order() {
    let (server, key) = server();
    let names = |answer: &Value| -> Vec<String> {
        let tools = answer["result"]["tools"].as_array().expect("tools");
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    };
    let (older, newer) =
        (legacy(&server, &key, "tools/list", &json!({})), modern(&server, &key, "tools/list", &json!({})));
    // What an agent reads before it begins has a price: the whole answer, not the list alone.
    for answer in [&older, &newer] {
        assert!(answer.text().len() <= LIST_BYTES_MAX, "{} bytes", answer.text().len());
    }
    let (older, newer) = (older.expect(200), newer.expect(200));
    assert_eq!(names(&older), names(&newer));
    let in_order: Vec<&str> =
        schema::names().filter(|name| names(&older).iter().any(|listed| listed == name)).collect();
    assert_eq!(names(&older), in_order, "the order is that of the file");
    for tool in older["result"]["tools"].as_array().expect("tools") {
        assert_eq!(tool, schema::definition(tool["name"].as_str().expect("a name")));
    }
}

#[test]
fn what_is_not_declared_is_not_there() {
    let (server, key) = server();
    for method in ["prompts/list", "resources/list", "resources/templates/list", "no/such"] {
        let answer = legacy(&server, &key, method, &json!({})).value();
        assert_eq!(answer["error"]["code"], -32_601, "{method}: {answer}");
        let answer = modern(&server, &key, method, &json!({}));
        assert_eq!(answer.status, 404, "{method}");
        assert_eq!(answer.value()["error"]["code"], -32_601, "{method}");
    }
}

#[test]
fn messages_that_are_none_are_refused_in_the_form_of_the_protocol() {
    let (server, key) = server();
    let send = |body: &str| {
        let request = server.client.post("/mcp").key(&key).header("Accept", "application/json, text/event-stream");
        request.header("Content-Type", "application/json").body(body).send()
    };
    for (body, code) in
        [("{\"jsonrpc\":", -32_700), ("nonsense", -32_700), ("[]", -32_600), (" [{}]", -32_600), ("{}", -32_600)]
    {
        let answer = send(body);
        assert_eq!(answer.status, 400, "{body}");
        let error = answer.value();
        assert_eq!((&error["jsonrpc"], &error["id"]), (&json!("2.0"), &Value::Null), "{body}");
        assert_eq!(error["error"]["code"], code, "{body}");
    }
    let nobody = server.client.post("/mcp").header("Content-Type", "application/json").body("nonsense").send();
    assert_eq!(nobody.value()["error"]["code"], -32_700, "what is no JSON is said before who is asked");
}

#[test]
fn the_order_of_checks_and_the_envelope_are_those_of_every_route() {
    let (server, key) = server();
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let nobody = server.client.post("/mcp").json(&ping).send();
    assert!(
        nobody.header("www-authenticate").is_some_and(|challenge| challenge.starts_with("Bearer resource_metadata="))
    );
    nobody.refused(401, "unauthorized");
    for (method, path) in [("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/mcp/"), ("PUT", "/mcp/")] {
        let answer = server.client.request(method, path).key(&key).send();
        assert_eq!(answer.header("allow"), Some("OPTIONS, POST"), "{method} {path}");
        answer.refused(405, "method_not_allowed");
    }
    let answer = message(&server, &key, &ping).send();
    for name in ["x-request-id", "ratelimit-limit", "ratelimit-remaining"] {
        assert!(answer.header(name).is_some(), "{name}");
    }
    answer.expect(200);
    let slash = server.client.post("/mcp/").key(&key).header("Accept", "application/json, text/event-stream");
    slash.json(&ping).send().expect(200);
    let unwanted = server.client.post("/mcp").key(&key).header("Accept", "application/json").json(&ping).send();
    assert_eq!(unwanted.status, 406);
}

#[test]
fn other_origins_and_hosts_are_refused() {
    let (server, key) = server();
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let with = |name: &str, value: &str| message(&server, &key, &ping).header(name, value).send();
    for origin in ["https://evil.example", "null", "http://localhost:1"] {
        with("Origin", origin).refused(403, "forbidden");
    }
    let own = format!("http://{}", server.client.address());
    with("Origin", &own).expect(200);
}

#[test]
fn a_browser_is_told_what_a_page_may_send() {
    let (server, _) = server();
    for path in ["/mcp", "/mcp/"] {
        let asked = |origin: Option<&str>| {
            let request = server.client.request("OPTIONS", path).header("Access-Control-Request-Method", "POST");
            let request = request.header("Access-Control-Request-Headers", "authorization, mcp-protocol-version");
            match origin {
                Some(origin) => request.header("Origin", origin).send(),
                None => request.send(),
            }
        };
        let plain = asked(None);
        assert_eq!((plain.status, plain.header("allow")), (204, Some("OPTIONS, POST")));
        assert_eq!(plain.header("access-control-allow-methods"), None);
        let own = format!("http://{}", server.client.address());
        let answer = asked(Some(&own));
        assert_eq!((answer.status, answer.text().as_str()), (204, ""));
        assert_eq!(answer.header("access-control-allow-origin"), Some(own.as_str()));
        assert_eq!(answer.header("access-control-allow-methods"), Some("POST"));
        assert_eq!(answer.header("vary"), Some("Origin"));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        let headers = answer.header("access-control-allow-headers").expect("headers").to_ascii_lowercase();
        let headers: Vec<&str> = headers.split(", ").collect();
        for name in ["authorization", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"] {
            assert!(headers.contains(&name), "{name}: {headers:?}");
        }
        for origin in ["https://evil.example", "null"] {
            let answer = asked(Some(origin));
            assert_eq!(answer.header("access-control-allow-origin"), None);
            answer.refused(403, "forbidden");
        }
    }
}

#[test]
fn pages_of_the_origins_in_the_settings_may_read_every_answer() {
    let page = "https://agent.example";
    let origins = |given: &str| Setup::new().settings(|settings| settings.mcp_allowed_origins = Some(given.to_owned()));
    for given in ["agent.example", "https://agent.example/", "https://agent.example/a", "ftp://a", "*", "null"] {
        assert!(origins(given).try_start().is_err(), "{given}");
    }
    let server = origins(&format!("{page}, http://localhost:6274")).start();
    let key = server.key(&server.person(), &ALL_SCOPES);
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let nobody = server.client.post("/mcp").header("Origin", page).json(&ping).send();
    let broken = server.client.post("/mcp").key(&key).header("Origin", page).body("{").send();
    let unknown = server.client.get("/mcp").key(&key).header("Origin", page).send();
    let pinged = message(&server, &key, &ping).header("Origin", page).send();
    for (answer, status) in [(nobody, 401), (broken, 400), (unknown, 405), (pinged, 200)] {
        assert_eq!(answer.status, status);
        assert_eq!(answer.header("access-control-allow-origin"), Some(page), "{status}");
        let exposed = answer.header("access-control-expose-headers").expect("exposed headers");
        for name in ["WWW-Authenticate", "X-Request-Id", "RateLimit-Remaining", "Retry-After"] {
            assert!(exposed.contains(name), "{name}: {exposed}");
        }
    }
    message(&server, &key, &ping).header("Origin", "http://localhost:6274").send().expect(200);
    let own = format!("http://{}", server.client.address());
    let other = message(&server, &key, &ping).header("Origin", &own).send();
    assert_eq!(other.header("access-control-allow-origin"), None);
    other.refused(403, "forbidden");
    let rest = server.client.get("/api/v1/me").key(&key).header("Origin", page).send();
    assert_eq!(rest.header("access-control-allow-origin"), None, "only the tool server is for pages");
}

#[test]
fn a_session_is_neither_wanted_nor_given_and_an_unknown_tool_is_an_error_of_the_protocol() {
    let (server, key) = server();
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let answer = message(&server, &key, &ping).header("Mcp-Session-Id", "made-up").send();
    assert_eq!(answer.header("mcp-session-id"), None);
    answer.expect(200);
    let answer = legacy(&server, &key, "tools/call", &json!({ "name": "no_such_tool", "arguments": {} })).expect(200);
    assert_eq!(answer["error"]["code"], -32_602);
    let answer = message(&server, &key, &json!({ "jsonrpc": "2.0", "id": 1, "result": {} })).send();
    assert_eq!((answer.status, &answer.value()["error"]["code"]), (400, &json!(-32_600)));
}

#[test]
fn a_version_that_nobody_knows_is_refused() {
    let (server, key) = server();
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let answer = message(&server, &key, &ping).header("MCP-Protocol-Version", "1999-01-01").send();
    assert_eq!(answer.status, 400, "{}", answer.text());
}
