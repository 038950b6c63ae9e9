//! API keys on real routes: how they are presented, what they may do, and which refusal comes first.

use bookkeeping_suite::domain::job::Product;
use serde_json::json;

use crate::support::client::{Answer, Request};
use crate::support::data::row;
use crate::support::product::{JobProduct as _, for_both_products};
use crate::support::server::{ALL_SCOPES, RECONCILE, Setup, TestServer};
use crate::support::until;

#[test]
fn a_key_is_accepted_in_either_header_or_in_both_when_they_agree() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let me = || server.client.get("/api/v1/me");
    let text = key.plaintext.as_str();
    for request in [
        me().bearer(text),
        me().header("X-API-Key", text),
        me().header("x-api-key", text),
        me().header("Authorization", &format!("bearer {text}")),
        me().header("Authorization", &format!("BEARER {text}")),
        me().bearer(text).header("X-API-Key", text),
    ] {
        request.send().expect(200);
    }
}

#[test]
fn anything_but_one_good_key_is_unauthorized() {
    let server = TestServer::start();
    let (person, key) = server.submitter();
    let other = server.key(&person, &RECONCILE);
    let revoked = server.key(&person, &RECONCILE);
    server.client.delete(&format!("/api/v1/keys/{}", revoked.id)).session(&person).send().expect(200);
    let me = || server.client.get("/api/v1/me");
    let text = key.plaintext.as_str();
    let wrong_checksum = format!("{}{}", &text[..text.len() - 1], if text.ends_with('0') { '1' } else { '0' });
    let (handle, of_other) = (&text[..17], &other.plaintext[17..]);
    let crossed = format!("{handle}{of_other}");
    let never_made = bookkeeping_suite::domain::caller::mint_key(|block| block.fill(11)).plaintext;
    let mut refused: Vec<(&str, Request)> = vec![
        ("nothing", me()),
        ("two different keys", me().bearer(text).header("X-API-Key", &other.plaintext)),
        ("a good key and nonsense", me().bearer(text).header("X-API-Key", "nonsense")),
        ("a good key and a session", me().session(&person).header("X-API-Key", text)),
        ("another scheme", me().header("Authorization", &format!("Basic {text}"))),
        ("no scheme", me().header("Authorization", text)),
        ("an empty bearer", me().header("Authorization", "Bearer ")),
        ("an empty key header", me().header("X-API-Key", "")),
        ("a revoked key", me().key(&revoked)),
        ("a well-formed key nobody has", me().bearer(&never_made)),
        ("a very long one", me().bearer(&"k".repeat(4_000))),
    ];
    for bad in
        [wrong_checksum.as_str(), &crossed, &text[..text.len() - 1], &text.to_uppercase(), &key.prefix, "key_", "key__"]
    {
        refused.push(("a malformed key", me().bearer(bad)));
        refused.push(("a malformed key", me().header("X-API-Key", bad)));
    }
    let mut texts = std::collections::HashSet::new();
    for (what, request) in refused {
        let answer = request.send();
        assert_eq!(answer.status, 401, "{what}: {answer}");
        let error = answer.refused(401, "unauthorized");
        assert!(answer.header("www-authenticate").is_some(), "{what}: a 401 names the scheme (RFC 9110)");
        texts.insert(error.to_string());
    }
    assert_eq!(texts.len(), 1, "all refusals read the same: {texts:?}");
}

