//! Calendar dates, for the years 0001 to 9999 of the proleptic Gregorian calendar; months, moments and time zones.

use std::cell::Cell;
use std::fmt;
use std::ops::{Add, Sub};

use chrono::{DateTime, Datelike as _, NaiveDate};
use serde::{Serialize, Serializer};

/// A calendar date, held as the number of days since 1970-01-01. It is printed and serialized as `YYYY-MM-DD`.
///
/// A date and a number of days make a date, and two dates have a number of days between them. A date that would lie
/// outside of [`Date::MIN`] and [`Date::MAX`] becomes that bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(i32);

impl Date {
    /// 0001-01-01, before every date of the books.
    pub const MIN: Self = Self(-719_162);

    /// 9999-12-31.
    pub const MAX: Self = Self(2_932_896);

    /// The date that is so many days after 1970-01-01; `None` outside of the years 0001 to 9999.
    pub const fn from_day_number(day_number: i32) -> Option<Self> {
        if day_number < Self::MIN.0 || day_number > Self::MAX.0 { None } else { Some(Self(day_number)) }
    }

    /// A date of constants.
    ///
    /// # Panics
    /// If there is no such date; in a constant, that is an error of compilation.
    pub const fn from_civil(year: i32, month: i32, day: i32) -> Self {
        assert!(is_real(year, month, day), "no such date");
        Self(day_number(year, month, day))
    }

    /// The date of a year, a month and a day of the month; `None` when there is no such date.
    pub const fn of_civil(year: i32, month: i32, day: i32) -> Option<Self> {
        if is_real(year, month, day) { Some(Self(day_number(year, month, day))) } else { None }
    }

    /// How many days the date is after 1970-01-01; negative before it.
    pub const fn day_number(self) -> i32 {
        self.0
    }

    /// Reads exactly `YYYY-MM-DD`; `None` when it is anything else or no real date.
    pub fn parse(text: &str) -> Option<Self> {
        let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return None };
        let digit = |byte: u8| byte.is_ascii_digit().then(|| i32::from(byte - b'0'));
        let year = digit(y1)? * 1000 + digit(y2)? * 100 + digit(y3)? * 10 + digit(y4)?;
        let month = digit(m1)? * 10 + digit(m2)?;
        let day = digit(d1)? * 10 + digit(d2)?;
        Self::of_civil(year, month, day)
    }

    /// The date as `YYYY-MM-DD`.
    pub fn to_ascii(self) -> [u8; 10] {
        let (year, month, day) = self.civil();
        let digit = |value: i32| b'0' + u8::try_from(value.rem_euclid(10)).unwrap_or(0);
        [
            digit(year / 1000),
            digit(year / 100),
            digit(year / 10),
            digit(year),
            b'-',
            digit(month / 10),
            digit(month),
            b'-',
            digit(day / 10),
            digit(day),
        ]
    }

    /// Year, month (1 to 12) and day of the month (1 to 31).
    pub const fn civil(self) -> (i32, i32, i32) {
        let days = self.0 + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let year = year_of_era + era * 400;
        if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
    }

    /// The first date of the month that the date lies in.
    pub const fn first_of_month(self) -> Self {
        let (_, _, day) = self.civil();
        Self(self.0 - day + 1)
    }

    /// The same day a year earlier; 28 February for 29 February.
    pub fn year_before(self) -> Self {
        self.months_later(-12)
    }

    /// The same day so many months later; the last day of that month when it has no such day.
    pub fn months_later(self, months: i32) -> Self {
        let (year, month, day) = self.civil();
        let count = year.saturating_mul(12).saturating_add(month - 1).saturating_add(months);
        let (year, month) = (count.div_euclid(12).clamp(1, 9_999), count.rem_euclid(12) + 1);
        Self(day_number(year, month, day.min(days_in(year, month))))
    }

    /// As people write it: `14 Apr 2025`.
    pub fn written_out(self) -> String {
        let (_, _, day) = self.civil();
        format!("{day} {}", Month::of(self).written_out())
    }

    /// How many days lie between two dates, whichever is the later one.
    pub const fn abs_diff(self, other: Self) -> u32 {
        self.0.abs_diff(other.0)
    }

    fn clamped(day_number: i32) -> Self {
        Self(day_number).clamp(Self::MIN, Self::MAX)
    }
}

/// A year outside of 1 to 9999 becomes the nearest date there is.
impl From<NaiveDate> for Date {
    fn from(date: NaiveDate) -> Self {
        Self::clamped(date.num_days_from_ce() + Self::MIN.0 - 1)
    }
}

impl From<Date> for NaiveDate {
    fn from(date: Date) -> Self {
        Self::from_num_days_from_ce_opt(date.0 - Date::MIN.0 + 1).unwrap_or_default()
    }
}

/// The day number, as the database holds it.
impl From<Date> for i64 {
    fn from(date: Date) -> Self {
        Self::from(date.0)
    }
}

impl Add<i32> for Date {
    type Output = Self;

    fn add(self, days: i32) -> Self {
        Self::clamped(self.0.saturating_add(days))
    }
}

impl Sub<i32> for Date {
    type Output = Self;

