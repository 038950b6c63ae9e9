//! Reconciliation: which bank lines and which book entries are the same event,
//! what is left over on each side, and whether the money agrees. Pure and
//! deterministic; the order of the submitted rows never changes which rows are paired.

mod accidents;
mod assignment;
mod bounded;
pub mod dataset;
mod evidence;
pub mod explain;
mod groups;
mod kin;
mod lag;
mod line_match;
mod matcher;
mod mentions;
mod names;
#[cfg(test)]
mod oracle;
mod ordered;
mod pace;
mod subset_sum;
mod tolerance;
pub mod verify;
mod words;

pub use dataset::{Dataset, DecodeError, Options, Rows};
pub use explain::Explanation;
pub use verify::Verification;

use super::control::{Control, Stopped};

/// What a run found; rows are named by their submitted index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    partner_of_bank: Vec<u32>,
    is_book_matched: Vec<bool>,
    verification: Verification,
    explanations: Vec<Explanation>,
}

impl Outcome {
    /// Matched bank row and book row, in the order of the bank rows.
    pub fn matched(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.partner_of_bank.len()).filter_map(|bank| Some((bank, self.partner(bank)?)))
    }

    /// Bank rows without a partner, in submitted order.
    pub fn missing_from_books(&self) -> impl Iterator<Item = usize> {
        (0..self.partner_of_bank.len()).filter(|&bank| self.partner(bank).is_none())
    }

    /// Book rows without a partner, in submitted order.
    pub fn remove_from_books(&self) -> impl Iterator<Item = usize> {
        let rows = self.is_book_matched.iter().enumerate();
        rows.filter_map(|(book, matched)| (!matched).then_some(book))
    }

    /// Whether and how the money agrees.
    pub fn verification(&self) -> &Verification {
        &self.verification
    }

    /// Bank rows when verified, otherwise nothing.
    pub fn credits_charged(&self) -> u64 {
        if !self.verification.is_verified {
            return 0;
        }
        u64::try_from(self.partner_of_bank.len()).unwrap_or(u64::MAX)
    }

    /// Why rows may have been left over; suggestions, never matches.
    pub fn explanations(&self) -> &[Explanation] {
        &self.explanations
    }

    fn partner(&self, bank: usize) -> Option<usize> {
        partner(&self.partner_of_bank, bank)
    }
}

/// Matches the two sides and checks the balance. Asks `control` for cancellation often
/// and tells it how many rows are done, up to all rows of both sides.
pub fn run(dataset: &Dataset, options: &Options, control: &dyn Control) -> Result<Outcome, Stopped> {
    let effort = matcher::Effort::default();
    let matcher::Matching { mut partner_of_bank, groups } =
        matcher::match_rows(dataset, options.window_days, effort, control)?;
    let left_open = tolerance::leave_worst_open(dataset, &mut partner_of_bank);
    let mut is_book_matched = vec![false; dataset.book.len()];
    for book in (0..partner_of_bank.len()).filter_map(|bank| partner(&partner_of_bank, bank)) {
        if let Some(matched) = is_book_matched.get_mut(book) {
            *matched = true;
        }
    }
    let is_matched = |book: usize| is_book_matched.get(book).copied().unwrap_or(false);
    let verification = verify::verify(dataset, |bank| partner(&partner_of_bank, bank), is_matched, &left_open);
    if control.is_cancelled() {
        return Err(Stopped);
    }
    let is_bank_matched = |bank: usize| partner(&partner_of_bank, bank).is_some();
    let known = explain::Known { groups: &groups, left_open: &left_open };
    let explanations = explain::explain(dataset, options.window_days, is_bank_matched, is_matched, &known, control)?;
    control.progress(dataset.rows());
    Ok(Outcome { partner_of_bank, is_book_matched, verification, explanations })
}

fn partner(partners: &[u32], bank: usize) -> Option<usize> {
    let &book = partners.get(bank)?;
    if book == assignment::NONE { None } else { usize::try_from(book).ok() }
}
