//! Entries of VAT: which boxes they count in.

use super::*;
use crate::domain::ledger::money::Percent;
use crate::domain::ledger::vat_return::{Boxes, boxes_of_entries as boxes};

fn entry(side: Side, basis: Basis, net: i64, vat: i64) -> VatEntry {
    VatEntry {
        side,
        code: VatCode::Standard,
        amount: Split { net: Pence(net), vat: Pence(vat) },
        basis,
        reverse_charge: None,
        tax_point: Date::numbered(0),
        rate_date: None,
        origin: VatOrigin::JournalLine(1),
    }
}

#[test]
fn boxes_are_sums_and_an_undone_entry_leaves_none() {
    let sale = entry(Side::Output, Basis::Standard, 10_000, 2_000);
    let purchase = entry(Side::Input, Basis::Cash, 5_000, 1_000);
    let sum = boxes([&sale, &purchase], VatScheme::Standard);
    assert_eq!(
        sum,
        Boxes { box1: Pence(2_000), box4: Pence(1_000), box6: Pence(10_000), box7: Pence(5_000), ..Boxes::default() }
    );
    let undone = sale.undone(Date::numbered(9));
    assert_eq!(undone.tax_point, Date::numbered(9));
    assert_eq!(boxes([&sale, &undone], VatScheme::Standard), Boxes::default());
}

#[test]
fn the_flat_rate_is_rounded_once_on_the_turnover_of_the_period() {
    let scheme = VatScheme::FlatRate(Percent(950), FlatRateBasis::Invoice);
    let sales =
        [entry(Side::Output, Basis::FlatRate, 1_000_000, 200_000), entry(Side::Output, Basis::FlatRate, 43_300, 0)];
    let sum = boxes(&sales, scheme);
    assert_eq!((sum.box1, sum.box6), (Pence(118_114), Pence(1_243_300)));
}

#[test]
fn bases_have_their_words() {
    for scheme in [VatScheme::Standard, VatScheme::Cash, VatScheme::FlatRate(Percent(1), FlatRateBasis::Invoice)] {
        assert_eq!(Basis::from(scheme).as_str(), scheme.as_str());
        assert_eq!(Basis::parse(scheme.as_str()), Some(Basis::from(scheme)));
    }
}

#[test]
fn under_a_reverse_charge_the_vat_is_due_and_reclaimed() {
    let charged =
        |side, charge, net, vat| VatEntry { reverse_charge: Some(charge), ..entry(side, Basis::Standard, net, vat) };
    let domestic = charged(Side::Input, ReverseCharge::Domestic, 10_000, 2_000);
    let imported = charged(Side::Input, ReverseCharge::ImportedServices, 500, 100);
    let sold = charged(Side::Output, ReverseCharge::Domestic, 7_000, 0);
    for scheme in [VatScheme::Standard, VatScheme::Cash, VatScheme::FlatRate(Percent(950), FlatRateBasis::Invoice)] {
        let of_domestic =
            Boxes { box1: Pence(2_000), box4: Pence(2_000), box6: Pence(0), box7: Pence(10_000), ..Boxes::default() };
        assert_eq!(boxes([&domestic], scheme), of_domestic);
        let of_imported =
            Boxes { box1: Pence(100), box4: Pence(100), box6: Pence(500), box7: Pence(500), ..Boxes::default() };
        assert_eq!(boxes([&imported], scheme), of_imported);
        assert_eq!(boxes([&sold], scheme), Boxes { box6: Pence(7_000), ..Boxes::default() });
        assert_eq!(boxes([&domestic, &domestic.undone(Date::numbered(9))], scheme), Boxes::default());
    }
}
