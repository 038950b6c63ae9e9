//! What every answer is made of. Bodies: the error envelope, `data`, and `data` with its page. Single values: how each is
//! printed, and how the OpenAPI document describes it. And the id of the request ([`RequestId`]), minted here, on every
//! answer and in every log line.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::{self, Display};

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::header::HeaderValue;
use actix_web::http::{StatusCode, header};
use bytes::Bytes;
use serde::Serialize;
use serde::ser::{Error as _, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{ObjectBuilder, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::clock::Clock;
use crate::domain::date::{Date, date_time_text};
use crate::domain::ledger::vat::VatCode;
use crate::http::error::{ApiError, ErrorCode};
use crate::http::openapi::schema::{
    array, boolean, choice, date, id, moment, named, nullable, number, object, optional, required,
};
use crate::http::query::Page;

pub use crate::domain::ids::Id;
pub use crate::domain::ledger::money::{CURRENCY, Money, Percentage};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Answers up to this size are printed without asking for room twice.
const SMALL_ANSWER_BYTES: usize = 512;

/// An answer whose body is this value as JSON.
pub fn json<T: Serialize + ?Sized>(status: StatusCode, value: &T) -> Result<HttpResponse, ApiError> {
    let mut body = Vec::with_capacity(SMALL_ANSWER_BYTES);
    serde_json::to_writer(&mut body, value).map_err(ApiError::internal)?;
    Ok(json_bytes(status, body))
}

/// The code of what is not JSON (JSON-RPC 2.0, section 5.1).
pub const JSON_RPC_PARSE_ERROR: i32 = -32_700;
/// The code of JSON that is no request (JSON-RPC 2.0, section 5.1).
pub const JSON_RPC_INVALID_REQUEST: i32 = -32_600;

/// An error of JSON-RPC whose request has no id that could be read.
pub fn json_rpc_error(status: StatusCode, code: i32, message: &str) -> HttpResponse {
    let error = serde_json::json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } });
    json_bytes(status, error.to_string())
}

/// An answer whose body is JSON already.
pub fn json_bytes(status: StatusCode, body: impl Into<Bytes>) -> HttpResponse {
    let mut response = HttpResponse::with_body(status, BoxBody::new(body.into()));
    response.headers_mut().append(header::CONTENT_TYPE, JSON);
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

/// A moment in milliseconds, printed as RFC 3339 in UTC.
#[derive(Debug, Clone, Copy)]
pub struct Moment(pub i64);

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&date_time_text(self.0))
    }
}

/// An identifier or number that the change assigns: null in the answer to a dry run, where it is below 1.
#[derive(Debug, Clone, Copy)]
pub struct AssignedId(pub i64);

impl Serialize for AssignedId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 < 1 { serializer.serialize_none() } else { serializer.serialize_i64(self.0) }
    }
}

/// How an identifier of another record is described, where there may be none: its value is `Option<AssignedId>`.
#[derive(Debug, Clone, Copy)]
pub struct RelatedId;

/// A decimal, printed as a JSON number without trailing zeros.
#[derive(Debug, Clone)]
pub struct Exact(String);

impl<T: Display> From<T> for Exact {
    fn from(decimal: T) -> Self {
        Self(decimal.to_string())
    }
}

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.clone()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// How a value is described; its component has the name of the type.
macro_rules! described {
    ($($value:ty => $schema:expr),+ $(,)?) => {
        $(
            impl PartialSchema for $value {
                fn schema() -> RefOr<Schema> {
                    $schema.into()
                }
            }

            impl ToSchema for $value {}
        )+
    };
}

described! {
    Money => number().description(Some("Pounds, always with two decimals.")),
    Percentage => number().description(Some("Percent, always with two decimals.")),
    Date => date(),
    Moment => moment(),
    Id => id(),
    AssignedId => nullable(id().description(Some("Null in the answer to a dry run."))),
    RelatedId => nullable(id().description(Some("Null when there is no such record, and when a dry run would create it."))),
    Exact => number().description(Some("A decimal without trailing zeros.")),
}

/// The schema of a VAT code: `#[schema(schema_with = vat_code)]`.
pub fn vat_code() -> ObjectBuilder {
    choice(&VatCode::ALL.map(VatCode::code))
}

const REQUEST_ID_PREFIX: &[u8; 4] = b"req_";

