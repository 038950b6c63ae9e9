//! Reading bodies: served ones into one buffer under a budget, refused ones through the syntax check and away.
//!
//! Both are checked by the same [`JsonChecker`] as bytes arrive, and both must arrive in time: within a deadline, and
//! after five seconds at a minimum rate on average. A refused body beyond its first bytes needs a place in the *lane*,
//! which few have at once; the others are not read meanwhile, and that time does not count against their sender.

use std::ops::Deref;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use bytes::{Bytes, BytesMut};
use futures_util::Stream as _;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::connection::Valve;
use super::error::ApiError;
use super::json_syntax::{JsonChecker, SyntaxError};

/// Read at once from a body that will be served.
const SERVED_TURN_BYTES: usize = 64 * 1024;
/// Read at once from a body that is checked and thrown away: one fill of the server library's buffer.
const REFUSED_TURN_BYTES: usize = 8 * 1024;
/// The same while it has a place in the lane.
const LANE_TURN_BYTES: usize = 32 * 1024;
/// A refused body up to this size never waits for the lane.
const REFUSED_FREE_BYTES: u64 = 32 * 1024;
/// What the first growth of a buffer reserves.
const BUFFER_FIRST_BYTES: usize = 64 * 1024;
/// While requests are being served, a body in the lane rests after this many bytes, so that they find the processor
/// free.
const LANE_BURST_BYTES: u64 = 128 * 1024;
/// How long it rests.
const LANE_REST: Duration = Duration::from_millis(1);
/// How long after the last served request the lane still leaves room for the next.
const LANE_POLITE: Duration = Duration::from_millis(100);
/// How long a place in the lane is kept for a sender that has nothing ready.
const LANE_IDLE: Duration = Duration::from_millis(20);
/// How long a place is kept before its holder must show that it uses it.
const LANE_STAY: Duration = Duration::from_millis(100);
/// What a holder must have sent in that time to stay.
const LANE_STAY_BYTES: u64 = 512 * 1024;

/// How long and how large bodies may be.
#[derive(Debug, Clone, Copy)]
pub struct BodyLimits {
    /// The largest body accepted.
    pub max_bytes: u64,
    /// Bytes of served bodies held at once over all connections.
    pub max_in_flight_bytes: u64,
    /// From the first byte to the last.
    pub deadline: Duration,
    /// The slowest average rate.
    pub min_bytes_per_s: u64,
    /// How long the average is not looked at.
    pub rate_grace: Duration,
    /// Refused bodies read at once.
    pub lane_places: usize,
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self {
            max_bytes: 26_214_400,
            max_in_flight_bytes: 268_435_456,
            deadline: Duration::from_secs(300),
            min_bytes_per_s: 32_768,
            rate_grace: Duration::from_secs(5),
            lane_places: 2,
        }
    }
}

/// What all bodies of the process share.
pub(super) struct Bodies {
    pub(super) limits: BodyLimits,
    in_flight_bytes: Arc<AtomicU64>,
    lane: Semaphore,
    started: std::time::Instant,
    /// When the last request that may be served came in, in milliseconds since the start.
    served_ms: AtomicU64,
}

impl Bodies {
    pub(super) fn new(limits: BodyLimits) -> Self {
        Self {
            limits,
            in_flight_bytes: Arc::default(),
            lane: Semaphore::new(limits.lane_places.max(1)),
            started: std::time::Instant::now(),
            served_ms: AtomicU64::new(0),
        }
    }

    /// Notes that a request is being served.
    pub(super) fn note_served(&self, at: std::time::Instant) {
        let now_ms = self.since_start_ms(at);
        // Thousands of requests share a millisecond; only the first of them writes.
        if self.served_ms.load(Ordering::Relaxed) != now_ms {
            self.served_ms.store(now_ms, Ordering::Relaxed);
        }
    }

    /// Whether somebody else needs the processor.
    fn is_serving(&self) -> bool {
        let quiet_ms =
            self.since_start_ms(std::time::Instant::now()).saturating_sub(self.served_ms.load(Ordering::Relaxed));
        Duration::from_millis(quiet_ms) < LANE_POLITE
    }

    fn since_start_ms(&self, at: std::time::Instant) -> u64 {
        u64::try_from(at.saturating_duration_since(self.started).as_millis()).unwrap_or(u64::MAX)
    }

    /// Bytes of served bodies held now.
    pub(super) fn in_flight_bytes(&self) -> u64 {
        self.in_flight_bytes.load(Ordering::Relaxed)
    }
}

/// A body that was read whole. Its bytes count against the budget until it is dropped, wherever it is sent.
#[derive(Default)]
pub struct Body {
    bytes: Bytes,
    _charge: Charge,
}

