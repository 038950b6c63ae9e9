//! Connections by OAuth: exchanges in flight at once, requests by token beside requests by key, the start with many connections
//! stored, strangers who make tokens up, the memory of idle clients, and what several do at once to one connection.
//!
//! `cargo bench --bench oauth [-- --json] [--only held|disk|me|start|unknown|idle|races|elsewhere] [--count N] [--small]`
//!
//! * `held`: exchanges on SQLite in memory, every fsync held at 1 ms (`support/slow_sync.c`), beside single commits of the same
//!   rows; `disk`: the same on the disk as it is;
//! * `me`: `/api/v1/me` by token and by key, in turns;
//! * `start`: from the start to the first 200 with that many connections stored;
//! * `unknown`: `/api/v1/me` of somebody while strangers present tokens they made up;
//! * `idle`: memory of clients that initialised and listed, connected and gone;
//! * `races`: one code redeemed many times at once, many codes twice at once, refreshes against a revocation;
//! * `elsewhere`: how soon what was ended in one process is refused in another on one PostgreSQL.
//!
//! The files a process may have open bound how many clients there can be at once. `--small` takes seconds and shows that it still runs.

mod bare;
mod elsewhere;
mod exchanges;
mod idle;
mod me;
mod races;
mod requests;
mod seed;
#[path = "../support/slow_sync.rs"]
mod slow_sync;
mod start;
#[path = "../support/mod.rs"]
mod support;
mod unknown;

use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use slow_sync::{SlowSync, memory_folder};
use support::{Arguments, pressure, print_json};

fn main() -> Result<()> {
    let arguments = Arguments::read();
    if let Some(url) = arguments.after("--bare-exchanges") {
        let time = arguments.after("--for-ms").and_then(|text| text.parse().ok()).context("--for-ms")?;
        return bare::commit_for(url, Duration::from_millis(time));
    }
    if arguments.is_check() {
        return Ok(());
    }
    let is_small = arguments.has("--small");
    let given = arguments.after("--count").and_then(|text| text.parse().ok());
    let count: usize = given.unwrap_or(if is_small { 100 } else { 10_000 });
    let wanted = |name: &str| arguments.after("--only").is_none_or(|only| only == name);
    let mut text = String::new();
    let mut figures = json!({ "bench": "oauth", "count": count, "pressure_percent": pressure() });
    let mut note = |name: &str, text: &mut String, value: Value| {
        if !arguments.has("--json") {
            print!("{text}");
        }
        text.clear();
        if let Some(figures) = figures.as_object_mut() {
            figures.insert(name.to_owned(), value);
        }
    };
    if wanted("held") {
        text.push_str("SQLite in memory, fsync held at 1 ms\n");
        let parent = memory_folder().context("there is no file system in memory at /dev/shm")?;
        let value = exchanges::measure(count, &parent, Some(&SlowSync::build(1_000)?), &mut text)?;
        note("held", &mut text, value);
    }
    if wanted("disk") {
        text.push_str("SQLite on the disk\n");
        let value = exchanges::measure(count, &std::env::temp_dir(), None, &mut text)?;
        note("disk", &mut text, value);
    }
    if wanted("me") {
        let value = me::measure(is_small, &mut text)?;
        note("me", &mut text, value);
    }
    if wanted("start") {
        let value = start::measure(count, is_small, &mut text)?;
        note("start", &mut text, value);
    }
    if wanted("unknown") {
        let value = unknown::measure(is_small, &mut text)?;
        note("unknown", &mut text, value);
    }
    if wanted("idle") {
        let value = idle::measure(count, &mut text)?;
        note("idle", &mut text, value);
    }
    if wanted("races") {
        let value = races::measure(is_small, &mut text)?;
        note("races", &mut text, value);
    }
    if wanted("elsewhere") {
        let value = elsewhere::measure(is_small, &mut text)?;
        note("elsewhere", &mut text, value);
    }
    if arguments.has("--json") {
        return print_json(&figures);
    }
    Ok(())
}
