//! What operators see, on a listener of its own that is never meant for the public.
//!
//! Everything is read from atomics (and a ring of samples of them), never from an actor's answer or the database, so it
//! answers when every actor is stuck. It runs on a thread of its own, so it answers when the public workers are busy.

mod history;
mod listener;

use std::net::TcpListener;
use std::sync::Arc;

use actix_web::dev::Server;
use actix_web::http::{Method, StatusCode, header};
use actix_web::{App, HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};

use crate::actors::runtime::{ActorRegistry, Health};
use crate::clock::Clock;
use crate::metrics::{EXPOSITION_TYPE, Metrics};

pub use history::{Columns, History, JobSeries, RefusedMinute, SAMPLES_MAX, Series};

/// The page a person watches; `{{nonce}}` is replaced in each answer.
const PAGE: &str = include_str!("ops_page.html");

/// What the listener reads.
pub struct OpsState {
    /// The exposition.
    pub metrics: Arc<Metrics>,
    /// How every actor is.
    pub registry: ActorRegistry,
    /// Whether the service is well.
    pub health: Arc<Health>,
    /// The last minutes.
    pub history: Arc<History>,
    /// Time and the nonces of the page's policy.
    pub clock: Arc<dyn Clock>,
    /// When the process started, in milliseconds since 1970.
    pub started_at_ms: i64,
}

/// The listener, on one thread of its own. Await it, or spawn it and stop it by its handle.
pub fn server(listener: TcpListener, state: Arc<OpsState>) -> std::io::Result<Server> {
    listener::server(listener, move || App::new().configure(|config| configure(config, &state)))
}

/// The routes, for an application of actix-web.
pub fn configure(config: &mut web::ServiceConfig, state: &Arc<OpsState>) {
    config.app_data(web::Data::from(Arc::clone(state))).default_service(web::to(answer));
}

/// One handler for all paths: the table is small, and an unknown path or method gets its JSON error here too.
async fn answer(request: HttpRequest, state: web::Data<OpsState>) -> HttpResponse {
    let known = match request.path() {
        "/healthz" => healthz,
        "/readyz" => readyz,
        "/metrics" => exposition,
        "/actors" => actors,
        "/history" => history,
        "/" => page,
        _ => return failure(StatusCode::NOT_FOUND, "not_found", "there is no such page; try /, /actors or /metrics"),
    };
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut refused =
            failure(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "only GET and HEAD are answered");
        refused.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("GET, HEAD"));
        return refused;
    }
    known(&request, &state)
}

fn healthz(_: &HttpRequest, _: &OpsState) -> HttpResponse {
    json(StatusCode::OK, &Liveness { status: "alive" })
}

fn readyz(_: &HttpRequest, state: &OpsState) -> HttpResponse {
    let reasons = state.health.reasons();
    let (status, word) = match reasons.is_empty() {
        true => (StatusCode::OK, "ready"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "unready"),
    };
    json(status, &Readiness { status: word, reasons })
}

fn exposition(_: &HttpRequest, state: &OpsState) -> HttpResponse {
    match state.metrics.exposition() {
        Ok(text) => secured(StatusCode::OK).content_type(EXPOSITION_TYPE).body(text),
        Err(_) => failure(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", "the metrics could not be written"),
    }
}

fn actors(_: &HttpRequest, state: &OpsState) -> HttpResponse {
    json(StatusCode::OK, &state.registry.snapshots())
}

fn history(request: &HttpRequest, state: &OpsState) -> HttpResponse {
    let Ok(query) = web::Query::<Since>::from_query(request.query_string()) else {
        return failure(
            StatusCode::BAD_REQUEST,
            "validation_error",
            "since must be a number from an earlier answer's next",
        );
    };
    let reasons = state.health.reasons();
    json(
        StatusCode::OK,
        &Past {
            version: crate::VERSION,
            now_ms: state.clock.now_ms(),
            started_at_ms: state.started_at_ms,
            health: Readiness { status: if reasons.is_empty() { "ok" } else { "degraded" }, reasons },
            refused: state.history.refused(),
            columns: state.history.since(query.since),
        },
    )
}

fn page(_: &HttpRequest, state: &OpsState) -> HttpResponse {
    let mut random = [0_u8; 16];
    state.clock.fill_random(&mut random);
    let nonce: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; \
         img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    secured(StatusCode::OK)
        .insert_header((header::CONTENT_SECURITY_POLICY, policy))
        .content_type("text/html; charset=utf-8")
        .body(PAGE.replace("{{nonce}}", &nonce))
}

#[derive(Deserialize)]
struct Since {
    #[serde(default)]
    since: u64,
}

#[derive(Serialize)]
struct Liveness {
    status: &'static str,
}

#[derive(Serialize)]
struct Readiness {
    status: &'static str,
    reasons: Vec<String>,
}

#[derive(Serialize)]
struct Past {
    version: &'static str,
    now_ms: i64,
    started_at_ms: i64,
    health: Readiness,
    /// In the last minute.
    refused: RefusedMinute,
    #[serde(flatten)]
    columns: Columns,
}

#[derive(Serialize)]
struct Failure {
    error: FailureBody,
}

#[derive(Serialize)]
struct FailureBody {
    code: &'static str,
    message: &'static str,
}

fn failure(status: StatusCode, code: &'static str, message: &'static str) -> HttpResponse {
    json(status, &Failure { error: FailureBody { code, message } })
}

fn json<T: Serialize>(status: StatusCode, value: &T) -> HttpResponse {
    match serde_json::to_vec(value) {
        Ok(body) => secured(status).content_type("application/json").body(body),
        Err(_) => HttpResponse::InternalServerError().finish(),
    }
}

/// The headers every answer has: live figures must not be cached, and no answer may be sniffed or framed.
fn secured(status: StatusCode) -> actix_web::HttpResponseBuilder {
    let mut response = HttpResponse::build(status);
    response
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::X_FRAME_OPTIONS, "DENY"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"));
    response
}
