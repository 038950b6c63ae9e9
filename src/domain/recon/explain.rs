//! Why rows may have been left over: a date just outside the window, swapped digits,
//! a wrong sign, a moved decimal point, a small difference, an entry keyed twice, one payment of several documents.
//! Suggestions for the bookkeeper only; nothing here changes what is matched.

use std::collections::HashSet;

use crate::domain::control::{Control, Stopped};
use crate::domain::date::Date;

use super::dataset::{Dataset, Rows};
use super::groups::Group;
use super::tolerance::PairOfRows;
use crate::domain::amount::{self, money, plain_decimal};

/// Explanations given for one run beside groups, which have a limit of their own.
pub const MAX_EXPLANATIONS: usize = 1_000;

/// Texts compared for one run, so that a hopeless file costs a fraction of a second.
const MAX_COMPARISONS: usize = 150_000;

/// Rows of one suspected amount that are looked at for one row.
const RIVALS: usize = 12;

/// Farthest a wrong date is looked for: a month and a year slip.
const FAR_DAYS: i32 = 366;

/// Days around a row in which a wrong amount is looked for, at least.
const NEAR_DAYS: i32 = 7;

/// What probably went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The amount is the exact sum of several rows of the other side.
    Group,
    /// The same amount and words, too many days apart.
    DateOutsideWindow,
    /// Two neighbouring digits of the amount changed places.
    DigitsTransposed,
    /// The same amount with the other sign.
    SignReversed,
    /// Ten times, or a hundred times, or a fraction of it.
    DecimalPointMoved,
    /// A few pence, or a whole pound, apart.
    SmallDifference,
    /// The same entry is in the books again, and that one is matched.
    PossiblyKeyedTwice,
}

impl Kind {
    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::DateOutsideWindow => "date_outside_window",
            Self::DigitsTransposed => "digits_transposed",
            Self::SignReversed => "sign_reversed",
            Self::DecimalPointMoved => "decimal_point_moved",
            Self::SmallDifference => "small_difference",
            Self::PossiblyKeyedTwice => "possibly_keyed_twice",
        }
    }
}

/// A suggestion about one unmatched row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Whether `row` is a bank row; otherwise it is a book row.
    pub is_bank: bool,
    /// The unmatched row, by submitted index.
    pub row: usize,
    /// What probably went wrong.
    pub kind: Kind,
    /// The row it should perhaps go with: of the books for a bank row, and for an entry keyed
    /// twice the matched book row.
    pub other_row: Option<usize>,
    /// Of a group: the 2 to 50 rows of the other side that add up to `row`, ascending.
    pub other_rows: Vec<usize>,
    /// The same for people.
    pub detail: String,
}

/// What the matching itself has to say about rows it left open.
pub(super) struct Known<'a> {
    /// Bank rows first, each side in the order of its rows.
    pub(super) groups: &'a [Group],
    /// Pairs that were left open so that the others balance.
    pub(super) left_open: &'a [PairOfRows],
}

/// Looks for explanations of the rows that found no partner: groups, pairs left open, then suspicions.
pub(super) fn explain(
    dataset: &Dataset,
    window_days: u32,
    is_bank_matched: impl Fn(usize) -> bool,
    is_book_matched: impl Fn(usize) -> bool,
    known: &Known<'_>,
    control: &dyn Control,
) -> Result<Vec<Explanation>, Stopped> {
    let window_days = i32::try_from(window_days).unwrap_or(0);
    let mut explained_bank = HashSet::new();
    let mut taken = HashSet::new();
    let mut explanations = Vec::with_capacity(known.groups.len());
    for group in known.groups {
        let (one, others) =
            if group.is_bank { (&mut explained_bank, &mut taken) } else { (&mut taken, &mut explained_bank) };
        one.insert(group.row);
        others.extend(group.others.iter().copied());
        explanations.push(of_group(dataset, group));
    }
    let mut search = Search { dataset, window_days, comparisons: 0, found: Vec::new() };
    for &(bank, book) in known.left_open {
        explained_bank.insert(bank);
        taken.insert(book);
        if !search.is_spent() {
            search.found.push(of_pair_left_open(dataset, bank, book));
        }
    }
    let open_books = Index::of(&dataset.book, |row| !is_book_matched(row));
    if control.is_cancelled() {
        return Err(Stopped);
    }
    let open = |row: &usize| !is_bank_matched(*row) && !explained_bank.contains(row);
    for (turn, bank) in (0..dataset.bank.len()).filter(open).enumerate() {
        if turn % 256 == 0 && control.is_cancelled() {
            return Err(Stopped);
        }
        if search.is_spent() {
            break;
        }
        search.suspect(bank, &open_books, &mut taken);
    }
    if !open_books.entries.is_empty() && !search.is_spent() {
        let matched_books = Index::of(&dataset.book, &is_book_matched);
        let open = |row: &usize| !is_book_matched(*row) && !taken.contains(row);
        for (turn, book) in (0..dataset.book.len()).filter(open).enumerate() {
            if turn % 256 == 0 && control.is_cancelled() {
                return Err(Stopped);
            }
            if search.is_spent() {
                break;
            }
            search.suspect_twice(book, &matched_books);
        }
    }
    explanations.append(&mut search.found);
    Ok(explanations)
}

