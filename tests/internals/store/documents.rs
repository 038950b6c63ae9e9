//! Invoices and credit notes where several are decided together, and what is derived of them.

use bookkeeping_suite::domain::books::command::BooksCommand;
use bookkeeping_suite::domain::books::records::document::{DocumentField, DocumentFilter, DocumentInput, DocumentView};
use bookkeeping_suite::domain::books::records::organisation::{OrganisationChange, OrganisationField};
use bookkeeping_suite::domain::books::request::{CommandOutcome, CommandResult};
use bookkeeping_suite::domain::ids::AccountId;
use bookkeeping_suite::domain::ledger::allocation::SettlementKind::CustomerReceipt;
use bookkeeping_suite::domain::ledger::chart::AccountReference;
use bookkeeping_suite::domain::ledger::contact::ContactKind::{Customer, Supplier};
use bookkeeping_suite::domain::ledger::document::DocumentKind::{PurchaseInvoice, SalesCreditNote, SalesInvoice};
use bookkeeping_suite::domain::ledger::document::{CisType, DocumentKind, Stage};
use bookkeeping_suite::domain::ledger::money::Percent;
use bookkeeping_suite::domain::ledger::organisation::VatPatch;
use bookkeeping_suite::domain::ledger::refusal::Refusal;
use futures_util::future::join_all;

use super::books::{Books, date, line, settlement, to_invoice};
use super::fixture::{StoreFixture, store_suite};

store_suite![
    numbers_of_a_group_follow_each_other,
    postings_to_one_document_in_a_group_see_each_other,
    a_vat_scheme_sees_what_its_group_has_posted,
    a_document_is_drawn_up_issued_credited_and_voided,
    lists_are_counted_filtered_and_paged,
    a_dry_run_of_an_invoice_writes_nothing,
    what_is_overdue_follows_due_dates,
    under_cash_accounting_vat_follows_what_settles,
];

async fn entry(books: &Books<'_>, kind: DocumentKind, contact_id: i64, on: &str, net_pence: i64) -> DocumentInput {
    let code = if kind.contact_kind() == Customer { "4000" } else { "5000" };
    let mut line = line(net_pence, CisType::None);
    line.account = Some(AccountReference::Id(AccountId(books.account(code).await)));
    DocumentInput {
        kind,
        contact_id,
        date: date(on),
        due_date: None,
        number: None,
        supplier_reference: None,
        reference: None,
        notes: None,
        currency: None,
        is_vat_inclusive: false,
        vat_basis: None,
        origin_id: None,
        lines: vec![line],
    }
}

const fn create(entry: Box<DocumentInput>, is_issued: bool) -> BooksCommand {
    BooksCommand::CreateDocument { entry, is_issued }
}

fn document(posted: CommandResult) -> DocumentView {
    match posted {
        CommandResult::Document(view) => *view,
        other => panic!("{other:?}"),
    }
}

/// Posts all of them at once; answers come in the same order.
async fn together(books: &Books<'_>, actions: Vec<BooksCommand>) -> Vec<CommandOutcome> {
    let mut tasks = Vec::new();
    for action in actions {
        let (writer, post) = (books.bed.store.writer.clone(), books.post(action));
        tasks.push(tokio::spawn(async move { writer.execute(post).await.unwrap() }));
    }
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(task.await.unwrap());
    }
    outcomes
}

fn done(outcomes: Vec<CommandOutcome>) -> Vec<CommandResult> {
    let done = outcomes.into_iter().filter_map(|outcome| match outcome {
        CommandOutcome::Done(posted) => Some(posted),
        _ => None,
    });
    done.collect()
}

