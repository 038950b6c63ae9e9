//! A server with a gate made of a map, and a client that speaks bytes.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use bookkeeping_suite::clock::{Clock, ManualClock};
use bookkeeping_suite::domain::caller;
use bookkeeping_suite::domain::caller::{
    ConnectionAccess, KeyHash, KeyPrefix, KeyReach, KeySnapshot, PresentedKey, Principal, RateRule, RateWindow, Scope,
};
use bookkeeping_suite::domain::ids::{ConnectionId, KeyId, UserId};
use bookkeeping_suite::domain::oauth::token::PresentedToken;
use bookkeeping_suite::domain::refusal_reason::RefusalReason;
use bookkeeping_suite::http::call::{Call, Gate, RateOutcome, SessionError, TokenOutcome};
use bookkeeping_suite::http::error::ApiError;
use bookkeeping_suite::http::route_table::{Access, BodyRule, Route};
use bookkeeping_suite::http::server::{Finished, Observer, Parts, ServerOptions};
use bookkeeping_suite::http::{BodyLimits, envelope, server};
use serde_json::{Value, json};

/// Bytes of a large answer, beside what is around them.
pub const LARGE_BYTES: usize = 2 << 20;
/// A token the test gate accepts as a session of person 9.
pub const SESSION: &str = "good-session";

pub struct TestGate {
    keys: HashMap<KeyPrefix, Arc<KeySnapshot>>,
    person: RateWindow,
    rule: RateRule,
    clock: Arc<ManualClock>,
    pub stale: AtomicBool,
    /// Whether everybody who was let in has been revoked since.
    pub revoked: AtomicBool,
    pub asks_others: AtomicBool,
}

impl Gate for TestGate {
    fn authenticate_key(&self, presented: &PresentedKey) -> Option<Arc<KeySnapshot>> {
        caller::verify_key(self.keys.get(&presented.prefix).cloned(), presented)
    }

    fn authenticate_token(&self, _: &PresentedToken, _: &HttpRequest) -> TokenOutcome {
        TokenOutcome::Known(None)
    }

    fn authenticate_session(&self, token: &str) -> Result<UserId, SessionError> {
        if token == SESSION { Ok(UserId(9)) } else { Err(SessionError::Invalid) }
    }

    fn is_accepted(&self, _: &Principal) -> bool {
        !self.revoked.load(Ordering::Relaxed)
    }

    fn address(&self, request: &HttpRequest) -> IpAddr {
        request.peer_addr().expect("a peer").ip()
    }

    fn hit_connection(&self, access: &ConnectionAccess, _: std::time::Instant) -> RateOutcome {
        let decision = access.usage.window.hit(self.rule, self.clock.monotonic_ms());
        if self.asks_others.load(Ordering::Relaxed) {
            return RateOutcome::Pending(Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(2)).await;
                Some(decision)
            }));
        }
        RateOutcome::Decided(decision)
    }

    fn hit_person(&self, _: UserId) -> RateOutcome {
        RateOutcome::Decided(self.person.hit(self.rule, self.clock.monotonic_ms()))
    }

    fn rate_rule(&self) -> RateRule {
        self.rule
    }

    fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Relaxed)
    }
}

#[derive(Default)]
pub struct Seen(pub Mutex<Vec<(Option<usize>, String, u16)>>);

impl Observer for Seen {
    fn finished(&self, finished: &Finished<'_>) {
        assert!((0.0..600.0).contains(&finished.took.as_secs_f64()));
        self.0.lock().unwrap().push((finished.route, finished.method.to_string(), finished.status));
    }