#[test]
fn every_operation_wants_its_scope_and_no_other() {
    let server = TestServer::start();
    let person = server.person();
    let organisation = server.organisation(&person, "Larkspur");
    let one = format!("/api/v1/books/organisations/{organisation}");
    let with = |scope: &str| server.key(&person, &[scope]);
    let without = |scope: &str| {
        let rest: Vec<&str> = ALL_SCOPES.into_iter().filter(|other| *other != scope).collect();
        server.key(&person, &rest)
    };
    let unknown_job = |product: Product| format!("{}/x_0123456789abcdef0123456789abcdef", product.path());
    let (unknown_reconciliation, unknown_coding) = (unknown_job(Product::Reconciliation), unknown_job(Product::Coding));
    let body = |path: &str| {
        let product = Product::ALL.into_iter().find(|product| product.path() == path).expect("a product's path");
        product.costing(1)
    };
    for (method, path, scope, status) in [
        ("POST", "/api/v1/reconciliations", "reconcile:write", 202),
        ("GET", unknown_reconciliation.as_str(), "reconcile:read", 404),
        ("POST", "/api/v1/coding/coding-jobs", "coding:write", 202),
        ("GET", unknown_coding.as_str(), "coding:read", 404),
        ("GET", "/api/v1/books/organisations", "books:read", 200),
        ("GET", one.as_str(), "books:read", 200),
    ] {
        let ask = |key: &crate::support::server::ApiKey| -> Answer {
            let request = server.client.request(method, path).key(key);
            if method == "POST" { request.body(body(path)).send() } else { request.send() }
        };
        let enough = with(scope);
        let answer = ask(&enough);
        assert_eq!(answer.status, status, "{answer}");
        if status == 202 {
            let poll = answer.value()["poll_url"].as_str().unwrap().to_owned();
            until("the job ends", || {
                let job = server.client.get(&poll).key(&enough).send().expect(200);
                (job["status"] == "completed").then_some(())
            });
        }
        ask(&without(scope)).refused(403, "forbidden");
    }
}

