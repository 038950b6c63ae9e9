//! Carries a plan out over HTTP and tells the second opinion what was accepted.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::lines::{Drafted, credited, drafted, gross, text};
use super::plan::{Plan, Step, What};
use super::random::{Random, mixed};
use crate::books::figures::pence;
use crate::books::vat_notice_model::{
    Day, Document, Event, Kind, Line, Pence, Scheme, Source, Turnover, date, day, share,
};
use crate::books::{Books, ORGANISATIONS};

/// A document that was accepted.
#[derive(Debug, Clone)]
pub(super) struct Posted {
    pub(super) seed: u64,
    pub(super) id: i64,
    pub(super) kind: Kind,
    pub(super) contact: i64,
    pub(super) date: Day,
    pub(super) gross: Pence,
    /// Cash still to be paid of a bill from which CIS is withheld.
    pub(super) payable: Option<Pence>,
    pub(super) drafted: Vec<Drafted>,
    pub(super) is_void: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Allocated {
    pub(super) source: Source,
    pub(super) to: usize,
    pub(super) settled: Pence,
    pub(super) on: Day,
    /// The receipt or payment it is of.
    pub(super) settlement: Option<usize>,
}

#[derive(Debug, Clone)]
pub(super) struct Settled {
    seed: u64,
    path: String,
    date: Day,
    is_void: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Made {
    pub(super) seed: u64,
    pub(super) id: i64,
    pub(super) date: Day,
    pub(super) is_void: bool,
    pub(super) number: usize,
}

/// An organisation under way.
pub struct Run<'a> {
    pub(super) books: &'a Books,
    pub(super) customer: i64,
    pub(super) suppliers: [i64; 2],
    pub(super) bank: i64,
    pub(super) lock: Option<Day>,
    pub(super) schemes: Vec<(Day, Scheme)>,
    pub(super) posted: Vec<Posted>,
    pub(super) settled: Vec<Settled>,
    pub(super) allocated: BTreeMap<usize, Allocated>,
    pub(super) bank_lines: Vec<Made>,
    pub(super) journals: Vec<Made>,
    pub(super) adjustments: Vec<Made>,
    pub(super) entries: usize,
    pub events: Vec<Event>,
    pub told: Vec<String>,
    /// Reasons of refusals, and how often.
    pub refused: BTreeMap<String, usize>,
}

pub fn iso(of: Day) -> String {
    let (year, month, day_of_month) = date(of);
    format!("{year:04}-{month:02}-{day_of_month:02}")
}

pub(super) fn day_of(value: &Value) -> Day {
    let parts: Vec<i64> = value.as_str().unwrap().split('-').map(|part| part.parse().unwrap()).collect();
    day(parts[0], parts[1], parts[2])
}

pub(super) fn scheme_fields(scheme: Scheme) -> Value {
    match scheme {
        Scheme::Standard => json!({ "vat_scheme": "standard" }),
        Scheme::Cash => json!({ "vat_scheme": "cash" }),
        Scheme::FlatRate { percent_hundredths, turnover } => json!({
            "vat_scheme": "flat_rate", "flat_rate_percent": text(percent_hundredths),
            "flat_rate_basis": if turnover == Turnover::Received { "cash" } else { "invoice" },
        }),
    }
}

const fn path_of(kind: Kind) -> &'static str {
    match kind {
        Kind::SalesInvoice => "/sales-invoices",
        Kind::SalesCreditNote => "/sales-credit-notes",
        Kind::PurchaseInvoice => "/purchase-invoices",
        Kind::PurchaseCreditNote => "/purchase-credit-notes",
    }
}

