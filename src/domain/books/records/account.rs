//! Ledger accounts: the record, the view with the balance, and the filter of the list.

use crate::domain::books::audit_fields::AuditFields;
use crate::domain::ledger::chart::{Account, AccountType};

/// A ledger account as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountRecord {
    /// Identifier.
    pub id: i64,
    /// Its code.
    pub code: String,
    /// Its name.
    pub name: String,
    /// `ASSET` and so on.
    pub account_type: AccountType,
    /// The role that the rules give it.
    pub role: Option<String>,
    /// When it was archived.
    pub archived_at_ms: Option<i64>,
    /// When it was created.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

/// A ledger account with its balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountView {
    /// The account.
    pub row: AccountRecord,
    /// Its debits less its credits of all dates, in pence.
    pub balance_pence: i64,
    /// Whether anything was ever posted to it.
    pub has_postings: bool,
    /// The bank account whose balance it carries.
    pub bank_account_id: Option<i64>,
}

/// The filter of the list of accounts.
#[derive(Debug, Clone, Default)]
pub struct AccountFilter {
    /// The type of the accounts.
    pub account_type: Option<AccountType>,
    /// The role of the accounts.
    pub role: Option<String>,
    /// Whether archived records are included.
    pub include_archived: bool,
}

impl AccountRecord {
    /// The record of a new account.
    pub(crate) fn of(account: &Account, now_ms: i64) -> Self {
        Self {
            id: account.id.0,
            code: account.code.clone(),
            name: account.name.clone(),
            account_type: account.account_type,
            role: account.role.as_ref().map(|role| role.as_str().to_owned()),
            archived_at_ms: None,
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
            version: 1,
        }
    }

    /// The fields that the history shows.
    pub(crate) fn audit_fields(&self) -> AuditFields {
        AuditFields::new()
            .text("code", self.code.as_str())
            .text("name", self.name.as_str())
            .text("account_type", self.account_type.as_str())
            .text("role", self.role.as_deref())
            .flag("is_archived", self.archived_at_ms.is_some())
    }
}
