//! Receipts, payments and refunds: what they post, what they are set against, and how they are undone.

use bookkeeping_suite::domain::books::command::{BooksCommand, Confirmation};
use bookkeeping_suite::domain::books::records::settlement::{
    AllocationInput, AllocationTarget, SettlementField, SettlementFilter,
};
use bookkeeping_suite::domain::books::request::{CommandOutcome, CommandResult};
use bookkeeping_suite::domain::ledger::allocation::SettlementKind::{CustomerReceipt, CustomerRefund, SupplierPayment};
use bookkeeping_suite::domain::ledger::contact::ContactKind::{Customer, Supplier};
use bookkeeping_suite::domain::ledger::document::DocumentKind::{SalesCreditNote, SalesInvoice};
use bookkeeping_suite::domain::ledger::document::{CisType, Stage};

use super::books::{Books, date, line, settlement, shown, to_invoice};
use super::fixture::{StoreFixture, store_suite};

store_suite![
    settlements_are_posted_numbered_and_listed,
    what_is_said_of_a_settlement_may_change_until_it_is_void,
    receipts_settle_invoices_in_parts,
    the_oldest_invoice_is_settled_first,
    a_void_receipt_releases_what_it_settled,
    the_last_hundred_goes_to_one_of_two,
    a_dry_run_writes_nothing,
    refunds_give_back_receipts_and_credit_notes,
    a_locked_period_stands,
    planted_differences_are_found,
];

fn everything(side: bookkeeping_suite::domain::ledger::contact::ContactKind) -> SettlementFilter {
    SettlementFilter {
        side,
        contact_id: None,
        bank_account_id: None,
        from_date: None,
        to_date: None,
        is_void: None,
        has_unallocated: None,
        updated_since_ms: None,
    }
}

async fn ids(books: &Books<'_>, filter: SettlementFilter) -> (Vec<i64>, Option<u64>) {
    let reader = &books.bed.store.reader;
    let (found, total) = reader.settlements(books.organisation.id, &filter, (50, 0)).await.unwrap();
    (found.iter().map(|view| view.id).collect(), total)
}

async fn settlements_are_posted_numbered_and_listed(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let supplier = books.contact(Supplier, "Reed Carpentry", Vec::new()).await;
    let receipt = books.settle(settlement(CustomerReceipt, customer, "2026-06-01", 100_000, books.bank)).await;
    let refund = books.settle(settlement(CustomerRefund, customer, "2026-06-03", 2_500, books.bank)).await;
    let payment = books.settle(settlement(SupplierPayment, supplier, "2026-06-02", 7_000, books.bank)).await;
    let numbers = [&receipt, &refund, &payment].map(|view| view.number.clone().unwrap());
    assert_eq!(numbers, ["RCP-00001", "RCP-00002", "PAY-00001"]);
    assert_eq!(receipt.contact_name, "Brightwell School");
    assert_eq!((receipt.allocated_pence, receipt.cis_pence, receipt.version), (0, 0, 1));
    let lines = |code: &str, amount| (code.to_owned(), amount);
    assert_eq!(books.posted(receipt.journal_id.unwrap()).await, [lines("1200", 100_000), lines("1100", -100_000)]);
    assert_eq!(books.posted(refund.journal_id.unwrap()).await, [lines("1100", 2_500), lines("1200", -2_500)]);
    assert_eq!(books.posted(payment.journal_id.unwrap()).await, [lines("2100", 7_000), lines("1200", -7_000)]);
    let journal = books.journal(receipt.journal_id.unwrap()).await;
    assert_eq!((journal.source_type.as_str(), journal.source_id), ("customer_receipt", Some(receipt.id)));
    assert_eq!(books.settlement(Customer, receipt.id).await, receipt);
    let reader = &bed.store.reader;
    assert_eq!(reader.settlement(books.organisation.id, Supplier, receipt.id).await.unwrap(), None);

    assert_eq!(ids(&books, everything(Customer)).await, (vec![refund.id, receipt.id], Some(2)));
    assert_eq!(ids(&books, everything(Supplier)).await, (vec![payment.id], Some(1)));
    let filter = SettlementFilter { to_date: Some(date("2026-06-02")), ..everything(Customer) };
    assert_eq!(ids(&books, filter).await, (vec![receipt.id], Some(1)));
    let void = BooksCommand::VoidSettlement { side: Customer, id: refund.id, void_date: None, reason: None };
    let voided = shown(books.done(void.clone()).await);
    assert_eq!((voided.is_void, voided.void_date), (true, Some(date("2026-06-03"))));
    assert_eq!(books.refused(void).await.reason(), "invalid_state");
    let filter = SettlementFilter { is_void: Some(true), ..everything(Customer) };
    assert_eq!(ids(&books, filter).await, (vec![refund.id], Some(1)));
    let filter = SettlementFilter { is_void: Some(false), ..everything(Customer) };
    assert_eq!(ids(&books, filter).await, (vec![receipt.id], Some(1)));
    let filter = SettlementFilter { has_unallocated: Some(true), ..everything(Customer) };
    assert_eq!(ids(&books, filter).await, (vec![receipt.id], Some(1)));
    // A void number is not used again.
    let next = books.settle(settlement(CustomerReceipt, customer, "2026-06-05", 1, books.bank)).await;
    assert_eq!(next.number.as_deref(), Some("RCP-00003"));
    assert_eq!((books.balance("1100").await, books.balance("1200").await), (-100_001, 93_001));

    let unknown = settlement(CustomerReceipt, supplier, "2026-06-01", 5, books.bank);
    let refusal = books.refused(BooksCommand::CreateSettlement(Box::new(unknown))).await;
    assert_eq!(refusal.reason(), "unknown_reference");
    let nowhere = settlement(CustomerReceipt, customer, "2026-06-01", 5, 9_999);
    assert_eq!(books.refused(BooksCommand::CreateSettlement(Box::new(nowhere))).await.reason(), "unknown_reference");
    bed.assert_sound().await;
}

