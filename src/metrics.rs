//! Every metric, registered once, under the names of the operating contract, and the latency histogram behind some of them.
//!
//! Recording is relaxed atomics through handles that were resolved at start: no hashing, no locks, so the hot path can
//! afford it. Label values are closed sets (routes, methods, products, …), never a key, an organisation or a person.
//!
//! Recording a latency is two relaxed additions, reading copies the counts. The buckets are fixed: four to an octave of
//! microseconds, from 1 µs to about 18 minutes, so a percentile is within an eighth of the truth. Longer durations land in
//! the last bucket. Nothing here locks, so a reader never waits for a recorder, not even for one that is stuck.

mod mail;
mod mcp;
mod oauth;
mod process;
mod refused;
mod stored;

use std::fmt;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric as _, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use crate::domain::job::{JobStatus, Product};

pub use mail::MailMetrics;
pub use mcp::McpMetrics;
pub use oauth::OAuthMetrics;
pub use refused::RefusedMetrics;
pub use stored::StoredMetrics;

/// The content type of the exposition.
pub const EXPOSITION_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The statuses counted one by one; anything else is counted as `other`.
const STATUSES: [u16; 22] =
    [101, 200, 201, 202, 204, 303, 304, 400, 401, 402, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 501, 503];

/// Stands for a status that is not among them.
const OTHER_STATUS: u16 = 0;

/// Every metric. Shared as an `Arc`; what is recorded is public fields and small handles.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    recorded: Arc<Recorded>,
}

/// What the parts of the program record.
#[derive(Debug)]
pub struct Recorded {
    routes: RwLock<Vec<Arc<RouteMetrics>>>,
    reconciliation: JobMetrics,
    coding: JobMetrics,
    /// Time to get the writer's turn.
    pub store_acquire_writer: LatencyHistogram,
    /// Time to get a reading connection.
    pub store_acquire_reader: LatencyHistogram,
    /// Times the database could not be reached.
    pub store_unavailable: Counter,
    /// Journals posted.
    pub ledger_postings: Counter,
    /// Changes of the books refused because the record had changed since it was read.
    pub ledger_version_conflicts: Counter,
    /// Blocking threads left to themselves after a missed deadline and not yet done.
    pub blocking_threads_abandoned: Gauge,
    /// E-mails.
    pub mail: MailMetrics,
    /// Connections by OAuth.
    pub oauth: OAuthMetrics,
    /// The tool server.
    pub mcp: McpMetrics,
    /// Requests refused with 429 or 503.
    pub refused: RefusedMetrics,
    /// Sizes of what is stored.
    pub stored: StoredMetrics,
}

impl std::ops::Deref for Metrics {
    type Target = Recorded;

    fn deref(&self) -> &Recorded {
        &self.recorded
    }
}

