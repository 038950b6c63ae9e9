//! What has ended is deleted: requests, codes, tokens, clients nobody connects with. Connections stay, because the history of the
//! books names them, but end when nothing of them can be used any more.

use crate::domain::oauth::lifetimes::{IDLE_CLIENT_MS, UNUSED_CLIENT_MS};
use crate::store::StoreError;
use crate::store::epochs::Topic;
use crate::store::sql::{Unit, params};
use crate::store::writer::{Locks, Writer};

/// Rows of one unit and table.
const ROWS_MAX: i64 = 500;
/// How long after its end a code is kept, so that one that comes back is known.
const CODE_KEPT_MS: i64 = 24 * 60 * 60 * 1000;

impl Writer {
    /// Deletes what has ended; `true` when there is more.
    pub async fn delete_expired_oauth(&self) -> Result<bool, StoreError> {
        self.unit(Locks::Organisations, (), |unit, ()| Box::pin(delete_expired(unit))).await
    }
}

async fn delete_expired(unit: &Unit<'_>) -> Result<bool, StoreError> {
    let now_ms = unit.now_ms;
    let mut is_more = false;
    for (table, before_ms) in [
        ("oauth_request", now_ms),
        ("oauth_code", now_ms - CODE_KEPT_MS),
        ("oauth_access_token", now_ms),
        ("oauth_refresh_token", now_ms),
    ] {
        let sql = format!(
            "delete from {table} where sha256 in (select sha256 from {table} where expires_at <= $1 limit {ROWS_MAX})"
        );
        is_more |= i64::try_from(unit.execute(&sql, params![before_ms]).await?) == Ok(ROWS_MAX);
    }
    // Of a connection that has ended nothing is accepted, whatever comes back.
    for table in ["oauth_code", "oauth_refresh_token"] {
        let sql = format!(
            "delete from {table} where sha256 in (select t.sha256 from oauth_grant g join {table} t on t.grant_id = g.id \
             where g.revoked_at is not null limit {ROWS_MAX})"
        );
        is_more |= i64::try_from(unit.execute(&sql, Vec::new()).await?) == Ok(ROWS_MAX);
    }
    end_unusable(unit).await?;
    let clients = format!(
        "delete from oauth_client where id in (select c.id from oauth_client c \
         where coalesce(c.last_used_at, c.created_at + $2) < $1 \
         and not exists (select 1 from oauth_grant g where g.client_id = c.id and g.revoked_at is null) limit {ROWS_MAX})"
    );
    // A client that never connected counts as last used when its day was over.
    let values = params![now_ms - IDLE_CLIENT_MS, UNUSED_CLIENT_MS - IDLE_CLIENT_MS];
    is_more |= i64::try_from(unit.execute(&clients, values).await?) == Ok(ROWS_MAX);
    Ok(is_more)
}

/// Ends connections of which nothing can be used any more. Each is looked at again when it is ended, because its person may have
/// consented anew since it was found: a consent takes the epoch too, so that here it is either over or not begun.
async fn end_unusable(unit: &Unit<'_>) -> Result<(), StoreError> {
    const UNUSABLE: &str = "g.revoked_at is null and g.allowed_at < $1 \
                            and not exists (select 1 from oauth_refresh_token r where r.grant_id = g.id) \
                            and not exists (select 1 from oauth_access_token t where t.grant_id = g.id) \
                            and not exists (select 1 from oauth_code c where c.grant_id = g.id)";
    let before_ms = unit.now_ms - CODE_KEPT_MS;
    let found = format!("select g.id from oauth_grant g where {UNUSABLE} limit {ROWS_MAX}");
    let found = unit.all(&found, params![before_ms]).await?;
    if found.is_empty() {
        return Ok(());
    }
    let epoch = unit.bump(Topic::Grants).await?;
    let end = format!(
        "update oauth_grant as g set revoked_at = $2, revoke_reason = 'expired', changed_epoch = $3 where g.id = $4 and {UNUSABLE}"
    );
    for row in &found {
        unit.execute(&end, params![before_ms, unit.now_ms, epoch, row.get::<i64>(0)?]).await?;
    }
    Ok(())
}
