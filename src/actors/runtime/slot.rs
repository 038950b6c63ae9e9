//! The place of one actor: builds it, builds it again when it died, and is the only way to reach it.
//!
//! The slot holds the one `Addr` there is (a cloned `Addr` widens the mailbox) behind an `ArcSwap`; finding it alive
//! costs a few nanoseconds. Whoever finds it dead rebuilds it, exactly once however many callers find out together. An
//! actor that dies more than five times a minute is `Down`: callers are answered at once, and it is tried every ten seconds.
//!
//! A [`Directory`] has one actor per organisation, made when first needed and kept: an idle one costs less than 2 KB, so
//! none is ever evicted and no two can serve one organisation at once.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actix::dev::{SendError, ToEnvelope};
use actix::{Actor, Addr, ArbiterHandle, Context, Handler, MailboxError, Message, Supervised, Supervisor};
use arc_swap::ArcSwapOption;
use dashmap::DashMap;

use crate::actors::runtime::error::ActorError;
use crate::actors::runtime::guard::{Ask, admit};
use crate::actors::runtime::registry::Watched;
use crate::actors::runtime::stats::{ActorSnapshot, ActorState, ActorStats};
use crate::domain::ids::OrganisationId;

/// Deaths within the window that are answered by a new actor; one more and the slot is down.
pub const RESPAWNS_MAX: usize = 5;

/// The window in which deaths are counted.
pub const RESPAWN_WINDOW_MS: u64 = 60_000;

/// How long a slot that is down waits before it tries again.
pub const DOWN_RETRY_MS: u64 = 10_000;

/// The limits of a slot.
#[derive(Debug, Clone, Copy)]
pub struct SlotOptions {
    /// Questions that may wait or be worked on at once. Zero for an actor that is only woken.
    pub queue_capacity: u32,
    /// How long a caller waits for an answer, the time in the queue included. `None` waits for ever, for actors whose
    /// answers wait for a commit.
    pub answer_deadline: Option<Duration>,
}

impl Default for SlotOptions {
    fn default() -> Self {
        Self { queue_capacity: 256, answer_deadline: Some(Duration::from_secs(30)) }
    }
}

/// How an actor is made; called on the arbiter's thread.
type Factory<A> = Arc<dyn Fn(Arc<ActorStats>) -> A + Send + Sync>;

/// When an actor died lately.
#[derive(Default)]
struct Respawns {
    moments_ms: VecDeque<u64>,
    retry_at_ms: Option<u64>,
}

impl Respawns {
    /// Whether an actor may be built now.
    fn permit(&mut self, now_ms: u64) -> bool {
        if let Some(retry_at_ms) = self.retry_at_ms {
            if now_ms < retry_at_ms {
                return false;
            }
        } else {
            while self.moments_ms.front().is_some_and(|moment| now_ms.saturating_sub(*moment) >= RESPAWN_WINDOW_MS) {
                self.moments_ms.pop_front();
            }
            if self.moments_ms.len() >= RESPAWNS_MAX {
                self.retry_at_ms = Some(now_ms + DOWN_RETRY_MS);
                return false;
            }
        }
        self.retry_at_ms = None;
        self.moments_ms.push_back(now_ms);
        if self.moments_ms.len() > RESPAWNS_MAX {
            self.moments_ms.pop_front();
        }
        true
    }
}

/// The place of one actor.
pub struct Slot<A: Actor<Context = Context<A>>> {
    stats: Arc<ActorStats>,
    factory: Factory<A>,
    arbiter: ArbiterHandle,
    options: SlotOptions,
    current: ArcSwapOption<Addr<A>>,
    respawns: Mutex<Respawns>,
    closed: AtomicBool,
}

