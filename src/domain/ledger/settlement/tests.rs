//! Receipts and payments: what is posted and refused.

use super::*;
use crate::domain::ids::{BankAccountId, BankTransactionId, JournalId, SettlementId};
use crate::domain::ledger::bank::BankStatus;
use crate::domain::ledger::chart::Chart;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::journal::JournalStatus;
use crate::domain::ledger::refusal::DetailValue;
use crate::domain::ledger::testing::{books, carry_out, chart, contact, document, posted, register, shown, since_ever};
use crate::domain::ledger::vat::{VatCode, VatScheme};

const DAY: Date = Date::numbered(20_200);

fn entered(kind: SettlementKind, pence: i64, allocations: &[(i64, i64)]) -> EnteredSettlement {
    let request = |(id, pence): &(i64, i64)| AllocateRequest {
        to: AllocateTo::Document(DocumentId(*id)),
        amount: Pence(*pence),
        cis_suffered: Pence::ZERO,
    };
    EnteredSettlement {
        kind,
        contact_id: ContactId(3),
        date: DAY,
        amount: Pence(pence),
        allocations: allocations.iter().map(request).collect(),
        is_auto_allocated: false,
    }
}

fn decide_locked(
    register: &Register,
    entered: &EnteredSettlement,
    lock_date: Option<Date>,
) -> Result<Settled, Refusal> {
    let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
    let bank =
        BankAccount { id: BankAccountId(1), account_id: chart.with_code("1200").unwrap().id, is_archived: false };
    let kind = entered.kind.document_kind().contact_kind();
    let books = Books { lock_date, ..books(&chart, &vat) };
    settle(&books, Some(&contact(kind)), &SettlementAccount::Bank(bank), register, entered, "RCP-00001")
}

fn decide(register: &Register, entered: &EnteredSettlement) -> Result<Settled, Refusal> {
    decide_locked(register, entered, None)
}

fn lines(settled: &Settled) -> Vec<(String, i64)> {
    shown(&chart(true), &settled.journal)
}

fn invoice(id: i64, date: Date, net: i64) -> Document {
    document(id, DocumentKind::SalesInvoice, date, &[(VatCode::Zero, net)])
}

fn bill(id: i64, date: Date) -> Document {
    let bill = document(id, DocumentKind::PurchaseInvoice, date, &[(VatCode::Standard, 192_000)]);
    Document { deduction: Pence(30_000), ..bill }
}

/// The settlement a decision makes, with its id.
fn made(settled: &Settled, entered: &EnteredSettlement, register: &Register) -> Settlement {
    let id = Some(SettlementId(50));
    let mut next_id = 100;
    let mut with = register.clone();
    carry_out(&mut with, &settled.effects, &mut next_id);
    let of_it = with.documents.values().flat_map(|known| known.allocations.iter().cloned());
    let of_it = of_it.filter(|one| one.from == super::super::allocation::AllocationEnd::Settlement(None));
    Settlement {
        id,
        kind: entered.kind,
        contact_id: entered.contact_id,
        date: entered.date,
        amount: entered.amount,
        is_void: false,
        allocations: of_it
            .map(|one| super::super::allocation::Allocation {
                from: super::super::allocation::AllocationEnd::Settlement(id),
                ..one
            })
            .collect(),
    }
}

#[test]
fn the_whole_amount_is_posted_and_allocations_are_not() {
    let open = register([invoice(1, DAY - 9, 60_000), invoice(2, DAY - 5, 90_000)]);
    let receipt =
        decide(&open, &entered(SettlementKind::CustomerReceipt, 100_000, &[(1, 60_000), (2, 10_000)])).unwrap();
    assert_eq!(lines(&receipt), posted(&[("1200", 100_000), ("1100", -100_000)]));
    let statuses: Vec<_> =
        receipt.effects.documents.iter().map(|after| (after.id.0, after.due.0, after.status)).collect();
    assert_eq!(statuses, [(1, 0, "paid"), (2, 80_000, "part_paid")]);
    assert!(receipt.effects.vat.is_empty());
    assert_eq!(receipt.journal.lines[1].contact_id, Some(ContactId(3)));

    let refund = decide(&register([]), &entered(SettlementKind::CustomerRefund, 2_500, &[])).unwrap();
    assert_eq!(lines(&refund), posted(&[("1100", 2_500), ("1200", -2_500)]));
    let payment = decide(&register([]), &entered(SettlementKind::SupplierPayment, 2_500, &[])).unwrap();
    assert_eq!(lines(&payment), posted(&[("2100", 2_500), ("1200", -2_500)]));
    let back = decide(&register([]), &entered(SettlementKind::SupplierRefund, 2_500, &[])).unwrap();
    assert_eq!(lines(&back), posted(&[("1200", 2_500), ("2100", -2_500)]));
}