    fn message_answered(&self, _: &'static str, _: &'static str, _: &'static str, _: std::time::Duration) {}
}

pub struct TestServer {
    pub address: SocketAddr,
    pub gate: Arc<TestGate>,
    pub clock: Arc<ManualClock>,
    pub seen: Arc<Seen>,
    /// Holds every scope.
    pub full_key: String,
    /// Holds `books:read` only.
    pub read_key: String,
    handle: actix_web::dev::ServerHandle,
    runtime: Option<std::thread::JoinHandle<()>>,
}

pub struct Setup {
    pub limits: BodyLimits,
    pub rule: RateRule,
    pub workers: usize,
}

impl Default for Setup {
    fn default() -> Self {
        Self { limits: BodyLimits::default(), rule: RateRule { limit: 120, window_ms: 60_000 }, workers: 2 }
    }
}

pub fn start() -> TestServer {
    start_with(Setup::default())
}

pub fn start_with(setup: Setup) -> TestServer {
    start_routes(setup, test_routes())
}

pub fn start_routes(setup: Setup, routes: Vec<Route<()>>) -> TestServer {
    let clock = Arc::new(ManualClock::at_ms(1_800_000_000_000));
    let mut keys = HashMap::new();
    let mut add = |id: i64, scopes: &[Scope]| {
        let minted = caller::mint_key(|block| clock.fill_random(block));
        let presented = caller::parse_key(&minted.plaintext).unwrap();
        keys.insert(presented.prefix, Arc::new(snapshot(id, scopes, minted.hash)));
        minted.plaintext
    };
    let full_key = add(1, &Scope::ALL);
    let read_key = add(2, &[Scope::BooksRead]);
    let gate = Arc::new(TestGate {
        keys,
        person: RateWindow::default(),
        rule: setup.rule,
        clock: Arc::clone(&clock),
        stale: AtomicBool::new(false),
        revoked: AtomicBool::new(false),
        asks_others: AtomicBool::new(false),
    });
    let seen = Arc::new(Seen::default());
    let (sender, receiver) = std::sync::mpsc::channel();
    let options = ServerOptions {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        workers: setup.workers,
        header_timeout: Duration::from_secs(2),
        write_timeout: Duration::from_secs(1),
        shutdown_grace: Duration::from_secs(1),
        bodies: setup.limits,
        ..ServerOptions::default()
    };
    let parts = Parts {
        routes,
        state: Arc::new(()),
        gate: Arc::<TestGate>::clone(&gate),
        clock: Arc::<ManualClock>::clone(&clock),
        observer: Some(Arc::<Seen>::clone(&seen)),
    };
    let runtime = std::thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let bound = server::bind(options, parts).unwrap();
            sender.send((bound.address, bound.server.handle())).unwrap();
            bound.server.await.unwrap();
        });
    });
    let (address, handle) = receiver.recv().unwrap();
    TestServer { address, gate, clock, seen, full_key, read_key, handle, runtime: Some(runtime) }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
        let finished = self.runtime.take().map(std::thread::JoinHandle::join);
        if !std::thread::panicking() {
            finished.unwrap().unwrap();
        }
    }
}

fn snapshot(id: i64, scopes: &[Scope], hash: KeyHash) -> KeySnapshot {
    KeySnapshot {
        prefix: String::new(),
        hash,
        access: ConnectionAccess {
            id: ConnectionId::Key(KeyId(id)),
            user_id: UserId(id * 10),
            name: format!("key {id}"),
            scopes: scopes.iter().copied().collect(),
            granted: scopes.iter().copied().collect(),
            allow_overage: false,
            reach: KeyReach::All,
            usage: Arc::default(),
        },
    }
}

fn test_routes() -> Vec<Route<()>> {
    vec![
        Route::get("/health", "health", Access::Public, |_| async {
            envelope::json(StatusCode::OK, &json!({"ok": true}))
        }),
        Route::get("/whoami", "whoami", Access::AnyKey, whoami),
        Route::post("/echo", "echo", Access::Key(Scope::ReconcileWrite), echo),
        Route::post("/optional", "optional", Access::AnyKey, echo).body(BodyRule::OptionalJson),
        Route::post("/small", "small", Access::Public, echo).body(BodyRule::Json { max_bytes: Some(1024) }),
        Route::post("/session", "session", Access::Session, echo),
        Route::get("/session", "sessionShow", Access::Session, whoami),
        Route::get("/items/{id}", "item", Access::Key(Scope::ReconcileRead), item),
        Route::delete("/items/{id}", "itemDelete", Access::Key(Scope::BooksRead), item),
        Route::get("/jobs/{id}", "job", Access::JobPoll(Scope::ReconcileRead), item),
        Route::get("/panic", "panic", Access::AnyKey, |_| async { panic!("on purpose: secret-in-panic") }),
        Route::get("/panic-before", "panicBefore", Access::AnyKey, panics_before),
        Route::post("/panic", "panicPost", Access::AnyKey, |_| async { panic!("on purpose") }),
        Route::get("/broken", "broken", Access::AnyKey, |_| async { Err(ApiError::internal("secret-cause")) }),
        Route::get("/busy", "busy", Access::AnyKey, |_| async {
            Err(ApiError::busy(RefusalReason::StoreUnavailable, "the queue is full", 3))
        }),
        Route::get("/large", "large", Access::Public, |_| async {
            envelope::json(StatusCode::OK, &json!({ "text": "x".repeat(LARGE_BYTES) }))
        }),
    ]
}

async fn whoami(call: Call<()>) -> Result<HttpResponse, ApiError> {
    let caller = call.caller()?;
    let key = caller.connection().and_then(|connection| match connection {
        ConnectionId::Key(id) => Some(id),
        ConnectionId::Grant(_) => None,
    });
    envelope::json(StatusCode::OK, &json!({ "user_id": caller.user_id, "key_id": key, "query": call.query() }))
}

async fn echo(call: Call<()>) -> Result<HttpResponse, ApiError> {
    let key = call.idempotency_key()?.map(str::to_owned);
    envelope::json(StatusCode::OK, &json!({ "length": call.body.len(), "idempotency_key": key }))
}

async fn item(call: Call<()>) -> Result<HttpResponse, ApiError> {
    if call.parameter("id") == "missing" {
        return Err(ApiError::not_found());
    }
    let reads = call.access()?.has(Scope::ReconcileRead);
    envelope::json(StatusCode::OK, &json!({ "id": call.parameter("id"), "reads": reads }))
}

