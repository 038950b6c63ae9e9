//! The closing of a financial year: a journal takes income and expenses, and the equity accounts that are named, to retained
//! earnings.
//!
//! Reports compute the profit of earlier years into retained earnings whether a year is closed or not, so a closing changes none
//! of them: its lines on income and expenses, and what they bring to retained earnings, count on no day. What it transfers from
//! other accounts counts from the first day of the next year.

use std::collections::BTreeMap;

use super::chart::{Account, AccountType, Books, Role};
use super::financial_year::FinancialYear;
use super::journal::{Journal, LAST_DATE, Line, PostedJournal, Source, SourceType, Target};
use super::money::Pence;
use super::refusal::Refusal;
use crate::domain::date::Date;
use crate::domain::ids::AccountId;

/// A financial year that is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosedYear {
    /// The year.
    pub year: FinancialYear,
    /// The journal; none where there was nothing to close.
    pub journal_id: Option<i64>,
    /// The last locked day before it was closed.
    pub previous_lock_date: Option<Date>,
}

/// Debits less credits of an account, as a closing needs them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClosingBalance {
    /// In the year.
    pub of_year: Pence,
    /// Up to its last day.
    pub at_end: Pence,
}

/// The balances of all accounts of a year that is to be closed, by account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosingBalances {
    /// The year.
    pub year: FinancialYear,
    /// The balances; accounts that never moved may be missing.
    pub accounts: BTreeMap<i64, ClosingBalance>,
}

impl ClosingBalances {
    /// The balance of an account.
    fn of(&self, account: &Account) -> ClosingBalance {
        self.accounts.get(&account.id.0).copied().unwrap_or_default()
    }

    /// Adds what is posted to an account on a day, debits less credits.
    pub fn add(&mut self, account: i64, date: Date, amount: Pence) {
        if date <= self.year.last {
            let balance = self.accounts.entry(account).or_default();
            balance.at_end += amount;
            if date >= self.year.first {
                balance.of_year += amount;
            }
        }
    }

    /// The profit of the year.
    pub fn net_profit(&self, books: &Books<'_>) -> Pence {
        -nominal(books).map(|account| self.of(account).of_year).sum::<Pence>()
    }

    /// What is retained at the end of the year, its own profit among it, before any transfer.
    pub fn retained_earnings(&self, books: &Books<'_>) -> Pence {
        let retained = books.chart.with_role(&Role::RetainedEarnings);
        -nominal(books).chain(retained).map(|account| self.of(account).at_end).sum::<Pence>()
    }
}

/// The accounts of income and expenses.
fn nominal<'a>(books: &Books<'a>) -> impl Iterator<Item = &'a Account> {
    books.chart.iter().filter(|account| account.account_type.is_profit_and_loss())
}

/// Decides the closing of a year that has ended by `today`, with transfers of the balances of these accounts: the journal, or
/// none where nothing moved. It may lie in a locked period, because it changes no report of it.
pub fn close(
    books: &Books<'_>,
    closed: &[ClosedYear],
    balances: &ClosingBalances,
    transfers: &[AccountId],
    today: Date,
) -> Result<Option<Journal>, Refusal> {
    let year = balances.year;
    if year.last > today {
        let refusal = Refusal::InvalidState { current: "not_ended", allowed: &["ended"] };
        return Err(refusal.with_message("the financial year has not ended"));
    }
    if closed.iter().any(|known| known.year.last == year.last) {
        return Err(Refusal::InvalidState { current: "closed", allowed: &["open"] });
    }
    require_latest(closed, year.last, &["open"])?;
    let accounts = transferred(books, transfers)?;
    let retained = books.control(Role::RetainedEarnings);
    let line = |account: &Account, balance: Pence| Line::new(Target::Account(account.id), -balance);
    let mut lines: Vec<Line> = Vec::new();
    for account in nominal(books) {
        lines.push(line(account, balances.of(account).of_year));
    }
    lines.push(Line::new(retained.clone(), -balances.net_profit(books)));
    let at_end = |account: &&Account| balances.of(account).at_end;
    lines.extend(accounts.iter().map(|account| line(account, at_end(account))));
    lines.push(Line::new(retained, accounts.iter().map(at_end).sum()));
    lines.retain(|line| !line.amount.is_zero());
    if lines.is_empty() {
        return Ok(None);
    }
    let source = Source::new(SourceType::YearEndClose);
    let description = format!("Closing of the financial year to {}", year.last);
    Journal::new(year.last, source, description, lines).checked(None).map(Some)
}

