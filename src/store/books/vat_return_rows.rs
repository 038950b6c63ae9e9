//! Loads the rows that VAT returns are computed from, each return in one snapshot: sums of entries by day and month,
//! adjustments, and what cash accounting still waits for.

use std::collections::HashMap;

use crate::domain::books::records::document::DocumentRecord;
use crate::domain::books::records::organisation::OrganisationRecord;
use crate::domain::books::records::vat_return::VatReturnRecord;
use crate::domain::date::{Date, Month};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::allocation::{Allocation, SettlementKind};
use crate::domain::ledger::document::DocumentKind;
use crate::domain::ledger::journal::SourceType;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::open_item::NodesOfDay;
use crate::domain::ledger::vat::{Basis, ReverseCharge, Side, Split, VatCode, VatHistory};
use crate::domain::ledger::vat_adjustment::{AdjustmentReason, BoxEntry, VatBox};
use crate::domain::ledger::vat_cash;
use crate::domain::ledger::vat_return::{
    AdjustmentMovement, Declared, FlatRates, VatKind, VatPeriods, VatReturnFigures, VatTotal,
};
use crate::domain::reports::Period;
use crate::domain::reports::vat_return::{
    OpenAmount, RecordedReturn, VatRegistration, VatReturnParameters, VatReturnRows,
};
use crate::domain::reports::vat_return_lines::VatEntryRow;
use crate::store::StoreError;
use crate::store::books::allocations::{ALLOCATION_COLUMN_COUNT, ALLOCATION_COLUMNS, read_allocation};
use crate::store::books::conditions::Conditions;
use crate::store::books::documents::{DOCUMENT_COLUMNS, read_document};
use crate::store::books::organisation::read_vat_scheme;
use crate::store::books::report_rows::Snapshot;
use crate::store::books::vat_returns::returns_up_to;
use crate::store::sql::{Reader, Row, Unit, json_array, params};

/// How long documents may stay unpaid after cash accounting ended, in months (VAT Notice 731, section 6).
const UNPAID_MONTHS_MAX: i32 = 6;

impl Reader {
    /// The rows of a VAT return.
    pub async fn vat_return_rows(
        &self,
        organisation: &OrganisationRecord,
        parameters: VatReturnParameters,
    ) -> Result<Snapshot<VatReturnRows>, StoreError> {
        let organisation = organisation.id;
        self.snapshot(move |unit| {
            Box::pin(async move {
                let (organisation_name, cursor, registration) = head(unit, organisation).await?;
                let rows = vat_return_rows(unit, organisation, registration, parameters).await?;
                Ok(Snapshot { organisation_name, cursor, rows })
            })
        })
        .await
    }
}

async fn vat_return_rows(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    registration: VatRegistration,
    VatReturnParameters { period, has_detail }: VatReturnParameters,
) -> Result<VatReturnRows, StoreError> {
    let rates = FlatRates::from(&registration.schemes);
    let scheme = registration.schemes.on(period.last);
    let unallocated = if Basis::from(scheme).waits_for_payment() {
        unallocated_receipts(unit, organisation, period.last).await?
    } else {
        Vec::new()
    };
    let mut earlier = returns_up_to(unit, organisation, Month::of(period.last)).await?;
    let recorded = earlier.iter().find(|record| record.period == period);
    let recorded = recorded.map(|record| RecordedReturn { id: record.id, filed_on: record.filed_on });
    earlier.retain(|record| record.period.last < period.first);
    Ok(VatReturnRows {
        totals: vat_totals(unit, organisation, period, &rates).await?,
        adjustments: adjustment_movements(unit, organisation, period, i64::MAX).await?,
        earlier: earlier_returns(unit, organisation, earlier, &rates).await?,
        recorded,
        unallocated,
        overdue: overdue_documents(unit, organisation, period.last, &registration).await?,
        entries: if has_detail { Some(vat_entries(unit, organisation, period, i64::MAX).await?) } else { None },
        registration,
    })
}

