//! The position under the Construction Industry Scheme: what was paid to subcontractors and withheld, by payment date.

use crate::domain::ledger::cis::net_of_settled;
use crate::domain::ledger::money::Pence;

/// What CIS withheld and was withheld in a period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CisPosition {
    /// By subcontractor and rate, by name, id and rate; those paid in the period.
    pub subcontractors: Vec<CisSubcontractor>,
    /// What is owed to HMRC at the period's end.
    pub payable_balance_pence: i64,
    /// What customers withheld from us in the period.
    pub suffered_pence: i64,
}

/// What was paid to a subcontractor in a period of bills with one rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CisSubcontractor {
    /// Who.
    pub supplier_id: i64,
    /// Their name now.
    pub name: String,
    /// Unique taxpayer reference.
    pub utr: Option<String>,
    /// HMRC's verification.
    pub verification_number: Option<String>,
    /// Percent, that of the bills.
    pub deduction_rate: i64,
    /// Payments without VAT.
    pub payments_pence: i64,
    /// Of which materials.
    pub materials_pence: i64,
    /// Of which liable to deduction.
    pub liable_pence: i64,
    /// Deducted.
    pub deducted_pence: i64,
}

/// What a bill is, with what was paid of it and what credit takes off it.
pub(crate) struct Bill {
    pub(crate) contact_id: i64,
    /// Percent.
    pub(crate) rate: i64,
    /// −1 of a credit note, whose refunds take payments back.
    pub(crate) sign: i64,
    pub(crate) parts: Parts,
    pub(crate) payments: Vec<Event<Paid>>,
    pub(crate) credit: Vec<Event<Parts>>,
}

/// The parts of a document.
#[derive(Clone, Copy, Default)]
pub(crate) struct Parts {
    pub(crate) gross: Pence,
    pub(crate) net: Pence,
    pub(crate) materials: Pence,
    /// What is neither work nor materials.
    pub(crate) rest: Pence,
}

/// Something that counts from one day to another.
pub(crate) struct Event<T> {
    pub(crate) from: i32,
    pub(crate) released: Option<i32>,
    pub(crate) what: T,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Paid {
    pub(crate) settled: Pence,
    pub(crate) deducted: Pence,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Figures {
    pub(crate) payments: Pence,
    pub(crate) materials: Pence,
    pub(crate) liable: Pence,
    pub(crate) deducted: Pence,
}

impl<T: Copy> Event<T> {
    pub(crate) fn on(&self, day: i32) -> Option<T> {
        (self.from <= day && self.released.is_none_or(|released| day < released)).then_some(self.what)
    }
}

impl Parts {
    pub(crate) fn of(net: i64, vat: i64, labour: i64, materials: i64) -> Self {
        let rest = Pence(net - labour - materials);
        Self { gross: Pence(net + vat), net: Pence(net), materials: Pence(materials), rest }
    }

    /// The part of it that an amount is.
    pub(crate) fn part(self, amount: Pence) -> Self {
        let part = |of: Pence| net_of_settled(of, amount, self.gross);
        Self { gross: amount, net: part(self.net), materials: part(self.materials), rest: part(self.rest) }
    }

    pub(crate) fn without(self, other: Self) -> Self {
        Self {
            gross: self.gross - other.gross,
            net: self.net - other.net,
            materials: self.materials - other.materials,
            rest: self.rest - other.rest,
        }
    }
}

impl Bill {
    /// What stands for the part that is settled at the end of a day, without VAT; the last payment completes it. Credit
    /// moves nothing by itself: the next payment is reckoned with it, as its deduction is.
    pub(crate) fn figures(&self, end: i32) -> Figures {
        let days = self.payments.iter().flat_map(|one| [Some(one.from), one.released]).flatten();
        let Some(last) = days.filter(|day| *day <= end).max() else { return Figures::default() };
        let credit = self.credit.iter().filter_map(|one| one.on(last));
        let left = credit.fold(self.parts, Parts::without);
        let paid = self.payments.iter().filter_map(|one| one.on(end)).fold(Paid::default(), |sum, one| Paid {
            settled: sum.settled + one.settled,
            deducted: sum.deducted + one.deducted,
        });
        let Parts { net: payments, materials, rest, .. } = left.part(paid.settled);
        Figures { payments, materials, liable: payments - materials - rest, deducted: paid.deducted }
    }

    pub(crate) fn of_period(&self, from: i32, to: i32) -> Figures {
        let (before, after) = (self.figures(from.saturating_sub(1)), self.figures(to));
        let between = |before: Pence, after: Pence| Pence((after - before).0 * self.sign);
        Figures {
            payments: between(before.payments, after.payments),
            materials: between(before.materials, after.materials),
            liable: between(before.liable, after.liable),
            deducted: between(before.deducted, after.deducted),
        }
    }
}
