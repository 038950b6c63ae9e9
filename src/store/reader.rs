//! Reads: a small pool of connections that cannot write.

/// Runs queries; cheap to clone. Its connections are read-only.
#[derive(Clone)]
pub struct Reader {}
