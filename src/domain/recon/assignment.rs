//! The exact maximum-value assignment of one sparse bipartite graph: which bank
//! row goes with which book row when every possible pair has a value.
//!
//! Shortest augmenting paths with potentials (Kuhn's method in the form of
//! Jonker and Volgenant, "A shortest augmenting path algorithm for dense and
//! sparse linear assignment problems", Computing 38, 1987; Dijkstra's search over
//! reduced costs). Every bank row may also stay alone at value 0. All values are
//! integers, so the optimum is exact and the same on every machine.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "hot kernel: rows and columns index vectors sized to the graph, and both are below 2^32"
)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::domain::control::{Control, Stopped};

/// The value of a pair that must not be, among values above 0.
pub(super) const FORBIDDEN: i32 = 0;

/// No partner.
pub(super) const NONE: u32 = u32::MAX;

/// Relaxations between two looks at the cancel flag: a few milliseconds.
const CHECK_EVERY: u64 = 1 << 18;

/// Rounds of augmenting row reduction; more leave hardly fewer rows to the searches.
const REDUCTIONS: usize = 2;

/// What settling a row costs beside its relaxations, mostly the heap.
const SETTLING: u64 = 8;

/// The possible pairs of bank rows (`rows`) and book rows (`columns`).
pub(super) trait Graph {
    fn rows(&self) -> usize;
    fn columns(&self) -> usize;
    /// The columns a row may take and what each pair is worth.
    fn row(&self, row: usize) -> impl Iterator<Item = (usize, i32)>;
    fn degree(&self, row: usize) -> usize;
}

/// Every row may take one run of neighbouring columns: rows and columns in date order.
#[derive(Debug, Default)]
pub(super) struct Windows {
    pub(super) columns: usize,
    /// First column of each row's run.
    pub(super) first: Vec<u32>,
    /// Where each row's values start in `values`, and the end.
    pub(super) starts: Vec<u32>,
    pub(super) values: Vec<i32>,
}

impl Graph for Windows {
    fn rows(&self) -> usize {
        self.first.len()
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn row(&self, row: usize) -> impl Iterator<Item = (usize, i32)> {
        let values = &self.values[self.starts[row] as usize..self.starts[row + 1] as usize];
        let first = self.first[row] as usize;
        let legal = values.iter().enumerate().filter(|(_, value)| **value != FORBIDDEN);
        legal.map(move |(offset, &value)| (first + offset, value))
    }

    fn degree(&self, row: usize) -> usize {
        (self.starts[row + 1] - self.starts[row]) as usize
    }
}

/// Every row may take its own few columns.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub(super) columns: usize,
    pub(super) starts: Vec<u32>,
    pub(super) pairs: Vec<(u32, i32)>,
}

impl Graph for Candidates {
    fn rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn row(&self, row: usize) -> impl Iterator<Item = (usize, i32)> {
        let pairs = &self.pairs[self.starts[row] as usize..self.starts[row + 1] as usize];
        pairs.iter().map(|&(column, value)| (column as usize, value))
    }

