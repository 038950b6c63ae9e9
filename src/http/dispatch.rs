//! The one order of checks, for every route: 413 (declared) → 400 `invalid_json` → 401 → 429 → 403 → 415 → the product.
//!
//! Credentials are looked up before the first byte of the body, because they decide what happens to it: a request that
//! will be served gets a buffer, one that will be refused is checked as it streams and never buffered. What is
//! *answered* follows the order above all the same. A panic in a handler becomes a 500 with the envelope; left alone, the
//! server library would close the socket with zero bytes on it.
//!
//! Credentials and rates are asked of a `call::Gate`; [`ActorGate`], below, answers from what the actors publish.

use std::any::Any;
use std::future::Future;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::body::{BodySize, MessageBody as _};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::header::HeaderValue;
use actix_web::http::{Method, StatusCode, header};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::FutureExt as _;

use crate::actors::Actors;
use crate::actors::grant_registry::TokenSearch;
use crate::actors::queue_board::Reservation;
use crate::actors::rate_limiter::Hit;
use crate::clock::Clock;
use crate::domain::caller::{
    ConnectionAccess, Credential, KeySnapshot, PresentedKey, Principal, RateDecision, RateRule, ScopeSet,
};
use crate::domain::ids::{ConnectionId, UserId};
use crate::domain::oauth::token::PresentedToken;
use crate::domain::refusal_reason::RefusalReason;
use crate::domain::secret;
use crate::http::body::{Bodies, Body, Incoming, Sender};
use crate::http::call::{Asked, Call, Gate, Presented, RateOutcome, SessionError, TokenOutcome};
use crate::http::envelope::RequestId;
use crate::http::error::{ApiError, Challenge, ErrorCode};
use crate::http::first_party::throttle::Throttle;
use crate::http::route_table::{Access, BodyRule, Look, Route, RouteMatch};
use crate::http::server::{Finished, LastCredential, PresentedCredential, ReadPermit, Watched, Worker, answered};
use crate::http::wire::strict;
use crate::http::{call, envelope, oauth};
use crate::session::Sessions;

/// How long room stays reserved while a body is on its way.
const RESERVED_MAX: Duration = Duration::from_millis(100);
/// A body that is not expected is read up to this size, so that the connection can be used again.
const UNWANTED_BODY_MAX_BYTES: u64 = 64 * 1024;
/// How long that may take before the answer goes out regardless.
const UNWANTED_BODY_WAIT: Duration = Duration::from_millis(200);
/// What is thrown away after an early answer, beyond the largest body, so that the client gets to read it.
const DISCARD_EXTRA_BYTES: u64 = 8 << 20;
/// For how long.
const DISCARD_WAIT: Duration = Duration::from_secs(30);
/// For how long where it was too slow: it had its time.
const DISCARD_WAIT_OF_SLOW: Duration = Duration::from_secs(1);