fn of_group(dataset: &Dataset, group: &Group) -> Explanation {
    const LISTED: usize = 10;
    let (rows, one, other) =
        if group.is_bank { (&dataset.bank, "bank", "book") } else { (&dataset.book, "book", "bank") };
    let mut listed: Vec<String> = group.others.iter().take(LISTED).map(usize::to_string).collect();
    if group.others.len() > LISTED {
        listed.push(format!("{} more", group.others.len() - LISTED));
    }
    let last = listed.pop().unwrap_or_default();
    Explanation {
        is_bank: group.is_bank,
        row: group.row,
        kind: Kind::Group,
        other_row: None,
        other_rows: group.others.clone(),
        detail: format!(
            "{other} rows {} and {last} have the same payee or reference and add up to the {} of this {one} row",
            listed.join(", "),
            money(rows.units(group.row)),
        ),
    }
}

fn of_pair_left_open(dataset: &Dataset, bank: usize, book: usize) -> Explanation {
    let (at_bank, in_books) = (dataset.bank.units(bank), dataset.book.units(book));
    Explanation {
        is_bank: true,
        row: bank,
        kind: Kind::SmallDifference,
        other_row: Some(book),
        other_rows: Vec::new(),
        detail: format!(
            "book row {book} is equal to the penny but differs by {}: {} at the bank, {} in the books; the pair was left \
             open so that the matched rows balance",
            plain_decimal(at_bank - in_books),
            plain_decimal(at_bank),
            plain_decimal(in_books),
        ),
    }
}

/// Some rows of one side by penny and date.
struct Index {
    entries: Vec<(i128, Date, usize)>,
}

impl Index {
    fn of(rows: &Rows, wanted: impl Fn(usize) -> bool) -> Self {
        let mut entries: Vec<(i128, Date, usize)> = (0..rows.len())
            .filter(|&row| wanted(row))
            .map(|row| (amount::pence(rows.units(row)), rows.date(row), row))
            .collect();
        entries.sort_unstable();
        Self { entries }
    }

    /// Rows of an amount around a date, nearest first.
    fn around(&self, pence: i128, date: Date, far: i32) -> Vec<usize> {
        let at = self.entries.partition_point(|entry| (entry.0, entry.1) < (pence, date));
        let near = |entry: &&(i128, Date, usize)| entry.0 == pence && (entry.1 - date).abs() <= far;
        let (before, after) = self.entries.split_at(at);
        let before = before.iter().rev().take_while(near).take(RIVALS);
        let mut found: Vec<_> = before.chain(after.iter().take_while(near).take(RIVALS)).collect();
        found.sort_by_key(|entry| ((entry.1 - date).abs(), entry.2));
        found.into_iter().map(|entry| entry.2).collect()
    }
}

struct Search<'a> {
    dataset: &'a Dataset,
    window_days: i32,
    comparisons: usize,
    found: Vec<Explanation>,
}

