//! Submitting a reconciliation and polling it: shapes, options, who may see it, what remains of it.

use serde_json::json;

use crate::support::client::keys;
use crate::support::data::{Row, request, request_with, row};
use crate::support::database::on_both_databases;
use crate::support::server::{RECONCILE, Setup, TestServer};

const fn at<'a>(date: &'a str, amount: &'a str, description: &'a str) -> Row<'a> {
    Row { date, amount, description }
}

on_both_databases! {
    fn a_reconciliation_is_submitted_polled_and_charged(database) {
        let server = Setup::new().on(&database).start();
        let (_, key) = server.submitter();
        let bank = [
            at("2026-01-02", "10.0", "ACME \"x\""),
            at("2026-01-05", "-3.10", "FEE"),
            at("2026-01-07", "1e2", "Café 🧾"),
        ];
        let book = [at("2026-01-01", "1e1", "Acme"), at("2026-01-20", "100.00", "Cafe"), at("2026-01-09", "-0.05", "Typo")];
        let answer = server.submission(&key, request(&bank, &book));
        let accepted = answer.expect(202);
        assert_eq!(keys(&accepted), ["poll_url", "reconciliation_id", "status"]);
        assert_eq!(accepted["status"], "queued");
        let id = accepted["reconciliation_id"].as_str().unwrap();
        assert!(id.starts_with("rec_") && id.len() <= 64, "{id}");
        assert_eq!(accepted["poll_url"], format!("/api/v1/reconciliations/{id}"));

        let poll = server.ended_answer(&key, id);
        let job = poll.value();
        assert_eq!(keys(&job), ["completed_at", "created_at", "credits_charged", "reconciliation_id", "result", "status"]);
        assert_eq!((&job["reconciliation_id"], &job["status"]), (&json!(id), &json!("completed")));
        assert_eq!(job["credits_charged"], 3);
        let result = &job["result"];
        let names: Vec<String> = keys(result).into_iter().filter(|name| name != "explanations").collect();
        assert_eq!(names, ["credits_charged", "missing_from_books", "remove_from_books", "summary", "verification"]);
        let expected = json!({
            "bank_rows": 3, "book_rows": 3, "matched_count": 1,
            "missing_from_books_count": 2, "remove_from_books_count": 2, "verified": true,
        });
        assert_eq!(result["summary"], expected);
        assert_eq!(result["credits_charged"], 3);
        let verification = &result["verification"];
        assert_eq!(keys(verification), ["actual_net_effect", "expected_net_discrepancy", "is_verified", "reason"]);
        assert_eq!(verification["is_verified"], true);
        // 106.90 at the bank, 109.95 in the books.
        assert_eq!((&verification["expected_net_discrepancy"], &verification["actual_net_effect"]), (&json!(-3.05), &json!(-3.05)));
        assert!(verification["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
        // Rows come back in submitted order with the submitted digits, so that they can be posted again.
        let text = poll.text();
        let missing = r#""missing_from_books":[{"date":"2026-01-05","amount":-3.10,"description":"FEE"},{"date":"2026-01-07","amount":1e2,"description":"Café 🧾"}]"#;
        let remove = r#""remove_from_books":[{"date":"2026-01-20","amount":100.00,"description":"Cafe"},{"date":"2026-01-09","amount":-0.05,"description":"Typo"}]"#;
        assert!(text.contains(missing) && text.contains(remove), "{text}");
        assert_eq!(server.credits(&key), (997, 0));
        // Polling again gives the same and charges nothing.
        assert_eq!(server.poll(&key, id).text(), text);
        assert_eq!(server.credits(&key), (997, 0));
    }
}

#[test]
fn matched_pairs_are_given_only_when_asked_for() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let bank = [at("2026-01-02", "10.00", "ACME 1"), at("2026-01-09", "5.50", "ROPE")];
    let book = [at("2026-01-09", "5.5", "Rope"), at("2026-01-04", "1e1", "Acme")];
    for options in ["{}", r#"{"includeMatched":false}"#] {
        let job = server.run(&key, request_with(&bank, &book, options));
        assert!(job["result"].get("matched").is_none());
        assert_eq!(job["result"]["summary"]["matched_count"], 2);
    }
    let id = server.submit(&key, request_with(&bank, &book, r#"{"includeMatched":true}"#));
    let poll = server.ended_answer(&key, &id);
    let matched = r#""matched":[{"bank":{"date":"2026-01-02","amount":10.00,"description":"ACME 1"},"book":{"date":"2026-01-04","amount":1e1,"description":"Acme"},"date_difference":2},{"bank":{"date":"2026-01-09","amount":5.50,"description":"ROPE"},"book":{"date":"2026-01-09","amount":5.5,"description":"Rope"},"date_difference":0}]"#;
    assert!(poll.text().contains(matched), "{poll}");
}

#[test]
fn rows_come_back_exactly_as_they_were_sent() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let texts = [
        "\u{1}\u{1f}\t\n\"\\/",
        "\u{2028}\u{2029}\u{feff}",
        "a\u{301}é🧾𝄞",
        "  spaces  ",
        "</script>",
        "\u{7f}\u{fffd}",
    ];
    let amounts = ["-0.0", "1E+2", "0.10", "1e-3", "5.0e0", "123456789012345678.123456789012345678"];
    let dates = ["0001-01-01", "9999-12-31", "2024-02-29", "1999-12-31", "2000-01-01", "1582-10-10"];
    let rows: Vec<Row<'_>> =
        texts.iter().zip(amounts).zip(dates).map(|((text, amount), date)| at(date, amount, text)).collect();
    let id = server.submit(&key, request(&rows, &[]));
    let poll = server.ended_answer(&key, &id);
    let missing = poll.value()["result"]["missing_from_books"].as_array().unwrap().clone();
    assert_eq!(missing.len(), rows.len());
    for (sent, got) in rows.iter().zip(missing) {
        assert_eq!((got["date"].as_str(), got["description"].as_str()), (Some(sent.date), Some(sent.description)));
        assert!(poll.text().contains(&format!(r#""amount":{},"#, sent.amount)), "{} is lost: {poll}", sent.amount);
    }
    // What came back can be posted again.
    let text = poll.text();
    let start = text.find(r#""missing_from_books":"#).unwrap() + r#""missing_from_books":"#.len();
    let end = text.find(r#","remove_from_books""#).unwrap();
    let again = server.run(&key, format!(r#"{{"bank":{},"book":[]}}"#, &text[start..end]));
    assert_eq!(again["result"]["summary"]["missing_from_books_count"], rows.len());
}

#[test]
fn the_date_window_is_the_callers() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let matched = |options: &str, days: u32| {
        let later = format!("2026-01-{:02}", 1 + days);
        let body = request_with(&[at("2026-01-01", "7.00", "A")], &[at(&later, "7.00", "A")], options);
        server.run(&key, body)["result"]["summary"]["matched_count"].clone()
    };
    for (options, days, expected) in [
        ("{}", 3, 1),
        ("{}", 4, 0),
        (r#"{"allowedDateDifferenceInDays":0}"#, 0, 1),
        (r#"{"allowedDateDifferenceInDays":0}"#, 1, 0),
        (r#"{"allowedDateDifferenceInDays":30}"#, 30, 1),
    ] {
        assert_eq!(matched(options, days), expected, "{options} {days}");
    }
}

#[test]
fn empty_datasets_are_reconciled_for_nothing() {
    let server = TestServer::start();
    let person = server.person_with(0, 0, false);
    let key = server.key(&person, &RECONCILE);
    let job = server.run(&key, r#"{"bank":[],"book":[]}"#);
    assert_eq!((&job["status"], &job["credits_charged"]), (&json!("completed"), &json!(0)));
    assert_eq!(job["result"]["verification"]["is_verified"], true);
    // Book rows alone cost nothing either.
    let job = server.run(&key, request(&[], &[row("5.00")]));
    assert_eq!((&job["status"], &job["credits_charged"]), (&json!("completed"), &json!(0)));
    assert_eq!(job["result"]["summary"]["remove_from_books_count"], 1);
}
