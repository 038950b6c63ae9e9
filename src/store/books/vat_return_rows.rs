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
use crate::domain::ledger::open_item;
use crate::domain::ledger::vat::{Basis, ReverseCharge, Side, Split, VatCode, VatHistory};
use crate::domain::ledger::vat_adjustment::{AdjustmentReason, BoxEntry, VatBox};
use crate::domain::ledger::vat_cash;
use crate::domain::ledger::vat_return::{AdjustmentMovement, Declared, FlatRates, VatKind, VatPeriods, VatTotal};
use crate::domain::ledger::year_end::NO_DAY;
use crate::domain::reports::Period;
use crate::domain::reports::vat_return::{
    OpenAmount, RecordedReturn, VatRegistration, VatReturnParameters, VatReturnRows,
};
use crate::domain::reports::vat_return_lines::VatEntryRow;
use crate::store::StoreError;
use crate::store::books::allocations::{ALLOCATION_COLUMN_COUNT, ALLOCATION_COLUMNS, read_allocation};
use crate::store::books::conditions::Conditions;
use crate::store::books::contact_report_rows::nodes_of_day;
use crate::store::books::documents::{self, DOCUMENT_COLUMNS, read_document};
use crate::store::books::organisation::read_vat_scheme;
use crate::store::books::report_rows::Snapshot;
use crate::store::books::vat_returns::{read_return, returns_query};
use crate::store::sql::{Query, Reader, Row, Unit, params};

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
        let mut questions = Questions::of_most(parameters.period);
        loop {
            match self.vat_return_answers(organisation, parameters, &questions).await? {
                Answers::Rows(rows) => return Ok(*rows),
                Answers::MoreIsNeeded(needed) => questions = needed,
            }
        }
    }

    /// What some questions find.
    async fn vat_return_answers(
        &self,
        organisation: OrganisationId,
        VatReturnParameters { period, has_detail }: VatReturnParameters,
        questions: &Questions,
    ) -> Result<Answers, StoreError> {
        let up_to_now = Period { first: Date::MIN, last: period.last };
        let (last, overdue_before) = (period.last, questions.overdue_before);
        let receipts = if questions.has_receipts { receipts_query(organisation, last) } else { Query::default() };
        let documents = overdue_before.map(|ended| overdue_query(organisation, last, ended)).unwrap_or_default();
        let [to_them, from_them] = ["to_document_id", "from_document_id"].map(|end| {
            let query = |ended| overdue_allocations_query(organisation, last, ended, end);
            overdue_before.map(query).unwrap_or_default()
        });
        let entries = if has_detail { entries_query(organisation, period, i64::MAX) } else { Query::default() };
        let [head, totals, adjustments, returns, of_returns, receipts, documents, to_them, from_them, entries] = self
            .together([
                registration_query(organisation),
                totals_query(organisation, &questions.totals),
                adjustments_query(organisation, up_to_now, i64::MAX),
                returns_query(organisation, Month::of(period.last)),
                totals_of_returns_query(organisation, Month::of(period.first)),
                receipts,
                documents,
                to_them,
                from_them,
                entries,
            ])
            .await?;
        let (organisation_name, cursor, registration) = read_registration(organisation, &head)?;
        let rates = FlatRates::from(&registration.schemes);
        let mut earlier = returns.iter().map(read_return).collect::<Result<Vec<_>, _>>()?;
        let recorded = earlier.iter().find(|record| record.period == period);
        let recorded = recorded.map(|record| RecordedReturn { id: record.id, filed_on: record.filed_on });
        earlier.retain(|record| record.period.last < period.first);
        let needed = Questions::about(period, &registration, &rates, &earlier);
        if needed != *questions {
            return Ok(Answers::MoreIsNeeded(needed));
        }
        let totals = read_totals(&totals)?;
        let movements = adjustments.iter().map(read_adjustment).collect::<Result<Vec<_>, _>>()?;
        let declared = |period: Period, totals: &[VatTotal]| Declared::of(totals, &within(&movements, period), &rates);
        let of_returns = read_totals_of_returns(&of_returns, &earlier)?;
        let earlier = earlier.iter().map(|record| {
            let whole = of_returns.get(&record.id).map_or(&[][..], Vec::as_slice);
            let by_percentage = totals.get(&record.period);
            (record.figures, declared(record.period, by_percentage.map_or(whole, Vec::as_slice)))
        });
        let rows = VatReturnRows {
            earlier: earlier.collect(),
            totals: totals.get(&period).cloned().unwrap_or_default(),
            adjustments: within(&movements, period),
            recorded,
            unallocated: receipts.iter().map(read_open_amount).collect::<Result<_, _>>()?,
            overdue: read_overdue(&documents, [&to_them, &from_them], period.last)?,
            entries: if has_detail { Some(entries.iter().map(read_entry).collect::<Result<_, _>>()?) } else { None },
            registration,
        };
        Ok(Answers::Rows(Box::new(Snapshot { organisation_name, cursor, rows })))
    }
}

