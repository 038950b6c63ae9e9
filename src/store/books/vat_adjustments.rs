//! Adjustments of the VAT return: how their rows are read and written, and the queries about them.

use std::collections::HashMap;

use Column::{Number, Text};

use crate::domain::books::records::vat_adjustment::{
    LIST, VatAdjustmentFilter, VatAdjustmentRecord, VatAdjustmentView,
};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::vat_adjustment::{AdjustmentReason, BoxEntry, VatBox};
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::books::lists::{List, PagePlan};
use crate::store::books::totals::TotalSource;
use crate::store::sql::{Cell, Column, Reader, Row, Rows, Unit, json_array, params};

/// The columns of [`read_adjustment`], of the adjustment `v`.
const COLUMNS: &str = "v.id, v.day, v.reason, v.description, v.account_id, v.journal_id, v.void_journal_id, v.void_day, \
     v.void_reason, v.user_id, v.key_prefix, v.created_at, v.updated_at, v.version";

/// How many columns these are.
const COLUMN_COUNT: usize = 14;

const ADJUSTMENT: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Number("day"),
    Text("reason"),
    Text("description"),
    Number("account_id"),
    Number("journal_id"),
    Number("void_journal_id"),
    Number("void_day"),
    Text("void_reason"),
    Number("user_id"),
    Text("key_prefix"),
    Number("created_at"),
    Number("updated_at"),
    Number("version"),
];

const ADJUSTMENT_CONFLICT: &str = "on conflict (id) do update set void_journal_id = excluded.void_journal_id, \
     void_day = excluded.void_day, void_reason = excluded.void_reason, updated_at = excluded.updated_at, \
     version = excluded.version";

const ENTRY: &[Column] = &[Number("vat_adjustment_id"), Number("position"), Number("box_number"), Number("amount")];

/// Entries never change.
const ENTRY_CONFLICT: &str = "on conflict (vat_adjustment_id, position) do nothing";

impl VatAdjustmentFilter {
    /// Where the total of the list is read from.
    fn total_source(&self) -> TotalSource {
        let statuses = match self.voided {
            None => vec!["posted", "void"],
            Some(true) => vec!["void"],
            Some(false) => vec!["posted"],
        };
        let changed = self.updated_since_ms.map(|since_ms| ("v.updated_at", since_ms));
        TotalSource::of_list(LIST, statuses, (self.from_date, self.to_date), changed)
    }

    /// The conditions of the filter.
    fn conditions(&self, organisation: OrganisationId) -> Conditions {
        let mut conditions = Conditions::new("v.organisation_id = $1", organisation.0);
        conditions.and_if("v.day >= {}", self.from_date.map(i64::from));
        conditions.and_if("v.day <= {}", self.to_date.map(i64::from));
        conditions.and_if("~v.updated_at >= {}", self.updated_since_ms);
        match self.voided {
            Some(true) => conditions.and_plain("v.void_day is not null"),
            Some(false) => conditions.and_plain("v.void_day is null"),
            None => {}
        }
        conditions
    }
}

impl Reader {
    /// A page of the adjustments of an organisation, newest first, and the total.
    pub async fn vat_adjustments(
        &self,
        organisation: OrganisationId,
        filter: &VatAdjustmentFilter,
        page: (u64, u64),
    ) -> Result<(Vec<VatAdjustmentView>, Option<u64>), StoreError> {
        let list = List {
            table: "vat_adjustment v",
            id: "v.id",
            key: "v.day",
            descending: true,
            with: "left join account a on a.id = v.account_id",
            from: "vat_adjustment v".to_owned(),
            index_columns: None,
            all: "vat_adjustment b where b.organisation_id = $1",
            plan: PagePlan::InOrder,
        };
        let columns = format!("{COLUMNS}, a.code");
        let conditions = filter.conditions(organisation);
        let (rows, total) =
            self.listed(organisation, &list, &columns, conditions, page, &filter.total_source()).await?;
        Ok((self.adjustment_views(&rows).await?, total))
    }

    /// One adjustment of an organisation.
    pub async fn vat_adjustment(
        &self,
        organisation: OrganisationId,
        id: i64,
    ) -> Result<Option<VatAdjustmentView>, StoreError> {
        let sql = format!(
            "select {COLUMNS}, a.code from vat_adjustment v left join account a on a.id = v.account_id \
             where v.organisation_id = $1 and v.id = $2"
        );
        let rows = self.all(&sql, params![organisation.0, id]).await?;
        Ok(self.adjustment_views(&rows).await?.pop())
    }

