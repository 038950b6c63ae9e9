//! Rows of one side that say they belong together: those with a word in common on neighbouring days ("Card sales Z0334",
//! "Card commission Z0334"), and everything of one sign on one day (a payment run). Their sums are looked for among the
//! amounts of the other side, where the row they make up may name nobody they name: an acquirer pays takings less commission.
//!
//! All sets are counted, so that it can be said how many sums would be met by chance.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "hot kernel: places index the permutations of the matcher, sets have at most 2^6 members' masks"
)]

use crate::domain::control::Stopped;

use super::pace::Pace;
use super::subset_sum::{MEMBERS, cancels};

/// Rows with one word near one day of which every subset is tried; of more only the whole run.
const SUBSET_ROWS: usize = 7;

/// Sets that are added up, for one side.
const SETS: u64 = 3_000_000;

/// Sets that are kept, a bound on memory. A file with more of them says nothing by any.
const SETS_KEPT: usize = 200_000;

/// An open row with one of its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mention {
    /// The word, or one of [`Mention::PAID`] and [`Mention::RECEIVED`].
    pub(super) word: u32,
    pub(super) day: i32,
    pub(super) place: u32,
    pub(super) pence: i64,
}

impl Mention {
    /// Stands for a word that all payments of a day share.
    pub(super) const PAID: u32 = u32::MAX;
    /// Stands for a word that all receipts of a day share.
    pub(super) const RECEIVED: u32 = u32::MAX - 1;
}

/// Amounts that are looked for: a filter that lets few others through.
pub(super) struct Wanted {
    bits: Vec<u64>,
}

impl Wanted {
    const SIZE: u64 = 1 << 18;

    pub(super) fn of(amounts: impl Iterator<Item = i64>) -> Self {
        let mut bits = vec![0; (Self::SIZE / 64) as usize];
        for amount in amounts {
            let at = Self::slot(amount);
            bits[(at / 64) as usize] |= 1 << (at % 64);
        }
        Self { bits }
    }

    fn slot(amount: i64) -> u64 {
        (amount as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 46
    }

    fn may_have(&self, amount: i64) -> bool {
        let at = Self::slot(amount);
        self.bits[(at / 64) as usize] >> (at % 64) & 1 == 1
    }
}

/// A set whose sum may be wanted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kin {
    pub(super) pence: i64,
    pub(super) first: i32,
    pub(super) last: i32,
    /// Ascending.
    pub(super) places: Vec<u32>,
    /// Whether it leaves out rows near by that have the word as well; sets that do not are few.
    pub(super) is_part: bool,
}

/// What was tried and what may be a sum.
pub(super) struct Sets {
    pub(super) found: Vec<Kin>,
    /// Days, and how many sets began before or on each: whole ones, and all.
    tried: Vec<(i32, u64, u64)>,
    /// For every place the sets it was in.
    with_place: Vec<u32>,
    is_crowded: bool,
}

