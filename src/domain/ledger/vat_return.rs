//! The VAT return: the nine boxes from sums of entries and adjustments, the periods it is made for, what came late into
//! recorded ones, and the object that is sent to HMRC.

use std::collections::BTreeMap;

use crate::domain::date::Date;
use crate::domain::ledger::journal::starts_vat_period;
use crate::domain::ledger::money::{Pence, Percent};
use crate::domain::ledger::vat::{Basis, ReverseCharge, Side, Split, VatCode, VatEntry, VatHistory, flat_rate_tax};
use crate::domain::ledger::vat_adjustment::{AdjustmentReason, BoxEntry, VatBox};

/// What decides which boxes an entry counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct VatKind {
    /// On sales or on purchases.
    pub side: Side,
    /// The code.
    pub code: VatCode,
    /// The scheme it was made under.
    pub basis: Basis,
    /// The reverse charge it is under.
    pub reverse_charge: Option<ReverseCharge>,
}

impl VatKind {
    /// Whether it is turnover of the flat rate, of which box 1 takes a percentage.
    pub fn is_flat_rate_turnover(self) -> bool {
        self.basis == Basis::FlatRate && self.side == Side::Output
    }

    /// The numbers of the boxes it counts in: its VAT in 1 and 4, its net in 6 and 7. Of the turnover of the flat rate
    /// net and VAT count in 6, and the percentage in 1 (VAT Notice 733, section 7). The VAT that a supplier does not charge
    /// is due as well as reclaimed (VAT Notices 735 and 741A, section 5).
    pub fn boxes(self) -> &'static [i64] {
        let has_vat = self.code.percent() != 0;
        match (self.side, self.reverse_charge) {
            (Side::Output, None) if has_vat || self.is_flat_rate_turnover() => &[1, 6],
            (Side::Output, _) => &[6],
            (Side::Input, None) if has_vat => &[4, 7],
            (Side::Input, None) => &[7],
            (Side::Input, Some(ReverseCharge::Domestic)) => &[1, 4, 7],
            (Side::Input, Some(ReverseCharge::ImportedServices)) => &[1, 4, 6, 7],
        }
    }
}

impl From<&VatEntry> for VatKind {
    fn from(entry: &VatEntry) -> Self {
        Self { side: entry.side, code: entry.code, basis: entry.basis, reverse_charge: entry.reverse_charge }
    }
}

/// The sum of the entries of a kind on days of one percentage of the flat rate, as far as that percentage counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VatTotal {
    /// One of these days.
    pub date: Date,
    /// A day whose percentage of the flat rate counts: one of these days, or an earlier one whose turnover is taken back.
    pub rate_date: Date,
    /// The kind.
    pub kind: VatKind,
    /// Net and VAT.
    pub amount: Split,
    /// How many entries.
    pub entries: i64,
}

impl From<&VatEntry> for VatTotal {
    fn from(entry: &VatEntry) -> Self {
        Self {
            date: entry.tax_point,
            rate_date: entry.rate_date(),
            kind: VatKind::from(entry),
            amount: entry.amount,
            entries: 1,
        }
    }
}

/// What an adjustment adds to a box on its date, or takes off again on the day from which it is void.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdjustmentMovement {
    /// The adjustment.
    pub id: i64,
    /// The day it counts.
    pub date: Date,
    /// Why the adjustment was made.
    pub reason: AdjustmentReason,
    /// The box, and the amount.
    pub entry: BoxEntry,
}

/// What an adjustment adds, and takes off again when it is void.
pub fn movements(
    id: i64,
    date: Date,
    void_date: Option<Date>,
    reason: AdjustmentReason,
    entries: &[BoxEntry],
) -> Vec<AdjustmentMovement> {
    let added = entries.iter().map(|entry| AdjustmentMovement { id, date, reason, entry: *entry });
    let taken_off = entries.iter().zip(std::iter::repeat(void_date)).filter_map(|(entry, void_date)| {
        let entry = BoxEntry { amount: -entry.amount, ..*entry };
        Some(AdjustmentMovement { id, date: void_date?, reason, entry })
    });
    added.chain(taken_off).collect()
}

/// The boxes of a return, but for 3 and 5, which follow from the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Boxes {
    /// VAT due on sales.
    pub box1: Pence,
    /// VAT due on acquisitions in Northern Ireland.
    pub box2: Pence,
    /// VAT reclaimed on purchases.
    pub box4: Pence,
    /// Sales without VAT; under the flat rate, turnover including VAT.
    pub box6: Pence,
    /// Purchases without VAT.
    pub box7: Pence,
    /// Goods from Northern Ireland to the EU.
    pub box8: Pence,
    /// Acquisitions in Northern Ireland.
    pub box9: Pence,
}

impl Boxes {
    /// Total VAT due.
    pub fn box3(&self) -> Pence {
        self.box1 + self.box2
    }

