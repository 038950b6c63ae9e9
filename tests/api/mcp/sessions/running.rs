//! `run_coding` and `review_coding`.

use serde_json::{Value, json};

use super::super::{failure, given};
use super::{coder, line, load, manual, on_books, reviewed};
use crate::books::Books;
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, Setup};

on_both_databases! {
    fn lines_are_coded_and_reviewed_least_certain_first(database) {
        let server = Setup::new().on(&database).start();
        let key = server.key(&server.person(), &ALL_SCOPES);
        let session = manual(&server, &key);
        let review = given(&server, &key, "review_coding", &json!({ "session_id": session }));
        assert_eq!((&review["status"], &review["rows"]), (&json!("queued"), &json!([])));
        let words = failure(&server, &key, "run_coding", &json!({ "session_id": session }));
        assert!(words.starts_with("unprocessable_entity: the session has no lines\nNext: "), "{words}");

        let rows = [
            line("2026-01-05", "SHELL OXFORD", -54.32),
            line("2026-01-06", "XQZ 4471 ZZKJ", -12.0),
            line("2026-01-07", "TRANSFER TO SAVINGS", -100.0),
        ];
        given(&server, &key, "add_bank_transactions", &load(&session, "a", &rows));
        let mut savings = load(&session, "b", &[line("2026-01-07", "TRANSFER FROM CURRENT", 100.0)]);
        savings["bank_account"] = json!("Savings account");
        given(&server, &key, "add_bank_transactions", &savings);
        // Rows are shown once there was a run.
        let review = given(&server, &key, "review_coding", &json!({ "session_id": session, "filter": "all" }));
        assert_eq!((&review["status"], &review["rows"]), (&json!("queued"), &json!([])));

        let ran = given(&server, &key, "run_coding", &json!({ "session_id": session }));
        assert_eq!((&ran["status"], &ran["summary"]["lines"]), (&json!("completed"), &json!(4)), "{ran}");
        assert_eq!(ran["summary"]["by_method"]["transfer"], 2);
        assert_eq!(server.rows_of("job"), 0, "what a run was made of is gone");
        let review = given(&server, &key, "review_coding", &json!({ "session_id": session, "filter": "all" }));
        let rows = review["rows"].as_array().unwrap();
        let confidences: Vec<f64> = rows.iter().map(|row| row["confidence"].as_f64().unwrap()).collect();
        assert!(confidences.is_sorted() && review["total"] == 4, "{review}");
        assert_eq!(rows[0]["row_id"], 2);
        let fuel = reviewed(&server, &key, &session, 1);
        assert_eq!((&fuel["account_code"], &fuel["account_name"]), (&json!("400"), &json!("Motor fuel")));
        let [amount, net, vat] = ["amount", "net_amount", "vat_amount"].map(|name| fuel[name].as_f64().unwrap());
        assert!((amount - net - vat).abs() < 0.001, "{fuel}");
        assert_eq!(reviewed(&server, &key, &session, 3)["transfer_row_id"], 4);

        for (filter, expected) in [("transfers", 2), ("matched", 0), ("recoded", 0), ("all", 4)] {
            let review = given(&server, &key, "review_coding", &json!({ "session_id": session, "filter": filter }));
            assert_eq!(review["total"], expected, "{filter}");
        }
        let needs = given(&server, &key, "review_coding", &json!({ "session_id": session }))["total"].clone();
        let coded = given(&server, &key, "review_coding", &json!({ "session_id": session, "filter": "coded" }))["total"].clone();
        assert_eq!(needs, ran["needs_review"]);
        assert_eq!(needs.as_i64().unwrap() + coded.as_i64().unwrap(), 4);
        let on_fuel = json!({ "session_id": session, "filter": "all", "account_code": "400" });
        assert_eq!(given(&server, &key, "review_coding", &on_fuel)["total"], 1);
        let doubtful = json!({ "session_id": session, "filter": "all", "max_confidence": 0.2 });
        assert_eq!(given(&server, &key, "review_coding", &doubtful)["total"], 1);

        // Page by page, each line once.
        let mut seen = Vec::new();
        let mut arguments = json!({ "session_id": session, "filter": "all", "limit": 3 });
        loop {
            let page = given(&server, &key, "review_coding", &arguments);
            seen.extend(page["rows"].as_array().unwrap().iter().map(|row| row["row_id"].as_i64().unwrap()));
            assert_eq!(page["truncated"], page.get("next_cursor").is_some());
            let Some(cursor) = page.get("next_cursor") else { break };
            arguments["cursor"] = cursor.clone();
        }
        seen.sort_unstable();
        assert_eq!(seen, [1, 2, 3, 4]);
        let words = failure(&server, &key, "review_coding", &json!({ "session_id": session, "cursor": "x" }));
        assert!(words.starts_with("invalid_request_format: cursor: "), "{words}");
    }

    fn a_session_of_an_organisation_has_its_chart_and_vat(database) {
        let books = Books::on(&database);
        let (server, key) = (&books.server, coder(&books));
        let session = on_books(&books, &key);
        given(server, &key, "add_bank_transactions", &load(&session, "a", &[line("2026-01-05", "SHELL OXFORD", -54.32)]));
        given(server, &key, "run_coding", &json!({ "session_id": session }));
        let coded = reviewed(server, &key, &session, 1);
        let account = books.account(coded["account_code"].as_str().unwrap());
        assert_eq!(account["name"], coded["account_name"]);
        // It is not registered for VAT.
        assert_eq!((&coded["vat_code"], &coded["vat_amount"]), (&json!("NV"), &json!(0.0)), "{coded}");
    }
}

#[test]
fn calls_at_once_share_a_run() {
    let server = Setup::new().start();
    let key = server.key(&server.person(), &ALL_SCOPES);
    let session = manual(&server, &key);
    let rows: Vec<Value> = (1..=100).map(|at| line("2026-01-05", &format!("SHELL {at}"), -1.0)).collect();
    given(&server, &key, "add_bank_transactions", &load(&session, "a", &rows));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let ran = given(&server, &key, "run_coding", &json!({ "session_id": session }));
                assert_eq!((&ran["status"], &ran["summary"]["coded"]), (&json!("completed"), &json!(100)));
            });
        }
    });
    assert_eq!(server.credits(&key), (600, 0));
}

#[test]
fn a_page_of_long_rows_is_cut_and_goes_on() {
    let server = Setup::new().start();
    let key = server.key(&server.person(), &ALL_SCOPES);
    let session = manual(&server, &key);
    let rows: Vec<Value> =
        (1..=60).map(|at| line("2026-01-05", &format!("{at:05} {}", "é".repeat(490)), -1.0)).collect();
    given(&server, &key, "add_bank_transactions", &load(&session, "a", &rows));
    given(&server, &key, "run_coding", &json!({ "session_id": session }));
    let (mut seen, mut arguments) = (0, json!({ "session_id": session, "filter": "all", "limit": 50 }));
    loop {
        let page = given(&server, &key, "review_coding", &arguments);
        seen += page["rows"].as_array().unwrap().len();
        let Some(cursor) = page.get("next_cursor") else { break };
        assert!(page["rows"].as_array().unwrap().len() < 50);
        arguments["cursor"] = cursor.clone();
    }
    assert_eq!(seen, 60);
}