impl<'a> Run<'a> {
    /// A new organisation of the person who keeps these books, which are set to it.
    pub fn begin(books: &'a mut Books, plan: &Plan) -> Self {
        let mut body = scheme_fields(plan.first);
        // Long before, on the first day of a period.
        let from = super::plan::months_after(plan.start, -9);
        let more = json!({
            "name": plan.name, "vat_control": true, "vat_registered": true, "vat_scheme_from": iso(from),
            "vat_period_months": 3, "vat_period_end_month": plan.period_end_month, "cis_contractor": true,
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let made = books.server.client.post(ORGANISATIONS).key(&books.key).json(&body).send().expect(201);
        books.id = made["data"]["id"].as_i64().unwrap();
        let books = &*books;
        let suppliers = [books.supplier("Supplier"), books.subcontractor("Subcontractor", 20)];
        Self {
            customer: books.customer("Customer"),
            suppliers,
            bank: books.bank_id(),
            books,
            lock: None,
            schemes: vec![(from, plan.first)],
            posted: Vec::new(),
            settled: Vec::new(),
            allocated: BTreeMap::new(),
            bank_lines: Vec::new(),
            journals: Vec::new(),
            adjustments: Vec::new(),
            entries: 0,
            events: vec![Event::Registered { from, scheme: plan.first }],
            told: vec![format!("an organisation: {body}")],
            refused: BTreeMap::new(),
        }
    }

    pub fn carry_out(&mut self, plan: &Plan) {
        for step in &plan.steps {
            self.step(step);
        }
    }

    /// Days on which something was told.
    pub fn days(&self) -> Vec<Day> {
        let mut days: Vec<Day> = self.allocated.values().map(|one| one.on).collect();
        days.extend(self.posted.iter().map(|one| one.date));
        days.sort_unstable();
        days.dedup();
        days
    }

    fn step(&mut self, step: &Step) {
        let mut random = Random(step.seed);
        match step.what {
            What::Opening => self.open(step, &mut random),
            What::Sale => self.invoice(step, Kind::SalesInvoice, &mut random),
            What::Purchase => self.invoice(step, Kind::PurchaseInvoice, &mut random),
            What::CreditNote => self.credit_note(step, &mut random),
            What::Settle => self.settle(step, &mut random),
            What::Refund => self.refund(step, &mut random),
            What::SetOff => self.set_off(step, &mut random),
            What::Release => self.release(step),
            What::VoidDocument => self.void_document(step, &mut random),
            What::VoidSettlement => self.void_settlement(step, &mut random),
            What::Bank => self.bank_line(step, &mut random),
            What::Unconfirm => self.unconfirm(step),
            What::Journal => self.journal(step, &mut random),
            What::VoidJournal => self.void_journal(step, &mut random),
            What::Adjust => self.adjust(step, &mut random),
            What::VoidAdjustment => self.void_adjustment(step, &mut random),
            What::WriteOff => self.write_off(step, &mut random),
            What::VoidWriteOff => self.void_write_off(step, &mut random),
            What::Lock => self.set_lock(step),
            What::Change(scheme) => self.change(step, scheme),
        }
    }

    /// Asks for something; nothing when the rules refuse it.
    pub(super) fn ask(&mut self, method: &str, path: &str, body: &Value) -> Option<Value> {
        let answer = self.books.request(method, path).json(body).send();
        if matches!(answer.status, 200 | 201) {
            self.told.push(format!("{method} {path} {body}"));
            return Some(answer.value()["data"].clone());
        }
        assert!(matches!(answer.status, 404 | 409 | 422), "{answer}");
        let error = &answer.value()["error"];
        let why = error["details"]["reason"].as_str().map_or_else(|| error.to_string(), str::to_owned);
        *self.refused.entry(format!("{} {why}", answer.status)).or_default() += 1;
        None
    }

    pub(super) fn scheme_on(&self, day: Day) -> Scheme {
        self.schemes.iter().filter(|(from, _)| *from <= day).max_by_key(|(from, _)| *from).unwrap().1
    }

    fn is_open(&self, day: Day) -> bool {
        self.lock.is_none_or(|lock| day > lock)
    }

    /// What is still due of a document, or still to be given of a credit note.
    pub(super) fn left(&self, at: usize) -> Pence {
        let of = |one: &&Allocated| one.to == at || one.source == Source::Credit(at);
        self.posted[at].gross - self.allocated.values().filter(of).map(|one| one.settled).sum::<Pence>()
    }

    /// Those that fit, in an order of the step's own that does not depend on what else is there.
    pub(super) fn chosen(&self, seed: u64, fits: impl Fn(usize, &Posted) -> bool) -> Vec<usize> {
        let all = self.posted.iter().enumerate().filter(|(at, one)| !one.is_void && fits(*at, one));
        let mut found: Vec<usize> = all.map(|(at, _)| at).collect();
        found.sort_by_key(|at| mixed(self.posted[*at].seed ^ seed));
        found
    }

    fn invoice(&mut self, step: &Step, kind: Kind, random: &mut Random) {
        let scheme = self.scheme_on(step.on);
        let is_cis = kind == Kind::PurchaseInvoice && random.chance(25);
        let (lines, inclusive) = drafted(random, kind, scheme, is_cis);
        let contact = if kind.is_sale() { self.customer } else { self.suppliers[usize::from(is_cis)] };
        let due = if random.chance(12) { random.between(175, 190) } else { random.between(0, 60) };
        let outside_cash_accounting = scheme == Scheme::Cash && random.chance(10);
        let mut body = json!({
            "invoice_date": iso(step.on), "due_date": iso(step.on + due), "vat_inclusive": inclusive,
            "lines": lines.iter().map(Drafted::sent).collect::<Vec<_>>(),
        });
        body[if kind.is_sale() { "customer_id" } else { "supplier_id" }] = json!(contact);
        if outside_cash_accounting {
            body["vat_basis"] = json!("standard");
        }
        let due = Some(step.on + due);
        self.post(step, kind, contact, &body, lines, |is| {
            is.due = due;
            is.outside_cash_accounting = outside_cash_accounting;
        });
    }

    fn credit_note(&mut self, step: &Step, random: &mut Random) {
        let kind = random.pick(&[Kind::SalesCreditNote, Kind::PurchaseCreditNote]);
        let of_side = |one: &Posted| one.kind.is_sale() == kind.is_sale() && !one.kind.is_credit_note();
        let invoices = self.chosen(step.seed, |_, one| of_side(one) && one.date <= step.on && !one.drafted.is_empty());
        let origin = invoices.first().copied().filter(|_| random.chance(70));
        let (lines, inclusive) = match origin {
            Some(origin) => (credited(random, &self.posted[origin].drafted.clone()), false),
            None => drafted(random, kind, self.scheme_on(step.on), false),
        };
        let contact = match origin {
            Some(origin) => self.posted[origin].contact,
            None if kind.is_sale() => self.customer,
            None => self.suppliers[0],
        };
        let mut body = json!({
            "credit_note_date": iso(step.on), "vat_inclusive": inclusive,
            "lines": lines.iter().map(Drafted::sent).collect::<Vec<_>>(),
        });
        body[if kind.is_sale() { "customer_id" } else { "supplier_id" }] = json!(contact);
        if let Some(origin) = origin {
            body["invoice_id"] = json!(self.posted[origin].id);
        }
        self.post(step, kind, contact, &body, lines, |is| is.origin = origin);
    }

    fn post(
        &mut self,
        step: &Step,
        kind: Kind,
        contact: i64,
        body: &Value,
        drafted: Vec<Drafted>,
        tell: impl FnOnce(&mut Document),
    ) {
        let Some(made) = self.ask("POST", path_of(kind), body) else { return };
        let gross = gross(&drafted);
        assert_eq!(pence(&made["gross_amount"]), gross, "{body} was answered by {made}");
        let vat: Pence = drafted.iter().map(|one| one.line.vat).sum();
        assert_eq!(pence(&made["vat_amount"]), vat, "{body} was answered by {made}");
        let lines: Vec<Line> = drafted.iter().map(|one| one.line).collect();
        let mut is = Document {
            kind,
            date: step.on,
            due: None,
            lines,
            outside_cash_accounting: false,
            origin: None,
            opening: None,
        };
        tell(&mut is);
        self.events.push(Event::Issued { document: self.posted.len(), is });
        let payable = made["cis"]["payable"].as_f64().map(|_| pence(&made["cis"]["payable"]));
        let id = made["id"].as_i64().unwrap();
        let (seed, date) = (step.seed, step.on);
        self.posted.push(Posted { seed, id, kind, contact, date, gross, payable, drafted, is_void: false });
    }

    fn settle(&mut self, step: &Step, random: &mut Random) {
        let is_sale = random.chance(55);
        let open =
            |at: usize, one: &Posted| !one.kind.is_credit_note() && one.kind.is_sale() == is_sale && self.left(at) > 0;
        let found = self.chosen(step.seed, open);
        let Some(first) = found.first().copied() else { return };
        let contact = self.posted[first].contact;
        let count = usize::try_from(random.between(1, 3)).unwrap();
        let found = found.into_iter().filter(|at| self.posted[*at].contact == contact).take(count);
        let mut total = 0;
        let mut allocations = Vec::new();
        for at in found.collect::<Vec<_>>() {
            let left = self.left(at);
            let cash = match self.posted[at].payable {
                // What is left to be paid when CIS is withheld of it in proportion.
                Some(payable) => share(payable, left, self.posted[at].gross),
                None => left,
            };
            let amount = if random.chance(45) { cash } else { share(cash, random.between(1, 99), 100) };
            let mut one = json!({ "invoice_id": self.posted[at].id, "amount": text(amount) });
            if is_sale && left - amount > 0 && random.chance(12) {
                one["cis_suffered"] = json!(text(share(left - amount, random.between(10, 100), 100)));
            }
            if amount > 0 {
                total += amount;
                allocations.push(one);
            }
        }
        if random.chance(20) {
            total += random.between(1, 9_999);
        }
        let mut body = json!({ "date": iso(step.on), "amount": text(total), "allocations": allocations });
        body[if is_sale { "customer_id" } else { "supplier_id" }] = json!(contact);
        if random.chance(10) {
            body["account_code"] = json!("2300");
        } else {
            body["bank_account_id"] = json!(self.bank);
        }
        self.settlement(step, is_sale, &body);
    }

    fn settlement(&mut self, step: &Step, is_sale: bool, body: &Value) {
        let path = if is_sale { "/customer-receipts" } else { "/supplier-payments" };
        let Some(made) = self.ask("POST", path, body) else { return };
        let settlement = self.settled.len();
        let path = format!("{path}/{}", made["id"]);
        self.settled.push(Settled { seed: step.seed, path, date: step.on, is_void: false });
        self.learn_allocations(&made, Source::Money, Some(settlement), is_sale);
    }

    fn refund(&mut self, step: &Step, random: &mut Random) {
        let open = |at: usize, one: &Posted| one.kind.is_credit_note() && self.left(at) > 0;
        let Some(at) = self.chosen(step.seed, open).first().copied() else { return };
        let left = self.left(at);
        let amount = if random.chance(60) { left } else { share(left, random.between(1, 99), 100).max(1) };
        let is_sale = self.posted[at].kind.is_sale();
        let mut body = json!({
            "kind": "refund", "date": iso(step.on), "amount": text(amount), "bank_account_id": self.bank,
            "allocations": [{ "credit_note_id": self.posted[at].id, "amount": text(amount) }],
        });
        body[if is_sale { "customer_id" } else { "supplier_id" }] = json!(self.posted[at].contact);
        self.settlement(step, is_sale, &body);
    }

    fn set_off(&mut self, step: &Step, random: &mut Random) {
        let open = |at: usize, one: &Posted| one.kind.is_credit_note() && self.left(at) > 0;
        let Some(note) = self.chosen(step.seed, open).first().copied() else { return };
        let Posted { id, kind, contact, .. } = self.posted[note];
        let fits = |at: usize, one: &Posted| {
            one.contact == contact
                && !one.kind.is_credit_note()
                && one.kind.is_sale() == kind.is_sale()
                && self.left(at) > 0
        };
        let Some(at) = self.chosen(step.seed, fits).first().copied() else { return };
        let most = self.left(at).min(self.left(note));
        let amount = if random.chance(60) { most } else { share(most, random.between(1, 99), 100).max(1) };
        let mut body = json!({ "allocations": [{ "invoice_id": self.posted[at].id, "amount": text(amount) }] });
        if random.chance(60) {
            body["date"] = json!(iso(step.on.max(self.posted[at].date).max(self.posted[note].date)));
        }
        let Some(made) = self.ask("POST", &format!("{}/{id}/allocate", path_of(kind)), &body) else { return };
        self.learn_allocations(&made, Source::Credit(note), None, kind.is_sale());
    }

    /// What an answer shows that was not known.
    fn learn_allocations(&mut self, made: &Value, source: Source, settlement: Option<usize>, is_sale: bool) {
        for one in made["allocations"].as_array().unwrap() {
            let allocation = usize::try_from(one["id"].as_i64().unwrap()).unwrap();
            if self.allocated.contains_key(&allocation) {
                continue;
            }
            let named = |field: &str| one.get(field).and_then(Value::as_i64);
            let (id, is_note) = match (named("invoice_id"), named("credit_note_id")) {
                (Some(id), _) => (id, false),
                (None, Some(id)) => (id, true),
                (None, None) => continue,
            };
            let is_it = |posted: &Posted| {
                posted.id == id && posted.kind.is_credit_note() == is_note && posted.kind.is_sale() == is_sale
            };
            let to = self.posted.iter().position(is_it).unwrap_or_else(|| panic!("no document of {one}"));
            let settled = pence(one.get("settled_amount").unwrap_or(&one["amount"]));
            let on = day_of(&one["date"]);
            self.allocated.insert(allocation, Allocated { source, to, settled, on, settlement });
            self.events.push(Event::Allocated { allocation, source, to, settled, on });
        }
    }

    fn release(&mut self, step: &Step) {
        let Some(allocation) = self.allocated.keys().copied().min_by_key(|id| {
            let one = &self.allocated[id];
            mixed(self.posted[one.to].seed ^ step.seed ^ one.settled.unsigned_abs())
        }) else {
            return;
        };
        let one = self.allocated[&allocation];
        let path = match (one.settlement, one.source) {
            (Some(settlement), _) => self.settled[settlement].path.clone(),
            (None, Source::Credit(note)) => format!("{}/{}", path_of(self.posted[note].kind), self.posted[note].id),
            (None, Source::Money | Source::WrittenOff) => return,
        };
        let body = json!({ "allocation_ids": [allocation] });
        if self.ask("POST", &format!("{path}/unallocate"), &body).is_some() {
            self.allocated.remove(&allocation);
            let on = self.lock.map_or(one.on, |lock| one.on.max(lock + 1));
            self.events.push(Event::Released { allocation, on });
        }
    }

    /// A day for a void, or the own day of what is voided.
    pub(super) fn void_body(&self, step: &Step, of: Day, random: &mut Random) -> (Value, Day) {
        if random.chance(35) && self.is_open(of) {
            return (json!({}), of);
        }
        let first = self.lock.map_or(of, |lock| of.max(lock + 1));
        let on = random.between(first, (first + 150).min(step.until.max(first)));
        (json!({ "void_date": iso(on) }), on)
    }

    fn void_document(&mut self, step: &Step, random: &mut Random) {
        let free = |at: usize, one: &Posted| self.left(at) == one.gross && one.gross > 0;
        let Some(at) = self.chosen(step.seed, free).first().copied() else { return };
        let (body, _) = self.void_body(step, self.posted[at].date, random);
        let path = format!("{}/{}/void", path_of(self.posted[at].kind), self.posted[at].id);
        if let Some(made) = self.ask("POST", &path, &body) {
            self.posted[at].is_void = true;
            self.events.push(Event::DocumentVoided { document: at, on: day_of(&made["void_date"]) });
        }
    }

    fn void_settlement(&mut self, step: &Step, random: &mut Random) {
        let open = self.settled.iter().enumerate().filter(|(_, one)| !one.is_void);
        let Some(at) = open.min_by_key(|(_, one)| mixed(one.seed ^ step.seed)).map(|(at, _)| at) else { return };
        let (body, _) = self.void_body(step, self.settled[at].date, random);
        let Some(made) = self.ask("POST", &format!("{}/void", self.settled[at].path), &body) else { return };
        self.settled[at].is_void = true;
        let on = day_of(&made["void_date"]);
        let of_it = self.allocated.iter().filter(|(_, one)| one.settlement == Some(at)).map(|(id, _)| *id);
        for allocation in of_it.collect::<Vec<_>>() {
            self.allocated.remove(&allocation);
            self.events.push(Event::Released { allocation, on });
        }
    }
}
