//! Loads the rows that reports are computed from, each report in one snapshot. Totals by day and month say what was posted
//! to accounts and contacts; only reports about documents read their rows.

use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::date::{Date, Month};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::chart::{AccountType, Role};
use crate::domain::ledger::cis::TaxMonth;
use crate::domain::ledger::contact::ContactKind;
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::financial_year::FinancialYears;
use crate::domain::ledger::money::Pence;
use crate::domain::reports::Period;
use crate::domain::reports::account_balances::{AccountBalances, AccountRows};
use crate::domain::reports::cash_flow::{CashFlow, CashFlowRows};
use crate::domain::reports::cis_position::{BillAllocation, CisAmounts, CisPositionRows, CisSupplier};
use crate::domain::reports::cis_return::{CisAdvance, CisReturnRows};
use crate::domain::reports::contact_balances::ContactBalance;
use crate::store::StoreError;
use crate::store::books::cash::{cash_flows, read_cash_flows};
use crate::store::books::conditions::Conditions;
use crate::store::books::organisation::{financial_years, read_financial_years};
use crate::store::sql::{Query, Reader, Row, Unit, params};
use std::collections::BTreeSet;

/// A report's rows, with what every report says of the moment they were read at.
#[derive(Debug)]
pub struct Snapshot<R> {
    /// What the organisation was called.
    pub organisation_name: String,
    /// The position of the history: what changed a figure later comes after it.
    pub cursor: i64,
    /// The rows.
    pub rows: R,
}

/// Selects what every report says of the organisation and of the moment.
pub(super) fn snapshot_head(organisation: OrganisationId) -> Query {
    let sql =
        "select o.name, b.next_change - 1 from organisation o join books b on b.organisation_id = o.id where o.id = $1";
    Query::new(sql, 2, params![organisation.0])
}

/// The rows of a report, with the answer to [`snapshot_head`].
pub(super) fn with_head<R>(organisation: OrganisationId, head: &[Row], rows: R) -> Result<Snapshot<R>, StoreError> {
    let head = head.first().ok_or_else(|| StoreError::corrupt("the books of organisation", organisation.0))?;
    Ok(Snapshot { organisation_name: head.get(0)?, cursor: head.get(1)?, rows })
}