impl Body {
    /// The bytes, which no longer count as in flight.
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

impl Deref for Body {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Bytes charged to the budget, given back on drop.
#[derive(Default)]
struct Charge {
    bytes: u64,
    budget: Option<Arc<AtomicU64>>,
}

impl Charge {
    fn add(&mut self, bytes: u64, bodies: &Bodies) -> Result<(), ApiError> {
        let budget = self.budget.get_or_insert_with(|| Arc::clone(&bodies.in_flight_bytes));
        let before = budget.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
        if before + bytes > bodies.limits.max_in_flight_bytes {
            return Err(ApiError::busy("too many request bodies are being read", 1));
        }
        Ok(())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            budget.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

/// A body on its way in.
pub(super) struct Incoming<'a> {
    payload: Payload,
    valve: Option<Rc<Valve>>,
    bodies: &'a Bodies,
    max_bytes: u64,
    clock: SenderClock,
    checker: Option<JsonChecker>,
    ended: bool,
}

impl<'a> Incoming<'a> {
    pub(super) fn new(payload: Payload, valve: Option<Rc<Valve>>, bodies: &'a Bodies, max_bytes: u64) -> Self {
        let clock = SenderClock::new(&bodies.limits);
        Self { payload, valve, bodies, max_bytes, clock, checker: Some(JsonChecker::default()), ended: false }
    }

    /// Starts the sender's clock and takes the connection's reading into its own hands.
    pub(super) fn meter(&mut self) {
        self.clock = SenderClock::new(&self.bodies.limits);
        if let Some(valve) = &self.valve {
            valve.allow(REFUSED_TURN_BYTES);
        }
    }

    /// Does not look at the syntax: for encoded bodies, which will be refused for that.
    pub(super) fn skip_check(&mut self) {
        self.checker = None;
    }

    /// Whether the body was read to its end.
    pub(super) const fn is_ended(&self) -> bool {
        self.ended
    }

    /// Reads the whole body into one buffer. An empty one is fine only where it is optional.
    pub(super) async fn collect(&mut self, declared: Option<u64>, optional: bool) -> Result<Body, ApiError> {
        let mut charge = Charge::default();
        let declared = declared.and_then(|length| usize::try_from(length).ok());
        let mut buffer = BytesMut::new();
        while let Some(chunk) = self.next(SERVED_TURN_BYTES).await? {
            charge.add(length(&chunk), self.bodies)?;
            if buffer.is_empty() && declared == Some(chunk.len()) {
                // The usual small body arrives in one piece, which then is the body.
                let end = self.next(SERVED_TURN_BYTES).await?;
                debug_assert!(end.is_none(), "the server library ends a body at its declared length");
                self.finish_check(optional)?;
                return Ok(Body { bytes: chunk, _charge: charge });
            }
            let room = buffer.capacity() - buffer.len();
            if room < chunk.len() {
                let double = buffer.len().max(BUFFER_FIRST_BYTES);
                let rest = declared.map_or(double, |declared| declared.saturating_sub(buffer.len()).min(double));
                buffer.reserve(rest.max(chunk.len()));
            }
            buffer.extend_from_slice(&chunk);
        }
        self.finish_check(optional)?;
        Ok(Body { bytes: buffer.freeze(), _charge: charge })
    }

    /// Checks the whole body and keeps nothing of it.
    pub(super) async fn check_and_forget(&mut self, optional: bool) -> Result<(), ApiError> {
        let mut place: Option<LanePlace<'_>> = None;
        loop {
            if self.clock.received > REFUSED_FREE_BYTES {
                // A holder that was too slow gives its place to the next in the queue and waits at its end.
                place = place.filter(|held| !held.is_wasted(self.clock.received));
                match &mut place {
                    None => place = Some(self.enter_lane().await),
                    Some(held) => held.rest(self.clock.received, self.bodies).await,
                }
            }
            let next = if place.is_some() {
                match tokio::time::timeout(LANE_IDLE, self.next(LANE_TURN_BYTES)).await {
                    Ok(next) => next?,
                    Err(_idle) => {
                        place = None;
                        self.next(REFUSED_TURN_BYTES).await?
                    }
                }
            } else {
                self.next(REFUSED_TURN_BYTES).await?
            };
            if next.is_none() {
                return self.finish_check(optional);
            }
        }
    }

    /// Reads a small body that nobody asked for, so that the connection can go on being used.
    pub(super) async fn skip(&mut self, max_bytes: u64, within: Duration) {
        self.checker = None;
        let skipping = async {
            while self.clock.received < max_bytes && matches!(self.next(REFUSED_TURN_BYTES).await, Ok(Some(_))) {}
        };
        // Whoever does not send what was announced is answered all the same; the connection is closed then.
        let _in_time = tokio::time::timeout(within, skipping).await;
    }

