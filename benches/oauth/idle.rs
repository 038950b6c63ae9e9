//! Memory of clients that initialised and listed the tools: while their connections are open, beside connections of the REST API
//! that asked once, and after they are gone.
//!
//! What the server library and the allocator keep of connections that were opened and closed is no part of what is kept of a
//! client: a second server is given the same load by clients that all present the token of one connection.

use std::fmt::Write as _;
use std::io::{BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use xtask::{
    http::read_reply,
    statistics::{real64, short},
};

use crate::requests;
use crate::seed::{Seeded, database_url, seed};
use crate::support::{installation, serve};

/// Times the memory of an idle REST connection.
const OPEN_BAR: f64 = 1.25;
/// Bytes kept of a live connection and its token.
const CLOSED_BAR: f64 = 1_536.0;
/// Clients that come and go before anything is counted.
const WARM_UP: usize = 200;

/// What a client asks before it rests.
type Asked = fn(SocketAddr, &str) -> Vec<Vec<u8>>;

fn rest(address: SocketAddr, token: &str) -> Vec<Vec<u8>> {
    vec![requests::me(address, token)]
}

fn tools(address: SocketAddr, token: &str) -> Vec<Vec<u8>> {
    vec![
        requests::initialize(address, token),
        requests::notification(address, token, "notifications/initialized"),
        requests::message(address, token, "tools/list", "{}"),
    ]
}

fn client(address: SocketAddr, token: &str, asked: Asked) -> Result<TcpStream> {
    let mut reader = BufReader::new(TcpStream::connect(address)?);
    reader.get_ref().set_nodelay(true)?;
    for request in asked(address, token) {
        reader.get_mut().write_all(&request)?;
        let reply = read_reply(&mut reader, "POST")?;
        ensure!(matches!(reply.status, 200 | 202), "a client was answered {}", reply.summary());
    }
    Ok(reader.into_inner())
}

/// Resident memory of a server before clients came, while they are connected and after they went, in KiB.
struct Memory {
    before: u64,
    open: u64,
    closed: u64,
}

/// Lets so many clients come: each with a token of its own, or all with one.
fn clients(count: usize, is_own_token: bool, asked: Asked) -> Result<Memory> {
    let (_folder, installation) = installation(&std::env::temp_dir())?;
    let installation = installation.with("rate_limit_requests", "16000000");
    installation.add_person("bench@example.com", 1_000, 1_000)?;
    let seeded: Vec<Seeded> = seed(&database_url(installation.folder()), if is_own_token { count } else { 1 })?;
    let server = serve(&installation, &[])?;
    let address = server.public();
    let token =
        |number: usize| seeded.get(number % seeded.len()).map(|seeded| seeded.access.as_str()).context("no token");
    for _ in 0..WARM_UP {
        client(address, token(0)?, asked)?;
    }
    let before = server.process.resident_kib()?;
    let mut open = Vec::with_capacity(count);
    for number in 0..count {
        open.push(client(address, token(number)?, asked)?);
    }
    thread::sleep(Duration::from_millis(500));
    let connected = server.process.resident_kib()?;
    drop(open);
    // The server sees the ends one after the other.
    thread::sleep(Duration::from_secs(2));
    let closed = server.process.resident_kib()?;
    server.terminate()?;
    Ok(Memory { before, open: connected, closed })
}

/// Counts the memory of so many clients.
pub fn measure(count: usize, text: &mut String) -> Result<Value> {
    let each = |from: u64, to: u64| -> Result<f64> {
        Ok(real64(to.saturating_sub(from)) * 1_024.0 / real64(u64::try_from(count)?))
    };
    let of_rest = clients(count, true, rest)?;
    let of_tools = clients(count, true, tools)?;
    let of_one = clients(count, false, tools)?;
    let (rest, tools) = (each(of_rest.before, of_rest.open)?, each(of_tools.before, of_tools.open)?);
    let ratio = tools / rest.max(1e-9);
    let closed = each(of_one.closed, of_tools.closed)?;
    let (is_open_met, is_closed_met) = (ratio <= OPEN_BAR, closed <= CLOSED_BAR);
    writeln!(
        text,
        "{count} idle clients: {tools:.0} bytes each connected, a REST connection {rest:.0}, ratio {ratio:.2} (bar {OPEN_BAR}){}; \
         gone: {closed:.0} bytes each (bar {CLOSED_BAR:.0}){}",
        if is_open_met { "" } else { "  MISSED" },
        if is_closed_met { "" } else { "  MISSED" },
    )?;
    for (name, memory) in [("REST", of_rest), ("tools", of_tools), ("tools, one token", of_one)] {
        writeln!(text, "  {name}: {} KiB, open {} KiB, closed {} KiB", memory.before, memory.open, memory.closed)?;
    }
    Ok(json!({
        "bytes_connected": short(tools), "bytes_rest_connected": short(rest), "ratio": short(ratio), "bar": OPEN_BAR,
        "bytes_gone": short(closed), "bytes_gone_bar": CLOSED_BAR, "met": is_open_met && is_closed_met,
    }))
}
