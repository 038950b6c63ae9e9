//! What is counted of requests that were refused because there was too much to do, or nothing to do it with.

use std::fmt;

use prometheus_client::encoding::DescriptorEncoder;

use super::{Counter, encode_counters};
use crate::domain::refusal_reason::RefusalReason;

/// Requests refused with 429 or 503.
#[derive(Debug, Default)]
pub struct RefusedMetrics {
    by_reason: [Counter; RefusalReason::ALL.len()],
}

impl RefusedMetrics {
    /// Counts one for a reason.
    pub fn count(&self, reason: RefusalReason) {
        if let Some(counter) = self.by_reason.get(reason.index()) {
            counter.add(1);
        }
    }

    /// Every reason with its count.
    pub fn counts(&self) -> [(RefusalReason, u64); RefusalReason::ALL.len()] {
        let mut counts = RefusalReason::ALL.map(|reason| (reason, 0));
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
            met.map(|(reason, count)| ([("reason", reason.as_str())], count)),
        )
    }
}
