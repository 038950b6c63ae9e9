//! Bank accounts and the lines of their statements.

use serde_json::{Value, json};

use super::super::operation::Operation;
use super::super::schema::{
    Any, Field, array, boolean, choice, date, id, integer, maybe, moment, named, nullable, object, optional, required,
    strict, string, text,
};
use super::{about, data, inside, money, money_in, page, page_example};
use crate::domain::ledger::bank::{BankAccountType, ConfirmType};
use crate::http::error::ErrorCode;

const CODES: [&str; 5] = ["ST", "RR", "ZR", "EX", "NV"];
const STATES: [&str; 3] = ["unconfirmed", "confirmed", "excluded"];

/// `GET …/bank-accounts`.
pub fn list_bank_accounts() -> Operation {
    inside("List bank accounts", "By name, without a pagination block.")
        .query("include_archived", "`true`: archived ones too.", boolean(), true.into())
        .error(ErrorCode::InvalidRequestFormat)
        .success(200, "The bank accounts.", named("BankAccountList"), json!({ "data": [account_example()] }))
}

/// `GET …/bank-accounts/{id}`.
pub fn get_bank_account() -> Operation {
    about(
        "bank account",
        "Get a bank account",
        "`ledger_balance` is what the books say, `statement_balance` the opening balance and every line that is not excluded.",
    )
    .success(200, "The bank account.", named("BankAccountData"), json!({ "data": account_example() }))
}

/// `POST …/bank-accounts`.
pub fn create_bank_account() -> Operation {
    inside(
        "Make a bank account",
        "Either over an account of the chart (`account_id`: an asset, or for cards and loans a liability) or with a new one under `code`.",
    )
    .request(named("CreateBankAccount"), json!({ "name": "Savings", "type": "savings", "code": "1210" }))
    .success(201, "The bank account was made.", named("BankAccountData"), json!({ "data": account_example() }))
    .conflict(json!({ "reason": "duplicate_code", "field": "code", "existing_id": 14 }))
    .refused(json!({ "reason": "wrong_account_type", "field": "account_id", "id": 12 }))
    .change()
}

/// `PATCH …/bank-accounts/{id}`.
pub fn update_bank_account() -> Operation {
    about("bank account", "Change a bank account", "What it is called and its numbers; null clears a number.")
        .request(named("UpdateBankAccount"), json!({ "sort_code": "12-34-56" }))
        .success(200, "The bank account as it is now.", named("BankAccountData"), json!({ "data": account_example() }))
        .conflict(json!({ "reason": "stale_version" }))
        .change()
        .versioned()
}

/// `POST …/bank-accounts/{id}/archive`.
pub fn archive_bank_account() -> Operation {
    about("bank account", "Archive a bank account", "Nothing new is entered or posted; repeating it changes nothing.")
        .success(200, "The bank account as it is now.", named("BankAccountData"), json!({ "data": account_example() }))
        .conflict(json!({ "reason": "stale_version" }))
        .change()
        .versioned()
}

/// `GET …/bank-transactions`.
pub fn list_bank_transactions() -> Operation {
    let kinds = ConfirmType::ALL.map(ConfirmType::as_str);
    inside("List bank transactions", "The lines of bank statements by date, newest first.")
        .query("status", "In this state only.", choice(&STATES), "unconfirmed".into())
        .query("bank_account_id", "Of this bank account only.", id(), 2.into())
        .query("date_from", "On this date or later.", date(), "2026-01-01".into())
        .query("date_to", "On this date or before.", date(), "2026-03-31".into())
        .query("search", "A text in description, reference or merchant.", text(1, 100), "rent".into())
        .query("type", "Confirmed this way only.", choice(&kinds), "coded".into())
        .query("min_amount", "Of this amount or more.", money_in(), json!(-100))
        .query("max_amount", "Of this amount or less.", money_in(), json!(0))
        .query("updated_since", "Changed at this moment or later.", moment(), "2026-03-01T00:00:00Z".into())
        .paged()
        .success(200, "The lines.", named("BankTransactionList"), page_example(example()))
}

