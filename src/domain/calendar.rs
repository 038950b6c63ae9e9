//! Calendar dates and months, without time zones.

use std::cell::Cell;

use chrono::{DateTime, Datelike as _, NaiveDate};

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

/// Reads an exact `YYYY-MM-DD` that is a real date of the years 0001 to 9999 (proleptic Gregorian).
pub fn parse_date(text: &str) -> Option<NaiveDate> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes.get(4) != Some(&b'-') || bytes.get(7) != Some(&b'-') {
        return None;
    }
    let number = |from: usize, to: usize| {
        bytes
            .get(from..to)?
            .iter()
            .try_fold(0_u32, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0')))
    };
    let year = number(0, 4).filter(|year| *year >= 1)?;
    NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, number(5, 7)?, number(8, 10)?)
}

/// A moment as RFC 3339 text in UTC with milliseconds, the form of every `date-time` in responses.
pub fn date_time_text(at_ms: i64) -> String {
    DateTime::from_timestamp_millis(at_ms).unwrap_or_default().to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_real_dates_are_read() {
        assert!(parse_date("2024-02-29").is_some());
        assert!(parse_date("0001-01-01").is_some());
        assert!(parse_date("9999-12-31").is_some());
        for text in ["2023-02-29", "2024-2-9", "2024-13-01", "0000-01-01", "2024-01-01 ", "+024-01-01", "２０24-01-1"]
        {
            assert!(parse_date(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn months_are_utc() {
        assert_eq!(Month::of_ms(0).to_string(), "1970-01");
        assert_eq!(Month::of_ms(1_798_761_599_999).to_string(), "2026-12");
        assert_eq!(Month::of_ms(1_798_761_600_000).to_string(), "2027-01");
    }
}
