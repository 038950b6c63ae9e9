//! Credit accounts and the movements behind their balances.

use std::sync::Arc;

use super::StoreError;
use super::epochs::Topic;
use super::sql::{self, Row, Unit, params};
use super::writer::{Locks, Writer};
use crate::domain::credits::{CreditAccount, CreditChange, Insufficient};
use crate::domain::date::Month;
use crate::domain::ids::UserId;
use crate::store::sql::Reader;

/// The account's columns, in the order [`read_account`] takes them.
pub(super) const ACCOUNT_COLUMNS: &str =
    "a.period, a.monthly, a.bonus, a.overage_used, a.monthly_allocation, a.overage_allowed, a.reserved";
/// Accounts of one renewal unit.
const RENEW_ROWS_MAX: i64 = 500;

/// Called inside the unit with the balance about to be committed and its epoch, so that no caller who polls `completed`
/// reads an older one. When the unit fails afterwards the balance must be read again.
pub type Publish = Arc<dyn Fn(UserId, CreditAccount, i64) + Send + Sync>;

/// A movement as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovementRow {
    /// Identifier; grows with time.
    pub id: i64,
    /// `opening`, `bonus_grant`, `monthly_renewal`, `charge`.
    pub kind: String,
    /// What it was for: a job, a month, a grant. Unique within its kind.
    pub reference: String,
    /// What it changed.
    pub change: CreditChange,
    /// The reason given with a grant.
    pub note: Option<String>,
    /// When.
    pub at_ms: i64,
}

impl Writer {
    /// Adds bonus credits; `None` when there is no such person.
    pub async fn grant_bonus(
        &self,
        user: UserId,
        credits: i64,
        reason: String,
    ) -> Result<Option<CreditAccount>, StoreError> {
        let reference = self.shared().clock.unique().simple().to_string();
        let grant = Grant { user, credits, reason, reference };
        self.unit(Locks::Credits, grant, |unit, grant| Box::pin(grant_bonus(unit, grant))).await
    }

    /// Renews accounts whose month is over, in batches of 500 a unit. Returns how many were renewed.
    pub async fn renew_months(&self, now_ms: i64) -> Result<u64, StoreError> {
        let mut renewed = 0;
        loop {
            let batch = self
                .unit(Locks::Credits, Month::of_ms(now_ms), |unit, month| Box::pin(renew_batch(unit, *month)))
                .await?;
            renewed += batch;
            if batch == 0 {
                return Ok(renewed);
            }
        }
    }
}

impl Reader {
    /// A person's account as stored (its month may be over; see `CreditAccount::rolled_over`).
    pub async fn credit_account(&self, user: UserId) -> Result<Option<CreditAccount>, StoreError> {
        let sql = format!("select {ACCOUNT_COLUMNS} from credit_account a where a.user_id = $1");
        self.one(&sql, params![user.0]).await?.map(|row| read_account(&row, 0)).transpose()
    }

    /// A person's account with the value of the topic `credits` it was last changed at.
    pub async fn credit_account_at(&self, user: UserId) -> Result<Option<(CreditAccount, i64)>, StoreError> {
        let sql = format!("select {ACCOUNT_COLUMNS}, a.changed_epoch from credit_account a where a.user_id = $1");
        let row = self.one(&sql, params![user.0]).await?;
        row.map(|row| Ok((read_account(&row, 0)?, row.get(7)?))).transpose()
    }

    /// A person's movements, oldest first.
    pub async fn credit_movements(&self, user: UserId) -> Result<Vec<MovementRow>, StoreError> {
        let sql = "select id, kind, reference, monthly, bonus, overage, note, at from credit_movement \
                   where user_id = $1 order by id";
        let rows = self.all(sql, params![user.0]).await?;
        rows.iter()
            .map(|row| {
                Ok(MovementRow {
                    id: row.get(0)?,
                    kind: row.get(1)?,
                    reference: row.get(2)?,
                    change: CreditChange { monthly: row.get(3)?, bonus: row.get(4)?, overage: row.get(5)? },
                    note: row.get(6)?,
                    at_ms: row.get(7)?,
                })
            })
            .collect()
    }

    /// Accounts changed after an epoch of the topic `credits`, each with its own; 0 gives all.
    pub async fn accounts_changed_after(&self, epoch: i64) -> Result<Vec<(UserId, CreditAccount, i64)>, StoreError> {
        let sql = format!(
            "select a.user_id, {ACCOUNT_COLUMNS}, a.changed_epoch from credit_account a where a.changed_epoch > $1"
        );
        let rows = self.all(&sql, params![epoch]).await?;
        rows.iter().map(|row| Ok((UserId(row.get(0)?), read_account(row, 1)?, row.get(8)?))).collect()
    }
}

/// Reads an account from seven columns of a row.
pub(super) fn read_account(row: &Row, first: usize) -> Result<CreditAccount, StoreError> {
    Ok(CreditAccount {
        period: Month(row.get(first)?),
        monthly: row.get(first + 1)?,
        bonus: row.get(first + 2)?,
        overage_used: row.get(first + 3)?,
        monthly_allocation: row.get(first + 4)?,
        overage_allowed: row.get(first + 5)?,
        reserved: row.get(first + 6)?,
    })
}