impl Reader {
    /// The accounts of an organisation with their balances at the ends of the days that a report asks for.
    pub async fn account_rows<P: Copy + Send + Sync + 'static>(
        &self,
        organisation: &OrganisationRecord,
        parameters: P,
        days: fn(&FinancialYears, P) -> Vec<Date>,
    ) -> Result<Snapshot<AccountRows>, StoreError> {
        let organisation = organisation.id;
        let (days, [head, accounts, _]) = self
            .together_by_years(organisation, |years| {
                let days = days(years, parameters);
                let conditions = Conditions::new("a.organisation_id = $1", organisation.0);
                let accounts = account_balances_query(conditions, &days, None);
                (days, [snapshot_head(organisation), accounts, financial_years(organisation)])
            })
            .await?;
        with_head(organisation, &head, read_account_rows(organisation, days, &accounts)?)
    }

    /// The rows of queries about days that follow from the financial years, and the days. The last of the queries is
    /// [`financial_years`]: should the years have changed since the days were found, all is asked again.
    pub(super) async fn together_by_years<const N: usize>(
        &self,
        organisation: OrganisationId,
        queries: impl Fn(&FinancialYears) -> (Vec<Date>, [Query; N]),
    ) -> Result<(Vec<Date>, [Vec<Row>; N]), StoreError> {
        let mut years = self.financial_years(organisation).await?;
        loop {
            let (days, queries) = queries(&years);
            let answers = self.together(queries).await?;
            let read = read_financial_years(organisation, answers.last().map_or(&[], Vec::as_slice))?;
            if read == years {
                return Ok((days, answers));
            }
            years = read;
        }
    }

    /// The income and expense accounts of an organisation with what was posted to them after the earliest of some days up
    /// to the ends of the others.
    pub async fn income_rows(
        &self,
        organisation: &OrganisationRecord,
        days: Vec<Date>,
    ) -> Result<Snapshot<AccountRows>, StoreError> {
        let organisation = organisation.id;
        let [head, accounts] = self.together([snapshot_head(organisation), income_query(organisation, &days)]).await?;
        with_head(organisation, &head, read_account_rows(organisation, days, &accounts)?)
    }

    /// The rows of a cash flow statement.
    pub async fn cash_flow_rows(
        &self,
        organisation: &OrganisationRecord,
        period: Period,
    ) -> Result<Snapshot<CashFlowRows>, StoreError> {
        let organisation = organisation.id;
        let days = CashFlow::days(period);
        let accounts = account_balances_query(Conditions::new("a.organisation_id = $1", organisation.0), &days, None);
        let [head, accounts, flows] =
            self.together([snapshot_head(organisation), accounts, cash_flows(organisation, period)]).await?;
        let accounts = read_account_rows(organisation, days, &accounts)?;
        let (inflows, outflows) = read_cash_flows(&flows)?;
        with_head(organisation, &head, CashFlowRows { accounts, inflows, outflows })
    }

    /// Every account of an organisation with its balances at the ends of these days, by id.
    pub async fn account_balances(
        &self,
        organisation: OrganisationId,
        days: &[Date],
    ) -> Result<Vec<AccountBalances>, StoreError> {
        let conditions = Conditions::new("a.organisation_id = $1", organisation.0);
        let query = account_balances_query(conditions, days, None);
        self.all(&query.sql, query.values).await?.iter().map(|row| read_account_balances(row, days.len())).collect()
    }

    /// The rows of the position under the Construction Industry Scheme.
    pub async fn cis_position_rows(
        &self,
        organisation: &OrganisationRecord,
        period: Period,
    ) -> Result<CisPositionRows, StoreError> {
        let organisation = organisation.id;
        self.snapshot(move |unit| Box::pin(cis_position_rows(unit, organisation, period))).await
    }

    /// The rows of the return of a contractor for a tax month.
    pub async fn cis_return_rows(
        &self,
        organisation: &OrganisationRecord,
        month: TaxMonth,
    ) -> Result<CisReturnRows, StoreError> {
        let id = organisation.id;
        let (position, advances) = self
            .snapshot(move |unit| {
                Box::pin(async move {
                    let period = Period { first: month.first(), last: month.last() };
                    let position = cis_position_rows(unit, id, period).await?;
                    Ok((position, cis_advances(unit, id, period).await?))
                })
            })
            .await?;
        Ok(CisReturnRows {
            position,
            advances,
            paye_reference: organisation.paye_reference.clone(),
            accounts_office_reference: organisation.accounts_office_reference.clone(),
        })
    }
}

/// The query of [`read_account_rows`] for the income and expense accounts of an organisation: only what was posted after the
/// earliest of the days counts.
pub(super) fn income_query(organisation: OrganisationId, days: &[Date]) -> Query {
    let mut conditions = Conditions::new("a.organisation_id = $1", organisation.0);
    conditions.and_plain("a.account_type in ('REVENUE', 'EXPENSE')");
    account_balances_query(conditions, days, days.iter().min().copied())
}

/// Reads the rows of [`account_balances_query`].
pub(super) fn read_account_rows(
    organisation: OrganisationId,
    days: Vec<Date>,
    rows: &[Row],
) -> Result<AccountRows, StoreError> {
    let accounts = rows.iter().map(|row| read_account_balances(row, days.len())).collect::<Result<_, _>>()?;
    Ok(AccountRows::new(organisation, days, accounts))
}

/// The column with the debits less credits of an account up to the end of a day: of the months before its month, and of the
/// days of that month. The parameters are the month, its first day, and the date.
pub(super) fn balance_column(account: &str, [month, first_day, date]: [&str; 3]) -> String {
    format!(
        "cast(coalesce((select sum(m.debit - m.credit) from account_month m where m.account_id = {account} \
         and m.month < {month}), 0) + coalesce((select sum(d.debit - d.credit) from account_day d \
         where d.account_id = {account} and d.day >= {first_day} and d.day <= {date}), 0) as bigint)"
    )
}

