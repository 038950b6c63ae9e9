//! Random histories of a small company against what has to hold of any books, on every day.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::allocate::{AllocateRequest, AllocateTo, AllocationEffects, allocate_credit, unallocate_credit};
use super::allocation::{Allocation, AllocationEnd, Document, Register, Settlement, SettlementKind};
use super::bank::BankAccount;
use super::chart::Chart;
use super::cis;
use super::contact::{CisRate, Contact};
use super::document::{DocumentKind, Draft, Stage};
use super::issue::{VatTreatment, Voidable, issue, void};
use super::journal::{Journal, JournalStatus, PostedJournal, Target};
use super::money::Pence;
use super::refusal::Refusal;
use super::settlement::SettlementAccount;
use super::settlement::{self, EnteredSettlement};
use super::testing::{carry_out, chart, contact};
use super::vat::{Side, Split, VatCode};
use super::vat_cash::recognised;
use crate::domain::date::Date;
use crate::domain::ids::{AccountId, AllocationId, BankAccountId, ContactId, DocumentId, JournalId, SettlementId};
use crate::domain::ledger::chart::{Account, Books, Role};
use crate::domain::ledger::document::{CisType, PricedLine, total};
use crate::domain::ledger::money::Percent;
use crate::domain::ledger::vat::{
    Basis, CodeTotals, FlatRateBasis, ReverseCharge, ReverseCharged, VatEntry, VatHistory, VatScheme,
};

const FIRST: Date = Date::numbered(20_000);
const DAYS: i32 = 550;

/// Something the company does; numbers pick among what there is.
#[derive(Debug, Clone)]
enum Step {
    Issue { kind: usize, date: i32, lines: Vec<(usize, usize, i64)>, origin: Option<usize> },
    Settle { kind: usize, date: i32, pence: i64, picks: Vec<(usize, i64)>, suffered: i64, auto: bool },
    Allocate { settlement: usize, document: usize, pence: i64 },
    Credit { note: usize, invoice: usize, pence: i64 },
    Release { allocation: usize },
    VoidDocument { document: usize, later: Option<i32> },
    VoidSettlement { settlement: usize, later: Option<i32> },
    Lock { date: i32 },
}

fn step() -> impl Strategy<Value = Step> {
    let date = 0..DAYS;
    let line = (0_usize..4, 0_usize..5, -20_000_i64..200_000);
    prop_oneof![
        4 => (0_usize..4, date.clone(), prop::collection::vec(line, 1..5), prop::option::of(any::<usize>()))
            .prop_map(|(kind, date, lines, origin)| Step::Issue { kind, date, lines, origin }),
        4 => (0_usize..4, date.clone(), 1_i64..300_000, prop::collection::vec((any::<usize>(), 1_i64..200_000), 0..3),
              prop_oneof![3 => Just(0_i64), 1 => 1_i64..9_000], any::<bool>())
            .prop_map(|(kind, date, pence, picks, suffered, auto)| Step::Settle { kind, date, pence, picks, suffered, auto }),
        3 => (any::<usize>(), any::<usize>(), 1_i64..200_000)
            .prop_map(|(settlement, document, pence)| Step::Allocate { settlement, document, pence }),
        3 => (any::<usize>(), any::<usize>(), 1_i64..200_000)
            .prop_map(|(note, invoice, pence)| Step::Credit { note, invoice, pence }),
        2 => any::<usize>().prop_map(|allocation| Step::Release { allocation }),
        1 => (any::<usize>(), prop::option::of(0..200_i32))
            .prop_map(|(document, later)| Step::VoidDocument { document, later }),
        1 => (any::<usize>(), prop::option::of(0..200_i32))
            .prop_map(|(settlement, later)| Step::VoidSettlement { settlement, later }),
        1 => date.prop_map(|date| Step::Lock { date }),
    ]
}

/// The books in memory, as a store would keep them.
struct World {
    vat: VatHistory,
    chart: Chart,
    lock_date: Option<Date>,
    register: Register,
    journals: Vec<PostedJournal>,
    entries: Vec<VatEntry>,
    /// What documents were issued with, for the credit notes that take them back.
    treatments: BTreeMap<DocumentId, VatTreatment>,
    of_document: BTreeMap<DocumentId, PostedJournal>,
    of_settlement: BTreeMap<SettlementId, Vec<PostedJournal>>,
    void_from: BTreeMap<DocumentId, Date>,
    settlement_void_from: BTreeMap<SettlementId, Date>,
    next_id: i64,
}

