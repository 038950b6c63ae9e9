//! The wall clock is set ahead and back again, by a day and over the end of a month.

use serde_json::json;

use crate::books::Books;
use crate::support::data::costing;
use crate::support::server::{RECONCILE, Setup, TestServer};

const DAY_S: i64 = 24 * 60 * 60;

#[test]
fn a_clock_set_ahead_and_back_a_day_loses_doubles_and_holds_up_nothing() {
    let books = Books::of(TestServer::start());
    let server = &books.server;
    let person = server.person_with(100, 0, false);
    let key = server.key(&person, &RECONCILE);
    let submit = |name: &str| {
        let request = server.client.post("/api/v1/reconciliations").key(&key).idempotency_key(name);
        server.accepted_id(&request.body(costing(2)).send())
    };
    let journal = books.two_lines("2026-03-01", "7100", "1200", json!(5));
    let post = |name: &str| books.request("POST", "/journals").idempotency_key(name).json(&journal).send().expect(201);
    let session_works = |session: &str| server.client.get("/api/v1/keys").bearer(session).send().expect(200);
    let mut sessions = vec![person.session.clone()];
    let mut spent = 0;
    for (moment, ahead_s) in [("before", 0), ("ahead", DAY_S), ("back", -DAY_S), ("behind", -DAY_S), ("again", DAY_S)] {
        server.set_wall_ahead_s(ahead_s);
        server.client.get("/api/v1/me").key(&key).send().expect(200);
        let made = post(moment);
        assert_eq!(post(moment)["data"]["id"], made["data"]["id"], "{moment}");
        let job = submit(moment);
        assert_eq!(server.ended(&key, &job)["status"], "completed", "{moment}");
        assert_eq!(submit(moment), job, "{moment}");
        spent += 2;
        assert_eq!(server.credits(&key), (100 - spent, 0), "{moment}");
        let session = server.session_of(&person);
        session_works(&session);
        // One of the day before may have ended by the time that is right again.
        if moment != "behind" {
            sessions.push(session);
        }
    }
    // What was made at any of these moments is there once.
    for moment in ["before", "ahead", "back", "behind", "again"] {
        submit(moment);
        let replayed = books.request("POST", "/journals").idempotency_key(moment).json(&journal).send();
        assert_eq!(replayed.header("idempotency-replayed"), Some("true"), "{moment}");
    }
    for session in &sessions {
        session_works(session);
    }
    assert_eq!(server.credits(&key), (100 - spent, 0));
}

#[test]
fn a_key_used_while_the_clock_was_a_day_behind_replays_when_it_is_right_again_also_after_a_restart() {
    let setup = Setup::new();
    let server = setup.clone().start();
    let person = server.person_with(100, 0, false);
    let key = server.key(&person, &RECONCILE);
    let submit = |server: &TestServer| {
        let request = server.client.post("/api/v1/reconciliations").key(&key).idempotency_key("pay-1");
        request.body(costing(2)).send()
    };
    server.set_wall_back_s(DAY_S);
    let job = server.accepted_id(&submit(&server));
    server.ended(&key, &job);
    let folder = server.folder();
    server.set_wall_ahead_s(DAY_S + 10);
    assert_eq!(server.accepted_id(&submit(&server)), job);
    server.set_wall_back_s(DAY_S + 10);
    server.stop();
    let server = setup.folder(folder).start();
    server.set_wall_ahead_s(DAY_S + 10);
    assert_eq!(server.accepted_id(&submit(&server)), job);
    assert_eq!(server.credits(&key), (98, 0));
    // Its time passes all the same.
    server.advance_s(DAY_S + 1);
    assert_ne!(server.accepted_id(&submit(&server)), job);
}

#[test]
fn a_month_that_begins_because_of_a_wrong_clock_is_not_given_again_when_it_really_does() {
    let server = TestServer::start();
    let person = server.person_with(10, 0, false);
    let key = server.key(&person, &RECONCILE);
    server.run(&key, costing(4));
    assert_eq!(server.credits(&key), (6, 0));
    server.set_wall_ahead_s(25 * DAY_S);
    server.run(&key, costing(1));
    assert_eq!(server.credits(&key), (9, 0), "a new month");
    server.set_wall_back_s(25 * DAY_S);
    server.run(&key, costing(1));
    assert_eq!(server.credits(&key), (8, 0), "nothing is taken back");
    server.set_wall_ahead_s(25 * DAY_S);
    server.run(&key, costing(1));
    assert_eq!(server.credits(&key), (7, 0), "nor given twice");
}
