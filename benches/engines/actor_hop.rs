//! What a message to an actor costs, beside a bare tokio channel doing the same in the same run.
//!
//! `cargo bench --bench engines -- actor_hop` prints a table, with `--json` one JSON object. Each figure is the best of several
//! rounds: a shared machine only ever adds time.

#![expect(clippy::unwrap_used, clippy::as_conversions, reason = "a benchmark may stop at the first surprise")]

use std::alloc::{GlobalAlloc, Layout, System as SystemAllocator};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use actix::{
    Actor, Arbiter, ArbiterHandle, AtomicResponse, Context, Handler, Message, Supervised, System, WrapFuture as _,
};
use bookkeeping_suite::actors::runtime::{ActorError, ActorStats, Ask, Directory, Guarded, Slot, SlotOptions, guard};
use bookkeeping_suite::clock::SystemClock;
use bookkeeping_suite::domain::ids::OrganisationId;
use futures_util::future::join_all;
use tokio::sync::{mpsc, oneshot};

const IN_FLIGHT: usize = 64;
const DEADLINE: Duration = Duration::from_secs(5);

/// Counts bytes in use, so that an actor's size is measured and not added up by hand; only while this bench runs, because
/// counting would slow the engines down that are measured by the same program.
struct Counting;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static IN_USE: AtomicUsize = AtomicUsize::new(0);

fn count(change: impl FnOnce(&AtomicUsize) -> usize) {
    if IS_COUNTING.load(Ordering::Relaxed) {
        change(&IN_USE);
    }
}

#[expect(unsafe_code, reason = "an allocator can only be written so; it forwards to the system's and counts")]
// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(|in_use| in_use.fetch_add(layout.size(), Ordering::Relaxed));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { SystemAllocator.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(|in_use| in_use.fetch_sub(layout.size(), Ordering::Relaxed));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { SystemAllocator.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Echo {
    stats: Arc<ActorStats>,
}

impl Actor for Echo {
    type Context = Context<Self>;
}

impl Supervised for Echo {}

impl Guarded for Echo {
    fn stats(&self) -> &Arc<ActorStats> {
        &self.stats
    }
}

#[derive(Message)]
#[rtype(result = "Result<u64, ActorError>")]
struct AtOnce(u64);

#[derive(Message)]
#[rtype(result = "Result<u64, ActorError>")]
struct Alone(u64);

/// The same without guard, permit or slot: actix as it comes.
#[derive(Message)]
#[rtype(result = "u64")]
struct Bare(u64);

impl Handler<Ask<AtOnce>> for Echo {
    type Result = Result<u64, ActorError>;

    fn handle(&mut self, ask: Ask<AtOnce>, ctx: &mut Context<Self>) -> Self::Result {
        guard::now(self, ctx, ask, |_, _, AtOnce(number)| number + 1)
    }
}

impl Handler<Ask<Alone>> for Echo {
    type Result = AtomicResponse<Self, Result<u64, ActorError>>;

    fn handle(&mut self, ask: Ask<Alone>, _: &mut Context<Self>) -> Self::Result {
        guard::alone(ask, DEADLINE, |actor: &mut Self, _, Alone(number)| async move { number + 1 }.into_actor(actor))
    }
}

impl Handler<Bare> for Echo {
    type Result = u64;

    fn handle(&mut self, Bare(number): Bare, _: &mut Context<Self>) -> Self::Result {
        number + 1
    }
}

fn echo(arbiter: ArbiterHandle, options: SlotOptions) -> Arc<Slot<Echo>> {
    Slot::start(ActorStats::new("echo", Arc::new(SystemClock::default())), arbiter, options, |stats| Echo { stats })
}

/// Nanoseconds per hop, one at a time.
async fn one_by_one<F: Future>(plan: Plan, hop: impl Fn(u64) -> F) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..plan.rounds {
        let begun = Instant::now();
        for number in 0..plan.hops as u64 {
            black_box(hop(number).await);
        }
        best = best.min(begun.elapsed().as_nanos() as f64 / plan.hops as f64);
    }
    best
}

/// Nanoseconds per hop with 64 under way.
async fn in_flight<F: Future>(plan: Plan, hop: impl Fn(u64) -> F) -> f64 {
    let mut best = f64::MAX;
    let batches = plan.hops / IN_FLIGHT;
    for _ in 0..plan.rounds {
        let begun = Instant::now();
        for _ in 0..batches {
            black_box(join_all((0..IN_FLIGHT as u64).map(&hop)).await);
        }
        best = best.min(begun.elapsed().as_nanos() as f64 / (batches * IN_FLIGHT) as f64);
    }
    best
}

type Parcel = (u64, oneshot::Sender<u64>);

/// The bare counterpart: a task that answers over a oneshot.
fn channel() -> (mpsc::Sender<Parcel>, impl Future<Output = ()> + Send + 'static) {
    let (sender, mut receiver) = mpsc::channel::<Parcel>(256);
    let task = async move {
        while let Some((number, answer)) = receiver.recv().await {
            let _ = answer.send(number + 1);
        }
    };
    (sender, task)
}

async fn through(sender: &mpsc::Sender<Parcel>, number: u64) -> u64 {
    let (answer, answered) = oneshot::channel();
    sender.send((number, answer)).await.unwrap();
    answered.await.unwrap()
}

