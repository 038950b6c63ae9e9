//! What a handler is given: a request that passed every check that comes before the product's own. With it, what requests
//! say in headers (credentials, media type) and what answers say about the rate limit.

use std::cell::RefCell;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddrV4};
use std::rc::Rc;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::header::{AsHeaderName, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, header};
use bytes::Bytes;
use futures_util::future::LocalBoxFuture;
use ipnet::IpNet;
use tokio::sync::SemaphorePermit;

use crate::actors::queue_board::Reservation;
use crate::clock::Clock;
use crate::domain::books::command::BooksCommand;
use crate::domain::caller::{
    ConnectionAccess, KeySnapshot, PresentedKey, Principal, RateDecision, RateRule, Scope, ScopeSet,
};
use crate::domain::ids::UserId;
use crate::domain::oauth::token::PresentedToken;
use crate::domain::problem::Issues;
use crate::http::body::Body;
use crate::http::envelope::RequestId;
use crate::http::error::{ApiError, Challenge, ErrorCode};
use crate::http::route_table::{Parameters, Route};
use crate::http::server::Worker;

/// Bodies above this size are parsed at most two at a time.
const LARGE_PARSE_BYTES: usize = 1 << 20;

/// Who may come in and how often: implemented by what the actors publish, read by every request without a message.
pub trait Gate: Send + Sync + 'static {
    /// Finds the key that was presented. Use [`crate::domain::caller::verify_key`], which does equal work for a prefix
    /// nobody has.
    fn authenticate_key(&self, presented: &PresentedKey) -> Option<Arc<KeySnapshot>>;

    /// Reads a web-session token.
    fn authenticate_session(&self, token: &str) -> Result<UserId, SessionError>;

    /// Finds the connection whose access token a request presents.
    fn authenticate_token(&self, presented: &PresentedToken, request: &HttpRequest) -> TokenOutcome;

    /// Whether whoever was let in still would be: their key or connection may have been revoked since.
    fn is_accepted(&self, principal: &Principal) -> bool;

    /// The address of whoever is behind a request.
    fn address(&self, request: &HttpRequest) -> IpAddr;

    /// Counts a request in the window of a key or a connection by OAuth.
    fn hit_connection(&self, access: &ConnectionAccess, at: Instant) -> RateOutcome;

    /// Counts a request in the window of a person's web sessions.
    fn hit_person(&self, user_id: UserId) -> RateOutcome;

    /// The rule both kinds of window follow, as the headers state it.
    fn rate_rule(&self) -> RateRule;

    /// Whether what is known about keys is too old to be trusted; every authenticated request is then answered 503.
    fn is_stale(&self) -> bool {
        false
    }
}

/// Refuses (401) whoever was let in with a key or connection that was revoked since.
pub(super) fn still_accepted(gate: &dyn Gate, caller: &Principal) -> Result<(), ApiError> {
    if gate.is_accepted(caller) {
        return Ok(());
    }
    Err(ApiError::unauthorized().with_challenge(Challenge::InvalidToken))
}

