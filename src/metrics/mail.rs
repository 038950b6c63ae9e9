//! What is counted of e-mails.

use std::fmt;

use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;

use super::{Counter, Gauge, encode_counters};
use crate::domain::mail::EmailStatus;

/// E-mails.
#[derive(Debug, Default)]
pub struct MailMetrics {
    /// How many wait or leave.
    pub queue_depth: Gauge,
    /// How long the oldest of these has been waiting.
    pub oldest_waiting_seconds: Gauge,
    sent: Counter,
    failed: Counter,
    uncertain: Counter,
    deferred: Counter,
}

impl MailMetrics {
    /// E-mails that came to this state when they were begun to be sent; one that is queued again was deferred.
    pub const fn ended(&self, status: EmailStatus) -> &Counter {
        match status {
            EmailStatus::Sent => &self.sent,
            EmailStatus::Uncertain => &self.uncertain,
            EmailStatus::Queued => &self.deferred,
            EmailStatus::Failed | EmailStatus::Sending | EmailStatus::Cancelled => &self.failed,
        }
    }

    /// Writes them to the exposition.
    pub(super) fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let outcomes = [
            ("sent", &self.sent),
            ("failed", &self.failed),
            ("uncertain", &self.uncertain),
            ("deferred", &self.deferred),
        ];
        encode_counters(
            encoder,
            "mail_messages",
            "E-mails that were begun to be sent, by what became of them",
            outcomes.map(|(outcome, counter)| ([("outcome", outcome)], counter.get())),
        )?;
        for (name, help, gauge) in [
            ("mail_queue_depth", "E-mails that wait", &self.queue_depth),
            (
                "mail_oldest_waiting_seconds",
                "How long the oldest e-mail has been waiting",
                &self.oldest_waiting_seconds,
            ),
        ] {
            let encoder = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            ConstGauge::new(gauge.get()).encode(encoder)?;
        }
        Ok(())
    }
}
