//! The last ten minutes, one sample a second, so that a page opened now shows what happened before.
//!
//! One task reads atomics and appends to a ring; readers copy from it. No actor takes part.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde::Serialize;

use crate::actors::runtime::{ActorRegistry, ActorState, ActorStats};
use crate::clock::Clock;
use crate::domain::job::{JobStatus, Product};
use crate::domain::refusal_reason::RefusalReason;
use crate::metrics::{Counts, LatencyHistogram, Metrics};

/// Samples kept.
pub const SAMPLES_MAX: usize = 600;
/// Time between two samples.
pub const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);
/// Percentiles are taken over this many samples, so that rare messages still draw a line.
const PERCENTILE_SAMPLES: usize = 10;

/// How long a refusal counts in what is told of the last minute.
const MINUTE_SAMPLES: usize = 60;
/// More refusals than one in so many requests are worth attention.
const ALARMING_ONE_IN: u64 = 100;

/// The recorder and its ring.
pub struct History {
    metrics: Arc<Metrics>,
    registry: ActorRegistry,
    /// Known once the actors are started.
    engines: OnceLock<Vec<(Product, Arc<ActorStats>)>>,
    clock: Arc<dyn Clock>,
    ring: Mutex<Ring>,
}

#[derive(Default)]
struct Ring {
    /// The number of the oldest sample kept; numbers never repeat.
    first: u64,
    samples: VecDeque<Sample>,
    before: Option<Before>,
    actor_windows: Vec<Window>,
    http_window: Window,
    /// Requests and refusals by reason, as counted at each of the last samples.
    minute: VecDeque<(u64, RefusalCounts)>,
}

type RefusalCounts = [(RefusalReason, u64); RefusalReason::ALL.len()];

/// What the last sample saw of numbers that only grow.
struct Before {
    monotonic_ms: u64,
    handled: Vec<u64>,
    rows: Vec<u64>,
    http: u64,
    http_errors: u64,
    refused: u64,
}

/// Latency counts of the last samples; the newest minus the oldest is what happened lately.
#[derive(Default)]
struct Window(VecDeque<Counts>);

impl Window {
    fn push(&mut self, histogram: &LatencyHistogram) -> (Option<u64>, Option<u64>) {
        let newest = histogram.counts();
        let lately = self.0.front().map_or_else(|| newest.clone(), |oldest| newest.since(oldest));
        self.0.push_back(newest);
        if self.0.len() > PERCENTILE_SAMPLES {
            self.0.pop_front();
        }
        (lately.quantile_us(500), lately.quantile_us(990))
    }
}

struct Sample {
    at_ms: i64,
    actors: Vec<Point>,
    http: Point,
    http_errors_per_s: u64,
    refused_per_s: u64,
    jobs: Vec<JobPoint>,
}

#[derive(Clone, Copy)]
struct Point {
    depth: u64,
    per_s: u64,
    p50_us: Option<u64>,
    p99_us: Option<u64>,
    busy: bool,
}

struct JobPoint {
    waiting: u64,
    running: u64,
    rows_per_s: u64,
    completed: u64,
    failed: u64,
}

impl History {
    /// An empty history. `engines` says whose queue holds the waiting jobs of a product.
    pub fn new(
        metrics: Arc<Metrics>,
        registry: ActorRegistry,
        engines: Vec<(Product, Arc<ActorStats>)>,
        clock: Arc<dyn Clock>,
    ) -> Arc<Self> {
        let history = Self::waiting(metrics, registry, clock);
        history.set_engines(engines);
        history
    }