/// Panics when called, before there is a future.
fn panics_before(_: Call<()>) -> std::future::Ready<Result<HttpResponse, ApiError>> {
    panic!("on purpose, early")
}

/// An answer, taken apart.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    /// Status and code, after checking what every answer must have.
    pub fn checked(&self) -> (u16, String) {
        let id = self.header("x-request-id");
        assert!(id.starts_with("req_") && id.len() == 36, "{self:?}");
        if self.status < 400 {
            return (self.status, String::new());
        }
        let body = self.json();
        assert_eq!(body["request_id"], id, "{body}");
        assert_eq!(self.header("content-type"), "application/json");
        assert!(body["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{body}");
        assert_eq!(self.header("www-authenticate") == "Bearer", self.status == 401, "{self:?}");
        (self.status, self.code())
    }

    pub fn has_rate_headers(&self) -> bool {
        let names = ["ratelimit-limit", "ratelimit-policy", "ratelimit-remaining", "ratelimit-reset"];
        let count = names.iter().filter(|name| self.headers.contains_key(**name)).count();
        assert!(count == 0 || count == 4, "{self:?}");
        count == 4
    }
}

/// How long the server may be silent; no test depends on it.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// A connection that speaks bytes.
pub struct Client {
    pub stream: BufReader<TcpStream>,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(READ_TIMEOUT)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: BufReader::new(stream) }
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    /// Sends as far as the server lets it.
    pub fn send_if_possible(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.get_mut().write_all(bytes.as_ref()).is_ok()
    }

    /// Sends again and again, far below any rate, until the server answers.
    pub fn send_until_answered(&mut self, bytes: impl AsRef<[u8]>) -> Answer {
        let pause = Duration::from_millis(20);
        self.stream.get_ref().set_read_timeout(Some(pause)).unwrap();
        // An answer that has not begun after the pause is asked for again; a closed connection has one that can be read.
        while self.stream.fill_buf().is_err() {
            if !self.send_if_possible(&bytes) {
                break;
            }
        }
        self.stream.get_ref().set_read_timeout(Some(READ_TIMEOUT)).unwrap();
        self.answer()
    }

    /// Whether the server has taken everything that was sent out of the kernel's queues.
    pub fn all_is_read(&self) -> bool {
        let hex = |address: SocketAddr| {
            let SocketAddr::V4(address) = address else { panic!("{address} is not on the IPv4 loopback") };
            format!("{:08X}:{:04X}", u32::from_le_bytes(address.ip().octets()), address.port())
        };
        let stream = self.stream.get_ref();
        let (ours, theirs) = (hex(stream.local_addr().unwrap()), hex(stream.peer_addr().unwrap()));
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        // Columns: number, local address, remote address, state, bytes not acknowledged and bytes not read.
        let queues = |from: &str, to: &str| {
            let mut lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            lines.find(|words| words[1..3] == [from, to]).map(|words| words[4].to_owned())
        };
        let sent = queues(&ours, &theirs).is_some_and(|queues| queues.starts_with("00000000:"));
        sent && queues(&theirs, &ours).is_some_and(|queues| queues.ends_with(":00000000"))
    }

    /// A line of an answer, without its end.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub fn answer(&mut self) -> Answer {
        self.answer_to("GET")
    }

    pub fn answer_to(&mut self, method: &str) -> Answer {
        let mut first = self.line();
        while first == "HTTP/1.1 100 Continue" {
            self.line();
            first = self.line();
        }
        let status = first.split(' ').nth(1).unwrap_or_else(|| panic!("no status in {first:?}")).parse().unwrap();
        let mut headers = BTreeMap::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(": ") else { break };
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; if method == "HEAD" { 0 } else { length }];
        self.stream.read_exact(&mut body).unwrap();
        Answer { status, headers, body }
    }

    /// Whether the server has closed the connection and sent nothing more.
    pub fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        self.stream.read_to_end(&mut rest).is_ok_and(|_| rest.is_empty())
    }
}

/// One request on a connection of its own. `head` is the request line and headers, without `Host`, joined by `\n`.
pub fn exchange(address: SocketAddr, head: &str, body: impl AsRef<[u8]>) -> Answer {
    let mut client = Client::connect(address);
    client.send(request(head, body));
    client.answer_to(head.split(' ').next().unwrap())
}

/// The bytes of a request; `Content-Length` is added when there is a body and no other framing.
pub fn request(head: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut lines = head.lines();
    let mut text = format!("{} HTTP/1.1\r\nHost: test\r\n", lines.next().unwrap());
    for line in lines.filter(|line| !line.is_empty()) {
        text.push_str(line);
        text.push_str("\r\n");
    }
    let lower = text.to_ascii_lowercase();
    if !body.is_empty() && !lower.contains("content-length") && !lower.contains("transfer-encoding") {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    text.push_str("\r\n");
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// A body in chunks of a size.
pub fn chunked(body: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in body.chunks(size) {
        bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes
}