/// Answers one request.
pub(super) async fn answer<S: 'static>(
    worker: Rc<Worker<S>>,
    request: ServiceRequest,
) -> Result<ServiceResponse, actix_web::Error> {
    let started = Instant::now();
    let (request, payload) = request.into_parts();
    if let Some(connection) = request.conn_data::<Rc<Watched>>() {
        connection.begin_answer();
    }
    let now_ms = worker.shared.clock.now_ms();
    let request_id = worker.request_ids.mint(now_ms, &*worker.shared.clock);
    let mut pipeline = RequestPipeline {
        worker: &worker,
        request: &request,
        request_id,
        started,
        now_ms,
        route: None,
        rate: None,
        has_waited: false,
        reserved: None,
        wants_caller: worker.shared.observer.as_ref().is_some_and(|observer| observer.wants_callers()),
        principal: None,
        organisation: None,
    };
    let outcome = {
        // The guard around a handler keeps what is known by then; this one is for mistakes of the dispatcher itself.
        let run = pin!(pipeline.run(payload));
        guard(run).await
    };
    if let Err(error) = &outcome
        && !pipeline.has_waited
        && matches!(error.refusal(), Some(RefusalReason::QueueFull | RefusalReason::QueueShare))
    {
        // The queue filled while the body was on its way.
        if let Some(wait) = worker.refusal_turns.place(0) {
            wait.all().await;
        }
    }
    let (route, rate) = (pipeline.route, pipeline.rate);
    let (principal, organisation, wants_caller) =
        (pipeline.principal.take(), pipeline.organisation, pipeline.wants_caller);
    let mut failure = None;
    let mut response = outcome.unwrap_or_else(|error| {
        log_failure(&error, request_id, &request);
        let found = route.and_then(|index| worker.shared.table.routes().get(index));
        let mut answer = match error.code() {
            ErrorCode::InvalidJson if found.is_some_and(|route| route.body == BodyRule::JsonRpc) => {
                envelope::json_rpc_error(StatusCode::BAD_REQUEST, envelope::JSON_RPC_PARSE_ERROR, error.message())
            }
            _ if found.is_some_and(|route| matches!(route.body, BodyRule::Unchecked { .. })) => {
                oauth::answer_in_own_form(&error)
            }
            _ => envelope::error(&error, request_id),
        };
        add_challenge(&worker, &request, &error, &mut answer);
        failure = Some(error);
        answer
    });
    let answer_headers = response.headers_mut();
    answer_headers.insert(call::X_REQUEST_ID, request_id.header_value());
    if oauth::is_never_cached(request.path()) && !answer_headers.contains_key(header::CACHE_CONTROL) {
        answer_headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if let Some(decision) = rate {
        worker.rate_headers.add(answer_headers, decision);
    }
    if let Some(origin) = request.headers().get(header::ORIGIN)
        && worker.shared.table.is_for_pages(request.path())
    {
        worker.shared.origins.expose(origin, answer_headers);
    }
    if let Some(observer) = &worker.shared.observer {
        let status = response.status().as_u16();
        // Forms and pages are refused in words of their own.
        let refused = match status {
            429 => Some((RefusalReason::RateLimited, None)),
            503 => Some((RefusalReason::StoreUnavailable, None)),
            _ => None,
        };
        observer.finished(&Finished {
            route,
            method: request.method(),
            status,
            took: started.elapsed(),
            now_ms,
            request_id: request_id.as_str(),
            client_request_id: wants_caller.then(|| client_request_id(&request)).flatten(),
            bytes: match response.body().size() {
                BodySize::None => Some(0),
                BodySize::Sized(bytes) => Some(bytes),
                BodySize::Stream => None,
            },
            error: failure.as_ref().map(|error| error.code().as_str()),
            refusal: failure.as_ref().and_then(|error| error.refusal().map(|why| (why, error.cause()))).or(refused),
            caller: principal.as_ref(),
            organisation,
        });
    }
    let response = handed_over(response, &request);
    Ok(ServiceResponse::new(request, response))
}

/// The answer as its connection takes it.
fn handed_over(response: HttpResponse, request: &HttpRequest) -> HttpResponse {
    let Some(connection) = request.conn_data::<Rc<Watched>>() else { return response };
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        connection.upgrade();
        return response;
    }
    answered(response, Rc::clone(connection), request.method() == Method::HEAD)
}

/// Tells a program that is refused for its credential how to be let in.
fn add_challenge<S>(worker: &Worker<S>, request: &HttpRequest, error: &ApiError, answer: &mut HttpResponse) {
    let Some(base_url) = worker.shared.oauth_base_url() else { return };
    let path = request.path();
    if !path.starts_with("/api/v1/") && path != "/mcp" && path != "/mcp/" {
        return;
    }
    let is_refused = answer.status() == StatusCode::UNAUTHORIZED;
    let challenge = error.challenge().or(is_refused.then_some(Challenge::Missing));
    if let Some(value) = challenge.and_then(|challenge| oauth::challenge::header(base_url, path, challenge)) {
        answer.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
}

/// One request on its way through the checks, and what has been found out about it.
struct RequestPipeline<'a, S> {
    worker: &'a Rc<Worker<S>>,
    request: &'a HttpRequest,
    request_id: RequestId,
    started: Instant,
    now_ms: i64,
    route: Option<usize>,
    /// Set when a credential was accepted and counted: the answer then carries the rate headers.
    rate: Option<RateDecision>,
    /// Whether it has waited for room already.
    has_waited: bool,
    /// The room it needs.
    reserved: Option<Reservation>,
    /// Whether the observer is told who calls, and of which organisation.
    wants_caller: bool,
    principal: Option<Principal>,
    organisation: Option<i64>,
}

