//! The money rules (`reconciliation.md` §2), over HTTP.

use serde_json::{Value, json};

use crate::support::data::{request, row};
use crate::support::server::{RECONCILE, TestServer};

struct Example<'a> {
    bank: Vec<&'a str>,
    book: Vec<&'a str>,
    /// Matched, missing from books, remove from books.
    counts: (u64, u64, u64),
    expected: &'a str,
    actual: &'a str,
    verified: bool,
}

fn example<'a>(
    bank: &[&'a str],
    book: &[&'a str],
    counts: (u64, u64, u64),
    (expected, actual): (&'a str, &'a str),
    verified: bool,
) -> Example<'a> {
    Example { bank: bank.to_vec(), book: book.to_vec(), counts, expected, actual, verified }
}

#[test]
fn every_example_of_the_money_rules_holds_and_only_verified_runs_are_charged() {
    let server = TestServer::start();
    let person = server.person_with(1_000, 0, false);
    let key = server.key(&person, &RECONCILE);
    let unrounded = ["119.988", "59.988", "23.988", "11.988", "5.988"];
    let rounded = ["119.99", "59.99", "23.99", "11.99", "5.99"];
    let mut left = 1_000;
    for example in [
        example(&["100.00", "-20.50"], &["100", "-20.5"], (2, 0, 0), ("0", "0"), true),
        example(&["100.00", "-20.50"], &["100", "-7.25"], (1, 1, 1), ("-13.25", "-13.25"), true),
        example(&["0.30000000000000004"], &["0.3"], (1, 0, 0), ("0", "0"), true),
        example(&["10.01"], &["10.005"], (1, 0, 0), ("0.005", "0"), true),
        example(&["10.00"], &["10.005"], (0, 1, 1), ("-0.005", "-0.005"), true),
        example(&["-10.01"], &["-10.005"], (1, 0, 0), ("-0.005", "0"), true),
        example(&["1e-7"], &["0"], (1, 0, 0), ("0.0000001", "0"), true),
        example(&["1e15"], &["1000000000000000.00"], (1, 0, 0), ("0", "0"), true),
        example(&["1000000000000000.01"], &["1e15"], (0, 1, 1), ("0.01", "0.01"), true),
        example(&["-0.0"], &["0"], (1, 0, 0), ("0", "0"), true),
        example(&["-45.00"], &["45.00"], (0, 1, 1), ("-90", "-90"), true),
        example(&["54.00"], &["45.00"], (0, 1, 1), ("9", "9"), true),
        example(&["10.0149"], &["10.005"], (1, 0, 0), ("0.0099", "0"), true),
        example(&["83.33"; 12], &["83.333333"; 12], (12, 0, 0), ("-0.039996", "0"), false),
        example(&rounded[..4], &unrounded[..4], (4, 0, 0), ("0.008", "0"), true),
        example(&rounded, &unrounded, (5, 0, 0), ("0.01", "0"), false),
        example(&[], &[], (0, 0, 0), ("0", "0"), true),
        // Accepted spellings beyond the table.
        example(&["1e-400"], &["-0"], (1, 0, 0), ("0", "0"), true),
        example(&["999999999999999999.99"], &["999999999999999999.99"], (1, 0, 0), ("0", "0"), true),
    ] {
        let Example { bank, book, counts, expected, actual, verified } = example;
        let bank_rows: Vec<_> = bank.iter().map(|amount| row(amount)).collect();
        let book_rows: Vec<_> = book.iter().map(|amount| row(amount)).collect();
        let id = server.submit(&key, request(&bank_rows, &book_rows));
        let poll = server.ended_answer(&key, &id);
        let job = poll.value();
        let shown = format!("{bank:?} against {book:?}: {poll}");
        assert_eq!(job["status"], "completed", "{shown}");
        let (result, summary) = (&job["result"], &job["result"]["summary"]);
        let count = |name: &str| summary[name].as_u64().unwrap();
        let found = (count("matched_count"), count("missing_from_books_count"), count("remove_from_books_count"));
        assert_eq!(found, counts, "{shown}");
        assert_eq!((&summary["bank_rows"], &summary["book_rows"]), (&json!(bank.len()), &json!(book.len())), "{shown}");
        // Plain decimals, without exponent, trailing zeros or a negative zero: compared as text.
        let figures = format!(r#""expected_net_discrepancy":{expected},"actual_net_effect":{actual},"#);
        assert!(poll.text().contains(&figures), "{shown} lacks {figures}");
        assert_eq!(
            (&summary["verified"], &result["verification"]["is_verified"]),
            (&json!(verified), &json!(verified))
        );
        let cost: i64 = if verified { i64::try_from(bank.len()).unwrap() } else { 0 };
        assert_eq!((&job["credits_charged"], &result["credits_charged"]), (&json!(cost), &json!(cost)), "{shown}");
        left -= cost;
        assert_eq!(server.credits(&key), (left, 0), "{shown}");
    }
}

#[test]
fn a_run_that_cannot_be_verified_says_why_and_which_rows() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let job = server.run(&key, request(&[row("83.33"); 12], &[row("83.333333"); 12]));
    assert_eq!(job["status"], "completed");
    assert_eq!(job.get("error"), None);
    let reason = job["result"]["verification"]["reason"].as_str().unwrap();
    for part in ["12", "-0.039996", "0-11"] {
        assert!(reason.contains(part), "{reason}");
    }
    let rows = job["result"]["summary"]["matched_count"].clone();
    assert_eq!(rows, Value::from(12));
}

#[test]
fn the_result_does_not_depend_on_the_order_of_the_rows() {
    let server = TestServer::start();
    let (_, key) = server.submitter();
    let texts: Vec<String> =
        (0..60).map(|n| format!("Order {} of {}", 1_000 + n, ["Smith", "Okafor", "Lee"][n % 3])).collect();
    let dates: Vec<String> = (0..60).map(|n| format!("2026-01-{:02}", 1 + n % 28)).collect();
    let later: Vec<String> = (0..60).map(|n| format!("2026-01-{:02}", 1 + (n + n % 4) % 28)).collect();
    let amounts = ["10.00", "12.50", "7.99"];
    let make = |dates: &'_ [String], skip: usize| -> Vec<(String, String, String)> {
        let all = (0..60).map(|n| (dates[n].clone(), amounts[n % 3].to_owned(), texts[n].clone()));
        all.enumerate().filter(|(n, _)| n % 11 != skip).map(|(_, row)| row).collect()
    };
    let (mut bank, mut book) = (make(&dates, 3), make(&later, 5));
    let pairs = |bank: &[(String, String, String)], book: &[(String, String, String)]| {
        let rows = |rows: &[(String, String, String)]| -> String {
            let borrowed: Vec<_> = rows
                .iter()
                .map(|(date, amount, description)| crate::support::data::Row { date, amount, description })
                .collect();
            crate::support::data::rows(&borrowed)
        };
        let body = format!(r#"{{"bank":{},"book":{},"options":{{"includeMatched":true}}}}"#, rows(bank), rows(book));
        let job = server.run(&key, body);
        let mut pairs: Vec<String> = job["result"]["matched"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| format!("{} {}", pair["bank"], pair["book"]))
            .collect();
        pairs.sort();
        pairs
    };
    let straight = pairs(&bank, &book);
    bank.reverse();
    book.rotate_left(17);
    assert_eq!(pairs(&bank, &book), straight);
    assert!(straight.len() > 40, "{}", straight.len());
}
