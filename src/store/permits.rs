//! Rate permits leased in blocks, so that several processes never exceed one limit together.

use super::StoreError;
use super::sql::{Unit, params};
use super::writer::{Locks, Writer};

/// In the last permits of a window they are leased one at a time, so that no process hoards them.
const SINGLE_BELOW: i64 = 20;

/// A leased block of permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermitLease {
    /// How many requests the caller may let through.
    pub granted: i64,
    /// Permits of the window nobody has leased yet.
    pub left: i64,
    /// When the window began; it ends `window_ms` later.
    pub window_start_ms: i64,
}

impl Writer {
    /// Leases up to `want` permits of a subject's window (one at a time in the last 20 of the limit), starting a new
    /// window when the last one is over.
    pub async fn lease_permits(
        &self,
        subject: &str,
        limit: i64,
        window_ms: i64,
        want: i64,
    ) -> Result<PermitLease, StoreError> {
        let input = Wanted { subject: subject.to_owned(), limit, window_ms, want };
        self.unit(Locks::Permits, input, |unit, wanted| Box::pin(lease(unit, wanted))).await
    }
}

struct Wanted {
    subject: String,
    limit: i64,
    window_ms: i64,
    want: i64,
}

async fn lease(unit: &Unit<'_>, wanted: &Wanted) -> Result<PermitLease, StoreError> {
    // `used` of the running window, or 0 when it is over; what is granted follows from it.
    let used = "(case when p.window_start + $4 <= $3 then 0 else p.used end)";
    let block = |used: &str| {
        format!(
            "(case when $2 - {used} <= 0 then 0 when $2 - {used} <= {SINGLE_BELOW} then 1 \
             when $2 - {used} < $5 then $2 - {used} else $5 end)"
        )
    };
    let (fresh, granted) = (block("0"), block(used));
    let sql = format!(
        "insert into rate_permit as p (subject, window_start, used, granted) values ($1, $3, {fresh}, {fresh}) \
         on conflict (subject) do update set \
         window_start = case when p.window_start + $4 <= $3 then $3 else p.window_start end, \
         used = {used} + {granted}, granted = {granted} returning window_start, used, granted"
    );
    let values = params![wanted.subject.as_str(), wanted.limit, unit.now_ms, wanted.window_ms, wanted.want];
    let row = unit.one(&sql, values).await?.ok_or_else(|| StoreError::corrupt("no permits of", &wanted.subject))?;
    let used: i64 = row.get(1)?;
    Ok(PermitLease { granted: row.get(2)?, left: (wanted.limit - used).max(0), window_start_ms: row.get(0)? })
}
