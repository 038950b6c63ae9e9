//! Connections by OAuth, as clients, browsers and people meet them: the flow from registration to revocation, and a test for each
//! threat of the list in RFC 9700 and of the tool protocol's security page.

mod attacks;
mod authorizing;
mod bound;
mod consenting;
mod document_limits;
mod documents;
mod exchanging;
mod flow;
mod gate;
mod hostile;
mod hostile_documents;
mod redirecting;
mod registering;
mod secrecy;
mod signing_in;

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::client::{Answer, Request};
use crate::support::server::{ApiKey, Person, TestServer};

/// Where the client of most tests is sent back to.
pub const REDIRECT_URI: &str = "https://agent.example/callback";
/// What it sends with the code.
pub const VERIFIER: &str = "a-verifier-that-is-long-enough-for-the-standard-0123456789";
/// The value it gets back.
pub const STATE: &str = "state of the client & more";
/// What a first connection asks for.
pub const FIRST_SCOPES: &str = "books:read books:write coding:read coding:write";

/// The challenge of a verifier.
pub fn challenge(verifier: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

/// Text as it stands in a query or a form.
pub fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Parameters as a query or a form.
pub fn pairs(parameters: &[(&str, &str)]) -> String {
    let pairs: Vec<String> =
        parameters.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
    pairs.join("&")
}

/// Parameters that replace others.
pub type Changes<'a> = Vec<(&'a str, &'a str)>;

/// The parameters with some replaced; an empty value leaves one out.
pub fn with<'a>(parameters: &[(&'a str, &'a str)], changes: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut all: Vec<_> =
        parameters.iter().copied().filter(|(name, _)| changes.iter().all(|(changed, _)| changed != name)).collect();
    all.extend(changes.iter().copied().filter(|(_, value)| !value.is_empty()));
    all
}

/// Registers a client.
pub fn register(server: &TestServer, body: &Value) -> Answer {
    server.client.post("/oauth/register").json(body).send_plain()
}

/// A public client that is sent back to a URI.
#[track_caller]
pub fn client_at(server: &TestServer, redirect_uri: &str) -> String {
    let answer = register(server, &json!({ "redirect_uris": [redirect_uri], "client_name": "Test agent" })).expect(201);
    answer["client_id"].as_str().expect("an id").to_owned()
}

/// What a well-behaved client sends its person with.
pub fn request_of<'a>(client_id: &'a str, challenge: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("response_type", "code"),
        ("client_id", client_id),
        ("redirect_uri", REDIRECT_URI),
        ("scope", FIRST_SCOPES),
        ("state", STATE),
        ("code_challenge", challenge),
        ("code_challenge_method", "S256"),
    ]
}

/// A request with the cookie of somebody who is signed in.
pub fn as_person(request: Request, person: &Person) -> Request {
    request.header("Cookie", &format!("bookkeeping_session={}", person.session))
}

/// `GET /oauth/authorize` of somebody who is signed in.
pub fn authorize(server: &TestServer, person: &Person, query: &str) -> Answer {
    as_person(server.client.get(&format!("/oauth/authorize?{query}")), person).send_plain()
}

/// A form, as browsers and clients send it.
pub fn form(server: &TestServer, path: &str, parameters: &[(&str, &str)]) -> Request {
    let request = server.client.post(path).header("Content-Type", "application/x-www-form-urlencoded");
    request.body(pairs(parameters))
}

/// The value of a hidden field of a page.
#[track_caller]
pub fn hidden(page: &Answer, name: &str) -> String {
    let text = page.text();
    let start = format!("name=\"{name}\" value=\"");
    let at = text.find(&start).unwrap_or_else(|| panic!("{page}: no field {name}")) + start.len();
    text[at..].split('"').next().expect("a value").to_owned()
}

/// The parameters of the URI that an answer leads to, which must be at this address.
#[track_caller]
pub fn led_to(answer: &Answer, redirect_uri: &str) -> BTreeMap<String, String> {
    assert_eq!(answer.status, 303, "{answer}");
    let target = answer.header("location").unwrap_or_else(|| panic!("{answer}: no Location"));
    let rest = target.strip_prefix(redirect_uri).unwrap_or_else(|| panic!("{answer}: leads to {target}"));
    let query = rest.strip_prefix(['?', '&']).unwrap_or_else(|| panic!("{target}"));
    url::form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

/// What a person ticks on the page.
#[derive(Clone)]
pub struct Ticks<'a> {
    pub scopes: &'a [&'a str],
    /// None for every organisation.
    pub organisations: Option<&'a [i64]>,
}