impl<S: 'static> RequestPipeline<'_, S> {
    /// Most requests have no body: what only bodies need is boxed, so that the others do not carry it along.
    async fn run(&mut self, payload: Payload) -> Result<HttpResponse, ApiError> {
        let permit = self.request.conn_data::<Rc<ReadPermit>>().cloned();
        if let Some(permit) = &permit {
            permit.read_freely();
        }
        let found = self.worker.shared.table.find(self.request.method(), self.request.path());
        let (route, parameters, elsewhere) = match found {
            RouteMatch::Route(index, route, parameters) => {
                self.route = Some(index);
                if self.wants_caller {
                    let of_path = parameters.iter().find(|(name, _)| *name == "organisationId");
                    self.organisation = of_path.and_then(|(_, id)| id.parse().ok());
                }
                (Some(route), parameters, None)
            }
            RouteMatch::OtherMethods(allow) => (None, Vec::new(), Some(allow)),
            RouteMatch::Nothing => (None, Vec::new(), None),
        };
        let rule = route.map_or(BodyRule::Ignored, |route| route.body);
        let expected = self.expected_body(payload, permit, rule);
        if expected.declared.is_some_and(|length| length > expected.max_bytes) {
            let max_bytes = expected.max_bytes;
            Box::pin(self.set_aside(expected)).await;
            return Err(ApiError::payload_too_large(max_bytes));
        }
        let admission = match (route, elsewhere) {
            (Some(route), _) => self.admit(route).await,
            (None, Some(allow)) => self.count_if_accepted().await.and(Err(ApiError::method_not_allowed(allow))),
            (None, None) => self.count_if_accepted().await.and(Err(ApiError::not_found())),
        };
        let mut payload = None;
        let mut unsupported = None;
        let reads_json =
            matches!(rule, BodyRule::Json { .. } | BodyRule::JsonRpc | BodyRule::OptionalJson | BodyRule::NoKeys);
        let is_optional = !matches!(rule, BodyRule::Json { .. } | BodyRule::JsonRpc);
        let admission = match route {
            Some(route) if reads_json => {
                let admission = match self.media_type(expected.is_some || !is_optional) {
                    Err(error) if route.permits => {
                        unsupported = Some(error);
                        admission
                    }
                    media => admission.and_then(|caller| media.map(|()| caller)),
                };
                match admission {
                    Ok(caller) => self.find_room(route, caller, &expected).await,
                    Err(error) => Err(error),
                }
            }
            _ => admission,
        };
        if admission.is_ok() {
            self.worker.shared.bodies.note_served(self.started);
        }
        let has_body = expected.is_some;
        let (caller, mut body) = match rule {
            _ if reads_json => Box::pin(self.read(expected, admission, is_optional)).await?,
            BodyRule::Unchecked { .. } => Box::pin(self.read_unchecked(expected, admission)).await?,
            BodyRule::Upgrade if admission.is_ok() => {
                if let Some(connection) = self.request.conn_data::<Rc<Watched>>() {
                    connection.upgrade();
                }
                payload = Some(expected.payload);
                (admission?, Body::default())
            }
            _ => {
                if expected.is_some {
                    Box::pin(self.set_aside(expected)).await;
                }
                (admission?, Body::default())
            }
        };
        let Some(route) = route else { return Err(ApiError::not_found()) };
        if has_body && let Some(caller) = &caller {
            // What was revoked while the body was on its way counts.
            call::still_accepted(&*self.worker.shared.gate, caller)?;
        }
        let mut unexpected = None;
        if rule == BodyRule::NoKeys {
            unexpected = strict::read_no_keys(&body).err();
            // `{}` is nothing: a retry may leave it out.
            body = Body::default();
        }
        let call = Call {
            request_id: self.request_id,
            body,
            caller,
            parameters,
            asked: Asked::Request(self.request.clone()),
            payload,
            reserved: self.reserved.take(),
            unsupported,
            unexpected,
            worker: Rc::clone(self.worker),
            now_ms: self.now_ms,
        };
        let handling = guard_call(|| (route.handler)(call))?;
        guard(handling).await
    }

