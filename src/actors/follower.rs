//! The two tasks that keep this process in step: one follows what other processes commit, one does the housekeeping.
//!
//! The follower reads one small row set ten times a second, so that what a command or another process wrote is followed here
//! within a second, a lost wake is made good, and a slot whose holder died is taken over. It is the truth; wakes within
//! the process are only faster.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{Actors, AskError, Observer};
use crate::domain::job::Product;
use crate::store::{Epochs, SlotView, Store, StoreError, StoreStats};

/// How often the epochs are read.
const FOLLOW_EVERY: Duration = Duration::from_millis(100);
/// How many rounds lie between two looks at whether the processes that hold something live.
const LOOK_AT_HOLDERS_EVERY: u64 = 3;
/// How long a process must have been without a session before its leases are ended: one that lost its connection makes another.
const GONE_AFTER_MS: u64 = 700;
/// How long one round waits for connections to be followed.
const GRANTS_WAIT_MAX: Duration = Duration::from_millis(100);
/// How often housekeeping runs.
const HOUSEKEEPING_EVERY: Duration = Duration::from_secs(15);
/// Housekeeping deletes in small units; so many of them a round.
const DELETE_ROUNDS_MAX: usize = 20;
/// Parts written ahead for a job that never came are removed after this.
const ORPHAN_AGE_MS: i64 = 10 * 60 * 1000;

/// Follows what is committed until the future is dropped.
pub async fn follow(store: Store, actors: Arc<Actors>) {
    let (mut followed, mut reported) = (Epochs::default(), Reported::default());
    let mut holders = Holders::default();
    let mut grants = None;
    let mut rounds: u64 = 0;
    let mut ticks = tokio::time::interval(FOLLOW_EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let read_at_ms = actors.clock.monotonic_ms();
        match store.reader.epochs().await {
            Ok(now) => {
                actors.health.set_database(true);
                let is_tenth = rounds.is_multiple_of(10);
                follow_mail(&now, &actors, &store, is_tenth).await;
                holders.follow(&now, &actors, &store, rounds).await;
                let current = apply_changes(&mut followed, (now, is_tenth), &mut grants, &actors).await;
                if current {
                    actors.keys.published.refreshed(read_at_ms);
                }
            }
            Err(error) => {
                // The watchdog says so, once.
                tracing::debug!(error = %error, "the database does not answer");
                actors.health.set_database(false);
            }
        }
        reported.report(store.stats(), actors.observer.as_ref());
        rounds += 1;
    }
}

/// The processes that hold slots, as far as they are followed.
#[derive(Default)]
struct Holders {
    /// Who held which slot at the last look.
    before: [Option<String>; 3],
    /// A process seen without a session, and since when.
    suspect: Option<(String, u64)>,
}

impl Holders {
    /// Tells of slots that this process took over, and ends the leases of a process that is gone.
    async fn follow(&mut self, now: &Epochs, actors: &Actors, store: &Store, round: u64) {
        let slots = [
            (Product::Reconciliation.as_str(), &now.reconciliation),
            (Product::Coding.as_str(), &now.coding),
            ("mail", &now.mail),
        ];
        for ((name, slot), before) in slots.iter().zip(&mut self.before) {
            if slot.holder.as_ref() == Some(&actors.holder)
                && let Some(before) = before.as_ref().filter(|before| **before != actors.holder)
            {
                tracing::info!(slot = name, from = before, "slot taken over from a process that is gone or silent");
            }
            before.clone_from(&slot.holder);
        }
        if round.is_multiple_of(LOOK_AT_HOLDERS_EVERY)
            && store.is_shared()
            && let Err(error) = self.look(slots.map(|(_, slot)| slot), now.lease_now_ms, actors, store).await
        {
            tracing::debug!(error = %error, "holders of slots cannot be looked at");
        }
    }

    async fn look(
        &mut self,
        slots: [&SlotView; 3],
        now_ms: i64,
        actors: &Actors,
        store: &Store,
    ) -> Result<(), StoreError> {
        let left_ms = |slot: &SlotView| slot.lease_until_ms.saturating_sub(now_ms);
        if slots.iter().any(|slot| store.is_too_long(left_ms(slot), actors.lease_ms)) {
            store.writer.shorten_leases(actors.lease_ms).await?;
        }
        let held = slots.into_iter().filter(|slot| slot.lease_until_ms >= now_ms);
        let others: Vec<&str> =
            held.filter_map(|slot| slot.holder.as_deref()).filter(|holder| *holder != actors.holder).collect();
        let gone = store.reader.without_session(&others).await?;
        let Some(gone) = gone.into_iter().next() else {
            self.suspect = None;
            return Ok(());
        };
        let at_ms = actors.clock.monotonic_ms();
        match &self.suspect {
            Some((suspect, since_ms)) if *suspect == gone => {
                if at_ms.saturating_sub(*since_ms) >= GONE_AFTER_MS {
                    store.writer.end_leases(gone).await?;
                }
            }
            _ => self.suspect = Some((gone, at_ms)),
        }
        Ok(())
    }
}

