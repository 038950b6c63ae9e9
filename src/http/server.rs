//! The public listener (the table, the gate and the limits put behind a socket) and what belongs to a connection: how much
//! may be read from its socket, decided by the request being answered, and the key that it presented last.
//!
//! The server library reads ahead up to 128 KiB a connection, and goes on doing so while no handler takes the body. A
//! thousand refused uploads would then hold far more than is promised. So the socket is wrapped: each turn of a
//! connection reads a bounded piece and lets others go first, a request whose body waits reads nothing at all (TCP
//! makes the sender wait), and after an early answer only so much is thrown away before the connection is closed.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use actix_http::{HttpService, KeepAlive, Protocol};
use actix_service::{IntoServiceFactory as _, ServiceFactoryExt as _, fn_service, map_config};
use actix_web::App;
use actix_web::dev::{AppConfig, Server, ServiceRequest};
use actix_web::http::Method;
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;

use crate::clock::Clock;
use crate::domain::caller;
use crate::domain::caller::PresentedKey;
use crate::domain::oauth::token::{self, PresentedToken, TokenKind};
use crate::http::body::{Bodies, BodyLimits};
use crate::http::call::{Gate, RateHeaders};
use crate::http::envelope::RequestIds;
use crate::http::origins::Origins;
use crate::http::route_table::{Route, RouteTable};
use crate::http::{dispatch, openapi};

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
    pub refusal: Option<(&'a str, Option<&'a str>)>,
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
}

/// What one worker thread has for itself.
pub(super) struct Worker<S> {
    pub(super) shared: Arc<Shared<S>>,
    pub(super) request_ids: RequestIds,
    pub(super) rate_headers: RateHeaders,
}

