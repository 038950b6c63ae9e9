//! Decimals of a fixed number of places.

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
    for text in
        ["10.005", "1e-3", "0.0099999999999999999", "1e10", "10000000000", "1e400", "-1e10", "", "-", "01", "1.", ".5"]
    {
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
    for (dividend, divisor, quotient) in
        [(5, 10, 1), (-5, 10, -1), (4, 10, 0), (-4, 10, 0), (15, 10, 2), (25, 10, 3), (1, 3, 0), (2, 3, 1), (-2, 3, -1)]
    {
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
