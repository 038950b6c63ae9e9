//! What a message to an actor costs, beside a bare tokio channel doing the same in the same run.
//!
//! `cargo bench --bench actor_hop` prints a table, with `--json` one JSON object. Each figure is the best of several
//! rounds: a shared machine only ever adds time.

#![expect(clippy::unwrap_used, clippy::as_conversions, reason = "a benchmark may stop at the first surprise")]

use std::alloc::{GlobalAlloc, Layout, System as SystemAllocator};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use actix::{
    Actor, Arbiter, ArbiterHandle, AtomicResponse, Context, Handler, Message, Supervised, System, WrapFuture as _,
};
use bookkeeping_suite::actors::runtime::{ActorError, ActorStats, Ask, Directory, Guarded, Slot, SlotOptions, guard};
use bookkeeping_suite::clock::SystemClock;
use bookkeeping_suite::domain::ids::OrganisationId;
use futures_util::future::join_all;
use tokio::sync::{mpsc, oneshot};

const ROUNDS: usize = 7;
const HOPS: usize = 20_000;
const IN_FLIGHT: usize = 64;
const ACTORS: i64 = 100_000;
const DEADLINE: Duration = Duration::from_secs(5);

/// Counts bytes in use, so that an actor's size is measured and not added up by hand.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "an allocator can only be written so; it forwards to the system's and counts")]
// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { SystemAllocator.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
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
async fn one_by_one<F: Future>(hop: impl Fn(u64) -> F) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        for number in 0..HOPS as u64 {
            black_box(hop(number).await);
        }
        best = best.min(begun.elapsed().as_nanos() as f64 / HOPS as f64);
    }
    best
}

/// Nanoseconds per hop with 64 under way.
async fn in_flight<F: Future>(hop: impl Fn(u64) -> F) -> f64 {
    let mut best = f64::MAX;
    let batches = HOPS / IN_FLIGHT;
    for _ in 0..ROUNDS {
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

fn main() {
    let json = std::env::args().any(|argument| argument == "--json");
    let figures = System::new().block_on(measure());
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

async fn measure() -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut note = |name, value, unit| figures.push(Figure { name, value, unit });
    let other = Arbiter::new();
    let options = SlotOptions { queue_capacity: 256, answer_deadline: None };
    let timed = SlotOptions { queue_capacity: 256, answer_deadline: Some(DEADLINE) };
    let (here, there) = (echo(Arbiter::current(), options), echo(other.handle(), options));
    let there_timed = echo(other.handle(), timed);

    let bare = |slot: Arc<Slot<Echo>>| move |number| slot.with_addr(|addr| addr.send(Bare(number))).unwrap();
    note("same arbiter, bare actix", one_by_one(bare(Arc::clone(&here))).await, "ns");
    note("same arbiter, guarded", one_by_one(|number| here.ask(AtOnce(number))).await, "ns");
    note("same arbiter, guarded alone", one_by_one(|number| here.ask(Alone(number))).await, "ns");
    note("cross arbiter, bare actix", one_by_one(bare(Arc::clone(&there))).await, "ns");
    note("cross arbiter, guarded", one_by_one(|number| there.ask(AtOnce(number))).await, "ns");
    note("cross arbiter, guarded alone", one_by_one(|number| there.ask(Alone(number))).await, "ns");
    note("cross arbiter, guarded, answer deadline", one_by_one(|number| there_timed.ask(AtOnce(number))).await, "ns");
    note("cross arbiter, 64 in flight, bare actix", in_flight(bare(Arc::clone(&there))).await, "ns");
    note("cross arbiter, 64 in flight, guarded", in_flight(|number| there.ask(AtOnce(number))).await, "ns");
    note("cross arbiter, 64 in flight, guarded alone", in_flight(|number| there.ask(Alone(number))).await, "ns");

    let (sender, task) = channel();
    actix::spawn(task);
    note("same thread, tokio mpsc and oneshot", one_by_one(|number| through(&sender, number)).await, "ns");
    let (sender, task) = channel();
    other.spawn(task);
    note("cross thread, tokio mpsc and oneshot", one_by_one(|number| through(&sender, number)).await, "ns");
    note(
        "cross thread, 64 in flight, tokio mpsc and oneshot",
        in_flight(|number| through(&sender, number)).await,
        "ns",
    );

    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        for _ in 0..1_000_000 {
            black_box(there.with_addr(|addr| black_box(addr).connected()).unwrap());
        }
        best = best.min(begun.elapsed().as_nanos() as f64 / 1e6);
    }
    note("slot finds its living actor", best, "ns");

    let (nanoseconds, bytes) = start_many(&other).await;
    note("an organisation's actor started", nanoseconds, "ns");
    note("an idle organisation's actor, all it needs", bytes, "bytes");
    figures
}

/// Time and memory of one of many actors, its slot and its statistics included.
async fn start_many(arbiter: &Arbiter) -> (f64, f64) {
    let stats = ActorStats::new("ledger", Arc::new(SystemClock::default()));
    let directory = Directory::new(stats, vec![arbiter.handle()], SlotOptions::default(), |_, stats| Echo { stats });
    let before = IN_USE.load(Ordering::Relaxed);
    let begun = Instant::now();
    for id in 1..=ACTORS {
        black_box(directory.of(OrganisationId(id)).unwrap());
    }
    // The last one answers when all are started: an arbiter starts them in order.
    directory.of(OrganisationId(ACTORS)).unwrap().ask(AtOnce(1)).await.unwrap();
    let nanoseconds = begun.elapsed().as_nanos() as f64 / ACTORS as f64;
    let bytes = IN_USE.load(Ordering::Relaxed).saturating_sub(before) as f64 / ACTORS as f64;
    (nanoseconds, bytes)
}
