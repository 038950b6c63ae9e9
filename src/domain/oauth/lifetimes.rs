//! How long what is granted lasts, and what a refresh token that comes back a second time means (RFC 9700, section 4.14).

const SECOND_MS: i64 = 1000;
const DAY_MS: i64 = 24 * 60 * 60 * SECOND_MS;

/// An authorization request waits for the person's decision this long.
pub const REQUEST_MS: i64 = 10 * 60 * SECOND_MS;
/// A code may be redeemed this long.
pub const CODE_MS: i64 = 60 * SECOND_MS;
/// A connection has to be allowed again after this, however much it is used.
pub const ABSOLUTE_MS: i64 = 365 * DAY_MS;
/// A client that never connected is deleted after this.
pub const UNUSED_CLIENT_MS: i64 = DAY_MS;
/// A client that no longer connects is deleted after this.
pub const IDLE_CLIENT_MS: i64 = 365 * DAY_MS;
/// Access tokens of one connection that live at a time: one more ends the oldest.
pub const ACCESS_TOKENS_MAX: i64 = 20;
/// An access token that was ended by newer ones is kept this long, so that every process learns of it.
pub const RETIRED_KEPT_MS: i64 = 10 * 60 * SECOND_MS;
/// Authorization requests of one person that are kept at a time: one more deletes the oldest.
pub const REQUESTS_MAX: i64 = 50;
/// Refresh tokens of one connection that are issued within the lifetime of an access token: each is kept until it ends, so that one
/// that comes back is known, and a client that refreshes without end would fill the database.
pub const REFRESH_TOKENS_MAX: i64 = 120;
/// How often a refresh token that was used may come back within the grace.
pub const SIBLINGS_MAX: i64 = 5;

/// The lifetimes that are settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetimes {
    /// Of an access token.
    pub access_ms: i64,
    /// Of a refresh token that is not used.
    pub refresh_idle_ms: i64,
    /// How long after its use a refresh token may come back: clients refresh from two places, or lose an answer. 0 is never.
    pub refresh_grace_ms: i64,
}

impl Lifetimes {
    /// From the settings.
    pub fn new(access_s: u64, refresh_idle_days: u64, refresh_grace_s: u64) -> Self {
        let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        Self {
            access_ms: signed(access_s).saturating_mul(SECOND_MS),
            refresh_idle_ms: signed(refresh_idle_days).saturating_mul(DAY_MS),
            refresh_grace_ms: signed(refresh_grace_s).saturating_mul(SECOND_MS),
        }
    }

    /// When a refresh token made now ends, for a connection that was allowed at a moment.
    pub fn refresh_until_ms(self, allowed_at_ms: i64, now_ms: i64) -> i64 {
        now_ms.saturating_add(self.refresh_idle_ms).min(allowed_at_ms.saturating_add(ABSOLUTE_MS))
    }

    /// Milliseconds for which a connection gets no further refresh token, by when the one was issued that came so many before it
    /// ([`REFRESH_TOKENS_MAX`]); none when it may have one.
    pub fn refresh_wait_ms(self, issued_at_ms: Option<i64>, now_ms: i64) -> Option<i64> {
        let wait_ms = issued_at_ms?.saturating_add(self.access_ms).saturating_sub(now_ms);
        (wait_ms > 0).then_some(wait_ms)
    }

    /// What the use of a refresh token is, by when it was used first and how often it came back since.
    pub fn use_of_refresh(self, used_at_ms: Option<i64>, siblings: i64, now_ms: i64) -> RefreshUse {
        match used_at_ms {
            None => RefreshUse::Rotation,
            Some(at_ms) if now_ms.saturating_sub(at_ms) < self.refresh_grace_ms && siblings < SIBLINGS_MAX => {
                RefreshUse::Sibling
            }
            Some(_) => RefreshUse::Reuse,
        }
    }
}

/// What the use of a refresh token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshUse {
    /// The first: the next pair follows.
    Rotation,
    /// Within the grace: another pair of the same family.
    Sibling,
    /// A token that was used comes back: somebody has a copy, and the whole family ends.
    Reuse,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_used_token_may_come_back_within_the_grace_five_times() {
        let lifetimes = Lifetimes::new(3600, 60, 60);
        for (used_at_ms, siblings, now_ms, expected) in [
            (None, 0, 0, RefreshUse::Rotation),
            (Some(1_000), 0, 1_000, RefreshUse::Sibling),
            (Some(1_000), 4, 60_999, RefreshUse::Sibling),
            (Some(1_000), 5, 1_001, RefreshUse::Reuse),
            (Some(1_000), 0, 61_000, RefreshUse::Reuse),
            (Some(1_000), 0, 62_000, RefreshUse::Reuse),
        ] {
            assert_eq!(lifetimes.use_of_refresh(used_at_ms, siblings, now_ms), expected, "{used_at_ms:?} {now_ms}");
        }
        let strict = Lifetimes::new(3600, 60, 0);
        assert_eq!(strict.use_of_refresh(Some(5), 0, 5), RefreshUse::Reuse);
    }

    #[test]
    fn a_connection_has_so_many_refresh_tokens_within_the_lifetime_of_an_access_token() {
        let lifetimes = Lifetimes::new(3600, 60, 60);
        for (issued_at_ms, now_ms, expected) in
            [(None, 5, None), (Some(5), 5, Some(3_600_000)), (Some(5), 3_600_004, Some(1)), (Some(5), 3_600_005, None)]
        {
            assert_eq!(lifetimes.refresh_wait_ms(issued_at_ms, now_ms), expected, "{issued_at_ms:?} {now_ms}");
        }
    }

    #[test]
    fn a_connection_ends_a_year_after_it_was_allowed() {
        let lifetimes = Lifetimes::new(3600, 60, 60);
        assert_eq!(lifetimes.refresh_until_ms(0, 0), 60 * DAY_MS);
        assert_eq!(lifetimes.refresh_until_ms(0, 350 * DAY_MS), ABSOLUTE_MS);
    }
}
