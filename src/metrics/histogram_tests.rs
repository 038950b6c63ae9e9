//! The buckets of a histogram.

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