/// What a return says of the organisation and of the moment, and its VAT settings: its name, and the position of the history.
async fn head(unit: &Unit<'_>, organisation: OrganisationId) -> Result<(String, i64, VatRegistration), StoreError> {
    const SQL: &str = "select o.name, b.next_change - 1, o.vat_registered, o.vat_number, o.vat_period_months, \
         o.vat_period_end_month, p.from_day, p.scheme, p.flat_rate_basis_points, p.flat_rate_basis from organisation o \
         join books b on b.organisation_id = o.id left join vat_scheme_period p on p.organisation_id = o.id where o.id = $1";
    let rows = unit.all(SQL, params![organisation.0]).await?;
    let first = rows.first().ok_or_else(|| StoreError::corrupt("the books of organisation", organisation.0))?;
    let number = |at: usize| -> Result<i32, StoreError> { Ok(i32::try_from(first.get::<i64>(at)?).unwrap_or(3)) };
    let mut schemes = Vec::with_capacity(rows.len());
    for row in &rows {
        if row.get::<Option<i64>>(6)?.is_some() {
            schemes.push(read_vat_scheme(row, 6)?);
        }
    }
    let registration = VatRegistration {
        is_registered: first.get(2)?,
        number: first.get(3)?,
        periods: VatPeriods { months: number(4)?, end_month: number(5)? },
        schemes: VatHistory::new(schemes),
    };
    Ok((first.get(0)?, first.get(1)?, registration))
}

/// The sums of the entries of a period by kind, and by the percentage of the flat rate.
async fn vat_totals(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    period: Period,
    rates: &FlatRates,
) -> Result<Vec<VatTotal>, StoreError> {
    let changes = rates.changes_within(period.first, period.last);
    let firsts = std::iter::once(period.first).chain(changes.iter().copied());
    let lasts = changes.iter().map(|change| *change - 1).chain([period.last]);
    let mut totals = Vec::new();
    for (first, last) in firsts.zip(lasts) {
        let (sql, conditions) = totals_query(organisation, Period { first, last });
        for row in unit.all(&sql, conditions.values()).await? {
            totals.push(read_total(&row, first)?);
        }
    }
    Ok(totals)
}

/// The query of [`read_total`] for a period: the sums of its whole months, and of the days beside these. Days are found by
/// the kinds that ever were, of which there are few.
fn totals_query(organisation: OrganisationId, period: Period) -> (String, Conditions) {
    let mut conditions = Conditions::new("t.organisation_id = $1", organisation.0);
    let kinds = "t.side, t.vat_code, t.basis, t.reverse_charge";
    let mut arms = Vec::new();
    let (first, last) = (Month::of(period.first - 1).0 + 1, Month::of(period.last + 1).0 - 1);
    let mut days = Vec::new();
    if first <= last {
        let months = (conditions.value(first), conditions.value(last));
        arms.push(format!(
            "select {kinds}, t.net, t.vat, t.entries from vat_month t where t.organisation_id = $1 \
             and t.month >= {} and t.month <= {}",
            months.0, months.1
        ));
        days.push((period.first, Month(first).first_day() - 1));
        days.push((Month(last).last_day() + 1, period.last));
    } else {
        days.push((period.first, period.last));
    }
    for (from, to) in days.into_iter().filter(|(from, to)| from <= to) {
        let (from, to) = (conditions.value(i64::from(from)), conditions.value(i64::from(to)));
        arms.push(format!(
            "select {kinds}, t.net, t.vat, t.entries from (select distinct side, vat_code, basis, reverse_charge \
             from vat_month where organisation_id = $1) k join vat_day t on t.organisation_id = $1 and t.side = k.side \
             and t.vat_code = k.vat_code and t.basis = k.basis and t.reverse_charge = k.reverse_charge \
             and t.day >= {from} and t.day <= {to}"
        ));
    }
    let sql = format!(
        "select t.side, t.vat_code, t.basis, t.reverse_charge, cast(sum(t.net) as bigint), cast(sum(t.vat) as bigint), \
         cast(sum(t.entries) as bigint) from ({}) t group by t.side, t.vat_code, t.basis, t.reverse_charge",
        arms.join(" union all ")
    );
    (sql, conditions)
}

fn read_total(row: &Row, date: Date) -> Result<VatTotal, StoreError> {
    Ok(VatTotal {
        date,
        kind: read_kind(row, 0)?,
        amount: Split { net: Pence(row.get(4)?), vat: Pence(row.get(5)?) },
        entries: row.get(6)?,
    })
}

