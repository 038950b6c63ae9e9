//! Which dates may be posted on: the one rule of the period lock, and what a void may be dated.

use super::refusal::Refusal;
use crate::domain::date::Date;

/// The first date the books take.
pub const FIRST_DATE: Date = Date::from_civil(1900, 1, 1);

/// The last date the books take.
pub const LAST_DATE: Date = Date::from_civil(2199, 12, 31);

/// Refuses a posting date in the locked period. Every posting, on every path, asks this and nothing else.
pub fn require_open(date: Date, lock_date: Option<Date>) -> Result<(), Refusal> {
    match lock_date {
        Some(lock_date) if date <= lock_date => {
            Err(Refusal::PeriodLocked { lock_date, date, earliest_date: lock_date + 1 })
        }
        _ => Ok(()),
    }
}

/// The first date at or after `date` that is open.
pub fn first_open(date: Date, lock_date: Option<Date>) -> Date {
    lock_date.map_or(date, |lock_date| date.max(lock_date + 1))
}

/// The date of a reversal: what was asked for; else the date of what is voided, which must then be open, or the `earliest`
/// there may be. A reversal is never before what it reverses, nor before something that was settled with it was released
/// again.
pub fn void_date(own: Date, earliest: Date, asked: Option<Date>, lock_date: Option<Date>) -> Result<Date, Refusal> {
    let date = match asked {
        Some(asked) => asked,
        None => {
            require_open(own, lock_date)?;
            earliest
        }
    };
    if date < earliest {
        return Err(Refusal::field(
            "void_date",
            "must not be before what is voided, or before its last allocation was released",
        ));
    }
    require_open(date, lock_date)?;
    Ok(date)
}

/// Where a change of the lock date goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockMove {
    /// Nothing changes.
    Same,
    /// More is locked: any role that may write.
    Forward,
    /// Less is locked, or nothing any more: owner and admin only.
    Back,
}

/// Tells where a change of the lock date goes; it may not be in the future.
pub fn move_lock(current: Option<Date>, wanted: Option<Date>, today: Date) -> Result<LockMove, Refusal> {
    if wanted.is_some_and(|wanted| wanted > today) {
        return Err(Refusal::field("lock_date", "must not be in the future"));
    }
    // `None` is before every date, as an order of options has it.
    Ok(match wanted.cmp(&current) {
        std::cmp::Ordering::Less => LockMove::Back,
        std::cmp::Ordering::Equal => LockMove::Same,
        std::cmp::Ordering::Greater => LockMove::Forward,
    })
}

/// Whether a date is the first of a VAT period: periods last `months` (1, 3 or 12) and one of them ends with the month
/// `end_month` (1 to 12).
pub fn starts_vat_period(date: Date, months: i32, end_month: i32) -> bool {
    let (_, month, day_of_month) = date.civil();
    day_of_month == 1 && (month - 1 - end_month).rem_euclid(months.max(1)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        Date::parse(text).unwrap()
    }

    #[test]
    fn the_lock_date_itself_is_locked_and_the_next_day_is_open() {
        let lock = Some(date("2025-04-30"));
        assert_eq!(require_open(date("2025-05-01"), lock), Ok(()));
        assert_eq!(require_open(date("1900-01-01"), None), Ok(()));
        assert_eq!(
            require_open(date("2025-04-30"), lock),
            Err(Refusal::PeriodLocked {
                lock_date: date("2025-04-30"),
                date: date("2025-04-30"),
                earliest_date: date("2025-05-01")
            })
        );
        assert_eq!(first_open(date("2025-04-02"), lock), date("2025-05-01"));
        assert_eq!(first_open(date("2025-05-02"), lock), date("2025-05-02"));
        assert_eq!(first_open(date("2025-05-02"), None), date("2025-05-02"));
    }

    #[test]
    fn a_void_is_dated_as_its_document_unless_that_is_locked() {
        let own = date("2025-04-14");
        let lock = Some(date("2025-04-30"));
        assert_eq!(void_date(own, own, None, None), Ok(own));
        let refused =
            Refusal::PeriodLocked { lock_date: date("2025-04-30"), date: own, earliest_date: date("2025-05-01") };
        assert_eq!(void_date(own, own, None, lock), Err(refused));
        assert_eq!(void_date(own, own, Some(date("2025-06-05")), lock), Ok(date("2025-06-05")));
        assert_eq!(void_date(own, own, Some(date("2025-04-30")), lock).unwrap_err().reason(), "period_locked");
        assert_eq!(void_date(own, own, Some(date("2025-04-13")), None).unwrap_err().reason(), "invalid_field");
        // What was settled with it was released after the lock date: still the caller has to choose.
        let released = date("2025-06-01");
        assert_eq!(void_date(own, released, None, lock).unwrap_err().reason(), "period_locked");
        assert_eq!(void_date(own, released, Some(released), lock), Ok(released));
        assert_eq!(void_date(own, released, None, None), Ok(released));
    }

    #[test]
    fn locking_goes_forward_for_everyone_and_back_for_some() {
        let today = date("2025-06-10");
        let may = Some(date("2025-05-31"));
        let april = Some(date("2025-04-30"));
        assert_eq!(move_lock(None, april, today), Ok(LockMove::Forward));
        assert_eq!(move_lock(april, may, today), Ok(LockMove::Forward));
        assert_eq!(move_lock(may, april, today), Ok(LockMove::Back));
        assert_eq!(move_lock(may, None, today), Ok(LockMove::Back));
        assert_eq!(move_lock(may, may, today), Ok(LockMove::Same));
        assert!(move_lock(may, Some(today), today).is_ok());
        assert_eq!(move_lock(may, Some(today + 1), today).unwrap_err().reason(), "invalid_field");
    }

    #[test]
    fn vat_periods_follow_their_last_month() {
        assert!(starts_vat_period(date("2025-04-01"), 3, 6));
        assert!(starts_vat_period(date("2025-01-01"), 3, 6));
        assert!(!starts_vat_period(date("2025-05-01"), 3, 6));
        assert!(!starts_vat_period(date("2025-04-02"), 3, 6));
        assert!(starts_vat_period(date("2025-02-01"), 3, 1));
        assert!(starts_vat_period(date("2025-09-01"), 1, 6));
        assert!(starts_vat_period(date("2025-04-01"), 12, 3));
        assert!(!starts_vat_period(date("2025-01-01"), 12, 3));
    }
}
