//! How the books stand.

use serde_json::json;

use super::super::operation::Operation;
use super::super::schema::{Any, array, boolean, choice, date, id, integer, named, nullable, object, required, string};
use super::shared::{inside, money};
use crate::http::wire::books::status::GAPS;

/// `GET …/status`.
pub fn get_books_status() -> Operation {
    inside(
        "Get the status of the books",
        "What waits to be dealt with: bank lines to be confirmed, drafts, what is overdue, and what is missing (`gaps`).",
    )
    .success(
        200,
        "The status.",
        named("BooksStatusData"),
        json!({ "data": {
            "organisation_id": 7, "as_of": "2026-03-10", "currency": "GBP",
            "vat": { "registered": true, "scheme": "standard", "has_control_account": true },
            "locked_through": "2026-02-28", "opening_balances_set": true,
            "bank_accounts": [{ "id": 2, "name": "Current account", "balance": 4915.63, "unconfirmed": 3, "last_date": "2026-03-09" }],
            "drafts": 1,
            "overdue": {
                "sales_invoices": { "count": 2, "amount_due": 1770.96 }, "purchase_invoices": { "count": 0, "amount_due": 0.00 }
            },
            "gaps": []
        } }),
    )
}

pub(super) fn schemas() -> Vec<(&'static str, Any)> {
    let vat = object(
        "How the organisation is registered.",
        vec![
            required("registered", boolean()),
            required("scheme", nullable(choice(&["standard", "cash", "flat_rate"]))),
            required("has_control_account", boolean()),
        ],
    );
    let bank = object(
        "A bank account in use; `unconfirmed` lines wait to be brought into the books.",
        vec![
            required("id", id()),
            required("name", string()),
            required("balance", money()),
            required("unconfirmed", integer(0)),
            required("last_date", nullable(date())),
        ],
    );
    let due = || {
        object("Invoices past their due date.", vec![required("count", integer(0)), required("amount_due", money())])
    };
    let overdue = object(
        "What should have been paid.",
        vec![required("sales_invoices", due()), required("purchase_invoices", due())],
    );
    let gap = object(
        "Something that is missing, and what to do.",
        vec![required("code", choice(&GAPS)), required("message", string()), required("fix", string())],
    );
    let status = object(
        "How the books stand.",
        vec![
            required("organisation_id", id()),
            required("as_of", date()),
            required("currency", choice(&["GBP"])),
            required("vat", vat),
            required("locked_through", nullable(date())),
            required("opening_balances_set", boolean()),
            required("bank_accounts", array(bank).build()),
            required("drafts", integer(0)),
            required("overdue", overdue),
            required("gaps", array(gap).build()),
        ],
    );
    let data = object("How the books stand.", vec![required("data", named("BooksStatus"))]);
    vec![("BooksStatus", status.into()), ("BooksStatusData", data.into())]
}
