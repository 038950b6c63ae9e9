//! How long and how large bodies may be.

use std::time::Duration;

/// How long and how large bodies may be.
#[derive(Debug, Clone, Copy)]
pub struct BodyLimits {
    /// The largest body accepted.
    pub max_bytes: u64,
    /// Bytes of served bodies held at once over all connections.
    pub max_in_flight_bytes: u64,
    /// Of these, what one person or address may take, in percent; a largest body always fits.
    pub share_percent: u64,
    /// From the first byte to the last.
    pub deadline: Duration,
    /// The slowest average rate.
    pub min_bytes_per_s: u64,
    /// How long the average is not looked at.
    pub rate_grace: Duration,
    /// Over any such time the rate must be kept.
    pub rate_window: Duration,
    /// Refused bodies read at once.
    pub refused_body_slots: usize,
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self {
            max_bytes: 26_214_400,
            max_in_flight_bytes: 268_435_456,
            share_percent: 25,
            deadline: Duration::from_secs(300),
            min_bytes_per_s: 32_768,
            rate_grace: Duration::from_secs(5),
            rate_window: Duration::from_secs(10),
            refused_body_slots: 2,
        }
    }
}
