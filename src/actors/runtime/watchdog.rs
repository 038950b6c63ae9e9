//! The outside observer: looks at everything each second, rebuilds the dead, says who hangs, and publishes health.
//!
//! It is a task, not an actor, it runs on no arbiter, and it never sends a message to ask: what it wants to know is in
//! atomics, and an actor that hangs could not answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;

use super::registry::ActorRegistry;
use super::stats::ActorState;

/// How often the watchdog looks.
pub const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// Whether the service is well, read by `/health` and `/readyz` without waiting for anyone.
#[derive(Debug, Default)]
pub struct Health {
    /// What the watchdog found wrong with actors.
    actors: ArcSwap<Vec<String>>,
    /// 0 before the first probe, 1 when it failed, 2 when it succeeded.
    database: AtomicU8,
}

impl Health {
    /// What a probe of the database found.
    pub fn set_database(&self, answers: bool) {
        self.database.store(if answers { 2 } else { 1 }, Ordering::Release);
    }

    /// Whether the last probe of the database succeeded.
    pub fn database_answers(&self) -> bool {
        self.database.load(Ordering::Acquire) == 2
    }

    /// Why the service is degraded; empty when it is well.
    pub fn reasons(&self) -> Vec<String> {
        let database = match self.database.load(Ordering::Acquire) {
            0 => Some("the database has not been asked yet"),
            1 => Some("the database does not answer"),
            _ => None,
        };
        database.map(str::to_owned).into_iter().chain(self.actors.load().iter().cloned()).collect()
    }

    /// Whether nothing is wrong. Allocates nothing.
    pub fn is_ok(&self) -> bool {
        self.database_answers() && self.actors.load().is_empty()
    }

    /// `ok` or `degraded`.
    pub fn as_str(&self) -> &'static str {
        if self.is_ok() { "ok" } else { "degraded" }
    }
}

/// The outside observer.
#[derive(Debug)]
pub struct Watchdog {
    registry: ActorRegistry,
    health: Arc<Health>,
    /// Who was unwell at the last look, so that each change is logged once.
    unwell: BTreeMap<&'static str, ActorState>,
}

impl Watchdog {
    /// Watches what is and will be in a registry.
    pub fn new(registry: ActorRegistry, health: Arc<Health>) -> Self {
        Self { registry, health, unwell: BTreeMap::new() }
    }

    /// Looks once.
    pub fn look(&mut self) {
        let mut unwell = BTreeMap::new();
        let mut reasons = Vec::new();
        for watched in self.registry.all() {
            let state = watched.check();
            let name = watched.stats().name();
            match state {
                ActorState::Running | ActorState::Busy => continue,
                ActorState::Down => reasons.push(format!("actor {name} is down")),
                ActorState::Hung => {
                    let busy_s = watched.snapshot().busy_for_ms / 1000;
                    reasons.push(format!("actor {name} is hung: one message for {busy_s} s"));
                }
            }
            unwell.insert(name, state);
        }
        for (name, state) in &unwell {
            if self.unwell.get(name) != Some(state) {
                tracing::error!(actor.name = name, actor.state = state.as_str(), "an actor is unwell");
            }
        }
        for name in self.unwell.keys().filter(|name| !unwell.contains_key(*name)) {
            tracing::info!(actor.name = name, "an actor is well again");
        }
        self.unwell = unwell;
        // Published only when it changes: readers of the old list are many, changes are rare.
        if **self.health.actors.load() != reasons {
            self.health.actors.store(Arc::new(reasons));
        }
    }

    /// Looks each second for ever, on the runtime of the caller.
    pub fn start(mut self) -> tokio::task::JoinHandle<()> {
        tokio::spawn(async move {
            let mut interval = tokio::time::interval(WATCH_INTERVAL);
            interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
            loop {
                interval.tick().await;
                self.look();
            }
        })
    }
}