#[test]
fn debts_are_settled_through_accounts_that_carry_a_balance_and_are_nobody_elses() {
    let (mut chart, vat) = (chart(true), since_ever(VatScheme::Standard));
    let through = |chart: &Chart, code: &str| {
        let account = chart.with_code(code).unwrap().clone();
        let through = SettlementAccount::Other { account, field: "account_code" };
        let payment = entered(SettlementKind::SupplierPayment, 2_500, &[]);
        let supplier = contact(ContactKind::Supplier);
        settle(&books(chart, &vat), Some(&supplier), &through, &register([]), &payment, "PAY-00001")
    };
    for code in ["2500", "1310", "3000", "0030"] {
        let settled = through(&chart, code).unwrap();
        assert_eq!(shown(&chart, &settled.journal), posted(&[("2100", 2_500), (code, -2_500)]), "{code}");
    }
    for code in ["4000", "7100", "1100", "2100", "2200", "3200", "9999"] {
        let refused = through(&chart, code).unwrap_err();
        let id = chart.with_code(code).unwrap().id;
        let details = refused.extras();
        assert_eq!(refused.reason(), "wrong_account_type", "{code}");
        let named = [("field", DetailValue::Text("account_code".to_owned())), ("id", DetailValue::Id(id.0))];
        assert_eq!(details, named, "{code}");
    }
    let closed = Account { is_archived: true, ..chart.with_code("2500").unwrap().clone() };
    let id = closed.id;
    chart.insert(closed);
    let refused = through(&chart, "2500").unwrap_err();
    assert_eq!(refused, Refusal::AccountArchived { field: "account_code".to_owned(), id });
}

#[test]
fn part_payments_of_a_bill_withhold_its_deduction_exactly() {
    let mut open = register([bill(1, DAY - 9)]);
    let mut next_id = 0;
    let first = decide(&open, &entered(SettlementKind::SupplierPayment, 70_000, &[(1, 70_000)])).unwrap();
    assert_eq!(lines(&first), posted(&[("2100", 80_479), ("1200", -70_000), ("cis_payable", -10_479)]));
    assert_eq!(first.withheld, Pence(10_479));
    carry_out(&mut open, &first.effects, &mut next_id);
    assert_eq!(open.documents[&DocumentId(1)].payable(), Pence(130_400));
    let over = decide(&open, &entered(SettlementKind::SupplierPayment, 130_401, &[(1, 130_401)])).unwrap_err();
    assert_eq!(
        over,
        Refusal::OverAllocated { available: Pence(130_400), requested: Pence(130_401) }
            .about("allocations[0].invoice_id", 1)
    );
    let last = decide(&open, &entered(SettlementKind::SupplierPayment, 130_400, &[(1, 130_400)])).unwrap();
    assert_eq!(lines(&last), posted(&[("2100", 149_921), ("1200", -130_400), ("cis_payable", -19_521)]));
    assert_eq!(last.effects.documents[0].status, "paid");
}

#[test]
fn cis_suffered_settles_beside_the_cash() {
    let open = register([invoice(1, DAY - 9, 180_000)]);
    let mut receipt = entered(SettlementKind::CustomerReceipt, 160_000, &[(1, 160_000)]);
    receipt.allocations[0].cis_suffered = Pence(20_000);
    let settled = decide(&open, &receipt).unwrap();
    assert_eq!(lines(&settled), posted(&[("1200", 160_000), ("cis_suffered", 20_000), ("1100", -180_000)]));
    assert_eq!(settled.effects.documents[0].status, "paid");
    receipt.allocations[0].cis_suffered = Pence(20_001);
    let over = decide(&open, &receipt).unwrap_err();
    assert_eq!(
        over,
        Refusal::OverAllocated { available: Pence(180_000), requested: Pence(180_001) }
            .about("allocations[0].invoice_id", 1)
    );
    let mut payment = entered(SettlementKind::SupplierPayment, 100, &[(1, 100)]);
    payment.allocations[0].cis_suffered = Pence(1);
    assert_eq!(decide(&register([bill(1, DAY)]), &payment).unwrap_err().reason(), "invalid_field");
}

