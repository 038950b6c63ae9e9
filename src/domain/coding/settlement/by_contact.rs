//! Payments that name who pays or is paid: an item of the same amount, several that add up, less credit notes or tax, and
//! parts where the line says so.

use std::cmp::Reverse;

use super::amounts::{Deduction, LONGEST_STATEMENT, Relation, at_least, is_round_share, sum_of_few, sum_of_first};
use super::proposal::{NAMED, Proposal, WELL_NAMED};
use super::proposer::{Named, Proposer, subsets};

/// A contact whose name is less like the line than another's by this much is not meant.
const TELLS_CONTACTS_APART: u32 = 200;

/// From this likeness on all of a name is in the line.
const NAMED_IN_FULL: u32 = 950;

/// Items of a contact that are always looked at; more only while they do not cover the payment.
const ALWAYS_TRIED: usize = 24;

impl Proposer<'_> {
    /// What the contacts that the line names owe or are owed.
    pub(super) fn by_contact(&self, named: &[Named]) -> Option<Proposal> {
        let credits: Vec<usize> = named.iter().filter(|named| named.credit).map(|named| named.item).collect();
        let contacts = self.reading.contacts.iter().filter(|(_, likeness)| *likeness >= NAMED);
        let proposals = contacts.filter_map(|(contact, likeness)| self.of_contact(*contact, *likeness, &credits));
        let mut proposals: Vec<Proposal> = proposals.collect();
        proposals.sort_by_key(|proposal| {
            let rank = proposal.first_item().and_then(|item| self.book.items.get(item)).map(|item| item.rank);
            (Reverse(proposal.score), proposal.lateness, rank)
        });
        let mut proposals = proposals.into_iter();
        let mut best = proposals.next()?;
        // Whoever is named in full is meant, unless another is as well.
        let is_full = |proposal: &Proposal| proposal.likeness >= NAMED_IN_FULL;
        let is_rival = |other: &Proposal| {
            other.relation == best.relation
                && best.likeness.saturating_sub(other.likeness) < TELLS_CONTACTS_APART
                && (is_full(other) || !is_full(&best))
        };
        best.rival = proposals.find(is_rival).as_ref().and_then(Proposal::first_item);
        // Lines that name one of them better come first and leave the other.
        if best.rival.is_some() {
            best.score = best.score.saturating_sub(TELLS_CONTACTS_APART);
        }
        Some(best)
    }

    fn of_contact(&self, contact: usize, likeness: u32, named_credits: &[usize]) -> Option<Proposal> {
        let reading = self.reading;
        let plain = named_credits.is_empty() && !reading.cues.credit;
        if plain
            && let Some((item, others)) = self.book.nearest(contact, reading.flow, reading.pence, reading.date)
            && !self.is_sibling(item)
        {
            return self.proposal(&[item], &[], Relation::Exact, None, likeness, others);
        }
        if likeness < WELL_NAMED {
            return None;
        }
        let open = self.relevant(contact);
        let credits: Vec<usize> = if named_credits.is_empty() {
            self.book.credits(contact, reading.flow, reading.date).take(4).collect()
        } else {
            named_credits.to_vec()
        };
        self.sums(&open, &credits, plain, likeness)
            .or_else(|| plain.then(|| self.deducted(&open, likeness)).flatten())
            .or_else(|| plain.then(|| self.short(&open, likeness)).flatten())
            .or_else(|| plain.then(|| self.part(&open, likeness)).flatten())
    }

    /// Items of a contact that the payment may be for, oldest due date first: as many as it takes to cover it.
    fn relevant(&self, contact: usize) -> Vec<usize> {
        let mut open = Vec::new();
        let mut total = 0;
        for item in self.payable(contact).take(LONGEST_STATEMENT) {
            let Some(known) = self.book.items.get(item).filter(|known| !known.foreign) else { continue };
            if self.is_sibling(item) {
                continue;
            }
            open.push(item);
            total += known.open_pence;
            if open.len() >= ALWAYS_TRIED && total / 2 > self.reading.pence {
                break;
            }
        }
        open
    }

    /// Several items, or some less credit notes, that come to the payment to the penny.
    fn sums(&self, open: &[usize], credits: &[usize], plain: bool, likeness: u32) -> Option<Proposal> {
        let amounts: Vec<i128> = open.iter().filter_map(|item| self.open(*item)).collect();
        for chosen in subsets(credits) {
            if chosen.is_empty() && !plain {
                continue;
            }
            let target = self.reading.pence + self.total(&chosen);
            let one = amounts.iter().position(|amount| *amount == target).filter(|_| !chosen.is_empty());
            let few = || sum_of_few(&amounts, target, 0).map(|sum| (sum.places, sum.ambiguous));
            let first = || sum_of_first(&amounts, target, 0).map(|count| ((0..count).collect(), false));
            let found = one.map(|place| (vec![place], false)).or_else(few).or_else(first);
            if let Some((places, ambiguous)) = found {
                let items: Vec<usize> = places.iter().filter_map(|place| open.get(*place).copied()).collect();
                return self.proposal(&items, &chosen, Relation::Exact, None, likeness, ambiguous);
            }
        }
        None
    }

    /// Items less tax deducted by a contractor.
    fn deducted(&self, open: &[usize], likeness: u32) -> Option<Proposal> {
        let reading = self.reading;
        let expected = reading.cues.cis || self.cis;
        let amounts: Vec<i128> = open.iter().filter_map(|item| self.open(*item)).collect();
        for deduction in Deduction::ALL {
            if !(expected || likeness >= 700 && !deduction.before_vat && deduction.percent == 20) {
                continue;
            }
            let paid: Vec<i128> = amounts.iter().map(|amount| deduction.paid(*amount)).collect();
            let one = paid.iter().position(|paid| (*paid - reading.pence).abs() <= 1).map(|place| vec![place]);
            let several = || {
                let few = sum_of_few(&paid, reading.pence, 1).map(|sum| sum.places);
                few.or_else(|| sum_of_first(&paid, reading.pence, 1).map(|count| (0..count).collect()))
            };
            let places = one.or_else(|| expected.then(several).flatten());
            if let Some(places) = places {
                let items: Vec<usize> = places.iter().filter_map(|place| open.get(*place).copied()).collect();
                let again = paid.iter().filter(|paid| (**paid - reading.pence).abs() <= 1).count() > 1;
                return self.proposal(&items, &[], Relation::Deducted(deduction), None, likeness, again);
            }
        }
        if !reading.cues.cis {
            return None;
        }
        let fits = |item: &&usize| {
            self.open(**item).is_some_and(|open| reading.pence < open && at_least(reading.pence, open, 70))
        };
        let mut fitting = open.iter().filter(fits);
        let (item, other) = (fitting.next()?, fitting.next());
        self.proposal(&[*item], &[], Relation::DeductedFromPart, None, likeness, other.is_some())
            .filter(|_| other.is_none())
    }

    /// One item less a fee: only when a processor or a charge is named, or next to nothing is missing.
    fn short(&self, open: &[usize], likeness: u32) -> Option<Proposal> {
        let reading = self.reading;
        if likeness < 800 || reading.cues.any_part() {
            return None;
        }
        let percent = if reading.cues.fee { 95 } else { 99 };
        let fits = |item: &&usize| {
            self.open(**item).is_some_and(|open| reading.pence < open && at_least(reading.pence, open, percent))
        };
        let mut fitting = open.iter().filter(fits);
        let (item, other) = (fitting.next()?, fitting.next());
        self.proposal(&[*item], &[], Relation::Short, None, likeness, false).filter(|_| other.is_none())
    }

    /// A part of an item, where the line says so.
    fn part(&self, open: &[usize], likeness: u32) -> Option<Proposal> {
        let reading = self.reading;
        if !reading.cues.any_part() {
            return None;
        }
        let larger: Vec<usize> =
            open.iter().filter(|item| self.open(**item).is_some_and(|open| open > reading.pence)).copied().collect();
        let round = larger
            .iter()
            .take(ALWAYS_TRIED)
            .find(|item| self.open(**item).is_some_and(|open| is_round_share(reading.pence, open)));
        let begun = larger.iter().find(|item| self.book.items.get(**item).is_some_and(|item| item.begun));
        let item = if reading.cues.balance { begun.or(round) } else { round.or(begun) };
        let several = larger.len() > 1;
        if let Some(item) = item.or(larger.first()) {
            return self.proposal(&[*item], &[], Relation::Part, None, likeness, several);
        }
        let total: i128 = open.iter().filter_map(|item| self.open(*item)).sum();
        if reading.cues.on_account && total > reading.pence {
            return self.proposal(open, &[], Relation::Part, None, likeness, true);
        }
        None
    }
}
