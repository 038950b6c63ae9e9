//! Which lines of a batch settle which open invoices, bills and credit notes.
//!
//! A line settles something when it names it: by its number, however that is written, or by whom it is from or for,
//! together with an amount that fits. Never by its amount alone, and never when it names another invoice. Every line
//! proposes what it pays most likely; proposals are accepted best first, what is left of an item is kept, and lines whose
//! proposal has become stale propose again. Nothing depends on the order of lines or invoices: equal proposals are
//! ordered by what the lines and items are.

mod amounts;
mod book;
mod by_contact;
mod by_number;
mod contacts;
mod cues;
mod index;
mod instalments;
mod name;
mod numbers;
mod proposal;
mod proposer;
mod remark;
mod runs;
mod words;

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::domain::amount::UNITS_PER_PENNY;
use crate::domain::control::{Control, Stopped};
use crate::domain::date::Date;

use super::batch::Invoice;
use super::line::Line;
use super::outcome::Settled;

use amounts::Relation;
use book::Book;
use contacts::Contacts;
use index::NumberIndex;
use name::Names;
use proposal::{Proposal, Reading, strength};
use proposer::Proposer;

/// Lines between two questions whether the answer is still wanted.
const LINES_PER_PAUSE: usize = 256;

/// How often lines without a proposal are tried again after parts of items were settled.
const MOST_ROUNDS: usize = 4;

/// What a line settles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// The items, oldest due date first, credit notes last.
    pub settled: Vec<Settled>,
    /// How sure it is, in thousandths.
    pub strength: u16,
    /// An item of another contact fits as well.
    pub is_doubtful: bool,
    /// One sentence why.
    pub remark: String,
}

