//! Reads: a small pool of connections that cannot write.

use std::sync::Arc;

use std::time::Instant;

use sea_orm::{DatabaseConnection, DbBackend, DbErr, TransactionTrait as _, Value};
use tokio::sync::Semaphore;

use super::sql::{self, Row, Unit};
use super::{Shared, StoreError};

/// Runs queries; cheap to clone. Its connections are read-only.
#[derive(Clone)]
pub struct Reader {
    pool: DatabaseConnection,
    /// One permit a connection: waiting happens here, where it can be measured.
    free: Arc<Semaphore>,
    attempts_max: u32,
    shared: Arc<Shared>,
}

impl Reader {
    pub(super) fn new(pool: DatabaseConnection, connections: u32, shared: Arc<Shared>) -> Self {
        // After a restart of the database every pooled connection is dead and learns so only by being used.
        let free = usize::try_from(connections.max(1)).unwrap_or(1);
        Self { pool, free: Arc::new(Semaphore::new(free)), attempts_max: connections + 1, shared }
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.all("select 1", Vec::new()).await.map(|_| ())
    }

    pub(super) const fn pool(&self) -> &DatabaseConnection {
        &self.pool
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// A set of numbers given as one JSON parameter, to be used after `in`.
    pub(super) fn numbers_of_json(&self) -> &'static str {
        sql::numbers_of_json(self.shared.backend)
    }

    /// Every row.
    pub(super) async fn all(&self, query: &str, values: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        let values = &values;
        self.repeating(|pool| async move { sql::query_all(&pool, query, values.clone()).await }).await
    }

    /// Runs a query. A connection that turns out to be dead is replaced and the query repeated: reads may be.
    pub(super) async fn repeating<T, F>(&self, query: impl Fn(DatabaseConnection) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, DbErr>>,
    {
        let waiting = Instant::now();
        let _permit = self.free.acquire().await.map_err(|_| StoreError::Unavailable("closed".to_owned()))?;
        self.shared.waited("reader", waiting.elapsed());
        let mut attempt = 1;
        loop {
            let error = match query(self.pool.clone()).await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            // No connection can be had: the pool has tried for as long as anybody should wait.
            let hopeless = matches!(error, DbErr::ConnectionAcquire(_));
            let error = self.shared.noted(StoreError::from(error));
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

    /// Runs several queries over one snapshot.
    pub(super) async fn snapshot<T>(
        &self,
        work: impl for<'a> Fn(&'a Unit<'a>) -> super::writer::Work<'a, T>,
    ) -> Result<T, StoreError> {
        let isolation =
            matches!(self.shared.backend, DbBackend::Postgres).then_some(sea_orm::IsolationLevel::RepeatableRead);
        let transaction = self.pool.begin_with_config(isolation, None).await?;
        let unit = Unit::new(&transaction, &self.shared);
        let value = work(&unit).await;
        transaction.rollback().await?;
        value
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
        assert!(store.reader.all("select name from setting", Vec::new()).await.expect("reads").is_empty());
        store.close().await;
    }
}