/// The query of [`read_account_balances`] for the accounts `a` of these conditions: one pass over the totals of months, and
/// for each day that is not the last of its month the totals of the days of that month. Where `after` is given, which is none of
/// the days or the earliest, what was posted up to its end does not count.
pub(super) fn account_balances_query(mut conditions: Conditions, days: &[Date], after: Option<Date>) -> Query {
    let is_last_of_month = |date: Date| Month::of(date + 1) != Month::of(date);
    // The days that are left of a month that is counted from within.
    let rest = after.filter(|after| !is_last_of_month(*after));
    let mut columns = String::from("a.id, a.code, a.name, a.account_type, a.role");
    let mut months = String::new();
    for (at, date) in days.iter().enumerate() {
        if after == Some(*date) {
            columns.push_str(", cast(0 as bigint)");
            continue;
        }
        let is_within_rest = rest.is_some_and(|rest| Month::of(rest) == Month::of(*date));
        let first_not_whole = if is_last_of_month(*date) { Month::of(*date + 1) } else { Month::of(*date) };
        columns.push_str(", ");
        if !is_within_rest {
            let before = conditions.value(first_not_whole.0);
            months.push_str(&format!(
                ", cast(sum(case when m.month < {before} then m.debit - m.credit else 0 end) as bigint) as balance_{at}"
            ));
            columns.push_str(&format!("coalesce(t.balance_{at}, 0)"));
        }
        let first_day = match rest {
            Some(rest) if is_within_rest => Some(rest + 1),
            _ => (!is_last_of_month(*date)).then(|| date.first_of_month()),
        };
        if let Some(first_day) = first_day {
            let (first, last) = (conditions.value(i64::from(first_day)), conditions.value(i64::from(*date)));
            columns.push_str(&format!(
                " + cast(coalesce((select sum(d.debit - d.credit) from account_day d where d.account_id = a.id \
                 and d.day >= {first} and d.day <= {last}), 0) as bigint)"
            ));
        }
        if rest.is_some() && !is_within_rest {
            columns.push_str(" + coalesce(r.balance, 0)");
        }
    }
    let own = conditions.text();
    let mut sql = format!("select {columns} from account a");
    if !months.is_empty() {
        let since = after.map(|after| format!(" and m.month > {}", conditions.value(Month::of(after).0)));
        let since = since.unwrap_or_default();
        sql.push_str(&format!(
            " left join (select m.account_id{months} from account a join account_month m on m.account_id = a.id{since} \
             where {own} group by m.account_id) t on t.account_id = a.id"
        ));
    }
    if let Some(rest) = rest.filter(|_| !months.is_empty()) {
        let (first, last) =
            (conditions.value(i64::from(rest)), conditions.value(i64::from(Month::of(rest).last_day())));
        sql.push_str(&format!(
            " left join (select d.account_id, cast(sum(d.debit - d.credit) as bigint) as balance from account a \
             join account_day d on d.account_id = a.id and d.day > {first} and d.day <= {last} where {own} \
             group by d.account_id) r on r.account_id = a.id"
        ));
    }
    sql.push_str(&format!(" where {own} order by a.id"));
    Query::new(sql, 5 + days.len(), conditions.values())
}

pub(super) fn read_account_balances(row: &Row, days: usize) -> Result<AccountBalances, StoreError> {
    Ok(AccountBalances {
        account_id: row.get(0)?,
        code: row.get(1)?,
        name: row.get(2)?,
        account_type: row.parsed(3, AccountType::parse)?,
        role: row.get::<Option<String>>(4)?.as_deref().map(Role::parse),
        balances: (5..5 + days).map(|column| row.get(column).map(Pence)).collect::<Result<_, _>>()?,
    })
}

