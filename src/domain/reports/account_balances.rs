//! Balances of accounts at the ends of days: the rows that reports about accounts are computed from.

use crate::domain::ledger::chart::{AccountType, Role};
use crate::domain::ledger::money::Pence;

/// An account with its balances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountBalances {
    /// Identifier.
    pub account_id: i64,
    /// What people call it.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Its type.
    pub account_type: AccountType,
    /// What it does beside holding a balance.
    pub role: Option<Role>,
    /// Debits less credits up to the end of each requested day, in the order of the days.
    pub balances: Vec<Pence>,
}
