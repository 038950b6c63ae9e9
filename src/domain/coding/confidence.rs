//! From what a stage thinks of its answer to the chance that account and VAT code are both right.

use super::outcome::Method;

/// The calibrated confidence of a method's answer, in thousandths.
pub fn calibrated(method: Method, raw: f32) -> u16 {
    if method == Method::Fallback {
        return 80;
    }
    thousandths(raw.clamp(0.02, 0.99))
}

/// A share as thousandths.
fn thousandths(share: f32) -> u16 {
    (0..=1000_u16).take_while(|step| f32::from(*step) <= share * 1000.0).last().unwrap_or(0)
}