/// The columns of [`read_contact_balance`], for the contact `c` and the day `today`.
pub(super) fn contact_balance_columns(today: &str) -> String {
    let sum = |what: &str, of: &str| {
        format!(
            "(select cast(coalesce(sum({what}), 0) as bigint) from {of} m \
             where m.organisation_id = c.organisation_id and m.contact_id = c.id"
        )
    };
    format!(
        "c.kind, {}), {}), {} and m.day >= {today}), (select cast(coalesce(sum(d.due), 0) as bigint) from document d \
         where d.contact_id = c.id and d.kind in ('sales_invoice', 'purchase_invoice') and d.due > 0 \
         and d.due_day < {today})",
        sum("m.debit - m.credit", "contact_month"),
        sum("m.direct_debit - m.direct_credit", "contact_month"),
        sum("case when c.kind = 'customer' then m.direct_debit else m.direct_credit end", "contact_day"),
    )
}

pub(super) fn read_contact_balance(row: &Row, from: usize) -> Result<ContactBalance, StoreError> {
    Ok(ContactBalance {
        is_customer: row.parsed(from, ContactKind::parse)? == ContactKind::Customer,
        debit_pence: row.get(from + 1)?,
        direct_pence: row.get(from + 2)?,
        not_yet_due_pence: row.get(from + 3)?,
        overdue_pence: row.get(from + 4)?,
    })
}

/// The balances of contacts, given as a JSON array of their ids, by contact.
pub(super) async fn load_contact_balances(
    unit: &Unit<'_>,
    contacts: &str,
    today: Date,
) -> Result<Vec<(i64, ContactBalance)>, StoreError> {
    let (columns, among) = (contact_balance_columns("$2"), unit.numbers_of_json());
    let sql = format!("select c.id, {columns} from contact c where c.id in {among}");
    let rows = unit.all(&sql, params![contacts, i64::from(today)]).await?;
    rows.iter().map(|row| Ok((row.get(0)?, read_contact_balance(row, 1)?))).collect()
}

/// Payments of bills under the scheme, of which something was paid or released in a period, and credit against them.
const CIS_ALLOCATIONS: &str = "select d.id, d.kind, d.contact_id, d.cis_rate, \
     d.net, d.vat, d.cis_labour, d.cis_materials, \
     a.day, a.released_day, a.amount, a.cis, n.net, n.vat, n.cis_labour, n.cis_materials, s.id, s.void_day \
     from document d join allocation a on a.to_document_id = d.id left join document n on n.id = a.from_document_id \
     left join settlement s on s.id = a.from_settlement_id \
     where d.organisation_id = $1 and d.kind in ('purchase_invoice', 'purchase_credit_note') \
     and d.cis_rate is not null and a.day <= $3 \
     and exists (select 1 from allocation m where m.to_document_id = d.id and m.from_settlement_id is not null \
     and (m.day between $2 and $3 or m.released_day between $2 and $3)) order by d.id, a.id";

/// Payments to subcontractors of a period with what no document had taken up at its end.
const CIS_ADVANCES: &str = "select u.id, u.contact_id, u.name, u.unallocated from (select s.id, s.contact_id, c.name, \
     cast(s.amount - coalesce((select sum(a.amount) from allocation a where a.from_settlement_id = s.id \
     and a.day <= $3 and (a.released_day is null or a.released_day > $3)), 0) \
     - coalesce((select sum(a.amount) from allocation a where a.to_settlement_id = s.id \
     and a.day <= $3 and (a.released_day is null or a.released_day > $3)), 0) as bigint) as unallocated \
     from settlement s join contact c on c.id = s.contact_id where s.organisation_id = $1 and s.side = 'supplier' \
     and s.kind = 'supplier_payment' and s.day between $2 and $3 and (s.void_day is null or s.void_day > $3) \
     and c.cis_is_subcontractor) u where u.unallocated > 0 order by u.name, u.contact_id, u.id";

