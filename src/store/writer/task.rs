//! The task itself: groups of units, one commit each, and what a failure of one means.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use sea_orm::{
    ConnectionTrait as _, DatabaseConnection, DatabaseTransaction, DbBackend, SqliteTransactionMode,
    TransactionOptions, TransactionTrait as _,
};
use tokio::sync::{mpsc, oneshot};

use super::probe::touch;
use super::queue::{Command, Locks, Queue, Typed, Urgency, Waiting};
use crate::store::books::BooksWriter;
use crate::store::sql::Unit;
use crate::store::{Shared, StoreError, connect};

/// Units of one commit.
const GROUP_UNITS_MAX: usize = 256;
/// Payload and result bytes of one commit.
const GROUP_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How long a unit that is not urgent waits for an urgent one to share its commit.
const SHARED_COMMIT_WAIT: Duration = Duration::from_millis(2);
/// How long the writer rests before it writes something to see whether it can; half of it after a failure.
const PROBE_AFTER_IDLE: Duration = Duration::from_secs(2);
/// How much longer than usual a unit may wait whose group failed.
const ONE_BY_ONE_MORE: Duration = Duration::from_secs(5);
/// How long the writer rests before it empties the write-ahead log of deleted payloads.
const ERASE_AFTER_IDLE: Duration = Duration::from_secs(1);

/// Units of one commit.
#[derive(Default)]
struct Group {
    units: Vec<Waiting>,
    bytes: usize,
    closing: Option<oneshot::Sender<()>>,
}

impl Group {
    fn add(&mut self, command: Command) {
        match command {
            Command::Run(waiting) => {
                self.bytes += waiting.bytes;
                self.units.push(waiting);
            }
            Command::Close(done) => self.closing = Some(done),
        }
    }

    const fn is_full(&self) -> bool {
        self.units.len() >= GROUP_UNITS_MAX || self.bytes >= GROUP_BYTES_MAX || self.closing.is_some()
    }

    /// Until when an urgent unit may be waited for; `None` where one is here, or where there is no room for more.
    fn may_wait_until(&self) -> Option<Instant> {
        if self.is_full() || self.units.iter().any(|waiting| waiting.urgency == Urgency::Now) {
            return None;
        }
        self.units.first().map(|waiting| waiting.since + SHARED_COMMIT_WAIT)
    }
}

/// The task that owns the writing connection.
pub(super) struct Task {
    url: String,
    wait_max: Duration,
    /// `None` after a failure, until the next unit opens it again.
    connection: Option<DatabaseConnection>,
    commands: mpsc::Receiver<Command>,
    shared: Arc<Shared>,
    /// The books as the last commits left them.
    books: BooksWriter,
    /// When something was last written, or tried to be.
    wrote_at: Instant,
}

impl Task {
    /// A task that waits for commands.
    pub(super) fn new(
        url: String,
        wait_max: Duration,
        connection: DatabaseConnection,
        commands: mpsc::Receiver<Command>,
        shared: Arc<Shared>,
    ) -> Self {
        let (books, wrote_at) = (BooksWriter::default(), Instant::now());
        Self { url, wait_max, connection: Some(connection), commands, shared, books, wrote_at }
    }

    /// Runs until it is told to close or nobody is left to tell it.
    pub(super) async fn run(mut self) {
        let mut closing = None;
        let mut last_group = 0;
        while closing.is_none() {
            let Some(first) = self.next().await else { break };
            if last_group > 1 {
                // Many callers were just answered: let them hand over what they want next.
                tokio::task::yield_now().await;
            }
            let group = self.collect(first).await;
            closing = group.closing;
            last_group = group.units.len();
            self.run_group(group.units).await;
        }
        self.erase().await;
        if let Some(connection) = self.connection.take() {
            let _ = connection.close().await;
        }
        self.commands.close();
        if let Some(done) = closing {
            let _ = done.send(());
        }
    }

