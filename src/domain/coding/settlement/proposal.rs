//! What is read from a line, and a way to settle items by it.

use crate::domain::coding::line::Line;
use crate::domain::coding::outcome::SettledKind;
use crate::domain::date::Date;

use super::amounts::Relation;
use super::book::Flow;
use super::cues::Cues;
use super::numbers::{Numbers, Strength};

/// What was read from a line, once.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) flow: Flow,
    pub(super) pence: i128,
    pub(super) date: Date,
    pub(super) numbers: Numbers,
    /// Contacts the line may name and how like they are, in thousandths.
    pub(super) contacts: Vec<(usize, u32)>,
    /// The only contact with an item of this amount, where the line has some of its name.
    pub(super) hinted: Option<usize>,
    pub(super) cues: Cues,
}

/// A line may only be taken to pay a contact's items from this likeness on.
pub(super) const NAMED: u32 = 500;
/// The same where the amount says less, or several items are added up.
pub(super) const WELL_NAMED: u32 = 600;
/// Next to a number, this much of a name is no coincidence.
pub(super) const HINTED: u32 = 400;

impl Reading {
    pub(super) fn new(line: &Line<'_>, numbers: Numbers, contacts: Vec<(usize, u32)>, hinted: Option<usize>) -> Self {
        let flow = if line.pence > 0 { Flow::In } else { Flow::Out };
        Self { flow, pence: line.pence.abs(), date: line.date, numbers, contacts, hinted, cues: Cues::of(line) }
    }

    pub(super) fn likeness(&self, contact: usize) -> u32 {
        self.contacts.iter().find(|(known, _)| *known == contact).map_or(0, |(_, likeness)| *likeness)
    }
}

/// A way to settle items by a line.
#[derive(Debug, Clone)]
pub(super) struct Proposal {
    /// Item, how much of it in pence, and its version when this was worked out.
    pub(super) parts: Vec<Part>,
    pub(super) relation: Relation,
    pub(super) number: Option<Strength>,
    pub(super) likeness: u32,
    /// The line has the number with two neighbouring digits exchanged.
    pub(super) is_mistyped: bool,
    /// Something else would fit as well.
    pub(super) ambiguous: bool,
    /// An item of another contact that the line may mean as well.
    pub(super) rival: Option<usize>,
    /// What competing proposals are ordered by.
    pub(super) score: u32,
    /// Days by which the due date was missed, as [`lateness`] counts.
    pub(super) lateness: i64,
}

impl Proposal {
    /// The first item that is settled.
    pub(super) fn first_item(&self) -> Option<usize> {
        self.parts.first().map(|part| part.item)
    }
}

/// A part of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) item: usize,
    pub(super) pence: i128,
    /// The item is settled by this, whatever the amount.
    pub(super) whole: bool,
    pub(super) kind: SettledKind,
    pub(super) version: u32,
}

/// How sure a proposal is, in thousandths.
pub(super) fn strength(proposal: &Proposal) -> u16 {
    let several = proposal.parts.len() > 1;
    let base: u32 = match (proposal.number, proposal.relation) {
        (Some(Strength::Weak), Relation::Exact | Relation::Deducted(_)) => 930,
        (Some(Strength::Weak), _) => 860,
        (Some(_), Relation::Exact) => 985,
        (Some(_), Relation::Deducted(_)) => 975,
        (Some(_), Relation::Over) => 930,
        (Some(_), _) => 955,
        (None, Relation::Exact) if several => 880,
        (None, Relation::Exact) => 890 + portion_of(proposal.likeness, 70),
        (None, Relation::Deducted(_)) => 880,
        (None, Relation::Part) => 820,
        (None, _) => 800,
    };
    let unnamed = if proposal.number.is_some() && proposal.likeness < HINTED { 60 } else { 0 };
    let ambiguous = if proposal.ambiguous && proposal.number.is_none() { 80 } else { 0 };
    u16::try_from(base.saturating_sub(unnamed + ambiguous).min(1000)).unwrap_or(0)
}

/// So many thousandths of a bonus.
fn portion_of(likeness: u32, bonus: u32) -> u32 {
    likeness.min(1000) * bonus / 1000
}
