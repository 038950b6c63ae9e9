//! Financial years: which day of the year they end on, and since when. They tile time: each begins on the day after the
//! one before has ended, and a year whose end is changed is short or long.

use crate::domain::date::Date;
use crate::domain::ledger::journal::FIRST_DATE;
use crate::domain::ledger::refusal::Refusal;

/// The most months a financial year may have (Companies Act 2006, sections 391 and 392).
const MONTHS_MAX: i32 = 18;

/// The last day of a financial year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct YearEnd {
    month: u8,
    date: u8,
}

impl YearEnd {
    /// The end of March, that of a new organisation.
    pub const MARCH: Self = Self { month: 3, date: 31 };

    /// Reads `MM-DD`; both `02-28` and `02-29` mean the last day of February.
    pub fn parse(text: &str) -> Option<Self> {
        let &[m1, m2, b'-', d1, d2] = text.as_bytes() else { return None };
        let digit = |byte: u8| byte.is_ascii_digit().then(|| byte - b'0');
        let month = digit(m1)? * 10 + digit(m2)?;
        let date = digit(d1)? * 10 + digit(d2)?;
        let last = match month {
            2 => 29,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        (1..=last).contains(&date).then_some(Self { month, date })
    }

    /// Whether both mean the same day of every year.
    pub fn is_same_day(self, other: Self) -> bool {
        self == other || (self.is_end_of_february() && other.is_end_of_february())
    }

    const fn is_end_of_february(self) -> bool {
        self.month == 2 && self.date >= 28
    }

    /// The day in a calendar year; none outside of the years 1 to 9999.
    fn in_year(self, year: i32) -> Option<Date> {
        if self.is_end_of_february() {
            return Date::of_civil(year, 3, 1).map(|march| march - 1);
        }
        Date::of_civil(year, i32::from(self.month), i32::from(self.date))
    }

    /// The first such day that is not before a date.
    fn on_or_after(self, date: Date) -> Option<Date> {
        let (year, ..) = date.civil();
        [year, year + 1].into_iter().filter_map(|year| self.in_year(year)).find(|end| *end >= date)
    }

    /// The last such day that is not after a date.
    fn on_or_before(self, date: Date) -> Option<Date> {
        let (year, ..) = date.civil();
        [year, year - 1].into_iter().filter_map(|year| self.in_year(year)).find(|end| *end <= date)
    }
}

impl std::fmt::Display for YearEnd {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:02}-{:02}", self.month, self.date)
    }
}

/// A financial year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinancialYear {
    /// Its first day.
    pub first: Date,
    /// Its last day.
    pub last: Date,
}

/// Which year end applies when: the year ends by the day from which on years end there, the first since ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinancialYears {
    /// Never empty.
    from: Vec<(Date, YearEnd)>,
}

impl FinancialYears {
    /// Years that have always ended on the same day.
    pub fn since_ever(year_end: YearEnd) -> Self {
        Self { from: vec![(FIRST_DATE, year_end)] }
    }

    /// From year ends and the days from which on years end there; none without any.
    pub fn new(mut from: Vec<(Date, YearEnd)>) -> Option<Self> {
        from.sort_by_key(|(date, _)| *date);
        (!from.is_empty()).then_some(Self { from })
    }