/// What customers withheld, less what was released of that.
const CIS_SUFFERED: &str = "select cast(coalesce(sum(case when a.day between $2 and $3 then a.cis else 0 end), 0) \
     - coalesce(sum(case when a.released_day between $2 and $3 then a.cis else 0 end), 0) as bigint) \
     from allocation a join settlement s on s.id = a.from_settlement_id and s.side = 'customer' and s.day <= $3 \
     where a.organisation_id = $1 and a.cis <> 0 and a.day <= $3";

async fn cis_position_rows(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    period: Period,
) -> Result<CisPositionRows, StoreError> {
    let of_period = || params![organisation.0, i64::from(period.first), i64::from(period.last)];
    let rows = unit.all(CIS_ALLOCATIONS, of_period()).await?;
    let allocations: Vec<_> = rows.iter().map(read_bill_allocation).collect::<Result<_, _>>()?;
    let mut payable = Conditions::new("a.organisation_id = $1", organisation.0);
    payable.and("a.role = {}", Role::CisPayable.as_str());
    let payable = account_balances_query(payable, &[period.last], None);
    let payable = unit.all(&payable.sql, payable.values).await?;
    let suffered = unit.one(CIS_SUFFERED, of_period()).await?;
    Ok(CisPositionRows {
        suppliers: cis_suppliers(unit, &allocations).await?,
        allocations,
        payable: payable.iter().map(|row| read_account_balances(row, 1)).collect::<Result<_, _>>()?,
        suffered: Pence(suffered.map_or(Ok(0), |row| row.get(0))?),
    })
}

async fn cis_advances(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    period: Period,
) -> Result<Vec<CisAdvance>, StoreError> {
    let of_period = params![organisation.0, i64::from(period.first), i64::from(period.last)];
    let read = |row: &Row| {
        Ok(CisAdvance {
            payment_id: row.get(0)?,
            supplier_id: row.get(1)?,
            supplier_name: row.get(2)?,
            unallocated: Pence(row.get(3)?),
        })
    };
    unit.all(CIS_ADVANCES, of_period).await?.iter().map(read).collect()
}

fn read_bill_allocation(row: &Row) -> Result<BillAllocation, StoreError> {
    let is_credit = row.get::<Option<i64>>(12)?.is_some();
    Ok(BillAllocation {
        document_id: row.get(0)?,
        kind: row.parsed(1, DocumentKind::parse)?,
        supplier_id: row.get(2)?,
        deduction_rate: row.get(3)?,
        document: read_cis_amounts(row, 4)?,
        date: row.date(8)?,
        released_date: row.maybe_date(9)?,
        amount: Pence(row.get(10)?),
        withheld: Pence(row.get(11)?),
        credit_note: is_credit.then(|| read_cis_amounts(row, 12)).transpose()?,
        settlement_id: row.get(16)?,
        settlement_void_date: row.maybe_date(17)?,
    })
}

fn read_cis_amounts(row: &Row, from: usize) -> Result<CisAmounts, StoreError> {
    Ok(CisAmounts {
        net: Pence(row.get(from)?),
        vat: Pence(row.get(from + 1)?),
        labour: Pence(row.get(from + 2)?),
        materials: Pence(row.get(from + 3)?),
    })
}

async fn cis_suppliers(unit: &Unit<'_>, allocations: &[BillAllocation]) -> Result<Vec<CisSupplier>, StoreError> {
    if allocations.is_empty() {
        return Ok(Vec::new());
    }
    let ids: BTreeSet<i64> = allocations.iter().map(|allocation| allocation.supplier_id).collect();
    let among = unit.numbers_of_json();
    let sql = format!("select c.id, c.name, c.cis_utr, c.cis_verification_number from contact c where c.id in {among}");
    // Numbers always print.
    let rows = unit.all(&sql, params![serde_json::to_string(&ids).unwrap_or_default()]).await?;
    let read = |row: &Row| {
        Ok(CisSupplier { id: row.get(0)?, name: row.get(1)?, utr: row.get(2)?, verification_number: row.get(3)? })
    };
    rows.iter().map(read).collect()
}
