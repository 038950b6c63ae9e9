//! How amounts and decimals are written in documents for people.

/// An amount with its thousands apart: `-1,234.56`.
pub(super) fn amount(pence: i64) -> String {
    let magnitude = pence.unsigned_abs();
    let sign = if pence < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", grouped(magnitude / 100), magnitude % 100)
}

/// An amount in pounds: `-£1,234.56`.
pub(super) fn pounds(pence: i64) -> String {
    let text = amount(pence);
    text.strip_prefix('-').map_or_else(|| format!("£{text}"), |magnitude| format!("-£{magnitude}"))
}

/// A decimal with its thousands apart, at least two decimals where it has any: `1,234.5` is `1,234.50`.
pub(super) fn decimal(text: &str) -> String {
    let (sign, magnitude) = text.strip_prefix('-').map_or(("", text), |magnitude| ("-", magnitude));
    let (whole, fraction) = magnitude.split_once('.').unwrap_or((magnitude, ""));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    match fraction {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction:0<2}"),
    }
}

/// A price: a decimal with at least two decimals.
pub(super) fn price(text: &str) -> String {
    if text.contains('.') { decimal(text) } else { decimal(&format!("{text}.00")) }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_their_thousands_apart_and_two_decimals() {
        for (pence, text) in [
            (0, "0.00"),
            (5, "0.05"),
            (-5, "-0.05"),
            (99_999, "999.99"),
            (123_456, "1,234.56"),
            (-100_000_000, "-1,000,000.00"),
        ] {
            assert_eq!(amount(pence), text);
        }
        assert_eq!(amount(999_999_999_999), "9,999,999,999.99");
        assert_eq!((pounds(-123), pounds(123_400)), ("-£1.23".to_owned(), "£1,234.00".to_owned()));
        assert_eq!(amount(i64::MIN), "-92,233,720,368,547,758.08");
    }

    #[test]
    fn quantities_and_prices_keep_every_decimal() {
        for (text, shown, as_price) in [
            ("1", "1", "1.00"),
            ("-1234.5", "-1,234.50", "-1,234.50"),
            ("0.0001", "0.0001", "0.0001"),
            ("999999.9999", "999,999.9999", "999,999.9999"),
        ] {
            assert_eq!((decimal(text).as_str(), price(text).as_str()), (shown, as_price));
        }
    }
}
