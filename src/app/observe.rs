//! Connects what happens to the metrics.

use std::sync::Arc;
use std::time::Duration;

use actix_web::http::Method;

use super::access_log::AccessLog;
use super::refusals::{Refusals, Refused};
use crate::actors::Observer;
use crate::domain::credits::CreditChange;
use crate::domain::job::{JobStatus, Product};
use crate::domain::mail::EmailStatus;
use crate::domain::oauth::error::{GrantType, OAuthError, Reuse};
use crate::http::route_table::Route;
use crate::http::server;
use crate::http::server::Finished;
use crate::metrics::{Metrics, RouteMetrics};
use crate::store::ObserveWait;

/// Counts finished requests, each on the handle of its route.
pub struct HttpObserver {
    routes: Vec<Arc<RouteMetrics>>,
    unknown: Arc<RouteMetrics>,
    metrics: Arc<Metrics>,
    access: Option<AccessLog>,
    refusals: Arc<Refusals>,
}

impl HttpObserver {
    /// Resolves a handle for every route; lines of requests go to `access`, and of what is refused to `refusals`.
    pub fn new<S>(
        metrics: &Arc<Metrics>,
        routes: &[Route<S>],
        access: Option<AccessLog>,
        refusals: Arc<Refusals>,
    ) -> Self {
        let routes = routes.iter().map(|route| metrics.route(label(&route.method), route.path)).collect();
        let unknown = metrics.route("OTHER", "unknown");
        Self { routes, unknown, metrics: Arc::clone(metrics), access, refusals }
    }
}

/// Records how long callers waited for a connection of each pool.
pub fn store_waits(metrics: &Arc<Metrics>) -> ObserveWait {
    let metrics = Arc::clone(metrics);
    Arc::new(move |pool, waited| match pool {
        "writer" => metrics.store_acquire_writer.record(waited),
        _ => metrics.store_acquire_reader.record(waited),
    })
}

fn label(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "HEAD" => "HEAD",
        "OPTIONS" => "OPTIONS",
        _ => "OTHER",
    }
}

impl server::Observer for HttpObserver {
    fn finished(&self, finished: &Finished<'_>) {
        let handle = finished.route.and_then(|index| self.routes.get(index)).unwrap_or(&self.unknown);
        handle.record(finished.status, finished.took);
        let (method, route) = (label(finished.method), handle.route());
        let request_id = finished.request_id;
        match finished.refusal {
            Some((reason, cause)) => {
                self.metrics.refused.count(reason);
                self.refusals.note(Refused { reason: Some(reason), method, route, cause, request_id });
            }
            None => match &self.access {
                Some(access) => access.request(finished, method, route),
                None if finished.status == 401 => {
                    let refused = Refused { reason: None, method, route, cause: None, request_id };
                    self.refusals.note(refused);
                }
                None => {}
            },
        }
    }

    fn wants_callers(&self) -> bool {
        self.access.is_some()
    }

    fn message_answered(&self, method: &'static str, tool: &'static str, outcome: &'static str, took: Duration) {
        self.metrics.mcp.answered(method, tool, outcome, took);
    }
}

/// Counts what the actors report.
pub struct ActorObserver(pub Arc<Metrics>);

fn counted(credits: i64) -> u64 {
    credits.unsigned_abs()
}

impl Observer for ActorObserver {
    fn job_queued(&self, product: Product) {
        self.0.jobs(product).entered(JobStatus::Queued);
    }

    fn job_started(&self, product: Product, waited_s: f64) {
        let jobs = self.0.jobs(product);
        jobs.entered(JobStatus::Processing);
        jobs.queue_seconds.record(Duration::from_secs_f64(waited_s.max(0.0)));
    }

    fn job_ended(&self, product: Product, status: JobStatus, run_s: f64, rows_total: u64) {
        let jobs = self.0.jobs(product);
        jobs.entered(status);
        jobs.rows.add(rows_total);
        jobs.run_seconds.record(Duration::from_secs_f64(run_s.max(0.0)));
    }

    fn job_unpaid(&self, product: Product) {
        self.0.jobs(product).entered(JobStatus::Failed);
    }

    fn credits_reserved(&self, product: Product, credits: i64) {
        self.0.jobs(product).credits_reserved.set(credits);
    }

    fn credits_charged(&self, product: Product, change: CreditChange) {
        let credits = &self.0.jobs(product).credits;
        credits.monthly.add(counted(change.monthly));
        credits.bonus.add(counted(change.bonus));
        credits.overage.add(counted(change.overage));
    }

    fn jobs_recovered(&self, product: Product, jobs: u64) {
        self.0.jobs(product).recovered.add(jobs);
    }

    fn thread_abandoned(&self) {
        self.0.blocking_threads_abandoned.add(1);
    }

    fn thread_returned(&self) {
        self.0.blocking_threads_abandoned.add(-1);
    }

    fn store_unavailable(&self, times: u64) {
        self.0.store_unavailable.add(times);
    }

    fn journals_posted(&self, journals: u64) {
        self.0.ledger_postings.add(journals);
    }

    fn version_conflict(&self) {
        self.0.ledger_version_conflicts.add(1);
    }

    fn mail_ended(&self, status: EmailStatus) {
        self.0.mail.ended(status).add(1);
    }

    fn oauth_issued(&self, grant_type: GrantType) {
        self.0.oauth.issued(grant_type);
    }

    fn oauth_refused(&self, error: OAuthError) {
        self.0.oauth.refused(error);
    }

    fn oauth_reused(&self, reuse: Reuse) {
        self.0.oauth.reused(reuse);
    }

    fn oauth_connections(&self, connections: usize) {
        self.0.oauth.connections.set(i64::try_from(connections).unwrap_or(i64::MAX));
    }

    fn mail_waiting(&self, waiting: u64, oldest_ms: i64) {
        self.0.mail.queue_depth.set(i64::try_from(waiting).unwrap_or(i64::MAX));
        self.0.mail.oldest_waiting_seconds.set(oldest_ms / 1000);
    }
}