fn pick<T: Copy>(among: &[T], place: usize) -> Option<T> {
    among.get(place.checked_rem(among.len())?).copied()
}

impl World {
    fn new(vat: VatHistory) -> Self {
        Self {
            vat,
            chart: chart(true),
            lock_date: None,
            register: Register::default(),
            journals: Vec::new(),
            entries: Vec::new(),
            treatments: BTreeMap::new(),
            of_document: BTreeMap::new(),
            of_settlement: BTreeMap::new(),
            void_from: BTreeMap::new(),
            settlement_void_from: BTreeMap::new(),
            next_id: 1_000,
        }
    }

    fn account(&self, code: &str) -> AccountId {
        self.chart.with_code(code).unwrap().id
    }

    fn post(&mut self, mut journal: Journal) -> PostedJournal {
        assert!(self.lock_date.is_none_or(|lock| lock < journal.entry_date), "posted in a locked period");
        let roles: Vec<Role> = journal.roles_to_make().cloned().collect();
        for role in roles {
            // Another journal of the same decision may have made it.
            if self.chart.with_role(&role).is_none() {
                let id = AccountId(self.next());
                self.chart.insert(self.chart.first_use(&role).unwrap().with_id(id));
            }
            journal.made(&role, self.chart.with_role(&role).unwrap().id);
        }
        self.declare(journal.vat.clone());
        let number = i64::try_from(self.journals.len()).unwrap() + 1;
        let posted = PostedJournal { id: JournalId(number), number, status: JournalStatus::Posted, journal };
        self.journals.push(posted.clone());
        posted
    }

    fn declare(&mut self, entries: Vec<VatEntry>) {
        for entry in &entries {
            assert!(self.lock_date.is_none_or(|lock| lock < entry.tax_point), "declared in a locked period");
            assert!(entry.code.is_in_return());
        }
        self.entries.extend(entries);
    }

    fn next(&mut self) -> i64 {
        self.next_id += 1;
        self.next_id
    }

    fn carry_out(&mut self, mut effects: AllocationEffects, of: Option<SettlementId>) {
        for added in &mut effects.added {
            if added.from == AllocationEnd::Settlement(None) {
                added.from = AllocationEnd::Settlement(of);
            }
        }
        let before = self.register.clone();
        carry_out(&mut self.register, &effects, &mut self.next_id);
        for after in &effects.documents {
            let known = &self.register.documents[&after.id];
            assert_eq!((after.due, after.status), (known.due(), known.status()));
            assert_ne!(before.documents[&after.id].allocations, known.allocations);
        }
        self.declare(effects.vat);
    }

    fn take(&mut self, step: &Step) -> Result<(), Refusal> {
        let chart = self.chart.clone();
        let vat = self.vat.clone();
        let books = Books { chart: &chart, vat: &vat, lock_date: self.lock_date };
        match step {
            Step::Issue { kind, date, lines, origin } => {
                self.issue(&books, DocumentKind::ALL[*kind], FIRST + *date, lines, *origin)
            }
            Step::Settle { kind, date, pence, picks, suffered, auto } => {
                let kind = SettlementKind::ALL[*kind];
                let mut allocations = self.requests(kind, picks);
                if let Some(first) = allocations.first_mut().filter(|_| kind == SettlementKind::CustomerReceipt) {
                    first.cis_suffered = Pence(*suffered);
                }
                let entered = EnteredSettlement {
                    kind,
                    contact_id: ContactId(3),
                    date: FIRST + *date,
                    amount: Pence(*pence),
                    allocations,
                    is_auto_allocated: *auto,
                };
                self.settle(&books, &entered)
            }
            Step::Allocate { settlement, document, pence } => {
                let ids: Vec<SettlementId> = self.register.settlements.keys().copied().collect();
                let Some(id) = pick(&ids, *settlement) else { return Ok(()) };
                let settlement = self.register.settlements[&id].clone();
                let requests = self.requests(settlement.kind, &[(*document, *pence)]);
                let done = settlement::allocate(&books, &self.register, &settlement, &requests)?;
                self.reallocated(id, done);
                Ok(())
            }
            Step::Credit { note, invoice, pence } => {
                let notes = self.documents(|document| document.kind.is_credit_note());
                let Some(note) = pick(&notes, *note) else { return Ok(()) };
                let kind = self.register.documents[&note].kind.invoice();
                let invoices = self.documents(|document| document.kind == kind);
                let Some(invoice) = pick(&invoices, *invoice) else { return Ok(()) };
                let room = |id: &DocumentId| self.register.documents[id].due();
                let fits = room(&note).min(room(&invoice)).min(Pence(*pence));
                let amount = if pence % 4 == 0 || fits.is_zero() { Pence(*pence) } else { fits };
                let effects = allocate_credit(&books, &self.register, note, &[(invoice, amount)], None)?;
                self.carry_out(effects, None);
                Ok(())
            }
            Step::Release { allocation } => self.release(&books, *allocation),
            Step::VoidDocument { document, later } => {
                let ids = self.documents(|_| true);
                let Some(id) = pick(&ids, *document) else { return Ok(()) };
                self.void_document(&books, id, *later)
            }
            Step::VoidSettlement { settlement, later } => {
                let ids: Vec<SettlementId> = self.register.settlements.keys().copied().collect();
                let Some(id) = pick(&ids, *settlement) else { return Ok(()) };
                let settlement = self.register.settlements[&id].clone();
                let asked = later.map(|days| settlement.date + days);
                let journals = self.of_settlement.get(&id).cloned().unwrap_or_default();
                let done = settlement::void(&books, &self.register, &settlement, &journals, asked)?;
                done.reversals.into_iter().for_each(|journal| {
                    self.post(journal);
                });
                self.carry_out(done.effects, None);
                self.register.settlements.get_mut(&id).unwrap().is_void = true;
                self.settlement_void_from.insert(id, done.date);
                Ok(())
            }
            Step::Lock { date } => {
                self.lock_date = self.lock_date.max(Some(FIRST + date / 3));
                Ok(())
            }
        }
    }

