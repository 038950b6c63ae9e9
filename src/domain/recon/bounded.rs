//! Matching inside a component that is too large, or too tangled, to weigh every
//! possible pair: rows that share a rare word first, then rows of similar wording
//! by date, then whatever is left by date. Always legal, never leaves two rows open
//! that could be paired, and costs a bounded number of steps.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "hot kernel: places are offsets into one component, which has fewer than 2^32 rows"
)]

use std::collections::HashMap;

use crate::domain::control::{Control, Stopped};

use super::assignment::{Candidates, Graph as _, NONE, Solved, Solver};
use super::evidence::{Evidence, Reader, Texts};
use super::line_match::line_match;
use super::words::Kind;

/// Book rows looked at for one shared word.
const ROWS_PER_WORD: usize = 64;

/// Comparisons allowed for one bank row.
const COMPARISONS_PER_ROW: usize = 512;

/// Candidates kept for one bank row.
const CANDIDATES_PER_ROW: usize = 8;

/// Relaxations allowed for the search over the candidates of one component.
const SPARSE_RELAXATIONS: u64 = 40_000_000;

/// Wordings of one side that are compared with each other.
const CLASSES: usize = 48;

/// A component as a range of bank places and a range of book places.
pub(super) struct Block<'a> {
    pub(super) texts: &'a Texts,
    pub(super) evidence: &'a Evidence,
    pub(super) bank: std::ops::Range<usize>,
    pub(super) book: std::ops::Range<usize>,
    pub(super) window_days: i32,
    pub(super) control: &'a dyn Control,
}

