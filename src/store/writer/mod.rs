//! The one writer task: it owns the only connection that writes and runs units in groups, one commit a group.
//!
//! A *unit* is a function of its input and an open database transaction. It may run more than once, so it changes
//! nothing but the database, and a refusal has written nothing (or has undone it), so that units of a group need no
//! savepoints: any error rolls the whole group back, and its units are then run one by one on a connection that is
//! known to be good. (SQLite may roll the whole transaction back on its own when the disk is full, so rolling back to
//! a savepoint would not be a recovery.)
//!
//! Commands to the books are not run one after another: those of a group are decided together in memory and written in
//! one go (see `books`).

mod probe;
mod task;

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use self::task::Task;
use super::books::WaitingCommand;
use super::sql::Unit;
use super::{Shared, StoreError, connect};
use crate::domain::books::request::{CommandOutcome, CommandRequest};
use crate::domain::job::Product;

/// Units that wait for the writer; beyond it callers wait for room.
const QUEUE_CAPACITY_UNITS: usize = 4096;
/// The rows a unit locks, in the order in which every process locks them: units of a group run in this order, so that
/// groups of two processes on PostgreSQL seldom meet head on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Locks {
    /// Organisations, memberships, people, keys, and rows nobody else writes.
    Organisations,
    /// The books of organisations.
    Books,
    /// The books of an organisation, then credit accounts.
    BooksAndCredits,
    /// The right to send e-mails.
    MailSlot,
    /// The slot of a product, and after it credit accounts where `credits` says so.
    ProductSlot {
        /// Which product.
        product: Product,
        /// Whether credit accounts are changed too.
        credits: bool,
    },
    /// Credit accounts.
    Credits,
    /// Rate permits.
    Permits,
}

impl Locks {
    /// Whether credit accounts are changed.
    const fn change_credits(self) -> bool {
        matches!(self, Self::Credits | Self::BooksAndCredits | Self::ProductSlot { credits: true, .. })
    }

    /// Whether organisations and books, which come first, are not concerned.
    fn come_later(self) -> bool {
        self > Self::BooksAndCredits
    }
}

/// Whether a unit may wait a moment for another to share its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// It is written as soon as the writer is free.
    Now,
    /// It waits up to two milliseconds for an urgent unit: for work that only joins a queue, whose running jobs commit all the time.
    Shared,
}

/// What a unit's function returns.
pub(super) type Work<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A unit's function.
pub(super) type UnitFn<I, T> = for<'a> fn(&'a Unit<'a>, &'a I) -> Work<'a, T>;

/// Hands units to the writer task; cheap to clone.
#[derive(Clone)]
pub struct Writer {
    queue: mpsc::Sender<Command>,
    shared: Arc<Shared>,
}

enum Command {
    Run(Waiting),
    Close(oneshot::Sender<()>),
}

struct Waiting {
    work: Queue,
    since: Instant,
    locks: Locks,
    bytes: usize,
    urgency: Urgency,
}

/// What waits for the writer.
enum Queue {
    /// A unit of its own.
    Unit(Box<dyn Queued>),
    /// A command to the books, to be decided with those beside it.
    Command(Box<WaitingCommand>),
}

impl Queue {
    fn answer(self, outcome: Result<(), StoreError>) {
        match self {
            Self::Unit(work) => work.answer(outcome),
            Self::Command(command) => command.answer(outcome),
        }
    }

    const fn is_command(&self) -> bool {
        matches!(self, Self::Command(_))
    }
}

/// A unit with its input and its caller, whatever their types.
trait Queued: Send {
    fn run<'a>(&'a mut self, unit: &'a Unit<'a>) -> Work<'a, ()>;
    fn answer(self: Box<Self>, outcome: Result<(), StoreError>);
}

struct Typed<I, T> {
    input: I,
    function: UnitFn<I, T>,
    value: Option<T>,
    caller: oneshot::Sender<Result<T, StoreError>>,
}

impl<I: Send + Sync, T: Send> Queued for Typed<I, T> {
    fn run<'a>(&'a mut self, unit: &'a Unit<'a>) -> Work<'a, ()> {
        Box::pin(async move {
            self.value = Some((self.function)(unit, &self.input).await?);
            Ok(())
        })
    }

    fn answer(self: Box<Self>, outcome: Result<(), StoreError>) {
        let Self { value, caller, .. } = *self;
        let missing = || StoreError::Other("the unit did not run".to_owned());
        // The caller may have gone; the unit stands.
        let _ = caller.send(outcome.and_then(|()| value.ok_or_else(missing)));
    }
}

impl Writer {
    /// Starts the writer task on the current runtime.
    pub(super) async fn start(url: String, wait_max: Duration, shared: Arc<Shared>) -> Result<Self, StoreError> {
        let connection = connect::writer(&url).await?;
        let (queue, commands) = mpsc::channel(QUEUE_CAPACITY_UNITS);
        let task = Task::new(url, wait_max, connection, commands, Arc::clone(&shared));
        tokio::spawn(task.run());
        Ok(Self { queue, shared })
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Runs a small unit; the answer comes after its commit.
    pub(super) async fn unit<I, T>(&self, locks: Locks, input: I, function: UnitFn<I, T>) -> Result<T, StoreError>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
    {
        self.unit_of(locks, 0, input, function).await
    }

    /// Runs a unit that writes about `bytes` bytes.
    pub(super) async fn unit_of<I, T>(
        &self,
        locks: Locks,
        bytes: usize,
        input: I,
        function: UnitFn<I, T>,
    ) -> Result<T, StoreError>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
    {
        self.unit_when(Urgency::Now, locks, bytes, input, function).await
    }

    /// Runs a unit that writes about `bytes` bytes and may not be urgent.
    pub(super) async fn unit_when<I, T>(
        &self,
        urgency: Urgency,
        locks: Locks,
        bytes: usize,
        input: I,
        function: UnitFn<I, T>,
    ) -> Result<T, StoreError>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        let work = Queue::Unit(Box::new(Typed { input, function, value: None, caller }));
        self.enqueue(Waiting { work, since: Instant::now(), locks, bytes, urgency }, answer).await
    }

    /// Hands over a command to the books that writes about `bytes` bytes.
    pub(super) async fn command_of(&self, bytes: usize, request: CommandRequest) -> Result<CommandOutcome, StoreError> {
        let (caller, answer) = oneshot::channel();
        let work = Queue::Command(Box::new(WaitingCommand::new(request, caller)));
        let urgency = Urgency::Now;
        self.enqueue(Waiting { work, since: Instant::now(), locks: Locks::Books, bytes, urgency }, answer).await
    }

    async fn enqueue<T>(
        &self,
        waiting: Waiting,
        answer: oneshot::Receiver<Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let closed = || StoreError::Unavailable("the store is closed".to_owned());
        self.queue.send(Command::Run(waiting)).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    /// Writes what is queued, then ends the task. Later units are refused.
    pub(super) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.queue.send(Command::Close(done)).await.is_ok() {
            let _ = closed.await;
        }
    }
}
