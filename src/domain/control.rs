//! How a long computation learns that its answer is no longer wanted, and how
//! it tells how far it has come. No engine knows who is on the other side.

/// The caller's side of a running computation.
pub trait Control {
    /// True once the answer is no longer wanted; engines ask at least every 50 ms.
    fn is_cancelled(&self) -> bool;
    /// Rows finished so far; never falls, and ends at the number of rows submitted.
    fn progress(&self, rows_done: u64);
}

/// A [`Control`] that never cancels and forgets progress, for tests and benches.
#[derive(Debug, Default, Clone, Copy)]
pub struct Unattended;

impl Control for Unattended {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn progress(&self, _rows_done: u64) {}
}

/// A [`Control`] that says stop at the question that so many others come before, for tests.
#[cfg(test)]
#[derive(Debug)]
pub struct StopsAfter(pub std::cell::Cell<usize>);

#[cfg(test)]
impl Control for StopsAfter {
    fn is_cancelled(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left == 0
    }

    fn progress(&self, _rows_done: u64) {}
}

/// The computation ended because [`Control::is_cancelled`] returned true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

impl std::fmt::Display for Stopped {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("the run was cancelled")
    }
}

impl std::error::Error for Stopped {}