async fn what_is_said_of_a_settlement_may_change_until_it_is_void(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let receipt = books.settle(settlement(CustomerReceipt, customer, "2026-06-01", 100_000, books.bank)).await;
    let fields = vec![SettlementField::Reference(Some("PO 8812".to_owned())), SettlementField::Memo(None)];
    let patch = BooksCommand::PatchSettlement { side: Customer, id: receipt.id, fields };
    let changed = shown(books.done(patch.clone()).await);
    assert_eq!((changed.reference.as_deref(), changed.version), (Some("PO 8812"), 2));
    assert_eq!(books.settlement(Customer, receipt.id).await, changed);
    let mut seen = books.post(patch.clone());
    seen.expected_version = Some(1);
    let stale = bed.store.writer.execute(seen).await.unwrap();
    assert!(matches!(&stale, CommandOutcome::Refused(refusal) if refusal.reason() == "stale_version"), "{stale:?}");
    let other = BooksCommand::PatchSettlement { side: Supplier, id: receipt.id, fields: Vec::new() };
    assert_eq!(books.outcome(other).await, CommandOutcome::Unknown);
    books.done(BooksCommand::VoidSettlement { side: Customer, id: receipt.id, void_date: None, reason: None }).await;
    assert_eq!(books.refused(patch).await.reason(), "invalid_state");
    bed.assert_sound().await;
}

async fn receipts_settle_invoices_in_parts(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let other = books.customer("Oak House").await;
    let invoice = books.sales_invoice(customer, "2026-05-20", 100_000).await;
    let foreign = books.sales_invoice(other, "2026-05-20", 100_000).await;
    let mut entry = settlement(CustomerReceipt, customer, "2026-06-01", 100_000, books.bank);
    entry.allocations = vec![to_invoice(invoice.id, 60_000)];
    let receipt = books.settle(entry.clone()).await;
    assert_eq!((receipt.allocated_pence, receipt.allocations.len(), receipt.version), (60_000, 1, 1));
    let allocation = &receipt.allocations[0];
    assert_eq!((allocation.other_type, allocation.other_id), ("sales_invoice", invoice.id));
    assert_eq!((allocation.other_number.as_deref(), allocation.date), (invoice.number.as_deref(), date("2026-06-01")));
    assert_eq!(books.settlement(Customer, receipt.id).await, receipt);
    let paid = books.document(SalesInvoice, invoice.id).await;
    assert_eq!((paid.paid_pence, paid.due_pence()), (60_000, 60_000));

    let allocate = |id, amount| BooksCommand::AllocateSettlement {
        side: Customer,
        id: receipt.id,
        allocations: vec![to_invoice(id, amount)],
    };
    let refusal = books.refused(allocate(invoice.id, 40_001)).await;
    assert_eq!(refusal.reason(), "over_allocated");
    assert_eq!(books.refused(allocate(foreign.id, 1)).await.reason(), "contact_mismatch");
    assert_eq!(books.refused(allocate(9_999, 1)).await.reason(), "unknown_reference");
    let more = shown(books.done(allocate(invoice.id, 40_000)).await);
    assert_eq!((more.allocated_pence, more.allocations.len(), more.version), (100_000, 2, 2));
    entry.allocations = vec![to_invoice(invoice.id, 20_001)];
    assert_eq!(books.refused(BooksCommand::CreateSettlement(Box::new(entry))).await.reason(), "over_allocated");

    let first = more.allocations[0].id;
    let unallocate =
        BooksCommand::UnallocateSettlement { side: Customer, id: receipt.id, allocation_ids: vec![first, first] };
    let less = shown(books.done(unallocate.clone()).await);
    assert_eq!((less.allocated_pence, less.allocations.len()), (40_000, 1));
    assert_eq!(books.settlement(Customer, receipt.id).await, less);
    assert_eq!(books.refused(unallocate).await.reason(), "invalid_state");
    assert_eq!(books.document(SalesInvoice, invoice.id).await.due_pence(), 80_000);
    bed.assert_sound().await;
}

