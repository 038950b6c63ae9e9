//! Groups on made-up statements: exact, open, cheap, and no accident.

use std::collections::HashSet;

use super::super::{Options, Outcome, Rows, run};
use super::*;
use crate::domain::control::{Control, Unattended};
use crate::domain::date::Date;
use crate::domain::recon::explain::Kind;

/// A repeatable stream of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

type Line = (i32, i64, String);

fn outcome(bank: &[Line], book: &[Line]) -> (Dataset, Outcome) {
    let rows = |lines: &[Line]| {
        let mut rows = Rows::default();
        for (day, pence, text) in lines {
            let sign = if *pence < 0 { "-" } else { "" };
            let amount = format!("{sign}{}.{:02}", pence.abs() / 100, pence.abs() % 100);
            assert!(rows.push(Date::numbered(*day), &amount, text));
        }
        rows
    };
    let dataset = Dataset { bank: rows(bank), book: rows(book) };
    let options = Options { window_days: 3, include_matched: true };
    let outcome = run(&dataset, &options, &Unattended).unwrap();
    (dataset, outcome)
}

fn groups(outcome: &Outcome) -> Vec<(bool, usize, Vec<usize>)> {
    let of_kind = outcome.explanations().iter().filter(|one| one.kind == Kind::Group);
    of_kind.map(|one| (one.is_bank, one.row, one.other_rows.clone())).collect()
}

const PAYEES: [&str; 8] = ["Abdon", "Bewley", "Corfe", "Dunkery", "Elmstead", "Fowey", "Glynde", "Harcombe"];

/// Runs of a few payees, single payments, and rows on one side only.
fn statement(random: &mut Random) -> (Vec<Line>, Vec<Line>) {
    let (mut bank, mut book) = (Vec::new(), Vec::new());
    for _ in 0..20 + random.below(40) {
        let name = PAYEES[random.below(8) as usize];
        let day = 19_000 + random.below(60) as i32;
        let pence = |random: &mut Random| {
            let most = 1 + random.below(90_000);
            -((500 + random.below(most)) as i64)
        };
        let parts: Vec<i64> = (0..1 + random.below(6)).map(|_| pence(random)).collect();
        let whole = (day, parts.iter().sum(), name.to_uppercase());
        let part = |(at, pence): (usize, &i64)| (day + at as i32 % 2, *pence, format!("{name} invoice {}", 1_000 + at));
        let parts: Vec<Line> = parts.iter().enumerate().map(part).collect();
        match random.below(8) {
            0 => bank.push(whole),
            1 => book.extend(parts),
            2 => {
                book.push(whole);
                bank.extend(parts);
            }
            _ => {
                bank.push(whole);
                book.extend(parts);
            }
        }
    }
    (bank, book)
}

#[test]
fn sums_are_exact_rows_are_open_and_in_one_group_only() {
    let mut found = 0;
    for case in 0..400 {
        let mut random = Random(case);
        let (mut bank, mut book) = statement(&mut random);
        let (dataset, first) = outcome(&bank, &book);
        let (mut in_bank, mut in_book) = (HashSet::new(), HashSet::new());
        let open_bank: HashSet<usize> = first.missing_from_books().collect();
        let open_book: HashSet<usize> = first.remove_from_books().collect();
        for (is_bank, row, others) in groups(&first) {
            found += 1;
            let (ones, parts) = if is_bank { (&dataset.bank, &dataset.book) } else { (&dataset.book, &dataset.bank) };
            let sum: i128 = others.iter().map(|&other| parts.units(other)).sum();
            assert_eq!(sum, ones.units(row), "case {case}");
            assert!((2..=MEMBERS).contains(&others.len()) && others.is_sorted());
            assert!(others.iter().all(|&other| ones.date(row).abs_diff(parts.date(other)) <= 3), "case {case}");
            let (one, other) = if is_bank { (&mut in_bank, &mut in_book) } else { (&mut in_book, &mut in_bank) };
            assert!(one.insert(row) && others.iter().all(|&member| other.insert(member)), "case {case}: in two groups");
        }
        assert!(in_bank.is_subset(&open_bank) && in_book.is_subset(&open_book), "case {case}: a matched row");
        // By content, the same groups in any order of rows.
        let content = |groups: Vec<(bool, usize, Vec<usize>)>, bank: &[Line], book: &[Line]| {
            let group = |(is_bank, row, others): (bool, usize, Vec<usize>)| {
                let (ones, parts) = if is_bank { (bank, book) } else { (book, bank) };
                let mut others: Vec<Line> = others.into_iter().map(|other| parts[other].clone()).collect();
                others.sort();
                (is_bank, ones[row].clone(), others)
            };
            let mut groups: Vec<_> = groups.into_iter().map(group).collect();
            groups.sort();
            groups
        };
        let before = content(groups(&first), &bank, &book);
        bank.reverse();
        let middle = book.len() / 2;
        book.rotate_left(middle);
        assert_eq!(content(groups(&outcome(&bank, &book).1), &bank, &book), before, "case {case}");
    }
    assert!(found > 3_000, "{found} groups");
}

