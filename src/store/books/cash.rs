//! Totals of what journals moved on the bank accounts of an organisation taken together, by day; and what of it was moved
//! back by a reversal, by both days.

use crate::domain::ids::OrganisationId;
use crate::domain::ledger::money::Pence;
use crate::domain::reports::Period;
use crate::store::StoreError;
use crate::store::sql::{Query, Row, Unit, params};

/// Debits less credits of a journal on all bank accounts, for the journals `j` of the organisations of a condition.
macro_rules! moved {
    () => {
        "select l.organisation_id, l.journal_id, l.entry_day, cast(sum(l.debit - l.credit) as bigint) as moved \
         from account a join journal_line l on l.account_id = a.id where a.role = 'bank' and a.organisation_id = $1 \
         group by l.organisation_id, l.journal_id, l.entry_day having sum(l.debit - l.credit) <> 0"
    };
}

/// Counts the totals again from the lines of all journals.
pub(super) async fn count_cash(unit: &Unit<'_>, organisation: i64) -> Result<(), StoreError> {
    for sql in [
        "delete from cash_day where organisation_id = $1",
        "delete from cash_reversal where organisation_id = $1",
        concat!(
            "insert into cash_day (organisation_id, day, inflow, outflow) select m.organisation_id, m.entry_day, \
             cast(sum(case when m.moved > 0 then m.moved else 0 end) as bigint), \
             cast(sum(case when m.moved < 0 then -m.moved else 0 end) as bigint) from (",
            moved!(),
            ") m group by m.organisation_id, m.entry_day"
        ),
        concat!(
            "insert into cash_reversal (organisation_id, day, reversal_day, amount) \
             select m.organisation_id, o.entry_day, m.entry_day, cast(sum(abs(m.moved)) as bigint) from (",
            moved!(),
            ") m join journal r on r.id = m.journal_id join journal o on o.id = r.reverses_journal_id \
             group by m.organisation_id, o.entry_day, m.entry_day"
        ),
    ] {
        unit.execute(sql, params![organisation]).await?;
    }
    Ok(())
}

/// Selects what came to the bank accounts in a period, what left them, and how much of both was moved back by reversals
/// within it.
pub(super) fn cash_flows(organisation: OrganisationId, period: Period) -> Query {
    const SQL: &str = "select cast(coalesce(sum(d.inflow), 0) as bigint), cast(coalesce(sum(d.outflow), 0) as bigint), \
         (select cast(coalesce(sum(r.amount), 0) as bigint) from cash_reversal r where r.organisation_id = $1 \
         and r.day >= $2 and r.day <= $3 and r.reversal_day <= $3) \
         from cash_day d where d.organisation_id = $1 and d.day >= $2 and d.day <= $3";
    Query::new(SQL, 3, params![organisation.0, i64::from(period.first), i64::from(period.last)])
}

/// What came and what left without journals that were reversed within the period, from the answer to [`cash_flows`].
pub(super) fn read_cash_flows(rows: &[Row]) -> Result<(Pence, Pence), StoreError> {
    let Some(row) = rows.first() else { return Ok((Pence::ZERO, Pence::ZERO)) };
    let (inflows, outflows, moved_back) = (Pence(row.get(0)?), Pence(row.get(1)?), Pence(row.get(2)?));
    Ok((inflows - moved_back, outflows - moved_back))
}
