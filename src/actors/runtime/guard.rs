//! Keeps a fault inside the message that caused it, and bounds the questions that wait.
//!
//! Every handler body runs in one of these: a panic or a missed deadline is caught and counted, the caller gets an
//! `ActorError`, and the actor stops *itself*, which under `actix::Supervisor` is a restart with the same mailbox:
//! `restarting()` drops what may be half changed, `started()` reads it again, and the messages that waited are handled.
//!
//! A deadline can only end a future that waits. Code that computes without waiting belongs on a blocking thread with a
//! cancel flag; if it blocks the arbiter all the same, only the watchdog sees it.
//!
//! An actix mailbox is no bound (see the module documentation of `runtime`), so a question first takes a place, and the
//! place rides in the message: it is given back when the answer is ready, when the message is dropped with a dead
//! actor's mailbox, or when the message is skipped because nobody waits for the answer any more.

use std::any::Any;
use std::marker::PhantomData;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use actix::{Actor, ActorContext as _, ActorFuture, AtomicResponse, Context, Message, ResponseActFuture, Supervised};
use futures_util::FutureExt as _;

use crate::actors::runtime::error::ActorError;
use crate::actors::runtime::stats::{ActorStats, Outcome, Working};

/// Why work did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It panicked with this text.
    Panicked(String),
    /// It did not finish before its deadline.
    TimedOut,
}

impl From<Fault> for ActorError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Panicked(_) => Self::Panicked,
            Fault::TimedOut => Self::TimedOut,
        }
    }
}

/// An actor whose handlers run under guard.
pub trait Guarded: Actor<Context = Context<Self>> + Supervised {
    /// The statistics its factory was given.
    fn stats(&self) -> &Arc<ActorStats>;
}

/// Runs a future under guard: marked busy, ended at the deadline, a panic caught, everything counted and faults logged.
///
/// For work that has taken all it needs out of the actor (`ResponseFuture`); the actor goes on. `None` is for work whose
/// slowness is not a fault, such as waiting for a commit.
pub async fn guard<T>(
    stats: &Arc<ActorStats>,
    deadline: Option<Duration>,
    future: impl Future<Output = T>,
) -> Result<T, Fault> {
    let working = stats.begin(deadline);
    let caught = AssertUnwindSafe(future).catch_unwind();
    let result = match deadline {
        None => caught.await.map_err(panicked),
        Some(deadline) => match tokio::time::timeout(deadline, caught).await {
            Ok(result) => result.map_err(panicked),
            Err(_) => Err(Fault::TimedOut),
        },
    };
    finish(stats, working, result)
}

/// Runs a function under guard.
pub fn guard_now<T>(stats: &Arc<ActorStats>, work: impl FnOnce() -> T) -> Result<T, Fault> {
    let working = stats.begin(None);
    let result = std::panic::catch_unwind(AssertUnwindSafe(work)).map_err(panicked);
    finish(stats, working, result)
}

/// Answers a question at once, with the actor's state at hand. A panic restarts the actor.
pub fn now<A, M, T>(
    actor: &mut A,
    ctx: &mut Context<A>,
    ask: Ask<M>,
    work: impl FnOnce(&mut A, &mut Context<A>, M) -> T,
) -> Result<T, ActorError>
where
    A: Guarded,
{
    let stats = Arc::clone(actor.stats());
    let (message, _permit) = ask.split();
    guard_now(&stats, || work(actor, ctx, message)).map_err(|fault| restart(&stats, ctx, fault))
}

/// Answers a question alone: nothing else in the actor runs until it is answered. A fault restarts the actor.
///
/// `start` builds the work; like the work itself it runs under guard and may touch the actor.
pub fn alone<A, M, F>(
    ask: Ask<M>,
    deadline: Duration,
    start: impl FnOnce(&mut A, &mut Context<A>, M) -> F + 'static,
) -> AtomicResponse<A, Result<F::Output, ActorError>>
where
    A: Guarded,
    M: 'static,
    F: ActorFuture<A> + 'static,
{
    let (message, permit) = ask.split();
    AtomicResponse::new(guarded(Some(permit), deadline, move |actor: &mut A, ctx: &mut Context<A>| {
        start(actor, ctx, message)
    }))
}

/// Answers a question while the actor goes on with other messages. A fault restarts the actor, and the answers then
/// under way are lost (`Down`).
pub fn beside<A, M, F>(
    ask: Ask<M>,
    deadline: Duration,
    start: impl FnOnce(&mut A, &mut Context<A>, M) -> F + 'static,
) -> ResponseActFuture<A, Result<F::Output, ActorError>>
where
    A: Guarded,
    M: 'static,
    F: ActorFuture<A> + 'static,
{
    let (message, permit) = ask.split();
    guarded(Some(permit), deadline, move |actor: &mut A, ctx: &mut Context<A>| start(actor, ctx, message))
}

/// Works alone for a message nobody waits on (a wake). A fault restarts the actor.
pub fn work<A, F>(
    deadline: Duration,
    start: impl FnOnce(&mut A, &mut Context<A>) -> F + 'static,
) -> AtomicResponse<A, Result<F::Output, ActorError>>
where
    A: Guarded,
    F: ActorFuture<A> + 'static,
{
    AtomicResponse::new(guarded(None, deadline, start))
}

