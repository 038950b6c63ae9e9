//! What is counted of connections by OAuth.

use std::fmt;

use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;

use super::{Counter, Gauge, encode_counters};
use crate::domain::oauth::error::{GrantType, OAuthError, Reuse};

/// Counters of the authorization server.
#[derive(Debug, Default)]
pub struct OAuthMetrics {
    issued: [Counter; GrantType::ALL.len()],
    refused: [Counter; OAuthError::ALL.len()],
    reused: [Counter; Reuse::ALL.len()],
    /// Connections that are accepted.
    pub connections: Gauge,
}

impl OAuthMetrics {
    /// Counts tokens that were issued.
    pub fn issued(&self, grant_type: GrantType) {
        count(&self.issued, &GrantType::ALL, grant_type);
    }

    /// Counts a refusal.
    pub fn refused(&self, error: OAuthError) {
        count(&self.refused, OAuthError::ALL, error);
    }

    /// Counts what came back although it was used.
    pub fn reused(&self, reuse: Reuse) {
        count(&self.reused, &Reuse::ALL, reuse);
    }

    pub(super) fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let issued = GrantType::ALL.iter().zip(&self.issued);
        let issued = issued.map(|(kind, count)| ([("grant_type", kind.as_str())], count.get()));
        encode_counters(encoder, "oauth_tokens_issued", "Pairs of tokens issued", issued)?;
        let refused = OAuthError::ALL.iter().zip(&self.refused);
        // Most errors never happen; those are left out.
        let refused = refused.filter(|(_, count)| count.get() > 0);
        let refused = refused.map(|(error, count)| ([("error", error.as_str())], count.get()));
        encode_counters(encoder, "oauth_refusals", "Requests the authorization server refused", refused)?;
        let reused = Reuse::ALL.iter().zip(&self.reused).map(|(kind, count)| ([("kind", kind.as_str())], count.get()));
        encode_counters(encoder, "oauth_reuse_detected", "Codes and refresh tokens that came back", reused)?;
        let help = "Connections by OAuth that are accepted";
        let encoder = encoder.encode_descriptor("oauth_connections", help, None, MetricType::Gauge)?;
        ConstGauge::new(self.connections.get()).encode(encoder)
    }
}

fn count<K: PartialEq>(counters: &[Counter], kinds: &[K], kind: K) {
    if let Some((_, counter)) = kinds.iter().zip(counters).find(|(known, _)| **known == kind) {
        counter.add(1);
    }
}
