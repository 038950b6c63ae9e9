//! Web pages of other origins: which of them may speak to routes that are for them, and what a browser must be told before it
//! lets them (the Fetch standard, section "HTTP-CORS protocol").

use actix_web::http::header::{self, HeaderMap, HeaderValue};

/// What a page may read of an answer beside what every page may.
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "WWW-Authenticate, X-Request-Id, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After",
);

/// The origins whose pages may speak to the service, as browsers write them.
#[derive(Debug, Clone)]
pub(super) struct Origins(Vec<String>);

impl Origins {
    /// These, or that of the public URL when there are none.
    pub(super) fn new(allowed: Vec<String>, base_url: &str) -> Self {
        if allowed.is_empty() { Self(vec![of_url(base_url)]) } else { Self(allowed) }
    }

    /// All of them.
    pub(super) fn all(&self) -> &[String] {
        &self.0
    }

    /// Whether pages of an origin may.
    pub(super) fn allow(&self, origin: &str) -> bool {
        self.0.iter().any(|allowed| allowed == origin)
    }

    /// Lets a page that may ask read the answer. Another page gets an answer its browser keeps from it.
    pub(super) fn expose(&self, origin: &HeaderValue, answer: &mut HeaderMap) {
        if origin.to_str().is_ok_and(|origin| self.allow(origin)) {
            answer.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            answer.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
        }
        answer.insert(header::VARY, HeaderValue::from_static("Origin"));
    }
}

/// The origin of a URL, as browsers write it; the URL itself when it has none.
pub(super) fn of_url(text: &str) -> String {
    match url::Url::parse(text) {
        Ok(url) if url.origin().is_tuple() => url.origin().ascii_serialization(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::Origins;

    #[test]
    fn origins_are_those_given_or_that_of_the_public_url() {
        for (base_url, origin) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("https://books.example/", "https://books.example"),
            ("https://Books.example:443/service", "https://books.example"),
        ] {
            let origins = Origins::new(Vec::new(), base_url);
            assert!(origins.allow(origin), "{base_url}");
            for other in ["null", "", "https://evil.example", "http://127.0.0.1", "https://books.example.evil"] {
                assert!(!origins.allow(other), "{other}");
            }
        }
        let origins = Origins::new(vec!["https://agent.example".to_owned()], "https://books.example");
        assert!(origins.allow("https://agent.example") && !origins.allow("https://books.example"));
    }
}
