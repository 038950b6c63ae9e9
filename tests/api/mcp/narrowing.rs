//! What a connection cannot do: change anything where it may only read, and take up what another connection began.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::sessions::{enter, line, load, on_books};
use super::{call, failure, given, legacy, schema};
use crate::books::Books;
use crate::oauth::{Ticks, connect};
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, ApiKey};

/// Tables that reading writes into: what the connection itself previewed and selected, when it was last used, its requests.
const OWN_TABLES: [&str; 5] =
    ["book_preview", "selected_organisation", "oauth_grant", "oauth_access_token", "rate_permit"];

/// What somebody has begun in books that have a little of everything.
struct Begun {
    books: Books,
    plan: Value,
    import: Value,
    opening: Value,
    session: String,
    posting: Value,
    customer: i64,
}

impl Begun {
    fn by(books: Books, key: &ApiKey) -> Self {
        let server = &books.server;
        let customer =
            books.post("/customers", &json!({ "name": "Customer" })).expect(201)["data"]["id"].as_i64().unwrap();
        enter(&books, "2026-01-05", "SHELL", "-10.00");
        let operations = json!([{ "op": "customer.create", "params": { "name": "Planned" } }]);
        let plan = given(server, key, "plan_bookkeeping", &json!({ "operations": operations }))["plan_token"].clone();
        let rows = json!([{ "name": "Imported" }]);
        let import =
            given(server, key, "bulk_import", &json!({ "kind": "customers", "rows": rows }))["confirm_token"].clone();
        let opening = given(server, key, "set_opening_balances", &opening())["confirm_token"].clone();
        let session = on_books(&books, key);
        let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
        let from_books = json!({ "session_id": session, "batch_ref": "a", "bank_account": "Bank", "from_books": { "bank_account_id": bank } });
        given(server, key, "add_bank_transactions", &from_books);
        let change = json!([{ "row_id": 1, "account_code": "7300", "vat_code": "NV" }]);
        given(server, key, "recode_transaction", &json!({ "session_id": session, "changes": change }));
        let posting =
            given(server, key, "post_to_platform", &json!({ "session_id": session }))["confirm_token"].clone();
        Self { plan, import, opening, session, posting, customer, books }
    }

    /// Arguments with which a connection that may do everything would have its way; a new tool without a row here fails.
    fn arguments(&self, tool: &str) -> Value {
        let session = &self.session;
        match tool {
            "whoami"
            | "list_organisations"
            | "select_organisation"
            | "books_status"
            | "recent_changes"
            | "vat_obligations"
            | "cis_position"
            | "coding_policy"
            | "start_coding_session"
            | "bookkeeping_run"
            | "list_operations"
            | "list_coding_platforms" => json!({}),
            "lookup_guide" => json!({ "query": "VAT" }),
            "create_organisation" => json!({ "name": "Another" }),
            "update_organisation" => json!({ "phone": "01904 610001" }),
            "find" => json!({ "kind": "customer" }),
            "get_document" => json!({ "kind": "customer", "id": self.customer }),
            "get_report" => json!({ "report": "trial-balance", "as_of": "2026-03-31" }),
            "reconcile_statement" => json!({
                "bank_account_id": self.books.get("/bank-accounts")["data"][0]["id"],
                "rows": [{ "date": "2026-01-05", "amount": -10, "description": "x" }]
            }),
            "plan_bookkeeping" => {
                json!({ "operations": [{ "op": "customer.create", "params": { "name": "Another" } }] })
            }
            "commit_plan" => json!({ "plan_token": self.plan }),
            "bulk_import" => json!({ "confirm_token": self.import }),
            "set_opening_balances" => json!({ "confirm_token": self.opening }),
            "add_bank_transactions" => load(session, "b", &[line("2026-01-06", "BP", -20.0)]),
            "add_merchant_statement" => json!({
                "session_id": session, "merchant": "x", "batch_ref": "c",
                "rows": [{ "date": "2026-01-05", "type": "sale", "amount": 1 }],
            }),
            "fetch_outstanding_invoices" | "run_coding" | "review_coding" => json!({ "session_id": session }),
            "add_invoice_document" => json!({
                "session_id": session, "kind": "bill", "number": "1", "contact": "x", "date": "2026-01-05", "amount_due": 1,
            }),
            "recode_transaction" => {
                json!({ "session_id": session, "changes": [{ "row_id": 1, "account_code": "7400" }] })
            }
            "post_to_platform" => json!({ "session_id": session, "confirm_token": self.posting }),
            other => panic!("{other} has no arguments to try it with"),
        }
    }

