//! The two tasks that keep this process in step: one follows what other processes commit, one keeps house.
//!
//! The follower reads one small row set ten times a second, so that what a command or another process wrote is seen here
//! within a second, a lost wake is made good, and a slot whose holder died is taken over. It is the truth; wakes within
//! the process are only faster.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Actors, Observer};
use crate::store::{Epochs, Store, StoreStats};

/// How often the epochs are read.
const FOLLOW_EVERY: Duration = Duration::from_millis(100);
/// How often house is kept.
const KEEP_HOUSE_EVERY: Duration = Duration::from_secs(15);
/// Housekeeping deletes in small units; so many of them a round.
const DELETE_ROUNDS_MAX: usize = 20;
/// Parts written ahead for a job that never came are removed after this.
const ORPHAN_AGE_MS: i64 = 10 * 60 * 1000;

/// Follows what is committed until the future is dropped.
pub async fn follow(store: Store, actors: Arc<Actors>) {
    let (mut seen, mut reported) = (Epochs::default(), Reported::default());
    let mut ticks = tokio::time::interval(FOLLOW_EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let asked_at_ms = actors.clock.monotonic_ms();
        match store.reader.epochs().await {
            Ok(now) => {
                actors.health.set_database(true);
                let current = take_over(&mut seen, now, &actors).await;
                if current {
                    actors.keys.published.refreshed(asked_at_ms);
                }
            }
            Err(error) => {
                if actors.health.database_answers() {
                    tracing::warn!(error = %error, "the database does not answer");
                }
                actors.health.set_database(false);
            }
        }
        reported.report(store.stats(), actors.observer.as_ref());
    }
}

/// What the store has counted, as far as the observer knows it.
#[derive(Default)]
struct Reported {
    unavailable: u64,
    journals: u64,
}

impl Reported {
    fn report(&mut self, stats: &StoreStats, observer: &dyn Observer) {
        let unavailable = stats.unavailable.load(Ordering::Relaxed);
        observer.store_unavailable(unavailable.saturating_sub(self.unavailable));
        let journals = stats.journals.load(Ordering::Relaxed);
        observer.journals_posted(journals.saturating_sub(self.journals));
        *self = Self { unavailable, journals };
    }
}

/// Passes on what moved; `false` when the keys could not be brought up to date.
async fn take_over(seen: &mut Epochs, now: Epochs, actors: &Actors) -> bool {
    let mut current = true;
    if now.keys != seen.keys {
        match actors.keys.follow().await {
            Ok(()) => seen.keys = now.keys,
            Err(error) => {
                current = false;
                tracing::warn!(error = %error, "cannot read changed keys");
            }
        }
    }
    if now.credits != seen.credits {
        match actors.credits.follow(now.credits).await {
            Ok(()) => seen.credits = now.credits,
            Err(error) => tracing::warn!(error = %error, "cannot read changed balances"),
        }
    }
    if now.memberships != seen.memberships {
        match actors.ledgers.follow(seen.memberships).await {
            Ok(()) => seen.memberships = now.memberships,
            Err(error) => tracing::warn!(error = %error, "cannot read changed memberships"),
        }
    }
    for engine in actors.engines() {
        let slot = now.slot(engine.product());
        engine.note_waiting(slot.waiting);
        // A slot whose lease ran out may hide a job that was being run when its process died.
        let abandoned = slot.holder.as_deref().is_some_and(|holder| holder != actors.holder)
            && slot.lease_until_ms < actors.store_now_ms();
        if slot.waiting > 0 || abandoned {
            engine.wake();
        }
    }
    current
}

/// Keeps house until the future is dropped.
pub async fn keep_house(store: Store, actors: Arc<Actors>, retention_ms: i64) {
    let mut ticks = tokio::time::interval(KEEP_HOUSE_EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = one_round(&store, &actors, retention_ms).await {
            tracing::warn!(error = %error, "housekeeping put off");
        }
    }
}

/// One round of housekeeping; also run by tests and before stopping.
pub async fn one_round(store: &Store, actors: &Actors, retention_ms: i64) -> Result<(), super::AskError> {
    actors.keys.flush_uses().await?;
    actors.credits.renew_months().await?;
    actors.limiter.forget_idle().await?;
    for _ in 0..DELETE_ROUNDS_MAX {
        if !store.writer.delete_expired(retention_ms).await?.more {
            break;
        }
    }
    store.writer.sweep_orphans(&store.reader, ORPHAN_AGE_MS).await?;
    Ok(())
}