    /// The year ends and the days from which on years end there, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (Date, YearEnd)> {
        self.from.iter().copied()
    }

    /// The year end of the latest years.
    pub fn year_end(&self) -> YearEnd {
        self.from.last().map_or(YearEnd::MARCH, |(_, year_end)| *year_end)
    }

    /// The year that a date lies in.
    pub fn year_of(&self, date: Date) -> FinancialYear {
        let last = self.spans().find_map(|(first, last, year_end)| {
            let from = first.max(date);
            year_end.on_or_after(from).filter(|end| from <= last && *end <= last)
        });
        let before = self.spans().rev().find_map(|(first, last, year_end)| {
            let until = last.min(date - 1);
            year_end.on_or_before(until).filter(|end| first <= until && first <= *end && *end < date)
        });
        FinancialYear { first: before.map_or(Date::MIN, |end| end + 1), last: last.unwrap_or(Date::MAX) }
    }

    /// The years of which at least a day lies in a span, in their order.
    pub fn years(&self, first: Date, last: Date) -> impl Iterator<Item = FinancialYear> {
        let next = move |year: &FinancialYear| (year.last < last).then(|| self.year_of(year.last + 1));
        std::iter::successors((first <= last).then(|| self.year_of(first)), next)
    }

    /// The years after a change of the year end: that of the years that end after the lock date. The locked years stay, so
    /// the first of the others is short or long; one of more than 18 months is refused.
    pub fn changed(&self, year_end: YearEnd, lock_date: Option<Date>) -> Result<Self, Refusal> {
        let Some(lock_date) = lock_date else { return Ok(Self::since_ever(year_end)) };
        let from = lock_date + 1;
        let mut next = self.clone();
        next.from.retain(|(begun, _)| *begun < from);
        if !next.from.last().is_some_and(|(_, before)| before.is_same_day(year_end)) {
            next.from.push((from, year_end));
        }
        let FinancialYear { first, last } = next.year_of(from);
        if last >= months_after(first, MONTHS_MAX) {
            let message = "would make the first year that is not locked longer than 18 months";
            return Err(Refusal::field("financial_year_end", message));
        }
        Ok(next)
    }

    /// The first and last day on which years end by each year end.
    fn spans(&self) -> impl DoubleEndedIterator<Item = (Date, Date, YearEnd)> {
        self.from.iter().enumerate().map(|(at, (from, year_end))| {
            let first = if at == 0 { Date::MIN } else { *from };
            let last = self.from.get(at + 1).map_or(Date::MAX, |(next, _)| *next - 1);
            (first, last, *year_end)
        })
    }
}

