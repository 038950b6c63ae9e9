//! What is known about an actor without asking it: atomics that outlive its restarts.
//!
//! An actor that waits under `AtomicResponse` runs nothing else, so health queried by message is not answered when it
//! matters. Handlers write these atomics through `guard`, and everyone else only reads them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::metrics::{Counts, LatencyHistogram};

/// What an actor is doing, from harmless to alarming.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorState {
    /// Alive with nothing to do.
    Running,
    /// Working on a message.
    Busy,
    /// Working on one message for more than twice its deadline.
    Hung,
    /// Restarted too often; it is tried again every ten seconds.
    Down,
}

impl ActorState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Running, Self::Busy, Self::Hung, Self::Down];

    /// The form in JSON and in metric labels.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Busy => "busy",
            Self::Hung => "hung",
            Self::Down => "down",
        }
    }
}

/// How often things happened, shared by all actors of one name (one per organisation, for example).
#[derive(Default)]
struct Totals {
    handled: AtomicU64,
    failed: AtomicU64,
    panics: AtomicU64,
    timeouts: AtomicU64,
    restarts: AtomicU64,
    rejected: AtomicU64,
    busy_total_us: AtomicU64,
    latency: LatencyHistogram,
}

/// The statistics of one actor.
pub struct ActorStats {
    name: &'static str,
    clock: Arc<dyn Clock>,
    totals: Arc<Totals>,
    generation: AtomicU64,
    /// Questions admitted and not yet answered.
    admitted: AtomicU32,
    queue_depth: AtomicU64,
    queue_capacity: AtomicU64,
    in_flight: AtomicU32,
    /// Moments are stored as milliseconds plus one, so that zero means never.
    busy_since: AtomicU64,
    last_progress: AtomicU64,
    deadline_ms: AtomicU64,
    rows_done: AtomicU64,
    rows_total: AtomicU64,
    down: AtomicBool,
}

impl std::fmt::Debug for ActorStats {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ActorStats").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ActorStats {
    /// Statistics of an actor; the name is its metric label.
    pub fn new(name: &'static str, clock: Arc<dyn Clock>) -> Arc<Self> {
        Self::build(name, clock, Arc::default())
    }

    /// Statistics of one more actor of the same name: counters and latencies are shared, what it does right now is its own.
    pub fn sibling(&self) -> Arc<Self> {
        Self::build(self.name, Arc::clone(&self.clock), Arc::clone(&self.totals))
    }

    fn build(name: &'static str, clock: Arc<dyn Clock>, totals: Arc<Totals>) -> Arc<Self> {
        Arc::new(Self {
            name,
            clock,
            totals,
            generation: AtomicU64::new(0),
            admitted: AtomicU32::new(0),
            queue_depth: AtomicU64::new(0),
            queue_capacity: AtomicU64::new(0),
            in_flight: AtomicU32::new(0),
            busy_since: AtomicU64::new(0),
            last_progress: AtomicU64::new(0),
            deadline_ms: AtomicU64::new(0),
            rows_done: AtomicU64::new(0),
            rows_total: AtomicU64::new(0),
            down: AtomicBool::new(false),
        })
    }

    /// The actor's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The clock all moments are measured with.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Shows work that waits elsewhere than in the mailbox (jobs in the database, for example).
    pub fn set_queue(&self, depth: u64, capacity: u64) {
        self.queue_depth.store(depth, Ordering::Relaxed);
        self.queue_capacity.store(capacity, Ordering::Relaxed);
    }

    /// Shows how far the work at hand has come. Counts as progress; a job that starts sets `(0, total)`, one that ends `(0, 0)`.
    pub fn set_rows(&self, done: u64, total: u64) {
        self.rows_done.store(done, Ordering::Relaxed);
        self.rows_total.store(total, Ordering::Relaxed);
        self.note_progress();
    }

    /// Notes that something moved.
    pub fn note_progress(&self) {
        self.last_progress.store(self.now_ms() + 1, Ordering::Relaxed);
    }

