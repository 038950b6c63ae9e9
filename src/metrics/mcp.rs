//! What is counted of messages to the tool server.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use prometheus_client::encoding::DescriptorEncoder;

use super::{Counter, LatencyHistogram, encode_counters, encode_histograms};

/// A message: its method, the tool that was called, and what came of it.
type Message = (&'static str, &'static str, &'static str);

/// Messages to the tool server.
#[derive(Debug, Default)]
pub struct McpMetrics {
    requests: RwLock<BTreeMap<Message, Counter>>,
    seconds: RwLock<BTreeMap<&'static str, LatencyHistogram>>,
}

impl McpMetrics {
    /// Counts a message that was answered: `tool` is empty where none was called.
    pub fn answered(&self, method: &'static str, tool: &'static str, outcome: &'static str, took: Duration) {
        with(&self.requests, (method, tool, outcome), |counter| counter.add(1));
        if !tool.is_empty() {
            with(&self.seconds, tool, |histogram| histogram.record(took));
        }
    }

    pub(super) fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let requests = self.requests.read().unwrap_or_else(PoisonError::into_inner);
        let rows = requests.iter().map(|((method, tool, outcome), count)| {
            ([("method", *method), ("tool", *tool), ("outcome", *outcome)], count.get())
        });
        encode_counters(encoder, "mcp_requests", "Messages to the tool server", rows)?;
        let seconds = self.seconds.read().unwrap_or_else(PoisonError::into_inner);
        let rows = seconds.iter().map(|(tool, histogram)| ([("tool", *tool)], histogram));
        encode_histograms(encoder, "mcp_request_seconds", "Time of calls of tools", rows)
    }
}

/// Records with what is kept under a name, which is made at its first use.
fn with<K: Ord + Copy, V: Default>(kept: &RwLock<BTreeMap<K, V>>, name: K, record: impl Fn(&V)) {
    if let Some(known) = kept.read().unwrap_or_else(PoisonError::into_inner).get(&name) {
        return record(known);
    }
    record(kept.write().unwrap_or_else(PoisonError::into_inner).entry(name).or_default());
}
