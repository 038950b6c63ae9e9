//! What waits for the writer: units and commands, with what they lock and how long they may wait.

use std::pin::Pin;
use std::time::Instant;

use tokio::sync::oneshot;

use crate::domain::job::Product;
use crate::store::StoreError;
use crate::store::books::WaitingCommand;
use crate::store::sql::Unit;

/// The rows a unit locks, in the order in which every process locks them: units of a group run in this order, so that
/// groups of two processes on PostgreSQL seldom meet head on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::store) enum Locks {
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
    pub(super) const fn change_credits(self) -> bool {
        matches!(self, Self::Credits | Self::BooksAndCredits | Self::ProductSlot { credits: true, .. })
    }

    /// Whether organisations and books, which come first, are not concerned.
    pub(super) fn come_later(self) -> bool {
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
pub(in crate::store) type Work<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A unit's function.
pub(in crate::store) type UnitFn<I, T> = for<'a> fn(&'a Unit<'a>, &'a I) -> Work<'a, T>;

/// What the writer is told.
pub(super) enum Command {
    Run(Waiting),
    Close(oneshot::Sender<()>),
}

/// Something that waits for the writer.
pub(super) struct Waiting {
    pub(super) work: Queue,
    pub(super) since: Instant,
    pub(super) locks: Locks,
    pub(super) bytes: usize,
    pub(super) urgency: Urgency,
}

/// What waits for the writer.
pub(super) enum Queue {
    /// A unit of its own.
    Unit(Box<dyn Queued>),
    /// A command to the books, to be decided with those beside it.
    Command(Box<WaitingCommand>),
}

impl Queue {
    pub(super) fn answer(self, outcome: Result<(), StoreError>) {
        match self {
            Self::Unit(work) => work.answer(outcome),
            Self::Command(command) => command.answer(outcome),
        }
    }

    pub(super) const fn is_command(&self) -> bool {
        matches!(self, Self::Command(_))
    }
}

/// A unit with its input and its caller, whatever their types.
pub(super) trait Queued: Send {
    fn run<'a>(&'a mut self, unit: &'a Unit<'a>) -> Work<'a, ()>;
    fn answer(self: Box<Self>, outcome: Result<(), StoreError>);
}

/// A unit with its input and the caller that waits for its value.
pub(super) struct Typed<I, T> {
    input: I,
    function: UnitFn<I, T>,
    value: Option<T>,
    caller: oneshot::Sender<Result<T, StoreError>>,
}

impl<I, T> Typed<I, T> {
    pub(super) const fn new(input: I, function: UnitFn<I, T>, caller: oneshot::Sender<Result<T, StoreError>>) -> Self {
        Self { input, function, value: None, caller }
    }
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