    fn expected_body(&self, payload: Payload, permit: Option<Rc<ReadPermit>>, rule: BodyRule) -> ExpectedBody {
        let request_headers = self.request.headers();
        let declared = call::declared_length(request_headers);
        let is_some =
            declared.map_or_else(|| request_headers.contains_key(header::TRANSFER_ENCODING), |length| length > 0);
        let limit = self.worker.shared.bodies.limits.max_bytes;
        let max_bytes = match rule {
            BodyRule::Json { max_bytes: Some(max_bytes) } | BodyRule::Unchecked { max_bytes } => limit.min(max_bytes),
            _ => limit,
        };
        ExpectedBody { payload, permit, declared, is_some, max_bytes }
    }

    /// Credentials, rate and scope, in this order: who is calling, or what the request will be refused with.
    async fn admit(&mut self, route: &Route<S>) -> Result<Option<Principal>, ApiError> {
        let gate = &*self.worker.shared.gate;
        let scopes = match route.access {
            Access::Public => return Ok(None),
            Access::Session => {
                let token = match call::bearer(self.request.headers()) {
                    Presented::One(token) => token,
                    Presented::Nothing | Presented::Unusable => return Err(ApiError::session_required()),
                };
                let refused = || ApiError::invalid_token().with_challenge(Challenge::InvalidToken);
                let user_id = gate.authenticate_session(token).map_err(|_| refused())?;
                let principal = Principal { user_id, credential: Credential::Session };
                if self.wants_caller {
                    self.principal = Some(principal.clone());
                }
                self.count(gate.hit_person(user_id)).await?;
                return Ok(Some(principal));
            }
            Access::Key(scope) => ScopeSet::from_iter([scope]),
            Access::Keys(scopes) => ScopeSet::from_iter(scopes),
            Access::AnyKey | Access::JobPoll(_) => ScopeSet::default(),
        };
        if gate.is_stale() {
            return Err(ApiError::busy(
                RefusalReason::StoreUnavailable,
                "the database that knows the keys cannot be read",
                1,
            ));
        }
        let Some(principal) = self.presented_program().await? else {
            let challenge = match call::api_key(self.request.headers()) {
                Presented::Nothing => Challenge::Missing,
                Presented::One(_) | Presented::Unusable => Challenge::InvalidToken,
            };
            return Err(ApiError::unauthorized().with_challenge(challenge));
        };
        if let Some(access) = principal.access() {
            access.touch(self.now_ms);
            self.count(gate.hit_connection(access, self.started)).await?;
            if !scopes.iter().all(|scope| access.has(scope)) {
                return Err(call::missing_scopes(&principal, scopes));
            }
        }
        Ok(Some(principal))
    }

    /// The program whose API key or access token was presented, if it is accepted: the one way in for REST and tools.
    async fn presented_program(&mut self) -> Result<Option<Principal>, ApiError> {
        let request_headers = self.request.headers();
        let last = self.request.conn_data::<Rc<LastCredential>>();
        let parsed = match (last.and_then(|last| last.again(request_headers)), last) {
            (None, last) => {
                let Presented::One(text) = call::api_key(request_headers) else { return Ok(None) };
                last.map_or_else(|| PresentedCredential::parse(text), |last| last.parse(text))
            }
            (again, _) => again,
        };
        let gate = &*self.worker.shared.gate;
        let principal = match parsed {
            Some(PresentedCredential::Key(presented)) => gate.authenticate_key(&presented).map(Principal::by_key),
            // A token is presented in `Authorization` alone (OAuth 2.1, section 5.2.1).
            Some(PresentedCredential::Token(_)) if request_headers.contains_key(call::X_API_KEY) => None,
            Some(PresentedCredential::Token(presented)) => {
                let access = match gate.authenticate_token(&presented, self.request) {
                    TokenOutcome::Known(access) => access,
                    TokenOutcome::Pending(looking) => looking.await?,
                };
                access.map(Principal::by_token)
            }
            None => None,
        };
        if self.wants_caller {
            self.principal.clone_from(&principal);
        }
        Ok(principal)
    }

    /// Where no credential is needed for the answer (404, 405), one that is accepted is counted all the same.
    async fn count_if_accepted(&mut self) -> Result<(), ApiError> {
        let gate = &*self.worker.shared.gate;
        if gate.is_stale() {
            return Ok(());
        }
        match self.presented_program().await?.as_ref().and_then(Principal::access) {
            Some(access) => self.count(gate.hit_connection(access, self.started)).await,
            None => Ok(()),
        }
    }

