//! The database: the only code that names the ORM, entities or SQL.
//!
//! Writes are units handed to the one [`Writer`] task, reads are queries on [`Reader`], whose connections cannot
//! write. Nothing that decides a write is read outside its unit.

mod books;
mod check;
mod coding_sessions;
mod condition;
mod connect;
mod credits;
mod epochs;
mod error;
mod file_guard;
mod jobs;
mod keys;
mod log_index;
mod mail;
mod oauth;
mod organisations;
mod permits;
mod reader_connections;
mod serve_lock;
mod served;
mod session;
mod settings;
mod sql;
mod users;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use migration::{Migrator, MigratorTrait as _};
use sea_orm::{
    ConnectionTrait as _, DatabaseConnection, DbBackend, SqliteTransactionMode, TransactionOptions,
    TransactionTrait as _,
};

use crate::clock::Clock;
use crate::store::condition::Condition;
use crate::store::file_guard::FileGuard;

pub use crate::store::sql::Reader;
use books::RecentBooks;
pub use books::{PastNames, Snapshot, ToolPreview};
pub use coding_sessions::{
    Cleared, Load, LoadAnswer, Loaded, NewCodingSession, NewToolToken, RunEnded, SessionStatement, StatementAdded,
    ToolToken,
};
pub use credits::{MovementRow, Publish};
pub use epochs::{Epochs, SlotView, Topic};
pub use error::StoreError;
pub use jobs::{
    Claim, ClaimedJob, Deleted, Finish, Finished, INLINE_BYTES_MAX, Idempotency, JobRow, NewJob, OpenJob,
    PART_BYTES_MAX, QueueState, Requeued, RunEnd, Submitted, Swept,
};
pub use keys::{KeyCreated, KeyRow, NewKey};
pub use mail::{MailEnd, MailHead, MailMove, MailSlot, MailWaiting};
pub use oauth::{
    ClientRow, CodeRedemption, Consent, ConsentOutcome, Decided, ExchangeRefusal, Exchanged, FoundToken, GrantRow,
    IssuedTokens, LoadedGrants, NewClient, NewRequest, NewTokens, RefreshExchange, RequestRow, RevokedToken, TokenRow,
};
use organisations::RecentOrganisations;
pub use organisations::{MemberAdded, MembershipRow};
pub use permits::PermitLease;
pub use serve_lock::ServeLock;
use served::Served;
pub use session::LifeSession;
pub use users::{NewUser, UserCreated, UserRow};
pub use writer::{Urgency, Writer};

const CLOCK_FOLLOW_INTERVAL: Duration = Duration::from_secs(1);
/// The advisory lock schema changes are made under; the number only has to be the same in every version.
const MIGRATION_LOCK: i64 = 0x626f_6f6b_6b65_6570;

/// How to open the store.
#[derive(Clone)]
pub struct StoreOptions {
    /// `sqlite://…` or `postgres://…`.
    pub database_url: String,
    /// Read connections.
    pub reader_connections: u32,
    /// A write that waited longer is refused.
    pub write_wait_max: Duration,
    /// On PostgreSQL: correct the clock by its offset to the database's, so that processes agree on leases. Tests
    /// with a clock of their own switch it off.
    pub follow_database_clock: bool,
    /// Write something every two seconds while nobody else does, so that [`Store::trouble`] is known before a caller meets it.
    pub probe: bool,
    /// Called with how long each read (`"reader"`) and write (`"writer"`) waited for a connection.
    pub observe_wait: Option<ObserveWait>,
}

/// Takes the name of a pool and how long a caller waited for a connection of it.
pub type ObserveWait = Arc<dyn Fn(&'static str, Duration) + Send + Sync>;

impl StoreOptions {
    /// The defaults for a database.
    pub fn new(database_url: impl Into<String>) -> Self {
        Self {
            database_url: database_url.into(),
            reader_connections: 4,
            write_wait_max: Duration::from_secs(5),
            follow_database_clock: true,
            probe: false,
            observe_wait: None,
        }
    }
}

/// An open database. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    /// Queries.
    pub reader: Reader,
    /// Units.
    pub writer: Writer,
    shared: Arc<Shared>,
    options: Arc<StoreOptions>,
    follower: Arc<Follower>,
}