async fn the_oldest_invoice_is_settled_first(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let later = books.sales_invoice(customer, "2026-05-21", 10_000).await;
    let earlier = books.sales_invoice(customer, "2026-05-20", 10_000).await;
    let mut entry = settlement(CustomerReceipt, customer, "2026-06-01", 20_000, books.bank);
    entry.allocations = vec![to_invoice(later.id, 1_000)];
    entry.is_auto_allocated = true;
    let receipt = books.settle(entry).await;
    assert_eq!(receipt.allocated_pence, 20_000);
    assert_eq!(books.document(SalesInvoice, earlier.id).await.due_pence(), 0);
    assert_eq!(books.document(SalesInvoice, later.id).await.due_pence(), 4_000);
    bed.assert_sound().await;
}

async fn a_void_receipt_releases_what_it_settled(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let invoice = books.sales_invoice(customer, "2026-05-20", 10_000).await;
    let mut entry = settlement(CustomerReceipt, customer, "2026-06-01", 12_000, books.bank);
    entry.allocations = vec![to_invoice(invoice.id, 12_000)];
    let receipt = books.settle(entry).await;
    assert_eq!(books.document(SalesInvoice, invoice.id).await.due_pence(), 0);
    let void = |on: &str| BooksCommand::VoidSettlement {
        side: Customer,
        id: receipt.id,
        void_date: Some(date(on)),
        reason: Some("bounced".to_owned()),
    };
    assert_eq!(books.refused(void("2026-05-31")).await.reason(), "invalid_field");
    let voided = shown(books.done(void("2026-06-10")).await);
    assert_eq!((voided.is_void, voided.allocated_pence, voided.version), (true, 0, 2));
    assert_eq!((voided.void_date, voided.void_reason.as_deref()), (Some(date("2026-06-10")), Some("bounced")));
    assert!(voided.allocations.is_empty());
    assert_eq!(books.settlement(Customer, receipt.id).await, voided);
    let reversal = books.journal(voided.void_journal_id.unwrap()).await;
    assert_eq!((reversal.entry_date, reversal.reverses), (date("2026-06-10"), receipt.journal_id));
    let open = books.document(SalesInvoice, invoice.id).await;
    assert_eq!((open.stage, open.due_pence()), (Stage::Issued, 12_000));
    assert_eq!(books.balance("1200").await, 0);
    bed.assert_sound().await;
}

async fn the_last_hundred_goes_to_one_of_two(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let invoice = books.sales_invoice(customer, "2026-05-20", 50_000).await;
    let receipts = [
        books.settle(settlement(CustomerReceipt, customer, "2026-06-01", 50_000, books.bank)).await,
        books.settle(settlement(CustomerReceipt, customer, "2026-06-02", 50_000, books.bank)).await,
    ];
    let allocate = |id, amount| {
        books.outcome(BooksCommand::AllocateSettlement {
            side: Customer,
            id,
            allocations: vec![to_invoice(invoice.id, amount)],
        })
    };
    assert!(matches!(allocate(receipts[0].id, 50_000).await, CommandOutcome::Done(_)));
    let both = tokio::join!(allocate(receipts[1].id, 10_000), allocate(receipts[1].id, 10_000));
    let done = [&both.0, &both.1].into_iter().filter(|one| matches!(one, CommandOutcome::Done(_))).count();
    assert_eq!(done, 1, "{both:?}");
    let refused =
        |one: &CommandOutcome| matches!(one, CommandOutcome::Refused(refusal) if refusal.reason() == "over_allocated");
    assert!(refused(&both.0) || refused(&both.1), "{both:?}");
    bed.assert_sound().await;
}

async fn a_dry_run_writes_nothing(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let invoice = books.sales_invoice(customer, "2026-05-20", 10_000).await;
    let mut entry = settlement(CustomerReceipt, customer, "2026-06-01", 12_000, books.bank);
    entry.allocations = vec![to_invoice(invoice.id, 12_000)];
    let action = BooksCommand::CreateSettlement(Box::new(entry));
    let answer = bed.store.reader.dry_run(books.post(action)).await.unwrap();
    let CommandOutcome::Done(CommandResult::Settlement(view)) = answer else { panic!("{answer:?}") };
    assert!(view.id < 1, "a dry run hands out an identifier");
    assert_eq!((view.number.clone(), view.journal_id, view.allocated_pence), (None, None, 12_000));
    assert_eq!(ids(&books, everything(Customer)).await, (Vec::new(), Some(0)));
    assert_eq!(books.document(SalesInvoice, invoice.id).await.due_pence(), 12_000);
    bed.assert_sound().await;
}

