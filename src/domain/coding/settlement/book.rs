//! The open items of a list and what is left of each while a batch is worked through.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::domain::amount::{UNITS_PER_PENNY, pence};
use crate::domain::coding::batch::{Invoice, InvoiceKind};
use crate::domain::date::Date;

use super::contacts::Contacts;

/// Days before its own date that an invoice may be paid: dates of banks and books differ a little.
const DAYS_EARLY: i32 = 3;

/// Days that customers are late as a matter of course: of equal invoices due within them the oldest is paid first.
const PATIENCE_DAYS: i32 = 60;

/// Days after which an invoice without a due date is taken to be due.
const USUAL_TERM_DAYS: i32 = 30;

/// Which way money moves on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Flow {
    In,
    Out,
}

/// Who gave a credit note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Customer,
    Supplier,
    Unknown,
}

/// An open item.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) open_pence: i128,
    pub(super) open: i128,
    pub(super) date: Date,
    pub(super) due: Date,
    pub(super) contact: usize,
    pub(super) kind: InvoiceKind,
    pub(super) foreign: bool,
    /// A part was open only, or a part of it was paid in this batch.
    pub(super) begun: bool,
    /// Its place when items are ordered by what they are and not by where they were listed.
    pub(super) rank: usize,
    /// Changes with what is left, so that what was worked out before is known to be stale.
    pub(super) version: u32,
}

/// Every item, and where those of a contact are.
#[derive(Debug)]
pub(super) struct Book {
    pub(super) items: Vec<Item>,
    /// Items of a contact, oldest due date first.
    by_contact: Vec<Vec<usize>>,
    /// How many of those are settled.
    settled: Vec<usize>,
    roles: Vec<Role>,
    by_rank: Vec<usize>,
    by_amount: FxHashMap<(usize, Flow, i128), BTreeSet<(Date, usize)>>,
    contacts_by_amount: FxHashMap<(Flow, i128), Vec<usize>>,
}

