//! Payments that name what they pay: the named items together, some of them, less credit notes, with others beside, less
//! tax, a fee or the rest.

use super::amounts::{Relation, at_least, deduction, sum_of_few};
use super::numbers::Strength;
use super::proposal::{HINTED, NAMED, Proposal, WELL_NAMED};
use super::proposer::{Named, Proposer, subsets};

impl Proposer<'_> {
    /// What the named items come to, together or some of them, perhaps less credit notes or with other items.
    pub(super) fn by_number(&self, named: &[Named]) -> Option<Proposal> {
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
            let open: Vec<usize> = self.book.credits(contact, self.reading.flow, self.reading.date).take(4).collect();
            subsets(&open).into_iter().filter(|chosen| !chosen.is_empty())
        };
        if let Some(found) = unnamed_credits().find_map(|chosen| exact(&all, &chosen)) {
            return Some(found);
        }
        if owed.len() > 1 && owed.len() <= 6 {
            let mut fewer = subsets(&all);
            fewer.sort_by_key(|chosen| std::cmp::Reverse(chosen.len()));
            if let Some(found) =
                fewer.iter().filter(|chosen| !chosen.is_empty()).find_map(|chosen| exact(chosen, &credits))
            {
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
        let places = one.or_else(|| {
            sum_of_few(&amounts, rest, 0).map(|sum| sum.places).filter(|places| places.len() + named.len() <= 4)
        })?;
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
                Relation::Part => {
                    strength >= Strength::Strong
                        || (strength == Strength::Fair && likeness >= if explicit { NAMED } else { WELL_NAMED })
                }
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
                Relation::Part => {
                    strength == Strength::Sure && explicit && at_least(self.reading.pence, amounts.iter().sum(), 5)
                }
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

    /// The line plainly names a contact of the list whose items these are not.
    fn names_another(&self, items: &[usize]) -> bool {
        let of_items = |contact: usize| {
            items.iter().any(|item| self.book.items.get(*item).is_some_and(|item| item.contact == contact))
        };
        self.reading.contacts.iter().any(|(contact, likeness)| {
            *likeness >= WELL_NAMED && !of_items(*contact) && self.payable(*contact).next().is_some()
        })
    }
}