async fn refunds_give_back_receipts_and_credit_notes(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let receipt = books.settle(settlement(CustomerReceipt, customer, "2026-06-01", 10_000, books.bank)).await;
    let note = books.issued(SalesCreditNote, customer, "2026-06-02", vec![line(1_000, CisType::None)]).await;
    let mut entry = settlement(CustomerRefund, customer, "2026-06-05", 5_000, books.bank);
    let to = |to, amount_pence| AllocationInput { to, amount_pence, cis_suffered_pence: 0 };
    entry.allocations =
        vec![to(AllocationTarget::Settlement(receipt.id), 3_800), to(AllocationTarget::CreditNote(note.id), 1_200)];
    let refund = books.settle(entry).await;
    assert_eq!(refund.allocated_pence, 5_000);
    assert_eq!(books.settlement(Customer, refund.id).await, refund);
    let given_back = books.settlement(Customer, receipt.id).await;
    assert_eq!((given_back.allocated_pence, given_back.version), (3_800, 2));
    let seen = &given_back.allocations[0];
    assert_eq!((seen.other_type, seen.other_id), ("customer_refund", refund.id));
    assert_eq!(books.document(SalesCreditNote, note.id).await.due_pence(), 0);
    let void = BooksCommand::VoidSettlement { side: Customer, id: receipt.id, void_date: None, reason: None };
    let voided = shown(books.done(void).await);
    assert_eq!((voided.allocated_pence, voided.void_date), (0, Some(date("2026-06-01"))));
    assert_eq!(books.settlement(Customer, refund.id).await.allocated_pence, 1_200);
    bed.assert_sound().await;
}

async fn a_locked_period_stands(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let invoice = books.sales_invoice(customer, "2026-05-20", 10_000).await;
    let receipt = books.settle(settlement(CustomerReceipt, customer, "2026-06-01", 12_000, books.bank)).await;
    books.done(BooksCommand::LockPeriod { lock_date: Some(date("2026-06-30")), reason: None }).await;
    let late = settlement(CustomerReceipt, customer, "2026-06-30", 5, books.bank);
    assert_eq!(books.refused(BooksCommand::CreateSettlement(Box::new(late))).await.reason(), "period_locked");
    let void = |void_date| BooksCommand::VoidSettlement { side: Customer, id: receipt.id, void_date, reason: None };
    assert_eq!(books.refused(void(None)).await.reason(), "period_locked");
    let allocations = vec![to_invoice(invoice.id, 12_000)];
    let allocate = BooksCommand::AllocateSettlement { side: Customer, id: receipt.id, allocations };
    let allocated = shown(books.done(allocate).await);
    assert_eq!(allocated.allocations[0].date, date("2026-07-01"));
    // What was not allocated before is void from the day it was received on at the earliest.
    assert!(shown(books.done(void(Some(date("2026-07-01")))).await).is_void);
    bed.assert_sound().await;
}

async fn planted_differences_are_found(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let invoice = books.sales_invoice(customer, "2026-05-20", 10_000).await;
    let mut entry = settlement(CustomerReceipt, customer, "2026-06-01", 12_000, books.bank);
    entry.allocations = vec![to_invoice(invoice.id, 12_000)];
    let id = books.settle(entry).await.id;
    let line = books.bank_line("2026-06-01", 12_000, "BRIGHTWELL").await;
    books.confirmed(line, Confirmation::MatchSettlement { side: Customer, id }).await;
    bed.assert_sound().await;
    let planted = [
        ("allocated = 11999", "allocated = 12000", "sums differ from its allocations"),
        ("cis = 1", "cis = 0", "CIS differs from its journals"),
        ("amount = 11999", "amount = 12000", "set against more than it is"),
        ("amount = 12001", "amount = 12000", "moves another amount"),
        ("number = 'RCP-00002'", "number = 'RCP-00001'", "numbers of settlements with a gap"),
        ("void_day = 1", "void_day = null", "void by halves"),
        ("bank_transaction_id = null", &format!("bank_transaction_id = {line}"), "do not show each other"),
        ("account_id = (select min(id) from account)", "account_id = null", "through a bank account and another"),
        ("bank_account_id = null", &format!("bank_account_id = {}", books.bank), "through neither"),
    ];
    for (harm, mend, said) in planted {
        bed.tamper(&format!("update settlement set {harm} where id = {id}")).await;
        let found = bed.store.reader.check().await.unwrap();
        assert!(found.iter().any(|one| one.contains(said)), "{harm}: {found:?}");
        bed.tamper(&format!("update settlement set {mend} where id = {id}")).await;
        bed.assert_sound().await;
    }
}
