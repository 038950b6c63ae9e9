//! From two lists to matched pairs: canonical order, components of rows that can
//! reach each other, learning, and one assignment per component.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "hot kernel: places index the permutations this file builds, and there are fewer than 2^32 rows"
)]

use std::cell::Cell;

use crate::domain::control::{Control, Stopped};

use super::accidents::slips;
use super::assignment::{FORBIDDEN, Graph as _, NONE, Solved, Solver, Windows};
use super::bounded::Block;
use super::dataset::{Dataset, Rows};
use super::evidence::{Evidence, NAT, Pair, Reader, STOP_WORDS, Texts};
use super::groups::{Group, Leftover, open_books};
use super::mentions::mentioned_day;
use super::names::{self, Names};
use super::ordered::Ordered;
use super::pace::Pace;
use super::words::Vocabulary;

/// Limits of the exact search; tests make them small to force the fallback.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Most possible pairs of one component that are solved exactly.
    pub(super) pairs: u64,
    /// Relaxations allowed for each row of a component.
    pub(super) relaxations_per_row: u64,
    /// Relaxations allowed for the whole job.
    pub(super) relaxations: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { pairs: 3_000_000, relaxations_per_row: 30_000, relaxations: 200_000_000 }
    }
}

/// Possible pairs looked at while a later round of learning chooses its pairs.
const LATER_ROUND_PAIRS: u64 = 4_000_000;

/// Pairs learned from; more teach nothing new.
const TRAINING_PAIRS: usize = 60_000;

/// Rounds of learning after the first, each with the pairs that what was learned before makes clear.
const FURTHER_ROUNDS: usize = 2;

/// A pair teaches when it beats every rival on both sides by this much.
const CLEAR_MARGIN: i32 = 3 * NAT;

/// What was found, by submitted index.
#[derive(Debug)]
pub(super) struct Matching {
    /// The book row of every bank row ([`NONE`] for none).
    pub(super) partner_of_bank: Vec<u32>,
    /// Rows left open that are the sum of rows left open on the other side.
    pub(super) groups: Vec<Group>,
}

/// Pairs the rows, then explains what is left as groups.
pub(super) fn match_rows(
    dataset: &Dataset,
    window_days: u32,
    effort: Effort,
    control: &dyn Control,
) -> Result<Matching, Stopped> {
    let pace = Pace::new(control);
    let bank = Ordered::of(&dataset.bank, &pace)?;
    let book = Ordered::of(&dataset.book, &pace)?;
    let window_days = window_days as i32;
    let components = components(&bank, &book, window_days);
    let mut matcher = Matcher { bank: &bank, book: &book, window_days, effort, pace, rows_done: 0 };
    let (places, groups) = matcher.run(dataset, &components)?;
    let mut partners = vec![NONE; dataset.bank.len()];
    for (place, &partner) in places.iter().enumerate() {
        if partner != NONE {
            partners[bank.rows[place] as usize] = book.rows[partner as usize];
        }
    }
    control.progress(dataset.rows());
    Ok(Matching { partner_of_bank: partners, groups })
}

/// Rows of equal amount connected by possible pairs, as ranges of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Component {
    bank: (u32, u32),
    book: (u32, u32),
}

impl Component {
    fn bank(&self) -> std::ops::Range<usize> {
        self.bank.0 as usize..self.bank.1 as usize
    }

    fn book(&self) -> std::ops::Range<usize> {
        self.book.0 as usize..self.book.1 as usize
    }

    fn rows(&self) -> u64 {
        u64::from(self.bank.1 - self.bank.0) + u64::from(self.book.1 - self.book.0)
    }

    fn is_single_pair(&self) -> bool {
        self.bank.1 - self.bank.0 == 1 && self.book.1 - self.book.0 == 1
    }
}

