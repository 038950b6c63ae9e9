//! The operators' listener: every path answers from atomics, even while every actor is stuck.

use std::sync::Arc;

use actix_web::http::{StatusCode, header};
use actix_web::{App, test};
use bookkeeping_suite::clock::Clock as _;
use bookkeeping_suite::domain::job::{JobStatus, Product};
use bookkeeping_suite::http::ops::{History, OpsState, SAMPLES_MAX, configure};
use bookkeeping_suite::metrics::Metrics;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::probe::{ActorFixture, Alone, AtOnce, DEADLINE, Order};

fn state(bench: &ActorFixture) -> Arc<OpsState> {
    let metrics = Metrics::new(vec![Box::new(bench.registry.clone())]);
    let engines = vec![(Product::Reconciliation, Arc::clone(&bench.stats))];
    let history = History::new(Arc::clone(&metrics), bench.registry.clone(), engines, bench.clock.clone());
    Arc::new(OpsState {
        metrics,
        registry: bench.registry.clone(),
        health: Arc::clone(&bench.health),
        history,
        clock: bench.clock.clone(),
        started_at_ms: bench.clock.now_ms(),
    })
}

async fn get(state: &Arc<OpsState>, path: &str) -> (StatusCode, header::HeaderMap, String) {
    let app = test::init_service(App::new().configure(|config| configure(config, state))).await;
    let answer = test::call_service(&app, test::TestRequest::get().uri(path).to_request()).await;
    let (status, headers) = (answer.status(), answer.headers().clone());
    (status, headers, String::from_utf8(test::read_body(answer).await.to_vec()).unwrap())
}

async fn get_json(state: &Arc<OpsState>, path: &str) -> (StatusCode, Value) {
    let (status, headers, body) = get(state, path).await;
    assert_eq!(headers.get(header::CONTENT_TYPE).unwrap(), "application/json");
    (status, serde_json::from_str(&body).unwrap())
}

#[actix::test]
async fn readiness_names_the_reasons() {
    let mut bench = ActorFixture::new(8);
    let state = state(&bench);
    assert_eq!(get_json(&state, "/readyz").await, (StatusCode::OK, json!({"status": "ready", "reasons": []})));

    let gate = Arc::new(Semaphore::new(0));
    let working = tokio::spawn(bench.slot.ask(Alone(Order::Wait(Arc::clone(&gate)), DEADLINE)));
    bench.outside.waiting.notified().await;
    bench.clock.advance_ms(120_001);
    bench.watchdog.look();
    bench.health.set_database(false);
    let reasons = json!(["the database does not answer", "actor probe is hung: one message for 120 s"]);
    let unready = json!({"status": "unready", "reasons": reasons});
    assert_eq!(get_json(&state, "/readyz").await, (StatusCode::SERVICE_UNAVAILABLE, unready));
    assert_eq!(get_json(&state, "/healthz").await.0, StatusCode::OK, "alive all the same");

    gate.add_permits(1);
    working.await.unwrap().unwrap();
    bench.slot.ask(AtOnce(Order::Count)).await.unwrap();
    bench.health.set_database(true);
    bench.watchdog.look();
    assert_eq!(get_json(&state, "/readyz").await.0, StatusCode::OK);
}

#[actix::test]
async fn every_path_answers_while_the_only_actor_is_stuck_in_code_that_never_yields() {
    let bench = ActorFixture::new(8);
    let state = state(&bench);
    let (release, held) = std::sync::mpsc::channel::<()>();
    bench.arbiter.spawn_fn(move || held.recv().unwrap());
    let waiting = tokio::spawn(bench.slot.ask(AtOnce(Order::Count)));
    state.history.sample();
    for path in ["/", "/healthz", "/readyz", "/metrics", "/actors", "/history"] {
        assert_eq!(get(&state, path).await.0, StatusCode::OK, "{path}");
    }
    release.send(()).unwrap();
    assert_eq!(waiting.await.unwrap(), Ok(1));
}

#[actix::test]
async fn an_actor_is_shown_with_exactly_the_fields_of_the_contract() {
    let bench = ActorFixture::new(8);
    let (_, body) = get_json(&state(&bench), "/actors").await;
    let mut fields: Vec<&str> = body[0].as_object().unwrap().keys().map(String::as_str).collect();
    let mut contract = [
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
    ];
    fields.sort_unstable();
    contract.sort_unstable();
    assert_eq!(fields, contract);
    assert_eq!((&body[0]["name"], &body[0]["state"]), (&json!("probe"), &json!("running")));
}

