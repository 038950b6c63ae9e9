//! Medians and percentiles of measured values, and the few conversions of whole numbers that reports need.

use std::time::Duration;

/// The value below which `share` (0 to 1) of the sorted values lie; 0 when there is none.
#[must_use]
pub fn percentile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    sorted.get(rounded(real(last) * share)).copied().unwrap_or(0.0)
}

/// The values in ascending order.
#[must_use]
pub fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// The middle value; 0 when there is none.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let ordered = sorted(values.to_vec());
    let middle = ordered.len() / 2;
    let upper = ordered.get(middle).copied().unwrap_or(0.0);
    if ordered.len() % 2 == 1 {
        return upper;
    }
    let lower = middle.checked_sub(1).and_then(|below| ordered.get(below)).copied().unwrap_or(upper);
    (lower + upper) / 2.0
}

/// The greatest value; 0 when there is none.
#[must_use]
pub fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// The least value; 0 when there is none.
#[must_use]
pub fn least(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().copied().fold(f64::INFINITY, f64::min) }
}

/// Milliseconds with their fraction.
#[must_use]
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// Two decimals are what a reader of a report can use.
#[must_use]
pub fn short(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// A count as a real number.
#[expect(clippy::as_conversions, reason = "counts in reports are far below 2^52, where this is exact")]
#[must_use]
pub fn real(count: usize) -> f64 {
    count as f64
}

/// A 64-bit count as a real number.
#[expect(clippy::as_conversions, reason = "counts in reports are far below 2^52, where this is exact")]
#[must_use]
pub fn real64(count: u64) -> f64 {
    count as f64
}

/// The nearest whole number, 0 for anything below it.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates, which is what a position in a list needs"
)]
#[must_use]
pub fn rounded(value: f64) -> usize {
    value.round().max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use super::{median, percentile, sorted};

    #[test]
    fn medians_and_percentiles_are_of_the_ordered_values() {
        assert!((median(&[9.0, 1.0, 5.0]) - 5.0).abs() < 1e-9);
        assert!((median(&[4.0, 1.0]) - 2.5).abs() < 1e-9);
        let hundred = sorted((0..=100).rev().map(f64::from).collect());
        assert!((percentile(&hundred, 0.99) - 99.0).abs() < 1e-9);
        assert!(percentile(&[], 0.5).abs() < 1e-9);
    }
}
