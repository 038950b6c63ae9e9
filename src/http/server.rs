//! The public listener (the table, the gate and the limits put behind a socket) and the key that a connection presented last.

use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use actix_http::{HttpService, KeepAlive, Protocol};
use actix_service::{IntoServiceFactory as _, ServiceFactoryExt as _, fn_service, map_config};
use actix_web::App;
use actix_web::dev::{AppConfig, Server, ServiceRequest};
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap};
use bytes::Bytes;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;

use crate::clock::Clock;
use crate::domain::caller;
use crate::domain::caller::PresentedKey;
use crate::domain::oauth::token::{self, PresentedToken, TokenKind};
use crate::domain::refusal_reason::RefusalReason;
use crate::http::body::{Bodies, BodyLimits};
use crate::http::call::{Gate, RateHeaders};
use crate::http::connection::{Connection, Deadlines, Watch};
pub(super) use crate::http::connection::{FRUGAL_TURN_BYTES, ReadPermit, Watched, answered};
use crate::http::envelope::RequestIds;
use crate::http::origins::Origins;
use crate::http::refusal_turns::RefusalTurns;
use crate::http::route_table::{Route, RouteTable};
use crate::http::shared_text::Packed;
use crate::http::{call, dispatch, openapi};

/// What the system holds of answers that a client has not read, a connection; by itself it would hold megabytes.
const SEND_BUFFER_BYTES: u32 = 256 * 1024;
/// What is held of large answers that clients do not read, over all connections: 64 KiB for a thousand of them.
const UNREAD_BYTES_MAX: usize = 64 << 20;
/// Each worker may hold so much of that however many there are.
const UNREAD_BYTES_MIN: usize = 8 << 20;
/// Connections waiting to be accepted.
const BACKLOG: u32 = 4_096;
/// How long a client that was answered early is given to read the answer before the connection is closed.
const LINGER: Duration = Duration::from_secs(10);
/// Large bodies parsed at once.
const LARGE_PARSES: usize = 2;

/// A request that was answered.
#[derive(Clone, Copy)]
pub struct Finished<'a> {
    /// The index in [`RouteTable::routes`]; `None` for an unknown path or method.
    pub route: Option<usize>,
    /// Its method.
    pub method: &'a Method,
    /// The status of the answer.
    pub status: u16,
    /// From the head of the request to the head of the answer.
    pub took: Duration,
    /// When it came, in milliseconds since 1970.
    pub now_ms: i64,
    /// Its id.
    pub request_id: &'a str,
    /// The id that the caller gave it; only for observers that want callers.
    pub client_request_id: Option<&'a str>,
    /// The size of the answer, where it is known before it is sent.
    pub bytes: Option<u64>,
    /// The code of the error, if it failed.
    pub error: Option<&'static str>,
    /// Why it was refused with 429 or 503, and what only the log may know of that.
    pub refusal: Option<(RefusalReason, Option<&'a str>)>,
    /// Who called; only for observers that want callers.
    pub caller: Option<&'a caller::Principal>,
    /// The organisation in its path; only for observers that want callers.
    pub organisation: Option<i64>,
}

/// Called with every finished request; must be quick.
pub trait Observer: Send + Sync + 'static {
    /// A request was answered.
    fn finished(&self, finished: &Finished<'_>);

    /// Whether it is told who called, which costs a little.
    fn wants_callers(&self) -> bool {
        false
    }

    /// A message to the tool server was answered; `tool` is empty where none was called.
    fn message_answered(&self, method: &'static str, tool: &'static str, outcome: &'static str, took: Duration);
}

/// How the listener behaves.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Where to listen; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Threads that serve requests.
    pub workers: usize,
    /// Connections that are open at once; further ones wait to be accepted.
    pub max_connections: usize,
    /// How long an idle connection is kept.
    pub keep_alive: Duration,
    /// How long the head of a request may take.
    pub header_timeout: Duration,
    /// How long a client may read nothing of its answer.
    pub write_timeout: Duration,
    /// How long in-flight requests get when the server is stopped gracefully.
    pub shutdown_grace: Duration,
    /// The public URL, for `servers` of the OpenAPI document; `http://` and the bound address when empty.
    pub base_url: String,
    /// Origins whose pages may speak to routes that are for them; that of `base_url` when empty.
    pub allowed_origins: Vec<String>,
    /// Whether programs that are refused are told of the authorization server.
    pub oauth: bool,
    /// Limits of bodies.
    pub bodies: BodyLimits,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            workers: std::thread::available_parallelism().map_or(2, usize::from),
            max_connections: 50_000,
            keep_alive: Duration::from_secs(75),
            header_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            shutdown_grace: Duration::from_secs(20),
            base_url: String::new(),
            allowed_origins: Vec::new(),
            oauth: false,
            bodies: BodyLimits::default(),
        }
    }
}

