//! The id of a request: minted here for every request, on every answer and in every log line about it.

use std::cell::RefCell;
use std::fmt;

use actix_web::http::header::HeaderValue;
use bytes::Bytes;

use crate::clock::Clock;

const PREFIX: &[u8; 4] = b"req_";
const LENGTH: usize = PREFIX.len() + 32;
const RANDOM_BYTES: usize = 10;
const POOL_BYTES: usize = 1_280;

/// `req_` and a version 7 UUID (RFC 9562) without hyphens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RequestId([u8; LENGTH]);

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
    pool: RefCell<(Box<[u8; POOL_BYTES]>, usize)>,
}

impl Default for RequestIds {
    fn default() -> Self {
        Self { pool: RefCell::new((Box::new([0; POOL_BYTES]), POOL_BYTES)) }
    }
}

impl RequestIds {
    /// Mints an id at a moment of the clock.
    pub(super) fn mint(&self, now_ms: i64, clock: &dyn Clock) -> RequestId {
        let random = self.random(clock);
        let millis = u64::try_from(now_ms).unwrap_or_default();
        let unique = uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid();
        let mut text = [0; LENGTH];
        if let Some((prefix, digits)) = text.split_first_chunk_mut::<{ PREFIX.len() }>() {
            *prefix = *PREFIX;
            unique.simple().encode_lower(digits);
        }
        RequestId(text)
    }

    fn random(&self, clock: &dyn Clock) -> [u8; RANDOM_BYTES] {
        let mut pool = self.pool.borrow_mut();
        let (bytes, used) = &mut *pool;
        if *used + RANDOM_BYTES > POOL_BYTES {
            clock.fill_random(&mut bytes[..]);
            *used = 0;
        }
        let random = bytes.get(*used..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
        *used += RANDOM_BYTES;
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
