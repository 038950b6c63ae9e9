//! What a write-off posts, and what of the VAT stays declared.

use proptest::prelude::*;

use super::*;
use crate::domain::ids::{AllocationId, SettlementId};
use crate::domain::ledger::allocation::{Allocation, AllocationEnd};
use crate::domain::ledger::document::Stage;
use crate::domain::ledger::testing::{books, chart, document, posted, register, shown, since_ever};
use crate::domain::ledger::vat::{VatCode, VatScheme};
use crate::domain::ledger::vat_cash::changes;

const DAY: Date = Date::numbered(20_200);

fn invoice(basis: Option<Basis>, net: i64) -> Document {
    Document { basis, ..document(1, DocumentKind::SalesInvoice, DAY, &[(VatCode::Standard, net)]) }
}

fn cash(id: i64, date: Date, pence: i64) -> Allocation {
    Allocation {
        id: Some(AllocationId(id)),
        from: AllocationEnd::Settlement(Some(SettlementId(id))),
        to: AllocationEnd::Document(DocumentId(1)),
        date,
        released_on: None,
        amount: Pence(pence),
        cis: Pence::ZERO,
        credit: CodeTotals::default(),
        as_payment: false,
    }
}

fn entered(pence: Option<i64>) -> EnteredWriteOff {
    EnteredWriteOff { date: DAY + 100, account: None, amount: pence.map(Pence) }
}

fn decide(invoice: Document, entered: &EnteredWriteOff, lock_date: Option<Date>) -> Result<WrittenOff, Refusal> {
    let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
    let books = Books { lock_date, ..books(&chart, &vat) };
    write_off(&books, &register([invoice]), (DocumentId(1), "INV-0001", Some(DAY + 30)), entered)
}

fn lines(written: &WrittenOff) -> Vec<(String, i64)> {
    shown(&chart(true), &written.journal)
}

#[test]
fn the_vat_follows_the_basis_of_the_invoice() {
    let cash = decide(invoice(Some(Basis::Cash), 10_000), &entered(None), None).unwrap();
    assert_eq!(lines(&cash), posted(&[("8100", 10_000), ("2200", 2_000), ("1100", -12_000)]));
    assert_eq!((cash.vat, cash.relief), (Pence(2_000), None));
    let from = (DAY + 30).months_later(6);
    for basis in [Basis::Standard, Basis::FlatRate] {
        let declared = decide(invoice(Some(basis), 10_000), &entered(None), None).unwrap();
        assert_eq!(lines(&declared), posted(&[("8100", 12_000), ("1100", -12_000)]));
        assert_eq!(declared.relief, Some(BadDebtRelief { vat: Pence(2_000), from }));
        assert!(declared.journal.vat.is_empty() && declared.effects.vat.is_empty());
    }
    let opening = Document { by_code: CodeTotals::default(), ..invoice(None, 10_000) };
    let opening = decide(opening, &entered(Some(5_000)), None).unwrap();
    assert_eq!(lines(&opening), posted(&[("8100", 5_000), ("1100", -5_000)]));
    assert_eq!((opening.vat, opening.relief), (Pence::ZERO, None));
}

#[test]
fn relief_counts_from_the_supply_when_that_is_later_than_the_due_date() {
    let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
    let open = register([invoice(Some(Basis::Standard), 10_000)]);
    let of = (DocumentId(1), "INV-0001", Some(DAY - 30));
    let written = write_off(&books(&chart, &vat), &open, of, &entered(None)).unwrap();
    assert_eq!(written.relief.unwrap().from, DAY.months_later(6));
}

#[test]
fn each_way_a_write_off_is_refused() {
    let refused = |invoice, entered: &EnteredWriteOff| decide(invoice, entered, None).unwrap_err();
    let standard = || invoice(Some(Basis::Standard), 10_000);
    let stage = |stage| Document { stage, ..standard() };
    let reason = |refusal: Refusal| refusal.reason();
    assert_eq!(reason(refused(stage(Stage::Draft), &entered(None))), "invalid_state");
    assert_eq!(reason(refused(stage(Stage::Void), &entered(None))), "invalid_state");
    let paid = Document { allocations: vec![cash(1, DAY, 12_000)], ..standard() };
    assert_eq!(
        refused(paid, &entered(None)),
        Refusal::InvalidState { current: "paid", allowed: &["issued", "part_paid"] }
    );
    let part_paid = Document { allocations: vec![cash(1, DAY, 11_000)], ..standard() };
    assert_eq!(
        refused(part_paid, &entered(Some(1_001))),
        Refusal::OverAllocated { available: Pence(1_000), requested: Pence(1_001) }
    );
    let early = EnteredWriteOff { date: DAY - 1, ..entered(None) };
    assert_eq!(reason(refused(standard(), &early)), "invalid_field");
    let released = Allocation { released_on: Some(DAY + 101), ..cash(1, DAY, 500) };
    let released = Document { allocations: vec![released], ..standard() };
    assert_eq!(reason(refused(released, &entered(None))), "invalid_field");
    let locked = decide(standard(), &entered(None), Some(DAY + 100)).unwrap_err();
    assert_eq!(locked.reason(), "period_locked");
    for code in ["1100", "1200", "2100", "2200", "3000", "3200", "4000"] {
        let account = Some(AccountReference::Code(code.to_owned()));
        let named = EnteredWriteOff { account, ..entered(None) };
        assert_eq!(reason(refused(standard(), &named)), "wrong_account_type", "{code}");
    }
    let unknown = EnteredWriteOff { account: Some(AccountReference::Code("9998".to_owned())), ..entered(None) };
    assert_eq!(reason(refused(standard(), &unknown)), "unknown_reference");
}

proptest! {
    /// Under cash accounting the VAT that leaves VAT Control and the VAT declared are together that of the invoice, whatever
    /// was paid before and after: what is written off is never declared, and nothing that was is taken back but for the penny
    /// that rounding moves.
    #[test]
    fn vat_written_off_and_vat_declared_are_that_of_the_invoice(
        net in 1..200_000_i64, first in 0..=100_i64, written in 1..=100_i64
    ) {
        let mut invoice = invoice(Some(Basis::Cash), net);
        let paid = invoice.gross.0 * first / 100;
        if paid > 0 {
            invoice.allocations.push(cash(1, DAY, paid));
        }
        let due = invoice.due().0;
        let amount = due * written / 100;
        prop_assume!(amount > 0);
        let before = recognised(&invoice, Date::MAX).total();
        let written = decide(invoice.clone(), &entered(Some(amount)), None).unwrap();
        let declared: Pence = written.effects.vat.iter().map(|entry| entry.amount.vat).sum();
        prop_assert!(declared.abs() <= Pence(1));
        if amount == due {
            prop_assert!(declared.is_zero());
        }
        let mut after = invoice.clone();
        after.allocations.extend(written.effects.added.iter().cloned());
        let mut settled = after.clone();
        if after.due().is_positive() {
            settled.allocations.push(cash(2, DAY + 200, after.due().0));
        }
        let later: Pence = changes(&after, &settled).iter().map(|entry| entry.amount.vat).sum();
        prop_assert_eq!(before.vat + declared + later + written.vat, invoice.by_code.total().vat);
        prop_assert_eq!(lines(&written).iter().map(|(_, pence)| pence).sum::<i64>(), 0);
    }
}
