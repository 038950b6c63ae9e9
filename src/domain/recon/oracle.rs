//! The engine against an optimum found by trying everything, on many small random
//! files, and the guarantees that hold for every file: legal, one to one, nothing left
//! open that could be paired, and no dependence on the order of rows.

#![expect(clippy::as_conversions, reason = "small numbers in a test")]

use super::assignment::NONE;
use super::dataset::{Dataset, Rows};
use super::matcher::{Effort, values};
use super::{Options, run};
use crate::domain::amount;
use crate::domain::control::{Control, Stopped, StopsAfter, Unattended};
use crate::domain::date::Date;

/// The book row of every bank row.
fn match_rows(dataset: &Dataset, window_days: u32, effort: Effort, control: &dyn Control) -> Result<Vec<u32>, Stopped> {
    super::matcher::match_rows(dataset, window_days, effort, control).map(|matching| matching.partner_of_bank)
}

/// A repeatable stream of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at as u64 + 1) as usize);
        }
    }
}

type Line = (i32, String, String);

fn lines(random: &mut Random, most: u64, amounts: u64, span: u64, vocabulary: u64) -> Vec<Line> {
    let count = random.below(most + 1);
    let line = |_| {
        let words: Vec<String> = (0..=random.below(3))
            .map(|_| match random.below(5) {
                0 => format!("{:04}", 1000 + random.below(vocabulary)),
                1 => ["j", "k", "m"][random.below(3) as usize].to_owned(),
                _ => {
                    const STEMS: [&str; 6] = ["smith", "jones", "petrol", "esso", "rent", "constructi"];
                    let stem = STEMS[random.below(6) as usize];
                    format!("{stem}{}", ["", "on", "s"][random.below(3) as usize])
                }
            })
            .collect();
        let pence = ["", ".0", ".00", ".004"][random.below(4) as usize];
        let amount = format!("{}{pence}", 10 + random.below(amounts));
        (19_000 + random.below(span) as i32, amount, words.join(" "))
    };
    (0..count).map(line).collect()
}

fn dataset(bank: &[Line], book: &[Line]) -> Dataset {
    let rows = |lines: &[Line]| {
        let mut rows = Rows::default();
        for (day, amount, text) in lines {
            assert!(rows.push(Date::numbered(*day), amount, text));
        }
        rows
    };
    Dataset { bank: rows(bank), book: rows(book) }
}

/// The greatest total value of any assignment, over every subset of book rows.
fn best_total(values: &[Vec<Option<i32>>]) -> i64 {
    let columns = values.first().map_or(0, Vec::len);
    let mut best = vec![i64::MIN; 1 << columns];
    best[0] = 0;
    for row in values {
        for used in (0..best.len()).rev() {
            for (column, value) in row.iter().enumerate() {
                let Some(value) = value else { continue };
                if used & (1 << column) != 0 && best[used ^ (1 << column)] > i64::MIN {
                    best[used] = best[used].max(best[used ^ (1 << column)] + i64::from(*value));
                }
            }
        }
    }
    best.into_iter().max().unwrap_or(0)
}

/// Total value of a legal one-to-one result that leaves nothing open that could be paired.
fn checked_total(values: &[Vec<Option<i32>>], partners: &[u32], case: u64) -> i64 {
    let columns = values.first().map_or(0, Vec::len);
    let mut used = vec![false; columns];
    let mut total = 0;
    for (row, &partner) in partners.iter().enumerate() {
        if partner != NONE {
            let value = values[row][partner as usize];
            assert!(!std::mem::replace(&mut used[partner as usize], true), "case {case}: taken twice");
            assert!(value.is_some(), "case {case}: illegal pair");
            total += i64::from(value.unwrap());
        }
    }
    for (row, &partner) in partners.iter().enumerate() {
        for column in 0..columns {
            let open = partner == NONE && !used[column] && values[row][column].is_some();
            assert!(!open, "case {case}: rows {row} and {column} were left open");
        }
    }
    total
}