#[test]
fn an_allocation_is_never_before_its_document_or_in_the_locked_period() {
    let open = register([invoice(1, DAY + 30, 5_000), invoice(2, DAY - 30, 5_000)]);
    let settled = decide(&open, &entered(SettlementKind::CustomerReceipt, 10_000, &[(1, 5_000), (2, 5_000)])).unwrap();
    let dates: Vec<Date> = settled.effects.added.iter().map(|added| added.date).collect();
    assert_eq!(dates, [DAY + 30, DAY]);
    let refused = decide_locked(&open, &entered(SettlementKind::CustomerReceipt, 1, &[]), Some(DAY)).unwrap_err();
    assert_eq!(refused.reason(), "period_locked");

    let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
    let books = Books { lock_date: Some(DAY + 4), ..books(&chart, &vat) };
    let deposit = Settlement {
        id: Some(SettlementId(9)),
        kind: SettlementKind::CustomerReceipt,
        contact_id: ContactId(3),
        date: DAY,
        amount: Pence(10_000),
        is_void: false,
        allocations: Vec::new(),
    };
    let request = entered(SettlementKind::CustomerReceipt, 1, &[(2, 5_000)]).allocations;
    let later = allocate(&books, &open, &deposit, &request).unwrap();
    assert_eq!((later.effects.added[0].date, later.journals.len()), (DAY + 5, 0));
}

#[test]
fn automatic_allocation_takes_the_oldest_first() {
    let stranger = Document { contact_id: ContactId(4), ..invoice(7, DAY - 90, 1_000) };
    let void = Document { stage: Stage::Void, ..invoice(8, DAY - 90, 1_000) };
    let open =
        register([invoice(1, DAY - 5, 5_000), invoice(2, DAY - 9, 5_000), invoice(3, DAY - 5, 5_000), stranger, void]);
    let mut receipt = entered(SettlementKind::CustomerReceipt, 8_000, &[]);
    receipt.is_auto_allocated = true;
    let settled = decide(&open, &receipt).unwrap();
    let added: Vec<_> = settled.effects.added.iter().map(|added| (added.to, added.amount.0)).collect();
    let end = |id| super::super::allocation::AllocationEnd::Document(DocumentId(id));
    assert_eq!(added, [(end(2), 5_000), (end(1), 3_000)]);
    receipt.amount = Pence(99_000);
    let over = decide(&open, &receipt).unwrap();
    assert_eq!(over.effects.added.len(), 3);
}

#[test]
fn each_way_a_settlement_is_refused() {
    let draft = Document { stage: Stage::Draft, ..invoice(4, DAY, 1_000) };
    let void = Document { stage: Stage::Void, ..invoice(5, DAY, 1_000) };
    let stranger = Document { contact_id: ContactId(4), ..invoice(6, DAY, 1_000) };
    let open = register([invoice(1, DAY, 1_000), draft, void, stranger, bill(7, DAY)]);
    let refused = |pence, allocations: &[(i64, i64)]| {
        decide(&open, &entered(SettlementKind::CustomerReceipt, pence, allocations)).unwrap_err()
    };
    assert_eq!(
        refused(2_000, &[(1, 1_001)]),
        Refusal::OverAllocated { available: Pence(1_000), requested: Pence(1_001) }
            .about("allocations[0].invoice_id", 1)
    );
    assert_eq!(
        refused(2_000, &[(1, 600), (1, 600)]),
        Refusal::OverAllocated { available: Pence(400), requested: Pence(600) }.about("allocations[1].invoice_id", 1)
    );
    assert_eq!(refused(999, &[(1, 1_000)]), Refusal::OverAllocated { available: Pence(999), requested: Pence(1_000) });
    assert_eq!(refused(999, &[(4, 100)]).reason(), "invalid_state");
    assert_eq!(refused(999, &[(5, 100)]).reason(), "invalid_state");
    let other = Refusal::ContactMismatch { field: "allocations[0].invoice_id".to_owned(), id: 6 };
    assert_eq!(refused(999, &[(6, 100)]), other);
    for id in [7, 99] {
        let unknown = Refusal::UnknownReference { field: "allocations[1].invoice_id".to_owned(), id };
        assert_eq!(refused(999, &[(1, 100), (id, 100)]), unknown);
    }
    let customer = EnteredSettlement { contact_id: ContactId(9), ..entered(SettlementKind::CustomerReceipt, 1, &[]) };
    assert_eq!(decide(&open, &customer).unwrap_err().reason(), "unknown_reference");
}

