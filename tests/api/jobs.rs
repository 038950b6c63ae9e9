//! The queue and the engine behind it: one job at a time in order, a bound, a deadline, and failures that charge nothing.

use serde_json::json;

use crate::support::client::{Answer, keys};
use crate::support::data::{Row, costing, request, row};
use crate::support::database::on_both_databases;
use crate::support::gate::{Tell, gate};
use crate::support::server::{RECONCILE, Setup};
use crate::support::until;

on_both_databases! {
    fn jobs_run_one_at_a_time_in_the_order_of_submission(database) {
        let (gate, work) = gate();
        let server = Setup::new().on(&database).engine(work).start();
        let ((_, first), (_, second)) = (server.reconciler(), server.reconciler());
        let submitted: Vec<String> =
            (0..6).map(|n| server.submit(if n % 3 == 1 { &second } else { &first }, costing(1))).collect();
        for (n, id) in submitted.iter().enumerate() {
            assert_eq!(&gate.started(), id);
            assert_eq!(gate.started_already(), None);
            for (other, id) in submitted.iter().enumerate() {
                let key = if other % 3 == 1 { &second } else { &first };
                let status = server.poll(key, id).expect(200)["status"].clone();
                if other == n {
                    assert_eq!(status, "processing");
                } else if other > n {
                    assert_eq!(status, "queued");
                }
            }
            gate.tell(Tell::Complete);
        }
        for (n, id) in submitted.iter().enumerate() {
            server.ended(if n % 3 == 1 { &second } else { &first }, id);
        }
        assert_eq!(gate.running_most(), 1);
    }

    fn a_full_queue_answers_busy_and_writes_nothing(database) {
        let (mut gate, work) = gate();
        let server =
            Setup::new().on(&database).engine(work).settings(|settings| settings.queue_capacity_jobs = Some(2)).start();
        let person = server.person_with(10, 0, false);
        let key = server.key(&person, &RECONCILE);
        let mut accepted = vec![server.submit(&key, costing(1))];
        gate.started();
        // The running one does not count.
        accepted.push(server.submit(&key, costing(1)));
        accepted.push(server.submit(&key, costing(1)));
        for _ in 0..3 {
            let answer = server.submission(&key, costing(1));
            answer.refused(503, "busy");
            assert!(answer.number("retry-after") >= 1);
            assert_eq!(answer.number("ratelimit-limit"), 1_000_000, "{answer}");
        }
        let open = server.with_store(async |store| {
            store.reader.open_jobs(bookkeeping_suite::domain::ids::UserId(person.user_id)).await.unwrap().len()
        });
        assert_eq!(open, 3);
        gate.open();
        for id in &accepted {
            server.ended(&key, id);
        }
        assert_eq!(server.credits(&key), (7, 0));
        server.reconcile(&key, costing(1));
    }

    fn a_run_that_panics_fails_its_job_alone(database) {
        let (gate, work) = gate();
        let server = Setup::new().on(&database).engine(work).panics(1).start();
        let (_, key) = server.reconciler();
        let (first, second) = (server.submit(&key, costing(2)), server.submit(&key, costing(3)));
        assert_eq!(gate.started(), first);
        gate.tell(Tell::Panic);
        assert_eq!(gate.started(), second);
        let failed = server.poll(&key, &first).expect(200);
        assert_eq!(keys(&failed), ["completed_at", "created_at", "error", "reconciliation_id", "status"]);
        assert_eq!(failed["status"], "failed");
        assert_eq!(failed["error"]["code"], "internal_error");
        assert_eq!(failed["error"]["details"], json!({ "reason": "engine_failed" }));
        assert!(!failed.to_string().contains("told to panic"), "{failed}");
        gate.tell(Tell::Complete);
        assert_eq!(server.ended(&key, &second)["credits_charged"], 3);
        assert_eq!(server.credits(&key), (997, 0));
    }
}

