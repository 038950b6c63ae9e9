//! Bank accounts.

use serde_json::json;
use utoipa::openapi::ObjectBuilder;
use utoipa::openapi::schema::Type;

use super::super::operation::Operation;
use super::super::schema::{
    Any, Field, boolean, choice, id, label, label_or_empty, mark, maybe, moment, named, one_of, optional, plain,
    required, strict, string,
};
use super::shared::{about, inside, patch};
use crate::http::envelope::{Data, List};
use crate::http::error::ErrorCode;
use crate::http::resources::bank_accounts::{BankAccountJson, bank_account_type};

/// `GET …/bank-accounts`.
pub fn list_bank_accounts() -> Operation {
    inside("List bank accounts", "By name, without a pagination block.")
        .query("include_archived", "`true`: archived ones too.", boolean(), true.into())
        .query("updated_since", "Changed at this moment or later.", moment(), "2026-03-01T00:00:00Z".into())
        .error(ErrorCode::InvalidRequestFormat)
        .answer::<List<BankAccountJson>>(200, "The bank accounts.")
}

/// `GET …/bank-accounts/{id}`.
pub fn get_bank_account() -> Operation {
    about(
        "bank account",
        "Get a bank account",
        "`ledger_balance` is what the books say, `statement_balance` the opening balance and every line that is not excluded.",
    )
    .answer::<Data<BankAccountJson>>(200, "The bank account.")
}

/// `POST …/bank-accounts`.
pub fn create_bank_account() -> Operation {
    inside(
        "Create a bank account",
        "Either over an account of the chart (`account_id`: an asset, or for cards and loans a liability) or with a new one under `code`.",
    )
    .request(named("CreateBankAccount"), json!({ "name": "Savings", "type": "savings", "code": "1210" }))
    .created::<Data<BankAccountJson>>("The bank account was made.")
    .conflict(json!({ "reason": "duplicate_code", "field": "code", "existing_id": 14 }))
    .refusals(&["wrong_account_type", "unknown_reference", "account_archived", "currency_not_supported"])
    .change()
}

/// `PATCH …/bank-accounts/{id}`.
pub fn update_bank_account() -> Operation {
    about("bank account", "Change a bank account", "What it is called and its numbers; null clears a number.")
        .request(named("UpdateBankAccount"), json!({ "sort_code": "12-34-56" }))
        .answer::<Data<BankAccountJson>>(200, "The bank account as it is now.")
        .change()
        .versioned()
}

/// `POST …/bank-accounts/{id}/archive`.
pub fn archive_bank_account() -> Operation {
    about("bank account", "Archive a bank account", "Nothing new is entered or posted; repeating it changes nothing.")
        .answer::<Data<BankAccountJson>>(200, "The bank account as it is now.")
        .change()
        .versioned()
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

/// Either over an account of the chart or with a new one; the other key may be null.
fn create() -> Any {
    let shape = |account: [Field; 2]| {
        let mut fields = fields(true);
        fields.extend([optional("type", bank_account_type()), optional("currency", choice(&["GBP"]))]);
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

/// The schemas of the bodies.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    vec![("CreateBankAccount", create()), ("UpdateBankAccount", patch(fields(false)).into())]
}
