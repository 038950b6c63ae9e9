//! Money: whole pence, exact, printed with two decimals.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use super::decimal::{divide_round, parse_number, parse_text};

/// An amount of pounds sterling in pence.
///
/// Every accepted amount is within [`Pence::MAX`], so sums stay far inside an `i64`; were one to leave it, it would stop
/// at the edge rather than wrap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pence(pub i64);

impl Pence {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// The largest magnitude accepted, 9,999,999,999.99.
    pub const MAX: Self = Self(999_999_999_999);

    /// Reads the text of a JSON number whose value is a whole number of pence.
    pub fn parse_number(text: &str) -> Option<Self> {
        parse_number(text, 2, Self::MAX.0).map(Self)
    }

    /// Reads a string of the form `-?\d{1,10}(\.\d{1,2})?`.
    pub fn parse_text(text: &str) -> Option<Self> {
        parse_text(text, 2, Self::MAX.0).map(Self)
    }

    /// The magnitude.
    pub const fn abs(self) -> Self {
        Self(self.0.saturating_abs())
    }

    /// −1, 0 or 1.
    pub const fn signum(self) -> i64 {
        self.0.signum()
    }

    /// Whether it is nothing.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Whether it is more than nothing.
    pub const fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// Whether it is less than nothing.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Whether it is an amount the service accepts and writes.
    pub const fn is_in_range(self) -> bool {
        self.0.saturating_abs() <= Self::MAX.0
    }

    /// The same magnitude, negative when `other` is negative.
    pub const fn with_sign_of(self, other: Self) -> Self {
        if other.is_negative() { Self(-self.abs().0) } else { self.abs() }
    }

    /// `self × part / whole`, halves of a penny away from zero; nothing when the whole is nothing.
    pub fn proportion(self, part: Self, whole: Self) -> Self {
        if whole.is_zero() {
            return Self::ZERO;
        }
        let product = i128::from(self.0) * i128::from(part.0) * i128::from(whole.signum());
        Self::saturated(divide_round(product, i128::from(whole.abs().0)))
    }

    /// From a wider integer; stops at the edge.
    pub fn saturated(pence: i128) -> Self {
        Self(i64::try_from(pence).unwrap_or(if pence < 0 { -i64::MAX } else { i64::MAX }))
    }
}

impl fmt::Display for Pence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(formatter, "{sign}{}.{:02}", magnitude / 100, magnitude % 100)
    }
}

impl Add for Pence {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Pence {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Pence {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl AddAssign for Pence {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Pence {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Pence {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_decimals_always_and_no_minus_zero() {
        for (pence, text) in
            [(0, "0.00"), (-5, "-0.05"), (120_000, "1200.00"), (7, "0.07"), (-123_456, "-1234.56"), (99, "0.99")]
        {
            assert_eq!(Pence(pence).to_string(), text);
        }
        assert_eq!(Pence::parse_number("-0.00").map(|pence| pence.to_string()), Some("0.00".to_owned()));
        assert_eq!((-Pence::ZERO).to_string(), "0.00");
    }

    #[test]
    fn the_bound_is_inclusive() {
        assert_eq!(Pence::parse_text("9999999999.99"), Some(Pence::MAX));
        assert_eq!(Pence::parse_number("-9999999999.99"), Some(-Pence::MAX));
        assert_eq!(Pence::parse_number("1e10"), None);
        assert!(Pence::MAX.is_in_range() && !(Pence::MAX + Pence(1)).is_in_range());
    }

    #[test]
    fn what_a_float_would_read_amiss_is_refused_or_exact() {
        assert_eq!(Pence::parse_number("10.005"), None);
        assert_eq!(Pence::parse_number("1e3"), Some(Pence(100_000)));
        assert_eq!(Pence::parse_text("£5"), None);
        assert_eq!(Pence::parse_text("10.005"), None);
    }

    #[test]
    fn proportions_round_halves_away_from_zero() {
        assert_eq!(Pence(2_000).proportion(Pence(4_000), Pence(12_001)), Pence(667));
        assert_eq!(Pence(1).proportion(Pence(1), Pence(2)), Pence(1));
        assert_eq!(Pence(-1).proportion(Pence(1), Pence(2)), Pence(-1));
        assert_eq!(Pence(5).proportion(Pence(1), Pence(-2)), Pence(-3));
        assert_eq!(Pence(5).proportion(Pence(1), Pence::ZERO), Pence::ZERO);
    }

    #[test]
    fn sums_and_signs() {
        let total: Pence = [Pence(1), Pence(2), Pence(-7)].into_iter().sum();
        assert_eq!(total, Pence(-4));
        assert_eq!(Pence(4).with_sign_of(total), Pence(-4));
        assert_eq!(Pence(-4).with_sign_of(Pence::ZERO), Pence(4));
        assert_eq!(Pence(i64::MAX) + Pence(1), Pence(i64::MAX));
    }
}
