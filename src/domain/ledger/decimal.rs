//! Exact decimals: from the text of a JSON number or string to whole units of a fixed number of places.

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
pub fn plain(units: i64, places: u32) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_counts_by_its_value_not_its_spelling() {
        for (text, units) in [
            ("0", 0),
            ("-0", 0),
            ("-0.00", 0),
            ("1e3", 100_000),
            ("10.100", 1_010),
            ("1200.00", 120_000),
            ("12.5E+1", 12_500),
            ("1500e-2", 1_500),
            ("-0.05", -5),
            ("0.00000e99999999999999999999", 0),
            ("9999999999.99", 999_999_999_999),
            ("1000000000000000000000e-20", 1_000),
        ] {
            assert_eq!(parse_number(text, 2, 999_999_999_999), Some(units), "{text}");
        }
    }

    #[test]
    fn what_is_finer_larger_or_no_number_is_refused() {
        for text in [
            "10.005",
            "1e-3",
            "0.0099999999999999999",
            "1e10",
            "10000000000",
            "1e400",
            "-1e10",
            "",
            "-",
            "01",
            "1.",
            ".5",
        ] {
            assert_eq!(parse_number(text, 2, 999_999_999_999), None, "{text}");
        }
        for text in ["+1", "£5", "1e", "1e+", "NaN", "1 ", "--1", "1,000", "1e1.5"] {
            assert_eq!(parse_number(text, 2, 999_999_999_999), None, "{text}");
        }
    }

    #[test]
    fn text_is_read_strictly() {
        for (text, units) in [("1200.00", 120_000), ("-0.5", -50), ("007", 700), ("0000000001.10", 110)] {
            assert_eq!(parse_text(text, 2, 999_999_999_999), Some(units), "{text}");
        }
        for text in ["", "-", "1.", ".5", "1.005", "1e3", "+1", " 1", "12345678901", "1,000.00", "£5"] {
            assert_eq!(parse_text(text, 2, 999_999_999_999), None, "{text}");
        }
    }

    #[test]
    fn halves_go_away_from_zero() {
        for (dividend, divisor, quotient) in [
            (5, 10, 1),
            (-5, 10, -1),
            (4, 10, 0),
            (-4, 10, 0),
            (15, 10, 2),
            (25, 10, 3),
            (1, 3, 0),
            (2, 3, 1),
            (-2, 3, -1),
        ] {
            assert_eq!(divide_round(dividend, divisor), quotient, "{dividend}/{divisor}");
        }
    }

    #[test]
    fn quantities_prices_and_percentages_have_their_bounds() {
        assert_eq!(Decimal4::parse_quantity_number("7.5"), Some(Decimal4(75_000)));
        assert_eq!(Decimal4::parse_quantity_number("0"), None);
        assert_eq!(Decimal4::parse_quantity_text("-999999.9999"), Some(Decimal4(-9_999_999_999)));
        assert_eq!(Decimal4::parse_quantity_text("1000000"), None);
        assert_eq!(Decimal4::parse_unit_price_number("0.00001"), None);
        assert_eq!(Decimal4::parse_unit_price_text("99999999.9999"), Some(Decimal4(999_999_999_999)));
        assert_eq!(Decimal4(385_000).to_string(), "38.5");
        assert_eq!(Percent::parse_number("9.5"), Some(Percent(950)));
        assert_eq!(Percent::parse_text("100.00"), Some(Percent(10_000)));
        for text in ["-1", "100.01", "1.234"] {
            assert_eq!(Percent::parse_number(text), None, "{text}");
        }
        assert_eq!(Percent(950).to_string(), "9.5");
        assert_eq!(Percent(-5).to_string(), "-0.05");
    }
}