#[actix::test]
async fn history_is_read_from_where_one_stopped_and_is_bounded() {
    let bench = ActorFixture::new(8);
    let state = state(&bench);
    for round in 0..3_u64 {
        for _ in 0..round {
            bench.slot.ask(AtOnce(Order::Count)).await.unwrap();
        }
        bench.stats.set_queue(round, 100);
        state.history.sample();
        bench.clock.advance_ms(1_000);
    }
    state.metrics.jobs(Product::Reconciliation).entered(JobStatus::Completed);
    let (_, all) = get_json(&state, "/history").await;
    assert_eq!((&all["first"], &all["next"]), (&json!(0), &json!(3)));
    assert_eq!(all["actors"][0]["per_s"], json!([0, 1, 2]));
    assert_eq!(all["jobs"][0]["waiting"], json!([0, 1, 2]));
    assert_eq!(all["health"], json!({"status": "ok", "reasons": []}));
    let (_, rest) = get_json(&state, "/history?since=2").await;
    assert_eq!((&rest["first"], &rest["actors"][0]["per_s"]), (&json!(2), &json!([2])));
    let (_, none) = get_json(&state, "/history?since=3").await;
    assert_eq!((&none["first"], &none["next"], &none["at_ms"]), (&json!(3), &json!(3), &json!([])));
    let (_, restarted) = get_json(&state, "/history?since=99").await;
    assert_eq!(restarted["first"], json!(0), "a number from before a restart gets everything");
    assert_eq!(get_json(&state, "/history?since=x").await.0, StatusCode::BAD_REQUEST);

    for _ in 0..SAMPLES_MAX {
        state.history.sample();
    }
    let kept = state.history.since(0);
    assert_eq!((kept.first, kept.next, kept.at_ms.len()), (3, 603, SAMPLES_MAX));
    assert_eq!(kept.jobs[0].completed.last(), Some(&1));
}

#[actix::test]
async fn the_page_is_self_contained_under_a_strict_policy() {
    let bench = ActorFixture::new(8);
    let state = state(&bench);
    let (status, headers, body) = get(&state, "/").await;
    assert_eq!(status, StatusCode::OK);
    let policy = headers.get(header::CONTENT_SECURITY_POLICY).unwrap().to_str().unwrap();
    let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(body.matches(&format!("nonce=\"{nonce}\"")).count(), 2, "the style and the script");
    assert!(!body.contains("{{nonce}}"));
    let outside = body.replace("http://www.w3.org/2000/svg", "");
    assert!(
        !outside.contains("http://") && !outside.contains("https://") && !outside.contains("src="),
        "nothing from elsewhere"
    );
    let (_, again, _) = get(&state, "/").await;
    assert_ne!(headers.get(header::CONTENT_SECURITY_POLICY), again.get(header::CONTENT_SECURITY_POLICY));
    assert_eq!(headers.get(header::CACHE_CONTROL).unwrap(), "no-store");
}

#[actix::test]
async fn unknown_paths_and_methods_get_json_errors() {
    let bench = ActorFixture::new(8);
    let state = state(&bench);
    let (status, body) = get_json(&state, "/nothing").await;
    assert_eq!((status, &body["error"]["code"]), (StatusCode::NOT_FOUND, &json!("not_found")));
    let app = test::init_service(App::new().configure(|config| configure(config, &state))).await;
    let answer = test::call_service(&app, test::TestRequest::post().uri("/actors").to_request()).await;
    assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(answer.headers().get(header::ALLOW).unwrap(), "GET, HEAD");
}

#[actix::test]
async fn the_exposition_is_declared_as_what_it_is() {
    let bench = ActorFixture::new(8);
    let (status, headers, body) = get(&state(&bench), "/metrics").await;
    assert_eq!(status, StatusCode::OK);
    assert!(headers.get(header::CONTENT_TYPE).unwrap().to_str().unwrap().starts_with("application/openmetrics-text"));
    assert!(body.contains("actor_state{actor=\"probe\",state=\"running\"} 1\n"));
}
