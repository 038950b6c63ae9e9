//! How long a client's document is kept, by what its server says of it (RFC 9111, sections 4.2 and 5), within bounds of our own: a
//! server is not asked at every authorization, and a change is seen within a day.

use chrono::DateTime;

const SECOND_MS: i64 = 1000;
/// The shortest: whatever the server says, and when it says nothing.
pub const KEPT_MIN_MS: i64 = 5 * 60 * SECOND_MS;
/// The longest.
pub const KEPT_MAX_MS: i64 = 24 * 60 * 60 * SECOND_MS;
/// After a failure nobody asks for the document again for so long.
pub const FAILED_MS: u64 = 60_000;

/// The headers of an answer that say how long it may be kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct CacheHeaders<'a> {
    /// `Cache-Control`.
    pub cache_control: Option<&'a str>,
    /// `Age`.
    pub age: Option<&'a str>,
    /// `Expires`.
    pub expires: Option<&'a str>,
    /// `Date`.
    pub date: Option<&'a str>,
}

/// How long an answer that came at a moment is kept.
pub fn kept_ms(headers: CacheHeaders<'_>, now_ms: i64) -> i64 {
    fresh_ms(headers, now_ms).unwrap_or(0).clamp(KEPT_MIN_MS, KEPT_MAX_MS)
}

/// How long the server says that the answer is fresh from now on; none when it does not say.
fn fresh_ms(headers: CacheHeaders<'_>, now_ms: i64) -> Option<i64> {
    let directives = || headers.cache_control.unwrap_or_default().split(',').map(str::trim);
    let forbids = |directive: &str| {
        let name = directive.split('=').next().unwrap_or_default();
        ["no-store", "no-cache", "private"].iter().any(|forbidding| name.eq_ignore_ascii_case(forbidding))
    };
    if directives().any(forbids) {
        return None;
    }
    let seconds_of = |name: &str| {
        let values = directives().filter_map(|directive| directive.split_once('='));
        let mut named = values.filter(|(known, _)| known.trim().eq_ignore_ascii_case(name));
        named.next().and_then(|(_, value)| seconds(value.trim().trim_matches('"')))
    };
    let age_ms = headers.age.and_then(|age| seconds(age.trim())).unwrap_or(0);
    // This is a cache for many.
    if let Some(lifetime_ms) = seconds_of("s-maxage").or_else(|| seconds_of("max-age")) {
        return Some(lifetime_ms.saturating_sub(age_ms));
    }
    let moment = |text: &str| DateTime::parse_from_rfc2822(text.trim()).ok().map(|moment| moment.timestamp_millis());
    let date_ms = headers.date.and_then(moment).unwrap_or(now_ms);
    Some(moment(headers.expires?)?.saturating_sub(date_ms).saturating_sub(age_ms))
}

/// Seconds as milliseconds; more than fits is as much as fits (RFC 9111, section 1.2.2).
fn seconds(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(i64::MAX).saturating_mul(SECOND_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_kept_for_minutes_at_least_and_a_day_at_most() {
        // 10 March 2026, noon.
        let now_ms = 1_773_144_000_000;
        let date = Some("Tue, 10 Mar 2026 12:00:00 GMT");
        let of =
            |cache_control: &'static str| CacheHeaders { cache_control: Some(cache_control), ..Default::default() };
        let hour_ms = 60 * 60 * SECOND_MS;
        for (headers, expected) in [
            (CacheHeaders::default(), KEPT_MIN_MS),
            (of("max-age=3600"), hour_ms),
            (of("public, MAX-AGE=\"3600\""), hour_ms),
            (of("max-age=60, s-maxage=3600"), hour_ms),
            (of("max-age=0"), KEPT_MIN_MS),
            (of("max-age=299"), KEPT_MIN_MS),
            (of("max-age=86401"), KEPT_MAX_MS),
            (of("max-age=99999999999999999999999"), KEPT_MAX_MS),
            (of("max-age=-1"), KEPT_MIN_MS),
            (of("max-age=x"), KEPT_MIN_MS),
            (of("no-store, max-age=3600"), KEPT_MIN_MS),
            (of("No-Cache, max-age=3600"), KEPT_MIN_MS),
            (of("private=\"x\", max-age=3600"), KEPT_MIN_MS),
            (of("immutable"), KEPT_MIN_MS),
            (CacheHeaders { age: Some("1800"), ..of("max-age=5400") }, hour_ms),
            (CacheHeaders { age: Some("x"), ..of("max-age=3600") }, hour_ms),
            (CacheHeaders { date, expires: Some("Tue, 10 Mar 2026 13:00:00 GMT"), ..Default::default() }, hour_ms),
            (CacheHeaders { expires: Some("Tue, 10 Mar 2026 13:00:00 GMT"), ..Default::default() }, hour_ms),
            (CacheHeaders { date, expires: Some("Tue, 10 Mar 2026 11:00:00 GMT"), ..Default::default() }, KEPT_MIN_MS),
            (CacheHeaders { date, expires: Some("0"), ..Default::default() }, KEPT_MIN_MS),
            (CacheHeaders { expires: Some("Tue, 10 Mar 2026 13:00:00 GMT"), ..of("max-age=600") }, 600 * SECOND_MS),
        ] {
            assert_eq!(kept_ms(headers, now_ms), expected, "{headers:?}");
        }
    }
}
