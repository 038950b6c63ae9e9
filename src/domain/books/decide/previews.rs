//! Stores previews, and accepts the token of one once.

use crate::domain::books::decide::BooksTransaction;
use crate::domain::books::effects::Effect;
use crate::domain::books::records::preview::{LIFE_MS, NewPreview, PreviewRecord, Purpose};
use crate::domain::ids::ConnectionId;
use crate::domain::ledger::refusal::Refusal;

impl BooksTransaction<'_> {
    /// Stores a preview; returns the moment until which it may be confirmed.
    pub(crate) fn store_preview(&mut self, purpose: Purpose, new: &NewPreview) -> i64 {
        let row = PreviewRecord {
            organisation: self.organisation(),
            user_id: self.actor.user_id.0,
            import_id: purpose.import_id(),
            created_at_ms: self.now_ms,
            expires_at_ms: self.now_ms.saturating_add(LIFE_MS),
            used_at_ms: None,
            connection: self.tool_connection(),
            tool: self.actor.tool.map(str::to_owned),
            outline: None,
            dead_reason: None,
        };
        let expires_at_ms = row.expires_at_ms;
        let effect = Effect::Preview { hash: new.token_hash.clone(), body: new.body.clone() };
        self.effects.push(row.organisation, effect);
        self.facts.previews.insert(new.token_hash.clone(), row);
        expires_at_ms
    }

    /// Refuses a token that was used, has expired, or was never given to this caller for this purpose.
    pub(crate) fn require_token(&self, hash: &str, purpose: Purpose) -> Result<(), Refusal> {
        let row = self.preview_of_caller(hash, purpose).ok_or(Refusal::TokenExpired)?;
        if row.used_at_ms.is_some() {
            return Err(Refusal::TokenUsed);
        }
        if row.expires_at_ms <= self.now_ms { Err(Refusal::TokenExpired) } else { Ok(()) }
    }

    /// What was previewed under a token, if this caller previewed it for this purpose. A token that a tool gave belongs to a
    /// person and a connection and works with the tool; one that was given over REST belongs to the person and works there.
    pub(super) fn preview_of_caller(&self, hash: &str, purpose: Purpose) -> Option<&PreviewRecord> {
        let is_of_tool = self.actor.tool.is_some();
        let connection = self.tool_connection();
        self.facts.previews.get(hash).filter(|row| {
            row.organisation == self.organisation()
                && row.user_id == self.actor.user_id.0
                && row.import_id == purpose.import_id()
                && row.outline.is_some() == (purpose == Purpose::Plan)
                && row.tool.is_some() == is_of_tool
                && row.connection == connection
        })
    }

    /// The connection that a preview of a tool belongs to; one made over REST belongs to the person.
    fn tool_connection(&self) -> Option<String> {
        self.actor.tool.and(self.actor.connection).map(ConnectionId::to_stored)
    }

    /// Records that a token is used.
    pub(crate) fn use_token(&mut self, hash: &str) {
        let now_ms = self.now_ms;
        self.facts.previews.update(hash, |row| row.used_at_ms = Some(now_ms));
        // A plan keeps what it was sent as; nothing else is needed once it is used.
        let effect = Effect::Preview { hash: hash.to_owned(), body: String::new() };
        self.effects.push(self.organisation(), effect);
    }
}
