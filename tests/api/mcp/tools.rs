//! Tools that say who is connected and to what.

use serde_json::json;

use super::{failure, given, legacy};
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, Setup, TestServer};

on_both_databases! {
    fn who_am_i_says_what_the_key_may_do(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person_with(123, 45, false);
        let key = server.key(&person, &["books:read", "reconcile:read"]);
        let me = server.client.get("/api/v1/me").key(&key).send().expect(200);
        let said = given(&server, &key, "whoami", &json!({}));
        for name in ["user_id", "scopes", "credits"] {
            assert_eq!(said[name], me[name], "{name}");
        }
        assert_eq!(said["connection"]["kind"], "api_key");
        assert_eq!(said["today"].as_str().map(str::len), Some(10));
        assert!(said.get("restricted_to").is_none());
    }

    fn organisations_are_those_of_the_rest_api(database) {
        let server = Setup::new().on(&database).start();
        let (person, stranger) = (server.person(), server.person());
        let key = server.key(&person, &ALL_SCOPES);
        assert_eq!(given(&server, &key, "list_organisations", &json!({})), json!({ "organisations": [] }));
        let id = server.organisation(&person, "Quote \" and é🧾 & \\ Ltd");
        server.organisation(&stranger, "Not theirs");
        let listed = given(&server, &key, "list_organisations", &json!({}));
        assert_eq!(
            listed["organisations"],
            json!([{
                "id": id, "name": "Quote \" and é🧾 & \\ Ltd", "role": "owner", "currency": "GBP", "vat_registered": false,
                "selected": true,
            }])
        );
        server.organisation(&person, "Another");
        let listed = given(&server, &key, "list_organisations", &json!({}));
        let selected: Vec<_> = listed["organisations"].as_array().unwrap().iter().map(|one| &one["selected"]).collect();
        assert_eq!(selected, [false, false], "none is chosen silently among several");
    }
}

#[test]
fn a_key_without_the_scope_is_told_which() {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &["coding:read"]);
    let words = failure(&server, &key, "list_organisations", &json!({}));
    assert!(words.starts_with("forbidden: the key lacks the scope books:read\nNext: "), "{words}");
    assert_eq!(given(&server, &key, "whoami", &json!({}))["scopes"], json!(["coding:read"]));
}

#[test]
fn arguments_where_none_are_taken_and_tools_that_are_not_there_are_refused() {
    let server = TestServer::start();
    let person = server.person();
    let key = server.key(&person, &ALL_SCOPES);
    let words = failure(&server, &key, "whoami", &json!({ "verbose": true }));
    assert_eq!(words, "invalid_request_format: verbose: this tool takes no arguments");
    let answer = legacy(&server, &key, "tools/call", &json!({ "name": "transfer_money", "arguments": {} })).expect(200);
    assert_eq!(answer["error"]["code"], -32_602, "{answer}");
}
