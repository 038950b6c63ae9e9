//! Statements and rows: raw SQL with `$1` parameters, which both databases read the same way, and the reader, a small pool
//! of connections that cannot write.
//!
//! Several statements of a unit that do not depend on each other's rows travel together as a [`batch`]: SQLite runs
//! them in order over one hand-over to its thread, PostgreSQL as one statement with data-modifying parts. Many rows of a
//! table are inserted with one statement ([`Rows`]): they are one JSON parameter, an array of arrays.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, QueryResult, Statement,
    TransactionTrait as _, TryGetable, Value,
};
use serde::de::DeserializeOwned;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::domain::date::Date;
use crate::store::epochs::Topic;
use crate::store::reader_connections::ReaderConnections;
use crate::store::{Shared, StoreError};

/// The parameters of a statement.
macro_rules! params {
    ($($value:expr),* $(,)?) => { vec![$(sea_orm::Value::from($value)),*] };
}
pub(super) use params;

/// The clock of a PostgreSQL database, in milliseconds; within a transaction it goes on.
pub(super) const DATABASE_NOW: &str = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/// The clause that locks the rows read, where rows are locked at all (SQLite locks the database).
pub(super) const fn for_update(backend: DbBackend) -> &'static str {
    match backend {
        DbBackend::Postgres => " for update",
        _ => "",
    }
}

/// A row, read by position.
pub(super) enum Row {
    /// As the database gave it.
    Fetched(QueryResult),
    /// One of many that came as a JSON array of arrays ([`Reader::together`]).
    Packed(Vec<serde_json::Value>),
}

impl Row {
    /// A column's value.
    pub(super) fn get<T: TryGetable + DeserializeOwned>(&self, index: usize) -> Result<T, StoreError> {
        match self {
            Self::Fetched(row) => row.try_get_by_index(index).map_err(|error| StoreError::Corrupt(error.to_string())),
            Self::Packed(cells) => {
                let cell = cells.get(index).unwrap_or(&serde_json::Value::Null);
                // SQLite keeps truth as a number.
                let truth = || T::deserialize(serde_json::Value::Bool(cell.as_i64() == Some(1)));
                let value = T::deserialize(cell);
                let value = if cell.is_number() { value.or_else(|error| truth().map_err(|_| error)) } else { value };
                value.map_err(|error| StoreError::Corrupt(error.to_string()))
            }
        }
    }

    /// How many columns it has.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Fetched(row) => row.column_names().len(),
            Self::Packed(cells) => cells.len(),
        }
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

/// The same for texts.
const fn texts_of_json(backend: DbBackend) -> &'static str {
    match backend {
        DbBackend::Postgres => "(select jsonb_array_elements_text($1::jsonb))",
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

/// A query to be asked together with others; the default asks nothing and finds no row.
#[derive(Default)]
pub(super) struct Query {
    /// The statement, with `$1` for the first parameter; its columns are numbers, texts and truth values.
    pub(super) sql: Cow<'static, str>,
    /// How many columns it has.
    pub(super) columns: usize,
    /// The parameters.
    pub(super) values: Vec<Value>,
}

impl Query {
    pub(super) fn new(sql: impl Into<Cow<'static, str>>, columns: usize, values: Vec<Value>) -> Self {
        Self { sql: sql.into(), columns, values }
    }
}

/// Adds to a text a statement whose parameters are counted from this number.
fn push_statement(text: &mut String, sql: &str, before: usize) {
    let mut parts = sql.split('$');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|character: char| character.is_ascii_digit()).len();
        let (number, rest) = part.split_at(digits);
        text.push('$');
        match number.parse::<usize>() {
            Ok(number) => push_number(text, before + number),
            Err(_) => text.push_str(number),
        }
        text.push_str(rest);
    }
}

fn push_number(text: &mut String, number: usize) {
    // Nothing fails that is written to a text.
    let _ = write!(text, "{number}");
}

/// Adds the names that columns have within a query: `c0, c1`.
fn push_columns(text: &mut String, count: usize) {
    for column in 0..count {
        text.push_str(if column == 0 { "c" } else { ", c" });
        push_number(text, column);
    }
}

