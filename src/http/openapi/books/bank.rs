//! The lines of bank statements: what can be done with them.

use serde_json::json;

use super::super::operation::Operation;
use super::super::schema::{id, moment, named, plain};
use super::shared::{DATES_IN_ORDER, about, about_one, date_in, inside, money_text};
use crate::domain::books::records::suggestion::{CLEARS_BOTH, NEEDS_BOTH};
use crate::http::books::suggest::QueuedJson;
use crate::http::envelope::{Data, List, PageOf};
use crate::http::error::ErrorCode;
use crate::http::resources::bank_transactions::{
    BankImportJson, BankTransactionJson, BankTransactionsJson, CandidateJson, confirm_type, status,
};
use crate::http::resources::suggestions::ConfirmedLinesJson;
use crate::http::wire::books::read::{EXACTLY_ONE, ONE_AT_MOST};

const NO_SUGGESTION: &str = "is required: the line has no saved suggestion to confirm";
/// Why a line cannot be brought into the books.
const CONFIRM_REFUSALS: [&str; 12] = [
    "amount_mismatch",
    "period_locked",
    "unknown_reference",
    "account_archived",
    "contact_archived",
    "bank_account_archived",
    "bank_account_mismatch",
    "wrong_account_type",
    "vat_control_required",
    "vat_amount_out_of_tolerance",
    "over_allocated",
    "contact_mismatch",
];

/// `GET …/bank-transactions`.
pub fn list_bank_transactions() -> Operation {
    inside("List bank transactions", "The lines of bank statements by date, newest first.")
        .query("status", "In this state only.", status(), "unconfirmed".into())
        .query("bank_account_id", "Of this bank account only.", id(), 2.into())
        .query("date_from", "On this date or later.", date_in(), "2026-01-01".into())
        .query("date_to", "On this date or before.", date_in(), "2026-03-31".into())
        .rule("query.date_to", DATES_IN_ORDER)
        .query("search", "A text in description, reference or merchant.", plain(1, 100), "rent".into())
        .query("type", "Confirmed this way only.", confirm_type(), "coded".into())
        .query("min_amount", "Of this amount or more.", money_text(), json!("-100"))
        .query("max_amount", "Of this amount or less.", money_text(), json!("0.50"))
        .query("updated_since", "Changed at this moment or later.", moment(), "2026-03-01T00:00:00Z".into())
        .paged()
        .answer::<PageOf<BankTransactionJson>>(200, "The lines.")
}

/// `GET …/bank-transactions/{id}`.
pub fn get_bank_transaction() -> Operation {
    about("bank transaction", "Get a bank transaction", "A line of a bank statement.")
        .answer::<Data<BankTransactionJson>>(200, "The line.")
}

/// `GET …/bank-transactions/{id}/candidates`.
pub fn list_bank_transaction_candidates() -> Operation {
    about(
        "bank transaction",
        "List what a bank transaction may be",
        "Open invoices of this amount or named in the description, receipts and payments that no line shows yet, and lines of other own \
         accounts that may be the other side of a transfer; the likeliest first.",
    )
    .answer::<List<CandidateJson>>(200, "The candidates.")
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
    .created::<Data<BankTransactionJson>>("The line was entered.")
    .conflict(json!({ "reason": "duplicate_external_id", "field": "external_id", "existing_id": 41 }))
    .refusals(&["unknown_reference", "bank_account_archived"])
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
    .created::<Data<BankImportJson>>("What became of the rows.")
    .conflict(json!({ "reason": "duplicate_external_id", "field": "rows[0]", "existing_id": 41 }))
    .refusals(&["unknown_reference", "bank_account_archived"])
    .change()
}

/// `PATCH …/bank-transactions/{id}`.
pub fn update_bank_transaction() -> Operation {
    about(
        "bank transaction",
        "Save a suggestion for a bank transaction",
        "How it may be confirmed; only while it is unconfirmed. It posts nothing. What is left out stays as it was saved; `account_id` (or \
         `account_code`) and `vat_code` both null, or `lines` without any, clear the coding.",
    )
    .request(named("UpdateBankTransaction"), json!({ "account_id": 48, "vat_code": "ST" }))
    .answer::<Data<BankTransactionJson>>(200, "The line as it is now.")
    .conflict(json!({ "reason": "invalid_state", "current": "confirmed", "allowed": ["unconfirmed"] }))
    .refusals(&["unknown_reference"])
    .rule("account_id", ONE_AT_MOST)
    .rule("lines[].account_id", EXACTLY_ONE)
    .rule("account_id", NEEDS_BOTH)
    .rule("vat_code", NEEDS_BOTH)
    .rule("account_id", CLEARS_BOTH)
    .rule("vat_code", CLEARS_BOTH)
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
        "Brings the line into the books: `coded` against accounts and VAT codes (VAT inside the amounts, the sign of money), a \
         receipt, payment or refund of a contact with what it is set against, `transfer` with a line of another own account or to an \
         account whose line is still to come, `match` with a receipt, payment or journal that moved this amount already. An empty body \
         confirms what a person saved, else what the coding engine suggests. Money in on a fixed asset is its sale: boxes 1 and 6 of the return.",
    )
    .request(named("ConfirmBankTransaction"), json!({ "type": "coded", "account_id": 48, "vat_code": "ST" }))
    .answer::<Data<BankTransactionJson>>(200, "The line as it is now.")
    .conflict(json!({ "reason": "invalid_state", "current": "confirmed", "allowed": ["unconfirmed"] }))
    .conflict(json!({ "reason": "stale_suggestion" }))
    .refusals(&CONFIRM_REFUSALS)
    .rule("account_id", NO_SUGGESTION)
    .rule("lines[].account_id", EXACTLY_ONE)
    .change()
    .versioned()
}

