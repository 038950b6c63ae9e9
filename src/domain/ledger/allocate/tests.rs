//! Allocations: what may be set against what.

use super::*;
use crate::domain::ledger::testing::{books, carry_out, chart, document, register, since_ever};
use crate::domain::ledger::vat::{VatCode, VatScheme};

const DAY: Date = Date::numbered(20_200);

fn decide(
    register: &Register,
    requests: &[(i64, i64)],
    date: Option<Date>,
    lock_date: Option<Date>,
) -> Result<AllocationEffects, Refusal> {
    let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
    let books = Books { lock_date, ..books(&chart, &vat) };
    let requests: Vec<_> = requests.iter().map(|(id, pence)| (DocumentId(*id), Pence(*pence))).collect();
    allocate_credit(&books, register, DocumentId(9), &requests, date)
}

fn open() -> Register {
    register([
        document(1, DocumentKind::SalesInvoice, DAY, &[(VatCode::Standard, 10_000)]),
        document(2, DocumentKind::SalesInvoice, DAY + 5, &[(VatCode::Zero, 5_000)]),
        document(9, DocumentKind::SalesCreditNote, DAY + 2, &[(VatCode::Standard, 5_000)]),
    ])
}

#[test]
fn credit_settles_an_invoice_and_is_used_up() {
    let mut with = open();
    let effects = decide(&with, &[(1, 4_000), (2, 2_000)], None, None).unwrap();
    let after: Vec<_> = effects.documents.iter().map(|after| (after.id.0, after.due.0, after.status)).collect();
    assert_eq!(after, [(1, 8_000, "part_paid"), (2, 3_000, "part_paid"), (9, 0, "allocated")]);
    let dates: Vec<Date> = effects.added.iter().map(|added| added.date).collect();
    assert_eq!(dates, [DAY + 2, DAY + 5]);
    let parts: Vec<String> = effects.added.iter().map(|added| added.credit.to_text()).collect();
    assert_eq!(parts, ["ST 33.33 6.67", "ST 16.67 3.33"]);

    carry_out(&mut with, &effects, &mut 0);
    assert_eq!(with.documents[&DocumentId(1)].credited(), Pence(4_000));
    let over = decide(&with, &[(1, 1)], None, None).unwrap_err();
    assert_eq!(over, Refusal::OverAllocated { available: Pence::ZERO, requested: Pence(1) });
    assert_eq!(with.documents[&DocumentId(9)].active_allocation_ids(), [AllocationId(1), AllocationId(2)]);

    let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
    let locked = Books { lock_date: Some(DAY + 3), ..books(&chart, &vat) };
    let ids = [AllocationId(1), AllocationId(2), AllocationId(1)];
    let released = unallocate_credit(&locked, &with, DocumentId(9), &ids).unwrap();
    assert_eq!(released.released, [(AllocationId(1), DAY + 4), (AllocationId(2), DAY + 5)]);
    let statuses: Vec<_> = released.documents.iter().map(|after| after.status).collect();
    assert_eq!(statuses, ["issued", "issued", "issued"]);
}

#[test]
fn credit_is_dated_after_both_and_in_an_open_period() {
    let date = |date| decide(&open(), &[(2, 100)], date, Some(DAY + 6));
    assert_eq!(date(None).unwrap().added[0].date, DAY + 7);
    assert_eq!(date(Some(DAY + 9)).unwrap().added[0].date, DAY + 9);
    assert_eq!(date(Some(DAY + 6)).unwrap_err().reason(), "period_locked");
    assert_eq!(date(Some(DAY + 4)).unwrap_err().reason(), "invalid_field");
}

#[test]
fn each_way_credit_is_refused() {
    let mut with = open();
    let refused = |with: &Register, requests: &[(i64, i64)]| decide(with, requests, None, None).unwrap_err();
    assert_eq!(refused(&with, &[(1, 6_001)]).reason(), "over_allocated");
    assert_eq!(refused(&with, &[(2, 5_001)]).reason(), "over_allocated");
    for id in [9, 77] {
        let unknown = Refusal::UnknownReference { field: "allocations[0].invoice_id".to_owned(), id };
        assert_eq!(refused(&with, &[(id, 1)]), unknown);
    }
    with.documents.get_mut(&DocumentId(1)).unwrap().contact_id = ContactId(8);
    assert_eq!(refused(&with, &[(1, 1)]).reason(), "contact_mismatch");
    with.documents.get_mut(&DocumentId(2)).unwrap().stage = Stage::Void;
    assert_eq!(refused(&with, &[(2, 1)]).reason(), "invalid_state");
    with.documents.get_mut(&DocumentId(9)).unwrap().stage = Stage::Draft;
    assert_eq!(refused(&with, &[(1, 1)]).reason(), "invalid_state");
}

#[test]
fn credit_takes_its_part_of_a_deduction_off_the_bill() {
    let mut bill = document(1, DocumentKind::PurchaseInvoice, DAY, &[(VatCode::Standard, 192_000)]);
    bill.deduction = Pence(30_000);
    let mut note = document(9, DocumentKind::PurchaseCreditNote, DAY, &[(VatCode::Standard, 50_000)]);
    note.deduction = Pence(10_000);
    let mut with = register([bill, note]);
    let effects = decide(&with, &[(1, 60_000)], None, None).unwrap();
    assert_eq!(effects.added[0].cis, Pence(10_000));
    carry_out(&mut with, &effects, &mut 0);
    let bill = &with.documents[&DocumentId(1)];
    assert_eq!((bill.due(), bill.payable()), (Pence(170_400), Pence(150_400)));
    assert_eq!(bill.cis_balance().withheld_from(Pence(150_400)), Pence(20_000));
}
