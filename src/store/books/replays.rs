//! Answers stored under an `Idempotency-Key`: the query about one.

use crate::domain::books::idempotency::ReplayLookup;
use crate::domain::books::request::Replay;
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::UserId;
use crate::store::StoreError;
use crate::store::sql::{Reader, Row, Unit, params};

/// The answer stored under a key, unless it has expired.
const STORED: &str = "select body_hash, status, body from idempotency_key \
                      where user_id = $1 and method = $2 and path = $3 and key = $4 and expires_at > $5";

fn response(row: &Row) -> Result<StoredResponse, StoreError> {
    let hash: Vec<u8> = row.get(0)?;
    let body_hash = hash.try_into().map_err(|_| StoreError::Corrupt("body hash".to_owned()))?;
    Ok(StoredResponse { body_hash, status: row.unsigned(1)?, body: row.get(2)? })
}

/// Looks up the answer stored under the key of a request.
pub(super) async fn find(unit: &Unit<'_>, user: UserId, replay: &Replay) -> Result<ReplayLookup, StoreError> {
    let values = params![user.0, replay.method.as_str(), replay.path.as_str(), replay.key.as_str(), unit.served_ms()];
    let stored = unit.one(STORED, values).await?.as_ref().map(response).transpose()?;
    Ok(replay.compare(stored.as_ref()))
}

impl Reader {
    /// The answer that is stored for this very request, without waiting for the writer.
    pub async fn stored_answer(&self, user: UserId, replay: &Replay) -> Result<Option<StoredResponse>, StoreError> {
        let (method, path, key) = (replay.method.as_str(), replay.path.as_str(), replay.key.as_str());
        let row = self.one(STORED, params![user.0, method, path, key, self.shared().served_ms()]).await?;
        let stored = row.as_ref().map(response).transpose()?;
        Ok(stored.filter(|stored| stored.body_hash == replay.body_hash))
    }
}
