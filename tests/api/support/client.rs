//! A blocking HTTP client that keeps status, headers and body, and checks on every answer what every answer must have:
//! `X-Request-Id`, the envelope of errors, and the rate-limit headers exactly where they belong.

use std::time::Duration;

use serde_json::{Map, Value};

use super::server::{ApiKey, Person};

const RATE_HEADERS: [&str; 4] = ["ratelimit-limit", "ratelimit-policy", "ratelimit-remaining", "ratelimit-reset"];

/// Talks to one server.
#[derive(Clone)]
pub struct Client {
    agent: ureq::Agent,
    base: String,
}

impl Client {
    pub fn new(base: &str) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_global(Some(Duration::from_secs(60)));
        Self { agent: config.build().into(), base: base.to_owned() }
    }

    pub fn get(&self, path: &str) -> Request {
        self.request("GET", path)
    }

    pub fn post(&self, path: &str) -> Request {
        self.request("POST", path)
    }

    pub fn delete(&self, path: &str) -> Request {
        self.request("DELETE", path)
    }

    pub fn request(&self, method: &str, path: &str) -> Request {
        let builder = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.base));
        Request {
            client: self.clone(),
            method: method.to_owned(),
            path: path.to_owned(),
            builder,
            body: None,
            has_type: false,
        }
    }

    /// `host:port`, for tests that speak to the socket themselves.
    pub fn address(&self) -> &str {
        self.base.trim_start_matches("http://")
    }
}

/// A request being put together.
pub struct Request {
    client: Client,
    method: String,
    path: String,
    builder: ureq::http::request::Builder,
    body: Option<Vec<u8>>,
    has_type: bool,
}

