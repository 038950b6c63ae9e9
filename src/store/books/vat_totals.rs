//! The sums of entries of VAT by day and month, which are added to the stored sums.

use std::collections::BTreeMap;

use Column::{Number, Text};

use crate::domain::date::{Date, Month};
use crate::store::sql::{Column, Rows};

/// Organisation, side, VAT code, basis, reverse charge (empty when there is none), period, and the day whose percentage of the
/// flat rate counts ([`crate::domain::ledger::year_end::NO_DAY`] when it is the own one).
type VatKey<P> = (i64, &'static str, &'static str, &'static str, &'static str, P, Date);

/// Net, VAT and the number of entries.
type VatSums = (i64, i64, i64);

/// Totals of VAT by day.
pub(super) type VatDays = BTreeMap<VatKey<Date>, VatSums>;

/// The rows of totals by day and by month, from totals by day.
pub(super) fn vat_totals(days: &VatDays) -> (Rows, Rows) {
    const fn columns(period: Column) -> [Column; 10] {
        [
            Number("organisation_id"),
            Text("side"),
            Text("vat_code"),
            Text("basis"),
            Text("reverse_charge"),
            period,
            Number("rate_day"),
            Number("net"),
            Number("vat"),
            Number("entries"),
        ]
    }
    const DAY: &[Column] = &columns(Number("day"));
    const MONTH: &[Column] = &columns(Number("month"));
    const ADD_DAY: &str = "on conflict (organisation_id, side, vat_code, basis, reverse_charge, day, rate_day) do update set \
         net = t.net + excluded.net, vat = t.vat + excluded.vat, entries = t.entries + excluded.entries";
    const ADD_MONTH: &str = "on conflict (organisation_id, side, vat_code, basis, reverse_charge, month, rate_day) do update set \
         net = t.net + excluded.net, vat = t.vat + excluded.vat, entries = t.entries + excluded.entries";
    let push =
        |rows: &mut Rows, (organisation, side, code, basis, charge, period, rate): VatKey<i64>, sums: VatSums| {
            rows.push([
                organisation.into(),
                side.into(),
                code.into(),
                basis.into(),
                charge.into(),
                period.into(),
                i64::from(rate).into(),
                sums.0.into(),
                sums.1.into(),
                sums.2.into(),
            ]);
        };
    let mut of_days = Rows::new("vat_day", DAY, ADD_DAY);
    let mut months: BTreeMap<VatKey<i64>, VatSums> = BTreeMap::new();
    for ((organisation, side, code, basis, charge, date, rate), sums) in days {
        push(&mut of_days, (*organisation, side, code, basis, charge, i64::from(*date), *rate), *sums);
        let month = months.entry((*organisation, side, code, basis, charge, Month::of(*date).0, *rate)).or_default();
        month.0 += sums.0;
        month.1 += sums.1;
        month.2 += sums.2;
    }
    let mut of_months = Rows::new("vat_month", MONTH, ADD_MONTH);
    for (key, sums) in months {
        push(&mut of_months, key, sums);
    }
    (of_days, of_months)
}
