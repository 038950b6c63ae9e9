//! Many postings about the same documents, settlements and lines at once, in every order: each is done or refused, none
//! fails, and what is kept agrees with what it is kept of after every round.

use bookkeeping_suite::domain::books::command::{BooksCommand, Confirmation};
use bookkeeping_suite::domain::books::records::organisation::OrganisationChange;
use bookkeeping_suite::domain::books::records::settlement::{AllocationInput, AllocationTarget};
use bookkeeping_suite::domain::books::request::{CommandOutcome, CommandResult};
use bookkeeping_suite::domain::ledger::allocation::SettlementKind;
use bookkeeping_suite::domain::ledger::contact::ContactKind;
use bookkeeping_suite::domain::ledger::contact::ContactKind::{Customer, Supplier};
use bookkeeping_suite::domain::ledger::document::{CisType, DocumentKind};
use bookkeeping_suite::domain::ledger::organisation::VatPatch;
use futures_util::future::join_all;

use super::books::{Books, date, line, settlement};
use super::fixture::{StoreFixture, store_suite};

store_suite![settling_in_every_order_stays_sound];

const ROUNDS: usize = 40;
const AT_ONCE: usize = 12;

/// A sequence of numbers that is the same on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((self.0 >> 33) % u64::try_from(end).unwrap()).unwrap()
    }

    /// One of what is known, now and then one that may come next.
    fn one_of(&mut self, known: &[i64]) -> i64 {
        let at = usize::try_from(self.below(i64::try_from(known.len() + 1).unwrap())).unwrap();
        known.get(at).copied().unwrap_or_else(|| known.iter().max().unwrap_or(&0) + 1)
    }

    fn date(&mut self) -> String {
        format!("2026-05-{:02}", self.below(28) + 1)
    }
}

#[derive(Default)]
struct Known {
    documents: Vec<i64>,
    settlements: Vec<i64>,
    allocations: Vec<i64>,
    lines: Vec<i64>,
}

struct World<'a> {
    books: Books<'a>,
    customer: i64,
    supplier: i64,
    known: Known,
    dice: Dice,
}

