//! The Inspector without its pages: what it lists, what it says of the schemas, how it ends, and many calls at once.

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Subject, installed::Ran};
use crate::report::Finding;

const SCRIPT: &str = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
/// How it ends where a tool answers with a failure.
const FAILURE_CODE: i32 = 5;
/// Calls on their way at once.
const AT_ONCE: &str = "16";

/// Lists and calls in one era.
pub(super) fn tried(subject: &Subject, era: &str) -> Result<Finding> {
    let mut finding = Finding::default();
    let listed = inspect(subject, era, &["--method", "tools/list", "--strict"])?;
    finding.must(listed.code == Some(0), format!("tools/list: {}", listed.summary()));
    // It says nothing there where it finds neither an error nor a warning.
    finding.must(listed.errors.trim().is_empty(), format!("tools/list --strict: {}", listed.errors));
    let tools = result(&listed)?;
    let names: Vec<&str> =
        tools.get("tools").and_then(Value::as_array).into_iter().flatten().filter_map(name).collect();
    finding.must(names == subject.tools, format!("{names:?} are listed, not {:?}", subject.tools));
    let called = inspect(subject, era, &["--method", "tools/call", "--tool-name", "whoami"])?;
    finding.must(called.code == Some(0), format!("whoami: {}", called.summary()));
    let (tool, arguments) = super::FAILING_CALL;
    let failed = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", arguments];
    let failed = inspect(subject, era, &failed)?;
    finding.must(failed.code == Some(FAILURE_CODE), format!("a failing call: {}", failed.summary()));
    finding.count("tools", names.len());
    Ok(finding)
}

/// One tool, called many times.
pub(super) fn loaded(subject: &Subject, calls: u64) -> Result<Finding> {
    let mut finding = Finding::default();
    let number = calls.to_string();
    let how = ["--load", "--load-concurrency", AT_ONCE, "--load-requests", &number];
    let ran =
        inspect(subject, "auto", &[&["--method", "tools/call", "--tool-name", "whoami"], how.as_slice()].concat())?;
    finding.must(ran.code == Some(0), ran.summary());
    let counted = result(&ran)?;
    for (name, expected) in [("requests", calls), ("ok", calls), ("toolErrors", 0), ("errors", 0)] {
        let number = counted.get(name).and_then(Value::as_u64);
        finding.must(number == Some(expected), format!("{name} is {number:?}, not {expected}: {counted}"));
    }
    finding.count("calls", calls);
    Ok(finding)
}

fn name(tool: &Value) -> Option<&str> {
    tool.get("name").and_then(Value::as_str)
}

fn inspect(subject: &Subject, era: &str, what: &[&str]) -> Result<Ran> {
    let header = format!("Authorization: Bearer {}", subject.key);
    let server = ["--cli", "--server-url", &subject.url, "--transport", "http", "--header", &header];
    let form = ["--protocol-era", era, "--format", "json"];
    subject.installed.node(SCRIPT, &[server.as_slice(), &form, what].concat(), &[])
}

/// The one line of its output.
fn result(ran: &Ran) -> Result<Value> {
    let value: Value = serde_json::from_str(&ran.output).with_context(|| ran.summary())?;
    Ok(value.get("result").cloned().unwrap_or_default())
}