    fn documents(&self, wanted: impl Fn(&Document) -> bool) -> Vec<DocumentId> {
        self.register.documents.values().filter(|document| wanted(document)).map(|document| document.id).collect()
    }

    fn requests(&self, kind: SettlementKind, picks: &[(usize, i64)]) -> Vec<AllocateRequest> {
        let mut ends: Vec<AllocateTo> = self
            .documents(|document| document.kind == kind.document_kind())
            .into_iter()
            .map(AllocateTo::Document)
            .collect();
        let refundable = self.register.settlements.values().filter(|known| Some(known.kind) == kind.refunds());
        ends.extend(refundable.filter_map(|known| known.id).map(AllocateTo::Settlement));
        let request = |(place, pence): &(usize, i64)| {
            let to = pick(&ends, *place)?;
            // What fits is tried more often than what does not.
            let room = match to {
                AllocateTo::Document(id) => self.register.documents[&id].payable(),
                AllocateTo::Settlement(id) => self.register.settlements[&id].unallocated(),
            };
            let amount = if pence % 4 == 0 { Pence(*pence) } else { room.min(Pence(*pence)) };
            amount.is_positive().then_some(AllocateRequest { to, amount, cis_suffered: Pence::ZERO })
        };
        picks.iter().filter_map(request).collect()
    }