    fn degree(&self, row: usize) -> usize {
        (self.starts[row + 1] - self.starts[row]) as usize
    }
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Solved {
    /// [`Solver::partner_of_row`] is an optimum.
    Optimal,
    /// The budget ran out; what the solver holds is legal but not the optimum.
    OverBudget,
}

/// Buffers that are kept from one graph to the next.
#[derive(Debug, Default)]
pub(super) struct Solver {
    /// Column of each row, or [`NONE`].
    pub(super) partner_of_row: Vec<u32>,
    partner_of_column: Vec<u32>,
    row_price: Vec<i64>,
    column_price: Vec<i64>,
    distance: Vec<i64>,
    /// Row from which each column was reached.
    parent: Vec<u32>,
    /// Search in which `distance` and `parent` were written.
    reached_in: Vec<u32>,
    search: u32,
    heap: BinaryHeap<Reverse<(i64, u32)>>,
    /// Columns whose distance is final in this search, and the rows with their distances.
    settled_columns: Vec<u32>,
    settled_rows: Vec<(u32, i64)>,
    unchecked: u64,
}

impl Solver {
    /// Finds the assignment of greatest total value, spending at most `budget`
    /// relaxations; what was spent is taken off `budget`.
    pub(super) fn solve(
        &mut self,
        graph: &impl Graph,
        budget: &mut u64,
        control: &dyn Control,
    ) -> Result<Solved, Stopped> {
        self.reset(graph);
        ask(control)?;
        let mut waiting = self.start(graph);
        ask(control)?;
        for _ in 0..REDUCTIONS {
            waiting = self.reduce(graph, waiting);
            ask(control)?;
        }
        for root in waiting {
            let spent = self.augment(graph, root as usize);
            self.unchecked += spent;
            if self.unchecked >= CHECK_EVERY {
                self.unchecked = 0;
                ask(control)?;
            }
            if spent > *budget {
                *budget = 0;
                return Ok(Solved::OverBudget);
            }
            *budget -= spent;
        }
        Ok(Solved::Optimal)
    }

    fn reset(&mut self, graph: &impl Graph) {
        fn fill<T: Clone>(buffer: &mut Vec<T>, length: usize, value: T) {
            buffer.clear();
            buffer.resize(length, value);
        }
        fill(&mut self.partner_of_row, graph.rows(), NONE);
        fill(&mut self.row_price, graph.rows(), 0);
        fill(&mut self.partner_of_column, graph.columns(), NONE);
        fill(&mut self.column_price, graph.columns(), 0);
        fill(&mut self.distance, graph.columns(), 0);
        fill(&mut self.parent, graph.columns(), NONE);
        fill(&mut self.reached_in, graph.columns(), 0);
        self.search = 0;
    }

    /// Prices each row at its best pair and takes that pair where it is still free.
    fn start(&mut self, graph: &impl Graph) -> Vec<u32> {
        let mut waiting = Vec::new();
        for row in 0..graph.rows() {
            let mut best = (0_i32, None);
            for (column, value) in graph.row(row) {
                let free = self.partner_of_column[column] == NONE;
                let better = value > best.0;
                let as_good_and_free =
                    value == best.0 && free && best.1.is_some_and(|held: usize| self.partner_of_column[held] != NONE);
                if better || as_good_and_free {
                    best = (value, Some(column));
                }
            }
            let Some(column) = best.1 else { continue };
            self.row_price[row] = i64::from(best.0);
            if self.partner_of_column[column] == NONE {
                self.join(row, column);
            } else {
                waiting.push(row as u32);
            }
        }
        waiting
    }

    fn join(&mut self, row: usize, column: usize) {
        self.partner_of_row[row] = column as u32;
        self.partner_of_column[column] = row as u32;
    }

    /// Augmenting row reduction: a waiting row outbids the holder of its best column by
    /// what its second best would cost it. Cheap, and leaves few rows for the searches.
    fn reduce(&mut self, graph: &impl Graph, waiting: Vec<u32>) -> Vec<u32> {
        let mut steps = waiting.len() * 4;
        let mut left = Vec::new();
        for row in waiting {
            let mut current = row;
            loop {
                match self.bid(graph, current as usize) {
                    Bid::Settled => break,
                    Bid::Displaced { row, strictly: true } if steps > 0 => {
                        steps -= 1;
                        current = row;
                    }
                    Bid::Displaced { row, .. } | Bid::Lost { row } => {
                        left.push(row);
                        break;
                    }
                }
            }
        }
        left.sort_unstable();
        left
    }

