//! Days that descriptions speak of: a wage of `week 15 Jul`, takings of `1402`, which is the fourteenth of February.

use crate::domain::date::Date;

/// How far a named month may lie from the row's own date.
const NEAR_MONTH_DAYS: i32 = 60;

/// How far four digits may lie from it: they may be anything.
const NEAR_DIGITS_DAYS: i32 = 10;

/// The day a description speaks of, nearest to the row's own, by number; none where it speaks of none near by.
pub(super) fn mentioned_day(description: &str, day: i32) -> Option<i32> {
    let bytes = description.as_bytes();
    let mut found = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if !byte.is_ascii_digit() {
            at += 1;
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let stands_alone = at == 0 || bytes.get(at - 1).is_none_or(|before| !before.is_ascii_alphanumeric());
        at += digits;
        let behind = bytes.get(at..).unwrap_or_default();
        let number = |from: usize, count: usize| {
            let digits = rest.get(from..from + count)?;
            Some(digits.iter().fold(0_i32, |number, digit| number * 10 + i32::from(digit - b'0')))
        };
        let near = match digits {
            1 | 2 => number(0, digits)
                .zip(named_month(behind))
                .and_then(|(of_month, month)| nearest(of_month, month, day, NEAR_MONTH_DAYS)),
            4 if stands_alone && behind.first().is_none_or(|next| !next.is_ascii_alphanumeric()) => number(0, 2)
                .zip(number(2, 2))
                .and_then(|(of_month, month)| nearest(of_month, month, day, NEAR_DIGITS_DAYS)),
            _ => None,
        };
        if near.is_some() {
            found = near;
        }
    }
    found
}

/// The month that the next word names, whole or cut to three letters and more, behind a space, a dash or nothing.
fn named_month(bytes: &[u8]) -> Option<i32> {
    const MONTHS: [&[u8]; 12] = [
        b"january",
        b"february",
        b"march",
        b"april",
        b"may",
        b"june",
        b"july",
        b"august",
        b"september",
        b"october",
        b"november",
        b"december",
    ];
    let letters = match bytes {
        [b' ' | b'-' | b'/', rest @ ..] => rest,
        rest => rest,
    };
    let length = letters.iter().take_while(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()).count();
    let word = letters.get(..length)?;
    let is_named =
        |name: &[u8]| word.len() >= 3 && name.get(..word.len()).is_some_and(|short| word.eq_ignore_ascii_case(short));
    (1..).zip(MONTHS).find(|(_, name)| is_named(name)).map(|(month, _)| month)
}

/// The day of that name that is nearest to another, if it is no farther than so many days.
fn nearest(of_month: i32, month: i32, day: i32, most: i32) -> Option<i32> {
    let (year, ..) = Date::from_day_number(day)?.civil();
    let days = [year - 1, year, year + 1].into_iter().filter_map(|year| Date::of_civil(year, month, of_month));
    days.map(Date::day_number).min_by_key(|found| (found - day).abs()).filter(|found| (found - day).abs() <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_where_a_month_is_named_or_four_digits_are_near() {
        let day = |text: &str| Date::parse(text).unwrap().day_number();
        for (text, on, wanted) in [
            ("week 15 Jul", "2016-07-14", Some("2016-07-15")),
            ("Takings 30JAN", "2015-02-03", Some("2015-01-30")),
            ("PDQ 31-Dec", "2016-01-02", Some("2015-12-31")),
            ("Zettlepay 11240628 2702", "2015-03-03", Some("2015-02-27")),
            ("Inv 2702", "2015-07-03", None),
            ("30 Febr", "2015-02-03", None),
            ("Marks 12 market", "2015-03-12", None),
            ("FLAT 12 MAYFIELD", "2015-05-12", None),
            ("1 Sept", "2015-09-05", Some("2015-09-01")),
            ("3 June wages", "2015-06-05", Some("2015-06-03")),
            ("K7 12x 99 Juli 3", "2015-07-03", None),
            ("caf\u{e9} 1\u{e9}", "2015-07-03", None),
        ] {
            assert_eq!(mentioned_day(text, day(on)), wanted.map(day), "{text}");
        }
    }
}
