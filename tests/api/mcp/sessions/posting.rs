//! `post_to_platform`: coded lines into the books, previewed and posted once.

use serde_json::{Value, json};

use super::super::{failure, given};
use super::{coder, enter, line, load, manual, on_books};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, ApiKey, Setup, TestServer};

/// Recodes lines to an account without VAT.
#[track_caller]
fn recode(server: &TestServer, key: &ApiKey, session: &str, codings: &[(i64, &str, &str)]) {
    let change =
        |(row, account, vat): &(i64, &str, &str)| json!({ "row_id": row, "account_code": account, "vat_code": vat });
    let changes: Vec<Value> = codings.iter().map(change).collect();
    given(server, key, "recode_transaction", &json!({ "session_id": session, "changes": changes }));
}

/// Loads the unconfirmed lines of the first bank account.
#[track_caller]
fn load_from_books(books: &Books, key: &ApiKey, session: &str) {
    let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
    let arguments = json!({
        "session_id": session, "batch_ref": "all", "bank_account": "Current account", "from_books": { "bank_account_id": bank },
    });
    given(&books.server, key, "add_bank_transactions", &arguments);
}

fn confirmed(books: &Books) -> Value {
    books.get("/bank-transactions?status=confirmed")["pagination"]["total"].clone()
}

