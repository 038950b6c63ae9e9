//! Write-offs of sales invoices: how their rows are read and written.

use Column::{Number, Text};

use crate::domain::books::records::write_off::{WriteOffRecord, WriteOffView};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::money::Pence;
use crate::domain::ledger::write_off::BadDebtRelief;
use crate::store::StoreError;
use crate::store::sql::{Column, Reader, Row, Rows, Unit, params};

/// The columns of [`read_write_off`], of the write-off `w`.
const COLUMNS: &str = "w.id, w.document_id, w.day, w.amount, w.vat, w.account_id, w.relief_vat, w.relief_day, w.journal_id, \
     w.void_journal_id, w.void_day, w.void_reason, w.user_id, w.key_prefix, w.created_at, w.updated_at, w.version";

/// How many columns these are.
const COLUMN_COUNT: usize = 17;

const WRITE_OFF: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Number("document_id"),
    Number("day"),
    Number("amount"),
    Number("vat"),
    Number("account_id"),
    Number("relief_vat"),
    Number("relief_day"),
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

const CONFLICT: &str = "on conflict (id) do update set void_journal_id = excluded.void_journal_id, \
     void_day = excluded.void_day, void_reason = excluded.void_reason, updated_at = excluded.updated_at, \
     version = excluded.version";

impl Reader {
    /// One write-off of an organisation.
    pub async fn write_off(&self, organisation: OrganisationId, id: i64) -> Result<Option<WriteOffView>, StoreError> {
        let sql = format!(
            "select {COLUMNS}, d.number, a.code from write_off w join document d on d.id = w.document_id \
             join account a on a.id = w.account_id where w.organisation_id = $1 and w.id = $2"
        );
        let rows = self.all(&sql, params![organisation.0, id]).await?;
        let view = |row: &Row| {
            Ok(WriteOffView {
                row: read_write_off(row)?,
                invoice_number: row.get(COLUMN_COUNT)?,
                account_code: row.get(COLUMN_COUNT + 1)?,
            })
        };
        rows.first().map(view).transpose()
    }
}

fn read_write_off(row: &Row) -> Result<WriteOffRecord, StoreError> {
    let relief_vat: Option<i64> = row.get(6)?;
    let relief = relief_vat.zip(row.maybe_date(7)?);
    Ok(WriteOffRecord {
        id: row.get(0)?,
        invoice_id: row.get(1)?,
        date: row.date(2)?,
        amount_pence: row.get(3)?,
        vat_pence: row.get(4)?,
        account_id: row.get(5)?,
        relief: relief.map(|(vat, from)| BadDebtRelief { vat: Pence(vat), from }),
        journal_id: row.get(8)?,
        void_journal_id: row.get(9)?,
        void_date: row.maybe_date(10)?,
        void_reason: row.get(11)?,
        user_id: row.get(12)?,
        key_prefix: row.get(13)?,
        created_at_ms: row.get(14)?,
        updated_at_ms: row.get(15)?,
        version: row.get(16)?,
    })
}

/// Write-offs by their identifiers, each with its organisation.
pub(super) async fn write_offs_by_id(
    unit: &Unit<'_>,
    ids_json: &str,
) -> Result<Vec<(i64, WriteOffRecord)>, StoreError> {
    let among = unit.numbers_of_json();
    let sql = format!("select {COLUMNS}, w.organisation_id from write_off w where w.id in {among}");
    let rows = unit.all(&sql, params![ids_json]).await?;
    rows.iter().map(|row| Ok((row.get(COLUMN_COUNT)?, read_write_off(row)?))).collect()
}

/// The rows of write-offs, with their organisation.
pub(super) fn write_off_rows<'a>(records: impl Iterator<Item = &'a (i64, WriteOffRecord)>) -> Rows {
    let mut rows = Rows::new("write_off", WRITE_OFF, CONFLICT);
    for (organisation, row) in records {
        rows.push([
            row.id.into(),
            organisation.into(),
            row.invoice_id.into(),
            i64::from(row.date).into(),
            row.amount_pence.into(),
            row.vat_pence.into(),
            row.account_id.into(),
            row.relief.map(|relief| relief.vat.0).into(),
            row.relief.map(|relief| i64::from(relief.from)).into(),
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