impl World<'_> {
    fn side(&mut self) -> (ContactKind, i64) {
        if self.dice.below(2) == 0 { (Customer, self.customer) } else { (Supplier, self.supplier) }
    }

    fn kind(&mut self) -> (SettlementKind, i64) {
        use SettlementKind::{CustomerReceipt, CustomerRefund, SupplierPayment, SupplierRefund};
        let (side, contact) = self.side();
        let is_refund = self.dice.below(4) == 0;
        let kind = match (side, is_refund) {
            (Customer, false) => CustomerReceipt,
            (Customer, true) => CustomerRefund,
            (Supplier, false) => SupplierPayment,
            (Supplier, true) => SupplierRefund,
        };
        (kind, contact)
    }

    fn allocations(&mut self) -> Vec<AllocationInput> {
        (0..self.dice.below(3))
            .map(|_| {
                let to = match self.dice.below(5) {
                    0 => AllocationTarget::Settlement(self.dice.one_of(&self.known.settlements)),
                    _ => AllocationTarget::Invoice(self.dice.one_of(&self.known.documents)),
                };
                AllocationInput { to, amount_pence: self.dice.below(9_000) + 1, cis_suffered_pence: 0 }
            })
            .collect()
    }

    async fn issue(&mut self) {
        let (side, contact) = self.side();
        let is_note = self.dice.below(4) == 0;
        let kind = match (side, is_note) {
            (Customer, false) => DocumentKind::SalesInvoice,
            (Customer, true) => DocumentKind::SalesCreditNote,
            (Supplier, false) => DocumentKind::PurchaseInvoice,
            (Supplier, true) => DocumentKind::PurchaseCreditNote,
        };
        let work = if side == Supplier { CisType::Labour } else { CisType::None };
        let lines = vec![line(self.dice.below(20_000) + 1, work), line(self.dice.below(9_000) + 1, CisType::Materials)];
        let on = self.dice.date();
        self.known.documents.push(self.books.issued(kind, contact, &on, lines).await.id);
    }

    fn action(&mut self) -> BooksCommand {
        let (side, _) = self.side();
        let id = self.dice.one_of(&self.known.settlements);
        let bank_line = self.dice.one_of(&self.known.lines);
        match self.dice.below(11) {
            0 | 1 => {
                let ((kind, contact), on) = (self.kind(), self.dice.date());
                let mut entry = settlement(kind, contact, &on, self.dice.below(30_000) + 1, self.books.bank);
                entry.allocations = self.allocations();
                entry.is_auto_allocated = self.dice.below(3) == 0;
                BooksCommand::CreateSettlement(Box::new(entry))
            }
            2 | 3 => BooksCommand::AllocateSettlement { side, id, allocations: self.allocations() },
            4 => {
                let allocation_ids = vec![self.dice.one_of(&self.known.allocations)];
                BooksCommand::UnallocateSettlement { side, id, allocation_ids }
            }
            5 => {
                let void_date = (self.dice.below(2) == 0).then(|| date("2026-06-01"));
                BooksCommand::VoidSettlement { side, id, void_date, reason: None }
            }
            6 | 7 => {
                let (kind, contact_id) = self.kind();
                let confirmation = Confirmation::Settlement { kind, contact_id, allocations: self.allocations() };
                let other = self.dice.one_of(&self.known.lines);
                let (kind, contact_id) = self.kind();
                let second = Confirmation::Settlement { kind, contact_id, allocations: Vec::new() };
                let is_batch = self.dice.below(3) == 0;
                let mut items = vec![(bank_line, confirmation)];
                items.extend(is_batch.then_some((other, second)));
                BooksCommand::Confirm { items, is_batch }
            }
            8 => {
                let items = vec![(bank_line, Confirmation::MatchSettlement { side, id })];
                BooksCommand::Confirm { items, is_batch: false }
            }
            9 => BooksCommand::Unconfirm { id: bank_line },
            _ => {
                let allocations = self.allocations();
                let id = self.dice.one_of(&self.known.documents);
                let kind =
                    if side == Customer { DocumentKind::SalesCreditNote } else { DocumentKind::PurchaseCreditNote };
                BooksCommand::AllocateCredit { kind, id, allocations, date: None }
            }
        }
    }

    fn learn(&mut self, posted: CommandResult) {
        match posted {
            CommandResult::Settlement(view) => {
                self.known.allocations.extend(view.allocations.iter().map(|one| one.id));
                self.known.settlements.push(view.id);
            }
            CommandResult::Document(view) => self.known.allocations.extend(view.allocations.iter().map(|one| one.id)),
            CommandResult::BankTransaction(row) => self.known.settlements.extend(row.settlement.map(|(_, id)| id)),
            CommandResult::BankTransactions(rows) => {
                self.known.settlements.extend(rows.iter().filter_map(|row| row.settlement).map(|(_, id)| id));
            }
            _ => {}
        }
        self.known.settlements.sort_unstable();
        self.known.settlements.dedup();
    }
}

async fn settling_in_every_order_stays_sound(bed: &StoreFixture) {
    let books = Books::of(bed).await;
    let vat = VatPatch {
        is_registered: Some(true),
        scheme: Some(Some("cash".to_owned())),
        scheme_from: Some(Some(date("2020-04-01"))),
        ..VatPatch::default()
    };
    books.done(BooksCommand::PatchOrganisation(Box::new(OrganisationChange { fields: Vec::new(), vat }))).await;
    let customer = books.customer("Brightwell School").await;
    let supplier = books.subcontractor("Reed Carpentry", 20).await;
    let mut world = World { books, customer, supplier, known: Known::default(), dice: Dice(7) };
    for _ in 0..8 {
        world.issue().await;
    }
    let (mut done, mut refused) = (0, 0);
    for round in 0..ROUNDS {
        let (on, amount) = (world.dice.date(), world.dice.below(20_000) + 1);
        let sign = if world.dice.below(2) == 0 { 1 } else { -1 };
        let made = world.books.bank_line(&on, sign * amount, "LINE").await;
        world.known.lines.push(made);
        if round % 3 == 0 {
            world.issue().await;
        }
        let actions: Vec<BooksCommand> = (0..AT_ONCE).map(|_| world.action()).collect();
        let outcomes = join_all(actions.into_iter().map(|action| world.books.outcome(action))).await;
        for outcome in outcomes {
            if let CommandOutcome::Done(posted) = outcome {
                done += 1;
                world.learn(posted);
            } else {
                refused += 1;
            }
        }
        if round % 8 == 7 {
            bed.assert_sound().await;
        }
    }
    assert!(done > 60 && refused > 60, "{done} done, {refused} refused");
    bed.assert_sound().await;
}
