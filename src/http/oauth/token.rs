//! `POST /oauth/token` and `POST /oauth/revoke`: the endpoints that clients call themselves, authenticated in exactly one way.

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use subtle::ConstantTimeEq as _;

use super::documents::stored_client_presenting;
use super::failure::{self, Failure, Refused, failure};
use super::form::Parameters;
use super::{base_url, json as json_answer, resource, unstored};
use crate::actors::grant_registry::{Exchange, Presented};
use crate::domain::caller::{Scope, ScopeSet};
use crate::domain::oauth::error::{GrantType, OAuthError, Reuse};
use crate::domain::oauth::proof_key::Challenge;
use crate::domain::oauth::token::{MintedToken, TokenKind, mint, parse};
use crate::http::call::Call;
use crate::http::error::ApiError;
use crate::http::first_party::account::address;
use crate::http::products::Products;
use crate::store::{CodeRedemption, ExchangeRefusal, NewTokens, RefreshExchange, RevokedToken};

/// `POST /oauth/token`.
pub async fn endpoint(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    base_url(&call)?;
    let outcome = limited(&call, exchange(&call)).await;
    failure::answer(&call, outcome)
}

/// `POST /oauth/revoke`: what is unknown is answered like what was revoked (RFC 7009, section 2.2).
pub async fn revoke(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    base_url(&call)?;
    let outcome = limited(&call, revoke_presented(&call)).await;
    failure::answer(&call, outcome)
}

/// Does what an address asks for unless too much of that has failed: who guesses has to slow down.
async fn limited(
    call: &Call<Products>,
    work: impl Future<Output = Result<HttpResponse, Refused>>,
) -> Result<HttpResponse, Refused> {
    let (throttle, address) = (&call.state().throttle, address(call));
    if let Some(seconds) = throttle.exchange_wait_s(address) {
        let words = "too many requests from this address have failed; try again later";
        return Err(Refused::TooMany(words, seconds));
    }
    let outcome = work.await;
    if matches!(outcome, Err(Refused::Failure(_))) {
        throttle.fail_exchange(address);
    }
    outcome
}

const fn invalid_request(description: &'static str) -> Failure {
    failure(OAuthError::InvalidRequest, description)
}

async fn exchange(call: &Call<Products>) -> Result<HttpResponse, Refused> {
    let form = Parameters::of_body(call)?;
    if form.any_repeated(&["resource"]) {
        return Err(invalid_request("a parameter is given more than once").into());
    }
    let grant_type = match form.required("grant_type", "grant_type is required")? {
        "authorization_code" => GrantType::AuthorizationCode,
        "refresh_token" => GrantType::RefreshToken,
        _ => {
            let words = "grant_type must be authorization_code or refresh_token";
            return Err(failure(OAuthError::UnsupportedGrantType, words).into());
        }
    };
    let presented = match grant_type {
        GrantType::AuthorizationCode => form.one("code").and_then(|code| presented(TokenKind::Code, code)),
        GrantType::RefreshToken => form.one("refresh_token").and_then(|token| presented(TokenKind::Refresh, token)),
    };
    let Authenticated { client_id, holds_presented } = authenticated_client(call, &form, presented).await?;
    let asked: Vec<String> = form.all("resource").map(str::to_owned).collect();
    if resource(base_url(call)?, &asked).is_none() {
        return Err(failure(OAuthError::InvalidTarget, "the resource is not this service").into());
    }
    let clock = call.clock();
    let [access, refresh] =
        [TokenKind::Access, TokenKind::Refresh].map(|kind| mint(kind, |bytes| clock.fill_random(bytes)));
    let lifetimes = call.state().oauth.lifetimes;
    let tokens = NewTokens { access: access.hash, refresh: refresh.hash, lifetimes };
    let exchange = match grant_type {
        GrantType::AuthorizationCode => Exchange::Code(redemption(&form, client_id, tokens)?),
        GrantType::RefreshToken => Exchange::Refresh(refresh_exchange(&form, client_id, tokens)?),
    };
    if !holds_presented {
        return Err(refused(call, grant_type, ExchangeRefusal::Invalid).into());
    }
    let actors = &call.state().actors;
    let issued = match actors.grants.exchange(exchange).await? {
        Ok(issued) => issued,
        Err(ExchangeRefusal::TooOften(wait_ms)) => {
            // Whoever goes on all the same fails.
            call.state().throttle.fail_exchange(address(call));
            let seconds = u64::try_from(wait_ms).unwrap_or_default().div_ceil(1000);
            return Err(Refused::TooMany("the connection was refreshed too often; try again later", seconds));
        }
        Err(refusal) => return Err(refused(call, grant_type, refusal).into()),
    };
    if issued.is_sibling {
        tracing::info!("a refresh token of grant {} came back within the grace", issued.grant_id);
        actors.observer.oauth_reused(Reuse::WithinGrace);
    }
    actors.observer.oauth_issued(grant_type);
    Ok(issued_answer(&access, &refresh, issued.scopes, lifetimes.access_ms))
}

fn issued_answer(access: &MintedToken, refresh: &MintedToken, scopes: ScopeSet, access_ms: i64) -> HttpResponse {
    json_answer(
        StatusCode::OK,
        &json!({
            "access_token": access.text,
            "token_type": "Bearer",
            "expires_in": access_ms.div_euclid(1000),
            "refresh_token": refresh.text,
            "scope": scopes.to_stored(),
        }),
    )
}