const FORCED: Effort = Effort { pairs: 0, relaxations_per_row: 30_000, relaxations: 200_000_000 };

#[test]
fn the_assignment_is_the_optimum_and_the_fallback_comes_close() {
    let (mut share, mut cases) = (0.0, 0.0);
    for case in 0..10_000 {
        let mut random = Random(case);
        let window_days = random.below(31) as u32;
        let span = 1 + random.below(40);
        let amounts = 1 + random.below(2);
        let vocabulary = 1 + random.below(9);
        let bank = lines(&mut random, 8, amounts, span, vocabulary);
        let book = lines(&mut random, 8, amounts, span, vocabulary);
        let dataset = dataset(&bank, &book);
        let values = values(&dataset, window_days).unwrap();
        let best = best_total(&values);
        let exact = match_rows(&dataset, window_days, Effort::default(), &Unattended).unwrap();
        assert_eq!(checked_total(&values, &exact, case), best, "case {case}");
        let bounded = match_rows(&dataset, window_days, FORCED, &Unattended).unwrap();
        let total = checked_total(&values, &bounded, case);
        if best > 0 {
            share += total as f64 / best as f64;
            cases += 1.0;
        }
    }
    println!("the fallback reaches {:.4} of the optimum on average", share / cases);
    assert!(share / cases >= 0.8);
}

#[test]
fn a_search_cut_short_still_gives_a_legal_result() {
    for case in 0..2_000 {
        let mut random = Random(case);
        let bank = lines(&mut random, 30, 1, 6, 5);
        let book = lines(&mut random, 30, 1, 6, 5);
        let dataset = dataset(&bank, &book);
        let values = values(&dataset, 3).unwrap();
        let effort = Effort { relaxations: random.below(200), ..Effort::default() };
        let partners = match_rows(&dataset, 3, effort, &Unattended).unwrap();
        checked_total(&values, &partners, case);
    }
}

/// Pairs by content: identical rows are interchangeable.
fn content(bank: &[Line], book: &[Line], partners: &[u32]) -> Vec<(Line, Line)> {
    let matched = partners.iter().enumerate().filter(|(_, partner)| **partner != NONE);
    let mut pairs: Vec<(Line, Line)> =
        matched.map(|(row, &partner)| (bank[row].clone(), book[partner as usize].clone())).collect();
    pairs.sort();
    pairs
}

#[test]
fn the_order_of_rows_changes_no_pair() {
    for case in 0..3_000 {
        let mut random = Random(case);
        let (most, amounts) = (1 + random.below(60), 1 + random.below(8));
        let mut bank = lines(&mut random, most, amounts, 20, 9);
        let mut book = lines(&mut random, most, amounts, 20, 9);
        for effort in [Effort::default(), FORCED] {
            let first = match_rows(&dataset(&bank, &book), 3, effort, &Unattended).unwrap();
            let before = content(&bank, &book, &first);
            let again = match_rows(&dataset(&bank, &book), 3, effort, &Unattended).unwrap();
            assert_eq!(first, again, "case {case}: the same file gave another answer");
            random.shuffle(&mut bank);
            random.shuffle(&mut book);
            let after = match_rows(&dataset(&bank, &book), 3, effort, &Unattended).unwrap();
            assert_eq!(content(&bank, &book, &after), before, "case {case}");
        }
    }
}

#[test]
fn counts_and_money_add_up() {
    for case in 0..2_000 {
        let mut random = Random(case);
        let bank = lines(&mut random, 40, 6, 30, 9);
        let book = lines(&mut random, 40, 6, 30, 9);
        let dataset = dataset(&bank, &book);
        let options = Options { window_days: random.below(31) as u32, include_matched: false };
        let outcome = run(&dataset, &options, &Unattended).unwrap();
        let matched = outcome.matched().count();
        assert_eq!(matched + outcome.missing_from_books().count(), bank.len());
        assert_eq!(matched + outcome.remove_from_books().count(), book.len());
        let residue: i128 =
            outcome.matched().map(|(bank, book)| dataset.bank.units(bank) - dataset.book.units(book)).sum();
        let verification = outcome.verification();
        let difference = verification.expected_net_discrepancy - verification.actual_net_effect;
        assert_eq!(difference, residue, "case {case}");
        assert_eq!(verification.is_verified, residue.abs() < amount::UNITS_PER_PENNY);
    }
}