/// The accounts whose balances are transferred: of equity, each once, and not retained earnings themselves.
fn transferred<'a>(books: &Books<'a>, transfers: &[AccountId]) -> Result<Vec<&'a Account>, Refusal> {
    let mut accounts: Vec<&Account> = Vec::with_capacity(transfers.len());
    for (row, id) in transfers.iter().enumerate() {
        let field = || format!("transfer_account_ids[{row}]");
        let account = books.account(*id, field)?;
        if account.account_type != AccountType::Equity || account.has_role(&Role::RetainedEarnings) {
            let allowed = "EQUITY accounts are transferred, such as dividends and drawings, but retained earnings";
            return Err(Refusal::wrong_account(field(), account, allowed));
        }
        if !accounts.iter().any(|known| known.id == account.id) {
            accounts.push(account);
        }
    }
    Ok(accounts)
}

/// Years are closed in their order and reopened against it, because a transfer takes all that an account holds.
fn require_latest(closed: &[ClosedYear], last: Date, allowed: &'static [&'static str]) -> Result<(), Refusal> {
    match closed.iter().any(|known| known.year.last > last) {
        true => {
            let refusal = Refusal::InvalidState { current: "later_year_closed", allowed };
            Err(refusal.with_message("a later financial year is closed"))
        }
        false => Ok(()),
    }
}

/// Decides the reopening of a year: the journal that undoes its closing, on the same day, and the lock date there is then: that
/// before the closing, unless less is locked already.
pub fn reopen(
    closed: &[ClosedYear],
    last: Date,
    journal: Option<&PostedJournal>,
    lock_date: Option<Date>,
) -> Result<(Option<Journal>, Option<Date>), Refusal> {
    let Some(known) = closed.iter().find(|known| known.year.last == last) else {
        return Err(Refusal::InvalidState { current: "open", allowed: &["closed"] });
    };
    require_latest(closed, last, &["latest_closed_year"])?;
    let reversal = journal.map(|posted| posted.reversal(last, None)).transpose()?;
    Ok((reversal, lock_date.min(known.previous_lock_date)))
}

/// A lock date may not be before the end of a closed year: that is reopened first.
pub fn require_reopened(closed: &[ClosedYear], lock_date: Option<Date>) -> Result<(), Refusal> {
    match closed.iter().any(|known| lock_date.is_none_or(|lock_date| lock_date < known.year.last)) {
        true => {
            let refusal = Refusal::InvalidState { current: "financial_year_closed", allowed: &["financial_year_open"] };
            Err(refusal.with_message("a financial year that ends later is closed; reopen it first"))
        }
        false => Ok(()),
    }
}

/// The day after the last of the books, kept for lines that count on no day.
pub const NO_DAY: Date = Date::from_civil(2200, 1, 1);

/// The days from which the lines of a closing count, or of the journal that undoes one, in their order: [`NO_DAY`] for income,
/// expenses and what these bring to retained earnings, the day after the year for transfers. A line is told by whether its account
/// is of income or expenses, and by its amount.
pub fn counting_days(lines: impl IntoIterator<Item = (bool, Pence)>, last: Date) -> Vec<Date> {
    // The lines that count on no day are the first, and come to nothing.
    let mut open = Pence::ZERO;
    let mut is_transfer = false;
    let day = |(is_nominal, amount): (bool, Pence)| {
        is_transfer |= !is_nominal && open.is_zero();
        open += amount;
        if is_transfer { (last + 1).min(LAST_DATE) } else { NO_DAY }
    };
    lines.into_iter().map(day).collect()
}

#[cfg(test)]
mod tests;
