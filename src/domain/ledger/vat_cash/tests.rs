//! Cash accounting: what is recognised when.

use super::*;
use crate::domain::ids::{AllocationId, DocumentId, SettlementId};
use crate::domain::ledger::allocation::AllocationEnd;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::testing;
use crate::domain::ledger::vat::VatScheme;
use crate::domain::ledger::vat_return::boxes_of_entries as boxes;
use proptest::prelude::*;

const DAY: Date = Date::numbered(20_200);

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

fn credit(id: i64, date: Date, note: &Document, pence: i64) -> Allocation {
    let (credit, cis) = note.credit_part(Pence(pence));
    Allocation { from: AllocationEnd::Document(note.id), credit, cis, ..cash(id, date, pence) }
}

fn document(id: i64, kind: DocumentKind, date: Date, amounts: &[(VatCode, i64)]) -> Document {
    Document { basis: Some(Basis::Cash), ..testing::document(id, kind, date, amounts) }
}

fn invoice(amounts: &[(VatCode, i64)]) -> Document {
    document(1, DocumentKind::SalesInvoice, DAY, amounts)
}

fn with(document: &Document, allocations: &[Allocation]) -> Document {
    Document { allocations: allocations.to_vec(), ..document.clone() }
}

fn vats(entries: &[VatEntry]) -> Vec<(Date, i64)> {
    entries.iter().map(|entry| (entry.tax_point, entry.amount.vat.0)).collect()
}

#[test]
fn each_payment_brings_its_part_and_the_last_completes_it() {
    let mut invoice = invoice(&[(VatCode::Standard, 10_001)]);
    let mut seen = Vec::new();
    for (id, pence) in [(1, 4_000), (2, 4_000), (3, 4_001)] {
        let mut paid = invoice.clone();
        paid.allocations.push(cash(id, DAY + i32::try_from(id).unwrap(), pence));
        let entries = changes(&invoice, &paid);
        assert!(entries.iter().all(|entry| entry.basis == Basis::Cash && entry.amount.gross() == Pence(pence)));
        seen.extend(vats(&entries));
        invoice = paid;
    }
    assert_eq!(seen, [(DAY + 1, 667), (DAY + 2, 666), (DAY + 3, 667)]);
}

#[test]
fn an_earlier_payment_entered_later_moves_the_parts_of_both_days() {
    let invoice = invoice(&[(VatCode::Standard, 10_001)]);
    let later = with(&invoice, &[cash(1, DAY + 9, 4_000)]);
    let both = with(&invoice, &[cash(1, DAY + 9, 4_000), cash(2, DAY + 3, 4_000)]);
    let first = changes(&invoice, &later);
    let second = changes(&later, &both);
    assert_eq!(vats(&first), [(DAY + 9, 667)]);
    assert_eq!(vats(&second), [(DAY + 3, 667), (DAY + 9, -1)]);
}

#[test]
fn credit_against_an_unpaid_invoice_moves_nothing() {
    let invoice = invoice(&[(VatCode::Standard, 10_000)]);
    let note = document(2, DocumentKind::SalesCreditNote, DAY, &[(VatCode::Standard, 2_000)]);
    let credited = with(&invoice, &[credit(1, DAY + 1, &note, 2_400)]);
    assert!(changes(&invoice, &credited).is_empty());
    let paid = with(&credited, &[credit(1, DAY + 1, &note, 2_400), cash(2, DAY + 2, 9_600)]);
    assert_eq!(vats(&changes(&credited, &paid)), [(DAY + 2, 1_600)]);
    let all =
        with(&invoice, &[credit(1, DAY + 1, &document(2, note.kind, DAY, &[(VatCode::Standard, 10_000)]), 12_000)]);
    assert!(changes(&invoice, &all).is_empty());
}

#[test]
fn a_refunded_credit_note_takes_its_vat_back() {
    let note = document(1, DocumentKind::SalesCreditNote, DAY, &[(VatCode::Standard, 2_000)]);
    let refunded = with(&note, &[cash(1, DAY + 4, 1_200)]);
    assert_eq!(vats(&changes(&note, &refunded)), [(DAY + 4, -200)]);
}

#[test]
fn money_withheld_under_cis_counts_as_paid() {
    let bill = document(1, DocumentKind::PurchaseInvoice, DAY, &[(VatCode::Standard, 192_000)]);
    let paid = with(&bill, &[Allocation { cis: Pence(10_479), ..cash(1, DAY + 1, 70_000) }]);
    let entries = changes(&bill, &paid);
    assert_eq!((vats(&entries), entries[0].amount.gross()), (vec![(DAY + 1, 13_413)], Pence(80_479)));
}

#[test]
fn only_cash_accounting_and_only_documents_of_these_books() {
    let invoice = invoice(&[(VatCode::Standard, 10_000)]);
    let paid = with(&invoice, &[cash(1, DAY + 1, 6_000)]);
    for basis in [Some(Basis::Standard), Some(Basis::FlatRate), None] {
        assert!(changes(&invoice, &Document { basis, ..paid.clone() }).is_empty());
    }
}

