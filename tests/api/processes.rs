//! Two servers on one PostgreSQL database: one truth, seen by both.

use std::collections::BTreeSet;

use bookkeeping_suite::domain::job::Product;
use serde_json::json;

use crate::support::database::Database;
use crate::support::gate::{Tell, gate};
use crate::support::product::{JobProduct as _, for_both_products};
use crate::support::server::{RECONCILE, Setup, TestServer};
use crate::support::socket::open;
use crate::support::until;

/// Two servers with the real engines, or nothing without PostgreSQL.
fn pair() -> Option<(TestServer, TestServer)> {
    pair_of(Product::Reconciliation)
}

/// The same for tests of jobs of this product.
fn pair_of(product: Product) -> Option<(TestServer, TestServer)> {
    let database = Database::postgresql()?;
    Some((Setup::of(product).on(&database).start(), Setup::of(product).on(&database).start()))
}

#[test]
fn a_key_made_or_revoked_in_one_process_is_known_in_the_other() {
    let Some((here, there)) = pair() else { return };
    let (person, key) = here.submitter();
    let me = |server: &TestServer| server.client.get("/api/v1/me").key(&key).send().status;
    until("the key is accepted there", || (me(&there) == 200).then_some(()));
    // The session is signed with a secret both share.
    let path = format!("/api/v1/keys/{}", key.id);
    there.client.delete(&path).session(&person).send().expect(200);
    assert_eq!(me(&there), 401, "at once where it was revoked");
    until("the key is refused here", || (me(&here) == 401).then_some(()));
    here.client.delete(&path).session(&person).send().refused(404, "not_found");
}

#[test]
fn a_key_revoked_elsewhere_right_after_it_was_made_is_refused_here() {
    let Some((here, there)) = pair() else { return };
    let person = here.person();
    // The first key of the installation, and some after it: made here, revoked there before anybody looks around.
    for _ in 0..5 {
        let key = here.key(&person, &RECONCILE);
        there.client.delete(&format!("/api/v1/keys/{}", key.id)).session(&person).send().expect(200);
        until("the key is refused here", || {
            (here.client.get("/api/v1/me").key(&key).send().status == 401).then_some(())
        });
    }
}

#[test]
fn a_membership_made_in_one_process_counts_in_the_other() {
    let Some((here, there)) = pair() else { return };
    let (person, other) = (here.person(), here.person());
    let organisation = here.organisation(&other, "Larkspur");
    let key = there.key(&person, &["books:read"]);
    let path = format!("/api/v1/books/organisations/{organisation}");
    there.client.get(&path).key(&key).send().refused(404, "not_found");
    here.member(organisation, &person, "viewer");
    until("the membership counts there", || (there.client.get(&path).key(&key).send().status == 200).then_some(()));
}

