//! What the recordings cover: enough requests, enough refusals, every route. While they are written nothing is counted.

use std::collections::BTreeMap;

use bookkeeping_suite::http::routes;

use super::recording::{folder, is_recording};

/// Method, path without its query, status.
type Exchange = (String, String, u64);

/// What is counted of a recorded line; bodies may hold numbers that no type here has room for.
#[derive(serde::Deserialize)]
struct Line {
    request: String,
    status: u64,
}

fn recorded() -> Vec<Exchange> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder()).expect("recordings").map(|file| file.expect("a file").path()).collect();
    files.sort();
    let mut exchanges = Vec::new();
    for file in files {
        for line in std::fs::read_to_string(&file).expect("readable").lines() {
            let line: Line = serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let (method, path) = line.request.split_once(' ').expect("method and path");
            let path = path.split('?').next().unwrap_or_default();
            exchanges.push((method.to_owned(), path.to_owned(), line.status));
        }
    }
    exchanges
}

/// Whether the path is one of the template's.
fn fits(template: &str, path: &str) -> bool {
    if let Some(start) = template.strip_suffix("{file*}") {
        return path.starts_with(start);
    }
    let (template, path): (Vec<&str>, Vec<&str>) = (template.split('/').collect(), path.split('/').collect());
    template.len() == path.len()
        && template.iter().zip(path).all(|(want, have)| *want == have || (want.starts_with('{') && !have.is_empty()))
}

#[test]
fn the_recordings_hold_thousands_of_requests_and_many_refusals() {
    if is_recording() {
        return;
    }
    let exchanges = recorded();
    let refused = exchanges.iter().filter(|(_, _, status)| (400..500).contains(status)).count();
    assert!(exchanges.len() >= 2_000, "{} requests", exchanges.len());
    assert!(refused * 4 >= exchanges.len(), "{refused} of {} are refusals", exchanges.len());
    assert!(exchanges.len() - refused >= 500, "{} are accepted", exchanges.len() - refused);
}

/// The WebSocket of progress: a recording holds answers, and its frames are none.
const WEB_SOCKET: &str = "/app/v1/progress";
/// Speaks a protocol of its own, which its own tests and `cargo xtask agents` hold.
const TOOL_SERVER: &str = "/mcp";
/// The authorization server and its pages, whose answers are random or HTML: `tests/api/oauth` holds them.
const AUTHORIZATION_SERVER: [&str; 5] =
    ["/oauth/", "/.well-known/", "/app/sign-", "/app/style.css", "/app/connections"];
/// What a person has connected, which goes with it.
const CONNECTIONS: &str = "/app/v1/connections";

/// Method and path template of everything that can be called.
fn operations() -> Vec<(String, String)> {
    let routes = routes::routes();
    let elsewhere = [WEB_SOCKET, TOOL_SERVER, CONNECTIONS];
    let is_elsewhere = |path: &str| elsewhere.iter().chain(&AUTHORIZATION_SERVER).any(|start| path.starts_with(start));
    let answering = routes.iter().filter(|route| !is_elsewhere(route.path));
    answering.map(|route| (route.method.as_str().to_owned(), route.path.to_owned())).collect()
}

/// Each operation is accepted at least once, and each that can be refused is refused at least once.
#[test]
fn the_recordings_hold_every_operation() {
    if is_recording() {
        return;
    }
    let (exchanges, operations) = (recorded(), operations());
    assert!(operations.len() > 120, "{operations:?}");
    let mut missing = Vec::new();
    for (method, template) in &operations {
        // A path with a word where another template has a parameter belongs to the word.
        let is_of_another = |path: &str| {
            let more_literal = |other: &str| other.matches('{').count() < template.matches('{').count();
            operations.iter().any(|(_, other)| more_literal(other) && fits(other, path))
        };
        let mut statuses: BTreeMap<u64, usize> = BTreeMap::new();
        for (sent, path, status) in &exchanges {
            if sent == method && fits(template, path) && !is_of_another(path) {
                *statuses.entry(*status).or_default() += 1;
            }
        }
        let is_refusable = template.starts_with("/api/v1/") && template != "/api/v1/health";
        let (accepted, refused) =
            (statuses.keys().any(|status| *status < 400), statuses.keys().any(|status| *status >= 400));
        if !accepted || (is_refusable && !refused) {
            missing.push(format!("{method} {template}: {statuses:?}"));
        }
    }
    assert!(missing.is_empty(), "not both accepted and refused:\n{}", missing.join("\n"));
}