/// What requests need beside the options.
pub struct Parts<S> {
    /// The table.
    pub routes: Vec<Route<S>>,
    /// What the product shares between requests.
    pub state: Arc<S>,
    /// Credentials and rate limits.
    pub gate: Arc<dyn Gate>,
    /// Time and randomness.
    pub clock: Arc<dyn Clock>,
    /// Metrics.
    pub observer: Option<Arc<dyn Observer>>,
}

/// A listener that is bound; it serves while `server` is awaited.
pub struct Bound<S> {
    /// The address, with the port that was picked.
    pub address: SocketAddr,
    /// Await it to serve; [`Server::handle`] stops it.
    pub server: Server,
    shared: Arc<Shared<S>>,
}

impl<S> Bound<S> {
    /// The table being served.
    pub fn table(&self) -> &RouteTable<S> {
        &self.shared.table
    }
}

/// What all workers share.
pub(super) struct Shared<S> {
    pub(super) state: Arc<S>,
    pub(super) gate: Arc<dyn Gate>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) observer: Option<Arc<dyn Observer>>,
    pub(super) table: RouteTable<S>,
    pub(super) bodies: Bodies,
    pub(super) large_parses: Semaphore,
    pub(super) origins: Origins,
    oauth: bool,
    base_url: String,
    openapi: OnceLock<Bytes>,
    packed_openapi: Packed,
}

impl<S> Shared<S> {
    /// The public URL of the authorization server, where there is one.
    pub(super) fn oauth_base_url(&self) -> Option<&str> {
        self.oauth.then_some(self.base_url.as_str())
    }

    /// The OpenAPI document, which is made when it is first asked for: most processes never are, and it takes longer than
    /// all else at a start.
    pub(super) fn openapi(&self) -> Bytes {
        let document = || Bytes::from(openapi::document_json(self.table.routes(), Some(&self.base_url)));
        self.openapi.get_or_init(document).clone()
    }

    /// The same beside its compressed form.
    pub(super) fn openapi_texts(&self) -> (Bytes, &Packed) {
        (self.openapi(), &self.packed_openapi)
    }
}

/// What one worker thread has for itself.
pub(super) struct Worker<S> {
    pub(super) shared: Arc<Shared<S>>,
    pub(super) request_ids: RequestIds,
    pub(super) rate_headers: RateHeaders,
    pub(super) refusal_turns: RefusalTurns,
}

impl<S> Worker<S> {
    fn new(shared: Arc<Shared<S>>) -> Self {
        let rate_headers = RateHeaders::new(shared.gate.rate_rule());
        Self { shared, request_ids: RequestIds::default(), rate_headers, refusal_turns: RefusalTurns::default() }
    }
}

/// Binds the listener. Must be called inside a runtime; nothing is served before `server` is awaited.
pub fn bind<S: Send + Sync + 'static>(options: ServerOptions, parts: Parts<S>) -> io::Result<Bound<S>> {
    let listener = listen_on(options.listen)?;
    bind_on(listener, options, parts)
}

/// The same with a listener that is bound already.
pub fn bind_on<S: Send + Sync + 'static>(
    listener: std::net::TcpListener,
    options: ServerOptions,
    parts: Parts<S>,
) -> io::Result<Bound<S>> {
    let ServerOptions {
        listen: _,
        workers,
        max_connections,
        keep_alive,
        header_timeout,
        write_timeout,
        shutdown_grace,
        base_url,
        allowed_origins,
        oauth,
        bodies,
    } = options;
    let Parts { routes, state, gate, clock, observer } = parts;
    let address = listener.local_addr()?;
    let base_url = if base_url.is_empty() { format!("http://{address}") } else { base_url };
    let table = RouteTable::new(routes);
    let shared = Arc::new(Shared {
        state,
        gate,
        clock,
        observer,
        table,
        bodies: Bodies::new(bodies),
        large_parses: Semaphore::new(LARGE_PARSES),
        origins: Origins::new(allowed_origins, &base_url),
        oauth,
        base_url,
        openapi: OnceLock::new(),
        packed_openapi: Packed::default(),
    });
    let for_workers = Arc::clone(&shared);
    let workers = workers.max(1);
    let connections_max = (max_connections / workers).max(1);
    let unread_bytes_max = (UNREAD_BYTES_MAX / workers).max(UNREAD_BYTES_MIN);
    let deadlines = Deadlines { head: header_timeout, write: write_timeout, connections_max, unread_bytes_max };
    let builder = Server::build()
        .workers(workers)
        .max_concurrent_connections(connections_max)
        .disable_signals()
        .shutdown_timeout(shutdown_grace.as_secs().max(1));
    let stopping = builder.graceful_shutdown_signal();
    let server = builder
        .listen("public", listener, move || {
            let worker = Rc::new(Worker::new(Arc::clone(&for_workers)));
            let app = App::new().default_service(fn_service(move |request: ServiceRequest| {
                dispatch::answer(Rc::clone(&worker), request)
            }));
            let app = app.into_factory().map_err(|error: actix_web::Error| error.error_response());
            let stopping = stopping.clone();
            let http = HttpService::<Connection, _, _>::build()
                .keep_alive(KeepAlive::Timeout(keep_alive))
                .client_request_timeout(header_timeout)
                .client_disconnect_timeout(LINGER)
                .graceful_shutdown_signal(move || {
                    let stopping = stopping.clone();
                    async move { stopping.notified().await }
                })
                .on_connect_ext(|connection: &Connection, data| {
                    data.insert(Rc::clone(connection.permit()));
                    data.insert(Rc::clone(connection.watched()));
                    data.insert(Rc::<LastCredential>::default());
                })
                .local_addr(address)
                .finish(map_config(app, |()| AppConfig::default()));
            let watch = Rc::new(Watch::new(deadlines));
            fn_service(move |stream: TcpStream| {
                // Answers are written whole, so waiting for more to send only delays them; without it they still go.
                let _best_effort = stream.set_nodelay(true);
                let peer = stream.peer_addr().ok();
                std::future::ready(Ok((Connection::new(stream, &watch), Protocol::Http1, peer)))
            })
            .and_then(http)
        })?
        .run();
    Ok(Bound { address, server, shared })
}

