//! Money and exact decimals: whole pence, quantities, prices and percentages of a fixed number of places, read from the
//! digits of a JSON number or string and printed the same way.
//!
//! [`Money`] is an amount as JSON prints it, [`CURRENCY`] the one currency there is.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

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

/// Reads the text of a JSON number whose value is a whole number of 10⁻ᵖˡᵃᶜᵉˢ units, however it is spelt (`1e3`, `10.100`).
///
/// `None` when it is no JSON number, is finer than that, or its magnitude is above `magnitude_max`.
pub fn parse_number(text: &str, places: u32, magnitude_max: i64) -> Option<i64> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
        None => (rest, 0),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (mantissa, ""),
    };
    let digits_only = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    if whole.is_empty() || leading_zero || !digits_only(whole) || !digits_only(fraction) {
        return None;
    }
    // value = all digits × 10^scale units; zeros at the end of the digits are moved into the scale.
    let mut digits = format!("{whole}{fraction}");
    let mut scale = exponent.saturating_sub(i64::try_from(fraction.len()).ok()?).saturating_add(i64::from(places));
    let significant = digits.trim_end_matches('0').len();
    scale = scale.saturating_add(i64::try_from(digits.len() - significant).ok()?);
    digits.truncate(significant);
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(0);
    }
    let value = digits.parse::<i64>().ok()?;
    let factor = 10_i64.checked_pow(u32::try_from(scale).ok()?)?;
    let value = value.checked_mul(factor).filter(|value| *value <= magnitude_max)?;
    Some(if negative { -value } else { value })
}

/// Reads the digits after `e`; enormous exponents saturate, which is as good.
fn parse_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value = digits.parse::<i64>().unwrap_or(i64::MAX);
    Some(if negative { -value } else { value })
}

/// Reads a decimal written in a string: an optional minus, up to ten digits, and optionally a point and up to `places` digits.
pub fn parse_text(text: &str, places: u32, magnitude_max: i64) -> Option<i64> {
    const WHOLE_DIGITS_MAX: usize = 10;
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = match rest.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (rest, ""),
    };
    let digits_only = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let missing = places.checked_sub(u32::try_from(fraction.len()).ok()?)?;
    if whole.is_empty() || whole.len() > WHOLE_DIGITS_MAX || !digits_only(whole) || !digits_only(fraction) {
        return None;
    }
    let value = format!("{whole}{fraction}").parse::<i64>().ok()?;
    let value = value.checked_mul(10_i64.checked_pow(missing)?).filter(|value| *value <= magnitude_max)?;
    Some(if negative { -value } else { value })
}

/// Writes units of 10⁻ᵖˡᵃᶜᵉˢ as a plain decimal without trailing zeros.
fn plain(units: i64, places: u32) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let scale = 10_u64.saturating_pow(places);
    let (whole, fraction) = (units.unsigned_abs() / scale, units.unsigned_abs() % scale);
    if fraction == 0 {
        return format!("{sign}{whole}");
    }
    let width = usize::try_from(places).unwrap_or(0);
    let fraction = format!("{fraction:0width$}");
    format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
}

/// Divides and rounds to the nearest whole number, halves away from zero. The divisor is positive.
pub const fn divide_round(dividend: i128, divisor: i128) -> i128 {
    let magnitude = dividend.abs();
    let quotient = (magnitude + divisor / 2) / divisor;
    // For an odd divisor, half of it is rounded down, and no remainder is exactly a half: both are right.
    if dividend < 0 { -quotient } else { quotient }
}

/// A number with up to four decimals: a quantity or a unit price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal4(pub i64);

impl Decimal4 {
    /// 1.
    pub const ONE: Self = Self(10_000);
    /// The largest quantity, 999,999.9999.
    pub const QUANTITY_MAX: i64 = 9_999_999_999;
    /// The largest unit price, 99,999,999.9999.
    pub const UNIT_PRICE_MAX: i64 = 999_999_999_999;

    /// A quantity from the text of a JSON number; not zero.
    pub fn parse_quantity_number(text: &str) -> Option<Self> {
        parse_number(text, 4, Self::QUANTITY_MAX).filter(|units| *units != 0).map(Self)
    }

    /// A quantity from a string; not zero.
    pub fn parse_quantity_text(text: &str) -> Option<Self> {
        parse_text(text, 4, Self::QUANTITY_MAX).filter(|units| *units != 0).map(Self)
    }

    /// A unit price from the text of a JSON number.
    pub fn parse_unit_price_number(text: &str) -> Option<Self> {
        parse_number(text, 4, Self::UNIT_PRICE_MAX).map(Self)
    }

    /// A unit price from a string.
    pub fn parse_unit_price_text(text: &str) -> Option<Self> {
        parse_text(text, 4, Self::UNIT_PRICE_MAX).map(Self)
    }
}

impl std::fmt::Display for Decimal4 {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&plain(self.0, 4))
    }
}

/// A percentage with up to two decimals: a discount or a flat rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percent(pub i64);

impl Percent {
    /// 0 %.
    pub const ZERO: Self = Self(0);
    /// 100 %, in the units kept.
    pub const WHOLE: i64 = 10_000;

    /// A percentage from 0 to 100 from the text of a JSON number.
    pub fn parse_number(text: &str) -> Option<Self> {
        parse_number(text, 2, Self::WHOLE).filter(|units| *units >= 0).map(Self)
    }

    /// A percentage from 0 to 100 from a string.
    pub fn parse_text(text: &str) -> Option<Self> {
        parse_text(text, 2, Self::WHOLE).filter(|units| *units >= 0).map(Self)
    }
}

impl std::fmt::Display for Percent {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&plain(self.0, 2))
    }
}

/// The one currency there is.
pub const CURRENCY: &str = "GBP";

/// An amount in pence, printed in pounds with two decimals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Money(pub i64);

impl From<Pence> for Money {
    fn from(amount: Pence) -> Self {
        Self(amount.0)
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_hundredths(self.0, serializer)
    }
}

/// Prints a JSON number with two decimals. A report has thousands of them, so that this does without the formatting of the
/// standard library.
fn serialize_hundredths<S: Serializer>(value: i64, serializer: S) -> Result<S::Ok, S::Error> {
    let magnitude = value.unsigned_abs();
    let mut text = String::with_capacity(24);
    if value < 0 {
        text.push('-');
    }
    let mut digits = itoa::Buffer::new();
    text.push_str(digits.format(magnitude / 100));
    text.push_str(if magnitude % 100 < 10 { ".0" } else { "." });
    text.push_str(digits.format(magnitude % 100));
    serde_json::from_str::<&RawValue>(&text).map_err(S::Error::custom)?.serialize(serializer)
}

/// A share of an amount in hundredths of a percent, printed as a JSON number of percent with two decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Percentage(pub i64);

impl Percentage {
    /// An amount in percent of another, halves of a hundredth away from zero; `None` of nothing.
    pub fn of(amount: Pence, whole: Pence) -> Option<Self> {
        (!whole.is_zero()).then(|| Self(Pence(10_000).proportion(amount, whole).0))
    }
}

impl Serialize for Percentage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_hundredths(self.0, serializer)
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod decimal_tests;
