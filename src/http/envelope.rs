//! The bodies every answer shares: the error envelope, `data`, and `data` with its page.

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::{ApiError, ErrorCode};
use super::paging::Page;
use super::request_id::RequestId;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// An answer whose body is this value as JSON.
pub fn json<T: Serialize + ?Sized>(status: StatusCode, value: &T) -> Result<HttpResponse, ApiError> {
    serde_json::to_vec(value).map(|body| json_bytes(status, body)).map_err(ApiError::internal)
}

/// An answer whose body is JSON already.
pub fn json_bytes(status: StatusCode, body: impl Into<Bytes>) -> HttpResponse {
    let mut response = HttpResponse::with_body(status, BoxBody::new(body.into()));
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
}

/// `{data: …}`, the wrapping of successful ledger payloads.
pub fn data<T: Serialize + ?Sized>(status: StatusCode, data: &T) -> Result<HttpResponse, ApiError> {
    #[derive(Serialize)]
    struct Wrapped<'a, T: ?Sized> {
        data: &'a T,
    }
    json(status, &Wrapped { data })
}

/// `{data: [...], pagination: {limit, offset, count, total}}`.
pub fn page<T: Serialize>(page: Page, items: &[T], total: Option<u64>) -> Result<HttpResponse, ApiError> {
    #[derive(Serialize)]
    struct Pagination {
        limit: u64,
        offset: u64,
        count: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        total: Option<u64>,
    }
    #[derive(Serialize)]
    struct Paged<'a, T> {
        data: &'a [T],
        pagination: Pagination,
    }
    let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
    let pagination = Pagination { limit: page.limit, offset: page.offset, count, total };
    json(StatusCode::OK, &Paged { data: items, pagination })
}

/// The envelope of an error. `X-Request-Id` and the rate headers are added with those of all answers.
pub(super) fn error(error: &ApiError, request_id: RequestId) -> HttpResponse {
    #[derive(Serialize)]
    struct Failure<'a> {
        code: &'static str,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        details: Option<Details<'a>>,
    }
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Details<'a> {
        Text(&'a RawValue),
        Value(&'a Value),
    }
    #[derive(Serialize)]
    struct Envelope<'a> {
        error: Failure<'a>,
        request_id: &'a str,
    }
    let code = error.code();
    let details = error.details_text().map(Details::Text).or_else(|| error.details().map(Details::Value));
    let body = Envelope {
        error: Failure { code: code.as_str(), message: error.message(), details },
        request_id: request_id.as_str(),
    };
    // Strings and a `Value` always serialise; an empty body would still carry the status and the id.
    let mut response = json_bytes(code.status(), serde_json::to_vec(&body).unwrap_or_default());
    let headers = response.headers_mut();
    if matches!(code, ErrorCode::Unauthorized | ErrorCode::InvalidToken) {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = error.retry_after_s() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(allow) = error.allow() {
        headers.insert(header::ALLOW, HeaderValue::from_static(allow));
    }
    response
}