    /// Counts work that ended badly without a fault of the actor: a job that failed.
    pub fn count_failed(&self) {
        self.totals.failed.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a panic outside of `guard`, such as an engine's on a blocking thread (a `JoinError`).
    pub fn count_panic(&self) {
        self.totals.panics.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a deadline missed outside of `guard`.
    pub fn count_timeout(&self) {
        self.totals.timeouts.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a question refused because too many wait.
    pub fn count_rejected(&self) {
        self.totals.rejected.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_restart(&self) {
        self.totals.restarts.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes a newly built actor. What the one before was doing is over.
    pub(super) fn begin_generation(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
        self.down.store(false, Ordering::Relaxed);
        self.rows_done.store(0, Ordering::Relaxed);
        self.rows_total.store(0, Ordering::Relaxed);
    }

    pub(super) fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::Relaxed);
    }

    /// Takes a place in the queue unless `capacity` are taken.
    pub(super) fn try_admit(&self, capacity: u32) -> bool {
        let admitted = self
            .admitted
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, |taken| (taken < capacity).then(|| taken + 1))
            .is_ok();
        if !admitted {
            self.count_rejected();
        }
        admitted
    }

    pub(super) fn leave_queue(&self) {
        self.admitted.fetch_sub(1, Ordering::AcqRel);
    }

    /// Marks the actor busy until the returned value is dropped.
    pub(super) fn begin(self: &Arc<Self>, deadline: Option<Duration>) -> Working {
        let deadline_ms = deadline.map_or(0, |deadline| u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX));
        self.deadline_ms.store(deadline_ms, Ordering::Relaxed);
        if self.in_flight.fetch_add(1, Ordering::AcqRel) == 0 {
            self.busy_since.store(self.now_ms() + 1, Ordering::Release);
        }
        Working { stats: Arc::clone(self), started: Instant::now(), outcome: None }
    }

    /// Messages being worked on.
    pub fn in_flight(&self) -> u32 {
        self.in_flight.load(Ordering::Acquire)
    }

    /// Questions admitted and not yet answered.
    pub fn admitted(&self) -> u32 {
        self.admitted.load(Ordering::Acquire)
    }

    /// Times an actor was built, the first included.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Messages finished, well or badly.
    pub fn handled(&self) -> u64 {
        self.totals.handled.load(Ordering::Relaxed)
    }

    /// Messages that ended badly, faults included.
    pub fn failed(&self) -> u64 {
        self.totals.failed.load(Ordering::Relaxed)
    }

    /// Handlers that panicked.
    pub fn panics(&self) -> u64 {
        self.totals.panics.load(Ordering::Relaxed)
    }

    /// Handlers that missed their deadline.
    pub fn timeouts(&self) -> u64 {
        self.totals.timeouts.load(Ordering::Relaxed)
    }

    /// Restarts, in place after a fault or by the slot after a death.
    pub fn restarts(&self) -> u64 {
        self.totals.restarts.load(Ordering::Relaxed)
    }

    /// Questions refused because too many waited.
    pub fn rejected(&self) -> u64 {
        self.totals.rejected.load(Ordering::Relaxed)
    }

    /// Time spent on messages, in microseconds.
    pub fn busy_total_us(&self) -> u64 {
        self.totals.busy_total_us.load(Ordering::Relaxed)
    }

    /// The latencies of all messages so far.
    pub fn latency(&self) -> &LatencyHistogram {
        &self.totals.latency
    }

    /// The latencies of all messages so far, copied.
    pub fn latency_counts(&self) -> Counts {
        self.totals.latency.counts()
    }

    /// Work waiting: the number `set_queue` was given, and questions admitted.
    pub fn queue_depth(&self) -> u64 {
        self.queue_depth.load(Ordering::Relaxed) + u64::from(self.admitted())
    }

    /// How much may wait.
    pub fn queue_capacity(&self) -> u64 {
        self.queue_capacity.load(Ordering::Relaxed)
    }

    pub(super) fn set_queue_capacity(&self, capacity: u64) {
        self.queue_capacity.store(capacity, Ordering::Relaxed);
    }

    /// How long the message at hand has been worked on.
    pub fn busy_for_ms(&self) -> Option<u64> {
        match self.busy_since.load(Ordering::Acquire) {
            0 => None,
            since => Some((self.now_ms() + 1).saturating_sub(since)),
        }
    }

    /// When something last moved; `None` before the first message.
    pub fn last_progress_ms_ago(&self) -> Option<u64> {
        match self.last_progress.load(Ordering::Relaxed) {
            0 => None,
            moment => Some((self.now_ms() + 1).saturating_sub(moment)),
        }
    }

    /// What the actor is doing.
    pub fn state(&self) -> ActorState {
        if self.down.load(Ordering::Relaxed) {
            return ActorState::Down;
        }
        let deadline_ms = self.deadline_ms.load(Ordering::Relaxed);
        match self.busy_for_ms() {
            None => ActorState::Running,
            Some(busy_ms) if deadline_ms > 0 && busy_ms > deadline_ms.saturating_mul(2) => ActorState::Hung,
            Some(_) => ActorState::Busy,
        }
    }

    /// Everything at once, as operators see it.
    pub fn snapshot(&self) -> ActorSnapshot {
        let counts = self.latency_counts();
        ActorSnapshot {
            name: self.name,
            state: self.state(),
            generation: self.generation(),
            rows_done: self.rows_done.load(Ordering::Relaxed),
            rows_total: self.rows_total.load(Ordering::Relaxed),
            queue_depth: self.queue_depth(),
            queue_capacity: self.queue_capacity(),
            handled: self.handled(),
            failed: self.failed(),
            panics: self.panics(),
            timeouts: self.timeouts(),
            restarts: self.restarts(),
            rejected: self.rejected(),
            busy_for_ms: self.busy_for_ms().unwrap_or(0),
            last_progress_ms_ago: self.last_progress_ms_ago(),
            p50_us: counts.quantile_us(500),
            p99_us: counts.quantile_us(990),
        }
    }

    fn now_ms(&self) -> u64 {
        self.clock.monotonic_ms()
    }
}

/// How a message ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Answered,
    Panicked,
    TimedOut,
}