/// One statement for several queries: a column for each, with its rows as a JSON array of arrays.
fn joined<const N: usize>(backend: DbBackend, queries: [Query; N]) -> (String, Vec<Value>) {
    let [array, rows, end] = match backend {
        DbBackend::Postgres => ["json_build_array(", "json_agg(", "::text"],
        _ => ["json_array(", "json_group_array(", ""],
    };
    let length = queries.iter().map(|query| query.sql.len() + 16 * query.columns + 64).sum();
    let (mut text, mut columns) = (String::with_capacity(2 * length), String::with_capacity(length));
    let mut values = Vec::with_capacity(queries.iter().map(|query| query.values.len()).sum());
    for (at, query) in queries.into_iter().enumerate() {
        columns.push_str(if at == 0 { " select " } else { ", " });
        if query.sql.is_empty() {
            columns.push_str("null");
            continue;
        }
        text.push_str(if text.is_empty() { "with q" } else { ", q" });
        push_number(&mut text, at);
        text.push('(');
        push_columns(&mut text, query.columns);
        text.push_str(") as (");
        push_statement(&mut text, &query.sql, values.len());
        text.push(')');
        for part in ["(select ", rows, array] {
            columns.push_str(part);
        }
        push_columns(&mut columns, query.columns);
        columns.push_str(")) from q");
        push_number(&mut columns, at);
        columns.push(')');
        columns.push_str(end);
        values.extend(query.values);
    }
    text.push_str(&columns);
    (text, values)
}

/// What a unit works with: the open database transaction and the moment it runs at.
pub(super) struct Unit<'a> {
    pub(super) db: &'a DatabaseTransaction,
    pub(super) backend: DbBackend,
    /// As every process agrees on it.
    pub(super) now_ms: i64,
    /// Whether rows may be locked: not on a connection that only reads.
    pub(super) may_lock: bool,
    shared: &'a Shared,
}

impl<'a> Unit<'a> {
    pub(super) fn new(db: &'a DatabaseTransaction, shared: &'a Shared) -> Self {
        Self { db, backend: shared.backend, now_ms: shared.now_ms(), may_lock: true, shared }
    }

    /// How long the service has run: what is kept for a while is kept by it, and never by a clock that may be set.
    pub(super) fn served_ms(&self) -> i64 {
        self.shared.served_ms()
    }

    /// The moment by which leases are kept, in a statement one of whose parameters is `now_ms`: with PostgreSQL the database's own,
    /// so that no process can hold, or take, anything because its clock is wrong.
    pub(super) fn lease_now<'t>(&self, parameter: &'t str) -> &'t str {
        if self.shared.leases_by_database { DATABASE_NOW } else { parameter }
    }

    /// Says that submitted data was deleted: the writer will erase it from the write-ahead log too.
    pub(super) fn payload_deleted(&self) {
        self.shared.erase_pending.store(true, Ordering::Release);
    }

    /// Runs a statement; returns the rows it changed.
    pub(super) async fn execute(&self, sql: &str, values: Vec<Value>) -> Result<u64, StoreError> {
        Ok(self.db.execute_raw(statement(self.backend, sql, values)).await?.rows_affected())
    }

    /// Every row.
    pub(super) async fn all(&self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        let rows = self.db.query_all_raw(statement(self.backend, sql, values)).await?;
        Ok(rows.into_iter().map(Row::Fetched).collect())
    }

    /// Every row of a query.
    pub(super) async fn rows(&self, query: Query) -> Result<Vec<Row>, StoreError> {
        self.all(&query.sql, query.values).await
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
        if topic == Topic::Memberships {
            self.shared.recent_organisations.will_change();
        }
        let sql = "update change_epoch set value = value + 1 where topic = $1 returning value";
        let row = self.one(sql, params![topic.as_str()]).await?;
        row.ok_or_else(|| StoreError::corrupt("missing topic", topic.as_str()))?.get(0)
    }

    /// Takes the turn at credit accounts before any slot: a unit that claims a job changes both, so that two processes which
    /// took them in the order of their units would wait for each other.
    pub(super) async fn lock_credits(&self) -> Result<(), StoreError> {
        if matches!(self.backend, DbBackend::Postgres) {
            self.execute("select value from change_epoch where topic = 'credits' for update", Vec::new()).await?;
        }
        Ok(())
    }

    /// A set of texts given as one JSON parameter, to be used after `in`.
    pub(super) const fn texts_of_json(&self) -> &'static str {
        texts_of_json(self.backend)
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