impl<A> Slot<A>
where
    A: Actor<Context = Context<A>> + Supervised,
{
    /// Builds the actor on an arbiter and keeps it there. `factory` is called again after each death.
    pub fn start(
        stats: Arc<ActorStats>,
        arbiter: ArbiterHandle,
        options: SlotOptions,
        factory: impl Fn(Arc<ActorStats>) -> A + Send + Sync + 'static,
    ) -> Arc<Self> {
        Self::start_with(stats, arbiter, options, Arc::new(factory))
    }

    fn start_with(
        stats: Arc<ActorStats>,
        arbiter: ArbiterHandle,
        options: SlotOptions,
        factory: Factory<A>,
    ) -> Arc<Self> {
        if options.queue_capacity > 0 {
            stats.set_queue_capacity(u64::from(options.queue_capacity));
        }
        let slot = Arc::new(Self {
            stats,
            factory,
            arbiter,
            options,
            current: ArcSwapOption::empty(),
            respawns: Mutex::default(),
            closed: AtomicBool::new(false),
        });
        slot.spawn();
        slot
    }

    /// The actor's statistics.
    pub fn stats(&self) -> &Arc<ActorStats> {
        &self.stats
    }

    /// Whether the actor lives right now; never builds it.
    pub fn is_alive(&self) -> bool {
        self.current.load().as_deref().is_some_and(Addr::connected)
    }

    /// Lends the address of the living actor, rebuilt if it died. Do not clone it: each clone widens the mailbox.
    pub fn with_addr<R>(&self, lend: impl FnOnce(&Addr<A>) -> R) -> Result<R, ActorError> {
        for _ in 0..2 {
            if let Some(addr) = self.current.load().as_deref()
                && addr.connected()
            {
                return Ok(lend(addr));
            }
            self.respawn()?;
        }
        Err(ActorError::Down)
    }

    /// Asks the actor. Refused with `Busy` when the queue is full, with `Down` when the actor is not running.
    ///
    /// The message is in the mailbox when this returns, so questions asked in order are handled in order.
    pub fn ask<M, T>(&self, message: M) -> impl Future<Output = Result<T, ActorError>> + Send + use<A, M, T>
    where
        A: Handler<Ask<M>>,
        M: Message<Result = Result<T, ActorError>> + Send + 'static,
        T: Send + 'static,
        Context<A>: ToEnvelope<A, Ask<M>>,
    {
        let sent = match admit(&self.stats, self.options.queue_capacity, message) {
            None => Err(ActorError::Busy),
            Some(ask) => self.with_addr(|addr| addr.send(ask)),
        };
        let deadline = self.options.answer_deadline;
        async move {
            let request = sent?;
            let answered = match deadline {
                None => request.await,
                Some(deadline) => request.timeout(deadline).await,
            };
            match answered {
                Ok(answer) => answer,
                Err(MailboxError::Closed) => Err(ActorError::Down),
                Err(MailboxError::Timeout) => Err(ActorError::TimedOut),
            }
        }
    }

    /// Wakes the actor: there is something to do, and it will look what. A full mailbox means that a wake already waits.
    pub fn wake<M>(&self, message: M) -> Result<(), ActorError>
    where
        A: Handler<M>,
        M: Message + Send + 'static,
        M::Result: Send,
        Context<A>: ToEnvelope<A, M>,
    {
        match self.with_addr(|addr| addr.try_send(message))? {
            Ok(()) | Err(SendError::Full(_)) => Ok(()),
            // It died between the look and the send; the one built next looks for work when it starts.
            Err(SendError::Closed(_)) => self.respawn(),
        }
    }

    /// Takes no more messages; the actor handles those it has and ends.
    pub fn close(&self) {
        let _held = self.respawns.lock().unwrap_or_else(PoisonError::into_inner);
        self.closed.store(true, Ordering::Release);
        self.current.store(None);
    }

    /// Rebuilds the actor if it is dead and may be rebuilt; `Ok` when a living one is in place.
    fn respawn(&self) -> Result<(), ActorError> {
        let mut respawns = self.respawns.lock().unwrap_or_else(PoisonError::into_inner);
        if self.closed.load(Ordering::Acquire) {
            return Err(ActorError::Down);
        }
        if self.is_alive() {
            return Ok(());
        }
        let was_waiting = respawns.retry_at_ms.is_some();
        if !respawns.permit(self.stats.clock().monotonic_ms()) {
            self.stats.set_down(true);
            if !was_waiting {
                tracing::error!(actor.name = self.stats.name(), "an actor died too often and is down");
            }
            return Err(ActorError::Down);
        }
        self.stats.count_restart();
        tracing::warn!(actor.name = self.stats.name(), "an actor died and is rebuilt");
        self.spawn();
        Ok(())
    }

    fn spawn(&self) {
        self.stats.begin_generation();
        let (factory, stats) = (Arc::clone(&self.factory), Arc::clone(&self.stats));
        // One place more than there are questions, so that a full mailbox always holds a wake.
        let mailbox_capacity = usize::try_from(self.options.queue_capacity).unwrap_or(usize::MAX / 4) + 1;
        let addr = Supervisor::start_in_arbiter(&self.arbiter, move |ctx| {
            ctx.set_mailbox_capacity(mailbox_capacity);
            factory(stats)
        });
        self.current.store(Some(Arc::new(addr)));
    }
}

