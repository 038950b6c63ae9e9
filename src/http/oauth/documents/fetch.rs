//! Fetching a client's document. What is asked for was named by a stranger, so that the service must not be made to ask where the
//! stranger cannot (server-side request forgery; draft-ietf-oauth-client-id-metadata-document-02, section 8.6): the name is looked up once,
//! every address it has must be public, and the connection is made to what was checked. No proxy, no redirect, no cookie, no
//! connection that is kept; TLS is verified.

use std::io::{self, Read as _};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::{HeaderMap, Uri, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Connector as _, NextTimeout, RustlsConnector, TcpConnector};
use ureq::{Agent, Error};

use crate::domain::oauth::client_url::ClientUrl;
use crate::domain::oauth::document_age::{CacheHeaders, kept_ms};
use crate::domain::oauth::public_address::is_public;

/// The longest document.
const DOCUMENT_BYTES_MAX: usize = 8 * 1024;
/// The longest headers of an answer.
const HEADER_BYTES_MAX: usize = 16 * 1024;
/// How long a fetch may take, from the look-up of the name to the last byte.
const DEADLINE: Duration = Duration::from_secs(3);
const HTTPS_PORT: u16 = 443;
/// What is sent as `User-Agent`.
const USER_AGENT: &str = concat!("bookkeeping-suite/", env!("CARGO_PKG_VERSION"));

/// What documents are fetched over; tests put another in its place.
pub trait Network: std::fmt::Debug + Send + Sync {
    /// The addresses that a name has; asked once for each fetch.
    fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;

    /// Where the connection to an address that was checked is made; asked for no other.
    fn route(&self, checked: SocketAddr) -> SocketAddr;
}

/// The network of the machine: connections are made to what was checked.
#[derive(Debug)]
struct SystemNetwork;

impl Network for SystemNetwork {
    fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok((host, HTTPS_PORT).to_socket_addrs()?.map(|address| address.ip()).collect())
    }

    fn route(&self, checked: SocketAddr) -> SocketAddr {
        checked
    }
}

/// How documents are fetched.
#[derive(Debug, Clone)]
pub struct FetchOptions {
    /// Over what.
    pub network: Arc<dyn Network>,
    /// Whose certificates count.
    pub roots: RootCerts,
    /// How long one may take.
    pub deadline: Duration,
}

impl Default for FetchOptions {
    fn default() -> Self {
        Self { network: Arc::new(SystemNetwork), roots: RootCerts::WebPki, deadline: DEADLINE }
    }
}

/// A document that came.
pub(super) struct Fetched {
    pub(super) body: Vec<u8>,
    /// How long it is kept.
    pub(super) kept_ms: i64,
}

/// Why none came.
#[derive(Debug)]
pub(super) enum FetchFault {
    /// There is no such host, or not at a public address, or it did not answer in time and by TLS; the words are for the log alone,
    /// because they may tell of names and addresses within.
    Unreachable(String),
    /// What it answered is no document.
    Unusable(&'static str),
}

/// Fetches a document; blocks for no longer than the look-up of the name and the deadline.
pub(super) fn fetch(options: &FetchOptions, url: &ClientUrl, now_ms: i64) -> Result<Fetched, FetchFault> {
    let unreachable = |error: &dyn std::fmt::Display| FetchFault::Unreachable(error.to_string());
    let begun = Instant::now();
    let addresses = checked(options.network.as_ref(), url.host())?;
    let left = options.deadline.checked_sub(begun.elapsed()).filter(|left| !left.is_zero());
    let left = left.ok_or_else(|| unreachable(&"the name was not found in time"))?;
    let connector = ().chain(TcpConnector::default()).chain(RustlsConnector::default());
    let agent = Agent::with_parts(config(options, left), connector, Checked(addresses));
    let mut answer = agent.get(url.as_str()).call().map_err(|error| unreachable(&error))?;
    if answer.status().as_u16() != 200 {
        return Err(FetchFault::Unusable("it is not answered with status 200"));
    }
    let headers = answer.headers();
    if !is_json(headers) {
        return Err(FetchFault::Unusable("its Content-Type is neither application/json nor of the kind +json"));
    }
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(FetchFault::Unusable("it has a Content-Encoding"));
    }
    let one = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let cache_control: Vec<&str> =
        headers.get_all(header::CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok()).collect();
    let cache_control = cache_control.join(",");
    let cache_headers = CacheHeaders {
        cache_control: Some(&cache_control),
        age: one(header::AGE),
        expires: one(header::EXPIRES),
        date: one(header::DATE),
    };
    let kept_ms = kept_ms(cache_headers, now_ms);
    let mut body = Vec::new();
    let mut reader = answer.body_mut().as_reader().take(u64::try_from(DOCUMENT_BYTES_MAX + 1).unwrap_or(u64::MAX));
    reader.read_to_end(&mut body).map_err(|error| unreachable(&error))?;
    if body.len() > DOCUMENT_BYTES_MAX {
        return Err(FetchFault::Unusable("it is longer than 8 KB"));
    }
    Ok(Fetched { body, kept_ms })
}

/// Where a host is connected to, if all of its addresses are public: one that is not says that the name is not meant for strangers.
fn checked(network: &dyn Network, host: &str) -> Result<Vec<SocketAddr>, FetchFault> {
    let addresses = network.resolve(host).map_err(|error| FetchFault::Unreachable(error.to_string()))?;
    if let Some(inner) = addresses.iter().find(|address| !is_public(**address)) {
        return Err(FetchFault::Unreachable(format!("{inner} is not a public address")));
    }
    Ok(addresses.into_iter().map(|address| network.route(SocketAddr::new(address, HTTPS_PORT))).collect())
}

fn config(options: &FetchOptions, deadline: Duration) -> Config {
    let tls = TlsConfig::builder().root_certs(options.roots.clone()).build();
    Config::builder()
        .https_only(true)
        .http_status_as_error(false)
        .tls_config(tls)
        .proxy(None)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(USER_AGENT)
        .accept("application/json")
        .accept_encoding("identity")
        .max_response_header_size(HEADER_BYTES_MAX)
        .max_idle_connections(0)
        .timeout_global(Some(deadline))
        .build()
}

/// Whether an answer says, once, that it is JSON.
fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(media_type), None) = (types.next(), types.next()) else { return false };
    let essence = media_type.to_str().ok().and_then(|text| text.split(';').next()).unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    let subtype = essence.strip_prefix("application/").unwrap_or_default();
    subtype == "json" || subtype.strip_suffix("+json").is_some_and(|name| !name.is_empty())
}

/// Where connections are made: what was found and checked, whoever asks.
#[derive(Debug)]
struct Checked(Vec<SocketAddr>);

impl Resolver for Checked {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let mut found = self.empty();
        for address in &self.0 {
            // More than there is room for are not tried.
            if found.try_push(*address).is_err() {
                break;
            }
        }
        if found.is_empty() { Err(Error::HostNotFound) } else { Ok(found) }
    }
}
