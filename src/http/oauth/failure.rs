//! Refusals of the authorization server, in the form of its standards (RFC 6749, section 5.2) and not in that of the REST API.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use serde_json::json;

use super::json;
use crate::actors::AskError;
use crate::domain::oauth::error::OAuthError;
use crate::http::call::Call;
use crate::http::error::{ApiError, ErrorCode};
use crate::http::products::Products;

/// A refusal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failure {
    pub(super) error: OAuthError,
    pub(super) description: &'static str,
}

/// A refusal, or a fault that the dispatcher answers.
pub(super) enum Refused {
    Failure(Failure),
    /// Too many requests of one address; for so many seconds.
    TooMany(&'static str, u64),
    Fault(ApiError),
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        Self::Fault(error)
    }
}

impl From<AskError> for Refused {
    fn from(error: AskError) -> Self {
        Self::Fault(error.into())
    }
}

pub(super) const fn failure(error: OAuthError, description: &'static str) -> Failure {
    Failure { error, description }
}

/// The answer, counted when it is a refusal.
pub(super) fn answer(call: &Call<Products>, outcome: Result<HttpResponse, Refused>) -> Result<HttpResponse, ApiError> {
    match outcome {
        Ok(answer) => Ok(answer),
        Err(Refused::Fault(error)) => Err(error),
        Err(Refused::TooMany(description, seconds)) => {
            call.state().actors.observer.oauth_refused(OAuthError::SlowDown);
            let mut answer = printed(StatusCode::TOO_MANY_REQUESTS, OAuthError::SlowDown, description);
            answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            Ok(answer)
        }
        Err(Refused::Failure(Failure { error, description })) => {
            call.state().actors.observer.oauth_refused(error);
            let status = match error {
                OAuthError::InvalidClient => StatusCode::UNAUTHORIZED,
                _ => StatusCode::BAD_REQUEST,
            };
            let mut answer = printed(status, error, description);
            if error == OAuthError::InvalidClient && call.header("authorization").is_some() {
                let scheme = HeaderValue::from_static("Basic realm=\"oauth\"");
                answer.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
            }
            Ok(answer)
        }
    }
}

fn printed(status: StatusCode, error: OAuthError, description: &str) -> HttpResponse {
    json(status, &json!({ "error": error.as_str(), "error_description": description }))
}

/// What the dispatcher refuses of a request to the authorization server, in the same form.
pub(in crate::http) fn answer_in_own_form(error: &ApiError) -> HttpResponse {
    let code = match error.code() {
        ErrorCode::InternalError => OAuthError::ServerError,
        ErrorCode::Busy => OAuthError::TemporarilyUnavailable,
        _ => OAuthError::InvalidRequest,
    };
    let mut answer = printed(error.code().status(), code, error.message());
    if let Some(seconds) = error.retry_after_s() {
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    answer
}
