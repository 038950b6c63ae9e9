//! Pairs of one amount and of contradicting names: whether the file shows that they are slips of a clerk rather than chance.
//!
//! Two payments of different people have one amount by chance about as often as amounts like it are frequent near by. A file
//! with many more such pairs than that has clerks who enter the wrong customer, and then a pair whose amount is hardly met by
//! chance is one payment under two names. A single such pair shows nothing (`docs/adr/0013`).

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::cast_precision_loss,
    reason = "places are positions in the sorted rows they came from; counts of rows and pence near an amount are below 2^52"
)]

use crate::domain::control::Stopped;

use super::evidence::Pair;
use super::ordered::Ordered;
use super::pace::Pace;

/// Chance of two payments above which a pair stays apart.
const TOO_LIKELY: f64 = 0.4;

/// Amounts up to this part of an amount away are like it.
const LIKE: i128 = 10;

/// Amounts up to this many pence away are like it, too.
const LIKE_PENCE: i128 = 100;

/// Pence of which a round sum is a multiple.
const ROUND: i128 = 1000;

/// Amounts that leave the same by one of these are met more often than others: prices end in 99, sums are round.
const STEPS: [i128; 3] = [1, 100, ROUND];

/// Amounts in the order in which those like another are counted: for each of [`STEPS`] what it leaves of them, and themselves.
struct Amounts([Vec<(i128, i128)>; 3]);

impl Amounts {
    fn of(pence: impl Iterator<Item = i128> + Clone, pace: &Pace<'_>) -> Result<Self, Stopped> {
        let mut by_step = [const { Vec::new() }; 3];
        for (amounts, step) in by_step.iter_mut().zip(STEPS) {
            *amounts = pence.clone().map(|pence| (pence.rem_euclid(step), pence)).collect();
            pace.spend(amounts.len() as u64 * 8)?;
            amounts.sort_unstable();
        }
        pace.check()?;
        Ok(Self(by_step))
    }

    /// Rows that are expected to have exactly this amount, judged by how many others are like it, and how many of these leave
    /// the same by a step.
    fn expected(&self, pence: i128) -> f64 {
        let reach = (pence.abs() / LIKE).max(LIKE_PENCE);
        let mut most = 0.0_f64;
        for (amounts, step) in self.0.iter().zip(STEPS) {
            let left = pence.rem_euclid(step);
            if step == ROUND && left != 0 {
                continue;
            }
            let before = |amount: i128| amounts.partition_point(|other| *other < (left, amount));
            let near = before(pence + reach + 1) - before(pence - reach);
            let same = before(pence + 1) - before(pence);
            most = most.max((near - same) as f64 * step as f64 / (2 * reach + 1) as f64);
        }
        most
    }
}

/// The rows of one side, and those of them without a partner.
struct Rows {
    all: Amounts,
    open: Amounts,
    open_share: f64,
}

impl Rows {
    fn of(side: &Ordered, is_open: &[bool], pace: &Pace<'_>) -> Result<Self, Stopped> {
        let open = side.pence.iter().zip(is_open).filter(|(_, is_open)| **is_open).map(|(pence, _)| *pence);
        let open_share = open.clone().count() as f64 / is_open.len() as f64;
        Ok(Self { all: Amounts::of(side.pence.iter().copied(), pace)?, open: Amounts::of(open, pace)?, open_share })
    }

    /// Open rows that are expected to have exactly this amount; as few are open, what all rows say counts, too.
    fn expected(&self, pence: i128) -> f64 {
        self.open.expected(pence).max(self.all.expected(pence) * self.open_share)
    }

    /// Share of the rows with amounts like this that are open.
    fn open_share_near(&self, pence: i128) -> f64 {
        let all = self.all.expected(pence);
        if all > 0.0 { (self.expected(pence) / all).min(1.0) } else { self.open_share }
    }
}

