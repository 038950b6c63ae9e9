//! What a handler is given: a request that passed every check that comes before the product's own.

use std::net::IpAddr;
use std::rc::Rc;
use std::time::Instant;

use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::Method;
use futures_util::future::LocalBoxFuture;
use std::sync::Arc;
use tokio::sync::SemaphorePermit;

use super::body::Body;
use super::error::{ApiError, ErrorCode};
use super::headers;
use super::request_id::RequestId;
use super::route_table::Parameters;
use super::server::Worker;
use crate::clock::Clock;
use crate::domain::api_key::PresentedKey;
use crate::domain::caller::{KeySnapshot, Principal, RateDecision, RateRule};
use crate::domain::ids::UserId;
use crate::domain::problem::Issues;

/// Bodies above this size are parsed at most two at a time.
const LARGE_PARSE_BYTES: usize = 1 << 20;

/// Who may come in and how often: implemented by what the actors publish, read by every request without a message.
pub trait Gate: Send + Sync + 'static {
    /// Finds the key that was presented. Use [`crate::domain::caller::verify`], which does equal work for a prefix
    /// nobody has.
    fn authenticate_key(&self, presented: &PresentedKey) -> Option<Arc<KeySnapshot>>;

    /// Reads a web-session token.
    fn authenticate_session(&self, token: &str) -> Result<UserId, SessionError>;

    /// Counts a request in the key's window.
    fn hit_key(&self, key: &Arc<KeySnapshot>, at: Instant) -> RateOutcome;

    /// Counts a request in the window of a person's web sessions.
    fn hit_person(&self, user_id: UserId) -> RateOutcome;

    /// The rule both kinds of window follow, as the headers state it.
    fn rate_rule(&self) -> RateRule;

    /// Whether what is known about keys is too old to be trusted; every authenticated request is then answered 503.
    fn is_stale(&self) -> bool {
        false
    }
}

/// What the rate limiter says.
pub enum RateOutcome {
    /// At once: the only case in one process.
    Decided(RateDecision),
    /// After a query of the shared window; `None` when that could not be queried (503).
    Pending(LocalBoxFuture<'static, Option<RateDecision>>),
}

/// Why a web-session token was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionError {
    /// Malformed, badly signed, expired, or not meant for this service.
    Invalid,
}

/// A request that may be served.
pub struct Call<S> {
    /// The id of the request.
    pub request_id: RequestId,
    /// The body; empty where the route ignores bodies.
    pub body: Body,
    pub(super) caller: Option<Principal>,
    pub(super) parameters: Parameters,
    pub(super) request: HttpRequest,
    pub(super) payload: Option<Payload>,
    /// What is wrong with how the body is declared, where 403 comes before that.
    pub(super) unsupported: Option<ApiError>,
    /// What is wrong with a body that should have been empty.
    pub(super) unexpected: Option<Issues>,
    pub(super) worker: Rc<Worker<S>>,
    pub(super) now_ms: i64,
}

impl<S> Call<S> {
    /// What the product shares between requests.
    pub fn state(&self) -> &Arc<S> {
        &self.worker.shared.state
    }

    /// What the handler found out about permission: a 403 comes first, then what is wrong with how the body is declared
    /// (415), then everything else. A route that is [`super::route_table::Route::permits`] has to ask.
    pub fn permitted<T>(&self, found: Result<T, ApiError>) -> Result<T, ApiError> {
        match (&found, &self.unsupported) {
            (Err(error), _) if error.code() == ErrorCode::Forbidden => found,
            (_, Some(unsupported)) => Err(ApiError::unsupported_media_type(unsupported.message().to_owned())),
            _ => found,
        }
    }

    /// What is wrong with the body of a route that takes no keys: 422, after the path was found.
    pub fn unexpected_body(&self) -> Option<ApiError> {
        self.unexpected.as_ref().map(ApiError::invalid_request_format)
    }

    /// When the request began, in milliseconds since 1970.
    pub fn began_at_ms(&self) -> i64 {
        self.now_ms
    }

    /// The clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.worker.shared.clock
    }

    /// Who is calling; an error of ours on a public route.
    pub fn caller(&self) -> Result<&Principal, ApiError> {
        self.caller.as_ref().ok_or_else(|| ApiError::internal("a public route has no caller"))
    }

    /// The key that is calling; an error of ours where the route does not take keys.
    pub fn key(&self) -> Result<&Arc<KeySnapshot>, ApiError> {
        let key = self.caller.as_ref().and_then(Principal::key);
        key.ok_or_else(|| ApiError::internal("a route without keys has no calling key"))
    }

    /// A path parameter; empty when the template does not have it.
    pub fn parameter(&self, name: &str) -> &str {
        self.parameters.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    /// The query string, without its question mark.
    pub fn query(&self) -> &str {
        self.request.query_string()
    }

    /// The method as sent (`HEAD` calls the handler of `GET`).
    pub fn method(&self) -> &Method {
        self.request.method()
    }

    /// A request header as text; `None` when absent or not text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.request.headers().get(name)?.to_str().ok()
    }

    /// The `Idempotency-Key`: 1 to 128 printable ASCII characters, given once. 400 `validation_error` otherwise.
    pub fn idempotency_key(&self) -> Result<Option<&str>, ApiError> {
        let mut values = self.request.headers().get_all(headers::IDEMPOTENCY_KEY);
        let Some(value) = values.next() else { return Ok(None) };
        let text = value.to_str().unwrap_or_default();
        let legal = (1..=headers::IDEMPOTENCY_KEY_LENGTH_MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
        if legal && values.next().is_none() {
            return Ok(Some(text));
        }
        let mut issues = Issues::default();
        issues.field("headers", "Idempotency-Key", "must be 1 to 128 printable ASCII characters, given once");
        Err(ApiError::validation(&issues))
    }

    /// The `If-Match` header; what is not text reads as empty, which is no version.
    pub fn if_match(&self) -> Option<&str> {
        let value = self.request.headers().get(actix_web::http::header::IF_MATCH)?;
        Some(value.to_str().unwrap_or_default())
    }

    /// The address the connection comes from.
    pub fn peer_ip(&self) -> Option<IpAddr> {
        self.request.peer_addr().map(|address| address.ip())
    }

    /// A place to parse a large body in: at most two are parsed at once, so that their memory stays bounded. Small
    /// bodies need none. Hold it until the parsed value has shrunk.
    pub async fn parse_place(&self, body_bytes: usize) -> Option<SemaphorePermit<'_>> {
        if body_bytes <= LARGE_PARSE_BYTES {
            return None;
        }
        self.worker.shared.large_parses.acquire().await.ok()
    }

    /// The address of whoever is behind the connection: its own, or what a trusted proxy says in `X-Forwarded-For`
    /// (the last address a proxy we trust did not add itself).
    pub fn client_ip(&self, trusted_proxies: &[IpAddr]) -> Option<IpAddr> {
        let peer = self.peer_ip()?;
        if !trusted_proxies.contains(&peer) {
            return Some(peer);
        }
        let forwarded = self.header("x-forwarded-for").unwrap_or_default();
        let mut hops = forwarded.rsplit(',').map_while(|hop| hop.trim().parse::<IpAddr>().ok());
        Some(hops.find(|hop| !trusted_proxies.contains(hop)).unwrap_or(peer))
    }

    /// The request of the server library and the unread body, for taking a connection over.
    pub fn into_upgrade(self) -> (HttpRequest, Payload) {
        (self.request, self.payload.unwrap_or(Payload::None))
    }
}
