//! `POST /oauth/register`: an application says who it is and where answers may be sent (RFC 7591). Nothing it names is fetched, and
//! what it calls itself is shown as its own words.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde_json::{Map, Value, json};

use super::failure::{self, Failure, Refused, failure};
use super::{base_url, json as json_answer};
use crate::domain::caller::{Scope, ScopeSet};
use crate::domain::oauth::error::OAuthError;
use crate::domain::oauth::token::{TokenKind, mint, mint_client_id};
use crate::domain::oauth::{client_name, redirect};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::first_party::account::address;
use crate::http::products::Products;
use crate::store::NewClient;

/// Redirect URIs of one client.
const REDIRECT_URIS_MAX: usize = 10;
/// The longest address of a client's page.
const URI_LENGTH_MAX: usize = 2_000;

/// Answers a registration.
pub async fn endpoint(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    base_url(&call)?;
    let outcome = register(&call).await;
    failure::answer(&call, outcome)
}

const fn unusable(description: &'static str) -> Failure {
    failure(OAuthError::InvalidClientMetadata, description)
}

async fn register(call: &Call<Products>) -> Result<HttpResponse, Refused> {
    let products = call.state();
    let decision = products.throttle.register_client(address(call), products.oauth.registrations_per_hour);
    if !decision.allowed {
        let words = "too many registrations from this address; try again later";
        return Err(Refused::TooMany(words, decision.reset_s));
    }
    let value: Value = serde_json::from_slice(&call.body).map_err(|_| unusable("the body must be a JSON object"))?;
    let given = value.as_object().ok_or(unusable("the body must be a JSON object"))?;
    let auth_method = auth_method(given)?;
    let is_public = auth_method == "none";
    let redirect_uris = redirect_uris(given, &products.oauth.redirect_schemes, is_public)?;
    check_types(given)?;
    let uri = text(given, "client_uri")?.filter(|uri| is_page(uri)).map(str::to_owned);
    let name = text(given, "client_name")?.and_then(client_name);
    let named = text(given, "scope")?.unwrap_or_default().split_ascii_whitespace();
    let scopes: ScopeSet = named.filter_map(Scope::parse).collect();
    let clock = call.clock();
    let secret = (!is_public).then(|| mint(TokenKind::ClientSecret, |bytes| clock.fill_random(bytes)));
    let client = NewClient {
        id: mint_client_id(|bytes| clock.fill_random(bytes)),
        name,
        uri,
        redirect_uris,
        auth_method,
        secret: secret.as_ref().map(|secret| secret.hash),
        scopes,
    };
    let issued_at_ms = products.actors.grants.register(client.clone()).await?;
    let mut answer = json!({
        "client_id": client.id,
        "client_id_issued_at": issued_at_ms.div_euclid(1000),
        "redirect_uris": client.redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": auth_method,
    });
    let mut add = |name: &str, value: Value| {
        if let Some(answer) = answer.as_object_mut() {
            answer.insert(name.to_owned(), value);
        }
    };
    if let Some(name) = client.name {
        add("client_name", name.into());
    }
    if let Some(uri) = client.uri {
        add("client_uri", uri.into());
    }
    if !scopes.is_empty() {
        add("scope", scopes.to_stored().into());
    }
    if let Some(secret) = secret {
        add("client_secret", secret.text.into());
        add("client_secret_expires_at", 0.into());
    }
    Ok(json_answer(StatusCode::CREATED, &answer))
}

/// A member that is text when it is there; null counts as left out.
fn text<'a>(given: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, Failure> {
    match given.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(unusable("client_name, client_uri, scope and token_endpoint_auth_method must be text")),
    }
}

/// How the client will authenticate itself. A public client need not say so: most of those that leave it out are.
fn auth_method(given: &Map<String, Value>) -> Result<&'static str, Failure> {
    match text(given, "token_endpoint_auth_method")? {
        None | Some("none") => Ok("none"),
        Some("client_secret_basic") => Ok("client_secret_basic"),
        Some("client_secret_post") => Ok("client_secret_post"),
        Some(_) => Err(unusable("token_endpoint_auth_method must be none, client_secret_basic or client_secret_post")),
    }
}

fn redirect_uris(given: &Map<String, Value>, schemes: &[String], is_public: bool) -> Result<Vec<String>, Failure> {
    const REFUSED: Failure = failure(
        OAuthError::InvalidRedirectUri,
        "redirect_uris must be 1 to 10 URIs: https, http on a loopback address, or a private scheme that is listed here",
    );
    let listed = given.get("redirect_uris").and_then(Value::as_array).ok_or(REFUSED)?;
    if !(1..=REDIRECT_URIS_MAX).contains(&listed.len()) {
        return Err(REFUSED);
    }
    let uri = |value: &Value| {
        let text = value.as_str().filter(|text| redirect::kind(text, schemes, is_public).is_some());
        text.map(str::to_owned).ok_or(REFUSED)
    };
    listed.iter().map(uri).collect()
}

/// The types that are asked for have to have the only one there is among them; others are left out of what is registered.
fn check_types(given: &Map<String, Value>) -> Result<(), Failure> {
    for (name, needed) in [("grant_types", "authorization_code"), ("response_types", "code")] {
        let fits = match given.get(name) {
            None | Some(Value::Null) => true,
            Some(Value::Array(types)) => types.iter().any(|one| one == needed),
            Some(_) => false,
        };
        if !fits {
            return Err(unusable("grant_types must have authorization_code, response_types must have code"));
        }
    }
    Ok(())
}

fn is_page(uri: &str) -> bool {
    let is_web = |url: url::Url| matches!(url.scheme(), "https" | "http");
    uri.len() <= URI_LENGTH_MAX && !uri.contains(char::is_control) && url::Url::parse(uri).is_ok_and(is_web)
}
