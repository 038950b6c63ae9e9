//! Ledger accounts: how their rows are read, and the queries about them.

use crate::domain::books::records::account::{AccountFilter, AccountRecord, AccountView};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::chart::{AccountType, natural_order};
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::sql::{Reader, Row, Unit, params};

/// The columns of [`read_account`], of the account `a`.
pub(super) const ACCOUNT_COLUMNS: &str =
    "a.id, a.code, a.name, a.account_type, a.role, a.archived_at, a.created_at, a.updated_at, a.version";

impl Reader {
    /// The accounts of an organisation in the natural order of their codes.
    pub async fn accounts(
        &self,
        organisation: OrganisationId,
        filter: &AccountFilter,
    ) -> Result<Vec<AccountView>, StoreError> {
        let mut conditions = Conditions::new("a.organisation_id = $1", organisation.0);
        conditions.and_if("a.account_type = {}", filter.account_type.map(AccountType::as_str));
        conditions.and_if("a.role = {}", filter.role.as_deref());
        if !filter.include_archived {
            conditions.and_plain("a.archived_at is null");
        }
        let mut accounts = self.account_views(&conditions).await?;
        accounts.sort_by(|one, other| natural_order(&one.row.code, &other.row.code));
        Ok(accounts)
    }

    /// One account of an organisation.
    pub async fn account(&self, organisation: OrganisationId, id: i64) -> Result<Option<AccountView>, StoreError> {
        let mut conditions = Conditions::new("a.organisation_id = $1", organisation.0);
        conditions.and("a.id = {}", id);
        Ok(self.account_views(&conditions).await?.pop())
    }

    async fn account_views(&self, conditions: &Conditions) -> Result<Vec<AccountView>, StoreError> {
        let sql = format!(
            "select {ACCOUNT_COLUMNS}, (select cast(coalesce(sum(m.debit - m.credit), 0) as bigint) \
             from account_month m where m.account_id = a.id), \
             (select count(*) from account_month m where m.account_id = a.id), \
             (select b.id from bank_account b where b.account_id = a.id) from account a where {}",
            conditions.text()
        );
        let rows = self.all(&sql, conditions.values()).await?;
        rows.iter()
            .map(|row| {
                Ok(AccountView {
                    row: read_account(row)?,
                    balance_pence: row.get(9)?,
                    has_postings: row.get::<i64>(10)? > 0,
                    bank_account_id: row.get(11)?,
                })
            })
            .collect()
    }
}

/// Reads an account from the first columns of a row.
pub(super) fn read_account(row: &Row) -> Result<AccountRecord, StoreError> {
    Ok(AccountRecord {
        id: row.get(0)?,
        code: row.get(1)?,
        name: row.get(2)?,
        account_type: row.parsed(3, AccountType::parse)?,
        role: row.get(4)?,
        archived_at_ms: row.get(5)?,
        created_at_ms: row.get(6)?,
        updated_at_ms: row.get(7)?,
        version: row.get(8)?,
    })
}

/// Debits less credits of one account, and whether anything was posted to it.
pub(super) async fn balance_of(unit: &Unit<'_>, account: i64) -> Result<(i64, bool), StoreError> {
    let sql =
        "select cast(coalesce(sum(debit - credit), 0) as bigint), count(*) from account_month where account_id = $1";
    match unit.one(sql, params![account]).await? {
        Some(row) => Ok((row.get(0)?, row.get::<i64>(1)? > 0)),
        None => Ok((0, false)),
    }
}