    fn issue(
        &mut self,
        books: &Books<'_>,
        kind: DocumentKind,
        date: Date,
        lines: &[(usize, usize, i64)],
        origin: Option<usize>,
    ) -> Result<(), Refusal> {
        let codes = match kind.side() {
            Side::Output => ["4000", "4100", "0050", "2410"],
            Side::Input => ["5000", "5100", "0030", "7100"],
        };
        let line = |(account, code, net): &(usize, usize, i64)| {
            let (vat_code, net) = (VatCode::ALL[*code], Pence(*net));
            let vat = vat_code.vat_on_net(net);
            let charges = ReverseCharge::of_side(kind.side());
            let is_charged = vat_code.percent() > 0 && net.0 % 5 == 0;
            let charged = pick(charges, usize::try_from(net.0.abs() / 5).unwrap()).filter(|_| is_charged);
            PricedLine {
                account_id: self.account(codes[*account]),
                account_key: "account_id",
                vat_code,
                reverse_charge: charged.map(|kind| ReverseCharged { kind, vat }),
                has_standard_basis: *account == 2 && kind.side() == Side::Output && net.0 % 3 == 0,
                amount: Split { net, vat: if is_charged { Pence::ZERO } else { vat } },
                cis_type: if *account == 1 && kind.side() == Side::Input { CisType::Labour } else { CisType::None },
            }
        };
        let lines: Vec<PricedLine> = lines.iter().map(line).collect();
        let total = total(&lines);
        if total.gross().is_negative() {
            return Err(Refusal::NegativeTotal { total: total.gross() });
        }
        let terms = (kind.side() == Side::Input).then(|| cis::Terms::of(CisRate::Standard, &lines));
        let terms = terms.filter(|terms| terms.deduction < total.gross());
        let vat_basis = (total.net.0 % 7 == 0).then_some(Basis::Standard);
        let due_date = (!kind.is_credit_note()).then(|| date + i32::try_from(total.net.0 % 220).unwrap());
        let draft = Draft { kind, contact_id: ContactId(3), date, due_date, vat_basis, lines, total, cis: terms };
        let invoices = self.documents(|document| document.kind == kind.invoice() && document.stage == Stage::Issued);
        let origin = origin.filter(|_| kind.is_credit_note()).and_then(|place| pick(&invoices, place));
        let taking_back = |origin| VatTreatment {
            origin_date: Some(self.register.documents[&origin].date),
            ..self.treatments[&origin]
        };
        let treatment = origin.map_or_else(|| VatTreatment::of(books, &draft), taking_back);
        let journal = issue(books, &draft, treatment, "1")?;
        let id = DocumentId(self.next());
        self.treatments.insert(id, treatment);
        if let Some(journal) = journal {
            let posted = self.post(journal);
            self.of_document.insert(id, posted);
        }
        let document = Document {
            id,
            kind,
            contact_id: ContactId(3),
            stage: Stage::Issued,
            date,
            opened_on: None,
            gross: total.gross(),
            deduction: terms.map_or(Pence::ZERO, |terms| terms.deduction),
            by_code: draft.by_code(Some(treatment.basis)),
            basis: Some(treatment.basis),
            allocations: Vec::new(),
        };
        self.register.documents.insert(id, document);
        Ok(())
    }

    fn settle(&mut self, books: &Books<'_>, entered: &EnteredSettlement) -> Result<(), Refusal> {
        let bank = BankAccount { id: BankAccountId(1), account_id: self.account("1200"), is_archived: false };
        let contact: Contact = contact(entered.kind.document_kind().contact_kind());
        let settled =
            settlement::settle(books, Some(&contact), &SettlementAccount::Bank(bank), &self.register, entered, "1")?;
        let id = SettlementId(self.next());
        let made = Settlement {
            id: Some(id),
            kind: entered.kind,
            contact_id: entered.contact_id,
            date: entered.date,
            amount: entered.amount,
            is_void: false,
            allocations: Vec::new(),
        };
        self.register.settlements.insert(id, made);
        let journals = std::iter::once(settled.journal).chain(settled.later);
        let posted = journals.map(|journal| self.post(journal)).collect();
        self.of_settlement.insert(id, posted);
        self.carry_out(settled.effects, Some(id));
        assert_eq!(self.register.settlements[&id].withheld(), settled.withheld);
        Ok(())
    }

    fn reallocated(&mut self, id: SettlementId, done: settlement::Reallocated) {
        for journal in done.journals {
            let posted = self.post(journal);
            self.of_settlement.entry(id).or_default().push(posted);
        }
        self.carry_out(done.effects, Some(id));
    }

    fn release(&mut self, books: &Books<'_>, place: usize) -> Result<(), Refusal> {
        let of_documents = self.register.documents.values().flat_map(|known| known.allocations.iter());
        let all: Vec<(AllocationId, AllocationEnd)> =
            of_documents.filter(|one| one.is_active()).filter_map(|one| Some((one.id?, one.from))).collect();
        match pick(&all, place) {
            Some((id, AllocationEnd::Document(note))) => {
                let effects = unallocate_credit(books, &self.register, note, &[id])?;
                self.carry_out(effects, None);
            }
            Some((id, AllocationEnd::Settlement(Some(of)))) => {
                let settlement = self.register.settlements[&of].clone();
                let done = settlement::unallocate(books, &self.register, &settlement, &[id])?;
                self.reallocated(of, done);
            }
            _ => {}
        }
        Ok(())
    }

    fn void_document(&mut self, books: &Books<'_>, id: DocumentId, later: Option<i32>) -> Result<(), Refusal> {
        let document = &self.register.documents[&id];
        let allocations = document.active_allocation_ids();
        let voidable = Voidable {
            stage: document.stage,
            date: document.date,
            earliest: document.earliest_change_date(),
            is_opening: false,
            allocations: &allocations,
            journal: self.of_document.get(&id),
        };
        let (date, reversal) = void(&voidable, later.map(|days| document.date + days), books.lock_date)?;
        if let Some(reversal) = reversal {
            self.post(reversal);
        }
        self.register.documents.get_mut(&id).unwrap().stage = Stage::Void;
        self.void_from.insert(id, date);
        Ok(())
    }