/// Cuts both sides at amounts and at dates that no possible pair crosses; components with
/// rows of one side only are left out.
fn components(bank: &Ordered, book: &Ordered, window_days: i32) -> Vec<Component> {
    let mut found = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < bank.rows.len() && j < book.rows.len() {
        match bank.pence[i].cmp(&book.pence[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal if bank.days[i] < book.days[j] - window_days => i += 1,
            std::cmp::Ordering::Equal if book.days[j] < bank.days[i] - window_days => j += 1,
            std::cmp::Ordering::Equal => {
                let pence = bank.pence[i];
                let (start_i, start_j) = (i, j);
                let (mut last_bank, mut last_book) = (bank.days[i], book.days[j]);
                loop {
                    let more_bank =
                        i < bank.rows.len() && bank.pence[i] == pence && bank.days[i] <= last_book + window_days;
                    if more_bank {
                        last_bank = bank.days[i];
                        i += 1;
                        continue;
                    }
                    let more_book =
                        j < book.rows.len() && book.pence[j] == pence && book.days[j] <= last_bank + window_days;
                    if !more_book {
                        break;
                    }
                    last_book = book.days[j];
                    j += 1;
                }
                found.push(Component { bank: (start_i as u32, i as u32), book: (start_j as u32, j as u32) });
            }
        }
    }
    found
}

/// Buffers kept from one component to the next.
struct Tools {
    reader: Reader,
    solver: Solver,
    windows: Windows,
}

struct Matcher<'a> {
    bank: &'a Ordered,
    book: &'a Ordered,
    window_days: i32,
    effort: Effort,
    pace: Pace<'a>,
    rows_done: u64,
}