fn redemption(form: &Parameters, client_id: String, tokens: NewTokens) -> Result<CodeRedemption, Failure> {
    let code = form.required("code", "code is required")?;
    let verifier = form.required("code_verifier", "code_verifier is required")?;
    let invalid = failure(OAuthError::InvalidGrant, "the code is not accepted");
    let Some(code) = parse(TokenKind::Code, code) else { return Err(invalid) };
    let Some(challenge) = Challenge::of_verifier(verifier) else { return Err(invalid) };
    Ok(CodeRedemption { code, client_id, redirect_uri: form.one("redirect_uri").map(str::to_owned), challenge, tokens })
}

fn refresh_exchange(form: &Parameters, client_id: String, tokens: NewTokens) -> Result<RefreshExchange, Failure> {
    let refresh = form.required("refresh_token", "refresh_token is required")?;
    let invalid = failure(OAuthError::InvalidGrant, "the refresh token is not accepted");
    let Some(refresh) = parse(TokenKind::Refresh, refresh) else { return Err(invalid) };
    let scopes = form.one("scope").map(|names| {
        let scopes: Option<ScopeSet> = names.split_ascii_whitespace().map(Scope::parse).collect();
        scopes.ok_or(failure(OAuthError::InvalidScope, "a scope is not known"))
    });
    Ok(RefreshExchange { refresh, client_id, scopes: scopes.transpose()?, tokens })
}

/// A refusal in words; what came back is counted and logged, by the number of the grant alone.
fn refused(call: &Call<Products>, grant_type: GrantType, refusal: ExchangeRefusal) -> Failure {
    let (words, reuse) = match grant_type {
        GrantType::AuthorizationCode => ("the code is not accepted", Reuse::Code),
        GrantType::RefreshToken => ("the refresh token is not accepted", Reuse::RefreshToken),
    };
    match refusal {
        ExchangeRefusal::Scope => failure(OAuthError::InvalidScope, "a scope was not granted"),
        ExchangeRefusal::Invalid | ExchangeRefusal::TooOften(_) => failure(OAuthError::InvalidGrant, words),
        ExchangeRefusal::Reused(grant) => {
            tracing::warn!("a {} of grant {grant} was used again; the connection is revoked", reuse.as_str());
            call.state().actors.observer.oauth_reused(reuse);
            failure(OAuthError::InvalidGrant, words)
        }
    }
}

/// What a client presents, if it has the form of one.
fn presented(kind: TokenKind, text: &str) -> Option<Presented> {
    parse(kind, text).map(|hash| (kind, hash))
}

/// A client that is who it says.
struct Authenticated {
    client_id: String,
    /// Whether what it presents is of a live connection of it.
    holds_presented: bool,
}

/// The client, by exactly one way of authentication (RFC 6749, section 2.3). Public clients name themselves.
async fn authenticated_client(
    call: &Call<Products>,
    form: &Parameters,
    presented: Option<Presented>,
) -> Result<Authenticated, Refused> {
    const REFUSED: Failure = failure(OAuthError::InvalidClient, "the client is unknown or did not authenticate itself");
    let (named, in_form) = (form.one("client_id"), form.one("client_secret"));
    let (id, secret) = match call.header("authorization") {
        Some(header) => {
            let (id, secret) = basic(header).ok_or(REFUSED)?;
            if in_form.is_some() || named.is_some_and(|named| named != id) {
                return Err(REFUSED.into());
            }
            (id, Some(secret))
        }
        None => (named.ok_or(REFUSED)?.to_owned(), in_form.map(str::to_owned)),
    };
    let found = stored_client_presenting(call, &id, presented).await?;
    let client = found.client.ok_or(REFUSED)?;
    let is_right = match (&client.secret, secret) {
        (None, None) => true,
        (Some(stored), Some(secret)) => {
            parse(TokenKind::ClientSecret, &secret).is_some_and(|hash| hash.0.ct_eq(&stored.0).into())
        }
        _ => false,
    };
    if !is_right {
        return Err(REFUSED.into());
    }
    Ok(Authenticated { client_id: client.id, holds_presented: found.holds_presented })
}

/// The name and the secret of `Authorization: Basic`, each form-encoded before (RFC 6749, section 2.3.1).
fn basic(header: &str) -> Option<(String, String)> {
    let (scheme, encoded) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let text = String::from_utf8(BASE64_STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = text.split_once(':')?;
    let decoded = |text: &str| {
        let pair = format!("v={}", text.replace('&', "%26"));
        url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned())
    };
    Some((decoded(id)?, decoded(secret)?))
}

async fn revoke_presented(call: &Call<Products>) -> Result<HttpResponse, Refused> {
    let form = Parameters::of_body(call)?;
    if form.any_repeated(&[]) {
        return Err(invalid_request("a parameter is given more than once").into());
    }
    let kinds = [TokenKind::Refresh, TokenKind::Access];
    let presented = form.one("token").and_then(|token| kinds.into_iter().find_map(|kind| presented(kind, token)));
    let Authenticated { client_id, holds_presented } = authenticated_client(call, &form, presented).await?;
    form.required("token", "token is required")?;
    let revoked = match presented.filter(|_| holds_presented) {
        Some((kind, hash)) => call.state().actors.grants.revoke_token(kind, hash, client_id).await?,
        None => RevokedToken::Nothing,
    };
    if revoked == RevokedToken::Nothing {
        // It is answered like any other, and counts as a guess.
        call.state().throttle.fail_exchange(address(call));
    }
    Ok(unstored(StatusCode::OK, BoxBody::new("{}"), "application/json"))
}
