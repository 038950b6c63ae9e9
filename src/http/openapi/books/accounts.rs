//! Accounts, tax codes and the general ledger.

use serde_json::json;

use super::super::operation::Operation;
use super::super::schema::{Any, boolean, label, mark, maybe, moment, named, optional, plain, required, strict};
use super::shared::{DATES_IN_ORDER, about, date_in, inside, patch};
use crate::http::envelope::{Data, List};
use crate::http::resources::accounts::{AccountJson, AccountTransactionsJson, TaxCodesJson, account_type};

/// `GET …/tax-codes`.
pub fn list_tax_codes() -> Operation {
    inside("List tax codes", "The five VAT codes, and how the organisation is registered.")
        .answer::<TaxCodesJson>(200, "The codes.")
}

/// `GET …/accounts`.
pub fn list_accounts() -> Operation {
    inside("List accounts", "The chart in the natural order of its codes, without a pagination block.")
        .query("account_type", "Of this type only.", account_type(), "EXPENSE".into())
        .query("role", "With this role only.", plain(1, 50), "bank".into())
        .query("include_archived", "`true`: archived ones too.", boolean(), true.into())
        .query("updated_since", "Changed at this moment or later.", moment(), "2026-03-01T00:00:00Z".into())
        .error(crate::http::error::ErrorCode::InvalidRequestFormat)
        .answer::<List<AccountJson>>(200, "The accounts.")
}

/// `GET …/accounts/{id}`.
pub fn get_account() -> Operation {
    about("account", "Get an account", "The account with its balance of all dates, in the direction in which it grows.")
        .answer::<Data<AccountJson>>(200, "The account.")
}

/// `POST …/accounts`.
pub fn create_account() -> Operation {
    inside(
        "Create an account",
        "A role such as `vat_control`, `bank` or `fixed_asset` gives the account its effect; any other word is kept as it is.",
    )
    .request(
        named("CreateAccount"),
        json!({ "code": "2200", "name": "VAT Control", "account_type": "LIABILITY", "role": "vat_control" }),
    )
    .created::<Data<AccountJson>>("The account was made.")
    .conflict(json!({ "reason": "duplicate_code", "field": "code", "existing_id": 14 }))
    .refused(json!({ "reason": "wrong_account_type", "field": "role", "id": null }))
    .change()
}

/// `PATCH …/accounts/{id}`.
pub fn update_account() -> Operation {
    about("account", "Change an account", "Its code and name, also after postings; history shows the new ones.")
        .request(named("UpdateAccount"), json!({ "name": "Telephone and broadband" }))
        .answer::<Data<AccountJson>>(200, "The account as it is now.")
        .conflict(json!({ "reason": "duplicate_code", "field": "code", "existing_id": 14 }))
        .change()
        .versioned()
}

/// `POST …/accounts/{id}/archive`.
pub fn archive_account() -> Operation {
    about(
        "account",
        "Archive an account",
        "New postings are refused, history stays. Control and bank accounts cannot be archived. Repeating it changes nothing.",
    )
    .answer::<Data<AccountJson>>(200, "The account as it is now.")
    .conflict(json!({ "reason": "invalid_state", "current": "control account", "allowed": [] }))
    .change()
    .versioned()
}

/// `POST …/accounts/{id}/unarchive`.
pub fn unarchive_account() -> Operation {
    about("account", "Take an account back into use", "The inverse of archiving; repeating it changes nothing.")
        .answer::<Data<AccountJson>>(200, "The account as it is now.")
        .change()
        .versioned()
}

/// `GET …/accounts/{id}/transactions`.
pub fn list_account_transactions() -> Operation {
    about(
        "account",
        "List what was posted to an account",
        "The general ledger of the account, oldest first: every line with the balance after it. The opening balance is \
         that before `date_from`, the closing one that at the end of `date_to`. With `date_from`, income and expense count from \
         the first day of the financial year of that date; without it, everything ever posted counts.",
    )
    .query("date_from", "On this date or later.", date_in(), "2026-01-01".into())
    .query("date_to", "On this date or before.", date_in(), "2026-03-31".into())
    .rule("query.date_to", DATES_IN_ORDER)
    .paged()
    .answer::<AccountTransactionsJson>(200, "The lines.")
}

/// The schemas of the bodies.
pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let create = strict(
        "What a new account shall be.",
        vec![
            required("code", mark(20)),
            required("name", label(255)),
            required("account_type", account_type()),
            maybe("role", mark(50)),
        ],
    );
    let update = patch(vec![optional("code", mark(20)), optional("name", label(255))]);
    vec![("CreateAccount", create.into()), ("UpdateAccount", update.into())]
}