impl Matcher<'_> {
    fn run(&mut self, dataset: &Dataset, components: &[Component]) -> Result<(Vec<u32>, Vec<Group>), Stopped> {
        let mut partners = vec![NONE; self.bank.rows.len()];
        let in_doubt = components.iter().any(|component| !component.is_single_pair());
        let open = |rows: usize| rows - components.len();
        let (open_bank, open_book) = (self.bank.rows.len(), self.book.rows.len());
        let is_plain = |component: &Component| {
            let (bank, book) = (self.bank.rows[component.bank.0 as usize], self.book.rows[component.book.0 as usize]);
            dataset.bank.description(bank as usize).eq_ignore_ascii_case(dataset.book.description(book as usize))
        };
        // Nothing to weigh, to add up or to take apart: the texts need not be read.
        if !in_doubt && (open(open_bank) == 0 || open(open_book) == 0) && components.iter().all(is_plain) {
            for component in components {
                partners[component.bank.0 as usize] = component.book.0;
            }
            return Ok((partners, Vec::new()));
        }
        let texts = self.texts(dataset)?;
        let (evidence, names) = self.learn(&texts, components)?;
        let mut tools = Tools {
            reader: Reader::new(texts.vocabulary.len()),
            solver: Solver::default(),
            windows: Windows::default(),
        };
        let mut budget = self.effort.relaxations;
        let mut contested = Vec::new();
        for component in components {
            if component.is_single_pair() {
                let (bank, book) = (component.bank.0 as usize, component.book.0 as usize);
                tools.reader.load(&evidence, &texts, bank);
                if names.contradict(&tools.reader, &evidence, &texts, (bank, book), true) {
                    contested.push((component.bank.0, component.book.0));
                } else {
                    partners[bank] = component.book.0;
                }
            } else {
                let mut found = self.solve(component, &texts, &evidence, &names, &mut tools, &mut budget)?;
                self.part(component, &texts, &evidence, &names, &mut tools.reader, &mut found)?;
                for (row, column) in found.into_iter().enumerate() {
                    if column != NONE {
                        partners[component.bank.0 as usize + row] = component.book.0 + column;
                    }
                }
            }
            self.finished(component)?;
        }
        self.join_slips(components, &contested, &mut partners)?;
        let bank_is_open: Vec<bool> = partners.iter().map(|&partner| partner == NONE).collect();
        let book_is_open = open_books(&partners, self.book.rows.len());
        let leftover = Leftover {
            dataset,
            bank: self.bank,
            book: self.book,
            bank_is_open: &bank_is_open,
            book_is_open: &book_is_open,
            texts: &texts,
            evidence: &evidence,
            window_days: self.window_days,
            pace: &self.pace,
        };
        let groups = leftover.groups()?;
        Ok((partners, groups))
    }

    /// Pairs those of `contested` that the file shows to be one payment under two names.
    fn join_slips(&self, components: &[Component], contested: &[Pair], partners: &mut [u32]) -> Result<(), Stopped> {
        let bank_is_open: Vec<bool> = partners.iter().map(|&partner| partner == NONE).collect();
        let book_is_open = open_books(partners, self.book.rows.len());
        let sides = ((self.bank, &*bank_is_open), (self.book, &*book_is_open));
        let sole_pairs = components.iter().filter(|component| component.is_single_pair()).count();
        for (bank, book) in slips(sides.0, sides.1, self.window_days, contested, sole_pairs, &self.pace)? {
            partners[bank as usize] = book;
        }
        Ok(())
    }

    /// Exactly where the component is small enough and the budget holds, else bounded.
    /// Partners are offsets into the component.
    fn solve(
        &self,
        component: &Component,
        texts: &Texts,
        evidence: &Evidence,
        names: &Names,
        tools: &mut Tools,
        budget: &mut u64,
    ) -> Result<Vec<u32>, Stopped> {
        let Tools { reader, solver, windows } = tools;
        let allowed = component.rows() * self.effort.relaxations_per_row;
        if self.size(component) <= self.effort.pairs && *budget > 0 {
            self.fill(component, texts, evidence, Some(names), reader, windows)?;
            if self.spend(budget, allowed, |left| solver.solve(windows, left, self.pace.control))? == Solved::Optimal {
                return Ok(std::mem::take(&mut solver.partner_of_row));
            }
        }
        *windows = Windows::default();
        let block = Block {
            texts,
            evidence,
            bank: component.bank(),
            book: component.book(),
            window_days: self.window_days,
            control: self.pace.control,
        };
        self.spend(budget, allowed, |left| block.solve(reader, solver, left))
    }

    /// Takes apart pairs of contradicting names, which only the bounded search makes, and looks for another open row.
    fn part(
        &self,
        component: &Component,
        texts: &Texts,
        evidence: &Evidence,
        names: &Names,
        reader: &mut Reader,
        partners: &mut [u32],
    ) -> Result<(), Stopped> {
        const LOOKS: usize = 64;
        let mut is_parted = false;
        for (row, partner) in partners.iter_mut().enumerate().filter(|(_, partner)| **partner != NONE) {
            let (bank, book) = (component.bank().start + row, component.book().start + *partner as usize);
            self.pace.spend(64)?;
            reader.load(evidence, texts, bank);
            if names.contradict(reader, evidence, texts, (bank, book), false) {
                *partner = NONE;
                is_parted = true;
            }
        }
        if !is_parted {
            return Ok(());
        }
        let mut is_open = open_books(partners, component.book().len());
        for row in (0..partners.len()).filter(|&row| partners[row] == NONE).collect::<Vec<_>>() {
            let bank = component.bank().start + row;
            self.pace.spend(64 * LOOKS as u64)?;
            reader.load(evidence, texts, bank);
            let days = &self.book.days[component.book()];
            let first = days.partition_point(|&day| day < self.bank.days[bank] - self.window_days);
            let until = days.partition_point(|&day| day <= self.bank.days[bank] + self.window_days);
            let free = (first..until).filter(|&column| is_open[column]).take(LOOKS).find(|&column| {
                let book = component.book().start + column;
                !names.contradict(reader, evidence, texts, (bank, book), false)
            });
            if let Some(column) = free {
                is_open[column] = false;
                partners[row] = column as u32;
            }
        }
        Ok(())
    }

    /// Runs a search with at most `allowed` of the job's budget.
    fn spend<T>(
        &self,
        budget: &mut u64,
        allowed: u64,
        search: impl FnOnce(&mut u64) -> Result<T, Stopped>,
    ) -> Result<T, Stopped> {
        let allowed = allowed.min(*budget);
        let mut left = allowed;
        let found = search(&mut left)?;
        *budget -= allowed - left;
        Ok(found)
    }

    fn finished(&mut self, component: &Component) -> Result<(), Stopped> {
        let before = self.rows_done >> 12;
        self.rows_done += component.rows();
        if self.rows_done >> 12 != before {
            self.pace.control.progress(self.rows_done);
        }
        self.pace.spend(component.rows() * 16)
    }

    fn texts(&self, dataset: &Dataset) -> Result<Texts, Stopped> {
        let mut vocabulary = Vocabulary::new();
        for (ordered, rows) in [(self.bank, &dataset.bank), (self.book, &dataset.book)] {
            let descriptions = ordered.rows.iter().map(|&row| rows.description(row as usize));
            vocabulary.learn_short_codes(descriptions, &self.pace)?;
        }
        let mut read = |ordered: &Ordered, rows: &Rows, is_bank: bool| {
            let stopped = Cell::new(Ok(()));
            let descriptions = ordered.rows.iter().map_while(|&row| {
                let description = rows.description(row as usize);
                stopped.set(self.pace.spend(64 + 4 * description.len() as u64));
                stopped.get().is_ok().then_some(description)
            });
            let side = vocabulary.read(descriptions, is_bank);
            stopped.get().map(|()| side)
        };
        let bank = read(self.bank, &dataset.bank, true)?;
        let book = read(self.book, &dataset.book, false)?;
        self.pace.check()?;
        let mentions = |ordered: &Ordered, rows: &Rows| -> Result<Vec<Option<i32>>, Stopped> {
            let days = ordered.rows.iter().zip(&ordered.days);
            days.map(|(&row, &day)| {
                let description = rows.description(row as usize);
                self.pace.spend(16 + description.len() as u64)?;
                Ok(mentioned_day(description, day))
            })
            .collect()
        };
        let bank_mentions = mentions(self.bank, &dataset.bank)?;
        let book_mentions = mentions(self.book, &dataset.book)?;
        let names = names::names(&vocabulary);
        let stop_words = STOP_WORDS.iter().filter_map(|word| vocabulary.id(word.as_bytes())).collect();
        let related = vocabulary.related(&self.pace)?;
        self.pace.check()?;
        Ok(Texts {
            vocabulary,
            bank,
            book,
            bank_days: self.bank.days.clone(),
            book_days: self.book.days.clone(),
            bank_mentions,
            book_mentions,
            related,
            stop_words,
            names,
        })
    }

    /// Learns from pairs that are each other's only candidate, then [`FURTHER_ROUNDS`] times more with the
    /// pairs that clearly beat all their rivals by what was learned first.
    fn learn(&self, texts: &Texts, components: &[Component]) -> Result<(Evidence, Names), Stopped> {
        let mut sole: Vec<Pair> = components
            .iter()
            .filter(|component| component.is_single_pair())
            .map(|component| (component.bank.0, component.book.0))
            .collect();
        thin(&mut sole, TRAINING_PAIRS);
        let mut evidence = Evidence::learn(texts, &sole, self.window_days, &self.pace)?;
        for _ in 0..FURTHER_ROUNDS {
            self.pace.check()?;
            let mut pairs = self.clear_pairs(texts, components, &evidence)?;
            thin(&mut pairs, TRAINING_PAIRS);
            pairs.extend_from_slice(&sole);
            pairs.sort_unstable();
            drop(evidence);
            evidence = Evidence::learn(texts, &pairs, self.window_days, &self.pace)?;
        }
        self.pace.check()?;
        let names = Names::learn(texts, &evidence, &sole, &self.pace)?;
        Ok((evidence, names))
    }

    fn clear_pairs(&self, texts: &Texts, components: &[Component], evidence: &Evidence) -> Result<Vec<Pair>, Stopped> {
        let mut clear = Vec::new();
        let mut reader = Reader::new(texts.vocabulary.len());
        let mut windows = Windows::default();
        let mut looked_at = 0;
        for component in components {
            let size = self.size(component);
            if component.is_single_pair() || size > self.effort.pairs {
                continue;
            }
            looked_at += size;
            if looked_at > LATER_ROUND_PAIRS {
                break;
            }
            self.fill(component, texts, evidence, None, &mut reader, &mut windows)?;
            add_clear(component, &windows, &mut clear);
        }
        Ok(clear)
    }

    /// Number of possible pairs.
    fn size(&self, component: &Component) -> u64 {
        let mut size = 0;
        self.for_windows(component, |_, first, end| size += (end - first) as u64);
        size
    }

    /// Calls back with every bank place and its range of book places, in order.
    fn for_windows(&self, component: &Component, mut each: impl FnMut(usize, usize, usize)) {
        let books = component.book();
        let (mut first, mut end) = (books.start, books.start);
        for bank in component.bank() {
            let day = self.bank.days[bank];
            while first < books.end && self.book.days[first] < day - self.window_days {
                first += 1;
            }
            end = end.max(first);
            while end < books.end && self.book.days[end] <= day + self.window_days {
                end += 1;
            }
            each(bank, first, end);
        }
    }

    fn fill(
        &self,
        component: &Component,
        texts: &Texts,
        evidence: &Evidence,
        names: Option<&Names>,
        reader: &mut Reader,
        windows: &mut Windows,
    ) -> Result<(), Stopped> {
        windows.columns = component.book().len();
        windows.first.clear();
        windows.starts.clear();
        windows.values.clear();
        windows.starts.push(0);
        let mut stopped = Ok(());
        self.for_windows(component, |bank, first, end| {
            if stopped.is_err() {
                return;
            }
            stopped = self.pace.spend((end - first) as u64 * 4);
            reader.load(evidence, texts, bank);
            for book in first..end {
                if names.is_some_and(|names| names.contradict(reader, evidence, texts, (bank, book), false)) {
                    windows.values.push(FORBIDDEN);
                    continue;
                }
                let lag = evidence.lag(texts, bank, book);
                windows.values.push(evidence.value(reader.text(evidence, texts, book), lag));
            }
            windows.first.push((first - component.book.0 as usize) as u32);
            windows.starts.push(windows.values.len() as u32);
        });
        stopped
    }
}

