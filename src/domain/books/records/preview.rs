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
}

impl Purpose {
    /// The identifier of the import.
    pub(crate) const fn import_id(self) -> Option<i64> {
        match self {
            Self::OpeningBalances => None,
            Self::Import(id) => Some(id),
        }
    }
}
