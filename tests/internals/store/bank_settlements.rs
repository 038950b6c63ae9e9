//! Lines of statements that are receipts, payments or refunds: confirmed, matched, and taken out of the books again.

use bookkeeping_suite::domain::books::command::{BooksCommand, Confirmation};
use bookkeeping_suite::domain::books::records::settlement::AllocationInput;
use bookkeeping_suite::domain::books::request::{CommandOutcome, CommandResult};
use bookkeeping_suite::domain::ledger::allocation::SettlementKind::{
    self, CustomerReceipt, CustomerRefund, SupplierPayment,
};
use bookkeeping_suite::domain::ledger::bank::{BankStatus, ConfirmType};
use bookkeeping_suite::domain::ledger::bank_candidates::CandidateKind;
use bookkeeping_suite::domain::ledger::contact::ContactKind::{Customer, Supplier};
use bookkeeping_suite::domain::ledger::document::DocumentKind::SalesInvoice;

use super::books::{Books, date, settlement, to_invoice};
use super::fixture::{StoreFixture, store_suite};

store_suite![
    a_line_confirmed_as_a_receipt_makes_it,
    unconfirming_undoes_the_receipt_that_the_line_made,
    voiding_the_receipt_sets_the_line_back,
    a_match_posts_nothing_and_is_only_unlinked,
    a_receipt_is_matched_through_its_journal_too,
    a_batch_is_confirmed_whole_or_not_at_all,
    one_of_two_confirmations_wins,
    candidates_are_open_invoices_and_unlinked_money,
];

fn as_settlement(kind: SettlementKind, contact_id: i64, allocations: Vec<AllocationInput>) -> Confirmation {
    Confirmation::Settlement { kind, contact_id, allocations }
}

async fn a_line_confirmed_as_a_receipt_makes_it(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let invoice = books.sales_invoice(customer, "2026-05-20", 10_000).await;
    let id = books.bank_line("2026-06-01", 12_000, "FPI BRIGHTWELL").await;
    let wrong = as_settlement(SupplierPayment, customer, Vec::new());
    assert_eq!(books.refused(books.confirm_one(id, wrong)).await.reason(), "amount_mismatch");
    let too_much = as_settlement(CustomerReceipt, customer, vec![to_invoice(invoice.id, 12_001)]);
    assert_eq!(books.refused(books.confirm_one(id, too_much)).await.reason(), "over_allocated");
    let row = books.confirmed(id, as_settlement(CustomerReceipt, customer, vec![to_invoice(invoice.id, 12_000)])).await;
    assert_eq!((row.status, row.kind), (BankStatus::Confirmed, Some(ConfirmType::CustomerReceipt)));
    let (side, made) = row.settlement.unwrap();
    assert_eq!((side, row.contact_id), (Customer, Some(customer)));
    let receipt = books.settlement(Customer, made).await;
    assert_eq!((receipt.amount_pence, receipt.date, receipt.allocated_pence), (12_000, date("2026-06-01"), 12_000));
    assert_eq!((receipt.bank_transaction_id, receipt.journal_id), (Some(id), row.journal_id));
    assert_eq!(receipt.number.as_deref(), Some("RCP-00001"));
    assert_eq!(books.document(SalesInvoice, invoice.id).await.due_pence(), 0);
    assert_eq!(books.line_of_bank(id).await, row);
    let out = books.bank_line("2026-06-02", -500, "REFUND").await;
    let row = books.confirmed(out, as_settlement(CustomerRefund, customer, Vec::new())).await;
    assert_eq!(row.settlement.map(|(side, _)| side), Some(Customer));
    assert_eq!(books.balance("1200").await, 11_500);
    bed.assert_sound().await;
}

async fn unconfirming_undoes_the_receipt_that_the_line_made(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let invoice = books.sales_invoice(customer, "2026-05-20", 10_000).await;
    let id = books.bank_line("2026-06-01", 12_000, "FPI BRIGHTWELL").await;
    let confirmation = as_settlement(CustomerReceipt, customer, vec![to_invoice(invoice.id, 12_000)]);
    let (_, made) = books.confirmed(id, confirmation.clone()).await.settlement.unwrap();
    let CommandResult::BankTransaction(row) = books.done(BooksCommand::Unconfirm { id }).await else {
        panic!("a line")
    };
    assert_eq!((row.status, row.kind, row.settlement, row.journal_id), (BankStatus::Unconfirmed, None, None, None));
    let undone = books.settlement(Customer, made).await;
    assert_eq!((undone.is_void, undone.void_date, undone.allocated_pence), (true, Some(date("2026-06-01")), 0));
    assert_eq!(undone.bank_transaction_id, None);
    assert_eq!(books.document(SalesInvoice, invoice.id).await.due_pence(), 12_000);
    assert_eq!(books.balance("1200").await, 0);
    assert_eq!(books.refused(BooksCommand::Unconfirm { id }).await.reason(), "invalid_state");
    let again = books.confirmed(id, confirmation).await;
    assert_ne!(again.settlement.map(|(_, id)| id), Some(made));
    assert_eq!(books.balance("1200").await, 12_000);
    bed.assert_sound().await;
}

