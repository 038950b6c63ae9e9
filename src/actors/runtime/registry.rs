//! The list of everything that is watched, read by the watchdog, the operators' listener and the exposition.

use std::sync::{Arc, PoisonError, RwLock};

use super::stats::{ActorSnapshot, ActorState, ActorStats};

/// Something that is watched under one name: an actor, all actors of a directory, or a task that keeps statistics.
pub trait Watched: Send + Sync {
    /// Its counters and latencies.
    fn stats(&self) -> &Arc<ActorStats>;
    /// Looks whether it lives, rebuilds it if it does not and may be, and says what it is doing.
    fn check(&self) -> ActorState;
    /// Everything at once, without changing anything.
    fn snapshot(&self) -> ActorSnapshot;
}

/// A task with statistics of its own (the writer, for example): it is watched but cannot be rebuilt.
impl Watched for Arc<ActorStats> {
    fn stats(&self) -> &Arc<ActorStats> {
        self
    }

    fn check(&self) -> ActorState {
        self.state()
    }

    fn snapshot(&self) -> ActorSnapshot {
        ActorStats::snapshot(self)
    }
}

/// Everything that is watched, in the order it was added. Cheap to clone.
#[derive(Clone, Default)]
pub struct ActorRegistry {
    watched: Arc<RwLock<Vec<Arc<dyn Watched>>>>,
}

impl std::fmt::Debug for ActorRegistry {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.all().iter().map(|watched| watched.stats().name())).finish()
    }
}

impl ActorRegistry {
    /// Watches one more.
    pub fn add(&self, watched: Arc<dyn Watched>) {
        self.watched.write().unwrap_or_else(PoisonError::into_inner).push(watched);
    }

    /// Everything that is watched.
    pub fn all(&self) -> Vec<Arc<dyn Watched>> {
        self.watched.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How everything is.
    pub fn snapshots(&self) -> Vec<ActorSnapshot> {
        self.all().iter().map(|watched| watched.snapshot()).collect()
    }
}
