//! `cargo xtask agents`: a real server, and the clients that agents come with, unmodified, against its tool server. What they
//! list and what they make of answers is held against what a plain POST gets. They come by API key, and by OAuth.

mod connected;
mod inspector;
mod installed;
mod pages;
mod proxy;
mod suite;

use std::{path::PathBuf, time::Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use self::{connected::CONNECTED, installed::Installed, suite::SUITES};
use crate::{
    books::Books,
    http::{Connection, Request},
    program::{Installation, Profile, Program, SCOPES, create_key},
    report::Finding,
};

/// The last revision with a handshake.
const LEGACY: &str = "2025-11-25";
/// The first one without.
const MODERN: &str = "2026-07-28";
/// A tool, and arguments it answers with a failure.
const FAILING_CALL: (&str, &str) = ("get_document", r#"{"kind":"nonsense"}"#);

/// Options of `cargo xtask agents`.
#[derive(Debug, Args)]
pub struct Options {
    /// Where `xtask/clients` is installed: `npm ci` there, and a virtual environment `python` with its requirements
    #[arg(long, value_name = "FOLDER")]
    clients: PathBuf,
    /// Take this program instead of building one
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// The Chromium that goes through the pages that people see
    #[arg(long, value_name = "PATH", default_value = "/usr/bin/chromium")]
    chromium: PathBuf,
    /// Keep eight pictures of the pages here
    #[arg(long, value_name = "FOLDER")]
    screenshots: Option<PathBuf>,
    /// Call 300 times instead of 3,000 where many calls are made at once
    #[arg(long)]
    sample: bool,
}

/// The tool server, as a plain client sees it, and what tries it.
struct Subject {
    installed: Installed,
    url: String,
    key: String,
    /// The web session of who has the key, and who allows connections.
    session: String,
    /// The books all calls are about.
    organisation: i64,
    /// The names that `tools/list` has, in its order.
    tools: Vec<String>,
    /// Each call that clients make, as `[name, arguments]`.
    calls: Vec<Value>,
    /// What a plain POST of each call is answered with.
    answers: Vec<Value>,
}

/// A client with a programming interface, and the revision it is to speak.
struct Client {
    name: &'static str,
    script: &'static str,
    arguments: &'static [&'static str],
    revision: &'static str,
}

const CLIENTS: [Client; 5] = [
    Client { name: "python, session", script: "client.py", arguments: &["legacy"], revision: LEGACY },
    Client { name: "python, auto", script: "client.py", arguments: &["auto"], revision: MODERN },
    Client { name: "sdk", script: "sdk.mjs", arguments: &[], revision: LEGACY },
    Client { name: "client", script: "client.mjs", arguments: &[], revision: LEGACY },
    Client { name: "client, auto", script: "client.mjs", arguments: &["auto"], revision: MODERN },
];

/// Run it; an error when a client was not content.
pub fn run(options: &Options) -> Result<()> {
    let program = match &options.binary {
        Some(path) => Program::at(path)?,
        None => Program::build(Profile::Dev)?,
    };
    let folder = tempfile::Builder::new().prefix("bookkeeping-agents-").tempdir()?;
    let installed = Installed::at(&options.clients, &folder.path().join("clients"))?;
    // Its limit of requests is far above the usual one, as for every installation these tools make.
    let installation = Installation::new(&program, &folder.path().join("service"))?;
    let mut server = installation.serve_ready()?;
    let person = installation.add_person("agents@example.com", 1_000, 0)?;
    let mut connection = server.connect()?;
    let key = create_key(&mut connection, &person.session, "agents", &SCOPES)?.plaintext;
    let subject = subject(installed, &mut connection, key, person.session)?;
    let through = format!("http://{}/mcp", proxy::start(server.public(), &subject.key)?);

    let mut broken = 0;
    let mut tell = |name: &str, begun: Instant, finding: Result<Finding>| {
        // A client that gives nothing to judge is a finding too: the others are still tried.
        let finding = finding.unwrap_or_else(|error| {
            let mut finding = Finding::default();
            finding.broken(format!("{error:#}"));
            finding
        });
        println!("{}", finding.line(&format!("{name:<22}"), begun.elapsed().as_secs_f64()));
        for text in finding.broken_invariants() {
            println!("    {text}");
        }
        broken += usize::from(!finding.holds());
    };
    for client in &CLIENTS {
        tell(client.name, Instant::now(), tried(&subject, client));
    }
    for client in &CONNECTED {
        tell(&format!("{}, OAuth", client.name), Instant::now(), connected::tried(&subject, client, &mut connection));
    }
    let visitor = installation.add_person("pages@example.com", 10, 0)?;
    let visit =
        pages::Visit { chromium: &options.chromium, screenshots: options.screenshots.as_deref(), visitor: &visitor };
    tell("pages, Chromium", Instant::now(), pages::tried(&subject, &visit, &mut connection));
    for era in ["legacy", "auto", "modern"] {
        tell(&format!("inspector, {era}"), Instant::now(), inspector::tried(&subject, era));
    }
    let calls = if options.sample { 300 } else { 3_000 };
    tell("inspector, load", Instant::now(), inspector::loaded(&subject, calls));
    for suite in &SUITES {
        tell(&format!("suite {}", suite.version), Instant::now(), suite::tried(&subject, suite, &through));
    }
    tell("suite, authorization", Instant::now(), suite::authorized(&subject));
    if let Some(status) = server.process.ended() {
        anyhow::bail!("the server ended with {status}: {}", server.last_words());
    }
    server.terminate()?;
    ensure!(broken == 0, "{broken} clients were not content");
    Ok(())
}

/// Books with a few records, and what a plain POST is answered about them.
fn subject(installed: Installed, connection: &mut Connection, key: String, session: String) -> Result<Subject> {
    let books = Books::create(connection, &key, "Agents Ltd")?;
    let customer = made(connection, &key, &books.path("/customers"), &json!({ "name": "Customer Ltd" }))?;
    let line =
        json!({ "description": "hinges", "account_id": books.account("4000")?, "unit_price": 10.03, "vat_code": "NV" });
    let invoice = json!({ "customer_id": customer, "invoice_date": "2026-03-10", "lines": [line], "issue": true });
    let invoice = made(connection, &key, &books.path("/sales-invoices"), &invoice)?;
    let (failing, arguments) = FAILING_CALL;
    let calls = vec![
        json!(["whoami", {}]),
        json!(["list_organisations", {}]),
        json!(["books_status", { "organisation_id": books.id }]),
        json!(["get_document", { "kind": "customer", "id": customer }]),
        json!(["get_document", { "kind": "sales_invoice", "id": invoice }]),
        json!([failing, serde_json::from_str::<Value>(arguments)?]),
        json!(["no_such_tool", {}]),
    ];
    let listed = asked(connection, &key, "tools/list", &json!({}))?;
    let tools = listed.pointer("/result/tools").and_then(Value::as_array).context("tools/list gave no tools")?;
    let tools: Vec<String> = tools.iter().filter_map(|tool| Some(tool.get("name")?.as_str()?.to_owned())).collect();
    ensure!(!tools.is_empty(), "tools/list is empty");
    let answers = calls
        .iter()
        .map(|call| asked(connection, &key, "tools/call", &json!({ "name": call[0], "arguments": call[1] })))
        .collect::<Result<_>>()?;
    let url = format!("http://{}/mcp", connection.address());
    Ok(Subject { installed, url, key, session, organisation: books.id, tools, calls, answers })
}

/// Makes a record over REST; its id.
fn made(connection: &mut Connection, key: &str, path: &str, body: &Value) -> Result<i64> {
    let body = body.to_string();
    let reply = connection.send(&Request::post(path, Some(key), body.as_bytes()))?;
    ensure!(reply.status == 201, "{path} answered {}", reply.summary());
    reply.json().pointer("/data/id").and_then(Value::as_i64).with_context(|| format!("{path} gave no id"))
}

/// A message of the older era, as a plain POST.
fn asked(connection: &mut Connection, key: &str, method: &str, params: &Value) -> Result<Value> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let headers = [("Accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", LEGACY)];
    let request = Request { headers: &headers, ..Request::post("/mcp", Some(key), body.as_bytes()) };
    let reply = connection.send(&request)?;
    ensure!(reply.status == 200, "{method} answered {}", reply.summary());
    Ok(reply.json())
}

