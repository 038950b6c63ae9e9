//! The general ledger of an account.

use crate::domain::books::records::account::AccountRecord;
use crate::domain::books::records::journal::{AccountHistory, HistoryLine};
use crate::domain::date::{Date, Month};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::chart::Role;
use crate::domain::ledger::journal::LAST_DATE;
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::books::organisation::load_financial_years;
use crate::store::books::report_rows::{account_balances_query, balance_column, read_account_balances};
use crate::store::sql::{Reader, Unit, params};

/// What the lines of earlier profit say that they come from.
const FINANCIAL_YEAR: &str = "financial_year";

/// The number of the document or settlement behind the journal `j`; of a write-off that of its invoice.
const DOCUMENT_NUMBER: &str = "case when j.source_type in ('sales_invoice', 'sales_credit_note', 'purchase_invoice', \
     'purchase_credit_note') then (select d.number from document d where d.id = j.source_id) \
     when j.source_type in ('customer_receipt', 'customer_refund', 'supplier_payment', 'supplier_refund') \
     then (select s.number from settlement s where s.id = j.source_id) when j.source_type = 'write_off' \
     then (select d.number from write_off w join document d on d.id = w.document_id where w.id = j.source_id) end";

impl Reader {
    /// A page of what was posted to an account from one date to another, oldest first; the account must be one of the
    /// organisation's. Income and expense begin each financial year at nil: with a first date, its balances count from the
    /// first day of the year of that date. The account of retained earnings has a line on the first day of each financial
    /// year beside what was posted to it: the profit of the year before.
    pub async fn account_history(
        &self,
        organisation: OrganisationId,
        account: &AccountRecord,
        days: (Option<Date>, Option<Date>),
        page: (u64, u64),
    ) -> Result<AccountHistory, StoreError> {
        let is_nominal = account.account_type.is_profit_and_loss();
        let is_retained = account.role.as_deref() == Some(Role::RetainedEarnings.as_str());
        let account = account.id;
        self.snapshot(move |unit| {
            Box::pin(async move {
                match days.0 {
                    Some(from) if is_nominal => of_year(unit, organisation, (account, from), days.1, page).await,
                    _ if is_retained => retained(unit, organisation, account, days, page).await,
                    from => posted(unit, account, from, days.1, of_rows(page)).await,
                }
            })
        })
        .await
    }
}

/// A page as numbers of lines.
fn of_rows((limit, offset): (u64, u64)) -> (usize, usize) {
    (usize::try_from(limit).unwrap_or(usize::MAX), usize::try_from(offset).unwrap_or(usize::MAX))
}

/// The ledger of income or an expense, whose balances count from the first day of a financial year.
async fn of_year(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    (account, from): (i64, Date),
    to: Option<Date>,
    page: (u64, u64),
) -> Result<AccountHistory, StoreError> {
    let year = load_financial_years(unit, organisation).await?.year_of(from);
    let before_year = balance_at_end(unit, account, year.first - 1).await?;
    let history = posted(unit, account, Some(from), to, of_rows(page)).await?;
    Ok(AccountHistory {
        opening_pence: history.opening_pence - before_year,
        carried_pence: history.carried_pence - before_year,
        closing_pence: history.closing_pence - before_year,
        ..history
    })
}

