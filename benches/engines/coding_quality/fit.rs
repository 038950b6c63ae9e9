//! Confidence: isotonic regression of being right on the raw score, by method.

use std::collections::BTreeMap;

use bookkeeping_suite::domain::coding::curve_names;

/// A line of a business: how it was decided, the raw score in thousandths, whether account and VAT code were right.
pub struct Sample {
    pub business: usize,
    /// Its curve.
    pub curve: &'static str,
    pub raw: u16,
    pub right: bool,
}

/// Points of a curve, raw score and chance in thousandths.
pub type Curve = Vec<(u16, u16)>;

/// How many lines of all methods stand in for lines of its own that a method lacks.
const PRIOR_ROWS: f64 = 12.0;

/// The curves of all methods.
pub fn fit(samples: &[&Sample]) -> BTreeMap<&'static str, Curve> {
    let is_of_purchases = |name: &str| name.starts_with("purchases_");
    let of = |purchases: bool| {
        let own: Vec<&Sample> =
            samples.iter().copied().filter(|sample| is_of_purchases(sample.curve) == purchases).collect();
        isotonic(&own, None)
    };
    let (all, all_purchases) = (of(false), of(true));
    curve_names()
        .map(|name| {
            let own: Vec<&Sample> = samples.iter().copied().filter(|sample| sample.curve == name).collect();
            (name, isotonic(&own, Some(if is_of_purchases(name) { &all_purchases } else { &all })))
        })
        .collect()
}

/// Calibration error over ten bins of businesses that were left out of the fit.
pub fn error_of_left_out(samples: &[Sample], businesses: usize) -> f64 {
    let mut bins = vec![(0.0, 0.0, 0.0); 10];
    for left_out in 0..businesses {
        let kept: Vec<&Sample> = samples.iter().filter(|sample| sample.business != left_out).collect();
        let curves = fit(&kept);
        for sample in samples.iter().filter(|sample| sample.business == left_out) {
            let chance = f64::from(value(&curves[sample.curve], sample.raw)) / 1000.0;
            let bin = &mut bins[((chance * 10.0) as usize).min(9)];
            bin.0 += 1.0;
            bin.1 += chance;
            bin.2 += f64::from(u8::from(sample.right));
        }
    }
    let rows: f64 = bins.iter().map(|bin| bin.0).sum();
    bins.iter().map(|bin| (bin.1 - bin.2).abs()).sum::<f64>() / rows
}

/// Bins of equal counts, pooled until they rise.
fn isotonic(samples: &[&Sample], prior: Option<&Curve>) -> Curve {
    let mut sorted: Vec<&Sample> = samples.to_vec();
    sorted.sort_by_key(|sample| sample.raw);
    let size = (sorted.len() / 20).max(16);
    let mut blocks: Vec<(f64, f64, f64)> = Vec::new();
    for chunk in sorted.chunks(size) {
        let rows = chunk.len() as f64;
        let raw = chunk.iter().map(|sample| f64::from(sample.raw)).sum::<f64>() / rows;
        let mut right = chunk.iter().filter(|sample| sample.right).count() as f64;
        let mut weight = rows;
        if let Some(prior) = prior {
            right += PRIOR_ROWS * f64::from(value(prior, raw as u16)) / 1000.0;
            weight += PRIOR_ROWS;
        }
        blocks.push((raw * weight, right, weight));
        while let [.., before, last] = blocks.as_slice() {
            if before.1 / before.2 <= last.1 / last.2 {
                break;
            }
            let merged = (before.0 + last.0, before.1 + last.1, before.2 + last.2);
            blocks.truncate(blocks.len() - 2);
            blocks.push(merged);
        }
    }
    if blocks.is_empty() {
        return prior.cloned().unwrap_or_default();
    }
    let mut curve: Curve = Vec::new();
    for (raw, right, weight) in blocks {
        let point = ((raw / weight) as u16, (1000.0 * (right / weight).clamp(0.02, 0.985)) as u16);
        if curve.last().is_none_or(|last| last.0 < point.0) {
            curve.push(point);
        }
    }
    curve
}

fn value(curve: &Curve, raw: u16) -> u16 {
    let after = curve.iter().position(|(at, _)| *at >= raw);
    match after {
        None => curve.last().map_or(raw, |point| point.1),
        Some(0) => curve[0].1,
        Some(place) => {
            let ((low, from), (high, to)) = (curve[place - 1], curve[place]);
            let share = f64::from(raw - low) / f64::from((high - low).max(1));
            from + (f64::from(to - from) * share) as u16
        }
    }
}