for_both_products! {
    fn the_scope_is_checked_before_the_body_and_before_the_media_type(product) {
        let server = TestServer::start_of(product);
        let person = server.person();
        let reader = server.key(&person, &product.scopes()[..1]);
        for body in ["{}", "7", r#"{"bank":"x"}"#, &product.costing(3)] {
            server.submission(&reader, body).refused(403, "forbidden");
        }
        let odd = server.client.post(product.path()).key(&reader).header("Content-Type", "text/plain");
        odd.body("{}").send().refused(403, "forbidden");
    }

    fn refusals_come_in_the_order_of_the_contract(product) {
        let (mut gate, work) = crate::support::gate::gate(product);
        let server = Setup::of(product)
            .engine(work)
            .settings(|settings| {
                settings.rate_limit_requests = Some(8);
                settings.queue_capacity_jobs = Some(1);
                settings.max_body_bytes = Some(4_096);
            })
            .start();
        let poor = server.person_with(1, 0, false);
        let rich = server.person_with(100, 0, false);
        let read = &product.scopes()[..1];
        let (reader, spent) = (server.key(&poor, read), server.key(&poor, read));
        let writer = server.key(&poor, &product.scopes());
        // The queue is full from here on: one runs, one waits.
        let filler = server.key(&rich, &product.scopes());
        server.submit(&filler, product.costing(1));
        gate.started();
        server.submit(&filler, product.costing(1));
        for _ in 0..8 {
            server.client.get("/api/v1/me").key(&spent).send().expect(200);
        }

        let post = |key: Option<&str>, media: &str, body: &str| {
            let request = server.client.post(product.path()).header("Content-Type", media);
            key.into_iter().fold(request, |request, key| request.bearer(key)).body(body).send()
        };
        let (json, text) = ("application/json", "text/plain");
        let too_large = format!(r#"{{"bank":[],"book":[],"x":"{}"}}"#, "y".repeat(5_000));
        let two_rows = product.costing(2);
        // Each line breaks every rule from its own onwards.
        post(None, text, &format!("{too_large}{{")).refused(413, "payload_too_large");
        post(None, text, "{").refused(400, "invalid_json");
        post(Some("key_bad"), text, "{").refused(400, "invalid_json");
        post(Some(&spent.plaintext), text, "{").refused(400, "invalid_json");
        post(Some(&reader.plaintext), text, "{").refused(400, "invalid_json");
        post(None, text, "{}").refused(401, "unauthorized");
        post(Some("key_bad"), text, "{}").refused(401, "unauthorized");
        post(Some(&spent.plaintext), text, "{}").refused(429, "rate_limited");
        post(Some(&reader.plaintext), text, "{}").refused(403, "forbidden");
        post(Some(&writer.plaintext), text, "{}").refused(415, "unsupported_media_type");
        // Where the queue is full as the head arrives, the body is only checked: what it says is not looked at.
        for body in ["{}", &two_rows, &product.costing(1)] {
            let details = post(Some(&writer.plaintext), json, body).details(503, "busy");
            assert_eq!(details, json!({ "reason": "queue_full" }));
        }
        gate.tell(crate::support::gate::Tell::Complete);
        gate.started();
        post(Some(&writer.plaintext), json, "{}").refused(422, product.format_code());
        post(Some(&writer.plaintext), json, &two_rows).refused(402, "insufficient_credits");
        gate.open();
    }

    fn a_poll_without_the_read_scope_is_forbidden_whatever_the_id(product) {
        let server = TestServer::start_of(product);
        let person = server.person();
        let (writer, blind) = (server.key(&person, &product.scopes()), server.key(&person, &product.scopes()[1..]));
        let id = server.submit(&writer, product.costing(1));
        server.ended(&writer, &id);
        let foreign = {
            let (_, key) = server.submitter();
            let id = server.submit(&key, product.costing(1));
            server.ended(&key, &id);
            id
        };
        let long = "r".repeat(200);
        let mut texts = std::collections::HashSet::new();
        for id in [id.as_str(), &foreign, "rec_unknown", "x", &long] {
            texts.insert(server.poll(&blind, id).refused(403, "forbidden").to_string());
        }
        assert_eq!(texts.len(), 1, "{texts:?}");
    }
}

#[test]
fn malformed_json_carries_the_reason_and_its_place() {
    let server = TestServer::start();
    for body in ["", "{", "{\"a\":}", "[1,]", "nul", "{\"a\":1}x", "\u{feff}{}", "\"\\ud800\""] {
        let answer = server.client.post("/api/v1/reconciliations").body(body).send();
        let details = answer.details(400, "invalid_json");
        assert!(details["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{body:?}: {answer}");
    }
}

#[test]
fn what_needs_no_body_ignores_one() {
    let server = TestServer::start();
    let (person, key) = server.submitter();
    server.client.get("/api/v1/me").key(&key).header("Content-Type", "text/plain").send().expect(200);
    let path = format!("/api/v1/keys/{}", key.id);
    server.client.delete(&path).session(&person).header("Content-Type", "text/plain").send().expect(200);
}

#[test]
fn paths_and_methods_that_do_not_exist_are_said_so_in_the_envelope() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    server.client.get("/api/v1/nothing").key(&key).send().refused(404, "not_found");
    server.client.get("/api/v1/me/").key(&key).send().refused(404, "not_found");
    server.client.get("/").send().refused(404, "not_found");
    for (method, path, allow) in [
        ("POST", "/api/v1/me", vec!["GET"]),
        ("DELETE", "/api/v1/reconciliations", vec!["POST"]),
        ("PUT", "/api/v1/keys", vec!["GET", "POST"]),
        ("GET", "/api/v1/keys/1", vec!["DELETE"]),
    ] {
        let request = server.client.request(method, path).key(&key);
        let answer = if method == "POST" || method == "PUT" { request.json(&json!({})).send() } else { request.send() };
        answer.refused(405, "method_not_allowed");
        let named = answer.header("allow").unwrap_or_default().to_owned();
        for method in allow {
            assert!(named.split(", ").any(|name| name == method), "{path}: Allow: {named}");
        }
    }
}

#[test]
fn a_body_of_another_kind_is_refused_and_an_unlabelled_one_is_json() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let post = |media: &str| server.client.post("/api/v1/reconciliations").key(&key).header("Content-Type", media);
    let body = crate::support::data::request(&[row("1")], &[]);
    for media in ["text/plain", "application/x-www-form-urlencoded", "application/xml", "json", "application/jsonp"] {
        post(media).body(body.clone()).send().refused(415, "unsupported_media_type");
    }
    for media in ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.example+json"] {
        let accepted = post(media).body(body.clone()).send().expect(202);
        server.ended(&key, accepted["reconciliation_id"].as_str().unwrap());
    }
    post("application/json")
        .header("Content-Encoding", "gzip")
        .body(body)
        .send()
        .refused(415, "unsupported_media_type");
}
