//! Which open items add up to a payment, and how a payment relates to what a set of items comes to.

use super::book::portion;

/// A deduction that a contractor makes from every item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deduction {
    /// Percent of what it is taken from.
    pub(super) percent: i64,
    /// Taken from the amount before 20 % VAT.
    pub(super) before_vat: bool,
}

impl Deduction {
    pub(super) const ALL: [Self; 4] = [
        Self { percent: 20, before_vat: false },
        Self { percent: 30, before_vat: false },
        Self { percent: 20, before_vat: true },
        Self { percent: 30, before_vat: true },
    ];

    /// What is paid of an amount.
    pub(super) fn paid(self, pence: i128) -> i128 {
        let base = if self.before_vat { portion(pence, 100, 120) } else { pence };
        pence - portion(base, self.percent, 100)
    }
}

/// Items of one contact are tried in sums up to this many at once, and this many of them.
const MOST_ADDENDS: usize = 4;
const MOST_TRIED: usize = 12;

/// A statement is paid from its start to somewhere; longer ones are not tried.
pub(super) const LONGEST_STATEMENT: usize = 240;

/// A sum that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sum {
    /// Places in the amounts given.
    pub(super) places: Vec<usize>,
    /// There is another sum of as many items.
    pub(super) ambiguous: bool,
}

/// Two to four of the first twelve amounts that come to the target, give or take `slack` for each: as few as can be,
/// those that stand first.
pub(super) fn sum_of_few(amounts: &[i128], target: i128, slack: i128) -> Option<Sum> {
    let amounts = amounts.get(..MOST_TRIED).unwrap_or(amounts);
    for size in 2..=MOST_ADDENDS.min(amounts.len()) {
        let mut search = Search {
            amounts,
            slack: slack * i128::try_from(size).unwrap_or(1),
            chosen: Vec::new(),
            found: None,
            another: false,
        };
        search.descend(0, size, target);
        if let Some(places) = search.found {
            return Some(Sum { places, ambiguous: search.another });
        }
    }
    None
}

struct Search<'a> {
    amounts: &'a [i128],
    slack: i128,
    chosen: Vec<usize>,
    found: Option<Vec<usize>>,
    another: bool,
}

impl Search<'_> {
    fn descend(&mut self, from: usize, left: usize, target: i128) {
        if left == 0 {
            if target.abs() <= self.slack {
                if self.found.is_some() {
                    self.another = true;
                } else {
                    self.found = Some(self.chosen.clone());
                }
            }
            return;
        }
        for place in from..=self.amounts.len().saturating_sub(left) {
            let Some(amount) = self.amounts.get(place).copied() else { return };
            if self.another || amount > target + self.slack {
                continue;
            }
            self.chosen.push(place);
            self.descend(place + 1, left - 1, target - amount);
            self.chosen.pop();
        }
    }
}

/// How many of the amounts, from the first on, come to the target: a whole statement, or one up to some day.
pub(super) fn sum_of_first(amounts: &[i128], target: i128, slack: i128) -> Option<usize> {
    let mut total = 0;
    for (count, amount) in amounts.iter().take(LONGEST_STATEMENT).enumerate() {
        total += amount;
        let count = count + 1;
        if count >= 2 && (total - target).abs() <= slack * i128::try_from(count).unwrap_or(1) {
            return Some(count);
        }
        if total > target + slack * i128::try_from(count).unwrap_or(1) {
            return None;
        }
    }
    None
}

/// How a payment relates to what a set of items comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    Exact,
    /// Less this deduction from each item.
    Deducted(Deduction),
    /// Less a deduction from the labour in it.
    DeductedFromPart,
    /// A little less.
    Short,
    /// In another currency.
    Exchanged,
    /// A little more.
    Over,
    /// A part of it.
    Part,
}

impl Relation {
    /// What it counts when several readings compete.
    pub(super) const fn score(self) -> u32 {
        match self {
            Self::Exact => 3000,
            Self::Deducted(_) => 2200,
            Self::DeductedFromPart => 1500,
            Self::Short | Self::Exchanged | Self::Over => 1400,
            Self::Part => 1000,
        }
    }
}

/// The deduction that, taken from each of the amounts, leaves `paid`, to a penny for each.
pub(super) fn deduction(amounts: &[i128], credit: i128, paid: i128) -> Option<Deduction> {
    let slack = i128::try_from(amounts.len()).unwrap_or(1);
    Deduction::ALL.into_iter().find(|deduction| {
        let total: i128 = amounts.iter().map(|amount| deduction.paid(*amount)).sum();
        (total - credit - paid).abs() <= slack
    })
}

/// True when `part` is at least so many per cent of `whole`.
pub(super) fn at_least(part: i128, whole: i128, percent: i128) -> bool {
    part.checked_mul(100).zip(whole.checked_mul(percent)).is_some_and(|(part, whole)| part >= whole)
}

/// A half, a third, a quarter, tenths: what people agree to pay first.
pub(super) fn is_round_share(part: i128, whole: i128) -> bool {
    [2, 3, 4, 10].into_iter().any(|pieces| (1..pieces).any(|share| (portion(whole, share, pieces) - part).abs() <= 1))
}
