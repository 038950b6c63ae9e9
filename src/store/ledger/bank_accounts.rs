//! Bank accounts: the rows, and what is asked about them.

use super::query::Conditions;
use crate::domain::ids::OrganisationId;
use crate::domain::ledger::bank::BankAccountType;
use crate::store::StoreError;
use crate::store::reader::Reader;
use crate::store::sql::Row;

/// A bank account as stored, with the sums of its statement lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankAccountRow {
    /// Identifier.
    pub id: i64,
    /// The account of the chart that carries its balance.
    pub account_id: i64,
    /// What may be changed.
    pub details: BankAccountDetails,
    /// What kind it is.
    pub kind: BankAccountType,
    /// What the opening balances put on it, in pence.
    pub opening_pence: i64,
    /// Sum of the lines that are not excluded.
    pub statement_pence: i64,
    /// How many lines are not confirmed.
    pub unconfirmed_count: i64,
    /// Their sum.
    pub unconfirmed_pence: i64,
    /// When lines were last imported.
    pub last_imported_at_ms: Option<i64>,
    /// When it was archived.
    pub archived_at_ms: Option<i64>,
    /// When it was made.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

/// What a caller says about a bank account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BankAccountDetails {
    /// Its name.
    pub name: String,
    /// The bank.
    pub bank_name: Option<String>,
    /// `NN-NN-NN`.
    pub sort_code: Option<String>,
    /// Eight digits.
    pub account_number: Option<String>,
    /// International number.
    pub iban: Option<String>,
}

/// One thing said about a bank account.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of `BankAccountDetails`, one each")]
pub enum BankAccountField {
    Name(String),
    BankName(Option<String>),
    SortCode(Option<String>),
    AccountNumber(Option<String>),
    Iban(Option<String>),
}

impl BankAccountDetails {
    /// The details after some of them were said anew.
    pub fn with(mut self, fields: &[BankAccountField]) -> Self {
        for field in fields.iter().cloned() {
            match field {
                BankAccountField::Name(name) => self.name = name,
                BankAccountField::BankName(name) => self.bank_name = name,
                BankAccountField::SortCode(code) => self.sort_code = code,
                BankAccountField::AccountNumber(number) => self.account_number = number,
                BankAccountField::Iban(iban) => self.iban = iban,
            }
        }
        self
    }
}

impl BankAccountRow {
    /// The bank account a new organisation starts with.
    pub(super) fn first(id: i64, account_id: i64, now_ms: i64) -> Self {
        let details = BankAccountDetails { name: "Current account".to_owned(), ..BankAccountDetails::default() };
        Self::new(id, account_id, details, BankAccountType::Current, now_ms)
    }

    /// A new one.
    pub(super) fn new(
        id: i64,
        account_id: i64,
        details: BankAccountDetails,
        kind: BankAccountType,
        now_ms: i64,
    ) -> Self {
        Self {
            id,
            account_id,
            details,
            kind,
            opening_pence: 0,
            statement_pence: 0,
            unconfirmed_count: 0,
            unconfirmed_pence: 0,
            last_imported_at_ms: None,
            archived_at_ms: None,
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
            version: 1,
        }
    }
}

/// A bank account with what the books say of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankAccountView {
    /// The bank account.
    pub row: BankAccountRow,
    /// The code of the account that carries its balance.
    pub account_code: String,
    /// The balance of that account, debits less credits.
    pub ledger_pence: i64,
    /// The day of its latest line.
    pub last_transaction_day: Option<i32>,
}

pub(super) const BANK_ACCOUNT_COLUMNS: &str = "b.id, b.account_id, b.name, b.bank_name, b.sort_code, \
     b.account_number, b.iban, b.kind, b.opening, b.statement, b.unconfirmed_count, b.unconfirmed, \
     b.last_imported_at, b.archived_at, b.created_at, b.updated_at, b.version";

const COLUMNS: usize = 17;

pub(super) fn read_bank_account(row: &Row) -> Result<BankAccountRow, StoreError> {
    Ok(BankAccountRow {
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

impl Reader {
    /// The bank accounts of an organisation by name.
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
                let day: Option<i64> = row.get(COLUMNS + 2)?;
                Ok(BankAccountView {
                    row: read_bank_account(row)?,
                    account_code: row.get(COLUMNS)?,
                    ledger_pence: row.get(COLUMNS + 1)?,
                    last_transaction_day: day.and_then(|day| i32::try_from(day).ok()),
                })
            })
            .collect()
    }
}