    fn balance(&self, account: Option<&Account>, date: Date) -> Pence {
        let Some(account) = account else { return Pence::ZERO };
        let journals = self.journals.iter().filter(|posted| posted.journal.entry_date <= date);
        let lines = journals.flat_map(|posted| posted.journal.lines.iter());
        lines.filter(|line| line.target == Target::Account(account.id)).map(|line| line.amount).sum()
    }

    fn stands(&self, document: &Document, date: Date) -> bool {
        document.date <= date && self.void_from.get(&document.id).is_none_or(|void_from| date < *void_from)
    }

    fn check(&self, date: Date) {
        self.check_control(Side::Output, Role::AccountsReceivable, date);
        self.check_control(Side::Input, Role::AccountsPayable, date);
        self.check_cis(date);
        self.check_vat(date);
    }

    /// I10: the control account is what documents and settlements leave open, on every day.
    fn check_control(&self, side: Side, role: Role, date: Date) {
        let settled = |allocations: &[Allocation]| -> Pence {
            allocations.iter().filter(|one| one.counts_on(date)).map(Allocation::settled).sum()
        };
        let mut open = Pence::ZERO;
        for document in self.register.documents.values() {
            if document.kind.side() == side && self.stands(document, date) {
                let left = document.gross - settled(&document.allocations);
                open += Pence(left.0 * document.kind.control_sign());
            }
        }
        for (id, settlement) in &self.register.settlements {
            let void_from = self.settlement_void_from.get(id);
            let stands = settlement.date <= date && void_from.is_none_or(|void_from| date < *void_from);
            if settlement.kind.document_kind().side() == side && stands {
                let allocated = settlement.allocations.iter().filter(|one| one.counts_on(date)).map(|one| one.amount);
                let left = settlement.amount - allocated.sum();
                open -= Pence(left.0 * settlement.kind.bank_sign());
            }
        }
        assert_eq!(self.balance(self.chart.with_role(&role), date), open, "{role:?} on {date}");
    }

    /// I26: what is on the CIS accounts is what allocations withheld.
    fn check_cis(&self, date: Date) {
        for (side, role) in [(Side::Output, Role::CisSuffered), (Side::Input, Role::CisPayable)] {
            let mut withheld = Pence::ZERO;
            for settlement in self.register.settlements.values() {
                let of_it = settlement.allocations.iter().filter(|one| one.from == settlement.end());
                let cis: Pence = of_it.filter(|one| one.counts_on(date)).map(|one| one.cis).sum();
                if settlement.kind.document_kind().side() == side {
                    withheld += Pence(cis.0 * settlement.kind.bank_sign());
                }
            }
            assert_eq!(self.balance(self.chart.with_role(&role), date), withheld, "{role:?} on {date}");
        }
    }

    /// I17, I18: VAT Control is what was declared and, under cash accounting, what documents still have to declare.
    fn check_vat(&self, date: Date) {
        let declared = self.entries.iter().filter(|entry| entry.tax_point <= date);
        let sign = |side: Side| if side == Side::Output { 1 } else { -1 };
        // What is due under a reverse charge is reclaimed, and leaves nothing.
        let declared = declared.filter(|entry| entry.reverse_charge.is_none());
        let mut owed: Pence = declared.map(|entry| Pence(entry.amount.vat.0 * sign(entry.side))).sum();
        let standing = self.register.documents.values().filter(|document| self.stands(document, date));
        for document in standing.filter(|document| document.waits_for_payment()) {
            let left = self.left_of(document, date).total().vat.0 * sign(document.kind.side());
            owed += Pence(if document.kind.is_credit_note() { -left } else { left });
        }
        assert_eq!(-self.balance(self.chart.with_role(&Role::VatControl), date), owed, "VAT Control on {date}");
    }

    /// What a document paid for under cash accounting has still to declare.
    fn left_of(&self, document: &Document, date: Date) -> CodeTotals {
        let credit = document.allocations.iter().filter(|one| one.counts_on(date) && !one.is_payment());
        let taken_off = credit.flat_map(|one| one.credit.iter()).collect();
        document.by_code.without(&taken_off).without(&recognised(document, date))
    }