    fn bid(&mut self, graph: &impl Graph, row: usize) -> Bid {
        let (mut best, mut second) = ((0_i64, NONE), (0_i64, NONE));
        for (column, value) in graph.row(row) {
            let gain = i64::from(value) - self.column_price[column];
            if gain > best.0 {
                second = best;
                best = (gain, column as u32);
            } else if gain > second.0 || (gain == second.0 && second.1 == NONE && gain > 0) {
                second = (gain, column as u32);
            }
        }
        self.row_price[row] = second.0.max(0);
        if best.1 == NONE {
            // Nothing is worth more than staying alone, and prices only rise.
            return Bid::Settled;
        }
        let strictly = best.0 > second.0;
        let mut column = best.1 as usize;
        if strictly {
            self.column_price[column] += best.0 - second.0;
        } else if self.partner_of_column[column] != NONE {
            column = second.1 as usize;
            if self.partner_of_column[column] != NONE {
                return Bid::Lost { row: row as u32 };
            }
        }
        let holder = self.partner_of_column[column];
        if holder != NONE {
            self.partner_of_row[holder as usize] = NONE;
        }
        self.join(row, column);
        if holder == NONE { Bid::Settled } else { Bid::Displaced { row: holder, strictly } }
    }

    /// One Dijkstra search from a row without partner. It ends at the nearest free column,
    /// or at the row for which giving its partner up costs least. Returns the relaxations spent.
    fn augment(&mut self, graph: &impl Graph, root: usize) -> u64 {
        self.search += 1;
        self.heap.clear();
        self.settled_columns.clear();
        self.settled_rows.clear();
        let mut spent = 0;
        let mut end = (i64::MAX, End::Alone(root));
        let (mut row, mut row_distance) = (root, 0);
        loop {
            self.settled_rows.push((row as u32, row_distance));
            let alone = row_distance + self.row_price[row];
            if alone < end.0 {
                end = (alone, End::Alone(row));
            }
            let base = row_distance + self.row_price[row];
            for (column, value) in graph.row(row) {
                let distance = base + self.column_price[column] - i64::from(value);
                let known = self.reached_in[column] == self.search;
                if distance >= end.0 || (known && self.distance[column] <= distance) {
                    continue;
                }
                self.reached_in[column] = self.search;
                self.distance[column] = distance;
                self.parent[column] = row as u32;
                if self.partner_of_column[column] == NONE {
                    end = (distance, End::Column(column));
                } else {
                    self.heap.push(Reverse((distance, column as u32)));
                }
            }
            spent += graph.degree(row) as u64 + SETTLING;
            let Some(column) = self.nearest(end.0) else { break };
            self.settled_columns.push(column);
            row = self.partner_of_column[column as usize] as usize;
            row_distance = self.distance[column as usize];
        }
        self.reprice(end.0);
        self.flip(root, end.1);
        spent
    }

    fn nearest(&mut self, limit: i64) -> Option<u32> {
        while let Some(Reverse((distance, column))) = self.heap.pop() {
            if distance >= limit {
                return None;
            }
            // A shorter way to the column was pushed later and popped earlier.
            if distance == self.distance[column as usize] {
                return Some(column);
            }
        }
        None
    }

    fn reprice(&mut self, reached: i64) {
        for &(row, distance) in &self.settled_rows {
            self.row_price[row as usize] -= reached - distance;
        }
        for &column in &self.settled_columns {
            self.column_price[column as usize] += reached - self.distance[column as usize];
        }
    }

    fn flip(&mut self, root: usize, end: End) {
        let mut column = match end {
            End::Column(column) => column as u32,
            End::Alone(row) => std::mem::replace(&mut self.partner_of_row[row], NONE),
        };
        if matches!(end, End::Alone(row) if row == root) {
            return;
        }
        loop {
            let row = self.parent[column as usize] as usize;
            let given_up = self.partner_of_row[row];
            self.join(row, column as usize);
            if row == root {
                return;
            }
            column = given_up;
        }
    }
}

fn ask(control: &dyn Control) -> Result<(), Stopped> {
    if control.is_cancelled() { Err(Stopped) } else { Ok(()) }
}

#[derive(Clone, Copy)]
enum End {
    /// The path ends at a free column.
    Column(usize),
    /// The path ends at a row that gives up its partner, or at the root itself.
    Alone(usize),
}

enum Bid {
    /// The row has its column, or is better off alone.
    Settled,
    /// The row has its column and another row lost it.
    Displaced { row: u32, strictly: bool },
    /// Two columns are equally good and both are taken.
    Lost { row: u32 },
}
