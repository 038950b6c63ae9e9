//! `Idempotency-Key` on submissions: the first answer again, one job, one charge.

use bookkeeping_suite::domain::job::Product;

use crate::support::client::Answer;
use crate::support::gate::{Tell, gate};
use crate::support::product::{JobProduct as _, everywhere, for_both_products};
use crate::support::server::{ApiKey, Setup, TestServer};
use crate::support::until;

fn submit(server: &TestServer, key: &ApiKey, idempotency_key: &str, body: &str) -> Answer {
    server.client.post(server.product().path()).key(key).idempotency_key(idempotency_key).body(body).send()
}

fn is_replay(answer: &Answer) -> bool {
    answer.header("idempotency-replayed") == Some("true")
}

fn id(answer: &Answer) -> String {
    let accepted = answer.expect(202);
    accepted["poll_url"].as_str().and_then(|path| path.rsplit('/').next()).expect("an id").to_owned()
}

everywhere! {
    fn the_same_key_and_body_give_the_first_answer_again(database, product) {
        let server = Setup::of(product).on(&database).start();
        let person = server.person_with(2, 0, false);
        let key = server.key(&person, &product.scopes());
        let first = submit(&server, &key, "once", &product.costing(2));
        assert!(!is_replay(&first));
        // While it may still run, after it ended, and although another one could no longer be paid for.
        let second = submit(&server, &key, "once", &product.costing(2));
        server.ended(&key, &id(&first));
        let third = submit(&server, &key, "once", &product.costing(2));
        // Another key of the same person: the scope is the owner.
        let other = server.key(&person, &product.scopes());
        let fourth = submit(&server, &other, "once", &product.costing(2));
        for replay in [second, third, fourth] {
            assert!(is_replay(&replay), "{replay}");
            assert_eq!((replay.status, &replay.body), (first.status, &first.body));
            assert_ne!(replay.header("x-request-id"), first.header("x-request-id"));
        }
        assert_eq!(server.credits(&key), (0, 0));
        submit(&server, &key, "twice", &product.costing(2)).refused(402, "insufficient_credits");
    }

    fn the_same_key_with_another_body_is_refused(database, product) {
        let server = Setup::of(product).on(&database).start();
        let (_, key) = server.submitter();
        let first = submit(&server, &key, "k", &product.costing(1));
        let details = submit(&server, &key, "k", &product.costing(2)).details(422, "unprocessable_entity");
        assert_eq!(details["reason"], "idempotency_key_reused");
        // The bytes are compared, not what they mean.
        let spaced = product.costing(1).replace(',', ", ");
        submit(&server, &key, "k", &spaced).refused(422, "unprocessable_entity");
        server.ended(&key, &id(&first));
        assert_eq!(server.credits(&key), (999, 0));
    }

    fn parallel_duplicates_make_one_job(database, product) {
        let server = Setup::of(product).on(&database).start();
        let (_, key) = server.submitter();
        let body = product.costing(3);
        for round in 0..5 {
            let name = format!("round-{round}");
            let answers: Vec<Answer> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| submit(&server, &key, &name, &body))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            let ids: std::collections::BTreeSet<String> = answers.iter().map(id).collect();
            assert_eq!(ids.len(), 1, "{ids:?}");
            assert_eq!(answers.iter().filter(|answer| !is_replay(answer)).count(), 1);
            server.ended(&key, ids.first().unwrap());
            assert_eq!(server.credits(&key), (1_000 - 3 * (round + 1), 0));
        }
    }

    fn two_people_may_use_the_same_key(database, product) {
        let server = Setup::of(product).on(&database).start();
        let ((_, first), (_, second)) = (server.submitter(), server.submitter());
        let of_first = submit(&server, &first, "same", &product.costing(1));
        let of_second = submit(&server, &second, "same", &product.costing(1));
        assert!(!is_replay(&of_second));
        assert_ne!(id(&of_first), id(&of_second));
        server.ended(&first, &id(&of_first));
        server.ended(&second, &id(&of_second));
    }
}

