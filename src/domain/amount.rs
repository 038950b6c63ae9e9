//! Exact amounts: from the digits of a JSON number to 10⁻¹² units and to the
//! penny that decides equality, and back to plain decimals. No float anywhere.

/// One whole unit (a pound, say) in the units amounts are kept in, 10⁻¹².
pub const UNITS_PER_WHOLE: i128 = 1_000_000_000_000;

/// One penny in the same units.
pub const UNITS_PER_PENNY: i128 = UNITS_PER_WHOLE / 100;

/// Decimal places kept exactly.
const PLACES: i64 = 12;

/// Digits allowed before the point: every accepted magnitude is below 10¹⁸, so
/// the sum of any accepted file stays far inside an `i128`.
const WHOLE_DIGITS: i64 = 18;

/// Why the text of a number is not an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AmountError {
    /// Not the text of a JSON number.
    NotANumber,
    /// The magnitude is 10¹⁸ or more.
    TooLarge,
}

/// Reads the text of a JSON number into 10⁻¹² units; what is finer is rounded half to even.
pub fn parse(text: &str) -> Result<i128, AmountError> {
    if let Some(units) = parse_short(text) {
        return Ok(units);
    }
    let number = Number::split(text)?;
    let magnitude = number.magnitude()?;
    Ok(if number.negative { -magnitude } else { magnitude })
}

/// The same, but what is finer is rounded away from zero: nothing above a bound is read as the bound, and nothing
/// but zero as zero.
pub fn parse_outward(text: &str) -> Result<i128, AmountError> {
    if let Some(units) = parse_short(text) {
        return Ok(units);
    }
    let number = Number::split(text)?;
    let (magnitude, rest) = number.digits()?;
    let magnitude = magnitude + i128::from(rest != Rest::Nothing);
    Ok(if number.negative { -magnitude } else { magnitude })
}

/// The penny an amount is compared by: float dust is removed by rounding half to
/// even at six decimals, then halves of a penny go away from zero.
pub fn pence(units: i128) -> i128 {
    const DUST: i128 = 1_000_000;
    const MILLIONTHS_PER_PENNY: i128 = 10_000;
    let magnitude = units.abs();
    let (whole, rest) = (magnitude / DUST, magnitude % DUST);
    let up = rest > DUST / 2 || (rest == DUST / 2 && whole % 2 == 1);
    let millionths = whole + i128::from(up);
    let pence = (millionths + MILLIONTHS_PER_PENNY / 2) / MILLIONTHS_PER_PENNY;
    if units < 0 { -pence } else { pence }
}

/// Writes units as a plain decimal: no exponent, no trailing zeros, no minus zero.
pub fn plain_decimal(units: i128) -> String {
    let magnitude = units.unsigned_abs();
    let scale = UNITS_PER_WHOLE.unsigned_abs();
    let sign = if units < 0 { "-" } else { "" };
    let (whole, fraction) = (magnitude / scale, magnitude % scale);
    if fraction == 0 {
        return format!("{sign}{whole}");
    }
    let fraction = format!("{fraction:012}");
    format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
}

/// Writes units for people: two decimals and thousands separators when the value
/// is whole pence, otherwise every decimal it has.
pub fn money(units: i128) -> String {
    let plain = if units % UNITS_PER_PENNY == 0 {
        let magnitude = units.unsigned_abs();
        let scale = UNITS_PER_WHOLE.unsigned_abs();
        let pence = magnitude % scale / UNITS_PER_PENNY.unsigned_abs();
        format!("{}.{pence:02}", magnitude / scale)
    } else {
        plain_decimal(units.abs())
    };
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let mut grouped = String::with_capacity(plain.len() + 8);
    if units < 0 {
        grouped.push('-');
    }
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if !fraction.is_empty() {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    grouped
}

/// The common case, a few digits and perhaps a point, in one short loop;
/// `None` sends everything else through the full rules.
fn parse_short(text: &str) -> Option<i128> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let is_plain = !matches!(digits, [] | [b'0', b'0'..=b'9', ..] | [b'.', ..] | [.., b'.']);
    if !is_plain || digits.len() > 18 {
        return None;
    }
    let mut value = 0_i64;
    let mut places = None;
    for &byte in digits {
        match byte {
            b'0'..=b'9' => {
                value = value * 10 + i64::from(byte - b'0');
                places = places.map(|places: u32| places + 1);
            }
            b'.' if places.is_none() => places = Some(0),
            _ => return None,
        }
    }
    let missing = 12_u32.checked_sub(places.unwrap_or(0))?;
    let units = i128::from(value) * i128::from(10_i64.pow(missing));
    Some(if negative { -units } else { units })
}

/// The parts of a JSON number.
struct Number<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: i64,
}

impl<'a> Number<'a> {
    fn split(text: &'a str) -> Result<Self, AmountError> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => {
                let (mantissa, tail) = rest.split_at(at);
                (mantissa, read_exponent(tail.get(1..).unwrap_or(""))?)
            }
            None => (rest, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return Err(AmountError::NotANumber),
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        let digits_only = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let leading_zero = whole.len() > 1 && whole.starts_with('0');
        if whole.is_empty() || leading_zero || !digits_only(whole) || !digits_only(fraction) {
            return Err(AmountError::NotANumber);
        }
        Ok(Self { negative, whole, fraction, exponent })
    }

    fn magnitude(&self) -> Result<i128, AmountError> {
        let (units, rest) = self.digits()?;
        let up = rest == Rest::AboveHalf || (rest == Rest::Half && units % 2 == 1);
        Ok(units + i128::from(up))
    }