    /// An empty history of a process whose actors are not started yet.
    pub fn waiting(metrics: Arc<Metrics>, registry: ActorRegistry, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { metrics, registry, engines: OnceLock::new(), clock, ring: Mutex::default() })
    }

    /// Says once whose queue holds the waiting jobs of a product.
    pub fn set_engines(&self, engines: Vec<(Product, Arc<ActorStats>)>) {
        // Whoever says it again is not heard.
        let _ = self.engines.set(engines);
    }

    fn engines(&self) -> &[(Product, Arc<ActorStats>)] {
        self.engines.get().map_or(&[], Vec::as_slice)
    }

    /// Takes one sample.
    pub fn sample(&self) {
        let mut ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        let ring = &mut *ring;
        let watched = self.registry.all();
        ring.actor_windows.resize_with(watched.len().max(ring.actor_windows.len()), Window::default);
        let http = self.metrics.http_totals();
        let now = Before {
            monotonic_ms: self.clock.monotonic_ms(),
            handled: watched.iter().map(|one| one.stats().handled()).collect(),
            rows: self.engines().iter().map(|(product, stats)| self.rows_so_far(*product, stats)).collect(),
            http: http.requests,
            http_errors: http.errors,
            refused: self.metrics.refused.total(),
        };
        ring.minute.push_back((now.http, self.metrics.refused.counts()));
        // One more than a minute has: it is the difference of the first and the last.
        if ring.minute.len() > MINUTE_SAMPLES + 1 {
            ring.minute.pop_front();
        }
        let elapsed_ms = ring.before.as_ref().map_or(0, |before| now.monotonic_ms.saturating_sub(before.monotonic_ms));
        let rate = |now: u64, before: Option<u64>| {
            let difference = before.map_or(0, |before| now.saturating_sub(before));
            difference.saturating_mul(1000).checked_div(elapsed_ms).unwrap_or(0)
        };
        let before = ring.before.as_ref();
        let actors = watched.iter().zip(&now.handled).zip(&mut ring.actor_windows).enumerate();
        let actors = actors.map(|(index, ((one, handled), window))| {
            let snapshot = one.snapshot();
            let (p50_us, p99_us) = window.push(one.stats().latency());
            let per_s = rate(*handled, before.and_then(|before| before.handled.get(index).copied()));
            let busy = snapshot.state != ActorState::Running;
            Point { depth: snapshot.queue_depth, per_s, p50_us, p99_us, busy }
        });
        let actors = actors.collect();
        let (p50_us, p99_us) = ring.http_window.push(&http.seconds);
        let http =
            Point { depth: 0, per_s: rate(now.http, before.map(|before| before.http)), p50_us, p99_us, busy: false };
        let http_errors_per_s = rate(now.http_errors, before.map(|before| before.http_errors));
        let jobs = self.engines().iter().zip(&now.rows).enumerate();
        let jobs = jobs.map(|(index, ((product, stats), rows))| JobPoint {
            waiting: stats.queue_depth(),
            running: u64::from(stats.busy_for_ms().is_some() && stats.snapshot().rows_total > 0),
            rows_per_s: rate(*rows, before.and_then(|before| before.rows.get(index).copied())),
            completed: self.metrics.jobs(*product).count(JobStatus::Completed).get(),
            failed: self.metrics.jobs(*product).count(JobStatus::Failed).get(),
        });
        let jobs = jobs.collect();
        let refused_per_s = rate(now.refused, before.map(|before| before.refused));
        let sample = Sample { at_ms: self.clock.now_ms(), actors, http, http_errors_per_s, refused_per_s, jobs };
        ring.samples.push_back(sample);
        if ring.samples.len() > SAMPLES_MAX {
            ring.samples.pop_front();
            ring.first += 1;
        }
        ring.before = Some(now);
    }

    /// Takes a sample each second for ever, on the runtime of the caller.
    pub fn start(self: Arc<Self>) -> tokio::task::JoinHandle<()> {
        tokio::spawn(async move {
            let mut interval = tokio::time::interval(SAMPLE_INTERVAL);
            interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
            loop {
                interval.tick().await;
                self.sample();
            }
        })
    }

    /// What was refused in the last minute.
    pub fn refused(&self) -> RefusedMinute {
        let ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some((http_before, before)), Some((http_now, now))) = (ring.minute.front(), ring.minute.back()) else {
            return RefusedMinute::default();
        };
        let counts =
            now.iter().zip(before).map(|((reason, now), (_, before))| (reason.as_str(), now.saturating_sub(*before)));
        let by_reason: BTreeMap<&'static str, u64> = counts.filter(|(_, count)| *count > 0).collect();
        let (refused, requests) = (by_reason.values().sum::<u64>(), http_now.saturating_sub(*http_before));
        RefusedMinute { by_reason, refused, requests, is_alarming: refused.saturating_mul(ALARMING_ONE_IN) > requests }
    }

    /// The samples from a number on, column by column.
    pub fn since(&self, number: u64) -> Columns {
        let ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        let next = ring.first + u64::try_from(ring.samples.len()).unwrap_or(0);
        // A number from before a restart is ahead of everything; then all there is is new.
        let first = if number > next { ring.first } else { number.max(ring.first) };
        let skipped = usize::try_from(first - ring.first).unwrap_or(usize::MAX);
        let samples: Vec<&Sample> = ring.samples.iter().skip(skipped).collect();
        let actors = self.registry.all();
        Columns {
            interval_ms: 1000,
            first,
            next,
            at_ms: samples.iter().map(|sample| sample.at_ms).collect(),
            actors: actors
                .iter()
                .enumerate()
                .map(|(index, one)| {
                    let points = samples.iter().map(|sample| sample.actors.get(index).copied());
                    Series::of(one.stats().name(), points)
                })
                .collect(),
            http: Series::of("http", samples.iter().map(|sample| Some(sample.http))),
            http_errors_per_s: samples.iter().map(|sample| sample.http_errors_per_s).collect(),
            refused_per_s: samples.iter().map(|sample| sample.refused_per_s).collect(),
            jobs: self
                .engines()
                .iter()
                .enumerate()
                .map(|(index, (product, stats))| {
                    let column = |read: fn(&JobPoint) -> u64| {
                        samples.iter().map(|sample| sample.jobs.get(index).map_or(0, read)).collect()
                    };
                    JobSeries {
                        product: product.as_str(),
                        actor: stats.name(),
                        waiting: column(|point| point.waiting),
                        running: column(|point| point.running),
                        rows_per_s: column(|point| point.rows_per_s),
                        completed: column(|point| point.completed),
                        failed: column(|point| point.failed),
                    }
                })
                .collect(),
        }
    }

    /// Rows of finished jobs and of the one at hand, so that a long job shows its speed while it runs.
    fn rows_so_far(&self, product: Product, stats: &ActorStats) -> u64 {
        let at_hand = if stats.busy_for_ms().is_some() { stats.snapshot().rows_done } else { 0 };
        self.metrics.jobs(product).rows.get() + at_hand
    }
}

