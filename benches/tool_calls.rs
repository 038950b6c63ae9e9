//! Calls of tools at `/mcp` against the requests of the REST API they wrap, and the protocol's own questions against
//! `/api/v1/me`: one warm connection each, asked in turns.
//!
//! `cargo bench --bench tool_calls [-- --json] [--samples N]`; `--small` takes seconds and shows that it still runs.

mod support;

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use support::{Arguments, installation, pressure, print_json, serve};
use xtask::{
    http::{Connection, Request},
    program::{SCOPES, create_key},
    statistics::{percentile, short, sorted},
};

/// Multiples of the other side's p50 and p99.
type Bars = (f64, f64);

const TOOL: Bars = (1.3, 1.5);
const OPENING: Bars = (1.5, f64::INFINITY);
const LISTING: Bars = (3.0, f64::INFINITY);

/// Requests of each side that are not counted.
const WARM_UP: usize = 50;

const ORGANISATIONS: &str = "/api/v1/books/organisations";

/// Headers of every message to the tool server.
const LEGACY: [(&str, &str); 2] =
    [("Accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-11-25")];
const DISCOVER: [(&str, &str); 3] = [
    ("Accept", "application/json, text/event-stream"),
    ("MCP-Protocol-Version", "2026-07-28"),
    ("Mcp-Method", "server/discover"),
];

/// What is compared.
struct Pair {
    name: &'static str,
    path: String,
    message: Vec<u8>,
    headers: &'static [(&'static str, &'static str)],
    bars: Bars,
}

impl Pair {
    fn tool(name: &'static str, path: String, organisation: Option<i64>, arguments: &Value) -> Self {
        let mut arguments = arguments.as_object().cloned().unwrap_or_default();
        if let Some(id) = organisation {
            arguments.insert("organisation_id".to_owned(), id.into());
        }
        let params = json!({ "name": name, "arguments": arguments });
        Self::message(name, path, "tools/call", &params, TOOL)
    }

