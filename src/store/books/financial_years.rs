//! Closed financial years, the balances that a closing takes, and the list of years.

use std::collections::HashMap;

use crate::domain::books::records::financial_year::FinancialYearView;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::date::Date;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::chart::Role;
use crate::domain::ledger::financial_year::FinancialYear;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::year_end::{ClosedYear, ClosingBalance, ClosingBalances};
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::books::organisation::load_financial_years;
use crate::store::books::report_rows::{account_balances_query, read_account_balances};
use crate::store::sql::Column::Number;
use crate::store::sql::{Column, Reader, Row, Rows, Unit, params};

const CLOSED_YEAR: &[Column] = &[
    Number("organisation_id"),
    Number("end_day"),
    Number("start_day"),
    Number("journal_id"),
    Number("previous_lock_day"),
];

impl Reader {
    /// The financial years of an organisation, from the first with a posting, or that in which the books began, to that of a
    /// day.
    pub async fn list_financial_years(
        &self,
        organisation: &OrganisationRecord,
        today: Date,
    ) -> Result<Vec<FinancialYearView>, StoreError> {
        let (organisation, books_start_date) = (organisation.id, organisation.books_start_date);
        self.snapshot(move |unit| Box::pin(list(unit, organisation, books_start_date, today))).await
    }
}

async fn list(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    books_start_date: Option<Date>,
    today: Date,
) -> Result<Vec<FinancialYearView>, StoreError> {
    let first_posting = "select min((select min(d.day) from account_day d where d.account_id = a.id)) from account a \
                         where a.organisation_id = $1";
    let row = unit.one(first_posting, params![organisation.0]).await?;
    let posted = row.map(|row| row.maybe_date(0)).transpose()?.flatten();
    let first = [posted, books_start_date].into_iter().flatten().fold(today, Date::min);
    let years: Vec<FinancialYear> = load_financial_years(unit, organisation).await?.years(first, today).collect();
    let closed = closed_years(unit, organisation).await?;
    let transferred = transferred(unit, organisation).await?;
    let before = years.first().map(|year| year.first - 1);
    let ends: Vec<Date> = before.into_iter().chain(years.iter().map(|year| year.last)).collect();
    let query = account_balances_query(Conditions::new("a.organisation_id = $1", organisation.0), &ends, None);
    let (mut profit, mut retained) = (vec![Pence::ZERO; ends.len()], vec![Pence::ZERO; ends.len()]);
    for row in unit.all(&query.sql, query.values).await? {
        let account = read_account_balances(&row, ends.len())?;
        let is_nominal = account.account_type.is_profit_and_loss();
        let sums = if is_nominal { &mut profit } else { &mut retained };
        if is_nominal || account.has_role(&Role::RetainedEarnings) {
            sums.iter_mut().zip(&account.balances).for_each(|(sum, balance)| *sum += *balance);
        }
    }
    let at = |sums: &[Pence], place: usize| sums.get(place).copied().unwrap_or_default();
    let view = |(place, year): (usize, &FinancialYear)| {
        let known = closed.iter().find(|known| known.year.last == year.last);
        let transferred = transferred.get(&year.last).copied().unwrap_or_default();
        FinancialYearView {
            organisation_id: organisation.0,
            year: *year,
            is_closed: known.is_some(),
            net_profit: at(&profit, place) - at(&profit, place + 1),
            retained_earnings: -(at(&profit, place + 1) + at(&retained, place + 1)) - transferred,
            journal_id: known.and_then(|known| known.journal_id),
        }
    };
    Ok(years.iter().enumerate().map(view).collect())
}

/// What closings that stand took from retained earnings for other accounts, by the last day of the year.
async fn transferred(unit: &Unit<'_>, organisation: OrganisationId) -> Result<HashMap<Date, Pence>, StoreError> {
    let sql = "select c.end_day, cast(sum(l.debit - l.credit) as bigint) from financial_year_close c \
               join journal_line l on l.journal_id = c.journal_id and l.closing_day = c.end_day + 1 \
               join account a on a.id = l.account_id and a.role = $2 where c.organisation_id = $1 group by c.end_day";
    let rows = unit.all(sql, params![organisation.0, Role::RetainedEarnings.as_str()]).await?;
    rows.iter().map(|row| Ok((row.date(0)?, Pence(row.get(1)?)))).collect()
}

/// The closed financial years of an organisation, in their order.
pub(super) async fn closed_years(unit: &Unit<'_>, organisation: OrganisationId) -> Result<Vec<ClosedYear>, StoreError> {
    let sql = "select start_day, end_day, journal_id, previous_lock_day from financial_year_close \
               where organisation_id = $1 order by end_day";
    let rows = unit.all(sql, params![organisation.0]).await?;
    let read = |row: &Row| {
        Ok(ClosedYear {
            year: FinancialYear { first: row.date(0)?, last: row.date(1)? },
            journal_id: row.get(2)?,
            previous_lock_date: row.maybe_date(3)?,
        })
    };
    rows.iter().map(read).collect()
}

/// The balances of the year of a day.
pub(super) async fn closing_balances(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    of: Date,
) -> Result<ClosingBalances, StoreError> {
    let year = load_financial_years(unit, organisation).await?.year_of(of);
    let days = [year.first - 1, year.last];
    let query = account_balances_query(Conditions::new("a.organisation_id = $1", organisation.0), &days, None);
    let rows = unit.all(&query.sql, query.values).await?;
    let read = |row: &Row| {
        let account = read_account_balances(row, days.len())?;
        let balance = ClosingBalance { of_year: account.movement(0, 1), at_end: account.balance(1) };
        Ok((account.account_id, balance))
    };
    Ok(ClosingBalances { year, accounts: rows.iter().map(read).collect::<Result<_, StoreError>>()? })
}

/// The rows of closed financial years, by organisation.
pub(super) fn closed_year_rows<'a>(closed: impl Iterator<Item = (&'a i64, &'a Vec<ClosedYear>)>) -> Rows {
    let mut rows = Rows::new("financial_year_close", CLOSED_YEAR, "");
    for (organisation, years) in closed {
        for known in years {
            rows.push([
                organisation.into(),
                i64::from(known.year.last).into(),
                i64::from(known.year.first).into(),
                known.journal_id.into(),
                known.previous_lock_date.map(i64::from).into(),
            ]);
        }
    }
    rows
}
