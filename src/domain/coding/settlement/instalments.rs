//! Payments of one contact that together come to its only open item to the penny, or equal ones that go into it a whole number of
//! times, as standing orders do: no one of them says that it is a part.

use std::collections::BTreeMap;

use super::amounts::sum_of_few;
use super::book::Book;
use super::proposal::HINTED;
use super::{LINES_PER_PAUSE, Queue};
use crate::domain::control::{Control, Stopped};

/// Payments of a contact that are looked at; whoever has more pays for something else as well.
const MOST_PAYMENTS: usize = 8;

/// An item is paid by so many equal parts at most: a year's by the month.
const MOST_PARTS: i128 = 12;

/// From this likeness on a line has a word of the name; one payment at least has to have more ([`HINTED`]).
const SHARED: u32 = 300;

/// Items with the lines that pay them in parts, each line once; where several sets of lines have the sum none is told.
pub(super) fn find(queue: &Queue, book: &Book, control: &dyn Control) -> Result<Vec<(usize, Vec<usize>)>, Stopped> {
    let mut by_contact: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, (_, reading)) in queue.readings.iter().enumerate() {
        if place.is_multiple_of(LINES_PER_PAUSE) && control.is_cancelled() {
            return Err(Stopped);
        }
        let is_free = queue.done.get(place) == Some(&false) && reading.numbers.mentions.is_empty();
        let owes = |contact: usize| book.payable(contact, reading.flow, reading.date).next().is_some();
        let named = reading.contacts.iter().filter(|(contact, likeness)| *likeness >= SHARED && owes(*contact));
        let best = named.clone().map(|(_, likeness)| *likeness).max();
        let mut best = named.filter(|(_, likeness)| Some(*likeness) == best);
        // A line that may be another's is nobody's part.
        if let (true, Some((contact, _)), None) = (is_free, best.next(), best.next()) {
            by_contact.entry(*contact).or_default().push(place);
        }
    }
    let mut found = Vec::new();
    for (contact, mut places) in
        by_contact.into_iter().filter(|(_, places)| (2..=MOST_PAYMENTS).contains(&places.len()))
    {
        let reading = |place: &usize| queue.readings.get(*place).map(|(_, reading)| reading);
        let Some(flow) = places.first().and_then(reading).map(|reading| reading.flow) else { continue };
        let Some(last) = places.iter().filter_map(reading).map(|reading| reading.date).max() else { continue };
        let mut payable = book.payable(contact, flow, last);
        let (Some(item), None) = (payable.next(), payable.next()) else { continue };
        let Some(open) = book.items.get(item).filter(|item| !item.foreign) else { continue };
        places.retain(|place| reading(place).is_some_and(|one| one.flow == flow && book.is_open(item, one.date)));
        places.sort_unstable_by_key(|place| queue.ranks.get(*place));
        let amounts: Vec<i128> = places.iter().filter_map(reading).map(|reading| reading.pence).collect();
        let whole = sum_of_few(&amounts, open.open_pence, 0).filter(|sum| !sum.ambiguous && !open.begun);
        let chosen = whole.map(|sum| sum.places).or_else(|| equal_parts(&amounts, open.open_pence));
        let paid: Vec<usize> = chosen.into_iter().flatten().filter_map(|at| places.get(at)).copied().collect();
        if paid.iter().filter_map(reading).any(|reading| reading.likeness(contact) >= HINTED) {
            found.push((item, paid));
        }
    }
    Ok(found)
}

/// Places of equal amounts that go into what is open a whole number of times; none where several amounts do.
fn equal_parts(amounts: &[i128], open: i128) -> Option<Vec<usize>> {
    let mut places_of: BTreeMap<i128, Vec<usize>> = BTreeMap::new();
    for (place, amount) in amounts.iter().enumerate() {
        places_of.entry(*amount).or_default().push(place);
    }
    let is_part = |(amount, places): &(i128, Vec<usize>)| {
        let parts = open.checked_div(*amount).filter(|parts| parts * amount == open);
        parts.is_some_and(|parts| {
            parts <= MOST_PARTS && i128::try_from(places.len()).is_ok_and(|count| (2..=parts).contains(&count))
        })
    };
    let mut equal = places_of.into_iter().filter(is_part);
    equal.next().filter(|_| equal.next().is_none()).map(|(_, places)| places)
}