/// What is known of an access token.
pub enum TokenOutcome {
    /// Known at once: the connection, if the token is accepted.
    Known(Option<Arc<ConnectionAccess>>),
    /// After a look at the database; an error when it cannot be read now (503).
    Pending(LocalBoxFuture<'static, Result<Option<Arc<ConnectionAccess>>, ApiError>>),
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

/// Where a call comes from.
pub(super) enum Asked {
    /// A request.
    Request(HttpRequest),
    /// A tool, which asks a route for what the route gives a request.
    Tool(Box<RouteQuestion>),
}

/// What a tool asks a route.
pub struct RouteQuestion {
    /// The method of the route.
    pub method: Method,
    /// The path with its parameters filled in.
    pub path: String,
    /// The parameters of the path, by the names of its template.
    pub parameters: Parameters,
    /// The query string, without its question mark.
    pub query: String,
    /// Headers that mean something to the route.
    pub headers: HeaderMap,
    /// The body; empty for none.
    pub body: Body,
    /// The tool, where what it asks for is a change.
    pub tool: Option<&'static str>,
    /// Where a command is put that is to be planned and not executed.
    pub planned: Option<Rc<RefCell<Option<BooksCommand>>>>,
}

impl RouteQuestion {
    /// A question without a path, parameters, headers or a body, which changes nothing.
    pub fn new(method: Method) -> Self {
        Self {
            method,
            path: String::new(),
            parameters: Parameters::default(),
            query: String::new(),
            headers: HeaderMap::new(),
            body: Body::default(),
            tool: None,
            planned: None,
        }
    }
}

/// A request that may be served.
pub struct Call<S> {
    /// The id of the request.
    pub request_id: RequestId,
    /// The body; empty where the route ignores bodies.
    pub body: Body,
    pub(super) caller: Option<Principal>,
    pub(super) parameters: Parameters,
    pub(super) asked: Asked,
    pub(super) payload: Option<Payload>,
    /// Room for what is asked, where the route needs some and the body came soon.
    pub(super) reserved: Option<Reservation>,
    /// What is wrong with how the body is declared, where 403 comes before that.
    pub(super) unsupported: Option<ApiError>,
    /// What is wrong with a body that should have been empty.
    pub(super) unexpected: Option<Issues>,
    pub(super) worker: Rc<Worker<S>>,
    pub(super) now_ms: i64,
}

/// 403 for scopes that a caller lacks. A connection by OAuth is told what to ask of its person: all that was allowed as well,
/// also where this token stands for less, so that asking loses nothing.
pub(super) fn missing_scopes(caller: &Principal, needed: ScopeSet) -> ApiError {
    let held = caller.access().map(|access| access.scopes).unwrap_or_default();
    let missing = needed.without(held);
    let error = match missing.iter().next() {
        Some(scope) if missing.names().len() == 1 => ApiError::missing_scope(scope),
        _ => ApiError::forbidden(format!("the connection lacks the scopes {}", missing.to_stored())),
    };
    let granted = caller.access().map(|access| access.granted).unwrap_or_default();
    if caller.may_step_up() { error.with_challenge(Challenge::InsufficientScope(granted.union(needed))) } else { error }
}

/// The address of whoever is behind a connection: its own, or what trusted proxies say in `X-Forwarded-For`.
pub(super) fn client_ip(request: &HttpRequest, trusted_proxies: &[IpNet]) -> Option<IpAddr> {
    let peer = request.peer_addr()?.ip().to_canonical();
    let lines: Vec<&[u8]> = request.headers().get_all("x-forwarded-for").map(HeaderValue::as_bytes).collect();
    Some(behind_proxies(peer, &lines, trusted_proxies))
}

/// Who is counted where a trusted proxy wrote something that is no address: all of them together, and not the proxy.
pub const UNKNOWN_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// The address that lines of `X-Forwarded-For` give for a peer. All lines are one list (RFC 9110, section 5.3), to which each proxy
/// adds at the end: the last address that is no trusted proxy's counts, and what stands before it is hearsay.
fn behind_proxies(peer: IpAddr, lines: &[&[u8]], trusted_proxies: &[IpNet]) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted_proxies.iter().any(|network| network.contains(&address));
    let mut nearest = peer;
    let mut hops = lines.iter().rev().flat_map(|line| line.rsplit(|byte| *byte == b','));
    while is_trusted(nearest) {
        // An empty element is none (RFC 9110, section 5.6.1.2).
        let Some(hop) = hops.by_ref().map(<[u8]>::trim_ascii).find(|hop| !hop.is_empty()) else { break };
        let Some(address) = hop_address(hop) else { return UNKNOWN_ADDRESS };
        nearest = address;
    }
    nearest
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

    /// What the program that calls may do; an error of ours where the route takes neither keys nor tokens.
    pub fn access(&self) -> Result<&ConnectionAccess, ApiError> {
        let access = self.caller.as_ref().and_then(Principal::access);
        access.ok_or_else(|| ApiError::internal("a route of sessions has no calling connection"))
    }

    /// 403 for a scope that the caller lacks; a connection by OAuth is told what to ask of its person.
    pub fn missing_scope(&self, scope: Scope) -> ApiError {
        match &self.caller {
            Some(caller) => missing_scopes(caller, std::iter::once(scope).collect()),
            None => ApiError::missing_scope(scope),
        }
    }

    /// A path parameter; empty when the template does not have it.
    pub fn parameter(&self, name: &str) -> &str {
        self.parameters.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    /// The query string, without its question mark.
    pub fn query(&self) -> &str {
        match &self.asked {
            Asked::Request(request) => request.query_string(),
            Asked::Tool(question) => &question.query,
        }
    }

    /// The method as sent (`HEAD` calls the handler of `GET`).
    pub fn method(&self) -> &Method {
        match &self.asked {
            Asked::Request(request) => request.method(),
            Asked::Tool(question) => &question.method,
        }
    }

    /// The tool that asks for a change; none of a request.
    pub fn tool(&self) -> Option<&'static str> {
        match &self.asked {
            Asked::Request(_) => None,
            Asked::Tool(question) => question.tool,
        }
    }

    /// Where the command is to be put, when it is planned and not executed.
    pub fn planned(&self) -> Option<&Rc<RefCell<Option<BooksCommand>>>> {
        match &self.asked {
            Asked::Request(_) => None,
            Asked::Tool(question) => question.planned.as_ref(),
        }
    }

    /// The path as it was asked.
    pub fn path(&self) -> &str {
        match &self.asked {
            Asked::Request(request) => request.path(),
            Asked::Tool(question) => &question.path,
        }
    }

    fn headers(&self) -> &HeaderMap {
        match &self.asked {
            Asked::Request(request) => request.headers(),
            Asked::Tool(question) => &question.headers,
        }
    }

    /// Every header that is text, by its name in lower case.
    pub(super) fn header_pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers().iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
    }