/// The answer to the form of a page.
pub fn decide(server: &TestServer, person: &Person, page: &Answer, decision: &str, ticks: &Ticks<'_>) -> Answer {
    let (request, csrf) = (hidden(page, "request"), hidden(page, "csrf"));
    let organisations: Vec<String> = ticks.organisations.unwrap_or_default().iter().map(i64::to_string).collect();
    let mut parameters = vec![("request", &*request), ("csrf", &*csrf), ("decision", decision)];
    parameters.push(("reach", if ticks.organisations.is_some() { "chosen" } else { "all" }));
    parameters.extend(organisations.iter().map(|id| ("organisation_id", &**id)));
    parameters.extend(ticks.scopes.iter().map(|scope| ("scope", *scope)));
    as_person(form(server, "/oauth/authorize", &parameters), person).send_plain()
}

/// A code for a client, allowed by a person who ticked this.
#[track_caller]
pub fn code_for(server: &TestServer, person: &Person, client_id: &str, ticks: &Ticks<'_>) -> String {
    let scope = ticks.scopes.join(" ");
    let challenge = challenge(VERIFIER);
    let request = with(&request_of(client_id, &challenge), &[("scope", &scope)]);
    let page = authorize(server, person, &pairs(&request));
    assert_eq!(page.status, 200, "{page}");
    let answer = decide(server, person, &page, "allow", ticks);
    let parameters = led_to(&answer, REDIRECT_URI);
    assert_eq!(parameters.get("state").map(String::as_str), Some(STATE), "{parameters:?}");
    assert_eq!(parameters.get("iss").map(String::as_str), Some(server.url()), "{parameters:?}");
    parameters.get("code").unwrap_or_else(|| panic!("{parameters:?}")).clone()
}

/// What redeems a code.
pub fn redemption<'a>(client_id: &'a str, code: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("grant_type", "authorization_code"),
        ("client_id", client_id),
        ("code", code),
        ("code_verifier", VERIFIER),
        ("redirect_uri", REDIRECT_URI),
    ]
}

/// `POST /oauth/token`.
pub fn token(server: &TestServer, parameters: &[(&str, &str)]) -> Answer {
    let answer = form(server, "/oauth/token", parameters).send_plain();
    assert_eq!(answer.header("cache-control"), Some("no-store"), "{answer}");
    answer
}

/// `POST /oauth/token` with a refresh token.
pub fn refresh(server: &TestServer, client_id: &str, refresh_token: &str) -> Answer {
    token(server, &[("grant_type", "refresh_token"), ("client_id", client_id), ("refresh_token", refresh_token)])
}

/// The error of a refusal of the authorization server.
#[track_caller]
pub fn refused(answer: &Answer, status: u16, error: &str) {
    let body = answer.expect(status);
    assert_eq!(body["error"], error, "{answer}");
    assert!(body["error_description"].as_str().is_some_and(|words| !words.is_empty()), "{answer}");
    assert!(answer.header("x-request-id").is_some(), "{answer}");
}

/// A connection that was made.
#[derive(Clone)]
pub struct Connected {
    pub client_id: String,
    pub access: String,
    pub refresh: String,
}

impl Connected {
    fn of(client_id: &str, tokens: &Value) -> Self {
        let text = |name: &str| tokens[name].as_str().unwrap_or_else(|| panic!("{tokens}: no {name}")).to_owned();
        Self { client_id: client_id.to_owned(), access: text("access_token"), refresh: text("refresh_token") }
    }

    /// The connection with an access token that may do less.
    #[track_caller]
    pub fn narrowed(&self, server: &TestServer, scope: &str) -> Self {
        let refresh = [
            ("grant_type", "refresh_token"),
            ("client_id", &*self.client_id),
            ("refresh_token", &*self.refresh),
            ("scope", scope),
        ];
        Self::of(&self.client_id, &token(server, &refresh).expect(200))
    }

    /// Ends the connection.
    #[track_caller]
    pub fn revoke(&self, server: &TestServer) {
        let revocation = [("client_id", &*self.client_id), ("token", &*self.refresh)];
        assert_eq!(form(server, "/oauth/revoke", &revocation).send_plain().status, 200);
    }

    /// The access token where tests take a key: both are presented alike.
    pub fn key(&self) -> ApiKey {
        ApiKey { id: 0, prefix: String::new(), plaintext: self.access.clone() }
    }
}

/// Registers a client, has a person allow it, and redeems the code.
#[track_caller]
pub fn connect(server: &TestServer, person: &Person, ticks: &Ticks<'_>) -> Connected {
    let client_id = client_at(server, REDIRECT_URI);
    connect_client(server, person, &client_id, ticks)
}

/// The same with a client that is there.
#[track_caller]
pub fn connect_client(server: &TestServer, person: &Person, client_id: &str, ticks: &Ticks<'_>) -> Connected {
    let code = code_for(server, person, client_id, ticks);
    let tokens = token(server, &redemption(client_id, &code)).expect(200);
    Connected::of(client_id, &tokens)
}

/// The status of `/me` by a token.
pub fn me(server: &TestServer, token: &str) -> u16 {
    server.client.get("/api/v1/me").bearer(token).send().status
}
