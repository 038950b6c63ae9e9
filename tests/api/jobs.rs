//! The queue and the engine behind it, for both products: one job at a time in order, a bound, a deadline, and failures
//! that charge nothing.

use serde_json::{Value, json};

use crate::support::client::{Answer, keys};
use crate::support::gate::{Tell, gate};
use crate::support::product::{JobProduct as _, everywhere, for_both_products};
use crate::support::server::Setup;
use crate::support::until;

/// The code and the details of a failed job.
fn reason(failed: &Value) -> (Value, Value) {
    (failed["error"]["code"].clone(), failed["error"]["details"].clone())
}

everywhere! {
    fn jobs_run_one_at_a_time_in_the_order_of_submission(database, product) {
        let (gate, work) = gate(product);
        let server = Setup::of(product).on(&database).engine(work).start();
        // Of one person: several take turns.
        let (person, first) = server.submitter();
        let second = server.key(&person, &product.scopes());
        let submitted: Vec<String> =
            (0..6).map(|n| server.submit(if n % 3 == 1 { &second } else { &first }, product.costing(1))).collect();
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

    fn a_full_queue_answers_busy_and_writes_nothing(database, product) {
        let (mut gate, work) = gate(product);
        let server =
            Setup::of(product).on(&database).engine(work).settings(|with| with.queue_capacity_jobs = Some(2)).start();
        let person = server.person_with(10, 0, false);
        let key = server.key(&person, &product.scopes());
        let mut accepted = vec![server.submit(&key, product.costing(1))];
        gate.started();
        // The running one does not count.
        accepted.push(server.submit(&key, product.costing(1)));
        accepted.push(server.submit(&key, product.costing(1)));
        for _ in 0..3 {
            let answer = server.submission(&key, product.costing(1));
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
        server.run(&key, product.costing(1));
    }

    fn a_run_that_panics_fails_its_job_alone(database, product) {
        let (gate, work) = gate(product);
        let server = Setup::of(product).on(&database).engine(work).panics(1).start();
        let (_, key) = server.submitter();
        let (first, second) = (server.submit(&key, product.costing(2)), server.submit(&key, product.costing(3)));
        assert_eq!(gate.started(), first);
        gate.tell(Tell::Panic);
        assert_eq!(gate.started(), second);
        let failed = server.poll(&key, &first).expect(200);
        assert_eq!(keys(&failed), product.state_keys(&["completed_at", "error"]));
        assert_eq!(failed["status"], "failed");
        assert_eq!(reason(&failed), product.failure("engine_failed"));
        assert!(!failed.to_string().contains("told to panic"), "{failed}");
        gate.tell(Tell::Complete);
        assert_eq!(server.ended(&key, &second)["credits_charged"], 3);
        assert_eq!(server.credits(&key), (997, 0));
    }
}

everywhere! {
    fn nothing_of_a_submission_is_left_however_it_ends(database, product) {
        let (gate, work) = gate(product);
        let server = Setup::of(product)
            .on(&database)
            .engine(work)
            .panics(1)
            .settings(|settings| settings.queue_capacity_jobs = Some(2))
            .start();
        let person = server.person_with(50_000, 0, false);
        let key = server.key(&person, &product.scopes());
        // Large enough to be written in several parts ahead of the job itself.
        let unique = || uuid::Uuid::new_v4().simple().to_string();
        let texts: Vec<String> = (0..16_000).map(|_| (0..6).map(|_| unique()).collect()).collect();
        let large = product.describing(&texts);
        let submit = |name: &str| {
            let request = server.client.post(product.path()).key(&key);
            request.idempotency_key(name).body(large.clone()).send()
        };
        let id = |answer: &Answer| server.accepted_id(answer);

        let first = submit("first");
        gate.started();
        let parts = server.rows_of("job_payload");
        assert!(parts >= 2, "{parts} parts: the body is too small for what is tested");
        // Duplicates at once, one of which is accepted.
        let answers: Vec<Answer> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| submit("second"))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|answer| id(answer) == id(&answers[0])), "{answers:?}");
        let other_body = server.client.post(product.path()).key(&key).idempotency_key("second");
        other_body.body(large.replacen("1.00", "2.00", 1)).send().refused(422, "unprocessable_entity");
        // Then the queue is full.
        let filler = server.submit(&key, product.costing(1));
        submit("third").refused(503, "busy");
        assert_eq!(server.rows_of("job_payload"), 2 * parts + 1, "parts of what was refused are left");

        gate.tell(Tell::Panic);
        gate.started();
        assert_eq!(server.poll(&key, &id(&first)).expect(200)["status"], "failed");
        assert_eq!(server.rows_of("job_payload"), parts + 1);
        gate.tell(Tell::Fail);
        assert_eq!(server.ended(&key, &id(&answers[0]))["status"], "failed");
        gate.started();
        assert_eq!((server.rows_of("job_payload"), server.rows_of("job_result")), (1, 0));
        gate.tell(Tell::Complete);
        server.ended(&key, &filler);
        let third = submit("third");
        gate.started();
        gate.tell(Tell::Complete);
        server.ended(&key, &id(&third));
        assert_eq!((server.rows_of("job_payload"), server.rows_of("job_result")), (0, 2));
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
        assert_eq!((server.rows_of("job_payload"), server.rows_of("job_result")), (0, 4));
    }

    fn nothing_is_kept_of_a_job_that_could_not_be_paid_for(database, product) {
        let (mut gate, work) = gate(product);
        let server = Setup::of(product).on(&database).engine(work).start();
        let person = server.person_with(3, 0, false);
        let key = server.key(&person, &product.scopes());
        // While another person's job runs, nothing is reserved.
        let (_, other) = server.submitter();
        let before = server.submit(&other, product.costing(1));
        gate.started();
        let first = server.submit(&key, product.costing(2));
        let second = server.submit(&key, product.costing(2));
        gate.open();
        server.ended(&other, &before);
        assert_eq!(server.ended(&key, &first)["status"], "completed");
        assert_eq!(server.ended(&key, &second)["error"]["code"], product.unpaid(2, 1).0);
        assert_eq!((server.rows_of("job_payload"), server.rows_of("job_result")), (0, 2));
    }
}