/// `GET …/bank-transactions/{id}`.
pub fn get_bank_transaction() -> Operation {
    about("bank transaction", "Get a bank transaction", "A line of a bank statement.").success(
        200,
        "The line.",
        named("BankTransactionData"),
        json!({ "data": example() }),
    )
}

/// `GET …/bank-transactions/{id}/candidates`.
pub fn list_bank_transaction_candidates() -> Operation {
    about(
        "bank transaction",
        "List what a bank transaction may be",
        "Lines of other own accounts that may be the other side of a transfer, the likeliest first.",
    )
    .success(
        200,
        "The candidates.",
        named("CandidateList"),
        json!({ "data": [{ "kind": "bank_transaction", "id": 42, "amount": -84.37, "date": "2026-03-11", "score": 65 }] }),
    )
}

/// `POST …/bank-transactions`.
pub fn create_bank_transaction() -> Operation {
    inside(
        "Enter a bank transaction",
        "One line of a statement; money out is negative. It posts nothing until it is confirmed.",
    )
    .request(
        named("CreateBankTransaction"),
        json!({ "bank_account_id": 2, "date": "2026-03-10", "amount": -84.37, "description": "EDF ENERGY" }),
    )
    .success(201, "The line was entered.", named("BankTransactionData"), json!({ "data": example() }))
    .conflict(json!({ "reason": "duplicate_external_id", "field": "external_id", "existing_id": 41 }))
    .refused(json!({ "reason": "unknown_reference", "field": "bank_account_id", "id": 999 }))
    .change()
}

/// `POST …/bank-transactions/import`.
pub fn import_bank_transactions() -> Operation {
    inside(
        "Import bank transactions",
        "All rows or none. A row is there already when its `external_id` is; rows without one are compared by date, amount and \
         description, and of equal rows as many are new as the file has more than the books.",
    )
    .request(
        named("ImportBankTransactions"),
        json!({
            "bank_account_id": 2, "on_duplicate": "skip",
            "rows": [{ "date": "2026-03-10", "amount": -84.37, "description": "EDF ENERGY", "external_id": "b10" }]
        }),
    )
    .success(
        201,
        "What became of the rows.",
        named("BankImportData"),
        json!({ "data": { "import_id": 3, "created": 1, "skipped": 0, "transactions": [{ "row": 0, "id": 41, "status": "created" }] } }),
    )
    .conflict(json!({ "reason": "duplicate_external_id", "field": "rows[0]", "existing_id": 41 }))
    .refused(json!({ "reason": "bank_account_archived", "field": "bank_account_id", "id": 2 }))
    .change()
}

/// `PATCH …/bank-transactions/{id}`.
pub fn update_bank_transaction() -> Operation {
    about(
        "bank transaction",
        "Save a suggestion for a bank transaction",
        "How it may be confirmed; only while it is unconfirmed. It posts nothing.",
    )
    .request(named("UpdateBankTransaction"), json!({ "account_id": 12, "vat_code": "ST" }))
    .success(200, "The line as it is now.", named("BankTransactionData"), json!({ "data": example() }))
    .conflict(json!({ "reason": "invalid_state", "current": "confirmed", "allowed": ["unconfirmed"] }))
    .refused(json!({ "reason": "unknown_reference", "field": "lines[0].account_id", "id": 999 }))
    .change()
    .versioned()
}

/// `DELETE …/bank-transactions/{id}`.
pub fn delete_bank_transaction() -> Operation {
    about("bank transaction", "Delete a bank transaction", "Only one that is not confirmed.")
        .success(200, "The line is gone.", named("DeletedData"), json!({ "data": { "id": 12, "deleted": true } }))
        .conflict(json!({ "reason": "invalid_state", "current": "confirmed", "allowed": ["unconfirmed", "excluded"] }))
        .change()
        .versioned()
}