/// Finds what every line settles, knowing what the caller says about the business: under the Construction Industry Scheme
/// contractors deduct tax without saying so on every line. An invoice that is not in sterling may be settled by any
/// plausible amount.
pub fn settle_in_context(
    lines: &[Line<'_>],
    invoices: &[Invoice<'_>],
    business_context: &str,
    control: &dyn Control,
) -> Result<Vec<Option<Settlement>>, Stopped> {
    let mut answers: Vec<Option<Settlement>> = vec![None; lines.len()];
    if invoices.is_empty() {
        return Ok(answers);
    }
    let contacts = Contacts::new(invoices);
    let index = NumberIndex::new(invoices);
    let mut book = Book::new(invoices, &contacts);
    let readings = read(lines, &contacts, &index, &book, control)?;
    let cis = is_construction(business_context) || readings.iter().any(|(_, reading)| reading.cues.cis);
    let mut queue = Queue::new(lines, readings);
    for _ in 0..MOST_ROUNDS {
        queue.propose_all(&book, &index, cis, control)?;
        let mut parts_left = false;
        let mut turns = 0_usize;
        while let Some((place, score)) = queue.heap.pop().map(|entry| (entry.place, entry.score)) {
            turns += 1;
            if turns.is_multiple_of(LINES_PER_PAUSE) && control.is_cancelled() {
                return Err(Stopped);
            }
            let Some(proposal) = queue.take(place, score, &book, &index, cis) else { continue };
            parts_left |= proposal.parts.iter().any(|part| !part.whole);
            accept((lines, invoices), &mut queue, &mut book, (place, &proposal), &mut answers);
        }
        if !parts_left {
            break;
        }
    }
    for (item, places) in instalments::find(&queue, &book, control)? {
        for place in places {
            let Some((_, reading)) = queue.readings.get(place) else { continue };
            let likeness = book.items.get(item).map_or(0, |item| reading.likeness(item.contact));
            let proposer = Proposer { book: &book, index: &index, reading, cis };
            if let Some(proposal) = proposer.proposal(&[item], &[], Relation::Part, None, likeness, false) {
                accept((lines, invoices), &mut queue, &mut book, (place, &proposal), &mut answers);
            }
        }
    }
    Ok(answers)
}

/// Settles what a proposal says and writes the answer of its line.
fn accept(
    (lines, invoices): (&[Line<'_>], &[Invoice<'_>]),
    queue: &mut Queue,
    book: &mut Book,
    (place, proposal): (usize, &Proposal),
    answers: &mut [Option<Settlement>],
) {
    let Some((line, _)) = queue.readings.get(place) else { return };
    let (Some(answer), Some(source)) = (answers.get_mut(*line), lines.get(*line)) else { return };
    *answer = Some(Settlement {
        remark: remark::write(proposal, invoices, book, source),
        strength: strength(proposal),
        is_doubtful: proposal.rival.is_some(),
        settled: settled(proposal, book),
    });
    for part in &proposal.parts {
        book.settle(part.item, part.pence, part.whole);
    }
    if let Some(done) = queue.done.get_mut(place) {
        *done = true;
    }
}

/// The same for a business without a context.
#[cfg(test)]
fn settle(
    lines: &[Line<'_>],
    invoices: &[Invoice<'_>],
    control: &dyn Control,
) -> Result<Vec<Option<Settlement>>, Stopped> {
    settle_in_context(lines, invoices, "", control)
}

/// Reads the lines that name a number or a contact of the list; the others cannot settle anything.
fn read(
    lines: &[Line<'_>],
    contacts: &Contacts,
    index: &NumberIndex,
    book: &Book,
    control: &dyn Control,
) -> Result<Vec<(usize, Reading)>, Stopped> {
    let mut readings = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        if place.is_multiple_of(LINES_PER_PAUSE) && control.is_cancelled() {
            return Err(Stopped);
        }
        let numbers = index.read(line);
        let names = Names::of(line);
        let mut named = contacts.named_by(&names);
        let flow = if line.pence > 0 { book::Flow::In } else { book::Flow::Out };
        let of_numbers =
            numbers.mentions.iter().flat_map(|mention| &mention.invoices).map(|invoice| contacts.of_invoice(*invoice));
        let with_amount = book.contacts_with(flow, line.pence.abs());
        let hinted = match with_amount {
            [contact] if contacts.is_hinted(*contact, &names, line.pence) => Some(*contact),
            _ => None,
        };
        let others: Vec<usize> = with_amount.iter().copied().chain(of_numbers).collect();
        for contact in others {
            if !named.iter().any(|(known, _)| *known == contact) {
                named.push((contact, contacts.likeness(contact, &names)));
            }
        }
        if !named.is_empty() || !numbers.mentions.is_empty() {
            readings.push((place, Reading::new(line, numbers, named, hinted)));
        }
    }
    Ok(readings)
}

/// Lines that may settle something, with what they propose, best first.
struct Queue {
    readings: Vec<(usize, Reading)>,
    proposals: Vec<Option<Proposal>>,
    done: Vec<bool>,
    /// The place of each reading when lines are ordered by what they are.
    ranks: Vec<usize>,
    heap: BinaryHeap<Entry>,
}

/// Ordered by the proposal's score, then the line's day, how late the payment is, the item's and the line's rank.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    score: u32,
    date: Reverse<Date>,
    lateness: Reverse<i64>,
    item: Reverse<usize>,
    line: Reverse<usize>,
    place: usize,
}

impl Queue {
    fn new(lines: &[Line<'_>], readings: Vec<(usize, Reading)>) -> Self {
        let mut order: Vec<usize> = (0..readings.len()).collect();
        order.sort_by_key(|place| {
            let line = readings.get(*place).and_then(|(line, _)| lines.get(*line));
            line.map(|line| (line.date, line.amount, line.text.as_str(), line.tag, *place))
        });
        let mut ranks = vec![0; readings.len()];
        for (rank, place) in order.into_iter().enumerate() {
            if let Some(slot) = ranks.get_mut(place) {
                *slot = rank;
            }
        }
        let count = readings.len();
        Self { readings, proposals: vec![None; count], done: vec![false; count], ranks, heap: BinaryHeap::new() }
    }

    fn propose_all(
        &mut self,
        book: &Book,
        index: &NumberIndex,
        cis: bool,
        control: &dyn Control,
    ) -> Result<(), Stopped> {
        for place in 0..self.readings.len() {
            if place.is_multiple_of(LINES_PER_PAUSE) && control.is_cancelled() {
                return Err(Stopped);
            }
            if self.done.get(place) == Some(&false) {
                self.propose(place, book, index, cis);
            }
        }
        Ok(())
    }

    /// The proposal of a line whose turn it is. One that has become stale is worked out again: as good a one is taken at
    /// once, so that lines are not tried over and over, a worse one has to wait for its turn.
    fn take(&mut self, place: usize, score: u32, book: &Book, index: &NumberIndex, cis: bool) -> Option<Proposal> {
        let proposal = self.proposals.get_mut(place).and_then(Option::take)?;
        if !is_stale(&proposal, book) {
            return Some(proposal);
        }
        self.propose(place, book, index, cis);
        let again = self.proposals.get_mut(place)?;
        if again.as_ref().is_some_and(|proposal| proposal.score >= score) { again.take() } else { None }
    }

    fn propose(&mut self, place: usize, book: &Book, index: &NumberIndex, cis: bool) {
        let Some((_, reading)) = self.readings.get(place) else { return };
        let Some(proposal) = (Proposer { book, index, reading, cis }).best() else { return };
        let item = proposal.parts.first().and_then(|part| book.items.get(part.item)).map_or(0, |item| item.rank);
        self.heap.push(Entry {
            score: proposal.score,
            date: Reverse(reading.date),
            lateness: Reverse(proposal.lateness),
            item: Reverse(item),
            line: Reverse(self.ranks.get(place).copied().unwrap_or(place)),
            place,
        });
        if let Some(slot) = self.proposals.get_mut(place) {
            *slot = Some(proposal);
        }
    }
}

/// True when an item of the proposal has been settled, or a part of it, since.
fn is_stale(proposal: &Proposal, book: &Book) -> bool {
    proposal.parts.iter().any(|part| book.items.get(part.item).is_none_or(|item| item.version != part.version))
}

fn settled(proposal: &Proposal, book: &Book) -> Vec<Settled> {
    let parts = proposal.parts.iter().map(|part| {
        let open = book.items.get(part.item).map_or(0, |item| item.open);
        let amount = if part.whole { open } else { part.pence.saturating_mul(UNITS_PER_PENNY).min(open) };
        Settled { invoice: part.item, amount, kind: part.kind }
    });
    parts.collect()
}

/// The context speaks of the Construction Industry Scheme.
fn is_construction(context: &str) -> bool {
    let folded = super::text::fold(context);
    folded.split(' ').any(|word| word == "CIS") || folded.contains("CONSTRUCTION INDUSTRY SCHEME")
}