impl<A> Watched for Slot<A>
where
    A: Actor<Context = Context<A>> + Supervised,
{
    fn stats(&self) -> &Arc<ActorStats> {
        &self.stats
    }

    fn check(&self) -> ActorState {
        if !self.is_alive() && !self.closed.load(Ordering::Acquire) {
            // Down is already in the statistics.
            let _ = self.respawn();
        }
        self.stats.state()
    }

    fn snapshot(&self) -> ActorSnapshot {
        self.stats.snapshot()
    }
}

/// How the actor of an organisation is made.
type MemberFactory<A> = Arc<dyn Fn(OrganisationId, Arc<ActorStats>) -> A + Send + Sync>;

/// The actors of all organisations. They share counters and latencies under one name: organisations are no metric labels.
pub struct Directory<A: Actor<Context = Context<A>>> {
    slots: DashMap<OrganisationId, Arc<Slot<A>>>,
    stats: Arc<ActorStats>,
    arbiters: Vec<ArbiterHandle>,
    options: SlotOptions,
    factory: MemberFactory<A>,
}

impl<A> Directory<A>
where
    A: Actor<Context = Context<A>> + Supervised,
{
    /// An empty directory. An organisation's actor lives on the arbiter its id chooses, always the same.
    pub fn new(
        stats: Arc<ActorStats>,
        arbiters: Vec<ArbiterHandle>,
        options: SlotOptions,
        factory: impl Fn(OrganisationId, Arc<ActorStats>) -> A + Send + Sync + 'static,
    ) -> Arc<Self> {
        stats.set_queue_capacity(u64::from(options.queue_capacity));
        Arc::new(Self { slots: DashMap::new(), stats, arbiters, options, factory: Arc::new(factory) })
    }

    /// The organisation's actor, made if there is none yet. `Down` only when the directory has no arbiters.
    pub fn of(&self, organisation: OrganisationId) -> Result<Arc<Slot<A>>, ActorError> {
        if let Some(slot) = self.slots.get(&organisation) {
            return Ok(Arc::clone(slot.value()));
        }
        let arbiter = self.arbiter_of(organisation).ok_or(ActorError::Down)?;
        let slot = self.slots.entry(organisation).or_insert_with(|| {
            let factory = Arc::clone(&self.factory);
            let make = Arc::new(move |stats| factory(organisation, stats));
            Slot::start_with(self.stats.sibling(), arbiter.clone(), self.options, make)
        });
        Ok(Arc::clone(slot.value()))
    }

    /// Actors there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none yet.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Takes no more messages; the actors handle those they have and end.
    pub fn close(&self) {
        for slot in &self.slots {
            slot.close();
        }
    }

    fn arbiter_of(&self, organisation: OrganisationId) -> Option<&ArbiterHandle> {
        let count = i64::try_from(self.arbiters.len()).ok().filter(|count| *count > 0)?;
        self.arbiters.get(usize::try_from(organisation.0.rem_euclid(count)).ok()?)
    }
}

impl<A> Watched for Directory<A>
where
    A: Actor<Context = Context<A>> + Supervised,
{
    fn stats(&self) -> &Arc<ActorStats> {
        &self.stats
    }

    fn check(&self) -> ActorState {
        let worst = self.slots.iter().map(|slot| slot.check()).max();
        worst.unwrap_or(ActorState::Running)
    }

    /// The shared counters; the worst state, the longest work and the fullest queue of all members.
    fn snapshot(&self) -> ActorSnapshot {
        let mut whole = self.stats.snapshot();
        for slot in &self.slots {
            let stats = slot.stats();
            whole.state = whole.state.max(stats.state());
            whole.generation = whole.generation.max(stats.generation());
            whole.busy_for_ms = whole.busy_for_ms.max(stats.busy_for_ms().unwrap_or(0));
            whole.queue_depth = whole.queue_depth.max(stats.queue_depth());
            let moved = stats.last_progress_ms_ago();
            whole.last_progress_ms_ago = match (whole.last_progress_ms_ago, moved) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sixth_death_within_a_minute_brings_the_slot_down_and_ten_seconds_later_one_attempt_is_made() {
        let mut respawns = Respawns::default();
        for moment_ms in [0, 1_000, 2_000, 3_000, 4_000] {
            assert!(respawns.permit(moment_ms));
        }
        assert!(!respawns.permit(5_000));
        assert!(!respawns.permit(14_999));
        assert!(respawns.permit(15_000));
        assert!(!respawns.permit(15_001), "it died again at once");
        assert!(respawns.permit(25_001));
        assert!(respawns.permit(25_001 + RESPAWN_WINDOW_MS), "a minute of life forgives");
        assert!(respawns.permit(25_002 + RESPAWN_WINDOW_MS));
    }
}