/// Pairs that beat every rival of both rows by [`CLEAR_MARGIN`].
fn add_clear(component: &Component, windows: &Windows, clear: &mut Vec<Pair>) {
    let rows = component.bank().len();
    // Best and second best value of each column, and the row of the best.
    let mut best_of_column = vec![(0_i32, 0_i32, NONE); windows.columns];
    for row in 0..rows {
        for (column, value) in windows.row(row) {
            let best = &mut best_of_column[column];
            if value > best.0 {
                *best = (value, best.0, row as u32);
            } else if value > best.1 {
                best.1 = value;
            }
        }
    }
    for row in 0..rows {
        let mut best = (0, 0, NONE);
        for (column, value) in windows.row(row) {
            if value > best.0 {
                best = (value, best.0, column as u32);
            } else if value > best.1 {
                best.1 = value;
            }
        }
        if best.2 == NONE {
            continue;
        }
        let column = best_of_column[best.2 as usize];
        let rival = best.1.max(column.1);
        if column.2 == row as u32 && best.0 - rival >= CLEAR_MARGIN {
            clear.push((component.bank.0 + row as u32, component.book.0 + best.2));
        }
    }
}

/// Keeps at most `most`, evenly spread.
fn thin(pairs: &mut Vec<Pair>, most: usize) {
    let all = pairs.len();
    if all > most {
        let mut at = 0;
        pairs.retain(|_| {
            at += 1;
            at * most / all != (at - 1) * most / all
        });
    }
}