#[test]
fn an_overpayment_is_given_back_and_no_more() {
    let mut open = register([invoice(1, DAY - 9, 60_000)]);
    let receipt = Settlement {
        id: Some(SettlementId(9)),
        kind: SettlementKind::CustomerReceipt,
        contact_id: ContactId(3),
        date: DAY - 1,
        amount: Pence(65_000),
        is_void: false,
        allocations: Vec::new(),
    };
    open.settlements.insert(SettlementId(9), receipt.clone());
    let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
    let request = entered(SettlementKind::CustomerReceipt, 1, &[(1, 60_000)]).allocations;
    let allocated = allocate(&books(&chart, &vat), &open, &receipt, &request).unwrap();
    carry_out(&mut open, &allocated.effects, &mut 0);
    assert_eq!(open.settlements[&SettlementId(9)].unallocated(), Pence(5_000));

    let give_back = |pence| {
        let to = AllocateTo::Settlement(SettlementId(9));
        let allocations = vec![AllocateRequest { to, amount: Pence(pence), cis_suffered: Pence::ZERO }];
        EnteredSettlement { allocations, ..entered(SettlementKind::CustomerRefund, pence, &[]) }
    };
    let over = decide(&open, &give_back(5_001)).unwrap_err();
    assert_eq!(
        over,
        Refusal::OverAllocated { available: Pence(5_000), requested: Pence(5_001) }
            .about("allocations[0].receipt_id", 9)
    );
    let refund = decide(&open, &give_back(5_000)).unwrap();
    carry_out(&mut open, &refund.effects, &mut 10);
    assert_eq!(open.settlements[&SettlementId(9)].unallocated(), Pence::ZERO);
    let again = decide(&open, &give_back(1)).unwrap_err();
    assert_eq!(
        again,
        Refusal::OverAllocated { available: Pence::ZERO, requested: Pence(1) }.about("allocations[0].receipt_id", 9)
    );
    let payment = EnteredSettlement { kind: SettlementKind::SupplierRefund, ..give_back(1) };
    let unknown = decide(&open, &payment).unwrap_err();
    assert_eq!(unknown, Refusal::UnknownReference { field: "allocations[0].payment_id".to_owned(), id: 9 });
}

#[test]
fn a_bill_allocated_later_withholds_then_and_gives_back_when_released() {
    let open = register([bill(1, DAY - 9)]);
    let on_account = entered(SettlementKind::SupplierPayment, 200_400, &[]);
    let settled = decide(&open, &on_account).unwrap();
    assert_eq!(lines(&settled), posted(&[("2100", 200_400), ("1200", -200_400)]));
    let payment = made(&settled, &on_account, &open);
    let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
    let books = books(&chart, &vat);
    let request = entered(SettlementKind::SupplierPayment, 1, &[(1, 200_400)]).allocations;
    let later = allocate(&books, &open, &payment, &request).unwrap();
    assert_eq!(shown(&chart, &later.journals[0]), posted(&[("2100", 30_000), ("cis_payable", -30_000)]));
    assert_eq!(later.journals[0].source.id, Some(50));

    let mut with = open.clone();
    with.settlements.insert(SettlementId(50), payment);
    carry_out(&mut with, &later.effects, &mut 100);
    let payment = with.settlements[&SettlementId(50)].clone();
    let released = unallocate(&books, &with, &payment, &[AllocationId(101)]).unwrap();
    assert_eq!(shown(&chart, &released.journals[0]), posted(&[("2100", -30_000), ("cis_payable", 30_000)]));
    assert_eq!(released.effects.documents[0].status, "issued");
    let unknown = unallocate(&books, &with, &payment, &[AllocationId(7)]).unwrap_err();
    assert_eq!(unknown, Refusal::UnknownReference { field: "allocation_ids[0]".to_owned(), id: 7 });
    carry_out(&mut with, &released.effects, &mut 200);
    let payment = with.settlements[&SettlementId(50)].clone();
    assert_eq!(unallocate(&books, &with, &payment, &[AllocationId(101)]).unwrap_err().reason(), "invalid_state");
}

