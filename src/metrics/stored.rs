//! How large what is stored is, and which program stores it.

use std::fmt;

use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;

use super::{Gauge, encode_gauges};

/// Sizes, as last measured.
#[derive(Debug, Default)]
pub struct StoredMetrics {
    /// Bytes of the database.
    pub database_bytes: Gauge,
    /// Bytes of its write-ahead log.
    pub log_bytes: Gauge,
    /// Bytes free on its disk.
    pub free_bytes: Gauge,
    /// Whether there is anything to measure: a database server has its own figures.
    pub is_file: Gauge,
}

impl StoredMetrics {
    /// Writes them to the exposition.
    pub(super) fn encode(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let labels = [("version", crate::VERSION), ("commit", crate::COMMIT)];
        encode_gauges(encoder, "build_info", "The program that runs", [(labels, 1)])?;
        if self.is_file.get() == 0 {
            return Ok(());
        }
        for (name, help, gauge) in [
            ("database_bytes", "Size of the database", &self.database_bytes),
            ("database_wal_bytes", "Size of the database's write-ahead log", &self.log_bytes),
            ("disk_free_bytes", "Bytes free on the disk of the database", &self.free_bytes),
        ] {
            let encoder = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            ConstGauge::new(gauge.get()).encode(encoder)?;
        }
        Ok(())
    }
}
