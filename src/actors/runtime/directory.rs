//! One actor per organisation, made when first needed and kept: an idle one costs less than 2 KB, so none is ever
//! evicted and no two can serve one organisation at once.

use std::sync::Arc;

use actix::{Actor, ArbiterHandle, Context, Supervised};
use dashmap::DashMap;

use crate::domain::ids::OrganisationId;

use super::error::ActorError;
use super::registry::Watched;
use super::slot::{Slot, SlotOptions};
use super::stats::{ActorSnapshot, ActorState, ActorStats};

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
