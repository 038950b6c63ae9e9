//! Whether a body arrives in time.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::limits::BodyLimits;

/// What arrives within this time is noted as one, so that little has to be kept of a body.
const SAMPLE: Duration = Duration::from_millis(250);

/// The time a sender is answerable for: all of it but what was spent waiting for a slot.
pub(super) struct SenderClock {
    started: Instant,
    waited: Duration,
    received: u64,
    deadline: Duration,
    rate_grace: Duration,
    rate_window: Duration,
    min_bytes_per_s: u64,
    /// How much had arrived by then, in time the sender is answerable for: as far back as it may still be asked about.
    arrivals: VecDeque<(Duration, u64)>,
}

impl SenderClock {
    pub(super) fn new(limits: &BodyLimits, now: Instant) -> Self {
        Self {
            started: now,
            waited: Duration::ZERO,
            received: 0,
            deadline: limits.deadline,
            rate_grace: limits.rate_grace,
            // Without a minimum only the deadline is kept.
            rate_window: if limits.min_bytes_per_s == 0 { limits.deadline } else { limits.rate_window },
            min_bytes_per_s: limits.min_bytes_per_s.max(1),
            arrivals: VecDeque::new(),
        }
    }

    /// Bytes that arrived.
    pub(super) const fn received(&self) -> u64 {
        self.received
    }

    /// Notes bytes that arrived.
    pub(super) fn receive(&mut self, bytes: u64, now: Instant) {
        self.received += bytes;
        let at = now.saturating_duration_since(self.started).saturating_sub(self.waited);
        match self.arrivals.back_mut() {
            Some((since, received)) if at.saturating_sub(*since) < SAMPLE => *received = self.received,
            _ => self.arrivals.push_back((at, self.received)),
        }
        let before_window = self.received.saturating_sub(self.quota());
        while self.arrivals.front().is_some_and(|(_, received)| *received <= before_window) {
            self.arrivals.pop_front();
        }
    }

    /// Takes off time that was not the sender's.
    pub(super) fn excuse(&mut self, waited: Duration) {
        self.waited += waited;
    }

    /// The moment at which the body is late if nothing more arrives.
    pub(super) fn due(&self) -> Instant {
        let enough_for = Duration::from_millis(self.received.saturating_mul(1000) / self.min_bytes_per_s);
        let on_average = enough_for.max(self.rate_grace);
        // The last bytes that make up what a window needs arrived from here on: a window that begins later lacks some.
        let window_from = match self.arrivals.front() {
            Some((at, _)) if self.received >= self.quota() => *at,
            _ => Duration::ZERO,
        };
        let in_window = window_from + SAMPLE + self.rate_window;
        self.started + self.waited + on_average.min(in_window).min(self.deadline)
    }

    /// Bytes that have to arrive in any window.
    fn quota(&self) -> u64 {
        let window_ms = u64::try_from(self.rate_window.as_millis()).unwrap_or(u64::MAX);
        self.min_bytes_per_s.saturating_mul(window_ms) / 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u64 = 1_000;

    fn clock(start: Instant) -> SenderClock {
        SenderClock::new(&BodyLimits { min_bytes_per_s: RATE, ..BodyLimits::default() }, start)
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn what_came_quickly_before_excuses_no_standstill() {
        let start = Instant::now();
        let mut clock = clock(start);
        assert_eq!(clock.due(), start + ms(5_000));
        // Enough for five minutes on average.
        clock.receive(300 * RATE, start + ms(100));
        assert_eq!(clock.due(), start + ms(100 + 250 + 10_000));
        // What waiting for a slot takes is not the sender's.
        clock.excuse(ms(3_000));
        assert_eq!(clock.due(), start + ms(3_000 + 100 + 250 + 10_000));
        clock.receive(1, start + ms(13_000));
        assert_eq!(clock.due(), start + ms(3_000 + 100 + 250 + 10_000), "a byte is not enough");
        clock.receive(10 * RATE, start + ms(13_100));
        assert_eq!(clock.due(), start + ms(3_000 + 10_000 + 250 + 10_000));
    }

    #[test]
    fn a_sender_that_keeps_the_rate_is_never_late() {
        let start = Instant::now();
        let mut clock = clock(start);
        clock.receive(2 * RATE, start);
        for second in 1..=299 {
            let now = start + ms(second * 1_000);
            assert!(now < clock.due(), "after {second} seconds");
            clock.receive(RATE, now);
            assert!(clock.arrivals.len() <= 12, "{}", clock.arrivals.len());
        }
        assert_eq!(clock.due(), start + ms(300_000), "only the deadline is left");
    }

    #[test]
    fn a_sender_that_is_too_slow_from_the_start_is_late_on_average() {
        let start = Instant::now();
        let mut clock = clock(start);
        for second in 1..=4 {
            clock.receive(RATE / 2, start + ms(second * 1_000));
        }
        assert_eq!(clock.due(), start + ms(5_000));
        clock.receive(4 * RATE, start + ms(4_500));
        assert_eq!(clock.due(), start + ms(6_000));
    }
}