/// Lets a client list and call, and compares.
fn tried(subject: &Subject, client: &Client) -> Result<Finding> {
    let calls = Value::Array(subject.calls.clone()).to_string();
    let environment = [("MCP_URL", subject.url.as_str()), ("MCP_KEY", &subject.key), ("MCP_CALLS", &calls)];
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
        finding.must(is_told(answer, result), format!("{call}: {result} was made of {answer}"));
    }
    finding.count("tools", subject.tools.len());
    finding.count("calls", results.len());
    Ok(finding)
}

/// Whether what a client says of a call is what the answer has.
fn is_told(answer: &Value, result: &Value) -> bool {
    if let Some(error) = answer.get("error") {
        return result.get("code").is_some_and(|code| Some(code) == error.get("code"));
    }
    let Some(answer) = answer.get("result") else { return false };
    let value = |value: Option<&Value>| value.cloned().unwrap_or_default();
    result.get("isError") == answer.get("isError")
        && result.get("text") == answer.pointer("/content/0/text")
        && is_same(&value(result.get("value")), &value(answer.get("structuredContent")))
}

/// Whether two JSON texts mean the same: clients print numbers in their own ways.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| is_same(value, other)))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_told;

    #[test]
    fn what_a_client_says_is_held_against_the_answer() {
        let content = json!([{ "type": "text", "text": "{\"a\":1.50}" }]);
        let answer = json!({ "result": { "isError": false, "content": content, "structuredContent": { "a": 1.50 } } });
        let told = |value: f64| json!({ "isError": false, "text": "{\"a\":1.50}", "value": { "a": value } });
        assert!(is_told(&answer, &told(1.5)));
        assert!(!is_told(&answer, &told(1.4)));
        assert!(!is_told(&answer, &json!({ "code": -32_602 })));
        let failure = json!({ "result": { "isError": true, "content": [{ "type": "text", "text": "no" }] } });
        assert!(is_told(&failure, &json!({ "isError": true, "text": "no", "value": null })));
        assert!(is_told(&failure, &json!({ "isError": true, "text": "no" })));
        assert!(!is_told(&failure, &json!({ "isError": false, "text": "no" })));
        let unknown = json!({ "error": { "code": -32_602 } });
        assert!(is_told(&unknown, &json!({ "code": -32_602, "message": "none" })));
        assert!(!is_told(&unknown, &json!({ "isError": true, "text": "none" })));
    }
}
