//! Settings that live in the database because several processes share them.

use super::StoreError;
use super::sql::{Unit, params};
use super::writer::{Locks, Writer};
use crate::store::sql::Reader;

impl Writer {
    /// Stores a value unless there is one; returns the one that counts.
    pub async fn setting_or_insert(&self, name: &str, value: String) -> Result<String, StoreError> {
        self.unit(Locks::Organisations, (name.to_owned(), value), |unit, (name, value)| {
            Box::pin(insert(unit, name, value))
        })
        .await
    }
}

impl Reader {
    /// A value.
    pub async fn setting(&self, name: &str) -> Result<Option<String>, StoreError> {
        let row = self.one("select value from setting where name = $1", params![name]).await?;
        row.map(|row| row.get(0)).transpose()
    }
}

async fn insert(unit: &Unit<'_>, name: &str, value: &str) -> Result<String, StoreError> {
    let sql = "insert into setting (name, value) values ($1, $2) on conflict (name) do nothing";
    unit.execute(sql, params![name, value]).await?;
    let row = unit.one("select value from setting where name = $1", params![name]).await?;
    row.ok_or_else(|| StoreError::corrupt("missing setting", name))?.get(0)
}
