//! Reading bodies: served ones into one buffer under a budget, refused ones through the syntax check and away.
//!
//! Both are checked by the same [`JsonChecker`] as bytes arrive, and both must arrive in time: within a deadline, and
//! after five seconds at a minimum rate on average. A refused body beyond its first bytes needs one of a few
//! *slots*; the bodies that wait for a slot are not read meanwhile, and that time does not count against their sender.

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

use super::error::ApiError;
use super::json_syntax::{JsonChecker, SyntaxError};
use crate::http::server::{FRUGAL_TURN_BYTES, ReadPermit};

/// Read at once from a body that will be served.
const SERVED_TURN_BYTES: usize = 64 * 1024;
/// Read at once from a body that is checked and thrown away.
const REFUSED_TURN_BYTES: usize = FRUGAL_TURN_BYTES;
/// A refused body up to this size never waits for a slot.
const REFUSED_FREE_BYTES: u64 = 32 * 1024;
/// What the first growth of a buffer reserves.
const BUFFER_FIRST_BYTES: usize = 64 * 1024;
/// While requests are being served, a refused body pauses after this many bytes, so that the requests find the processor
/// free.
const REFUSED_BURST_BYTES: u64 = 128 * 1024;
/// How long that pause is.
const REFUSED_PAUSE: Duration = Duration::from_millis(1);
/// How long after the last served request refused bodies still pause for the next one.
const SERVING_WINDOW: Duration = Duration::from_millis(100);
/// How long a sender that has nothing ready holds its slot.
const SLOT_IDLE_MAX: Duration = Duration::from_millis(20);
/// After this time the holder of a slot must have sent a minimum, or it loses the slot.
const SLOT_REVIEW: Duration = Duration::from_millis(100);
/// That minimum.
const SLOT_REVIEW_MIN_BYTES: u64 = 512 * 1024;

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
    pub refused_body_slots: usize,
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self {
            max_bytes: 26_214_400,
            max_in_flight_bytes: 268_435_456,
            deadline: Duration::from_secs(300),
            min_bytes_per_s: 32_768,
            rate_grace: Duration::from_secs(5),
            refused_body_slots: 2,
        }
    }
}

/// What all bodies of the process share.
pub(super) struct Bodies {
    pub(super) limits: BodyLimits,
    in_flight_bytes: Arc<AtomicU64>,
    refused_body_slots: Semaphore,
    started: std::time::Instant,
    /// When the last request that may be served came in, in milliseconds since the start.
    served_ms: AtomicU64,
}

