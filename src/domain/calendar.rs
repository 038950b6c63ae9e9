//! Months, moments and time zones; calendar dates are in [`super::date`].

use std::cell::Cell;

use chrono::{DateTime, Datelike as _};

use super::date::Date;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

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

    /// The month that holds a date.
    pub fn of(date: Date) -> Self {
        let (year, month, _) = date.civil();
        Self(i64::from(year) * 12 + i64::from(month) - 1)
    }
}

impl std::fmt::Display for Month {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:04}-{:02}", self.0.div_euclid(12), self.0.rem_euclid(12) + 1)
    }
}

/// The date of a moment in a time zone; in UTC when the zone is unknown.
pub fn date_in(timezone: &str, at_ms: i64) -> Date {
    let moment = DateTime::from_timestamp_millis(at_ms).unwrap_or_default();
    let date = match timezone.parse::<chrono_tz::Tz>() {
        Ok(zone) => moment.with_timezone(&zone).date_naive(),
        Err(_) => moment.date_naive(),
    };
    Date::from(date)
}

/// Whether there is such a time zone (IANA name).
pub fn is_timezone(name: &str) -> bool {
    name.parse::<chrono_tz::Tz>().is_ok()
}

/// Every name [`is_timezone`] knows.
pub fn timezones() -> impl Iterator<Item = &'static str> {
    chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name())
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
    fn dates_are_those_of_the_zone() {
        let date = |text| Date::parse(text).unwrap();
        // 2026-03-31T23:30:00Z is already April in British summer time.
        let late = moment_ms("2026-03-31T23:30:00Z").unwrap();
        assert_eq!(date_in("Europe/London", late), date("2026-04-01"));
        assert_eq!(date_in("UTC", late), date("2026-03-31"));
        assert_eq!(date_in("America/New_York", late), date("2026-03-31"));
        assert!(is_timezone("Asia/Tokyo") && !is_timezone("Mars/Base"));
        assert_eq!(Month::of(date("2024-02-29")), Month::of_ms(moment_ms("2024-02-29T12:00:00Z").unwrap()));
    }
}
