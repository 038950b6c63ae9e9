//! Previews that wait to be confirmed: how their rows are written, and the queries about them.

use crate::domain::books::effects::DAY_MS;
use crate::domain::books::facts::Facts;
use crate::domain::books::records::plan::{LIVE_PLANS_MAX, NewPlan, PlanStored};
use crate::domain::books::records::preview::{LIFE_MS, PreviewRecord};
use crate::domain::ids::{ConnectionId, OrganisationId, UserId};
use crate::store::StoreError;
use crate::store::sql::{Column, Reader, Rows, Unit, json_array, params};
use crate::store::writer::{Locks, Writer};
use Column::{Number, Text};

/// How long a preview that was used or has expired is stored, so that its token is refused for the right reason.
const RETENTION_MS: i64 = 30 * DAY_MS;

const COLUMNS: &[Column] = &[
    Text("token_hash"),
    Number("organisation_id"),
    Number("user_id"),
    Number("import_id"),
    Text("body"),
    Number("created_at"),
    Number("expires_at"),
    Number("used_at"),
    Text("connection"),
    Text("tool"),
];

impl Writer {
    /// Stores a plan under its token, unless as many of the connection wait as may.
    pub async fn store_plan(&self, plan: NewPlan) -> Result<PlanStored, StoreError> {
        let bytes = plan.body.len();
        self.unit_of(Locks::Organisations, bytes, plan, |unit, plan| Box::pin(store_plan(unit, plan))).await
    }

    /// Records why a plan cannot be carried out any more; the first reason stays.
    pub async fn mark_plan_dead(&self, token_hash: String, reason: String) -> Result<(), StoreError> {
        self.unit(Locks::Organisations, (token_hash, reason), |unit, (token_hash, reason)| {
            Box::pin(async move {
                let sql = "update book_preview set dead_reason = $2 \
                           where token_hash = $1 and used_at is null and dead_reason is null";
                unit.execute(sql, params![token_hash.as_str(), reason.as_str()]).await?;
                Ok(())
            })
        })
        .await
    }
}

async fn store_plan(unit: &Unit<'_>, plan: &NewPlan) -> Result<PlanStored, StoreError> {
    let connection = plan.connection.to_stored();
    if clears_up(&plan.token_hash) {
        delete_expired(unit).await?;
    }
    let expires_at_ms = unit.now_ms.saturating_add(LIFE_MS);
    let previewed = (&plan.outline, &plan.identifiers);
    let outline = serde_json::to_string(&previewed).map_err(|error| StoreError::Other(error.to_string()))?;
    // What stands in a list of values has no type of its own on PostgreSQL.
    let sql = format!(
        "insert into book_preview (token_hash, organisation_id, user_id, body, created_at, expires_at, connection, tool, \
         outline) select $1, cast($2 as bigint), cast($3 as bigint), $4, cast($5 as bigint), cast($6 as bigint), $7, $8, $9 \
         where (select count(*) from book_preview where user_id = cast($3 as bigint) and connection = $7 \
         and expires_at > cast($5 as bigint) and outline is not null and used_at is null and dead_reason is null) \
         < {LIVE_PLANS_MAX}"
    );
    let values = params![
        plan.token_hash.as_str(),
        plan.organisation.0,
        plan.user_id.0,
        plan.body.as_str(),
        unit.now_ms,
        expires_at_ms,
        connection.as_str(),
        plan.tool,
        outline.as_str()
    ];
    let stored = unit.execute(&sql, values).await?;
    Ok(if stored == 0 { PlanStored::TooMany } else { PlanStored::Until(expires_at_ms) })
}

/// What a tool previewed.
#[derive(Debug, Clone, Copy)]
pub struct ToolPreview {
    /// Whose books.
    pub organisation: OrganisationId,
    /// The bulk import; opening balances have none.
    pub import_id: Option<i64>,
}

/// A plan as it was sent.
#[derive(Debug, Clone)]
pub struct StoredPlan {
    /// Whose books.
    pub organisation: OrganisationId,
    /// The operations.
    pub body: String,
}

impl Reader {
    /// The plan that this person and connection made with a tool under a token.
    pub async fn plan(
        &self,
        user: UserId,
        connection: ConnectionId,
        tool: &str,
        token_hash: &str,
    ) -> Result<Option<StoredPlan>, StoreError> {
        let sql = "select organisation_id, body from book_preview where token_hash = $1 and user_id = $2 \
                   and connection = $3 and tool = $4 and outline is not null";
        let row = self.one(sql, params![token_hash, user.0, connection.to_stored(), tool]).await?;
        row.map(|row| Ok(StoredPlan { organisation: OrganisationId(row.get(0)?), body: row.get(1)? })).transpose()
    }

    /// What this person and connection previewed with a tool under a token.
    pub async fn tool_preview(
        &self,
        user: UserId,
        connection: ConnectionId,
        tool: &str,
        token_hash: &str,
    ) -> Result<Option<ToolPreview>, StoreError> {
        let sql = "select organisation_id, import_id from book_preview where token_hash = $1 and user_id = $2 \
                   and connection = $3 and tool = $4";
        let row = self.one(sql, params![token_hash, user.0, connection.to_stored(), tool]).await?;
        row.map(|row| Ok(ToolPreview { organisation: OrganisationId(row.get(0)?), import_id: row.get(1)? })).transpose()
    }

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

/// The rows of previews; the body of a used preview is empty, but for that of a plan, which stays.
pub(super) fn preview_rows() -> Rows {
    let conflict = "on conflict (token_hash) do update set used_at = excluded.used_at, \
                    body = case when t.outline is null then excluded.body else t.body end";
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
        (&record.connection).into(),
        (&record.tool).into(),
    ]);
}

/// Loads the previews that commands confirm.
pub(super) async fn load_previews(
    unit: &Unit<'_>,
    token_hashes: Vec<&str>,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let sql = format!(
        "select token_hash, organisation_id, user_id, import_id, created_at, expires_at, used_at, connection, tool, outline, \
         dead_reason from book_preview where token_hash in {}",
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
            connection: row.get(7)?,
            tool: row.get(8)?,
            outline: row.get(9)?,
            dead_reason: row.get(10)?,
        };
        facts.previews.loading().insert(row.get(0)?, preview);
    }
    Ok(())
}

/// Whether what is previewed under a token clears up for all previews: some do, and what they are called is random.
pub(super) fn clears_up(token_hash: &str) -> bool {
    token_hash.starts_with('0')
}

/// Deletes the previews that expired long ago.
pub(super) async fn delete_expired(unit: &Unit<'_>) -> Result<(), StoreError> {
    let before = unit.now_ms.saturating_sub(RETENTION_MS);
    unit.execute("delete from book_preview where expires_at < $1", params![before]).await?;
    Ok(())
}
