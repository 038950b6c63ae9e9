//! `GET /api/v1/me`.

use serde_json::json;

use crate::support::client::keys;
use crate::support::data::costing;
use crate::support::database::on_both_databases;
use crate::support::server::{ALL_SCOPES, RECONCILE, Setup, TestServer};

on_both_databases! {
    fn me_tells_who_is_calling_and_what_they_may_do(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person_with(123, 45, false);
        let key = server.key(&person, &["books:read", "reconcile:read"]);
        let me = server.client.get("/api/v1/me").key(&key).send().expect(200);
        assert_eq!(keys(&me), ["credits", "scopes", "user_id"]);
        assert_eq!(me["user_id"], person.user_id);
        assert_eq!(me["credits"], json!({ "remainingMonthly": 123, "bonusCredits": 45 }));
        let mut scopes: Vec<&str> = me["scopes"].as_array().unwrap().iter().map(|scope| scope.as_str().unwrap()).collect();
        scopes.sort_unstable();
        assert_eq!(scopes, ["books:read", "reconcile:read"]);
    }

    fn a_poll_that_says_completed_is_never_ahead_of_the_balance(database) {
        let server = Setup::new().on(&database).start();
        let person = server.person_with(100, 0, false);
        let key = server.key(&person, &RECONCILE);
        for round in 1..=10 {
            server.run(&key, costing(3));
            assert_eq!(server.credits(&key), (100 - 3 * round, 0));
        }
    }
}

#[test]
fn any_scope_is_enough_for_me() {
    let server = TestServer::start();
    let person = server.person();
    for scope in ALL_SCOPES {
        let key = server.key(&person, &[scope]);
        let me = server.client.get("/api/v1/me").key(&key).send().expect(200);
        assert_eq!(me["scopes"], json!([scope]));
    }
}

#[test]
fn the_monthly_allocation_renews_on_the_first_of_the_month_and_bonus_stays() {
    let server = TestServer::start();
    let person = server.person_with(10, 5, false);
    let key = server.key(&person, &RECONCILE);
    server.run(&key, costing(12));
    assert_eq!(server.credits(&key), (0, 3));
    // From 10 March, noon, to the last second of the month.
    let to_the_end_of_march_s = 21 * 86_400 + 12 * 3_600 - 1;
    server.advance_s(to_the_end_of_march_s);
    assert_eq!(server.credits(&key), (0, 3));
    server.advance_s(1);
    assert_eq!(server.credits(&key), (10, 3));
    // The renewed month is really there to be spent.
    let job = server.run(&key, costing(11));
    assert_eq!(job["credits_charged"], 11);
    assert_eq!(server.credits(&key), (0, 2));
    // Months nobody looked at do not add up.
    server.advance_s(100 * 86_400);
    assert_eq!(server.credits(&key), (10, 2));
}

#[test]
fn the_balance_of_one_person_is_not_anothers() {
    let server = TestServer::start();
    let (first, second) = (server.person_with(10, 0, false), server.person_with(20, 1, false));
    let (of_first, of_second) = (server.key(&first, &RECONCILE), server.key(&second, &RECONCILE));
    server.run(&of_first, costing(4));
    assert_eq!(server.credits(&of_first), (6, 0));
    assert_eq!(server.credits(&of_second), (20, 1));
    let another = server.key(&first, &["books:send"]);
    assert_eq!(server.credits(&another), (6, 0));
}