for_both_products! {
    fn credits_spent_in_one_process_are_seen_in_the_other(product) {
        let Some((here, there)) = pair_of(product) else { return };
        let person = here.person_with(10, 0, false);
        let key = here.key(&person, &product.scopes());
        until("the key is accepted there", || {
            (there.client.get("/api/v1/me").key(&key).send().status == 200).then_some(())
        });
        assert_eq!(there.credits(&key), (10, 0));
        let job = here.run(&key, product.costing(4));
        assert_eq!(job["credits_charged"], 4);
        until("the balance is known here", || (here.credits(&key) == (6, 0)).then_some(()));
        until("the balance is known there", || (there.credits(&key) == (6, 0)).then_some(()));
        // What is gone is gone for both, whatever either has heard: 402 or a failed job, never a debt.
        let mut ids = Vec::new();
        for server in [&here, &there, &here, &there] {
            let answer = server.submission(&key, product.costing(4));
            if answer.status != 402 {
                ids.push(server.accepted_id(&answer));
            }
        }
        let charged: i64 = ids.iter().map(|id| here.ended(&key, id)["credits_charged"].as_i64().unwrap_or(0)).sum();
        assert_eq!(charged, 4);
        until("both know the end", || (here.credits(&key) == (2, 0) && there.credits(&key) == (2, 0)).then_some(()));
    }

    fn one_process_runs_a_products_jobs_at_a_time_and_the_other_takes_over(product) {
        let Some(database) = Database::postgresql() else { return };
        let ((mut gate_here, work_here), (mut gate_there, work_there)) = (gate(product), gate(product));
        let here = Setup::of(product).on(&database).engine(work_here).start();
        let there = Setup::of(product).on(&database).engine(work_there).start();
        let (person, key) = there.submitter();
        until("the key is accepted here", || {
            (here.client.get("/api/v1/me").key(&key).send().status == 200).then_some(())
        });
        let first = there.submit(&key, product.costing(2));
        // Whoever got the slot holds the job; the other one leaves the next alone.
        let (holder_is_here, started) = until("one of them starts", || {
            let (by_here, by_there) = (gate_here.started_already(), gate_there.started_already());
            assert!(by_here.is_none() || by_there.is_none(), "both run a job");
            by_here.map(|id| (true, id)).or(by_there.map(|id| (false, id)))
        });
        assert_eq!(started, first);
        let second = if holder_is_here { &there } else { &here }.submit(&key, product.costing(3));
        let (holder, other) = if holder_is_here { (&gate_here, &gate_there) } else { (&gate_there, &gate_here) };
        // A session of one process works in the other, and its socket hears of jobs run elsewhere.
        let (server_holding, server_other) = if holder_is_here { (&here, &there) } else { (&there, &here) };
        let bearer = format!("Bearer {}", person.session);
        let mut socket = open(server_other, "", &[("Authorization", &bearer)]).expect("open");
        for _ in 0..20 {
            assert_eq!(server_other.poll(&key, &first).expect(200)["status"], "processing");
            assert_eq!(server_other.poll(&key, &second).expect(200)["status"], "queued");
        }
        assert_eq!(other.started_already(), None);
        holder.tell(Tell::Complete);
        assert_eq!(server_holding.ended(&key, &first)["credits_charged"], 2);
        gate_here.open();
        gate_there.open();
        assert_eq!(server_other.ended(&key, &second)["credits_charged"], 3);
        assert_eq!(socket.until(&second, "completed").last().unwrap()["status"], "completed");
        socket.close();
        assert_eq!(here.poll(&key, &second).text(), there.poll(&key, &second).text());
    }

    fn jobs_of_both_processes_are_done_in_one_queue(product) {
        let Some((here, there)) = pair_of(product) else { return };
        let (_, key) = here.submitter();
        until("the key is accepted there", || {
            (there.client.get("/api/v1/me").key(&key).send().status == 200).then_some(())
        });
        let ids: BTreeSet<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = [&here, &there, &here, &there]
                .into_iter()
                .map(|server| {
                    scope.spawn(|| (0..5).map(|_| server.submit(&key, product.costing(2))).collect::<Vec<_>>())
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(ids.len(), 20);
        for id in &ids {
            assert_eq!(there.ended(&key, id)["credits_charged"], 2);
        }
        until("the balance is known", || {
            (here.credits(&key) == (960, 0) && there.credits(&key) == (960, 0)).then_some(())
        });
    }

    fn the_bound_of_the_queue_is_for_all_processes_together(product) {
        let Some(database) = Database::postgresql() else { return };
        let (mut gate, work) = gate(product);
        let setup =
            Setup::of(product).on(&database).engine(work).settings(|settings| settings.queue_capacity_jobs = Some(1));
        let (here, there) = (setup.clone().start(), setup.start());
        let (_, key) = here.submitter();
        until("the key is accepted there", || {
            (there.client.get("/api/v1/me").key(&key).send().status == 200).then_some(())
        });
        let mut ids = vec![here.submit(&key, product.costing(1))];
        gate.started();
        ids.push(there.submit(&key, product.costing(1)));
        here.submission(&key, product.costing(1)).refused(503, "busy");
        there.submission(&key, product.costing(1)).refused(503, "busy");
        gate.open();
        for id in &ids {
            here.ended(&key, id);
        }
        // One gate served both engines: they never ran together.
        assert_eq!(gate.running_most(), 1);
    }
}

#[test]
fn the_rate_limit_holds_over_both_processes() {
    let Some(database) = Database::postgresql() else { return };
    let setup = Setup::new().on(&database).rate_limited();
    let (here, there) = (setup.clone().start(), setup.start());
    let (_, key) = here.submitter();
    // Known there as soon as it is refused for another reason than being unknown; 404 counts nothing without a key.
    let mut accepted = 0;
    until("the key is accepted there", || {
        let known = there.client.get("/api/v1/me").key(&key).send().status == 200;
        accepted += u64::from(known);
        known.then_some(())
    });
    let mut refused = 0;
    for turn in 0..300 {
        let server = if turn % 2 == 0 { &here } else { &there };
        let answer = server.client.get("/api/v1/me").key(&key).send();
        match answer.status {
            200 => accepted += 1,
            429 => refused += 1,
            _ => panic!("{answer}"),
        }
        assert_eq!(answer.number("ratelimit-limit"), 120);
        assert!(answer.number("ratelimit-reset") <= 60);
    }
    assert!(accepted <= 120, "{accepted} were accepted");
    assert!(accepted >= 100, "only {accepted} were accepted: permits are lost");
    assert!(refused >= 180);
}

for_both_products! {
    fn a_duplicate_sent_to_the_other_process_is_a_replay(product) {
        let Some((here, there)) = pair_of(product) else { return };
        let (_, key) = here.submitter();
        until("the key is accepted there", || {
            (there.client.get("/api/v1/me").key(&key).send().status == 200).then_some(())
        });
        let submit = |server: &TestServer, round: usize| {
            let request = server.client.post(product.path()).key(&key);
            request.idempotency_key(&format!("round-{round}")).body(product.costing(1)).send()
        };
        for round in 0..5 {
            let answers: Vec<_> = std::thread::scope(|scope| {
                let threads: Vec<_> = [&here, &there, &here, &there]
                    .map(|server| scope.spawn(move || submit(server, round)))
                    .into_iter()
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            let ids: BTreeSet<String> = answers.iter().map(|answer| here.accepted_id(answer)).collect();
            assert_eq!(ids.len(), 1, "{ids:?}");
            let first = answers.iter().filter(|answer| answer.header("idempotency-replayed").is_none()).count();
            assert_eq!(first, 1);
            there.ended(&key, ids.first().unwrap());
        }
        until("five were charged", || (here.credits(&key) == (995, 0)).then_some(()));
    }
}

#[test]
fn a_person_registered_here_logs_in_there() {
    let Some(database) = Database::postgresql() else { return };
    let open = || Setup::new().on(&database).settings(|settings| settings.open_registration = Some(true)).start();
    let (here, there) = (open(), open());
    let body = json!({ "email": "ada@example.com", "password": "correct horse battery", "name": "Ada" });
    here.client.post("/app/v1/register").json(&body).send().expect(201);
    there.client.post("/app/v1/register").json(&body).send().refused(409, "conflict");
    let body = json!({ "email": "ada@example.com", "password": "correct horse battery" });
    let session = there.client.post("/app/v1/login").json(&body).send().expect(200);
    let token = session["access_token"].as_str().unwrap();
    here.client.get("/api/v1/keys").bearer(token).send().expect(200);
}
