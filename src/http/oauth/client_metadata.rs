//! What a client says of itself, registered or in its document: the same rules for both (RFC 7591, section 2).

use serde_json::{Map, Value};

use super::failure::{Failure, failure};
use crate::domain::caller::{Scope, ScopeSet};
use crate::domain::oauth::error::OAuthError;
use crate::domain::oauth::{client_name, redirect};

/// Redirect URIs of one client.
const REDIRECT_URIS_MAX: usize = 10;
/// The longest address of a client's page.
const URI_LENGTH_MAX: usize = 2_000;

/// What is kept of it.
pub(super) struct ClientMetadata {
    pub(super) name: Option<String>,
    pub(super) uri: Option<String>,
    pub(super) redirect_uris: Vec<String>,
    pub(super) scopes: ScopeSet,
}

impl ClientMetadata {
    /// Reads the members that mean something here; `schemes` are the private ones that are listed.
    pub(super) fn read(given: &Map<String, Value>, schemes: &[String], is_public: bool) -> Result<Self, Failure> {
        let redirect_uris = redirect_uris(given, schemes, is_public)?;
        check_types(given)?;
        let uri = text(given, "client_uri")?.filter(|uri| is_page(uri)).map(str::to_owned);
        let name = text(given, "client_name")?.and_then(client_name);
        let named = text(given, "scope")?.unwrap_or_default().split_ascii_whitespace();
        Ok(Self { name, uri, redirect_uris, scopes: named.filter_map(Scope::parse).collect() })
    }
}

pub(super) const fn unusable(description: &'static str) -> Failure {
    failure(OAuthError::InvalidClientMetadata, description)
}

/// A member that is text when it is there; null counts as left out.
pub(super) fn text<'a>(given: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, Failure> {
    match given.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(unusable("client_name, client_uri, scope and token_endpoint_auth_method must be text")),
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
