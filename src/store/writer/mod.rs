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
mod queue;
mod task;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use self::queue::{Command, Queue, Typed, UnitFn, Waiting};
use self::task::Task;
use super::books::WaitingCommand;
use super::{Shared, StoreError, connect};
use crate::domain::books::request::{CommandOutcome, CommandRequest};

pub use self::queue::Urgency;
pub(super) use self::queue::{Locks, Work};

/// Units that wait for the writer; beyond it callers wait for room.
const QUEUE_CAPACITY_UNITS: usize = 4096;

/// Hands units to the writer task; cheap to clone.
#[derive(Clone)]
pub struct Writer {
    queue: mpsc::Sender<Command>,
    shared: Arc<Shared>,
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
        let work = Queue::Unit(Box::new(Typed::new(input, function, caller)));
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
