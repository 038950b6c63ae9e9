//! A fixed window of requests: it starts with the first request after the last one ended.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bits that hold the count; the rest hold the start in milliseconds of the monotonic clock.
const COUNT_BITS: u32 = 24;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;

/// The largest limit a window can count to.
pub const LIMIT_MAX: u64 = COUNT_MASK - 1;

/// The rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateRule {
    /// Requests per window.
    pub limit: u64,
    /// Length of the window.
    pub window_ms: u64,
}

/// The decision about one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateDecision {
    /// Whether it is within the limit.
    pub allowed: bool,
    /// Requests left in the window.
    pub remaining: u64,
    /// Whole seconds until the window ends, rounded up, at least 1.
    pub reset_s: u64,
}

/// The window of one key or person: one atomic word, counted by the request itself.
#[derive(Debug, Default)]
pub struct RateWindow(AtomicU64);

impl RateWindow {
    /// Counts one request at `now_ms` of a monotonic clock.
    pub fn hit(&self, rule: RateRule, now_ms: u64) -> RateDecision {
        // A start of zero means "never used", so the clock is shifted by one.
        let now = now_ms + 1;
        let mut word = self.0.load(Ordering::Acquire);
        loop {
            let (start, count) = (word >> COUNT_BITS, word & COUNT_MASK);
            let fresh = start == 0 || now >= start + rule.window_ms;
            let (next_start, used) = if fresh { (now, 0) } else { (start, count) };
            let allowed = used < rule.limit;
            let reset_s = (next_start + rule.window_ms).saturating_sub(now).div_ceil(1000).max(1);
            if !allowed {
                return RateDecision { allowed, remaining: 0, reset_s };
            }
            let next = (next_start << COUNT_BITS) | (used + 1);
            match self.0.compare_exchange_weak(word, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return RateDecision { allowed, remaining: rule.limit - used - 1, reset_s },
                Err(seen) => word = seen,
            }
        }
    }

    /// Requests counted in the window that is running at `now_ms`.
    pub fn used(&self, rule: RateRule, now_ms: u64) -> u64 {
        if self.is_idle(rule, now_ms) { 0 } else { self.0.load(Ordering::Acquire) & COUNT_MASK }
    }

    /// Whether the window has ended (or never began) at `now_ms`, so that it may be forgotten.
    pub fn is_idle(&self, rule: RateRule, now_ms: u64) -> bool {
        let start = self.0.load(Ordering::Acquire) >> COUNT_BITS;
        start == 0 || now_ms + 1 >= start + rule.window_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: RateRule = RateRule { limit: 3, window_ms: 60_000 };

    #[test]
    fn the_window_starts_with_the_first_request_and_ends_after_its_length() {
        let window = RateWindow::default();
        assert!(window.is_idle(RULE, 5));
        assert_eq!(window.hit(RULE, 5), RateDecision { allowed: true, remaining: 2, reset_s: 60 });
        assert_eq!(window.hit(RULE, 1_006), RateDecision { allowed: true, remaining: 1, reset_s: 59 });
        assert!(window.hit(RULE, 59_999).allowed);
        assert_eq!(window.hit(RULE, 60_004), RateDecision { allowed: false, remaining: 0, reset_s: 1 });
        assert_eq!(window.hit(RULE, 60_005), RateDecision { allowed: true, remaining: 2, reset_s: 60 });
    }

    #[test]
    fn parallel_requests_never_exceed_the_limit() {
        let window = RateWindow::default();
        let rule = RateRule { limit: 1_000, window_ms: 60_000 };
        let allowed: usize = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|_| scope.spawn(|| (0..500).filter(|_| window.hit(rule, 1).allowed).count())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_default()).sum()
        });
        assert_eq!(allowed, 1_000);
    }
}
