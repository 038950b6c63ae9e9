//! Reconciliation: which bank lines and which book entries are the same event,
//! what is left over on each side, and whether the money agrees. Pure and
//! deterministic; the order of the submitted rows never changes which rows are paired.

mod assignment;
pub mod amount;
pub mod dataset;
pub mod date;
mod evidence;
mod matcher;
mod words;

pub use dataset::{Dataset, Options, Rows};

use super::control::{Control, Stopped};

/// What a run found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    partners: Vec<u32>,
}

impl Outcome {
    /// Matched bank row and book row, by submitted index, in the order of the bank rows.
    pub fn matched(&self) -> impl Iterator<Item = (usize, usize)> {
        self.partners.iter().enumerate().filter_map(|(bank, &book)| {
            let book = (book != assignment::NONE).then_some(book)?;
            Some((bank, usize::try_from(book).ok()?))
        })
    }
}

/// Matches the two sides.
pub fn run(
    dataset: &Dataset,
    options: &Options,
    control: &dyn Control,
) -> Result<Outcome, Stopped> {
    let effort = matcher::Effort::default();
    let partners = matcher::match_rows(dataset, options.window_days, effort, control)?;
    Ok(Outcome { partners })
}
