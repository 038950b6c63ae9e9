//! What is allowed, as messages about a body say it.

use std::fmt;
use std::ops::RangeInclusive;

/// How many rows a list may have.
pub(super) struct Rows<'r>(pub(super) &'r RangeInclusive<u64>);

impl fmt::Display for Rows<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.start() {
            0 => write!(formatter, "at most {} rows", self.0.end()),
            start => write!(formatter, "{start} to {} rows", self.0.end()),
        }
    }
}

/// How many characters text may have.
pub(super) struct Characters<'r>(pub(super) &'r RangeInclusive<usize>);

impl fmt::Display for Characters<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.start() {
            0 => write!(formatter, "at most {} characters", self.0.end()),
            start => write!(formatter, "{start} to {} characters", self.0.end()),
        }
    }
}

/// `a, b and c`.
pub(super) struct Listed<'n>(pub(super) &'n [&'static str]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.0.len().saturating_sub(1);
        for (at, name) in self.0.iter().enumerate() {
            let before = match at {
                0 => "",
                at if at == last => " and ",
                _ => ", ",
            };
            write!(formatter, "{before}{name}")?;
        }
        Ok(())
    }
}
