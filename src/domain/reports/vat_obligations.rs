//! The VAT periods of an organisation as duties: when the return of each is due, and how far it is.

use super::Period;
use crate::domain::date::Date;
use crate::domain::ledger::vat_return::VatPeriods;

/// How far the return of a VAT period is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VatObligationStatus {
    /// The period runs.
    Open,
    /// It is over, and its return can still be in time.
    Due,
    /// The day by which its return was due is over.
    Overdue,
    /// A person has recorded what was declared.
    Recorded,
}

impl VatObligationStatus {
    /// The word shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Due => "due",
            Self::Overdue => "overdue",
            Self::Recorded => "recorded",
        }
    }
}

/// A VAT period and its return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VatObligation {
    /// The days declared.
    pub period: Period,
    /// When the return and the payment are due.
    pub due_date: Date,
    /// How far the return is.
    pub status: VatObligationStatus,
}

/// What the VAT periods of an organisation follow from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VatCalendar {
    /// How long periods are, and where they end.
    pub periods: VatPeriods,
    /// The periods of recorded returns, in any order. They stay as they were declared when the length of periods changes.
    pub recorded: Vec<Period>,
    /// The first day of the books.
    pub books_start_date: Option<Date>,
}

impl VatCalendar {
    /// The periods from the one that today is in back to the first day of the books, each day in one of them. Where that day is
    /// not known they begin with the first recorded one, else with the last that is over, as the deadlines of the dashboard do.
    pub fn obligations(&self, today: Date) -> impl Iterator<Item = VatObligation> {
        let running = self.period_until(self.periods.around(today).1);
        let first_recorded = self.recorded.iter().map(|period| period.first).min();
        let start = self.books_start_date.or(first_recorded).unwrap_or(running.first - 1);
        std::iter::successors(Some(running), |period| Some(self.period_until(period.first - 1)))
            .take_while(move |period| start <= period.last)
            .map(move |period| self.obligation(period, today))
    }

    /// The period that ends on a day, or is to be taken as ending there because the next one is recorded otherwise.
    fn period_until(&self, last: Date) -> Period {
        let recorded = self.recorded.iter().find(|period| period.first <= last && last <= period.last);
        recorded.copied().unwrap_or_else(|| {
            let (first, _) = self.periods.around(last);
            let declared = self.recorded.iter().map(|period| period.last + 1).filter(|next| *next <= last).max();
            Period { first: declared.map_or(first, |next| first.max(next)), last }
        })
    }