    /// The first command and all that wait behind it, as far as one commit goes. Where none is urgent, they wait a moment
    /// for one that is.
    async fn collect(&mut self, first: Command) -> Group {
        let mut group = Group::default();
        group.add(first);
        loop {
            while !group.is_full()
                && let Ok(next) = self.commands.try_recv()
            {
                group.add(next);
            }
            let Some(until) = group.may_wait_until() else { return group };
            match tokio::time::timeout_at(until.into(), self.commands.recv()).await {
                Ok(Some(next)) => group.add(next),
                Ok(None) | Err(_) => return group,
            }
        }
    }

    /// The next command; a rest is used to erase deleted payloads from the write-ahead log, and to see whether the database still
    /// takes writes.
    async fn next(&mut self) -> Option<Command> {
        loop {
            let probe_after = if self.shared.condition.has_failed() { PROBE_AFTER_IDLE / 2 } else { PROBE_AFTER_IDLE };
            let probe_in = self.shared.probe.then(|| probe_after.saturating_sub(self.wrote_at.elapsed()));
            let erases = self.shared.erase_pending.load(Ordering::Acquire);
            let rest = match (erases, probe_in) {
                (true, Some(probe_in)) => ERASE_AFTER_IDLE.min(probe_in),
                (true, None) => ERASE_AFTER_IDLE,
                (false, Some(probe_in)) => probe_in,
                (false, None) => return self.commands.recv().await,
            };
            if let Ok(command) = tokio::time::timeout(rest, self.commands.recv()).await {
                return command;
            }
            if erases {
                self.erase().await;
            }
            if self.shared.probe && self.wrote_at.elapsed() >= probe_after {
                self.probe().await;
            }
        }
    }

    /// Writes something that nobody reads.
    async fn probe(&mut self) {
        self.shared.condition.writing();
        let outcome = match self.shared.check_file() {
            Ok(()) => {
                let (caller, _) = oneshot::channel();
                let work = Queue::Unit(Box::new(Typed::new((), touch, caller)));
                let (since, urgency) = (Instant::now(), Urgency::Now);
                let mut probe = [Waiting { work, since, locks: Locks::Organisations, bytes: 0, urgency }];
                let outcome = self.attempt_on_connection(&mut probe).await;
                self.drop_suspect(&outcome);
                outcome.map_err(|failure| failure.error)
            }
            Err(error) => Err(error),
        };
        self.wrote_at = Instant::now();
        self.shared.condition.probed(outcome.as_ref().copied(), self.shared.folder());
    }

    async fn run_group(&mut self, group: Vec<Waiting>) {
        let (mut group, late): (Vec<_>, Vec<_>) =
            group.into_iter().partition(|waiting| waiting.since.elapsed() <= self.wait_max);
        for waiting in late {
            self.shared.stats.refused.fetch_add(1, Ordering::Relaxed);
            waiting.work.answer(Err(StoreError::Busy));
        }
        if group.is_empty() {
            return;
        }
        for waiting in &group {
            self.shared.waited("writer", waiting.since.elapsed());
        }
        group.sort_by_key(|waiting| waiting.locks);
        match self.attempt_twice(&mut group).await {
            Ok(()) => answer_all(group, &Ok(())),
            // Alone, or nothing was begun: it is nobody's fault in particular, and would not pass one by one either.
            Err(failure) if group.len() == 1 || failure.stage == Stage::Begin => {
                answer_all(group, &Err(failure.error));
            }
            Err(_) => self.run_one_by_one(group).await,
        }
    }

    async fn run_one_by_one(&mut self, group: Vec<Waiting>) {
        for waiting in group {
            // Each of those before may have waited for a lock.
            if waiting.since.elapsed() > self.wait_max + ONE_BY_ONE_MORE {
                self.shared.stats.refused.fetch_add(1, Ordering::Relaxed);
                waiting.work.answer(Err(StoreError::Busy));
                continue;
            }
            let mut alone = vec![waiting];
            let outcome = self.attempt_twice(&mut alone).await;
            answer_all(alone, &outcome.map_err(|failure| failure.error));
        }
    }