#[test]
fn rows_that_belong_together_are_summed_though_the_payer_names_none_of_them() {
    let line = |day: i32, pence: i64, text: &str| (day, pence, text.to_owned());
    // An acquirer pays takings less commission.
    let takings = [line(18_999, 60_068, "Card sales Z0334"), line(18_999, -1_015, "Card commission Z0334")];
    assert_eq!(groups(&outcome(&[line(19_000, 59_053, "SWIFTTILL SETTLE")], &takings).1), [(true, 0, vec![0, 1])]);
    // One of the payee and a fee that names nobody; not a fee of somebody else whose payment is open as well.
    let paid = [line(19_000, -14_218, "VETRERIA CARPI EUR"), line(19_000, -141, "International payment fee")];
    let booked = line(19_000, -14_359, "Vetreria Carpi 992");
    assert_eq!(groups(&outcome(&paid, std::slice::from_ref(&booked)).1), [(false, 0, vec![0, 1])]);
    let another = [line(19_000, -14_218, "VETRERIA CARPI EUR"), line(19_000, -141, "HOLBECK FEE")];
    let rival = [booked, line(19_000, -9_977, "Holbeck 14")];
    assert!(groups(&outcome(&another, &rival).1).is_empty());
    // Round amounts without a word in common with the payer are chance.
    let rents = [line(19_000, 65_000, "Rent flat 1"), line(19_000, 65_000, "Rent flat 2")];
    assert!(groups(&outcome(&[line(19_000, 130_000, "COUNCIL HB 9962134")], &rents).1).is_empty());
}

#[test]
fn what_was_entered_on_one_day_is_summed_though_most_of_it_names_nobody() {
    let line = |day: i32, pence: i64, text: &str| (day, pence, text.to_owned());
    let mut booked = vec![line(18_999, -10_017, "Corfe 4410"), line(18_999, -2_304, "Corfe 4431")];
    booked.extend([31_155, 871, 14_069, 5_290, 60_048].map(|pence| line(18_999, -pence, "Bill paid")));
    let paid = line(19_000, -booked.iter().map(|row| row.1.abs()).sum::<i64>(), "CORFE LTD");
    // Others of that day and of the next.
    booked.extend([line(18_999, -7_700, "Stamps"), line(18_999, -4_423, "Fares"), line(19_000, -9_112, "Bill paid")]);
    assert_eq!(groups(&outcome(std::slice::from_ref(&paid), &booked).1), [(true, 0, (0..7).collect())]);
    // Nothing is told where another set of the day has the sum as well.
    booked.push(line(18_999, -5_290 - 871, "Window"));
    assert!(groups(&outcome(&[paid], &booked).1).is_empty());
}

#[test]
fn cheques_of_one_day_are_summed_for_a_slip_that_names_nobody() {
    let line = |day: i32, pence: i64, text: &str| (day, pence, text.to_owned());
    let slip = [line(19_000, 364_018, "CREDIT 000533")];
    let mut cheques = vec![
        line(18_999, 171_178, "Abdon & Son"),
        line(18_999, 29_979, "Bewley"),
        line(18_999, 162_861, "Corfe Ltd"),
        line(18_999, 8_812, "Dunkery"),
        line(19_000, 41_230, "Elmstead"),
    ];
    assert_eq!(groups(&outcome(&slip, &cheques).1), [(true, 0, vec![0, 1, 2])]);
    // Another two of the day have the sum as well: the fewer are told of only where they are the only ones.
    cheques.extend([line(18_999, 360_007, "Fowey"), line(18_999, 4_011, "Glynde")]);
    assert_eq!(groups(&outcome(&slip, &cheques).1), [(true, 0, vec![5, 6])]);
    cheques.extend([line(18_999, 361_006, "Harcombe"), line(18_999, 3_012, "Ingram")]);
    assert!(groups(&outcome(&slip, &cheques).1).is_empty());
    // Of parts on two days, or where a round sum is met by chance, nothing is told.
    let apart = [line(18_999, 171_178, "Abdon & Son"), line(19_000, 192_840, "Bewley")];
    assert!(groups(&outcome(&slip, &apart).1).is_empty());
    let round: Vec<Line> = (0..9).map(|at| line(19_000, 5_000 * (at + 3), PAYEES[at as usize % 8])).collect();
    assert!(groups(&outcome(&[line(19_000, 50_000, "CREDIT 000534")], &round).1).is_empty());
}

#[test]
fn an_entry_and_its_reversal_are_no_parts_and_deductions_are_less_than_what_is_left() {
    let line = |day: i32, pence: i64, text: &str| (day, pence, text.to_owned());
    let slip = [line(19_000, 201_157, "CREDIT 000533")];
    let day = |more: &[Line]| {
        let mut rows = vec![line(19_000, 171_178, "Abdon & Son")];
        rows.extend_from_slice(more);
        rows
    };
    let reversed =
        day(&[line(19_000, 48_813, "Corfe"), line(19_000, -48_813, "Corfe reversed"), line(19_000, 29_979, "")]);
    assert_eq!(groups(&outcome(&slip, &reversed).1), [(true, 0, vec![0, 3])]);
    let net = [line(19_000, 31_071, "CREDIT 000534")];
    assert_eq!(groups(&outcome(&net, &[line(19_000, 32_518, "Dunkery"), line(19_000, -1_447, "")]).1).len(), 1);
    assert!(groups(&outcome(&net, &[line(19_000, 92_518, "Dunkery"), line(19_000, -61_447, "")]).1).is_empty());
}

