//! `lookup_guide`: the pages of the documentation, for whoever has a key.

use serde_json::{Value, json};

use super::{failure, given};
use crate::support::server::TestServer;

const TOOL: &str = "lookup_guide";

#[test]
fn pages_are_those_of_the_documentation() {
    let server = TestServer::start();
    let person = server.person();
    // No scope is needed, nor an organisation.
    let key = server.key(&person, &["coding:read"]);
    let topics = |arguments: Value| given(&server, &key, TOOL, &arguments)["topics"].as_array().unwrap().clone();
    let all = topics(json!({}));
    assert_eq!(all.len(), 15);
    for named in &all {
        assert!(named.get("text").is_none(), "{named}");
        let topic = named["topic"].as_str().unwrap();
        let page = topics(json!({ "topic": topic }));
        let file = format!("{}/docs/guide/{topic}.md", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(file).unwrap();
        assert_eq!(page, [json!({ "topic": topic, "title": named["title"], "text": text })]);
        assert!(text.chars().count() <= 2_000, "{topic}");
    }
    assert_eq!(topics(json!({ "topic": "no-such-topic" })), all, "an unknown topic gets the titles");
    assert_eq!(topics(json!({ "query": "  " })), all);
}

#[test]
fn questions_get_the_best_pages_or_the_closest_titles() {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &["books:read"]);
    let topics = |arguments: Value| given(&server, &key, TOOL, &arguments)["topics"].as_array().unwrap().clone();
    let found = topics(json!({ "query": "How is money moved between own bank accounts?" }));
    assert!((1..=3).contains(&found.len()));
    assert_eq!(found[0]["topic"], "transfers");
    assert!(found.iter().all(|page| page["text"].is_string()));
    let nothing = topics(json!({ "query": "xyzzy" }));
    assert!(!nothing.is_empty() && nothing.iter().all(|page| page.get("text").is_none()), "{nothing:?}");
    let words = failure(&server, &key, TOOL, &json!({ "query": "x".repeat(201), "topic": "y".repeat(61), "page": 1 }));
    assert_eq!(
        words,
        "invalid_request_format: page: is not known; known are query, topic; query: must have at most 200 characters; \
         topic: must have at most 60 characters"
    );
}
