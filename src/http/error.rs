//! Every way a request can fail: the one table of (status, code) and the error value handlers return.

use std::borrow::Cow;
use std::fmt;

use actix_web::http::StatusCode;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::json_syntax::SyntaxError;
use crate::domain::caller::{Scope, ScopeSet};
use crate::domain::problem::Issues;

macro_rules! error_codes {
    ($($variant:ident = $status:ident $text:literal $meaning:literal,)*) => {
        /// The code of an error, as in the envelope.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $(#[doc = $meaning] $variant,)*
        }

        impl ErrorCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The status it is answered with.
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$variant => StatusCode::$status),* }
            }

            /// The wire form.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// One sentence for the documentation.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning),* }
            }
        }
    };
}

error_codes! {
    InvalidJson = BAD_REQUEST "invalid_json" "The body is not syntactically valid JSON; `details.reason` says what and at which byte.",
    ValidationError = BAD_REQUEST "validation_error" "The request has the wrong shape; `details.issues` lists every problem.",
    Unauthorized = UNAUTHORIZED "unauthorized" "The credential is missing, invalid or revoked.",
    InvalidToken = UNAUTHORIZED "invalid_token" "The web-session token is invalid or has expired.",
    InsufficientCredits = PAYMENT_REQUIRED "insufficient_credits" "The request cannot be paid for; `details.required` and `details.available` say why.",
    Forbidden = FORBIDDEN "forbidden" "The key lacks the required scope or does not cover the organisation.",
    NotFound = NOT_FOUND "not_found" "Unknown, or not visible to the caller.",
    MethodNotAllowed = METHOD_NOT_ALLOWED "method_not_allowed" "The path exists but not for this method; `Allow` lists those it has.",
    RequestTimeout = REQUEST_TIMEOUT "request_timeout" "The body arrived too slowly.",
    Conflict = CONFLICT "conflict" "The request conflicts with the current state; `details.reason` says how.",
    PayloadTooLarge = PAYLOAD_TOO_LARGE "payload_too_large" "The body is larger than the limit.",
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE "unsupported_media_type" "The body is not declared as JSON, or it is encoded.",
    InvalidDatasetFormat = UNPROCESSABLE_ENTITY "invalid_dataset_format" "A dataset breaks the canonical format; `details.errors` lists dataset, row and field.",
    InvalidRequestFormat = UNPROCESSABLE_ENTITY "invalid_request_format" "The request breaks the strict format; `details.issues` lists section, row and field.",
    UnprocessableEntity = UNPROCESSABLE_ENTITY "unprocessable_entity" "Well formed but refused by a rule; `details.reason` says which.",
    RateLimited = TOO_MANY_REQUESTS "rate_limited" "Too many requests in the window; `Retry-After` says when to come back.",
    InternalError = INTERNAL_SERVER_ERROR "internal_error" "Something unexpected happened here; quote the request id.",
    Busy = SERVICE_UNAVAILABLE "busy" "Too much to do right now; `Retry-After` says when to come back.",
}

/// A failed request: a code, what to tell the caller, and what only the log may know.
pub struct ApiError(Box<Inner>);

struct Inner {
    code: ErrorCode,
    message: Cow<'static, str>,
    details: Option<Value>,
    /// The same as text, where a value would lose the form of amounts.
    details_text: Option<Box<RawValue>>,
    retry_after_s: Option<u64>,
    allow: Option<&'static str>,
    challenge: Option<Challenge>,
    cause: Option<String>,
}

/// What a refused program is told of how to be let in (RFC 6750, section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Challenge {
    /// It presented no credential.
    Missing,
    /// What it presented is not accepted.
    InvalidToken,
    /// Its token lacks a scope; these are all that it should ask for.
    InsufficientScope(ScopeSet),
}