    /// Whole units, and what is left below one.
    fn digits(&self) -> Result<(i128, Rest), AmountError> {
        let length = |part: &str| i64::try_from(part.len()).unwrap_or(i64::MAX);
        let digits = || self.whole.bytes().chain(self.fraction.bytes());
        let zeros = digits().take_while(|digit| *digit == b'0').count();
        if zeros == self.whole.len() + self.fraction.len() {
            return Ok((0, Rest::Nothing));
        }
        let zeros = i64::try_from(zeros).unwrap_or(i64::MAX);
        // Digits before the point once leading zeros are gone; negative when zeros follow the point.
        let point = length(self.whole).saturating_add(self.exponent).saturating_sub(zeros);
        if point > WHOLE_DIGITS {
            return Err(AmountError::TooLarge);
        }
        let kept = point + PLACES;
        if kept < 0 {
            return Ok((0, Rest::BelowHalf));
        }
        let mut significant = digits().skip_while(|digit| *digit == b'0');
        let mut units: i128 = 0;
        for _ in 0..kept {
            let digit = significant.next().map_or(0, |digit| i128::from(digit - b'0'));
            units = units * 10 + digit;
        }
        let next = significant.next().unwrap_or(b'0');
        let more = significant.any(|digit| digit != b'0');
        let rest = match (next, more) {
            (b'0', false) => Rest::Nothing,
            (b'5', false) => Rest::Half,
            (b'5'..=b'9', _) => Rest::AboveHalf,
            _ => Rest::BelowHalf,
        };
        Ok((units, rest))
    }
}

/// What is left below the last digit kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Nothing,
    BelowHalf,
    Half,
    AboveHalf,
}

/// Reads the digits after `e`; enormous exponents saturate, which is as good.
fn read_exponent(text: &str) -> Result<i64, AmountError> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(AmountError::NotANumber);
    }
    const FAR: i64 = i64::MAX / 4;
    let mut value: i64 = 0;
    for digit in digits.bytes() {
        value = value.saturating_mul(10).saturating_add(i64::from(digit - b'0')).min(FAR);
    }
    Ok(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_become_exact_units() {
        for (text, plain) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("100.00", "100"),
            ("1e-400", "0"),
            ("1e15", "1000000000000000"),
            ("1.5E+2", "150"),
            ("12345e-2", "123.45"),
            ("0.0000001", "0.0000001"),
            ("-39.996e-3", "-0.039996"),
            ("0.0000000000005", "0"),
            ("0.0000000000015", "0.000000000002"),
            ("0.00000000000050000001", "0.000000000001"),
            ("999999999999999999.99", "999999999999999999.99"),
            ("0e999999999999999999999", "0"),
            ("0.00001e22", "100000000000000000"),
        ] {
            assert_eq!(plain_decimal(parse(text).unwrap()), plain, "{text}");
        }
    }

    #[test]
    fn the_short_way_and_the_full_rules_agree() {
        for text in [
            "0",
            "-0",
            "1",
            "-12.50",
            "0.1",
            "10.005",
            "123456789012345678",
            "-0.000000000001",
            "1234.123456789012",
            "0.0",
            "00",
            "1.",
            ".5",
            "-",
            "1.2.3",
            "1234567890.1234567",
        ] {
            let full = Number::split(text).and_then(|number| {
                let magnitude = number.magnitude()?;
                Ok(if number.negative { -magnitude } else { magnitude })
            });
            assert_eq!(parse(text), full, "{text}");
        }
    }

    #[test]
    fn nothing_is_rounded_onto_a_bound_it_is_beyond() {
        for (text, plain) in [
            ("100", "100"),
            ("1e2", "100"),
            ("100.00000000000001", "100.000000000001"),
            ("99.99999999999999", "100"),
            ("5e-324", "0.000000000001"),
            ("-5e-324", "-0.000000000001"),
            ("0.0000000000005", "0.000000000001"),
            ("-0.0e-7", "0"),
        ] {
            assert_eq!(plain_decimal(parse_outward(text).unwrap()), plain, "{text}");
        }
        assert_eq!(parse_outward("1e18"), Err(AmountError::TooLarge));
        assert_eq!(parse_outward("x"), Err(AmountError::NotANumber));
    }

    #[test]
    fn what_is_too_large_or_not_a_number_is_refused() {
        for text in ["1e18", "1000000000000000000", "1e400", "-1e18", "1e99999999999999999999"] {
            assert_eq!(parse(text), Err(AmountError::TooLarge), "{text}");
        }
        for text in ["", "-", "01", "1.", ".5", "1e", "1e+", "+1", "NaN", "\"1\"", "1 ", "--1"] {
            assert_eq!(parse(text), Err(AmountError::NotANumber), "{text}");
        }
    }

    #[test]
    fn halves_of_a_penny_go_away_from_zero_after_dust_is_gone() {
        let penny = |text: &str| pence(parse(text).unwrap());
        assert_eq!(penny("10.005"), 1001);
        assert_eq!(penny("-10.005"), -1001);
        assert_eq!(penny("1.0049999999999999"), 101);
        assert_eq!(penny("1.005"), 101);
        assert_eq!(penny("10.0149"), 1001);
        assert_eq!(penny("0.30000000000000004"), 30);
        assert_eq!(penny("1e-7"), 0);
    }

    #[test]
    fn money_is_grouped_for_people() {
        assert_eq!(money(parse("-1310.2").unwrap()), "-1,310.20");
        assert_eq!(money(parse("0").unwrap()), "0.00");
        assert_eq!(money(parse("123456").unwrap()), "123,456.00");
        assert_eq!(money(parse("-0.039996").unwrap()), "-0.039996");
    }
}