    /// The views of rows with the code of the account behind the columns of the adjustment. Entries are never changed, so
    /// that they need no snapshot.
    async fn adjustment_views(&self, rows: &[Row]) -> Result<Vec<VatAdjustmentView>, StoreError> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let mut views = Vec::with_capacity(rows.len());
        for row in rows {
            views.push(VatAdjustmentView { row: read_adjustment(row)?, account_code: row.get(COLUMN_COUNT)? });
        }
        let ids = json_array(views.iter().map(|view| view.row.id));
        let mut entries = read_entries(&self.all(&entries_sql(self.numbers_of_json()), params![ids]).await?)?;
        for view in &mut views {
            view.row.entries = entries.remove(&view.row.id).unwrap_or_default();
        }
        Ok(views)
    }
}

/// The query of the entries of adjustments, whose identifiers are its parameter.
fn entries_sql(among: &str) -> String {
    format!(
        "select vat_adjustment_id, box_number, amount from vat_adjustment_entry where vat_adjustment_id in {among} \
         order by vat_adjustment_id, position"
    )
}

/// Reads entries, by adjustment.
fn read_entries(rows: &[Row]) -> Result<HashMap<i64, Vec<BoxEntry>>, StoreError> {
    let mut entries: HashMap<i64, Vec<BoxEntry>> = HashMap::new();
    for row in rows {
        let number: i64 = row.get(1)?;
        let vat_box = VatBox::numbered(number).ok_or_else(|| StoreError::corrupt("box", number))?;
        entries.entry(row.get(0)?).or_default().push(BoxEntry { vat_box, amount: Pence(row.get(2)?) });
    }
    Ok(entries)
}

/// Reads an adjustment without its entries.
fn read_adjustment(row: &Row) -> Result<VatAdjustmentRecord, StoreError> {
    Ok(VatAdjustmentRecord {
        id: row.get(0)?,
        date: row.date(1)?,
        reason: row.parsed(2, AdjustmentReason::parse)?,
        description: row.get(3)?,
        entries: Vec::new(),
        account_id: row.get(4)?,
        journal_id: row.get(5)?,
        void_journal_id: row.get(6)?,
        void_date: row.maybe_date(7)?,
        void_reason: row.get(8)?,
        user_id: row.get(9)?,
        key_prefix: row.get(10)?,
        created_at_ms: row.get(11)?,
        updated_at_ms: row.get(12)?,
        version: row.get(13)?,
    })
}

/// Adjustments by their identifiers, each with its organisation.
pub(super) async fn adjustments_by_id(
    unit: &Unit<'_>,
    ids_json: &str,
) -> Result<Vec<(i64, VatAdjustmentRecord)>, StoreError> {
    let among = unit.numbers_of_json();
    let sql = format!("select {COLUMNS}, v.organisation_id from vat_adjustment v where v.id in {among}");
    let rows = unit.all(&sql, params![ids_json]).await?;
    let mut entries = read_entries(&unit.all(&entries_sql(among), params![ids_json]).await?)?;
    let read = |row: &Row| {
        let adjustment = read_adjustment(row)?;
        let entries = entries.remove(&adjustment.id).unwrap_or_default();
        Ok((row.get(COLUMN_COUNT)?, VatAdjustmentRecord { entries, ..adjustment }))
    };
    rows.iter().map(read).collect()
}

/// The rows of adjustments, with their organisation, without their entries.
pub(super) fn adjustment_rows<'a>(records: impl Iterator<Item = &'a (i64, VatAdjustmentRecord)>) -> Rows {
    let mut rows = Rows::new("vat_adjustment", ADJUSTMENT, ADJUSTMENT_CONFLICT);
    for (organisation, row) in records {
        rows.push([
            row.id.into(),
            organisation.into(),
            i64::from(row.date).into(),
            row.reason.as_str().into(),
            Cell::Text(&row.description),
            row.account_id.into(),
            row.journal_id.into(),
            row.void_journal_id.into(),
            row.void_date.map(i64::from).into(),
            (&row.void_reason).into(),
            row.user_id.into(),
            (&row.key_prefix).into(),
            row.created_at_ms.into(),
            row.updated_at_ms.into(),
            row.version.into(),
        ]);
    }
    rows
}

/// The rows of the entries of adjustments.
pub(super) fn adjustment_entry_rows<'a>(records: impl Iterator<Item = &'a (i64, VatAdjustmentRecord)>) -> Rows {
    let mut rows = Rows::new("vat_adjustment_entry", ENTRY, ENTRY_CONFLICT);
    for (_, row) in records {
        for (position, entry) in (1_i64..).zip(&row.entries) {
            rows.push([row.id.into(), position.into(), entry.vat_box.number().into(), entry.amount.0.into()]);
        }
    }
    rows
}