    /// Runs a group, and once more when it failed for a reason that is likely to be gone.
    async fn attempt_twice(&mut self, group: &mut [Waiting]) -> Result<(), Failure> {
        match self.attempt(group).await {
            Err(failure) if failure.again => self.attempt(group).await,
            outcome => outcome,
        }
    }

    /// Runs a group in one database transaction. After a failure that may have hurt the connection it is replaced.
    async fn attempt(&mut self, group: &mut [Waiting]) -> Result<(), Failure> {
        self.shared.condition.writing();
        let mut outcome = match self.shared.check_file() {
            Ok(()) => self.attempt_on_connection(group).await,
            Err(error) => Err(Failure::new(Stage::Begin, error)),
        };
        // What was committed into a log whose file is gone is not acknowledged.
        if outcome.is_ok()
            && let Err(error) = self.shared.check_file()
        {
            outcome = Err(Failure::new(Stage::Commit, error));
        }
        self.wrote_at = Instant::now();
        let error = outcome.as_ref().err().map(|failure| &failure.error);
        self.shared.condition.wrote(error.map_or(Ok(()), Err), self.shared.folder());
        let Err(failure) = &outcome else {
            self.shared.stats.groups.fetch_add(1, Ordering::Relaxed);
            self.shared.stats.units.fetch_add(u64::try_from(group.len()).unwrap_or_default(), Ordering::Relaxed);
            return outcome;
        };
        self.shared.noted(failure.error.clone());
        self.drop_suspect(&outcome);
        outcome
    }

    /// Lets go of a connection that a failure may have hurt.
    fn drop_suspect(&mut self, outcome: &Result<(), Failure>) {
        if let Err(failure) = outcome
            && failure.connection_suspect
            && let Some(connection) = self.connection.take()
        {
            // A dead peer may not answer the farewell; nobody waits for it.
            tokio::spawn(connection.close());
        }
    }

    async fn attempt_on_connection(&mut self, group: &mut [Waiting]) -> Result<(), Failure> {
        let reused = self.connection.is_some();
        let is_file = self.shared.backend == DbBackend::Sqlite;
        if is_file {
            self.shared.condition.waiting();
        }
        let connection = match &self.connection {
            Some(connection) => connection,
            None => {
                let opened = connect::writer(&self.url).await.map_err(|error| Failure::new(Stage::Begin, error))?;
                self.connection.insert(opened)
            }
        };
        // A connection that died while it rested says so now, and nothing has been tried yet.
        let transaction = begin(connection).await.map_err(|error| {
            let failure = Failure::new(Stage::Begin, error);
            Failure { again: failure.again || (reused && failure.connection_suspect), ..failure }
        })?;
        if is_file {
            self.shared.condition.begun();
        }
        let unit = Unit::new(&transaction, &self.shared);
        let mut to_lock_credits = group.iter().any(|waiting| waiting.locks.change_credits());
        for waiting in group.chunk_by_mut(|one, other| one.work.is_command() && other.work.is_command()) {
            let comes_later = waiting.first().is_some_and(|waiting| waiting.locks.come_later());
            let lock_credits = comes_later && std::mem::take(&mut to_lock_credits);
            let running = async {
                if lock_credits {
                    unit.lock_credits().await?;
                }
                run(&unit, waiting, &mut self.books).await
            };
            let ran = std::panic::AssertUnwindSafe(running).catch_unwind().await;
            let error = match ran {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => error,
                Err(_) => StoreError::Other("a unit panicked".to_owned()),
            };
            self.books.forget();
            let rolled_back = transaction.rollback().await.is_ok();
            let failure = Failure::new(Stage::Run, error);
            return Err(Failure { connection_suspect: failure.connection_suspect || !rolled_back, ..failure });
        }
        let committed = transaction.commit().await;
        self.shared.recent_organisations.transaction_ended();
        match committed {
            Ok(()) => {
                let journals = self.books.keep(&self.shared.recent_books);
                self.shared.stats.journals.fetch_add(journals, Ordering::Relaxed);
                Ok(())
            }
            Err(error) => {
                self.books.forget();
                Err(Failure::new(Stage::Commit, error.into()))
            }
        }
    }

