//! 120 requests in 60 seconds, per key; key endpoints per person; headers on every answer that counts.

use bookkeeping_suite::domain::job::Product;

use crate::support::client::{Answer, Request};
use crate::support::data::{costing, request, row};
use crate::support::gate::gate;
use crate::support::server::{RECONCILE, Setup, TestServer};

fn limited() -> TestServer {
    Setup::new().rate_limited().start()
}

/// The rate headers as (limit, policy, remaining, reset).
fn rate(answer: &Answer) -> (u64, String, u64, u64) {
    let policy = answer.header("ratelimit-policy").unwrap_or_default().to_owned();
    let number = |name: &str| answer.number(name);
    (number("ratelimit-limit"), policy, number("ratelimit-remaining"), number("ratelimit-reset"))
}

#[test]
fn the_window_counts_exactly_and_starts_with_the_first_request() {
    let server = limited();
    let (_, key) = server.submitter();
    let me = || server.client.get("/api/v1/me").key(&key).send();
    server.advance_s(17);
    for used in 1..=60 {
        let answer = me();
        answer.expect(200);
        assert_eq!(rate(&answer), (120, "120;w=60".to_owned(), 120 - used, 60));
    }
    server.advance_ms(30_500);
    for used in 61..=120 {
        let answer = me();
        answer.expect(200);
        assert_eq!(rate(&answer), (120, "120;w=60".to_owned(), 120 - used, 30), "29.5 s are rounded up");
    }
    for _ in 0..3 {
        let answer = me();
        answer.refused(429, "rate_limited");
        assert_eq!(rate(&answer), (120, "120;w=60".to_owned(), 0, 30));
        assert_eq!(answer.number("retry-after"), 30);
    }
    server.advance_ms(29_499);
    let answer = me();
    answer.refused(429, "rate_limited");
    assert_eq!((answer.number("retry-after"), answer.number("ratelimit-reset")), (1, 1));
    server.advance_ms(1);
    let answer = me();
    answer.expect(200);
    assert_eq!(rate(&answer), (120, "120;w=60".to_owned(), 119, 60), "refused requests did not prolong the window");
    // The next window starts when it is used, not on a grid.
    server.advance_s(100);
    assert_eq!(rate(&me()), (120, "120;w=60".to_owned(), 119, 60));
}

#[test]
fn every_kind_of_answer_after_an_accepted_key_counts_and_says_so() {
    let (mut gate, work) = gate(Product::Reconciliation);
    let server =
        Setup::new().rate_limited().engine(work).settings(|settings| settings.queue_capacity_jobs = Some(1)).start();
    let person = server.person_with(3, 0, false);
    let key = server.key(&person, &RECONCILE);
    let mut remaining = 120;
    let mut counted = |status: u16, request: Request| {
        let answer = request.send();
        assert_eq!(answer.status, status, "{answer}");
        remaining -= 1;
        assert_eq!(rate(&answer), (120, "120;w=60".to_owned(), remaining, 60), "{answer}");
        answer
    };
    let submit = |body: String| server.client.post("/api/v1/reconciliations").key(&key).body(body);
    counted(200, server.client.get("/api/v1/me").key(&key));
    counted(404, server.client.get("/api/v1/reconciliations/rec_x").key(&key));
    counted(403, server.client.get("/api/v1/books/organisations").key(&key));
    counted(422, submit("{}".to_owned()));
    counted(402, submit(costing(4)));
    counted(415, submit("{}".to_owned()).header("Content-Encoding", "br"));
    let first = counted(202, submit(costing(1)));
    gate.started();
    counted(202, submit(costing(1)));
    counted(503, submit(costing(1)));
    let id = first.value()["reconciliation_id"].as_str().unwrap().to_owned();
    counted(200, server.client.get(&format!("/api/v1/reconciliations/{id}")).key(&key));
    gate.open();
}

#[test]
fn an_exhausted_key_hears_429_before_403_and_before_its_body_is_judged() {
    let server = limited();
    let person = server.person();
    let key = server.key(&person, &["books:read"]);
    for _ in 0..120 {
        server.client.get("/api/v1/me").key(&key).send().expect(200);
    }
    server.submission(&key, "{}").refused(429, "rate_limited");
    server.submission(&key, "{").refused(400, "invalid_json");
    server.client.get("/api/v1/health").key(&key).send().expect(200);
    // Another key of the same person has a window of its own, and so have the key endpoints.
    let other = server.key(&person, &["books:read"]);
    server.client.get("/api/v1/me").key(&other).send().expect(200);
}

#[test]
fn key_endpoints_are_counted_per_person_in_a_window_of_their_own() {
    let server = limited();
    let (person, other) = (server.person(), server.person());
    let key = server.key(&person, &RECONCILE);
    let list = || server.client.get("/api/v1/keys").session(&person).send();
    for used in 2..=119 {
        let answer = list();
        answer.expect(200);
        assert_eq!(rate(&answer), (120, "120;w=60".to_owned(), 120 - used, 60));
    }
    // Refusals of the product count as well.
    let answer = server.client.post("/api/v1/keys").session(&person).body("{}").send();
    answer.refused(400, "validation_error");
    assert_eq!(answer.number("ratelimit-remaining"), 0);
    let answer = list();
    answer.refused(429, "rate_limited");
    assert_eq!(answer.number("retry-after"), 60);
    let path = format!("/api/v1/keys/{}", key.id);
    server.client.delete(&path).session(&person).send().refused(429, "rate_limited");
    server.client.get("/api/v1/me").key(&key).send().expect(200);
    server.client.get("/api/v1/keys").session(&other).send().expect(200);
    server.advance_s(60);
    list().expect(200);
}

#[test]
fn parallel_requests_never_exceed_the_limit() {
    let server = limited();
    let (_, key) = server.submitter();
    let accepted: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    (0..40).filter(|_| server.client.get("/api/v1/me").key(&key).send().status == 200).count()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(accepted, 120);
}

#[test]
fn the_limit_and_the_window_are_settings() {
    let server = Setup::new()
        .settings(|settings| {
            settings.rate_limit_requests = Some(2);
            settings.rate_limit_window_s = Some(10);
        })
        .start();
    let (_, key) = server.submitter();
    let me = || server.client.get("/api/v1/me").key(&key).send();
    assert_eq!(rate(&me()), (2, "2;w=10".to_owned(), 1, 10));
    me().expect(200);
    me().refused(429, "rate_limited");
    server.advance_s(10);
    me().expect(200);
}

#[test]
fn setting_the_wall_clock_moves_no_window() {
    let server = limited();
    let (_, key) = server.submitter();
    let id = server.submit(&key, request(&[row("1")], &[]));
    let used = 120 - server.ended_answer(&key, &id).number("ratelimit-remaining");
    server.set_wall_back_s(3_600);
    let answer = server.client.get("/api/v1/me").key(&key).send();
    answer.expect(200);
    assert_eq!(rate(&answer), (120, "120;w=60".to_owned(), 120 - used - 1, 60));
}