    /// The same about the books by name.
    fn inside(&self, tool: &str) -> Value {
        let mut arguments = self.arguments(tool);
        if schema::definition(tool)["inputSchema"]["properties"].get("organisation_id").is_some() {
            arguments["organisation_id"] = json!(self.books.id);
        }
        arguments
    }

    fn tools(&self) -> Vec<String> {
        let listed = legacy(&self.books.server, &self.books.key, "tools/list", &json!({})).expect(200);
        let names = listed["result"]["tools"].as_array().unwrap().iter();
        names.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

fn opening() -> Value {
    json!({
        "as_of": "2025-12-31",
        "lines": [{ "account_code": "1200", "debit": 1 }, { "account_code": "3000", "credit": 1 }]
    })
}

/// The tables that are not as they were.
fn changed(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<String> {
    before.keys().filter(|table| before.get(*table) != after.get(*table)).cloned().collect()
}

on_both_databases! {
    fn a_connection_that_may_only_read_the_books_changes_nothing(database) {
        let books = Books::on(&database);
        let key = books.server.key(&books.owner, &ALL_SCOPES);
        let begun = Begun::by(books, &key);
        let server = &begun.books.server;
        let reader = Ticks { scopes: &["books:read"], organisations: Some(&[begun.books.id]) };
        let reader = connect(server, &begun.books.owner, &reader).key();
        let before = server.rows_of_all_tables_but(&OWN_TABLES);
        let mut refused = 0;
        for tool in begun.tools() {
            let arguments = begun.inside(&tool);
            let answer = legacy(server, &reader, "tools/call", &json!({ "name": tool, "arguments": arguments }));
            let scopes = schema::definition(&tool)["_meta"]["suite/scope"].clone();
            if ["", "books:read"].contains(&scopes.as_str().unwrap()) {
                assert_eq!(answer.expect(200)["result"]["isError"], false, "{tool}");
            } else {
                answer.refused(403, "forbidden");
                refused += 1;
            }
            let after = server.rows_of_all_tables_but(&OWN_TABLES);
            assert_eq!(changed(&before, &after), Vec::<String>::new(), "{tool}");
        }
        assert_eq!(refused, 17, "the writers but for planning, and what reads coding");
        // What it planned itself it may not commit.
        let plan = given(server, &reader, "plan_bookkeeping", &begun.inside("plan_bookkeeping"));
        assert!(plan.get("plan_token").is_none(), "{plan}");
        let after = server.rows_of_all_tables_but(&OWN_TABLES);
        assert_eq!(changed(&before, &after), Vec::<String>::new());
    }

    fn what_a_connection_began_is_nothing_to_another(database) {
        let books = Books::on(&database);
        let whole = Ticks { scopes: &ALL_SCOPES, organisations: None };
        let first = connect(&books.server, &books.owner, &whole).key();
        let begun = Begun::by(books, &first);
        let server = &begun.books.server;
        let colleague = server.person();
        server.member(begun.books.id, &colleague, "admin");
        let others = [
            connect(server, &begun.books.owner, &whole).key(),
            server.key(&begun.books.owner, &ALL_SCOPES),
            connect(server, &colleague, &whole).key(),
        ];
        let before = server.rows_of_all_tables_but(&["api_key", "oauth_grant", "oauth_access_token", "rate_permit"]);
        let mut tried = 0;
        for tool in begun.tools() {
            let own = begun.arguments(&tool);
            let mut nobodys = own.clone();
            let handles = ["plan_token", "confirm_token", "session_id"];
            for (handle, made_up) in handles.into_iter().zip(["plan_nobodys", "imp_nobodys", "cs_nobodys"]) {
                if own.get(handle).is_some() {
                    nobodys[handle] = json!(made_up);
                }
            }
            if own == nobodys {
                continue;
            }
            tried += 1;
            for other in &others {
                let told = failure(server, other, &tool, &own);
                assert!(told.contains("not_found: "), "{tool}: {told}");
                assert_eq!(told, failure(server, other, &tool, &nobodys), "{tool}");
            }
        }
        assert!(tried >= 11, "{tried} tools take what was begun");
        let after = server.rows_of_all_tables_but(&["api_key", "oauth_grant", "oauth_access_token", "rate_permit"]);
        assert_eq!(changed(&before, &after), Vec::<String>::new());
        // Whose it is goes on with it.
        for (tool, handle) in [("commit_plan", "plan_token"), ("bulk_import", "confirm_token")] {
            let arguments = begun.arguments(tool);
            assert!(arguments.get(handle).is_some());
            assert_eq!(call(server, &first, tool, &arguments)["isError"], false, "{tool}");
        }
    }
}
