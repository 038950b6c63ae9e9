//! Credit accounts and the movements behind their balances.

use super::reader::Reader;
use super::writer::Writer;
use super::StoreError;
use crate::domain::credits::{CreditAccount, CreditChange};
use crate::domain::ids::UserId;

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
        todo!()
    }

    /// Renews accounts whose month is over, in batches of 500 a unit. Returns how many were renewed.
    pub async fn renew_months(&self, now_ms: i64) -> Result<u64, StoreError> {
        todo!()
    }
}

impl Reader {
    /// A person's account as stored (its month may be over; see `CreditAccount::rolled_over`).
    pub async fn credit_account(&self, user: UserId) -> Result<Option<CreditAccount>, StoreError> {
        todo!()
    }

    /// A person's movements, oldest first.
    pub async fn credit_movements(&self, user: UserId) -> Result<Vec<MovementRow>, StoreError> {
        todo!()
    }

    /// Accounts changed after an epoch of the topic `credits`; 0 gives all.
    pub async fn accounts_changed_after(&self, epoch: i64) -> Result<Vec<(UserId, CreditAccount)>, StoreError> {
        todo!()
    }
}
