//! The Construction Industry Scheme: accounts made on first use, what payments withhold, and the position of a period.

use bookkeeping_suite::domain::books::command::{BooksCommand, Confirmation};
use bookkeeping_suite::domain::books::records::document::DocumentView;
use bookkeeping_suite::domain::books::records::settlement::{AllocationInput, AllocationTarget};
use bookkeeping_suite::domain::ledger::allocation::SettlementKind::{CustomerReceipt, SupplierPayment};
use bookkeeping_suite::domain::ledger::bank_candidates::CandidateKind;
use bookkeeping_suite::domain::ledger::contact::ContactKind::{Customer, Supplier};
use bookkeeping_suite::domain::ledger::document::CisType;
use bookkeeping_suite::domain::ledger::document::DocumentKind::{PurchaseInvoice, SalesInvoice};
use bookkeeping_suite::domain::reports::Period;
use bookkeeping_suite::domain::reports::cis_position::{CisPosition, CisSubcontractor};

use super::books::{Books, date, line, settlement, shown, to_invoice};
use super::fixture::{StoreFixture, store_suite};

store_suite![
    part_payments_share_the_deduction,
    an_advance_is_deducted_from_when_it_is_allocated,
    an_undone_payment_takes_its_deduction_back,
    customers_withhold_from_us,
];

/// A bill of 1,500.00 work and 420.00 materials: gross 2,304.00, deduction 300.00.
async fn bill(books: &Books<'_>, supplier: i64) -> DocumentView {
    let lines = vec![line(150_000, CisType::Labour), line(42_000, CisType::Materials)];
    let bill = books.issued(PurchaseInvoice, supplier, "2026-05-01", lines).await;
    assert_eq!((bill.gross_pence(), bill.cis.unwrap().deduction_pence), (230_400, 30_000));
    bill
}

async fn position(books: &Books<'_>, from: &str, to: &str) -> CisPosition {
    let period = Period { first: date(from), last: date(to) };
    let rows = books.bed.store.reader.cis_position_rows(&books.organisation, period).await.unwrap();
    CisPosition::compute(rows, period)
}

/// Payments, materials, liable, deducted.
fn figures(position: &CisPosition) -> Vec<(i64, i64, i64, i64)> {
    let one = |one: &CisSubcontractor| (one.total_payments.0, one.materials.0, one.liable.0, one.deducted.0);
    position.subcontractors.iter().map(one).collect()
}

async fn part_payments_share_the_deduction(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let supplier = books.subcontractor("Reed Carpentry", 20).await;
    let bill = bill(&books, supplier).await;
    assert_eq!(books.find_account("2220").await, None);
    let mut entry = settlement(SupplierPayment, supplier, "2026-05-16", 70_000, books.bank);
    entry.allocations = vec![to_invoice(bill.id, 70_000)];
    let first = books.settle(entry).await;
    assert_eq!((first.cis_pence, first.allocations[0].cis_pence), (10_479, 10_479));
    let lines = books.posted(first.journal_id.unwrap()).await;
    let amount = |code: &str, amount| (code.to_owned(), amount);
    assert_eq!(lines, [amount("2100", 80_479), amount("1200", -70_000), amount("2220", -10_479)]);
    let part = books.document(PurchaseInvoice, bill.id).await;
    assert_eq!((part.paid_pence, part.due_pence(), part.cash_pence), (80_479, 149_921, 70_000));

    // The rest comes with a line of the statement.
    let id = books.bank_line("2026-06-10", -130_400, "REED").await;
    let row = books.line_of_bank(id).await;
    let candidates = bed.store.reader.match_candidates(books.organisation.id, &row).await.unwrap();
    let offered: Vec<_> = candidates.iter().map(|one| (one.kind, one.id, one.amount.0)).collect();
    assert_eq!(offered, [(CandidateKind::PurchaseInvoice, bill.id, -130_400)]);
    let allocations = vec![to_invoice(bill.id, 130_400)];
    books.confirmed(id, Confirmation::Settlement { kind: SupplierPayment, contact_id: supplier, allocations }).await;
    assert_eq!(books.document(PurchaseInvoice, bill.id).await.due_pence(), 0);
    assert_eq!((books.balance("2220").await, books.balance("2100").await), (-30_000, 0));

    let may = position(&books, "2026-05-06", "2026-06-05").await;
    assert_eq!(figures(&may), [(67_066, 14_671, 52_395, 10_479)]);
    assert_eq!((may.cis_payable_balance.0, may.suffered.0), (10_479, 0));
    let june = position(&books, "2026-06-06", "2026-07-05").await;
    assert_eq!(figures(&june), [(124_934, 27_329, 97_605, 19_521)]);
    assert_eq!(june.cis_payable_balance.0, 30_000);
    assert_eq!(june.subcontractors[0].deduction_rate, 20);
    assert_eq!(figures(&position(&books, "2026-07-06", "2026-08-05").await), []);
    bed.assert_sound().await;
}