    async fn count(&mut self, outcome: RateOutcome) -> Result<(), ApiError> {
        let decision = match outcome {
            RateOutcome::Decided(decision) => decision,
            RateOutcome::Pending(deciding) => deciding.await.ok_or_else(|| {
                ApiError::busy(RefusalReason::StoreUnavailable, "the shared rate limit cannot be read", 1)
            })?,
        };
        self.rate = Some(decision);
        if decision.allowed { Ok(()) } else { Err(ApiError::rate_limited(decision.reset_s)) }
    }

    /// Reserves the room that a request needs, or refuses it before its body is read. Under overload it waits some turns, with
    /// nothing read meanwhile, and takes what room there is after one of them.
    async fn find_room(
        &mut self,
        route: &Route<S>,
        caller: Option<Principal>,
        expected: &ExpectedBody,
    ) -> Result<Option<Principal>, ApiError> {
        let (Some(room), Some(principal)) = (route.room, &caller) else { return Ok(caller) };
        let state = &self.worker.shared.state;
        let mut reserved = room(state, principal, Look::First);
        if reserved.is_err() {
            if let Some(permit) = &expected.permit {
                permit.suspend();
            }
            self.has_waited = true;
            if let Some(wait) = self.worker.refusal_turns.place(expected.declared.unwrap_or_default()) {
                while reserved.is_err() && wait.turn().await {
                    reserved = room(state, principal, Look::First);
                }
            }
            if reserved.is_err() {
                reserved = room(state, principal, Look::Last);
            }
        }
        let reserved = reserved?;
        // What may be a repetition of a request under way needs no room of its own.
        if !self.request.headers().contains_key(call::IDEMPOTENCY_KEY) {
            self.reserved = Some(reserved);
        }
        Ok(caller)
    }

    /// Reads a body that is expected. A slow one loses the room that was reserved for it, so that nobody keeps others out
    /// by sending nothing.
    async fn collect(
        &mut self,
        incoming: &mut Incoming<'_>,
        (declared, optional): (Option<u64>, bool),
        sender: Sender,
    ) -> Result<Body, ApiError> {
        let mut collecting = pin!(incoming.collect(declared, optional, sender));
        if self.reserved.is_some() {
            if let Ok(body) = tokio::time::timeout(RESERVED_MAX, &mut collecting).await {
                return body;
            }
            self.reserved = None;
        }
        collecting.await
    }

    /// Whose share of the budget a body counts in.
    fn sender(&self, admission: &Result<Option<Principal>, ApiError>) -> Sender {
        match admission {
            Ok(Some(caller)) => Sender::Person(caller.user_id),
            _ => Sender::address(self.worker.shared.gate.address(self.request)),
        }
    }

    /// What is wrong with how a body is declared, if there is one.
    fn media_type(&self, has_body: bool) -> Result<(), ApiError> {
        if has_body { call::require_json(self.request.headers()) } else { Ok(()) }
    }

    /// Reads the body as the admission decides, and answers in the order of checks.
    async fn read(
        &mut self,
        expected: ExpectedBody,
        admission: Result<Option<Principal>, ApiError>,
        optional: bool,
    ) -> Result<(Option<Principal>, Body), ApiError> {
        let (declared, is_some, permit) = (expected.declared, expected.is_some, expected.permit.clone());
        let mut incoming = expected.incoming(&self.worker.shared.bodies);
        incoming.meter();
        let request_headers = self.request.headers();
        if call::is_encoded(request_headers) {
            // Its bytes are not the JSON text; whether that is well formed is not known, so no error is made of it.
            incoming.skip_check();
        }
        let sender = self.sender(&admission);
        let read = match admission {
            Ok(caller) => self.collect(&mut incoming, (declared, optional), sender).await.map(|body| (caller, body)),
            Err(refusal) => incoming.check_and_forget(optional).await.and(Err(refusal)),
        };
        self.let_go(permit.as_deref(), incoming.is_ended() || !is_some, discard_wait(&read));
        if let Err(error) = &read
            && error.code() == ErrorCode::InvalidJson
        {
            // This answer comes before credentials are looked at, as far as the caller can tell.
            self.rate = None;
        }
        read
    }

