//! Statements and rows: raw SQL with `$1` parameters, which both databases read the same way.
//!
//! Several statements of a unit that do not depend on each other's rows travel together as a [`batch`]: SQLite runs
//! them in order over one hand-over to its thread, PostgreSQL as one statement with data-modifying parts.

use crate::domain::date::Date;
use std::sync::atomic::{AtomicBool, Ordering};

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, QueryResult, Statement, TryGetable,
    Value,
};

use super::epochs::Topic;
use super::{Shared, StoreError};

/// The parameters of a statement.
macro_rules! params {
    ($($value:expr),* $(,)?) => { vec![$(sea_orm::Value::from($value)),*] };
}
pub(super) use params;

/// The clause that locks the rows read, where rows are locked at all (SQLite locks the database).
pub(super) const fn for_update(backend: DbBackend) -> &'static str {
    match backend {
        DbBackend::Postgres => " for update",
        _ => "",
    }
}

/// A row, read by position.
pub(super) struct Row(QueryResult);

impl Row {
    /// A column's value.
    pub(super) fn get<T: TryGetable>(&self, index: usize) -> Result<T, StoreError> {
        self.0.try_get_by_index(index).map_err(|error| StoreError::Corrupt(error.to_string()))
    }

    /// How many columns it has.
    pub(super) fn width(&self) -> usize {
        self.0.column_names().len()
    }

    /// A column that holds a count or a size.
    pub(super) fn unsigned<T: TryFrom<i64>>(&self, index: usize) -> Result<T, StoreError> {
        let value: i64 = self.get(index)?;
        T::try_from(value).map_err(|_| StoreError::corrupt("number out of range", value))
    }

    /// A column that holds a date as a day number.
    pub(super) fn date(&self, index: usize) -> Result<Date, StoreError> {
        self.maybe_date(index)?.ok_or_else(|| StoreError::corrupt("missing date in column", index))
    }

    /// A column that holds a date as a day number, or null.
    pub(super) fn maybe_date(&self, index: usize) -> Result<Option<Date>, StoreError> {
        let number: Option<i64> = self.get(index)?;
        let date = |number: i64| i32::try_from(number).ok().and_then(Date::from_day_number);
        number
            .map(|number| date(number).ok_or_else(|| StoreError::corrupt("day number out of range", number)))
            .transpose()
    }

    /// A column in a stored form of a domain type.
    pub(super) fn parsed<T>(&self, index: usize, parse: impl Fn(&str) -> Option<T>) -> Result<T, StoreError> {
        let text: String = self.get(index)?;
        parse(&text).ok_or_else(|| StoreError::corrupt("unknown value", text))
    }
}

/// A set of numbers given as one JSON parameter, to be used after `in`.
pub(super) const fn numbers_of_json(backend: DbBackend) -> &'static str {
    match backend {
        DbBackend::Postgres => "(select jsonb_array_elements_text($1::jsonb)::bigint)",
        _ => "(select value from json_each($1))",
    }
}

/// The one JSON parameter of [`numbers_of_json`] and [`Unit::texts_of_json`].
pub(super) fn json_array<T: serde::Serialize>(values: impl IntoIterator<Item = T>) -> String {
    // Numbers and texts always print.
    serde_json::to_string(&values.into_iter().collect::<Vec<_>>()).unwrap_or_default()
}

/// A count, a limit or an offset as the databases hold numbers, which are signed.
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn statement(backend: DbBackend, sql: &str, values: Vec<Value>) -> Statement {
    Statement::from_sql_and_values(backend, sql, values)
}

pub(super) async fn query_all(
    connection: &DatabaseConnection,
    sql: &str,
    values: Vec<Value>,
) -> Result<Vec<Row>, DbErr> {
    let rows = connection.query_all_raw(statement(connection.get_database_backend(), sql, values)).await?;
    Ok(rows.into_iter().map(Row).collect())
}

