//! Bulk imports: how their rows are read and written, and the queries about them.

use crate::domain::books::records::import::ImportRecord;
use crate::domain::ids::OrganisationId;
use crate::domain::problem::{Issue, Issues};
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::books::totals::TotalSource;
use crate::store::sql::{Cell, Column, Reader, Row, Rows, Unit, params, signed};
use Column::{Number, Text};

const COLUMNS: &[Column] = &[
    Number("id"),
    Number("organisation_id"),
    Text("kind"),
    Text("status"),
    Number("rows_total"),
    Text("invalid"),
    Text("duplicates"),
    Text("issues"),
    Number("issue_count"),
    Number("journals"),
    Number("debit"),
    Text("results"),
    Number("user_id"),
    Text("key_prefix"),
    Number("created_at"),
    Number("expires_at"),
    Number("confirmed_at"),
];

const CONFLICT: &str = "on conflict (id) do update set status = excluded.status, results = excluded.results, \
     confirmed_at = excluded.confirmed_at";

const SELECTED: &str = "i.id, i.kind, i.status, i.rows_total, i.invalid, i.duplicates, i.issues, i.issue_count, \
     i.journals, i.debit, i.user_id, i.key_prefix, i.created_at, i.expires_at, i.confirmed_at, i.organisation_id";

impl Reader {
    /// A page of the imports of an organisation, newest first, and the total.
    pub async fn imports(
        &self,
        organisation: OrganisationId,
        (limit, offset): (u64, u64),
    ) -> Result<(Vec<ImportRecord>, Option<u64>), StoreError> {
        let mut conditions = Conditions::new("i.organisation_id = $1", organisation.0);
        let total_source = TotalSource::Whole("import", vec!["previewed", "confirmed"]);
        let total = self.counted(organisation, "book_import i", &conditions, &total_source).await?;
        let (limit, offset) = (conditions.value(signed(limit)), conditions.value(signed(offset)));
        let sql = format!(
            "select {SELECTED} from book_import i where {} order by i.id desc limit {limit} offset {offset}",
            conditions.text()
        );
        let rows = self.all(&sql, conditions.values()).await?;
        Ok((rows.iter().map(read).collect::<Result<_, _>>()?, total))
    }

    /// One import of an organisation, with the result of each row.
    pub async fn import(&self, organisation: OrganisationId, id: i64) -> Result<Option<ImportRecord>, StoreError> {
        let sql = format!("select {SELECTED}, i.results from book_import i where i.organisation_id = $1 and i.id = $2");
        let row = self.one(&sql, params![organisation.0, id]).await?;
        row.map(|row| Ok(ImportRecord { results: from_json(&row, 16)?, ..read(&row)? })).transpose()
    }
}

/// A value as JSON.
fn to_json<T: serde::Serialize>(value: &T) -> String {
    // Numbers and texts always print.
    serde_json::to_string(value).unwrap_or_default()
}

/// The rows of imports, with their organisation.
pub(super) fn import_rows<'a>(records: impl Iterator<Item = &'a (i64, ImportRecord)>) -> Rows {
    let mut rows = Rows::new("book_import", COLUMNS, CONFLICT);
    for (organisation, record) in records {
        let (invalid, duplicates) = (to_json(&record.invalid), to_json(&record.duplicates));
        let (issues, results) = (to_json(&record.issues.listed), to_json(&record.results));
        rows.push([
            record.id.into(),
            organisation.into(),
            (&record.kind).into(),
            if record.is_confirmed { "confirmed" } else { "previewed" }.into(),
            record.rows_total.into(),
            Cell::Text(&invalid),
            Cell::Text(&duplicates),
            Cell::Text(&issues),
            signed(record.issues.count).into(),
            record.journals.into(),
            record.debit_pence.into(),
            Cell::Text(&results),
            record.user_id.into(),
            (&record.key_prefix).into(),
            record.created_at_ms.into(),
            record.expires_at_ms.into(),
            record.confirmed_at_ms.into(),
        ]);
    }
    rows
}

/// A column that holds JSON.
fn from_json<T: serde::de::DeserializeOwned>(row: &Row, index: usize) -> Result<T, StoreError> {
    let text: String = row.get(index)?;
    serde_json::from_str(&text).map_err(|error| StoreError::corrupt("import", error))
}

/// Reads an import without the results of its rows.
fn read(row: &Row) -> Result<ImportRecord, StoreError> {
    Ok(ImportRecord {
        id: row.get(0)?,
        kind: row.get(1)?,
        is_confirmed: row.get::<String>(2)? == "confirmed",
        rows_total: row.get(3)?,
        invalid: from_json(row, 4)?,
        duplicates: from_json(row, 5)?,
        issues: Issues { listed: from_json::<Vec<Issue>>(row, 6)?, count: row.unsigned(7)? },
        journals: row.get(8)?,
        debit_pence: row.get(9)?,
        results: Vec::new(),
        user_id: row.get(10)?,
        key_prefix: row.get(11)?,
        created_at_ms: row.get(12)?,
        expires_at_ms: row.get(13)?,
        confirmed_at_ms: row.get(14)?,
    })
}

/// Imports by their identifiers, each with its organisation.
pub(super) async fn imports_by_id(unit: &Unit<'_>, ids_json: &str) -> Result<Vec<(i64, ImportRecord)>, StoreError> {
    let sql = format!("select {SELECTED} from book_import i where i.id in {}", unit.numbers_of_json());
    let rows = unit.all(&sql, params![ids_json]).await?;
    rows.iter().map(|row| Ok((row.get(15)?, read(row)?))).collect()
}