impl Metrics {
    /// Registers everything; `collectors` add what others keep (the actors' statistics).
    pub fn new(collectors: Vec<Box<dyn Collector>>) -> Arc<Self> {
        let recorded = Arc::new(Recorded {
            routes: RwLock::default(),
            reconciliation: JobMetrics::default(),
            coding: JobMetrics::default(),
            store_acquire_writer: LatencyHistogram::default(),
            store_acquire_reader: LatencyHistogram::default(),
            store_unavailable: Counter::default(),
            ledger_postings: Counter::default(),
            ledger_version_conflicts: Counter::default(),
            blocking_threads_abandoned: Gauge::default(),
            mail: MailMetrics::default(),
            oauth: OAuthMetrics::default(),
            mcp: McpMetrics::default(),
            refused: RefusedMetrics::default(),
            stored: StoredMetrics::default(),
        });
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Arc::clone(&recorded)));
        registry.register_collector(Box::new(process::ProcessCollector));
        for collector in collectors {
            registry.register_collector(collector);
        }
        Arc::new(Self { registry, recorded })
    }

    /// The text exposition.
    pub fn exposition(&self) -> Result<String, fmt::Error> {
        let mut text = String::with_capacity(32 * 1024);
        prometheus_client::encoding::text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

impl Recorded {
    /// The handle of one route, resolved once at start. `route` is the template (`/api/v1/keys/{id}`), never a path.
    pub fn route(&self, method: &'static str, route: &'static str) -> Arc<RouteMetrics> {
        let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = routes.iter().find(|known| known.method == method && known.route == route) {
            return Arc::clone(known);
        }
        let made = Arc::new(RouteMetrics {
            method,
            route,
            by_status: std::array::from_fn(|_| AtomicU64::new(0)),
            seconds: LatencyHistogram::default(),
        });
        routes.push(Arc::clone(&made));
        made
    }

    /// All HTTP requests together. Added up by whoever asks, so that a request counts itself once.
    pub fn http_totals(&self) -> HttpTotals {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner).clone();
        let counts = |is_wanted: fn(u16) -> bool| {
            let of_route = |route: &Arc<RouteMetrics>| {
                let wanted = STATUSES.iter().chain([&OTHER_STATUS]).zip(&route.by_status);
                let wanted = wanted.filter(|(status, _)| is_wanted(**status));
                wanted.map(|(_, count)| count.load(Ordering::Relaxed)).sum::<u64>()
            };
            routes.iter().map(of_route).sum()
        };
        let seconds: Vec<_> = routes.iter().map(|route| &route.seconds).collect();
        HttpTotals {
            requests: counts(|_| true),
            errors: counts(|status| status >= 500),
            seconds: LatencyHistogram::sum(&seconds),
        }
    }

    /// The metrics of a product's jobs.
    pub fn jobs(&self, product: Product) -> &JobMetrics {
        match product {
            Product::Reconciliation => &self.reconciliation,
            Product::Coding => &self.coding,
        }
    }
}

/// All HTTP requests together, at one moment.
#[derive(Debug)]
pub struct HttpTotals {
    /// Requests answered.
    pub requests: u64,
    /// Requests answered with 5xx.
    pub errors: u64,
    /// Their durations.
    pub seconds: LatencyHistogram,
}

/// The requests of one route and method.
#[derive(Debug)]
pub struct RouteMetrics {
    method: &'static str,
    route: &'static str,
    by_status: [AtomicU64; STATUSES.len() + 1],
    seconds: LatencyHistogram,
}

impl RouteMetrics {
    /// The template of its path.
    pub const fn route(&self) -> &'static str {
        self.route
    }

    /// Counts one answered request.
    pub fn record(&self, status: u16, duration: Duration) {
        let index = STATUSES.iter().position(|known| *known == status).unwrap_or(STATUSES.len());
        if let Some(count) = self.by_status.get(index) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.seconds.record(duration);
    }
}

/// The jobs of one product.
#[derive(Debug, Default)]
pub struct JobMetrics {
    by_status: [Counter; 4],
    /// Jobs taken up again after the process that worked on them ended.
    pub recovered: Counter,
    /// Rows worked through in finished jobs.
    pub rows: Counter,
    /// Time between accepted and claimed.
    pub queue_seconds: LatencyHistogram,
    /// Time between claimed and finished.
    pub run_seconds: LatencyHistogram,
    /// Credits set aside for the job that runs here.
    pub credits_reserved: Gauge,
    /// Credits charged, by where they came from.
    pub credits: CreditMetrics,
}

impl JobMetrics {
    /// Counts a job that entered a status.
    pub fn entered(&self, status: JobStatus) {
        self.count(status).add(1);
    }

    /// Jobs that entered a status.
    pub fn count(&self, status: JobStatus) -> &Counter {
        let [queued, processing, completed, failed] = &self.by_status;
        match status {
            JobStatus::Queued => queued,
            JobStatus::Processing => processing,
            JobStatus::Completed => completed,
            JobStatus::Failed => failed,
        }
    }
}