    /// The route of an operation.
    pub(super) fn route(&self, operation_id: &str) -> Option<&Route<S>> {
        self.worker.shared.table.routes().iter().find(|route| route.operation_id == operation_id)
    }

    /// Reports a message to the tool server that was answered; `tool` is empty where none was called.
    pub(super) fn message_answered(
        &self,
        method: &'static str,
        tool: &'static str,
        outcome: &'static str,
        took: Duration,
    ) {
        if let Some(observer) = &self.worker.shared.observer {
            observer.message_answered(method, tool, outcome, took);
        }
    }

    /// The description of the API.
    pub(super) fn openapi(&self) -> Bytes {
        self.worker.shared.openapi()
    }

    /// A request header as text; `None` when absent or not text.
    pub fn header(&self, name: impl AsHeaderName) -> Option<&str> {
        self.headers().get(name)?.to_str().ok()
    }

    /// The `Idempotency-Key`: 1 to 128 printable ASCII characters, given once. 400 `validation_error` otherwise.
    pub fn idempotency_key(&self) -> Result<Option<&str>, ApiError> {
        let mut values = self.headers().get_all(IDEMPOTENCY_KEY);
        let Some(value) = values.next() else { return Ok(None) };
        let text = value.to_str().unwrap_or_default();
        let legal = (1..=IDEMPOTENCY_KEY_LENGTH_MAX).contains(&text.len())
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
        let value = self.headers().get(header::IF_MATCH)?;
        Some(value.to_str().unwrap_or_default())
    }

    /// The address the connection comes from; none of a tool.
    pub fn peer_ip(&self) -> Option<IpAddr> {
        match &self.asked {
            Asked::Request(request) => request.peer_addr().map(|address| address.ip()),
            Asked::Tool(_) => None,
        }
    }

    /// A place to parse a large body in: at most two are parsed at once, so that their memory stays bounded. Small
    /// bodies need none. Hold it until the parsed value has shrunk.
    pub async fn parse_place(&self, body_bytes: usize) -> Option<SemaphorePermit<'_>> {
        if body_bytes <= LARGE_PARSE_BYTES {
            return None;
        }
        self.worker.shared.large_parses.acquire().await.ok()
    }

    /// Refuses a caller whose key or connection was revoked since they were let in: to be asked when what takes long (the
    /// body, parsing it) is done, right before something is handed to an actor.
    pub fn still_accepted(&self) -> Result<(), ApiError> {
        still_accepted(&*self.worker.shared.gate, self.caller()?)
    }

    /// The address of whoever is behind the connection; none of a tool.
    pub fn client_ip(&self, trusted_proxies: &[IpNet]) -> Option<IpAddr> {
        match &self.asked {
            Asked::Request(request) => client_ip(request, trusted_proxies),
            Asked::Tool(_) => None,
        }
    }

    /// The request of the server library and the unread body, for taking a connection over; an error of ours of a tool.
    pub fn into_upgrade(self) -> Result<(HttpRequest, Payload), ApiError> {
        match self.asked {
            Asked::Request(request) => Ok((request, self.payload.unwrap_or(Payload::None))),
            Asked::Tool(_) => Err(ApiError::internal("a tool has no connection")),
        }
    }

    /// What a route is called with when a tool asks it, on behalf of the same caller and within the same request.
    pub fn of_tool(&self, question: RouteQuestion) -> Self {
        let mut question = Box::new(question);
        Self {
            request_id: self.request_id,
            body: std::mem::take(&mut question.body),
            caller: self.caller.clone(),
            parameters: std::mem::take(&mut question.parameters),
            asked: Asked::Tool(question),
            payload: None,
            reserved: None,
            unsupported: None,
            unexpected: None,
            worker: Rc::clone(&self.worker),
            now_ms: self.now_ms,
        }
    }
}

