//! Tools that change something by a call of their own: organisations, bulk imports, opening balances.

use serde_json::{Value, json};

use super::{failure, given};
use crate::books::{Books, ORGANISATIONS};
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, ApiKey, TestServer};

/// Two tools' tokens that are tried by others than who has them.
fn assert_of_one_connection(books: &Books, tool: &str, token: &str) {
    let server = &books.server;
    let colleague = server.person();
    server.member(books.id, &colleague, "bookkeeper");
    let arguments = json!({ "confirm_token": token });
    let nobodys = failure(server, &books.key, tool, &json!({ "confirm_token": "imp_nobodys" }));
    assert!(nobodys.starts_with("confirm_not_found: "), "{nobodys}");
    for key in [server.key(&books.owner, &ALL_SCOPES), server.key(&colleague, &ALL_SCOPES)] {
        assert_eq!(failure(server, &key, tool, &arguments), nobodys);
    }
    // A token belongs to its tool.
    let other = if tool == "bulk_import" { "set_opening_balances" } else { "bulk_import" };
    assert!(failure(server, &books.key, other, &arguments).starts_with("confirm_not_found: "));
    let told = failure(server, &books.key, "commit_plan", &json!({ "plan_token": token }));
    assert!(told.starts_with("plan_not_found: "), "{told}");
}

fn customers(books: &Books) -> usize {
    books.get("/customers?limit=200")["data"].as_array().unwrap().len()
}