async fn voiding_the_receipt_sets_the_line_back(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let made = books.bank_line("2026-06-01", 12_000, "FPI BRIGHTWELL").await;
    let (_, id) = books.confirmed(made, as_settlement(CustomerReceipt, customer, Vec::new())).await.settlement.unwrap();
    let void =
        |id| BooksCommand::VoidSettlement { side: Customer, id, void_date: Some(date("2026-06-09")), reason: None };
    books.done(void(id)).await;
    assert_eq!(books.line_of_bank(made).await.status, BankStatus::Unconfirmed);
    let receipt = books.settle(settlement(CustomerReceipt, customer, "2026-06-01", 12_000, books.bank)).await;
    books.confirmed(made, Confirmation::MatchSettlement { side: Customer, id: receipt.id }).await;
    books.done(void(receipt.id)).await;
    let row = books.line_of_bank(made).await;
    assert_eq!((row.status, row.settlement, row.journal_id), (BankStatus::Unconfirmed, None, None));
    bed.assert_sound().await;
}

async fn a_match_posts_nothing_and_is_only_unlinked(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let supplier = books.contact(Supplier, "Reed Carpentry", Vec::new()).await;
    let payment = books.settle(settlement(SupplierPayment, supplier, "2026-06-01", 7_000, books.bank)).await;
    let id = books.bank_line("2026-06-03", -7_000, "REED").await;
    let other = books.bank_line("2026-06-03", -7_000, "REED AGAIN").await;
    let less = books.bank_line("2026-06-03", -6_999, "REED").await;
    let with = |side, id| Confirmation::MatchSettlement { side, id };
    let refused = |line, confirmation| books.refused(books.confirm_one(line, confirmation));
    assert_eq!(refused(less, with(Supplier, payment.id)).await.reason(), "amount_mismatch");
    assert_eq!(refused(id, with(Customer, payment.id)).await.reason(), "unknown_reference");
    let row = books.confirmed(id, with(Supplier, payment.id)).await;
    assert_eq!((row.kind, row.journal_id), (Some(ConfirmType::Match), payment.journal_id));
    assert_eq!((row.settlement, row.contact_id), (Some((Supplier, payment.id)), Some(supplier)));
    assert_eq!(books.balance("1200").await, -7_000);
    assert_eq!(books.settlement(Supplier, payment.id).await.bank_transaction_id, Some(id));
    assert_eq!(refused(other, with(Supplier, payment.id)).await.reason(), "invalid_state");
    books.done(BooksCommand::Unconfirm { id }).await;
    let unlinked = books.settlement(Supplier, payment.id).await;
    assert_eq!((unlinked.is_void, unlinked.bank_transaction_id), (false, None));
    assert_eq!(books.balance("1200").await, -7_000);
    books.confirmed(other, with(Supplier, payment.id)).await;
    bed.assert_sound().await;
}

async fn a_receipt_is_matched_through_its_journal_too(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let receipt = books.settle(settlement(CustomerReceipt, customer, "2026-06-01", 12_000, books.bank)).await;
    let id = books.bank_line("2026-06-01", 12_000, "BRIGHTWELL").await;
    let row = books.confirmed(id, Confirmation::MatchJournal(receipt.journal_id.unwrap())).await;
    assert_eq!(row.settlement, Some((Customer, receipt.id)));
    assert_eq!(books.settlement(Customer, receipt.id).await.bank_transaction_id, Some(id));
    let direct = BooksCommand::VoidJournal { id: receipt.journal_id.unwrap(), void_date: None, reason: None };
    assert_eq!(books.refused(direct).await.reason(), "linked_to_document");
    bed.assert_sound().await;
}

