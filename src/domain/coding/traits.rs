//! What is known of a line beside its words: how it was paid, how large and how round its amount is, how often its payee recurs.
//!
//! What these say of accounts is learned (`likeness.rs`): round amounts by standing order of a person are rent here and wages
//! there, and are never parts for vans.

use rustc_hash::FxHashMap;

use super::history::size_of;
use super::line::Line;
use super::person::is_person;
use super::wording::{Channel, Wording};

/// How many traits there are.
pub const TRAITS: usize = 76;

/// Sizes of amounts that are told apart, in binary digits of pence: those below the first are one, and those above the last.
const SIZES: usize = 20;
const SMALLEST_DIGITS: u32 = 5;

/// A payee with more lines of one direction in a batch recurs often.
const FEW_LINES: usize = 3;

/// The traits of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Traits {
    /// Whether it is money in.
    pub money_in: bool,
    channel: Channel,
    size: usize,
    /// Whether the amount is of whole pounds, tens or hundreds of them.
    roundness: usize,
    /// Whether the batch has other lines of the payee: none, few, many.
    repeats: usize,
    /// Whether one of them has the same amount.
    is_repeated: bool,
    is_person: bool,
}

impl Traits {
    /// Of every line of a batch.
    pub fn of_all(lines: &[Line<'_>], wordings: &[Wording]) -> Vec<Self> {
        let mut of_payee: FxHashMap<(&str, bool), usize> = FxHashMap::default();
        let mut of_amount: FxHashMap<(&str, i128), usize> = FxHashMap::default();
        for (line, wording) in lines.iter().zip(wordings).filter(|(_, wording)| !wording.payee.is_empty()) {
            *of_payee.entry((&wording.payee, line.pence > 0)).or_default() += 1;
            *of_amount.entry((&wording.payee, line.pence)).or_default() += 1;
        }
        let traits = |(line, wording): (&Line<'_>, &Wording)| {
            let money_in = line.pence > 0;
            let count = of_payee.get(&(wording.payee.as_str(), money_in)).copied().unwrap_or(0);
            let same = of_amount.get(&(wording.payee.as_str(), line.pence)).copied().unwrap_or(0);
            Self {
                money_in,
                channel: wording.channel,
                size: size_index(line.pence),
                roundness: [100, 1_000, 10_000].iter().filter(|whole| line.pence % *whole == 0).count(),
                repeats: usize::from(count > 1) + usize::from(count > FEW_LINES),
                is_repeated: same > 1,
                is_person: is_person(&wording.payee),
            }
        };
        lines.iter().zip(wordings).map(traits).collect()
    }

    /// Of a transfer of so many pence, by nobody who recurs.
    #[cfg(test)]
    pub fn of_amount(pence: i128) -> Self {
        Self {
            money_in: pence > 0,
            channel: Channel::Other,
            size: size_index(pence),
            roundness: 0,
            repeats: 0,
            is_repeated: false,
            is_person: false,
        }
    }

    /// The number of each trait, below [`TRAITS`].
    pub fn numbers(self) -> [usize; 7] {
        let channel = match self.channel {
            Channel::Card => 0,
            Channel::DirectDebit => 1,
            Channel::StandingOrder => 2,
            Channel::Cheque => 3,
            Channel::Cash => 4,
            Channel::Other => 5,
        };
        let mut from = 0;
        [
            (6, channel),
            (SIZES, self.size),
            (4, self.roundness),
            (3, self.repeats),
            (2, usize::from(self.is_repeated)),
            (2, usize::from(self.is_person)),
            (1, 0),
        ]
        .map(|(count, value)| {
            let number = from + usize::from(self.money_in) * count + value;
            from += 2 * count;
            number
        })
    }
}

fn size_index(pence: i128) -> usize {
    usize::try_from(size_of(pence).saturating_sub(SMALLEST_DIGITS)).map_or(SIZES - 1, |size| size.min(SIZES - 1))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_trait_has_a_number_of_its_own() {
        let mut numbers = BTreeSet::new();
        let channels = [
            Channel::Card,
            Channel::DirectDebit,
            Channel::StandingOrder,
            Channel::Cheque,
            Channel::Cash,
            Channel::Other,
        ];
        for money_in in [false, true] {
            for value in 0..SIZES {
                let traits = Traits {
                    money_in,
                    channel: channels[value % channels.len()],
                    size: value,
                    roundness: value % 4,
                    repeats: value % 3,
                    is_repeated: value % 2 == 0,
                    is_person: value % 2 == 1,
                };
                numbers.extend(traits.numbers());
            }
        }
        assert_eq!(numbers, (0..TRAITS).collect());
    }
}