/// Credits charged, by where they came from.
#[derive(Debug, Default)]
pub struct CreditMetrics {
    /// From the month's allocation.
    pub monthly: Counter,
    /// From bonus credits.
    pub bonus: Counter,
    /// Beyond both.
    pub overage: Counter,
}

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to it.
    pub fn add(&self, by: u64) {
        self.0.fetch_add(by, Ordering::Relaxed);
    }

    /// Its value.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A number that comes and goes.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    /// Sets it.
    pub fn set(&self, value: i64) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// Adds to it, or takes from it.
    pub fn add(&self, by: i64) {
        self.0.fetch_add(by, Ordering::Relaxed);
    }

    /// Its value, not below zero.
    pub fn get(&self) -> u64 {
        u64::try_from(self.0.load(Ordering::Relaxed)).unwrap_or(0)
    }
}

impl Collector for Recorded {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        self.encode_http(&mut encoder)?;
        self.encode_jobs(&mut encoder)?;
        self.mail.encode(&mut encoder)?;
        self.oauth.encode(&mut encoder)?;
        self.mcp.encode(&mut encoder)?;
        self.refused.encode(&mut encoder)?;
        self.stored.encode(&mut encoder)?;
        encode_histograms(
            &mut encoder,
            "store_acquire_seconds",
            "Time to get a turn at the database",
            [([("pool", "reader")], &self.store_acquire_reader), ([("pool", "writer")], &self.store_acquire_writer)],
        )?;
        let counters = [
            ("store_unavailable", "Times the database could not be reached", &self.store_unavailable),
            ("ledger_postings", "Journals posted", &self.ledger_postings),
            (
                "ledger_version_conflicts",
                "Changes refused because the record had changed since it was read",
                &self.ledger_version_conflicts,
            ),
        ];
        for (name, help, counter) in counters {
            let encoder = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            ConstCounter::new(counter.get()).encode(encoder)?;
        }
        let encoder = encoder.encode_descriptor(
            "blocking_threads_abandoned",
            "Blocking threads left to themselves after a missed deadline and not yet done",
            None,
            MetricType::Gauge,
        )?;
        ConstGauge::new(self.blocking_threads_abandoned.get()).encode(encoder)
    }
}