impl Book {
    pub(super) fn new(invoices: &[Invoice<'_>], contacts: &Contacts) -> Self {
        let home = home_currency(invoices);
        let mut order: Vec<usize> = (0..invoices.len()).collect();
        order.sort_by_cached_key(|place| invoices.get(*place).map(|invoice| identity(invoice, *place)));
        let mut ranks = vec![0; invoices.len()];
        for (rank, place) in order.iter().enumerate() {
            if let Some(slot) = ranks.get_mut(*place) {
                *slot = rank;
            }
        }
        let items = invoices.iter().enumerate().map(|(place, invoice)| Item {
            open_pence: pence(invoice.amount_due).max(0),
            open: invoice.amount_due.max(0),
            date: invoice.date,
            due: due(invoice),
            contact: contacts.of_invoice(place),
            kind: invoice.kind,
            foreign: invoice.currency.as_deref().is_some_and(|currency| currency != home),
            begun: invoice.total.is_some_and(|total| total > invoice.amount_due),
            rank: ranks.get(place).copied().unwrap_or(place),
            version: 0,
        });
        let mut book = Self {
            items: items.collect(),
            by_contact: vec![Vec::new(); contacts.len()],
            settled: vec![0; contacts.len()],
            roles: vec![Role::Unknown; contacts.len()],
            by_rank: order,
            by_amount: FxHashMap::default(),
            contacts_by_amount: FxHashMap::default(),
        };
        book.index();
        book
    }

    fn index(&mut self) {
        for place in &self.by_rank {
            let Some(item) = self.items.get(*place) else { continue };
            if let Some(list) = self.by_contact.get_mut(item.contact) {
                list.push(*place);
            }
        }
        for (list, role) in self.by_contact.iter().zip(&mut self.roles) {
            let has = |kind| list.iter().any(|place| self.items.get(*place).is_some_and(|item| item.kind == kind));
            *role = match (has(InvoiceKind::Invoice), has(InvoiceKind::Bill)) {
                (true, false) => Role::Customer,
                (false, true) => Role::Supplier,
                _ => Role::Unknown,
            };
        }
        for place in 0..self.items.len() {
            self.enter(place, true);
        }
        for (place, item) in self.items.iter().enumerate() {
            for flow in [Flow::In, Flow::Out] {
                if !self.adds(place, flow) {
                    continue;
                }
                let open = item.open_pence;
                for amount in [open, portion(open, 80, 100), portion(open, 70, 100), portion(open, 100, 120)] {
                    let contacts = self.contacts_by_amount.entry((flow, amount)).or_default();
                    if contacts.last() != Some(&item.contact) {
                        contacts.push(item.contact);
                    }
                }
            }
        }
    }

    /// Writes an item into the index by amount, or takes it out.
    fn enter(&mut self, place: usize, present: bool) {
        for flow in [Flow::In, Flow::Out] {
            if !self.adds(place, flow) {
                continue;
            }
            let Some(item) = self.items.get(place) else { return };
            let known = self.by_amount.entry((item.contact, flow, item.open_pence)).or_default();
            if present && item.open_pence > 0 {
                known.insert((item.due, item.rank));
            } else {
                known.remove(&(item.due, item.rank));
            }
        }
    }

    /// True when money that moves so pays the item.
    pub(super) fn adds(&self, place: usize, flow: Flow) -> bool {
        self.items.get(place).is_some_and(|item| match item.kind {
            InvoiceKind::Invoice => flow == Flow::In,
            InvoiceKind::Bill => flow == Flow::Out,
            InvoiceKind::CreditNote => match self.role(item.contact) {
                Role::Customer => flow == Flow::Out,
                Role::Supplier => flow == Flow::In,
                Role::Unknown => true,
            },
        })
    }

    /// True when the item makes a payment that moves so smaller.
    pub(super) fn subtracts(&self, place: usize, flow: Flow) -> bool {
        self.items.get(place).is_some_and(|item| {
            item.kind == InvoiceKind::CreditNote
                && match self.role(item.contact) {
                    Role::Customer => flow == Flow::In,
                    Role::Supplier => flow == Flow::Out,
                    Role::Unknown => true,
                }
        })
    }

    fn role(&self, contact: usize) -> Role {
        self.roles.get(contact).copied().unwrap_or(Role::Unknown)
    }

    pub(super) fn is_open(&self, place: usize, date: Date) -> bool {
        self.items.get(place).is_some_and(|item| item.open_pence > 0 && item.date - DAYS_EARLY <= date)
    }

    /// Open items of a contact that money moving so pays, oldest due date first.
    pub(super) fn payable(&self, contact: usize, flow: Flow, date: Date) -> impl Iterator<Item = usize> {
        self.of_contact(contact).filter(move |place| self.adds(*place, flow) && self.is_open(*place, date))
    }

    /// Open credit notes of a contact that make a payment smaller.
    pub(super) fn credits(&self, contact: usize, flow: Flow, date: Date) -> impl Iterator<Item = usize> {
        self.of_contact(contact).filter(move |place| self.subtracts(*place, flow) && self.is_open(*place, date))
    }

    fn of_contact(&self, contact: usize) -> impl Iterator<Item = usize> {
        self.by_contact.get(contact).into_iter().flatten().copied()
    }

    /// Contacts that have an item which a payment of this amount settles as a whole; none when too many have.
    pub(super) fn contacts_with(&self, flow: Flow, pence: i128) -> &[usize] {
        const MANY: usize = 24;
        self.contacts_by_amount.get(&(flow, pence)).filter(|list| list.len() <= MANY).map_or(&[], Vec::as_slice)
    }

    /// The open item of a contact with exactly this amount whose due date is nearest, and whether there are others.
    pub(super) fn nearest(&self, contact: usize, flow: Flow, pence: i128, date: Date) -> Option<(usize, bool)> {
        const LOOK: usize = 16;
        let known = self.by_amount.get(&(contact, flow, pence))?;
        let place = |rank: usize| self.by_rank.get(rank).copied();
        let open = |entry: &&(Date, usize)| place(entry.1).is_some_and(|place| self.is_open(place, date));
        let patient = date - PATIENCE_DAYS;
        let overdue = known.range((patient, 0)..=(date, usize::MAX)).take(LOOK).find(open);
        let best = overdue.or_else(|| {
            let late = known.range(..(patient, 0)).rev().take(LOOK).find(open);
            let early = known.range((date, usize::MAX)..).take(LOOK).find(open);
            [late, early].into_iter().flatten().min_by_key(|entry| (lateness(date, entry.0), entry.1))
        })?;
        Some((place(best.1)?, known.len() > 1))
    }

    /// Takes what was paid off an item.
    pub(super) fn settle(&mut self, place: usize, pence: i128, all: bool) {
        self.enter(place, false);
        if let Some(item) = self.items.get_mut(place) {
            item.version += 1;
            item.begun = true;
            if all || pence >= item.open_pence {
                (item.open_pence, item.open) = (0, 0);
            } else {
                item.open_pence -= pence;
                item.open -= pence.saturating_mul(UNITS_PER_PENNY).min(item.open);
            }
        }
        self.enter(place, true);
        self.forget_settled(place);
    }

    /// Drops settled items from the list of their contact once they are half of it.
    fn forget_settled(&mut self, place: usize) {
        let Some(item) = self.items.get(place).filter(|item| item.open_pence == 0) else { return };
        let (Some(list), Some(settled)) = (self.by_contact.get_mut(item.contact), self.settled.get_mut(item.contact))
        else {
            return;
        };
        *settled += 1;
        if *settled * 2 > list.len() {
            list.retain(|place| self.items.get(*place).is_some_and(|item| item.open_pence > 0));
            *settled = 0;
        }
    }
}

/// How unlikely a payment is on a day, by its due date: customers are late more often than early.
pub(super) fn lateness(date: Date, due: Date) -> i64 {
    let days = i64::from(date) - i64::from(due);
    if days >= 0 { (days - i64::from(PATIENCE_DAYS)).max(0) } else { -2 * days }
}

/// A share of an amount, halves of a penny up.
pub(super) fn portion(pence: i128, numerator: i64, denominator: i64) -> i128 {
    // Amounts of ordinary size are divided in one instruction.
    let small = i64::try_from(pence).ok().and_then(|pence| pence.checked_mul(numerator));
    if let Some(product) = small.and_then(|product| product.checked_add(denominator / 2)) {
        return i128::from(product / denominator);
    }
    let (numerator, denominator) = (i128::from(numerator), i128::from(denominator));
    match pence.checked_mul(numerator) {
        Some(product) => (product + denominator / 2) / denominator,
        None => pence / denominator * numerator,
    }
}

fn due(invoice: &Invoice<'_>) -> Date {
    invoice.due_date.unwrap_or_else(|| invoice.date + USUAL_TERM_DAYS)
}

/// What an item is ordered by: nothing of it depends on the list's order, but for the last.
fn identity(invoice: &Invoice<'_>, place: usize) -> (Date, Date, String, String, i128, usize) {
    (due(invoice), invoice.date, invoice.number.to_string(), invoice.contact.to_string(), invoice.amount_due, place)
}

/// Sterling, but for a list that knows one other currency only.
fn home_currency<'a>(invoices: &'a [Invoice<'_>]) -> &'a str {
    const STERLING: &str = "GBP";
    let mut currencies = invoices.iter().map(|invoice| invoice.currency.as_deref().unwrap_or(STERLING));
    let first = currencies.next().unwrap_or(STERLING);
    if invoices.len() >= 3 && currencies.all(|currency| currency == first) { first } else { STERLING }
}