async fn numbers_of_a_group_follow_each_other(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let sale = entry(&books, SalesInvoice, customer, "2026-06-01", 10_000).await;
    let own = DocumentInput { number: Some("INV-0040".to_owned()), ..sale.clone() };
    let refused = DocumentInput { date: date("1990-01-01"), due_date: Some(date("1980-01-01")), ..sale.clone() };
    let mut actions = vec![create(Box::new(sale.clone()), true); 8];
    actions.push(create(Box::new(refused), true));
    actions.extend(vec![create(Box::new(own), true); 3]);
    actions.extend(vec![create(Box::new(sale.clone()), true); 8]);
    let outcomes = together(&books, actions).await;
    let done: Vec<DocumentView> = done(outcomes).into_iter().map(document).collect();
    assert_eq!(done.len(), 17, "one refused, and two that want the number of a third");
    let mut numbers: Vec<String> = done.iter().map(|view| view.number.clone().unwrap()).collect();
    numbers.sort_unstable();
    let count = |text: &String| text.trim_start_matches("INV-").parse::<i64>().unwrap();
    let (before, after): (Vec<i64>, Vec<i64>) = numbers.iter().map(count).partition(|number| *number < 40);
    assert!(before.iter().copied().eq(1..=i64::try_from(before.len()).unwrap()), "{numbers:?}");
    assert!(after.iter().copied().eq(40..40 + i64::try_from(after.len()).unwrap()), "{numbers:?}");
    // Another prefix counts on its own, and finds what was numbered by hand.
    let own = DocumentInput { number: Some("LJ/7".to_owned()), ..sale.clone() };
    books.done(create(Box::new(own), true)).await;
    let fields = vec![OrganisationField::SalesInvoicePrefix("LJ/".to_owned())];
    books
        .done(BooksCommand::PatchOrganisation(Box::new(OrganisationChange { fields, vat: VatPatch::default() })))
        .await;
    let next = document(books.done(create(Box::new(sale), true)).await);
    assert_eq!(next.number.as_deref(), Some("LJ/0008"));

    let supplier = books.contact(Supplier, "Reed Carpentry", Vec::new()).await;
    let bill = entry(&books, PurchaseInvoice, supplier, "2026-06-01", 5_000).await;
    let bill = DocumentInput { supplier_reference: Some("R-1".to_owned()), ..bill };
    let outcomes = together(&books, vec![create(Box::new(bill.clone()), true); 4]).await;
    let refused: Vec<_> = outcomes.iter().filter(|outcome| matches!(outcome, CommandOutcome::Refused(_))).collect();
    assert_eq!(refused.len(), 3);
    let first = document(super::documents::done(outcomes).remove(0));
    assert_eq!(first.number.as_deref(), Some("BILL-00001"));
    // A void bill frees the supplier's reference, and keeps its number.
    let void = BooksCommand::VoidDocument { kind: PurchaseInvoice, id: first.id, void_date: None, reason: None };
    books.done(void).await;
    let again = document(books.done(create(Box::new(bill), true)).await);
    assert_eq!(again.number.as_deref(), Some("BILL-00002"));
    bed.assert_sound().await;
}

async fn a_vat_scheme_sees_what_its_group_has_posted(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let before = entry(&books, SalesInvoice, customer, "2026-06-01", 10_000).await;
    let later = DocumentInput { date: date("2027-01-10"), ..before.clone() };
    let begin = |from: &str| {
        let vat = VatPatch {
            is_registered: Some(true),
            scheme: Some(Some("cash".to_owned())),
            scheme_from: Some(Some(date(from))),
            ..VatPatch::default()
        };
        BooksCommand::PatchOrganisation(Box::new(OrganisationChange { fields: Vec::new(), vat }))
    };
    // While the first is written, the others wait and become one group, in their order.
    let mut actions = vec![create(Box::new(before), true); 12];
    actions.extend([create(Box::new(later), true), begin("2027-01-01"), begin("2027-01-11")]);
    let mut outcomes = join_all(actions.into_iter().map(|action| books.outcome(action))).await;
    let begun = outcomes.pop();
    assert!(matches!(begun, Some(CommandOutcome::Done(CommandResult::Organisation(_)))), "{begun:?}");
    let refused = outcomes.pop();
    let posted = document(done(outcomes).remove(12));
    let expected = Refusal::VatAlreadyPosted { date: date("2027-01-10"), journal_id: posted.journal_id.unwrap() };
    assert_eq!(refused, Some(CommandOutcome::Refused(expected)));
    bed.assert_sound().await;
}

