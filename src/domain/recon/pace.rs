//! Asks for cancellation every so often inside long loops, without a clock.

use std::cell::Cell;

use crate::domain::control::{Control, Stopped};

/// Work between two questions: about a millisecond.
const ASK_EVERY: u64 = 1 << 18;

/// A [`Control`] with a counter of work in front of it.
pub(super) struct Pace<'a> {
    pub(super) control: &'a dyn Control,
    work: Cell<u64>,
}

impl<'a> Pace<'a> {
    pub(super) fn new(control: &'a dyn Control) -> Self {
        Self { control, work: Cell::new(0) }
    }

    /// Counts work in units of a few nanoseconds and stops when the caller has left.
    pub(super) fn spend(&self, work: u64) -> Result<(), Stopped> {
        let total = self.work.get() + work;
        if total < ASK_EVERY {
            self.work.set(total);
            return Ok(());
        }
        self.work.set(0);
        self.check()
    }

    /// Asks at once.
    pub(super) fn check(&self) -> Result<(), Stopped> {
        if self.control.is_cancelled() { Err(Stopped) } else { Ok(()) }
    }
}