impl Search<'_> {
    fn is_spent(&self) -> bool {
        self.found.len() >= MAX_EXPLANATIONS || self.comparisons >= MAX_COMPARISONS
    }

    /// Suggests the open book row that looks most like this bank row under any one slip.
    fn suspect(&mut self, bank: usize, books: &Index, taken: &mut HashSet<usize>) {
        let rows = &self.dataset.bank;
        let (date, pence) = (rows.date(bank), amount::pence(rows.units(bank)));
        let words = words(rows.description(bank));
        let mut best: Option<(u32, Kind, usize)> = None;
        for (kind, other_pence) in slips(pence) {
            let far = match kind {
                Kind::DateOutsideWindow => FAR_DAYS,
                _ => self.window_days.max(NEAR_DAYS),
            };
            for book in books.around(other_pence, date, far) {
                self.comparisons += 1;
                let apart = (self.dataset.book.date(book) - date).abs();
                let inside = apart <= self.window_days;
                // What is inside the window at the same amount was free to be matched.
                if taken.contains(&book) || (kind == Kind::DateOutsideWindow && inside) {
                    continue;
                }
                let needed = if apart > 35 || kind == Kind::SmallDifference { 2 } else { 1 };
                let score = shared(&words, self.dataset.book.description(book));
                if score >= needed && best.is_none_or(|held| score > held.0) {
                    best = Some((score, kind, book));
                }
            }
        }
        let Some((_, kind, book)) = best else { return };
        taken.insert(book);
        let detail = self.detail(bank, book, kind);
        self.found.push(Explanation {
            is_bank: true,
            row: bank,
            kind,
            other_row: Some(book),
            other_rows: Vec::new(),
            detail,
        });
    }

    fn detail(&self, bank: usize, book: usize, kind: Kind) -> String {
        let (bank_rows, book_rows) = (&self.dataset.bank, &self.dataset.book);
        let (at_bank, in_books) = (money(bank_rows.units(bank)), money(book_rows.units(book)));
        let lag = book_rows.date(book) - bank_rows.date(bank);
        let days = lag.unsigned_abs();
        let when = if lag < 0 { "earlier" } else { "later" };
        let noun = if days == 1 { "day" } else { "days" };
        match kind {
            Kind::DateOutsideWindow if days <= 30 => format!(
                "book row {book} has the same amount and similar words {days} {noun} {when}; \
                 it would match with allowedDateDifferenceInDays {days}"
            ),
            Kind::DateOutsideWindow => format!(
                "book row {book} has the same amount and similar words {days} {noun} {when}; \
                 the month or year may be wrong"
            ),
            Kind::DigitsTransposed => format!(
                "book row {book} has similar words and two digits swapped: {at_bank} at the bank, {in_books} in the books"
            ),
            Kind::SignReversed => format!(
                "book row {book} has similar words and the opposite sign: {at_bank} at the bank, {in_books} in the books"
            ),
            Kind::DecimalPointMoved => format!(
                "book row {book} has similar words and the decimal point moved: {at_bank} at the bank, {in_books} in the books"
            ),
            Kind::SmallDifference | Kind::PossiblyKeyedTwice | Kind::Group => format!(
                "book row {book} has similar words and a slightly different amount: {at_bank} at the bank, {in_books} in the books"
            ),
        }
    }

    /// Suggests that an open book row repeats a matched one.
    fn suspect_twice(&mut self, book: usize, matched_books: &Index) {
        const REPEATED_WITHIN_DAYS: i32 = 3;
        let rows = &self.dataset.book;
        let pence = amount::pence(rows.units(book));
        let near = matched_books.around(pence, rows.date(book), REPEATED_WITHIN_DAYS);
        self.comparisons += 1 + near.len() / 4;
        let same = |other: &usize| rows.description(*other) == rows.description(book);
        let Some(other) = near.into_iter().find(same) else { return };
        self.found.push(Explanation {
            is_bank: false,
            row: book,
            kind: Kind::PossiblyKeyedTwice,
            other_row: Some(other),
            other_rows: Vec::new(),
            detail: format!(
                "possibly keyed twice: book row {other}, which is matched, has the same amount and description"
            ),
        });
    }
}

