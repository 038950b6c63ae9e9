//! What a line most likely pays: by the numbers it names, else by whom it is from or for, and never by its amount alone.

use crate::domain::coding::outcome::SettledKind;

use super::amounts::Relation;
use super::book::{Book, lateness};
use super::index::NumberIndex;
use super::numbers::Strength;
use super::proposal::{HINTED, NAMED, Part, Proposal, Reading, WELL_NAMED};

/// An item the line names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named {
    pub(super) item: usize,
    pub(super) strength: Strength,
    /// It is an invoice number, and no other that happens to be the same.
    pub(super) explicit: bool,
    pub(super) likeness: u32,
    /// A credit note, which makes the payment smaller.
    pub(super) credit: bool,
}

/// Works out proposals against what is open now.
pub(super) struct Proposer<'a> {
    pub(super) book: &'a Book,
    pub(super) index: &'a NumberIndex,
    pub(super) reading: &'a Reading,
    /// The business works under the Construction Industry Scheme.
    pub(super) cis: bool,
}

impl Proposer<'_> {
    /// The best proposal, if there is any.
    pub(super) fn best(&self) -> Option<Proposal> {
        if self.reading.pence == 0 {
            return None;
        }
        let (named, spoken_for) = self.named();
        if named.iter().any(|named| !named.credit)
            && let Some(proposal) = self.by_number(&named)
        {
            return Some(proposal);
        }
        if named.is_empty()
            && let Some(proposal) = self.by_mistyped_number()
        {
            return Some(proposal);
        }
        let veto =
            self.reading.numbers.foreign || spoken_for || named.iter().any(|named| !named.credit && is_certain(named));
        if veto { None } else { self.by_contact(&named).or_else(|| self.by_amount(&named)) }
    }

    /// The only open item of the amount of a contact that is named, where two neighbouring digits of its number were exchanged.
    fn by_mistyped_number(&self) -> Option<Proposal> {
        let reading = self.reading;
        let well_named = reading.contacts.iter().filter(|(_, likeness)| *likeness >= WELL_NAMED);
        let mut found = well_named.filter_map(|(contact, likeness)| {
            let (item, others) = self.book.nearest(*contact, reading.flow, reading.pence, reading.date)?;
            let is_mistyped = self.index.serial(item).is_some_and(|serial| reading.numbers.has_exchanged(serial));
            (is_mistyped && !others).then_some((item, *likeness))
        });
        let (item, likeness) = found.next()?;
        if found.next().is_some() {
            return None;
        }
        let proposal = self.proposal(&[item], &[], Relation::Exact, None, likeness, false)?;
        Some(Proposal { is_mistyped: true, ..proposal })
    }

    /// The only open item of the amount, where some of its contact's name is in the line.
    fn by_amount(&self, named: &[Named]) -> Option<Proposal> {
        let reading = self.reading;
        let contact = reading.hinted.filter(|_| named.is_empty() && !reading.cues.any_part())?;
        let (item, others) = self.book.nearest(contact, reading.flow, reading.pence, reading.date)?;
        if others || self.is_sibling(item) {
            return None;
        }
        self.proposal(&[item], &[], Relation::Exact, None, NAMED, false)
    }

    /// The items that are named and may be paid, and whether one is named that cannot be: it is settled already.
    fn named(&self) -> (Vec<Named>, bool) {
        let reading = self.reading;
        let mut named: Vec<Named> = Vec::new();
        let mut spoken_for = false;
        for mention in &reading.numbers.mentions {
            let fits = |item: &usize| self.book.adds(*item, reading.flow) || self.book.subtracts(*item, reading.flow);
            let candidates = mention.invoices.iter().copied().filter(fits);
            let best =
                candidates.filter_map(|item| self.name(item, mention.strength, mention.explicit)).min_by_key(|named| {
                    let item = self.book.items.get(named.item);
                    let open = self.book.is_open(named.item, reading.date);
                    let exact = item.is_some_and(|item| item.open_pence == reading.pence);
                    let hinted = if named.likeness >= HINTED { named.likeness } else { 0 };
                    let late = item.map_or(i64::MAX, |item| lateness(reading.date, item.due));
                    (std::cmp::Reverse(hinted), !open, !exact, late, item.map_or(usize::MAX, |item| item.rank))
                });
            let Some(best) = best else { continue };
            if !self.book.is_open(best.item, reading.date) {
                spoken_for |= is_certain(&best);
            } else if !named.iter().any(|known| known.item == best.item) {
                named.push(best);
            }
        }
        (named, spoken_for)
    }

    fn name(&self, item: usize, strength: Strength, explicit: bool) -> Option<Named> {
        let contact = self.book.items.get(item)?.contact;
        let likeness = self.reading.likeness(contact);
        let credit = !self.book.adds(item, self.reading.flow);
        let enough = strength > Strength::Weak || likeness >= HINTED;
        enough.then_some(Named { item, strength, explicit, likeness, credit })
    }

    /// The line has a number like this item's that is not this item's.
    pub(super) fn is_sibling(&self, item: usize) -> bool {
        self.index.has_sibling_of(&self.reading.numbers, item)
    }

    pub(super) fn payable(&self, contact: usize) -> impl Iterator<Item = usize> {
        self.book.payable(contact, self.reading.flow, self.reading.date)
    }

    pub(super) fn open(&self, item: usize) -> Option<i128> {
        self.book.items.get(item).map(|item| item.open_pence)
    }

    pub(super) fn total(&self, items: &[usize]) -> i128 {
        items.iter().filter_map(|item| self.open(*item)).sum()
    }

    pub(super) fn proposal(
        &self,
        items: &[usize],
        credits: &[usize],
        relation: Relation,
        number: Option<Strength>,
        likeness: u32,
        ambiguous: bool,
    ) -> Option<Proposal> {
        // A credit note of a contact that is customer and supplier may be read either way, but not both at once.
        if credits.iter().any(|credit| items.contains(credit)) {
            return None;
        }
        let several = items.len() + credits.len() > 1;
        let kind = match relation {
            Relation::Exact | Relation::Over if several => SettledKind::Sum,
            Relation::Exact | Relation::Over => SettledKind::Exact,
            Relation::Deducted(_) | Relation::DeductedFromPart => SettledKind::CisDeduction,
            Relation::Short | Relation::Exchanged => SettledKind::FeeDeducted,
            Relation::Part => SettledKind::Part,
        };
        let mut order = items.to_vec();
        order.sort_by_key(|item| self.book.items.get(*item).map(|item| item.rank));
        let mut left = self.reading.pence + self.total(credits);
        let mut parts = Vec::with_capacity(items.len() + credits.len());
        for place in order.iter().chain(credits) {
            let item = self.book.items.get(*place)?;
            let credit = !items.contains(place);
            let whole = credit || relation != Relation::Part || left >= item.open_pence;
            let pence = if whole { item.open_pence } else { left };
            if !credit {
                left -= pence.min(left);
            }
            if pence > 0 {
                let kind = if kind == SettledKind::Part && whole { SettledKind::Sum } else { kind };
                parts.push(Part { item: *place, pence, whole, kind, version: item.version });
            }
        }
        let first = order.first().and_then(|item| self.book.items.get(*item))?;
        let named = match number {
            Some(Strength::Sure) => 2000,
            Some(Strength::Strong) => 1900,
            Some(Strength::Fair) => 1500,
            Some(Strength::Weak) => 900,
            None => 0,
        };
        let score = named + likeness + relation.score() - if several { 50 } else { 0 };
        let lateness = lateness(self.reading.date, first.due);
        let rival = None;
        let is_mistyped = false;
        (!parts.is_empty()).then_some(Proposal {
            parts,
            relation,
            number,
            likeness,
            is_mistyped,
            ambiguous,
            rival,
            score,
            lateness,
        })
    }
}

/// The line names this invoice and no other thing that happens to have its number.
fn is_certain(named: &Named) -> bool {
    named.strength > Strength::Weak && (named.explicit || named.likeness >= HINTED)
}

/// Every choice of a few items, none of them first.
pub(super) fn subsets(items: &[usize]) -> Vec<Vec<usize>> {
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new()];
    for item in items.iter().take(6) {
        let with: Vec<Vec<usize>> = chosen.iter().map(|set| set.iter().copied().chain([*item]).collect()).collect();
        chosen.extend(with);
    }
    chosen
}
