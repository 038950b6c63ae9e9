//! `POST /oauth/register`: an application says who it is and where answers may be sent (RFC 7591). Nothing it names is fetched, and
//! what it calls itself is shown as its own words.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde_json::{Map, Value, json};

use super::client_metadata::{ClientMetadata, text, unusable};
use super::failure::{self, Failure, Refused};
use super::{base_url, json as json_answer};
use crate::domain::oauth::token::{TokenKind, mint, mint_client_id};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::first_party::account::address;
use crate::http::products::Products;
use crate::store::NewClient;

/// Answers a registration.
pub async fn endpoint(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    base_url(&call)?;
    let outcome = register(&call).await;
    failure::answer(&call, outcome)
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
    let said = ClientMetadata::read(given, &products.oauth.redirect_schemes, is_public)?;
    let clock = call.clock();
    let secret = (!is_public).then(|| mint(TokenKind::ClientSecret, |bytes| clock.fill_random(bytes)));
    let client = NewClient {
        id: mint_client_id(|bytes| clock.fill_random(bytes)),
        name: said.name,
        uri: said.uri,
        redirect_uris: said.redirect_uris,
        auth_method,
        secret: secret.as_ref().map(|secret| secret.hash),
        scopes: said.scopes,
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
    if !client.scopes.is_empty() {
        add("scope", client.scopes.to_stored().into());
    }
    if let Some(secret) = secret {
        add("client_secret", secret.text.into());
        add("client_secret_expires_at", 0.into());
    }
    Ok(json_answer(StatusCode::CREATED, &answer))
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