/// `POST …/bank-transactions/{id}/confirm`.
pub fn confirm_bank_transaction() -> Operation {
    about(
        "bank transaction",
        "Confirm a bank transaction",
        "Brings the line into the books: `coded` against accounts and VAT codes (VAT inside the amounts, the sign of money), `transfer` \
         with a line of another own account or to an account whose line is still to come, `match` with a journal that moved this amount \
         already. An empty body confirms the saved suggestion.",
    )
    .request(named("ConfirmBankTransaction"), json!({ "account_id": 12, "vat_code": "ST" }))
    .success(200, "The line as it is now.", named("BankTransactionData"), json!({ "data": example() }))
    .conflict(json!({ "reason": "invalid_state", "current": "confirmed", "allowed": ["unconfirmed"] }))
    .refused(json!({ "reason": "amount_mismatch", "expected": -84.37, "actual": -80.00 }))
    .change()
    .versioned()
}

/// `POST …/bank-transactions/confirm-batch`.
pub fn confirm_bank_transactions() -> Operation {
    inside(
        "Confirm many bank transactions",
        "All of them or none. The refusal is that of the first item that is refused, with its `row`.",
    )
    .request(named("ConfirmBatch"), json!({ "items": [{ "id": 41, "account_id": 12, "vat_code": "ST" }] }))
    .success(200, "The lines as they are now.", named("BankTransactions"), json!({ "data": [example()] }))
    .conflict(json!({ "reason": "invalid_state", "current": "confirmed", "allowed": ["unconfirmed"], "row": 0 }))
    .refused(json!({ "reason": "amount_mismatch", "expected": -84.37, "actual": -80.00, "row": 0 }))
    .change()
}

/// `POST …/bank-transactions/{id}/unconfirm`.
pub fn unconfirm_bank_transaction() -> Operation {
    about(
        "bank transaction",
        "Take a bank transaction out of the books",
        "Reverses its journal on the journal's date; a match is only unlinked; both lines of a transfer are set back.",
    )
    .success(200, "The line as it is now.", named("BankTransactionData"), json!({ "data": example() }))
    .conflict(json!({ "reason": "invalid_state", "current": "unconfirmed", "allowed": ["confirmed"] }))
    .refused(json!({
        "reason": "period_locked", "lock_date": "2026-02-28", "date": "2026-02-10", "earliest_date": "2026-03-01"
    }))
    .change()
    .versioned()
}

/// `POST …/bank-transactions/{id}/exclude`.
pub fn exclude_bank_transaction() -> Operation {
    about("bank transaction", "Exclude a bank transaction", "A duplicate or private line: it never posts.")
        .success(200, "The line as it is now.", named("BankTransactionData"), json!({ "data": example() }))
        .conflict(json!({ "reason": "invalid_state", "current": "confirmed", "allowed": ["unconfirmed"] }))
        .change()
        .versioned()
}

/// `POST …/bank-transactions/{id}/restore`.
pub fn restore_bank_transaction() -> Operation {
    about("bank transaction", "Take back an excluded bank transaction", "It is unconfirmed again.")
        .success(200, "The line as it is now.", named("BankTransactionData"), json!({ "data": example() }))
        .conflict(json!({ "reason": "invalid_state", "current": "confirmed", "allowed": ["excluded"] }))
        .change()
        .versioned()
}

fn account_example() -> Value {
    json!({
        "id": 2, "name": "Current account", "type": "current", "account_id": 9, "account_code": "1200", "bank_name": "Starling",
        "sort_code": "12-34-56", "account_number": "12345678", "iban": null, "currency": "GBP", "ledger_balance": 1200.00,
        "statement_balance": 1115.63, "opening_balance": 0.00, "unconfirmed_count": 1, "unconfirmed_total": -84.37,
        "last_transaction_date": "2026-03-10", "last_imported_at": "2026-03-10T12:00:00.000Z", "is_archived": false,
        "archived_at": null, "created_at": "2026-03-10T12:00:00.000Z", "updated_at": "2026-03-10T12:00:00.000Z", "version": 1
    })
}