impl Store {
    /// Opens the database, creating a SQLite file that is not there yet (mode 0600). Does not migrate.
    /// Must be called on the runtime that lives as long as the store: connections belong to it.
    pub async fn open(options: StoreOptions, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let backend = connect::backend(&options.database_url)?;
        connect::check(&options.database_url)
            .map_err(|allowed| StoreError::Other(format!("database_url is not {allowed}")))?;
        let mut file = None;
        if backend == DbBackend::Sqlite {
            let guard = FileGuard::new(&options.database_url)?;
            guard.check_schema(&options.database_url).await?;
            file = Some(guard);
            connect::create_private_file(&options.database_url)?;
        }
        let follow = options.follow_database_clock && backend == DbBackend::Postgres;
        let shared = Arc::new(Shared {
            served: Served::begun(clock.as_ref()),
            clock,
            backend,
            leases_by_database: follow,
            offset_ms: AtomicI64::new(0),
            erase_pending: AtomicBool::new(false),
            observe_wait: options.observe_wait.clone(),
            stats: StoreStats::default(),
            condition: Condition::default(),
            file,
            probe: options.probe,
            recent_organisations: RecentOrganisations::default(),
            recent_books: RecentBooks::default(),
        });
        let writer = Writer::start(options.database_url.clone(), options.write_wait_max, Arc::clone(&shared)).await?;
        let pool = connect::readers(&options.database_url, options.reader_connections).await?;
        let reader = Reader::new(pool, options.reader_connections, Arc::clone(&shared));
        if shared.file.as_ref().is_some_and(FileGuard::is_in_doubt) {
            reader.check_pages().await?;
            // The log has what the file lacks: copied now, so that a file that is short later was cut off.
            let connection = connect::writer(&options.database_url).await?;
            connection.execute_unprepared("pragma wal_checkpoint(truncate)").await?;
            connection.close().await?;
        }
        if let Some(file) = &shared.file {
            file.settle();
        }
        if follow {
            follow_database_clock(&reader, &shared).await?;
        }
        let follower = Arc::new(Follower(follow.then(|| spawn_follower(reader.clone(), Arc::clone(&shared)))));
        Ok(Self { reader, writer, shared, options: Arc::new(options), follower })
    }

    /// What `database_url` has to be, where this one cannot be used; nothing of it is repeated.
    pub fn check_address(database_url: &str) -> Result<(), &'static str> {
        connect::check(database_url)
    }

    /// How many names (hard links) the file of a SQLite database has; at most one is safe, because its log lies beside a name.
    pub fn names(database_url: &str) -> Result<u64, StoreError> {
        match connect::backend(database_url)? {
            DbBackend::Sqlite => file_guard::names(database_url),
            _ => Ok(1),
        }
    }

    /// Whether there can be a database at an address: a SQLite file that is not there cannot be opened, only made.
    pub fn may_exist(database_url: &str) -> Result<bool, StoreError> {
        Ok(connect::backend(database_url)? == DbBackend::Postgres || connect::file(database_url)?.is_file())
    }

    /// Why the database cannot be worked with, as far as is known without asking it: its file is damaged, the last write failed,
    /// or nothing answers. None when it is well.
    pub fn trouble(&self) -> Option<String> {
        let damage = self.shared.file.as_ref().and_then(FileGuard::damage);
        damage.or_else(|| self.shared.condition.trouble())
    }

    /// Bytes of the database, of its log and free on its disk, where it is a file of ours.
    pub fn sizes(&self) -> Option<StoreSizes> {
        let path = connect::file(&self.options.database_url).ok().filter(|_| !self.is_shared())?;
        Some(StoreSizes {
            database_bytes: std::fs::metadata(&path).map_or(0, |file| file.len()),
            log_bytes: file_guard::log_bytes(&path),
            free_bytes: self.shared.folder().and_then(condition::free_bytes).unwrap_or(0),
        })
    }

    /// Whether any schema step was ever applied.
    pub async fn has_schema(&self) -> Result<bool, StoreError> {
        let sql = match self.shared.backend {
            DbBackend::Postgres => "select 1 where to_regclass('seaql_migrations') is not null",
            _ => "select 1 from sqlite_master where name = 'seaql_migrations'",
        };
        Ok(self.reader.one(sql, Vec::new()).await?.is_some())
    }

    /// Applies pending schema steps under a lock and names them.
    pub async fn migrate(&self) -> Result<Vec<String>, StoreError> {
        let connection = connect::writer(&self.options.database_url).await?;
        let applied = migrate(&connection).await;
        connection.close().await?;
        if applied.is_ok() {
            if let Some(file) = &self.shared.file {
                file.remember()?;
            }
            self.load_served().await?;
        }
        applied
    }

    /// Whether other processes may serve from the same database (PostgreSQL).
    pub fn is_shared(&self) -> bool {
        self.shared.is_shared()
    }

    /// Milliseconds since 1970-01-01, as every process on this database agrees on them.
    pub fn now_ms(&self) -> i64 {
        self.shared.now_ms()
    }

    /// Counters for operators.
    pub fn stats(&self) -> &StoreStats {
        &self.shared.stats
    }

    /// Writes what is queued, erases deleted payloads from the write-ahead log and closes every connection.
    pub async fn close(&self) {
        self.follower.stop();
        // Readers first: a reader that stands in an old part of the log would keep it from being emptied.
        self.reader.close().await;
        self.writer.close().await;
    }
}

/// How large what is stored is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreSizes {
    /// The database.
    pub database_bytes: u64,
    /// Its write-ahead log.
    pub log_bytes: u64,
    /// Free on its disk.
    pub free_bytes: u64,
}

