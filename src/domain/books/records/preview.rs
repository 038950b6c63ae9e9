//! Previews that wait to be confirmed under a token that works once.

/// How long a token works.
pub(crate) const LIFE_MS: i64 = 30 * 60 * 1_000;

/// What a preview is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Opening balances.
    OpeningBalances,
    /// This bulk import.
    Import(i64),
}

impl Purpose {
    pub(crate) const fn import_id(self) -> Option<i64> {
        match self {
            Self::OpeningBalances => None,
            Self::Import(id) => Some(id),
        }
    }
}

/// A preview to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPreview {
    /// What the caller will confirm it with.
    pub token: String,
    /// Its SHA-256, which is what is stored.
    pub token_hash: String,
    /// The request.
    pub body: String,
}

/// A preview as kept, without its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PreviewRecord {
    pub(crate) organisation: i64,
    pub(crate) user_id: i64,
    pub(crate) import_id: Option<i64>,
    pub(crate) created_at_ms: i64,
    pub(crate) expires_at_ms: i64,
    pub(crate) used_at_ms: Option<i64>,
}