async fn an_advance_is_deducted_from_when_it_is_allocated(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let supplier = books.subcontractor("Reed Carpentry", 20).await;
    let mut entry = settlement(SupplierPayment, supplier, "2026-04-20", 200_400, books.bank);
    let advance = books.settle(entry.clone()).await;
    let bill = bill(&books, supplier).await;
    let allocations = vec![to_invoice(bill.id, 200_400)];
    let allocate = BooksCommand::AllocateSettlement { side: Supplier, id: advance.id, allocations };
    let allocated = shown(books.done(allocate.clone()).await);
    assert_eq!((allocated.cis_pence, allocated.allocations[0].date), (30_000, date("2026-05-01")));
    assert_eq!(books.balance("2220").await, -30_000);
    assert_eq!(figures(&position(&books, "2026-04-06", "2026-05-05").await), [(192_000, 42_000, 150_000, 30_000)]);
    let allocation_ids = vec![allocated.allocations[0].id];
    let release = BooksCommand::UnallocateSettlement { side: Supplier, id: advance.id, allocation_ids };
    assert_eq!(shown(books.done(release).await).cis_pence, 0);
    assert_eq!(books.balance("2220").await, 0);
    assert_eq!(figures(&position(&books, "2026-04-06", "2026-05-05").await), []);
    bed.assert_sound().await;
    // Allocated at once to a bill of a later day: the deduction is posted on that day, by a journal of its own.
    books.done(BooksCommand::VoidSettlement { side: Supplier, id: advance.id, void_date: None, reason: None }).await;
    entry.allocations = vec![to_invoice(bill.id, 200_400)];
    let payment = books.settle(entry).await;
    assert_eq!(books.posted(payment.journal_id.unwrap()).await.len(), 2);
    assert_eq!((books.balance("2220").await, books.balance("2100").await), (-30_000, 0));
    bed.assert_sound().await;
    books.done(BooksCommand::VoidSettlement { side: Supplier, id: payment.id, void_date: None, reason: None }).await;
    assert_eq!((books.balance("2220").await, books.balance("2100").await), (0, -230_400));
    bed.assert_sound().await;
}

async fn an_undone_payment_takes_its_deduction_back(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let supplier = books.subcontractor("Reed Carpentry", 20).await;
    let bill = bill(&books, supplier).await;
    let id = books.bank_line("2026-05-10", -70_000, "REED").await;
    let allocations = vec![to_invoice(bill.id, 70_000)];
    let confirmation = Confirmation::Settlement { kind: SupplierPayment, contact_id: supplier, allocations };
    books.confirmed(id, confirmation).await;
    books.done(BooksCommand::Unconfirm { id }).await;
    assert_eq!((books.balance("2220").await, books.balance("2100").await), (0, -230_400));
    assert_eq!(books.document(PurchaseInvoice, bill.id).await.due_pence(), 230_400);
    let after = position(&books, "2026-05-06", "2026-06-05").await;
    assert_eq!((figures(&after), after.cis_payable_balance.0), (Vec::new(), 0));
    bed.assert_sound().await;
}

async fn customers_withhold_from_us(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let invoice = books.sales_invoice(customer, "2026-05-20", 150_000).await;
    let mut entry = settlement(CustomerReceipt, customer, "2026-06-01", 160_000, books.bank);
    entry.allocations = vec![AllocationInput {
        to: AllocationTarget::Invoice(invoice.id),
        amount_pence: 160_000,
        cis_suffered_pence: 20_000,
    }];
    let receipt = books.settle(entry).await;
    let amount = |code: &str, amount| (code.to_owned(), amount);
    let lines = books.posted(receipt.journal_id.unwrap()).await;
    assert_eq!(lines, [amount("1200", 160_000), amount("1320", 20_000), amount("1100", -180_000)]);
    assert_eq!(books.document(SalesInvoice, invoice.id).await.due_pence(), 0);
    assert_eq!(position(&books, "2026-05-06", "2026-06-05").await.suffered.0, 20_000);
    let void = BooksCommand::VoidSettlement { side: Customer, id: receipt.id, void_date: None, reason: None };
    books.done(void).await;
    assert_eq!(position(&books, "2026-05-06", "2026-06-05").await.suffered.0, 0);
    assert_eq!(books.balance("1320").await, 0);
    bed.assert_sound().await;
}