/// A socket that listens on an address. Must be called inside a runtime.
pub fn listen_on(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    // Connections have it from their listener.
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.bind(address)?;
    let listener: TcpListener = socket.listen(BACKLOG)?;
    listener.into_std()
}

/// A key or an access token that has the right form.
#[derive(Clone, Copy)]
pub(super) enum PresentedCredential {
    Key(PresentedKey),
    Token(PresentedToken),
}

impl PresentedCredential {
    /// Reads what a request presents; none when its form or checksum is wrong.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if token::is_access_token(text) {
            return token::parse(TokenKind::Access, text).map(|hash| Self::Token(PresentedToken(hash)));
        }
        caller::parse_key(text).map(Self::Key)
    }
}

/// What was last presented on a connection, as parsed. A client that keeps its connection presents the same key or token
/// with every request; whether it is still accepted is looked up each time.
#[derive(Default)]
pub(super) struct LastCredential(RefCell<Option<(String, PresentedCredential)>>);

impl LastCredential {
    /// What the headers present, where they say what was said last in the form that clients use.
    pub(super) fn again(&self, headers: &HeaderMap) -> Option<PresentedCredential> {
        let last = self.0.borrow();
        let (known, parsed) = last.as_ref()?;
        let mut values = headers.get_all(header::AUTHORIZATION);
        let token = values.next()?.as_bytes().strip_prefix(b"Bearer ")?;
        let is_same = token == known.as_bytes() && values.next().is_none() && !headers.contains_key(call::X_API_KEY);
        is_same.then_some(*parsed)
    }

    /// Reads what is presented like [`PresentedCredential::parse`].
    pub(super) fn parse(&self, text: &str) -> Option<PresentedCredential> {
        let mut last = self.0.borrow_mut();
        if let Some((_, parsed)) = last.as_ref().filter(|(known, _)| known == text) {
            return Some(*parsed);
        }
        let parsed = PresentedCredential::parse(text)?;
        *last = Some((text.to_owned(), parsed));
        Some(parsed)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderName;

    use super::*;

    #[test]
    fn each_key_that_a_connection_presents_is_read_anew_when_it_differs() {
        let keys = [1_u8, 2].map(|seed| caller::mint_key(|bytes| bytes.fill(seed)));
        let last = LastCredential::default();
        for key in [&keys[0], &keys[0], &keys[1], &keys[0]] {
            let Some(PresentedCredential::Key(parsed)) = last.parse(&key.plaintext) else { panic!("no key") };
            assert!(parsed.prefix == key.prefix.as_bytes() && parsed.hash == key.hash);
            assert!(last.parse(&key.plaintext[1..]).is_none());
        }
    }

    #[test]
    fn a_key_is_known_again_in_the_same_single_header_alone() {
        let keys = [1_u8, 2].map(|seed| caller::mint_key(|bytes| bytes.fill(seed)));
        let last = LastCredential::default();
        let known = |entries: &[(HeaderName, String)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in entries {
                headers.append(name.clone(), value.parse().unwrap());
            }
            last.again(&headers).is_some()
        };
        let [one, other] = [0, 1].map(|at: usize| (header::AUTHORIZATION, format!("Bearer {}", keys[at].plaintext)));
        let in_header_of_its_own = (call::X_API_KEY, keys[0].plaintext.clone());
        assert!(!known(std::slice::from_ref(&one)), "nothing was presented yet");
        assert!(last.parse(&keys[0].plaintext).is_some());
        assert!(known(std::slice::from_ref(&one)));
        let with_space = (header::AUTHORIZATION, format!("Bearer  {}", keys[0].plaintext));
        for entries in [
            vec![],
            vec![other.clone()],
            vec![with_space],
            vec![one.clone(), one.clone()],
            vec![one.clone(), other],
            vec![one, in_header_of_its_own.clone()],
            vec![in_header_of_its_own],
        ] {
            assert!(!known(&entries), "{entries:?}");
        }
    }
}
