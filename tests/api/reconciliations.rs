//! Submitting a reconciliation and polling it: shapes, options, who may see it, what remains of it.

use serde_json::{Value, json};

use crate::support::client::keys;
use crate::support::data::{Row, costing, request, request_with, row};
use crate::support::database::on_both_databases;
use crate::support::gate::{Tell, gate};
use crate::support::program::files;
use crate::support::server::{RECONCILE, START_TEXT, Setup, TestServer};
use crate::support::until;

const fn at<'a>(date: &'a str, amount: &'a str, description: &'a str) -> Row<'a> {
    Row { date, amount, description }
}

on_both_databases! {
    fn a_reconciliation_is_submitted_polled_and_charged(database) {
        let server = Setup::new().on(&database).start();
        let (_, key) = server.reconciler();
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

    fn the_submitted_dataset_is_gone_once_there_is_a_result(database) {
        let (gate, work) = gate();
        let server = Setup::new().on(&database).engine(work).start();
        let (_, key) = server.reconciler();
        // Random text does not compress, so that what is stored can be looked for byte by byte.
        let descriptions: Vec<String> = (0..40).map(|_| uuid::Uuid::new_v4().to_string()).collect();
        let rows: Vec<Row<'_>> = descriptions.iter().map(|text| at("2026-01-05", "1.00", text)).collect();
        let id = server.submit(&key, request(&rows, &rows));
        assert_eq!(gate.started(), id);
        let job = bookkeeping_suite::domain::ids::JobId(id.clone());
        let part = || server.with_store(async |store| store.reader.payload_part(&job, 0).await.unwrap());
        let stored = part().expect("kept while the job runs");
        assert!(stored.len() > 600, "{}", stored.len());
        gate.tell(Tell::Complete);
        server.ended(&key, &id);
        assert_eq!(part(), None);
        // Not in a free page and not in the write-ahead log either.
        let folder = server.folder();
        server.stop();
        let piece = &stored[stored.len() / 2..stored.len() / 2 + 64];
        for file in files(folder.path()) {
            let bytes = std::fs::read(&file).unwrap();
            assert!(!bytes.windows(piece.len()).any(|window| window == piece), "still in {}", file.display());
        }
    }

    fn a_large_dataset_and_its_large_result_come_through_whole(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person_with(100_000, 0, false);
        let key = server.key(&person, &RECONCILE);
        // Over a megabyte even when compressed: several parts on the way in and out.
        let descriptions: Vec<String> =
            (0..9_000).map(|_| format!("{}{}{}", uuid::Uuid::new_v4(), uuid::Uuid::new_v4(), uuid::Uuid::new_v4())).collect();
        let bank: Vec<Row<'_>> = descriptions.iter().map(|text| at("2026-01-05", "-1.00", text)).collect();
        let book = [at("2026-01-05", "1.00", "the other sign")];
        let id = server.submit(&key, request(&bank, &book));
        let job = server.ended(&key, &id);
        assert_eq!(job["credits_charged"], 9_000);
        let missing = job["result"]["missing_from_books"].as_array().unwrap();
        assert_eq!(missing.len(), 9_000);
        for (row, text) in missing.iter().zip(&descriptions) {
            assert_eq!(row["description"], text.as_str());
        }
        assert_eq!(server.credits(&key), (91_000, 0));
    }
}

#[test]
fn the_state_grows_with_the_job_and_carries_nothing_early() {
    let (gate, work) = gate();
    let server = Setup::new().engine(work).start();
    let (_, key) = server.reconciler();
    let first = server.submit(&key, costing(5));
    assert_eq!(gate.started(), first);
    let second = server.submit(&key, costing(1));
    let queued = server.poll(&key, &second).expect(200);
    assert_eq!(queued, json!({ "reconciliation_id": second, "status": "queued", "created_at": START_TEXT }));
    let processing = server.poll(&key, &first).expect(200);
    assert_eq!(keys(&processing), ["created_at", "progress", "reconciliation_id", "status"]);
    assert_eq!(processing["status"], "processing");
    assert_eq!(keys(&processing["progress"]), ["rows_done", "rows_total"]);
    assert_eq!(processing["progress"]["rows_done"], 0);
    let total = processing["progress"]["rows_total"].as_u64().unwrap();
    assert!(total >= 5, "{total}");
    for rows_done in [2, 5] {
        gate.tell(Tell::Progress(rows_done));
        until("the progress shows", || {
            (server.poll(&key, &first).value()["progress"]["rows_done"] == rows_done).then_some(())
        });
    }
    // Progress never falls.
    gate.tell(Tell::Progress(1));
    server.advance_s(30);
    gate.tell(Tell::Complete);
    assert_eq!(gate.started(), second);
    let done = server.poll(&key, &first).expect(200);
    assert_eq!((&done["created_at"], &done["completed_at"]), (&json!(START_TEXT), &json!("2026-03-10T12:00:30.000Z")));
    gate.tell(Tell::Complete);
    server.ended(&key, &second);
}

#[test]
fn matched_pairs_are_given_only_when_asked_for() {
    let server = TestServer::start();
    let (_, key) = server.reconciler();
    let bank = [at("2026-01-02", "10.00", "ACME 1"), at("2026-01-09", "5.50", "ROPE")];
    let book = [at("2026-01-09", "5.5", "Rope"), at("2026-01-04", "1e1", "Acme")];
    for options in ["{}", r#"{"includeMatched":false}"#] {
        let job = server.reconcile(&key, request_with(&bank, &book, options));
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
    let (_, key) = server.reconciler();
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
    let again = server.reconcile(&key, format!(r#"{{"bank":{},"book":[]}}"#, &text[start..end]));
    assert_eq!(again["result"]["summary"]["missing_from_books_count"], rows.len());
}

#[test]
fn the_date_window_is_the_callers() {
    let server = TestServer::start();
    let (_, key) = server.reconciler();
    let matched = |options: &str, days: u32| {
        let later = format!("2026-01-{:02}", 1 + days);
        let body = request_with(&[at("2026-01-01", "7.00", "A")], &[at(&later, "7.00", "A")], options);
        server.reconcile(&key, body)["result"]["summary"]["matched_count"].clone()
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
    let job = server.reconcile(&key, r#"{"bank":[],"book":[]}"#);
    assert_eq!((&job["status"], &job["credits_charged"]), (&json!("completed"), &json!(0)));
    assert_eq!(job["result"]["verification"]["is_verified"], true);
    // Book rows alone cost nothing either.
    let job = server.reconcile(&key, request(&[], &[row("5.00")]));
    assert_eq!((&job["status"], &job["credits_charged"]), (&json!("completed"), &json!(0)));
    assert_eq!(job["result"]["summary"]["remove_from_books_count"], 1);
}

#[test]
fn a_job_is_seen_by_its_owner_with_the_scope_and_by_the_key_that_made_it() {
    let server = TestServer::start();
    let person = server.person();
    let creator = server.key(&person, &["reconcile:write"]);
    let reader = server.key(&person, &["reconcile:read"]);
    let blind = server.key(&person, &["reconcile:write", "coding:read", "books:read"]);
    let (_, stranger) = server.reconciler();
    let id = server.submit(&creator, costing(1));
    server.ended(&creator, &id);
    let text = server.poll(&creator, &id).text();
    assert_eq!(server.poll(&reader, &id).text(), text);
    server.poll(&blind, &id).refused(403, "forbidden");
    let foreign = server.poll(&stranger, &id).refused(404, "not_found");
    server.client.get(&format!("/api/v1/reconciliations/{id}")).send().refused(401, "unauthorized");
    server.client.get(&format!("/api/v1/reconciliations/{id}")).session(&person).send().refused(401, "unauthorized");
    // Unknown reads the same as foreign; so does anything that cannot be an id.
    let (too_long, longest) = ("r".repeat(65), "r".repeat(64));
    for unknown in [
        "rec_0",
        "x",
        "cod_0",
        "%00",
        "%FF",
        "%2e%2e",
        "rec_%F0%9F%A7%BE",
        &id[..id.len() - 1],
        &longest,
        &too_long,
        &id.to_uppercase(),
    ] {
        assert_eq!(server.poll(&stranger, unknown).refused(404, "not_found"), foreign, "{unknown}");
        assert_eq!(server.poll(&reader, unknown).refused(404, "not_found"), foreign, "{unknown}");
    }
}

#[test]
fn a_revoked_creator_key_polls_no_more_and_the_owner_still_does() {
    let server = TestServer::start();
    let person = server.person();
    let creator = server.key(&person, &["reconcile:write"]);
    let id = server.submit(&creator, costing(1));
    server.ended(&creator, &id);
    server.client.delete(&format!("/api/v1/keys/{}", creator.id)).session(&person).send().expect(200);
    server.poll(&creator, &id).refused(401, "unauthorized");
    let reader = server.key(&person, &["reconcile:read"]);
    server.poll(&reader, &id).expect(200);
}

#[test]
fn results_are_kept_for_the_retention_and_then_gone() {
    let setup = Setup::new();
    let server = setup.clone().start();
    let (_, key) = server.reconciler();
    let id = server.submit(&key, costing(2));
    server.ended(&key, &id);
    server.advance_s(30 * 86_400 - 60);
    server.poll(&key, &id).expect(200);
    // House is kept when the service starts and every few seconds afterwards.
    let folder = server.folder();
    server.stop();
    let server = setup.clone().folder(folder.clone()).start();
    server.poll(&key, &id).expect(200);
    server.advance_s(120);
    server.stop();
    let server = setup.folder(folder).start();
    until("the job is deleted", || (server.poll(&key, &id).status == 404).then_some(()));
    let job = bookkeeping_suite::domain::ids::JobId(id);
    let left = server.with_store(async |store| store.reader.result_part(&job, 0).await.unwrap());
    assert_eq!(left, None);
    // What it cost stays on record (the fixture's `check` compares charges with movements).
    assert_eq!(server.credits(&key), (1_000, 0), "April's allocation");
}

#[test]
fn polling_needs_no_body_and_submitting_is_not_polling() {
    let server = TestServer::start();
    let (_, key) = server.reconciler();
    let id = server.submit(&key, costing(1));
    server.ended(&key, &id);
    server
        .client
        .post(&format!("/api/v1/reconciliations/{id}"))
        .key(&key)
        .json(&Value::Null)
        .send()
        .refused(405, "method_not_allowed");
    server.client.get("/api/v1/reconciliations").key(&key).send().refused(405, "method_not_allowed");
}
