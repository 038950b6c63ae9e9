//! VAT schemes: from which day each applies, and when one may change.

use super::*;
use crate::domain::date::Date;
use crate::domain::ids::AccountId;
use crate::domain::ledger::chart::Chart;
use crate::domain::ledger::standard_chart;

fn date(text: &str) -> Date {
    Date::parse(text).unwrap()
}

#[test]
fn only_the_flat_rate_has_a_percentage() {
    let percent = Percent(950);
    assert_eq!(VatScheme::from_parts("standard", None, FlatRateBasis::Invoice), Ok(VatScheme::Standard));
    assert_eq!(VatScheme::from_parts("cash", None, FlatRateBasis::Invoice), Ok(VatScheme::Cash));
    let flat = VatScheme::from_parts("flat_rate", Some(percent), FlatRateBasis::Invoice).unwrap();
    assert_eq!((flat.as_str(), flat.flat_rate()), ("flat_rate", Some(percent)));
    for (word, percent) in [
        ("flat_rate", None),
        ("flat_rate", Some(Percent(0))),
        ("flat_rate", Some(Percent(5_001))),
        ("cash", Some(percent)),
        ("margin", None),
    ] {
        assert_eq!(
            VatScheme::from_parts(word, percent, FlatRateBasis::Invoice).unwrap_err().reason(),
            "invalid_field",
            "{word}"
        );
    }
}

#[test]
fn the_flat_rate_is_taken_of_turnover_including_vat() {
    assert_eq!(flat_rate_tax(Pence(1_243_300), Percent(950)), Pence(118_114));
    assert_eq!(flat_rate_tax(Pence(-1_243_300), Percent(950)), Pence(-118_114));
}

#[test]
fn a_document_keeps_the_scheme_of_its_date() {
    let mut history = VatHistory::new(vec![(date("2025-07-01"), VatScheme::Cash), (Date::MIN, VatScheme::Standard)]);
    assert_eq!(history.on(date("2025-06-30")), VatScheme::Standard);
    assert_eq!(history.on(date("2025-07-01")), VatScheme::Cash);
    history.change(date("2025-07-01"), VatScheme::FlatRate(Percent(950), FlatRateBasis::Invoice));
    assert_eq!(history.on(date("2030-01-01")), VatScheme::FlatRate(Percent(950), FlatRateBasis::Invoice));
    assert_eq!(history.on(date("2025-01-01")), VatScheme::Standard);
    assert_eq!(VatHistory::default().on(Date::numbered(0)), VatScheme::Standard);
}

#[test]
fn a_scheme_changes_the_basis_of_the_days_that_were_under_another() {
    let flat = |basis_points: i64| VatScheme::FlatRate(Percent(basis_points), FlatRateBasis::Invoice);
    let history = VatHistory::new(vec![
        (date("2025-01-01"), VatScheme::Standard),
        (date("2025-07-01"), flat(950)),
        (date("2026-01-01"), flat(1_200)),
    ]);
    assert!(!history.has_other_basis(date("2025-07-01"), flat(100)));
    assert!(history.has_other_basis(date("2025-06-30"), flat(100)));
    assert!(history.has_other_basis(date("2026-03-01"), VatScheme::Cash));
    // The flat rate that begins later would not.
    assert!(history.has_other_basis(date("2025-03-01"), VatScheme::Standard));
    // Without any scheme, documents are under the standard one.
    assert!(!VatHistory::default().has_other_basis(date("2025-01-01"), VatScheme::Standard));
    assert!(VatHistory::default().has_other_basis(date("2025-01-01"), VatScheme::Cash));
}

#[test]
fn a_scheme_begins_with_an_open_vat_period() {
    let start = |from: &str| require_scheme_start(date(from), Some(date("2025-04-30")), 3, 6);
    assert_eq!(start("2025-07-01"), Ok(()));
    assert_eq!(start("2025-04-01").unwrap_err().reason(), "period_locked");
    assert_eq!(start("2025-08-01").unwrap_err().reason(), "invalid_field");
}

#[test]
fn the_flat_rate_reclaims_on_large_capital_goods_alone() {
    let chart: Chart =
        (1..).zip(standard_chart::at_creation(true)).map(|(id, new)| new.with_id(AccountId(id))).collect();
    let machine = chart.with_code("0030").unwrap();
    let rent = chart.with_code("7100").unwrap();
    let flat = VatScheme::FlatRate(Percent(950), FlatRateBasis::Invoice);
    assert!(separates_vat(flat, Side::Input, machine, Pence(200_000)));
    assert!(separates_vat(flat, Side::Input, machine, Pence(-200_000)));
    assert!(!separates_vat(flat, Side::Input, machine, Pence(199_999)));
    assert!(!separates_vat(flat, Side::Input, rent, Pence(900_000)));
    assert!(separates_vat(flat, Side::Output, rent, Pence::ZERO));
    assert!(separates_vat(VatScheme::Cash, Side::Input, rent, Pence::ZERO));
}

#[test]
fn the_side_follows_from_the_account_and_of_fixed_assets_from_the_direction() {
    let chart: Chart =
        (1..).zip(standard_chart::at_creation(true)).map(|(id, new)| new.with_id(AccountId(id))).collect();
    let line =
        |code: &str, pence, vat| side_of_line(chart.with_code(code).unwrap(), Pence(pence), vat, || "f".to_owned());
    for pence in [1, -1] {
        assert_eq!(line("4000", pence, VatCode::Standard), Ok(Side::Output));
        assert_eq!(line("7100", pence, VatCode::Exempt), Ok(Side::Input));
        assert_eq!(line("1300", pence, VatCode::Standard), Ok(Side::Input));
    }
    assert_eq!(line("0030", 1, VatCode::Standard), Ok(Side::Input));
    assert_eq!(line("0030", -1, VatCode::Standard), Ok(Side::Output));
    let side = |code: &str, vat| line(code, 1, vat);
    for code in ["2200", "2400", "3000", "1200", "1100", "9999"] {
        assert_eq!(side(code, VatCode::Zero).unwrap_err().reason(), "wrong_account_type", "{code}");
        assert!(side(code, VatCode::NoVat).is_ok(), "{code}");
    }
}
