//! Bank accounts: how their rows are read, and the queries about them.

use crate::domain::books::records::bank_account::{BankAccountDetails, BankAccountRecord, BankAccountView};
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::bank::BankAccountType;
use crate::store::StoreError;
use crate::store::books::conditions::Conditions;
use crate::store::sql::{Reader, Row};

/// The columns of [`read_bank_account`], of the bank account `b`.
pub(super) const BANK_ACCOUNT_COLUMNS: &str = "b.id, b.account_id, b.name, b.bank_name, b.sort_code, \
     b.account_number, b.iban, b.kind, b.opening, b.statement, b.unconfirmed_count, b.unconfirmed, \
     b.last_imported_at, b.archived_at, b.created_at, b.updated_at, b.version";

/// How many columns these are.
const COLUMNS: usize = 17;

impl Reader {
    /// The bank accounts of an organisation in the order of their names.
    pub async fn bank_accounts(
        &self,
        organisation: OrganisationId,
        include_archived: bool,
    ) -> Result<Vec<BankAccountView>, StoreError> {
        let mut conditions = Conditions::new("b.organisation_id = $1", organisation.0);
        if !include_archived {
            conditions.and_plain("b.archived_at is null");
        }
        self.bank_account_views(&conditions).await
    }

    /// One bank account of an organisation.
    pub async fn bank_account(
        &self,
        organisation: OrganisationId,
        id: i64,
    ) -> Result<Option<BankAccountView>, StoreError> {
        let mut conditions = Conditions::new("b.organisation_id = $1", organisation.0);
        conditions.and("b.id = {}", id);
        Ok(self.bank_account_views(&conditions).await?.pop())
    }

    async fn bank_account_views(&self, conditions: &Conditions) -> Result<Vec<BankAccountView>, StoreError> {
        let sql = format!(
            "select {BANK_ACCOUNT_COLUMNS}, a.code, (select cast(coalesce(sum(m.debit - m.credit), 0) as bigint) \
             from account_month m where m.account_id = b.account_id), \
             (select max(t.day) from bank_transaction t where t.bank_account_id = b.id) \
             from bank_account b join account a on a.id = b.account_id where {} order by b.name, b.id",
            conditions.text()
        );
        let rows = self.all(&sql, conditions.values()).await?;
        rows.iter()
            .map(|row| {
                Ok(BankAccountView {
                    row: read_bank_account(row)?,
                    account_code: row.get(COLUMNS)?,
                    ledger_pence: row.get(COLUMNS + 1)?,
                    last_transaction_date: row.maybe_date(COLUMNS + 2)?,
                })
            })
            .collect()
    }
}

/// Reads a bank account from the first columns of a row.
pub(super) fn read_bank_account(row: &Row) -> Result<BankAccountRecord, StoreError> {
    Ok(BankAccountRecord {
        id: row.get(0)?,
        account_id: row.get(1)?,
        details: BankAccountDetails {
            name: row.get(2)?,
            bank_name: row.get(3)?,
            sort_code: row.get(4)?,
            account_number: row.get(5)?,
            iban: row.get(6)?,
        },
        kind: row.parsed(7, BankAccountType::parse)?,
        opening_pence: row.get(8)?,
        statement_pence: row.get(9)?,
        unconfirmed_count: row.get(10)?,
        unconfirmed_pence: row.get(11)?,
        last_imported_at_ms: row.get(12)?,
        archived_at_ms: row.get(13)?,
        created_at_ms: row.get(14)?,
        updated_at_ms: row.get(15)?,
        version: row.get(16)?,
    })
}
