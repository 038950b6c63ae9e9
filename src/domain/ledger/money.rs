//! Money: whole pence, exact, printed with two decimals.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use super::decimal::{divide_round, parse_number, parse_text};

/// An amount of pounds sterling in pence.
///
/// Every accepted amount is within [`Pence::MAX`] and every list of amounts is bounded, so no sum of them leaves an `i64`
/// (asserted below). Were one to leave it all the same, that would be a defect of ours, and a wrong sum must never be
/// written: the operators panic then, and the guard around the writer or the handler answers 500 and writes nothing. They
/// never wrap and never stop at the edge. Use [`Pence::checked_add`] and [`Pence::checked_sub`] where an amount is not known to be bounded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pence(pub i64);

/// Nine million of the largest amounts still have a sum; the longest list accepted has five thousand.
const _: () = assert!(i64::MAX / Pence::MAX.0 > 9_000_000);

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

    /// The sum; `None` when it is beyond an `i64`.
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(pence) => Some(Self(pence)),
            None => None,
        }
    }

    /// The difference; `None` when it is beyond an `i64`.
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(pence) => Some(Self(pence)),
            None => None,
        }
    }

    /// The magnitude.
    pub const fn abs(self) -> Self {
        if self.is_negative() { Self::ZERO.minus(self) } else { self }
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
        -Self::MAX.0 <= self.0 && self.0 <= Self::MAX.0
    }

    /// The same magnitude, negative when `other` is negative.
    pub const fn with_sign_of(self, other: Self) -> Self {
        if other.is_negative() { Self::ZERO.minus(self.abs()) } else { self.abs() }
    }

    /// `self × part / whole`, halves of a penny away from zero; nothing when the whole is nothing.
    pub fn proportion(self, part: Self, whole: Self) -> Self {
        if whole.is_zero() {
            return Self::ZERO;
        }
        let product = i128::from(self.0) * i128::from(part.0) * i128::from(whole.signum());
        Self::from_wide(divide_round(product, i128::from(whole.abs().0)))
    }

    /// From the wider integer of a product; panics beyond an `i64`, as the operators do.
    pub fn from_wide(pence: i128) -> Self {
        i64::try_from(pence).map_or_else(|_| out_of_range(), Self)
    }

    const fn minus(self, other: Self) -> Self {
        match self.checked_sub(other) {
            Some(difference) => difference,
            None => out_of_range(),
        }
    }
}

/// Ends the work at hand: an amount that does not exist must not be written.
#[cold]
#[inline(never)]
#[expect(
    clippy::panic,
    reason = "accepted amounts cannot reach it; a guard answers 500, where a wrong sum would be kept"
)]
const fn out_of_range() -> ! {
    panic!("an amount of money is out of range")
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
        self.checked_add(other).unwrap_or_else(|| out_of_range())
    }
}

impl Sub for Pence {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.minus(other)
    }
}

impl Neg for Pence {
    type Output = Self;

    fn neg(self) -> Self {
        Self::ZERO.minus(self)
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
    use proptest::collection::vec;
    use proptest::prelude::*;

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
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn a_sum_beyond_the_edge_is_none() {
        assert_eq!(Pence(i64::MAX).checked_add(Pence(1)), None);
        let _ = Pence(i64::MAX) + Pence(1);
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn a_difference_beyond_the_edge_is_none() {
        assert_eq!(Pence(i64::MIN).checked_sub(Pence(1)), None);
        let _ = Pence(i64::MIN) - Pence(1);
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn the_lowest_has_no_opposite() {
        let _ = -Pence(i64::MIN);
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn the_lowest_has_no_magnitude() {
        assert!(!Pence(i64::MIN).is_in_range());
        let _ = Pence(i64::MIN).abs();
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn a_list_beyond_the_edge_has_no_sum() {
        let _: Pence = [Pence(i64::MAX), Pence(1), Pence(-1)].into_iter().sum();
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn a_proportion_beyond_the_edge_is_none() {
        let _ = Pence(i64::MAX).proportion(Pence(2), Pence(1));
    }

    fn near_the_edges() -> impl Strategy<Value = i64> {
        prop_oneof![
            any::<i64>(),
            i64::MIN..=i64::MIN + 3,
            i64::MAX - 3..=i64::MAX,
            -3..=3_i64,
            -Pence::MAX.0 - 1..=-Pence::MAX.0 + 1,
            Pence::MAX.0 - 1..=Pence::MAX.0 + 1,
        ]
    }

    fn accepted() -> impl Strategy<Value = Pence> {
        near_the_edges().prop_map(|pence| Pence(pence.clamp(-Pence::MAX.0, Pence::MAX.0)))
    }

    proptest! {
        #[test]
        fn a_sum_is_exact_or_none((one, other) in (near_the_edges(), near_the_edges())) {
            let exact = |wide: i128| i64::try_from(wide).ok().map(Pence);
            let (wide_one, wide_other) = (i128::from(one), i128::from(other));
            prop_assert_eq!(Pence(one).checked_add(Pence(other)), exact(wide_one + wide_other));
            prop_assert_eq!(Pence(one).checked_sub(Pence(other)), exact(wide_one - wide_other));
        }

        #[test]
        fn the_operators_are_exact_on_accepted_amounts((one, other) in (accepted(), accepted())) {
            let (mut added, mut taken) = (one, one);
            added += other;
            taken -= other;
            prop_assert_eq!((one + other, one - other, -one), (Pence(one.0 + other.0), Pence(one.0 - other.0), Pence(-one.0)));
            prop_assert_eq!((added, taken), (one + other, one - other));
            prop_assert_eq!((one.abs().0, one.with_sign_of(other).abs()), (one.0.abs(), one.abs()));
            prop_assert!(one.is_in_range());
        }

        #[test]
        fn the_longest_lists_of_accepted_amounts_have_exact_sums(some in vec(accepted(), 1..40), copies in 1..=200_usize) {
            let list: Vec<Pence> = some.repeat(copies);
            let exact: i128 = list.iter().map(|amount| i128::from(amount.0)).sum();
            prop_assert_eq!(i128::from(list.into_iter().sum::<Pence>().0), exact);
        }

        #[test]
        fn a_proportion_is_nearest_and_no_more_than_the_whole((of, part, whole) in (accepted(), accepted(), accepted())) {
            prop_assume!(!whole.is_zero() && part.abs() <= whole.abs());
            let result = of.proportion(part, whole);
            let wide = |amount: Pence| i128::from(amount.0);
            prop_assert!(result.abs() <= of.abs());
            let error = wide(result) * wide(whole) - wide(of) * wide(part);
            prop_assert!(2 * error.abs() <= wide(whole).abs());
        }
    }
}
