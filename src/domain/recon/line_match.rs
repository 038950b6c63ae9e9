//! Pairing by dates alone, exactly and in near-linear time: most pairs first, then
//! fewest days in total. Used where a tie block is too large to weigh every text.
//!
//! On a line an optimum need not cross, so only the rows to skip are open. The
//! Dulmage–Mendelsohn decomposition ("Coverings of bipartite graphs", Canadian
//! Journal of Mathematics 10, 1958) says which rows every maximum matching uses;
//! which of the surplus rows are used is a convex piecewise-linear recurrence over
//! the days, kept as its breakpoints ("slope trick").

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "hot kernel: every index comes from the two slices passed in, which hold fewer than 2^32 rows"
)]

use std::collections::BTreeMap;

use super::assignment::NONE;

/// A slope that no finite cost outweighs.
const STEEP: i64 = 1 << 50;

/// Pairs rows of two ascending day lists that are at most `window_days` apart; returns
/// the place in `book` of every row of `bank`.
pub(super) fn line_match(bank: &[i32], book: &[i32], window_days: i32) -> Vec<u32> {
    let matching = Matching::two_pointers(bank, book, window_days);
    let bank_surplus = matching.reach_from_bank(bank, book, window_days);
    let book_surplus = matching.turned().reach_from_bank(book, bank, window_days);
    let mut parts: [[Vec<u32>; 2]; 3] = Default::default();
    for row in 0..bank.len() {
        let part = if bank_surplus.0[row] {
            0
        } else if book_surplus.1[row] {
            1
        } else {
            2
        };
        if part != 2 || matching.book_of[row] != NONE {
            parts[part][0].push(row as u32);
        }
    }
    for row in 0..book.len() {
        let part = if bank_surplus.1[row] {
            0
        } else if book_surplus.0[row] {
            1
        } else {
            2
        };
        if part != 2 || matching.bank_of[row] != NONE {
            parts[part][1].push(row as u32);
        }
    }
    let [[loose_bank, needed_book], [needed_bank, loose_book], even] = parts;
    let mut partners = vec![NONE; bank.len()];
    let chosen = choose(book, &needed_book, bank, &loose_bank, window_days);
    zip(&mut partners, &chosen, &needed_book);
    let chosen = choose(bank, &needed_bank, book, &loose_book, window_days);
    zip(&mut partners, &needed_bank, &chosen);
    zip(&mut partners, &even[0], &even[1]);
    partners
}

fn zip(partners: &mut [u32], bank: &[u32], book: &[u32]) {
    debug_assert_eq!(bank.len(), book.len());
    for (&bank, &book) in bank.iter().zip(book) {
        partners[bank as usize] = book;
    }
}

/// Some maximum matching.
struct Matching {
    book_of: Vec<u32>,
    bank_of: Vec<u32>,
}

impl Matching {
    /// Pairs the two earliest rows when they may be paired, else drops the earlier: maximum on a line.
    fn two_pointers(bank: &[i32], book: &[i32], window_days: i32) -> Self {
        let mut matching = Self { book_of: vec![NONE; bank.len()], bank_of: vec![NONE; book.len()] };
        let (mut i, mut j) = (0, 0);
        while i < bank.len() && j < book.len() {
            if (bank[i] - book[j]).abs() <= window_days {
                matching.book_of[i] = j as u32;
                matching.bank_of[j] = i as u32;
                i += 1;
                j += 1;
            } else if bank[i] < book[j] {
                i += 1;
            } else {
                j += 1;
            }
        }
        matching
    }

    fn turned(&self) -> Self {
        Self { book_of: self.bank_of.clone(), bank_of: self.book_of.clone() }
    }