    fn obligation(&self, period: Period, today: Date) -> VatObligation {
        let due_date = VatPeriods::due_date(period.last);
        let status = if self.recorded.contains(&period) {
            VatObligationStatus::Recorded
        } else if today <= period.last {
            VatObligationStatus::Open
        } else if today <= due_date {
            VatObligationStatus::Due
        } else {
            VatObligationStatus::Overdue
        };
        VatObligation { period, due_date, status }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text).expect("a date")
    }

    fn period((first, last): (&str, &str)) -> Period {
        Period { first: date(first), last: date(last) }
    }

    /// The obligations in words, newest first.
    fn said(
        (months, end_month): (i32, i32),
        recorded: &[(&str, &str)],
        start: Option<&str>,
        today: &str,
    ) -> Vec<String> {
        let calendar = VatCalendar {
            periods: VatPeriods { months, end_month },
            recorded: recorded.iter().copied().map(period).collect(),
            books_start_date: start.map(date),
        };
        let one = |one: VatObligation| {
            format!("{} {} {} {}", one.period.first, one.period.last, one.due_date, one.status.as_str())
        };
        calendar.obligations(date(today)).map(one).collect()
    }

    #[test]
    fn a_period_is_open_then_due_then_overdue() {
        for (today, expected) in [
            ("2026-03-31", "2026-01-01 2026-03-31 2026-05-07 open"),
            ("2026-04-01", "2026-01-01 2026-03-31 2026-05-07 due"),
            ("2026-05-07", "2026-01-01 2026-03-31 2026-05-07 due"),
            ("2026-05-08", "2026-01-01 2026-03-31 2026-05-07 overdue"),
        ] {
            let all = said((3, 3), &[], Some("2026-02-01"), today);
            assert_eq!(all.last().map(String::as_str), Some(expected), "{today}: {all:?}");
        }
    }

    #[test]
    fn periods_reach_back_to_the_first_day_of_the_books() {
        assert_eq!(
            said((3, 3), &[], Some("2025-09-30"), "2026-02-10"),
            [
                "2026-01-01 2026-03-31 2026-05-07 open",
                "2025-10-01 2025-12-31 2026-02-07 overdue",
                "2025-07-01 2025-09-30 2025-11-07 overdue",
            ]
        );
        assert_eq!(said((12, 2), &[], Some("2024-02-29"), "2024-03-01").len(), 2);
        assert_eq!(said((1, 6), &[], Some("2026-02-10"), "2026-02-10"), ["2026-02-01 2026-02-28 2026-04-07 open"]);
        assert_eq!(said((1, 6), &[], Some("2027-01-01"), "2026-02-10"), [""; 0], "the books begin later");
    }

    #[test]
    fn without_a_first_day_of_the_books_they_begin_as_on_the_dashboard() {
        let ended = "2025-10-01 2025-12-31 2026-02-07 overdue";
        assert_eq!(said((3, 3), &[], None, "2026-02-10"), ["2026-01-01 2026-03-31 2026-05-07 open", ended]);
        let all = said((3, 3), &[("2025-04-01", "2025-06-30")], None, "2026-02-10");
        assert_eq!((all.len(), all[3].as_str()), (4, "2025-04-01 2025-06-30 2025-08-07 recorded"));
    }

    #[test]
    fn recorded_periods_stay_as_they_were_when_their_length_changes() {
        let quarters = [("2025-07-01", "2025-09-30"), ("2025-10-01", "2025-12-31")];
        assert_eq!(
            said((1, 3), &quarters, Some("2025-07-01"), "2026-02-10"),
            [
                "2026-02-01 2026-02-28 2026-04-07 open",
                "2026-01-01 2026-01-31 2026-03-07 due",
                "2025-10-01 2025-12-31 2026-02-07 recorded",
                "2025-07-01 2025-09-30 2025-11-07 recorded",
            ]
        );
        let months = [("2025-12-01", "2025-12-31"), ("2026-01-01", "2026-01-31")];
        assert_eq!(
            said((3, 3), &months, Some("2025-10-01"), "2026-02-10"),
            [
                "2026-02-01 2026-03-31 2026-05-07 open",
                "2026-01-01 2026-01-31 2026-03-07 recorded",
                "2025-12-01 2025-12-31 2026-02-07 recorded",
                "2025-10-01 2025-11-30 2026-01-07 overdue",
            ]
        );
    }

    #[test]
    fn every_day_since_the_start_is_in_exactly_one_period() {
        let recorded = [("2024-03-01", "2024-05-31"), ("2024-07-01", "2024-07-31"), ("2025-01-01", "2025-12-31")];
        for months in [1, 3, 12] {
            for end_month in 1..=12 {
                let calendar = VatCalendar {
                    periods: VatPeriods { months, end_month },
                    recorded: recorded.iter().copied().map(period).collect(),
                    books_start_date: Some(date("2023-05-17")),
                };
                let all: Vec<Period> = calendar.obligations(date("2026-02-28")).map(|one| one.period).collect();
                assert!(all.iter().all(|one| one.first <= one.last), "{months} {end_month}");
                let adjoin = |pair: &[Period]| pair[1].last + 1 == pair[0].first;
                assert!(all.windows(2).all(adjoin), "{months} {end_month}: {all:?}");
                let oldest = all.last().expect("some").first;
                assert!(oldest <= date("2023-05-17"), "{months} {end_month}");
                assert_eq!(recorded.iter().filter(|one| all.contains(&period(**one))).count(), 3);
            }
        }
    }
}
