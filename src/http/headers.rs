//! What requests say in headers (credentials, media type) and what answers say about the rate limit.

use std::sync::LazyLock;

use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use super::error::ApiError;
use crate::domain::caller::{RateDecision, RateRule};

/// `X-Request-Id`.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// `X-API-Key`.
pub const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// `Idempotency-Replayed`: the answer was given before and nothing was done again.
pub const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// `Idempotency-Key`.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The longest `Idempotency-Key` accepted.
pub const IDEMPOTENCY_KEY_LENGTH_MAX: usize = 128;
const RATE_LIMIT_LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE_LIMIT_REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RATE_LIMIT_RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

const BEARER: &[u8] = b"bearer ";

/// How many values of a counter are kept ready as header values.
const PREFORMATTED_MAX: u64 = 4_096;

/// What a request presented.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Presented<'a> {
    /// Nothing.
    Nothing,
    /// One credential.
    One(&'a str),
    /// Something that can never be accepted: two different ones, another scheme, bytes that are not text.
    Unusable,
}

impl<'a> Presented<'a> {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, other) => other,
            (one, Self::Nothing) => one,
            (Self::One(one), Self::One(other)) if one == other => Self::One(one),
            _ => Self::Unusable,
        }
    }
}

/// The API key of a request: `Authorization: Bearer`, `X-API-Key`, or both when they are equal.
pub(super) fn api_key(headers: &HeaderMap) -> Presented<'_> {
    let keys = headers
        .get_all(X_API_KEY)
        .map(|value| value.to_str().map_or(Presented::Unusable, |key| Presented::One(key.trim())));
    keys.fold(bearer(headers), Presented::and)
}

/// The bearer token of a request (RFC 6750; the scheme is case-insensitive).
pub(super) fn bearer(headers: &HeaderMap) -> Presented<'_> {
    let tokens = headers.get_all(header::AUTHORIZATION).map(|value| {
        let (scheme, token) = value.as_bytes().split_at_checked(BEARER.len()).unwrap_or_default();
        if !scheme.eq_ignore_ascii_case(BEARER) {
            return Presented::Unusable;
        }
        std::str::from_utf8(token.trim_ascii()).map_or(Presented::Unusable, Presented::One)
    });
    tokens.fold(Presented::Nothing, Presented::and)
}

/// The declared length of the body; the server library has refused anything that is not a number.
pub(super) fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

/// Whether the body is declared as encoded, in which case its bytes cannot be read as JSON.
pub(super) fn is_encoded(headers: &HeaderMap) -> bool {
    headers.get_all(header::CONTENT_ENCODING).any(|value| {
        let text = value.to_str().unwrap_or("unreadable");
        text.split(',').map(str::trim).any(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity"))
    })
}

/// Whether the declared media type is JSON; an absent one is taken as JSON.
pub(super) fn require_json(headers: &HeaderMap) -> Result<(), ApiError> {
    if is_encoded(headers) {
        return Err(ApiError::unsupported_media_type(
            "an encoded body is not accepted; send it without Content-Encoding",
        ));
    }
    let accepted = headers.get_all(header::CONTENT_TYPE).all(|value| value.to_str().is_ok_and(is_json));
    if accepted {
        return Ok(());
    }
    Err(ApiError::unsupported_media_type("the body must be application/json"))
}

/// `application/json` or any `…/…+json`, whatever its parameters.
fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return true;
    }
    let Some((kind, subtype)) = essence.split_once('/') else { return false };
    let suffix = subtype.len().checked_sub("+json".len()).and_then(|at| subtype.split_at_checked(at));
    let token = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/' && byte != b',')
    };
    token(kind) && suffix.is_some_and(|(name, suffix)| token(name) && suffix.eq_ignore_ascii_case("+json"))
}

/// Numbers as header values, made once per process. They are static, so copying one touches no counter.
static NUMBERS: LazyLock<Vec<HeaderValue>> = LazyLock::new(|| (0..=PREFORMATTED_MAX).map(lasting).collect());

/// The rate-limit headers, formatted once.
pub(super) struct RateHeaders {
    limit: HeaderValue,
    policy: HeaderValue,
    numbers: &'static [HeaderValue],
}