/// Wakes whoever sends e-mails when something is due, and counts once a second what waits.
async fn follow_mail(now: &Epochs, actors: &Actors, store: &Store, is_tenth: bool) {
    let now_ms = actors.store_now_ms();
    let abandoned = now.mail.holder.as_deref().is_some_and(|holder| holder != actors.holder)
        && now.mail.lease_until_ms < now.lease_now_ms;
    match abandoned {
        // What was leaving when its process died has to be looked after, though nothing else waits.
        true if is_tenth => actors.mail.wake(),
        _ => actors.mail.wake_at(now.mail_due_at_ms, is_tenth, now_ms),
    }
    if is_tenth {
        match store.reader.mail_waiting().await {
            Ok(waiting) => actors.mail.note_waiting(waiting, now_ms),
            Err(error) => tracing::warn!(error = %error, "waiting e-mails cannot be counted"),
        }
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

/// Passes on what has changed since `followed`; `false` when the keys or connections could not be brought up to date.
async fn apply_changes(
    followed: &mut Epochs,
    (now, is_tenth): (Epochs, bool),
    grants: &mut Option<FollowingGrants>,
    actors: &Actors,
) -> bool {
    let mut current = true;
    if now.keys != followed.keys {
        match actors.keys.follow().await {
            Ok(()) => followed.keys = now.keys,
            Err(error) => {
                current = false;
                tracing::warn!(error = %error, "cannot read changed keys");
            }
        }
    }
    if now.credits != followed.credits {
        match actors.credits.follow(now.credits).await {
            Ok(()) => followed.credits = now.credits,
            Err(error) => tracing::warn!(error = %error, "cannot read changed balances"),
        }
    }
    if now.memberships != followed.memberships {
        match actors.ledgers.follow(followed.memberships).await {
            Ok(()) => followed.memberships = now.memberships,
            Err(error) => tracing::warn!(error = %error, "cannot read changed memberships"),
        }
    }
    current &= follow_grants(followed, &now, grants, actors).await;
    for engine in actors.engines() {
        let slot = now.slot(engine.product());
        engine.follow(slot.queue, is_tenth);
        // A slot whose lease ran out may hide a job that was being run when its process died.
        let abandoned = slot.holder.as_deref().is_some_and(|holder| holder != actors.holder)
            && slot.lease_until_ms < now.lease_now_ms;
        if slot.queue.waiting > 0 || abandoned {
            engine.wake();
        }
    }
    current
}

/// Connections being followed: the epoch, and the answer.
type FollowingGrants = (i64, BoxFuture<'static, Result<(), AskError>>);

/// Follows connections; `false` while they are not up to date. A commit that this waits behind does not hold up what else is
/// followed: the answer is waited for in later rounds too.
async fn follow_grants(
    followed: &mut Epochs,
    now: &Epochs,
    following: &mut Option<FollowingGrants>,
    actors: &Actors,
) -> bool {
    if following.is_none() && now.grants == followed.grants {
        return true;
    }
    let (epoch, answer) = following.get_or_insert_with(|| {
        let grants = actors.grants.clone();
        (now.grants, Box::pin(async move { grants.follow().await }))
    });
    let epoch = *epoch;
    let Ok(answer) = tokio::time::timeout(GRANTS_WAIT_MAX, answer).await else { return false };
    *following = None;
    match answer {
        Ok(()) => followed.grants = epoch,
        Err(error) => tracing::warn!(error = %error, "cannot read changed connections"),
    }
    followed.grants == now.grants
}

/// Runs the housekeeping until the future is dropped.
pub async fn run_housekeeping(store: Store, actors: Arc<Actors>, retention_ms: i64) {
    let mut ticks = tokio::time::interval(HOUSEKEEPING_EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = one_round(&store, &actors, retention_ms).await {
            tracing::warn!(error = %error, "housekeeping put off");
        }
    }
}

/// One round of housekeeping; also run by tests and before stopping.
pub async fn one_round(store: &Store, actors: &Actors, retention_ms: i64) -> Result<(), AskError> {
    actors.keys.flush_uses().await?;
    actors.grants.keep_house().await?;
    actors.credits.renew_months().await?;
    actors.limiter.forget_idle().await?;
    store.writer.keep_served().await?;
    for _ in 0..DELETE_ROUNDS_MAX {
        if !store.writer.delete_expired(retention_ms).await?.more {
            break;
        }
    }
    for _ in 0..DELETE_ROUNDS_MAX {
        if !store.writer.delete_expired_oauth().await? {
            break;
        }
    }
    for _ in 0..DELETE_ROUNDS_MAX {
        if !store.writer.clear_coding_sessions().await?.more {
            break;
        }
    }
    store.writer.sweep_orphans(&store.reader, ORPHAN_AGE_MS).await?;
    store.writer.drop_old_pdfs().await?;
    Ok(())
}