impl Sets {
    /// Adds up the sets of sorted mentions whose days are at most `window_days` apart.
    pub(super) fn of(
        mentions: &[Mention],
        places: usize,
        wanted: &Wanted,
        window_days: i32,
        pace: &Pace<'_>,
    ) -> Result<Self, Stopped> {
        let mut sets = Self { found: Vec::new(), tried: Vec::new(), with_place: vec![0; places], is_crowded: false };
        let mut left = SETS;
        for rows in mentions.chunk_by(|one, other| one.word == other.word) {
            if rows.len() < 2 {
                continue;
            }
            let mut at = 0;
            while at < rows.len() && left > 0 {
                let first = rows[at].day;
                let of_day = rows[at..].partition_point(|row| row.day == first);
                let is_word = rows[at].word < Mention::RECEIVED;
                let until = if is_word { first.saturating_add(window_days) } else { first };
                let near = &rows[at..at + rows[at..].partition_point(|row| row.day <= until)];
                let is_first = at == 0 || rows[at - 1].day < first.saturating_sub(window_days);
                let is_last = rows.get(at + near.len()).is_none_or(|next| next.day > until.saturating_add(window_days));
                let is_whole = is_word && is_first && is_last && (2..=MEMBERS).contains(&near.len());
                let mut tried = sets.add_runs(near, is_whole, wanted);
                if is_word && near.len() <= SUBSET_ROWS {
                    tried += sets.add_subsets(near, of_day, wanted);
                } else if is_word && of_day <= SUBSET_ROWS {
                    tried += sets.add_subsets(&near[..of_day], of_day, wanted);
                }
                pace.spend(16 + 4 * tried)?;
                left = left.saturating_sub(tried + 1);
                if tried > 0 {
                    sets.tried.push((first, u64::from(is_whole), tried));
                }
                at += of_day;
            }
        }
        pace.check()?;
        sets.tried.sort_unstable();
        let mut sums = (0, 0);
        for (_, whole, tried) in &mut sets.tried {
            sums = (sums.0 + *whole, sums.1 + *tried);
            (*whole, *tried) = sums;
        }
        // Of a set that is whole for one word and a part for another the first stays.
        sets.found.sort_unstable();
        sets.found.dedup_by(|later, kept| later.places == kept.places);
        pace.check()?;
        Ok(sets)
    }

    /// Sets that began on one of the days: whole ones, and all.
    pub(super) fn tried(&self, first: i32, last: i32) -> (u64, u64) {
        let until = |day: i32| {
            let at = self.tried.partition_point(|entry| entry.0 <= day);
            at.checked_sub(1).map_or((0, 0), |at| (self.tried[at].1, self.tried[at].2))
        };
        let (before, after) = (until(first.saturating_sub(1)), until(last));
        (after.0 - before.0, after.1 - before.1)
    }

    /// Sets that a place was in.
    pub(super) fn with_place(&self, place: u32) -> u64 {
        u64::from(self.with_place[place as usize])
    }

    /// The rows of the first day, of the first two, and so on.
    fn add_runs(&mut self, near: &[Mention], is_whole: bool, wanted: &Wanted) -> u64 {
        let (mut sum, mut tried) = (0_i64, 0);
        for (at, row) in near.iter().enumerate().take(MEMBERS) {
            sum += row.pence;
            let is_end = near.get(at + 1).is_none_or(|next| next.day != row.day);
            if at > 0 && is_end {
                tried += 1;
                if wanted.may_have(sum) {
                    self.add(&near[..=at], u64::MAX, sum, !is_whole || at + 1 < near.len());
                }
            }
        }
        near.iter().take(MEMBERS).for_each(|row| self.count(row.place, tried));
        tried
    }

    /// Every subset of two and more with one of the first `of_day` rows.
    fn add_subsets(&mut self, near: &[Mention], of_day: usize, wanted: &Wanted) -> u64 {
        let mut sums = [0_i64; 1 << SUBSET_ROWS];
        let mut tried = 0;
        let mut with_row = [0; SUBSET_ROWS];
        for mask in 1_usize..1 << near.len() {
            let lowest = mask.trailing_zeros() as usize;
            let rest = mask & (mask - 1);
            sums[mask] = sums[rest] + near[lowest].pence;
            if rest != 0 && lowest < of_day {
                tried += 1;
                (0..near.len()).for_each(|at| with_row[at] += (mask >> at & 1) as u64);
                if wanted.may_have(sums[mask]) {
                    self.add(near, mask as u64, sums[mask], true);
                }
            }
        }
        near.iter().zip(with_row).for_each(|(row, sets)| self.count(row.place, sets));
        tried
    }

    fn count(&mut self, place: u32, sets: u64) {
        let count = &mut self.with_place[place as usize];
        *count = count.saturating_add(sets as u32);
    }

