//! Two processes on one PostgreSQL: what is ended in one is refused there on the next request, and within a second in the other.

use std::fmt::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use sea_orm::{ConnectionTrait as _, Database, Statement};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use xtask::{
    http::{Connection, Request},
    postgres::Postgres,
    program::{Installation, SCOPES, Server, create_key},
    statistics::{greatest, median, milliseconds, short},
};

use crate::seed::{Seeded, seed};
use crate::support::serve;

/// Within so many milliseconds.
const BAR_MS: f64 = 1_000.0;

/// How a credential fares on REST and at the tool server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Let {
    rest: bool,
    tools: bool,
}

const IN: Let = Let { rest: true, tools: true };
const OUT: Let = Let { rest: false, tools: false };

fn ask(connection: &mut Connection, credential: &str, path: &str, arguments: &Value) -> Result<Let> {
    let reply = connection.send(&Request::get(path, Some(credential)))?;
    let rest = reply.status == 200;
    ensure!(rest || matches!(reply.status, 401 | 403 | 404), "{path} was answered {}", reply.summary());
    let params = json!({ "name": arguments["tool"], "arguments": arguments["arguments"] });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let headers = [("Accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-11-25")];
    let request = Request { headers: &headers, ..Request::post("/mcp", Some(credential), body.as_bytes()) };
    let reply = connection.send(&request)?;
    ensure!(matches!(reply.status, 200 | 401 | 403), "/mcp was answered {}", reply.summary());
    let is_given = reply.status == 200 && reply.json().pointer("/result/isError") != Some(&Value::Bool(true));
    Ok(Let { rest, tools: is_given })
}

/// One kind of end.
struct Trials {
    name: &'static str,
    elsewhere_ms: Vec<f64>,
}

struct Processes {
    servers: [Server; 2],
    connections: [Connection; 2],
}

impl Processes {
    /// Ends something in one process and looks at both. `is_written_by_another` is for what a third program wrote: then there is
    /// no process that did it.
    fn tried(
        &mut self,
        trials: &mut Trials,
        trial: usize,
        (credential, path, arguments): (&str, &str, &Value),
        end: impl FnOnce(&mut Connection) -> Result<()>,
        is_written_by_another: bool,
    ) -> Result<()> {
        let [left, right] = &mut self.connections;
        let (here, there) = if trial.is_multiple_of(2) { (left, right) } else { (right, left) };
        for connection in [&mut *here, &mut *there] {
            let begun = Instant::now();
            while ask(connection, credential, path, arguments)? != IN {
                ensure!(begun.elapsed() < Duration::from_secs(20), "{}: not let in before the end", trials.name);
                thread::sleep(Duration::from_millis(2));
            }
        }
        end(here)?;
        let ended = Instant::now();
        if !is_written_by_another {
            let found = ask(here, credential, path, arguments)?;
            ensure!(found == OUT, "{}: {found:?} on the next request", trials.name);
        }
        for connection in [here, there] {
            while ask(connection, credential, path, arguments)? != OUT {
                ensure!(ended.elapsed() < Duration::from_secs(20), "{}: still let in elsewhere", trials.name);
                thread::sleep(Duration::from_millis(2));
            }
        }
        trials.elsewhere_ms.push(milliseconds(ended.elapsed()));
        Ok(())
    }
}

/// The value of a hidden field of a page.
fn hidden(page: &str, name: &str) -> Result<String> {
    let rest = page.split(&format!("name=\"{name}\" value=\"")).nth(1).context("no such field")?;
    Ok(rest.split('"').next().unwrap_or_default().to_owned())
}

/// Has the person allow a client anew, with the scope given.
fn allow(connection: &mut Connection, session: &str, seeded: &Seeded, scope: &str) -> Result<()> {
    let cookie = format!("bookkeeping_session={session}");
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs([
            ("response_type", "code"),
            ("client_id", &seeded.client_id),
            ("redirect_uri", crate::seed::REDIRECT_URI),
            ("scope", scope),
            ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ("code_challenge_method", "S256"),
        ])
        .finish();
    let path = format!("/oauth/authorize?{query}");
    let page = connection.send(&Request { headers: &[("Cookie", &cookie)], ..Request::get(&path, None) })?;
    ensure!(page.status == 200, "the page is {}", page.summary());
    let page = String::from_utf8_lossy(&page.body).into_owned();
    let (request, csrf) = (hidden(&page, "request")?, hidden(&page, "csrf")?);
    let body = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs([
            ("request", request.as_str()),
            ("csrf", &csrf),
            ("decision", "allow"),
            ("reach", "all"),
            ("scope", scope),
        ])
        .finish();
    let reply = post_form(connection, "/oauth/authorize", &cookie, &body)?;
    ensure!(reply == 303, "the consent was answered {reply}");
    Ok(())
}

/// Sends a form over a connection of its own; the status.
fn post_form(connection: &Connection, path: &str, cookie: &str, body: &str) -> Result<u16> {
    let address = connection.address();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let (answers, _) = xtask::load::at_once(address, &[request.into_bytes()], Duration::from_secs(30))?;
    Ok(answers.first().context("no answer")?.status)
}

/// The organisation that each trial asks about.
struct Membership<'a> {
    runtime: &'a Runtime,
    url: &'a str,
    organisation: i64,
}

