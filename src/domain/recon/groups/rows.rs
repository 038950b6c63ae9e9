//! Rows that the matching left open: where they lie, which are taken, and what of their words says who was paid.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "hot kernel: places index the permutations of the matcher, and there are fewer than 2^32 rows"
)]

use super::{INDEXED_WORDS, Proposal};
use crate::domain::control::Stopped;
use crate::domain::recon::evidence::{Evidence, Reader, Texts};
use crate::domain::recon::pace::Pace;
use crate::domain::recon::subset_sum::MEMBERS;
use crate::domain::recon::words::Side;

/// Open rows by day and place.
#[derive(Default)]
pub(super) struct Nearby {
    pub(super) rows: Vec<(i32, u32)>,
}

impl Nearby {
    pub(super) fn around(&self, day: i32, window_days: i32) -> &[(i32, u32)] {
        let from = self.rows.partition_point(|row| row.0 < day.saturating_sub(window_days));
        let until = self.rows.partition_point(|row| row.0 <= day.saturating_add(window_days));
        &self.rows[from..until]
    }
}

/// Rows with one word inside the window that are looked at; more of them are no run of a payee.
const ROWS_PER_WORD: usize = 256;

/// Rows of a side by their words and days.
pub(super) struct WordIndex {
    entries: Vec<(u32, i32, u32)>,
}

impl WordIndex {
    /// Rows and words that are wanted, as many as are indexed.
    pub(super) fn of(
        side: &Side,
        days: &[i32],
        is_row_wanted: impl Fn(usize) -> bool,
        is_word_wanted: impl Fn(u32) -> bool,
        pace: &Pace<'_>,
    ) -> Result<Self, Stopped> {
        let mut entries: Vec<(u32, i32, u32)> = Vec::new();
        for place in (0..days.len()).filter(|&place| is_row_wanted(place)) {
            if entries.len() >= INDEXED_WORDS {
                break;
            }
            pace.spend(16)?;
            let words = side.row(place).iter().filter(|&&word| is_word_wanted(word));
            entries.extend(words.map(|&word| (word, days[place], place as u32)));
        }
        pace.check()?;
        entries.sort_unstable();
        pace.check()?;
        Ok(Self { entries })
    }

    /// Places with a word near a day; none where there are more than a payee has.
    pub(super) fn around(&self, word: u32, day: i32, window_days: i32) -> impl Iterator<Item = u32> {
        let from = self.entries.partition_point(|entry| (entry.0, entry.1) < (word, day - window_days));
        let rest = &self.entries[from..];
        let until = rest.partition_point(|entry| (entry.0, entry.1) <= (word, day + window_days));
        rest[..until].iter().filter(move |_| until <= ROWS_PER_WORD).map(|entry| entry.2)
    }
}

/// Rows that are matched or in a group.
pub(super) struct Taken {
    pub(super) bank: Vec<bool>,
    pub(super) book: Vec<bool>,
}

impl Taken {
    /// Marks the rows of a proposal, if all of them are free.
    pub(super) fn take(&mut self, proposal: &Proposal) -> bool {
        let (ones, others) =
            if proposal.is_bank { (&mut self.bank, &mut self.book) } else { (&mut self.book, &mut self.bank) };
        if ones[proposal.row as usize] || proposal.others.iter().any(|&place| others[place as usize]) {
            return false;
        }
        ones[proposal.row as usize] = true;
        proposal.others.iter().for_each(|&place| others[place as usize] = true);
        true
    }
}

/// Which words say who was paid.
pub(super) struct Telling<'a> {
    pub(super) texts: &'a Texts,
}

impl Telling<'_> {
    /// Two letters and more that do not stand on any statement.
    pub(super) fn names(&self, word: u32) -> bool {
        self.texts.is_name(word)
    }

    pub(super) fn numbers(&self, word: u32) -> bool {
        self.texts.is_number(word)
    }

    /// Whether the open bank row and a book row have a reference in common, or most of what the shorter one says.
    pub(super) fn is_one_payee(
        &self,
        reader: &Reader,
        evidence: &Evidence,
        bank: usize,
        book: usize,
        likeness: f64,
    ) -> bool {
        let (bank_words, book_words) = reader.common_words(evidence, self.texts, book, false);
        let words = &self.texts.vocabulary;
        let is_reference = |&word: &u32| {
            self.numbers(word) && words.bank_rows[word as usize].max(words.book_rows[word as usize]) <= MEMBERS as u32
        };
        let known = self.texts.book.row(book).iter().enumerate().filter(|(place, _)| book_words >> place & 1 == 1);
        if known.map(|(_, word)| word).any(is_reference) {
            return true;
        }
        let covered = |side: &Side, row: usize, known: u16, rarity: &dyn Fn(u32) -> f64| {
            let (mut known_part, mut whole) = (0.0, 0.0);
            for (place, &word) in side.row(row).iter().enumerate().filter(|(_, word)| self.names(**word)) {
                whole += rarity(word);
                if known >> place & 1 == 1 {
                    known_part += rarity(word);
                }
            }
            if whole > 0.0 { known_part / whole } else { 0.0 }
        };
        let rarity =
            |rows_with: u32, rows: usize| libm::log((rows as f64 + 1.0) / (f64::from(rows_with) + 0.5)).max(0.2);
        let of_bank = |word: u32| rarity(words.bank_rows[word as usize], self.texts.bank_days.len());
        let of_book = |word: u32| rarity(words.book_rows[word as usize], self.texts.book_days.len());
        let at_bank = covered(&self.texts.bank, bank, bank_words, &of_bank);
        let in_books = covered(&self.texts.book, book, book_words, &of_book);
        at_bank.max(in_books) >= likeness
    }
}
