//! Who a tool answers: for every tool that is listed, what a stranger, a restricted connection, a connection without the scope
//! and a connection whose person left the organisation are told.

use serde_json::{Value, json};

use super::{call, failure, legacy, schema};
use crate::books::Books;
use crate::oauth::{Ticks, connect};
use crate::support::server::{ALL_SCOPES, TestServer};

/// Arguments that are right but for the organisation; a new tool without a row here fails.
fn arguments(tool: &str) -> Option<Value> {
    Some(match tool {
        // These are about the connection, not about an organisation.
        "whoami"
        | "list_organisations"
        | "lookup_guide"
        | "list_operations"
        | "commit_plan"
        | "create_organisation"
        | "list_coding_platforms" => {
            return None;
        }
        // These are about a session, which has its organisation; sessions.rs asks them as others.
        "add_bank_transactions"
        | "add_merchant_statement"
        | "fetch_outstanding_invoices"
        | "add_invoice_document"
        | "run_coding"
        | "review_coding"
        | "recode_transaction"
        | "post_to_platform" => return None,
        "find" => json!({ "kind": "account" }),
        "get_document" => json!({ "kind": "account", "id": 1 }),
        "get_report" => json!({ "report": "trial-balance", "as_of": "2026-03-31" }),
        "reconcile_statement" => json!({
            "bank_account_id": 1, "rows": [{ "date": "2026-03-10", "amount": -1, "description": "x" }]
        }),
        "update_organisation" => json!({ "phone": "01904 610001" }),
        "bulk_import" => json!({ "kind": "customers", "rows": [{ "name": "A" }] }),
        "set_opening_balances" => json!({
            "as_of": "2026-02-28", "lines": [{ "account_code": "1200", "debit": 1 }, { "account_code": "3000", "credit": 1 }]
        }),
        "plan_bookkeeping" => json!({ "operations": [{ "op": "customer.create", "params": { "name": "A" } }] }),
        "select_organisation"
        | "books_status"
        | "recent_changes"
        | "vat_obligations"
        | "cis_position"
        | "coding_policy"
        | "start_coding_session"
        | "bookkeeping_run" => json!({}),
        other => panic!("{other} has no arguments to try it with"),
    })
}

fn inside(tool: &str, organisation: i64) -> Option<Value> {
    let mut arguments = arguments(tool)?;
    arguments["organisation_id"] = json!(organisation);
    Some(arguments)
}

#[test]
fn a_tool_shows_an_organisation_to_its_members_only() {
    let books = Books::of(TestServer::start());
    let server = &books.server;
    let stranger = server.person();
    let foreign_key = server.key(&stranger, &ALL_SCOPES);
    let other = server.organisation(&books.owner, "Other");
    let restricted = json!({ "name": "n", "scopes": ALL_SCOPES, "organisation_ids": [other] });
    let restricted = server.key_with(&books.owner, &restricted);
    let without = server.key(&books.owner, &["reconcile:read"]);
    let viewer = server.person();
    server.member(books.id, &viewer, "viewer");
    let viewer_key = server.key(&viewer, &ALL_SCOPES);
    // The same by tokens: restricted, without the scopes, narrowed by a refresh, and revoked.
    let all = Ticks { scopes: &ALL_SCOPES, organisations: None };
    let restricted_token = connect(server, &books.owner, &Ticks { organisations: Some(&[other]), ..all.clone() }).key();
    let without_token = connect(server, &books.owner, &Ticks { scopes: &["reconcile:read"], ..all.clone() }).key();
    let foreign_token = connect(server, &stranger, &all).key();
    let token = connect(server, &books.owner, &Ticks { organisations: Some(&[books.id]), ..all.clone() }).key();
    let narrowed = connect(server, &books.owner, &all);
    let narrowed = narrowed.narrowed(server, "reconcile:read").key();
    let revoked = connect(server, &books.owner, &all);
    revoked.revoke(server);
    let revoked = revoked.key();
    let key = server.key(&books.owner, &ALL_SCOPES);
    let listed = legacy(server, &key, "tools/list", &json!({})).expect(200);
    assert_eq!(legacy(server, &without_token, "tools/list", &json!({})).expect(200), listed);
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let tool = tool["name"].as_str().unwrap();
        let needs_scope = schema::definition(tool)["_meta"]["suite/scope"] != "";
        let asked = json!({ "name": tool, "arguments": arguments(tool).unwrap_or_else(|| json!({})) });
        legacy(server, &revoked, "tools/call", &asked).refused(401, "unauthorized");
        let Some(own) = inside(tool, books.id) else { continue };
        let nowhere = inside(tool, 999_999).unwrap();
        // Somebody else's organisation is like one that is not there.
        let told = failure(server, &foreign_key, tool, &own);
        assert_eq!(told, failure(server, &foreign_key, tool, &nowhere), "{tool}");
        assert!(told.starts_with("not_found: "), "{tool}: {told}");
        // The person's own organisation, which the connection does not reach.
        let told = failure(server, &restricted, tool, &own);
        assert!(told.starts_with("forbidden: "), "{tool}: {told}");
        assert!(!told.contains("Larkspur"), "{tool}: {told}");
        let told = failure(server, &restricted_token, tool, &own);
        assert!(told.starts_with("forbidden: ") && !told.contains("Larkspur"), "{tool}: {told}");
        let told = failure(server, &foreign_token, tool, &own);
        assert_eq!(told, failure(server, &foreign_token, tool, &nowhere), "{tool}");
        assert!(told.starts_with("not_found: "), "{tool}: {told}");
        assert_eq!(call(server, &token, tool, &own)["isError"], false, "{tool}");
        if needs_scope {
            for arguments in [&own, &nowhere, &json!({ "nonsense": 1 })] {
                for key in [&without_token, &narrowed] {
                    let answer = legacy(server, key, "tools/call", &json!({ "name": tool, "arguments": arguments }));
                    answer.refused(403, "forbidden");
                    let challenge = answer.header("www-authenticate").unwrap_or_default();
                    assert!(challenge.contains("error=\"insufficient_scope\""), "{tool}: {challenge}");
                }
            }
            for arguments in [&own, &nowhere, &json!({ "nonsense": 1 })] {
                let told = failure(server, &without, tool, arguments);
                assert!(told.starts_with("forbidden: the key lacks the scope"), "{tool}: {told}");
            }
        }
        let told = failure(server, &key, tool, &json!({ "organisation_id": "1" }));
        assert!(told.starts_with("invalid_request_format: "), "{tool}: {told}");
        // Members may read, whatever their role, and plan.
        let changes = schema::definition(tool)["_meta"]["suite/scope"] == "books:write";
        if changes {
            let told = failure(server, &viewer_key, tool, &own);
            assert!(told.starts_with("forbidden: "), "{tool}: {told}");
        } else {
            assert_eq!(call(server, &viewer_key, tool, &own)["isError"], false, "{tool}");
        }
        assert_eq!(call(server, &key, tool, &own)["isError"], false, "{tool}");
    }
}
