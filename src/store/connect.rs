//! How connections are opened: pragmas, pools, time limits.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::query_scalar;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sea_orm::sqlx::{ConnectOptions as _, Connection as _};
use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbBackend};

use super::StoreError;

const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a write waits on PostgreSQL for what another transaction has locked, in milliseconds.
const LOCK_TIMEOUT_MS: &str = "4000";
/// After how many milliseconds PostgreSQL ends the transaction, and with it the locks, of a process that has gone silent within it. Less
/// than a lease.
const SILENT_MAX_MS: &str = "10000";
/// Symbolic links that are followed at most, as systems do.
const LINKS_MAX: usize = 40;
const STATEMENT_CACHE_CAPACITY: usize = 512;
/// Pages that each reading connection of SQLite keeps at most.
const READER_CACHE_KIB: u32 = 8 * 1024;

/// Which database a URL names.
pub(super) fn backend(url: &str) -> Result<DbBackend, StoreError> {
    if url.starts_with("sqlite:") {
        Ok(DbBackend::Sqlite)
    } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
        Ok(DbBackend::Postgres)
    } else {
        Err(StoreError::Other("database_url must start with sqlite:// or postgres://".to_owned()))
    }
}

/// What a URL has to be, where it cannot be used. Nothing of the URL itself is repeated: it may hold a password, wherever in it that
/// may have slipped.
pub(super) fn check(url: &str) -> Result<(), &'static str> {
    match backend(url) {
        Ok(DbBackend::Sqlite) => {
            url.parse::<SqliteConnectOptions>().map(drop).map_err(|_| "sqlite://PATH, with mode=… after a ? at most")
        }
        Ok(_) => {
            let place = url.split_once("://").map_or("", |(_, place)| place);
            let (_, after) = place.split_at(place.find(['/', '?', '#']).unwrap_or(place.len()));
            // A password that is not encoded ends the place early, and the rest of it would be taken for something that may be shown.
            let is_whole = !place.is_empty() && !after.contains(['@', '#']);
            let is_read = is_whole && url.parse::<PgConnectOptions>().is_ok();
            is_read.then_some(()).ok_or(
                "postgres://USER:PASSWORD@HOST:PORT/DATABASE; in names and passwords : / ? # [ ] @ % are written as % and two \
                 hexadecimal digits",
            )
        }
        Err(_) => Err("a URL starting with sqlite:// or postgres://"),
    }
}

/// The only connection that writes.
pub(super) async fn writer(url: &str) -> Result<DatabaseConnection, StoreError> {
    let mut options = pool(url, 1);
    options.map_sqlx_sqlite_opts(|sqlite| {
        // Deleted bytes are overwritten: submitted data must be gone once its result is stored.
        pragmas(sqlite).create_if_missing(true).pragma("secure_delete", "ON")
    });
    options.map_sqlx_postgres_opts(|postgres| {
        postgres
            .statement_cache_capacity(STATEMENT_CACHE_CAPACITY)
            .application_name("bookkeeping writer")
            .options([("lock_timeout", LOCK_TIMEOUT_MS), ("idle_in_transaction_session_timeout", SILENT_MAX_MS)])
    });
    Ok(Database::connect(options).await?)
}

/// The connections that read and cannot write.
pub(super) async fn readers(url: &str, connections: u32) -> Result<DatabaseConnection, StoreError> {
    let mut options = pool(url, connections.max(1));
    options.map_sqlx_sqlite_opts(|sqlite| {
        pragmas(sqlite).pragma("query_only", "ON").pragma("cache_size", format!("-{READER_CACHE_KIB}"))
    });
    options.map_sqlx_postgres_opts(|postgres: PgConnectOptions| {
        postgres
            .statement_cache_capacity(STATEMENT_CACHE_CAPACITY)
            .application_name("bookkeeping reader")
            // What a request reads is read sooner than the server starts processes to share the work.
            .options([("default_transaction_read_only", "on"), ("max_parallel_workers_per_gather", "0")])
    });
    Ok(Database::connect(options).await?)
}

/// The file of a SQLite database.
pub(super) fn file(url: &str) -> Result<PathBuf, StoreError> {
    let options: SqliteConnectOptions =
        url.parse().map_err(|_| StoreError::Other("database_url cannot be read".to_owned()))?;
    Ok(options.get_filename().to_path_buf())
}

/// The path that a path leads to over symbolic links; the last of it need not be there yet.
pub(super) fn resolved(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS_MAX {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok(folder.canonicalize()?.join(name))
}

/// Whether a SQLite file holds a schema of ours, asked without changing it; none where that cannot be asked.
pub(super) async fn holds_our_schema(url: &str) -> Option<bool> {
    let options: SqliteConnectOptions = url.parse().ok()?;
    let mut connection = options.read_only(true).create_if_missing(false).connect().await.ok()?;
    let sql = "select count(*) from sqlite_master where name in ('seaql_migrations', 'change_epoch', 'product_slot')";
    let found = query_scalar::<_, i64>(sql).fetch_one(&mut connection).await.ok();
    // Nothing was written: a farewell that fails leaves nothing behind.
    let _ = connection.close().await;
    found.map(|tables| tables == 3)
}

/// Creates the file of a SQLite database for its owner only; the driver would follow the umask.
pub(super) fn create_private_file(url: &str) -> Result<(), StoreError> {
    let path = file(url)?;
    let mut open = std::fs::OpenOptions::new();
    open.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut open, 0o600);
    match open.open(&path) {
        Ok(_) => Ok(()),
        Err(error) => Err(StoreError::Unavailable(format!("{}: {error}", path.display()))),
    }
}

fn pool(url: &str, connections: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        // Opened at once: a socket belongs to the runtime that opened it, and that must be the main one.
        .min_connections(connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .sqlx_logging(false)
        .record_stmt_in_spans(false);
    options
}

fn pragmas(options: SqliteConnectOptions) -> SqliteConnectOptions {
    options
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .pragma("temp_store", "memory")
        .statement_cache_capacity(STATEMENT_CACHE_CAPACITY)
}
