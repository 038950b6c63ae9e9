//! What a closing posts, which of its lines count, and in which order years are closed.

use super::*;
use crate::domain::ids::JournalId;
use crate::domain::ledger::financial_year::{FinancialYears, YearEnd};
use crate::domain::ledger::journal::JournalStatus;
use crate::domain::ledger::testing::{books, chart, posted, shown, since_ever};
use crate::domain::ledger::vat::VatScheme;

fn date(text: &str) -> Date {
    Date::parse(text).unwrap()
}

fn year(of: &str) -> FinancialYear {
    FinancialYears::since_ever(YearEnd::MARCH).year_of(date(of))
}

fn closed(of: &str) -> ClosedYear {
    ClosedYear { year: year(of), journal_id: None, previous_lock_date: None }
}

/// Closes the year to 31 March 2026 with these balances: code, of the year, at its end.
fn closing(
    balances: &[(&str, i64, i64)],
    transfers: &[&str],
    known: &[ClosedYear],
    today: &str,
) -> Result<Option<Journal>, Refusal> {
    let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
    let id = |code: &str| chart.with_code(code).unwrap().id;
    let balance = |(code, of_year, at_end): &(&str, i64, i64)| {
        (id(code).0, ClosingBalance { of_year: Pence(*of_year), at_end: Pence(*at_end) })
    };
    let balances = ClosingBalances { year: year("2026-01-01"), accounts: balances.iter().map(balance).collect() };
    let transfers: Vec<_> = transfers.iter().map(|code| id(code)).collect();
    close(&books(&chart, &vat), known, &balances, &transfers, date(today))
}

fn days(journal: &Journal) -> Vec<Date> {
    let chart = chart(true);
    let line = |line: &Line| match &line.target {
        Target::Account(id) => (chart.get(*id).unwrap().account_type.is_profit_and_loss(), line.amount),
        Target::FirstUse(_) => (false, line.amount),
    };
    counting_days(journal.lines.iter().map(line), journal.entry_date)
}

/// The state for which something is refused.
fn current(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::InvalidState { current, .. } => current,
        Refusal::WithMessage { refusal, .. } => current(refusal),
        other => panic!("{other:?}"),
    }
}

#[test]
fn income_and_expenses_of_the_year_go_to_retained_earnings_and_count_on_no_day() {
    let balances = [("4000", -50_000, -90_000), ("7100", 20_000, 30_000), ("3200", 0, -500)];
    let journal = closing(&balances, &[], &[], "2026-03-31").unwrap().unwrap();
    assert_eq!(shown(&chart(true), &journal), posted(&[("4000", 50_000), ("7100", -20_000), ("3200", -30_000)]));
    assert_eq!((journal.entry_date, journal.source.kind), (date("2026-03-31"), SourceType::YearEndClose));
    assert_eq!(days(&journal), [NO_DAY; 3]);
}

#[test]
fn transfers_take_all_that_an_account_holds_and_count_from_the_next_year() {
    let (next, chart) = (date("2026-04-01"), chart(true));
    let equity = chart.iter().filter(|account| account.account_type == AccountType::Equity);
    let code = equity.map(|one| one.code.as_str()).find(|code| !["3200", "3000"].contains(code)).unwrap();
    let balances = [("4000", -50_000, -50_000), (code, 1_000, 7_000)];
    let journal = closing(&balances, &[code, code], &[], "2026-05-01").unwrap().unwrap();
    let lines = [("4000", 50_000), ("3200", -50_000), (code, -7_000), ("3200", 7_000)];
    assert_eq!(shown(&chart, &journal), posted(&lines));
    assert_eq!(days(&journal), [NO_DAY, NO_DAY, next, next]);
    let posted_journal = PostedJournal { id: JournalId(3), number: 3, status: JournalStatus::Posted, journal };
    let undone = posted_journal.reversal(date("2026-03-31"), None).unwrap();
    assert_eq!(days(&undone), [NO_DAY, NO_DAY, next, next]);
    // Without a profit, and without anything but a transfer.
    let level = [("4000", -50_000, -50_000), ("7100", 50_000, 50_000), (code, 0, 7_000)];
    let level = closing(&level, &[code], &[], "2026-05-01").unwrap().unwrap();
    assert_eq!(days(&level), [NO_DAY, NO_DAY, next, next]);
    let alone = closing(&[(code, 0, 7_000)], &[code], &[], "2026-05-01").unwrap().unwrap();
    assert_eq!(days(&alone), [next, next]);
    assert_eq!(closing(&[], &[code], &[], "2026-05-01"), Ok(None));
}

#[test]
fn what_is_retained_is_the_account_and_all_profit_so_far() {
    let (chart, vat) = (chart(true), since_ever(VatScheme::Standard));
    let books = books(&chart, &vat);
    let id = |code: &str| chart.with_code(code).unwrap().id.0;
    let mut balances = ClosingBalances { year: year("2026-01-01"), accounts: BTreeMap::new() };
    for (code, day, pence) in [
        ("4000", "2025-03-31", -40_000),
        ("4000", "2025-04-01", -50_000),
        ("7100", "2026-03-31", 20_000),
        ("4000", "2026-04-01", -9_000),
        ("3200", "2025-01-01", -500),
    ] {
        balances.add(id(code), date(day), Pence(pence));
    }
    assert_eq!(balances.net_profit(&books), Pence(30_000));
    assert_eq!(balances.retained_earnings(&books), Pence(70_500));
}

#[test]
fn years_are_closed_in_their_order_and_reopened_against_it() {
    let reason = |known: &[ClosedYear], today: &str| current(&closing(&[], &[], known, today).unwrap_err());
    assert_eq!(reason(&[], "2026-03-30"), "not_ended");
    assert_eq!(reason(&[closed("2026-01-01")], "2027-05-01"), "closed");
    assert_eq!(reason(&[closed("2026-05-01")], "2027-05-01"), "later_year_closed");
    assert!(closing(&[], &[], &[closed("2025-01-01")], "2026-05-01").is_ok());
    let both = [closed("2025-01-01"), closed("2026-01-01")];
    let last = |of: &str| year(of).last;
    let state = |last| current(&reopen(&both, last, None, None).unwrap_err());
    assert_eq!(state(last("2025-01-01")), "later_year_closed");
    assert_eq!(state(last("2027-01-01")), "open");
}

#[test]
fn the_lock_goes_back_to_where_it_was() {
    let last = year("2026-01-01").last;
    let before = |previous_lock_date| [ClosedYear { previous_lock_date, ..closed("2026-01-01") }];
    let lock = |previous, current| reopen(&before(previous), last, None, current).unwrap().1;
    assert_eq!(lock(None, Some(last)), None);
    assert_eq!(lock(Some(last - 40), Some(last)), Some(last - 40));
    assert_eq!(lock(Some(last + 40), Some(last + 40)), Some(last + 40));
    assert_eq!(lock(Some(last - 40), Some(last + 9)), Some(last - 40));
    assert!(require_reopened(&before(None), Some(last)).is_ok());
    assert!(require_reopened(&before(None), Some(last - 1)).is_err());
    assert!(require_reopened(&before(None), None).is_err());
    assert!(require_reopened(&[], None).is_ok());
}

#[test]
fn only_equity_is_transferred() {
    for code in ["3200", "4000", "7100", "1200", "2200"] {
        let refused = closing(&[], &[code], &[], "2026-05-01").unwrap_err();
        assert_eq!(refused.reason(), "wrong_account_type", "{code}");
    }
}