fn guarded<A, F, S>(
    permit: Option<Permit>,
    deadline: Duration,
    start: S,
) -> ResponseActFuture<A, Result<F::Output, ActorError>>
where
    A: Guarded,
    F: ActorFuture<A> + 'static,
    S: FnOnce(&mut A, &mut Context<A>) -> F + 'static,
{
    Box::pin(GuardedFuture {
        stage: Stage::Waiting(Some(start)),
        deadline,
        sleep: None,
        working: None,
        _permit: permit,
        _actor: PhantomData,
    })
}

enum Stage<F, S> {
    Waiting(Option<S>),
    Started(Pin<Box<F>>),
}

/// An actor's future under guard. The work is boxed, so the guard itself may move.
struct GuardedFuture<A, F, S> {
    stage: Stage<F, S>,
    deadline: Duration,
    /// Armed only when the work waits: most of it never does.
    sleep: Option<Pin<Box<tokio::time::Sleep>>>,
    working: Option<Working>,
    /// The question's place in the queue, given back when the work is over.
    _permit: Option<Permit>,
    _actor: PhantomData<fn(A)>,
}

// Nothing in the guard is pinned in place: the work sits in a box of its own.
impl<A, F, S> Unpin for GuardedFuture<A, F, S> {}

impl<A, F, S> ActorFuture<A> for GuardedFuture<A, F, S>
where
    A: Guarded,
    F: ActorFuture<A>,
    S: FnOnce(&mut A, &mut Context<A>) -> F,
{
    type Output = Result<F::Output, ActorError>;

    fn poll(
        mut self: Pin<&mut Self>,
        actor: &mut A,
        ctx: &mut Context<A>,
        task: &mut std::task::Context<'_>,
    ) -> Poll<Self::Output> {
        let this = &mut *self;
        if this.working.is_none() {
            this.working = Some(actor.stats().begin(Some(this.deadline)));
        }
        let polled = std::panic::catch_unwind(AssertUnwindSafe(|| this.stage.poll(actor, ctx, task)));
        let result = match polled {
            Err(payload) => Err(panicked(payload)),
            Ok(Poll::Ready(output)) => Ok(output),
            Ok(Poll::Pending) => {
                let deadline = this.deadline;
                let sleep = this.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep(deadline)));
                std::task::ready!(sleep.as_mut().poll(task));
                Err(Fault::TimedOut)
            }
        };
        let stats = Arc::clone(actor.stats());
        let result = match this.working.take() {
            Some(working) => finish(&stats, working, result),
            None => result,
        };
        Poll::Ready(result.map_err(|fault| restart(&stats, ctx, fault)))
    }
}

impl<F, S> Stage<F, S> {
    fn poll<A>(&mut self, actor: &mut A, ctx: &mut Context<A>, task: &mut std::task::Context<'_>) -> Poll<F::Output>
    where
        A: Guarded,
        F: ActorFuture<A>,
        S: FnOnce(&mut A, &mut Context<A>) -> F,
    {
        loop {
            match self {
                Self::Started(work) => return work.as_mut().poll(actor, ctx, task),
                Self::Waiting(start) => match start.take() {
                    Some(start) => *self = Self::Started(Box::pin(start(actor, ctx))),
                    None => return Poll::Pending,
                },
            }
        }
    }
}

fn finish<T>(stats: &ActorStats, working: Working, result: Result<T, Fault>) -> Result<T, Fault> {
    match &result {
        Ok(_) => working.end(Outcome::Answered),
        Err(Fault::Panicked(text)) => {
            working.end(Outcome::Panicked);
            tracing::error!(actor.name = stats.name(), panic.text = text, "an actor's handler panicked");
        }
        Err(Fault::TimedOut) => {
            working.end(Outcome::TimedOut);
            tracing::error!(actor.name = stats.name(), "an actor's handler missed its deadline");
        }
    }
    result
}

fn restart<A: Guarded>(stats: &ActorStats, ctx: &mut Context<A>, fault: Fault) -> ActorError {
    stats.count_restart();
    ctx.stop();
    fault.into()
}

fn panicked(payload: Box<dyn Any + Send>) -> Fault {
    let text = match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast_ref::<&str>().map_or_else(|| "no text".to_owned(), |text| (*text).to_owned()),
    };
    Fault::Panicked(text)
}

/// A message and its place in the queue.
#[derive(Debug)]
pub struct Ask<M> {
    message: M,
    permit: Permit,
}

impl<M> Ask<M> {
    /// The message, to look at before it is handled.
    pub fn message(&self) -> &M {
        &self.message
    }

    /// The message and its place; the place is given back when the second value is dropped.
    pub fn split(self) -> (M, Permit) {
        (self.message, self.permit)
    }
}

impl<M: Message> Message for Ask<M> {
    type Result = M::Result;
}

/// A place in an actor's queue, given back on drop.
#[derive(Debug)]
pub struct Permit {
    stats: Arc<ActorStats>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.stats.leave_queue();
    }
}

/// Takes a place for a message; gives nothing back when `capacity` are taken.
pub(super) fn admit<M>(stats: &Arc<ActorStats>, capacity: u32, message: M) -> Option<Ask<M>> {
    stats.try_admit(capacity).then(|| Ask { message, permit: Permit { stats: Arc::clone(stats) } })
}
