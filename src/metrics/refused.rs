//! What is counted of requests that were refused because there was too much to do, or nothing to do it with.

use std::fmt;

use prometheus_client::encoding::DescriptorEncoder;

use super::{Counter, encode_counters};

/// Why requests are refused with 429 or 503: the closed list of `details.reason`, and what has no reason of its own last.
pub const REFUSAL_REASONS: [&str; 11] = [
    "rate_limited",
    "queue_full",
    "queue_share",
    "body_budget",
    "body_share",
    "login_queue",
    "mail_queue",
    "store_unavailable",
    "stopping",
    "starting",
    "busy",
];

/// Requests refused with 429 or 503.
#[derive(Debug, Default)]
pub struct RefusedMetrics {
    by_reason: [Counter; REFUSAL_REASONS.len()],
}

impl RefusedMetrics {
    /// The counter of a reason; of `busy` for one that is not on the list.
    pub fn of(&self, reason: &str) -> &Counter {
        let [.., other] = &self.by_reason;
        let at = REFUSAL_REASONS.iter().position(|known| *known == reason);
        at.and_then(|at| self.by_reason.get(at)).unwrap_or(other)
    }

    /// Every reason with its count.
    pub fn counts(&self) -> [(&'static str, u64); REFUSAL_REASONS.len()] {
        let mut counts = REFUSAL_REASONS.map(|reason| (reason, 0));
        for ((_, count), counter) in counts.iter_mut().zip(&self.by_reason) {
            *count = counter.get();
        }
        counts
    }

    /// All of them together.
    pub fn total(&self) -> u64 {
        self.by_reason.iter().map(Counter::get).sum()
    }

    /// Writes them to the exposition; reasons that were never met are left out.
    pub(super) fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let met = self.counts().into_iter().filter(|(_, count)| *count > 0);
        encode_counters(
            encoder,
            "http_refused",
            "Requests refused with 429 or 503, by reason",
            met.map(|(reason, count)| ([("reason", reason)], count)),
        )
    }
}