/// What was refused with 429 or 503 in the last minute.
#[derive(Debug, Default, Serialize)]
pub struct RefusedMinute {
    /// How often for each reason that was met.
    pub by_reason: BTreeMap<&'static str, u64>,
    /// All of them.
    pub refused: u64,
    /// Requests answered, these included.
    pub requests: u64,
    /// More than one request in a hundred was refused.
    pub is_alarming: bool,
}

/// Part of the history, column by column: one number per sample in every list.
#[derive(Debug, Serialize)]
pub struct Columns {
    /// Time between two samples.
    pub interval_ms: u64,
    /// The number of the first sample here.
    pub first: u64,
    /// The number to ask for next time.
    pub next: u64,
    /// When each sample was taken, in milliseconds since 1970.
    pub at_ms: Vec<i64>,
    /// A series per actor, in the order of `/actors`.
    pub actors: Vec<Series>,
    /// All HTTP requests.
    pub http: Series,
    /// HTTP requests answered with 5xx per second.
    pub http_errors_per_s: Vec<u64>,
    /// HTTP requests refused with 429 or 503 per second.
    pub refused_per_s: Vec<u64>,
    /// A series per product.
    pub jobs: Vec<JobSeries>,
}

/// What happened to messages or requests.
#[derive(Debug, Serialize)]
pub struct Series {
    /// Whose.
    pub name: &'static str,
    /// Work waiting.
    pub depth: Vec<u64>,
    /// Messages finished per second.
    pub per_s: Vec<u64>,
    /// Median over the last ten samples; `null` when nothing was finished in them.
    pub p50_us: Vec<Option<u64>>,
    /// 99th percentile over the last ten samples.
    pub p99_us: Vec<Option<u64>>,
    /// 1 while it was working, hung or down.
    pub busy: Vec<u8>,
}

impl Series {
    fn of(name: &'static str, points: impl Iterator<Item = Option<Point>> + Clone) -> Self {
        Self {
            name,
            depth: points.clone().map(|point| point.map_or(0, |point| point.depth)).collect(),
            per_s: points.clone().map(|point| point.map_or(0, |point| point.per_s)).collect(),
            p50_us: points.clone().map(|point| point.and_then(|point| point.p50_us)).collect(),
            p99_us: points.clone().map(|point| point.and_then(|point| point.p99_us)).collect(),
            busy: points.map(|point| point.map_or(0, |point| u8::from(point.busy))).collect(),
        }
    }
}

/// What happened to the jobs of a product.
#[derive(Debug, Serialize)]
pub struct JobSeries {
    /// The product.
    pub product: &'static str,
    /// The actor that works on them.
    pub actor: &'static str,
    /// Jobs waiting.
    pub waiting: Vec<u64>,
    /// Jobs being worked on: 0 or 1.
    pub running: Vec<u64>,
    /// Rows worked through per second.
    pub rows_per_s: Vec<u64>,
    /// Jobs completed since the start.
    pub completed: Vec<u64>,
    /// Jobs failed since the start.
    pub failed: Vec<u64>,
}