fn example() -> Value {
    json!({
        "id": 41, "bank_account_id": 2, "date": "2026-03-10", "amount": -84.37, "currency": "GBP", "description": "EDF ENERGY",
        "reference": null, "merchant": null, "external_id": "b10", "import_id": 3, "status": "confirmed", "type": "coded",
        "contact_id": null, "account_id": 12, "vat_code": "ST", "net_amount": -70.31, "vat_amount": -14.06,
        "lines": [{
            "account_id": 12, "gross_amount": -84.37, "vat_code": "ST", "net_amount": -70.31, "vat_amount": -14.06, "memo": null
        }],
        "suggestion": null, "customer_receipt_id": null, "supplier_payment_id": null, "transfer_bank_transaction_id": null,
        "journal_id": 19, "memo": null, "confirmed_at": "2026-03-10T12:00:00.000Z", "confirmed_by": 3,
        "created_at": "2026-03-10T12:00:00.000Z", "updated_at": "2026-03-10T12:00:00.000Z", "version": 2
    })
}

fn account_fields(is_new: bool) -> Vec<Field> {
    vec![
        if is_new { required("name", text(1, 255)) } else { optional("name", text(1, 255)) },
        maybe("bank_name", text(0, 100)),
        maybe("sort_code", string().pattern(Some("^[0-9]{2}-?[0-9]{2}-?[0-9]{2}$"))),
        maybe("account_number", string().pattern(Some("^[0-9]{8}$"))),
        maybe("iban", text(0, 34)),
    ]
}

fn part() -> Any {
    strict(
        "A part of the line, VAT included, with the sign of money.",
        vec![
            required("account_id", id()),
            required("gross_amount", money_in()),
            required("vat_code", choice(&CODES)),
            maybe("vat_amount", money_in()),
            maybe("memo", text(0, 500)),
        ],
    )
    .into()
}

fn confirm_fields() -> Vec<Field> {
    vec![
        optional("type", choice(&["coded", "transfer", "match"])),
        maybe("account_id", id()),
        maybe("vat_code", choice(&CODES)),
        maybe("vat_amount", money_in()),
        super::super::schema::maybe_array("lines", array(part()).min_items(Some(1)).max_items(Some(100))),
        maybe("bank_transaction_id", id()),
        maybe("bank_account_id", id()),
        maybe("journal_id", id()),
    ]
}

