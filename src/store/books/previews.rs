//! Previews that wait to be confirmed: how their rows are written, and the queries about them.

use crate::domain::books::facts::Facts;
use crate::domain::books::records::preview::PreviewRecord;
use crate::domain::ids::{OrganisationId, UserId};
use crate::store::StoreError;
use crate::store::sql::{Column, Reader, Rows, Unit, json_array, params};
use Column::{Number, Text};

/// How long a preview that was used or has expired is stored, so that its token is refused for the right reason.
const RETENTION_MS: i64 = 7 * 24 * 3_600 * 1_000;

const COLUMNS: &[Column] = &[
    Text("token_hash"),
    Number("organisation_id"),
    Number("user_id"),
    Number("import_id"),
    Text("body"),
    Number("created_at"),
    Number("expires_at"),
    Number("used_at"),
];

impl Reader {
    /// The body of the request that this person previewed under a token, unless the token was used.
    pub async fn previewed(
        &self,
        organisation: OrganisationId,
        user: UserId,
        token_hash: &str,
    ) -> Result<Option<String>, StoreError> {
        let sql = "select body from book_preview where token_hash = $1 and organisation_id = $2 and user_id = $3 \
                   and used_at is null";
        let row = self.one(sql, params![token_hash, organisation.0, user.0]).await?;
        row.map(|row| row.get(0)).transpose()
    }
}

/// The rows of previews; the body of a used preview is empty.
pub(super) fn preview_rows() -> Rows {
    let conflict = "on conflict (token_hash) do update set body = excluded.body, used_at = excluded.used_at";
    Rows::new("book_preview", COLUMNS, conflict)
}

/// Adds the row of a preview.
pub(super) fn preview_row(rows: &mut Rows, record: &PreviewRecord, hash: &str, body: &str) {
    rows.push([
        hash.into(),
        record.organisation.into(),
        record.user_id.into(),
        record.import_id.into(),
        body.into(),
        record.created_at_ms.into(),
        record.expires_at_ms.into(),
        record.used_at_ms.into(),
    ]);
}

/// Loads the previews that commands confirm.
pub(super) async fn load_previews(
    unit: &Unit<'_>,
    token_hashes: Vec<&str>,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let sql = format!(
        "select token_hash, organisation_id, user_id, import_id, created_at, expires_at, used_at from book_preview \
         where token_hash in {}",
        unit.texts_of_json()
    );
    for row in unit.all(&sql, params![json_array(token_hashes)]).await? {
        let preview = PreviewRecord {
            organisation: row.get(1)?,
            user_id: row.get(2)?,
            import_id: row.get(3)?,
            created_at_ms: row.get(4)?,
            expires_at_ms: row.get(5)?,
            used_at_ms: row.get(6)?,
        };
        facts.previews.loading().insert(row.get(0)?, preview);
    }
    Ok(())
}

/// Deletes the previews that expired long ago.
pub(super) async fn delete_expired(unit: &Unit<'_>) -> Result<(), StoreError> {
    let before = unit.now_ms.saturating_sub(RETENTION_MS);
    unit.execute("delete from book_preview where expires_at < $1", params![before]).await?;
    Ok(())
}
