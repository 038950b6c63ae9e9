//! The items of debtors and creditors, each with the days between which something of it is open, and where an interval tree
//! of days holds it, so that what was open on any day is found without a look at what was not.
//!
//! The tree is the relational interval tree (Kriegel, Pötke and Seidl, VLDB 2000): its nodes are the numbers of days, the
//! root is the one with the most trailing zero bits, and an item is held by the highest node between its first and its last
//! day. A day lies below at most [`LEVELS`] nodes. An item of one of these that is not after the day is open on it when it
//! ends after the day; an item of one that is after it, when it begins by the day.

use super::allocation::{Allocation, Document, Settlement, SettlementKind};
use super::document::{DocumentKind, Stage};
use crate::domain::date::Date;
use crate::domain::ids::ContactId;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::journal::{FIRST_DATE, LAST_DATE};

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenItemSource {
    /// An invoice or credit note.
    Document(DocumentKind, i64),
    /// A receipt, payment or refund.
    Settlement(SettlementKind, i64),
    /// A line of a journal that no document or settlement stands behind, on the control account of these contacts.
    JournalLine(ContactKind, i64),
}

impl OpenItemSource {
    /// The word kept for a line.
    pub const LINE: &str = "journal_line";

    /// The word kept, and the identifier.
    pub const fn key(self) -> (&'static str, i64) {
        match self {
            Self::Document(kind, id) => (kind.as_str(), id),
            Self::Settlement(kind, id) => (kind.as_str(), id),
            Self::JournalLine(_, id) => (Self::LINE, id),
        }
    }

    /// Whether it is among debtors (customers) or creditors (suppliers).
    pub const fn side(self) -> ContactKind {
        match self {
            Self::Document(kind, _) => kind.contact_kind(),
            Self::Settlement(kind, _) => kind.document_kind().contact_kind(),
            Self::JournalLine(side, _) => side,
        }
    }
}

/// An item of debtors or creditors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenItem {
    /// What it is.
    pub source: OpenItemSource,
    /// With whom.
    pub contact_id: Option<ContactId>,
    /// The day it was posted.
    pub from: Date,
    /// From when nothing of it is open any more: [`OpenItem::END`] while something is.
    pub until: Date,
}

impl OpenItem {
    /// The day after the last of the books.
    pub const END: Date = Date::from_civil(2200, 1, 1);

    /// An invoice or credit note that was issued.
    pub fn of_document(document: &Document, void_date: Option<Date>) -> Self {
        let is_open = document.stage == Stage::Issued && document.due().is_positive();
        let until = if is_open { Some(Self::END) } else { last_change(&document.allocations, void_date) };
        let source = OpenItemSource::Document(document.kind, document.id.0);
        Self::new(source, Some(document.contact_id), document.posted_on(), until)
    }

    /// A receipt, payment or refund, given by its identifier.
    pub fn of_settlement(id: i64, settlement: &Settlement, void_date: Option<Date>) -> Self {
        let is_open = void_date.is_none() && settlement.unallocated().is_positive();
        let until = if is_open { Some(Self::END) } else { last_change(&settlement.allocations, void_date) };
        let source = OpenItemSource::Settlement(settlement.kind, id);
        Self::new(source, Some(settlement.contact_id), settlement.date, until)
    }

    /// A line that is there until its journal is reversed.
    pub fn of_line(source: OpenItemSource, contact_id: Option<ContactId>, from: Date, reversed: Option<Date>) -> Self {
        Self::new(source, contact_id, from, Some(reversed.unwrap_or(Self::END)))
    }

    fn new(source: OpenItemSource, contact_id: Option<ContactId>, from: Date, until: Option<Date>) -> Self {
        Self { source, contact_id, from, until: until.map_or(from, |until| until.max(from)) }
    }

    /// The node that holds it; none when it is open on no day.
    pub fn node(&self) -> Option<i64> {
        (self.from < self.until).then(|| highest_between(place(self.from), place(self.until - 1)))
    }
}

/// The last day on which something happened that still counts.
fn last_change(allocations: &[Allocation], void_date: Option<Date>) -> Option<Date> {
    let changed = |one: &Allocation| if one.is_active() { Some(one.date) } else { one.counted_until() };
    allocations.iter().filter_map(changed).chain(void_date).max()
}

/// How many nodes lie above a day, with its own: every day of the books has a number below 2 to the power of this.
pub const LEVELS: usize = 17;

/// Added to the numbers of days, so that those of the books are positive.
const OFFSET: i64 = 1 << 15;

/// The number of a day in the tree.
fn place(date: Date) -> i64 {
    i64::from(date) + OFFSET
}

/// The number of a day in the tree, by which the nodes are found that may hold what is open on it; of a day outside of the books,
/// of the nearest within. For each bit of the [`LEVELS`], `place & -bit` is such a node not after the day, or holds nothing,
/// and `(place | (bit - 1)) + 1` one after it, or holds nothing.
pub fn place_of(date: Date) -> i64 {
    place(date.clamp(FIRST_DATE, LAST_DATE))
}

/// The number with the most trailing zero bits between two.
const fn highest_between(first: i64, last: i64) -> i64 {
    let differing = (first - 1) ^ last;
    match differing.checked_ilog2() {
        Some(bit) => (last >> bit) << bit,
        None => last,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn item(from: Date, until: Date) -> OpenItem {
        OpenItem::of_line(OpenItemSource::JournalLine(ContactKind::Customer, 1), None, from, Some(until))
    }

    /// Whether the item is found by the nodes of a day.
    fn is_found(item: &OpenItem, date: Date) -> bool {
        let place = place_of(date);
        let mut bits = (0..LEVELS).map(|level| 1_i64 << level);
        item.node().is_some_and(|node| {
            bits.clone().any(|bit| place & -bit == node) && item.until > date
                || bits.any(|bit| (place | (bit - 1)) + 1 == node) && item.from <= date
        })
    }

    #[test]
    fn what_is_open_on_no_day_has_no_node() {
        let day = Date::numbered(20_000);
        assert_eq!(item(day, day).node(), None);
        assert_eq!(item(day, day - 3), item(day, day));
        assert!(is_found(&item(day, day + 1), day));
        assert!(!is_found(&item(day, day + 1), day + 1));
    }

    proptest! {
        #[test]
        fn an_item_is_found_on_the_days_on_which_it_is_open(
            from in -25_567..84_006_i32, length in prop_oneof![0..90_i32, 0..100_000], day in -25_567..84_006_i32, near in -2..2_i32
        ) {
            let from = Date::numbered(from);
            let until = (from + length).min(OpenItem::END);
            let item = item(from, until);
            for date in [Date::numbered(day), from + near, until + near] {
                if (FIRST_DATE..=LAST_DATE).contains(&date) {
                    prop_assert_eq!(is_found(&item, date), from <= date && date < until, "{} to {} on {}", from, until, date);
                }
            }
        }
    }
}