/// What is to be asked for a return beside what every return needs, which follows from the schemes and the recorded returns.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Questions {
    /// The periods whose sums are asked for, each with its parts of one percentage of the flat rate: that of the return, and
    /// those of recorded returns in which the percentage changed.
    totals: Vec<(Period, Vec<Period>)>,
    /// Whether receipts that are not set against invoices matter.
    has_receipts: bool,
    /// Before which day documents of cash accounting are overdue, where it ended long enough ago.
    overdue_before: Option<Date>,
}

/// What questions were answered with.
enum Answers {
    /// All that a return is computed from.
    Rows(Box<Snapshot<VatReturnRows>>),
    /// What should have been asked of these books.
    MoreIsNeeded(Questions),
}

impl Questions {
    /// What most books need: no percentage changes, and nothing waits for payment.
    fn of_most(period: Period) -> Self {
        Self { totals: vec![(period, vec![period])], has_receipts: false, overdue_before: None }
    }

    /// What these books need.
    fn about(period: Period, registration: &VatRegistration, rates: &FlatRates, recorded: &[VatReturnRecord]) -> Self {
        let parts = |Period { first, last }: Period| -> Vec<Period> {
            let changes = rates.changes_within(first, last);
            let firsts = std::iter::once(first).chain(changes.iter().copied());
            let lasts = changes.iter().map(|change| *change - 1).chain([last]);
            firsts.zip(lasts).map(|(first, last)| Period { first, last }).collect()
        };
        let of_recorded = recorded.iter().map(|record| (record.period, parts(record.period)));
        let ended = registration.schemes.cash_ended_on(period.last);
        Self {
            totals: std::iter::once((period, parts(period)))
                .chain(of_recorded.filter(|(_, parts)| parts.len() > 1))
                .collect(),
            has_receipts: Basis::from(registration.schemes.on(period.last)).waits_for_payment(),
            overdue_before: ended.filter(|ended| (*ended - 1).months_later(UNPAID_MONTHS_MAX) <= period.last),
        }
    }
}

/// Those of a period.
fn within(movements: &[AdjustmentMovement], Period { first, last }: Period) -> Vec<AdjustmentMovement> {
    movements.iter().filter(|movement| first <= movement.date && movement.date <= last).copied().collect()
}

/// Selects what a return says of the organisation and of the moment, and its VAT settings.
fn registration_query(organisation: OrganisationId) -> Query {
    const SQL: &str = "select o.name, b.next_change - 1, o.vat_registered, o.vat_number, o.vat_period_months, \
         o.vat_period_end_month, p.from_day, p.scheme, p.flat_rate_basis_points, p.flat_rate_basis from organisation o \
         join books b on b.organisation_id = o.id left join vat_scheme_period p on p.organisation_id = o.id where o.id = $1";
    Query::new(SQL, 10, params![organisation.0])
}

