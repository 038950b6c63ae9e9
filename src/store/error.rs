//! What can go wrong below: one flat error, and how database errors become it.

use sea_orm::{DbErr, RuntimeErr, SqlErr};

/// The text of an error after which the same units are likely to pass: a deadlock or a serialisation failure.
pub(super) const TRANSIENT: &str = "the database asked for the transaction to be repeated";

/// Why the store could not carry out a request. Business refusals are values of the functions, never errors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The write waited longer than the writer allows; nothing was written.
    #[error("the writer is busy")]
    Busy,
    /// The database does not answer; it is tried again by the next call.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// A uniqueness, reference or check rule of the schema refused the write.
    #[error("conflict: {0}")]
    Conflict(String),
    /// A stored row does not say what this program wrote.
    #[error("corrupt row: {0}")]
    Corrupt(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl StoreError {
    /// A stored row that cannot be read back.
    pub(super) fn corrupt(what: &str, value: impl std::fmt::Display) -> Self {
        Self::Corrupt(format!("{what}: {value}"))
    }
}

impl From<DbErr> for StoreError {
    fn from(error: DbErr) -> Self {
        match &error {
            DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => Self::Unavailable(error.to_string()),
            DbErr::Type(_) | DbErr::Json(_) | DbErr::ConvertFromU64(_) | DbErr::TryIntoErr { .. } => {
                Self::Corrupt(error.to_string())
            }
            DbErr::Exec(inner) | DbErr::Query(inner) => {
                if let Some(SqlErr::UniqueConstraintViolation(text) | SqlErr::ForeignKeyConstraintViolation(text)) =
                    error.sql_err()
                {
                    return Self::Conflict(text);
                }
                if is_locked(inner) {
                    return Self::Busy;
                }
                if is_transient(inner) {
                    return Self::Other(TRANSIENT.to_owned());
                }
                if is_connection_failure(inner) {
                    let cause = cause(inner).map_or_else(String::new, |cause| format!("{cause}: "));
                    return Self::Unavailable(format!("{cause}{error}"));
                }
                Self::Other(error.to_string())
            }
            _ => Self::Other(error.to_string()),
        }
    }
}

fn code(error: &RuntimeErr) -> Option<String> {
    let RuntimeErr::SqlxError(error) = error else { return None };
    error.as_database_error().and_then(|error| error.code()).map(std::borrow::Cow::into_owned)
}

fn is_transient(error: &RuntimeErr) -> bool {
    code(error).is_some_and(|code| code == "40001" || code == "40P01")
}

/// Somebody else held SQLite's write lock, or what a statement needed on PostgreSQL (55P03), for longer than the time limit.
fn is_locked(error: &RuntimeErr) -> bool {
    sqlite_code(error).is_some_and(|code| matches!(code, 5 | 6)) || code(error).is_some_and(|code| code == "55P03")
}

/// The primary result code; PostgreSQL's codes have five characters, SQLite's at most four digits.
fn sqlite_code(error: &RuntimeErr) -> Option<u32> {
    let code = code(error).filter(|code| code.len() < 5)?;
    code.parse::<u32>().ok().map(|code| code & 0xff)
}

/// What an operator has to look at, where the code of an error says so.
fn cause(error: &RuntimeErr) -> Option<&'static str> {
    match sqlite_code(error) {
        Some(8) => return Some("it is read-only"),
        Some(10) => return Some("the disk cannot be written or read"),
        Some(11 | 26) => return Some("its file is damaged"),
        Some(13) => return Some("the disk is full"),
        Some(14) => return Some("its file cannot be opened"),
        _ => {}
    }
    match code(error)?.as_str() {
        "53100" => Some("the disk is full"),
        "25006" => Some("it is read-only"),
        _ => None,
    }
}

fn is_connection_failure(error: &RuntimeErr) -> bool {
    let RuntimeErr::SqlxError(inner) = error else { return false };
    match &**inner {
        sea_orm::SqlxError::Io(_)
        | sea_orm::SqlxError::Tls(_)
        | sea_orm::SqlxError::Protocol(_)
        | sea_orm::SqlxError::PoolTimedOut
        | sea_orm::SqlxError::PoolClosed
        | sea_orm::SqlxError::WorkerCrashed => true,
        // PostgreSQL: class 08 is a lost connection, 57P an operator's shutdown, 53 out of resources, 25006 a server
        // that is read-only for now. SQLite: 8 read-only, 10 I/O, 11 malformed, 13 full, 14 cannot open, 26 not a database.
        sea_orm::SqlxError::Database(_) => {
            sqlite_code(error).is_some_and(|code| matches!(code, 8 | 10 | 11 | 13 | 14 | 26))
                || code(error).is_some_and(|code| {
                    code.starts_with("08") || code.starts_with("57P") || code.starts_with("53") || code == "25006"
                })
        }
        _ => false,
    }
}
