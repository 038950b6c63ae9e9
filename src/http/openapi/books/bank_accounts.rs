//! Bank accounts.

use serde_json::{Value, json};
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Type;

use super::super::operation::Operation;
use super::super::schema::{
    Any, Field, array, boolean, choice, date, id, integer, label, label_or_empty, mark, maybe, moment, named, nullable,
    object, one_of, optional, plain, required, strict, string,
};
use super::shared::{about, data, inside, money, patch};
use crate::domain::ledger::bank::BankAccountType;
use crate::http::error::ErrorCode;

/// `GET …/bank-accounts`.
pub fn list_bank_accounts() -> Operation {
    inside("List bank accounts", "By name, without a pagination block.")
        .query("include_archived", "`true`: archived ones too.", boolean(), true.into())
        .query("updated_since", "Changed at this moment or later.", moment(), "2026-03-01T00:00:00Z".into())
        .error(ErrorCode::InvalidRequestFormat)
        .success(200, "The bank accounts.", named("BankAccountList"), json!({ "data": [example()] }))
}

/// `GET …/bank-accounts/{id}`.
pub fn get_bank_account() -> Operation {
    about(
        "bank account",
        "Get a bank account",
        "`ledger_balance` is what the books say, `statement_balance` the opening balance and every line that is not excluded.",
    )
    .success(200, "The bank account.", named("BankAccountData"), json!({ "data": example() }))
}

/// `POST …/bank-accounts`.
pub fn create_bank_account() -> Operation {
    inside(
        "Make a bank account",
        "Either over an account of the chart (`account_id`: an asset, or for cards and loans a liability) or with a new one under `code`.",
    )
    .request(named("CreateBankAccount"), json!({ "name": "Savings", "type": "savings", "code": "1210" }))
    .made("The bank account was made.", named("BankAccountData"), json!({ "data": example() }))
    .conflict(json!({ "reason": "duplicate_code", "field": "code", "existing_id": 14 }))
    .refusals(&["wrong_account_type", "unknown_reference", "account_archived", "currency_not_supported"])
    .change()
}

/// `PATCH …/bank-accounts/{id}`.
pub fn update_bank_account() -> Operation {
    about("bank account", "Change a bank account", "What it is called and its numbers; null clears a number.")
        .request(named("UpdateBankAccount"), json!({ "sort_code": "12-34-56" }))
        .success(200, "The bank account as it is now.", named("BankAccountData"), json!({ "data": example() }))
        .change()
        .versioned()
}

/// `POST …/bank-accounts/{id}/archive`.
pub fn archive_bank_account() -> Operation {
    about("bank account", "Archive a bank account", "Nothing new is entered or posted; repeating it changes nothing.")
        .success(200, "The bank account as it is now.", named("BankAccountData"), json!({ "data": example() }))
        .change()
        .versioned()
}

fn example() -> Value {
    json!({
        "id": 2, "name": "Current account", "type": "current", "account_id": 9, "account_code": "1200", "bank_name": "Starling",
        "sort_code": "12-34-56", "account_number": "12345678", "iban": null, "currency": "GBP", "ledger_balance": 1200.00,
        "statement_balance": 1115.63, "opening_balance": 0.00, "unconfirmed_count": 1, "unconfirmed_total": -84.37,
        "last_transaction_date": "2026-03-10", "last_imported_at": "2026-03-10T12:00:00.000Z", "is_archived": false,
        "archived_at": null, "created_at": "2026-03-10T12:00:00.000Z", "updated_at": "2026-03-10T12:00:00.000Z", "version": 1
    })
}

fn fields(is_new: bool) -> Vec<Field> {
    vec![
        if is_new { required("name", label(255)) } else { optional("name", label(255)) },
        maybe("bank_name", label_or_empty(100)),
        maybe("sort_code", string().pattern(Some("^(?:[0-9]{6}|[0-9]{2}-[0-9]{2}-[0-9]{2})?$"))),
        maybe("account_number", string().pattern(Some("^(?:[0-9]{8})?$"))),
        maybe("iban", plain(0, 34)),
    ]
}

fn bank_account() -> Any {
    let kinds = BankAccountType::ALL.map(BankAccountType::as_str);
    let maybe_text = |name| required(name, nullable(string()));
    object(
        "A bank account.",
        vec![
            required("id", nullable(id())),
            required("name", string()),
            required("type", choice(&kinds)),
            required("account_id", nullable(id())),
            required("account_code", string()),
            maybe_text("bank_name"),
            maybe_text("sort_code"),
            maybe_text("account_number"),
            maybe_text("iban"),
            required("currency", string()),
            required("ledger_balance", money()),
            required("statement_balance", money()),
            required("opening_balance", money()),
            required("unconfirmed_count", integer(0)),
            required("unconfirmed_total", money()),
            required("last_transaction_date", nullable(date())),
            required("last_imported_at", nullable(moment())),
            required("is_archived", boolean()),
            required("archived_at", nullable(moment())),
            required("created_at", moment()),
            required("updated_at", moment()),
            required("version", integer(1)),
        ],
    )
    .into()
}

/// Either over an account of the chart or with a new one; the other key may be null.
fn create() -> Any {
    let kinds = BankAccountType::ALL.map(BankAccountType::as_str);
    let shape = |account: [Field; 2]| {
        let mut fields = fields(true);
        fields.extend([optional("type", choice(&kinds)), optional("currency", choice(&["GBP"]))]);
        fields.extend(account);
        strict("A new bank account.", fields).into()
    };
    let null = || ObjectBuilder::new().schema_type(Type::Null);
    one_of(vec![
        shape([required("account_id", id()), optional("code", null())]),
        shape([required("code", mark(20)), optional("account_id", null())]),
    ])
    .into()
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    vec![
        ("BankAccount", bank_account()),
        ("BankAccountData", data("A bank account.", named("BankAccount"))),
        ("BankAccountList", data("Bank accounts.", array(named("BankAccount")).build().into())),
        ("CreateBankAccount", create()),
        ("UpdateBankAccount", patch(fields(false)).into()),
    ]
}
