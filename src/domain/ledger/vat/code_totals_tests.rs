//! Amounts by VAT code: their parts add up.

use super::*;
use proptest::prelude::*;

fn totals(amounts: &[(VatCode, i64, i64)]) -> CodeTotals {
    amounts.iter().map(|(code, net, vat)| (*code, Split { net: Pence(*net), vat: Pence(*vat) })).collect()
}

#[test]
fn parts_of_a_paid_document_add_up_to_its_vat() {
    let document = totals(&[(VatCode::Standard, 10_001, 2_000)]);
    let mut seen = Vec::new();
    let mut before = Pence::ZERO;
    for cash in [4_000, 8_000, 12_001] {
        let vat = document.part(Pence(cash), Pence(12_001)).total().vat;
        seen.push((vat - before).0);
        before = vat;
    }
    assert_eq!(seen, [667, 666, 667]);
}

#[test]
fn what_is_outside_the_scope_takes_its_share_of_the_cash() {
    let document = totals(&[(VatCode::Standard, 10_000, 2_000), (VatCode::NoVat, 12_000, 0)]);
    let half = document.part(Pence(12_000), Pence(24_000));
    assert_eq!(half, totals(&[(VatCode::Standard, 5_000, 1_000)]));
}

#[test]
fn totals_are_kept_by_code_and_as_text() {
    let document =
        totals(&[(VatCode::Zero, 86_000, 0), (VatCode::Standard, 1_003, 201), (VatCode::Standard, 2_006, 402)]);
    assert_eq!(document.to_text(), "ST 30.09 6.03;ZR 860.00 0.00");
    assert_eq!(CodeTotals::parse(&document.to_text()), Some(document.clone()));
    assert_eq!(CodeTotals::parse(""), Some(CodeTotals::default()));
    for text in ["ST", "XX 1.00 0.20", "ST 1.00 0.20 3.00", "ST 1.00;ZR 1.00 0.00"] {
        assert_eq!(CodeTotals::parse(text), None, "{text}");
    }
    let credit = totals(&[(VatCode::Standard, 1_003, 201)]);
    let left = document.without(&credit);
    assert_eq!(left, totals(&[(VatCode::Standard, 2_006, 402), (VatCode::Zero, 86_000, 0)]));
    assert_eq!(left.total().gross(), Pence(88_408));
}

proptest! {
    /// Whatever the codes and however it is paid, the parts complete every code to the penny.
    #[test]
    fn the_last_part_completes_every_code(
        amounts in prop::collection::vec((0_usize..5, 1_i64..1_000_000), 1..6),
        payments in prop::collection::vec(1_i64..500_000, 1..8),
    ) {
        let document: CodeTotals = amounts
            .iter()
            .map(|(code, net)| {
                let code = VatCode::ALL[*code];
                (code, Split { net: Pence(*net), vat: code.vat_on_net(Pence(*net)) })
            })
            .collect();
        let gross = document.total().gross();
        let mut paid = Pence::ZERO;
        let mut recognised = CodeTotals::default();
        for payment in payments.into_iter().map(Pence).chain([gross]) {
            let next = (paid + payment).min(gross);
            let step = document.part(next, gross).without(&document.part(paid, gross));
            for (code, amount) in step.iter() {
                recognised.add(code, amount);
            }
            let vat = document.total().vat.proportion(next, gross);
            prop_assert_eq!(document.part(next, gross).total().vat, vat);
            paid = next;
        }
        for (code, amount) in document.iter().filter(|(code, _)| code.is_in_return()) {
            let seen = recognised.iter().find(|(other, _)| *other == code).map(|(_, seen)| seen);
            prop_assert_eq!(seen, Some(amount));
        }
    }
}