#[test]
fn undoing_a_settlement_reverses_it_and_releases_what_it_settled() {
    let open = register([bill(1, DAY - 9)]);
    let entered = entered(SettlementKind::SupplierPayment, 70_000, &[(1, 70_000)]);
    let settled = decide(&open, &entered).unwrap();
    let payment = made(&settled, &entered, &open);
    let mut with = open.clone();
    with.documents.get_mut(&DocumentId(1)).unwrap().allocations.clone_from(&payment.allocations);
    let journal =
        PostedJournal { id: JournalId(4), number: 4, status: JournalStatus::Posted, journal: settled.journal };
    let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
    let locked = |lock_date| Books { lock_date, ..books(&chart, &vat) };

    let undone = void(&locked(None), &with, &payment, std::slice::from_ref(&journal), None).unwrap();
    assert_eq!((undone.date, undone.reversals[0].entry_date), (DAY, DAY));
    assert_eq!(undone.reversals[0].total_debit(), Pence(80_479));
    assert_eq!(undone.effects.released, [(payment.allocations[0].id.unwrap(), DAY)]);
    assert_eq!(undone.effects.documents[0].status, "issued");

    let journals = std::slice::from_ref(&journal);
    let refused = void(&locked(Some(DAY)), &with, &payment, journals, None).unwrap_err();
    assert_eq!(refused.reason(), "period_locked");
    let later = void(&locked(Some(DAY)), &with, &payment, journals, Some(DAY + 40)).unwrap();
    assert_eq!(later.effects.released[0].1, DAY + 40);
    let voided = Settlement { is_void: true, ..payment };
    assert_eq!(void(&locked(None), &with, &voided, journals, None).unwrap_err().reason(), "invalid_state");
    assert_eq!(allocate(&locked(None), &with, &voided, &[]).unwrap_err().reason(), "invalid_state");
}

#[test]
fn a_bank_line_becomes_the_settlement_of_its_sign() {
    let line = |pence| BankTransaction {
        id: BankTransactionId(8),
        bank_account_id: BankAccountId(1),
        date: DAY,
        amount: Pence(pence),
        description: "FPO".to_owned(),
        status: BankStatus::Unconfirmed,
    };
    let of = |pence, kind| from_bank(&line(pence), kind, ContactId(3), Vec::new());
    let payment = of(-70_000, ConfirmType::SupplierPayment).unwrap();
    assert_eq!((payment.kind, payment.amount), (SettlementKind::SupplierPayment, Pence(70_000)));
    let wrong = of(70_000, ConfirmType::SupplierPayment).unwrap_err();
    assert_eq!(wrong, Refusal::AmountMismatch { expected: Pence(-70_000), actual: Pence(70_000) });
    assert!(of(1, ConfirmType::CustomerReceipt).is_ok() && of(-1, ConfirmType::CustomerReceipt).is_err());
    assert!(of(-1, ConfirmType::CustomerRefund).is_ok() && of(1, ConfirmType::CustomerRefund).is_err());
    assert!(of(1, ConfirmType::SupplierRefund).is_ok() && of(-1, ConfirmType::SupplierRefund).is_err());
    assert_eq!(of(1, ConfirmType::Coded).unwrap_err().reason(), "invalid_field");
    let excluded = BankTransaction { status: BankStatus::Excluded, ..line(1) };
    let refused = from_bank(&excluded, ConfirmType::CustomerReceipt, ContactId(3), Vec::new()).unwrap_err();
    assert_eq!(refused.reason(), "invalid_state");
}

#[test]
fn kinds_have_their_words_and_contacts() {
    for kind in SettlementKind::ALL {
        assert_eq!(SettlementKind::parse(kind.as_str()), Some(kind));
        assert_eq!(kind.is_refund(), kind.refunds().is_some());
    }
    assert_eq!(SettlementKind::SupplierRefund.document_kind().contact_kind(), ContactKind::Supplier);
}