impl Request {
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.has_type |= name.eq_ignore_ascii_case("content-type");
        self.builder = self.builder.header(name, value);
        self
    }

    /// Adds to the query string.
    pub fn query(mut self, query: &str) -> Self {
        self.path.push(if self.path.contains('?') { '&' } else { '?' });
        self.path.push_str(query);
        self.builder = self.builder.uri(format!("{}{}", self.client.base, self.path));
        self
    }

    /// Presents an API key as `Authorization: Bearer`.
    pub fn key(self, key: &ApiKey) -> Self {
        self.bearer(&key.plaintext)
    }

    /// Presents a person's web session.
    pub fn session(self, person: &Person) -> Self {
        self.bearer(&person.session)
    }

    pub fn bearer(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    pub fn idempotency_key(self, key: &str) -> Self {
        self.header("Idempotency-Key", key)
    }

    pub fn json(self, body: &Value) -> Self {
        self.body(body.to_string())
    }

    /// A body as it is; `Content-Type: application/json` unless another one was set before.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        if !self.has_type {
            self = self.header("Content-Type", "application/json");
        }
        self.body = Some(body.into());
        self
    }

    #[track_caller]
    pub fn send(self) -> Answer {
        let (method, path) = (self.method.clone(), self.path.clone());
        let answer = self.send_plain();
        answer.check_what_every_answer_has(&method, &path);
        answer
    }

    /// Without the checks of the public contract: for the operators' listener.
    #[track_caller]
    pub fn send_plain(self) -> Answer {
        let Self { client, method, path, builder, body, .. } = self;
        let shown = format!("{method} {path}");
        let answer = match body {
            Some(body) => client.agent.run(builder.body(body).expect("a request")),
            None => client.agent.run(builder.body(()).expect("a request")),
        };
        let mut answer = answer.unwrap_or_else(|error| panic!("{shown}: {error}"));
        let headers = answer.headers().iter().map(|(name, value)| {
            let text = value.to_str().unwrap_or_else(|_| panic!("{shown}: the header {name} is not text"));
            (name.as_str().to_owned(), text.to_owned())
        });
        let headers: Vec<(String, String)> = headers.collect();
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(1 << 30).read_to_vec().expect("a body");
        Answer { shown, status, headers, body }
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    shown: String,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// A header that holds a whole number.
    #[track_caller]
    pub fn number(&self, name: &str) -> u64 {
        let text = self.header(name).unwrap_or_else(|| panic!("{self}: no {name}"));
        text.parse().unwrap_or_else(|_| panic!("{self}: {name}: {text} is not a whole number"))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON, null when it is not.
    pub fn value(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The body of an answer that must have this status.
    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self}");
        assert_eq!(self.header("content-type"), Some("application/json"), "{self}");
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{self}: {error}"))
    }

    /// The `error` of an answer that must be this refusal.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> Value {
        let body = self.expect(status);
        assert_eq!(body["error"]["code"], code, "{self}");
        body["error"].clone()
    }

    /// The `details` of an answer that must be this refusal.
    #[track_caller]
    pub fn details(&self, status: u16, code: &str) -> Value {
        self.refused(status, code)["details"].clone()
    }

    /// The paths in `details.issues` of a 400 `validation_error`, after checking the shape of each issue.
    #[track_caller]
    pub fn issue_paths(&self) -> Vec<String> {
        let details = self.details(400, "validation_error");
        let issues = details["issues"].as_array().unwrap_or_else(|| panic!("{self}: no issues"));
        assert_eq!(details["issue_count"].as_u64(), u64::try_from(issues.len()).ok(), "{self}");
        assert!(!issues.is_empty(), "{self}");
        let path = |issue: &Value| {
            assert_eq!(keys(issue), ["field", "message", "path", "row", "section"], "{self}");
            assert!(issue["message"].as_str().is_some_and(|message| !message.is_empty()), "{self}");
            issue["path"].as_str().unwrap_or_else(|| panic!("{self}: a path is not text")).to_owned()
        };
        issues.iter().map(path).collect()
    }

    #[track_caller]
    fn check_what_every_answer_has(&self, method: &str, path: &str) {
        let id = self.header("x-request-id").unwrap_or_else(|| panic!("{self}: no X-Request-Id"));
        let unique = id.strip_prefix("req_").unwrap_or_else(|| panic!("{self}: the id {id} does not start with req_"));
        let unique = uuid::Uuid::parse_str(unique).unwrap_or_else(|error| panic!("{self}: {id}: {error}"));
        assert_eq!(unique.get_version_num(), 7, "{self}: {id}");
        let mut code = String::new();
        // What is wrong with a message of the tool server is said in the form of its protocol.
        let is_message =
            path.starts_with("/mcp") && self.text().starts_with("{") && self.value().get("jsonrpc").is_some();
        if self.status >= 400 && !is_message {
            let body = self.expect(self.status);
            assert_eq!(keys(&body), ["error", "request_id"], "{self}");
            assert_eq!(body["request_id"], id, "{self}: the envelope repeats the id of the header");
            let error = &body["error"];
            assert!(
                matches!(keys(error).as_slice(), [c, m] | [c, _, m] if c == "code" && m == "message"),
                "{self}: keys of the error"
            );
            assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{self}");
            error["code"].as_str().unwrap_or_default().clone_into(&mut code);
        }
        self.check_rate_headers(method, path, &code);
    }

    /// On every answer given after a credential was accepted; never with 401, `invalid_json`, health or what browsers ask.
    #[track_caller]
    fn check_rate_headers(&self, method: &str, path: &str, code: &str) {
        let there = RATE_HEADERS.iter().filter(|name| self.header(name).is_some()).count();
        let is_public = method == "OPTIONS" && path.starts_with("/mcp")
            || path.starts_with("/api/v1/health")
            || !["/api/v1/", "/mcp", "/app/v1/connections"].iter().any(|counted| path.starts_with(counted));
        let is_no_json = code == "invalid_json" || path.starts_with("/mcp") && self.text().contains("-32700");
        if is_public || self.status == 401 || is_no_json {
            assert_eq!(there, 0, "{self}: rate-limit headers where none belong");
        } else if !matches!(self.status, 404 | 405 | 408 | 413 | 500 | 503) {
            // Those of the list may be said before anybody was recognised; their own tests look closer.
            assert_eq!(there, 4, "{self}: rate-limit headers are missing");
            assert!(self.number("ratelimit-reset") >= 1, "{self}");
        }
        if self.status == 429 && path.starts_with("/api/v1/") {
            assert_eq!(self.number("retry-after"), self.number("ratelimit-reset"), "{self}");
        }
        if self.status == 503 {
            assert!(self.number("retry-after") >= 1, "{self}");
        }
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = self.text();
        let shown: String = text.chars().take(2_000).collect();
        write!(formatter, "{} answered {} {shown}", self.shown, self.status)
    }
}

/// The keys of an object, sorted; none for anything else.
pub fn keys(value: &Value) -> Vec<String> {
    let mut keys: Vec<String> = value.as_object().map(Map::keys).into_iter().flatten().cloned().collect();
    keys.sort();
    keys
}