const REQUEST_ID_LENGTH: usize = REQUEST_ID_PREFIX.len() + 32;

const REQUEST_ID_RANDOM_BYTES: usize = 10;

const REQUEST_ID_POOL_BYTES: usize = 1_280;

/// `req_` and a version 7 UUID (RFC 9562) without hyphens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RequestId([u8; REQUEST_ID_LENGTH]);

impl RequestId {
    /// The text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("req_")
    }

    /// The value of `X-Request-Id`.
    pub(super) fn header_value(&self) -> HeaderValue {
        HeaderValue::from_maybe_shared(Bytes::copy_from_slice(&self.0))
            .unwrap_or_else(|_| HeaderValue::from_static("req_"))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Mints ids; one per worker, which fetches randomness for many ids with one call to the operating system.
pub(super) struct RequestIds {
    pool: RefCell<(Box<[u8; REQUEST_ID_POOL_BYTES]>, usize)>,
}

impl Default for RequestIds {
    fn default() -> Self {
        Self { pool: RefCell::new((Box::new([0; REQUEST_ID_POOL_BYTES]), REQUEST_ID_POOL_BYTES)) }
    }
}

impl RequestIds {
    /// Mints an id at a moment of the clock.
    pub(super) fn mint(&self, now_ms: i64, clock: &dyn Clock) -> RequestId {
        let random = self.random(clock);
        let millis = u64::try_from(now_ms).unwrap_or_default();
        let unique = uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid();
        let mut text = [0; REQUEST_ID_LENGTH];
        if let Some((prefix, digits)) = text.split_first_chunk_mut::<{ REQUEST_ID_PREFIX.len() }>() {
            *prefix = *REQUEST_ID_PREFIX;
            unique.simple().encode_lower(digits);
        }
        RequestId(text)
    }

    fn random(&self, clock: &dyn Clock) -> [u8; REQUEST_ID_RANDOM_BYTES] {
        let mut pool = self.pool.borrow_mut();
        let (bytes, used) = &mut *pool;
        if *used + REQUEST_ID_RANDOM_BYTES > REQUEST_ID_POOL_BYTES {
            clock.fill_random(&mut bytes[..]);
            *used = 0;
        }
        let random = bytes.get(*used..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
        *used += REQUEST_ID_RANDOM_BYTES;
        random
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn ids_have_their_form_and_are_unique_and_sortable() {
        let clock = ManualClock::at_ms(1_700_000_000_000);
        let ids = RequestIds::default();
        let mut seen = std::collections::BTreeSet::new();
        let first = ids.mint(clock.now_ms(), &clock);
        for _ in 0..1_000 {
            let id = ids.mint(clock.now_ms(), &clock);
            assert_eq!(id.as_str().len(), 36);
            assert!(id.as_str().starts_with("req_018bcfe56800"), "{id}");
            assert_eq!(id.as_str().as_bytes()[16], b'7', "version 7");
            assert!(seen.insert(id.to_string()));
        }
        clock.advance_ms(1);
        assert!(ids.mint(clock.now_ms(), &clock).as_str() > first.as_str());
    }
}

#[cfg(test)]
mod values_tests {
    use super::*;
    use crate::domain::ledger::money::{Decimal4, Percent};

    #[test]
    fn amounts_have_two_decimals_and_no_minus_zero() {
        let printed = serde_json::to_string(&[Money(120_000), Money(-5), Money(0), Money(7), Money(-123)]).unwrap();
        assert_eq!(printed, "[1200.00,-0.05,0.00,0.07,-1.23]");
    }

    #[test]
    fn dates_moments_and_identifiers_are_printed() {
        let values = (Date::numbered(0), Moment(1), Id(7), AssignedId(0), AssignedId(7));
        let printed = serde_json::to_string(&values).unwrap();
        assert_eq!(printed, r#"["1970-01-01","1970-01-01T00:00:00.001Z",7,null,7]"#);
    }

    #[test]
    fn decimals_are_printed_without_trailing_zeros() {
        let decimals = [Decimal4(75_000), Decimal4(-1), Decimal4(10_000)].map(Exact::from);
        assert_eq!(serde_json::to_string(&decimals).unwrap(), "[7.5,-0.0001,1]");
        assert_eq!(serde_json::to_string(&Exact::from(Percent(1_250))).unwrap(), "12.5");
    }
}