impl Bodies {
    pub(super) fn new(limits: BodyLimits) -> Self {
        Self {
            limits,
            in_flight_bytes: Arc::default(),
            refused_body_slots: Semaphore::new(limits.refused_body_slots.max(1)),
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

    /// Whether requests that are being served need the processor.
    fn is_serving(&self) -> bool {
        let quiet_ms =
            self.since_start_ms(std::time::Instant::now()).saturating_sub(self.served_ms.load(Ordering::Relaxed));
        Duration::from_millis(quiet_ms) < SERVING_WINDOW
    }

    fn since_start_ms(&self, at: std::time::Instant) -> u64 {
        u64::try_from(at.saturating_duration_since(self.started).as_millis()).unwrap_or(u64::MAX)
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

/// A body of our own making, which does not count against the budget.
impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes: bytes.into(), ..Self::default() }
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
            let refused = ApiError::busy("too many request bodies are being read", 1);
            return Err(refused.with_detail("reason", "body_budget"));
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
    permit: Option<Rc<ReadPermit>>,
    bodies: &'a Bodies,
    max_bytes: u64,
    clock: SenderClock,
    checker: Option<JsonChecker>,
    ended: bool,
}

impl<'a> Incoming<'a> {
    pub(super) fn new(payload: Payload, permit: Option<Rc<ReadPermit>>, bodies: &'a Bodies, max_bytes: u64) -> Self {
        let clock = SenderClock::new(&bodies.limits);
        Self { payload, permit, bodies, max_bytes, clock, checker: Some(JsonChecker::default()), ended: false }
    }

    /// Starts the sender's clock; from now on the connection reads only what this body permits.
    pub(super) fn meter(&mut self) {
        self.clock = SenderClock::new(&self.bodies.limits);
        if let Some(permit) = &self.permit {
            permit.allow(REFUSED_TURN_BYTES);
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
        let mut slot: Option<RefusedBodySlot<'_>> = None;
        loop {
            if self.clock.received > REFUSED_FREE_BYTES {
                // A holder that was too slow gives its slot to the next in the queue and waits at the end of the queue.
                slot = slot.filter(|held| !held.is_too_slow(self.clock.received));
                match &mut slot {
                    None => slot = Some(self.acquire_slot().await),
                    Some(held) => held.pause(self.clock.received, self.bodies).await,
                }
            }
            let next = if slot.is_some() {
                match tokio::time::timeout(SLOT_IDLE_MAX, self.next(REFUSED_TURN_BYTES)).await {
                    Ok(next) => next?,
                    Err(_idle) => {
                        slot = None;
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

    /// Reads a small body that is not expected, so that the connection can go on being used.
    pub(super) async fn skip(&mut self, max_bytes: u64, within: Duration) {
        let skipping = async {
            while self.clock.received < max_bytes {
                match self.next_raw(REFUSED_TURN_BYTES).await {
                    Ok(Some(chunk)) => self.clock.received += length(&chunk),
                    Ok(None) => {
                        self.ended = true;
                        break;
                    }
                    // The connection is closed then.
                    Err(_) => break,
                }
            }
        };
        // A client that does not send what it announced is answered all the same; the connection is closed then.
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
            let (payload, permit) = (&mut self.payload, self.permit.as_deref());
            let polled = std::future::poll_fn(|context| match Pin::new(&mut *payload).poll_next(context) {
                Poll::Ready(next) => Poll::Ready(Some(next)),
                // Checked at every poll: the server library may have used the allowance up without a piece to show.
                Poll::Pending if permit.is_some_and(ReadPermit::is_used_up) => Poll::Ready(None),
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
                    if let Some(permit) = &self.permit {
                        permit.allow(turn_bytes);
                    }
                    tokio::task::yield_now().await;
                }
            }
        }
    }

    async fn acquire_slot(&mut self) -> RefusedBodySlot<'a> {
        let queued = Instant::now();
        if let Some(permit) = &self.permit {
            permit.suspend();
        }
        // The semaphore is never closed; if it were, reading without a slot would still be right.
        let acquired = self.bodies.refused_body_slots.acquire().await.ok();
        self.clock.waited += queued.elapsed();
        RefusedBodySlot {
            _acquired: acquired,
            since: Instant::now(),
            at_entry: self.clock.received,
            paused_at: self.clock.received,
        }
    }

    fn finish_check(&self, optional: bool) -> Result<(), ApiError> {
        if optional && self.clock.received == 0 {
            return Ok(());
        }
        self.checker.as_ref().map_or(Ok(()), JsonChecker::finish).map_err(ApiError::invalid_json)
    }
}

/// One of the few slots for reading refused bodies.
struct RefusedBodySlot<'a> {
    _acquired: Option<SemaphorePermit<'a>>,
    since: Instant,
    at_entry: u64,
    paused_at: u64,
}

impl RefusedBodySlot<'_> {
    /// Whether the holder has been too slow to keep the slot.
    fn is_too_slow(&self, received: u64) -> bool {
        self.since.elapsed() >= SLOT_REVIEW && received - self.at_entry < SLOT_REVIEW_MIN_BYTES
    }

    /// Leaves the processor to others after every burst, if there are any.
    async fn pause(&mut self, received: u64, bodies: &Bodies) {
        if self.since.elapsed() >= SLOT_REVIEW {
            self.since = Instant::now();
            self.at_entry = received;
        }
        if received - self.paused_at >= REFUSED_BURST_BYTES {
            self.paused_at = received;
            if bodies.is_serving() {
                tokio::time::sleep(REFUSED_PAUSE).await;
            }
        }
    }
}

/// The time a sender is answerable for: all of it but what was spent waiting for a slot.
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