    fn sub(self, days: i32) -> Self {
        Self::clamped(self.0.saturating_sub(days))
    }
}

impl Sub for Date {
    /// Days from the other date to this one.
    type Output = i32;

    fn sub(self, other: Self) -> i32 {
        self.0 - other.0
    }
}

impl fmt::Display for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ascii = self.to_ascii();
        formatter.pad(std::str::from_utf8(&ascii).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

const fn is_real(year: i32, month: i32, day: i32) -> bool {
    year >= 1 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= days_in(year, month)
}

const fn days_in(year: i32, month: i32) -> i32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Years are counted from March, so that the leap day is the last of its year.
const fn day_number(year: i32, month: i32, day: i32) -> i32 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
impl Date {
    /// The date that is so many days after 1970-01-01.
    pub(crate) const fn numbered(day_number: i32) -> Self {
        Self::from_day_number(day_number).expect("a date")
    }
}

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

    /// The month (1 to 12) of a year.
    pub fn in_year(year: i32, month: i32) -> Self {
        Self(i64::from(year) * 12 + i64::from(month) - 1)
    }

    /// Its first day.
    pub fn first_day(self) -> Date {
        let year = i32::try_from(self.0.div_euclid(12)).unwrap_or(i32::MAX).clamp(1, 9_999);
        let month = i32::try_from(self.0.rem_euclid(12)).unwrap_or_default() + 1;
        Date(day_number(year, month, 1))
    }

    /// Its last day.
    pub fn last_day(self) -> Date {
        Self(self.0 + 1).first_day() - 1
    }

    /// As people write it: `Apr 2025`.
    pub fn written_out(self) -> String {
        const NAMES: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let name = usize::try_from(self.0.rem_euclid(12)).ok().and_then(|month| NAMES.get(month)).unwrap_or(&"");
        format!("{name} {}", self.0.div_euclid(12))
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
    fn months_later_is_the_same_day_or_the_last_there_is() {
        let later = |text: &str, months: i32| Date::parse(text).unwrap().months_later(months).to_string();
        assert_eq!(later("2025-08-31", 6), "2026-02-28");
        assert_eq!(later("2027-08-31", 6), "2028-02-29");
        assert_eq!(later("2025-07-15", 6), "2026-01-15");
        assert_eq!(later("2025-12-31", 1), "2026-01-31");
        assert_eq!(later("2025-01-31", -2), "2024-11-30");
    }

    #[test]
    fn days_are_written_out() {
        assert_eq!(Date::parse("2025-04-14").unwrap().written_out(), "14 Apr 2025");
        assert_eq!(Date::parse("2199-12-01").unwrap().written_out(), "1 Dec 2199");
    }

    #[test]
    fn every_day_number_has_one_date() {
        for number in Date::MIN.day_number()..=Date::MAX.day_number() {
            let date = Date::from_day_number(number).unwrap();
            let text = date.to_ascii();
            assert_eq!(Date::parse(std::str::from_utf8(&text).unwrap()), Some(date));
        }
        for number in (Date::MIN.day_number()..=Date::MAX.day_number()).step_by(97) {
            let date = Date::numbered(number);
            assert_eq!(Date::from(NaiveDate::from(date)), date);
            assert_eq!(date.first_of_month().civil(), (date.civil().0, date.civil().1, 1));
        }
        assert_eq!(Date::parse("1970-01-01"), Date::from_day_number(0));
        assert_eq!(Date::parse("0001-01-01"), Some(Date::MIN));
        assert_eq!(Date::parse("9999-12-31"), Some(Date::MAX));
    }

    #[test]
    fn days_are_added_up_to_the_last_date_there_is() {
        let date = |text| Date::parse(text).unwrap();
        assert_eq!(date("2024-02-28") + 2, date("2024-03-01"));
        assert_eq!(date("2024-03-01") - 2, date("2024-02-28"));
        assert_eq!(date("2024-03-01") - date("2024-02-28"), 2);
        assert_eq!(Date::MAX + 1, Date::MAX);
        assert_eq!(date("2024-03-01") + i32::MAX, Date::MAX);
        assert_eq!(Date::MIN - i32::MAX, Date::MIN);
        assert_eq!(Date::from_day_number(Date::MAX.day_number() + 1), None);
        assert_eq!(Date::from_day_number(Date::MIN.day_number() - 1), None);
    }

    #[test]
    fn a_date_is_printed_as_it_is_read() {
        let date = Date::parse("0987-06-05").unwrap();
        assert_eq!((date.to_string(), format!("{date:?}")), ("0987-06-05".to_owned(), "0987-06-05".to_owned()));
        assert_eq!(serde_json::to_string(&date).unwrap(), "\"0987-06-05\"");
    }

    #[test]
    fn dates_that_do_not_exist_are_refused() {
        for text in [
            "0000-01-01",
            "2023-02-29",
            "1900-02-29",
            "2024-13-01",
            "2024-00-10",
            "2024-04-31",
            "2024-1-1",
            "2024-01-1x",
            " 2024-01-01",
            "2024/01/01",
            "24-01-01",
            "",
        ] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
        assert!(Date::parse("2000-02-29").is_some());
    }
}

#[cfg(test)]
mod calendar_tests {
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
