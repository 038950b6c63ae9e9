//! A latency histogram of atomics: recording is two relaxed additions, reading copies the counts.
//!
//! The buckets are fixed: four to an octave of microseconds, from 1 µs to about 18 minutes, so a percentile is within
//! an eighth of the truth. Longer durations land in the last bucket. Nothing here locks, so a reader never waits for a
//! recorder, not even for one that is stuck.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus_client::encoding::{MetricEncoder, NoLabelSet};

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
mod tests {
    use super::*;

    #[test]
    fn every_bucket_begins_where_the_one_before_ends() {
        for bucket in 0..BUCKETS {
            assert_eq!(bucket_of(lower_bound_us(bucket)), bucket);
            if bucket > 0 {
                assert_eq!(bucket_of(lower_bound_us(bucket) - 1), bucket - 1);
            }
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn percentiles_are_within_an_eighth() {
        let histogram = LatencyHistogram::default();
        for duration_us in 1..=10_000 {
            histogram.record_us(duration_us);
        }
        for (per_mille, exact) in [(500, 5_000_u64), (990, 9_900), (1000, 10_000)] {
            let read = histogram.counts().quantile_us(per_mille).unwrap();
            assert!(read.abs_diff(exact) * 8 <= exact, "{per_mille}: {read} for {exact}");
        }
        assert_eq!(Counts::default().quantile_us(500), None);
    }

    #[test]
    fn a_difference_holds_what_happened_in_between() {
        let histogram = LatencyHistogram::default();
        histogram.record(Duration::from_micros(3));
        let before = histogram.counts();
        histogram.record(Duration::from_millis(3));
        let between = histogram.counts().since(&before);
        assert_eq!(between.total(), 1);
        assert!((2_560..=3_072).contains(&between.quantile_us(500).unwrap()));
        assert_eq!(histogram.sum_us(), 3_003);
    }
}