/// The kind in four columns, of which the last is empty where there is no reverse charge.
fn read_kind(row: &Row, from: usize) -> Result<VatKind, StoreError> {
    let charge: String = row.get(from + 3)?;
    let reverse_charge = match charge.as_str() {
        "" => None,
        word => Some(ReverseCharge::parse(word).ok_or_else(|| StoreError::corrupt("reverse charge", word))?),
    };
    Ok(VatKind {
        side: row.parsed(from, Side::parse)?,
        code: row.parsed(from + 1, VatCode::parse)?,
        basis: row.parsed(from + 2, Basis::parse)?,
        reverse_charge,
    })
}

/// The sums of the entries up to the end of a period by kind: those of the turnover of the flat rate by day, the others by month,
/// from the month on in which it begins.
pub(super) async fn totals_by_month(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    period: Period,
) -> Result<Vec<VatTotal>, StoreError> {
    const MONTHS: &str = "select side, vat_code, basis, reverse_charge, net, vat, entries, month from vat_month \
         where organisation_id = $1 and month >= $2 and month <= $3 and not (side = 'output' and basis = 'flat_rate')";
    const DAYS: &str = "select side, vat_code, basis, reverse_charge, net, vat, entries, day from vat_day \
         where organisation_id = $1 and day >= $2 and day <= $3 and side = 'output' and basis = 'flat_rate'";
    let months = params![organisation.0, Month::of(period.first).0, Month::of(period.last).0];
    let mut totals = Vec::new();
    for row in unit.all(MONTHS, months).await? {
        totals.push(read_total(&row, Month(row.get(7)?).first_day())?);
    }
    let days = params![organisation.0, i64::from(period.first.first_of_month()), i64::from(period.last)];
    for row in unit.all(DAYS, days).await? {
        totals.push(read_total(&row, row.date(7)?)?);
    }
    Ok(totals)
}

/// Recorded returns with what their periods would declare now.
async fn earlier_returns(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    recorded: Vec<VatReturnRecord>,
    rates: &FlatRates,
) -> Result<Vec<(VatReturnFigures, Declared)>, StoreError> {
    let (Some(first), Some(last)) = (recorded.first(), recorded.last()) else { return Ok(Vec::new()) };
    let all = Period { first: first.period.first, last: last.period.last };
    let movements = adjustment_movements(unit, organisation, all, i64::MAX).await?;
    let mut totals = totals_of_returns(unit, organisation, &recorded).await?;
    let mut earlier = Vec::with_capacity(recorded.len());
    for record in recorded {
        let Period { first, last } = record.period;
        let of_period = if rates.changes_within(first, last).is_empty() {
            totals.remove(&record.id).unwrap_or_default()
        } else {
            vat_totals(unit, organisation, record.period, rates).await?
        };
        let is_within = |movement: &&AdjustmentMovement| first <= movement.date && movement.date <= last;
        let movements: Vec<_> = movements.iter().filter(is_within).copied().collect();
        earlier.push((record.figures, Declared::of(&of_period, &movements, rates)));
    }
    Ok(earlier)
}

/// The sums of the periods of recorded returns by kind, by return. Such periods are whole months.
async fn totals_of_returns(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    recorded: &[VatReturnRecord],
) -> Result<HashMap<i64, Vec<VatTotal>>, StoreError> {
    let sql = format!(
        "select t.side, t.vat_code, t.basis, t.reverse_charge, cast(sum(t.net) as bigint), cast(sum(t.vat) as bigint), \
         cast(sum(t.entries) as bigint), r.id from vat_return r join vat_month t on t.organisation_id = r.organisation_id \
         and t.month >= r.first_month and t.month <= r.last_month where r.organisation_id = $2 and r.id in {} \
         group by r.id, t.side, t.vat_code, t.basis, t.reverse_charge",
        unit.numbers_of_json()
    );
    let firsts: HashMap<i64, Date> = recorded.iter().map(|record| (record.id, record.period.first)).collect();
    let mut totals: HashMap<i64, Vec<VatTotal>> = HashMap::new();
    let ids = json_array(firsts.keys());
    for row in unit.all(&sql, params![ids, organisation.0]).await? {
        let id: i64 = row.get(7)?;
        if let Some(first) = firsts.get(&id) {
            totals.entry(id).or_default().push(read_total(&row, *first)?);
        }
    }
    Ok(totals)
}