/// A message being worked on; dropping it ends the work however it ended, so that an actor that dies is not busy for ever.
#[derive(Debug)]
pub(super) struct Working {
    stats: Arc<ActorStats>,
    started: Instant,
    outcome: Option<Outcome>,
}

impl Working {
    pub(super) fn end(mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        let stats = &self.stats;
        let totals = &stats.totals;
        let elapsed_us = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        totals.busy_total_us.fetch_add(elapsed_us, Ordering::Relaxed);
        // Without an outcome the work was dropped: the actor died, or was restarted under it.
        if let Some(outcome) = self.outcome {
            totals.handled.fetch_add(1, Ordering::Relaxed);
            totals.latency.record_us(elapsed_us);
            match outcome {
                Outcome::Answered => {}
                Outcome::Panicked => {
                    totals.panics.fetch_add(1, Ordering::Relaxed);
                    totals.failed.fetch_add(1, Ordering::Relaxed);
                }
                Outcome::TimedOut => {
                    totals.timeouts.fetch_add(1, Ordering::Relaxed);
                    totals.failed.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        let now = stats.now_ms() + 1;
        stats.last_progress.store(now, Ordering::Relaxed);
        // With other messages still at work the actor is not idle, but something moved, so it is not hung either.
        let alone = stats.in_flight.fetch_sub(1, Ordering::AcqRel) == 1;
        stats.busy_since.store(if alone { 0 } else { now }, Ordering::Release);
    }
}

/// One actor in `/actors`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ActorSnapshot {
    /// Its name, also the metric label.
    pub name: &'static str,
    /// What it is doing.
    pub state: ActorState,
    /// Times it was built.
    pub generation: u64,
    /// Rows of the work at hand that are done.
    pub rows_done: u64,
    /// Rows of the work at hand; 0 when there is none.
    pub rows_total: u64,
    /// Work waiting.
    pub queue_depth: u64,
    /// How much may wait.
    pub queue_capacity: u64,
    /// Messages finished, well or badly.
    pub handled: u64,
    /// Messages that ended badly.
    pub failed: u64,
    /// Handlers that panicked.
    pub panics: u64,
    /// Handlers that missed their deadline.
    pub timeouts: u64,
    /// Restarts in place or by the slot.
    pub restarts: u64,
    /// Questions refused because too many waited.
    pub rejected: u64,
    /// How long the message at hand has been worked on; 0 when idle.
    pub busy_for_ms: u64,
    /// When something last moved; `null` before the first message.
    pub last_progress_ms_ago: Option<u64>,
    /// Median time per message; `null` before the first.
    pub p50_us: Option<u64>,
    /// 99th percentile of the time per message; `null` before the first.
    pub p99_us: Option<u64>,
}