/// The value of a column in one row.
pub(super) enum Cell<'a> {
    /// A number.
    Number(i64),
    /// Text.
    Text(&'a str),
    /// True or false.
    Flag(bool),
    /// Nothing.
    Null,
}

impl From<i64> for Cell<'_> {
    fn from(value: i64) -> Self {
        Self::Number(value)
    }
}

impl From<bool> for Cell<'_> {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a String> for Cell<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a Option<String>> for Cell<'a> {
    fn from(value: &'a Option<String>) -> Self {
        value.as_deref().map_or(Self::Null, Self::Text)
    }
}

impl From<&i64> for Cell<'_> {
    fn from(value: &i64) -> Self {
        Self::Number(*value)
    }
}

impl From<Option<i64>> for Cell<'_> {
    fn from(value: Option<i64>) -> Self {
        value.map_or(Self::Null, Self::Number)
    }
}

impl<'a> From<Option<&'a str>> for Cell<'a> {
    fn from(value: Option<&'a str>) -> Self {
        value.map_or(Self::Null, Self::Text)
    }
}

/// A column and how it is read back out of JSON.
#[derive(Clone, Copy)]
pub(super) enum Column {
    /// `bigint`.
    Number(&'static str),
    /// `text`.
    Text(&'static str),
    /// `boolean`.
    Flag(&'static str),
    /// Bytes that are text.
    TextBytes(&'static str),
    /// Bytes in hexadecimal.
    HexBytes(&'static str),
}

impl Column {
    const fn name(self) -> &'static str {
        match self {
            Self::Number(name) | Self::Text(name) | Self::Flag(name) | Self::TextBytes(name) | Self::HexBytes(name) => {
                name
            }
        }
    }
}

/// Rows to be inserted into a table.
#[derive(Clone)]
pub(super) struct Rows {
    table: &'static str,
    columns: &'static [Column],
    /// The conflict clause, or nothing.
    conflict: &'static str,
    json: String,
}

impl Rows {
    /// No rows yet.
    pub(super) const fn new(table: &'static str, columns: &'static [Column], conflict: &'static str) -> Self {
        Self { table, columns, conflict, json: String::new() }
    }

    /// Whether no row was added.
    pub(super) const fn is_empty(&self) -> bool {
        self.json.is_empty()
    }

    /// Adds a row, in the order of the columns.
    pub(super) fn push<const N: usize>(&mut self, cells: [Cell<'_>; N]) {
        debug_assert_eq!(N, self.columns.len(), "{}", self.table);
        self.json.push(if self.json.is_empty() { '[' } else { ',' });
        for (at, cell) in cells.iter().enumerate() {
            self.json.push(if at == 0 { '[' } else { ',' });
            match cell {
                Cell::Number(number) => self.json.push_str(&number.to_string()),
                Cell::Flag(flag) => self.json.push_str(if *flag { "true" } else { "false" }),
                Cell::Null => self.json.push_str("null"),
                // Text always prints.
                Cell::Text(text) => self.json.push_str(&serde_json::to_string(text).unwrap_or_default()),
            }
        }
        self.json.push(']');
    }

    /// The rows as the parameter of [`Self::statement`].
    pub(super) fn parameter(mut self) -> String {
        self.json.push(']');
        self.json
    }

    /// The insert statement, whose rows are the parameter of this number.
    pub(super) fn statement(&self, backend: DbBackend, parameter: usize) -> String {
        let mut names = String::new();
        let mut values = String::new();
        for (at, column) in self.columns.iter().enumerate() {
            if at > 0 {
                names.push_str(", ");
                values.push_str(", ");
            }
            names.push_str(column.name());
            values.push_str(&match (backend, column) {
                (DbBackend::Postgres, Column::Number(_)) => format!("(r.value->>{at})::bigint"),
                (DbBackend::Postgres, Column::Text(_)) => format!("r.value->>{at}"),
                (DbBackend::Postgres, Column::Flag(_)) => format!("(r.value->>{at})::boolean"),
                (DbBackend::Postgres, Column::TextBytes(_)) => format!("convert_to(r.value->>{at}, 'UTF8')"),
                (DbBackend::Postgres, Column::HexBytes(_)) => format!("decode(r.value->>{at}, 'hex')"),
                (_, Column::TextBytes(_)) => format!("cast(r.value->>{at} as blob)"),
                (_, Column::HexBytes(_)) => format!("unhex(r.value->>{at})"),
                _ => format!("r.value->>{at}"),
            });
        }
        let (table, conflict) = (self.table, self.conflict);
        let (before, source) = match backend {
            DbBackend::Postgres => (String::new(), format!("jsonb_array_elements(${parameter}::jsonb) as r(value)")),
            // The text of a row is made once, not again for each of its columns.
            _ => {
                (format!("with r(value) as materialized (select value from json_each(${parameter})) "), "r".to_owned())
            }
        };
        // SQLite takes `on conflict` after a `select` for a join condition unless there is a `where`.
        format!("{before}insert into {table} as t ({names}) select {values} from {source} where true {conflict}")
    }
}

/// Runs queries; cheap to clone. Its connections are read-only.
#[derive(Clone)]
pub struct Reader {
    connections: Arc<ReaderConnections>,
    /// One permit a connection: waiting happens here, where it can be measured.
    free: Arc<Semaphore>,
    attempts_max: u32,
    shared: Arc<Shared>,
}

impl Reader {
    pub(super) fn new(pool: DatabaseConnection, connections: u32, shared: Arc<Shared>) -> Self {
        // After a restart of the database every pooled connection is dead and learns so only by being used.
        let free = usize::try_from(connections.max(1)).unwrap_or(1);
        Self {
            connections: Arc::new(ReaderConnections::new(pool)),
            free: Arc::new(Semaphore::new(free)),
            attempts_max: connections + 1,
            shared,
        }
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.all("select 1", Vec::new()).await.map(|_| ())
    }

    /// Looks at every page of a SQLite database; an error names what is wrong with the first that is.
    pub(super) async fn check_pages(&self) -> Result<(), StoreError> {
        let row = self.one("pragma quick_check(1)", Vec::new()).await?;
        let said: String = row.map_or(Ok(String::new()), |row| row.get(0))?;
        if said == "ok" {
            return Ok(());
        }
        Err(StoreError::Other(format!("the database file is cut off or damaged: {said}; put a copy in its place")))
    }

    /// Closes every connection, when those in use are done.
    pub(super) async fn close(&self) {
        self.connections.close().await;
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// A set of numbers given as one JSON parameter, to be used after `in`.
    pub(super) fn numbers_of_json(&self) -> &'static str {
        numbers_of_json(self.shared.backend)
    }

    /// The same for texts.
    pub(super) fn texts_of_json(&self) -> &'static str {
        texts_of_json(self.shared.backend)
    }

    /// Every row.
    pub(super) async fn all(&self, query: &str, values: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        let rows = self.attempting(|| self.connections.all(query, values.clone())).await?;
        Ok(rows.into_iter().map(Row::Fetched).collect())
    }

    /// Runs a query of SeaORM's, again on another connection where one turns out to be dead.
    pub(super) async fn repeating<T, F>(&self, query: impl Fn(DatabaseConnection) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, DbErr>>,
    {
        self.attempting(|| query(self.connections.pool().clone())).await
    }

    /// Waits until a connection is free, which whoever holds the permit may use.
    async fn permit(&self) -> Result<SemaphorePermit<'_>, StoreError> {
        let waiting = Instant::now();
        let permit = self.free.acquire().await.map_err(|_| StoreError::Unavailable("closed".to_owned()))?;
        self.shared.waited("reader", waiting.elapsed());
        Ok(permit)
    }

    /// Runs a query. A connection that turns out to be dead is replaced and the query repeated: reads may be.
    async fn attempting<T, F>(&self, query: impl Fn() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, DbErr>>,
    {
        let _permit = self.permit().await?;
        let mut attempt = 1;
        loop {
            let error = match query().await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            // No connection can be had: the pool has tried for as long as anybody should wait.
            let hopeless = matches!(error, DbErr::ConnectionAcquire(_));
            let error = self.shared.explained(self.shared.noted(StoreError::from(error)));
            if hopeless || attempt >= self.attempts_max || !matches!(error, StoreError::Unavailable(_)) {
                return Err(error);
            }
            attempt += 1;
        }
    }

    /// The first row.
    pub(super) async fn one(&self, query: &str, values: Vec<Value>) -> Result<Option<Row>, StoreError> {
        Ok(self.all(query, values).await?.into_iter().next())
    }

    /// The rows of several queries, which are one statement: both databases answer it from one snapshot, and all rows of a
    /// query come as one JSON text. A row by itself would be handed from thread to thread.
    pub(super) async fn together<const N: usize>(&self, queries: [Query; N]) -> Result<[Vec<Row>; N], StoreError> {
        let (sql, values) = joined(self.shared.backend, queries);
        let row = self.one(&sql, values).await?;
        let row = row.ok_or_else(|| StoreError::Corrupt("a statement returned no row".to_owned()))?;
        let mut answers = [const { Vec::new() }; N];
        for (at, answer) in answers.iter_mut().enumerate() {
            let Some(text) = row.get::<Option<String>>(at)? else { continue };
            let cells: Vec<Vec<serde_json::Value>> =
                serde_json::from_str(&text).map_err(|error| StoreError::Corrupt(error.to_string()))?;
            answer.extend(cells.into_iter().map(Row::Packed));
        }
        Ok(answers)
    }

    /// Runs several queries over one snapshot.
    pub(super) async fn snapshot<T>(
        &self,
        work: impl for<'a> Fn(&'a Unit<'a>) -> super::writer::Work<'a, T>,
    ) -> Result<T, StoreError> {
        let isolation =
            matches!(self.shared.backend, DbBackend::Postgres).then_some(sea_orm::IsolationLevel::RepeatableRead);
        let _permit = self.permit().await?;
        let transaction = self.connections.pool().begin_with_config(isolation, None).await?;
        let unit = Unit { may_lock: false, ..Unit::new(&transaction, &self.shared) };
        // Nothing was written: the transaction ends when it is dropped, and nobody waits for that.
        work(&unit).await.map_err(|error| self.shared.explained(error))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Query, push_statement};
    use crate::clock::SystemClock;
    use crate::store::{Store, StoreOptions};

    #[tokio::test]
    async fn a_reader_cannot_write() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite://{}", folder.path().join("test.db").display());
        let clock = Arc::new(SystemClock::default());
        let store = Store::open(StoreOptions::new(url), clock).await.expect("opens");
        assert!(!store.migrate().await.expect("migrates").is_empty());
        let write = "insert into setting (name, value) values ('a', 'b')";
        assert!(store.reader.all(write, Vec::new()).await.is_err());
        let found = store.reader.all("select name from setting where name = 'a'", Vec::new()).await;
        assert!(found.expect("reads").is_empty());
        store.close().await;
    }

    #[test]
    fn parameters_are_counted_from_those_before() {
        let mut text = String::from("select $1; ");
        push_statement(&mut text, "select $1, $12 where a = $2", 3);
        assert_eq!(text, "select $1; select $4, $15 where a = $5");
    }

    #[tokio::test]
    async fn queries_run_together_each_have_their_rows() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite://{}", folder.path().join("test.db").display());
        let store = Store::open(StoreOptions::new(url), Arc::new(SystemClock::default())).await.expect("opens");
        let numbers = |most: i64| {
            let sql = "with recursive n(i) as (select 1 union all select i + 1 from n where i < $1) \
                       select i, 'a \"quoted\" text', null from n where i <= $1 and $1 > 0 order by i desc";
            Query::new(sql, 3, params![most])
        };
        let together = store.reader.together([numbers(3), numbers(0), Query::default(), numbers(1)]);
        let [three, none, unasked, one] = together.await.expect("reads");
        let values = three.iter().map(|row| row.get::<i64>(0).expect("a number")).collect::<Vec<_>>();
        assert_eq!((values, none.len(), unasked.len(), one.len()), (vec![3, 2, 1], 0, 0, 1));
        assert_eq!(three[0].get::<String>(1).expect("a text"), "a \"quoted\" text");
        assert_eq!(three[0].get::<Option<i64>>(2).expect("nothing"), None);
        assert!(three[0].get::<i64>(2).is_err());
        store.close().await;
    }
}
