//! `bookkeeping_run`: a period in one go, charged once for its token.

use serde_json::{Value, json};

use super::super::{failure, given};
use super::{coder, enter, reviewed};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, Setup, TestServer};

on_both_databases! {
    fn a_period_is_run_once_for_its_token(database) {
        let books = Books::on(&database);
        let (server, key) = (&books.server, coder(&books));
        let nothing = given(server, &key, "bookkeeping_run", &json!({}));
        assert_eq!((&nothing["lines"], &nothing["credits"], nothing.get("confirm_token")), (&json!(0), &json!(0), None));
        enter(&books, "2025-12-31", "BEFORE", "-1.00");
        enter(&books, "2026-01-05", "SHELL OXFORD", "-54.32");
        enter(&books, "2026-01-31", "XQZ 4471", "-12.00");
        let period = json!({ "period_start": "2026-01-01", "period_end": "2026-01-31" });
        let estimate = given(server, &key, "bookkeeping_run", &period);
        assert_eq!((&estimate["stage"], &estimate["lines"], &estimate["credits"]), (&json!("estimate"), &json!(2), &json!(8)));
        assert_eq!(server.credits(&key), (1_000, 0));
        let confirm = json!({ "confirm_token": estimate["confirm_token"] });
        let run = given(server, &key, "bookkeeping_run", &confirm);
        assert_eq!((&run["stage"], &run["credits"]), (&json!("done"), &json!(8)), "{run}");
        assert_eq!(run["ready_to_post"].as_i64().unwrap() + run["needs_review"].as_i64().unwrap(), 2);
        assert_eq!(server.credits(&key), (992, 0));
        // The answer was lost: the same again, whatever was entered since and however late.
        enter(&books, "2026-01-30", "LATE", "-1.00");
        assert_eq!(given(server, &key, "bookkeeping_run", &confirm), run);
        assert_eq!(server.credits(&key), (992, 0));
        let session = run["session_id"].as_str().unwrap();
        assert_eq!(reviewed(server, &key, session, 1)["description"], "SHELL OXFORD");
        // Nothing is posted.
        assert_eq!(books.get("/bank-transactions?status=confirmed")["pagination"]["total"], 0);
        let again = given(server, &key, "bookkeeping_run", &period);
        assert!(again["next"].as_str().unwrap().contains("2 of the lines were loaded into a session before"), "{again}");

        let words = failure(server, &key, "bookkeeping_run", &json!({ "confirm_token": "run_x" }));
        assert!(words.starts_with("confirm_not_found: ") && words.contains("\nNext: "), "{words}");
        let other = server.key(&books.owner, &ALL_SCOPES);
        assert_eq!(failure(server, &other, "bookkeeping_run", &confirm), words);
        let both = json!({ "confirm_token": "x", "period_start": "2026-01-01" });
        assert!(failure(server, &key, "bookkeeping_run", &both).starts_with("invalid_request_format: confirm_token: "));
        let unknown = json!({ "bank_account_ids": [999_999] });
        assert!(failure(server, &key, "bookkeeping_run", &unknown).starts_with("not_found: bank_account_ids[0]: "));
    }

    fn calls_at_once_with_one_token_charge_once(database) {
        let books = Books::on(&database);
        let (server, key) = (&books.server, coder(&books));
        for day in 1..=5 {
            enter(&books, &format!("2026-01-0{day}"), "SHELL", "-1.00");
        }
        let estimate = given(server, &key, "bookkeeping_run", &json!({}));
        let confirm = json!({ "confirm_token": estimate["confirm_token"] });
        let runs: Vec<Value> = std::thread::scope(|scope| {
            let calls: Vec<_> =
                (0..8).map(|_| scope.spawn(|| given(server, &key, "bookkeeping_run", &confirm))).collect();
            calls.into_iter().map(|call| call.join().expect("answered")).collect()
        });
        assert!(runs.iter().all(|run| run == &runs[0]), "{runs:?}");
        assert_eq!((server.credits(&key), server.rows_of("coding_session_line")), ((980, 0), 5));
    }
}

#[test]
fn an_estimate_that_is_old_or_not_true_any_more_is_not_run() {
    let books = Books::of(Setup::new().start());
    let (server, key) = (&books.server, coder(&books));
    enter(&books, "2026-01-05", "SHELL", "-1.00");
    let token = |server: &TestServer| given(server, &key, "bookkeeping_run", &json!({}))["confirm_token"].clone();
    let stale = token(server);
    enter(&books, "2026-01-06", "SHELL", "-1.00");
    let words = failure(server, &key, "bookkeeping_run", &json!({ "confirm_token": stale }));
    assert!(words.starts_with("confirm_stale: ") && words.contains("\nNext: "), "{words}");
    let old = token(server);
    server.advance_s(30 * 60);
    let words = failure(server, &key, "bookkeeping_run", &json!({ "confirm_token": old }));
    assert!(words.starts_with("confirm_expired: ") && words.contains("\nNext: "), "{words}");
    assert_eq!(server.credits(&key), (1_000, 0));
    // A run that was begun is gone on with after its token has expired.
    let begun = json!({ "confirm_token": token(server) });
    let run = given(server, &key, "bookkeeping_run", &begun);
    server.advance_s(60 * 60);
    assert_eq!(given(server, &key, "bookkeeping_run", &begun), run);
    server.advance_s(25 * 60 * 60);
    let words = failure(server, &key, "bookkeeping_run", &begun);
    assert!(words.starts_with("session_expired: "), "{words}");
    assert_eq!(server.credits(&key), (992, 0));
}

#[test]
fn a_run_that_cannot_be_paid_loads_nothing_and_may_be_repeated() {
    let books = Books::of(Setup::new().start());
    let server = &books.server;
    let poor = server.person_with(3, 0, false);
    server.member(books.id, &poor, "bookkeeper");
    let key = server.key(&poor, &ALL_SCOPES);
    enter(&books, "2026-01-05", "SHELL", "-1.00");
    let confirm = json!({ "confirm_token": given(server, &key, "bookkeeping_run", &json!({}))["confirm_token"] });
    for _ in 0..2 {
        let words = failure(server, &key, "bookkeeping_run", &confirm);
        assert!(words.starts_with("insufficient_credits: 4 credits are required"), "{words}");
    }
    assert_eq!((server.rows_of("coding_session_line"), server.credits(&key)), (0, (3, 0)));
}