impl Recorded {
    fn encode_http(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner).clone();
        let statuses: Vec<String> = STATUSES.iter().map(u16::to_string).chain(["other".to_owned()]).collect();
        let statuses = &statuses;
        encode_counters(
            encoder,
            "http_requests",
            "HTTP requests answered",
            routes.iter().flat_map(|one| {
                let counts = statuses.iter().zip(&one.by_status);
                let counts = counts.map(|(status, count)| (status, count.load(Ordering::Relaxed)));
                // A route answers with few of the statuses there are; the others are left out.
                counts.filter(|(_, count)| *count > 0).map(|(status, count)| {
                    ([("route", one.route), ("method", one.method), ("status", status.as_str())], count)
                })
            }),
        )?;
        // The label is the route alone, so the methods of a route are added up.
        let mut by_route: Vec<(&str, Vec<&LatencyHistogram>)> = Vec::new();
        for one in routes.iter().filter(|one| one.seconds.sum_us() > 0) {
            match by_route.iter_mut().find(|(route, _)| *route == one.route) {
                Some((_, histograms)) => histograms.push(&one.seconds),
                None => by_route.push((one.route, vec![&one.seconds])),
            }
        }
        let merged: Vec<_> =
            by_route.into_iter().map(|(route, histograms)| (route, LatencyHistogram::sum(&histograms))).collect();
        encode_histograms(
            encoder,
            "http_request_seconds",
            "Time to answer an HTTP request",
            merged.iter().map(|(route, histogram)| ([("route", *route)], histogram)),
        )
    }

    fn encode_jobs(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let products = Product::ALL.map(|product| (product.as_str(), self.jobs(product)));
        let statuses = [JobStatus::Queued, JobStatus::Processing, JobStatus::Completed, JobStatus::Failed];
        encode_counters(
            encoder,
            "jobs",
            "Jobs that entered a status",
            products.into_iter().flat_map(|(product, jobs)| {
                statuses.map(|status| ([("product", product), ("status", status.as_str())], jobs.count(status).get()))
            }),
        )?;
        encode_counters(
            encoder,
            "jobs_recovered",
            "Jobs taken up again after the process that worked on them ended",
            products.map(|(product, jobs)| ([("product", product)], jobs.recovered.get())),
        )?;
        encode_counters(
            encoder,
            "job_rows",
            "Rows worked through in finished jobs",
            products.map(|(product, jobs)| ([("product", product)], jobs.rows.get())),
        )?;
        encode_histograms(
            encoder,
            "job_queue_seconds",
            "Time a job waits",
            products.map(|(product, jobs)| ([("product", product)], &jobs.queue_seconds)),
        )?;
        encode_histograms(
            encoder,
            "job_run_seconds",
            "Time a job runs",
            products.map(|(product, jobs)| ([("product", product)], &jobs.run_seconds)),
        )?;
        encode_gauges(
            encoder,
            "credits_reserved",
            "Credits set aside for the running job",
            products.map(|(product, jobs)| ([("product", product)], jobs.credits_reserved.get())),
        )?;
        encode_counters(
            encoder,
            "credits_charged",
            "Credits charged, by where they came from",
            products.into_iter().flat_map(|(product, jobs)| {
                let sources = [
                    ("monthly", &jobs.credits.monthly),
                    ("bonus", &jobs.credits.bonus),
                    ("overage", &jobs.credits.overage),
                ];
                sources.map(|(source, counter)| ([("product", product), ("source", source)], counter.get()))
            }),
        )
    }
}

/// Writes a family of counters; the name is given without `_total`.
pub(crate) fn encode_counters<L: EncodeLabelSet>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    rows: impl IntoIterator<Item = (L, u64)>,
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    for (labels, value) in rows {
        ConstCounter::new(value).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}

/// Writes a family of gauges.
pub(crate) fn encode_gauges<L: EncodeLabelSet>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    rows: impl IntoIterator<Item = (L, u64)>,
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
    for (labels, value) in rows {
        ConstGauge::new(value).encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}

fn encode_histograms<'a, L: EncodeLabelSet>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    rows: impl IntoIterator<Item = (L, &'a LatencyHistogram)>,
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Histogram)?;
    for (labels, histogram) in rows {
        histogram.encode(family.encode_family(&labels)?)?;
    }
    Ok(())
}

/// Buckets of a histogram.
pub const BUCKETS: usize = 116;

/// The octaves whose lower bound is shown as an upper bound (`le`) in the exposition: 16 µs to 268 s.
const EXPOSED_OCTAVES: [u32; 23] =
    [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 28];

/// Counts of durations in fixed buckets.
pub struct LatencyHistogram {
    buckets: [AtomicU64; BUCKETS],
    sum_us: AtomicU64,
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self { buckets: std::array::from_fn(|_| AtomicU64::new(0)), sum_us: AtomicU64::new(0) }
    }
}

impl std::fmt::Debug for LatencyHistogram {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LatencyHistogram").field("count", &self.counts().total()).finish_non_exhaustive()
    }
}

impl LatencyHistogram {
    /// Counts one duration.
    pub fn record(&self, duration: Duration) {
        // In 64 bits, which hold half a million years; the 128 of `as_micros` cost a division more.
        self.record_us(
            duration.as_secs().saturating_mul(1_000_000).saturating_add(u64::from(duration.subsec_micros())),
        );
    }

