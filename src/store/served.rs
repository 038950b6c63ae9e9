//! How long the service has run on a database. What is to be kept for a while (answers under an `Idempotency-Key`) is kept for so
//! much of this time: it passes forwards only and no faster than a second a second, wherever the clocks of machines are set.
//!
//! The beginning has no meaning: it was the clock's time when the database was first served. Processes add to it from what they have
//! read of it last, by their monotonic clocks, and the largest counts, so that it passes once however many there are.

use std::sync::atomic::{AtomicI64, Ordering};

use super::sql::{Unit, params};
use super::writer::{Locks, Writer};
use super::{Store, StoreError};
use crate::clock::Clock;

/// Under which name it is stored.
const NAME: &str = "served_ms";

/// What is to be added to the monotonic clock.
#[derive(Debug)]
pub(super) struct Served(AtomicI64);

fn monotonic(clock: &dyn Clock) -> i64 {
    i64::try_from(clock.monotonic_ms()).unwrap_or(i64::MAX)
}

impl Served {
    /// As long as nothing is stored it begins with what the clock says.
    pub(super) fn begun(clock: &dyn Clock) -> Self {
        Self(AtomicI64::new(clock.now_ms().saturating_sub(monotonic(clock))))
    }

    pub(super) fn ms(&self, clock: &dyn Clock) -> i64 {
        self.0.load(Ordering::Acquire).saturating_add(monotonic(clock))
    }

    fn set(&self, served_ms: i64, clock: &dyn Clock) {
        self.0.store(served_ms.saturating_sub(monotonic(clock)), Ordering::Release);
    }
}

impl Store {
    /// Goes on from what is stored, or stores the beginning.
    pub(super) async fn load_served(&self) -> Result<(), StoreError> {
        let Some(text) = self.reader.setting(NAME).await? else { return self.writer.keep_served().await };
        let served_ms = text.parse().map_err(|_| StoreError::corrupt(NAME, text))?;
        self.shared.served.set(served_ms, self.shared.clock.as_ref());
        Ok(())
    }
}

impl Writer {
    /// Stores how long the service has run, and learns from what other processes have stored.
    pub async fn keep_served(&self) -> Result<(), StoreError> {
        let served_ms = self.unit(Locks::Organisations, (), |unit, ()| Box::pin(keep(unit))).await?;
        let shared = self.shared();
        if served_ms > shared.served_ms() {
            shared.served.set(served_ms, shared.clock.as_ref());
        }
        Ok(())
    }
}

async fn keep(unit: &Unit<'_>) -> Result<i64, StoreError> {
    let sql = "insert into setting (name, value) values ($1, $2) on conflict (name) do update set value = \
               case when cast(setting.value as bigint) < cast(excluded.value as bigint) then excluded.value \
               else setting.value end returning value";
    let row = unit.one(sql, params![NAME, unit.served_ms().to_string()]).await?;
    let text: String = row.ok_or_else(|| StoreError::corrupt("missing setting", NAME))?.get(0)?;
    text.parse().map_err(|_| StoreError::corrupt(NAME, text))
}