impl RateHeaders {
    pub(super) fn new(rule: RateRule) -> Self {
        let window_s = rule.window_ms.div_ceil(1000).max(1);
        Self {
            limit: lasting(rule.limit),
            policy: lasting(format_args!("{};w={window_s}", rule.limit)),
            numbers: NUMBERS.as_slice(),
        }
    }

    pub(super) fn insert(&self, headers: &mut HeaderMap, decision: RateDecision) {
        headers.insert(RATE_LIMIT_LIMIT, self.limit.clone());
        headers.insert(RATE_LIMIT_POLICY, self.policy.clone());
        headers.insert(RATE_LIMIT_REMAINING, self.number(decision.remaining));
        headers.insert(RATE_LIMIT_RESET, self.number(decision.reset_s));
    }

    fn number(&self, number: u64) -> HeaderValue {
        let ready = usize::try_from(number).ok().and_then(|index| self.numbers.get(index));
        ready.cloned().unwrap_or_else(|| HeaderValue::from(number))
    }
}

/// A value for the life of the process; only for what is made once.
fn lasting(text: impl std::fmt::Display) -> HeaderValue {
    HeaderValue::from_str(&text.to_string()).map_or(HeaderValue::from_static(""), |_| {
        HeaderValue::from_static(Box::leak(text.to_string().into_boxed_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(entries: &[(HeaderName, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in entries {
            map.append(name.clone(), HeaderValue::from_static(value));
        }
        map
    }

    #[test]
    fn one_credential_or_equal_ones_are_usable() {
        let auth = header::AUTHORIZATION;
        for (entries, expected) in [
            (vec![], Presented::Nothing),
            (vec![(auth.clone(), "Bearer a")], Presented::One("a")),
            (vec![(auth.clone(), "bEARER   a ")], Presented::One("a")),
            (vec![(X_API_KEY, "a")], Presented::One("a")),
            (vec![(auth.clone(), "Bearer a"), (X_API_KEY, "a")], Presented::One("a")),
            (vec![(auth.clone(), "Bearer a"), (auth.clone(), "Bearer a")], Presented::One("a")),
            (vec![(auth.clone(), "Bearer a"), (X_API_KEY, "b")], Presented::Unusable),
            (vec![(auth.clone(), "Bearer a"), (auth.clone(), "Bearer b")], Presented::Unusable),
            (vec![(X_API_KEY, "a"), (X_API_KEY, "b")], Presented::Unusable),
            (vec![(auth.clone(), "Basic a"), (X_API_KEY, "a")], Presented::Unusable),
            (vec![(auth.clone(), "Bearer")], Presented::Unusable),
        ] {
            assert_eq!(api_key(&headers(&entries)), expected, "{entries:?}");
        }
        assert_eq!(bearer(&headers(&[(X_API_KEY, "a")])), Presented::Nothing);
    }

    #[test]
    fn media_types() {
        for accepted in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/vnd.x+json",
            "application/problem+JSON;q=1",
        ] {
            assert!(is_json(accepted), "{accepted}");
        }
        for refused in [
            "",
            "json",
            "text/plain",
            "application/jsonp",
            "application/+json",
            "+json",
            "/+json",
            "application/json, text/plain",
        ] {
            assert!(!is_json(refused), "{refused}");
        }
        assert!(require_json(&headers(&[])).is_ok());
        assert!(require_json(&headers(&[(header::CONTENT_ENCODING, "Identity")])).is_ok());
        assert!(require_json(&headers(&[(header::CONTENT_ENCODING, "identity, gzip")])).is_err());
    }

    #[test]
    fn rate_headers_are_formatted_beyond_the_ready_ones() {
        let ready = RateHeaders::new(RateRule { limit: 1_000_000, window_ms: 60_000 });
        let mut map = HeaderMap::new();
        ready.insert(&mut map, RateDecision { allowed: true, remaining: 999_999, reset_s: 60 });
        let text =
            |name: HeaderName| map.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        assert_eq!(text(RATE_LIMIT_LIMIT), "1000000");
        assert_eq!(text(RATE_LIMIT_POLICY), "1000000;w=60");
        assert_eq!(text(RATE_LIMIT_REMAINING), "999999");
        assert_eq!(text(RATE_LIMIT_RESET), "60");
    }
}