/// The ledger of retained earnings: what was posted, and on the first day of each financial year, before what was posted on
/// that day, the profit of the year before.
async fn retained(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    account: i64,
    (from, to): (Option<Date>, Option<Date>),
    page: (u64, u64),
) -> Result<AccountHistory, StoreError> {
    let (limit, page_start) = of_rows(page);
    let page_end = page_start.saturating_add(limit);
    let (first, last) = (from.unwrap_or(Date::MIN), to.unwrap_or(Date::MAX));
    let brought = brought_forward(unit, organisation).await?;
    let until = |day: Date| brought.iter().filter(|(date, _)| *date <= day).map(|(_, pence)| pence).sum::<i64>();
    let within: Vec<_> = brought.iter().filter(|(date, _)| (first..=last).contains(date)).collect();
    // The places among the lines of both kinds.
    let mut places = Vec::with_capacity(within.len());
    for (date, _) in &within {
        places.push(places.len() + lines_between(unit, account, first, *date - 1).await?);
    }
    let skipped = places.iter().filter(|place| **place < page_start).count();
    let shown = places.iter().filter(|place| (page_start..page_end).contains(*place)).count();
    let posted_page = (page_end - page_start - shown, page_start - skipped);
    let mut history = posted(unit, account, from, to, posted_page).await?;
    for (place, (date, pence)) in places.iter().zip(&within).skip(skipped).take(shown) {
        history.lines.insert((place - page_start).min(history.lines.len()), brought_line(*date, *pence));
    }
    let opening = from.map_or(0, |from| until(from - 1));
    history.opening_pence += opening;
    history.carried_pence += opening + within.iter().take(skipped).map(|(_, pence)| pence).sum::<i64>();
    history.closing_pence += until(last);
    history.total = history.total.map(|total| total.saturating_add(u64::try_from(within.len()).unwrap_or(u64::MAX)));
    Ok(history)
}

/// The line with the profit of a financial year on the first day of the next.
fn brought_line(date: Date, pence: i64) -> HistoryLine {
    let what = if pence > 0 { "Loss" } else { "Profit" };
    HistoryLine {
        entry_date: date,
        journal: None,
        description: format!("{what} of the financial year to {}", date - 1),
        debit_pence: pence.max(0),
        credit_pence: (-pence).max(0),
        source_type: FINANCIAL_YEAR.to_owned(),
        source_id: None,
        document_number: None,
        contact_id: None,
    }
}

/// Debits less credits of income and expenses in each financial year, by the first day of the next; years without any are
/// left out.
async fn brought_forward(unit: &Unit<'_>, organisation: OrganisationId) -> Result<Vec<(Date, i64)>, StoreError> {
    let mut conditions = Conditions::new("a.organisation_id = $1", organisation.0);
    conditions.and_plain("a.account_type in ('REVENUE', 'EXPENSE')");
    let span = format!(
        "select min(m.month), max(m.month) from account a join account_month m on m.account_id = a.id where {}",
        conditions.text()
    );
    let row = unit.one(&span, conditions.values()).await?;
    let months =
        row.map(|row| Ok::<_, StoreError>((row.get::<Option<i64>>(0)?, row.get::<Option<i64>>(1)?))).transpose()?;
    let Some((Some(first), Some(last))) = months else { return Ok(Vec::new()) };
    let years = load_financial_years(unit, organisation).await?;
    let years: Vec<_> = years.years(Month(first).first_day(), Month(last).last_day()).collect();
    let before = years.first().map(|year| year.first - 1);
    let ends: Vec<Date> = before.into_iter().chain(years.iter().map(|year| year.last)).collect();
    let query = account_balances_query(conditions, &ends, None);
    let mut totals = vec![0; ends.len()];
    for row in unit.all(&query.sql, query.values).await? {
        let account = read_account_balances(&row, ends.len())?;
        totals.iter_mut().zip(&account.balances).for_each(|(total, balance)| *total += balance.0);
    }
    let moved = totals.windows(2).map(|pair| pair.last().unwrap_or(&0) - pair.first().unwrap_or(&0));
    Ok(years.iter().map(|year| year.last + 1).zip(moved).filter(|(_, pence)| *pence != 0).collect())
}

/// The number of lines of an account between two days.
async fn lines_between(unit: &Unit<'_>, account: i64, first: Date, last: Date) -> Result<usize, StoreError> {
    let sql = "select cast(coalesce(sum(items), 0) as bigint) from account_day where account_id = $1 \
               and day >= $2 and day <= $3";
    let row = unit.one(sql, params![account, i64::from(first), i64::from(last)]).await?;
    let lines: i64 = row.map_or(Ok(0), |row| row.get(0))?;
    Ok(usize::try_from(lines).unwrap_or_default())
}

/// Debits less credits of an account up to the end of a day.
async fn balance_at_end(unit: &Unit<'_>, account: i64, date: Date) -> Result<i64, StoreError> {
    let sql = format!("select {}", balance_column("$1", ["$2", "$3", "$4"]));
    let month = Month::of(date);
    let values = params![account, month.0, i64::from(date.first_of_month()), i64::from(date)];
    unit.one(&sql, values).await?.map_or(Ok(0), |row| row.get(0))
}

