//! Shares of amounts in whole pence, and the calendar.

use super::known::{Code, Day, Pence};

/// `amount × numerator / denominator` in whole pence, half a penny away from zero.
pub fn share(amount: Pence, numerator: i64, denominator: i64) -> Pence {
    let (product, by) = (i128::from(amount) * i128::from(numerator), i128::from(denominator));
    let (product, by) = if by < 0 { (-product, -by) } else { (product, by) };
    let rounded = (2 * product.abs() + by) / (2 * by);
    i64::try_from(rounded * product.signum()).expect("an amount in pence")
}

/// The VAT in an amount that includes it.
pub fn vat_within(gross: Pence, code: Code) -> Pence {
    share(gross, code.rate(), 100 + code.rate())
}

/// The day of a date.
pub fn day(year: i64, month: i64, day_of_month: i64) -> Day {
    // Years begin in March, so that the leap day is the last of one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day_of_month - 1 - 719_468
}

/// The year, month and day of the month.
pub fn date(of: Day) -> (i64, i64, i64) {
    let mut year = 1970 + of.div_euclid(366);
    while day(year + 1, 1, 1) <= of {
        year += 1;
    }
    let mut month = 12;
    while day(year, month, 1) > of {
        month -= 1;
    }
    (year, month, of - day(year, month, 1) + 1)
}

/// The same day six months later, or the last of that month.
pub(super) fn six_months_after(of: Day) -> Day {
    let (year, month, day_of_month) = date(of);
    let months = year * 12 + month - 1 + 6;
    let first = |months: i64| day(months.div_euclid(12), months.rem_euclid(12) + 1, 1);
    (first(months) + day_of_month - 1).min(first(months + 1) - 1)
}