    /// Counts one duration given in microseconds.
    pub fn record_us(&self, duration_us: u64) {
        if let Some(bucket) = self.buckets.get(bucket_of(duration_us)) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.sum_us.fetch_add(duration_us, Ordering::Relaxed);
    }

    /// A copy of the counts as they stand.
    pub fn counts(&self) -> Counts {
        Counts {
            buckets: std::array::from_fn(|index| {
                self.buckets.get(index).map_or(0, |bucket| bucket.load(Ordering::Relaxed))
            }),
        }
    }

    /// The sum of everything recorded, in microseconds.
    pub fn sum_us(&self) -> u64 {
        self.sum_us.load(Ordering::Relaxed)
    }

    /// Several histograms as one.
    pub(super) fn sum(parts: &[&Self]) -> Self {
        let whole = Self::default();
        for part in parts {
            for (to, from) in whole.buckets.iter().zip(&part.buckets) {
                to.fetch_add(from.load(Ordering::Relaxed), Ordering::Relaxed);
            }
            whole.sum_us.fetch_add(part.sum_us(), Ordering::Relaxed);
        }
        whole
    }

    /// Writes the histogram in seconds to an exposition.
    pub(crate) fn encode(&self, mut encoder: MetricEncoder<'_>) -> std::fmt::Result {
        let counts = self.counts();
        let mut exposed = Vec::with_capacity(EXPOSED_OCTAVES.len() + 1);
        let mut next_bucket = 0;
        for octave in EXPOSED_OCTAVES {
            let bound_us = 1_u64 << octave;
            let end = bucket_of(bound_us);
            let within: u64 = counts.buckets.iter().take(end).skip(next_bucket).sum();
            next_bucket = end;
            exposed.push((Duration::from_micros(bound_us).as_secs_f64(), within));
        }
        exposed.push((f64::MAX, counts.buckets.iter().skip(next_bucket).sum()));
        let sum = Duration::from_micros(self.sum_us()).as_secs_f64();
        encoder.encode_histogram::<NoLabelSet>(sum, counts.total(), &exposed, None)
    }
}

/// The counts of a histogram at one moment; the difference of two is what happened between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    buckets: [u64; BUCKETS],
}

impl Default for Counts {
    fn default() -> Self {
        Self { buckets: [0; BUCKETS] }
    }
}

impl Counts {
    /// How many durations were counted.
    pub fn total(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// What was counted since an earlier copy.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut difference = self.clone();
        for (now, before) in difference.buckets.iter_mut().zip(&earlier.buckets) {
            *now = now.saturating_sub(*before);
        }
        difference
    }

    /// The duration, in microseconds, that `per_mille` of the counted ones do not exceed; `None` when nothing was counted.
    pub fn quantile_us(&self, per_mille: u64) -> Option<u64> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let rank = total.saturating_mul(per_mille).div_ceil(1000).max(1);
        let mut seen = 0_u64;
        for (index, count) in self.buckets.iter().enumerate() {
            if seen + count >= rank {
                let (low, high) = (lower_bound_us(index), lower_bound_us(index + 1));
                // The bucket's counts are taken as spread evenly over it.
                return Some(low + (high - low).saturating_mul(rank - seen) / (count + 1));
            }
            seen += count;
        }
        None
    }
}

fn bucket_of(duration_us: u64) -> usize {
    if duration_us < 4 {
        return usize::try_from(duration_us).unwrap_or_default();
    }
    let octave = duration_us.ilog2();
    let quarter = (duration_us >> (octave - 2)) & 3;
    let index = u64::from(octave - 1) * 4 + quarter;
    usize::try_from(index).map_or(BUCKETS - 1, |index| index.min(BUCKETS - 1))
}

fn lower_bound_us(bucket: usize) -> u64 {
    let bucket = u64::try_from(bucket).unwrap_or_default();
    if bucket < 4 {
        return bucket;
    }
    (4 + bucket % 4) << (bucket / 4 - 1)
}

#[cfg(test)]
mod histogram_tests;
