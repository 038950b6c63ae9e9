//! `coding_policy`.

use serde_json::json;

use super::super::{failure, given};
use super::{coder, line, load, on_books, reviewed};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::ALL_SCOPES;

on_both_databases! {
    fn a_policy_is_read_and_replaced_by_version(database) {
        let books = Books::on(&database);
        let (server, key) = (&books.server, coder(&books));
        let unset = given(server, &key, "coding_policy", &json!({}));
        assert_eq!((&unset["version"], &unset["rules"], &unset["review_below"]), (&json!(0), &json!([]), &json!(0.9)));
        let rule = json!({ "contains": "shell", "account_code": "7500" });
        let set = json!({ "business_context": "Joinery.", "review_below": 0.5, "rules": [rule] });
        let words = failure(server, &key, "coding_policy", &json!({ "set": set }));
        assert!(words.starts_with("invalid_request_format: expected_version: is required with set"), "{words}");
        let changed = given(server, &key, "coding_policy", &json!({ "set": set, "expected_version": 0 }));
        assert_eq!(changed["version"], 1);
        assert_eq!(changed["rules"], json!([{ "contains": "shell", "direction": "any", "account_code": "7500" }]));
        assert_eq!(given(server, &key, "coding_policy", &json!({})), changed);
        let words = failure(server, &key, "coding_policy", &json!({ "set": { "review_below": 1 }, "expected_version": 0 }));
        assert!(words.starts_with("conflict (stale_version): "), "{words}");
        // What is left out stays; it follows a new code of its account.
        books.request("PATCH", &format!("/accounts/{}", books.account_id("7500"))).json(&json!({ "code": "7501" })).send().expect(200);
        let changed = given(server, &key, "coding_policy", &json!({ "set": { "review_below": 0.25 }, "expected_version": 1 }));
        assert_eq!((&changed["business_context"], &changed["rules"][0]["account_code"]), (&json!("Joinery."), &json!("7501")));

        let changes = given(server, &key, "recent_changes", &json!({}));
        let last = &changes["changes"][0];
        assert_eq!((&last["summary"], &last["actor"]["tool"]), (&json!("Coding policy changed"), &json!("coding_policy")));
        assert_eq!(last["after"], json!({ "coding_policy_version": 2, "review_below_thousandths": 250 }));
    }

    fn rules_decide_lines_and_the_bar_who_looks_at_them(database) {
        let books = Books::on(&database);
        let (server, key) = (&books.server, coder(&books));
        let rules = json!([
            { "contains": "shell", "direction": "in", "account_code": "4000" },
            { "contains": "SHELL", "account_code": "7500", "vat_code": "NV" },
            { "contains": "shell ox", "account_code": "7510" },
        ]);
        let set = json!({ "review_below": 0.999, "rules": rules });
        given(server, &key, "coding_policy", &json!({ "set": set, "expected_version": 0 }));
        let session = on_books(&books, &key);
        let rows = [line("2026-01-05", "Shell Oxford", -54.32), line("2026-01-06", "XQZ 4471", -12.0)];
        given(server, &key, "add_bank_transactions", &load(&session, "a", &rows));
        let ran = given(server, &key, "run_coding", &json!({ "session_id": session }));
        assert_eq!((&ran["needs_review"], &ran["summary"]["by_method"]["policy_rule"]), (&json!(1), &json!(1)));
        let first = reviewed(server, &key, &session, 1);
        assert_eq!((&first["account_code"], &first["coding_method"]), (&json!("7500"), &json!("policy_rule")));
    }
}

#[test]
fn a_policy_names_accounts_in_use_and_is_set_by_who_may_write() {
    let books = Books::of(crate::support::server::TestServer::start());
    let (server, key) = (&books.server, coder(&books));
    let set = |account: &str| json!({ "set": { "rules": [{ "contains": "x", "account_code": account }] }, "expected_version": 0 });
    let words = failure(server, &key, "coding_policy", &set("9x9"));
    assert!(words.starts_with("unprocessable_entity (unknown_reference): "), "{words}");
    books.request("POST", &format!("/accounts/{}/archive", books.account_id("7500"))).send().expect(200);
    let words = failure(server, &key, "coding_policy", &set("7500"));
    assert!(words.starts_with("unprocessable_entity (account_archived): "), "{words}");
    let viewer = server.person();
    server.member(books.id, &viewer, "viewer");
    let viewer_key = server.key(&viewer, &ALL_SCOPES);
    given(server, &viewer_key, "coding_policy", &json!({}));
    assert!(failure(server, &viewer_key, "coding_policy", &set("4000")).starts_with("forbidden: "));
    let reader = server.key(&books.owner, &["coding:read", "books:read"]);
    let words = failure(server, &reader, "coding_policy", &set("4000"));
    assert!(words.starts_with("forbidden: the key lacks the scope coding:write\nNext: "), "{words}");
}

#[test]
fn a_policy_is_no_longer_than_an_answer() {
    let books = Books::of(crate::support::server::TestServer::start());
    let (server, key) = (&books.server, coder(&books));
    let rules = |count: usize| -> Vec<serde_json::Value> {
        (0..count).map(|at| json!({ "contains": format!("payee {at:04}"), "account_code": "7500" })).collect()
    };
    let set = |version: i64, rules: &[serde_json::Value], context: &str| json!({ "set": { "rules": rules, "business_context": context }, "expected_version": version });
    let changed = given(server, &key, "coding_policy", &set(0, &rules(180), &"\"".repeat(1_500)));
    assert_eq!(changed["rules"].as_array().unwrap().len(), 180);
    let words = failure(server, &key, "coding_policy", &set(1, &rules(500), ""));
    assert!(words.starts_with("invalid_request_format: set.rules: "), "{words}");
    let words = failure(server, &key, "coding_policy", &set(1, &[], "a\u{0}b"));
    assert_eq!(words, "invalid_request_format: set.business_context: must not have a NUL character");
}
