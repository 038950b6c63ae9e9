//! Answers stored under an `Idempotency-Key`, written with what they answer.

use serde_json::json;

use crate::domain::books::effects::{Effect, Effects, ReplayRecord};
use crate::domain::books::facts::ReplayKey;
use crate::domain::books::request::{CommandResult, Replay};
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::UserId;

/// Of longer answers only the identifiers are stored.
const BODY_BYTES_MAX: usize = 256 * 1024;

/// What the stored answers say about an `Idempotency-Key`.
pub(crate) enum ReplayLookup {
    /// The key was not used before.
    Nothing,
    /// The same request was answered before, with this answer.
    Same(StoredResponse),
    /// Another request used the key.
    Other,
}

impl Replay {
    /// The scope of the key, for a person.
    pub(crate) fn key_of(&self, user: UserId) -> ReplayKey {
        (user.0, self.method.clone(), self.path.clone(), self.key.clone())
    }

    /// Compares what is stored with this request.
    pub(crate) fn compare(&self, stored: Option<&StoredResponse>) -> ReplayLookup {
        match stored {
            None => ReplayLookup::Nothing,
            Some(stored) if stored.body_hash == self.body_hash => ReplayLookup::Same(stored.clone()),
            Some(_) => ReplayLookup::Other,
        }
    }
}

/// Adds the answer to the effects; returns it as it will be replayed. How long it replays is counted in the time for which the service
/// has run.
pub(crate) fn store_answer(
    effects: &mut Effects,
    (now_ms, served_ms): (i64, i64),
    (organisation, user): (i64, UserId),
    replay: &Replay,
    result: &CommandResult,
) -> Option<StoredResponse> {
    let (status, mut body) = (replay.print)(result)?;
    if body.len() > BODY_BYTES_MAX {
        body = json!({ "data": result.ids_json() }).to_string();
    }
    let stored = StoredResponse { body_hash: replay.body_hash, status, body: body.clone().into_bytes() };
    let record = ReplayRecord {
        user_id: user.0,
        method: replay.method.clone(),
        path: replay.path.clone(),
        key: replay.key.clone(),
        body_hash: replay.body_hash.iter().map(|byte| format!("{byte:02x}")).collect(),
        status: i64::from(status),
        body,
        at_ms: now_ms,
        expires_ms: served_ms.saturating_add(replay.retention_ms),
    };
    effects.push(organisation, Effect::Replay(Box::new(record)));
    Some(stored)
}
