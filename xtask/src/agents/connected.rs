//! Clients that are given no key: they find the authorization server, register, have a person allow them, step up, refresh, and
//! are refused once the connection is revoked. Each says what it asked over HTTP and what it was answered.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{LEGACY, MODERN, Subject, is_told};
use crate::{
    http::{Connection, Request},
    report::Finding,
};

/// The script of both TypeScript clients.
const NODE: &str = "connection.mjs";

/// A client with a programming interface, and the revision it is to speak.
pub(super) struct Connected {
    /// How it is told of.
    pub(super) name: &'static str,
    script: &'static str,
    arguments: &'static [&'static str],
    revision: &'static str,
    /// Whether it asks its person for more by itself when a call is refused for want of a scope.
    steps_up: bool,
}

/// All of them. The last one answers a missing scope with its refresh token, which cannot give more than was allowed.
pub(super) const CONNECTED: [Connected; 5] = [
    Connected {
        name: "python, session",
        script: "connection.py",
        arguments: &["legacy"],
        revision: LEGACY,
        steps_up: true,
    },
    Connected { name: "python, auto", script: "connection.py", arguments: &["auto"], revision: MODERN, steps_up: true },
    Connected { name: "client", script: NODE, arguments: &["client"], revision: LEGACY, steps_up: true },
    Connected { name: "client, auto", script: NODE, arguments: &["client", "auto"], revision: MODERN, steps_up: true },
    Connected { name: "sdk", script: NODE, arguments: &["sdk"], revision: LEGACY, steps_up: false },
];

/// The scopes of a connection whose person allowed everything that a first connection asks for.
const FIRST_SCOPES: [&str; 4] = ["coding:read", "coding:write", "books:read", "books:write"];
/// What happens until a client may call.
const CONNECTING: [&str; 5] = [
    "POST /mcp 401",
    "GET /.well-known/oauth-protected-resource/mcp 200",
    "GET /.well-known/oauth-authorization-server 200",
    "POST /oauth/register 201",
    "POST /oauth/token 200",
];

/// Lets a client connect, and looks at each step.
pub(super) fn tried(subject: &Subject, client: &Connected, connection: &mut Connection) -> Result<Finding> {
    let calls = Value::Array(subject.calls.clone()).to_string();
    let step_up = json!(["start_coding_session", { "organisation_id": subject.organisation }]).to_string();
    let mut environment =
        vec![("MCP_URL", subject.url.as_str()), ("MCP_SESSION", &subject.session), ("MCP_CALLS", &calls)];
    if client.steps_up {
        environment.push(("MCP_STEP_UP", &step_up));
    }
    let ran = subject.installed.script(client.script, client.arguments, &environment)?;
    ensure!(ran.code == Some(0), "{}", ran.summary());
    let told: Value = serde_json::from_str(&ran.output).with_context(|| ran.summary())?;
    let mut finding = Finding::default();
    let version = told.get("version").cloned().unwrap_or_default();
    finding.must(version == client.revision, format!("speaks {version}, not {}", client.revision));
    finding.must(told.get("tools") == Some(&json!(subject.tools)), format!("lists {told}"));
    let results = told.get("results").and_then(Value::as_array).cloned().unwrap_or_default();
    finding.must(results.len() == subject.calls.len(), format!("{} calls were made", results.len()));
    for ((call, answer), result) in subject.calls.iter().zip(&subject.answers).zip(&results) {
        // What it says of the credential differs from what the key is told.
        let holds =
            if call.get(0) == Some(&json!("whoami")) { succeeded(Some(result)) } else { is_told(answer, result) };
        finding.must(holds, format!("{call}: {result} was made of {answer}"));
    }
    finding.must(succeeded(told.get("refreshed")), format!("after the refresh: {:?}", told.get("refreshed")));
    finding.must(told.get("revoked").is_none_or(Value::is_null), format!("after the end: {:?}", told.get("revoked")));
    if client.steps_up {
        finding.must(succeeded(told.get("steppedUp")), format!("after the step-up: {:?}", told.get("steppedUp")));
    }

    let granted: Vec<Vec<&str>> = texts(&told, "granted").iter().map(|scopes| scopes.split(' ').collect()).collect();
    let first = if client.steps_up { vec!["books:read"] } else { FIRST_SCOPES.to_vec() };
    finding.must(granted.first() == Some(&first), format!("first granted {granted:?}"));
    let missing = if client.steps_up { "coding:write" } else { "books:read" };
    for scopes in granted.iter().skip(1) {
        finding.must(scopes.contains(&"books:read") && scopes.contains(&missing), format!("granted {granted:?}"));
    }
    // After the end the client asks its person, who has left.
    let asked = if client.steps_up { 3 } else { 2 };
    finding.must(told.get("asked") == Some(&json!(asked)), format!("asked {:?} times", told.get("asked")));

    let trail = texts(&told, "trail");
    let mut steps = CONNECTING.to_vec();
    if client.steps_up {
        steps.extend(["POST /mcp 403", "POST /oauth/token 200"]);
    }
    steps.extend(["POST /oauth/token 200", "POST /mcp 200", "POST /mcp 401"]);
    if client.script == NODE {
        // Before it asks its person it tries the refresh token, which the end of the connection took as well.
        steps.push("POST /oauth/token 400");
    }
    finding.must(is_in(&steps, &trail), format!("went {trail:?}, not {steps:?}"));
    let refused = refusals(&trail);
    finding.must(refused == usize::from(client.steps_up), format!("{refused} calls lacked a scope: {trail:?}"));
    let token = told.get("access").and_then(Value::as_str).context("no access token is told")?;
    let reply = connection.send(&Request::get("/api/v1/me", Some(token)))?;
    finding.must(reply.status == 401, format!("the last access token is answered {}", reply.summary()));
    finding.count("tools", subject.tools.len());
    finding.count("calls", results.len());
    finding.count("step_ups", refused);
    finding.count("tokens", granted.len());
    finding.count("requests", trail.len());
    Ok(finding)
}

/// Whether a call was answered, and not with a failure.
fn succeeded(result: Option<&Value>) -> bool {
    result.is_some_and(|result| result.get("value").is_some_and(Value::is_object) && result["isError"] != true)
}

fn texts<'a>(told: &'a Value, name: &str) -> Vec<&'a str> {
    told.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Whether steps were gone in their order, with others between them.
fn is_in(steps: &[&str], trail: &[&str]) -> bool {
    let mut rest = trail.iter();
    steps.iter().all(|step| rest.any(|gone| gone == step))
}

fn refusals(trail: &[&str]) -> usize {
    trail.iter().filter(|step| **step == "POST /mcp 403").count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{is_in, refusals, succeeded};

    #[test]
    fn steps_are_looked_for_in_their_order() {
        let trail = ["a", "b", "c", "b"];
        assert!(is_in(&["a", "c", "b"], &trail));
        assert!(is_in(&["b", "b"], &trail));
        assert!(!is_in(&["c", "a"], &trail));
        assert!(!is_in(&["c", "c"], &trail));
        assert_eq!(refusals(&["POST /mcp 403", "POST /mcp 200"]), 1);
    }

    #[test]
    fn only_an_answer_without_a_failure_succeeded() {
        assert!(succeeded(Some(&json!({ "isError": false, "value": {} }))));
        assert!(!succeeded(Some(&json!({ "isError": true, "value": {} }))));
        assert!(!succeeded(Some(&json!({ "code": -32_602 }))));
        assert!(!succeeded(None));
    }
}