on_both_databases! {
    fn an_import_is_previewed_and_then_carried_out_once(database) {
        let books = Books::on(&database);
        let rows = json!([{ "name": "Brightwell School" }, { "email": "x", "name": "Harbour Hotels" }]);
        let preview = given(&books.server, &books.key, "bulk_import", &json!({ "kind": "customers", "rows": rows }));
        assert_eq!(preview["stage"], "preview");
        assert_eq!(
            json!([preview["rows_total"], preview["rows_valid"], preview["rows_invalid"], preview["rows_duplicate"]]),
            json!([2, 1, 1, 0])
        );
        assert_eq!(preview["issues"][0]["row"], 1);
        assert_eq!(preview["issues"][0]["field"], "email");
        let token = preview["confirm_token"].as_str().unwrap();
        assert_of_one_connection(&books, "bulk_import", token);
        assert_eq!(customers(&books), 0);
        let told = failure(&books.server, &books.key, "bulk_import", &json!({ "confirm_token": token }));
        assert!(told.starts_with("invalid_request_format: skip_invalid: "), "{told}");

        let confirm = json!({ "confirm_token": token, "skip_invalid": true });
        let done = given(&books.server, &books.key, "bulk_import", &confirm);
        assert_eq!(json!([done["stage"], done["import_id"], done["replayed"]]), json!(["done", preview["import_id"], false]));
        assert_eq!(done["results"][0]["status"], "created");
        assert_eq!(customers(&books), 1);
        // Again, in the same words and in others.
        for arguments in [&confirm, &json!({ "confirm_token": token })] {
            let again = given(&books.server, &books.key, "bulk_import", arguments);
            assert_eq!(again["replayed"], true);
            assert_eq!(again["results"], done["results"]);
        }
        assert_eq!(customers(&books), 1);
        let change = &books.get("/changes?order=desc&limit=1")["data"][0];
        assert_eq!(json!([change["actor"]["via"], change["actor"]["tool"]]), json!(["mcp", "bulk_import"]));
    }

    fn an_import_without_a_valid_row_gives_nothing_to_confirm(database) {
        let books = Books::on(&database);
        let rows = json!([{ "email": "x", "name": "Harbour Hotels" }]);
        let preview = given(&books.server, &books.key, "bulk_import", &json!({ "kind": "customers", "rows": rows }));
        assert_eq!(json!([preview["rows_valid"], preview["rows_invalid"]]), json!([0, 1]));
        assert_eq!((preview.get("confirm_token"), preview.get("expires_at")), (None, None), "{preview}");
    }

    fn an_import_of_rest_and_one_of_a_tool_do_not_know_each_other(database) {
        let books = Books::on(&database);
        let body = json!({ "kind": "customers", "rows": [{ "name": "A" }] });
        let over_rest = books.post("/imports", &body).expect(201);
        let token = over_rest["data"]["token"].as_str().unwrap();
        let told = failure(&books.server, &books.key, "bulk_import", &json!({ "confirm_token": token }));
        assert!(told.starts_with("confirm_not_found: "), "{told}");
        let by_tool = given(&books.server, &books.key, "bulk_import", &body);
        let path = format!("/imports/{}/confirm", by_tool["import_id"]);
        let refused = books.post(&path, &json!({ "token": by_tool["confirm_token"] }));
        refused.refused(422, "unprocessable_entity");
        assert_eq!(customers(&books), 0);
        books.post(&format!("/imports/{}/confirm", over_rest["data"]["id"]), &json!({ "token": token })).expect(200);
        given(&books.server, &books.key, "bulk_import", &json!({ "confirm_token": by_tool["confirm_token"] }));
        assert_eq!(customers(&books), 2);
    }

    fn bank_lines_come_as_csv(database) {
        let books = Books::on(&database);
        let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
        let csv = "date,amount,description\r\n2026-03-02,-12.50,\"Coffee, tea\"\r\n2026-03-03,1000.00,Brightwell\r\n";
        let arguments = json!({ "kind": "bank_transactions", "csv": csv, "bank_account_id": bank });
        let preview = given(&books.server, &books.key, "bulk_import", &arguments);
        assert_eq!(json!([preview["rows_valid"], preview["rows_invalid"]]), json!([2, 0]), "{preview}");
        given(&books.server, &books.key, "bulk_import", &json!({ "confirm_token": preview["confirm_token"] }));
        let lines = books.get("/bank-transactions");
        let amounts: Vec<&Value> = lines["data"].as_array().unwrap().iter().map(|line| &line["amount"]).collect();
        assert_eq!(json!(amounts).as_array().unwrap().len(), 2);
        let again = given(&books.server, &books.key, "bulk_import", &arguments);
        assert_eq!(again["rows_duplicate"], 2);
        let mut rejecting = arguments.clone();
        rejecting["on_duplicate"] = json!("reject");
        assert_eq!(given(&books.server, &books.key, "bulk_import", &rejecting)["rows_invalid"], 2);
    }

    fn opening_balances_are_previewed_and_then_set_once(database) {
        let books = Books::on(&database);
        let lines = json!([{ "account_code": "1200", "debit": 5000 }, { "account_code": "3000", "credit": 5000 }]);
        let entry = json!({ "as_of": "2026-02-28", "lines": lines, "lock_period": false });
        let preview = given(&books.server, &books.key, "set_opening_balances", &entry);
        assert_eq!(
            json!([preview["stage"], preview["total_debit"], preview["difference"], preview["replayed"]]),
            json!(["preview", 5000.0, 0.0, false])
        );
        let token = preview["confirm_token"].as_str().unwrap();
        assert_of_one_connection(&books, "set_opening_balances", token);
        assert_eq!(books.get("/journals")["data"], json!([]));
        let confirm = json!({ "confirm_token": token });
        let done = given(&books.server, &books.key, "set_opening_balances", &confirm);
        assert_eq!(json!([done["stage"], done["as_of"], done["total_debit"]]), json!(["done", "2026-02-28", 5000.0]));
        assert!(done.get("lock_date").is_none(), "{done}");
        let again = given(&books.server, &books.key, "set_opening_balances", &confirm);
        assert_eq!(json!([again["replayed"], again["journal_id"]]), json!([true, done["journal_id"]]));
        assert_eq!(books.get("/journals")["data"].as_array().unwrap().len(), 1);
        assert!(preview.get("lock_date").is_none(), "{preview}");
        // In their place others, with what that takes away.
        let mut instead = entry.clone();
        instead["replace"] = json!(true);
        instead["lock_period"] = json!(true);
        let preview = given(&books.server, &books.key, "set_opening_balances", &instead);
        assert_eq!(preview["voids_journal_id"], done["journal_id"]);
        assert_eq!(preview["lock_date"], "2026-02-28");
        let confirm = json!({ "confirm_token": preview["confirm_token"] });
        let done = given(&books.server, &books.key, "set_opening_balances", &confirm);
        assert_ne!(done["journal_id"], preview["voids_journal_id"]);
        assert_eq!(done["lock_date"], "2026-02-28");
        assert_eq!(books.get("/journals")["data"].as_array().unwrap().len(), 3);
    }

    fn opening_balances_say_when_an_open_bill_is_due_that_names_no_day(database) {
        let books = Books::on(&database);
        let contact = json!({ "name": "Ash Plumbing", "payment_terms_days": 14 });
        let supplier = books.post("/suppliers", &contact).expect(201)["data"]["id"].clone();
        let bill = |number: &str| json!({
            "type": "purchase_invoice", "supplier_id": supplier, "number": number, "date": "2026-02-10", "amount_due": 310.0
        });
        let mut named = bill("560");
        named["due_date"] = json!("2026-02-20");
        let entry = json!({
            "as_of": "2026-02-28", "open_documents": [bill("559"), named],
            "lines": [{ "account_code": "1200", "debit": 620 }, { "account_code": "2100", "credit": 620 }],
        });
        let preview = given(&books.server, &books.key, "set_opening_balances", &entry);
        assert_eq!(preview["warnings"], json!(["open_documents[0] (559) has no due_date: by the payment terms it is due 2026-02-24"]));
        given(&books.server, &books.key, "set_opening_balances", &json!({ "confirm_token": preview["confirm_token"] }));
        let due: Vec<Value> = books.get("/purchase-invoices")["data"].as_array().unwrap().iter().map(|bill| bill["due_date"].clone()).collect();
        assert!(due.contains(&json!("2026-02-24")) && due.contains(&json!("2026-02-20")), "{due:?}");
    }

    fn an_organisation_is_made_once_and_changed(database) {
        let books = Books::on(&database);
        let server = &books.server;
        let made = given(server, &books.key, "create_organisation", &json!({ "name": "Second Ltd", "vat_control": true }));
        let id = made["organisation"]["id"].as_i64().unwrap();
        let over_rest = server.client.get(&format!("{ORGANISATIONS}/{id}")).key(&books.key).send().expect(200);
        assert_eq!(made["organisation"], over_rest["data"]);
        // A call that is repeated makes no second one.
        let told = failure(server, &books.key, "create_organisation", &json!({ "name": " second ltd" }));
        assert!(told.starts_with("conflict (same_name): ") && told.contains("\nNext: "), "{told}");
        let same = json!({ "name": "Second Ltd", "allow_same_name": true });
        assert_ne!(given(server, &books.key, "create_organisation", &same)["organisation"]["id"], json!(id));

        let change = json!({ "organisation_id": id, "email": "office@second.example", "name": "Second Ltd", "expected_version": 1 });
        let changed = given(server, &books.key, "update_organisation", &change);
        assert_eq!(changed["changed"], json!(["email"]));
        let told = failure(server, &books.key, "update_organisation", &change);
        assert!(told.starts_with("conflict (stale_version): "), "{told}");
        let both = json!({ "organisation_id": id, "email": "a@b.example", "clear": ["email"] });
        let told = failure(server, &books.key, "update_organisation", &both);
        assert!(told.starts_with("invalid_request_format: email: "), "{told}");
        let clear = json!({ "organisation_id": id, "clear": ["email"] });
        let changed = given(server, &books.key, "update_organisation", &clear);
        assert_eq!(json!([changed["changed"], changed["organisation"]["email"]]), json!([["email"], null]));
        let told = failure(server, &books.key, "update_organisation", &json!({ "organisation_id": id }));
        assert!(told.starts_with("invalid_request_format: "), "{told}");
        let history = server.client.get(&format!("{ORGANISATIONS}/{id}/changes")).key(&books.key).send().expect(200);
        let tools: Vec<&Value> = history["data"].as_array().unwrap().iter().map(|change| &change["actor"]["tool"]).collect();
        assert_eq!(json!(tools), json!(["create_organisation", "update_organisation", "update_organisation"]));
    }
}

