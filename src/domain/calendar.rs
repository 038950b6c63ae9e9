//! Months and moments; calendar dates are day numbers in [`super::date`].

use std::cell::Cell;

use chrono::{DateTime, Datelike as _};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// 1970-01-01 counted from 0001-01-01 as day 1.
const DAYS_TO_1970: i32 = 719_163;

/// A month, counted from year 0 (`year * 12 + month - 1`), so that later months are larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month(pub i64);

impl Month {
    /// The month (UTC) that holds a moment given in milliseconds since 1970-01-01.
    pub fn of_ms(at_ms: i64) -> Self {
        thread_local! {
            /// The day last computed: nearly every call is about today.
            static DAY: Cell<(i64, i64)> = const { Cell::new((i64::MIN, 0)) };
        }
        let day = at_ms.div_euclid(DAY_MS);
        let (known, month) = DAY.get();
        if known == day {
            return Self(month);
        }
        let moment = DateTime::from_timestamp_millis(at_ms).unwrap_or_default();
        let month = i64::from(moment.year()) * 12 + i64::from(moment.month0());
        DAY.set((day, month));
        Self(month)
    }
}

impl std::fmt::Display for Month {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:04}-{:02}", self.0.div_euclid(12), self.0.rem_euclid(12) + 1)
    }
}

/// The day number of a moment in a time zone; in UTC when the zone is unknown.
pub fn day_in(timezone: &str, at_ms: i64) -> i32 {
    let moment = DateTime::from_timestamp_millis(at_ms).unwrap_or_default();
    let date = match timezone.parse::<chrono_tz::Tz>() {
        Ok(zone) => moment.with_timezone(&zone).date_naive(),
        Err(_) => moment.date_naive(),
    };
    day_number(date)
}

/// Whether there is such a time zone (IANA name).
pub fn is_timezone(name: &str) -> bool {
    name.parse::<chrono_tz::Tz>().is_ok()
}

/// Every name [`is_timezone`] knows.
pub fn timezones() -> impl Iterator<Item = &'static str> {
    chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name())
}

/// The day number (`domain::date`) of a calendar date.
pub fn day_number(date: chrono::NaiveDate) -> i32 {
    date.num_days_from_ce() - DAYS_TO_1970
}

/// The calendar date of a day number.
pub fn date_of(day: i32) -> chrono::NaiveDate {
    chrono::NaiveDate::from_num_days_from_ce_opt(day.saturating_add(DAYS_TO_1970)).unwrap_or_default()
}

/// The month a day lies in.
pub fn month_of_day(day: i32) -> Month {
    let date = date_of(day);
    Month(i64::from(date.year()) * 12 + i64::from(date.month0()))
}

/// The first day of a month.
pub fn first_day(month: Month) -> i32 {
    let year = i32::try_from(month.0.div_euclid(12)).unwrap_or_default();
    let number = u32::try_from(month.0.rem_euclid(12)).unwrap_or_default() + 1;
    chrono::NaiveDate::from_ymd_opt(year, number, 1).map(day_number).unwrap_or_default()
}

/// A day number as `YYYY-MM-DD`.
pub fn day_text(day: i32) -> String {
    String::from_utf8_lossy(&super::date::format(day)).into_owned()
}

/// Reads an RFC 3339 moment into milliseconds since 1970-01-01.
pub fn moment_ms(text: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(text).ok().map(|moment| moment.timestamp_millis())
}

/// A moment as RFC 3339 text in UTC with milliseconds, the form of every `date-time` in responses.
pub fn date_time_text(at_ms: i64) -> String {
    DateTime::from_timestamp_millis(at_ms).unwrap_or_default().to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_utc() {
        assert_eq!(Month::of_ms(0).to_string(), "1970-01");
        assert_eq!(Month::of_ms(1_798_761_599_999).to_string(), "2026-12");
        assert_eq!(Month::of_ms(1_798_761_600_000).to_string(), "2027-01");
    }

    #[test]
    fn days_are_those_of_the_zone() {
        let day = |text| crate::domain::date::parse(text).unwrap();
        // 2026-03-31T23:30:00Z is already April in British summer time.
        let late = moment_ms("2026-03-31T23:30:00Z").unwrap();
        assert_eq!(day_in("Europe/London", late), day("2026-04-01"));
        assert_eq!(day_in("UTC", late), day("2026-03-31"));
        assert_eq!(day_in("America/New_York", late), day("2026-03-31"));
        assert!(is_timezone("Asia/Tokyo") && !is_timezone("Mars/Base"));
        for text in ["1970-01-01", "2024-02-29", "1900-01-01", "2199-12-31"] {
            assert_eq!(day_number(date_of(day(text))), day(text), "{text}");
            assert_eq!(day_text(day(text)), text);
        }
        assert_eq!(first_day(month_of_day(day("2024-02-29"))), day("2024-02-01"));
    }
}
