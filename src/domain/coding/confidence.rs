//! From what a stage thinks of its answer to the chance that account and VAT code are both right.
//!
//! The table is fitted by `cargo bench --bench engines -- coding_quality --fit`: isotonic regression of being right on
//! the raw score, by method, drawn towards all methods together where there are few lines. The error it prints is that of
//! businesses left out of the fit.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::outcome::{Basis, Method};

const TABLE: &str = include_str!("knowledge/confidence.tsv");

/// Points of one method: raw score and chance of being right, both in thousandths, ascending.
type Curve = Vec<(u16, u16)>;

/// What is left to a person is never surer than this, however few such lines there are to fit a curve to.
const MOST_FOR_FALLBACK: u16 = 150;

/// Being right about a business that nobody learned from is less likely than the fit says, although it leaves out the
/// business it predicts: knowledge has grown on all of those it is fitted to. On the first openings of sealed sets whose authors were
/// asked for untidy feeds the odds of being wrong were 1.7 to 2.2 times those of the fit, of sets whose authors were asked for lines
/// that a bookkeeper can code .9 to 1.3 (`docs/measurements/2026-11-27-coding.md`). Since lines in doubt are ranked these odds are right for
/// nineteen authors whom forms and, but for four rules, the knowledge had not learned from (`docs/measurements/2026-11-29-coding-clues.md`).
const ODDS_UNSEEN_TENTHS: u32 = 12;

/// The same for what rules decide, before anything is ranked.
const ODDS_UNSEEN_BY_RULES_TENTHS: u32 = 15;

/// The same for payments without receipts: whole bodies that paid them are left out of their fit
/// (`docs/measurements/2026-11-23-coding-real.md`).
const ODDS_UNSEEN_PURCHASES_TENTHS: u32 = 11;

/// The same for answers that rest on a customer's past: how steadily people code differs from body to body by more than a fit to a
/// dozen of them shows (`docs/measurements/2026-11-25-coding.md`).
const ODDS_OTHER_PASTS_TENTHS: u32 = 16;

/// The name of the curve of answers that rest on the past of other payees, whatever their method.
const OTHER_PAYEES: &str = "history_other_payees";

/// The name of the curve of an answer.
pub const fn curve_name(method: Method, basis: Basis) -> &'static str {
    match (basis, method) {
        (Basis::OtherPayees, _) => OTHER_PAYEES,
        (Basis::Purchases, Method::AccountName) => "purchases_account_name",
        (Basis::Purchases, Method::Merchant) => "purchases_merchant",
        (Basis::Purchases, Method::Semantic) => "purchases_semantic",
        (Basis::Purchases, Method::UniversalPattern) => "purchases_universal_pattern",
        _ => method.as_str(),
    }
}

/// The name of every curve.
pub fn curve_names() -> impl Iterator<Item = &'static str> {
    let bases = [Basis::Line, Basis::Purchases, Basis::OtherPayees];
    let names: BTreeSet<&'static str> = bases
        .into_iter()
        .flat_map(|basis| Method::ALL.into_iter().map(move |method| curve_name(method, basis)))
        .collect();
    names.into_iter()
}

/// The calibrated confidence of a method's answer, in thousandths.
pub fn calibrated(method: Method, basis: Basis, raw: f32) -> u16 {
    let fitted = fitted(method, basis, raw);
    let unseen = if basis == Basis::Purchases { ODDS_UNSEEN_PURCHASES_TENTHS } else { ODDS_UNSEEN_TENTHS };
    match method {
        _ if matches!(basis, Basis::Payee | Basis::OtherPayees) && method != Method::Fallback => {
            less_sure(fitted, ODDS_OTHER_PASTS_TENTHS)
        }
        // Decided by numbers and amounts rather than by knowledge.
        Method::InvoiceSettlement | Method::Transfer => fitted,
        Method::Fallback => less_sure(fitted, unseen).min(MOST_FOR_FALLBACK),
        _ => less_sure(fitted, unseen),
    }
}

/// How sure an answer is that rules gave by the words of a line, before lines in doubt are ranked, in thousandths: what the ranking is
/// fitted to (`tools/ranking`).
pub fn calibrated_by_rules(method: Method, raw: f32) -> u16 {
    match method {
        Method::InvoiceSettlement | Method::Transfer => fitted(method, Basis::Line, raw),
        _ => less_sure(fitted(method, Basis::Line, raw), ODDS_UNSEEN_BY_RULES_TENTHS),
    }
}

/// What the curve of an answer says, in thousandths.
fn fitted(method: Method, basis: Basis, raw: f32) -> u16 {
    static CURVES: OnceLock<Vec<(&'static str, Curve)>> = OnceLock::new();
    let curves = CURVES.get_or_init(read);
    let name = curve_name(method, basis);
    let curve = curves.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, curve)| curve.as_slice());
    interpolated(curve, raw_thousandths(raw))
}

/// A chance with the odds of being wrong raised by so many tenths.
fn less_sure(chance: u16, odds_tenths: u32) -> u16 {
    let (right, wrong) = (u32::from(chance) * 10, (1000 - u32::from(chance.min(1000))) * odds_tenths);
    u16::try_from(1000 * right / (right + wrong).max(1)).unwrap_or(1000)
}

/// A raw score in thousandths.
pub fn raw_thousandths(raw: f32) -> u16 {
    let clamped = raw.clamp(0.0, 1.0) * 1000.0;
    (0..10_u16).rev().fold(0_u16, |sum, bit| {
        let next = sum + (1 << bit);
        if next <= 1000 && f32::from(next) <= clamped { next } else { sum }
    })
}

/// The value of a curve between its points; flat outside them.
fn interpolated(curve: &[(u16, u16)], raw: u16) -> u16 {
    let after = curve.iter().position(|(at, _)| *at >= raw);
    match (after, after.and_then(|place| place.checked_sub(1)).and_then(|place| curve.get(place))) {
        (None, _) => curve.last().map_or(raw, |(_, value)| *value),
        (Some(place), None) => curve.get(place).map_or(raw, |(_, value)| *value),
        (Some(place), Some((low, from))) => {
            let Some((high, to)) = curve.get(place) else { return *from };
            let (width, done) = (u32::from(high - low).max(1), u32::from(raw - low));
            let rise = u32::from(to.saturating_sub(*from));
            from + u16::try_from(rise * done / width).unwrap_or(0)
        }
    }
}

fn read() -> Vec<(&'static str, Curve)> {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let curves = rows.filter_map(|line| {
        let (name, points) = line.split_once('\t')?;
        let points = points.split(' ').filter_map(|point| {
            let (raw, chance) = point.split_once('=')?;
            Some((raw.parse().ok()?, chance.parse().ok()?))
        });
        Some((name, points.collect()))
    });
    curves.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_curve_that_never_falls() {
        let curves = read();
        for name in curve_names() {
            let (_, curve) = curves.iter().find(|(known, _)| *known == name).expect("a curve");
            assert!(!curve.is_empty(), "{name}");
            assert!(curve.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1), "{name}");
            assert!(curve.iter().all(|(raw, chance)| *raw <= 1000 && *chance <= 1000));
        }
    }

    #[test]
    fn between_two_points_it_is_a_line() {
        let curve = [(100, 200), (300, 400)];
        assert_eq!([0, 100, 200, 300, 900].map(|raw| interpolated(&curve, raw)), [200, 200, 300, 400, 400]);
        assert_eq!([-1.0, 0.0, 0.5, 0.9999, 1.0, 7.0].map(raw_thousandths), [0, 0, 500, 999, 1000, 1000]);
    }
}
