//! The bodies every answer shares: the error envelope, `data`, and `data` with its page.

use std::borrow::Cow;

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

use super::error::{ApiError, ErrorCode};
use super::openapi::schema::{array, boolean, named, object, optional, required};
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

/// `{data: …}`, the wrapping of successful ledger payloads. Its schema is called after the record: `JournalData`.
#[derive(Serialize)]
pub struct Data<T> {
    data: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<bool>,
}

impl<T> Data<T> {
    /// A payload; whether it is only what would have been.
    pub fn new(data: T, dry_run: bool) -> Self {
        Self { data, dry_run: dry_run.then_some(true) }
    }
}

impl<T: ToSchema> PartialSchema for Data<T> {
    fn schema() -> RefOr<Schema> {
        let dry_run = boolean().enum_values(Some([true])).description(Some("Only in the answer to `dry_run=true`."));
        let fields = vec![required("data", named(&T::name())), optional("dry_run", dry_run)];
        object(&format!("`{}` under `data`.", T::name()), fields).into()
    }
}

impl<T: ToSchema> ToSchema for Data<T> {
    fn name() -> Cow<'static, str> {
        format!("{}Data", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

/// `{data: [...]}`, a whole list. Its schema is called after the record: `AccountList`.
#[derive(Serialize)]
pub struct List<T> {
    data: Vec<T>,
}

impl<T: ToSchema> PartialSchema for List<T> {
    fn schema() -> RefOr<Schema> {
        let fields = vec![required("data", array(named(&T::name())).build())];
        object(&format!("Each `{}`.", T::name()), fields).into()
    }
}

impl<T: ToSchema> ToSchema for List<T> {
    fn name() -> Cow<'static, str> {
        format!("{}List", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Data::<T>::schemas(schemas);
    }
}

/// `{data: [...], pagination: {limit, offset, count, total}}`. Its schema is called after the record: `JournalList`.
#[derive(Serialize)]
pub struct PageOf<T> {
    data: Vec<T>,
    pagination: Pagination,
}

impl<T: ToSchema> PartialSchema for PageOf<T> {
    fn schema() -> RefOr<Schema> {
        let list = array(named(&T::name())).build();
        let fields = vec![required("data", list), required("pagination", named(&Pagination::name()))];
        object(&format!("A page of `{}`.", T::name()), fields).into()
    }
}

impl<T: ToSchema> ToSchema for PageOf<T> {
    fn name() -> Cow<'static, str> {
        format!("{}List", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Data::<T>::schemas(schemas);
        schemas.push((Pagination::name().into_owned(), Pagination::schema()));
    }
}

/// Which part of the list this is; `total` is left out when it is above ten thousand under a filter.
#[derive(Debug, Serialize, ToSchema)]
pub struct Pagination {
    #[schema(minimum = 1)]
    limit: u64,
    offset: u64,
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    total: Option<u64>,
}

impl Pagination {
    /// A page with this many items of a list of this length.
    pub const fn new(page: Page, count: usize, total: Option<u64>) -> Self {
        Self { limit: page.limit, offset: page.offset, count, total }
    }
}

/// Answers [`Data`].
pub fn data<T: Serialize + ?Sized>(status: StatusCode, data: &T) -> Result<HttpResponse, ApiError> {
    json(status, &Data::new(data, false))
}

/// Answers [`List`].
pub fn list<T: Serialize>(items: Vec<T>) -> Result<HttpResponse, ApiError> {
    json(StatusCode::OK, &List { data: items })
}

/// Answers [`PageOf`].
pub fn page<T: Serialize>(page: Page, items: Vec<T>, total: Option<u64>) -> Result<HttpResponse, ApiError> {
    let pagination = Pagination::new(page, items.len(), total);
    json(StatusCode::OK, &PageOf { data: items, pagination })
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
