//! Registration and log-in.

use std::net::IpAddr;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde_json::json;

use super::password_queue::{Place, QueueFull};
use super::throttle::{Throttle, network};
use crate::domain::ids::UserId;
use crate::domain::refusal_reason::RefusalReason;
use crate::http::call::{Call, UNKNOWN_ADDRESS};
use crate::http::envelope;
use crate::http::error::{ApiError, ErrorCode};
use crate::http::products::Products;
use crate::http::wire::person::{Login, Registration, parse_login, parse_registration};
use crate::session::SESSION_TTL_S;
use crate::store::{NewUser, UserCreated};

/// What a password is compared with when there is no such person, so that the answer takes as long.
const NOBODY_HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$C4J5tPAGbJ0hDTJIoyLCVWTvvvs0PQ0VgX0T8bd+4ZE";

/// The address a stranger is counted by.
pub fn address(call: &Call<Products>) -> IpAddr {
    call.client_ip(&call.state().limits.trusted_proxies).unwrap_or(UNKNOWN_ADDRESS)
}

/// `POST /app/v1/register`.
pub async fn register(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let products = call.state();
    let decision = products.throttle.register(address(&call));
    if !decision.allowed {
        return Err(ApiError::rate_limited(decision.reset_s));
    }
    if !products.limits.open_registration {
        let refused = ApiError::forbidden("registration is closed; the operator of this service makes people");
        return Err(refused.with_detail("reason", "registration_closed"));
    }
    let Registration { email, password, name } = parse_registration(&call.body, products.limits.password_min_length)
        .map_err(|issues| ApiError::validation(&issues))?;
    let mut place = place(&products.throttle, false).await?;
    let clock = std::sync::Arc::clone(&products.clock);
    let hashing = actix_web::web::block(move || place.memory().hash(&password, clock.as_ref()));
    let hash = hashing.await.map_err(ApiError::internal)?;
    let new = NewUser {
        email,
        name,
        password_hash: hash.ok_or_else(|| ApiError::internal("a password cannot be hashed"))?,
        monthly_allocation: products.limits.default_monthly_credits,
        bonus: 0,
        overage_allowed: false,
    };
    match products.actors.credits.open_account(new).await? {
        UserCreated::Created(user_id) => envelope::json(StatusCode::CREATED, &json!({ "user_id": user_id })),
        UserCreated::EmailTaken => {
            Err(ApiError::conflict("duplicate_email", "a person with this e-mail address exists already"))
        }
    }
}

/// `POST /app/v1/login`.
pub async fn login(call: Call<Products>) -> Result<HttpResponse, ApiError> {
    let products = call.state();
    let Login { email, password } = parse_login(&call.body).map_err(|issues| ApiError::validation(&issues))?;
    let user_id = authenticate(&call, &email, &password).await?;
    tracing::info!(user = user_id.0, request_id = call.request_id.as_str(), "logged in");
    let token = products.sessions.issue(user_id, SESSION_TTL_S, products.clock.as_ref());
    let token = token.ok_or_else(|| ApiError::internal("a session cannot be signed"))?;
    envelope::json(
        StatusCode::OK,
        &json!({ "access_token": token, "token_type": "Bearer", "expires_in": SESSION_TTL_S }),
    )
}

/// A place to hash a password in; 503 when too many wait for one.
async fn place(throttle: &Throttle, is_known: bool) -> Result<Place, ApiError> {
    let busy = || ApiError::busy(RefusalReason::LoginQueue, "too many passwords are being checked", 1);
    let place = throttle.passwords.place(is_known).await.map_err(|QueueFull| busy())?;
    place.ok_or_else(busy)
}

/// The person of an e-mail address and a password: the same words and the same work for an unknown person and a wrong password.
pub async fn authenticate(call: &Call<Products>, email: &str, password: &str) -> Result<UserId, ApiError> {
    let products = call.state();
    let attempt = products.throttle.log_ins.begin(&email.to_lowercase(), network(address(call)));
    let attempt = attempt.map_err(ApiError::rate_limited)?;
    let prepared = async {
        let place = place(&products.throttle, attempt.is_known()).await?;
        Ok::<_, ApiError>((place, products.reader.find_user_by_email(email).await?))
    };
    let (mut place, user) = match prepared.await {
        Ok(prepared) => prepared,
        Err(error) => {
            attempt.was_not_tried();
            return Err(error);
        }
    };
    let stored = user.as_ref().map_or_else(|| NOBODY_HASH.to_owned(), |user| user.password_hash.clone());
    let password = password.to_owned();
    let comparing = actix_web::web::block(move || place.memory().verify(&password, &stored));
    let is_right = comparing.await.map_err(ApiError::internal)?;
    let Some(user) = user.filter(|_| is_right) else {
        return Err(ApiError::new(ErrorCode::Unauthorized, "the e-mail address or the password is wrong"));
    };
    attempt.succeeded();
    Ok(user.id)
}
