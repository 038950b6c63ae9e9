//! Recorded VAT returns: how their rows are read and written, and the queries about them.

use std::collections::BTreeSet;

use Column::{Number, Text};

use crate::domain::books::facts::Facts;
use crate::domain::books::records::vat_return::VatReturnRecord;
use crate::domain::date::{Date, Month};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat_return::{Boxes, Declared, LateMethod, VatReturnFigures};
use crate::domain::reports::Period;
use crate::domain::reports::vat_return::VatReturnDetail;
use crate::store::StoreError;
use crate::store::books::vat_adjustments::adjustments_by_id;
use crate::store::books::vat_return_rows::{adjustment_movements, totals_by_month, vat_entries};
use crate::store::sql::{Column, Query, Reader, Row, Rows, Unit, json_array, params};

/// The columns of [`read_return`], of the return `r`.
const COLUMNS: &str = "r.id, r.first_month, r.last_month, r.scheme, r.box1, r.box2, r.box4, r.box6, r.box7, r.box8, r.box9, \
     r.entries, r.late_box1, r.late_box2, r.late_box4, r.late_box6, r.late_box7, r.late_box8, \
     r.late_box9, r.late_entries, r.late_method, r.filed_day, r.hmrc_receipt, r.cursor, r.user_id, \
     r.key_prefix, r.created_at";

/// How many columns these are.
const COLUMN_COUNT: usize = 27;

const RETURN: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Number("first_month"),
    Number("last_month"),
    Text("scheme"),
    Number("box1"),
    Number("box2"),
    Number("box4"),
    Number("box6"),
    Number("box7"),
    Number("box8"),
    Number("box9"),
    Number("entries"),
    Number("late_box1"),
    Number("late_box2"),
    Number("late_box4"),
    Number("late_box6"),
    Number("late_box7"),
    Number("late_box8"),
    Number("late_box9"),
    Number("late_entries"),
    Text("late_method"),
    Number("filed_day"),
    Text("hmrc_receipt"),
    Number("cursor"),
    Number("user_id"),
    Text("key_prefix"),
    Number("created_at"),
];

impl Reader {
    /// A page of the recorded returns of an organisation, the latest period first, and how many there are.
    pub async fn vat_returns(
        &self,
        organisation: OrganisationId,
        (limit, offset): (u64, u64),
    ) -> Result<(Vec<VatReturnRecord>, u64), StoreError> {
        self.snapshot(move |unit| {
            Box::pin(async move {
                let sql = format!(
                    "select {COLUMNS} from vat_return r where r.organisation_id = $1 order by r.last_month desc limit $2 offset $3"
                );
                let (limit, offset) = (i64::try_from(limit).unwrap_or(i64::MAX), i64::try_from(offset).unwrap_or(i64::MAX));
                let rows = unit.all(&sql, params![organisation.0, limit, offset]).await?;
                let all = "select count(*) from vat_return where organisation_id = $1";
                let total = unit.one(all, params![organisation.0]).await?.map_or(Ok(0), |row| row.unsigned(0))?;
                Ok((rows.iter().map(read_return).collect::<Result<_, _>>()?, total))
            })
        })
        .await
    }

    /// One recorded return of an organisation.
    pub async fn vat_return(
        &self,
        organisation: OrganisationId,
        id: i64,
    ) -> Result<Option<VatReturnRecord>, StoreError> {
        let sql = format!("select {COLUMNS} from vat_return r where r.organisation_id = $1 and r.id = $2");
        self.one(&sql, params![organisation.0, id]).await?.map(|row| read_return(&row)).transpose()
    }

    /// The entries and adjustments that a recorded return declared. Both are only ever added.
    pub async fn vat_return_detail(
        &self,
        organisation: OrganisationId,
        record: &VatReturnRecord,
    ) -> Result<VatReturnDetail, StoreError> {
        let (period, cursor) = (record.period, record.cursor);
        self.snapshot(move |unit| {
            Box::pin(async move {
                Ok(VatReturnDetail {
                    entries: vat_entries(unit, organisation, period, cursor).await?,
                    adjustments: adjustment_movements(unit, organisation, period, cursor).await?,
                })
            })
        })
        .await
    }
}

/// Selects the recorded returns of an organisation of periods that end by a month, in their order.
pub(super) fn returns_query(organisation: OrganisationId, month: Month) -> Query {
    let sql = format!(
        "select {COLUMNS} from vat_return r where r.organisation_id = $1 and r.last_month <= $2 order by r.last_month"
    );
    Query::new(sql, COLUMN_COUNT, params![organisation.0, month.0])
}