/// `POST …/bank-transactions/confirm-batch`.
pub fn confirm_bank_transactions() -> Operation {
    inside(
        "Confirm many bank transactions",
        "All of them or none. The refusal is that of the first item that is refused, with its `row`.",
    )
    .request(named("ConfirmBatch"), json!({ "items": [{ "id": 15, "account_id": 48, "vat_code": "ST" }] }))
    .answer::<Data<BankTransactionsJson>>(200, "The lines as they are now.")
    .conflict(json!({ "reason": "invalid_state", "current": "confirmed", "allowed": ["unconfirmed"], "row": 0 }))
    .refused(json!({ "reason": "amount_mismatch", "expected": -84.37, "actual": -80.00, "row": 0 }))
    .refusals(&CONFIRM_REFUSALS)
    .rule("items[].account_id", NO_SUGGESTION)
    .rule("items[].lines[].account_id", EXACTLY_ONE)
    .change()
}

/// `POST …/bank-transactions/suggest`.
pub fn suggest_bank_transactions() -> Operation {
    inside(
        "Suggest how bank transactions may be confirmed",
        "A coding job over unconfirmed lines: the named ones, or the oldest 1,000 that fit. The engine is given the chart, open invoices \
         and bills, the VAT registration, and as `history` the lines and bills of the last two years. When the job completes, each line \
         that has not changed since has its `suggestion`; nothing is posted. It is polled, answered and charged as any coding job.",
    )
    .request(named("SuggestBankTransactions"), json!({ "bank_account_id": 2, "date_to": "2026-03-31" }))
    .answer::<Data<QueuedJson>>(202, "The job waits.")
    .error_with(ErrorCode::InsufficientCredits, json!({ "required": 42, "available": 7 }))
    .conflict(json!({ "reason": "invalid_state", "current": "confirmed", "allowed": ["unconfirmed"], "row": 0 }))
    .refusals(&["unknown_reference", "nothing_to_suggest"])
    .rule("transaction_ids", "is not combined with bank_account_id, date_from and date_to")
    .rule("transaction_ids[]", "is there already")
    .rule("date_to", "must not be before date_from")
    .error(ErrorCode::ValidationError)
    .idempotent()
}

/// `POST …/bank-transactions/confirm`.
pub fn confirm_suggested_bank_transactions() -> Operation {
    inside(
        "Confirm bank transactions as suggested",
        "Takes what the coding engine suggests for many lines, each for itself: the named ones, or the oldest 1,000 unconfirmed lines with \
         a suggestion. A line is decided anew over the books as they are; what no longer holds is refused with the reason it would have \
         alone, or `stale_suggestion`, and harms no other line. `skipped` has no suggestion, or one below `min_confidence`. What a person \
         saved with a line counts before its suggestion.",
    )
    .request(named("ConfirmSuggestions"), json!({ "min_confidence": 0.9 }))
    .answer::<Data<ConfirmedLinesJson>>(200, "What became of each line.")
    .refusals(&["unknown_reference"])
    .rule("transaction_ids", "at least one of transaction_ids, bank_account_id and min_confidence is required")
    .rule("transaction_ids[]", "is there already")
    .change()
}

/// `POST …/bank-transactions/{id}/unconfirm`.
pub fn unconfirm_bank_transaction() -> Operation {
    about_one(
        "bank transaction",
        13,
        "Take a bank transaction out of the books",
        "Reverses its journal on the journal's date; a match is only unlinked; both lines of a transfer are set back.",
    )
    .answer::<Data<BankTransactionJson>>(200, "The line as it is now.")
    .conflict(json!({ "reason": "invalid_state", "current": "unconfirmed", "allowed": ["confirmed"] }))
    .refusals(&["period_locked"])
    .change()
    .versioned()
}

/// `POST …/bank-transactions/{id}/exclude`.
pub fn exclude_bank_transaction() -> Operation {
    about("bank transaction", "Exclude a bank transaction", "A duplicate or private line: it never posts.")
        .answer::<Data<BankTransactionJson>>(200, "The line as it is now.")
        .conflict(json!({ "reason": "invalid_state", "current": "confirmed", "allowed": ["unconfirmed"] }))
        .change()
        .versioned()
}

/// `POST …/bank-transactions/{id}/restore`.
pub fn restore_bank_transaction() -> Operation {
    about_one("bank transaction", 14, "Restore an excluded bank transaction", "It is unconfirmed again.")
        .answer::<Data<BankTransactionJson>>(200, "The line as it is now.")
        .conflict(json!({ "reason": "invalid_state", "current": "confirmed", "allowed": ["excluded"] }))
        .change()
        .versioned()
}
