//! Cash accounting: the VAT of a document counts as far as it is paid, whatever the order and the parts.

use std::collections::{BTreeMap, BTreeSet};

use super::allocation::{Allocation, Document};
use super::money::Pence;
use super::vat::{Side, Split, VatCode};
use crate::domain::date::Date;
use crate::domain::ledger::vat::{Basis, CodeTotals, VatEntry, VatOrigin};

/// Net and VAT by code that a document has contributed to returns up to a day.
///
/// `(VAT − VAT of credit) × payments / (gross − credit)`, rounded once, so that the last payment always completes it.
/// Credit against an unpaid invoice moves nothing, until no more is left of it to be paid: then what credit has left of its
/// VAT counts. Credit that is declared on its own counts as a payment.
pub fn recognised(document: &Document, date: Date) -> CodeTotals {
    recognised_of(document, date, date)
}

/// The same, of the payments from up to `last` alone.
fn recognised_of(document: &Document, date: Date, last: Date) -> CodeTotals {
    let counts = |one: &&Allocation| one.counts_on(date);
    let (payments, credit): (Vec<_>, Vec<_>) =
        document.allocations.iter().filter(counts).partition(|one| one.is_payment());
    let paid: Pence = payments.into_iter().filter(|one| one.date <= last).map(Allocation::settled).sum();
    let credited: Pence = credit.iter().map(|one| one.amount).sum();
    let taken_off = credit.iter().flat_map(|one| one.credit.iter()).collect();
    let left = document.by_code.without(&taken_off);
    match document.gross - credited {
        Pence::ZERO => left.part(Pence(1), Pence(1)),
        to_pay => left.part(paid, to_pay),
    }
}

/// The VAT that waits for the payment of a document at the end of a day: what is to be declared, or when negative, reclaimed.
pub fn waiting(document: &Document, date: Date) -> Pence {
    let credit = document.allocations.iter().filter(|one| one.counts_on(date) && !one.is_payment());
    let taken_off = credit.flat_map(|one| one.credit.iter()).collect();
    let vat = document.by_code.without(&taken_off).total().vat - recognised(document, date).total().vat;
    match (document.kind.side(), document.kind.is_credit_note()) {
        (Side::Output, false) | (Side::Input, true) => vat,
        (Side::Output, true) | (Side::Input, false) => -vat,
    }
}

/// What a document has contributed up to a day, by the day whose percentage of the flat rate counts: each payment at that of
/// its own day, to which belongs what it adds to the payments of the days before; and where credit left nothing to be paid, at that
/// of the last credit. Without turnover of the flat rate there is no such day.
fn contributed(document: &Document, date: Date) -> Vec<(Option<Date>, CodeTotals)> {
    if document.basis != Some(Basis::FlatRateCash) {
        return vec![(None, recognised(document, date))];
    }
    let counting = || document.allocations.iter().filter(|one| one.counts_on(date));
    let mut days: BTreeSet<Date> = counting().filter(|one| one.is_payment()).map(|one| one.date).collect();
    if days.is_empty() {
        days.extend(counting().map(|one| one.date).max());
    }
    let mut before = CodeTotals::default();
    let mut contributed = Vec::with_capacity(days.len());
    for day in days {
        let with_day = recognised_of(document, date, day);
        contributed.push((Some(day), with_day.without(&before)));
        before = with_day;
    }
    contributed
}

/// The day something counts, the day whose percentage of the flat rate it takes, and its code.
type ScheduleKey = (Date, Option<Date>, VatCode);

/// What a document contributes on each day.
fn schedule(document: &Document) -> BTreeMap<ScheduleKey, Split> {
    let days: BTreeSet<Date> =
        document.allocations.iter().flat_map(|one| [Some(one.date), one.released_on]).flatten().collect();
    let mut before = Vec::new();
    let mut schedule = BTreeMap::new();
    for date in days {
        let now = contributed(document, date);
        add(&mut schedule, date, &now, 1);
        add(&mut schedule, date, &before, -1);
        before = now;
    }
    schedule
}

/// Adds what is contributed to a day, or takes it off.
fn add(schedule: &mut BTreeMap<ScheduleKey, Split>, date: Date, contributed: &[(Option<Date>, CodeTotals)], sign: i64) {
    for (rate_date, totals) in contributed {
        for (code, amount) in totals.iter() {
            let sum = schedule.entry((date, *rate_date, code)).or_default();
            *sum = Split { net: sum.net + Pence(amount.net.0 * sign), vat: sum.vat + Pence(amount.vat.0 * sign) };
        }
    }
}

/// The entries that take the return from what a document contributed to what it contributes now. Nothing but for
/// documents under cash accounting, and for turnover of the flat rate that counts when it is paid.
pub fn changes(before: &Document, after: &Document) -> Vec<VatEntry> {
    if !after.waits_for_payment() {
        return Vec::new();
    }
    let mut differences = schedule(after);
    for (key, amount) in schedule(before) {
        let difference = differences.entry(key).or_default();
        *difference = Split { net: difference.net - amount.net, vat: difference.vat - amount.vat };
    }
    let sign = if after.kind.is_credit_note() { -1 } else { 1 };
    let entry = |((tax_point, rate_date, code), amount): (ScheduleKey, Split)| {
        let entry = VatEntry {
            side: after.kind.side(),
            code,
            amount: Split { net: Pence(amount.net.0 * sign), vat: Pence(amount.vat.0 * sign) },
            basis: after.basis.map_or(Basis::Cash, Basis::of_entries),
            reverse_charge: None,
            tax_point,
            rate_date: None,
            origin: VatOrigin::Document(after.id),
        };
        entry.at_rate_of(rate_date.unwrap_or(tax_point))
    };
    differences.into_iter().filter(|(_, amount)| *amount != Split::default()).map(entry).collect()
}

#[cfg(test)]
mod tests;