/// What adjustments add in a period, and what those that became void in it take off again; as far as both were said up to a
/// position of the history.
pub(super) async fn adjustment_movements(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    period: Period,
    cursor: i64,
) -> Result<Vec<AdjustmentMovement>, StoreError> {
    const SQL: &str = "select m.id, m.day, m.reason, e.box_number, m.sign * e.amount from \
         (select v.id, v.day, v.reason, 1 as sign from vat_adjustment v \
         where v.organisation_id = $1 and v.day >= $2 and v.day <= $3 union all \
         select v.id, v.void_day, v.reason, -1 from vat_adjustment v \
         where v.organisation_id = $1 and v.void_day >= $2 and v.void_day <= $3) m \
         join vat_adjustment_entry e on e.vat_adjustment_id = m.id @@ order by m.day, m.id, m.sign desc, e.position";
    /// Only what the history has by then.
    const SAID: &str = "where exists (select 1 from book_change c where c.organisation_id = $1 \
         and c.resource_type = 'vat_adjustment' and c.resource_id = m.id \
         and c.action = case m.sign when 1 then 'create' else 'void' end and c.cursor <= $4)";
    let read = |row: &Row| {
        let number: i64 = row.get(3)?;
        let vat_box = VatBox::numbered(number).ok_or_else(|| StoreError::corrupt("box", number))?;
        Ok(AdjustmentMovement {
            id: row.get(0)?,
            date: row.date(1)?,
            reason: row.parsed(2, AdjustmentReason::parse)?,
            entry: BoxEntry { vat_box, amount: Pence(row.get(4)?) },
        })
    };
    let mut of_period = params![organisation.0, i64::from(period.first), i64::from(period.last)];
    let sql = if cursor == i64::MAX {
        SQL.replace("@@", "")
    } else {
        of_period.push(cursor.into());
        SQL.replace("@@", SAID)
    };
    unit.all(&sql, of_period).await?.iter().map(read).collect()
}

/// Every entry of a period with what it comes from, by date; as far as they were made up to a position of the history.
pub(super) async fn vat_entries(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    period: Period,
    cursor: i64,
) -> Result<Vec<VatEntryRow>, StoreError> {
    const SQL: &str = "select e.id, e.tax_day, e.side, e.vat_code, e.basis, coalesce(e.reverse_charge, ''), e.net, e.vat, \
         coalesce(d.kind, j.source_type), d.id, coalesce(d.number, cast(j.number as text)), \
         coalesce(e.journal_id, s.journal_id), coalesce(d.contact_id, l.contact_id), e.settlement_id \
         from vat_entry e left join document d on d.id = e.document_id left join journal j on j.id = e.journal_id \
         left join journal_line l on l.id = e.journal_line_id left join settlement s on s.id = e.settlement_id \
         where e.organisation_id = $1 and e.tax_day >= $2 and e.tax_day <= $3 and e.cursor <= $4 order by e.tax_day, e.id";
    let of_period = params![organisation.0, i64::from(period.first), i64::from(period.last), cursor];
    unit.all(SQL, of_period).await?.iter().map(read_entry).collect()
}

fn read_entry(row: &Row) -> Result<VatEntryRow, StoreError> {
    Ok(VatEntryRow {
        id: row.get(0)?,
        date: row.date(1)?,
        kind: read_kind(row, 2)?,
        amount: Split { net: Pence(row.get(6)?), vat: Pence(row.get(7)?) },
        document_type: row.parsed(8, SourceType::parse)?,
        document_id: row.get(9)?,
        number: row.get(10)?,
        journal_id: row.get(11)?,
        contact_id: row.get(12)?,
        settlement_id: row.get(13)?,
    })
}