on_both_databases! {
    fn nothing_of_a_submission_is_left_however_it_ends(database) {
        let (gate, work) = gate();
        let server = Setup::new()
            .on(&database)
            .engine(work)
            .panics(1)
            .settings(|settings| settings.queue_capacity_jobs = Some(1))
            .start();
        let person = server.person_with(50_000, 0, false);
        let key = server.key(&person, &RECONCILE);
        // Large enough to be written in several parts ahead of the job itself.
        let unique = || uuid::Uuid::new_v4().simple().to_string();
        let texts: Vec<String> = (0..16_000).map(|_| (0..6).map(|_| unique()).collect()).collect();
        let rows: Vec<Row<'_>> = texts.iter().map(|text| Row { description: text, ..row("1.00") }).collect();
        let large = request(&rows, &[]);
        let submit = |name: &str| {
            let request = server.client.post("/api/v1/reconciliations").key(&key);
            request.idempotency_key(name).body(large.clone()).send()
        };
        let id = |answer: &Answer| answer.expect(202)["reconciliation_id"].as_str().unwrap().to_owned();

        let first = submit("first");
        gate.started();
        let parts = server.rows_of("job_payload");
        assert!(parts >= 2, "{parts} parts: the body is too small for what is tested");
        // Duplicates at once, one of which is accepted; then the queue is full.
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| submit("second"))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|answer| id(answer) == id(&answers[0])), "{answers:?}");
        submit("third").refused(503, "busy");
        let other_body = server.client.post("/api/v1/reconciliations").key(&key).idempotency_key("second");
        other_body.body(large.replacen("1.00", "2.00", 1)).send().refused(422, "unprocessable_entity");
        assert_eq!(server.rows_of("job_payload"), 2 * parts, "parts of what was refused are left");

        gate.tell(Tell::Panic);
        gate.started();
        assert_eq!(server.poll(&key, &id(&first)).expect(200)["status"], "failed");
        assert_eq!(server.rows_of("job_payload"), parts);
        gate.tell(Tell::Fail);
        assert_eq!(server.ended(&key, &id(&answers[0]))["status"], "failed");
        assert_eq!((server.rows_of("job_payload"), server.rows_of("job_result")), (0, 0));
        let third = submit("third");
        gate.started();
        gate.tell(Tell::Complete);
        server.ended(&key, &id(&third));
        assert_eq!((server.rows_of("job_payload"), server.rows_of("job_result")), (0, 1));
        // Two more use up what is left.
        let fourth = submit("fourth");
        gate.started();
        let fifth = submit("fifth");
        gate.tell(Tell::Complete);
        gate.started();
        gate.tell(Tell::Complete);
        assert_eq!(server.ended(&key, &id(&fourth))["status"], "completed");
        assert_eq!(server.ended(&key, &id(&fifth))["status"], "completed");
        submit("sixth").refused(402, "insufficient_credits");
        assert_eq!((server.rows_of("job_payload"), server.rows_of("job_result")), (0, 3));
    }

    fn a_result_that_could_not_be_paid_for_is_not_kept(database) {
        let (mut gate, work) = gate();
        let server = Setup::new().on(&database).engine(work).start();
        let person = server.person_with(3, 0, false);
        let key = server.key(&person, &RECONCILE);
        let first = server.submit(&key, costing(2));
        gate.started();
        let second = server.submit(&key, costing(2));
        gate.open();
        assert_eq!(server.ended(&key, &first)["status"], "completed");
        assert_eq!(server.ended(&key, &second)["error"]["code"], "insufficient_credits");
        assert_eq!((server.rows_of("job_payload"), server.rows_of("job_result")), (0, 1));
    }
}

#[test]
fn an_engine_error_fails_the_job_and_charges_nothing() {
    let (gate, work) = gate();
    let server = Setup::new().engine(work).start();
    let (_, key) = server.reconciler();
    let id = server.submit(&key, costing(2));
    gate.started();
    gate.tell(Tell::Fail);
    let failed = server.ended(&key, &id);
    assert_eq!(failed["error"]["code"], "internal_error");
    assert_eq!(failed["error"]["details"]["reason"], "engine_failed");
    assert!(!failed.to_string().contains("told to fail"), "what went wrong inside stays inside: {failed}");
    assert_eq!(server.credits(&key), (1_000, 0));
}