for_both_products! {
    fn refusals_are_not_kept_so_a_retry_runs_again(product) {
        let (mut gate, work) = gate(product);
        let server = Setup::of(product).engine(work).settings(|with| with.queue_capacity_jobs = Some(1)).start();
        let (_, key) = server.submitter();
        submit(&server, &key, "k", "{}").refused(422, product.format_code());
        submit(&server, &key, "k", &product.costing(1_001)).refused(402, "insufficient_credits");
        let running = submit(&server, &key, "running", &product.costing(1));
        gate.started();
        let waiting = submit(&server, &key, "waiting", &product.costing(1));
        submit(&server, &key, "k", &product.costing(1)).refused(503, "busy");
        // A replay is refused like any other while the queue is full, and takes no place in it.
        submit(&server, &key, "waiting", &product.costing(1)).refused(503, "busy");
        gate.tell(Tell::Complete);
        assert_eq!(gate.started(), id(&waiting));
        assert!(is_replay(&submit(&server, &key, "waiting", &product.costing(1))));
        gate.open();
        server.ended(&key, &id(&running));
        server.ended(&key, &id(&waiting));
        let retried = submit(&server, &key, "k", &product.costing(1));
        assert!(!is_replay(&retried));
        server.ended(&key, &id(&retried));
        assert_eq!(server.credits(&key), (997, 0));
    }

    fn a_replay_is_refused_to_whom_the_first_would_be_refused(product) {
        let server = TestServer::start_of(product);
        let person = server.person();
        let key = server.key(&person, &product.scopes());
        let reader = server.key(&person, &product.scopes()[..1]);
        let first = submit(&server, &key, "k", &product.costing(1));
        submit(&server, &reader, "k", &product.costing(1)).refused(403, "forbidden");
        server
            .client
            .post(product.path())
            .idempotency_key("k")
            .body(product.costing(1))
            .send()
            .refused(401, "unauthorized");
        server.ended(&key, &id(&first));
    }

    fn a_key_is_another_for_another_product(product) {
        let server = TestServer::start_of(product);
        let person = server.person();
        let first = submit(&server, &server.key(&person, &product.scopes()), "k", &product.costing(1));
        for other in Product::ALL.into_iter().filter(|other| *other != product) {
            let key = server.key(&person, &other.scopes());
            let request = server.client.post(other.path()).key(&key).idempotency_key("k");
            let answer = request.body(other.costing(1)).send();
            answer.expect(202);
            assert!(!is_replay(&answer));
        }
        assert!(!is_replay(&first));
    }

    fn a_key_is_forgotten_after_a_day(product) {
        let server = TestServer::start_of(product);
        let (_, key) = server.submitter();
        let first = submit(&server, &key, "k", &product.costing(1));
        server.ended(&key, &id(&first));
        server.advance_s(24 * 3_600 - 1);
        assert!(is_replay(&submit(&server, &key, "k", &product.costing(1))));
        server.advance_s(2);
        let second = submit(&server, &key, "k", &product.costing(2));
        assert!(!is_replay(&second));
        assert_ne!(id(&first), id(&second));
        server.ended(&key, &id(&second));
        // The newer body is the one that counts from now on.
        assert!(is_replay(&submit(&server, &key, "k", &product.costing(2))));
    }

    fn a_key_that_is_no_short_printable_text_is_refused(product) {
        let server = TestServer::start_of(product);
        let (_, key) = server.submitter();
        let (longest, too_long) = ("k".repeat(128), "k".repeat(129));
        for bad in ["", &too_long] {
            let answer = submit(&server, &key, bad, &product.costing(1));
            answer.issue_paths();
        }
        let two = server
            .client
            .post(product.path())
            .key(&key)
            .idempotency_key("a")
            .idempotency_key("b")
            .body(product.costing(1))
            .send();
        assert_eq!(two.status, 400, "two different keys say nothing: {two}");
        for good in [longest.as_str(), "!", "with spaces ~ and \"quotes\""] {
            let answer = submit(&server, &key, good, &product.costing(1));
            server.ended(&key, &id(&answer));
            assert!(is_replay(&submit(&server, &key, good, &product.costing(1))), "{good}");
        }
    }

    fn a_replay_outlives_the_server(product) {
        let setup = Setup::of(product);
        let server = setup.clone().start();
        let (_, key) = server.submitter();
        let first = submit(&server, &key, "k", &product.costing(1));
        server.ended(&key, &id(&first));
        let folder = server.folder();
        server.stop();
        let server = setup.folder(folder).start();
        let again = until("the key is known", || {
            let answer = submit(&server, &key, "k", &product.costing(1));
            (answer.status == 202).then_some(answer)
        });
        assert!(is_replay(&again));
        assert_eq!(again.body, first.body);
        assert_eq!(server.credits(&key), (999, 0));
    }
}