/// The open items `o` of these conditions at the end of a day, with these columns.
fn open_on(conditions: &mut Conditions, date: Date, columns: &str, joined: &str) -> String {
    let day = conditions.value(i64::from(date));
    let NodesOfDay { up_to, after } = NodesOfDay::of(date);
    let [up_to, after] = [up_to, after].map(|nodes| nodes.map(|node| conditions.value(node)).join(", "));
    let own = conditions.text();
    format!(
        "select {columns} from open_item o {joined} where {own} and o.node in ({up_to}) and o.until_day > {day} \
         union all select {columns} from open_item o {joined} where {own} and o.node in ({after}) and o.from_day <= {day}"
    )
}

/// Receipts that are not wholly set against invoices at the end of a day, with what is left of them.
async fn unallocated_receipts(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    date: Date,
) -> Result<Vec<OpenAmount>, StoreError> {
    let mut conditions = Conditions::new("o.organisation_id = $1", organisation.0);
    conditions.and_plain("o.side = 'customer'");
    conditions.and("o.source_type = {}", SettlementKind::CustomerReceipt.as_str());
    let day = conditions.value(i64::from(date));
    let taken = |end: &str| {
        format!(
            "coalesce((select sum(a.amount) from allocation a where a.{end} = s.id and a.day <= {day} \
             and (a.released_day is null or a.released_day > {day})), 0)"
        )
    };
    let columns = format!(
        "s.id, cast(s.amount - {} - {} as bigint) as unallocated",
        taken("from_settlement_id"),
        taken("to_settlement_id")
    );
    let items = open_on(&mut conditions, date, &columns, "join settlement s on s.id = o.source_id");
    let sql = format!("select i.id, i.unallocated from ({items}) i where i.unallocated > 0 order by i.id");
    let read = |row: &Row| Ok(OpenAmount { id: row.get(0)?, amount: Pence(row.get(1)?) });
    unit.all(&sql, conditions.values()).await?.iter().map(read).collect()
}

/// Documents under cash accounting that are open at the end of a day six months or more after it ended, with the VAT that
/// waits: what is due, less what may be reclaimed.
async fn overdue_documents(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    date: Date,
    registration: &VatRegistration,
) -> Result<Vec<OpenAmount>, StoreError> {
    let ended = registration.schemes.cash_ended_on(date);
    let Some(ended) = ended.filter(|ended| (*ended - 1).months_later(UNPAID_MONTHS_MAX) <= date) else {
        return Ok(Vec::new());
    };
    let mut conditions = Conditions::new("o.organisation_id = $1", organisation.0);
    conditions.and("d.vat_basis = {}", Basis::Cash.as_str());
    conditions.and("d.day < {}", i64::from(ended));
    let joined = format!(
        "join document d on d.id = o.source_id and o.source_type in ('{}')",
        DocumentKind::ALL.map(DocumentKind::as_str).join("', '")
    );
    let items = open_on(&mut conditions, date, DOCUMENT_COLUMNS, &joined);
    let mut documents: Vec<DocumentRecord> =
        unit.all(&items, conditions.values()).await?.iter().map(read_document).collect::<Result<_, _>>()?;
    documents.sort_by_key(|document| document.id);
    let mut allocations = allocations_of(unit, &documents).await?;
    let waiting = |document: &DocumentRecord| {
        let known = document.to_domain(allocations.remove(&document.id).unwrap_or_default());
        let amount = vat_cash::waiting(&known, date);
        (!amount.is_zero()).then_some(OpenAmount { id: document.id, amount })
    };
    Ok(documents.iter().filter_map(waiting).collect())
}

/// The allocations to and from documents, by document.
async fn allocations_of(
    unit: &Unit<'_>,
    documents: &[DocumentRecord],
) -> Result<HashMap<i64, Vec<Allocation>>, StoreError> {
    let mut allocations: HashMap<i64, Vec<Allocation>> = HashMap::new();
    let ids = json_array(documents.iter().map(|document| document.id));
    for end in ["to_document_id", "from_document_id"] {
        let among = unit.numbers_of_json();
        let sql =
            format!("select {ALLOCATION_COLUMNS}, a.{end} from allocation a where a.{end} in {among} order by a.id");
        for row in unit.all(&sql, params![&ids]).await? {
            allocations.entry(row.get(ALLOCATION_COLUMN_COUNT)?).or_default().push(read_allocation(&row)?);
        }
    }
    Ok(allocations)
}