/// Amounts the books may have in place of this one, the likeliest slip first.
fn slips(pence: i128) -> Vec<(Kind, i128)> {
    let mut slips = vec![(Kind::DateOutsideWindow, pence)];
    if pence != 0 {
        slips.push((Kind::SignReversed, -pence));
    }
    let mut swapped: Vec<i128> = Vec::new();
    let mut place = 1_i128;
    while place * 10 <= pence.abs() {
        let (low, high) = (pence.abs() / place % 10, pence.abs() / (place * 10) % 10);
        if low != high {
            let magnitude = pence.abs() + (low - high) * 9 * place;
            swapped.push(magnitude * pence.signum());
        }
        place *= 10;
    }
    slips.extend(swapped.into_iter().map(|pence| (Kind::DigitsTransposed, pence)));
    for factor in [10, 100] {
        slips.push((Kind::DecimalPointMoved, pence * factor));
        if pence % factor == 0 {
            slips.push((Kind::DecimalPointMoved, pence / factor));
        }
    }
    for difference in [1, -1, 10, -10, 100, -100] {
        slips.push((Kind::SmallDifference, pence + difference));
    }
    slips.retain(|&(kind, other)| kind == Kind::DateOutsideWindow || other != pence);
    slips
}

/// Telling words of a description: lower case, four letters or three digits and more.
fn words(description: &str) -> Vec<String> {
    description
        .split(|character: char| !character.is_alphanumeric())
        .flat_map(|word| {
            let digits_at = word.find(|character: char| character.is_ascii_digit());
            let (letters, digits) = word.split_at(digits_at.unwrap_or(word.len()));
            // Banks pad cheque numbers, people do not.
            [letters, digits.trim_start_matches('0')]
        })
        .filter(|word| word.len() >= 4 || (word.len() == 3 && !word.starts_with(char::is_alphabetic)))
        .map(str::to_lowercase)
        .filter(|word| !COMMON.contains(&word.as_str()))
        .collect()
}

/// Words that two unrelated rows share every day.
const COMMON: [&str; 12] = [
    "payment", "card", "direct", "debit", "credit", "transfer", "bank", "receipt", "invoice", "from", "limited",
    "order",
];

/// Words in common, where one may be the beginning of the other.
fn shared(left: &[String], description: &str) -> u32 {
    let right = words(description);
    let alike = |left: &String, right: &String| left.starts_with(right.as_str()) || right.starts_with(left.as_str());
    let count = left.iter().filter(|word| right.iter().any(|other| alike(word, other))).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::control::Unattended;

    fn explained(bank: (i32, &str, &str), book: (i32, &str, &str)) -> Vec<(Kind, String)> {
        let mut dataset = Dataset::default();
        assert!(dataset.bank.push(Date::numbered(bank.0), bank.1, bank.2));
        assert!(dataset.book.push(Date::numbered(book.0), book.1, book.2));
        explain(&dataset, 3, |_| false, |_| false, &Known { groups: &[], left_open: &[] }, &Unattended)
            .unwrap_or_default()
            .into_iter()
            .map(|explanation| (explanation.kind, explanation.detail))
            .collect()
    }

    #[test]
    fn common_slips_are_recognised() {
        let bank = (100, "-54.00", "TRAVIS PERKINS TR");
        for (day, amount, kind) in [
            (105, "-54", Kind::DateOutsideWindow),
            (101, "-45", Kind::DigitsTransposed),
            (100, "54.0", Kind::SignReversed),
            (99, "-540", Kind::DecimalPointMoved),
            (99, "-5.4", Kind::DecimalPointMoved),
            (100, "-54.01", Kind::SmallDifference),
        ] {
            let found = explained(bank, (day, amount, "Travis Perkins"));
            assert_eq!(found.first().map(|found| found.0), Some(kind), "{day} {amount}");
        }
        assert!(explained(bank, (105, "-54", "Petrol")).is_empty());
    }

    #[test]
    fn a_padded_cheque_number_is_the_number_in_the_books() {
        let found = explained((20_008, "-450.00", "CHEQUE 000412"), (20_000, "-450.00", "Chq 412, planer"));
        assert_eq!(found.first().map(|(kind, _)| *kind), Some(Kind::DateOutsideWindow), "{found:?}");
    }

    #[test]
    fn a_date_outside_the_window_names_the_window_that_would_do() {
        let found = explained((100, "5", "COSTA COFFEE"), (105, "5", "Costa"));
        assert_eq!(
            found.first().map(|found| found.1.as_str()),
            Some(
                "book row 0 has the same amount and similar words 5 days later; \
                 it would match with allowedDateDifferenceInDays 5"
            )
        );
    }
}