    /// What is to be paid, or, when negative, reclaimed.
    pub fn net(&self) -> Pence {
        self.box3() - self.box4
    }

    /// The sum of both, box by box.
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            box1: self.box1 + other.box1,
            box2: self.box2 + other.box2,
            box4: self.box4 + other.box4,
            box6: self.box6 + other.box6,
            box7: self.box7 + other.box7,
            box8: self.box8 + other.box8,
            box9: self.box9 + other.box9,
        }
    }

    /// What is left when the other is taken off, box by box.
    pub fn less(&self, other: &Self) -> Self {
        let minus = |amount: Pence| -amount;
        self.plus(&Self {
            box1: minus(other.box1),
            box2: minus(other.box2),
            box4: minus(other.box4),
            box6: minus(other.box6),
            box7: minus(other.box7),
            box8: minus(other.box8),
            box9: minus(other.box9),
        })
    }

    fn add_total(&mut self, total: &VatTotal) {
        let is_turnover = total.kind.is_flat_rate_turnover();
        let value = if is_turnover { total.amount.gross() } else { total.amount.net };
        // The percentage is taken of the sum.
        let vat = if is_turnover { Pence::ZERO } else { total.amount.vat };
        for number in total.kind.boxes() {
            match number {
                1 => self.box1 += vat,
                4 => self.box4 += vat,
                6 => self.box6 += value,
                _ => self.box7 += value,
            }
        }
    }

    /// Adds an amount to a box.
    pub fn add(&mut self, entry: BoxEntry) {
        let part = match entry.vat_box {
            VatBox::One => &mut self.box1,
            VatBox::Two => &mut self.box2,
            VatBox::Four => &mut self.box4,
            VatBox::Six => &mut self.box6,
            VatBox::Seven => &mut self.box7,
            VatBox::Eight => &mut self.box8,
            VatBox::Nine => &mut self.box9,
        };
        *part += entry.amount;
    }
}

/// The percentages of the flat rate by the day they begin on, each different from the one before; the first since ever. They
/// go on after the flat rate ended: what was turnover stays turnover when it is voided or paid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlatRates {
    from: Vec<(Date, Percent)>,
}

impl From<&VatHistory> for FlatRates {
    fn from(history: &VatHistory) -> Self {
        let mut from: Vec<(Date, Percent)> = Vec::new();
        for (date, percent) in history.iter().filter_map(|(date, scheme)| Some((date, scheme.flat_rate()?))) {
            if from.last().is_none_or(|(_, known)| *known != percent) {
                from.push((date, percent));
            }
        }
        Self { from }
    }
}

impl FlatRates {
    /// The number of the stretch of days with one percentage that a day is in.
    fn stretch(&self, date: Date) -> usize {
        self.from.iter().rposition(|(from, _)| *from <= date).unwrap_or(0)
    }

    /// The percentage of a day; none when the flat rate never applied.
    pub fn on(&self, date: Date) -> Option<Percent> {
        self.from.get(self.stretch(date)).map(|(_, percent)| *percent)
    }

    /// The days of a period, after its first, on which another percentage begins.
    pub fn changes_within(&self, first: Date, last: Date) -> Vec<Date> {
        let later = self.from.iter().skip(1).map(|(from, _)| *from);
        later.filter(|from| *from > first && *from <= last).collect()
    }
}

/// What the flat rate makes of a turnover.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlatRateFigures {
    /// Sales including VAT.
    pub turnover: Pence,
    /// The VAT that was charged on it.
    pub charged: Pence,
    /// The percentage of it, rounded once for each stretch of days with one percentage.
    pub tax: Pence,
}

impl FlatRateFigures {
    /// Of the sums of a period.
    pub fn of<'a>(totals: impl IntoIterator<Item = &'a VatTotal>, rates: &FlatRates) -> Self {
        let mut figures = Self::default();
        let mut stretches: BTreeMap<usize, Pence> = BTreeMap::new();
        for total in totals.into_iter().filter(|total| total.kind.is_flat_rate_turnover()) {
            figures.turnover += total.amount.gross();
            figures.charged += total.amount.vat;
            *stretches.entry(rates.stretch(total.rate_date)).or_default() += total.amount.gross();
        }
        let tax = |(stretch, turnover): (usize, Pence)| {
            rates.from.get(stretch).map_or(Pence::ZERO, |(_, percent)| flat_rate_tax(turnover, *percent))
        };
        figures.tax = stretches.into_iter().map(tax).sum();
        figures
    }
}

/// The boxes of the sums and adjustments of a period.
pub fn boxes<'a>(
    totals: &[VatTotal],
    adjustments: impl IntoIterator<Item = &'a AdjustmentMovement>,
    rates: &FlatRates,
) -> Boxes {
    let mut boxes = Boxes::default();
    totals.iter().for_each(|total| boxes.add_total(total));
    boxes.box1 += FlatRateFigures::of(totals, rates).tax;
    adjustments.into_iter().for_each(|movement| boxes.add(movement.entry));
    boxes
}