for_both_products! {
    fn an_engine_error_fails_the_job_and_charges_nothing(product) {
        let (gate, work) = gate(product);
        let server = Setup::of(product).engine(work).start();
        let (_, key) = server.submitter();
        let id = server.submit(&key, product.costing(2));
        gate.started();
        gate.tell(Tell::Fail);
        let failed = server.ended(&key, &id);
        assert_eq!(reason(&failed), product.failure("engine_failed"));
        assert!(!failed.to_string().contains("told to fail"), "what went wrong inside stays inside: {failed}");
        assert_eq!(server.credits(&key), (1_000, 0));
    }

    fn a_run_over_its_deadline_fails_and_the_next_job_runs(product) {
        let (gate, work) = gate(product);
        let server = Setup::of(product).engine(work).settings(|settings| settings.job_deadline_s = Some(1)).start();
        let (_, key) = server.submitter();
        let id = server.submit(&key, product.costing(2));
        gate.started();
        let failed = server.ended(&key, &id);
        assert_eq!(failed["status"], "failed");
        assert_eq!(reason(&failed), product.failure("deadline_exceeded"));
        let next = server.submit(&key, product.costing(3));
        assert_eq!(gate.started(), next);
        gate.tell(Tell::Complete);
        assert_eq!(server.ended(&key, &next)["credits_charged"], 3);
        assert_eq!(server.credits(&key), (997, 0));
    }

    fn a_run_that_ignores_its_deadline_is_given_up_and_charges_nothing_when_it_ends_after_all(product) {
        let (gate, work) = gate(product);
        let server = Setup::of(product).engine(work).settings(|settings| settings.job_deadline_s = Some(1)).start();
        let (_, key) = server.submitter();
        let id = server.submit(&key, product.costing(2));
        gate.started();
        gate.tell(Tell::IgnoreCancellation);
        let failed = server.ended(&key, &id);
        assert_eq!(reason(&failed), product.failure("deadline_exceeded"));
        let abandoned = until("the lost thread is counted", || {
            let metrics = server.operators().get("/metrics").send_plain().text();
            metrics.lines().find(|line| line.starts_with("blocking_threads_abandoned")).map(str::to_owned)
        });
        assert!(abandoned.ends_with(" 1"), "{abandoned}");
        // The lost run ends late and well: nobody wants to know.
        gate.tell(Tell::Complete);
        until("the lost run ends", || (gate.running() == 0).then_some(()));
        assert_eq!(server.poll(&key, &id).expect(200)["status"], "failed");
        let next = server.submit(&key, product.costing(3));
        assert_eq!(gate.started(), next);
        gate.tell(Tell::Complete);
        assert_eq!(server.ended(&key, &next)["credits_charged"], 3);
        assert_eq!(server.credits(&key), (997, 0));
    }

    fn what_happens_to_jobs_is_seen_by_operators_without_naming_anybody(product) {
        let (gate, work) = gate(product);
        let server = Setup::of(product).engine(work).start();
        let (person, key) = server.submitter();
        let first = server.submit(&key, product.costing(4));
        gate.started();
        let second = server.submit(&key, product.costing(1));
        gate.tell(Tell::Progress(2));
        let engine = |wanted: &dyn Fn(&serde_json::Value) -> bool| {
            until("the engine's row shows it", || {
                let actors = server.operators().get("/actors").send_plain().value();
                let rows = actors.as_array().cloned().unwrap_or_default();
                rows.into_iter().find(|row| row["name"] == product.actor()).filter(|row| wanted(row))
            })
        };
        let row = engine(&|row| row["queue_depth"] == 1 && row["rows_done"] == 2);
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
        engine(&|row| row["queue_depth"] == 0 && row["state"] == "running");
        let metrics = server.operators().get("/metrics").send_plain().text();
        let completed = format!(r#"jobs_total{{product="{}",status="completed"}} 2"#, product.as_str());
        assert!(metrics.lines().any(|line| line == completed), "{metrics}");
        for secret in [person.email.as_str(), &key.prefix, &first, &key.plaintext] {
            assert!(!metrics.contains(secret), "{secret}");
        }
    }
}
