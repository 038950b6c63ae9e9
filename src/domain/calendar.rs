//! Months and moments; calendar dates are day numbers in [`super::date`].

use std::cell::Cell;

use chrono::{DateTime, Datelike as _};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A month, counted from year 0 (`year * 12 + month - 1`), so that later months are larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month(pub i64);

impl Month {
    /// The month (UTC) that holds a moment given in milliseconds since 1970-01-01.
    pub fn of_ms(at_ms: i64) -> Self {
        thread_local! {
            /// The day last asked about: nearly every question is about today.
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
}