impl Block<'_> {
    /// The book row of every bank row, as offsets into the component. Takes what the sparse
    /// search spends off `budget`.
    pub(super) fn solve(
        &self,
        reader: &mut Reader,
        solver: &mut Solver,
        budget: &mut u64,
    ) -> Result<Vec<u32>, Stopped> {
        let mut state = Partners { book_of: vec![NONE; self.bank.len()], is_taken: vec![false; self.book.len()] };
        self.by_rare_words(reader, solver, budget, &mut state)?;
        self.check()?;
        self.by_wording(reader, &mut state)?;
        self.check()?;
        let bank: Vec<u32> = state.open_bank((0..self.bank.len()).map(|row| row as u32));
        let book: Vec<u32> = state.open_book((0..self.book.len()).map(|row| row as u32));
        self.by_date(&bank, &book, &mut state);
        Ok(state.book_of)
    }

    fn check(&self) -> Result<(), Stopped> {
        if self.control.is_cancelled() { Err(Stopped) } else { Ok(()) }
    }

    fn bank_day(&self, row: usize) -> i32 {
        self.texts.bank_days[self.bank.start + row]
    }

    fn book_day(&self, row: usize) -> i32 {
        self.texts.book_days[self.book.start + row]
    }

    fn book_days(&self) -> &[i32] {
        &self.texts.book_days[self.book.clone()]
    }

    /// An exact assignment over the few best candidates of each row.
    fn by_rare_words(
        &self,
        reader: &mut Reader,
        solver: &mut Solver,
        budget: &mut u64,
        state: &mut Partners,
    ) -> Result<(), Stopped> {
        let candidates = self.candidates(reader)?;
        let allowed = SPARSE_RELAXATIONS.min(*budget);
        let mut left = allowed;
        let solved = solver.solve(&candidates, &mut left, self.control)?;
        *budget -= allowed - left;
        for (row, &column) in solver.partner_of_row.iter().enumerate() {
            if column != NONE {
                state.join(row, column as usize);
            }
        }
        if solved == Solved::OverBudget {
            for row in 0..candidates.rows() {
                if state.book_of[row] != NONE {
                    continue;
                }
                let free = candidates.row(row).filter(|(column, _)| !state.is_taken[*column]);
                let best = free.max_by_key(|&(column, value)| (value, std::cmp::Reverse(column)));
                if let Some((column, _)) = best {
                    state.join(row, column);
                }
            }
        }
        Ok(())
    }

    fn candidates(&self, reader: &mut Reader) -> Result<Candidates, Stopped> {
        let index = WordIndex::of(self);
        self.check()?;
        let mut candidates = Candidates { columns: self.book.len(), starts: vec![0], pairs: Vec::new() };
        let mut seen_in = vec![0_u32; self.book.len()];
        let mut best: Vec<(u32, i32)> = Vec::new();
        let mut lists: Vec<&[u32]> = Vec::new();
        // Equal rows must not all look at the same few partners: each starts where the last began plus one.
        let mut rank = 0;
        for row in 0..self.bank.len() {
            if row % 512 == 0 {
                self.check()?;
            }
            let place = self.bank.start + row;
            let repeats = row > 0
                && self.bank_day(row - 1) == self.bank_day(row)
                && self.texts.bank.row(place - 1) == self.texts.bank.row(place);
            rank = if repeats { rank + 1 } else { 0 };
            reader.load(self.evidence, self.texts, place);
            best.clear();
            self.lists(&index, row, &mut lists);
            let mut left = COMPARISONS_PER_ROW;
            for list in &lists {
                for &column in self.nearest(list, row, rank) {
                    if left == 0 {
                        break;
                    }
                    if std::mem::replace(&mut seen_in[column as usize], row as u32 + 1) == row as u32 + 1 {
                        continue;
                    }
                    left -= 1;
                    let book = self.book.start + column as usize;
                    let lag = self.evidence.lag(self.texts, place, book);
                    let gain = reader.gain(self.evidence, self.texts, book) + lag;
                    if gain > 0 {
                        best.push((column, gain));
                    }
                }
            }
            // Stable, so that among equals the ones nearest to this row's rank stay.
            best.sort_by_key(|&(_, gain)| std::cmp::Reverse(gain));
            candidates.pairs.extend(best.iter().take(CANDIDATES_PER_ROW));
            candidates.starts.push(candidates.pairs.len() as u32);
        }
        Ok(candidates)
    }

    /// The book rows under each word that a bank row's words stand for, shortest list first.
    fn lists<'i>(&self, index: &'i WordIndex, row: usize, lists: &mut Vec<&'i [u32]>) {
        lists.clear();
        for &word in self.texts.bank.row(self.bank.start + row) {
            for book_word in self.evidence.related(word) {
                let list = index.rows(book_word);
                if !list.is_empty() {
                    lists.push(list);
                }
            }
        }
        lists.sort_by_key(|list| list.len());
        lists.truncate(COMPARISONS_PER_ROW / 16);
    }

    /// Up to [`ROWS_PER_WORD`] rows of a list inside the window, from about the same day on.
    fn nearest<'i>(&self, list: &'i [u32], row: usize, rank: usize) -> &'i [u32] {
        let day = self.bank_day(row);
        let before = |limit: i32| list.partition_point(|&column| self.book_day(column as usize) < limit);
        let (first, end) = (before(day - self.window_days), before(day + self.window_days + 1));
        if end - first <= ROWS_PER_WORD {
            return &list[first..end];
        }
        let today = before(day) + rank;
        let start = if rank == 0 { today.saturating_sub(ROWS_PER_WORD / 4) } else { today };
        let start = start.clamp(first, end - ROWS_PER_WORD);
        &list[start..start + ROWS_PER_WORD]
    }

    /// Pairs whole wordings, best evidence first, by date inside each pair of wordings.
    fn by_wording(&self, reader: &mut Reader, state: &mut Partners) -> Result<(), Stopped> {
        let bank_rows = state.open_bank((0..self.bank.len()).map(|row| row as u32));
        let book_rows = state.open_book((0..self.book.len()).map(|row| row as u32));
        let mut bank = self.classes(&bank_rows, true);
        self.check()?;
        let mut book = self.classes(&book_rows, false);
        self.check()?;
        let mut pairs: Vec<(i32, usize, usize)> = Vec::new();
        for (at, class) in bank.iter().enumerate() {
            reader.load(self.evidence, self.texts, self.bank.start + class[0] as usize);
            for (other, members) in book.iter().enumerate() {
                let row = self.book.start + members[0] as usize;
                let gain = reader.wording_gain(self.evidence, self.texts, row);
                if gain > 0 {
                    pairs.push((gain, at, other));
                }
            }
        }
        pairs.sort_by_key(|&(gain, at, other)| (std::cmp::Reverse(gain), at, other));
        for (_, at, other) in pairs {
            bank[at].retain(|&row| state.book_of[row as usize] == NONE);
            book[other].retain(|&row| !state.is_taken[row as usize]);
            if bank[at].is_empty() || book[other].is_empty() {
                continue;
            }
            self.check()?;
            self.by_date(&bank[at], &book[other], state);
        }
        Ok(())
    }

    /// The largest groups of rows with the same words, numbers aside; rows in date order.
    fn classes(&self, rows: &[u32], is_bank: bool) -> Vec<Vec<u32>> {
        let mut groups: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
        for &row in rows {
            let words = if is_bank {
                self.texts.bank.row(self.bank.start + row as usize)
            } else {
                self.texts.book.row(self.book.start + row as usize)
            };
            let letters = |word: &&u32| self.texts.vocabulary.kind(**word) == Kind::Letters;
            groups.entry(words.iter().filter(letters).copied().collect()).or_default().push(row);
        }
        let mut groups: Vec<(Vec<u32>, Vec<u32>)> = groups.into_iter().collect();
        groups.sort_unstable_by(|left, right| right.1.len().cmp(&left.1.len()).then_with(|| left.0.cmp(&right.0)));
        groups.truncate(CLASSES);
        groups.into_iter().map(|(_, rows)| rows).collect()
    }

    fn by_date(&self, bank: &[u32], book: &[u32], state: &mut Partners) {
        let bank_days: Vec<i32> = bank.iter().map(|&row| self.bank_day(row as usize)).collect();
        let book_days: Vec<i32> = book.iter().map(|&row| self.book_days()[row as usize]).collect();
        for (at, &partner) in line_match(&bank_days, &book_days, self.window_days).iter().enumerate() {
            if partner != NONE {
                state.join(bank[at] as usize, book[partner as usize] as usize);
            }
        }
    }
}

