//! How connections are opened: pragmas, pools, time limits.

use std::path::PathBuf;
use std::time::Duration;

use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbBackend};

use super::StoreError;

const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
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

/// The only connection that writes.
pub(super) async fn writer(url: &str) -> Result<DatabaseConnection, StoreError> {
    let mut options = pool(url, 1);
    options.map_sqlx_sqlite_opts(|sqlite| {
        // Deleted bytes are overwritten: submitted data must be gone once its result is stored.
        pragmas(sqlite).create_if_missing(true).pragma("secure_delete", "ON")
    });
    options.map_sqlx_postgres_opts(|postgres| {
        postgres.statement_cache_capacity(STATEMENT_CACHE_CAPACITY).application_name("bookkeeping writer")
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
        url.parse().map_err(|error| StoreError::Other(format!("database_url: {error}")))?;
    Ok(options.get_filename().to_path_buf())
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
