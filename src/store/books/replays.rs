//! Answers stored under an `Idempotency-Key`: the query about one.

use crate::domain::books::idempotency::ReplayLookup;
use crate::domain::books::request::Replay;
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::UserId;
use crate::store::StoreError;
use crate::store::sql::{Unit, params};

/// Looks up the answer stored under the key of a request.
pub(super) async fn find(unit: &Unit<'_>, user: UserId, replay: &Replay) -> Result<ReplayLookup, StoreError> {
    let sql = "select body_hash, status, body from idempotency_key \
               where user_id = $1 and method = $2 and path = $3 and key = $4 and expires_at > $5";
    let values = params![user.0, replay.method.as_str(), replay.path.as_str(), replay.key.as_str(), unit.now_ms];
    let Some(row) = unit.one(sql, values).await? else { return Ok(ReplayLookup::Nothing) };
    let hash: Vec<u8> = row.get(0)?;
    let body_hash = hash.try_into().map_err(|_| StoreError::Corrupt("body hash".to_owned()))?;
    let stored = StoredResponse { body_hash, status: row.unsigned(1)?, body: row.get(2)? };
    Ok(replay.compare(Some(&stored)))
}
