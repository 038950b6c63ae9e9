//! Bank accounts: the record with the sums of its statement lines, its changes, and its view.

use crate::domain::books::audit_fields::AuditFields;
use crate::domain::date::Date;
use crate::domain::ids::{AccountId, BankAccountId};
use crate::domain::ledger::bank::{BankAccount, BankAccountType};

/// A bank account as stored, with the sums of its statement lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankAccountRecord {
    /// Identifier.
    pub id: i64,
    /// The account of the chart that carries its balance.
    pub account_id: i64,
    /// The fields that may be changed.
    pub details: BankAccountDetails,
    /// The kind of bank account.
    pub kind: BankAccountType,
    /// The opening balance, in pence.
    pub opening_pence: i64,
    /// The sum of the lines that are not excluded.
    pub statement_pence: i64,
    /// The number of lines that are not confirmed.
    pub unconfirmed_count: i64,
    /// The sum of the lines that are not confirmed.
    pub unconfirmed_pence: i64,
    /// When lines were last imported.
    pub last_imported_at_ms: Option<i64>,
    /// When it was archived.
    pub archived_at_ms: Option<i64>,
    /// When it was created.
    pub created_at_ms: i64,
    /// When it was last changed.
    pub updated_at_ms: i64,
    /// Counts changes, from 1.
    pub version: i64,
}

/// The fields of a bank account that a caller gives.
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

/// A changed field of a bank account.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields of `BankAccountDetails`, one each")]
pub enum BankAccountField {
    Name(String),
    BankName(Option<String>),
    SortCode(Option<String>),
    AccountNumber(Option<String>),
    Iban(Option<String>),
}

/// A bank account with its balance in the books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankAccountView {
    /// The bank account.
    pub row: BankAccountRecord,
    /// The code of the account that carries its balance.
    pub account_code: String,
    /// The balance of that account, debits less credits.
    pub ledger_pence: i64,
    /// The day of its latest line.
    pub last_transaction_date: Option<Date>,
}

/// The account of the chart that carries a bank account's balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerAccount {
    /// An account of the chart.
    Existing(i64),
    /// A new account with this code.
    New(String),
}

impl BankAccountDetails {
    /// The details with these fields changed.
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

impl BankAccountRecord {
    /// The bank account a new organisation starts with.
    pub(crate) fn first(id: i64, account_id: i64, now_ms: i64) -> Self {
        let details = BankAccountDetails { name: "Current account".to_owned(), ..BankAccountDetails::default() };
        Self::new(id, account_id, details, BankAccountType::Current, now_ms)
    }

    /// The record of a new bank account.
    pub(crate) fn new(
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

    /// The fields that the history shows.
    pub(crate) fn audit_fields(&self) -> AuditFields {
        let details = &self.details;
        AuditFields::new()
            .text("name", details.name.as_str())
            .text("type", self.kind.as_str())
            .number("account_id", self.account_id)
            .text("bank_name", details.bank_name.as_deref())
            .text("sort_code", details.sort_code.as_deref())
            .text("account_number", details.account_number.as_deref())
            .text("iban", details.iban.as_deref())
            .flag("is_archived", self.archived_at_ms.is_some())
    }

    /// The bank account as the rules read it.
    pub(crate) fn to_domain(&self) -> BankAccount {
        BankAccount {
            id: BankAccountId(self.id),
            account_id: AccountId(self.account_id),
            is_archived: self.archived_at_ms.is_some(),
        }
    }
}