/// The query of the lines of account `$1` from day `$2` to day `$3`, in order: so many of those that count on the day of their
/// journal, and those of closings, which count from another.
fn lines_by_day(limit: &str) -> String {
    let columns = "l.journal_id, l.line_number, l.memo, l.debit, l.credit, l.contact_id from journal_line l \
                   where l.account_id = $1 and";
    format!(
        "select * from (select * from (select l.entry_day as day, {columns} l.closing_day is null and l.entry_day >= $2 \
         and l.entry_day <= $3 order by l.entry_day, l.journal_id, l.line_number limit {limit}) o union all \
         select l.closing_day as day, {columns} l.closing_day is not null and l.closing_day >= $2 and l.closing_day <= $3) u \
         order by day, journal_id, line_number"
    )
}

/// A part of what was posted to an account, with balances of everything ever posted.
async fn posted(
    unit: &Unit<'_>,
    account: i64,
    from: Option<Date>,
    to: Option<Date>,
    (limit, offset): (usize, usize),
) -> Result<AccountHistory, StoreError> {
    let opening_pence = match from {
        Some(from) => balance_at_end(unit, account, from - 1).await?,
        None => 0,
    };
    let closing_pence = match to {
        Some(to) => balance_at_end(unit, account, to).await?,
        None => super::accounts::balance_of(unit, account).await?.0,
    };
    let (first, last) = (i64::from(from.unwrap_or(Date::MIN)), i64::from(to.map_or(LAST_DATE, |to| to.min(LAST_DATE))));
    let total = lines_between(unit, account, from.unwrap_or(Date::MIN), to.unwrap_or(Date::MAX)).await?;
    let (mut carried_pence, mut first, mut offset) = (opening_pence, first, i64::try_from(offset).unwrap_or(i64::MAX));
    if offset > 0 {
        // Totals of days tell where the page begins; only lines of its first day are skipped one by one.
        let days = "select day, lines_before, net_before from (select day, \
                    cast(sum(items) over (order by day) - items as bigint) as lines_before, \
                    cast(sum(debit - credit) over (order by day) - debit + credit as bigint) as net_before \
                    from account_day where account_id = $1 and day >= $2 and day <= $3) d where lines_before <= $4 \
                    order by day desc limit 1";
        if let Some(row) = unit.one(days, params![account, first, last, offset]).await? {
            first = row.get(0)?;
            offset -= row.get::<i64>(1)?;
            carried_pence += row.get::<i64>(2)?;
        }
    }
    if offset > 0 {
        let skipped = format!(
            "select cast(coalesce(sum(debit - credit), 0) as bigint) from ({} limit $4) as s",
            lines_by_day("$4")
        );
        let row = unit.one(&skipped, params![account, first, last, offset]).await?;
        carried_pence += row.map_or(Ok(0), |row| row.get::<i64>(0))?;
    }
    let lines = format!(
        "select l.day, l.journal_id, j.number, coalesce(l.memo, j.description), l.debit, l.credit, j.source_type, \
         j.source_id, {DOCUMENT_NUMBER}, l.contact_id from ({} limit $4 offset $5) l join journal j on j.id = l.journal_id \
         order by l.day, l.journal_id, l.line_number",
        lines_by_day("$6")
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let values = params![account, first, last, limit, offset, limit.saturating_add(offset)];
    let rows = unit.all(&lines, values).await?;
    let lines = rows.iter().map(|row| {
        Ok(HistoryLine {
            entry_date: row.date(0)?,
            journal: Some((row.get(1)?, row.get(2)?)),
            description: row.get(3)?,
            debit_pence: row.get(4)?,
            credit_pence: row.get(5)?,
            source_type: row.get(6)?,
            source_id: row.get(7)?,
            document_number: row.get(8)?,
            contact_id: row.get(9)?,
        })
    });
    Ok(AccountHistory {
        opening_pence,
        carried_pence,
        closing_pence,
        lines: lines.collect::<Result<_, StoreError>>()?,
        total: u64::try_from(total).ok(),
    })
}