/// The value of every legal pair, by submitted index, for comparison with an oracle.
#[cfg(test)]
pub(super) fn values(dataset: &Dataset, window_days: u32) -> Result<Vec<Vec<Option<i32>>>, Stopped> {
    let pace = Pace::new(&crate::domain::control::Unattended);
    let bank = Ordered::of(&dataset.bank, &pace)?;
    let book = Ordered::of(&dataset.book, &pace)?;
    let window_days = window_days as i32;
    let found = components(&bank, &book, window_days);
    let effort = Effort::default();
    let matcher = Matcher { bank: &bank, book: &book, window_days, effort, pace, rows_done: 0 };
    let texts = matcher.texts(dataset)?;
    let (evidence, names) = matcher.learn(&texts, &found)?;
    let is_only = |bank: usize| found.iter().any(|one| one.is_single_pair() && one.bank().contains(&bank));
    let mut reader = Reader::new(texts.vocabulary.len());
    let mut values = vec![vec![None; dataset.book.len()]; dataset.bank.len()];
    for i in 0..bank.rows.len() {
        reader.load(&evidence, &texts, i);
        for j in 0..book.rows.len() {
            let apart = (bank.days[i] - book.days[j]).abs();
            let is_legal = bank.pence[i] == book.pence[j] && apart <= window_days;
            if is_legal && !names.contradict(&reader, &evidence, &texts, (i, j), is_only(i)) {
                let text = reader.text(&evidence, &texts, j);
                let value = evidence.value(text, evidence.lag(&texts, i, j));
                values[bank.rows[i] as usize][book.rows[j] as usize] = Some(value);
            }
        }
    }
    Ok(values)
}
