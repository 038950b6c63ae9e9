//! RateLimiter: owns the windows in which requests are counted.
//!
//! In one process a request counts itself in one atomic word, exactly; the actor only forgets idle windows. Where several
//! processes share a database each leases blocks of permits from it (single ones near the end), so that together they
//! never let through more than the limit; only the request that finds its block empty sends a message.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use actix::{Actor, Context, Handler, Message, ResponseActFuture, Supervised, WrapFuture as _};
use dashmap::DashMap;
use futures_util::future::{BoxFuture, FutureExt as _};

use super::AskError;
use super::runtime::{ActorError, ActorStats, Ask, Guarded, Slot, guard};
use crate::clock::Clock;
use crate::domain::caller::{RateDecision, RateRule, RateWindow};
use crate::domain::ids::{ConnectionId, UserId};
use crate::store::{PermitLease, Store, StoreError};

/// Permits leased at once; the database grants single ones near the end of a window.
const LEASE_BLOCK: i64 = 10;
const DEADLINE: Duration = Duration::from_secs(30);

/// Whose requests are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// An API key or a connection by OAuth.
    Connection(ConnectionId),
    /// A person, on the key endpoints.
    Person(UserId),
}

impl Subject {
    fn to_stored(self) -> String {
        match self {
            Self::Connection(id) => id.to_stored(),
            Self::Person(id) => format!("person:{id}"),
        }
    }
}

/// Permits of the current window as this process knows them.
#[derive(Debug, Default, Clone, Copy)]
struct Leased {
    window_start_ms: i64,
    permits: i64,
    /// Permits nobody had leased at the last look.
    left: i64,
}

/// The windows; shared by the actor and the requests.
pub struct RateWindows {
    rule: RateRule,
    clock: Arc<dyn Clock>,
    people: DashMap<UserId, Arc<RateWindow>>,
    leased: DashMap<Subject, Arc<Mutex<Leased>>>,
}

impl RateWindows {
    /// No windows yet.
    pub fn new(rule: RateRule, clock: Arc<dyn Clock>) -> Self {
        Self { rule, clock, people: DashMap::new(), leased: DashMap::new() }
    }

    /// The rule of every window.
    pub const fn rule(&self) -> RateRule {
        self.rule
    }

    fn person(&self, user: UserId) -> Arc<RateWindow> {
        Arc::clone(self.people.entry(user).or_default().value())
    }

    fn forget_idle(&self, now_ms: i64) {
        let monotonic_ms = self.clock.monotonic_ms();
        self.people.retain(|_, window| !window.is_idle(self.rule, monotonic_ms));
        let window_ms = i64::try_from(self.rule.window_ms).unwrap_or(i64::MAX);
        self.leased.retain(|_, leased| lock(leased).window_start_ms.saturating_add(window_ms) > now_ms);
    }

    /// Takes a permit this process holds. `None` means that the database must decide.
    fn take_leased(&self, subject: Subject, now_ms: i64) -> Option<RateDecision> {
        let entry = Arc::clone(self.leased.entry(subject).or_default().value());
        let mut leased = lock(&entry);
        let window_ms = i64::try_from(self.rule.window_ms).unwrap_or(i64::MAX);
        if now_ms >= leased.window_start_ms.saturating_add(window_ms) {
            return None;
        }
        if leased.permits > 0 {
            leased.permits -= 1;
            return Some(self.decision(true, *leased, now_ms));
        }
        (leased.left == 0).then(|| self.decision(false, *leased, now_ms))
    }

    /// Books a lease and takes one permit of it.
    fn book_lease(&self, subject: Subject, lease: PermitLease, now_ms: i64) -> RateDecision {
        let entry = Arc::clone(self.leased.entry(subject).or_default().value());
        let mut leased = lock(&entry);
        if leased.window_start_ms != lease.window_start_ms {
            *leased = Leased { window_start_ms: lease.window_start_ms, permits: 0, left: 0 };
        }
        leased.left = lease.left;
        leased.permits += lease.granted;
        let allowed = leased.permits > 0;
        leased.permits -= i64::from(allowed);
        self.decision(allowed, *leased, now_ms)
    }

    fn decision(&self, allowed: bool, leased: Leased, now_ms: i64) -> RateDecision {
        let window_ms = i64::try_from(self.rule.window_ms).unwrap_or(i64::MAX);
        let rest_ms = u64::try_from(leased.window_start_ms.saturating_add(window_ms) - now_ms).unwrap_or_default();
        RateDecision {
            allowed,
            remaining: u64::try_from(leased.permits + leased.left).unwrap_or_default(),
            reset_s: rest_ms.div_ceil(1000).max(1),
        }
    }
}

fn lock(leased: &Mutex<Leased>) -> std::sync::MutexGuard<'_, Leased> {
    leased.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The actor.
pub struct RateLimiter {
    stats: Arc<ActorStats>,
    store: Store,
    windows: Arc<RateWindows>,
}

impl RateLimiter {
    /// An actor that owns `windows`.
    pub const fn new(stats: Arc<ActorStats>, store: Store, windows: Arc<RateWindows>) -> Self {
        Self { stats, store, windows }
    }
}