/// Loads what the recording of returns needs: the other returns of the organisation, the sums of VAT of all their periods and of
/// its own, and the adjustments of these; and the returns that are taken back.
pub(super) async fn load_vat_returns(
    unit: &Unit<'_>,
    ids: &BTreeSet<i64>,
    ends: &BTreeSet<(i64, Date)>,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    if !ids.is_empty() {
        let among = unit.numbers_of_json();
        let sql = format!("select {COLUMNS}, r.organisation_id from vat_return r where r.id in {among}");
        for row in unit.all(&sql, params![json_array(ids)]).await? {
            let record = read_return(&row)?;
            facts.vat_returns.loading().insert(record.id, (row.get(COLUMN_COUNT)?, record));
        }
    }
    for (organisation, end) in ends {
        let of = OrganisationId(*organisation);
        let recorded = unit.rows(returns_query(of, Month(i64::MAX))).await?;
        let recorded = recorded.iter().map(read_return).collect::<Result<Vec<_>, _>>()?;
        // No period is longer than a year.
        let own_first = end.first_of_month().months_later(-11);
        let first = recorded.iter().map(|record| record.period.first).fold(own_first, Date::min);
        let period = Period { first, last: *end };
        facts.vat_totals.loading().insert((*organisation, *end), totals_by_month(unit, of, period).await?);
        let movements = adjustment_movements(unit, of, period, i64::MAX).await?;
        let adjustments: BTreeSet<i64> = movements.iter().map(|movement| movement.id).collect();
        for (organisation, row) in adjustments_by_id(unit, &json_array(&adjustments)).await? {
            facts.vat_adjustments.loading().entry(row.id).or_insert((organisation, row));
        }
        for record in recorded {
            facts.vat_returns.loading().insert(record.id, (*organisation, record));
        }
    }
    Ok(())
}

/// Reads a recorded return from the first columns of a row.
pub(super) fn read_return(row: &Row) -> Result<VatReturnRecord, StoreError> {
    let (first, last) = (Month(row.get(1)?), Month(row.get(2)?));
    Ok(VatReturnRecord {
        id: row.get(0)?,
        period: Period { first: first.first_day(), last: last.last_day() },
        scheme: row.get(3)?,
        figures: VatReturnFigures {
            own: read_declared(row, 4)?,
            late: read_declared(row, 12)?,
            method: row.parsed(20, LateMethod::parse)?,
        },
        filed_on: row.maybe_date(21)?,
        hmrc_receipt: row.get(22)?,
        cursor: row.get(23)?,
        user_id: row.get(24)?,
        key_prefix: row.get(25)?,
        created_at_ms: row.get(26)?,
    })
}

/// Reads the boxes and how many entries they are made of.
fn read_declared(row: &Row, from: usize) -> Result<Declared, StoreError> {
    let amount = |at: usize| row.get(from + at).map(Pence);
    let boxes = Boxes {
        box1: amount(0)?,
        box2: amount(1)?,
        box4: amount(2)?,
        box6: amount(3)?,
        box7: amount(4)?,
        box8: amount(5)?,
        box9: amount(6)?,
    };
    Ok(Declared { boxes, count: row.get(from + 7)? })
}

/// The rows of recorded returns, with their organisation.
pub(super) fn return_rows<'a>(records: impl Iterator<Item = &'a (i64, VatReturnRecord)>) -> Rows {
    let mut rows = Rows::new("vat_return", RETURN, "");
    for (organisation, row) in records {
        let VatReturnFigures { own, late, method } = &row.figures;
        rows.push([
            row.id.into(),
            organisation.into(),
            Month::of(row.period.first).0.into(),
            Month::of(row.period.last).0.into(),
            (&row.scheme).into(),
            own.boxes.box1.0.into(),
            own.boxes.box2.0.into(),
            own.boxes.box4.0.into(),
            own.boxes.box6.0.into(),
            own.boxes.box7.0.into(),
            own.boxes.box8.0.into(),
            own.boxes.box9.0.into(),
            own.count.into(),
            late.boxes.box1.0.into(),
            late.boxes.box2.0.into(),
            late.boxes.box4.0.into(),
            late.boxes.box6.0.into(),
            late.boxes.box7.0.into(),
            late.boxes.box8.0.into(),
            late.boxes.box9.0.into(),
            late.count.into(),
            method.as_str().into(),
            row.filed_on.map(i64::from).into(),
            (&row.hmrc_receipt).into(),
            row.cursor.into(),
            row.user_id.into(),
            (&row.key_prefix).into(),
            row.created_at_ms.into(),
        ]);
    }
    rows
}
