//! What the built program logs: a line a request, a few for a flood of refusals, everything as JSON, and never a secret.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::data::costing;
use crate::support::program::{Serving, Shell};
use crate::support::until;

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "eleven clocks on the landing";

fn objects(log: &str) -> Vec<Value> {
    log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// A program with somebody in it, and a session of theirs.
fn start(more: &[&str]) -> (Shell, Serving, Client, String) {
    let shell = Shell::new();
    std::fs::write(shell.path("password"), PASSWORD).unwrap();
    shell.ok(&["user", "add", "--email", EMAIL, "--password-file", "password"]);
    let session = shell.ok(&["user", "session", "--email", EMAIL]).trim().to_owned();
    let serving = shell.serve(more);
    let client = Client::new(&serving.addresses()[0]);
    (shell, serving, client, session)
}

fn make_key(client: &Client, session: &str) -> Value {
    let request = json!({ "name": "n", "scopes": ["reconcile:read", "reconcile:write", "books:read", "books:write"] });
    client.post("/api/v1/keys").bearer(session).json(&request).send().expect(201)
}

#[test]
fn each_request_has_one_line_that_says_who_did_what_and_no_secret_is_in_any() {
    let (shell, serving, client, session) = start(&["--shutdown-grace-s", "7"]);
    let made = make_key(&client, &session);
    let key = made["key"].as_str().unwrap();
    let organisation = client.post("/api/v1/books/organisations").bearer(key).json(&json!({ "name": "Larkspur" }));
    let organisation = organisation.send().expect(201)["data"]["id"].clone();
    let listed = client.get(&format!("/api/v1/books/organisations/{organisation}/accounts")).bearer(key).send();
    let request_id = listed.header("x-request-id").unwrap().to_owned();
    let bytes = listed.text().len();
    let login =
        |password: &str| client.post("/app/v1/login").json(&json!({ "email": EMAIL, "password": password })).send();
    let logged_in = login(PASSWORD).expect(200)["access_token"].as_str().unwrap().to_owned();
    login("a wrong password, and a secret one").expect(401);
    let unknown = format!("{}x", &key[..key.len() - 1]);
    client.get("/api/v1/me").bearer(&unknown).send().expect(401);
    client.get("/api/v1/nothing-there").bearer(key).header("X-Request-Id", "order-17").send().expect(404);
    // A credential in the wrong header.
    for credential in [key, &session, &format!("Bearer {key}")] {
        client.get("/api/v1/health").header("X-Request-Id", credential).send().expect(200);
    }
    client.delete(&format!("/api/v1/keys/{}", made["id"])).bearer(&session).send().expect(200);
    let ended = serving.terminate();
    assert_eq!(ended.code, Some(0));

    let log = objects(&ended.stderr);
    let start = log.iter().find(|line| line["target"] == "start").expect("a line of the start");
    assert_eq!((&start["version"], &start["level"]), (&json!(env!("CARGO_PKG_VERSION")), &json!("INFO")));
    assert!(start["commit"].is_string() && start["folder"].is_string(), "{start}");
    assert!(start["database"].as_str().unwrap().ends_with("bookkeeping.db"), "{start}");
    assert!(start["settings"].as_str().unwrap().contains("shutdown_grace_s=7"), "{start}");
    let requests: Vec<&Value> = log.iter().filter(|line| line["message"] == "request").collect();
    assert_eq!(requests.len(), 11, "{requests:#?}");
    let given: Vec<&Value> =
        requests.iter().map(|line| &line["client_request_id"]).filter(|id| !id.is_null()).collect();
    assert_eq!(given, ["order-17"], "{requests:#?}");
    let ids: BTreeSet<&str> = requests.iter().map(|line| line["request_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), requests.len());
    let of_accounts = requests.iter().find(|line| line["request_id"] == json!(request_id)).expect("its line");
    assert_eq!(of_accounts["method"], "GET");
    assert_eq!(of_accounts["route"], "/api/v1/books/organisations/{organisationId}/accounts");
    assert_eq!((&of_accounts["status"], &of_accounts["bytes"]), (&json!(200), &json!(bytes)));
    assert_eq!((&of_accounts["key"], &of_accounts["organisation"]), (&made["prefix"], &organisation));
    assert!(of_accounts["ms"].as_f64().is_some_and(|ms| ms > 0.0), "{of_accounts}");
    let errors: Vec<&Value> = requests.iter().map(|line| &line["error"]).filter(|error| !error.is_null()).collect();
    assert_eq!(errors, ["unauthorized", "unauthorized", "not_found"], "{requests:#?}");
    for event in ["logged in", "a key was revoked"] {
        assert_eq!(log.iter().filter(|line| line["message"] == event).count(), 1, "{event}");
    }
    let stored = std::fs::read_to_string(shell.path("data/session.secret")).unwrap_or_default();
    let secrets = [key, &unknown, &session, &logged_in, PASSWORD, "a secret one", stored.trim()];
    for secret in secrets.into_iter().filter(|secret| !secret.is_empty()) {
        assert!(!ended.stderr.contains(secret), "{secret}");
        // Nor what would do instead of it.
        let tail: String = secret.chars().skip(secret.chars().count() / 2).collect();
        assert!(!ended.stderr.contains(&tail), "the end of {secret}");
    }
}

#[test]
fn a_flood_of_refusals_is_a_few_lines_a_metric_and_amber() {
    let (_shell, serving, client, session) = start(&["--rate-limit-requests", "5"]);
    let key = make_key(&client, &session)["key"].as_str().unwrap().to_owned();
    let mut refused = 0;
    for _ in 0..600 {
        refused += u64::from(client.get("/api/v1/me").bearer(&key).send().status == 429);
    }
    assert!(refused > 500);
    let operators = Client::new(&serving.addresses()[1]);
    let metrics = operators.get("/metrics").send_plain().text();
    assert!(metrics.contains(&format!("http_refused_total{{reason=\"rate_limited\"}} {refused}")), "{metrics}");
    let history = until("the page is amber", || {
        let history = operators.get("/history").send_plain().value();
        (history["refused"]["is_alarming"] == true).then_some(history)
    });
    assert_eq!(history["refused"]["by_reason"], json!({ "rate_limited": history["refused"]["refused"] }));
    assert!(history["refused_per_s"].as_array().unwrap().iter().any(|rate| rate.as_u64() > Some(0)));
    assert_eq!(operators.get("/readyz").send_plain().status, 200, "it works");
    let log = objects(&serving.terminate().stderr);
    let first = log.iter().filter(|line| line["reason"] == "rate_limited" && line["route"] == "/api/v1/me");
    assert_eq!(first.count(), 1);
    assert!(log.len() < 30, "{log:#?}");
}

#[test]
fn without_lines_of_requests_refused_credentials_are_counted() {
    let (_shell, serving, client, session) = start(&["--access-log", "false"]);
    let key = make_key(&client, &session)["key"].as_str().unwrap().to_owned();
    client.post("/api/v1/reconciliations").bearer(&key).body(costing(1)).send().expect(202);
    for _ in 0..20 {
        client.get("/api/v1/me").bearer("key_nonsense").send().expect(401);
    }
    let log = objects(&serving.terminate().stderr);
    assert!(log.iter().all(|line| line["message"] != "request"));
    let told = log.iter().filter(|line| line["reason"] == "unauthorized").collect::<Vec<_>>();
    assert_eq!(told.len(), 1, "{told:?}");
}
