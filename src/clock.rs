//! Time and randomness, injected everywhere so that tests can hold them still.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A source of time and of random bytes.
pub trait Clock: Send + Sync + 'static {
    /// Milliseconds since 1970-01-01 UTC.
    fn now_ms(&self) -> i64;
    /// Milliseconds of a clock that never goes back.
    fn monotonic_ms(&self) -> u64;
    /// The same at a moment somebody has read already, so that a hot path reads the machine's clock once.
    fn monotonic_ms_at(&self, moment: Instant) -> u64;
    /// Fills a buffer with unpredictable bytes.
    fn fill_random(&self, buffer: &mut [u8]);

    /// Mints a version 7 UUID (RFC 9562): sortable by time, 74 random bits.
    fn unique(&self) -> uuid::Uuid {
        let mut random = [0_u8; 10];
        self.fill_random(&mut random);
        let millis = u64::try_from(self.now_ms()).unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
    }
}

/// The machine's clock and the operating system's randomness.
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { started: Instant::now() }
    }
}

/// Milliseconds of a duration in 64 bits: the 128 of `as_millis` cost divisions.
fn whole_ms(duration: Duration) -> i64 {
    let seconds = i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
    seconds.saturating_mul(1_000).saturating_add(i64::from(duration.subsec_millis()))
}

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        // Through no calendar, because every request reads it.
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or_else(|before| -whole_ms(before.duration()), whole_ms)
    }

    fn monotonic_ms(&self) -> u64 {
        self.monotonic_ms_at(Instant::now())
    }

    fn monotonic_ms_at(&self, moment: Instant) -> u64 {
        u64::try_from(whole_ms(moment.saturating_duration_since(self.started))).unwrap_or_default()
    }

    #[expect(clippy::expect_used, reason = "without randomness no secret may be minted; the process must not go on")]
    fn fill_random(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("the operating system provides randomness");
    }
}

/// A clock that tests move by hand; randomness is the operating system's.
#[derive(Debug)]
pub struct ManualClock {
    now_ms: AtomicI64,
    monotonic_ms: AtomicI64,
    random: SystemClock,
}

impl ManualClock {
    /// A clock standing at a moment.
    pub fn at_ms(now_ms: i64) -> Self {
        Self { now_ms: AtomicI64::new(now_ms), monotonic_ms: AtomicI64::new(0), random: SystemClock::default() }
    }

    /// Moves both clocks forward.
    pub fn advance_ms(&self, by_ms: i64) {
        self.now_ms.fetch_add(by_ms, Ordering::AcqRel);
        self.monotonic_ms.fetch_add(by_ms, Ordering::AcqRel);
    }

    /// Sets the wall clock alone, as an operator or a leap would.
    pub fn set_wall_ms(&self, now_ms: i64) {
        self.now_ms.store(now_ms, Ordering::Release);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::Acquire)
    }

    fn monotonic_ms(&self) -> u64 {
        u64::try_from(self.monotonic_ms.load(Ordering::Acquire)).unwrap_or_default()
    }

    fn monotonic_ms_at(&self, _: Instant) -> u64 {
        self.monotonic_ms()
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        self.random.fill_random(buffer);
    }
}
