//! Which names of sums and words of their parts belong together, learned from the groups that were found: the acquirer's
//! name at the bank, takings and fees in the books.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "hot kernel: places index the permutations of the matcher, and there are fewer than 2^32 rows"
)]

use std::collections::{BTreeMap, BTreeSet};

use super::rows::{Taken, WordIndex};
use super::{Leftover, PAYEE_PAIRS, Proposal, is_usable};
use crate::domain::control::Stopped;
use crate::domain::recon::evidence::Texts;
use crate::domain::recon::pace::Pace;

/// Groups that have to have a name and a word together.
const GROUPS: u32 = 3;

/// Share of a name's groups that have to have the word.
const SHARE: f64 = 0.5;

/// Bank words and book words that belong together, ascending.
pub(super) struct Links(Vec<(u32, u32)>);

impl Links {
    /// Learns from groups.
    pub(super) fn learn(texts: &Texts, groups: &[Proposal], pace: &Pace<'_>) -> Result<Self, Stopped> {
        // Sides have names of their own: a name of a bank row is looked up beside words of book rows, and the other way round.
        let mut with_name: BTreeMap<(bool, u32), u32> = BTreeMap::new();
        let mut with_both: BTreeMap<(bool, u32, u32), u32> = BTreeMap::new();
        for &Proposal { is_bank, row, ref others, .. } in groups {
            let (own, side) = if is_bank { (&texts.bank, &texts.book) } else { (&texts.book, &texts.bank) };
            let words = others.iter().flat_map(|&place| side.row(place as usize)).copied();
            let words: BTreeSet<u32> = words.filter(|&word| texts.vocabulary.initial(word) != 0).collect();
            for &name in own.row(row as usize).iter().filter(|&&word| texts.is_name(word)) {
                pace.spend(64 * (1 + words.len() as u64))?;
                *with_name.entry((is_bank, name)).or_default() += 1;
                for &word in &words {
                    *with_both.entry((is_bank, name, word)).or_default() += 1;
                }
            }
        }
        let belong = |&(&(is_bank, name, _), &both): &(&(bool, u32, u32), &u32)| {
            let all = with_name.get(&(is_bank, name)).copied().unwrap_or_default();
            both >= GROUPS && f64::from(both) >= SHARE * f64::from(all)
        };
        let ordered = |(&(is_bank, name, word), _)| if is_bank { (name, word) } else { (word, name) };
        let links: BTreeSet<(u32, u32)> = with_both.iter().filter(belong).map(ordered).collect();
        pace.check()?;
        Ok(Self(links.into_iter().collect()))
    }

    /// Open bank and book places inside the window whose words belong together.
    pub(super) fn pairs(&self, leftover: &Leftover<'_>, taken: &Taken) -> Result<Vec<(u32, u32)>, Stopped> {
        let &Leftover { bank, book, texts, window_days, pace, .. } = leftover;
        let of_books: BTreeSet<u32> = self.0.iter().map(|link| link.1).collect();
        let is_open = |place: usize| !taken.book[place] && is_usable(book.pence[place]);
        let index = WordIndex::of(&texts.book, &book.days, is_open, |word| of_books.contains(&word), pace)?;
        let mut pairs = Vec::new();
        for at in (0..bank.rows.len()).filter(|&at| !taken.bank[at] && is_usable(bank.pence[at])) {
            if pairs.len() >= PAYEE_PAIRS {
                break;
            }
            for &word in texts.bank.row(at) {
                let from = self.0.partition_point(|link| link.0 < word);
                for &(_, other) in self.0[from..].iter().take_while(|link| link.0 == word) {
                    pace.spend(16)?;
                    pairs.extend(index.around(other, bank.days[at], window_days).map(|place| (at as u32, place)));
                }
            }
        }
        Ok(pairs)
    }
}