async fn postings_to_one_document_in_a_group_see_each_other(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let sale = entry(&books, SalesInvoice, customer, "2026-06-01", 10_000).await;
    let draft = document(books.done(create(Box::new(sale.clone()), false)).await);
    assert_eq!((draft.stage, draft.number.as_deref(), draft.journal_id), (Stage::Draft, None, None));
    let issue = BooksCommand::IssueDocument { kind: SalesInvoice, id: draft.id };
    let void = BooksCommand::VoidDocument { kind: SalesInvoice, id: draft.id, void_date: None, reason: None };
    let outcomes = together(&books, vec![issue.clone(), issue.clone(), issue, void.clone(), void]).await;
    let done = done(outcomes);
    // However they were ordered: one of the issues at most, and one void.
    let stages: Vec<Stage> = done.into_iter().map(|posted| document(posted).stage).collect();
    assert!(stages.iter().filter(|stage| **stage == Stage::Issued).count() <= 1, "{stages:?}");
    assert_eq!(stages.iter().filter(|stage| **stage == Stage::Void).count(), 1, "{stages:?}");

    let invoice = document(books.done(create(Box::new(sale), true)).await);
    let note = entry(&books, SalesCreditNote, customer, "2026-06-02", 10_000).await;
    let note = document(books.done(create(Box::new(note), true)).await);
    let allocate = |pence| BooksCommand::AllocateCredit {
        kind: SalesCreditNote,
        id: note.id,
        allocations: vec![to_invoice(invoice.id, pence)],
        date: None,
    };
    let outcomes = together(&books, vec![allocate(7_000), allocate(7_000), allocate(5_000)]).await;
    assert_eq!(super::documents::done(outcomes).len(), 2);
    let (seen, given) =
        (books.document(SalesInvoice, invoice.id).await, books.document(SalesCreditNote, note.id).await);
    assert_eq!((seen.due_pence(), given.due_pence(), seen.credited_pence), (0, 0, 12_000));
    assert_eq!(seen.version, 3);
    let refusal =
        books.refused(BooksCommand::VoidDocument { kind: SalesInvoice, id: invoice.id, void_date: None, reason: None });
    assert_eq!(refusal.await.reason(), "has_allocations");
    let allocation_ids = seen.allocations.iter().map(|one| one.id).collect();
    let release = BooksCommand::UnallocateCredit { kind: SalesCreditNote, id: note.id, allocation_ids };
    let outcomes = together(&books, vec![release.clone(), release]).await;
    assert_eq!(super::documents::done(outcomes).len(), 1);
    bed.assert_sound().await;
}