    /// Keeps a set whose sum may be wanted, unless one row of it cancels another.
    fn add(&mut self, rows: &[Mention], mask: u64, pence: i64, is_part: bool) {
        if self.found.len() >= SETS_KEPT {
            self.is_crowded = true;
            return;
        }
        let chosen = || rows.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, row)| row);
        let amounts: Vec<i64> = chosen().map(|row| row.pence).collect();
        if cancels(&amounts) {
            return;
        }
        let mut places: Vec<u32> = chosen().map(|row| row.place).collect();
        places.sort_unstable();
        let days = || chosen().map(|row| row.day);
        let (Some(first), Some(last)) = (days().min(), days().max()) else { return };
        self.found.push(Kin { pence, first, last, places, is_part });
    }

    /// Whether more sets have an amount that is looked for than are kept.
    pub(super) fn is_crowded(&self) -> bool {
        self.is_crowded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::control::Unattended;

    fn mention(word: u32, day: i32, place: u32, pence: i64) -> Mention {
        Mention { word, day, place, pence }
    }

    fn found(mentions: &mut [Mention], wanted: i64) -> Vec<Vec<u32>> {
        mentions.sort_unstable();
        let sets = Sets::of(mentions, 100, &Wanted::of([wanted].into_iter()), 3, &Pace::new(&Unattended)).unwrap();
        let exact = sets.found.into_iter().filter(|kin| kin.pence == wanted);
        exact.map(|kin| kin.places).collect()
    }

    #[test]
    fn rows_with_a_word_in_common_are_added_up_and_others_are_not() {
        let rows = [mention(4, 10, 0, 60_068), mention(4, 10, 1, -1_015), mention(5, 10, 2, 7), mention(4, 20, 3, 7)];
        assert_eq!(found(&mut rows.to_vec(), 59_053), [[0, 1]]);
        assert!(found(&mut rows.to_vec(), 60_075).is_empty());
        assert!(found(&mut rows.to_vec(), 60_068).is_empty());
    }

    #[test]
    fn no_more_sets_are_kept_than_fit() {
        // Of so many words the same seven rows: all their sums are wanted.
        let mut mentions: Vec<Mention> =
            (0..2_000).flat_map(|word| (0..7).map(move |at| mention(word, 10, word * 7 + at, 100))).collect();
        mentions.sort_unstable();
        let wanted = Wanted::of((2..=7).map(|rows| 100 * rows));
        let sets = Sets::of(&mentions, 14_000, &wanted, 3, &Pace::new(&Unattended)).unwrap();
        assert!(sets.is_crowded() && sets.found.len() <= SETS_KEPT, "{} sets", sets.found.len());
    }

    #[test]
    fn subsets_of_few_rows_and_whole_runs_of_many_are_tried() {
        let mut few: Vec<Mention> = (0..6).map(|at| mention(4, 10 + at, at as u32, 1 << at)).collect();
        assert_eq!(found(&mut few, 0b1011), [vec![0, 1, 3]]);
        // Farther apart than the window.
        assert!(found(&mut few, 0b10_0001).is_empty());
        let mut many: Vec<Mention> = (0..20).map(|at| mention(Mention::PAID, 10, at, -(100 + i64::from(at)))).collect();
        assert_eq!(found(&mut many, -2_190), [(0..20).collect::<Vec<u32>>()]);
        assert!(found(&mut many, -201).is_empty());
    }

    #[test]
    fn sets_are_counted_by_the_day_they_begin_on() {
        let rows = [mention(4, 10, 0, 1), mention(4, 10, 1, 2), mention(5, 12, 2, 4), mention(5, 12, 3, 8)];
        let sets = Sets::of(&rows, 4, &Wanted::of(std::iter::empty()), 3, &Pace::new(&Unattended)).unwrap();
        assert_eq!(
            [sets.tried(9, 9), sets.tried(10, 11), sets.tried(12, 13), sets.tried(0, 99)],
            [(0, 0), (1, 2), (1, 2), (2, 4)]
        );
        assert_eq!(sets.with_place(2), 2);
    }
}
