//! The process itself, as the kernel sees it, read at each scrape. Where there is no `/proc` these metrics are absent.

use std::fs;
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::encoding::EncodeMetric as _;
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

/// The unit of times in `/proc`, fixed by Linux whatever the kernel's own tick is.
const TICKS_PER_SECOND: u64 = 100;

/// Reads `/proc/self` at every scrape.
#[derive(Debug)]
pub(super) struct ProcessCollector;

impl Collector for ProcessCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let usage = Usage::read();
        let mut counter = |name, help, value: Option<f64>| -> std::fmt::Result {
            let Some(value) = value else { return Ok(()) };
            ConstCounter::new(value).encode(encoder.encode_descriptor(name, help, None, MetricType::Counter)?)
        };
        counter("process_cpu_seconds", "Processor time used", usage.cpu_seconds)?;
        let mut gauge = |name, help, value: Option<f64>| -> std::fmt::Result {
            let Some(value) = value else { return Ok(()) };
            ConstGauge::new(value).encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)
        };
        gauge("process_resident_memory_bytes", "Memory held", usage.resident_bytes)?;
        gauge("process_virtual_memory_bytes", "Address space used", usage.virtual_bytes)?;
        gauge("process_open_fds", "Open file descriptors", usage.open_fds)?;
        gauge("process_threads", "Threads", usage.threads)?;
        gauge("process_start_time_seconds", "When the process started, in seconds since 1970", usage.started_seconds)
    }
}

/// What was found; `None` where it could not be read.
#[derive(Debug, Default)]
struct Usage {
    cpu_seconds: Option<f64>,
    resident_bytes: Option<f64>,
    virtual_bytes: Option<f64>,
    open_fds: Option<f64>,
    threads: Option<f64>,
    started_seconds: Option<f64>,
}

impl Usage {
    fn read() -> Self {
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        // The second field is the command in brackets and may hold anything, so fields are counted from its end.
        let fields: Vec<&str> = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').collect();
        let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok());
        let kibibytes = |name| field_of(&status, name).and_then(|value| small(value.checked_mul(1024)?));
        let boot_seconds = fs::read_to_string("/proc/stat").ok().and_then(|text| field_of(&text, "btime"));
        Self {
            cpu_seconds: ticks(11).zip(ticks(12)).map(|(user, system)| seconds(user + system)),
            resident_bytes: kibibytes("VmRSS:"),
            virtual_bytes: kibibytes("VmSize:"),
            // Reading the folder opens one descriptor itself.
            open_fds: fs::read_dir("/proc/self/fd")
                .ok()
                .and_then(|entries| u32::try_from(entries.count().saturating_sub(1)).ok())
                .map(f64::from),
            threads: field_of(&status, "Threads:").and_then(small),
            started_seconds: ticks(19)
                .zip(boot_seconds)
                .map(|(start, boot)| seconds(start) + Duration::from_secs(boot).as_secs_f64()),
        }
    }
}

fn seconds(ticks: u64) -> f64 {
    Duration::from_millis(ticks.saturating_mul(1000 / TICKS_PER_SECOND)).as_secs_f64()
}

/// A count as a float; exact far beyond any memory size.
fn small(value: u64) -> Option<f64> {
    let (high, low) = (u32::try_from(value >> 32).ok()?, u32::try_from(value & 0xFFFF_FFFF).ok()?);
    Some(f64::from(high) * 4_294_967_296.0 + f64::from(low))
}

fn field_of(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_process_is_read() {
        let usage = Usage::read();
        assert!(usage.cpu_seconds.unwrap() >= 0.0);
        assert!(usage.resident_bytes.unwrap() > 100_000.0);
        assert!(usage.virtual_bytes.unwrap() > usage.resident_bytes.unwrap());
        assert!(usage.open_fds.unwrap() >= 3.0);
        assert!(usage.threads.unwrap() >= 1.0);
        assert!(usage.started_seconds.unwrap() > 1.6e9);
    }
}