async fn a_batch_is_confirmed_whole_or_not_at_all(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let invoice = books.sales_invoice(customer, "2026-05-20", 10_000).await;
    let first = books.bank_line("2026-06-01", 7_000, "ONE").await;
    let second = books.bank_line("2026-06-02", 5_000, "TWO").await;
    let part = |amount| as_settlement(CustomerReceipt, customer, vec![to_invoice(invoice.id, amount)]);
    let batch =
        |items: [(i64, Confirmation); 2]| BooksCommand::Confirm { items: items.into_iter().collect(), is_batch: true };
    let refused = books.outcome(batch([(first, part(7_000)), (second, part(5_001))])).await;
    assert!(matches!(refused, CommandOutcome::RefusedItem(1, _)), "{refused:?}");
    assert_eq!(books.line_of_bank(first).await.status, BankStatus::Unconfirmed);
    let done = books.done(batch([(first, part(7_000)), (second, part(5_000))])).await;
    let CommandResult::BankTransactions(rows) = done else { panic!("{done:?}") };
    let made: Vec<i64> = rows.iter().filter_map(|row| row.settlement).map(|(_, id)| id).collect();
    assert_eq!(books.settlement(Customer, made[0]).await.number.as_deref(), Some("RCP-00001"));
    assert_eq!(books.settlement(Customer, made[1]).await.number.as_deref(), Some("RCP-00002"));
    assert_eq!(books.document(SalesInvoice, invoice.id).await.due_pence(), 0);
    bed.assert_sound().await;
}

async fn one_of_two_confirmations_wins(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let id = books.bank_line("2026-06-01", 7_000, "ONE").await;
    let confirm = || books.outcome(books.confirm_one(id, as_settlement(CustomerReceipt, customer, Vec::new())));
    let (one, other) = tokio::join!(confirm(), confirm());
    let done = [&one, &other].into_iter().filter(|outcome| matches!(outcome, CommandOutcome::Done(_))).count();
    assert_eq!(done, 1, "{one:?} {other:?}");
    let receipt = books.settle(settlement(CustomerReceipt, customer, "2026-06-01", 500, books.bank)).await;
    let lines = [books.bank_line("2026-06-01", 500, "A").await, books.bank_line("2026-06-01", 500, "B").await];
    let matched = |line: i64| {
        let confirmation = Confirmation::MatchSettlement { side: Customer, id: receipt.id };
        books.outcome(books.confirm_one(line, confirmation))
    };
    let (one, other) = tokio::join!(matched(lines[0]), matched(lines[1]));
    let done = [&one, &other].into_iter().filter(|outcome| matches!(outcome, CommandOutcome::Done(_))).count();
    assert_eq!(done, 1, "{one:?} {other:?}");
    bed.assert_sound().await;
}

async fn candidates_are_open_invoices_and_unlinked_money(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let same = books.sales_invoice(customer, "2026-05-20", 10_000).await;
    let named = books.sales_invoice(customer, "2026-05-21", 90_000).await;
    let _other = books.sales_invoice(customer, "2026-05-22", 50_000).await;
    let receipt = books.settle(settlement(CustomerReceipt, customer, "2026-06-01", 12_000, books.bank)).await;
    let void = books.settle(settlement(CustomerReceipt, customer, "2026-06-01", 12_000, books.bank)).await;
    books.done(BooksCommand::VoidSettlement { side: Customer, id: void.id, void_date: None, reason: None }).await;
    let number = named.number.clone().unwrap();
    let id = books.bank_line("2026-06-01", 12_000, &format!("FPI {number}")).await;
    let row = books.line_of_bank(id).await;
    let reader = &bed.store.reader;
    let found = reader.match_candidates(books.organisation.id, &row).await.unwrap();
    let mut offered: Vec<_> = found.iter().map(|one| (one.kind, one.id, one.amount.0)).collect();
    offered.sort_unstable();
    let expected = [
        (CandidateKind::SalesInvoice, same.id, 12_000),
        (CandidateKind::SalesInvoice, named.id, 108_000),
        (CandidateKind::CustomerReceipt, receipt.id, 12_000),
    ];
    assert_eq!(offered, expected);
    books.confirmed(id, Confirmation::MatchSettlement { side: Customer, id: receipt.id }).await;
    let later = books.bank_line("2026-06-01", -12_000, "OUT").await;
    let row = books.line_of_bank(later).await;
    let found = reader.match_candidates(books.organisation.id, &row).await.unwrap();
    assert_eq!(found, Vec::new());
}
