//! Does the money agree? Totals of what was submitted against totals of what was
//! left over, exact to 10⁻¹² of a unit. It knows nothing about how rows were paired.

use super::dataset::Dataset;
use super::tolerance::PairOfRows;
use crate::domain::amount::{UNITS_PER_PENNY, UNITS_PER_WHOLE, money, plain_decimal};

/// The balance of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// True when the two figures below are less than a penny apart.
    pub is_verified: bool,
    /// Total bank minus total book, in 10⁻¹² units.
    pub expected_net_discrepancy: i128,
    /// Unmatched bank minus unmatched book, in 10⁻¹² units.
    pub actual_net_effect: i128,
    /// The same for people.
    pub reason: String,
}

/// Totals that the sentences are made of.
#[derive(Debug, Default)]
struct Totals {
    bank: i128,
    book: i128,
    missing: i128,
    remove: i128,
    missing_rows: usize,
    remove_rows: usize,
    matched: usize,
    /// Matched pairs whose amounts differ by a fraction of a penny.
    uneven_pairs: usize,
    /// Matched book rows and bank rows finer than a penny, by submitted index.
    fine_book: Vec<usize>,
    fine_bank: Vec<usize>,
}

/// Checks the balance; `partner_of_bank` is the book row of every bank row, `left_open` the pairs that were taken apart so
/// that the others balance.
pub(super) fn verify(
    dataset: &Dataset,
    partner_of_bank: impl Fn(usize) -> Option<usize>,
    is_book_matched: impl Fn(usize) -> bool,
    left_open: &[PairOfRows],
) -> Verification {
    let mut totals = Totals::default();
    for row in 0..dataset.bank.len() {
        let units = dataset.bank.units(row);
        totals.bank += units;
        match partner_of_bank(row) {
            None => {
                totals.missing += units;
                totals.missing_rows += 1;
            }
            Some(partner) => {
                totals.matched += 1;
                totals.uneven_pairs += usize::from(units != dataset.book.units(partner));
                if !is_whole_pence(units) {
                    totals.fine_bank.push(row);
                }
            }
        }
    }
    for row in 0..dataset.book.len() {
        let units = dataset.book.units(row);
        totals.book += units;
        if !is_book_matched(row) {
            totals.remove += units;
            totals.remove_rows += 1;
        } else if !is_whole_pence(units) {
            totals.fine_book.push(row);
        }
    }
    let expected = totals.bank - totals.book;
    let actual = totals.missing - totals.remove;
    let is_verified = (expected - actual).abs() < UNITS_PER_PENNY;
    let reason = if is_verified {
        verified_reason(dataset, &totals, expected, left_open)
    } else {
        unverified_reason(&totals, expected - actual)
    };
    Verification { is_verified, expected_net_discrepancy: expected, actual_net_effect: actual, reason }
}

fn is_whole_pence(units: i128) -> bool {
    units % UNITS_PER_PENNY == 0
}

fn verified_reason(dataset: &Dataset, totals: &Totals, expected: i128, left_open: &[PairOfRows]) -> String {
    if dataset.bank.is_empty() && dataset.book.is_empty() {
        return "Verified: both datasets are empty.".to_owned();
    }
    if totals.missing_rows == 0 && totals.remove_rows == 0 {
        return format!("Verified: all {} matched; nothing is left over.", pairs(totals.matched));
    }
    format!(
        "Verified: {} matched; {}, {}, not in the books; {}, {}, not at the bank; the difference of {} agrees.",
        pairs(totals.matched),
        count(totals.missing_rows, "bank row"),
        money(totals.missing),
        count(totals.remove_rows, "book row"),
        money(totals.remove),
        money(expected),
    ) + &left_open_reason(left_open)
}

/// Names the pairs that were left open for their fractions of a penny.
fn left_open_reason(left_open: &[PairOfRows]) -> String {
    if left_open.is_empty() {
        return String::new();
    }
    let (bank, mut book): (Vec<usize>, Vec<usize>) = left_open.iter().copied().unzip();
    book.sort_unstable();
    format!(
        " Among these are {} that {} to the penny and were left open because of fractions of a penny: bank rows {}, book \
         rows {}.",
        pairs(left_open.len()),
        if left_open.len() == 1 { "agrees" } else { "agree" },
        ranges(&bank),
        ranges(&book),
    )
}

fn unverified_reason(totals: &Totals, residue: i128) -> String {
    let matched = if totals.missing_rows == 0 && totals.remove_rows == 0 {
        format!("all {} rows match to the penny, but ", totals.matched)
    } else {
        format!("{} to the penny, but ", verb(totals.matched, "pair matches", "pairs match"))
    };
    let mut finer = Vec::new();
    if !totals.fine_book.is_empty() {
        finer.push(format!("book rows {}", ranges(&totals.fine_book)));
    }
    if !totals.fine_bank.is_empty() {
        finer.push(format!("bank rows {}", ranges(&totals.fine_bank)));
    }
    format!(
        "Not verified: {matched}{} by fractions of a penny, {} in total ({} carry more than 2 decimals). \
         Round them and submit again; no credits were charged.",
        verb(totals.uneven_pairs, "matched pair differs", "matched pairs differ"),
        plain_decimal(residue),
        finer.join(" and "),
    )
}