    /// Copies the write-ahead log into the database and empties it, so that deleted bytes are in neither. Readers
    /// that are in the way make it wait for the next rest, never the writer for them.
    async fn erase(&mut self) {
        if self.shared.backend != DbBackend::Sqlite || !self.shared.erase_pending.swap(false, Ordering::AcqRel) {
            return;
        }
        let Some(connection) = &self.connection else { return };
        let sql = "pragma busy_timeout = 20; pragma wal_checkpoint(truncate); pragma busy_timeout = 5000";
        let statement = sea_orm::Statement::from_string(DbBackend::Sqlite, sql);
        let rows = connection.query_all_raw(statement).await.unwrap_or_default();
        // The rows are the new time limit, (busy, frames, frames copied), the old time limit.
        let busy = rows.get(1).and_then(|row| row.try_get_by_index::<i64>(0).ok());
        if busy != Some(0) {
            self.shared.erase_pending.store(true, Ordering::Release);
        }
    }
}

struct Failure {
    error: StoreError,
    stage: Stage,
    /// The connection may be broken or in an unknown state.
    connection_suspect: bool,
    /// Trying again is likely to succeed.
    again: bool,
}

/// How far a group came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// No transaction could be begun.
    Begin,
    /// A unit failed.
    Run,
    /// The commit failed; it may have happened all the same.
    Commit,
}

impl Failure {
    fn new(stage: Stage, error: StoreError) -> Self {
        // Deadlocks and serialisation failures are the neighbour's doing: the same group usually passes next.
        let again = matches!(&error, StoreError::Other(text) if text == crate::store::error::TRANSIENT);
        let harmless = again || matches!(error, StoreError::Conflict(_) | StoreError::Corrupt(_) | StoreError::Busy);
        Self { error, stage, connection_suspect: !harmless, again }
    }
}

/// Runs a unit, or the postings that wait next to each other.
async fn run(unit: &Unit<'_>, waiting: &mut [Waiting], books: &mut BooksWriter) -> Result<(), StoreError> {
    if let [Waiting { work: Queue::Unit(work), .. }] = waiting {
        return work.run(unit).await;
    }
    let commands = waiting.iter_mut().filter_map(|waiting| match &mut waiting.work {
        Queue::Command(command) => Some(&mut **command),
        Queue::Unit(_) => None,
    });
    books.run(unit, commands.collect()).await
}

fn answer_all(group: Vec<Waiting>, outcome: &Result<(), StoreError>) {
    for waiting in group {
        waiting.work.answer(outcome.clone());
    }
}

async fn begin(connection: &DatabaseConnection) -> Result<DatabaseTransaction, StoreError> {
    let options = TransactionOptions {
        // A deferred transaction that reads first fails under load when it comes to write.
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    Ok(connection.begin_with_options(options).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(urgency: Urgency, bytes: usize) -> Command {
        let (caller, _) = oneshot::channel();
        let work = Queue::Unit(Box::new(Typed::new((), touch, caller)));
        Command::Run(Waiting { work, since: Instant::now(), locks: Locks::Organisations, bytes, urgency })
    }

    #[test]
    fn a_group_waits_only_where_none_is_urgent_and_there_is_room() {
        let mut group = Group::default();
        assert!(group.may_wait_until().is_none());
        group.add(waiting(Urgency::Shared, 10));
        let until = group.may_wait_until();
        assert!(until.is_some());
        group.add(waiting(Urgency::Shared, 10));
        assert_eq!(group.may_wait_until(), until);
        group.add(waiting(Urgency::Now, 10));
        assert!(group.may_wait_until().is_none());

        let mut full = Group::default();
        full.add(waiting(Urgency::Shared, GROUP_BYTES_MAX));
        assert!(full.is_full() && full.may_wait_until().is_none());

        let mut closing = Group::default();
        closing.add(waiting(Urgency::Shared, 10));
        closing.add(Command::Close(oneshot::channel().0));
        assert!(closing.is_full() && closing.may_wait_until().is_none());
    }
}