async fn a_document_is_drawn_up_issued_credited_and_voided(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let mut sale = entry(&books, SalesInvoice, customer, "2026-06-01", 1_003).await;
    sale.lines = vec![sale.lines[0].clone(); 3];
    let draft = document(books.done(create(Box::new(sale.clone()), false)).await);
    assert_eq!((draft.net_pence, draft.vat_pence, draft.version), (3_009, 603, 1));
    assert_eq!(draft.due_date, Some(date("2026-07-01")));
    assert_eq!(books.document(SalesInvoice, draft.id).await, draft);
    let mut discounted = sale.lines[0].clone();
    discounted.discount = Percent(1_000);
    let fields = vec![
        DocumentField::Date(date("2026-06-11")),
        DocumentField::Number(Some("2026/17".to_owned())),
        DocumentField::Lines(vec![discounted]),
    ];
    let patch = BooksCommand::PatchDocument { kind: SalesInvoice, id: draft.id, fields };
    let patched = document(books.done(patch).await);
    assert_eq!((patched.net_pence, patched.vat_pence, patched.version), (903, 181, 2));
    assert_eq!((patched.due_date, patched.lines.len()), (Some(date("2026-07-11")), 1));
    assert_eq!(books.document(SalesInvoice, draft.id).await, patched);
    let issue = BooksCommand::IssueDocument { kind: SalesInvoice, id: draft.id };
    let issued = document(books.done(issue.clone()).await);
    assert_eq!((issued.number.as_deref(), issued.stage, issued.version), (Some("2026/17"), Stage::Issued, 3));
    assert_eq!(books.document(SalesInvoice, draft.id).await, issued);
    assert_eq!(books.refused(issue).await.reason(), "invalid_state");
    let lines = |code: &str, amount| (code.to_owned(), amount);
    let journal = issued.journal_id.unwrap();
    assert_eq!(books.posted(journal).await, [lines("1100", 1_084), lines("4000", -903), lines("2200", -181)]);
    let seen = books.journal(journal).await;
    assert_eq!((seen.source_type.as_str(), seen.source_id), ("sales_invoice", Some(issued.id)));
    let refusal = books.refused(BooksCommand::VoidJournal { id: journal, void_date: None, reason: None }).await;
    assert_eq!(refusal.reason(), "linked_to_document");
    let origin = DocumentInput { kind: SalesCreditNote, origin_id: Some(issued.id), ..sale };
    let drafted = document(books.done(create(Box::new(origin), false)).await);
    let fields = vec![DocumentField::Notes(Some("Returned".to_owned()))];
    books.done(BooksCommand::PatchDocument { kind: SalesCreditNote, id: drafted.id, fields }).await;
    let note = document(books.done(BooksCommand::IssueDocument { kind: SalesCreditNote, id: drafted.id }).await);
    assert_eq!((note.number.as_deref(), note.due_date, note.origin_id), (Some("SCN-0001"), None, Some(issued.id)));
    let allocations = vec![to_invoice(issued.id, 1_084)];
    let allocate = BooksCommand::AllocateCredit { kind: SalesCreditNote, id: note.id, allocations, date: None };
    let given = document(books.done(allocate).await);
    assert_eq!((given.credited_pence, given.due_pence()), (1_084, 2_528));
    assert_eq!(books.document(SalesCreditNote, note.id).await, given);
    let seen = books.document(SalesInvoice, issued.id).await;
    assert_eq!((seen.due_pence(), seen.version), (0, 4));
    let (other, id) = (seen.allocations[0].other_type, seen.allocations[0].other_id);
    assert_eq!((other, id), ("sales_credit_note", note.id));
    let release = BooksCommand::UnallocateCredit {
        kind: SalesCreditNote,
        id: note.id,
        allocation_ids: vec![seen.allocations[0].id],
    };
    books.done(release).await;
    let reason = Some("Wrong customer".to_owned());
    let void = BooksCommand::VoidDocument { kind: SalesInvoice, id: issued.id, void_date: None, reason };
    let voided = document(books.done(void.clone()).await);
    // It was credited until the twelfth of June at the earliest.
    assert_eq!((voided.stage, voided.due_pence()), (Stage::Void, 0));
    assert_eq!(books.document(SalesInvoice, issued.id).await, voided);
    assert_eq!(books.refused(void).await.reason(), "invalid_state");
    assert_eq!(books.balance("1100").await, -3_612);
    bed.assert_sound().await;
}

