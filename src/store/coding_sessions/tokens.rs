//! Tokens of tools that do not change the books: what was previewed is stored like any preview, under the hash of its token,
//! for the person and connection that it was shown to.

use crate::domain::books::records::preview::LIFE_MS;
use crate::domain::ids::{ConnectionId, OrganisationId, UserId};
use crate::store::StoreError;
use crate::store::sql::{Reader, params};
use crate::store::writer::{Locks, Writer};

/// What a tool previewed, to be stored.
#[derive(Debug, Clone)]
pub struct NewToolToken {
    /// The hash of the token.
    pub token_hash: String,
    /// The organisation.
    pub organisation: OrganisationId,
    /// The person.
    pub user_id: UserId,
    /// What the person acts by.
    pub connection: ConnectionId,
    /// The tool.
    pub tool: &'static str,
    /// What will be done.
    pub body: String,
}

/// What a tool previewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolToken {
    /// The organisation.
    pub organisation: OrganisationId,
    /// What will be done.
    pub body: String,
    /// Until when it may be confirmed, in milliseconds.
    pub expires_at_ms: i64,
}

impl Writer {
    /// Stores what a tool previewed; gives the moment until which it may be confirmed.
    pub async fn put_tool_token(&self, token: NewToolToken) -> Result<i64, StoreError> {
        let bytes = token.body.len();
        self.unit_of(Locks::Organisations, bytes, token, |unit, token| {
            Box::pin(async move {
                let expires_at_ms = unit.now_ms.saturating_add(LIFE_MS);
                let sql = "insert into book_preview (token_hash, organisation_id, user_id, body, created_at, expires_at, \
                           connection, tool) values ($1, $2, $3, $4, $5, $6, $7, $8)";
                let values = params![
                    token.token_hash.as_str(),
                    token.organisation.0,
                    token.user_id.0,
                    token.body.as_str(),
                    unit.now_ms,
                    expires_at_ms,
                    token.connection.to_stored(),
                    token.tool
                ];
                unit.execute(sql, values).await?;
                Ok(expires_at_ms)
            })
        })
        .await
    }
}

impl Reader {
    /// What this person and connection previewed with a tool under a token.
    pub async fn tool_token(
        &self,
        (user, connection): (UserId, ConnectionId),
        tool: &str,
        token_hash: &str,
    ) -> Result<Option<ToolToken>, StoreError> {
        let sql = "select organisation_id, body, expires_at from book_preview where token_hash = $1 and user_id = $2 \
                   and connection = $3 and tool = $4";
        let row = self.one(sql, params![token_hash, user.0, connection.to_stored(), tool]).await?;
        let token = |row: crate::store::sql::Row| {
            Ok(ToolToken { organisation: OrganisationId(row.get(0)?), body: row.get(1)?, expires_at_ms: row.get(2)? })
        };
        row.map(token).transpose()
    }

    /// The lines of the books that are in sessions of a person and connection that have not ended, of an organisation.
    pub async fn lines_in_sessions(
        &self,
        (user, connection): (UserId, ConnectionId),
        organisation: OrganisationId,
    ) -> Result<Vec<i64>, StoreError> {
        let sql = "select n.details from coding_session s join coding_session_line n on n.session_id = s.id \
                   where s.user_id = $1 and s.connection = $2 and s.organisation_id = $3 and not s.is_cleared \
                   and s.expires_at > $4";
        let values = params![user.0, connection.to_stored(), organisation.0, self.shared().now_ms()];
        let mut lines = Vec::new();
        for row in self.all(sql, values).await? {
            let details: crate::domain::coding_session::LineDetails = super::records::parsed(&row.get::<String>(0)?)?;
            lines.extend(details.bank_transaction_id);
        }
        lines.sort_unstable();
        lines.dedup();
        Ok(lines)
    }
}
