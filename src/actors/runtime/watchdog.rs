//! The outside observer: looks at everything each second, rebuilds the dead, says who hangs, and publishes health.
//!
//! It is a task, not an actor, it runs on no arbiter, and it never sends a message to ask: what it wants to know is in
//! atomics, and an actor that hangs could not answer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, ArcSwapOption};

use super::registry::ActorRegistry;
use super::stats::ActorState;

/// How often the watchdog looks.
pub const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// Whether the service is well, read by `/health` and `/readyz` without waiting for anyone.
#[derive(Debug, Default)]
pub struct Health {
    /// What the watchdog found wrong with actors.
    actors: ArcSwap<Vec<String>>,
    /// 0 before the first read, 1 when it failed, 2 when it succeeded.
    database: AtomicU8,
    /// Why the database cannot be worked with although it may be read, or why it is not there yet.
    trouble: ArcSwapOption<String>,
}

impl Health {
    /// Why the database cannot be worked with; none when that is over.
    pub fn set_trouble(&self, trouble: Option<String>) {
        // Published only when it changes: the same reason is found again each second.
        if self.trouble.load().as_deref() != trouble.as_ref() {
            self.trouble.store(trouble.map(Arc::new));
        }
    }

    /// Why the database cannot be worked with; none when it is well.
    pub fn database_trouble(&self) -> Option<String> {
        let unread = || match self.database.load(Ordering::Acquire) {
            0 => Some("the database has not been asked yet".to_owned()),
            1 => Some("the database does not answer".to_owned()),
            _ => None,
        };
        self.trouble.load().as_deref().cloned().or_else(unread)
    }

    /// What reading from the database found.
    pub fn set_database(&self, answers: bool) {
        self.database.store(if answers { 2 } else { 1 }, Ordering::Release);
    }

    /// Whether the last probe of the database succeeded.
    pub fn database_answers(&self) -> bool {
        self.database.load(Ordering::Acquire) == 2
    }

    /// Why the service is degraded; empty when it is well.
    pub fn reasons(&self) -> Vec<String> {
        self.database_trouble().into_iter().chain(self.actors.load().iter().cloned()).collect()
    }

    /// Whether nothing is wrong. Allocates nothing.
    pub fn is_ok(&self) -> bool {
        self.database_answers() && self.trouble.load().is_none() && self.actors.load().is_empty()
    }

    /// `ok` or `degraded`.
    pub fn as_str(&self) -> &'static str {
        if self.is_ok() { "ok" } else { "degraded" }
    }
}

/// Says why the database cannot be worked with; asks nobody.
pub type DatabaseTrouble = Box<dyn Fn() -> Option<String> + Send>;

/// The outside observer.
pub struct Watchdog {
    registry: ActorRegistry,
    health: Arc<Health>,
    /// Who was unwell at the last look, so that each change is logged once.
    unwell: BTreeMap<&'static str, ActorState>,
    trouble: Option<DatabaseTrouble>,
    /// Since when the database is in trouble.
    troubled_since: Option<Instant>,
}

impl Watchdog {
    /// Watches what is and will be in a registry.
    pub fn new(registry: ActorRegistry, health: Arc<Health>) -> Self {
        Self { registry, health, unwell: BTreeMap::new(), trouble: None, troubled_since: None }
    }

    /// The same with an eye on the database.
    #[must_use]
    pub fn with_database(mut self, trouble: DatabaseTrouble) -> Self {
        self.trouble = Some(trouble);
        self
    }

    /// Publishes how the database is; a line in the log when trouble begins and one when it is over.
    fn look_at_database(&mut self) {
        if let Some(trouble) = &self.trouble {
            self.health.set_trouble(trouble());
        }
        match (self.health.database_trouble(), self.troubled_since) {
            (Some(reason), None) => {
                self.troubled_since = Some(Instant::now());
                tracing::error!(reason, "the database is in trouble");
            }
            (None, Some(since)) => {
                self.troubled_since = None;
                let lasted_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
                tracing::info!(lasted_ms, "the database is well again after {:.1} s", since.elapsed().as_secs_f64());
            }
            _ => {}
        }
    }

    /// Looks once.
    pub fn look(&mut self) {
        self.look_at_database();
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