    /// Reads a body whose bytes the handler checks.
    async fn read_unchecked(
        &mut self,
        expected: ExpectedBody,
        admission: Result<Option<Principal>, ApiError>,
    ) -> Result<(Option<Principal>, Body), ApiError> {
        let (declared, is_some, permit) = (expected.declared, expected.is_some, expected.permit.clone());
        let mut incoming = expected.incoming(&self.worker.shared.bodies);
        incoming.meter();
        incoming.skip_check();
        let sender = self.sender(&admission);
        let read = match admission {
            Ok(caller) => incoming.collect(declared, true, sender).await.map(|body| (caller, body)),
            Err(refusal) => incoming.check_and_forget(true).await.and(Err(refusal)),
        };
        self.let_go(permit.as_deref(), incoming.is_ended() || !is_some, discard_wait(&read));
        read
    }

    /// Frees the connection for the next request, or lets its client send the rest of a body that is not read.
    fn let_go(&self, permit: Option<&ReadPermit>, is_over: bool, wait: Duration) {
        match permit {
            Some(permit) if is_over => permit.read_freely(),
            Some(permit) => self.discard_rest(permit, wait),
            None => {}
        }
    }

    /// Deals with a body that no handler reads: a small one is taken in, so that the connection can be used again.
    async fn set_aside(&self, expected: ExpectedBody) {
        let permit = expected.permit.clone();
        let small = expected.declared.is_none_or(|length| length <= UNWANTED_BODY_MAX_BYTES);
        let mut incoming = expected.incoming(&self.worker.shared.bodies);
        if small {
            incoming.meter();
            incoming.skip(UNWANTED_BODY_MAX_BYTES, UNWANTED_BODY_WAIT).await;
        }
        self.let_go(permit.as_deref(), incoming.is_ended(), DISCARD_WAIT);
    }

    /// Lets a client that is answered early go on sending for a while, so that it gets to read the answer.
    fn discard_rest(&self, permit: &ReadPermit, wait: Duration) {
        let bytes = self.worker.shared.bodies.limits.max_bytes.saturating_add(DISCARD_EXTRA_BYTES);
        permit.discard(bytes, wait);
        if let Some(connection) = self.request.conn_data::<Rc<Watched>>() {
            connection.end_within(wait);
        }
    }
}

/// How long the rest of a body is thrown away.
fn discard_wait<T>(read: &Result<T, ApiError>) -> Duration {
    let is_slow = read.as_ref().err().is_some_and(|error| error.code() == ErrorCode::RequestTimeout);
    if is_slow { DISCARD_WAIT_OF_SLOW } else { DISCARD_WAIT }
}

/// What the head of a request says about its body.
struct ExpectedBody {
    payload: Payload,
    permit: Option<Rc<ReadPermit>>,
    declared: Option<u64>,
    is_some: bool,
    max_bytes: u64,
}

impl ExpectedBody {
    fn incoming(self, bodies: &Bodies) -> Incoming<'_> {
        Incoming::new(self.payload, self.permit, bodies, self.max_bytes)
    }
}

/// The id that a caller gave a request, for the log: not where it may be a credential that was put in the wrong header.
fn client_request_id(request: &HttpRequest) -> Option<&str> {
    let id = request.headers().get(call::X_REQUEST_ID)?.to_str().ok()?;
    (!secret::may_be_in(id)).then_some(id)
}

/// A failure of ours is logged here; what is refused is told of by the observer.
fn log_failure(error: &ApiError, request_id: RequestId, request: &HttpRequest) {
    let (method, path) = (method_name(request.method()), request.path());
    let client_id = client_request_id(request);
    if error.code() == ErrorCode::InternalError {
        tracing::error!(
            request.id = request_id.as_str(),
            client.request_id = client_id,
            cause = error.cause(),
            "request failed: {method} {path}"
        );
    }
}

/// Methods are the caller's words: only known ones go into the log.
fn method_name(method: &Method) -> &str {
    match method.as_str() {
        known @ ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS") => known,
        _ => "OTHER",
    }
}

