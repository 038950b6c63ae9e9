//! From the start of the process to its first 200, with many connections and their live tokens stored.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use xtask::{
    http::Request,
    statistics::{greatest, median, milliseconds, short},
};

use crate::seed::{database_url, seed};
use crate::support::installation;

/// Milliseconds.
const BAR_MS: f64 = 200.0;

/// Starts again and again; half of the starts follow a crash.
pub fn measure(count: usize, is_small: bool, text: &mut String) -> Result<Value> {
    let (_folder, installation) = installation(&std::env::temp_dir())?;
    installation.add_person("bench@example.com", 1_000, 1_000)?;
    let seeded = seed(&database_url(installation.folder()), count)?;
    let last = seeded.last().context("no connection")?;
    let mut times = Vec::new();
    for round in 0..if is_small { 2 } else { 11 } {
        let mut server = installation.serve(&[])?;
        times.push(milliseconds(server.wait_ready(Duration::from_secs(60))?));
        let reply = server.connect()?.send(&Request::get("/api/v1/me", Some(&last.access)))?;
        ensure!(reply.status == 200, "a stored token was answered {}", reply.summary());
        if round % 2 == 0 {
            server.terminate()?;
        } else {
            server.process.kill()?;
        }
    }
    let (middle, longest) = (median(&times), greatest(&times));
    writeln!(
        text,
        "start to the first 200 with {count} connections stored: median {middle:.0} ms, longest {longest:.0} ms (bar {BAR_MS} ms){}",
        if longest <= BAR_MS { "" } else { "  MISSED" }
    )?;
    Ok(json!({ "median_ms": short(middle), "longest_ms": short(longest), "bar_ms": BAR_MS, "met": longest <= BAR_MS }))
}
