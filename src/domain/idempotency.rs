//! Answers stored for an `Idempotency-Key`.

/// An answer as it is replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// SHA-256 of the request's body.
    pub body_hash: [u8; 32],
    /// HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}
