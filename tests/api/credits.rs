//! What jobs cost, who may pay how, and that nothing is ever charged twice.

use bookkeeping_suite::domain::job::Product;
use serde_json::json;

use crate::support::client::keys;
use crate::support::data::costing;
use crate::support::gate::{Tell, gate};
use crate::support::product::{JobProduct as _, everywhere, for_both_products};
use crate::support::server::{RECONCILE, Setup, TestServer};

everywhere! {
    fn monthly_credits_go_first_then_bonus(database, product) {
        let server = Setup::of(product).on(&database).start();
        let person = server.person_with(5, 4, false);
        let key = server.key(&person, &product.scopes());
        server.run(&key, product.costing(3));
        assert_eq!(server.credits(&key), (2, 4));
        server.run(&key, product.costing(3));
        assert_eq!(server.credits(&key), (0, 3));
        server.run(&key, product.costing(3));
        assert_eq!(server.credits(&key), (0, 0));
        let details = server.submission(&key, product.costing(1)).details(402, "insufficient_credits");
        assert_eq!(details, json!({ "required": 1, "available": 0 }));
    }

    fn an_unaffordable_request_is_refused_at_once_with_the_figures(database, product) {
        let server = Setup::of(product).on(&database).start();
        let person = server.person_with(3, 2, false);
        let key = server.key(&person, &product.scopes());
        let details = server.submission(&key, product.costing(6)).details(402, "insufficient_credits");
        assert_eq!(details, json!({ "required": 6, "available": 5 }));
        assert_eq!(server.credits(&key), (3, 2));
        // Exactly enough is enough.
        let job = server.run(&key, product.costing(5));
        assert_eq!((&job["status"], &job["credits_charged"]), (&json!("completed"), &json!(5)));
        assert_eq!(server.credits(&key), (0, 0));
    }

    fn credits_that_are_gone_when_a_job_is_to_begin_fail_it_and_charge_nothing(database, product) {
        let (mut gate, work) = gate(product);
        let server = Setup::of(product).on(&database).engine(work).start();
        let person = server.person_with(2, 1, false);
        let key = server.key(&person, &product.scopes());
        // While another person's job runs, nothing is reserved.
        let (_, other) = server.submitter();
        server.submit(&other, product.costing(1));
        gate.started();
        let first = server.submit(&key, product.costing(2));
        let second = server.submit(&key, product.costing(3));
        gate.open();
        assert_eq!(server.ended(&key, &first)["credits_charged"], 2);
        let failed = server.ended(&key, &second);
        assert_eq!(keys(&failed), product.state_keys(&["completed_at", "error"]));
        assert_eq!(failed["status"], "failed");
        assert_eq!(keys(&failed["error"]), ["code", "details", "message"]);
        assert_eq!((failed["error"]["code"].clone(), failed["error"]["details"].clone()), product.unpaid(3, 1));
        assert_eq!(server.credits(&key), (0, 1));
    }

    fn twenty_jobs_on_credits_for_two_are_paid_exactly_twice(database, product) {
        let server = Setup::of(product).on(&database).start();
        let person = server.person_with(4, 2, false);
        let key = server.key(&person, &product.scopes());
        let answers: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..20).map(|_| scope.spawn(|| server.submission(&key, product.costing(3)))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut paid = 0;
        for answer in answers {
            if answer.status == 402 {
                answer.refused(402, "insufficient_credits");
                continue;
            }
            let id = server.accepted_id(&answer);
            let job = server.ended(&key, &id);
            if job["status"] == "completed" {
                assert_eq!(job["credits_charged"], 3);
                paid += 1;
            } else {
                assert_eq!(job["error"]["code"], product.unpaid(3, 0).0, "{job}");
            }
        }
        assert_eq!(paid, 2);
        assert_eq!(server.credits(&key), (0, 0));
    }

    fn overage_is_drawn_only_when_key_request_and_subscription_allow_it(database, product) {
        let server = Setup::of(product).on(&database).start();
        for case in 0..8 {
            let (subscription, of_key, of_request) = (case & 1 != 0, case & 2 != 0, case & 4 != 0);
            let person = server.person_with(2, 1, subscription);
            let request = json!({ "name": "n", "scopes": product.scopes(), "allow_overage": of_key });
            let key = server.key_with(&person, &request);
            let body = if of_request { product.costing_with_overage(5) } else { product.costing(5) };
            let answer = server.submission(&key, body);
            if subscription && of_key && of_request {
                let id = server.accepted_id(&answer);
                assert_eq!(server.ended(&key, &id)["credits_charged"], 5);
                // What there was is used up first, and nothing goes below zero.
                assert_eq!(server.credits(&key), (0, 0));
            } else {
                let details = answer.details(402, "insufficient_credits");
                assert_eq!(details, json!({ "required": 5, "available": 3 }), "case {case}");
                assert_eq!(server.credits(&key), (2, 1));
            }
        }
    }
}

