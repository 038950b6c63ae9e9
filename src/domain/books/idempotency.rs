//! Answers stored under an `Idempotency-Key`, written with what they answer.

use crate::domain::books::effects::{Effect, Effects, ReplayRecord};
use crate::domain::books::facts::ReplayKey;
use crate::domain::books::request::CommandResult;
use crate::domain::idempotency::StoredResponse;
use crate::domain::ids::UserId;
use serde_json::{Value, json};
use std::sync::Arc;

/// Prints an answer for replay: its status and body.
pub type PrintAnswer = Arc<dyn Fn(&CommandResult) -> Option<(u16, String)> + Send + Sync>;

/// An `Idempotency-Key`: the answer is kept with what it caused.
#[derive(Clone)]
pub struct Replay {
    /// The request's method.
    pub method: String,
    /// Its path.
    pub path: String,
    /// The header's value.
    pub key: String,
    /// SHA-256 of the body.
    pub body_hash: [u8; 32],
    /// How long it replays.
    pub retention_ms: i64,
    /// How the answer is printed.
    pub print: PrintAnswer,
}

impl std::fmt::Debug for Replay {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Replay").field("path", &self.path).field("key", &self.key).finish_non_exhaustive()
    }
}

/// Longer answers are not kept; what was done is told by the identifiers alone.
const BODY_BYTES_MAX: usize = 256 * 1024;

/// What is known of a key.
pub(crate) enum ReplayLookup {
    Nothing,
    /// The same request was answered before.
    Same(StoredResponse),
    /// Another request used it.
    Other,
}

impl Replay {
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

/// Stores the answer; gives it back as it will be replayed.
pub(crate) fn store_answer(
    effects: &mut Effects,
    now_ms: i64,
    (organisation, user): (i64, UserId),
    replay: &Replay,
    result: &CommandResult,
) -> Option<StoredResponse> {
    let (status, mut body) = (replay.print)(result)?;
    if body.len() > BODY_BYTES_MAX {
        body = json!({ "data": result.ids() }).to_string();
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
        expires_ms: now_ms.saturating_add(replay.retention_ms),
    };
    effects.push(organisation, Effect::Replay(Box::new(record)));
    Some(stored)
}

impl CommandResult {
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
    pub(crate) fn id(&self) -> i64 {
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