#[test]
fn who_may_not_change_an_organisation_is_refused() {
    let books = Books::of(TestServer::start());
    let server = &books.server;
    let bookkeeper = server.person();
    server.member(books.id, &bookkeeper, "bookkeeper");
    let key = server.key(&bookkeeper, &ALL_SCOPES);
    let told = failure(server, &key, "update_organisation", &json!({ "phone": "1" }));
    assert!(told.starts_with("forbidden: "), "{told}");
    let restricted = json!({ "name": "n", "scopes": ["books:read", "books:write"], "organisation_ids": [books.id] });
    let restricted = server.key_with(&books.owner, &restricted);
    let told = failure(server, &restricted, "create_organisation", &json!({ "name": "Another" }));
    assert!(told.starts_with("forbidden: "), "{told}");
}

#[test]
fn a_preview_or_a_token_and_not_both() {
    let books = Books::of(TestServer::start());
    let tell = |key: &ApiKey, tool: &str, arguments: Value| failure(&books.server, key, tool, &arguments);
    for (tool, arguments, part) in [
        ("bulk_import", json!({}), "kind with rows or csv, or confirm_token, is required"),
        ("bulk_import", json!({ "kind": "customers" }), "rows: rows or csv is required"),
        ("bulk_import", json!({ "rows": [{ "name": "A" }] }), "kind: is required"),
        ("bulk_import", json!({ "kind": "customers", "rows": [{}], "csv": "name\n" }), "csv: not together with rows"),
        ("bulk_import", json!({ "kind": "customers", "csv": "name\n" }), "csv: must have 1 to 2000 rows; it has 0"),
        (
            "bulk_import",
            json!({ "kind": "customers", "rows": [{}], "on_duplicate": "skip" }),
            "on_duplicate: goes with bank_",
        ),
        (
            "bulk_import",
            json!({ "kind": "customers", "rows": [{}], "confirm_token": "x" }),
            "confirm_token: must stand alone",
        ),
        (
            "bulk_import",
            json!({ "kind": "customers", "rows": [{}], "skip_invalid": true }),
            "skip_invalid: goes with confirm_token",
        ),
        ("set_opening_balances", json!({}), "as_of with lines, or confirm_token, is required"),
        ("set_opening_balances", json!({ "replace": true, "confirm_token": "x" }), "confirm_token: must stand alone"),
        ("set_opening_balances", json!({ "as_of": "2026-02-28" }), "lines: "),
    ] {
        let told = tell(&books.key, tool, arguments.clone());
        assert!(told.starts_with("invalid_request_format: ") && told.contains(part), "{arguments}: {told}");
    }
    assert_eq!(customers(&books), 0);
}

