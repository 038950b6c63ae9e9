//! What a line most likely pays: by the numbers it names, else by whom it is from or for, and never by its amount alone.

use crate::domain::coding::line::Line;
use crate::domain::coding::outcome::SettledKind;

use super::amounts::{Deduction, LONGEST_STATEMENT, Relation, at_least, deduction, is_round_share, sum_of_few, sum_of_first};
use super::book::{Book, Flow, lateness};
use super::cues::Cues;
use super::index::NumberIndex;
use super::numbers::{Numbers, Strength};

/// What was read from a line, once.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) flow: Flow,
    pub(super) pence: i128,
    pub(super) day: i32,
    pub(super) numbers: Numbers,
    /// Contacts the line may name and how like they are, in thousandths.
    pub(super) contacts: Vec<(usize, u32)>,
    pub(super) cues: Cues,
}

/// A line may only be taken to pay a contact's items from this likeness on.
const NAMED: u32 = 500;
/// The same where the amount says less, or several items are added up.
const WELL_NAMED: u32 = 600;
/// Next to a number, this much of a name is no coincidence.
const HINTED: u32 = 400;

/// Items of a contact that are always looked at; more only while they do not cover the payment.
const ALWAYS_TRIED: usize = 24;

impl Reading {
    pub(super) fn new(line: &Line<'_>, numbers: Numbers, contacts: Vec<(usize, u32)>) -> Self {
        let flow = if line.pence > 0 { Flow::In } else { Flow::Out };
        Self { flow, pence: line.pence.abs(), day: line.day, numbers, contacts, cues: Cues::of(line) }
    }