fn pairs(number: usize) -> String {
    count(number, "pair")
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn verb(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// `0-11, 14` and at most ten such ranges.
fn ranges(rows: &[usize]) -> String {
    const LISTED: usize = 10;
    let mut parts: Vec<String> = Vec::new();
    let mut runs = rows.chunk_by(|left, right| left + 1 == *right);
    for run in runs.by_ref().take(LISTED) {
        if let (Some(first), Some(last)) = (run.first(), run.last()) {
            parts.push(if first == last { format!("{first}") } else { format!("{first}-{last}") });
        }
    }
    let rest: usize = runs.map(<[usize]>::len).sum();
    if rest > 0 {
        parts.push(format!("and {rest} more"));
    }
    parts.join(", ")
}

const _: () = assert!(UNITS_PER_WHOLE == UNITS_PER_PENNY * 100);

#[cfg(test)]
mod tests {
    use super::super::{Options, Rows, run};
    use super::*;
    use crate::domain::control::Unattended;
    use crate::domain::date::Date;

    fn rows(amounts: &[&str]) -> Rows {
        let mut rows = Rows::default();
        for amount in amounts {
            assert!(rows.push(Date::numbered(19_000), amount, "Rent"));
        }
        rows
    }

    /// Matched, missing, remove, expected, actual, verified.
    fn outcome(bank: &[&str], book: &[&str]) -> (usize, usize, usize, String, String, bool) {
        let dataset = Dataset { bank: rows(bank), book: rows(book) };
        let options = Options { window_days: 3, include_matched: true };
        let outcome = run(&dataset, &options, &Unattended).unwrap();
        let matched = outcome.matched().count();
        let verification = outcome.verification();
        let charge = if verification.is_verified { bank.len() } else { 0 };
        assert_eq!(outcome.credits_charged(), u64::try_from(charge).unwrap());
        (
            matched,
            outcome.missing_from_books().count(),
            outcome.remove_from_books().count(),
            plain_decimal(verification.expected_net_discrepancy),
            plain_decimal(verification.actual_net_effect),
            verification.is_verified,
        )
    }

    /// Bank, book, rows matched, missing and to remove, expected, actual, verified.
    type Example = (Vec<&'static str>, Vec<&'static str>, (usize, usize, usize), &'static str, &'static str, bool);

    #[test]
    fn every_example_of_the_money_rules_holds() {
        let twelve = |amount| vec![amount; 12];
        let cases: [Example; 17] = [
            (vec!["100.00", "-20.50"], vec!["100", "-20.5"], (2, 0, 0), "0", "0", true),
            (vec!["100.00", "-20.50"], vec!["100", "-7.25"], (1, 1, 1), "-13.25", "-13.25", true),
            (vec!["0.30000000000000004"], vec!["0.3"], (1, 0, 0), "0", "0", true),
            (vec!["10.01"], vec!["10.005"], (1, 0, 0), "0.005", "0", true),
            (vec!["10.00"], vec!["10.005"], (0, 1, 1), "-0.005", "-0.005", true),
            (vec!["-10.01"], vec!["-10.005"], (1, 0, 0), "-0.005", "0", true),
            (vec!["1e-7"], vec!["0"], (1, 0, 0), "0.0000001", "0", true),
            (vec!["1e15"], vec!["1000000000000000.00"], (1, 0, 0), "0", "0", true),
            (vec!["1000000000000000.01"], vec!["1e15"], (0, 1, 1), "0.01", "0.01", true),
            (vec!["-0.0"], vec!["0"], (1, 0, 0), "0", "0", true),
            (vec!["-45.00"], vec!["45.00"], (0, 1, 1), "-90", "-90", true),
            (vec!["54.00"], vec!["45.00"], (0, 1, 1), "9", "9", true),
            (vec!["10.0149"], vec!["10.005"], (1, 0, 0), "0.0099", "0", true),
            (twelve("83.33"), twelve("83.333333"), (12, 0, 0), "-0.039996", "0", false),
            (
                vec!["119.99", "59.99", "23.99", "11.99"],
                vec!["119.988", "59.988", "23.988", "11.988"],
                (4, 0, 0),
                "0.008",
                "0",
                true,
            ),
            (
                vec!["119.99", "59.99", "23.99", "11.99", "5.99"],
                vec!["119.988", "59.988", "23.988", "11.988", "5.988"],
                (5, 0, 0),
                "0.01",
                "0",
                false,
            ),
            (vec![], vec![], (0, 0, 0), "0", "0", true),
        ];
        for (bank, book, (matched, missing, remove), expected, actual, verified) in cases {
            let wanted = (matched, missing, remove, expected.to_owned(), actual.to_owned(), verified);
            assert_eq!(outcome(&bank, &book), wanted, "{bank:?} against {book:?}");
        }
    }

    #[test]
    fn an_unverified_run_names_the_rows_that_cause_it() {
        let dataset = Dataset { bank: rows(&["83.33"; 12]), book: rows(&["83.333333"; 12]) };
        let options = Options { window_days: 3, include_matched: false };
        let outcome = run(&dataset, &options, &Unattended).unwrap();
        assert_eq!(
            outcome.verification().reason,
            "Not verified: all 12 rows match to the penny, but 12 matched pairs differ by fractions of a \
             penny, -0.039996 in total (book rows 0-11 carry more than 2 decimals). Round them and \
             submit again; no credits were charged."
        );
    }

    #[test]
    fn rows_are_listed_as_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
        let odd: Vec<usize> = (0..40).map(|row| row * 2).collect();
        assert!(ranges(&odd).ends_with("and 30 more"));
    }
}