impl ApiError {
    /// Any error; prefer the constructors below, which know what belongs to a code.
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            code,
            message: message.into(),
            details: None,
            details_text: None,
            retry_after_s: None,
            allow: None,
            challenge: None,
            cause: None,
        }))
    }

    /// 400 `invalid_json`.
    pub fn invalid_json(error: SyntaxError) -> Self {
        Self::new(ErrorCode::InvalidJson, "the body is not valid JSON")
            .with_details(json!({ "reason": error.to_string(), "offset": error.offset }))
    }

    /// 400 `validation_error` with every problem.
    pub fn validation(issues: &Issues) -> Self {
        Self::new(ErrorCode::ValidationError, "the request is not valid").with_issues(issues)
    }

    /// 422 `invalid_request_format` with every problem.
    pub fn invalid_request_format(issues: &Issues) -> Self {
        Self::new(ErrorCode::InvalidRequestFormat, "the request does not have the required format").with_issues(issues)
    }

    /// 422 `invalid_dataset_format`: the listed errors (already cut to a hundred) and how many there are.
    pub fn invalid_dataset_format(errors: Value, error_count: u64) -> Self {
        Self::new(ErrorCode::InvalidDatasetFormat, "the datasets do not have the canonical format")
            .with_details(json!({ "errors": errors, "error_count": error_count }))
    }

    /// 401 `unauthorized` for an API key.
    pub fn unauthorized() -> Self {
        Self::new(ErrorCode::Unauthorized, "a valid API key is required")
    }

    /// 401 `unauthorized` where a web session is needed and none was presented.
    pub fn session_required() -> Self {
        Self::new(ErrorCode::Unauthorized, "a web-session token is required")
    }

    /// 401 `invalid_token`.
    pub fn invalid_token() -> Self {
        Self::new(ErrorCode::InvalidToken, "the web-session token is invalid or has expired")
    }

    /// 402 `insufficient_credits`.
    pub fn insufficient_credits(required: u64, available: u64) -> Self {
        Self::new(ErrorCode::InsufficientCredits, "not enough credits")
            .with_details(json!({ "required": required, "available": available }))
    }

    /// 403 `forbidden` for a missing scope.
    pub fn missing_scope(scope: Scope) -> Self {
        Self::new(ErrorCode::Forbidden, format!("the key lacks the scope {}", scope.as_str()))
            .with_details(json!({ "required_scope": scope.as_str() }))
    }

    /// 403 `forbidden` for another reason.
    pub fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::Forbidden, message)
    }

    /// 404 `not_found`: the same words whether the thing is unknown or not the caller's.
    pub fn not_found() -> Self {
        Self::new(ErrorCode::NotFound, "not found")
    }

    /// 405 `method_not_allowed`; `allow` is the value of the header.
    pub fn method_not_allowed(allow: &'static str) -> Self {
        let mut error = Self::new(ErrorCode::MethodNotAllowed, "the path does not have this method");
        error.0.allow = Some(allow);
        error
    }

    /// 408 `request_timeout`.
    pub fn request_timeout() -> Self {
        Self::new(ErrorCode::RequestTimeout, "the body arrived too slowly")
    }

    /// 409 `conflict` with a reason of the closed list.
    pub fn conflict(reason: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::Conflict, message).with_details(json!({ "reason": reason }))
    }

    /// 413 `payload_too_large`.
    pub fn payload_too_large(max_bytes: u64) -> Self {
        Self::new(ErrorCode::PayloadTooLarge, format!("the body is larger than {max_bytes} bytes"))
            .with_details(json!({ "max_bytes": max_bytes }))
    }

    /// 415 `unsupported_media_type`.
    pub fn unsupported_media_type(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::UnsupportedMediaType, message)
    }

    /// 422 `unprocessable_entity` with a reason of the closed list; add more with [`Self::with_detail`].
    pub fn unprocessable(reason: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorCode::UnprocessableEntity, message).with_details(json!({ "reason": reason }))
    }

    /// 429 `rate_limited`.
    pub fn rate_limited(reset_s: u64) -> Self {
        Self::new(ErrorCode::RateLimited, "too many requests; wait for the window to end").with_retry_after(reset_s)
    }

    /// 500 `internal_error`; the cause goes to the log only.
    pub fn internal(cause: impl fmt::Display) -> Self {
        let mut error = Self::new(ErrorCode::InternalError, "an unexpected error happened");
        error.0.cause = Some(cause.to_string());
        error
    }

    /// 503 `busy`; come back after so many seconds (at least 1).
    pub fn busy(message: impl Into<Cow<'static, str>>, retry_after_s: u64) -> Self {
        Self::new(ErrorCode::Busy, message).with_retry_after(retry_after_s)
    }

    /// Replaces the details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.0.details = Some(details);
        self
    }

    /// Replaces the details by JSON that is written out already.
    #[must_use]
    pub fn with_details_text(mut self, details: Option<Box<RawValue>>) -> Self {
        self.0.details_text = details;
        self
    }

    /// Adds one entry to the details.
    #[must_use]
    pub fn with_detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        let details = self.0.details.get_or_insert_with(|| json!({}));
        if let Some(entries) = details.as_object_mut() {
            entries.insert(key.to_owned(), value.into());
        }
        self
    }

    /// Sets `Retry-After`.
    #[must_use]
    pub fn with_retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after_s = Some(seconds.max(1));
        self
    }

    /// Adds what only the log may know.
    #[must_use]
    pub fn with_cause(mut self, cause: impl fmt::Display) -> Self {
        self.0.cause = Some(cause.to_string());
        self
    }

    /// Adds what the refused program is told of how to be let in.
    #[must_use]
    pub fn with_challenge(mut self, challenge: Challenge) -> Self {
        self.0.challenge = Some(challenge);
        self
    }

    /// What the refused program is told of how to be let in.
    pub(super) fn challenge(&self) -> Option<Challenge> {
        self.0.challenge
    }

    /// The code.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The message in the answer.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The details.
    pub fn details(&self) -> Option<&Value> {
        self.0.details.as_ref()
    }

    /// The details as they are written out.
    pub(super) fn details_text(&self) -> Option<&RawValue> {
        self.0.details_text.as_deref()
    }

    /// Seconds for `Retry-After`.
    pub fn retry_after_s(&self) -> Option<u64> {
        self.0.retry_after_s
    }

    /// Why the request was refused because there was too much to do, or nothing to do it with; none for any other failure.
    pub fn refusal(&self) -> Option<&str> {
        match self.0.code {
            ErrorCode::RateLimited => Some("rate_limited"),
            ErrorCode::Busy => {
                let reason = self.0.details.as_ref().and_then(|details| details.get("reason")).and_then(Value::as_str);
                Some(reason.unwrap_or("busy"))
            }
            _ => None,
        }
    }

    /// The value of `Allow`.
    pub(super) fn allow(&self) -> Option<&'static str> {
        self.0.allow
    }

    /// What only the log may know.
    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    fn with_issues(self, issues: &Issues) -> Self {
        let listed = serde_json::to_value(&issues.listed).unwrap_or_default();
        self.with_details(json!({ "issues": listed, "issue_count": issues.count }))
    }
}

impl fmt::Debug for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.0.code.as_str(), self.0.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_every_status_is_an_error() {
        for (index, code) in ErrorCode::ALL.iter().enumerate() {
            assert!(code.status().is_client_error() || code.status().is_server_error());
            assert!(ErrorCode::ALL.iter().skip(index + 1).all(|other| other.as_str() != code.as_str()));
        }
    }

    #[test]
    fn details_hold_the_reason_and_what_is_added() {
        let error = ApiError::unprocessable("unknown_reference", "unknown organisation").with_detail("id", 7);
        assert_eq!(error.details(), Some(&json!({ "reason": "unknown_reference", "id": 7 })));
        assert_eq!(ApiError::busy("queue full", 0).retry_after_s(), Some(1));
    }
}
