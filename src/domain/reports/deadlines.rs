//! The days by which returns are made and HMRC is paid, for the dashboard.

use serde::Serialize;
use utoipa::ToSchema;

use super::Period;
use super::cis_return::CisReturn;
use super::vat_return::VatRegistration;
use crate::domain::date::Date;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat_return::VatPeriods;
use crate::domain::mail::long_date;

/// How many VAT returns may be listed: two years of monthly ones.
const VAT_RETURNS_MAX: usize = 24;

/// Something that is to be done by a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Deadline {
    /// What, in words.
    pub what: String,
    /// The last day for it; before today when it is overdue.
    pub due_date: Date,
}

/// The VAT returns that are to be made next: those of the periods that are over and come after the last recorded one, the
/// last alone where none was ever recorded; without any, that of the period that runs. No return is asked for what was before
/// the registration or the books.
pub fn vat_deadlines(
    registration: &VatRegistration,
    (books_start_date, last_recorded): (Option<Date>, Option<Date>),
    today: Date,
) -> Vec<Deadline> {
    let Some(running) = registration.period_of(today) else { return Vec::new() };
    let is_ours = |period: &Period| {
        registration.has_begun_by(period.last) && books_start_date.is_none_or(|start| start <= period.last)
    };
    let returns = if last_recorded.is_some() { VAT_RETURNS_MAX } else { 1 };
    let ended = std::iter::successors(registration.period_of(running.first - 1), |period| {
        registration.period_of(period.first - 1)
    });
    let mut periods: Vec<Period> = ended
        .take_while(|period| is_ours(period) && last_recorded.is_none_or(|recorded| recorded < period.last))
        .take(returns)
        .collect();
    if periods.is_empty() {
        periods.push(running);
    }
    periods.iter().rev().map(Deadline::of_vat_period).collect()
}

/// The returns and payments of a contractor that are to be made next: those of the tax month that ended last until their day
/// is over, then those of the one that runs. Nothing is paid for a month in which nothing was withheld.
pub fn cis_deadlines(
    ended: &CisReturn,
    running: &CisReturn,
    books_start_date: Option<Date>,
    today: Date,
) -> Vec<Deadline> {
    let is_ours = books_start_date.is_none_or(|start| start <= ended.tax_month_end);
    let next = |due: fn(&CisReturn) -> Date| if is_ours && today <= due(ended) { ended } else { running };
    let filed = next(|month| month.due_date);
    let paid = next(|month| month.payment_due_date);
    let mut deadlines = vec![Deadline {
        what: format!("CIS return for the tax month to {}", long_date(filed.tax_month_end)),
        due_date: filed.due_date,
    }];
    if Pence(paid.totals.total_deducted.0) > Pence::ZERO {
        deadlines.push(Deadline {
            what: format!("Payment to HMRC of CIS deductions for the tax month to {}", long_date(paid.tax_month_end)),
            due_date: paid.payment_due_date,
        });
    }
    deadlines
}

impl Deadline {
    fn of_vat_period(period: &Period) -> Self {
        Self {
            what: format!(
                "VAT return, and payment if VAT is due, for {} to {}",
                long_date(period.first),
                long_date(period.last)
            ),
            due_date: VatPeriods::due_date(period.last),
        }
    }
}

impl VatRegistration {
    /// The VAT period of a day; none when nobody is registered, or the registration begins after it.
    pub fn period_of(&self, date: Date) -> Option<Period> {
        let (first, last) = self.periods.around(date);
        (self.is_registered && self.has_begun_by(last)).then_some(Period { first, last })
    }

    /// Whether a scheme applied on a day or before.
    fn has_begun_by(&self, date: Date) -> bool {
        self.schemes.iter().next().is_some_and(|(from, _)| from <= date)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ledger::vat::{VatHistory, VatScheme};

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    /// The due dates of the returns of quarters that end with March, June and so on.
    fn due(from: &str, known: (Option<&str>, Option<&str>), today: &str) -> Vec<String> {
        let registration = VatRegistration {
            is_registered: true,
            number: None,
            periods: VatPeriods { months: 3, end_month: 3 },
            schemes: VatHistory::new(vec![(date(from), VatScheme::Standard)]),
        };
        let known = (known.0.map(date), known.1.map(date));
        let deadlines = vat_deadlines(&registration, known, date(today));
        deadlines.iter().map(|one| one.due_date.to_string()).collect()
    }

    #[test]
    fn a_return_waits_until_it_is_recorded() {
        let since_ever = "2019-04-01";
        for (known, today, expected) in [
            ((None, None), "2026-03-31", vec!["2026-02-07"]),
            ((None, None), "2026-04-01", vec!["2026-05-07"]),
            ((None, Some("2025-12-31")), "2026-03-31", vec!["2026-05-07"]),
            ((None, Some("2025-12-31")), "2026-04-01", vec!["2026-05-07"]),
            ((None, Some("2025-06-30")), "2026-03-31", vec!["2025-11-07", "2026-02-07"]),
            ((Some("2026-01-01"), None), "2026-03-31", vec!["2026-05-07"]),
            ((Some("2025-12-31"), None), "2026-03-31", vec!["2026-02-07"]),
        ] {
            assert_eq!(due(since_ever, known, today), expected, "{known:?} {today}");
        }
        assert_eq!(due(since_ever, (None, Some("2010-03-31")), "2026-03-31").len(), VAT_RETURNS_MAX);
    }

    #[test]
    fn no_return_is_made_for_what_was_before_the_registration() {
        for (from, expected) in [
            ("2025-12-31", vec!["2026-02-07"]),
            ("2026-01-01", vec!["2026-05-07"]),
            ("2026-03-31", vec!["2026-05-07"]),
            ("2026-04-01", vec![]),
        ] {
            assert_eq!(due(from, (None, None), "2026-02-28"), expected, "{from}");
        }
    }

    #[test]
    fn every_day_is_in_one_vat_period() {
        for (months, end_month, day, first, last) in [
            (3, 3, "2026-01-01", "2026-01-01", "2026-03-31"),
            (3, 3, "2026-03-31", "2026-01-01", "2026-03-31"),
            (3, 1, "2026-01-31", "2025-11-01", "2026-01-31"),
            (3, 2, "2024-02-29", "2023-12-01", "2024-02-29"),
            (3, 11, "2026-01-15", "2025-12-01", "2026-02-28"),
            (1, 7, "2026-02-28", "2026-02-01", "2026-02-28"),
            (12, 2, "2026-03-01", "2026-03-01", "2027-02-28"),
            (12, 12, "2026-12-31", "2026-01-01", "2026-12-31"),
        ] {
            let periods = VatPeriods { months, end_month };
            assert_eq!(periods.around(date(day)), (date(first), date(last)), "{months} {end_month} {day}");
            assert_eq!(periods.start_of(date(last)), Some(date(first)));
        }
    }
}
