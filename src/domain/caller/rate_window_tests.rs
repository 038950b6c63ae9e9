//! The window of requests.

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