/// Sets credits aside for a job that begins, when the account covers them; `overage` is true when key and request allow
/// overage. What the account has otherwise does not change.
pub(super) async fn reserve(
    unit: &Unit<'_>,
    user: UserId,
    (cost, overage): (i64, bool),
    publish: &Publish,
) -> Result<Result<(), Insufficient>, StoreError> {
    let account = locked(unit, user).await?;
    if let Err(short) = account.rolled_over(Month::of_ms(unit.now_ms)).0.charge(cost, overage) {
        return Ok(Err(short));
    }
    write_reserved(unit, user, account.reserving(cost), publish).await.map(Ok)
}

/// Gives back what was set aside for a job that goes back to the queue or ends without a run's end.
pub(super) async fn release(unit: &Unit<'_>, user: UserId, cost: i64, publish: &Publish) -> Result<(), StoreError> {
    if cost <= 0 {
        return Ok(());
    }
    let account = locked(unit, user).await?.reserving(-cost);
    write_reserved(unit, user, account, publish).await
}

async fn locked(unit: &Unit<'_>, user: UserId) -> Result<CreditAccount, StoreError> {
    let lock = sql::for_update(unit.backend);
    let sql = format!("select {ACCOUNT_COLUMNS} from credit_account a where a.user_id = $1{lock}");
    let row = unit.one(&sql, params![user.0]).await?;
    read_account(&row.ok_or_else(|| StoreError::corrupt("person without a credit account", user))?, 0)
}

/// Writes what is reserved in an account and publishes it.
pub(super) async fn write_reserved(
    unit: &Unit<'_>,
    user: UserId,
    account: CreditAccount,
    publish: &Publish,
) -> Result<(), StoreError> {
    let write =
        format!("update credit_account set reserved = $2, changed_epoch = {} where user_id = $1", bumped_epoch(unit));
    let row = unit.batch_first(&[BUMP_EPOCH, &write], params![user.0, account.reserved]).await?;
    publish(user, account, row.get(0)?);
    Ok(())
}

/// The first statement of a batch that changes accounts.
pub(super) const BUMP_EPOCH: &str = "update change_epoch set value = value + 1 where topic = 'credits' returning value";

/// The epoch of [`BUMP_EPOCH`] in a later statement of its batch.
pub(super) const fn bumped_epoch(unit: &Unit<'_>) -> &'static str {
    unit.dialect("(select value from change_epoch where topic = 'credits')", "(select value from s0)")
}

/// What the movement of a renewal is for.
pub(super) fn renewal_reference(user: UserId, month: Month) -> String {
    format!("{user}:{month}")
}

struct Grant {
    user: UserId,
    credits: i64,
    reason: String,
    reference: String,
}

async fn grant_bonus(unit: &Unit<'_>, grant: &Grant) -> Result<Option<CreditAccount>, StoreError> {
    let sql =
        format!("select {ACCOUNT_COLUMNS} from credit_account a where a.user_id = $1{}", sql::for_update(unit.backend));
    let Some(row) = unit.one(&sql, params![grant.user.0]).await? else { return Ok(None) };
    let account = read_account(&row, 0)?.after(CreditChange { bonus: grant.credits, ..CreditChange::default() });
    let epoch = unit.bump(Topic::Credits).await?;
    let statements = [
        "update credit_account set bonus = $2, changed_epoch = $3 where user_id = $1",
        "insert into credit_movement (user_id, kind, reference, monthly, bonus, overage, note, at) \
         values ($1, 'bonus_grant', $4, 0, $5, 0, $6, $7)",
    ];
    let values = params![
        grant.user.0,
        account.bonus,
        epoch,
        grant.reference.as_str(),
        grant.credits,
        grant.reason.as_str(),
        unit.now_ms
    ];
    unit.batch(&statements, values).await?;
    Ok(Some(account))
}

async fn renew_batch(unit: &Unit<'_>, month: Month) -> Result<u64, StoreError> {
    let sql = format!(
        "select a.user_id from credit_account a where a.period < $1 order by a.user_id limit $2{}",
        sql::for_update(unit.backend)
    );
    let due = unit.all(&sql, params![month.0, RENEW_ROWS_MAX]).await?;
    let (Some(first), Some(last)) = (due.first(), due.last()) else { return Ok(0) };
    let (first, last): (i64, i64) = (first.get(0)?, last.get(0)?);
    let epoch = unit.bump(Topic::Credits).await?;
    let due_filter = "user_id between $1 and $2 and period < $3";
    // The movements are derived from the rows as they are, so they come before the rows change.
    let movements = format!(
        "insert into credit_movement (user_id, kind, reference, monthly, bonus, overage, note, at) \
         select user_id, 'monthly_renewal', cast(user_id as text) || ':' || $4, monthly_allocation - monthly, 0, 0, \
         null, $5 from credit_account where {due_filter}"
    );
    let values = params![first, last, month.0, month.to_string(), unit.now_ms];
    let moved = unit.execute(&movements, values).await?;
    let accounts = format!(
        "update credit_account set period = $3, monthly = monthly_allocation, changed_epoch = $4 where {due_filter}"
    );
    let renewed = unit.execute(&accounts, params![first, last, month.0, epoch]).await?;
    if moved != renewed {
        return Err(StoreError::Conflict(format!("{renewed} accounts renewed with {moved} movements")));
    }
    Ok(renewed)
}
