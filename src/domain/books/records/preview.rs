//! Previews that wait to be confirmed under a token that works once.

/// How long a token works.
pub(crate) const LIFE_MS: i64 = 30 * 60 * 1_000;

/// What a preview will be confirmed as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Opening balances.
    OpeningBalances,
    /// This bulk import.
    Import(i64),
    /// Operations of an agent.
    Plan,
}

/// A preview to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPreview {
    /// The token with which the caller will confirm it.
    pub token: String,
    /// The SHA-256 of the token, which is stored instead of it.
    pub token_hash: String,
    /// The body of the request.
    pub body: String,
}

/// A preview as stored, without its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PreviewRecord {
    pub(crate) organisation: i64,
    pub(crate) user_id: i64,
    pub(crate) import_id: Option<i64>,
    pub(crate) created_at_ms: i64,
    pub(crate) expires_at_ms: i64,
    pub(crate) used_at_ms: Option<i64>,
    /// The key or connection by OAuth that made it, where a tool did.
    pub(crate) connection: Option<String>,
    /// The tool that made it.
    pub(crate) tool: Option<String>,
    /// Of a plan: what it would do.
    pub(crate) outline: Option<String>,
    /// Of a plan: why it cannot be carried out any more.
    pub(crate) dead_reason: Option<String>,
}

impl Purpose {
    /// The identifier of the import.
    pub(crate) const fn import_id(self) -> Option<i64> {
        match self {
            Self::OpeningBalances | Self::Plan => None,
            Self::Import(id) => Some(id),
        }
    }
}
