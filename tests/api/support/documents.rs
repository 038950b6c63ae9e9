//! A site that serves documents of clients over TLS, and a network by which a server finds it: names have the addresses that a
//! test gives them, and connections to what the server checked are made to the site, on this machine.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bookkeeping_suite::http::oauth::documents::{FetchOptions, Network};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use ureq::tls::{Certificate, RootCerts};

use super::certificates::Authority;

/// The address of every name that a test gives no other.
const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34));
/// The names in the certificate of the site.
const NAMES: &str = "*.agents.example";
/// How long a fetch may take in tests: far longer than one takes, and no longer than a test can wait.
const DEADLINE: Duration = Duration::from_secs(2);

/// What the site does when it is asked for a path.
#[derive(Clone)]
pub enum Served {
    /// These bytes, then the end of the connection.
    Bytes(Vec<u8>),
    /// Nothing, until the asker goes.
    Silence,
    /// The bytes, then one more again and again, until the asker goes.
    Drip(Vec<u8>),
}

/// What the site does with a connection before anything is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Greeting {
    /// TLS by a certificate of the authority that the server trusts.
    Trusted,
    /// By one for another name.
    OtherName,
    /// By one of an authority that nobody knows.
    Unknown,
    /// By one whose time is over.
    Expired,
    /// No TLS: plain text.
    Plain,
    /// Nothing is said.
    Silence,
}

/// The state that site, network and test share.
#[derive(Default)]
struct Shared {
    served: BTreeMap<String, Served>,
    greeting: Option<Greeting>,
    /// The answers to the look-ups of a name, one after the other; the last stays.
    addresses: BTreeMap<String, Vec<Vec<IpAddr>>>,
    looked_up: Vec<String>,
    routed: Vec<SocketAddr>,
    requests: Vec<String>,
    connections: usize,
    /// Look-ups wait.
    is_held: bool,
    is_over: bool,
}

/// The site.
pub struct Site {
    shared: Arc<Mutex<Shared>>,
    released: Arc<Condvar>,
    address: SocketAddr,
    root: CertificateDer<'static>,
}

/// What was asked of the network and of the site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    pub looked_up: Vec<String>,
    pub routed: Vec<SocketAddr>,
    pub requests: Vec<String>,
    pub connections: usize,
}

fn locked(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Site {
    /// Starts one that serves nothing.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (authority, stranger) = (Authority::new("Trusted"), Authority::new("Unknown"));
        let root = authority.certificate();
        let config = |(chain, key): (CertificateDer<'static>, PrivateKeyDer<'static>)| {
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
            let builder = builder.expect("versions").with_no_client_auth();
            Arc::new(builder.with_single_cert(vec![chain], key).expect("a certificate"))
        };
        let configs = [
            (Greeting::Trusted, config(authority.issue(NAMES, 2100))),
            (Greeting::OtherName, config(authority.issue("*.others.example", 2100))),
            (Greeting::Unknown, config(stranger.issue(NAMES, 2100))),
            (Greeting::Expired, config(authority.issue(NAMES, 2021))),
        ];
        let shared = Arc::new(Mutex::new(Shared::default()));
        let of_thread = Arc::clone(&shared);
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                if locked(&of_thread).is_over {
                    return;
                }
                let Ok(connection) = connection else { continue };
                let greeting = {
                    let mut shared = locked(&of_thread);
                    shared.connections += 1;
                    shared.greeting.unwrap_or(Greeting::Trusted)
                };
                let config = configs.iter().find(|(known, _)| *known == greeting).map(|(_, config)| Arc::clone(config));
                let shared = Arc::clone(&of_thread);
                // However a connection ends, what it meant for the asker is what the test looks at.
                std::thread::spawn(move || drop(attend(connection, greeting, config, &shared)));
            }
        });
        Self { shared, released: Arc::default(), address, root }
    }

    /// How a server fetches documents from here.
    pub fn options(&self) -> FetchOptions {
        let root = Certificate::from_der(&self.root).to_owned();
        FetchOptions {
            network: Arc::new(SiteNetwork {
                shared: Arc::clone(&self.shared),
                released: Arc::clone(&self.released),
                site: self.address,
            }),
            roots: RootCerts::new_with_certs(&[root]),
            deadline: DEADLINE,
        }
    }

    /// Serves something at a path of every host.
    pub fn serve(&self, path: &str, served: Served) {
        locked(&self.shared).served.insert(path.to_owned(), served);
    }

    /// Serves JSON at an address.
    pub fn serve_json(&self, url: &str, document: &Value) {
        self.serve_with(url, "Content-Type: application/json\r\n", &document.to_string());
    }

    /// Serves a text with these headers at an address.
    pub fn serve_with(&self, url: &str, headers: &str, text: &str) {
        let answer = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {}\r\n\r\n{text}", text.len());
        self.serve(path_of(url), Served::Bytes(answer.into_bytes()));
    }

    /// Gives a name addresses.
    pub fn locate(&self, host: &str, addresses: &[&str]) {
        self.locate_in_turn(host, &[addresses]);
    }

    /// Gives a name these addresses when it is looked up first, those the next time, and so on.
    pub fn locate_in_turn(&self, host: &str, answers: &[&[&str]]) {
        let parsed = |addresses: &&[&str]| addresses.iter().map(|text| text.parse().expect("an address")).collect();
        locked(&self.shared).addresses.insert(host.to_owned(), answers.iter().map(parsed).collect());
    }

    /// Greets connections another way from now on.
    pub fn greet(&self, greeting: Greeting) {
        locked(&self.shared).greeting = Some(greeting);
    }

    /// Looking up names takes from now on until they are released.
    pub fn hold_names(&self) {
        locked(&self.shared).is_held = true;
    }

    /// Lets what waits, and what comes, be looked up.
    pub fn release_names(&self) {
        locked(&self.shared).is_held = false;
        self.released.notify_all();
    }

    /// How many names were looked up, or are being, since it was last asked what was.
    pub fn names_looked_up(&self) -> usize {
        locked(&self.shared).looked_up.len()
    }

    /// What was asked since the last time.
    pub fn asked(&self) -> Asked {
        let mut shared = locked(&self.shared);
        Asked {
            looked_up: std::mem::take(&mut shared.looked_up),
            routed: std::mem::take(&mut shared.routed),
            requests: std::mem::take(&mut shared.requests),
            connections: std::mem::take(&mut shared.connections),
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        locked(&self.shared).is_over = true;
        self.released.notify_all();
        // Wakes the thread that waits for connections.
        drop(TcpStream::connect(self.address));
    }
}

