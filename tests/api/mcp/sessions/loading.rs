//! `add_bank_transactions`: four credits a line, charged once for a label.

use serde_json::{Value, json};

use super::super::{failure, given};
use super::{coder, enter, line, load, manual, on_books};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, Setup};

on_both_databases! {
    fn a_load_is_charged_once_for_its_label(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person_with(10, 6, false);
        let key = server.key(&person, &ALL_SCOPES);
        let session = manual(&server, &key);
        let rows = [line("2026-01-05", "SHELL OXFORD", -54.32), line("2026-01-06", "STAPLES", -12.0)];
        let mut dry = load(&session, "january", &rows);
        dry["dry_run"] = json!(true);
        let said = given(&server, &key, "add_bank_transactions", &dry);
        assert_eq!((&said["loaded"], &said["credits_charged"], &said["total_in_session"]), (&json!(2), &json!(8), &json!(0)));
        assert_eq!(server.credits(&key), (10, 6));

        let first = given(&server, &key, "add_bank_transactions", &load(&session, "january", &rows));
        assert_eq!(first, json!({
            "session_id": session, "loaded": 2, "possible_duplicates": [], "credits_charged": 8, "credits_left": 8,
            "total_in_session": 2, "replayed": false,
        }));
        assert_eq!(server.credits(&key), (2, 6));
        let mut again = first.clone();
        again["replayed"] = json!(true);
        assert_eq!(given(&server, &key, "add_bank_transactions", &load(&session, "january", &rows)), again);
        assert_eq!(server.credits(&key), (2, 6));

        let words = failure(&server, &key, "add_bank_transactions", &load(&session, "january", &rows[..1]));
        assert!(words.starts_with("conflict: batch_ref: ") && words.contains("\nNext: "), "{words}");
        // Monthly credits go first, then bonus credits; nothing is loaded in part.
        let short = failure(&server, &key, "add_bank_transactions", &load(&session, "february", &[&rows[..], &rows[..1]].concat()));
        assert!(short.starts_with("insufficient_credits: 12 credits are required (4 a line) and 8 are available"), "{short}");
        assert_eq!(server.credits(&key), (2, 6));
        let second = given(&server, &key, "add_bank_transactions", &load(&session, "february", &rows));
        assert_eq!((&second["credits_left"], &second["total_in_session"]), (&json!(0), &json!(4)));
        assert_eq!(second["possible_duplicates"], json!([{ "row": 0, "row_id": 1 }, { "row": 1, "row_id": 2 }]));
        assert_eq!(server.credits(&key), (0, 0));
        // Everything after is free.
        given(&server, &key, "run_coding", &json!({ "session_id": session }));
        given(&server, &key, "run_coding", &json!({ "session_id": session }));
        assert_eq!(server.credits(&key), (0, 0));
    }

    fn overage_needs_key_call_and_subscription(database) {
        let server = Setup::new().on(&database).start();
        let rows = [line("2026-01-05", "SHELL", -10.0)];
        for (subscription, of_key, of_call) in
            [(true, true, true), (false, true, true), (true, false, true), (true, true, false)]
        {
            let person = server.person_with(3, 0, subscription);
            let scopes = json!({ "name": "k", "scopes": ALL_SCOPES, "allow_overage": of_key });
            let key = server.key_with(&person, &scopes);
            let session = manual(&server, &key);
            let mut arguments = load(&session, "a", &rows);
            arguments["allow_overage"] = json!(of_call);
            if subscription && of_key && of_call {
                let loaded = given(&server, &key, "add_bank_transactions", &arguments);
                assert_eq!((&loaded["credits_charged"], &loaded["credits_left"]), (&json!(4), &json!(0)));
            } else {
                let words = failure(&server, &key, "add_bank_transactions", &arguments);
                assert!(words.starts_with("insufficient_credits: "), "{words}");
                assert_eq!(server.credits(&key), (3, 0));
            }
        }
    }

    fn fifty_calls_at_once_charge_once(database) {
        let server = Setup::new().on(&database).start();
        let (_, key) = (server.person(), server.key(&server.person(), &ALL_SCOPES));
        let session = manual(&server, &key);
        let arguments = load(&session, "a", &[line("2026-01-05", "SHELL", -10.0), line("2026-01-06", "BP", -20.0)]);
        let answers: Vec<Value> = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..50)
                .map(|_| scope.spawn(|| given(&server, &key, "add_bank_transactions", &arguments)))
                .collect();
            calls.into_iter().map(|call| call.join().expect("answered")).collect()
        });
        assert_eq!(answers.iter().filter(|answer| answer["replayed"] == false).count(), 1);
        assert!(answers.iter().all(|answer| answer["total_in_session"] == 2 && answer["credits_left"] == 992));
        assert_eq!(server.credits(&key), (992, 0));
        assert_eq!(server.rows_of("coding_session_line"), 2);
    }

    fn lines_come_from_the_books_too(database) {
        let books = Books::on(&database);
        let (server, key) = (&books.server, coder(&books));
        let bank = books.get("/bank-accounts")["data"][0]["id"].clone();
        for (date, description) in [("2026-01-04", "EARLIER"), ("2026-01-05", "SHELL OXFORD"), ("2026-01-31", "STAPLES")] {
            enter(&books, date, description, "-10.00");
        }
        let session = on_books(&books, &key);
        let from = json!({ "bank_account_id": bank, "date_from": "2026-01-05", "date_to": "2026-01-31" });
        let arguments = json!({ "session_id": session, "batch_ref": "a", "bank_account": "Current account", "from_books": from });
        let loaded = given(server, &key, "add_bank_transactions", &arguments);
        assert_eq!((&loaded["loaded"], &loaded["credits_charged"]), (&json!(2), &json!(8)));
        // What was entered since does not spoil the repeated call.
        enter(&books, "2026-01-20", "LATE", "-3.00");
        assert_eq!(given(server, &key, "add_bank_transactions", &arguments)["replayed"], true);
        let mut other = arguments.clone();
        other["batch_ref"] = json!("b");
        let loaded = given(server, &key, "add_bank_transactions", &other);
        assert_eq!((&loaded["loaded"], &loaded["total_in_session"]), (&json!(3), &json!(5)));
        assert_eq!(loaded["possible_duplicates"].as_array().unwrap().len(), 2);

        let own = manual(server, &key);
        let mut elsewhere = arguments.clone();
        elsewhere["session_id"] = json!(own);
        let words = failure(server, &key, "add_bank_transactions", &elsewhere);
        assert!(words.starts_with("not_on_platform: ") && words.contains("\nNext: "), "{words}");
        other["from_books"]["bank_account_id"] = json!(999_999);
        assert!(failure(server, &key, "add_bank_transactions", &other).starts_with("not_found: "));
    }
}

#[test]
fn rows_that_are_wrong_are_named_and_nothing_is_charged() {
    let server = Setup::new().start();
    let key = server.key(&server.person(), &ALL_SCOPES);
    let session = manual(&server, &key);
    let mut wrong = line("2026-01-05", "a", 1.005);
    wrong["merchant_category_code"] = json!("12a4");
    let words =
        failure(&server, &key, "add_bank_transactions", &load(&session, "a", &[line("2026-01-05", "a", 1.0), wrong]));
    assert!(words.contains("rows[1].amount: ") && words.contains("rows[1].merchant_category_code: "), "{words}");
    let mut both = load(&session, "a", &[line("2026-01-05", "a", 1.0)]);
    both["from_books"] = json!({ "bank_account_id": 1 });
    let neither = json!({ "session_id": session, "batch_ref": "a", "bank_account": "x" });
    for arguments in [both, neither] {
        let words = failure(&server, &key, "add_bank_transactions", &arguments);
        assert_eq!(words, "invalid_request_format: rows: give either rows or from_books");
    }
    assert_eq!(server.credits(&key), (1_000, 0));
}
