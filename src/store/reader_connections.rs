//! The reading connections and the pool they come from. A connection that was used is kept here, not given back: the pool
//! asks a connection that comes back whether it still answers, which costs as much as a small query.

use std::sync::{Mutex, PoisonError};

use sea_orm::sqlx::error::Error as SqlxError;
use sea_orm::sqlx::pool::PoolConnection;
use sea_orm::sqlx::{
    AssertSqlSafe, Database, Executor, IntoArguments, PgPool, Pool, Postgres, Sqlite, SqlitePool, query_with,
};
use sea_orm::{ConnAcquireErr, DatabaseConnection, DbBackend, DbErr, QueryResult, RuntimeErr, Value, Values};
use sea_query_sqlx::SqlxValues;

/// Every connection that reads. Whoever uses one holds a permit of the [`Reader`](super::sql::Reader), of which there are
/// as many, so that one is always free: here, or in the pool.
pub(super) struct ReaderConnections {
    pool: DatabaseConnection,
    idle: Idle,
}

enum Idle {
    Sqlite(Kept<Sqlite>),
    Postgres(Kept<Postgres>),
}

/// Connections of one kind that nobody uses; none once the database is being closed.
struct Kept<D: Database> {
    pool: Pool<D>,
    connections: Mutex<Option<Vec<PoolConnection<D>>>>,
}

impl ReaderConnections {
    pub(super) fn new(pool: DatabaseConnection) -> Self {
        let idle = match pool.get_database_backend() {
            DbBackend::Postgres => Idle::Postgres(Kept::new(PgPool::clone(pool.get_postgres_connection_pool()))),
            _ => Idle::Sqlite(Kept::new(SqlitePool::clone(pool.get_sqlite_connection_pool()))),
        };
        Self { pool, idle }
    }

    /// Every row of a query.
    pub(super) async fn all(&self, sql: &str, values: Vec<Value>) -> Result<Vec<QueryResult>, DbErr> {
        match &self.idle {
            Idle::Sqlite(kept) => kept.all(sql, values).await,
            Idle::Postgres(kept) => kept.all(sql, values).await,
        }
    }

    /// The pool, with a connection in it for the caller.
    pub(super) fn pool(&self) -> &DatabaseConnection {
        match &self.idle {
            Idle::Sqlite(kept) => drop(kept.take()),
            Idle::Postgres(kept) => drop(kept.take()),
        }
        &self.pool
    }

    /// Closes every connection; waits for those that are in use.
    pub(super) async fn close(&self) {
        match &self.idle {
            Idle::Sqlite(kept) => kept.close().await,
            Idle::Postgres(kept) => kept.close().await,
        }
    }
}

impl<D: Database> Kept<D> {
    fn new(pool: Pool<D>) -> Self {
        Self { pool, connections: Mutex::new(Some(Vec::new())) }
    }

    fn take(&self) -> Option<PoolConnection<D>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).as_mut()?.pop()
    }

    fn keep(&self, connection: PoolConnection<D>) {
        if let Some(connections) = self.connections.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            connections.push(connection);
        }
    }

    async fn close(&self) {
        drop(self.connections.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.pool.close().await;
    }

    /// Every row of a query. A connection on which it fails, or whose caller went away, goes back to the pool, which tests it.
    async fn all(&self, sql: &str, values: Vec<Value>) -> Result<Vec<QueryResult>, DbErr>
    where
        SqlxValues: IntoArguments<D>,
        for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
        QueryResult: From<D::Row>,
    {
        let mut connection = match self.take() {
            Some(connection) => connection,
            None => self.pool.acquire().await.map_err(acquire_error)?,
        };
        let query = query_with(AssertSqlSafe(sql), SqlxValues(Values(values)));
        let rows = query.fetch_all(&mut *connection).await;
        let rows = rows.map_err(|error| DbErr::Query(RuntimeErr::SqlxError(error.into())))?;
        self.keep(connection);
        Ok(rows.into_iter().map(QueryResult::from).collect())
    }
}

fn acquire_error(error: SqlxError) -> DbErr {
    match error {
        SqlxError::PoolTimedOut => DbErr::ConnectionAcquire(ConnAcquireErr::Timeout),
        SqlxError::PoolClosed => DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed),
        error => DbErr::Conn(RuntimeErr::SqlxError(error.into())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt as _;
    use sea_orm::ConnectionTrait as _;

    use crate::clock::SystemClock;
    use crate::store::{Store, StoreOptions};

    /// A store with one connection that reads.
    async fn store(folder: &tempfile::TempDir) -> Store {
        let url = format!("sqlite://{}", folder.path().join("test.db").display());
        let options = StoreOptions { reader_connections: 1, ..StoreOptions::new(url) };
        Store::open(options, Arc::new(SystemClock::default())).await.expect("opens")
    }

    #[tokio::test]
    async fn the_only_connection_serves_queries_snapshots_and_what_needs_the_pool_in_turn() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = store(&folder).await;
        for _ in 0..3 {
            store.reader.ping().await.expect("a query");
            let snapshot = store.reader.snapshot(|unit| Box::pin(async { unit.one("select 1", Vec::new()).await }));
            assert!(snapshot.await.expect("a snapshot").is_some());
            store.reader.ping().await.expect("a query after a snapshot");
            let execute = |pool: sea_orm::DatabaseConnection| async move { pool.execute_unprepared("select 1").await };
            store.reader.repeating(execute).await.expect("a query of the pool");
        }
        store.close().await;
        assert!(store.reader.ping().await.is_err());
    }

    #[tokio::test]
    async fn a_query_nobody_waits_for_leaves_a_connection_for_the_next() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = store(&folder).await;
        let counting = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000) select i from n";
        for _ in 0..3 {
            assert!(store.reader.all(counting, Vec::new()).now_or_never().is_none());
            assert_eq!(store.reader.all(counting, Vec::new()).await.expect("reads").len(), 1000);
        }
        assert!(store.reader.all("select nothing", Vec::new()).await.is_err());
        store.reader.ping().await.expect("a query after one that failed");
        store.close().await;
    }
}
