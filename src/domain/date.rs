//! Calendar dates as day numbers since 1970-01-01, for the years 0001 to 9999 of
//! the proleptic Gregorian calendar.

/// Day number of 0001-01-01.
pub const FIRST_DAY: i32 = -719_162;

/// Day number of 9999-12-31.
pub const LAST_DAY: i32 = 2_932_896;

/// Reads exactly `YYYY-MM-DD`; `None` when it is anything else or no real date.
pub fn parse(text: &str) -> Option<i32> {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return None };
    let digit = |byte: u8| byte.is_ascii_digit().then(|| i32::from(byte - b'0'));
    let year = digit(y1)? * 1000 + digit(y2)? * 100 + digit(y3)? * 10 + digit(y4)?;
    let month = digit(m1)? * 10 + digit(m2)?;
    let day = digit(d1)? * 10 + digit(d2)?;
    let real = year >= 1 && (1..=12).contains(&month) && day >= 1 && day <= days_in(year, month);
    real.then(|| number(year, month, day))
}

/// Writes a day number as `YYYY-MM-DD`.
pub fn format(day_number: i32) -> [u8; 10] {
    let (year, month, day) = civil(day_number);
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

fn days_in(year: i32, month: i32) -> i32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Years are counted from March, so that the leap day is the last of its year.
fn number(year: i32, month: i32, day: i32) -> i32 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

fn civil(day_number: i32) -> (i32, i32, i32) {
    let days = day_number + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let year = year_of_era + era * 400;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_number_has_one_date() {
        for day in FIRST_DAY..=LAST_DAY {
            let text = format(day);
            assert_eq!(parse(std::str::from_utf8(&text).unwrap()), Some(day));
        }
        assert_eq!(parse("1970-01-01"), Some(0));
        assert_eq!(parse("0001-01-01"), Some(FIRST_DAY));
        assert_eq!(parse("9999-12-31"), Some(LAST_DAY));
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
            assert_eq!(parse(text), None, "{text}");
        }
        assert!(parse("2000-02-29").is_some());
    }
}