/// What a unit works with: the open database transaction and the moment it runs at.
pub(super) struct Unit<'a> {
    pub(super) db: &'a DatabaseTransaction,
    pub(super) backend: DbBackend,
    /// As every process agrees on it.
    pub(super) now_ms: i64,
    erase_pending: &'a AtomicBool,
}

impl<'a> Unit<'a> {
    pub(super) fn new(db: &'a DatabaseTransaction, shared: &'a Shared) -> Self {
        Self { db, backend: shared.backend, now_ms: shared.now_ms(), erase_pending: &shared.erase_pending }
    }

    /// Says that submitted data was deleted: the writer will erase it from the write-ahead log too.
    pub(super) fn payload_deleted(&self) {
        self.erase_pending.store(true, Ordering::Release);
    }

    /// Runs a statement; returns the rows it changed.
    pub(super) async fn execute(&self, sql: &str, values: Vec<Value>) -> Result<u64, StoreError> {
        Ok(self.db.execute_raw(statement(self.backend, sql, values)).await?.rows_affected())
    }

    /// Every row.
    pub(super) async fn all(&self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        let rows = self.db.query_all_raw(statement(self.backend, sql, values)).await?;
        Ok(rows.into_iter().map(Row).collect())
    }

    /// The first row.
    pub(super) async fn one(&self, sql: &str, values: Vec<Value>) -> Result<Option<Row>, StoreError> {
        Ok(self.all(sql, values).await?.into_iter().next())
    }

    /// Runs independent statements that share one list of parameters.
    pub(super) async fn batch(&self, statements: &[&str], values: Vec<Value>) -> Result<(), StoreError> {
        if statements.is_empty() {
            return Ok(());
        }
        self.execute(&batch(self.backend, statements, "1"), values).await?;
        Ok(())
    }

    /// Runs a batch whose first statement returns a row, the only one that does; gives that row.
    pub(super) async fn batch_first(&self, statements: &[&str], values: Vec<Value>) -> Result<Row, StoreError> {
        let row = self.one(&batch(self.backend, statements, "* from s0"), values).await?;
        row.ok_or_else(|| StoreError::Corrupt("a statement returned no row".to_owned()))
    }

    /// Moves a topic and returns its new value, to be stamped on the rows changed with it. The counter's row stays
    /// locked until the commit, so values become visible in their order and a follower misses nothing.
    pub(super) async fn bump(&self, topic: Topic) -> Result<i64, StoreError> {
        let sql = "update change_epoch set value = value + 1 where topic = $1 returning value";
        let row = self.one(sql, params![topic.as_str()]).await?;
        row.ok_or_else(|| StoreError::corrupt("missing topic", topic.as_str()))?.get(0)
    }

    /// A set of texts given as one JSON parameter, to be used after `in`.
    pub(super) const fn texts_of_json(&self) -> &'static str {
        self.dialect("(select value from json_each($1))", "(select jsonb_array_elements_text($1::jsonb))")
    }

    /// The same for numbers.
    pub(super) const fn numbers_of_json(&self) -> &'static str {
        numbers_of_json(self.backend)
    }

    /// Text that differs between the two databases.
    pub(super) const fn dialect<'t>(&self, sqlite: &'t str, postgres: &'t str) -> &'t str {
        match self.backend {
            DbBackend::Postgres => postgres,
            _ => sqlite,
        }
    }
}

/// One text for several statements. On PostgreSQL all of them see the rows as they were before, so a batch never
/// reads or changes what another statement of it changed.
fn batch(backend: DbBackend, statements: &[&str], answer: &str) -> String {
    if !matches!(backend, DbBackend::Postgres) {
        return statements.join("; ");
    }
    let mut sql = String::from("with ");
    for (index, statement) in statements.iter().enumerate() {
        if index > 0 {
            sql.push_str(", ");
        }
        sql.push_str(&format!("s{index} as ({statement})"));
    }
    sql.push_str(" select ");
    sql.push_str(answer);
    sql
}