    fn message(name: &'static str, path: String, method: &str, params: &Value, bars: Bars) -> Self {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let headers: &[_] = if method == "server/discover" { &DISCOVER } else { &LEGACY };
        Self { name, path, message: message.to_string().into_bytes(), headers, bars }
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::read();
    if arguments.is_check() {
        return Ok(());
    }
    let default = if arguments.has("--small") { 20 } else { 3_000 };
    let samples = arguments.after("--samples").and_then(|word| word.parse().ok()).unwrap_or(default);

    let (_folder, installation) = installation(&std::env::temp_dir())?;
    let server = serve(&installation, &[])?;
    let person = installation.add_person("bench@example.com", 1_000, 1_000)?;
    let mut connection = server.connect()?;
    let key = create_key(&mut connection, &person.session, "bench", &SCOPES)?.plaintext;
    let pairs = books(&mut connection, &key)?;

    let (mut rest, mut tools) = (server.connect()?, server.connect()?);
    let mut rows = Vec::new();
    println!(
        "{:<20}{:>12}{:>12}{:>8}{:>6}{:>12}{:>12}{:>8}{:>6}",
        "", "p50 REST", "p50 tool", "ratio", "bar", "p99 REST", "p99 tool", "ratio", "bar"
    );
    for pair in &pairs {
        let (mut rest_us, mut tool_us) = (Vec::new(), Vec::new());
        for sample in 0..WARM_UP + samples {
            let (one, other);
            if sample % 2 == 0 {
                one = ask(&mut rest, &Request::get(&pair.path, Some(&key)))?;
                other = call(&mut tools, &key, pair)?;
            } else {
                other = call(&mut tools, &key, pair)?;
                one = ask(&mut rest, &Request::get(&pair.path, Some(&key)))?;
            }
            if sample >= WARM_UP {
                rest_us.push(one);
                tool_us.push(other);
            }
        }
        let (rest_us, tool_us) = (sorted(rest_us), sorted(tool_us));
        let at = |share: f64| (percentile(&rest_us, share), percentile(&tool_us, share));
        let ((rest_p50, tool_p50), (rest_p99, tool_p99)) = (at(0.5), at(0.99));
        let ratios = (tool_p50 / rest_p50.max(1e-9), tool_p99 / rest_p99.max(1e-9));
        let is_met = ratios.0 <= pair.bars.0 && ratios.1 <= pair.bars.1;
        println!(
            "{:<20}{rest_p50:>9.0} µs{tool_p50:>9.0} µs{:>8.2}{:>6}{rest_p99:>9.0} µs{tool_p99:>9.0} µs{:>8.2}{:>6}{}",
            pair.name,
            ratios.0,
            pair.bars.0,
            ratios.1,
            pair.bars.1,
            if is_met { "" } else { "  MISSED" }
        );
        rows.push(json!({
            "name": pair.name, "p50_rest_us": short(rest_p50), "p50_tool_us": short(tool_p50), "p50_ratio": short(ratios.0),
            "p99_rest_us": short(rest_p99), "p99_tool_us": short(tool_p99), "p99_ratio": short(ratios.1),
            "p50_bar": pair.bars.0, "met": is_met,
        }));
    }
    if arguments.has("--json") {
        print_json(
            &json!({ "bench": "tool_calls", "samples": samples, "pressure_percent": pressure(), "pairs": rows }),
        )?;
    }
    Ok(())
}

/// Books to ask about, and what is compared.
fn books(connection: &mut Connection, key: &str) -> Result<Vec<Pair>> {
    let mut made = |path: &str, body: &Value| -> Result<i64> {
        let body = body.to_string();
        let reply = connection.send(&Request::post(path, Some(key), body.as_bytes()))?;
        ensure!(matches!(reply.status, 200..=201), "{path} was answered {}", reply.summary());
        reply.json().pointer("/data/id").and_then(Value::as_i64).context("a record without an id")
    };
    let id = made(ORGANISATIONS, &json!({ "name": "Bench Ltd", "vat_control": true }))?;
    let path = |rest: &str| format!("{ORGANISATIONS}/{id}{rest}");
    let customer = made(&path("/customers"), &json!({ "name": "Brightwell School" }))?;
    let mut invoice = 0;
    for number in 0..200 {
        let line = json!({
            "description": format!("Joinery {number}"), "account_code": "4000", "unit_price": "120", "vat_code": "NV"
        });
        let body = json!({ "customer_id": customer, "invoice_date": "2026-03-10", "lines": [line] });
        invoice = made(&path("/sales-invoices"), &body)?;
    }
    let empty = json!({});
    let meta = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
    } });
    let opening = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" }
    });
    let me = || "/api/v1/me".to_owned();
    let document = json!({ "kind": "sales_invoice", "id": invoice });
    let kind = json!({ "kind": "sales_invoice" });
    let report = json!({ "report": "trial-balance", "as_of": "2026-03-31" });
    let tool = |name, path, arguments| Pair::tool(name, path, Some(id), arguments);
    Ok(vec![
        tool("get_document", path(&format!("/sales-invoices/{invoice}")), &document),
        tool("find", path("/sales-invoices?limit=20&offset=0"), &kind),
        tool("books_status", path("/status"), &empty),
        tool("recent_changes", path("/changes?order=desc&limit=20"), &empty),
        Pair::tool("list_organisations", ORGANISATIONS.to_owned(), None, &empty),
        tool("get_report", path("/reports/trial-balance?as_of=2026-03-31"), &report),
        Pair::message("initialize", me(), "initialize", &opening, OPENING),
        Pair::message("server/discover", me(), "server/discover", &meta, OPENING),
        Pair::message("tools/list", me(), "tools/list", &empty, LISTING),
    ])
}

fn ask(connection: &mut Connection, request: &Request<'_>) -> Result<f64> {
    let begun = Instant::now();
    let reply = connection.send(request)?;
    let spent = begun.elapsed();
    ensure!(reply.status == 200, "{} was answered {}", request.path, reply.summary());
    Ok(spent.as_secs_f64() * 1e6)
}

fn call(connection: &mut Connection, key: &str, pair: &Pair) -> Result<f64> {
    let request =
        Request { method: "POST", path: "/mcp", bearer: Some(key), headers: pair.headers, body: Some(&pair.message) };
    let begun = Instant::now();
    let reply = connection.send(&request)?;
    let spent = begun.elapsed();
    let is_error = reply.json().pointer("/result/isError") == Some(&Value::Bool(true));
    ensure!(
        reply.status == 200 && !is_error && reply.json().get("result").is_some(),
        "{}: {}",
        pair.name,
        reply.summary()
    );
    Ok(spent.as_secs_f64() * 1e6)
}