on_both_databases! {
    fn lines_are_previewed_and_posted_once(database) {
        let books = Books::on(&database);
        let (server, key) = (&books.server, coder(&books));
        enter(&books, "2026-01-05", "SHELL OXFORD", "-54.32");
        enter(&books, "2026-01-06", "BANK FEE", "-6.00");
        enter(&books, "2026-01-07", "UNSURE", "-7.00");
        let session = on_books(&books, &key);
        load_from_books(&books, &key, &session);
        let rows = [line("2026-01-08", "CASH SALE", 80.0)];
        given(server, &key, "add_bank_transactions", &load(&session, "given", &rows));
        let mut current = load(&session, "given 2", &[line("2026-01-09", "CASH SALE", 20.0)]);
        current["bank_account"] = json!("1200");
        given(server, &key, "add_bank_transactions", &current);
        recode(server, &key, &session, &[(1, "7300", "NV"), (2, "7300", "NV"), (4, "4000", "NV"), (5, "4000", "NV")]);

        let preview = given(server, &key, "post_to_platform", &json!({ "session_id": session }));
        assert_eq!((&preview["stage"], &preview["would_post"]), (&json!("preview"), &json!(3)), "{preview}");
        let mut by_account = json!([
            { "account_code": "1200", "account_name": "Current account", "debit": 20.0, "credit": 60.32 },
            { "account_code": "4000", "account_name": books.account("4000")["name"], "debit": 0.0, "credit": 20.0 },
            { "account_code": "7300", "account_name": "Motor expenses", "debit": 60.32, "credit": 0.0 },
        ]);
        let moved = by_account.clone();
        by_account[1]["lines"] = json!([{ "row_id": 5, "date": "2026-01-09", "description": "CASH SALE", "amount": 20.0 }]);
        by_account[2]["lines"] = json!([
            { "row_id": 1, "date": "2026-01-05", "description": "SHELL OXFORD", "amount": -54.32 },
            { "row_id": 2, "date": "2026-01-06", "description": "BANK FEE", "amount": -6.0 },
        ]);
        assert_eq!(preview["by_account"], by_account);
        // "Current" names no bank account of the organisation; the line that needs review is not asked for.
        let refused = preview["refused"].as_array().unwrap();
        assert_eq!((refused.len(), &refused[0]["row_id"], &refused[0]["reason"]), (1, &json!(4), &json!("unknown_reference")));
        assert_eq!(confirmed(&books), 0);

        let confirm = json!({ "session_id": session, "confirm_token": preview["confirm_token"] });
        let done = given(server, &key, "post_to_platform", &confirm);
        assert_eq!((&done["stage"], &done["posted"], &done["replayed"]), (&json!("done"), &json!(3), &json!(false)));
        assert_eq!(done["by_account"], moved);
        assert_eq!(confirmed(&books), 3);
        let mut again = done.clone();
        again["replayed"] = json!(true);
        assert_eq!(given(server, &key, "post_to_platform", &confirm), again);
        assert_eq!((confirmed(&books), server.credits(&key).0), (json!(3), 980));
        let history = given(server, &key, "recent_changes", &json!({ "limit": 1 }));
        assert_eq!(history["changes"][0]["actor"]["tool"], "post_to_platform");

        // What was posted is passed over, and named when it is asked for.
        let nothing = given(server, &key, "post_to_platform", &json!({ "session_id": session }));
        assert_eq!((&nothing["would_post"], nothing.get("confirm_token")), (&json!(0), None));
        let named = given(server, &key, "post_to_platform", &json!({ "session_id": session, "row_ids": [1, 5, 3, 99] }));
        let reasons: Vec<Value> =
            named["refused"].as_array().unwrap().iter().map(|row| json!([row["row_id"], row["reason"]])).collect();
        assert_eq!(reasons, [
            json!([1, "already_posted"]), json!([3, "not_coded"]), json!([5, "already_posted"]), json!([99, "unknown_reference"]),
        ]);
        assert_eq!(server.rows_of("journal"), 3);
    }

    fn payments_and_transfers_are_posted_as_what_they_are(database) {
        let books = Books::on(&database);
        let (server, key) = (&books.server, coder(&books));
        let customer = books.post("/customers", &json!({ "name": "Harbour Cafe Ltd" })).expect(201)["data"]["id"].clone();
        let sale = books.post("/sales-invoices", &json!({ "customer_id": customer, "invoice_date": "2026-01-05", "lines": [
            { "description": "x", "quantity": 1, "unit_price": "300.00", "account_code": "4000", "vat_code": "NV" },
        ] })).expect(201)["data"].clone();
        let number = sale["invoice_number"].as_str().unwrap();
        books.post("/bank-accounts", &json!({ "name": "Savings", "type": "savings", "code": "1210" })).expect(201);
        enter(&books, "2026-01-20", &format!("HARBOUR CAFE LTD {number}"), "300.00");
        enter(&books, "2026-01-21", "TRANSFER TO SAVINGS", "-100.00");
        let session = on_books(&books, &key);
        load_from_books(&books, &key, &session);
        let mut savings = load(&session, "savings", &[line("2026-01-21", "TRANSFER FROM CURRENT ACCOUNT", 100.0)]);
        savings["bank_account"] = json!("Savings");
        given(server, &key, "add_bank_transactions", &savings);
        given(server, &key, "fetch_outstanding_invoices", &json!({ "session_id": session }));
        let ran = given(server, &key, "run_coding", &json!({ "session_id": session }));
        let methods = &ran["summary"]["by_method"];
        assert_eq!((&methods["invoice_settlement"], &methods["transfer"]), (&json!(1), &json!(2)), "{ran}");
        // One side alone is no transfer.
        let half = given(server, &key, "post_to_platform", &json!({ "session_id": session, "row_ids": [2] }));
        assert_eq!(half["refused"][0]["reason"], "transfer_incomplete");
        let preview = given(server, &key, "post_to_platform", &json!({ "session_id": session, "row_ids": [1, 2, 3] }));
        assert_eq!((&preview["would_post"], &preview["refused"]), (&json!(3), &json!([])), "{preview}");
        // Each line stands under the account that it comes to, a settlement with its document.
        let lines_of = |code: &str| -> Vec<Value> {
            let row = preview["by_account"].as_array().unwrap().iter().find(|row| row["account_code"] == code).unwrap();
            row["lines"].as_array().unwrap().iter().map(|line| line["row_id"].clone()).collect()
        };
        assert_eq!([lines_of("1100"), lines_of("1200"), lines_of("1210")], [vec![json!(1)], vec![json!(3)], vec![json!(2)]]);
        let settled = preview["by_account"][0]["lines"][0].clone();
        assert_eq!(json!([settled["settles"], settled["contact"]]), json!([[number], "Harbour Cafe Ltd"]), "{preview}");
        let confirm = json!({ "session_id": session, "confirm_token": preview["confirm_token"] });
        assert_eq!(given(server, &key, "post_to_platform", &confirm)["posted"], 3);
        let paid = books.get(&format!("/sales-invoices/{}", sale["id"]));
        assert_eq!((&paid["data"]["status"], &paid["data"]["amount_due"]), (&json!("paid"), &json!(0.0)));
        let types: Vec<Value> = books.get("/bank-transactions?status=confirmed")["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["type"].clone())
            .collect();
        assert_eq!(types.iter().filter(|kind| *kind == "transfer").count(), 2, "{types:?}");
        assert_eq!(books.get("/customer-receipts")["pagination"]["total"], 1);
    }

    fn calls_at_once_with_one_token_post_once(database) {
        let books = Books::on(&database);
        let (server, key) = (&books.server, coder(&books));
        for day in 1..=5 {
            enter(&books, &format!("2026-01-0{day}"), "SHELL", "-1.00");
        }
        let session = on_books(&books, &key);
        load_from_books(&books, &key, &session);
        let all: Vec<_> = (1..=5).map(|row| (row, "7300", "NV")).collect();
        recode(server, &key, &session, &all);
        let preview = given(server, &key, "post_to_platform", &json!({ "session_id": session }));
        let confirm = json!({ "session_id": session, "confirm_token": preview["confirm_token"] });
        let answers: Vec<Value> = std::thread::scope(|scope| {
            let calls: Vec<_> =
                (0..10).map(|_| scope.spawn(|| given(server, &key, "post_to_platform", &confirm))).collect();
            calls.into_iter().map(|call| call.join().expect("answered")).collect()
        });
        assert_eq!(answers.iter().filter(|answer| answer["replayed"] == false).count(), 1, "{answers:?}");
        assert!(answers.iter().all(|answer| answer["posted"] == 5));
        assert_eq!((confirmed(&books), server.rows_of("journal")), (json!(5), 5));
    }
}

#[test]
fn a_token_works_for_its_connection_and_session_and_as_long_as_it_is_true() {
    let books = Books::of(Setup::new().start());
    let (server, key) = (&books.server, coder(&books));
    let first = enter(&books, "2026-01-05", "SHELL", "-10.00");
    enter(&books, "2026-01-06", "BP", "-20.00");
    let session = on_books(&books, &key);
    load_from_books(&books, &key, &session);
    recode(server, &key, &session, &[(1, "7300", "NV"), (2, "7300", "NV")]);
    let token = || given(server, &key, "post_to_platform", &json!({ "session_id": session }))["confirm_token"].clone();
    let post = |key: &ApiKey, session: &str, token: &Value| {
        failure(server, key, "post_to_platform", &json!({ "session_id": session, "confirm_token": token }))
    };
    let other_session = on_books(&books, &key);
    let mine = token();
    for (session, token) in [(&session, &json!("post_x")), (&other_session, &mine)] {
        let words = post(&key, session, token);
        assert!(words.starts_with("confirm_not_found: ") && words.contains("\nNext: "), "{words}");
    }
    let other = server.key(&books.owner, &ALL_SCOPES);
    assert!(post(&other, &session, &mine).starts_with("session_not_found: "));
    let both = json!({ "session_id": session, "confirm_token": mine, "row_ids": [1] });
    assert!(failure(server, &key, "post_to_platform", &both).starts_with("invalid_request_format: row_ids: "));
    server.advance_s(30 * 60);
    let words = post(&key, &session, &mine);
    assert!(words.starts_with("confirm_expired: ") && words.contains("\nNext: "), "{words}");

    // Recoded since.
    let stale = token();
    recode(server, &key, &session, &[(2, "7400", "NV")]);
    let words = post(&key, &session, &stale);
    assert!(words.starts_with("confirm_stale: nothing was posted: the lines were coded otherwise"), "{words}");
    // Confirmed by somebody since: all or nothing.
    let stale = token();
    let coded = json!({ "account_code": "7300", "vat_code": "NV" });
    books.post(&format!("/bank-transactions/{first}/confirm"), &coded).expect(200);
    let words = post(&key, &session, &stale);
    assert!(words.starts_with("confirm_stale: nothing was posted: ") && words.contains("\nNext: "), "{words}");
    assert_eq!(confirmed(&books), 1);

    // Who may only read may preview and not post.
    let own = manual(server, &key);
    let words = failure(server, &key, "post_to_platform", &json!({ "session_id": own }));
    assert!(words.starts_with("not_on_platform: ") && words.contains("\nNext: "), "{words}");
    let without = server.key(&books.owner, &["coding:read", "coding:write", "books:read"]);
    let words = failure(server, &without, "post_to_platform", &json!({ "session_id": session }));
    assert!(words.starts_with("forbidden: the key lacks the scope books:write\nNext: "), "{words}");
}

#[test]
fn vat_needs_its_control_account() {
    let books = Books::of(Setup::new().start());
    let (server, key) = (&books.server, coder(&books));
    let registered = json!({ "vat_registered": true, "vat_number": "GB123456789", "vat_scheme": "standard", "vat_scheme_from": "2025-01-01" });
    books.request("PATCH", "").json(&registered).send().expect(200);
    enter(&books, "2026-01-05", "SHELL", "-12.00");
    let session = on_books(&books, &key);
    load_from_books(&books, &key, &session);
    recode(server, &key, &session, &[(1, "7300", "ST")]);
    let preview = given(server, &key, "post_to_platform", &json!({ "session_id": session }));
    assert_eq!(
        (&preview["would_post"], &preview["refused"][0]["reason"]),
        (&json!(0), &json!("vat_control_required")),
        "{preview}"
    );
    books.vat_control();
    let preview = given(server, &key, "post_to_platform", &json!({ "session_id": session }));
    let confirm = json!({ "session_id": session, "confirm_token": preview["confirm_token"] });
    assert_eq!(given(server, &key, "post_to_platform", &confirm)["posted"], 1);
}

#[test]
fn a_thousand_lines_are_posted_at_once() {
    let books = Books::of(Setup::new().start());
    let server = &books.server;
    let owner = server.person_with(8_000, 0, false);
    server.member(books.id, &owner, "bookkeeper");
    let key = server.key(&owner, &ALL_SCOPES);
    let code = books.account("7300")["code"].clone();
    let rule = json!({ "contains": "shell", "account_code": code, "vat_code": "NV" });
    given(server, &key, "coding_policy", &json!({ "set": { "rules": [rule] }, "expected_version": 0 }));
    let session = on_books(&books, &key);
    for batch in ["a", "b"] {
        let rows: Vec<Value> = (0..600).map(|at| line("2026-01-05", &format!("SHELL {batch} {at}"), -1.0)).collect();
        let mut arguments = load(&session, batch, &rows);
        arguments["bank_account"] = json!("Current account");
        given(server, &key, "add_bank_transactions", &arguments);
    }
    given(server, &key, "run_coding", &json!({ "session_id": session }));
    for expected in [1_000, 200, 0] {
        let preview = given(server, &key, "post_to_platform", &json!({ "session_id": session }));
        assert_eq!(preview["would_post"], expected);
        let Some(token) = preview.get("confirm_token") else { break };
        let done = given(server, &key, "post_to_platform", &json!({ "session_id": session, "confirm_token": token }));
        assert_eq!(done["posted"], expected);
    }
    assert_eq!(confirmed(&books), 1_200);
}
