//! Rate permits leased in blocks, so that several processes never exceed one limit together.

use super::writer::Writer;
use super::StoreError;

/// A leased block of permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermitLease {
    /// How many requests the caller may let through.
    pub granted: i64,
    /// Permits of the window nobody has leased yet.
    pub left: i64,
    /// When the window began; it ends `window_ms` later.
    pub window_start_ms: i64,
}

impl Writer {
    /// Leases up to `want` permits of a subject's window (one at a time in the last 20 of the limit), starting a new
    /// window when the last one is over.
    pub async fn lease_permits(
        &self,
        subject: &str,
        limit: i64,
        window_ms: i64,
        want: i64,
    ) -> Result<PermitLease, StoreError> {
        todo!()
    }
}
