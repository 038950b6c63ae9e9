//! Reads: a small pool of connections that cannot write.

use std::sync::Arc;

use sea_orm::{DatabaseConnection, DbBackend, TransactionTrait as _, Value};

use super::sql::{self, Row, Unit};
use super::{Shared, StoreError};

/// Runs queries; cheap to clone. Its connections are read-only.
#[derive(Clone)]
pub struct Reader {
    pool: DatabaseConnection,
    attempts_max: u32,
    shared: Arc<Shared>,
}

impl Reader {
    pub(super) fn new(pool: DatabaseConnection, connections: u32, shared: Arc<Shared>) -> Self {
        // After a restart of the database every pooled connection is dead and learns so only by being used.
        Self { pool, attempts_max: connections + 1, shared }
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

    /// Every row. A connection that turns out to be dead is replaced and the query repeated: reads may be.
    pub(super) async fn all(&self, query: &str, values: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        let mut attempt = 1;
        loop {
            match sql::query_all(&self.pool, query, values.clone()).await {
                Ok(rows) => return Ok(rows),
                Err(sea_orm::DbErr::ConnectionAcquire(error)) => {
                    return Err(self.shared.noted(sea_orm::DbErr::ConnectionAcquire(error).into()));
                }
                Err(error) => {
                    let error = self.shared.noted(StoreError::from(error));
                    if attempt >= self.attempts_max || !matches!(error, StoreError::Unavailable(_)) {
                        return Err(error);
                    }
                    attempt += 1;
                }
            }
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
