//! `/metrics` holds every name of the operating contract, from the first scrape on.

use std::time::Duration;

use bookkeeping_suite::domain::job::{JobStatus, Product};
use bookkeeping_suite::metrics::Metrics;

use super::probe::{ActorFixture, AtOnce, Order};

/// The names of `operations.md`, as samples or, where a series appears with its first event, as a described type.
const NAMES: [&str; 40] = [
    "http_requests_total",
    "http_request_seconds",
    "http_refused_total",
    "build_info",
    "actor_messages_total",
    "actor_handle_seconds",
    "actor_queue_depth",
    "actor_queue_capacity",
    "actor_rejected_total",
    "actor_panics_total",
    "actor_timeouts_total",
    "actor_restarts_total",
    "actor_state",
    "jobs_total",
    "jobs_recovered_total",
    "ledger_version_conflicts_total",
    "blocking_threads_abandoned",
    "job_rows_total",
    "job_queue_seconds",
    "job_run_seconds",
    "credits_charged_total",
    "credits_reserved",
    "store_acquire_seconds",
    "store_unavailable_total",
    "ledger_postings_total",
    "mail_queue_depth",
    "mail_oldest_waiting_seconds",
    "mail_messages_total",
    "oauth_tokens_issued_total",
    "oauth_refusals_total",
    "oauth_reuse_detected_total",
    "oauth_connections",
    "mcp_requests_total",
    "mcp_request_seconds",
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "process_virtual_memory_bytes",
    "process_open_fds",
    "process_threads",
    "process_start_time_seconds",
];

#[actix::test]
async fn every_metric_is_there_before_anything_happened() {
    let bench = ActorFixture::new(8);
    let text = Metrics::new(vec![Box::new(bench.registry.clone())]).exposition().unwrap();
    for name in NAMES {
        let described = name.strip_suffix("_total").unwrap_or(name);
        assert_eq!(text.matches(&format!("# TYPE {described} ")).count(), 1, "{name} in\n{text}");
    }
    assert_eq!(text.matches("# TYPE ").count(), NAMES.len(), "no metric outside of the contract");
    assert!(text.ends_with("# EOF\n"));
}

#[actix::test]
async fn what_happened_is_counted_under_closed_labels() {
    let bench = ActorFixture::new(8);
    let metrics = Metrics::new(vec![Box::new(bench.registry.clone())]);
    let route = metrics.route("GET", "/api/v1/keys/{id}");
    route.record(200, Duration::from_micros(120));
    route.record(404, Duration::from_micros(80));
    route.record(299, Duration::from_micros(80));
    metrics.route("DELETE", "/api/v1/keys/{id}").record(503, Duration::from_millis(2));
    let jobs = metrics.jobs(Product::Reconciliation);
    jobs.entered(JobStatus::Completed);
    jobs.rows.add(2_000);
    jobs.run_seconds.record(Duration::from_millis(700));
    jobs.credits.bonus.add(3);
    bench.slot.ask(AtOnce(Order::Count)).await.unwrap();
    bench.slot.ask(AtOnce(Order::Panic)).await.unwrap_err();

    let text = metrics.exposition().unwrap();
    for line in [
        r#"http_requests_total{route="/api/v1/keys/{id}",method="GET",status="200"} 1"#,
        r#"http_requests_total{route="/api/v1/keys/{id}",method="GET",status="404"} 1"#,
        r#"http_requests_total{route="/api/v1/keys/{id}",method="GET",status="other"} 1"#,
        r#"http_requests_total{route="/api/v1/keys/{id}",method="DELETE",status="503"} 1"#,
        r#"http_request_seconds_count{route="/api/v1/keys/{id}"} 4"#,
        r#"http_request_seconds_bucket{le="0.000128",route="/api/v1/keys/{id}"} 3"#,
        r#"jobs_total{product="reconciliation",status="completed"} 1"#,
        r#"job_rows_total{product="reconciliation"} 2000"#,
        r#"job_run_seconds_sum{product="reconciliation"} 0.7"#,
        r#"credits_charged_total{product="reconciliation",source="bonus"} 3"#,
        r#"actor_messages_total{actor="probe",outcome="answered"} 1"#,
        r#"actor_messages_total{actor="probe",outcome="panicked"} 1"#,
        r#"actor_handle_seconds_count{actor="probe"} 2"#,
        r#"actor_state{actor="probe",state="running"} 1"#,
        r#"actor_state{actor="probe",state="down"} 0"#,
        r#"actor_queue_capacity{actor="probe"} 8"#,
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
    }
    let totals = metrics.http_totals();
    assert_eq!((totals.requests, totals.errors, totals.seconds.counts().total()), (4, 1, 4));
}