impl Membership<'_> {
    /// Writes, as another program does, whether the person is a member.
    fn set(&self, is_accepted: bool) -> Result<()> {
        self.runtime.block_on(async {
            let database = Database::connect(self.url).await?;
            for sql in [
                "update change_epoch set value = value + 1 where topic = 'memberships'".to_owned(),
                format!(
                    "update membership set accepted = {is_accepted}, \
                     changed_epoch = (select value from change_epoch where topic = 'memberships') where organisation_id = {}",
                    self.organisation
                ),
            ] {
                database.execute_raw(Statement::from_string(database.get_database_backend(), sql)).await?;
            }
            database.close().await?;
            Ok(())
        })
    }
}

/// Ends connections, keys, scopes and memberships.
pub fn measure(is_small: bool, text: &mut String) -> Result<Value> {
    let count = if is_small { 2 } else { 200 };
    let folder = tempfile::Builder::new().prefix("bookkeeping-bench-").tempdir()?;
    let postgres = Postgres::start(&folder.path().join("postgres"))?;
    let program = xtask::program::Program::at(std::path::Path::new(env!("CARGO_BIN_EXE_bookkeeping")))?;
    let installation = |name: &str| -> Result<Installation> {
        Ok(Installation::new(&program, &folder.path().join(name))?.with("database_url", &postgres.url()))
    };
    let (left, right) = (installation("left")?, installation("right")?);
    let person = left.add_person("bench@example.com", 1_000, 1_000)?;
    let seeded = seed(&postgres.url(), 2 * count)?;
    let servers = [serve(&left, &[])?, serve(&right, &[])?];
    let connections = [servers[0].connect()?, servers[1].connect()?];
    let mut processes = Processes { servers, connections };
    let [connection, _] = &mut processes.connections;
    // A session of each process: their secrets may differ.
    let key = create_key(connection, &person.session, "owner", &SCOPES)?.plaintext;
    let body = json!({ "name": "Bench Ltd" }).to_string();
    let made = connection.send(&Request::post("/api/v1/books/organisations", Some(&key), body.as_bytes()))?;
    let organisation = made.json().pointer("/data/id").and_then(Value::as_i64).context("no organisation")?;
    let path = format!("/api/v1/books/organisations/{organisation}/accounts");
    let status = json!({ "tool": "books_status", "arguments": { "organisation_id": organisation } });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let url = postgres.url();
    let membership = Membership { runtime: &runtime, url: &url, organisation };

    let trials = |name| Trials { name, elsewhere_ms: Vec::new() };
    let (mut revoked, mut narrowed) = (trials("a revoked connection"), trials("a connection allowed less"));
    let (mut keys, mut removed) = (trials("a revoked key"), trials("a removed member"));
    for trial in 0..count {
        let one = seeded.get(trial).context("too few connections")?;
        let asked = (one.access.as_str(), path.as_str(), &status);
        let end = |connection: &mut Connection| {
            let body = url::form_urlencoded::Serializer::new(String::new())
                .extend_pairs([("client_id", &one.client_id), ("token", &one.refresh)])
                .finish();
            let status = post_form(connection, "/oauth/revoke", "", &body)?;
            ensure!(status == 200, "a revocation was answered {status}");
            Ok(())
        };
        processes.tried(&mut revoked, trial, asked, end, false)?;

        let other = seeded.get(count + trial).context("too few connections")?;
        let asked = (other.access.as_str(), path.as_str(), &status);
        let end = |connection: &mut Connection| allow(connection, &person.session, other, "coding:read");
        processes.tried(&mut narrowed, trial, asked, end, false)?;

        let [here, _] = &mut processes.connections;
        let made = create_key(here, &person.session, &format!("trial {trial}"), &["books:read"])?;
        let asked = (made.plaintext.as_str(), path.as_str(), &status);
        let end = |connection: &mut Connection| {
            let path = format!("/api/v1/keys/{}", made.id);
            let reply = connection.send(&Request { method: "DELETE", ..Request::get(&path, Some(&person.session)) })?;
            ensure!(reply.status == 200, "a revocation was answered {}", reply.summary());
            Ok(())
        };
        processes.tried(&mut keys, trial, asked, end, false)?;

        let asked = (key.as_str(), path.as_str(), &status);
        processes.tried(&mut removed, trial, asked, |_| membership.set(false), true)?;
        membership.set(true)?;
    }
    let mut rows = Vec::new();
    for Trials { name, elsewhere_ms } in [revoked, narrowed, keys, removed] {
        let longest = greatest(&elsewhere_ms);
        let is_met = longest <= BAR_MS;
        writeln!(
            text,
            "{name}: refused on the next request where it was ended, elsewhere within {:.0} ms (median), {longest:.0} ms (longest of \
             {count}, bar {BAR_MS:.0} ms), on REST and /mcp{}",
            median(&elsewhere_ms),
            if is_met { "" } else { "  MISSED" }
        )?;
        rows.push(json!({ "name": name, "median_ms": short(median(&elsewhere_ms)), "longest_ms": short(longest), "met": is_met }));
    }
    for server in processes.servers {
        server.terminate()?;
    }
    Ok(json!(rows))
}