/// How long VAT periods are, and where they end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VatPeriods {
    /// 1, 3 or 12.
    pub months: i32,
    /// The month that some period ends with, 1 to 12.
    pub end_month: i32,
}

impl VatPeriods {
    /// The first day of the period that ends on a day; none when none does.
    pub fn start_of(self, last: Date) -> Option<Date> {
        let next = last + 1;
        starts_vat_period(next, self.months, self.end_month).then(|| next.months_later(-self.months))
    }

    /// The first and the last day of the period that a day is in.
    pub fn around(self, date: Date) -> (Date, Date) {
        let (_, month, _) = date.civil();
        let months = self.months.max(1);
        let first = date.first_of_month().months_later(-(month - 1 - self.end_month).rem_euclid(months));
        (first, first.months_later(months) - 1)
    }

    /// When the return of a period that ends on a day is due: a month and seven days later (VAT Notice 700, section 21).
    pub fn due_date(last: Date) -> Date {
        (last + 1).months_later(1) + 6
    }
}

/// What was declared for a period, or is to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Declared {
    /// The boxes.
    pub boxes: Boxes,
    /// How many entries and movements of adjustments they were made of.
    pub count: i64,
}

impl Declared {
    /// Of the sums and adjustments of a period.
    pub fn of(totals: &[VatTotal], adjustments: &[AdjustmentMovement], rates: &FlatRates) -> Self {
        let entries: i64 = totals.iter().map(|total| total.entries).sum();
        let movements = i64::try_from(adjustments.len()).unwrap_or(i64::MAX);
        Self { boxes: boxes(totals, adjustments, rates), count: entries + movements }
    }

    /// The sum of both.
    pub fn plus(&self, other: &Self) -> Self {
        Self { boxes: self.boxes.plus(&other.boxes), count: self.count + other.count }
    }

    /// What is left when the other is taken off.
    pub fn less(&self, other: &Self) -> Self {
        Self { boxes: self.boxes.less(&other.boxes), count: self.count - other.count }
    }
}

/// How an error of an earlier return is corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LateMethod {
    /// In the next return.
    NextReturn,
    /// By telling HMRC.
    TellHmrc,
}

impl LateMethod {
    /// Both.
    pub const ALL: [Self; 2] = [Self::NextReturn, Self::TellHmrc];

    /// The word kept and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NextReturn => "next_return",
            Self::TellHmrc => "tell_hmrc",
        }
    }

    /// Reads the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }

    /// By the limits of VAT Notice 700/45, section 4: £10,000, or 1 % of box 6 of the return and £50,000.
    pub fn of(late: &Boxes, box6: Pence) -> Self {
        const ALWAYS_MAX: Pence = Pence(1_000_000);
        const EVER_MAX: Pence = Pence(5_000_000);
        let net = late.net().abs();
        let is_small = i128::from(net.0) * 100 <= i128::from(box6.0);
        if net <= ALWAYS_MAX || (net <= EVER_MAX && is_small) { Self::NextReturn } else { Self::TellHmrc }
    }
}

/// A return: what is declared for its period, and what came late into recorded ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VatReturnFigures {
    /// Of the period itself.
    pub own: Declared,
    /// Of recorded periods before it, as far as no return in between has it.
    pub late: Declared,
    /// What is to be done with that.
    pub method: LateMethod,
}

impl VatReturnFigures {
    /// The figures of a period. `earlier` are the recorded returns of periods before it, each with what its period would
    /// declare now.
    pub fn of(own: Declared, earlier: impl IntoIterator<Item = (Self, Declared)>) -> Self {
        let late = earlier.into_iter().fold(Declared::default(), |late, (recorded, now)| {
            // What a recorded return had of earlier ones is dealt with.
            late.plus(&now).less(&recorded.own).less(&recorded.late)
        });
        Self { own, late, method: LateMethod::of(&late.boxes, own.boxes.box6) }
    }

    /// The boxes that HMRC is sent.
    pub fn submitted(&self) -> Boxes {
        match self.method {
            LateMethod::NextReturn => self.own.boxes.plus(&self.late.boxes),
            LateMethod::TellHmrc => self.own.boxes,
        }
    }
}

/// The boxes of entries under one scheme: those of tests.
#[cfg(test)]
pub fn boxes_of_entries<'a>(
    entries: impl IntoIterator<Item = &'a VatEntry>,
    scheme: crate::domain::ledger::vat::VatScheme,
) -> Boxes {
    let totals: Vec<VatTotal> = entries.into_iter().map(VatTotal::from).collect();
    let history = VatHistory::new(vec![(crate::domain::ledger::journal::FIRST_DATE, scheme)]);
    boxes(&totals, [], &FlatRates::from(&history))
}