fn row_fields() -> Vec<Field> {
    vec![
        required("date", date()),
        required("amount", money_in()),
        required("description", text(1, 500)),
        maybe("reference", text(0, 100)),
        maybe("merchant", text(0, 200)),
        maybe("external_id", text(0, 100)),
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

fn bank_transaction() -> Any {
    let kinds = ConfirmType::ALL.map(ConfirmType::as_str);
    let maybe_text = |name| required(name, nullable(string()));
    let maybe_id = |name| required(name, nullable(id()));
    let line = object(
        "A part of the line.",
        vec![
            required("account_id", id()),
            required("gross_amount", money()),
            required("vat_code", choice(&CODES)),
            required("net_amount", money()),
            required("vat_amount", money()),
            required("memo", nullable(string())),
        ],
    );
    object(
        "A line of a bank statement.",
        vec![
            maybe_id("id"),
            required("bank_account_id", id()),
            required("date", date()),
            required("amount", money()),
            required("currency", string()),
            required("description", string()),
            maybe_text("reference"),
            maybe_text("merchant"),
            maybe_text("external_id"),
            maybe_id("import_id"),
            required("status", choice(&STATES)),
            required("type", nullable(choice(&kinds))),
            maybe_id("contact_id"),
            maybe_id("account_id"),
            required("vat_code", nullable(choice(&CODES))),
            required("net_amount", nullable(money())),
            required("vat_amount", nullable(money())),
            required("lines", array(line).build()),
            required("suggestion", nullable(object("Reserved.", Vec::new()))),
            maybe_id("customer_receipt_id"),
            maybe_id("supplier_payment_id"),
            maybe_id("transfer_bank_transaction_id"),
            maybe_id("journal_id"),
            maybe_text("memo"),
            required("confirmed_at", nullable(moment())),
            maybe_id("confirmed_by"),
            required("created_at", moment()),
            required("updated_at", moment()),
            required("version", integer(1)),
        ],
    )
    .into()
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let kinds = BankAccountType::ALL.map(BankAccountType::as_str);
    let mut create_account = account_fields(true);
    create_account.extend([
        optional("type", choice(&kinds)),
        maybe("account_id", id()),
        maybe("code", text(1, 20)),
        optional("currency", choice(&["GBP"])),
    ]);
    let mut create = row_fields();
    create.push(required("bank_account_id", id()));
    let import = vec![
        required("bank_account_id", id()),
        required("rows", array(strict("A row.", row_fields())).min_items(Some(1)).max_items(Some(5000)).build()),
        optional("on_duplicate", choice(&["skip", "reject"])),
    ];
    let imported = object(
        "What became of an import.",
        vec![
            required("import_id", nullable(id())),
            required("created", integer(0)),
            required("skipped", integer(0)),
            required(
                "transactions",
                array(object(
                    "What became of a row.",
                    vec![
                        required("row", integer(0)),
                        required("id", nullable(id())),
                        required("status", choice(&["created", "duplicate"])),
                    ],
                ))
                .build(),
            ),
        ],
    );
    let update = vec![
        optional("account_id", id()),
        optional("vat_code", choice(&CODES)),
        optional("lines", array(part()).max_items(Some(100)).build()),
        maybe("contact_id", id()),
        maybe("memo", text(0, 500)),
    ];
    let mut item = vec![required("id", id())];
    item.extend(confirm_fields());
    let candidate = object(
        "What a line may be.",
        vec![
            required(
                "kind",
                choice(&[
                    "sales_invoice",
                    "purchase_invoice",
                    "customer_receipt",
                    "supplier_payment",
                    "bank_transaction",
                ]),
            ),
            required("id", id()),
            required("amount", money()),
            required("date", date()),
            required("score", integer(0)),
        ],
    );
    let items = array(strict("A line and how it is confirmed.", item)).min_items(Some(1)).max_items(Some(500));
    vec![
        ("BankAccount", bank_account()),
        ("BankAccountData", data("A bank account.", named("BankAccount"))),
        ("BankAccountList", data("Bank accounts.", array(named("BankAccount")).build().into())),
        ("CreateBankAccount", strict("A new bank account.", create_account).into()),
        ("UpdateBankAccount", strict("What is to change; at least one of them.", account_fields(false)).into()),
        ("BankTransaction", bank_transaction()),
        ("BankTransactionData", data("A line of a bank statement.", named("BankTransaction"))),
        ("BankTransactions", data("Lines of bank statements.", array(named("BankTransaction")).build().into())),
        ("BankTransactionList", page("Lines of bank statements.", named("BankTransaction"))),
        ("CreateBankTransaction", strict("A line of a bank statement.", create).into()),
        ("ImportBankTransactions", strict("Lines of a bank statement.", import).into()),
        ("BankImportData", data("What became of an import.", imported.into())),
        ("UpdateBankTransaction", strict("How the line may be confirmed; at least one of them.", update).into()),
        ("ConfirmBankTransaction", strict("How the line comes into the books.", confirm_fields()).into()),
        ("ConfirmBatch", strict("Lines to be confirmed together.", vec![required("items", items.build())]).into()),
        ("CandidateList", data("What a line may be.", array(candidate).build().into())),
    ]
}