    /// Rows on alternating paths from the free bank rows: bank rows, then book rows.
    fn reach_from_bank(&self, bank: &[i32], book: &[i32], window_days: i32) -> (Vec<bool>, Vec<bool>) {
        let mut reached_bank = vec![false; bank.len()];
        let mut reached_book = vec![false; book.len()];
        // Union-find over the book rows: the next one not reached yet.
        let mut next: Vec<u32> = (0..=book.len() as u32).collect();
        let mut open: Vec<u32> = (0..bank.len() as u32).filter(|&row| self.book_of[row as usize] == NONE).collect();
        while let Some(row) = open.pop() {
            reached_bank[row as usize] = true;
            let day = bank[row as usize];
            let first = book.partition_point(|&other| other < day - window_days);
            let mut column = find(&mut next, first);
            while column < book.len() && book[column] <= day + window_days {
                reached_book[column] = true;
                next[column] = column as u32 + 1;
                let holder = self.bank_of[column];
                // A free column here would lengthen a matching that is already maximum.
                debug_assert_ne!(holder, NONE);
                if holder != NONE && !reached_bank[holder as usize] {
                    open.push(holder);
                }
                column = find(&mut next, column);
            }
        }
        (reached_bank, reached_book)
    }
}

fn find(next: &mut [u32], from: usize) -> usize {
    let mut root = from;
    while next[root] as usize != root {
        root = next[root] as usize;
    }
    let mut at = from;
    while next[at] as usize != root && at != root {
        at = std::mem::replace(&mut next[at], root as u32) as usize;
    }
    root
}

/// Chooses as many rows of the surplus side as the needed side has, so that pairing both in
/// order is legal and costs the fewest days. Rows are places in their day lists, ascending.
fn choose(needed_days: &[i32], needed: &[u32], loose_days: &[i32], loose: &[u32], window_days: i32) -> Vec<u32> {
    if needed.len() == loose.len() {
        return loose.to_vec();
    }
    let needed: Vec<i32> = needed.iter().map(|&row| needed_days[row as usize]).collect();
    let day_of = |row: u32| loose_days[row as usize];
    let mut days: Vec<i32> = needed.iter().copied().chain(loose.iter().map(|&row| day_of(row))).collect();
    days.sort_unstable();
    days.dedup();
    let mut cost = Cost::new();
    // Per day: needed rows, loose rows, and the left end of the cheapest balances before it.
    let mut steps: Vec<(i64, i64, i64)> = Vec::with_capacity(days.len());
    let mut next_loose = 0;
    for (at, &day) in days.iter().enumerate() {
        let before = |limit: i32| needed.partition_point(|&other| other < limit);
        let (from, to) = (before(day), before(day + 1));
        let first_loose = next_loose;
        while next_loose < loose.len() && day_of(loose[next_loose]) == day {
            next_loose += 1;
        }
        let (needs, offers) = ((to - from) as i64, (next_loose - first_loose) as i64);
        steps.push((needs, offers, cost.cheapest()));
        cost.step(needs, offers);
        match days.get(at + 1) {
            Some(&next) => {
                // Open needed rows must still be reachable on the last day before the next one,
                // and borrowed partners must be reachable today.
                let high = (to - before(next - window_days)) as i64;
                let low = (before(day + window_days + 1) - to) as i64;
                cost.cut(-low, high.max(0));
                cost.carry(i64::from(next - day));
            }
            None => cost.cut(0, 0),
        }
    }
    let mut chosen = Vec::with_capacity(needed.len());
    let mut balance = 0;
    let mut end = loose.len();
    for &(needs, offers, cheapest) in steps.iter().rev() {
        let base = balance - needs;
        let taken = if base >= cheapest { 0 } else { offers.min(cheapest - base) };
        balance = base + taken;
        let start = end - offers as usize;
        chosen.extend(loose[start..start + taken as usize].iter().rev());
        end = start;
    }
    chosen.reverse();
    chosen
}

/// Least cost so far as a convex function of the balance: needed rows still open, or below
/// zero loose rows taken in advance. Kept as the places where its slope changes.
struct Cost {
    /// Slope changes left and right of the cheapest balances, by place less the shift.
    left: BTreeMap<i64, i64>,
    right: BTreeMap<i64, i64>,
    left_shift: i64,
    right_shift: i64,
}

impl Cost {
    /// Only the balance 0 is possible.
    fn new() -> Self {
        Self { left: BTreeMap::from([(0, STEEP)]), right: BTreeMap::from([(0, STEEP)]), left_shift: 0, right_shift: 0 }
    }

    /// The smallest of the cheapest balances.
    fn cheapest(&self) -> i64 {
        self.left.last_key_value().map_or(0, |(place, _)| place + self.left_shift)
    }

    /// A day brings needed rows, and loose rows of which any number may be taken.
    fn step(&mut self, needs: i64, offers: i64) {
        self.left_shift += needs - offers;
        self.right_shift += needs;
    }

