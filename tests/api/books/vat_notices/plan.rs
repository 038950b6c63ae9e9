//! What is to be done: a list of steps that can be shortened, since each makes its own choices.

use super::random::Random;
use crate::books::vat_notice_model::{Day, Scheme, Turnover, date, day};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Opening,
    Sale,
    Purchase,
    CreditNote,
    Settle,
    Refund,
    SetOff,
    Release,
    VoidDocument,
    VoidSettlement,
    Bank,
    Unconfirm,
    Journal,
    VoidJournal,
    Adjust,
    VoidAdjustment,
    WriteOff,
    VoidWriteOff,
    Lock,
    Change(Scheme),
}

#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub what: What,
    pub on: Day,
    /// The last day a void of this step may have.
    pub until: Day,
    pub seed: u64,
}

/// A year and a half of an organisation.
#[derive(Debug, Clone)]
pub struct Plan {
    pub name: String,
    pub first: Scheme,
    pub start: Day,
    /// A VAT period ends with this month.
    pub period_end_month: i64,
    pub steps: Vec<Step>,
}

/// How often each is done.
const OFTEN: [(What, i64); 18] = [
    (What::Sale, 18),
    (What::Purchase, 16),
    (What::CreditNote, 11),
    (What::Settle, 24),
    (What::Refund, 5),
    (What::SetOff, 10),
    (What::Release, 5),
    (What::VoidDocument, 4),
    (What::VoidSettlement, 3),
    (What::Bank, 5),
    (What::Unconfirm, 1),
    (What::Journal, 4),
    (What::VoidJournal, 1),
    (What::Adjust, 2),
    (What::VoidAdjustment, 1),
    (What::WriteOff, 4),
    (What::VoidWriteOff, 2),
    (What::Lock, 1),
];

const PERIODS: i64 = 6;

impl Plan {
    pub fn of(name: &str, schemes: &[Scheme], steps: i64, seed: u64) -> Self {
        let mut random = Random(seed);
        let period_end_month = random.between(1, 3);
        let start = months_after(day(2024, 10, 1), period_end_month % 3);
        let mut plan =
            Self { name: format!("{name} {seed}"), first: schemes[0], start, period_end_month, steps: Vec::new() };
        if random.chance(35) {
            plan.add(What::Opening, start - 1, start, &mut random);
        }
        let count = i64::try_from(schemes.len()).unwrap();
        let mut from = start;
        for (at, scheme) in (0..).zip(schemes) {
            let changes_at = if at + 1 == count { PERIODS } else { PERIODS * (at + 1) / count };
            let next = months_after(start, 3 * changes_at);
            if at > 0 {
                plan.add(What::Change(*scheme), from, next - 1, &mut random);
            }
            let other = random.between(from + 1, next - 1);
            let half = steps / count / 2;
            for step in 0..2 * half {
                if let (true, Scheme::FlatRate { turnover, .. }) = (step == half && random.chance(60), *scheme) {
                    let percent_hundredths = random.between(400, 1_700);
                    plan.add(
                        What::Change(Scheme::FlatRate { percent_hundredths, turnover }),
                        other,
                        next - 1,
                        &mut random,
                    );
                }
                // Some of it comes late, and is dated before the change.
                let is_late = at > 0 && random.chance(15);
                let on = if is_late { random.between(start, from - 1) } else { random.between(from, next - 1) };
                let what = often(&mut random);
                plan.add(what, on, next - 1, &mut random);
            }
            from = next;
        }
        plan
    }

    fn add(&mut self, what: What, on: Day, until: Day, random: &mut Random) {
        self.steps.push(Step { what, on, until, seed: random.number() });
    }

    /// The last day of the year and a half.
    pub fn end(&self) -> Day {
        months_after(self.start, 3 * PERIODS) - 1
    }

    /// Every VAT period, the days around changes, some days on which something happened, and the whole.
    pub fn asked(&self, days: &[Day]) -> Vec<(Day, Day)> {
        let mut asked: Vec<(Day, Day)> = (0..PERIODS)
            .map(|period| (months_after(self.start, 3 * period), months_after(self.start, 3 * period + 3) - 1))
            .collect();
        for step in &self.steps {
            if matches!(step.what, What::Change(_)) {
                asked.extend([(step.on - 1, step.on - 1), (step.on, step.on)]);
            }
        }
        let some = days.iter().enumerate().filter(|(at, _)| at % (days.len() / 3 + 1) == 0);
        asked.extend(some.map(|(_, day)| (*day, *day)));
        asked.push((self.start - 1, self.end()));
        asked
    }
}

fn often(random: &mut Random) -> What {
    let total: i64 = OFTEN.iter().map(|(_, weight)| weight).sum();
    let mut at = random.below(total);
    for (what, weight) in OFTEN {
        at -= weight;
        if at < 0 {
            return what;
        }
    }
    What::Sale
}

/// The first of the month so many months later.
pub fn months_after(of: Day, months: i64) -> Day {
    let (year, month, _) = date(of);
    let months = year * 12 + month - 1 + months;
    day(months.div_euclid(12), months.rem_euclid(12) + 1, 1)
}

/// The schemes that are compared.
pub const SCHEMES: [(&str, Scheme); 4] = [
    ("standard", Scheme::Standard),
    ("cash", Scheme::Cash),
    ("flat rate invoiced", Scheme::FlatRate { percent_hundredths: 950, turnover: Turnover::Invoiced }),
    ("flat rate received", Scheme::FlatRate { percent_hundredths: 1_200, turnover: Turnover::Received }),
];