#[test]
fn a_surname_in_common_is_enough_where_no_part_is_for_somebody_else() {
    let line = |day: i32, pence: i64, text: &str| (day, pence, text.to_owned());
    let fees = [line(19_000, 74_467, "Fees Caleb Polkinghorne")];
    let paid = |other: &str| [line(18_999, 58_467, "TRANSFER FERGUS POLKINGHORNE"), line(19_000, 16_000, other)];
    assert_eq!(groups(&outcome(&paid("CREDIT 55219"), &fees).1), [(false, 0, vec![0, 1])]);
    // Whom the books know elsewhere pays for himself.
    let known: Vec<Line> = (0..3).map(|at| line(18_900 + at * 9, 4_413, "Abdon")).chain(fees.clone()).collect();
    assert!(groups(&outcome(&paid("ABDON"), &known).1).is_empty());
    assert_eq!(groups(&outcome(&paid("CREDIT 55219"), &known).1), [(false, 3, vec![0, 1])]);
}

#[test]
fn groups_that_were_found_show_which_words_belong_together() {
    let line = |day: i32, pence: i64, text: &str| (day, pence, text.to_owned());
    let (mut bank, mut book) = (Vec::new(), Vec::new());
    let pay_out = |bank: &mut Vec<Line>, at: i32, takings: i64, fee: i64| {
        bank.push(line(19_000 + at * 10, takings - fee, "MARLPAY SETTLEMENT"));
    };
    for at in 0..4 {
        let (takings, fee) = (40_013 + i64::from(at) * 7_919, 613 + i64::from(at) * 101);
        pay_out(&mut bank, at, takings, fee);
        book.push(line(19_000 + at * 10, takings, &format!("Takings Z0{at}45")));
        book.push(line(19_000 + at * 10, -fee, &format!("Handling Z0{at}45")));
    }
    // Without the code nothing joins the two, as they were entered on two days.
    pay_out(&mut bank, 5, 71_338, 1_207);
    book.push(line(19_049, 71_338, "Takings"));
    book.push(line(19_051, -1_207, "Handling"));
    let found = groups(&outcome(&bank, &book).1);
    assert_eq!(found.last(), Some(&(true, 4, vec![8, 9])));
    assert_eq!(found.len(), 5);
    assert!(groups(&outcome(&bank[4..], &book[8..]).1).is_empty());
}

#[test]
fn shapes_made_to_cost_much_or_to_deceive_are_answered_in_bounded_steps() {
    let line = |day: i32, pence: i64, text: &str| (day, pence, text.to_owned());
    let equal: Vec<Line> = (0..40).map(|_| line(19_000, -1_000, "Abdon")).collect();
    assert!(groups(&outcome(&[line(19_000, -5_000, "ABDON")], &equal).1).is_empty());
    // Any whole number is one sum of powers of two and proves nothing.
    let powers: Vec<Line> = (0..24).map(|power| line(19_000, -(1 << power), "Abdon")).collect();
    assert!(groups(&outcome(&[line(19_000, -12_345_678, "ABDON")], &powers).1).is_empty());
    let name = |number: i32| -> String {
        [676, 26, 1].iter().map(|power| char::from(b'a' + u8::try_from(number / power % 26).unwrap())).collect()
    };
    // One payee with many rows: all sums within the steps of one run, the cancel flag asked all along.
    struct Count(std::cell::Cell<u64>);
    impl Control for Count {
        fn is_cancelled(&self) -> bool {
            self.0.set(self.0.get() + 1);
            false
        }
        fn progress(&self, _rows_done: u64) {}
    }
    let mut random = Random(7);
    let mut rows = |sign: i64| -> Vec<Line> {
        (0..20_000)
            .map(|_| line(19_000 + random.below(400) as i32, sign * (1 + random.below(1 << 40) as i64), "Abdon"))
            .collect()
    };
    let (bank, book) = (rows(-1), rows(-1));
    // Many payees with one amount on few days: only days with few open rows are read for each.
    let of_payees = |pence: i64| -> Vec<Line> {
        (0..20_000).map(|row| line(19_000 + row / 24 % 7, pence, &format!("Payee {}", name(row / 24)))).collect()
    };
    for (bank, book) in [(bank, book), (of_payees(5_000), of_payees(1_000))] {
        let (dataset, _) = outcome(&bank, &book);
        let count = Count(std::cell::Cell::default());
        run(&dataset, &Options { window_days: 3, include_matched: false }, &count).unwrap();
        assert!(count.0.get() > 10, "asked {} times", count.0.get());
    }
}