impl<S> Worker<S> {
    fn new(shared: Arc<Shared<S>>) -> Self {
        let rate_headers = RateHeaders::new(shared.gate.rate_rule());
        Self { shared, request_ids: RequestIds::default(), rate_headers }
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
    });
    let for_workers = Arc::clone(&shared);
    let workers = workers.max(1);
    let builder = Server::build()
        .workers(workers)
        .max_concurrent_connections((max_connections / workers).max(1))
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
                    data.insert(Rc::<LastCredential>::default());
                })
                .local_addr(address)
                .finish(map_config(app, |()| AppConfig::default()));
            fn_service(|stream: TcpStream| async move {
                // Answers are written whole, so waiting for more to send only delays them; without it they still go.
                let _best_effort = stream.set_nodelay(true);
                let peer = stream.peer_addr().ok();
                Ok((Connection::new(stream), Protocol::Http1, peer))
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
    socket.bind(address)?;
    let listener: TcpListener = socket.listen(BACKLOG)?;
    listener.into_std()
}

/// What a connection may read per turn when no body is being metered: the head of a request, and a small body with it.
const OPEN_TURN_BYTES: usize = 4 * 1024;
/// The first read of such a turn: most requests fit, and what is read into is cleared before.
const FIRST_READ_BYTES: usize = 1024;
/// The most that is read per turn without letting the buffer of the server library grow. Larger allowances are for bodies
/// that are served.
pub(super) const FRUGAL_TURN_BYTES: usize = 7 * 1024;
/// The server library makes room in its buffer as soon as less than this is free: it takes back what was consumed, or
/// doubles the buffer when more than that is not consumed yet.
const FREE_BYTES_MIN: usize = 1024;

/// How much one connection may read, shared by its socket and by the request it carries (both live on one thread).
#[derive(Debug, Default)]
pub(super) struct ReadPermit {
    mode: Cell<Mode>,
    /// Whether something was read in this turn, which the server library has not seen yet.
    has_read: Cell<bool>,
}

#[derive(Debug, Clone, Copy)]
enum Mode {
    /// Between bodies: anything, but yielding after this many more bytes.
    Open { turn_left: usize },
    /// While a body is read: this many more bytes.
    Metered { left: usize },
    /// After an answer that left its body unread: thrown away within these bounds, then the end is pretended.
    Discard { left: u64, until: Instant },
}

impl Default for Mode {
    fn default() -> Self {
        Self::Open { turn_left: OPEN_TURN_BYTES }
    }
}

impl ReadPermit {
    /// Lets the connection read freely again.
    pub(super) fn read_freely(&self) {
        self.mode.set(Mode::default());
    }

    /// Lets the connection read so many bytes and then stop until the next call; the caller makes sure that it is
    /// polled again. Of up to [`FRUGAL_TURN_BYTES`] fewer may be read, so that the buffer does not grow.
    pub(super) fn allow(&self, bytes: usize) {
        self.mode.set(Mode::Metered { left: bytes });
        self.has_read.set(false);
    }

    /// Lets the connection read nothing until the next call.
    pub(super) fn suspend(&self) {
        self.allow(0);
    }

    /// Whether the last allowance is used up, so that only a new one makes the socket read on.
    pub(super) fn is_used_up(&self) -> bool {
        matches!(self.mode.get(), Mode::Metered { left: 0 })
    }

    /// Throws away what a client that was answered early still sends, within bounds.
    pub(super) fn discard(&self, bytes: u64, within: Duration) {
        self.mode.set(Mode::Discard { left: bytes, until: Instant::now() + within });
    }

    /// Pretends that the client has closed, so that the server library closes the connection once all is written
    /// instead of waiting for the client to do so.
    pub(super) fn hang_up(&self) {
        self.discard(0, Duration::ZERO);
    }

    /// How much may be read now into a buffer with so much room; `None` for none, `Some(0)` for "pretend the end".
    fn piece_bytes(&self, free_bytes: usize, context: &mut Context<'_>) -> Option<usize> {
        let allowed = match self.mode.get() {
            Mode::Metered { left: 0 } => return None,
            Mode::Discard { left, until } if left == 0 || Instant::now() >= until => return Some(0),
            Mode::Open { turn_left: OPEN_TURN_BYTES } => FIRST_READ_BYTES,
            Mode::Open { turn_left } => turn_left,
            Mode::Metered { left } => left,
            Mode::Discard { left, .. } => usize::try_from(left).unwrap_or(FRUGAL_TURN_BYTES).min(FRUGAL_TURN_BYTES),
        };
        if allowed > FRUGAL_TURN_BYTES {
            return Some(allowed);
        }
        if allowed > 0 && free_bytes >= 2 * FREE_BYTES_MIN {
            return Some(allowed.min(free_bytes - FREE_BYTES_MIN));
        }
        if allowed > 0 && !self.has_read.get() {
            // All before it is consumed and taken back when this is read: half of the room is then less than that.
            return Some(allowed.min(free_bytes / 2).max(1));
        }
        self.end_turn(context);
        None
    }

    /// Leaves what was read to the server library, and the processor to others.
    fn end_turn(&self, context: &mut Context<'_>) {
        self.has_read.set(false);
        match self.mode.get() {
            Mode::Open { .. } => {
                self.read_freely();
                yield_turn(context);
            }
            Mode::Metered { .. } => self.suspend(),
            Mode::Discard { .. } => yield_turn(context),
        }
    }

    fn count_read(&self, bytes: usize) {
        self.has_read.set(true);
        self.mode.set(match self.mode.get() {
            Mode::Open { turn_left } => Mode::Open { turn_left: turn_left.saturating_sub(bytes) },
            Mode::Metered { left } => Mode::Metered { left: left.saturating_sub(bytes) },
            Mode::Discard { left, until } => {
                Mode::Discard { left: left.saturating_sub(u64::try_from(bytes).unwrap_or(u64::MAX)), until }
            }
        });
    }

    fn socket_is_drained(&self) {
        self.has_read.set(false);
        if let Mode::Open { .. } = self.mode.get() {
            self.read_freely();
        }
    }
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

/// Asks to be polled again after everybody else, the network driver included, had a turn.
fn yield_turn(context: &mut Context<'_>) {
    let _pending = pin!(tokio::task::yield_now()).poll(context);
}

/// A socket that reads no more than its permit allows.
pub(super) struct Connection {
    stream: TcpStream,
    permit: Rc<ReadPermit>,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, permit: Rc::default() }
    }

    pub(super) fn permit(&self) -> &Rc<ReadPermit> {
        &self.permit
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let piece_bytes = match self.permit.piece_bytes(buffer.remaining(), context) {
            None => return Poll::Pending,
            Some(0) => return Poll::Ready(Ok(())),
            Some(piece_bytes) => piece_bytes,
        };
        let this = &mut *self;
        if buffer.remaining() <= piece_bytes {
            let before = buffer.filled().len();
            let Poll::Ready(outcome) = Pin::new(&mut this.stream).poll_read(context, buffer) else {
                this.permit.socket_is_drained();
                return Poll::Pending;
            };
            this.permit.count_read(buffer.filled().len() - before);
            return Poll::Ready(outcome);
        }
        // Clearing much for a socket that has nothing would be in vain.
        if piece_bytes > FIRST_READ_BYTES && this.stream.poll_read_ready(context)?.is_pending() {
            this.permit.socket_is_drained();
            return Poll::Pending;
        }
        // Only part of the buffer may be filled: read into a limited view of it.
        let mut limited = ReadBuf::new(buffer.initialize_unfilled_to(piece_bytes));
        let Poll::Ready(outcome) = Pin::new(&mut this.stream).poll_read(context, &mut limited) else {
            this.permit.socket_is_drained();
            return Poll::Pending;
        };
        outcome?;
        let taken = limited.filled().len();
        this.permit.count_read(taken);
        buffer.advance(taken);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use bytes::{Bytes, BytesMut};
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpListener;

    use super::*;

    /// Reads all there is, as the server library does: room is made before each read, and nothing is consumed meanwhile.
    fn read_available(connection: &mut Connection, buffer: &mut BytesMut, context: &mut Context<'_>) -> bool {
        loop {
            let free_bytes = buffer.capacity() - buffer.len();
            if free_bytes < FREE_BYTES_MIN {
                buffer.reserve(8 * 1024 - free_bytes);
            }
            let mut scratch = vec![0; buffer.capacity() - buffer.len()];
            let mut piece = ReadBuf::new(&mut scratch);
            match Pin::new(&mut *connection).poll_read(context, &mut piece) {
                Poll::Pending => return false,
                Poll::Ready(outcome) => outcome.unwrap(),
            }
            if piece.filled().is_empty() {
                return true;
            }
            buffer.extend_from_slice(piece.filled());
        }
    }

    /// How large the buffer of the server library grows while a body arrives in irregular pieces and is consumed turn by
    /// turn, beside a head that holds the first buffer.
    async fn largest_buffer() -> usize {
        let sent: Vec<u8> = (0..1_000_000_u32).map(|at| u8::try_from(at % 251).unwrap()).collect();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut sender = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let mut connection = Connection::new(listener.accept().await.unwrap().0);
        let to_send = sent.clone();
        let sending = tokio::spawn(async move {
            let mut rest = to_send.as_slice();
            for size in [1, 7_000, 900, 20_000, 1_100, 3_333, 64].into_iter().cycle() {
                let Some((piece, later)) = rest.split_at_checked(size) else { break };
                sender.write_all(piece).await.unwrap();
                rest = later;
                tokio::task::yield_now().await;
            }
            sender.write_all(rest).await.unwrap();
        });
        let permit = Rc::clone(connection.permit());
        let (mut buffer, mut received, mut largest) = (BytesMut::with_capacity(8 * 1024), Vec::new(), 0);
        let mut head = Bytes::new();
        permit.allow(FRUGAL_TURN_BYTES);
        poll_fn(|context| {
            let ended = read_available(&mut connection, &mut buffer, context);
            largest = largest.max(buffer.capacity());
            let consumed = buffer.split().freeze();
            received.extend_from_slice(&consumed);
            if head.is_empty() {
                head = consumed;
            }
            if permit.is_used_up() {
                permit.allow(FRUGAL_TURN_BYTES);
                context.waker().wake_by_ref();
            }
            if ended { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        sending.await.unwrap();
        assert!(received == sent);
        largest
    }

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

    #[tokio::test]
    async fn a_body_that_is_thrown_away_lets_no_buffer_grow() {
        assert!(largest_buffer().await < 10 * 1024);
    }
}