#[test]
fn what_credit_alone_settles_declares_what_the_credit_leaves() {
    let invoice = invoice(&[(VatCode::Standard, 10_000)]);
    let note = document(2, DocumentKind::SalesCreditNote, DAY, &[(VatCode::Zero, 12_000)]);
    let part = with(&invoice, &[credit(1, DAY + 1, &note, 7_000)]);
    assert!(changes(&invoice, &part).is_empty());
    let noted = with(&note, &[credit(1, DAY + 1, &note, 7_000)]);
    let whole = with(&part, &[part.allocations[0].clone(), credit(2, DAY + 4, &noted, 5_000)]);
    let entries = changes(&part, &whole);
    assert_eq!(vats(&entries), [(DAY + 4, 2_000), (DAY + 4, 0)]);
    assert_eq!(entries.iter().map(|entry| entry.amount.net.0).collect::<Vec<_>>(), [10_000, -12_000]);
    let mut released = whole.clone();
    released.allocations[0].released_on = Some(DAY + 9);
    assert_eq!(vats(&changes(&whole, &released)), [(DAY + 9, -2_000), (DAY + 9, 0)]);
}

#[test]
fn credit_that_is_declared_on_its_own_counts_as_a_payment() {
    let invoice = invoice(&[(VatCode::Standard, 10_000)]);
    let note = document(2, DocumentKind::SalesCreditNote, DAY, &[(VatCode::Standard, 2_000)]);
    let given = Allocation { as_payment: true, ..credit(1, DAY + 1, &note, 2_400) };
    let credited = with(&invoice, std::slice::from_ref(&given));
    assert_eq!(vats(&changes(&invoice, &credited)), [(DAY + 1, 400)]);
    let paid = with(&invoice, &[given.clone(), cash(2, DAY + 2, 9_600)]);
    assert_eq!(vats(&changes(&credited, &paid)), [(DAY + 2, 1_600)]);
    // Seen from a note that waits, it is as if it was refunded.
    assert_eq!(vats(&changes(&note, &with(&note, &[given]))), [(DAY + 1, -400)]);
}

#[test]
fn what_is_released_is_taken_back_from_that_day() {
    let invoice = invoice(&[(VatCode::Standard, 10_000)]);
    let paid = with(&invoice, &[cash(1, DAY + 1, 6_000)]);
    let released = with(&invoice, &[Allocation { released_on: Some(DAY + 8), ..cash(1, DAY + 1, 6_000) }]);
    assert_eq!(vats(&changes(&paid, &released)), [(DAY + 8, -1_000)]);
    let at_once = with(&invoice, &[Allocation { released_on: Some(DAY + 1), ..cash(1, DAY + 1, 6_000) }]);
    assert_eq!(vats(&changes(&paid, &at_once)), [(DAY + 1, -1_000)]);
}

proptest! {
    /// I19: fully paid, in whatever parts, days and order of entry, a document has declared what it would have under
    /// the standard scheme; and up to every day, what the formula says of the payments up to that day.
    #[test]
    fn paid_in_full_cash_and_standard_agree(
        amounts in prop::collection::vec((0_usize..5, 1_i64..300_000), 1..5),
        payments in prop::collection::vec((0_i32..40, 1_i64..200_000), 0..8),
        last in 0_i32..40,
    ) {
        let amounts: Vec<_> = amounts.iter().map(|(code, net)| (VatCode::ALL[*code], *net)).collect();
        let unpaid = invoice(&amounts);
        let mut entries = Vec::new();
        let mut now = unpaid.clone();
        let mut id = 0;
        for (date, pence) in payments.into_iter().chain([(last, i64::MAX)]) {
            let pence = pence.min(now.due().0);
            if pence > 0 {
                id += 1;
                let mut next = now.clone();
                next.allocations.push(cash(id, DAY + date, pence));
                entries.extend(changes(&now, &next));
                now = next;
            }
        }
        prop_assert_eq!(now.due(), Pence::ZERO);
        let coded = unpaid.by_code.iter().filter(|(code, _)| code.is_in_return());
        let (net, vat) = coded.fold((Pence::ZERO, Pence::ZERO), |(net, vat), (_, one)| (net + one.net, vat + one.vat));
        let all = boxes(&entries, VatScheme::Cash);
        prop_assert_eq!((all.box1, all.box6), (vat, net));
        for date in 0..40 {
            let until: Vec<_> = entries.iter().filter(|entry| entry.tax_point <= DAY + date).cloned().collect();
            let paid: Pence = now.allocations.iter().filter(|one| one.date <= DAY + date).map(|one| one.amount).sum();
            prop_assert_eq!(boxes(&until, VatScheme::Cash).box1, vat.proportion(paid, now.gross));
        }
    }

    /// I28: what is set and released on the same day leaves every return as it was.
    #[test]
    fn allocating_and_releasing_leaves_nothing(
        net in 1_i64..300_000,
        parts in prop::collection::vec((0_i32..20, 1_i64..100_000), 1..6),
    ) {
        let unpaid = invoice(&[(VatCode::Standard, net), (VatCode::Zero, 77)]);
        let mut now = unpaid.clone();
        let mut entries = Vec::new();
        for (id, (date, pence)) in (1..).zip(parts) {
            let mut next = now.clone();
            next.allocations.push(cash(id, DAY + date, pence));
            entries.extend(changes(&now, &next));
            now = next;
        }
        for place in 0..now.allocations.len() {
            let mut next = now.clone();
            next.allocations[place].released_on = Some(next.allocations[place].date);
            entries.extend(changes(&now, &next));
            now = next;
        }
        let mut by_day: BTreeMap<(Date, VatCode), Split> = BTreeMap::new();
        for entry in &entries {
            let sum = by_day.entry((entry.tax_point, entry.code)).or_default();
            *sum = Split { net: sum.net + entry.amount.net, vat: sum.vat + entry.amount.vat };
        }
        prop_assert!(by_day.values().all(|sum| *sum == Split::default()));
    }
}