/// The name, the position of the history, and the VAT settings.
fn read_registration(organisation: OrganisationId, rows: &[Row]) -> Result<(String, i64, VatRegistration), StoreError> {
    let first = rows.first().ok_or_else(|| StoreError::corrupt("the books of organisation", organisation.0))?;
    let number = |at: usize| -> Result<i32, StoreError> { Ok(i32::try_from(first.get::<i64>(at)?).unwrap_or(3)) };
    let mut schemes = Vec::with_capacity(rows.len());
    for row in rows {
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

/// Selects the sums of the entries of periods by kind: those of the whole months, and of the days beside these. Days are
/// found by the kinds that ever were, of which there are few.
fn totals_query(organisation: OrganisationId, periods: &[(Period, Vec<Period>)]) -> Query {
    const KINDS: &str = "t.side, t.vat_code, t.basis, t.reverse_charge";
    let mut conditions = Conditions::new("t.organisation_id = $1", organisation.0);
    let mut arms = Vec::new();
    for (of, part) in periods.iter().flat_map(|(of, parts)| parts.iter().map(move |part| (of, part))) {
        let place = [of.first, of.last, part.first].map(|date| conditions.value(i64::from(date)));
        let [first_day, last_day, part_day] = place;
        let columns = format!(
            "{KINDS}, t.net, t.vat, t.entries, t.rate_day, {first_day} as first_day, {last_day} as last_day, {part_day} as part_day"
        );
        let (first, last) = (Month::of(part.first - 1).0 + 1, Month::of(part.last + 1).0 - 1);
        let mut days = Vec::new();
        if first <= last {
            let (from, to) = (conditions.value(first), conditions.value(last));
            arms.push(format!(
                "select {columns} from vat_month t where t.organisation_id = $1 and t.month >= {from} and t.month <= {to}"
            ));
            days.push((part.first, Month(first).first_day() - 1));
            days.push((Month(last).last_day() + 1, part.last));
        } else {
            days.push((part.first, part.last));
        }
        for (from, to) in days.into_iter().filter(|(from, to)| from <= to) {
            let (from, to) = (conditions.value(i64::from(from)), conditions.value(i64::from(to)));
            arms.push(format!(
                "select {columns} from (select distinct side, vat_code, basis, reverse_charge \
                 from vat_month where organisation_id = $1) k join vat_day t on t.organisation_id = $1 and t.side = k.side \
                 and t.vat_code = k.vat_code and t.basis = k.basis and t.reverse_charge = k.reverse_charge \
                 and t.day >= {from} and t.day <= {to}"
            ));
        }
    }
    let sql = format!(
        "select {KINDS}, cast(sum(t.net) as bigint), cast(sum(t.vat) as bigint), cast(sum(t.entries) as bigint), t.rate_day, \
         t.first_day, t.last_day, t.part_day from ({}) t \
         group by {KINDS}, t.rate_day, t.first_day, t.last_day, t.part_day",
        arms.join(" union all ")
    );
    Query::new(sql, 11, conditions.values())
}

/// The sums of periods, each with those of its parts.
fn read_totals(rows: &[Row]) -> Result<HashMap<Period, Vec<VatTotal>>, StoreError> {
    let mut totals: HashMap<Period, Vec<VatTotal>> = HashMap::new();
    for row in rows {
        let period = Period { first: row.date(8)?, last: row.date(9)? };
        totals.entry(period).or_default().push(read_total(row, row.date(10)?)?);
    }
    Ok(totals)
}

/// Reads the sum of a kind on days of one percentage of the flat rate, of which `date` is one, from eight columns: the kind, the
/// sums, and the day whose percentage counts.
fn read_total(row: &Row, date: Date) -> Result<VatTotal, StoreError> {
    let rate_date = row.date(7)?;
    Ok(VatTotal {
        date,
        rate_date: if rate_date == NO_DAY { date } else { rate_date },
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
    const MONTHS: &str = "select side, vat_code, basis, reverse_charge, net, vat, entries, rate_day, month from vat_month \
         where organisation_id = $1 and month >= $2 and month <= $3 and not (side = 'output' and basis = 'flat_rate')";
    const DAYS: &str = "select side, vat_code, basis, reverse_charge, net, vat, entries, rate_day, day from vat_day \
         where organisation_id = $1 and day >= $2 and day <= $3 and side = 'output' and basis = 'flat_rate'";
    let months = params![organisation.0, Month::of(period.first).0, Month::of(period.last).0];
    let mut totals = Vec::new();
    for row in unit.all(MONTHS, months).await? {
        totals.push(read_total(&row, Month(row.get(8)?).first_day())?);
    }
    let days = params![organisation.0, i64::from(period.first.first_of_month()), i64::from(period.last)];
    for row in unit.all(DAYS, days).await? {
        totals.push(read_total(&row, row.date(8)?)?);
    }
    Ok(totals)
}

/// Selects the sums by kind of the periods of recorded returns that begin before a month. Such periods are whole months.
fn totals_of_returns_query(organisation: OrganisationId, before: Month) -> Query {
    const SQL: &str = "select t.side, t.vat_code, t.basis, t.reverse_charge, cast(sum(t.net) as bigint), \
         cast(sum(t.vat) as bigint), cast(sum(t.entries) as bigint), t.rate_day, r.id from vat_return r \
         join vat_month t on t.organisation_id = r.organisation_id and t.month >= r.first_month and t.month <= r.last_month \
         where r.organisation_id = $1 and r.first_month < $2 \
         group by r.id, t.side, t.vat_code, t.basis, t.reverse_charge, t.rate_day";
    Query::new(SQL, 9, params![organisation.0, before.0])
}

/// The sums of recorded returns, by return.
fn read_totals_of_returns(
    rows: &[Row],
    recorded: &[VatReturnRecord],
) -> Result<HashMap<i64, Vec<VatTotal>>, StoreError> {
    let firsts: HashMap<i64, Date> = recorded.iter().map(|record| (record.id, record.period.first)).collect();
    let mut totals: HashMap<i64, Vec<VatTotal>> = HashMap::new();
    for row in rows {
        let id: i64 = row.get(8)?;
        if let Some(first) = firsts.get(&id) {
            totals.entry(id).or_default().push(read_total(row, *first)?);
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
    unit.rows(adjustments_query(organisation, period, cursor)).await?.iter().map(read_adjustment).collect()
}

fn adjustments_query(organisation: OrganisationId, period: Period, cursor: i64) -> Query {
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
    let mut of_period = params![organisation.0, i64::from(period.first), i64::from(period.last)];
    let sql = if cursor == i64::MAX {
        SQL.replace("@@", "")
    } else {
        of_period.push(cursor.into());
        SQL.replace("@@", SAID)
    };
    Query::new(sql, 5, of_period)
}

fn read_adjustment(row: &Row) -> Result<AdjustmentMovement, StoreError> {
    let number: i64 = row.get(3)?;
    let vat_box = VatBox::numbered(number).ok_or_else(|| StoreError::corrupt("box", number))?;
    Ok(AdjustmentMovement {
        id: row.get(0)?,
        date: row.date(1)?,
        reason: row.parsed(2, AdjustmentReason::parse)?,
        entry: BoxEntry { vat_box, amount: Pence(row.get(4)?) },
    })
}

/// Every entry of a period with what it comes from, by date; as far as they were made up to a position of the history.
pub(super) async fn vat_entries(
    unit: &Unit<'_>,
    organisation: OrganisationId,
    period: Period,
    cursor: i64,
) -> Result<Vec<VatEntryRow>, StoreError> {
    unit.rows(entries_query(organisation, period, cursor)).await?.iter().map(read_entry).collect()
}

fn entries_query(organisation: OrganisationId, period: Period, cursor: i64) -> Query {
    const SQL: &str = "select e.id, e.tax_day, e.side, e.vat_code, e.basis, coalesce(e.reverse_charge, ''), e.net, e.vat, \
         coalesce(d.kind, j.source_type), d.id, coalesce(d.number, cast(j.number as text)), \
         coalesce(e.journal_id, s.journal_id), coalesce(d.contact_id, l.contact_id), e.settlement_id \
         from vat_entry e left join document d on d.id = e.document_id left join journal j on j.id = e.journal_id \
         left join journal_line l on l.id = e.journal_line_id left join settlement s on s.id = e.settlement_id \
         where e.organisation_id = $1 and e.tax_day >= $2 and e.tax_day <= $3 and e.cursor <= $4 order by e.tax_day, e.id";
    let of_period = params![organisation.0, i64::from(period.first), i64::from(period.last), cursor];
    Query::new(SQL, 14, of_period)
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
    let place = conditions.value(open_item::place_of(date));
    let [up_to, after] = nodes_of_day(&place);
    let own = conditions.text();
    format!(
        "select {columns} from open_item o {joined} where {own} and o.node in ({up_to}) and o.until_day > {day} \
         union all select {columns} from open_item o {joined} where {own} and o.node in ({after}) and o.from_day <= {day}"
    )
}

/// Selects receipts that are not wholly set against invoices at the end of a day, with what is left of them.
fn receipts_query(organisation: OrganisationId, date: Date) -> Query {
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
    Query::new(sql, 2, conditions.values())
}

fn read_open_amount(row: &Row) -> Result<OpenAmount, StoreError> {
    Ok(OpenAmount { id: row.get(0)?, amount: Pence(row.get(1)?) })
}

/// Selects documents under cash accounting from before the day on which it ended that are open at the end of another, with
/// these columns.
fn overdue_query(organisation: OrganisationId, date: Date, ended: Date) -> Query {
    overdue_documents(organisation, date, ended, DOCUMENT_COLUMNS, "", documents::COLUMNS)
}

/// Selects the allocations that have these documents at an end.
fn overdue_allocations_query(organisation: OrganisationId, date: Date, ended: Date, end: &str) -> Query {
    let columns = format!("{ALLOCATION_COLUMNS}, a.{end}");
    let joined = format!("join allocation a on a.{end} = d.id");
    overdue_documents(organisation, date, ended, &columns, &joined, ALLOCATION_COLUMN_COUNT + 1)
}

fn overdue_documents(
    organisation: OrganisationId,
    date: Date,
    ended: Date,
    columns: &str,
    joined: &str,
    column_count: usize,
) -> Query {
    let mut conditions = Conditions::new("o.organisation_id = $1", organisation.0);
    conditions.and("d.vat_basis = {}", Basis::Cash.as_str());
    conditions.and("d.day < {}", i64::from(ended));
    let joined = format!(
        "join document d on d.id = o.source_id and o.source_type in ('{}') {joined}",
        DocumentKind::ALL.map(DocumentKind::as_str).join("', '")
    );
    let items = open_on(&mut conditions, date, columns, &joined);
    Query::new(items, column_count, conditions.values())
}

/// Documents with the VAT that waits at the end of a day: what is due, less what may be reclaimed.
fn read_overdue(documents: &[Row], allocations: [&[Row]; 2], date: Date) -> Result<Vec<OpenAmount>, StoreError> {
    let mut of_documents: HashMap<i64, Vec<Allocation>> = HashMap::new();
    for row in allocations.into_iter().flatten() {
        of_documents.entry(row.get(ALLOCATION_COLUMN_COUNT)?).or_default().push(read_allocation(row)?);
    }
    let mut documents = documents.iter().map(read_document).collect::<Result<Vec<_>, _>>()?;
    documents.sort_by_key(|document| document.id);
    let waiting = |document: &DocumentRecord| {
        let mut allocations = of_documents.remove(&document.id).unwrap_or_default();
        allocations.sort_by_key(|one| one.id);
        let amount = vat_cash::waiting(&document.to_domain(allocations), date);
        (!amount.is_zero()).then_some(OpenAmount { id: document.id, amount })
    };
    Ok(documents.iter().filter_map(waiting).collect())
}
