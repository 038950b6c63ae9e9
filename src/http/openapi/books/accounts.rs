//! Accounts, tax codes and the general ledger.

use serde_json::{Value, json};

use super::super::operation::Operation;
use super::super::schema::{
    Any, array, boolean, choice, date, id, integer, label, mark, maybe, moment, named, nullable, number, object,
    optional, plain, required, strict, string, text,
};
use super::shared::{DATES_IN_ORDER, about, data, date_in, inside, money, pagination, patch};

const TYPES: [&str; 6] = ["ASSET", "LIABILITY", "EQUITY", "REVENUE", "EXPENSE", "SUSPENSE"];

/// `GET …/tax-codes`.
pub fn list_tax_codes() -> Operation {
    inside("List tax codes", "The five VAT codes, and how the organisation is registered.").success(
        200,
        "The codes.",
        named("TaxCodeList"),
        json!({
            "data": [
                { "code": "ST", "name": "Standard rate", "rate": 20, "rate_fraction": 0.2 },
                { "code": "NV", "name": "No VAT", "rate": 0, "rate_fraction": null }
            ],
            "vat_registered": true, "vat_scheme": "standard"
        }),
    )
}

/// `GET …/accounts`.
pub fn list_accounts() -> Operation {
    inside("List accounts", "The chart in the natural order of its codes, without a pagination block.")
        .query("account_type", "Of this type only.", choice(&TYPES), "EXPENSE".into())
        .query("role", "With this role only.", plain(1, 50), "bank".into())
        .query("include_archived", "`true`: archived ones too.", boolean(), true.into())
        .query("updated_since", "Changed at this moment or later.", moment(), "2026-03-01T00:00:00Z".into())
        .error(crate::http::error::ErrorCode::InvalidRequestFormat)
        .success(200, "The accounts.", named("AccountList"), json!({ "data": [example()] }))
}

/// `GET …/accounts/{id}`.
pub fn get_account() -> Operation {
    about("account", "Get an account", "The account with its balance of all dates, in the direction in which it grows.")
        .success(200, "The account.", named("AccountData"), json!({ "data": example() }))
}

/// `POST …/accounts`.
pub fn create_account() -> Operation {
    inside(
        "Make an account",
        "A role such as `vat_control`, `bank` or `fixed_asset` gives the account its effect; any other word is kept as it is.",
    )
    .request(
        named("CreateAccount"),
        json!({ "code": "2200", "name": "VAT Control", "account_type": "LIABILITY", "role": "vat_control" }),
    )
    .made("The account was made.", named("AccountData"), json!({ "data": example() }))
    .conflict(json!({ "reason": "duplicate_code", "field": "code", "existing_id": 14 }))
    .refused(json!({ "reason": "wrong_account_type", "field": "role", "id": null }))
    .change()
}

/// `PATCH …/accounts/{id}`.
pub fn update_account() -> Operation {
    about("account", "Change an account", "Its code and name, also after postings; history shows the new ones.")
        .request(named("UpdateAccount"), json!({ "name": "Telephone and broadband" }))
        .success(200, "The account as it is now.", named("AccountData"), json!({ "data": example() }))
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
    .success(200, "The account as it is now.", named("AccountData"), json!({ "data": example() }))
    .conflict(json!({ "reason": "invalid_state", "current": "control account", "allowed": [] }))
    .change()
    .versioned()
}

/// `POST …/accounts/{id}/unarchive`.
pub fn unarchive_account() -> Operation {
    about("account", "Take an account back into use", "The inverse of archiving; repeating it changes nothing.")
        .success(200, "The account as it is now.", named("AccountData"), json!({ "data": example() }))
        .change()
        .versioned()
}

/// `GET …/accounts/{id}/transactions`.
pub fn list_account_transactions() -> Operation {
    about(
        "account",
        "List what was posted to an account",
        "The general ledger of the account, oldest first: every line with the balance after it. The opening balance is \
         that before `date_from`, the closing one that at the end of `date_to`.",
    )
    .query("date_from", "On this date or later.", date_in(), "2026-01-01".into())
    .query("date_to", "On this date or before.", date_in(), "2026-03-31".into())
    .rule("query.date_to", DATES_IN_ORDER)
    .paged()
    .success(
        200,
        "The lines.",
        named("AccountTransactions"),
        json!({
            "data": {
                "currency": "GBP", "opening_balance": 0.00,
                "lines": [{
                    "date": "2026-03-10", "journal_id": 40, "journal_number": 12, "description": "March rent",
                    "debit": 1200.00, "credit": 0.00, "balance": 1200.00
                }],
                "closing_balance": 1200.00
            },
            "pagination": { "limit": 50, "offset": 0, "count": 1, "total": 1 }
        }),
    )
}

fn example() -> Value {
    json!({
        "id": 12, "code": "7500", "name": "Telephone and internet", "account_type": "EXPENSE", "role": null,
        "normal_balance": "debit", "is_archived": false, "archived_at": null, "bank_account_id": null,
        "balance": 45.00, "currency": "GBP", "has_postings": true,
        "created_at": "2026-03-10T12:00:00.000Z", "updated_at": "2026-03-10T12:00:00.000Z", "version": 1
    })
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let account = object(
        "An account of the chart.",
        vec![
            required("id", nullable(id())),
            required("code", text(1, 20)),
            required("name", text(1, 255)),
            required("account_type", choice(&TYPES)),
            required("role", nullable(string())),
            required("normal_balance", choice(&["debit", "credit"])),
            required("is_archived", boolean()),
            required("archived_at", nullable(moment())),
            required("bank_account_id", nullable(id())),
            required("balance", money()),
            required("currency", string()),
            required("has_postings", boolean()),
            required("created_at", moment()),
            required("updated_at", moment()),
            required("version", integer(1)),
        ],
    );
    let create = strict(
        "What a new account shall be.",
        vec![
            required("code", mark(20)),
            required("name", label(255)),
            required("account_type", choice(&TYPES)),
            maybe("role", mark(50)),
        ],
    );
    let update = patch(vec![optional("code", mark(20)), optional("name", label(255))]);
    let tax_code = object(
        "A VAT code.",
        vec![
            required("code", choice(&["ST", "RR", "ZR", "EX", "NV"])),
            required("name", string()),
            required("rate", number().description(Some("Percent."))),
            required("rate_fraction", nullable(number())),
        ],
    );
    let tax_codes = object(
        "The VAT codes.",
        vec![
            required("data", array(named("TaxCode")).build()),
            required("vat_registered", boolean()),
            required("vat_scheme", nullable(choice(&["standard", "cash", "flat_rate"]))),
        ],
    );
    let line = object(
        "A line of the general ledger.",
        vec![
            required("date", date()),
            required("journal_id", id()),
            required("journal_number", integer(1)),
            required("description", string()),
            required("debit", money()),
            required("credit", money()),
            required("balance", money()),
        ],
    );
    let history = object(
        "What was posted to an account.",
        vec![
            required("currency", string()),
            required("opening_balance", money()),
            required("lines", array(line).build()),
            required("closing_balance", money()),
        ],
    );
    let transactions = object(
        "A part of an account's history.",
        vec![required("data", history), required("pagination", pagination())],
    );
    vec![
        ("Account", account.into()),
        ("CreateAccount", create.into()),
        ("UpdateAccount", update.into()),
        ("AccountData", data("An account.", named("Account"))),
        ("AccountList", data("Accounts.", array(named("Account")).build().into())),
        ("TaxCode", tax_code.into()),
        ("TaxCodeList", tax_codes.into()),
        ("AccountTransactions", transactions.into()),
    ]
}