struct Partners {
    book_of: Vec<u32>,
    is_taken: Vec<bool>,
}

impl Partners {
    fn join(&mut self, row: usize, column: usize) {
        debug_assert!(!self.is_taken[column] && self.book_of[row] == NONE);
        self.book_of[row] = column as u32;
        self.is_taken[column] = true;
    }

    fn open_bank(&self, rows: impl Iterator<Item = u32>) -> Vec<u32> {
        rows.filter(|&row| self.book_of[row as usize] == NONE).collect()
    }

    fn open_book(&self, rows: impl Iterator<Item = u32>) -> Vec<u32> {
        rows.filter(|&row| !self.is_taken[row as usize]).collect()
    }
}

/// The component's book rows under each of their words, in date order.
struct WordIndex {
    words: Vec<u32>,
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl WordIndex {
    fn of(block: &Block<'_>) -> Self {
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for (row, place) in block.book.clone().enumerate() {
            let words = block.texts.book.row(place).iter();
            entries.extend(words.map(|&word| (word, row as u32)));
        }
        entries.sort_unstable();
        let mut index = Self { words: Vec::new(), starts: vec![0], rows: Vec::new() };
        index.rows = entries.iter().map(|entry| entry.1).collect();
        for group in entries.chunk_by(|left, right| left.0 == right.0) {
            index.words.push(group[0].0);
            index.starts.push(index.starts[index.words.len() - 1] + group.len() as u32);
        }
        index
    }

    fn rows(&self, word: u32) -> &[u32] {
        match self.words.binary_search(&word) {
            Ok(at) => &self.rows[self.starts[at] as usize..self.starts[at + 1] as usize],
            Err(_) => &[],
        }
    }
}