    fn likeness(&self, contact: usize) -> u32 {
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
    /// Something else would fit as well.
    pub(super) ambiguous: bool,
    /// What competing proposals are ordered by.
    pub(super) score: u32,
    /// Days by which the due date was missed, as [`lateness`] counts.
    pub(super) lateness: i64,
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

/// An item the line names.
#[derive(Debug, Clone, Copy)]
struct Named {
    item: usize,
    strength: Strength,
    explicit: bool,
    likeness: u32,
    credit: bool,
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
        let veto = self.reading.numbers.foreign || spoken_for || named.iter().any(|named| !named.credit && is_certain(named));
        if veto { None } else { self.by_contact(&named) }
    }

    /// The items that are named and may be paid, and whether one is named that cannot be: it is settled already.
    fn named(&self) -> (Vec<Named>, bool) {
        let reading = self.reading;
        let mut named: Vec<Named> = Vec::new();
        let mut spoken_for = false;
        for mention in &reading.numbers.mentions {
            let fits = |item: &usize| self.book.adds(*item, reading.flow) || self.book.subtracts(*item, reading.flow);
            let candidates = mention.invoices.iter().copied().filter(fits);
            let best = candidates.filter_map(|item| self.name(item, mention.strength, mention.explicit)).min_by_key(|named| {
                let item = self.book.items.get(named.item);
                let open = self.book.is_open(named.item, reading.day);
                let exact = item.is_some_and(|item| item.open_pence == reading.pence);
                let hinted = if named.likeness >= HINTED { named.likeness } else { 0 };
                let late = item.map_or(i64::MAX, |item| lateness(reading.day, item.due));
                (std::cmp::Reverse(hinted), !open, !exact, late, item.map_or(usize::MAX, |item| item.rank))
            });
            let Some(best) = best else { continue };
            if !self.book.is_open(best.item, reading.day) {
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

    /// What the named items come to, together or some of them, perhaps less credit notes or with other items.
    fn by_number(&self, named: &[Named]) -> Option<Proposal> {
        let owed: Vec<Named> = named.iter().filter(|named| !named.credit).copied().collect();
        let credits: Vec<usize> = named.iter().filter(|named| named.credit).map(|named| named.item).collect();
        let all: Vec<usize> = owed.iter().map(|named| named.item).collect();
        let whole = self.relate(&all, &credits, &owed);
        if whole.as_ref().is_some_and(|proposal| matches!(proposal.relation, Relation::Exact | Relation::Deducted(_))) {
            return whole;
        }
        let exact = |items: &[usize], credits: &[usize]| {
            self.relate(items, credits, &owed).filter(|proposal| proposal.relation == Relation::Exact)
        };
        let contact = all.first().and_then(|item| self.book.items.get(*item)).map(|item| item.contact)?;
        let unnamed_credits = || {
            let open: Vec<usize> = self.book.credits(contact, self.reading.flow, self.reading.day).take(4).collect();
            subsets(&open).into_iter().filter(|chosen| !chosen.is_empty())
        };
        if let Some(found) = unnamed_credits().find_map(|chosen| exact(&all, &chosen)) {
            return Some(found);
        }
        if owed.len() > 1 && owed.len() <= 6 {
            let mut fewer = subsets(&all);
            fewer.sort_by_key(|chosen| std::cmp::Reverse(chosen.len()));
            if let Some(found) = fewer.iter().filter(|chosen| !chosen.is_empty()).find_map(|chosen| exact(chosen, &credits)) {
                return Some(found);
            }
        }
        if !self.reading.numbers.foreign
            && let Some(found) = self.with_others(&all, &credits, contact).and_then(|items| exact(&items, &credits))
        {
            return Some(Proposal { score: found.score.saturating_sub(200), ..found });
        }
        whole
    }

    /// Named items and other items of the same contact that together come to the payment.
    fn with_others(&self, named: &[usize], credits: &[usize], contact: usize) -> Option<Vec<usize>> {
        let total = self.total(named) - self.total(credits);
        let rest = self.reading.pence - total;
        if rest <= 0 || named.len() >= 4 {
            return None;
        }
        let others: Vec<usize> = self.payable(contact).filter(|item| !named.contains(item)).take(12).collect();
        let amounts: Vec<i128> = others.iter().filter_map(|item| self.open(*item)).collect();
        let one = amounts.iter().position(|amount| *amount == rest).map(|place| vec![place]);
        let places = one.or_else(|| sum_of_few(&amounts, rest, 0).map(|sum| sum.places).filter(|places| places.len() + named.len() <= 4))?;
        Some(named.iter().copied().chain(places.iter().filter_map(|place| others.get(*place).copied())).collect())
    }

    /// How the payment relates to these items less these credits, when that is believable for how they are named.
    fn relate(&self, items: &[usize], credits: &[usize], owed: &[Named]) -> Option<Proposal> {
        let named: Vec<&Named> = owed.iter().filter(|named| items.contains(&named.item)).collect();
        let strength = named.iter().map(|named| named.strength).max()?;
        let explicit = named.iter().any(|named| named.explicit);
        let likeness = named.iter().map(|named| named.likeness).max()?;
        let amounts: Vec<i128> = items.iter().filter_map(|item| self.open(*item)).collect();
        let credit = self.total(credits);
        let foreign = items.iter().any(|item| self.book.items.get(*item).is_some_and(|item| item.foreign));
        let relation = self.relation(&amounts, credit, foreign)?;
        let believable = if likeness >= HINTED {
            match relation {
                Relation::Exact | Relation::Deducted(_) => true,
                Relation::Part if self.reading.cues.any_part() => true,
                Relation::Part => strength >= Strength::Strong || (strength == Strength::Fair && likeness >= if explicit { NAMED } else { WELL_NAMED }),
                _ => strength > Strength::Weak,
            }
        } else if self.names_another(items) {
            relation == Relation::Exact && strength >= Strength::Strong
        } else {
            match relation {
                Relation::Exact => strength > Strength::Weak,
                Relation::Deducted(_) | Relation::Exchanged => strength >= Strength::Strong,
                Relation::Short if self.reading.cues.fee => strength >= Strength::Strong && explicit,
                Relation::Over => strength >= Strength::Strong && explicit,
                Relation::Short | Relation::DeductedFromPart => strength == Strength::Sure && explicit,
                Relation::Part => strength == Strength::Sure && explicit && at_least(self.reading.pence, amounts.iter().sum(), 5),
            }
        };
        believable.then(|| self.proposal(items, credits, relation, Some(strength), likeness, false)).flatten()
    }

    fn relation(&self, amounts: &[i128], credit: i128, foreign: bool) -> Option<Relation> {
        let (paid, cues) = (self.reading.pence, self.reading.cues);
        let net = amounts.iter().sum::<i128>() - credit;
        if net <= 0 {
            return None;
        }
        if paid == net {
            return Some(Relation::Exact);
        }
        if let Some(deduction) = deduction(amounts, credit, paid).filter(|_| !foreign) {
            return Some(Relation::Deducted(deduction));
        }
        if foreign {
            let near = at_least(paid, net, 25) && at_least(net, paid, 25);
            return Some(if cues.any_part() { Relation::Part } else { Relation::Exchanged }).filter(|_| near);
        }
        if paid > net {
            let little = paid - net <= 100 || at_least(net, paid, if cues.fee { 97 } else { 99 });
            return little.then_some(Relation::Over);
        }
        if cues.cis && at_least(paid, net, 70) {
            return Some(Relation::DeductedFromPart);
        }
        Some(if at_least(paid, net, 95) && !cues.any_part() { Relation::Short } else { Relation::Part })
    }

    /// What the contacts that the line names owe or are owed.
    fn by_contact(&self, named: &[Named]) -> Option<Proposal> {
        let credits: Vec<usize> = named.iter().filter(|named| named.credit).map(|named| named.item).collect();
        let contacts = self.reading.contacts.iter().filter(|(_, likeness)| *likeness >= NAMED);
        let proposals = contacts.filter_map(|(contact, likeness)| self.of_contact(*contact, *likeness, &credits));
        proposals.max_by_key(|proposal| {
            let rank = proposal.parts.first().and_then(|part| self.book.items.get(part.item)).map(|item| item.rank);
            (proposal.score, std::cmp::Reverse(proposal.lateness), std::cmp::Reverse(rank))
        })
    }

    fn of_contact(&self, contact: usize, likeness: u32, named_credits: &[usize]) -> Option<Proposal> {
        let reading = self.reading;
        let plain = named_credits.is_empty() && !reading.cues.credit;
        if plain
            && let Some((item, others)) = self.book.nearest(contact, reading.flow, reading.pence, reading.day)
            && !self.is_sibling(item)
        {
            return self.proposal(&[item], &[], Relation::Exact, None, likeness, others);
        }
        if likeness < WELL_NAMED {
            return None;
        }
        let open = self.relevant(contact);
        let credits: Vec<usize> = if named_credits.is_empty() {
            self.book.credits(contact, reading.flow, reading.day).take(4).collect()
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
        self.proposal(&[*item], &[], Relation::DeductedFromPart, None, likeness, other.is_some()).filter(|_| other.is_none())
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
        let larger: Vec<usize> = open.iter().filter(|item| self.open(**item).is_some_and(|open| open > reading.pence)).copied().collect();
        let round = larger.iter().take(ALWAYS_TRIED).find(|item| self.open(**item).is_some_and(|open| is_round_share(reading.pence, open)));
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

    /// The line plainly names a contact of the list whose items these are not.
    fn names_another(&self, items: &[usize]) -> bool {
        let of_items = |contact: usize| items.iter().any(|item| self.book.items.get(*item).is_some_and(|item| item.contact == contact));
        self.reading.contacts.iter().any(|(contact, likeness)| {
            *likeness >= WELL_NAMED && !of_items(*contact) && self.payable(*contact).next().is_some()
        })
    }

    /// The line has a number like this item's that is not this item's.
    fn is_sibling(&self, item: usize) -> bool {
        self.index.has_sibling_of(&self.reading.numbers, item)
    }

    fn payable(&self, contact: usize) -> impl Iterator<Item = usize> {
        self.book.payable(contact, self.reading.flow, self.reading.day)
    }

    fn open(&self, item: usize) -> Option<i128> {
        self.book.items.get(item).map(|item| item.open_pence)
    }

    fn total(&self, items: &[usize]) -> i128 {
        items.iter().filter_map(|item| self.open(*item)).sum()
    }

    fn proposal(
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
        let lateness = lateness(self.reading.day, first.due);
        (!parts.is_empty()).then_some(Proposal { parts, relation, number, likeness, ambiguous, score, lateness })
    }
}

/// The line names this invoice and no other thing that happens to have its number.
fn is_certain(named: &Named) -> bool {
    named.strength > Strength::Weak && (named.explicit || named.likeness >= HINTED)
}

/// Every choice of a few items, none of them first.
fn subsets(items: &[usize]) -> Vec<Vec<usize>> {
    let mut chosen: Vec<Vec<usize>> = vec![Vec::new()];
    for item in items.iter().take(6) {
        let with: Vec<Vec<usize>> = chosen.iter().map(|set| set.iter().copied().chain([*item]).collect()).collect();
        chosen.extend(with);
    }
    chosen
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