/// `X-Request-Id`.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// `X-API-Key`.
pub const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// `Idempotency-Replayed`: the answer was given before and nothing was done again.
pub const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// `Idempotency-Key`.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The longest `Idempotency-Key` accepted.
pub const IDEMPOTENCY_KEY_LENGTH_MAX: usize = 128;
const RATE_LIMIT_LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE_LIMIT_REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RATE_LIMIT_RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

const BEARER: &[u8] = b"bearer ";

/// How many values of a counter are kept ready as header values.
const PREFORMATTED_MAX: u64 = 4_096;

/// What a request presented.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Presented<'a> {
    /// Nothing.
    Nothing,
    /// One credential.
    One(&'a str),
    /// Something that can never be accepted: two different ones, another scheme, bytes that are not text.
    Unusable,
}

impl<'a> Presented<'a> {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, other) => other,
            (one, Self::Nothing) => one,
            (Self::One(one), Self::One(other)) if one == other => Self::One(one),
            _ => Self::Unusable,
        }
    }
}

/// The API key of a request: `Authorization: Bearer`, `X-API-Key`, or both when they are equal.
pub(super) fn api_key(headers: &HeaderMap) -> Presented<'_> {
    let keys = headers
        .get_all(X_API_KEY)
        .map(|value| value.to_str().map_or(Presented::Unusable, |key| Presented::One(key.trim())));
    keys.fold(bearer(headers), Presented::and)
}

/// The bearer token of a request (RFC 6750; the scheme is case-insensitive).
pub(super) fn bearer(headers: &HeaderMap) -> Presented<'_> {
    let tokens = headers.get_all(header::AUTHORIZATION).map(|value| {
        let (scheme, token) = value.as_bytes().split_at_checked(BEARER.len()).unwrap_or_default();
        if !scheme.eq_ignore_ascii_case(BEARER) {
            return Presented::Unusable;
        }
        std::str::from_utf8(token.trim_ascii()).map_or(Presented::Unusable, Presented::One)
    });
    tokens.fold(Presented::Nothing, Presented::and)
}

/// The declared length of the body; the server library has refused anything that is not a number.
pub(super) fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

/// Whether the body is declared as encoded, in which case its bytes cannot be read as JSON.
pub(super) fn is_encoded(headers: &HeaderMap) -> bool {
    headers.get_all(header::CONTENT_ENCODING).any(|value| {
        let text = value.to_str().unwrap_or("unreadable");
        text.split(',').map(str::trim).any(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity"))
    })
}

/// Whether the declared media type is JSON; an absent one is taken as JSON.
pub(super) fn require_json(headers: &HeaderMap) -> Result<(), ApiError> {
    if is_encoded(headers) {
        return Err(ApiError::unsupported_media_type(
            "an encoded body is not accepted; send it without Content-Encoding",
        ));
    }
    let accepted = headers.get_all(header::CONTENT_TYPE).all(|value| value.to_str().is_ok_and(is_json));
    if accepted {
        return Ok(());
    }
    Err(ApiError::unsupported_media_type("the body must be application/json"))
}

/// The address of a hop. Some proxies write its port, too, an IPv6 address in brackets or with its zone, or either in quotes, as in
/// `Forwarded` (RFC 7239, section 6).
fn hop_address(hop: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(hop).ok()?;
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).trim();
    let is_port = |text: &str| text.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    let address = match text.strip_prefix('[').and_then(|text| text.split_once(']')) {
        Some((address, rest)) if rest.is_empty() || is_port(rest) => IpAddr::V6(v6_address(address)?),
        Some(_) => return None,
        None => {
            let v4 = text.parse().ok().or_else(|| text.parse().ok().map(|socket: SocketAddrV4| *socket.ip()));
            v4.map(IpAddr::V4).or_else(|| v6_address(text).map(IpAddr::V6))?
        }
    };
    Some(address.to_canonical())
}

/// An IPv6 address; its zone says something to the machine that wrote it only.
fn v6_address(text: &str) -> Option<Ipv6Addr> {
    text.split('%').next()?.parse().ok()
}

/// `application/json` or any `…/…+json`, whatever its parameters.
fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return true;
    }
    let Some((kind, subtype)) = essence.split_once('/') else { return false };
    let suffix = subtype.len().checked_sub("+json".len()).and_then(|at| subtype.split_at_checked(at));
    let token = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/' && byte != b',')
    };
    token(kind) && suffix.is_some_and(|(name, suffix)| token(name) && suffix.eq_ignore_ascii_case("+json"))
}

/// Numbers as header values, made once per process. They are static, so copying one touches no counter.
static NUMBERS: LazyLock<Vec<HeaderValue>> = LazyLock::new(|| (0..=PREFORMATTED_MAX).map(lasting).collect());