async fn lists_are_counted_filtered_and_paged(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let (one, other) = (books.customer("Brightwell School").await, books.customer("Ashdown Café").await);
    let mut made = Vec::new();
    for (number, contact) in [(1, one), (2, other), (3, one), (4, other), (5, one)] {
        let sale = entry(&books, SalesInvoice, contact, &format!("2026-06-0{number}"), 1_000 * number).await;
        let sale = DocumentInput { reference: Some(format!("PO {number}")), ..sale };
        made.push(document(books.done(create(Box::new(sale), number != 3)).await));
    }
    books.done(BooksCommand::VoidDocument { kind: SalesInvoice, id: made[4].id, void_date: None, reason: None }).await;
    let list = async |filter: DocumentFilter, page| {
        let reader = &bed.store.reader;
        let (views, total) = reader.documents(books.organisation.id, SalesInvoice, &filter, page).await.unwrap();
        let place = |view: DocumentView| made.iter().position(|made| made.id == view.id).unwrap() + 1;
        (views.into_iter().map(place).collect::<Vec<_>>(), total)
    };
    let all = DocumentFilter::default;
    assert_eq!(list(all(), (50, 0)).await, (vec![5, 4, 3, 2, 1], Some(5)));
    assert_eq!(list(all(), (2, 1)).await, (vec![4, 3], Some(5)));
    let statuses = |statuses: &[&'static str]| DocumentFilter { statuses: statuses.to_vec(), ..all() };
    assert_eq!(list(statuses(&["issued"]), (50, 0)).await, (vec![4, 2, 1], Some(3)));
    assert_eq!(list(statuses(&["void", "draft", "void"]), (50, 0)).await, (vec![5, 3], Some(2)));
    assert_eq!(list(statuses(&["issued", "void"]), (2, 1)).await, (vec![4, 2], Some(4)));
    assert_eq!(list(statuses(&["paid"]), (50, 0)).await, (vec![], Some(0)));
    let filter = DocumentFilter { contact_id: Some(one), statuses: vec!["issued", "draft"], ..all() };
    assert_eq!(list(filter, (50, 0)).await, (vec![3, 1], Some(2)));
    let filter = DocumentFilter { search: Some("ASHDOWN CAFÉ".to_owned()), ..all() };
    assert_eq!(list(filter, (50, 0)).await, (vec![4, 2], Some(2)));
    let filter = DocumentFilter { search: Some("po 4".to_owned()), ..all() };
    assert_eq!(list(filter, (50, 0)).await, (vec![4], Some(1)));
    let filter = DocumentFilter { search: Some("inv-0002".to_owned()), ..all() };
    assert_eq!(list(filter, (50, 0)).await, (vec![2], Some(1)));
    let filter = DocumentFilter { from_date: Some(date("2026-06-02")), to_date: Some(date("2026-06-04")), ..all() };
    assert_eq!(list(filter, (50, 0)).await, (vec![4, 3, 2], Some(3)));
    let filter = DocumentFilter { overdue_on: Some(date("2026-07-04")), ..all() };
    assert_eq!(list(filter, (50, 0)).await, (vec![2, 1], Some(2)));
    let filter = DocumentFilter { due_before_date: Some(date("2026-07-04")), ..all() };
    assert_eq!(list(filter, (50, 0)).await, (vec![3, 2, 1], Some(3)));
    let filter = DocumentFilter { updated_since_ms: Some(i64::MAX), ..all() };
    assert_eq!(list(filter, (50, 0)).await, (vec![], Some(0)));
    // A draft goes, and is counted no more.
    books.done(BooksCommand::DeleteDocument { kind: SalesInvoice, id: made[2].id }).await;
    assert_eq!(list(all(), (50, 0)).await, (vec![5, 4, 2, 1], Some(4)));
    let refusal = books.refused(BooksCommand::DeleteDocument { kind: SalesInvoice, id: made[0].id }).await;
    assert_eq!(refusal.reason(), "invalid_state");
    let refusal = books.refused(BooksCommand::DeleteContact { kind: Customer, id: other }).await;
    assert_eq!(refusal.reason(), "invalid_state");
    bed.assert_sound().await;
}

async fn a_dry_run_of_an_invoice_writes_nothing(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    let sale = entry(&books, SalesInvoice, customer, "2026-06-01", 10_000).await;
    let post = books.post(create(Box::new(sale.clone()), true));
    let CommandOutcome::Done(posted) = bed.store.reader.dry_run(post).await.unwrap() else { panic!("refused") };
    let shown = document(posted);
    assert!(shown.id < 1, "a dry run hands out an identifier");
    assert_eq!((shown.number, shown.journal_id), (None, None));
    assert_eq!((shown.stage, shown.net_pence + shown.vat_pence), (Stage::Issued, 12_000));
    let issued = document(books.done(create(Box::new(sale), true)).await);
    assert_eq!(issued.number.as_deref(), Some("INV-0001"));
    let void = BooksCommand::VoidDocument { kind: SalesInvoice, id: issued.id, void_date: None, reason: None };
    let CommandOutcome::Done(posted) = bed.store.reader.dry_run(books.post(void)).await.unwrap() else {
        panic!("refused")
    };
    let shown = document(posted);
    assert_eq!((shown.stage, shown.void_journal_id), (Stage::Void, None));
    assert_eq!(books.document(SalesInvoice, issued.id).await, issued);
    bed.assert_sound().await;
}

async fn what_is_overdue_follows_due_dates(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let customer = books.customer("Brightwell School").await;
    for (on, due) in [("2025-01-01", "2025-01-31"), ("2025-01-02", "2199-12-31")] {
        let sale = entry(&books, SalesInvoice, customer, on, 10_000).await;
        books.done(create(Box::new(DocumentInput { due_date: Some(date(due)), ..sale }), true)).await;
    }
    let note = entry(&books, SalesCreditNote, customer, "2025-01-03", 5_000).await;
    books.done(create(Box::new(note), true)).await;
    let seen = bed.store.reader.contact(books.organisation.id, Customer, customer, date("2025-02-01")).await.unwrap();
    let seen = seen.unwrap();
    assert_eq!((seen.balance_pence, seen.overdue_pence), (18_000, 12_000));
    let early = bed.store.reader.contact(books.organisation.id, Customer, customer, date("2025-01-31")).await.unwrap();
    assert_eq!(early.unwrap().overdue_pence, 0);
    bed.assert_sound().await;
}

async fn under_cash_accounting_vat_follows_what_settles(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let vat = VatPatch {
        is_registered: Some(true),
        number: Some(Some("GB123456789".to_owned())),
        scheme: Some(Some("cash".to_owned())),
        scheme_from: Some(Some(date("2026-04-01"))),
        ..VatPatch::default()
    };
    let change = OrganisationChange { fields: Vec::new(), vat };
    books.done(BooksCommand::PatchOrganisation(Box::new(change))).await;
    let customer = books.customer("Brightwell School").await;
    let invoice = books.sales_invoice(customer, "2026-06-01", 10_001).await;
    bed.assert_sound().await;
    let mut receipt = None;
    for pence in [4_000, 4_000, 4_001] {
        let mut entry = settlement(CustomerReceipt, customer, "2026-06-10", pence, books.bank);
        entry.allocations = vec![to_invoice(invoice.id, pence)];
        receipt = Some(books.settle(entry).await);
        bed.assert_sound().await;
    }
    assert_eq!(books.document(SalesInvoice, invoice.id).await.due_pence(), 0);
    // What a credit note takes the place of is not due on the return any more.
    let receipt = receipt.unwrap();
    books.done(BooksCommand::VoidSettlement { side: Customer, id: receipt.id, void_date: None, reason: None }).await;
    let note = entry(&books, SalesCreditNote, customer, "2026-06-12", 10_001).await;
    let note = document(books.done(create(Box::new(note), true)).await);
    let allocations = vec![to_invoice(invoice.id, 4_001)];
    let allocate = BooksCommand::AllocateCredit { kind: SalesCreditNote, id: note.id, allocations, date: None };
    let given = document(books.done(allocate).await);
    assert_eq!(given.due_pence(), 8_000);
    bed.assert_sound().await;
    let allocation_ids = vec![given.allocations[0].id];
    books.done(BooksCommand::UnallocateCredit { kind: SalesCreditNote, id: note.id, allocation_ids }).await;
    let void = BooksCommand::VoidDocument { kind: SalesCreditNote, id: note.id, void_date: None, reason: None };
    assert_eq!(document(books.done(void).await).stage, Stage::Void);
    bed.assert_sound().await;
}