/// Counters for operators, read without asking anyone.
#[derive(Debug, Default)]
pub struct StoreStats {
    /// Units committed.
    pub units: AtomicU64,
    /// Commits.
    pub groups: AtomicU64,
    /// Journals posted.
    pub journals: AtomicU64,
    /// Units refused because they waited too long.
    pub refused: AtomicU64,
    /// Times the database did not answer.
    pub unavailable: AtomicU64,
}

/// What reader and writer share.
struct Shared {
    clock: Arc<dyn Clock>,
    backend: DbBackend,
    /// The database's clock minus ours.
    offset_ms: AtomicI64,
    /// Leases are kept by the clock of the database alone.
    leases_by_database: bool,
    /// How long the service has run.
    served: Served,
    /// Payload bytes were deleted that the write-ahead log still holds.
    erase_pending: AtomicBool,
    observe_wait: Option<ObserveWait>,
    stats: StoreStats,
    condition: Condition,
    /// The file of a SQLite database.
    file: Option<FileGuard>,
    probe: bool,
    recent_organisations: RecentOrganisations,
    recent_books: RecentBooks,
}

impl Shared {
    fn now_ms(&self) -> i64 {
        self.clock.now_ms() + self.offset_ms.load(Ordering::Acquire)
    }

    /// How long the service has run on this database, from a beginning of no meaning.
    fn served_ms(&self) -> i64 {
        self.served.ms(self.clock.as_ref())
    }

    /// A query that failed on a file that is damaged failed because of that.
    fn explained(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::Other(_) | StoreError::Corrupt(_) => self.check_file().err().unwrap_or(error),
            _ => error,
        }
    }

    fn is_shared(&self) -> bool {
        self.backend == DbBackend::Postgres
    }

    /// The folder of a SQLite database.
    fn folder(&self) -> Option<&std::path::Path> {
        self.file.as_ref().map(FileGuard::folder)
    }

    /// An error when the file of the database is not what it was.
    fn check_file(&self) -> Result<(), StoreError> {
        self.file.as_ref().map_or(Ok(()), FileGuard::check)
    }

    fn waited(&self, pool: &'static str, time: Duration) {
        if let Some(observe) = &self.observe_wait {
            observe(pool, time);
        }
    }

    fn noted(&self, error: StoreError) -> StoreError {
        if matches!(error, StoreError::Unavailable(_)) {
            self.stats.unavailable.fetch_add(1, Ordering::Relaxed);
        }
        error
    }
}

/// Stops following the database's clock when the last store is dropped.
struct Follower(Option<tokio::task::AbortHandle>);

impl Follower {
    fn stop(&self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.stop();
    }
}

fn spawn_follower(reader: Reader, shared: Arc<Shared>) -> tokio::task::AbortHandle {
    let task = tokio::spawn(async move {
        loop {
            tokio::time::sleep(CLOCK_FOLLOW_INTERVAL).await;
            // A failure leaves the last offset; the next minute tries again.
            let _ = follow_database_clock(&reader, &shared).await;
        }
    });
    task.abort_handle()
}

async fn follow_database_clock(reader: &Reader, shared: &Shared) -> Result<(), StoreError> {
    let before = shared.clock.now_ms();
    let row = reader.one("select (extract(epoch from clock_timestamp()) * 1000)::bigint", Vec::new()).await?;
    let after = shared.clock.now_ms();
    if let Some(row) = row {
        let database_ms: i64 = row.get(0)?;
        shared.offset_ms.store(database_ms - (before + (after - before) / 2), Ordering::Release);
    }
    Ok(())
}

/// What the migrator says of a schema step it does not know, in words of this program.
fn newer_database(error: sea_orm::DbErr) -> StoreError {
    let text = error.to_string();
    let Some((_, rest)) = text.split_once("Migration file of version '") else { return error.into() };
    let step = rest.split('\'').next().unwrap_or_default();
    StoreError::Other(format!(
        "the database was made by a newer bookkeeping: it has the schema step {step}, which this one ({}) does not know; install \
         the newer one, or put a copy from before in its place",
        env!("CARGO_PKG_VERSION")
    ))
}

async fn migrate(connection: &DatabaseConnection) -> Result<Vec<String>, StoreError> {
    // Immediate on SQLite and the advisory lock on PostgreSQL let one process at a time change the schema.
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let transaction = connection.begin_with_options(options).await?;
    if connection.get_database_backend() == DbBackend::Postgres {
        let sql = format!("select pg_advisory_xact_lock({MIGRATION_LOCK})");
        // Another process may be at it for as long as it takes.
        transaction.execute_unprepared("set local lock_timeout = 0").await?;
        transaction.execute_unprepared(&sql).await?;
    }
    let pending = Migrator::get_pending_migrations(&transaction).await.map_err(newer_database)?;
    let names = pending.iter().map(|step| step.name().to_owned()).collect::<Vec<_>>();
    if !names.is_empty() {
        Migrator::up(&transaction, None).await?;
    }
    transaction.commit().await?;
    Ok(names)
}
