//! A year and a half of random bookkeeping under the three VAT schemes and over every change between two of them, and each
//! box of each return as the Notices have it (`vat_notice_model`). `VAT_NOTICES=<number>` runs so many plans of every
//! change instead of one (on PostgreSQL, of one change from each scheme), `VAT_NOTICES_SEED=<number>` others than usual,
//! `VAT_NOTICES_COMPLAINTS=<number>` goes on after the first difference, and `VAT_NOTICES_TELL=1` with `--nocapture` says how
//! much of each plan was accepted.

mod lines;
mod others;
mod plan;
mod random;
mod run;

use serde_json::Value;

use self::plan::{Plan, SCHEMES};
use self::run::{Run, iso};
use super::Books;
use super::figures::pence;
use super::vat_notice_model::{Day, Notices, VatReturn};
use crate::support::database::Database;

/// Names in the `hmrc` object, with the box of each.
const IN_PENCE: [(&str, usize); 5] = [
    ("vatDueSales", 1),
    ("vatDueAcquisitions", 2),
    ("totalVatDue", 3),
    ("vatReclaimedCurrPeriod", 4),
    ("netVatDue", 5),
];
const IN_POUNDS: [&str; 4] =
    ["totalValueSalesExVAT", "totalValuePurchasesExVAT", "totalValueGoodsSuppliedExVAT", "totalAcquisitionsExVAT"];

/// What differs between the answer of the service and the second opinion.
fn differences(answer: &Value, expected: &VatReturn) -> Vec<String> {
    let mut different = Vec::new();
    let mut compare = |name: &str, found: i64, expected: i64| {
        if found != expected {
            different.push(format!("{name} is {found} and should be {expected}"));
        }
    };
    for number in 1..=9 {
        let name = format!("box{number}");
        compare(&name, pence(&answer[&name]), expected.boxes[number]);
    }
    compare("net_vat", pence(&answer["net_vat"]), expected.net);
    for (name, number) in IN_PENCE {
        compare(name, pence(&answer["hmrc"][name]), expected.boxes[number]);
    }
    for (name, pounds) in IN_POUNDS.iter().zip(expected.pounds) {
        compare(name, pence(&answer["hmrc"][*name]), pounds * 100);
    }
    // Where another scheme holds at the end, it may be there for what was turnover before.
    let (flat_rate, expected) = (&answer["flat_rate"], &expected.flat_rate);
    if flat_rate.is_null() {
        compare(
            "there is no flat rate, which",
            1,
            i64::from(expected.percent_hundredths.is_none() && expected.turnover == 0),
        );
        return different;
    }
    if let Some(percent) = expected.percent_hundredths {
        compare("percent", pence(&flat_rate["percent"]), percent);
    }
    compare("turnover", pence(&flat_rate["turnover"]), expected.turnover);
    compare("vat of the turnover", pence(&flat_rate["vat"]), expected.vat);
    compare("surplus", pence(&flat_rate["surplus"]), expected.surplus);
    different
}

/// Carries a plan out in a new organisation; what differs, if anything.
fn compared(books: &mut Books, plan: &Plan) -> Result<usize, String> {
    let mut run = Run::begin(books, plan);
    run.carry_out(plan);
    let (events, told, refused) = (std::mem::take(&mut run.events), std::mem::take(&mut run.told), run.refused.clone());
    let asked = plan.asked(&run.days());
    drop(run);
    if std::env::var_os("VAT_NOTICES_TELL").is_some() {
        println!("{}: {} done, refused {refused:?}", plan.name, told.len());
    }
    let notices = Notices::of(&events);
    let mut wrong = Vec::new();
    for (from, to) in &asked {
        let answer = vat_return(books, *from, *to);
        let different = differences(&answer, &notices.vat_return(*from, *to));
        if !different.is_empty() {
            wrong.push(format!("{} to {}: {}", iso(*from), iso(*to), different.join(", ")));
        }
    }
    if wrong.is_empty() {
        return Ok(told.len());
    }
    let events: Vec<String> = events.iter().map(|event| format!("{event:?}")).collect();
    Err(format!("{}\n{}\nDONE\n{}\nKNOWN\n{}", plan.name, wrong.join("\n"), told.join("\n"), events.join("\n")))
}

fn vat_return(books: &Books, from: Day, to: Day) -> Value {
    let path = format!("/reports/vat-return?period_start={}&period_end={}", iso(from), iso(to));
    books.get(&path)["data"].clone()
}

/// The shortest plan found that still differs.
fn shortened(books: &mut Books, plan: &Plan, mut complaint: String) -> String {
    let mut plan = plan.clone();
    let mut part = plan.steps.len() / 2;
    while part > 0 {
        let mut at = 0;
        while at < plan.steps.len() {
            let mut shorter = plan.clone();
            shorter.steps.drain(at..(at + part).min(shorter.steps.len()));
            match compared(books, &shorter) {
                Ok(_) => at += part,
                Err(still) => (plan, complaint) = (shorter, still),
            }
        }
        part /= 2;
    }
    complaint
}

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |number| number.parse().expect("a number"))
}

fn check(database: &Database, plans: &[Plan]) {
    let mut books = Books::on(database);
    let mut complaints = Vec::new();
    let most = usize::try_from(from_environment("VAT_NOTICES_COMPLAINTS", 1)).unwrap();
    for plan in plans {
        if let Err(complaint) = compared(&mut books, plan) {
            complaints.push(shortened(&mut books, plan, complaint));
            if complaints.len() >= most {
                break;
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

/// Plans that begin under this scheme and go over to each of the others, and stay; one goes back again.
fn plans_from(first: usize) -> Vec<Plan> {
    let (runs, seed) = (from_environment("VAT_NOTICES", 1), from_environment("VAT_NOTICES_SEED", 731));
    let mut plans = Vec::new();
    for run in 0..runs {
        for (second, (name, scheme)) in SCHEMES.iter().enumerate() {
            let (from, begin) = SCHEMES[first];
            let seed = seed + 1_000 * run + u64::try_from(10 * first + second).unwrap();
            let mut schemes = vec![begin];
            if second != first {
                schemes.push(*scheme);
            }
            if seed.is_multiple_of(3) {
                schemes.push(SCHEMES[(second + 1) % SCHEMES.len()].1);
                schemes.dedup();
            }
            plans.push(Plan::of(&format!("{from} to {name}"), &schemes, 60, seed));
        }
    }
    plans
}

#[test]
fn from_standard_accounting() {
    check(&Database::Sqlite, &plans_from(0));
}

#[test]
fn from_cash_accounting() {
    check(&Database::Sqlite, &plans_from(1));
}

#[test]
fn from_the_flat_rate_of_what_was_invoiced() {
    check(&Database::Sqlite, &plans_from(2));
}

#[test]
fn from_the_flat_rate_of_what_was_received() {
    check(&Database::Sqlite, &plans_from(3));
}

#[test]
fn from_each_scheme_to_the_next_on_postgresql() {
    let Some(database) = Database::postgresql() else { return };
    let count = SCHEMES.len();
    let to_next = |first: usize| plans_from(first).into_iter().skip((first + 1) % count).step_by(count);
    check(&database, &(0..count).flat_map(to_next).collect::<Vec<Plan>>());
}