impl Actor for RateLimiter {
    type Context = Context<Self>;
}

impl Supervised for RateLimiter {}

impl Guarded for RateLimiter {
    fn stats(&self) -> &Arc<ActorStats> {
        &self.stats
    }
}

/// Leases permits for a subject and takes one.
#[derive(Message)]
#[rtype(result = "Result<Result<RateDecision, StoreError>, ActorError>")]
pub struct Lease(pub Subject);

/// Forgets windows that are over.
#[derive(Message)]
#[rtype(result = "Result<(), ActorError>")]
pub struct ForgetIdle;

impl Handler<Ask<Lease>> for RateLimiter {
    type Result = ResponseActFuture<Self, Result<Result<RateDecision, StoreError>, ActorError>>;

    fn handle(&mut self, ask: Ask<Lease>, _: &mut Context<Self>) -> Self::Result {
        guard::beside(ask, DEADLINE, |actor: &mut Self, _, Lease(subject)| {
            let (store, windows) = (actor.store.clone(), Arc::clone(&actor.windows));
            async move {
                // An earlier message may have leased for this one too.
                if let Some(decision) = windows.take_leased(subject, store.now_ms()) {
                    return Ok(decision);
                }
                let limit = i64::try_from(windows.rule.limit).unwrap_or(i64::MAX);
                let window_ms = i64::try_from(windows.rule.window_ms).unwrap_or(i64::MAX);
                let lease = store.writer.lease_permits(&subject.to_stored(), limit, window_ms, LEASE_BLOCK).await?;
                Ok(windows.book_lease(subject, lease, store.now_ms()))
            }
            .into_actor(actor)
        })
    }
}

impl Handler<Ask<ForgetIdle>> for RateLimiter {
    type Result = Result<(), ActorError>;

    fn handle(&mut self, ask: Ask<ForgetIdle>, ctx: &mut Context<Self>) -> Self::Result {
        guard::now(self, ctx, ask, |actor, _, ForgetIdle| actor.windows.forget_idle(actor.store.now_ms()))
    }
}

/// What counting a request came to.
pub enum Hit {
    /// Known at once.
    Decided(RateDecision),
    /// Permits have to be leased first.
    Pending(BoxFuture<'static, Result<RateDecision, AskError>>),
}

/// How the rest of the service reaches the actor and its windows.
#[derive(Clone)]
pub struct RateLimiterHandle {
    pub(super) slot: Arc<Slot<RateLimiter>>,
    pub(super) windows: Arc<RateWindows>,
    pub(super) store: Store,
}

impl RateLimiterHandle {
    /// The rule of every window.
    pub fn rule(&self) -> RateRule {
        self.windows.rule()
    }

    /// Counts a request of a connection, whose window of this process is given.
    pub fn hit_connection(&self, connection: ConnectionId, window: &RateWindow, at: Instant) -> Hit {
        if self.store.is_shared() {
            return self.hit_leased(Subject::Connection(connection));
        }
        Hit::Decided(window.hit(self.windows.rule, self.windows.clock.monotonic_ms_at(at)))
    }

    /// Counts a request of a person on the key endpoints.
    pub fn hit_person(&self, user: UserId) -> Hit {
        if self.store.is_shared() {
            return self.hit_leased(Subject::Person(user));
        }
        Hit::Decided(self.windows.person(user).hit(self.windows.rule, self.windows.clock.monotonic_ms()))
    }

    fn hit_leased(&self, subject: Subject) -> Hit {
        match self.windows.take_leased(subject, self.store.now_ms()) {
            Some(decision) => Hit::Decided(decision),
            None => {
                let answer = self.slot.ask(Lease(subject));
                Hit::Pending(async move { Ok(answer.await??) }.boxed())
            }
        }
    }

    /// Forgets windows that are over.
    pub async fn forget_idle(&self) -> Result<(), AskError> {
        Ok(self.slot.ask(ForgetIdle).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;
    use crate::domain::ids::KeyId;

    #[test]
    fn leased_permits_are_spent_one_by_one_and_belong_to_their_window() {
        let windows = RateWindows::new(RateRule { limit: 12, window_ms: 60_000 }, Arc::new(ManualClock::at_ms(0)));
        let subject = Subject::Connection(ConnectionId::Key(KeyId(1)));
        assert_eq!(windows.take_leased(subject, 1_000_000), None);
        let lease = PermitLease { granted: 2, left: 10, window_start_ms: 1_000_000 };
        let decision = windows.book_lease(subject, lease, 1_000_000);
        assert_eq!((decision.allowed, decision.remaining, decision.reset_s), (true, 11, 60));
        assert!(windows.take_leased(subject, 1_000_500).is_some_and(|decision| decision.allowed));
        assert_eq!(windows.take_leased(subject, 1_000_500), None, "ask for more");
        let none = PermitLease { granted: 0, left: 0, window_start_ms: 1_000_000 };
        assert!(!windows.book_lease(subject, none, 1_000_500).allowed);
        assert!(windows.take_leased(subject, 1_059_999).is_some_and(|decision| !decision.allowed));
        assert_eq!(windows.take_leased(subject, 1_060_000), None, "a new window");
    }
}