    /// Balances outside the bounds become impossible.
    fn cut(&mut self, low: i64, high: i64) {
        let (left_high, right_high) = (high - self.left_shift, high - self.right_shift);
        let beyond = self.left.split_off(&(left_high + 1));
        add(&mut self.left, left_high, beyond.into_values().sum());
        self.right.split_off(&right_high);
        self.right.insert(right_high, STEEP);
        let (left_low, right_low) = (low - self.left_shift, low - self.right_shift);
        let kept = self.right.split_off(&right_low);
        let below = std::mem::replace(&mut self.right, kept);
        add(&mut self.right, right_low, below.into_values().sum());
        self.left = self.left.split_off(&(left_low + 1));
        self.left.insert(left_low, STEEP);
    }

    /// Every open row costs one for each day of the gap.
    fn carry(&mut self, gap: i64) {
        add(&mut self.left, -self.left_shift, gap);
        self.move_right(gap);
        add(&mut self.right, -self.right_shift, gap);
        self.move_left(gap);
    }

    fn move_right(&mut self, mut slope: i64) {
        while slope > 0 {
            let Some(mut last) = self.left.last_entry() else { return };
            let moved = slope.min(*last.get());
            let place = last.key() + self.left_shift - self.right_shift;
            // The steep ends stay where they are however much is taken off them.
            if *last.get() < STEEP / 2 {
                *last.get_mut() -= moved;
            }
            if *last.get() == 0 {
                last.remove();
            }
            add(&mut self.right, place, moved);
            slope -= moved;
        }
    }

    fn move_left(&mut self, mut slope: i64) {
        while slope > 0 {
            let Some(mut first) = self.right.first_entry() else { return };
            let moved = slope.min(*first.get());
            let place = first.key() + self.right_shift - self.left_shift;
            if *first.get() < STEEP / 2 {
                *first.get_mut() -= moved;
            }
            if *first.get() == 0 {
                first.remove();
            }
            add(&mut self.left, place, moved);
            slope -= moved;
        }
    }
}

fn add(slopes: &mut BTreeMap<i64, i64>, place: i64, slope: i64) {
    if slope > 0 {
        let held = slopes.entry(place).or_insert(0);
        *held = (*held + slope).min(STEEP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Most pairs, then fewest days, by trying everything that does not cross.
    fn oracle(bank: &[i32], book: &[i32], window_days: i32) -> (usize, i32) {
        let mut best = vec![vec![(0_usize, 0_i32); book.len() + 1]; bank.len() + 1];
        for i in 1..=bank.len() {
            for j in 1..=book.len() {
                let days = (bank[i - 1] - book[j - 1]).abs();
                let mut options = vec![best[i - 1][j], best[i][j - 1]];
                if days <= window_days {
                    let (pairs, total) = best[i - 1][j - 1];
                    options.push((pairs + 1, total + days));
                }
                options.sort_by_key(|&(pairs, days)| (std::cmp::Reverse(pairs), days));
                best[i][j] = options[0];
            }
        }
        best[bank.len()][book.len()]
    }

    #[test]
    fn most_pairs_then_fewest_days() {
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for case in 0..30_000 {
            let window_days = random(if case % 3 == 0 { 4 } else { 31 }) as i32;
            let span = 1 + random(60);
            let (rows_bank, rows_book) = (random(14), random(14));
            let mut days = |rows: u64| {
                let mut days: Vec<i32> = (0..rows).map(|_| random(span) as i32).collect();
                days.sort_unstable();
                days
            };
            let (bank, book) = (days(rows_bank), days(rows_book));
            let partners = line_match(&bank, &book, window_days);
            let mut used = vec![false; book.len()];
            let (mut pairs, mut total) = (0, 0);
            for (row, &partner) in partners.iter().enumerate() {
                if partner == NONE {
                    continue;
                }
                assert!(!std::mem::replace(&mut used[partner as usize], true));
                let apart = (bank[row] - book[partner as usize]).abs();
                assert!(apart <= window_days);
                pairs += 1;
                total += apart;
            }
            let wanted = oracle(&bank, &book, window_days);
            assert_eq!((pairs, total), wanted, "W={window_days} {bank:?} {book:?}");
        }
    }
}