struct Figure {
    name: &'static str,
    value: f64,
    unit: &'static str,
}

/// How often and how many.
#[derive(Clone, Copy)]
struct Plan {
    rounds: usize,
    hops: usize,
    actors: i64,
}

/// Print what a message costs.
pub fn measure_hops(arguments: Vec<String>) {
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let json = has("--json");
    let plan = if has("--small") {
        Plan { rounds: 1, hops: 640, actors: 1_000 }
    } else {
        Plan { rounds: 7, hops: 20_000, actors: 100_000 }
    };
    IS_COUNTING.store(true, Ordering::Relaxed);
    let figures = System::new().block_on(measure(plan));
    IS_COUNTING.store(false, Ordering::Relaxed);
    if json {
        let fields: Vec<String> =
            figures.iter().map(|one| format!("\"{}_{}\": {:.1}", key(one.name), one.unit, one.value)).collect();
        println!("{{{}}}", fields.join(", "));
        return;
    }
    println!("{:<52}{:>12}", "path", "best");
    for one in figures {
        println!("{:<52}{:>9.1} {}", one.name, one.value, one.unit);
    }
}

/// A name as a key: the words, joined by underscores.
fn key(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

async fn measure(plan: Plan) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut note = |name, value, unit| figures.push(Figure { name, value, unit });
    let other = Arbiter::new();
    let options = SlotOptions { queue_capacity: 256, answer_deadline: None };
    let timed = SlotOptions { queue_capacity: 256, answer_deadline: Some(DEADLINE) };
    let (here, there) = (echo(Arbiter::current(), options), echo(other.handle(), options));
    let there_timed = echo(other.handle(), timed);

    let bare = |slot: Arc<Slot<Echo>>| move |number| slot.with_addr(|addr| addr.send(Bare(number))).unwrap();
    note("same arbiter, bare actix", one_by_one(plan, bare(Arc::clone(&here))).await, "ns");
    note("same arbiter, guarded", one_by_one(plan, |number| here.ask(AtOnce(number))).await, "ns");
    note("same arbiter, guarded alone", one_by_one(plan, |number| here.ask(Alone(number))).await, "ns");
    note("cross arbiter, bare actix", one_by_one(plan, bare(Arc::clone(&there))).await, "ns");
    note("cross arbiter, guarded", one_by_one(plan, |number| there.ask(AtOnce(number))).await, "ns");
    note("cross arbiter, guarded alone", one_by_one(plan, |number| there.ask(Alone(number))).await, "ns");
    note(
        "cross arbiter, guarded, answer deadline",
        one_by_one(plan, |number| there_timed.ask(AtOnce(number))).await,
        "ns",
    );
    note("cross arbiter, 64 in flight, bare actix", in_flight(plan, bare(Arc::clone(&there))).await, "ns");
    note("cross arbiter, 64 in flight, guarded", in_flight(plan, |number| there.ask(AtOnce(number))).await, "ns");
    note("cross arbiter, 64 in flight, guarded alone", in_flight(plan, |number| there.ask(Alone(number))).await, "ns");

    let (sender, task) = channel();
    actix::spawn(task);
    note("same thread, tokio mpsc and oneshot", one_by_one(plan, |number| through(&sender, number)).await, "ns");
    let (sender, task) = channel();
    other.spawn(task);
    note("cross thread, tokio mpsc and oneshot", one_by_one(plan, |number| through(&sender, number)).await, "ns");
    note(
        "cross thread, 64 in flight, tokio mpsc and oneshot",
        in_flight(plan, |number| through(&sender, number)).await,
        "ns",
    );

    let mut best = f64::MAX;
    for _ in 0..plan.rounds {
        let begun = Instant::now();
        for _ in 0..1_000_000 {
            black_box(there.with_addr(|addr| black_box(addr).connected()).unwrap());
        }
        best = best.min(begun.elapsed().as_nanos() as f64 / 1e6);
    }
    note("slot finds its living actor", best, "ns");

    let (nanoseconds, bytes) = start_many(plan, &other).await;
    note("an organisation's actor started", nanoseconds, "ns");
    note("an idle organisation's actor, all it needs", bytes, "bytes");
    figures
}

/// Time and memory of one of many actors, its slot and its statistics included.
async fn start_many(plan: Plan, arbiter: &Arbiter) -> (f64, f64) {
    let stats = ActorStats::new("ledger", Arc::new(SystemClock::default()));
    let directory = Directory::new(stats, vec![arbiter.handle()], SlotOptions::default(), |_, stats| Echo { stats });
    let before = IN_USE.load(Ordering::Relaxed);
    let begun = Instant::now();
    for id in 1..=plan.actors {
        black_box(directory.of(OrganisationId(id)).unwrap());
    }
    // The last one answers when all are started: an arbiter starts them in order.
    directory.of(OrganisationId(plan.actors)).unwrap().ask(AtOnce(1)).await.unwrap();
    let nanoseconds = begun.elapsed().as_nanos() as f64 / plan.actors as f64;
    let bytes = IN_USE.load(Ordering::Relaxed).saturating_sub(before) as f64 / plan.actors as f64;
    (nanoseconds, bytes)
}
