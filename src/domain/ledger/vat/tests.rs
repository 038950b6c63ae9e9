//! VAT codes: rounding, and splitting what includes VAT.

use super::*;

fn exclusive(code: VatCode, net: i64) -> i64 {
    code.vat_on_net(Pence(net)).0
}

#[test]
fn half_pennies_go_away_from_zero() {
    let code = VatCode::Reduced;
    let cases = [(70, 4), (230, 12), (30, 2), (50, 3), (-30, -2), (-70, -4), (10, 1), (9, 0), (-10, -1), (-9, 0)];
    for (net, vat) in cases {
        assert_eq!(exclusive(code, net), vat, "{net}");
    }
    assert_eq!(exclusive(VatCode::Standard, 1_003), 201);
    for code in [VatCode::Zero, VatCode::Exempt, VatCode::NoVat] {
        assert_eq!((exclusive(code, 99_999), code.vat_in_gross(Pence(99_999))), (0, Pence::ZERO));
    }
}

#[test]
fn vat_inside_a_gross_amount() {
    let inside = |gross: i64| {
        let split = split_gross(Side::Output, VatCode::Standard, Pence(gross), None, String::new).unwrap();
        (split.vat.0, split.net.0)
    };
    assert_eq!(inside(250_000), (41_667, 208_333));
    assert_eq!(inside(3), (1, 2));
    assert_eq!(inside(-3), (-1, -2));
    assert_eq!(inside(12_000), (2_000, 10_000));
    assert_eq!(inside(8_437), (1_406, 7_031));
}

#[test]
fn a_given_figure_may_be_a_penny_off_on_sales_and_a_pound_on_purchases() {
    let split = |side, given| split_net(side, VatCode::Standard, Pence(1_003), Some(Pence(given)), || "x".to_owned());
    assert_eq!(split(Side::Output, 200).unwrap(), Split { net: Pence(1_003), vat: Pence(200) });
    assert_eq!(split(Side::Output, 202).unwrap().gross(), Pence(1_205));
    assert_eq!(split(Side::Output, 203).unwrap_err().reason(), "vat_amount_out_of_tolerance");
    assert!(split(Side::Input, 301).is_ok() && split(Side::Input, 101).is_ok());
    assert!(split(Side::Input, 302).is_err() && split(Side::Input, 100).is_err());
}

#[test]
fn a_given_figure_is_nothing_on_zero_rates_and_never_against_the_amount() {
    let zero = |given| split_net(Side::Input, VatCode::Zero, Pence(1_000), Some(Pence(given)), String::new);
    assert!(zero(0).is_ok() && zero(1).is_err());
    let small = |given| split_gross(Side::Input, VatCode::Standard, Pence(50), Some(Pence(given)), String::new);
    assert!(small(50).is_ok() && small(0).is_ok());
    assert!(small(51).is_err() && small(-1).is_err());
}

#[test]
fn codes_and_sides_have_their_words() {
    for code in VatCode::ALL {
        assert_eq!(VatCode::parse(code.code()), Some(code));
        assert!(!code.name().is_empty());
    }
    assert_eq!(VatCode::parse("st"), None);
    assert_eq!(Side::parse("output"), Some(Side::Output));
    assert_eq!(Side::parse("input"), Some(Side::Input));
    assert!(VatCode::Exempt.is_in_return() && !VatCode::NoVat.is_in_return());
}