    /// The next piece, checked; `None` at the end.
    async fn next(&mut self, turn_bytes: usize) -> Result<Option<Bytes>, ApiError> {
        let Some(chunk) = self.next_raw(turn_bytes).await? else {
            self.ended = true;
            return Ok(None);
        };
        self.clock.received += length(&chunk);
        if self.clock.received > self.max_bytes {
            return Err(ApiError::payload_too_large(self.max_bytes));
        }
        if let Some(checker) = &mut self.checker {
            checker.feed(&chunk).map_err(ApiError::invalid_json)?;
        }
        Ok(Some(chunk))
    }

    async fn next_raw(&mut self, turn_bytes: usize) -> Result<Option<Bytes>, ApiError> {
        loop {
            let (payload, valve) = (&mut self.payload, self.valve.as_deref());
            let polled = std::future::poll_fn(|context| match Pin::new(&mut *payload).poll_next(context) {
                Poll::Ready(next) => Poll::Ready(Some(next)),
                // Asked at every poll: the server library may have used the allowance up without a piece to show.
                Poll::Pending if valve.is_some_and(Valve::is_shut) => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            });
            let next = match tokio::time::timeout_at(self.clock.due(), polled).await {
                Ok(next) => next,
                Err(_due) if self.clock.is_late() => return Err(ApiError::request_timeout()),
                Err(_early) => continue,
            };
            match next {
                Some(Some(Ok(chunk))) => return Ok(Some(chunk)),
                Some(Some(Err(error))) => return Err(broken(&error, self.clock.received)),
                Some(None) => return Ok(None),
                None => {
                    // The allowance is used up and what it brought is consumed: everybody else first, then more.
                    if let Some(valve) = &self.valve {
                        valve.allow(turn_bytes);
                    }
                    tokio::task::yield_now().await;
                }
            }
        }
    }

    async fn enter_lane(&mut self) -> LanePlace<'a> {
        let queued = Instant::now();
        if let Some(valve) = &self.valve {
            valve.shut();
        }
        // The semaphore is never closed; if it were, reading without a place would still be right.
        let permit = self.bodies.lane.acquire().await.ok();
        self.clock.waited += queued.elapsed();
        LanePlace {
            _permit: permit,
            since: Instant::now(),
            at_entry: self.clock.received,
            rested_at: self.clock.received,
        }
    }

    fn finish_check(&self, optional: bool) -> Result<(), ApiError> {
        if optional && self.clock.received == 0 {
            return Ok(());
        }
        self.checker.as_ref().map_or(Ok(()), JsonChecker::finish).map_err(ApiError::invalid_json)
    }
}

/// One of the few places for refused bodies.
struct LanePlace<'a> {
    _permit: Option<SemaphorePermit<'a>>,
    since: Instant,
    at_entry: u64,
    rested_at: u64,
}

impl LanePlace<'_> {
    /// Whether the holder has been slower than a place is worth.
    fn is_wasted(&self, received: u64) -> bool {
        self.since.elapsed() >= LANE_STAY && received - self.at_entry < LANE_STAY_BYTES
    }

    /// Leaves the processor to others after every burst, if there are any.
    async fn rest(&mut self, received: u64, bodies: &Bodies) {
        if self.since.elapsed() >= LANE_STAY {
            self.since = Instant::now();
            self.at_entry = received;
        }
        if received - self.rested_at >= LANE_BURST_BYTES {
            self.rested_at = received;
            if bodies.is_serving() {
                tokio::time::sleep(LANE_REST).await;
            }
        }
    }
}

/// The time a sender is answerable for: all of it but what was spent waiting in the lane's queue.
struct SenderClock {
    started: Instant,
    waited: Duration,
    received: u64,
    deadline: Duration,
    rate_grace: Duration,
    min_bytes_per_s: u64,
}

impl SenderClock {
    fn new(limits: &BodyLimits) -> Self {
        Self {
            started: Instant::now(),
            waited: Duration::ZERO,
            received: 0,
            deadline: limits.deadline,
            rate_grace: limits.rate_grace,
            min_bytes_per_s: limits.min_bytes_per_s.max(1),
        }
    }

    /// The moment at which the body is late if nothing more arrives.
    fn due(&self) -> Instant {
        let enough_for = Duration::from_millis(self.received.saturating_mul(1000) / self.min_bytes_per_s);
        self.started + self.waited + enough_for.max(self.rate_grace).min(self.deadline)
    }

    fn is_late(&self) -> bool {
        Instant::now() >= self.due()
    }
}

fn broken(error: &PayloadError, received: u64) -> ApiError {
    let reason = match error {
        PayloadError::EncodingCorrupted => "the chunked encoding of the body is broken",
        _ => "the body ended early",
    };
    ApiError::invalid_json(SyntaxError { reason, offset: received })
}

fn length(bytes: &Bytes) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