/// Of `contested` pairs, which are each other's only candidate and whose names contradict each other, those that are one
/// payment. `sole_pairs` counts all pairs that are each other's only candidate; the rows of contested pairs are open.
pub(super) fn slips(
    (bank, bank_is_open): (&Ordered, &[bool]),
    (book, book_is_open): (&Ordered, &[bool]),
    window_days: i32,
    contested: &[Pair],
    sole_pairs: usize,
    pace: &Pace<'_>,
) -> Result<Vec<Pair>, Stopped> {
    if contested.len() < 2 {
        return Ok(Vec::new());
    }
    let (banks, books) = (Rows::of(bank, bank_is_open, pace)?, Rows::of(book, book_is_open, pace)?);
    let days = || bank.days.iter().chain(&book.days).copied();
    let (first, last) = (days().min().unwrap_or_default(), days().max().unwrap_or_default());
    let window_share = (2.0 * f64::from(window_days) + 1.0) / (f64::from(last) - f64::from(first) + 1.0);
    let expected = |row: usize| books.expected(bank.pence[row]) * window_share.min(1.0);
    let mut by_chance = 0.0;
    for row in (0..bank_is_open.len()).filter(|&row| bank_is_open[row]) {
        pace.spend(128)?;
        by_chance += expected(row);
    }
    // One of them may be the accident that the estimate misses.
    let slips = (contested.len() as f64 - 1.0 - by_chance).max(0.0) / sole_pairs as f64;
    let is_slip = |&&(row, _): &&Pair| {
        let accidents = banks.open_share_near(bank.pence[row as usize]) * expected(row as usize);
        accidents <= TOO_LIKELY * (accidents + slips)
    };
    Ok(contested.iter().filter(is_slip).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::super::{Dataset, Options, Rows, run};
    use crate::domain::control::Unattended;
    use crate::domain::date::Date;

    const PAYEES: [&str; 10] =
        ["Abdon", "Bewley", "Corfe", "Dunkery", "Elmstead", "Fowey", "Glynde", "Harcombe", "Ingram", "Jolyon"];

    /// Contested pairs that stay open, of a year with two hundred pairs of shared names and `slips` of contradicting ones.
    fn stay_open(slips: usize) -> usize {
        let amount = |at: usize| format!("{}.{:02}", 40 + at * 37 % 900, at * 7 % 100);
        let (mut bank, mut book) = (Rows::default(), Rows::default());
        let day = |at: usize| Date::numbered(19_000 + i32::try_from(at * 9 % 365).unwrap());
        for at in 0..200 {
            let payee = PAYEES[at % PAYEES.len()];
            assert!(bank.push(day(at), &amount(at), &payee.to_uppercase()));
            assert!(book.push(day(at), &amount(at), &format!("{payee} Ltd")));
        }
        for at in 200..200 + slips {
            let (paid, entered) = (PAYEES[at % PAYEES.len()], PAYEES[(at + 3) % PAYEES.len()]);
            assert!(bank.push(day(at), &amount(at), &paid.to_uppercase()));
            assert!(book.push(day(at), &amount(at), &format!("{entered} Ltd")));
        }
        // Rows that are open on either side without a slip.
        for at in 300..310 {
            assert!(bank.push(day(at), &format!("{}.11", 5_000 + at), "Kerridge"));
            assert!(book.push(day(at), &format!("{}.12", 7_000 + at), "Lavant Ltd"));
        }
        let dataset = Dataset { bank, book };
        let options = Options { window_days: 3, include_matched: false };
        run(&dataset, &options, &Unattended).unwrap().missing_from_books().count() - 10
    }

    #[test]
    fn clerks_who_often_enter_the_wrong_customer_are_believed_and_one_is_not() {
        assert_eq!(stay_open(1), 1);
        assert_eq!(stay_open(6), 0);
    }

    #[test]
    fn round_sums_of_different_people_in_a_busy_month_stay_apart() {
        let (mut bank, mut book) = (Rows::default(), Rows::default());
        let day = |at: usize, step: usize| Date::numbered(19_000 + i32::try_from(at * step % 60).unwrap());
        for at in 0..1_000 {
            let (amount, payee) = (format!("{}.{:02}", 600 + at, at % 99), PAYEES[at % PAYEES.len()]);
            assert!(bank.push(day(at, 7), &amount, &payee.to_uppercase()));
            assert!(book.push(day(at, 7), &amount, &format!("{payee} Ltd")));
        }
        // Every eleventh pair or so of these rows is of one amount and lies within three days.
        for at in 0..100 {
            let payee = |at: usize| PAYEES[at % PAYEES.len()];
            assert!(bank.push(day(at, 7), &format!("{}.00", 100 + at * 13 % 97), &payee(at).to_uppercase()));
            assert!(book.push(day(at, 11), &format!("{}.00", 100 + at * 19 % 97), &format!("{} Ltd", payee(at + 3))));
        }
        let dataset = Dataset { bank, book };
        let options = Options { window_days: 3, include_matched: false };
        assert_eq!(run(&dataset, &options, &Unattended).unwrap().missing_from_books().count(), 100);
    }
}