#[test]
fn a_chain_is_matched_whole_where_greedy_leaves_two_rows_open() {
    let line = |day: i32, text: &str| (day, "50".to_owned(), text.to_owned());
    for texts in [["a", "a", "a", "a"], ["Rent", "Shop", "Taxi", "Fuel"]] {
        let bank = [line(1, texts[0]), line(3, texts[1])];
        let book = [line(3, texts[2]), line(6, texts[3])];
        let partners = match_rows(&dataset(&bank, &book), 3, Effort::default(), &Unattended).unwrap();
        assert_eq!(partners, [0, 1]);
    }
}

#[test]
fn words_decide_before_dates() {
    let line = |day: i32, text: &str| (day, "50".to_owned(), text.to_owned());
    let bank = [line(10, "SMITH J 1042")];
    let book = [line(10, "Smith invoice 1057"), line(9, "Smith invoice 1042")];
    let partners = match_rows(&dataset(&bank, &book), 3, Effort::default(), &Unattended).unwrap();
    assert_eq!(partners, [1]);
}

#[test]
fn equal_wages_go_to_whom_they_name() {
    let line = |day: i32, text: String| (day, "-420".to_owned(), text);
    let (mut bank, mut book, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
    let people = [("TARIQ MCCORQUODALE", "Tariq"), ("V MILLIGAN & L MIL", "Vikram")];
    for week in 0..40_i32 {
        for (at, (payee, name)) in (0..).zip(people) {
            // In the first weeks each is paid on a day of his own.
            let day = 7 * week * 2 + if week < 20 { 7 * at } else { 0 };
            let is_wage = if week < 20 { week % 2 == 0 } else { (week + at) % 2 == 0 };
            bank.push(line(day, format!("S/O WAGE {payee}")));
            book.push(line(day, if is_wage { format!("{name} wage") } else { format!("{name} wk") }));
            wanted.push(wanted.len() as u32);
        }
    }
    for at in 0..600 {
        let row = |text: &str| (at, format!("-{}.17", 1000 + at), format!("{text} {}", 5000 + at));
        bank.push(row("CARD SHOP"));
        book.push(row("Purchase"));
        wanted.push(wanted.len() as u32);
    }
    let partners = match_rows(&dataset(&bank, &book), 3, Effort::default(), &Unattended).unwrap();
    assert_eq!(partners, wanted);
}

#[test]
fn codes_are_known_in_parts_and_whole() {
    let line = |day: i32, text: &str| (day, "95".to_owned(), text.to_owned());
    let bank = [line(10, "SO OBAN LETTINGS BH411"), line(10, "SO C POPESCU BH410")];
    let book = [line(10, "SC BH4-10"), line(10, "SC BH4-11")];
    let partners = match_rows(&dataset(&bank, &book), 3, Effort::default(), &Unattended).unwrap();
    assert_eq!(partners, [1, 0]);
}

#[test]
fn a_cancelled_run_stops_wherever_it_is() {
    let mut random = Random(1);
    let line = |random: &mut Random| (random.below(50) as i32, "5".to_owned(), format!("ref {}", random.below(900)));
    let bank: Vec<Line> = (0..900).map(|_| line(&mut random)).collect();
    let book: Vec<Line> = (0..900).map(|_| line(&mut random)).collect();
    let dataset = dataset(&bank, &book);
    let options = Options { window_days: 3, include_matched: false };
    let mut stops = 0;
    for patience in (0..4_000).step_by(7) {
        let control = StopsAfter(std::cell::Cell::new(patience));
        match run(&dataset, &options, &control) {
            Err(Stopped) => stops += 1,
            Ok(_) => break,
        }
    }
    assert!(stops > 2, "too few questions were asked");
}