#[test]
fn a_run_over_its_deadline_fails_and_the_next_job_runs() {
    let (gate, work) = gate();
    let server = Setup::new().engine(work).settings(|settings| settings.job_deadline_s = Some(1)).start();
    let (_, key) = server.reconciler();
    let id = server.submit(&key, costing(2));
    gate.started();
    let failed = server.ended(&key, &id);
    assert_eq!(failed["status"], "failed");
    assert_eq!(failed["error"]["code"], "internal_error");
    assert_eq!(failed["error"]["details"], json!({ "reason": "deadline_exceeded" }));
    let next = server.submit(&key, costing(3));
    assert_eq!(gate.started(), next);
    gate.tell(Tell::Complete);
    assert_eq!(server.ended(&key, &next)["credits_charged"], 3);
    assert_eq!(server.credits(&key), (997, 0));
}

#[test]
fn a_run_that_ignores_its_deadline_is_given_up_and_charges_nothing_when_it_ends_after_all() {
    let (gate, work) = gate();
    let server = Setup::new().engine(work).settings(|settings| settings.job_deadline_s = Some(1)).start();
    let (_, key) = server.reconciler();
    let id = server.submit(&key, costing(2));
    gate.started();
    gate.tell(Tell::IgnoreCancellation);
    let failed = server.ended(&key, &id);
    assert_eq!(failed["error"]["details"], json!({ "reason": "deadline_exceeded" }));
    let abandoned = until("the lost thread is counted", || {
        let metrics = server.operators().get("/metrics").send_plain().text();
        metrics.lines().find(|line| line.starts_with("blocking_threads_abandoned")).map(str::to_owned)
    });
    assert!(abandoned.ends_with(" 1"), "{abandoned}");
    // The lost run ends late and well: nobody wants to know.
    gate.tell(Tell::Complete);
    until("the lost run ends", || (gate.running() == 0).then_some(()));
    assert_eq!(server.poll(&key, &id).expect(200)["status"], "failed");
    let next = server.submit(&key, costing(3));
    assert_eq!(gate.started(), next);
    gate.tell(Tell::Complete);
    assert_eq!(server.ended(&key, &next)["credits_charged"], 3);
    assert_eq!(server.credits(&key), (997, 0));
}

#[test]
fn what_happens_to_jobs_is_seen_by_operators_without_naming_anybody() {
    let (gate, work) = gate();
    let server = Setup::new().engine(work).start();
    let (person, key) = server.reconciler();
    let first = server.submit(&key, costing(4));
    gate.started();
    let second = server.submit(&key, costing(1));
    gate.tell(Tell::Progress(2));
    let recon = |wanted: &dyn Fn(&serde_json::Value) -> bool| {
        until("the engine's row shows it", || {
            let actors = server.operators().get("/actors").send_plain().value();
            let rows = actors.as_array().cloned().or_else(|| actors["actors"].as_array().cloned()).unwrap_or_default();
            rows.into_iter().find(|row| row["name"] == "recon").filter(|row| wanted(row))
        })
    };
    let row = recon(&|row| row["queue_depth"] == 1 && row["rows_done"] == 2);
    for name in [
        "name",
        "state",
        "generation",
        "rows_done",
        "rows_total",
        "queue_depth",
        "queue_capacity",
        "handled",
        "failed",
        "panics",
        "timeouts",
        "restarts",
        "rejected",
        "busy_for_ms",
        "last_progress_ms_ago",
        "p50_us",
        "p99_us",
    ] {
        assert!(row.get(name).is_some(), "{name} is missing: {row}");
    }
    assert_eq!((&row["state"], &row["queue_capacity"]), (&json!("busy"), &json!(100)));
    gate.tell(Tell::Complete);
    gate.tell(Tell::Complete);
    server.ended(&key, &first);
    server.ended(&key, &second);
    recon(&|row| row["queue_depth"] == 0 && row["state"] == "running");
    let metrics = server.operators().get("/metrics").send_plain().text();
    let completed =
        |line: &&str| line.starts_with("jobs_total{") && line.contains("reconciliation") && line.contains("completed");
    assert!(metrics.lines().find(completed).is_some_and(|line| line.ends_with(" 2")), "{metrics}");
    for secret in [person.email.as_str(), &key.prefix, &first, &key.plaintext] {
        assert!(!metrics.contains(secret), "{secret}");
    }
}