    /// I19: what is settled has declared all its VAT but that of the credit against it, to the penny and by code.
    fn check_completed(&self, date: Date) {
        let issued = self.register.documents.values().filter(|document| document.stage == Stage::Issued);
        for document in issued.filter(|document| document.due().is_zero()) {
            let left = self.left_of(document, date);
            let coded = left.iter().filter(|(code, _)| code.is_in_return());
            coded.for_each(|(code, amount)| assert_eq!(amount, Split::default(), "{code:?} of {document:?}"));
        }
    }

    /// I1, I13, I14, I15: what has to hold of every journal, document and settlement.
    fn check_records(&self) {
        for posted in &self.journals {
            let journal = &posted.journal;
            assert!(journal.lines.len() >= 2 && journal.total_debit() == journal.total_credit());
            assert!(journal.lines.iter().all(|line| !line.amount.is_zero()));
            assert!(journal.lines.iter().all(|line| (line.debit().is_zero()) != (line.credit().is_zero())));
        }
        let mut of_settlements: Vec<&Allocation> = Vec::new();
        for settlement in self.register.settlements.values() {
            assert!(!settlement.unallocated().is_negative());
            let of_it = settlement.allocations.iter().filter(|one| one.is_active() && one.from == settlement.end());
            let settled: Pence = of_it.clone().map(Allocation::settled).sum();
            let given_back: Pence = settlement
                .allocations
                .iter()
                .filter(|one| one.is_active() && one.to == settlement.end())
                .map(|one| one.amount)
                .sum();
            assert_eq!(settlement.amount + settlement.withheld(), settled + given_back + settlement.unallocated());
            of_settlements.extend(of_it.filter(|one| matches!(one.to, AllocationEnd::Document(_))));
        }
        let mut of_documents: Vec<&Allocation> = Vec::new();
        for document in self.register.documents.values() {
            assert!(!document.due().is_negative() && document.due() <= document.gross, "{document:?}");
            assert_eq!(document.due(), document.gross - document.paid() - document.credited());
            let is_settled = matches!(document.status(), "paid" | "allocated");
            assert_eq!(document.stage == Stage::Issued && document.due().is_zero(), is_settled);
            of_documents.extend(document.allocations.iter().filter(|one| one.is_active() && one.is_cash()));
        }
        of_settlements.sort_by_key(|one| one.id);
        of_documents.sort_by_key(|one| one.id);
        assert_eq!(of_settlements, of_documents);
    }
}

fn live(schemes: &[(Date, VatScheme)], steps: &[Step], days: &[i32]) {
    let mut world = World::new(VatHistory::new(schemes.to_vec()));
    for step in steps {
        let journals = world.journals.len();
        if world.take(step).is_err() {
            assert_eq!(world.journals.len(), journals, "a refused step posts nothing");
        }
        world.check_records();
    }
    let after_the_end = FIRST + 4 * DAYS;
    for date in days.iter().map(|date| FIRST + *date).chain([after_the_end]) {
        world.check(date);
    }
    world.check_completed(after_the_end);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_books_hold_on_every_day(
        steps in prop::collection::vec(step(), 1..60),
        days in prop::collection::vec(0..DAYS, 12),
    ) {
        live(&[(Date::MIN, VatScheme::Standard)], &steps, &days);
    }

    #[test]
    fn the_books_hold_on_every_day_under_cash_accounting(
        steps in prop::collection::vec(step(), 1..60),
        days in prop::collection::vec(0..DAYS, 12),
    ) {
        live(&[(Date::MIN, VatScheme::Cash)], &steps, &days);
    }

    #[test]
    fn the_books_hold_on_every_day_whatever_the_schemes(
        steps in prop::collection::vec(step(), 1..60),
        days in prop::collection::vec(0..DAYS, 12),
        schemes in prop::collection::vec(0_usize..4, 3),
    ) {
        const SCHEMES: [VatScheme; 4] = [
            VatScheme::Standard,
            VatScheme::Cash,
            VatScheme::FlatRate(Percent(950), FlatRateBasis::Invoice),
            VatScheme::FlatRate(Percent(950), FlatRateBasis::Cash),
        ];
        let begin = [Date::MIN, FIRST + DAYS / 3, FIRST + DAYS * 2 / 3];
        let schemes: Vec<_> = begin.into_iter().zip(schemes.into_iter().map(|scheme| SCHEMES[scheme])).collect();
        live(&schemes, &steps, &days);
    }
}