everywhere! {
    fn what_cannot_be_paid_fails_before_it_runs(database, product) {
        let (gate, work) = gate(product);
        let server = Setup::of(product).on(&database).engine(work).start();
        let person = server.person_with(1_000, 0, false);
        let key = server.key(&person, &product.scopes());
        let body = product.costing(1_000);
        let first = server.submit(&key, body.clone());
        assert_eq!(gate.started(), first);
        // While it runs there is nothing left for others, of any product.
        assert_eq!(server.credits(&key), (0, 0));
        let details = server.submission(&key, body.clone()).details(402, "insufficient_credits");
        assert_eq!(details, json!({ "required": 1_000, "available": 0 }));
        gate.tell(Tell::Fail);
        assert_eq!(server.ended(&key, &first)["status"], "failed");
        assert_eq!(server.credits(&key), (1_000, 0));

        // Behind another person's job, as many as are let in.
        let (_, other) = server.submitter();
        let theirs = server.submit(&other, product.costing(1));
        assert_eq!(gate.started(), theirs);
        let let_in: Vec<String> = (0..25).map(|_| server.submit(&key, body.clone())).collect();
        server.submission(&key, body).refused(503, "busy");
        gate.tell(Tell::Complete);
        assert_eq!(gate.started(), let_in[0]);
        gate.tell(Tell::Complete);
        assert_eq!(server.ended(&key, &let_in[0])["credits_charged"], 1_000);
        for id in &let_in[1..] {
            assert_eq!(server.ended(&key, id)["error"]["details"], product.unpaid(1_000, 0).1);
        }
        assert_eq!((server.credits(&key), gate.started_already()), ((0, 0), None));
    }
}

for_both_products! {
    fn overage_that_was_not_allowed_does_not_pay_for_a_job(product) {
        let (mut gate, work) = gate(product);
        let server = Setup::of(product).engine(work).start();
        let person = server.person_with(2, 0, true);
        let key = server.key_with(&person, &json!({ "name": "n", "scopes": product.scopes(), "allow_overage": true }));
        let (_, other) = server.submitter();
        server.submit(&other, product.costing(1));
        gate.started();
        let first = server.submit(&key, product.costing(2));
        let strict = server.submit(&key, product.costing(1));
        let generous = server.submit(&key, product.costing_with_overage(1));
        gate.open();
        assert_eq!(server.ended(&key, &first)["credits_charged"], 2);
        assert_eq!(server.ended(&key, &strict)["error"]["details"], product.unpaid(1, 0).1);
        assert_eq!(server.ended(&key, &generous)["credits_charged"], 1);
    }

    fn a_job_that_ends_in_the_next_month_is_paid_from_the_next_month(product) {
        let (gate, work) = gate(product);
        let server = Setup::of(product).engine(work).start();
        let person = server.person_with(3, 0, false);
        let key = server.key(&person, &product.scopes());
        let id = server.submit(&key, product.costing(3));
        assert_eq!(gate.started(), id);
        server.advance_s(22 * 86_400);
        gate.tell(Tell::Complete);
        assert_eq!(server.ended(&key, &id)["credits_charged"], 3);
        assert_eq!(server.credits(&key), (0, 0));
        // The month that began while it ran is the one that paid, so it can be renewed only by the next.
        server.submission(&key, product.costing(1)).refused(402, "insufficient_credits");
        server.advance_s(30 * 86_400);
        assert_eq!(server.credits(&key), (3, 0));
    }
}

#[test]
fn a_run_that_costs_nothing_gives_back_what_was_reserved_for_it() {
    let (gate, work) = gate(Product::Reconciliation);
    let server = Setup::new().engine(work).start();
    let person = server.person_with(2, 1, false);
    let key = server.key(&person, &RECONCILE);
    let id = server.submit(&key, costing(2));
    assert_eq!(gate.started(), id);
    assert_eq!(server.credits(&key), (0, 1));
    gate.tell(Tell::CompleteForFree);
    let job = server.ended(&key, &id);
    assert_eq!((&job["status"], &job["credits_charged"]), (&json!("completed"), &json!(0)));
    assert_eq!(server.credits(&key), (2, 1));
}

#[test]
fn a_person_without_credits_is_told_so_and_not_served() {
    let server = TestServer::start();
    let person = server.person_with(0, 0, false);
    let key = server.key(&person, &RECONCILE);
    let details = server.submission(&key, costing(7)).details(402, "insufficient_credits");
    assert_eq!(details, json!({ "required": 7, "available": 0 }));
}
