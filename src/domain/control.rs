//! How a long computation reports progress and learns that it should stop.

/// The outside of a running computation, as the computation sees it.
pub trait Control {
    /// Whether the computation should stop as soon as it can.
    fn is_cancelled(&self) -> bool;
    /// Reports rows done so far; never falls.
    fn progress(&self, rows_done: u64);
}

/// The computation was told to stop and has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// A control that never stops anything and ignores progress.
pub struct Uncontrolled;

impl Control for Uncontrolled {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn progress(&self, _rows_done: u64) {}
}
