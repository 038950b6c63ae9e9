//! A plan and its commit at `/mcp` against the posts over REST that they stand for, durable, one warm connection each, in turns.
//!
//! `cargo bench --bench plans [-- --json] [--samples N]`; `--small` takes seconds and shows that it still runs.

mod support;

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use support::{Arguments, installation, pressure, print_json, serve};
use xtask::{
    http::{Connection, Request},
    program::{SCOPES, create_key},
    statistics::{median, short},
};

/// A plan and commit of one invoice may take so many times as long as its post.
const ONE_BAR: f64 = 2.2;
/// A plan and commit of a hundred invoices may take this share of a hundred posts in a row.
const HUNDRED_BAR: f64 = 0.1;

/// The most operations of a plan.
const HUNDRED: usize = 100;

/// Rounds that are not counted.
const WARM_UP: usize = 5;

const ORGANISATIONS: &str = "/api/v1/books/organisations";

const HEADERS: [(&str, &str); 2] =
    [("Accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-11-25")];

struct Side<'a> {
    connection: Connection,
    key: &'a str,
    organisation: i64,
    customer: i64,
}

impl Side<'_> {
    fn invoice(&self) -> Value {
        let line = json!({ "description": "Joinery", "account_code": "4000", "unit_price": "120", "vat_code": "ST" });
        json!({ "customer_id": self.customer, "invoice_date": "2026-03-10", "lines": [line] })
    }

    /// Posts invoices one after another; seconds.
    fn post(&mut self, count: usize) -> Result<f64> {
        let (path, body) =
            (format!("{ORGANISATIONS}/{}/sales-invoices", self.organisation), self.invoice().to_string());
        let begun = Instant::now();
        for _ in 0..count {
            let reply = self.connection.send(&Request::post(&path, Some(self.key), body.as_bytes()))?;
            ensure!(reply.status == 201, "{path} was answered {}", reply.summary());
        }
        Ok(begun.elapsed().as_secs_f64())
    }

    /// Plans and commits invoices together; seconds.
    fn plan(&mut self, count: usize) -> Result<f64> {
        let operation = json!({ "op": "sales_invoice.create", "params": self.invoice() });
        let operations = vec![operation; count];
        let begun = Instant::now();
        let arguments = json!({ "organisation_id": self.organisation, "operations": operations });
        let plan = self.call("plan_bookkeeping", &arguments)?;
        let token = plan.get("plan_token").context("a plan without a token")?;
        let done = self.call("commit_plan", &json!({ "plan_token": token }))?;
        let spent = begun.elapsed().as_secs_f64();
        let results = done.get("results").and_then(Value::as_array).map_or(0, Vec::len);
        ensure!(results == count, "{results} of {count} operations were carried out");
        Ok(spent)
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let params = json!({ "name": tool, "arguments": arguments });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
        let request = Request { headers: &HEADERS, ..Request::post("/mcp", Some(self.key), body.as_bytes()) };
        let reply = self.connection.send(&request)?.json();
        reply.pointer("/result/structuredContent").cloned().with_context(|| format!("{tool} was answered {reply}"))
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::read();
    if arguments.is_check() {
        return Ok(());
    }
    let default = if arguments.has("--small") { 5 } else { 300 };
    let samples = arguments.after("--samples").and_then(|word| word.parse().ok()).unwrap_or(default);
    let (_folder, installation) = installation(&std::env::temp_dir())?;
    let server = serve(&installation, &[])?;
    let person = installation.add_person("bench@example.com", 1_000, 1_000)?;
    let mut connection = server.connect()?;
    let key = create_key(&mut connection, &person.session, "bench", &SCOPES)?.plaintext;
    let side = || -> Result<Side<'_>> {
        let mut connection = server.connect()?;
        let mut made = |path: &str, body: &Value| -> Result<i64> {
            let reply = connection.send(&Request::post(path, Some(&key), body.to_string().as_bytes()))?;
            ensure!(reply.status == 201, "{path} was answered {}", reply.summary());
            reply.json().pointer("/data/id").and_then(Value::as_i64).context("a record without an id")
        };
        let organisation = made(ORGANISATIONS, &json!({ "name": "Bench Ltd", "vat_control": true }))?;
        let path = format!("{ORGANISATIONS}/{organisation}/customers");
        let customer = made(&path, &json!({ "name": "Brightwell School" }))?;
        Ok(Side { connection, key: &key, organisation, customer })
    };
    let (mut rest, mut tools) = (side()?, side()?);
    let mut rows = Vec::new();
    for (name, count, samples, bar) in
        [("one invoice", 1, samples, ONE_BAR), ("a hundred invoices", HUNDRED, (samples / 10).max(2), HUNDRED_BAR)]
    {
        let (mut posts, mut plans) = (Vec::new(), Vec::new());
        for sample in 0..WARM_UP + samples {
            let (post, plan);
            if sample % 2 == 0 {
                post = rest.post(count)?;
                plan = tools.plan(count)?;
            } else {
                plan = tools.plan(count)?;
                post = rest.post(count)?;
            }
            if sample >= WARM_UP {
                posts.push(post * 1e3);
                plans.push(plan * 1e3);
            }
        }
        let (post_ms, plan_ms) = (median(&posts), median(&plans));
        let ratio = plan_ms / post_ms.max(1e-9);
        let said = if ratio <= bar { "" } else { "  MISSED" };
        println!(
            "{name:<20}posts {post_ms:>9.2} ms, plan and commit {plan_ms:>9.2} ms, ratio {ratio:>6.3} (bar {bar}){said}"
        );
        rows.push(json!({
            "name": name, "post_ms": short(post_ms), "plan_ms": short(plan_ms), "ratio": short(ratio), "bar": bar, "met": ratio <= bar,
        }));
    }
    if arguments.has("--json") {
        print_json(&json!({ "bench": "plans", "samples": samples, "pressure_percent": pressure(), "rows": rows }))?;
    }
    Ok(())
}
