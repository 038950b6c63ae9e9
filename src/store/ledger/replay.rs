//! Answers kept for an `Idempotency-Key`, written with what they answer.

use serde_json::{Value, json};

use super::effects::Effects;
use super::entry_rows::ReplayRow;
use super::facts::ReplayKey;
use super::post::{Posted, Replay};
use crate::domain::ids::UserId;
use crate::store::sql::{Unit, params};
use crate::store::{StoreError, StoredResponse};

/// Longer answers are not kept; what was done is told by the identifiers alone.
const BODY_BYTES_MAX: usize = 256 * 1024;

/// What is known of a key.
pub(super) enum Found {
    Nothing,
    /// The same request was answered before.
    Same(StoredResponse),
    /// Another request used it.
    Other,
}

impl Replay {
    pub(super) fn key_of(&self, user: UserId) -> ReplayKey {
        (user.0, self.method.clone(), self.path.clone(), self.key.clone())
    }

    /// Compares what is stored with this request.
    pub(super) fn compare(&self, stored: Option<&StoredResponse>) -> Found {
        match stored {
            None => Found::Nothing,
            Some(stored) if stored.body_hash == self.body_hash => Found::Same(stored.clone()),
            Some(_) => Found::Other,
        }
    }
}

/// Looks a key up.
pub(super) async fn find(unit: &Unit<'_>, user: UserId, replay: &Replay) -> Result<Found, StoreError> {
    let sql = "select body_hash, status, body from idempotency_key \
               where user_id = $1 and method = $2 and path = $3 and key = $4 and expires_at > $5";
    let values = params![user.0, replay.method.as_str(), replay.path.as_str(), replay.key.as_str(), unit.now_ms];
    let Some(row) = unit.one(sql, values).await? else { return Ok(Found::Nothing) };
    let hash: Vec<u8> = row.get(0)?;
    let body_hash = hash.try_into().map_err(|_| StoreError::Corrupt("body hash".to_owned()))?;
    let stored = StoredResponse { body_hash, status: row.unsigned(1)?, body: row.get(2)? };
    Ok(replay.compare(Some(&stored)))
}

/// Keeps the answer; gives it back as it will be replayed.
pub(super) fn keep(
    effects: &mut Effects,
    now_ms: i64,
    user: UserId,
    replay: &Replay,
    posted: &Posted,
) -> Option<StoredResponse> {
    let (status, mut body) = (replay.print)(posted)?;
    if body.len() > BODY_BYTES_MAX {
        body = json!({ "data": posted.ids() }).to_string();
    }
    let hash: String = replay.body_hash.iter().map(|byte| format!("{byte:02x}")).collect();
    effects.replay(&ReplayRow {
        user_id: user.0,
        method: &replay.method,
        path: &replay.path,
        key: &replay.key,
        body_hash: &hash,
        status: i64::from(status),
        body: &body,
        at_ms: now_ms,
        expires_ms: now_ms.saturating_add(replay.retention_ms),
    });
    Some(StoredResponse { body_hash: replay.body_hash, status, body: body.into_bytes() })
}

impl Posted {
    /// The identifiers of an answer, in its shape.
    fn ids(&self) -> Value {
        let id = |id: i64| json!({ "id": id });
        match self {
            Self::BankTransactions(rows) => rows.iter().map(|row| id(row.id)).collect(),
            Self::Import { id: import, rows } => {
                let transactions: Value = rows.iter().map(|row| id(row.id)).collect();
                json!({ "import_id": import, "transactions": transactions })
            }
            _ => id(self.id()),
        }
    }

    /// The identifier of what it is about.
    pub(super) fn id(&self) -> i64 {
        match self {
            Self::Organisation(row) | Self::Lock(row, _) => row.id.0,
            Self::Account(view) => view.row.id,
            Self::Contact(view) => view.row.id,
            Self::Deleted(id) | Self::Import { id, .. } => *id,
            Self::BankAccount(view) => view.row.id,
            Self::BankTransaction(row) => row.id,
            Self::BankTransactions(rows) => rows.first().map_or(0, |row| row.id),
            Self::Document(view) => view.id,
            Self::Settlement(view) => view.id,
            Self::Journal(view) => view.id,
            Self::OpeningPreview(_) => 0,
            Self::Opening(set) => set.journal.id,
            Self::BulkImport(row, _) => row.id,
        }
    }
}
