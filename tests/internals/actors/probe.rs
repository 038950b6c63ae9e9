//! An actor that does what it is told, faults included.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actix::{Actor, Arbiter, AtomicResponse, Context, Handler, Message, Supervised, WrapFuture as _};
use bookkeeping_suite::actors::runtime::{
    ActorError, ActorRegistry, ActorStats, Ask, Guarded, Health, Slot, SlotOptions, Watchdog, guard,
};
use bookkeeping_suite::clock::ManualClock;
use tokio::sync::{Notify, Semaphore};

/// Long enough never to end a healthy handler, however slow the machine.
pub const DEADLINE: Duration = Duration::from_secs(60);
/// Short enough to wait for.
pub const SHORT: Duration = Duration::from_millis(30);

/// What the tests share with the actor and what survives it.
#[derive(Default)]
pub struct Outside {
    /// What the actor reads when it starts: its persistent state.
    pub stored: AtomicU64,
    pub started: AtomicU64,
    pub restarting: AtomicU64,
    pub woken: AtomicU64,
    /// Told when a handler begins to wait for `gate`.
    pub waiting: Notify,
}

pub struct Probe {
    stats: Arc<ActorStats>,
    outside: Arc<Outside>,
    /// A cache that a fault may leave half changed.
    cached: u64,
}

impl Probe {
    pub fn new(stats: Arc<ActorStats>, outside: Arc<Outside>) -> Self {
        Self { stats, outside, cached: 0 }
    }
}

impl Actor for Probe {
    type Context = Context<Self>;

    fn started(&mut self, _: &mut Context<Self>) {
        self.outside.started.fetch_add(1, Ordering::SeqCst);
        self.cached = self.outside.stored.load(Ordering::SeqCst);
    }
}

impl Supervised for Probe {
    fn restarting(&mut self, _: &mut Context<Self>) {
        self.outside.restarting.fetch_add(1, Ordering::SeqCst);
        self.cached = 0;
    }
}

impl Guarded for Probe {
    fn stats(&self) -> &Arc<ActorStats> {
        &self.stats
    }
}

/// Something the actor is told to do, at once or alone.
#[derive(Debug)]
pub enum Order {
    /// Add one and answer with the sum.
    Count,
    /// Spoil the cache, then panic.
    Panic,
    /// Wait for one permit of the gate, then answer as `Count` does.
    Wait(Arc<Semaphore>),
    /// Wait for ever.
    Hang,
    /// Die without guard.
    Die,
}

#[derive(Message, Debug)]
#[rtype(result = "Result<u64, ActorError>")]
pub struct AtOnce(pub Order);

#[derive(Message, Debug)]
#[rtype(result = "Result<u64, ActorError>")]
pub struct Alone(pub Order, pub Duration);

#[derive(Message, Debug)]
#[rtype(result = "Result<(), ActorError>")]
pub struct Wake;

/// A message nobody waits on that kills the actor without guard.
#[derive(Message, Debug)]
#[rtype(result = "()")]
pub struct Die;

impl Handler<Die> for Probe {
    type Result = ();

    fn handle(&mut self, _: Die, _: &mut Context<Self>) {
        panic!("an unguarded death");
    }
}

impl Handler<Ask<AtOnce>> for Probe {
    type Result = Result<u64, ActorError>;

    fn handle(&mut self, ask: Ask<AtOnce>, ctx: &mut Context<Self>) -> Self::Result {
        let (AtOnce(order), permit) = ask.split();
        if matches!(order, Order::Die) {
            panic!("an unguarded death");
        }
        drop(permit);
        guard::guard_now(&Arc::clone(&self.stats), || {
            self.cached += 1;
            if matches!(order, Order::Panic) {
                self.cached = u64::MAX;
                panic!("told to panic at once");
            }
            self.cached
        })
        .map_err(|fault| {
            actix::ActorContext::stop(ctx);
            fault.into()
        })
    }
}

impl Handler<Ask<Alone>> for Probe {
    type Result = AtomicResponse<Self, Result<u64, ActorError>>;

    fn handle(&mut self, ask: Ask<Alone>, _: &mut Context<Self>) -> Self::Result {
        // The deadline rides in the message, so the message is taken apart before the guard sees it.
        let deadline = ask.message().1;
        guard::alone(ask, deadline, |actor: &mut Self, _, Alone(order, _)| {
            actor.cached += 1;
            let (cached, outside) = (actor.cached, Arc::clone(&actor.outside));
            if matches!(order, Order::Panic) {
                actor.cached = u64::MAX;
            }
            async move {
                match order {
                    Order::Panic => {
                        tokio::task::yield_now().await;
                        panic!("told to panic later");
                    }
                    Order::Wait(gate) => {
                        outside.waiting.notify_one();
                        gate.acquire().await.unwrap().forget();
                    }
                    Order::Hang => {
                        outside.waiting.notify_one();
                        std::future::pending::<()>().await;
                    }
                    Order::Count | Order::Die => {}
                }
                cached
            }
            .into_actor(actor)
        })
    }
}

impl Handler<Wake> for Probe {
    type Result = AtomicResponse<Self, Result<(), ActorError>>;

    fn handle(&mut self, _: Wake, _: &mut Context<Self>) -> Self::Result {
        guard::work(DEADLINE, |actor: &mut Self, _| {
            actor.outside.woken.fetch_add(1, Ordering::SeqCst);
            async {}.into_actor(actor)
        })
    }
}

/// One probe on an arbiter of its own, with a clock that only the test moves.
pub struct ActorFixture {
    pub clock: Arc<ManualClock>,
    pub outside: Arc<Outside>,
    pub stats: Arc<ActorStats>,
    pub slot: Arc<Slot<Probe>>,
    pub registry: ActorRegistry,
    pub health: Arc<Health>,
    pub watchdog: Watchdog,
    pub arbiter: Arbiter,
}

impl ActorFixture {
    pub fn new(queue_capacity: u32) -> Self {
        let clock = Arc::new(ManualClock::at_ms(1_700_000_000_000));
        let outside = Arc::new(Outside::default());
        let stats = ActorStats::new("probe", clock.clone());
        let arbiter = Arbiter::new();
        let options = SlotOptions { queue_capacity, answer_deadline: None };
        let seen = Arc::clone(&outside);
        let slot = Slot::start(Arc::clone(&stats), arbiter.handle(), options, move |stats| {
            Probe::new(stats, Arc::clone(&seen))
        });
        let (registry, health) = (ActorRegistry::default(), Arc::new(Health::default()));
        registry.add(slot.clone());
        health.set_database(true);
        let watchdog = Watchdog::new(registry.clone(), Arc::clone(&health));
        Self { clock, outside, stats, slot, registry, health, watchdog, arbiter }
    }

    /// Kills the actor without guard and returns when its address is dead.
    pub async fn kill(&self) {
        assert_eq!(self.slot.ask(AtOnce(Order::Die)).await, Err(ActorError::Down));
        self.dead().await;
    }

    /// Returns when every place in the queue has come back: a caller is answered a moment before.
    pub async fn settled(&self) {
        while self.stats.admitted() > 0 {
            tokio::task::yield_now().await;
        }
    }

    /// Returns when the address is dead: a caller may be told a moment before.
    pub async fn dead(&self) {
        while self.slot.is_alive() {
            tokio::task::yield_now().await;
        }
    }
}
