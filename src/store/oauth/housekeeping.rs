//! What has ended is deleted: requests, codes, tokens, clients nobody connects with. Connections stay, because the history of the
//! books names them, but end when nothing of them can be used any more.

use super::grants::revoke_grant;
use crate::domain::ids::GrantId;
use crate::domain::oauth::lifetimes::{IDLE_CLIENT_MS, UNUSED_CLIENT_MS};
use crate::store::StoreError;
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
    let over = format!(
        "select g.id from oauth_grant g where g.revoked_at is null and g.allowed_at < $1 \
         and not exists (select 1 from oauth_refresh_token r where r.grant_id = g.id) \
         and not exists (select 1 from oauth_access_token t where t.grant_id = g.id) \
         and not exists (select 1 from oauth_code c where c.grant_id = g.id) limit {ROWS_MAX}"
    );
    for row in unit.all(&over, params![now_ms - CODE_KEPT_MS]).await? {
        revoke_grant(unit, GrantId(row.get(0)?), "expired").await?;
    }
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