#[test]
fn a_preview_expires_and_an_outdated_one_is_stale() {
    let books = Books::of(TestServer::start());
    let csv = json!({ "kind": "customers", "rows": [{ "name": "A", "reference": "R1" }] });
    let first = given(&books.server, &books.key, "bulk_import", &csv);
    books.post("/customers", &json!({ "name": "B", "reference": "R1" })).expect(201);
    let told = failure(&books.server, &books.key, "bulk_import", &json!({ "confirm_token": first["confirm_token"] }));
    assert!(told.starts_with("confirm_stale: nothing was changed: "), "{told}");
    let second =
        given(&books.server, &books.key, "bulk_import", &json!({ "kind": "customers", "rows": [{ "name": "C" }] }));
    books.server.advance_ms(30 * 60 * 1_000);
    let told = failure(&books.server, &books.key, "bulk_import", &json!({ "confirm_token": second["confirm_token"] }));
    assert!(told.starts_with("confirm_expired: "), "{told}");
    assert_eq!(customers(&books), 1);
}

#[test]
fn a_long_import_says_where_all_its_results_are() {
    let books = Books::of(TestServer::start());
    let rows: Vec<Value> = (0..2_000).map(|at| json!({ "name": format!("Customer {at}") })).collect();
    let preview = given(&books.server, &books.key, "bulk_import", &json!({ "kind": "customers", "rows": rows }));
    let done = given(&books.server, &books.key, "bulk_import", &json!({ "confirm_token": preview["confirm_token"] }));
    assert_eq!(done["effects"]["results_total"], 2_000);
    let whole = done["effects"]["whole"].as_str().unwrap().strip_prefix("GET ").unwrap();
    let whole = books.server.client.get(whole).key(&books.key).send().expect(200);
    assert_eq!(whole["data"]["results"].as_array().unwrap().len(), 2_000);
    let shown = done["results"].as_array().unwrap();
    assert_eq!(json!(shown.len()), done["effects"]["results_shown"]);
    assert_eq!(shown[0], whole["data"]["results"][0]);
}