/// Lets requests in by published keys, sessions and windows.
pub struct ActorGate {
    /// Every actor.
    pub actors: Arc<Actors>,
    /// Web sessions.
    pub sessions: Arc<Sessions>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Whether access tokens are accepted.
    pub accepts_tokens: bool,
    /// Counts the access tokens that nobody was given.
    pub throttle: Arc<Throttle>,
    /// Proxies whose word on addresses counts.
    pub trusted_proxies: Vec<ipnet::IpNet>,
    /// How long published keys are trusted while the database cannot be read; `None` where no other process changes them.
    pub staleness_limit_ms: Option<u64>,
}

fn rate_outcome(hit: Hit) -> RateOutcome {
    match hit {
        Hit::Decided(decision) => RateOutcome::Decided(decision),
        Hit::Pending(deciding) => RateOutcome::Pending(deciding.map(Result::ok).boxed_local()),
    }
}

impl Gate for ActorGate {
    fn authenticate_key(&self, presented: &PresentedKey) -> Option<Arc<KeySnapshot>> {
        self.actors.keys.published.authenticate(presented)
    }

    fn authenticate_session(&self, token: &str) -> Result<UserId, SessionError> {
        self.sessions.verify(token, self.clock.as_ref()).map_err(|_| SessionError::Invalid)
    }

    fn authenticate_token(&self, presented: &PresentedToken, request: &HttpRequest) -> TokenOutcome {
        if !self.accepts_tokens {
            return TokenOutcome::Known(None);
        }
        let looking = match self.actors.grants.authenticate(presented) {
            TokenSearch::Known(access) => return TokenOutcome::Known(access),
            TokenSearch::Unknown(looking) => looking,
        };
        let address = self.address(request);
        let throttle = Arc::clone(&self.throttle);
        let look = async move {
            if let Some(seconds) = throttle.look_up_wait_s(address) {
                return Err(ApiError::busy(
                    RefusalReason::LoginQueue,
                    "too many tokens that nobody was given come from this address",
                    seconds,
                ));
            }
            let found = looking.await?;
            if found.is_none() {
                throttle.note_unknown_token(address);
            }
            Ok(found)
        };
        TokenOutcome::Pending(look.boxed_local())
    }

    fn is_accepted(&self, principal: &Principal) -> bool {
        match principal.connection() {
            Some(ConnectionId::Key(id)) => self.actors.keys.published.by_id(id).is_some(),
            Some(ConnectionId::Grant(id)) => self.actors.grants.is_accepted(id),
            None => true,
        }
    }

    fn address(&self, request: &HttpRequest) -> IpAddr {
        call::client_ip(request, &self.trusted_proxies).unwrap_or(call::UNKNOWN_ADDRESS)
    }

    fn hit_connection(&self, access: &ConnectionAccess, at: Instant) -> RateOutcome {
        rate_outcome(self.actors.limiter.hit_connection(access.id, &access.usage.window, at))
    }

    fn hit_person(&self, user_id: UserId) -> RateOutcome {
        rate_outcome(self.actors.limiter.hit_person(user_id))
    }

    fn rate_rule(&self) -> RateRule {
        self.actors.limiter.rule()
    }

    fn is_stale(&self) -> bool {
        self.staleness_limit_ms
            .is_some_and(|limit_ms| self.actors.keys.published.staleness_ms(self.clock.monotonic_ms()) > limit_ms)
    }
}

/// Runs a handler's future. Nothing it shares with others may be left half changed by a panic: handlers send messages
/// and read snapshots, both of which survive one.
///
/// Takes a pinned or boxed future, so that guarding never moves a large one.
fn guard<T>(future: impl Future<Output = Result<T, ApiError>> + Unpin) -> impl Future<Output = Result<T, ApiError>> {
    AssertUnwindSafe(future).catch_unwind().map(|outcome| outcome.unwrap_or_else(|panic| Err(panic_failure(&*panic))))
}

/// Calls something that may panic before it has a future.
fn guard_call<T>(make: impl FnOnce() -> T) -> Result<T, ApiError> {
    std::panic::catch_unwind(AssertUnwindSafe(make)).map_err(|panic| panic_failure(&*panic))
}

fn panic_failure(panic: &(dyn Any + Send)) -> ApiError {
    ApiError::internal(format!("panicked: {}", panic_text(panic)))
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let fixed = panic.downcast_ref::<&str>().copied();
    fixed.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("something that is not text")
}