/// What a document of a client that may connect says, at least.
pub fn document(url: &str) -> Value {
    json!({ "client_id": url, "client_name": "Test agent", "redirect_uris": ["https://agent.example/callback"] })
}

/// The path and query of an address.
fn path_of(url: &str) -> &str {
    let rest = url.strip_prefix("https://").expect("https");
    &rest[rest.find('/').expect("a path")..]
}

/// The network of a server under test.
struct SiteNetwork {
    shared: Arc<Mutex<Shared>>,
    released: Arc<Condvar>,
    site: SocketAddr,
}

impl std::fmt::Debug for SiteNetwork {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SiteNetwork").finish()
    }
}

impl Network for SiteNetwork {
    fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let mut shared = locked(&self.shared);
        shared.looked_up.push(host.to_owned());
        let held = self.released.wait_while(shared, |shared| shared.is_held && !shared.is_over);
        let mut shared = held.unwrap_or_else(PoisonError::into_inner);
        match shared.addresses.get_mut(host) {
            Some(answers) if answers.len() > 1 => Ok(answers.remove(0)),
            Some(answers) => Ok(answers.first().cloned().unwrap_or_default()),
            None => Ok(vec![PUBLIC]),
        }
    }

    fn route(&self, checked: SocketAddr) -> SocketAddr {
        locked(&self.shared).routed.push(checked);
        self.site
    }
}

fn attend(
    mut connection: TcpStream,
    greeting: Greeting,
    config: Option<Arc<ServerConfig>>,
    shared: &Mutex<Shared>,
) -> io::Result<()> {
    let Some(config) = config else {
        if greeting == Greeting::Plain {
            connection
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")?;
        }
        return until_gone(&mut connection);
    };
    let tls = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut stream = StreamOwned::new(tls, connection);
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        request.push(byte[0]);
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let served = {
        let mut shared = locked(shared);
        shared.requests.push(request);
        shared.served.get(&path).cloned()
    };
    match served {
        Some(Served::Bytes(bytes)) => {
            stream.write_all(&bytes)?;
            stream.conn.send_close_notify();
            stream.flush()
        }
        Some(Served::Silence) => until_gone(&mut stream),
        Some(Served::Drip(bytes)) => {
            stream.write_all(&bytes)?;
            loop {
                // How slowly does not matter, as long as it never ends.
                std::thread::sleep(Duration::from_millis(20));
                stream.write_all(b" ")?;
                stream.flush()?;
            }
        }
        None => stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
    }
}

/// Says nothing until the other side is gone.
fn until_gone(stream: &mut impl io::Read) -> io::Result<()> {
    let mut bytes = [0; 512];
    while stream.read(&mut bytes)? > 0 {}
    Ok(())
}
