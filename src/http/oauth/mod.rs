//! The authorization server (OAuth 2.1) and its pages: registration (RFC 7591), documents of clients, metadata (RFC 8414, RFC 9728), authorization with
//! proof keys, tokens, revocation (RFC 7009), and what a person has connected. Every URL it names begins with the public one of
//! the settings; the `Host` of a request counts for nothing.

pub mod authorize;
pub mod challenge;
mod client_metadata;
pub mod connections;
pub mod documents;
mod failure;
mod form;
pub mod metadata;
pub mod pages;
pub mod register;
pub mod sign_in;
pub mod token;

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};

use super::call::Call;
use super::error::ApiError;
use super::products::Products;
use crate::domain::oauth::lifetimes::Lifetimes;

pub(super) use failure::answer_in_own_form;

/// What strangers may send: forms, and what a client says of itself.
pub const BODY_BYTES_MAX: u64 = 16 * 1024;

/// Settings of the authorization server.
#[derive(Debug, Clone)]
pub struct OAuthOptions {
    /// How long what is granted lasts.
    pub lifetimes: Lifetimes,
    /// Registrations of clients by one address.
    pub registrations_per_hour: u64,
    /// Private schemes of redirect URIs.
    pub redirect_schemes: Vec<String>,
    /// Whether it is there: not where tokens would cross a network in plain text.
    pub is_on: bool,
}

/// Whether connections by OAuth are offered at a public URL: over TLS, or within the machine.
pub fn is_offered_at(base_url: &str) -> bool {
    base_url.starts_with("https://") || is_within_the_machine(base_url)
}

fn is_within_the_machine(base_url: &str) -> bool {
    let url = url::Url::parse(base_url).ok().filter(|url| url.scheme() == "http");
    match url.as_ref().and_then(url::Url::host) {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether no cache may keep an answer at a path, whoever makes it.
pub(super) fn is_never_cached(path: &str) -> bool {
    // Pages, what is said at log-in, keys with their secrets, tokens.
    ["/app/", "/api/v1/keys", "/oauth/", "/.well-known/oauth-"].iter().any(|start| path.starts_with(start))
}

/// The public URL; 404 where connections by OAuth are not offered.
fn base_url(call: &Call<Products>) -> Result<&str, ApiError> {
    let base_url = call.state().base_url.get().filter(|_| call.state().oauth.is_on);
    base_url.map(String::as_str).ok_or_else(ApiError::not_found)
}

/// What tokens are for: the whole service, by any of its three names (RFC 8707). None for a foreign one.
fn resource(base_url: &str, asked: &[String]) -> Option<String> {
    let is_own = |asked: &String| {
        let rest = asked.strip_prefix(base_url).map(|rest| rest.strip_suffix('/').unwrap_or(rest));
        rest.is_some_and(|rest| matches!(rest, "" | "/mcp" | "/api/v1"))
    };
    asked.iter().all(is_own).then(|| asked.first().cloned().unwrap_or_else(|| format!("{base_url}/mcp")))
}

/// An answer that no cache keeps.
fn unstored(status: StatusCode, body: impl Into<BoxBody>, media_type: &'static str) -> HttpResponse {
    let mut answer = HttpResponse::with_body(status, body.into());
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// JSON that programs of any origin may read: nothing of it depends on a cookie.
fn json(status: StatusCode, value: &serde_json::Value) -> HttpResponse {
    let mut answer = unstored(status, BoxBody::new(value.to_string()), "application/json");
    answer.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    answer
}

/// 303: the browser goes on with GET, so that no form is sent a second time (RFC 9700, section 4.12).
fn see_other(target: &str) -> Result<HttpResponse, ApiError> {
    let mut answer = unstored(StatusCode::SEE_OTHER, BoxBody::new(()), "text/plain");
    let headers = answer.headers_mut();
    headers.remove(header::CONTENT_TYPE);
    headers.insert(header::LOCATION, HeaderValue::from_str(target).map_err(ApiError::internal)?);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    Ok(answer)
}

/// `OPTIONS` of what programs in browsers ask: any origin may, because no cookie counts there.
pub async fn preflight(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    base_url(&call)?;
    let mut answer = HttpResponse::new(StatusCode::NO_CONTENT);
    let headers = answer.headers_mut();
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, Content-Type, MCP-Protocol-Version"),
        (header::ACCESS_CONTROL_MAX_AGE, "7200"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_do_not_cross_a_network_in_plain_text() {
        for offered in ["https://books.example", "http://127.0.0.1:8080", "http://[::1]:1", "http://localhost:8080"] {
            assert!(is_offered_at(offered), "{offered}");
        }
        for refused in
            ["http://books.example", "http://10.0.0.1", "http://0.0.0.0:8080", "http://localhost.example", ""]
        {
            assert!(!is_offered_at(refused), "{refused}");
        }
    }

    #[test]
    fn tokens_are_for_this_service_alone() {
        let base = "https://books.example";
        let asked = |texts: &[&str]| resource(base, &texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        for own in [
            "https://books.example",
            "https://books.example/",
            "https://books.example/mcp",
            "https://books.example/api/v1",
        ] {
            assert_eq!(asked(&[own]).as_deref(), Some(own));
        }
        assert_eq!(asked(&[]).as_deref(), Some("https://books.example/mcp"));
        for foreign in
            ["https://books.example.evil", "https://books.example/other", "http://books.example/mcp", "", "mcp"]
        {
            assert_eq!(asked(&[foreign]), None, "{foreign}");
            assert_eq!(asked(&[base, foreign]), None, "{foreign}");
        }
    }
}