/// The day of the month so many months later; the first of the next where the month has no such day.
fn months_after(date: Date, months: i32) -> Date {
    let (year, month, day) = date.civil();
    let counted = year * 12 + month - 1 + months;
    let of = |counted: i32, day: i32| Date::of_civil(counted.div_euclid(12), counted.rem_euclid(12) + 1, day);
    of(counted, day).or_else(|| of(counted + 1, 1)).unwrap_or(Date::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    fn end(text: &str) -> YearEnd {
        YearEnd::parse(text).unwrap()
    }

    /// The first and last day of the year of a date.
    fn year(years: &FinancialYears, of: &str) -> (String, String) {
        let year = years.year_of(date(of));
        (year.first.to_string(), year.last.to_string())
    }

    fn days(first: &str, last: &str) -> (String, String) {
        (first.to_owned(), last.to_owned())
    }

    #[test]
    fn year_ends_are_days_of_the_year() {
        for text in ["03-31", "02-28", "02-29", "04-05", "12-31"] {
            assert_eq!(end(text).to_string(), text);
        }
        for text in ["02-30", "04-31", "13-01", "00-10", "3-31", "03/31", "03-00"] {
            assert_eq!(YearEnd::parse(text), None, "{text}");
        }
        assert!(end("02-28").is_same_day(end("02-29")) && !end("02-27").is_same_day(end("02-28")));
    }

    #[test]
    fn a_year_holds_its_first_and_its_last_day() {
        let march = FinancialYears::since_ever(end("03-31"));
        assert_eq!(year(&march, "2026-03-31"), days("2025-04-01", "2026-03-31"));
        assert_eq!(year(&march, "2026-04-01"), days("2026-04-01", "2027-03-31"));
        let april = FinancialYears::since_ever(end("04-05"));
        assert_eq!(year(&april, "2026-04-05"), days("2025-04-06", "2026-04-05"));
        assert_eq!(year(&april, "2026-04-06"), days("2026-04-06", "2027-04-05"));
        let december = FinancialYears::since_ever(end("12-31"));
        assert_eq!(year(&december, "2026-01-01"), days("2026-01-01", "2026-12-31"));
    }

    #[test]
    fn february_ends_on_its_last_day() {
        for text in ["02-28", "02-29"] {
            let february = FinancialYears::since_ever(end(text));
            assert_eq!(year(&february, "2024-02-29"), days("2023-03-01", "2024-02-29"));
            assert_eq!(year(&february, "2024-03-01"), days("2024-03-01", "2025-02-28"));
            assert_eq!(year(&february, "1900-02-28"), days("1899-03-01", "1900-02-28"));
            assert_eq!(year(&february, "2000-02-28"), days("1999-03-01", "2000-02-29"));
        }
        let before = FinancialYears::since_ever(end("02-27"));
        assert_eq!(year(&before, "2024-02-28"), days("2024-02-28", "2025-02-27"));
    }

    #[test]
    fn a_change_makes_one_short_or_long_year_after_the_lock() {
        let march = FinancialYears::since_ever(end("03-31"));
        let short = march.changed(end("12-31"), Some(date("2025-04-30"))).unwrap();
        let years: Vec<_> =
            short.years(date("2025-03-31"), date("2027-01-01")).map(|year| year.last.to_string()).collect();
        assert_eq!(years, ["2025-03-31", "2025-12-31", "2026-12-31", "2027-12-31"]);
        let long = march.changed(end("09-30"), Some(date("2026-01-31"))).unwrap();
        assert_eq!(year(&long, "2026-01-31"), days("2025-04-01", "2026-09-30"));
        assert_eq!(year(&long, "2026-10-01"), days("2026-10-01", "2027-09-30"));
        // A second change looks at the years the first one left.
        let again = long.changed(end("06-30"), Some(date("2026-06-29"))).unwrap();
        assert_eq!(year(&again, "2026-07-01"), days("2026-07-01", "2027-06-30"));
        assert_eq!(year(&again, "2026-06-30"), days("2025-04-01", "2026-06-30"));
        // What was to come is replaced; without a lock, all is.
        let back = long.changed(end("03-31"), Some(date("2025-06-30"))).unwrap();
        assert_eq!(back, march);
        assert_eq!(short.changed(end("06-30"), None).unwrap(), FinancialYears::since_ever(end("06-30")));
    }

    #[test]
    fn a_year_has_at_most_eighteen_months() {
        let march = FinancialYears::since_ever(end("03-31"));
        let from = |day: &str, lock: &str| march.changed(end(day), Some(date(lock)));
        assert_eq!(year(&from("09-30", "2025-12-31").unwrap(), "2026-01-01"), days("2025-04-01", "2026-09-30"));
        let refused = from("10-01", "2025-12-31").unwrap_err();
        assert_eq!(
            (refused.reason(), refused.message().split(':').next()),
            ("invalid_field", Some("financial_year_end"))
        );
        // The day after the lock may be a year of its own.
        assert_eq!(year(&from("04-01", "2025-03-31").unwrap(), "2025-04-01"), days("2025-04-01", "2025-04-01"));
        // From 31 August, eighteen months end with February.
        let august = FinancialYears::since_ever(end("08-30"));
        assert!(august.changed(end("02-28"), Some(date("2025-07-31"))).is_ok());
        assert!(august.changed(end("03-01"), Some(date("2025-07-31"))).is_err());
    }

    #[test]
    fn time_before_and_after_all_years_belongs_to_one() {
        let february = FinancialYears::since_ever(end("02-28"));
        assert_eq!(february.year_of(Date::MIN), FinancialYear { first: Date::MIN, last: date("0001-02-28") });
        assert_eq!(february.year_of(Date::MAX), FinancialYear { first: date("9999-03-01"), last: Date::MAX });
        assert_eq!(february.years(date("2026-01-02"), date("2026-01-01")).count(), 0);
    }

    /// Changes of the year end, each under a later or earlier lock.
    fn changes() -> impl Strategy<Value = Vec<(u8, u8, i32)>> {
        prop::collection::vec((1_u8..=12, 1_u8..=31, 18_000_i32..22_000), 0..6)
    }

    proptest! {
        #[test]
        fn years_tile_time_and_locked_ones_never_move(changes in changes(), first in 17_000_i32..23_000) {
            let mut years = FinancialYears::since_ever(end("03-31"));
            for (month, day, lock) in changes {
                let Some(year_end) = YearEnd::parse(&format!("{month:02}-{day:02}")) else { continue };
                let lock = Date::numbered(lock);
                let Ok(next) = years.changed(year_end, Some(lock)) else { continue };
                // Every balance of a locked day counts from the same day as before.
                for back in 0..400 {
                    prop_assert_eq!(next.year_of(lock - back).first, years.year_of(lock - back).first);
                }
                years = next;
                prop_assert!(years.year_end().is_same_day(year_end));
            }
            let (first, last) = (Date::numbered(first), Date::numbered(first) + 2_000);
            let listed: Vec<_> = years.years(first, last).collect();
            prop_assert!(listed[0].first <= first && listed[listed.len() - 1].last >= last);
            for pair in listed.windows(2) {
                prop_assert_eq!(pair[1].first, pair[0].last + 1);
            }
            for year in &listed {
                prop_assert!(year.first <= year.last);
                for date in [year.first, year.last, year.first + (year.last - year.first) / 2] {
                    prop_assert_eq!(years.year_of(date), *year);
                }
            }
        }
    }
}
