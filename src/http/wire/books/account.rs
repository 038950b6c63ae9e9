//! Accounts on the wire.

use serde::Serialize;

use super::read::body;
use super::{CURRENCY, Date, Id, Money};
use crate::domain::calendar::date_time_text;
use crate::domain::ledger::account::{AccountType, Role};
use crate::domain::ledger::chart::NewAccount;
use crate::domain::problem::Issues;
use crate::http::wire::strict::{BODY, FieldPath, StrictReader};
use crate::store::{AccountHistory, AccountView};

/// What is allowed as a type.
pub const TYPES: &str = "one of ASSET, LIABILITY, EQUITY, REVENUE, EXPENSE, SUSPENSE";

/// Reads the body that makes an account.
pub fn parse_new(text: &[u8]) -> Result<NewAccount, Issues> {
    const NAMES: [&str; 4] = ["code", "name", "account_type", "role"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut code, mut name, mut account_type, mut role) = (None, None, None, None);
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => code = reader.code(body("code"), 1..=20)?,
            1 => name = reader.name(body("name"), 1..=255)?,
            2 => account_type = reader.word(body("account_type"), AccountType::parse, TYPES)?,
            _ if reader.is_null()? => {}
            _ => role = reader.code(body("role"), 1..=50)?,
        }
        Ok(())
    });
    let read = read.map(|given| {
        if let Some(given) = given {
            reader.require(FieldPath::section(BODY), &NAMES, &given, 3);
        }
        (code, name, account_type)
    });
    let (code, name, account_type) = reader.finish(read)?;
    let (Some(code), Some(name), Some(account_type)) = (code, name, account_type) else {
        return Err(Issues::default());
    };
    Ok(NewAccount {
        code: code.into_owned().into(),
        name: name.into_owned().into(),
        account_type,
        role: role.map(|role| Role::parse(&role)),
    })
}

/// Reads the body that changes an account: its code, its name.
pub fn parse_patch(text: &[u8]) -> Result<(Option<String>, Option<String>), Issues> {
    const NAMES: [&str; 2] = ["code", "name"];
    let mut reader = StrictReader::new(std::str::from_utf8(text).unwrap_or_default());
    let (mut code, mut name) = (None, None);
    let read = reader.object(FieldPath::section(BODY), &NAMES, |reader, at| {
        match at {
            0 => code = reader.code(body("code"), 1..=20)?,
            _ => name = reader.name(body("name"), 1..=255)?,
        }
        Ok(())
    });
    let read = read.map(|given| {
        reader.require_some(given);
        (code.map(String::from), name.map(String::from))
    });
    reader.finish(read)
}

/// An account, as answers show it.
#[derive(Serialize)]
pub struct AccountJson<'a> {
    id: Id,
    code: &'a str,
    name: &'a str,
    account_type: &'static str,
    role: Option<&'a str>,
    normal_balance: &'static str,
    is_archived: bool,
    archived_at: Option<String>,
    bank_account_id: Option<i64>,
    balance: Money,
    currency: &'static str,
    has_postings: bool,
    created_at: String,
    updated_at: String,
    version: i64,
}

impl<'a> From<&'a AccountView> for AccountJson<'a> {
    fn from(view: &'a AccountView) -> Self {
        let row = &view.row;
        Self {
            id: Id(row.id),
            code: &row.code,
            name: &row.name,
            account_type: row.account_type.as_str(),
            role: row.role.as_deref(),
            normal_balance: row.account_type.normal_balance(),
            is_archived: row.archived_at_ms.is_some(),
            archived_at: row.archived_at_ms.map(date_time_text),
            bank_account_id: view.bank_account_id,
            balance: Money(in_direction(row.account_type, view.balance_pence)),
            currency: CURRENCY,
            has_postings: view.has_postings,
            created_at: date_time_text(row.created_at_ms),
            updated_at: date_time_text(row.updated_at_ms),
            version: row.version,
        }
    }
}

/// Debits less credits, in the direction in which the account grows.
const fn in_direction(account_type: AccountType, pence: i64) -> i64 {
    if account_type.is_debit() { pence } else { -pence }
}

/// A part of an account's history, as answers show it.
#[derive(Serialize)]
pub struct HistoryJson<'a> {
    currency: &'static str,
    opening_balance: Money,
    lines: Vec<HistoryLineJson<'a>>,
    closing_balance: Money,
}

#[derive(Serialize)]
struct HistoryLineJson<'a> {
    date: Date,
    journal_id: i64,
    journal_number: i64,
    description: &'a str,
    debit: Money,
    credit: Money,
    balance: Money,
}

impl<'a> HistoryJson<'a> {
    /// The history of an account of this type.
    pub fn new(account_type: AccountType, history: &'a AccountHistory) -> Self {
        let mut balance = history.carried_pence;
        let lines = history.lines.iter().map(|line| {
            balance += line.debit_pence - line.credit_pence;
            HistoryLineJson {
                date: Date(line.entry_day),
                journal_id: line.journal_id,
                journal_number: line.journal_number,
                description: &line.description,
                debit: Money(line.debit_pence),
                credit: Money(line.credit_pence),
                balance: Money(in_direction(account_type, balance)),
            }
        });
        Self {
            currency: CURRENCY,
            lines: lines.collect(),
            opening_balance: Money(in_direction(account_type, history.opening_pence)),
            closing_balance: Money(in_direction(account_type, history.closing_pence)),
        }
    }

    /// How many lines it shows.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether it shows none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}