/// The rate-limit headers, formatted once.
pub(super) struct RateHeaders {
    limit: HeaderValue,
    policy: HeaderValue,
    numbers: &'static [HeaderValue],
}

impl RateHeaders {
    pub(super) fn new(rule: RateRule) -> Self {
        let window_s = rule.window_ms.div_ceil(1000).max(1);
        Self {
            limit: lasting(rule.limit),
            policy: lasting(format_args!("{};w={window_s}", rule.limit)),
            numbers: NUMBERS.as_slice(),
        }
    }

    /// Adds them to an answer that has none of them yet, which costs less than to replace what may be there.
    pub(super) fn add(&self, headers: &mut HeaderMap, decision: RateDecision) {
        headers.append(RATE_LIMIT_LIMIT, self.limit.clone());
        headers.append(RATE_LIMIT_POLICY, self.policy.clone());
        headers.append(RATE_LIMIT_REMAINING, self.number(decision.remaining));
        headers.append(RATE_LIMIT_RESET, self.number(decision.reset_s));
    }

    fn number(&self, number: u64) -> HeaderValue {
        let ready = usize::try_from(number).ok().and_then(|index| self.numbers.get(index));
        ready.cloned().unwrap_or_else(|| HeaderValue::from(number))
    }
}

/// A value for the life of the process; only for what is made once.
fn lasting(text: impl std::fmt::Display) -> HeaderValue {
    HeaderValue::from_str(&text.to_string()).map_or(HeaderValue::from_static(""), |_| {
        HeaderValue::from_static(Box::leak(text.to_string().into_boxed_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(entries: &[(HeaderName, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in entries {
            map.append(name.clone(), HeaderValue::from_static(value));
        }
        map
    }

    #[test]
    fn one_credential_or_equal_ones_are_usable() {
        let auth = header::AUTHORIZATION;
        for (entries, expected) in [
            (vec![], Presented::Nothing),
            (vec![(auth.clone(), "Bearer a")], Presented::One("a")),
            (vec![(auth.clone(), "bEARER   a ")], Presented::One("a")),
            (vec![(X_API_KEY, "a")], Presented::One("a")),
            (vec![(auth.clone(), "Bearer a"), (X_API_KEY, "a")], Presented::One("a")),
            (vec![(auth.clone(), "Bearer a"), (auth.clone(), "Bearer a")], Presented::One("a")),
            (vec![(auth.clone(), "Bearer a"), (X_API_KEY, "b")], Presented::Unusable),
            (vec![(auth.clone(), "Bearer a"), (auth.clone(), "Bearer b")], Presented::Unusable),
            (vec![(X_API_KEY, "a"), (X_API_KEY, "b")], Presented::Unusable),
            (vec![(auth.clone(), "Basic a"), (X_API_KEY, "a")], Presented::Unusable),
            (vec![(auth.clone(), "Bearer")], Presented::Unusable),
        ] {
            assert_eq!(api_key(&headers(&entries)), expected, "{entries:?}");
        }
        assert_eq!(bearer(&headers(&[(X_API_KEY, "a")])), Presented::Nothing);
    }

    #[test]
    fn media_types() {
        for accepted in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/vnd.x+json",
            "application/problem+JSON;q=1",
        ] {
            assert!(is_json(accepted), "{accepted}");
        }
        for refused in [
            "",
            "json",
            "text/plain",
            "application/jsonp",
            "application/+json",
            "+json",
            "/+json",
            "application/json, text/plain",
        ] {
            assert!(!is_json(refused), "{refused}");
        }
        assert!(require_json(&headers(&[])).is_ok());
        assert!(require_json(&headers(&[(header::CONTENT_ENCODING, "Identity")])).is_ok());
        assert!(require_json(&headers(&[(header::CONTENT_ENCODING, "identity, gzip")])).is_err());
    }

    #[test]
    fn rate_headers_are_formatted_beyond_the_ready_ones() {
        let ready = RateHeaders::new(RateRule { limit: 1_000_000, window_ms: 60_000 });
        let mut map = HeaderMap::new();
        ready.add(&mut map, RateDecision { allowed: true, remaining: 999_999, reset_s: 60 });
        let text =
            |name: HeaderName| map.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        assert_eq!(text(RATE_LIMIT_LIMIT), "1000000");
        assert_eq!(text(RATE_LIMIT_POLICY), "1000000;w=60");
        assert_eq!(text(RATE_LIMIT_REMAINING), "999999");
        assert_eq!(text(RATE_LIMIT_RESET), "60");
    }
}
