//! Reading bodies: served ones into one buffer under a budget, refused ones through the syntax check and away.
//!
//! Small bodies have a budget of their own, and of each budget nobody takes more than a share ([`budget`]), so that neither
//! large bodies nor those of one person keep everybody else's out.
//!
//! Both are checked by the same [`JsonChecker`] as bytes arrive, and both must arrive in time: within a deadline, and
//! after five seconds at a minimum rate on average, and over any ten seconds too ([`sender_clock`]). A refused body beyond its first bytes needs one of a few
//! *slots*; the bodies that wait for a slot are not read meanwhile, and that time does not count against their sender.

mod budget;
mod limits;
mod sender_clock;

use std::ops::Deref;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use bytes::{Bytes, BytesMut};
use futures_util::Stream as _;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use self::budget::{Budgets, Charge};
use self::sender_clock::SenderClock;
use crate::http::error::ApiError;
use crate::http::json_syntax::{JsonChecker, SyntaxError};
use crate::http::server::{FRUGAL_TURN_BYTES, ReadPermit};

pub(super) use budget::Sender;
pub use limits::BodyLimits;

/// Read at once from a body that will be served.
const SERVED_TURN_BYTES: usize = 64 * 1024;
/// Read at once from a body that is checked and thrown away.
const REFUSED_TURN_BYTES: usize = FRUGAL_TURN_BYTES;
/// A refused body up to this size never waits for a slot.
const REFUSED_FREE_BYTES: u64 = 32 * 1024;
/// What the first growth of a buffer reserves.
const BUFFER_FIRST_BYTES: usize = 64 * 1024;
/// While requests are being served, refused bodies pause after this many bytes, so that the requests find the processor
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

/// What all bodies of the process share.
pub(super) struct Bodies {
    pub(super) limits: BodyLimits,
    budgets: Budgets,
    refused_body_slots: Semaphore,
    /// Bytes of refused bodies that were read in bursts which no pause ended: the next holder of a slot continues the burst.
    open_burst_bytes: AtomicU64,
    started: std::time::Instant,
    /// When the last request that may be served came in, in milliseconds since the start.
    served_ms: AtomicU64,
}

impl Bodies {
    pub(super) fn new(limits: BodyLimits) -> Self {
        Self {
            limits,
            budgets: Budgets::new(&limits),
            refused_body_slots: Semaphore::new(limits.refused_body_slots.max(1)),
            open_burst_bytes: AtomicU64::new(0),
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
        let clock = SenderClock::new(&bodies.limits, Instant::now());
        Self { payload, permit, bodies, max_bytes, clock, checker: Some(JsonChecker::default()), ended: false }
    }

    /// Starts the sender's clock; from now on the connection reads only what this body permits.
    pub(super) fn meter(&mut self) {
        self.clock = SenderClock::new(&self.bodies.limits, Instant::now());
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
    pub(super) async fn collect(
        &mut self,
        declared: Option<u64>,
        optional: bool,
        sender: Sender,
    ) -> Result<Body, ApiError> {
        let mut charge = Charge::of(sender, declared);
        let declared = declared.and_then(|length| usize::try_from(length).ok());
        let mut buffer = BytesMut::new();
        while let Some(chunk) = self.next(SERVED_TURN_BYTES).await? {
            charge.add(length(&chunk), &self.bodies.budgets)?;
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
            if self.clock.received() > REFUSED_FREE_BYTES {
                // A holder that was too slow gives its slot to the next in the queue and waits at the end of the queue.
                slot = slot.filter(|held| !held.is_too_slow(self.clock.received()));
                match &mut slot {
                    None => slot = Some(self.acquire_slot().await),
                    Some(held) => held.pause(self.clock.received()).await,
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
            while self.clock.received() < max_bytes {
                match self.next_raw(REFUSED_TURN_BYTES).await {
                    Ok(Some(chunk)) => self.clock.receive(length(&chunk), Instant::now()),
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
        self.clock.receive(length(&chunk), Instant::now());
        if self.clock.received() > self.max_bytes {
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
                Err(_due) if Instant::now() >= self.clock.due() => return Err(ApiError::request_timeout()),
                Err(_early) => continue,
            };
            match next {
                Some(Some(Ok(chunk))) => return Ok(Some(chunk)),
                Some(Some(Err(error))) => return Err(broken(&error, self.clock.received())),
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
        self.clock.excuse(queued.elapsed());
        RefusedBodySlot {
            _acquired: acquired,
            bodies: self.bodies,
            since: Instant::now(),
            at_entry: self.clock.received(),
            burst_bytes: self.bodies.open_burst_bytes.swap(0, Ordering::Relaxed),
            counted_bytes: self.clock.received(),
        }
    }

    fn finish_check(&self, optional: bool) -> Result<(), ApiError> {
        if optional && self.clock.received() == 0 {
            return Ok(());
        }
        self.checker.as_ref().map_or(Ok(()), JsonChecker::finish).map_err(ApiError::invalid_json)
    }
}

/// One of the few slots for reading refused bodies.
struct RefusedBodySlot<'a> {
    _acquired: Option<SemaphorePermit<'a>>,
    bodies: &'a Bodies,
    since: Instant,
    at_entry: u64,
    /// Bytes since the last pause, those of earlier holders included.
    burst_bytes: u64,
    /// How much of this body is in that number or before the last pause.
    counted_bytes: u64,
}

impl RefusedBodySlot<'_> {
    /// Whether the holder has been too slow to keep the slot.
    fn is_too_slow(&self, received: u64) -> bool {
        self.since.elapsed() >= SLOT_REVIEW && received - self.at_entry < SLOT_REVIEW_MIN_BYTES
    }

    /// Leaves the processor to others after every burst, if there are any.
    async fn pause(&mut self, received: u64) {
        if self.since.elapsed() >= SLOT_REVIEW {
            self.since = Instant::now();
            self.at_entry = received;
        }
        self.burst_bytes += received - self.counted_bytes;
        self.counted_bytes = received;
        if self.burst_bytes >= REFUSED_BURST_BYTES {
            self.burst_bytes = 0;
            if self.bodies.is_serving() {
                tokio::time::sleep(REFUSED_PAUSE).await;
            }
        }
    }
}

impl Drop for RefusedBodySlot<'_> {
    fn drop(&mut self) {
        self.bodies.open_burst_bytes.fetch_add(self.burst_bytes, Ordering::Relaxed);
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
